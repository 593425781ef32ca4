//! Migrants survive a message bit for bit, and invalid migrants are rejected.

use xpuck_evolve::{Id, Migrant, Samples};
use xpuck_kernels::tree::Tree;
use xpuck_wire::message::Emigrant;

#[test]
fn genes_survive_the_wire_and_bad_ones_are_refused() {
    let tree = Tree::parse("mulav v_goal v_scr 12.3 v_blue").unwrap();
    let mut samples = Samples::default();
    samples.add(0, 0.25);
    let migrant = Migrant { id: Id { island: 3, number: 7 }, tree, samples, epoch: 2 };
    let gene = Emigrant::from_values(migrant.values());
    let check = |gene: &Emigrant| Migrant::check(gene.values()).map_err(|error| error.to_string());
    assert_eq!(check(&gene).unwrap(), migrant);
    assert!(
        check(&Emigrant { tree: "mulav v_gaol".into(), ..gene.clone() })
            .unwrap_err()
            .starts_with("migrant 3.7: line 1, column 7")
    );
    let large = format!("seq\n{}", "  mulas v_goal.y v_prox.x 6.55123 v_up.y\n".repeat(2000));
    assert!(
        check(&Emigrant { tree: large, ..gene.clone() }).unwrap_err().starts_with("migrant 3.7: "),
        "fits no robot"
    );
    assert_eq!(check(&Emigrant { count: [0, 0], ..gene }).unwrap_err(), "migrant 3.7: its samples are invalid");
}
