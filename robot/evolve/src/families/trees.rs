//! Behaviour trees as a species of family-aware evolution.

use super::{Cell, Similarity, Species};
use crate::generate::ramped;
use crate::genotype::{Gene, Genotype};
use crate::primitive_set::PrimitiveSet;
use crate::rule_list::RuleListBuilder;
use crate::settings::Settings;
use crate::space::Space;
use crate::variation::{crossover, mutate_gently, vary};
use xpuck_kernels::random::Draws;
use xpuck_kernels::tree::Kind;

/// Behaviour trees over a primitive set. If the primitive set supports rule lists, founders are rule lists, and
/// mutation uses the operators of the racing algorithm. The archive cell of a tree is its number of conditions and its
/// number of actions (0 to 7 each).
#[derive(Clone, Debug)]
pub struct Trees {
    /// Primitive set of the trees.
    pub primitive_set: PrimitiveSet,
    /// Settings of the representation and of variation. The selection settings are not used.
    pub settings: Settings,
}

impl Trees {
    pub(super) fn space(&self) -> Space<'_> {
        Space { primitive_set: &self.primitive_set, settings: &self.settings }
    }
}

impl Species for Trees {
    type Genome = Genotype;

    fn founder(&self, draws: &mut Draws) -> Genotype {
        match RuleListBuilder::new(&self.primitive_set) {
            Some(builder) => Genotype::Branches(vec![builder.branch(draws)]),
            None => self.space().random(ramped(draws.below(2) as usize, 2, self.settings.depth), draws),
        }
    }

    fn mutate(&self, parent: &Genotype, draws: &mut Draws) -> Genotype {
        if let Some(builder) = RuleListBuilder::new(&self.primitive_set) {
            return vary(self.space(), &builder, parent, parent, draws).0;
        }
        let mut child = parent.clone();
        mutate_gently(self.space(), &mut child, draws);
        child
    }

    fn cross(&self, mother: &Genotype, father: &Genotype, draws: &mut Draws) -> Option<Genotype> {
        Some(crossover(self.space(), mother, father, draws))
    }

    fn cell(&self, genome: &Genotype) -> Cell {
        let Genotype::Branches(branches) = genome else { return Cell(Vec::new()) };
        let (mut conditions, mut actions) = (0, 0);
        for gene in branches.iter().flat_map(|branch| branch.genes()) {
            match gene {
                Gene::Node(node) if node.children > 0 || node.kind == Kind::Avoiding => {}
                Gene::Node(node) if node.kind.spec().writes => actions += 1,
                Gene::Node(_) => conditions += 1,
                _ => actions += 1,
            }
        }
        Cell(vec![conditions.min(7), actions.min(7)])
    }

    fn likeness(&self, genome: &Genotype) -> Similarity {
        let tree = self.space().tree(genome);
        let kinds: Vec<String> = tree.nodes().iter().map(|node| format!("{:?}/{}", node.kind, node.children)).collect();
        Similarity { size: kinds.len(), form: kinds.join(" ") }
    }
}
