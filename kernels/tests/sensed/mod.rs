//! Common code for the tests of light, tags and ground, which are optional senses.

use xpuck_kernels::engine::{Engine, Job, Outcome, Reference, Simd, Team};
use xpuck_kernels::math::Vec2;
use xpuck_kernels::tree::{Memory, Program, Tree};
use xpuck_kernels::world::{World, WorldSpec};

pub fn program(text: &str) -> Program {
    Program::compile(&Tree::parse(text).unwrap()).unwrap()
}

/// Checks that 70 runs have identical results in both CPU engines. Half of the runs have teams with one program, and
/// the others mix all three programs.
pub fn engines_agree(specs: &[WorldSpec], programs: &[Program; 3]) {
    specs.iter().for_each(|spec| spec.check().unwrap());
    let job = |i: usize| {
        let team = if i.is_multiple_of(2) { Team::all(i % 3) } else { Team::mixed(&[0, 2, 1]) };
        Job { spec: &specs[i % specs.len()], start: i / 4, team, seed: 8, world: i as u32, updates: 200 }
    };
    let jobs: Vec<Job> = (0..70).map(job).collect();
    assert_eq!(Reference::default().run(programs, &jobs), Simd::default().run(programs, &jobs));
}

/// Runs the tree `text` for 40 s in eight worlds. Returns the mean final distance of the robots to `place` (m).
pub fn distance(spec: &WorldSpec, text: &str, place: Vec2) -> f32 {
    const WORLDS: u32 = 8;
    let program = program(text);
    let in_world = |number: u32| {
        let mut world = World::new(spec, 0, 3, number);
        let mut memories = vec![Memory::new(&program); spec.robots];
        (0..400).for_each(|_| world.update(&[&program], &mut memories));
        let away = |i: usize| (world.bodies[i].pose.at - place).length();
        (0..spec.robots).map(away).sum::<f32>() / spec.robots as f32
    };
    (0..WORLDS).map(in_world).sum::<f32>() / WORLDS as f32
}

/// Returns the outcome of one run of the tree `text`, as a list with one element.
pub fn outcome(spec: &WorldSpec, text: &str) -> Vec<Outcome> {
    let job = Job { spec, start: 0, team: Team::all(0), seed: 1, world: 0, updates: 200 };
    Simd::default().run(&[program(text)], &[job])
}
