//! Genes as messages and as migrants.

use xpuck_evolve::{Id, Migrant, MigrantError};
use xpuck_wire::message::Gene;

/// Writes a migrant as a message.
pub fn to_gene(migrant: &Migrant) -> Gene {
    let (count, sum, square) = migrant.samples.parts();
    let Id { island, number } = migrant.id;
    Gene { island, number, epoch: migrant.epoch, tree: migrant.tree.to_string(), count, sum, square }
}

/// Reads a migrant from a message, checking everything about it.
pub fn from_gene(gene: &Gene) -> Result<Migrant, MigrantError> {
    let id = Id { island: gene.island, number: gene.number };
    Migrant::check(id, gene.epoch, &gene.tree, (gene.count, gene.sum, gene.square))
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_evolve::Samples;
    use xpuck_kernels::tree::Tree;

    #[test]
    fn genes_survive_the_wire_and_bad_ones_are_refused() {
        let tree = Tree::parse("mulav v_goal v_scr 12.3 v_blue").unwrap();
        let mut samples = Samples::default();
        samples.add(0, 0.25);
        let migrant = Migrant { id: Id { island: 3, number: 7 }, tree, samples, epoch: 2 };
        let gene = to_gene(&migrant);
        assert_eq!(from_gene(&gene).unwrap(), migrant);
        let bad = Gene { tree: "mulav v_gaol".into(), ..gene.clone() };
        assert!(from_gene(&bad).unwrap_err().to_string().starts_with("migrant 3.7: line 1, column 7"));
        assert!(from_gene(&Gene { count: [0, 0], ..gene }).is_err());
    }
}
