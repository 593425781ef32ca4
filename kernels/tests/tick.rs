//! Tests of the semantics of behaviour trees (thesis 3.1, 6.3, 6.4; docs/decisions.md, sections 3 and 4).

use xpuck_kernels::math::{Vec2, vec2};
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::tree::Status::{Failure, Running, Success};
use xpuck_kernels::tree::{Memory, Program, Senses, Status, Tree};

struct Robot {
    program: Program,
    memory: Memory,
    senses: Senses,
    ticks: u32,
}

impl Robot {
    fn new(text: &str) -> Robot {
        let program = Program::compile(&Tree::parse(text).unwrap_or_else(|e| panic!("{e}"))).unwrap();
        Robot { memory: Memory::new(&program), program, senses: Senses::default(), ticks: 0 }
    }

    fn tick(&mut self) -> (Status, Vec2) {
        self.ticks += 1;
        let mut draws = Draws::new(5, 0, 0, self.ticks, Stream::Controller);
        self.memory.tick(&self.program, &self.senses, &mut draws)
    }

    fn statuses(&mut self, n: usize) -> Vec<Status> {
        (0..n).map(|_| self.tick().0).collect()
    }

    fn cell(&self, i: usize) -> f32 {
        self.memory.board.cells()[i]
    }
}

fn once(text: &str) -> Status {
    Robot::new(text).tick().0
}

const S_SCR: usize = 17;
const V_SCR: usize = 18;

/// Tree that returns running, because it writes to v_goal twice in a tick. It sets the goal to (1, 0).
const BUSY: &str = "seq\n  movcv v_goal 0deg\n  movcv v_goal 0deg\n";

fn nest(parent: &str, children: &[&str]) -> String {
    let mut text = format!("{parent}\n");
    for child in children {
        child.lines().for_each(|line| text.push_str(&format!("  {line}\n")));
    }
    text
}

#[test]
fn composites_without_memory() {
    assert_eq!(once("seq\n  successl\n  successl\n"), Success);
    assert_eq!(once("seq\n  successl\n  failurel\n  successl\n"), Failure);
    assert_eq!(once("sel\n  failurel\n  failurel\n"), Failure);
    assert_eq!(once("sel\n  failurel\n  successl\n  failurel\n"), Success);
    assert_eq!(once(&nest("seq", &["successl", BUSY, "failurel"])), Running);
    assert_eq!(once(&nest("sel", &["failurel", BUSY, "successl"])), Running);
    let mut stops = Robot::new("seq\n  failurel\n  movcs s_scr 3\n");
    stops.tick();
    assert_eq!(stops.cell(S_SCR), 0.0, "children after a failure are not ticked");
}

#[test]
fn decorators() {
    assert_eq!(once("successd\n  failurel\n"), Success);
    assert_eq!(once("failed\n  successl\n"), Failure);
    assert_eq!(once("invert\n  failurel\n"), Success);
    assert_eq!(once("invert\n  successl\n"), Failure);
    for decorator in ["successd", "failed", "invert", "repeati 3", "repeatr 3"] {
        assert_eq!(once(&nest(decorator, &[BUSY])), Running, "{decorator} passes running on");
    }
}

#[test]
fn parallel_counts_successes() {
    let par = |k: u32, children: &[&str]| once(&nest(&format!("par {k}"), children));
    assert_eq!(par(2, &["successl", "failurel", "successl"]), Success);
    assert_eq!(par(2, &["successl", "failurel", "failurel"]), Failure);
    assert_eq!(par(2, &["successl", BUSY, "failurel"]), Running, "success is still within reach");
    assert_eq!(par(3, &["successl", BUSY, "failurel"]), Failure, "out of reach");
    assert_eq!(par(1, &[BUSY, "successl"]), Success);
    let mut all = Robot::new("par 1\n  successl\n  movcs s_scr 4\n");
    all.tick();
    assert_eq!(all.cell(S_SCR), 4.0, "all children are ticked");
}

#[test]
fn repeat_runs_until_the_nth_success() {
    assert_eq!(
        Robot::new("repeati 3\n  successl\n").statuses(7),
        [Running, Running, Success, Running, Running, Success, Running]
    );
    assert_eq!(Robot::new("repeati 1\n  successl\n").statuses(2), [Success, Success]);
    assert_eq!(Robot::new("repeati 3\n  failurel\n").statuses(2), [Failure, Failure]);
}

#[test]
fn repeatr_draws_its_count_when_it_starts() {
    let mut robot = Robot::new("repeatr 5\n  successl\n");
    let mut lengths = Vec::new();
    let mut length = 0;
    for _ in 0..3000 {
        length += 1;
        if robot.tick().0 == Success {
            lengths.push(length);
            length = 0;
        }
    }
    for n in 1..=5 {
        let share = lengths.iter().filter(|l| **l == n).count() as f32 / lengths.len() as f32;
        assert!((0.15..0.25).contains(&share), "{n} in {share} of the cases");
    }
    assert!(lengths.iter().all(|l| *l <= 5));
}

#[test]
fn memory_resumes_at_the_running_child() {
    // The first child counts its ticks in s_scr.
    let count = "mulas s_scr s_scr 1 v_up.x";
    let mut seqm = Robot::new(&nest("seqm", &[count, "repeati 3\n  successl\n", "movcs v_scr.x 9"]));
    assert_eq!(seqm.statuses(3), [Running, Running, Success]);
    assert_eq!((seqm.cell(S_SCR), seqm.cell(V_SCR)), (1.0, 9.0));
    seqm.tick();
    assert_eq!(seqm.cell(S_SCR), 2.0, "after a result it starts at the first child again");
    let mut seq = Robot::new(&nest("seq", &[count, "repeati 3\n  successl\n"]));
    seq.statuses(3);
    assert_eq!(seq.cell(S_SCR), 3.0, "without memory every tick starts at the first child");
    let fails = format!("invert\n  {count}");
    let mut selm = Robot::new(&nest("selm", &[&fails, "repeati 2\n  successl\n"]));
    assert_eq!(selm.statuses(2), [Running, Success]);
    assert_eq!(selm.cell(S_SCR), 1.0);
}

/// Checks the gardening example (thesis 3.1.4): a running node is reset if a tick does not reach it.
#[test]
fn memory_of_a_node_that_was_not_ticked_is_reset() {
    let text = nest(
        "sel",
        &[
            "seq\n  ifquad v_prox 1\n  movcs s_scr 1\n",
            &nest("seqm", &["mulas v_scr.x v_scr.x 1 v_up.x", "repeati 4\n  successl\n"]),
        ],
    );
    let mut robot = Robot::new(&text);
    assert_eq!(robot.statuses(2), [Running, Running]);
    assert_eq!(robot.cell(V_SCR), 1.0);
    robot.senses.prox = vec2(1.0, 1.0);
    assert_eq!(robot.tick().0, Success, "the higher priority took over for one tick");
    robot.senses.prox = Vec2::ZERO;
    assert_eq!(robot.statuses(4), [Running, Running, Running, Success], "the repeat counts from the start");
    assert_eq!(robot.cell(V_SCR), 2.0, "and the guard was checked again");
}

#[test]
fn goal_is_written_once_per_tick() {
    let mut polygon =
        Robot::new("seqm\n  movcv v_goal 0deg\n  movcv v_goal 0deg\n  movcv v_goal 0deg\n  movcv v_goal 90deg\n");
    let goals: Vec<Vec2> = (0..8).map(|_| polygon.tick().1).collect();
    for (i, goal) in goals.iter().enumerate() {
        // A tick ends at the second write to v_goal, and the next tick resumes at this write (Figure 6.2).
        let expected = if i % 4 == 3 { vec2(0.0, 1.0) } else { vec2(1.0, 0.0) };
        assert!((*goal - expected).length() < 1e-6, "tick {i}: {goal:?}");
    }
    let none = Robot::new("successl").tick().1;
    assert_eq!(none, Vec2::ZERO, "unwritten means standing still");
}

#[test]
fn components_of_the_goal_are_written_apart() {
    let mut robot = Robot::new("seq\n  movcs v_goal.y 2\n  movcs v_goal.x 1\n");
    assert_eq!(robot.tick(), (Success, vec2(1.0, 2.0)));
    assert_eq!(once("seq\n  movcs v_goal.x 1\n  movcs v_goal.x 2\n"), Running);
    let mut vector = Robot::new("sel\n  invert\n    movcs v_goal.x 3\n  movcv v_goal 90deg\n");
    assert_eq!(vector.tick(), (Running, vec2(3.0, 0.0)), "a vector write needs both components free");
}

#[test]
fn reading_the_unwritten_goal_gives_nan_and_leaves_it_unwritten() {
    let mut robot = Robot::new("seq\n  mulas v_goal.x v_goal.x 1 v_up.x\n  movcs v_goal.x 5\n");
    assert_eq!(robot.tick(), (Success, vec2(5.0, 0.0)));
    let mut vector = Robot::new("seq\n  mulav v_goal v_up 1 v_goal\n  movcv v_goal 0deg\n");
    assert_eq!(vector.tick(), (Success, vec2(1.0, 0.0)));
    let mut infinite = Robot::new("seq\n  mulas s_scr s_scr 3e38 v_up.x\n  mulas v_goal.x s_scr 3e38 s_scr\n");
    assert_eq!(infinite.tick().1, Vec2::ZERO, "infinity drives nothing");
}

#[test]
fn read_only_registers_take_writes_without_effect() {
    for register in ["v_zero", "v_prox", "v_up", "v_attr", "v_blue"] {
        let mut robot = Robot::new(&format!("movcv {register} 45deg"));
        let before = robot.senses;
        assert_eq!(robot.tick().0, Success);
        assert_eq!(robot.cell(0), 0.0);
        assert_eq!(robot.senses, before);
    }
    let mut pair = Robot::new("movcv s_n 0deg");
    pair.senses.neighbours = 3.0;
    pair.tick();
    assert_eq!((pair.cell(16), pair.cell(17)), (3.0, 0.0), "of the pair (s_n, s_scr) only s_scr is written");
}

#[test]
fn arithmetic_on_vectors() {
    let goal = |text: &str| {
        let mut robot = Robot::new(text);
        robot.senses.up = vec2(0.0, 1.0);
        robot.senses.attr = vec2(0.5, 0.0);
        robot.senses.prox = vec2(0.1, 0.0);
        robot.senses.neighbours = 2.0;
        robot.tick().1
    };
    let near = |a: Vec2, b: Vec2| assert!((a - b).length() < 1e-5, "{a:?} is not {b:?}");
    near(goal("mulav v_goal v_attr -2 v_up"), vec2(0.5, -2.0));
    near(goal("rotav v_goal v_attr 90deg v_up"), vec2(-0.5, 0.0));
    near(goal("movcv v_goal -90deg"), vec2(0.0, -1.0));
    near(goal("upfield 2"), vec2(-0.5, 2.0));
    near(goal("attract -1"), vec2(-1.0, 0.0));
    let mut alone = Robot::new("attract -1");
    near(alone.tick().1, vec2(1.0, 0.0));
    // The cells of s_n and s_scr are adjacent, so `mulav` reads them as one vector.
    near(goal("seq\n  movcs s_scr 4\n  mulav v_goal s_n 0 v_up\n"), vec2(2.0, 4.0));
}

#[test]
fn scratch_registers_keep_their_values() {
    let mut robot = Robot::new("mulas s_scr s_scr 1 v_up.x");
    for i in 1..=5 {
        robot.tick();
        assert_eq!(robot.cell(S_SCR), i as f32);
    }
}

#[test]
fn sectors_and_quadrants() {
    let with = |text: &str, v: Vec2| {
        let mut robot = Robot::new(text);
        robot.senses.prox = v;
        robot.senses.colours[2] = v;
        robot.tick().0 == Success
    };
    let at = |degrees: f32| Vec2::unit(degrees.to_radians());
    assert!(with("ifsect v_prox 0deg 90deg", at(44.0)) && !with("ifsect v_prox 0deg 90deg", at(46.0)));
    assert!(with("ifsect v_prox 180deg 90deg", at(-140.0)), "across the seam at 180 degrees");
    assert!(!with("ifsect v_prox 0deg 90deg", at(10.0) * 0.09), "short vectors have no direction");
    assert!(with("ifsect v_prox 0deg 0deg", at(10.0) * 0.09) && !with("ifsect v_prox 0deg 0deg", at(10.0)));
    for (quadrant, degrees) in [(1, 45.0), (2, 135.0), (3, -135.0), (4, -45.0), (-1, -45.0), (-2, -135.0), (-4, 45.0)] {
        for other in [45.0, 135.0, -135.0, -45.0] {
            assert_eq!(with(&format!("ifquad v_prox {quadrant}"), at(other)), other == degrees, "{quadrant} {other}");
        }
    }
    assert!(with("ifquad v_prox 0", at(45.0) * 0.1) && !with("ifquad v_prox 0", at(45.0)));
    // The robot faces a blob if the left, centre and right thirds of the image contain the pattern 010, 101 or 111
    // (Table 6.4).
    let (l, c, r) = (Vec2::unit(18.7f32.to_radians()), vec2(1.0, 0.0), Vec2::unit(-(18.7f32.to_radians())));
    let facing = [(c, true), (l + r, true), (l + c + r, true), (l, false), (r, false), (l + c, false), (c + r, false)];
    for (v, expected) in facing {
        assert_eq!(with("bfront", v), expected, "{v:?}");
    }
    assert!(with("bleft", l) && with("bleft", l + c) && !with("bleft", c) && !with("bleft", r));
    assert!(with("bright", r) && with("bright", r + c) && !with("bright", c) && !with("bright", l));
}

#[test]
fn probabilities_follow_the_logistic_curve() {
    let share = |text: &str, neighbours: f32| {
        let mut robot = Robot::new(text);
        robot.senses.neighbours = neighbours;
        robot.senses.colours[2] = vec2(1.0, 0.0);
        robot.statuses(4000).iter().filter(|s| **s == Success).count() as f32 / 4000.0
    };
    let near = |a: f32, b: f32| assert!((a - b).abs() < 0.03, "{a} is not {b}");
    near(share("ifprob s_n 1 2", 2.0), 0.5);
    near(share("ifprob s_n 1 2", 4.0), 0.881);
    near(share("neighbour -1 2", 4.0), 0.119);
    near(share("fixedprob -16", 0.0), 0.982);
    near(share("blue 0", 0.0), 0.5);
    assert_eq!(share("ifprob s_n 15 0.5", 0.0), 0.0);
    assert_eq!(share("red -16", 0.0), 0.0, "nothing red is seen");
}

#[test]
fn explore_turns_away_for_a_while() {
    let mut robot = Robot::new("explore 20");
    assert_eq!(robot.tick(), (Success, vec2(1.0, 0.0)));
    robot.senses.prox = vec2(0.5, 0.5);
    let (status, goal) = robot.tick();
    assert!(goal.y < -0.9, "an obstacle at the left: turn clockwise: {status:?} {goal:?}");
    robot.senses.prox = Vec2::ZERO;
    let turning = (0..40).take_while(|_| robot.tick().1.y < -0.9).count();
    assert!(turning < 20);
}

#[test]
fn bsearch_creeps_until_blue_is_ahead() {
    let mut robot = Robot::new("bsearch 90deg");
    assert_eq!(robot.tick().0, Failure);
    assert!((robot.tick().1 - vec2(0.0, 0.25)).length() < 1e-6);
    robot.senses.colours[2] = vec2(1.0, 0.0);
    assert_eq!(robot.tick(), (Success, Vec2::ZERO));
}

#[test]
fn one_program_drives_many_robots() {
    let program = Program::compile(&Tree::parse("repeati 3\n  successl\n").unwrap()).unwrap();
    let (mut a, mut b) = (Memory::new(&program), Memory::new(&program));
    let senses = Senses::default();
    let tick = |m: &mut Memory| m.tick(&program, &senses, &mut Draws::new(1, 0, 0, 0, Stream::Controller)).0;
    assert_eq!([tick(&mut a), tick(&mut a), tick(&mut a)], [Running, Running, Success]);
    assert_eq!(tick(&mut b), Running, "b counts for itself");
}

#[test]
fn observer_gets_each_visited_node_once() {
    // Node indices: 0 sel, 1 avoiding, 2 seqm, 3 par, 4 successl, 5 failurel, 6 repeati, 7 blue, 8 failurel.
    let text =
        "sel\n  avoiding\n  seqm\n    par 1\n      successl\n      failurel\n    repeati 2\n      blue 0\n  failurel\n";
    let program = Program::compile(&Tree::parse(text).unwrap()).unwrap();
    let (mut observed, mut plain) = (Memory::new(&program), Memory::new(&program));
    let mut senses = Senses::default();
    let mut tick = |number, senses: &Senses| {
        let draws = || Draws::new(3, 0, 0, number, Stream::Controller);
        let mut heard = Vec::new();
        let told =
            observed.tick_observed(&program, senses, &mut draws(), &mut |node, status| heard.push((node, status)));
        let unobserved = plain.tick(&program, senses, &mut draws());
        assert_eq!(format!("{told:?} {observed:?}"), format!("{unobserved:?} {plain:?}"), "looking changes nothing");
        heard
    };
    let first = tick(1, &senses);
    let no_blue = [
        (1, Failure),
        (4, Success),
        (5, Failure),
        (3, Success),
        (7, Failure),
        (6, Failure),
        (2, Failure),
        (8, Failure),
        (0, Failure),
    ];
    assert_eq!(first, no_blue);
    senses.prox = vec2(0.5, 0.1);
    assert_eq!(tick(2, &senses), [(1, Success), (0, Success)], "the parts of avoiding are not told");
    senses.prox = Vec2::ZERO;
    senses.colours[2] = vec2(1.0, 0.0);
    let resumed: Vec<_> = (3..30).map(|number| tick(number, &senses)).collect();
    let running = [(1, Failure), (7, Success), (6, Running), (2, Running), (0, Running)];
    assert!(
        resumed
            .iter()
            .any(|heard| heard[..]
                == [&[(1, Failure), (4, Success), (5, Failure), (3, Success)], &running[1..]].concat())
    );
    let done = [(1, Failure), (7, Success), (6, Success), (2, Success), (0, Success)];
    assert!(resumed.iter().any(|heard| heard[..] == done), "seqm resumes past par: {resumed:?}");
}

#[test]
fn driving_leaf_is_first_to_write_goal() {
    let driver = |text: &str, senses: &Senses| {
        let program = Program::compile(&Tree::parse(text).unwrap()).unwrap();
        let (mut told, mut plain) = (Memory::new(&program), Memory::new(&program));
        let draws = || Draws::new(3, 0, 0, 1, Stream::Controller);
        let (goal, leaf) = told.tick_driven(&program, senses, &mut draws());
        assert_eq!(goal, plain.tick(&program, senses, &mut draws()).1);
        assert_eq!(format!("{told:?}"), format!("{plain:?}"), "looking changes nothing");
        leaf
    };
    let calm = Senses::default();
    let wall = Senses { prox: vec2(0.5, 0.1), ..calm };
    let text = "sel\n  avoiding\n  seq\n    movcv v_scr 0deg\n    movcs v_goal.y 1\n    movcs v_goal.x 1\n";
    assert_eq!(driver(text, &wall), Some(1), "a subtree is one node");
    assert_eq!(driver(text, &calm), Some(4), "the first component counts, not the later one nor a scratch register");
    assert_eq!(driver("sel\n  failurel\n  bsearch 5\n", &calm), Some(2), "bsearch fails though it wrote");
    assert_eq!(driver("explore 30\n", &wall), Some(0), "explore drives while it is running");
    assert_eq!(driver("sel\n  ifquad v_prox 1\n", &calm), None);
    let unwritten = "par 2\n  mulav v_goal v_goal 1 v_up\n  movcv v_goal 0deg\n";
    assert_eq!(driver(unwritten, &calm), Some(2), "NaN is no goal");
    let later = "seq\n  upfield 1\n  attract 1\n";
    assert_eq!(driver(later, &calm), Some(1), "a refused write does not drive");
}

/// Checks that a memory that is saved and restored at every tick behaves as an uninterrupted memory.
#[test]
fn memory_resumes_from_words_and_scratch_registers() {
    let text = "par 2\n  seqm\n    repeatr 5\n      mulas s_scr s_scr 1 s_n\n    repeati 3\n      successl\n    \
                explore 4\n  selm\n    ifprob s_scr 0.125 3\n    movcv v_scr 45deg\n";
    let mut robot = Robot::new(text);
    robot.senses.neighbours = 2.0;
    let mut resumed = robot.memory.clone();
    let mut states = std::collections::BTreeSet::new();
    for tick in 0..200 {
        let words = resumed.node_words();
        robot.senses.prox = vec2(if tick % 7 == 0 { 0.5 } else { 0.0 }, 0.1);
        let wanted = robot.tick();
        let mut draws = Draws::new(5, 0, 0, robot.ticks, Stream::Controller);
        resumed = Memory::resume(&robot.program, &words, resumed.board.scratch()).expect("a memory that a tick left");
        assert_eq!(resumed.tick(&robot.program, &robot.senses, &mut draws), wanted, "tick {tick}");
        let bits = |memory: &Memory| memory.board.cells().map(f32::to_bits);
        assert_eq!((resumed.node_words(), bits(&resumed)), (robot.memory.node_words(), bits(&robot.memory)));
        states.insert(words);
    }
    assert!(states.len() > 5, "the tree remembers too little for the test to mean anything: {states:?}");
}

#[test]
fn resume_rejects_impossible_words() {
    let program = Program::compile(&Tree::parse("seqm\n  repeati 3\n    successl\n  par 1\n    successl\n").unwrap());
    let program = program.unwrap();
    let resume = |words: &[u16]| Memory::resume(&program, words, [0.0; 3]).is_some();
    let running = 0x8000;
    assert!(resume(&[0, 0, 0]) && resume(&[running | 1, running | 3, 0]) && resume(&[running | 3, 0, 0]));
    // Invalid words, in order: too few words, an index beyond the tree, the index of a grandchild, too many remaining
    // repetitions, a non-zero word of `par`, and a non-zero word of `seqm` without the running bit.
    for bad in
        [&[0, 0][..], &[running | 9, 0, 0], &[running | 2, 0, 0], &[0, running | 4, 0], &[0, 0, 1], &[0x7fff, 0, 0]]
    {
        assert!(!resume(bad), "{bad:?}");
    }
}

#[test]
fn signal_lasts_one_tick_and_writes_no_register() {
    let tree = Tree::parse(
        "sel\n  seq\n    ifquad v_light 1\n    signal 3\n    signal 7\n    failurel\n  movcv v_goal 0deg\n",
    );
    let program = Program::compile(&tree.unwrap()).unwrap();
    let mut memory = Memory::new(&program);
    let mut tick = |light: Vec2| {
        let senses = Senses { light, ..Senses::default() };
        let (_, leaf) = memory.tick_observed_driven(
            &program,
            &senses,
            &mut Draws::new(1, 0, 0, 0, Stream::Controller),
            &mut |_, _| {},
        );
        (memory.board.signal(), leaf, memory.board.cells()[20..22].to_vec(), memory.board.scratch())
    };
    // The light is in quadrant 1, at the front left, so both signals are set. The second signal replaces the first.
    assert_eq!(tick(vec2(0.5, 0.5)), (7, Some(6), vec![0.5, 0.5], [0.0; 3]));
    assert_eq!(tick(Vec2::ZERO), (0, Some(6), vec![0.0, 0.0], [0.0; 3]));
}
