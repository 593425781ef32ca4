//! Checks that all trees of docs/trees run, and that the expanded subtrees of the thesis behave as the built-in leaves.

use crate::random;
use std::path::PathBuf;
use xpuck_kernels::math::vec2;
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::tree::{Memory, Program, Senses, Status, Tree};

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/trees"))
}

fn load(name: &str) -> Tree {
    let text = std::fs::read_to_string(folder().join(format!("{name}.bt"))).unwrap();
    Tree::parse(&text).unwrap_or_else(|e| panic!("{name}.bt: {e}"))
}

/// Returns all trees of the library with their names.
pub fn trees() -> Vec<(String, Tree)> {
    let files = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).filter(|path| !path.is_dir());
    let name = |path: PathBuf| path.file_stem().unwrap().to_string_lossy().into_owned();
    files.map(name).map(|name| (name.clone(), load(&name))).collect()
}

/// A robot whose random draws depend only on the number of the tick.
struct Robot {
    program: Program,
    memory: Memory,
}

impl Robot {
    fn new(tree: &Tree) -> Robot {
        let program = Program::compile(tree).unwrap();
        Robot { memory: Memory::new(&program), program }
    }

    fn tick(&mut self, senses: &Senses, step: u32) -> (Status, [f32; 2]) {
        let mut draws = Draws::new(5, 0, 0, step, Stream::Controller);
        let (status, goal) = self.memory.tick(&self.program, senses, &mut draws);
        (status, [goal.x, goal.y])
    }
}

#[test]
fn every_library_tree_runs() {
    let trees = trees();
    assert!(trees.len() >= 19, "{}", trees.len());
    for (name, tree) in trees {
        let text = std::fs::read_to_string(folder().join(format!("{name}.bt"))).unwrap();
        assert!(text.starts_with("# "), "{name}.bt says first what it is");
        assert_eq!(Tree::parse(&tree.to_string()).unwrap(), tree);
        let mut robot = Robot::new(&tree);
        for i in 0..200 {
            let (_, goal) = robot.tick(&random::senses(&mut random::draws(1, i)), i);
            assert!(goal[0].is_finite() && goal[1].is_finite());
        }
    }
}

#[test]
fn subtrees_written_out_behave_as_the_leaves() {
    let leaves = [
        ("explore", "explore 20"),
        ("upfield", "upfield 1"),
        ("downfield", "upfield -1"),
        ("attract", "attract 2"),
        ("repel", "attract -2"),
        ("red", "red -4"),
        ("neighbour", "neighbour 1 2"),
        ("fixedprob", "fixedprob 4"),
        ("avoiding", "avoiding"),
        ("bsearch", "bsearch 90deg"),
        ("bleft", "bleft"),
        ("bright", "bright"),
        ("bfront", "bfront"),
    ];
    for (name, leaf) in leaves {
        let mut written = Robot::new(&load(name));
        let mut built_in = Robot::new(&Tree::parse(leaf).unwrap());
        let mut results = Vec::new();
        for i in 0..200 {
            let senses = random::senses(&mut random::draws(7, i));
            let (a, b) = (written.tick(&senses, i), built_in.tick(&senses, i));
            assert_eq!(a, b, "{name}.bt and {leaf} in tick {i} with {senses:?}");
            results.push(a.0);
        }
        let varies = results.iter().any(|r| *r != results[0]);
        assert_eq!(varies, !["upfield", "downfield", "attract", "repel"].contains(&name), "{name}: senses that matter");
    }
}

#[test]
fn square_tree_takes_fifty_updates_per_side() {
    let mut robot = Robot::new(&load("square"));
    let senses = Senses { up: vec2(0.0, 1.0), ..Senses::default() };
    // The robot heads towards -y of the world, so +x is on its left.
    let sides = [[0.0, 1.0], [-1.0, 0.0], [0.0, -1.0], [1.0, 0.0]];
    for i in 0..400u32 {
        let (_, goal) = robot.tick(&senses, i);
        let side = sides[i as usize / 50 % 4];
        assert!((goal[0] - side[0]).abs() < 1e-6 && (goal[1] - side[1]).abs() < 1e-6, "update {i}: {goal:?}");
    }
}

#[test]
fn polygon_tree_turns_every_sixth_update() {
    let mut robot = Robot::new(&load("polygon"));
    let turns: Vec<bool> = (0..18).map(|i| robot.tick(&Senses::default(), i).1[1] > 0.5).collect();
    assert_eq!(turns, (1..=18).map(|i| i % 6 == 0).collect::<Vec<bool>>());
}

#[test]
fn gardening_tree_checks_rain_after_charging() {
    let mut robot = Robot::new(&load("gardening"));
    let cuts = |robot: &mut Robot, senses: &Senses, i| robot.tick(senses, i).1[0] > 0.5;
    let dry = Senses::default();
    let mut rain = dry;
    rain.colours[1] = vec2(1.0, 0.0);
    let mut low = rain;
    low.colours[0] = vec2(1.0, 0.1);
    assert!(cuts(&mut robot, &dry, 0) && cuts(&mut robot, &rain, 1), "rain does not stop the cutting");
    assert!(!cuts(&mut robot, &low, 2), "a low battery does");
    assert!(!cuts(&mut robot, &rain, 3), "and afterwards it does not cut in the rain");
    assert!(cuts(&mut robot, &dry, 4));
}
