//! Checks recurrent networks as parts of trees. All engines agree, every exchange format can represent networks, and
//! analysis does not change networks.

use xpuck_kernels::analysis::explain::{explain, to_text};
use xpuck_kernels::analysis::machine::Memoryless;
use xpuck_kernels::analysis::reduce::{Options, reduce};
use xpuck_kernels::engine::{Engine, Job, Reference, Simd, Team};
use xpuck_kernels::random::{Draws, Stream, normal_pair};
use xpuck_kernels::tree::exchange::{
    Direction, from_binary, from_compact, from_json, from_xml, to_binary, to_compact, to_dot, to_json, to_svg, to_xml,
};
use xpuck_kernels::tree::{CompileError, Kind, Memory, Node, Program, Senses, Tree, source_of_neuron};
use xpuck_kernels::world::WorldSpec;

/// Returns a random network with the given number of hidden neurons. It reads every sense of the in-swarm register map.
fn network(hidden: usize, number: u32) -> Tree {
    let mut draws = Draws::new(5, 0, number, 0, Stream::Evolution);
    let neurons = 2 + hidden;
    let sources: Vec<u8> =
        [4, 5, 6, 7, 8, 9, 14, 15, 16].into_iter().chain((1..=neurons).filter_map(source_of_neuron)).collect();
    let mut nodes = vec![Node::new(Kind::Network, neurons as u16, &[])];
    for _ in 0..neurons {
        nodes.push(Node::new(Kind::Neuron, sources.len() as u16, &[normal_pair(draws.word(), draws.word()).0, 1.0]));
        for source in &sources {
            let weight = normal_pair(draws.word(), draws.word()).0;
            nodes.push(Node::new(Kind::Synapse, 0, &[f32::from(*source), weight]));
        }
    }
    Tree::from_preorder(nodes)
}

/// Returns trees with networks in various places.
fn trees() -> Vec<Tree> {
    let leaf = |kind| Tree::leaf(kind, &[]);
    let test = Tree::leaf(Kind::Ifquad, &[14.0, 1.0]);
    vec![
        network(8, 0).under_avoiding(),
        network(0, 1),
        Tree::inner(Kind::Seq, &[], &[network(3, 2), network(1, 3)]),
        Tree::inner(
            Kind::Sel,
            &[],
            &[Tree::inner(Kind::Seq, &[], &[test, network(2, 4)]), leaf(Kind::Avoiding), network(4, 5)],
        ),
        Tree::inner(
            Kind::Repeatr,
            &[7.0],
            &[Tree::inner(Kind::Seqm, &[], &[network(2, 6), Tree::leaf(Kind::Explore, &[9.0])])],
        ),
    ]
}

#[test]
fn engines_agree_to_the_digit() {
    let programs: Vec<Program> = trees().iter().map(|tree| Program::compile(tree).unwrap()).collect();
    let spec = WorldSpec::benchmark(9);
    let teams =
        (0..programs.len()).map(Team::all).chain([Team::from_programs((0..9).map(|robot| robot % programs.len()))]);
    let jobs: Vec<Job<'_>> = teams
        .flat_map(|team| (0..5).map(move |world| (team.clone(), world)))
        .map(|(team, world)| Job { spec: &spec, start: 1, team, seed: 3, world, updates: 200 })
        .collect();
    let [reference, simd] = [&Reference::default() as &dyn Engine, &Simd::default()].map(|e| e.run(&programs, &jobs));
    assert_eq!(reference, simd);
    let hashes: std::collections::BTreeSet<u64> = simd.iter().map(|outcome| outcome.hash).collect();
    assert_eq!(hashes.len(), jobs.len(), "every tree drives in its own way");
}

#[test]
fn networks_round_trip_through_every_format() {
    for tree in trees() {
        assert_eq!(Tree::parse(&tree.to_string()).unwrap(), tree);
        assert_eq!(from_compact(&to_compact(&tree)).unwrap(), tree);
        assert_eq!(from_binary(&to_binary(&tree).unwrap()).unwrap(), tree);
        assert_eq!(from_json(&to_json(&tree)).unwrap(), tree);
        assert_eq!(from_xml(&to_xml(&tree)).unwrap(), tree);
    }
}

#[test]
fn parts_out_of_place_are_refused_in_every_form() {
    let neuron = Tree::inner(Kind::Neuron, &[0.0, 1.0], &[Tree::leaf(Kind::Synapse, &[4.0, 1.0])]);
    let wrong = Tree::inner(Kind::Seq, &[], &[neuron]);
    assert_eq!(Program::compile(&wrong), Err(CompileError::Network));
    assert!(Tree::parse(&wrong.to_string()).is_err());
    assert!(from_compact(&to_compact(&wrong)).is_err());
    assert!(from_binary(&to_binary(&wrong).unwrap()).is_err());
    assert!(from_json(&to_json(&wrong)).unwrap_err().to_string().contains("only allowed under network"));
    assert!(from_xml(&to_xml(&wrong)).is_err());
}

#[test]
fn ticks_go_on_from_words_that_were_kept() {
    for tree in trees() {
        let program = Program::compile(&tree).unwrap();
        let mut memory = Memory::new(&program);
        let senses = Senses { prox: xpuck_kernels::math::vec2(0.2, -0.1), ..Senses::default() };
        for update in 0..20 {
            let mut resumed = Memory::resume(&program, &memory.node_words(), memory.board.scratch()).unwrap();
            let draws = || Draws::new(2, 0, 0, update, Stream::Controller);
            let (a, b) = (memory.tick(&program, &senses, &mut draws()), resumed.tick(&program, &senses, &mut draws()));
            assert_eq!(a, b);
            assert_eq!(memory.node_words(), resumed.node_words());
        }
        let mut words = memory.node_words();
        *words.last_mut().unwrap() = 0x4100;
        assert!(Memory::resume(&program, &words, [0.0; 3]).is_none(), "8 is nothing that a neuron puts out");
    }
}

#[test]
fn reduction_keeps_networks_and_takes_what_is_around_them() {
    let useless = Tree::inner(
        Kind::Seq,
        &[],
        &[Tree::leaf(Kind::Successl, &[]), network(2, 7), Tree::leaf(Kind::Movcs, &[17.0, 3.0])],
    );
    assert_eq!(reduce(&useless, Options::default()).tree, network(2, 7));
    // Writes to scratch registers that a network reads must be kept. This network cannot drive, but it has memory.
    let kept = "seq\n  movcs s_scr 3\n  movcv v_goal 0deg\n  invert\n    network\n      neuron 0 1\n        synapse s_scr 1\n      neuron 0 1\n";
    assert_eq!(reduce(&Tree::parse(kept).unwrap(), Options::default()).tree.to_string().matches("s_scr").count(), 2);
    assert!(matches!(Memoryless::from_tree(&network(0, 1)), Err(CompileError::HasMemory)));
}

#[test]
fn networks_are_drawn_and_explained() {
    let tree = network(2, 8).under_avoiding();
    let svg = to_svg(&tree, Direction::Down);
    assert!(svg.contains("n1 ahead") && svg.contains("v_blue.y") && svg.matches("class=\"positive\"").count() > 10);
    assert!(!svg.contains("synapse"), "parts are in the picture");
    let dot = to_dot(&tree);
    let synapses = 4 * (9 + 4);
    assert_eq!(dot.matches("penwidth").count(), synapses, "{dot}");
    assert!(dot.contains("v_goal.x") && !dot.contains("synapse"), "{dot}");
    let text = to_text(&explain(&tree), |_| None, |_, text| text.into());
    assert!(text.contains("a recurrent network of two neurons and 2 hidden ones"), "{text}");
    assert!(text.contains("n1 is v_goal.x, straight ahead") && text.contains("its slope by sense there is"), "{text}");
    assert!(text.contains("an obstacle ahead on the left"), "{text}");
}

#[test]
fn oscillating_network_is_explained_by_its_mean() {
    // This network oscillates with a period of 4 updates.
    let swings = "network\n  neuron 1 5\n    synapse n2 -2\n  neuron -1 5\n    synapse n1 2\n";
    let text = to_text(&explain(&Tree::parse(swings).unwrap()), |_| None, |_, text| text.into());
    assert!(text.matches("on average at rest, oscillating").count() == 2 && !text.contains("-1 on average"), "{text}");
}
