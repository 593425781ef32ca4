//! Checks that callers of a shared engine get the outcomes of their own jobs, whatever the others request.

#![allow(clippy::disallowed_methods, reason = "callers wait for each other, so they cannot be tasks of rayon")]

use std::sync::Barrier;
use std::time::Duration;
use xpuck_kernels::engine::{
    ChosenEngine, Engine, EngineChoice, EngineKind, Job, Machine, Outcome, Piece, SharedEngine, Simd, Suspended, Team,
};
use xpuck_kernels::tree::{Program, Tree};
use xpuck_kernels::world::WorldSpec;

const TREES: [&str; 4] = [
    "explore 20",
    "movcv v_goal 90deg",
    "mulav v_goal v_blue 0.5 v_red",
    "sel\n  seq\n    ifquad v_blue 1\n    upfield -1\n  explore 5",
];

fn shared() -> SharedEngine {
    let machine = Machine { clock: || Duration::ZERO, gpu: false };
    let engine = ChosenEngine::open(EngineChoice::with_best_adapter(EngineKind::Simd), machine).unwrap();
    SharedEngine::new(engine)
}

/// Returns the programs of a caller. Their order differs between callers.
fn programs(caller: usize) -> Vec<Program> {
    let tree = |i: usize| Tree::parse(TREES[(i + caller) % TREES.len()]).unwrap();
    (0..TREES.len()).map(|i| Program::compile(&tree(i)).unwrap()).collect()
}

fn jobs<'a>(specs: &'a [WorldSpec; 2], caller: usize, updates: u32) -> Vec<Job<'a>> {
    let team = |i: usize| match i % 3 {
        0 => Team::mixed(&[2, 1, 1]),
        _ => Team::all(i % TREES.len()),
    };
    let job = |i: usize| Job {
        spec: &specs[i % 2],
        start: i % 2,
        team: team(i),
        seed: caller as u64,
        world: i as u32,
        updates,
    };
    (0..5 + 7 * caller).map(job).collect()
}

#[test]
fn outcomes_are_those_of_the_callers_own_jobs() {
    let shared = shared();
    let barrier = Barrier::new(5);
    std::thread::scope(|scope| {
        for caller in 0..5 {
            let (shared, barrier) = (&shared, &barrier);
            scope.spawn(move || {
                let engine = ChosenEngine::with_shared(shared.clone());
                // Callers 1 and 3 have worlds of their own, the others have equal worlds.
                let robots = if caller % 2 == 1 { 3 + caller } else { 5 };
                let specs = [WorldSpec::benchmark(robots), WorldSpec::benchmark(2)];
                let programs = programs(caller);
                let whole: Vec<Outcome> = Simd::default().run(&programs, &jobs(&specs, caller, 60));
                for _ in 0..4 {
                    barrier.wait();
                    assert_eq!(engine.run(&programs, &jobs(&specs, caller, 60)), whole);
                    let mut from: Vec<Option<Suspended>> = vec![None; whole.len()];
                    let mut last = Vec::new();
                    for updates in [20, 60] {
                        let jobs = jobs(&specs, caller, updates).into_iter().zip(&from);
                        let pieces: Vec<Piece<'_>> =
                            jobs.map(|(job, from)| Piece { job, from: from.clone() }).collect();
                        let results = engine.advance(&programs, &pieces);
                        (last, from) = results.into_iter().map(|(outcome, world)| (outcome, Some(world))).unzip();
                    }
                    assert_eq!(last, whole);
                }
            });
        }
    });
}

#[test]
fn nobody_waits_for_a_request_that_failed() {
    let service = ChosenEngine::with_shared(shared());
    let specs = [WorldSpec::benchmark(2), WorldSpec::benchmark(2)];
    let programs = programs(0);
    let one = |world| Job { world, ..jobs(&specs, 0, 10)[1].clone() };
    let (_, world) = service.advance(&programs, &[Piece { job: one(1), from: None }]).remove(0);
    std::thread::scope(|scope| {
        let wrong = scope.spawn(|| service.advance(&programs, &[Piece { job: one(2), from: Some(world) }]));
        assert!(wrong.join().is_err(), "a suspended world of another job");
        let next = scope.spawn(|| service.run(&programs, &[one(3)]));
        assert!(next.join().is_err(), "the service is broken");
    });
}
