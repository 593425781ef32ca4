//! Tests that compare memoryless forms and leaf state machines with their original trees.

use crate::random;
use xpuck_kernels::analysis::machine::{FormMemory, LeafMachine, Memoryless, Target};
use xpuck_kernels::math::Vec2;
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::tree::{Blackboard, Kind, Memory, Program, Senses, Status, Tree};

const TICKS: u32 = 200;

/// Returns the bits of all registers. All NaNs have the same bits.
fn cells(board: &Blackboard) -> Vec<u32> {
    board.cells().iter().map(|x| if x.is_nan() { f32::NAN } else { *x }.to_bits()).collect()
}

/// Returns the bits of a tick's result and registers, and the next random number. The random number depends on the
/// number of draws in the tick.
fn outcome((status, goal): (Status, Vec2), board: &Blackboard, mut draws: Draws) -> (Status, [u32; 2], Vec<u32>, u32) {
    (status, [goal.x.to_bits(), goal.y.to_bits()], cells(board), draws.word())
}

/// Ticks a tree, its memoryless form and its state machine with the same senses, and checks that the results are
/// identical. Returns the number of ticks with the result running.
fn compare(tree: &Tree, seed: u64) -> u32 {
    let program = Program::compile(tree).unwrap();
    let memoryless = Memoryless::from_tree(tree).unwrap();
    let machine = LeafMachine::from_form(&memoryless.form);
    let mut original = Memory::new(&program);
    let (mut ticked, mut walked) = (FormMemory::new(&memoryless), FormMemory::new(&memoryless));
    let mut running = 0;
    let mut senses = Senses::default();
    for t in 0..TICKS {
        let choice = &mut random::draws(seed, t);
        // Constant senses over several ticks allow nodes to complete.
        if choice.below(4) == 0 {
            senses = random::senses(choice);
        }
        let draws = || Draws::new(seed, 0, 0, t, Stream::Controller);
        let mut own = draws();
        let result = original.tick(&program, &senses, &mut own);
        running += u32::from(result.0 == Status::Running);
        let expected = outcome(result, &original.board, own);
        let mut own = draws();
        let result = ticked.tick(&memoryless.form, &senses, &mut own);
        assert_eq!(outcome(result, &ticked.board, own), expected, "tick {t} of\n{tree}as\n{memoryless}");
        let mut own = draws();
        let result = walked.walk(&machine, &senses, &mut own);
        assert_eq!(outcome(result, &walked.board, own), expected, "tick {t} of\n{tree}as\n{machine}");
    }
    running
}

#[test]
fn random_trees_do_the_same_in_every_form() {
    let mut kinds = [0; 5];
    let mut running = 0;
    for seed in 0..4000 {
        let tree = random::small_tree(2 + seed as u32 % 3, &mut random::draws(seed, u32::MAX));
        for (count, kind) in kinds.iter_mut().zip([Kind::Seqm, Kind::Selm, Kind::Par, Kind::Repeati, Kind::Repeatr]) {
            *count += u32::from(tree.nodes().iter().any(|n| n.kind == kind));
        }
        running += compare(&tree, seed);
    }
    assert!(kinds.iter().all(|n| *n > 800), "trees with seqm, selm, par, repeati, repeatr: {kinds:?}");
    assert!(running > 100_000, "only {running} ticks were running");
}

/// Checks trees in which nodes with memory are often running, including such nodes below `par` and below each other.
#[test]
fn busy_trees_do_the_same_in_every_form() {
    let kinds = ["seq", "sel", "seqm", "selm", "par 1", "par 2", "par 3", "successd", "failed", "invert"];
    let more = ["repeati 2", "repeatr 4", "seqm", "selm"];
    let leaves = ["movcv v_goal 0deg", "movcs v_goal.x 1", "mulas s_scr s_scr 1 v_up.x", "ifquad v_prox 1"];
    let fails = ["invert\n  ifquad v_up 1", "fixedprob 0", "repeati 3\n  successl", "explore 3", "failurel"];
    let mut running = 0;
    for seed in 0..3000u64 {
        let draws = &mut random::draws(seed, u32::MAX - 1);
        let one = |of: &[&str], draws: &mut Draws| of[draws.below(of.len() as u32) as usize].to_string();
        let mut level: Vec<String> = (0..12).map(|_| one(&[&leaves[..], &fails].concat(), draws)).collect();
        while level.len() > 1 {
            let kind = one(&[&kinds[..], &more].concat(), draws);
            let decorator = ["successd", "failed", "invert", "repeati 2", "repeatr 4"].contains(&kind.as_str());
            let n = if decorator { 1 } else { level.len().min(2 + draws.below(2) as usize) };
            let at = draws.below((level.len() - n + 1) as u32) as usize;
            let mut text = kind;
            for child in level.drain(at..at + n) {
                child.lines().for_each(|line| text += &format!("\n  {line}"));
            }
            level.insert(at, text);
        }
        let tree = Tree::parse(&level[0]);
        // Nested decorators may exceed the maximum depth; such seeds are skipped.
        if let Ok(tree) = tree {
            running += compare(&tree, seed);
        }
    }
    assert!(running > 100_000, "only {running} ticks were running");
}

#[test]
fn memoryless_sequence_matches_figures() {
    let tree = Tree::parse("seqm\n  movcv v_goal 0deg\n  movcv v_goal 90deg\n").unwrap();
    let expected = "\
# seqm (node 1): s1: its state, i1: the child to tick
seq
  sel
    seq
      is s1 running
      set s1 active
    set s1 idle
  seq
    sel
      is s1 active
      set i1 1
    sel
      invert
        is i1 1
      seq
        set s1 running
        sel
          seq
            movcv v_goal 0deg
            set s1 idle
            set i1 2
          failed
            set s1 idle
    sel
      invert
        is i1 2
      seq
        set s1 running
        sel
          seq
            movcv v_goal 90deg
            set s1 idle
            set i1 3
          failed
            set s1 idle
";
    assert_eq!(Memoryless::from_tree(&tree).unwrap().to_string(), expected);
}

#[test]
fn forms_grow_in_proportion() {
    for seed in 0..1000 {
        let tree = random::tree(5, &mut random::draws(seed, 0));
        // A tree of this depth may be too large for a robot. The conversion must then fail with the same error.
        match (Program::compile(&tree), Memoryless::from_tree(&tree)) {
            (Ok(program), Ok(memoryless)) => assert!(memoryless.form.size() <= 24 * program.len()),
            (program, memoryless) => assert_eq!(program.err(), memoryless.err()),
        }
    }
}

#[test]
fn leaf_transitions_lead_forward_only() {
    for seed in 0..500 {
        let memoryless = Memoryless::from_tree(&random::tree(3, &mut random::draws(seed, 1))).unwrap();
        let machine = LeafMachine::from_form(&memoryless.form);
        assert_eq!(machine.start, Target::State(0));
        for (i, state) in machine.states.iter().enumerate() {
            for target in [state.success, state.failure, state.running] {
                assert!(!matches!(target, Target::State(to) if to <= i || to >= machine.states.len()));
            }
        }
    }
}

#[test]
fn composites_are_the_fragments_of_the_figures() {
    let machine = |text: &str| {
        LeafMachine::from_form(&Memoryless::from_tree(&Tree::parse(text).unwrap()).unwrap().form).to_string()
    };
    assert_eq!(
        machine("seq\n  movcv v_goal 0deg\n  movcs s_scr 1\n  ifquad v_up 1\n"),
        "tick > 1\n1 movcv v_goal 0deg: success > 2, running > running\n2 movcs s_scr 1: success > 3\n\
         3 ifquad v_up 1: success > success, failure > failure\n"
    );
    assert_eq!(
        machine("invert\n  sel\n    ifquad v_up 1\n    movcv v_goal 0deg\n"),
        "tick > 1\n1 ifquad v_up 1: success > failure, failure > 2\n\
         2 movcv v_goal 0deg: success > failure, running > running\n"
    );
}
