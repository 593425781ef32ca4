//! Tests of primitive sets, functions and grammars: every evolved tree fits a robot, is allowed by the primitive set,
//! and is the tree of its genotype.

use xpuck_evolve::{
    Algorithm, Gene, Genotype, Id, Island, Migrant, PrimitiveSet, Representation, Samples, Settings, Space,
};
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::tree::{MAX_DEPTH, Program, Tree};

/// Small primitive set with two subtrees. Both subtrees use the node `ifquad`, which is not allowed outside subtrees.
const OWN: &str = r#"
inner = ["seq2", "sel3", "invert"]
leaves = ["movcv", "mulav"]
grammar = '''
# Trees of two levels below the root.
<tree>  ::= "seq2" <test> <act> | "sel3" <tree> <tree> <act>
<test>  ::= "beside" | "invert" <test>
<act>   ::= "movcv" "v_goal" <turn> | "mulav" "v_goal" "v_zero" <any> <any>
          | "homewards"
<turn>  ::= "-45deg" | "0deg" | "45deg"
'''

[registers]
scalar_sources = ["s_n"]
vector_sources = ["v_zero", "v_prox", "v_up"]
scalar_destinations = ["s_scr"]
vector_destinations = ["v_goal", "v_scr"]

[ranges]
angle = [-32, 32]

[subtrees]
beside = "ifquad v_prox 1"
homewards = """
seq
  movcv v_goal 180deg
  ifquad v_prox -1
"""
"#;

fn primitive_sets() -> [PrimitiveSet; 3] {
    [PrimitiveSet::in_swarm(), PrimitiveSet::transferability(), PrimitiveSet::parse("own.toml", OWN).unwrap()]
}

/// Records one generation. The fitness increases with the size of the tree, so that trees grow up to the limits.
fn generation(island: &mut Island) {
    let trial = |island: &Island, t: &xpuck_evolve::Trial| {
        let nodes = island.population()[t.individual].tree.nodes().len() as f32;
        nodes / 2048.0 + Draws::new(7, t.world, 0, 0, Stream::Device).range(-0.001, 0.001)
    };
    loop {
        let fitness: Vec<f32> = island.trials().iter().map(|t| trial(island, t)).collect();
        if island.record(&fitness) {
            return;
        }
    }
}

fn check(island: &Island, primitive_set: &PrimitiveSet) {
    let space = Space { primitive_set, settings: island.settings() };
    for individual in island.population() {
        let tree = &individual.tree;
        assert!(Program::compile(tree).is_ok() && tree.depth() <= MAX_DEPTH, "{} nodes", tree.nodes().len());
        assert!(primitive_set.allows(tree), "{tree}");
        assert_eq!(&space.tree(&individual.genotype), tree);
    }
}

const ALL: [Representation; 4] =
    [Representation::Tree, Representation::Adf, Representation::Grammar, Representation::Network];

#[test]
fn evolved_trees_fit_and_are_allowed() {
    for primitive_set in primitive_sets() {
        for algorithm in Algorithm::ALL {
            for representation in ALL {
                let settings = Settings { population: 40, representation, ..Settings::for_algorithm(algorithm) };
                let mut island = Island::new(settings, primitive_set.clone(), 1, 1);
                for _ in 0..25 {
                    generation(&mut island);
                    island.advance(&[]);
                }
                check(&island, &primitive_set);
            }
        }
    }
}

#[test]
fn growth_ends_at_the_memory_of_a_robot() {
    let primitive_set = PrimitiveSet::in_swarm();
    let settings = Settings { population: 64, depth: 8, tournament: 7, ..Settings::for_algorithm(Algorithm::Classic) };
    let mut island = Island::new(settings, primitive_set.clone(), 1, 2);
    for _ in 0..60 {
        generation(&mut island);
        island.advance(&[]);
    }
    let largest = island.population().iter().map(|i| i.tree.nodes().len()).max().unwrap();
    assert!(largest > 500, "sizes were driven to the limit: {largest}");
    check(&island, &primitive_set);
}

#[test]
fn only_main_tree_calls_functions() {
    let settings = Settings {
        population: 64,
        representation: Representation::Adf,
        functions: 3,
        ..Settings::for_algorithm(Algorithm::Classic)
    };
    let mut island = Island::new(settings, PrimitiveSet::in_swarm(), 1, 1);
    let functions = |island: &Island| -> Vec<Vec<Gene>> {
        let of = |g: &Genotype| match g {
            Genotype::Branches(branches) => branches[1..].iter().map(|b| b.genes().to_vec()).collect::<Vec<_>>(),
            _ => panic!("no branches"),
        };
        island.population().iter().flat_map(|i| of(&i.genotype)).collect()
    };
    let at_first = functions(&island);
    for _ in 0..20 {
        generation(&mut island);
        island.advance(&[]);
    }
    let is_call = |gene: &Gene| matches!(gene, Gene::Function(_));
    let at_last = functions(&island);
    assert!(at_last.iter().flatten().all(|gene| !is_call(gene)), "functions call none");
    assert!(at_last.iter().any(|f| !at_first.contains(f)), "they are not those of the beginning");
    let calls = island.population().iter().filter(|i| match &i.genotype {
        Genotype::Branches(branches) => branches.len() == 4 && branches[0].genes().iter().any(is_call),
        _ => false,
    });
    assert!(calls.count() > 20, "larger trees are fitter, and calls make them larger");
}

#[test]
fn library_subtrees_are_allowed_only_whole() {
    let primitive_set = PrimitiveSet::parse("own.toml", OWN).unwrap();
    let allows = |text: &str| primitive_set.allows(&Tree::parse(text).unwrap());
    assert!(allows("seq\n  seq\n    movcv v_goal 180deg\n    ifquad v_prox -1\n  ifquad v_prox 1\n"));
    assert!(!allows("seq\n  ifquad v_prox -1\n  ifquad v_prox 1\n"), "half of homewards");
}

#[test]
fn immigrants_breed_in_every_representation() {
    let primitive_set = PrimitiveSet::in_swarm();
    for representation in ALL {
        let settings = Settings { population: 32, representation, ..Settings::for_algorithm(Algorithm::Classic) };
        let mut home = Island::new(settings.clone(), primitive_set.clone(), 2, 1);
        let mut island = Island::new(settings, primitive_set.clone(), 1, 1);
        generation(&mut home);
        let mut migrant = home.emigrant();
        // With these samples, the migrant is fitter than all residents.
        migrant.samples = Samples::from_parts([4, 4], [4.0, 4.0], [4.0, 4.0]).unwrap();
        generation(&mut island);
        island.advance(std::slice::from_ref(&migrant));
        assert_eq!((island.population()[0].id, &island.population()[0].tree), (migrant.id, &migrant.tree));
        let parents = island.population().iter().flat_map(|i| i.parents.into_iter().flatten());
        assert!(parents.filter(|p| *p == migrant.id).count() > 2, "{representation:?}");
        check(&island, &primitive_set);
    }
}

#[test]
fn grammar_island_rejects_underivable_migrant() {
    let primitive_set = PrimitiveSet::parse("own.toml", OWN).unwrap();
    let settings = Settings {
        population: 32,
        representation: Representation::Grammar,
        ..Settings::for_algorithm(Algorithm::Classic)
    };
    let comes_in = |text: &str| {
        let mut island = Island::new(settings.clone(), primitive_set.clone(), 1, 1);
        generation(&mut island);
        let samples = Samples::from_parts([4, 4], [4.0, 4.0], [4.0, 4.0]).unwrap();
        let id = Id { island: 9, number: 0 };
        island.advance(&[Migrant { id, tree: Tree::parse(text).unwrap(), samples, epoch: 0 }]);
        island.population()[0].id == id
    };
    assert!(comes_in("seq\n  ifquad v_prox 1\n  movcv v_goal 45deg\n"));
    assert!(
        !comes_in("seq\n  ifquad v_prox 1\n  movcv v_goal 30deg\n"),
        "allowed by the primitive set, but not a <turn>"
    );
    assert!(!comes_in("seq\n  movcv v_goal 45deg\n  ifquad v_prox 1\n"));
}

fn error(text: &str) -> String {
    PrimitiveSet::parse("p.toml", text).unwrap_err().to_string()
}

#[test]
fn primitive_set_errors_name_file_key_and_remedy() {
    let change = |from: &str, to: &str| {
        assert!(OWN.contains(from), "{from}");
        error(&OWN.replacen(from, to, 1))
    };
    assert_eq!(change("\"movcv\"", "\"movcw\""), "p.toml: leaves: unknown node `movcw`; did you mean `movcs`?");
    assert_eq!(
        change("\"seq2\"", "\"seq\""),
        "p.toml: inner: `seq` needs its number of children, 1 to 16, like `seq2`"
    );
    assert!(change("\"seq2\"", "\"movcv\"").contains("inner: `movcv` is not an inner node"));
    assert!(change("\"mulav\"", "\"seq2\"").contains("leaves: `seq2` has children"));
    let register = change("\"v_up\"", "\"v_upp\"");
    assert_eq!(register, "p.toml: registers.vector_sources: unknown register `v_upp`; did you mean `v_up`?");
    assert!(change("[ranges]", "[rangess]").starts_with("p.toml: line "), "{}", change("[ranges]", "[rangess]"));
    assert!(change("angle = [-32, 32]", "angle = [32, -32]").contains("ranges.angle"));
    assert!(change("angle = [-32, 32]", "angle = [0.5, 2]").contains("multiples of 1"));
    assert!(
        change("ifquad v_prox -1", "ifquat v_prox -1").contains("subtrees.homewards: line 3, column 3: unknown node")
    );
    assert!(change("beside =", "seq2 =").contains("is the name of a node"));
    for (from, to, message) in [
        ("<turn>  ::=", "<turns> ::=", "grammar: line 4: unknown rule <turn>; did you mean `turns`?"),
        ("<test>  ::= \"beside\" |", "<test>  ::=", "grammar: trees of <tree>, <test> never end; give"),
        ("\"homewards\"\n<", "\"homeward\"\n<", "unknown node `homeward`; did you mean `homewards`?"),
        ("| \"sel3\" <tree> <tree> <act>", "| <tree>", "<tree> leads to itself without a node in between"),
        ("\"sel3\" <tree>", "\"sel3\"", "`sel3` needs 3 children, but has 2"),
        ("\"v_goal\" <turn>", "\"v_goal\"", "`movcv` needs operands d i"),
        ("\"movcv\" \"v_goal\"", "\"movcv\" \"v_gaol\"", "did you mean `v_goal`?"),
        ("\"movcv\" \"v_goal\"", "\"movcv\" \"v_zero\"", "a register of operand d is not in the primitive set"),
        ("\"invert\" <test>", "\"failed\" <test>", "`failed` with 1 children is not in the primitive set"),
        ("\"invert\" <test>", "invert <test>", "is invalid here; use"),
    ] {
        let found = change(from, to);
        assert!(found.contains(message) && !found.contains('\n'), "{found}");
    }
}
