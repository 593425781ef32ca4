//! Checks that robots ticked together in SIMD lanes behave as robots ticked alone.

use super::random::{draws, small_tree, tree};
use xpuck_kernels::engine::{Engine, Job, Reference, Simd, Team};
use xpuck_kernels::tree::{CompileError, Program, Tree};
use xpuck_kernels::world::{Scenario, WorldSpec};

/// Tree with every kind of memory. The robots of a block resume it at different children.
const RESUMED: &str = "selm\n  seqm\n    repeati 3\n      ifprob s_n 0.5 1\n    repeatr 9\n      movcv v_scr 20deg\n    \
                       upfield 1\n  par 2\n    seqm\n      ifprob s_n 1 2\n      movcs s_scr 3\n      repeatr 200\n        attract 3\n    \
                       invert\n      ifsect v_up 0deg 120deg\n    successd\n      mulas v_goal.x s_scr 0.5 s_n\n  explore 12\n";

fn programs(seed: u64, count: u32) -> Vec<Program> {
    let random = |i: u32| {
        let grow = if i.is_multiple_of(2) { tree } else { small_tree };
        let compiled: Result<Program, CompileError> = Program::compile(&grow(5, &mut draws(seed, i)));
        compiled.ok()
    };
    let resumed = Program::compile(&Tree::parse(RESUMED).unwrap()).unwrap();
    (0..count).filter_map(random).chain([resumed]).collect()
}

fn agree(programs: &[Program], team: impl Fn(usize) -> Team, worlds: u32) {
    for (scenario, robots) in [(Scenario::A, 5), (Scenario::B, 9)] {
        let spec = WorldSpec::scenario(robots, scenario);
        let job = |world: u32| Job { spec: &spec, start: 0, team: team(world as usize), seed: 9, world, updates: 80 };
        let jobs: Vec<Job<'_>> = (0..worlds).map(job).collect();
        let (one, many) = (Reference::default().run(programs, &jobs), Simd::default().run(programs, &jobs));
        for (world, pair) in one.iter().zip(&many).enumerate() {
            assert_eq!(pair.0, pair.1, "world {world} of {robots} robots");
        }
    }
}

#[test]
fn swarms_of_one_tree_in_blocks_of_many() {
    let programs = programs(1, 60);
    // Each tree has seven consecutive worlds, so that most blocks of sixteen worlds contain several trees.
    agree(&programs, |world| Team::all(world / 7 % programs.len()), 7 * programs.len() as u32);
}

#[test]
fn mixed_swarms() {
    let programs = programs(2, 40);
    let count = programs.len();
    agree(
        &programs,
        |world| Team::from_programs((0..9).map(|robot| (world / 16 * 5 + robot * world % 3) % count)),
        200,
    );
}

#[test]
fn robots_resume_tree_with_all_memories_individually() {
    let programs = programs(3, 0);
    agree(&programs, |_| Team::all(0), 45);
}
