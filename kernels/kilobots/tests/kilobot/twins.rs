//! Tests that sixteen worlds side by side are bit-identical to the reference implementation.

use crate::random;
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kilobots::{Foraging, Job, Motors, Program, run, run_reference};

/// Returns random programs that fit a Kilobot.
fn programs(count: u32, seed: u64) -> Vec<Program> {
    let tree = |i| random::tree(1 + i % 5, &mut Draws::new(seed, 0, i, 0, Stream::Evolution));
    (0..).map(tree).filter_map(|tree| Program::compile(&tree).ok()).take(count as usize).collect()
}

fn agree(foraging: &Foraging, programs: &[Program]) {
    foraging.check().unwrap();
    let job = |(i, program)| Job { program, seed: 7 + (1 << 40), world: i as u32 };
    let jobs: Vec<Job<'_>> = programs.iter().enumerate().map(job).collect();
    let (defined, fast) = (run_reference(foraging, &jobs), run(foraging, &jobs));
    for (i, (defined, fast)) in defined.iter().zip(&fast).enumerate() {
        assert_eq!(defined, fast, "world {i} of {foraging:?}");
    }
    let moved = defined.iter().filter(|outcome| outcome.hash != defined[0].hash).count();
    assert!(moved > programs.len() / 2, "most worlds differ");
}

#[test]
fn worlds_side_by_side_give_the_bits_of_the_definition() {
    let programs = programs(53, 1);
    agree(&Foraging { seconds: 60.0, ..Foraging::thesis(25) }, &programs);
    let mut at_once = Foraging { seconds: 60.0, ..Foraging::thesis(25) };
    at_once.robot.motors = Motors::SucceedAtOnce;
    agree(&at_once, &programs);
}

#[test]
fn other_swarms_and_arenas_do_too() {
    let programs = programs(20, 2);
    for robots in [1, 2, 7] {
        agree(&Foraging { seconds: 40.0, ..Foraging::thesis(robots) }, &programs);
    }
    agree(&Foraging { seconds: 20.0, ..Foraging::thesis(100) }, &programs);
    let mut other = Foraging { seconds: 40.0, ..Foraging::thesis(25) };
    // With eight steps per update, robots that are beyond message range may touch before the next update.
    (other.robot.steps, other.robot.axle, other.robot.range, other.robot.most_hops) = (8, 0.005, 0.05, 3);
    agree(&other, &programs);
    // The arena is so narrow that robots touch the walls and each other.
    let narrow = Foraging { half_arena: (0.12, 0.12), nest: 0.13, gap: 0.02, seconds: 60.0, ..Foraging::thesis(25) };
    agree(&narrow, &programs);
}
