//! Checks that jobs simulated in pieces give the outcomes of whole jobs, whatever the pieces and the lanes in which worlds
//! go on.

use std::time::Duration;
use xpuck_kernels::engine::{
    ChosenEngine, Engine, EngineChoice, EngineKind, Gpu, Job, Machine, Outcome, Piece, Reference, Simd, Suspended, Team,
};
use xpuck_kernels::math::vec2;
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::tree::{Kind, Node, Program, Tree, source_of_neuron};
use xpuck_kernels::world::WorldSpec;
use xpuck_kernels::world::floor::{Floor, Paint};
use xpuck_kernels::world::robot::{GroundPoints, GroundSense};
use xpuck_kernels::world::senses::camera_model::CameraModel;
use xpuck_kernels::world::senses::messages::{Messages, Occlusion};
use xpuck_kernels::world::task::{Region, Task, objective};
use xpuck_kernels::world::wall::Wall;
use xpuck_kernels::world::zone::{Zone, ZoneShape};

/// Trees with memory, random decisions and scratch registers, which read different senses.
const TREES: [&str; 6] = [
    "explore 20",
    "seqm\n  repeati 7\n    mulav v_goal v_blue 0.5 v_red\n  repeati 5\n    movcv v_goal 90deg\n  attract 3",
    "selm\n  seqm\n    fixedprob 0.5\n    mulav v_scr v_scr 0.5 v_prox\n    mulav v_goal v_scr -5 v_up\n  explore 5",
    "sel\n  seq\n    ifquad v_blue 1\n    mulav v_goal v_blue 0.5 v_red\n  movcv v_goal 0deg",
    "sel\n  seq\n    ifsect s_ground 180deg 40deg\n    mulav v_goal v_zero 1 v_zero\n  explore 30",
    "sel\n  seq\n    ifprob s_n 2 1\n    mulav v_goal v_attr 2 v_up\n  repeati 9\n    explore 3",
];

/// Returns a recurrent network of three neurons.
fn network() -> Tree {
    let sources: Vec<u8> = [4, 5, 14, 15].into_iter().chain((1..=3).filter_map(source_of_neuron)).collect();
    let mut nodes = vec![Node::new(Kind::Network, 3, &[])];
    for neuron in 0..3 {
        nodes.push(Node::new(Kind::Neuron, sources.len() as u16, &[0.3, 1.0]));
        for (weight, source) in (neuron..).zip(&sources) {
            nodes.push(Node::new(Kind::Synapse, 0, &[f32::from(*source), (weight % 3) as f32 - 1.0]));
        }
    }
    Tree::from_preorder(nodes)
}

fn programs() -> Vec<Program> {
    let trees = TREES.iter().map(|text| Tree::parse(text).unwrap()).chain([network()]);
    trees.map(|tree| Program::compile(&tree).unwrap()).collect()
}

/// Worlds whose state has different parts: histories of images, ground readings and messages, counts of formulas, and
/// neighbour lists.
fn worlds() -> Vec<WorldSpec> {
    let messages = Messages { rate_hz: 7.0, latency_s: 0.2, loss: 0.3, range_noise_m: 0.05, ..Messages::default() };
    let mut sensing = WorldSpec::benchmark(6);
    sensing.camera = CameraModel { delay_s: 0.25, misses: 0.2 };
    sensing.messages = Some(messages);
    let mut ground = WorldSpec::benchmark(5);
    let points = GroundPoints { noise: 0.1, black_below: 0.03, white_above: 0.85, window: 5, majority: 7 };
    (ground.physics.robot.ground, ground.physics.robot.proximity.noise) = (GroundSense::Points(points), 0.05);
    ground.messages = Some(Messages { memory: 11, loss: 0.85, occlusion: Occlusion::Walls, ..messages });
    let shapes = vec![ZoneShape::Simple(Region::Disc { at: vec2(0.3, 0.2), radius: 0.4 })];
    let zone = Zone { name: "spot".into(), shapes, without: Vec::new() };
    ground.floor = Floor { paint: vec![Paint { zone, level: 0.0, condition: None }], ..Floor::default() }.into();
    ground.physics.walls = vec![Wall { from: vec2(0.2, -0.5), to: vec2(0.5, -0.6) }];
    let mut crowd = WorldSpec::benchmark(40);
    crowd.messages = Some(messages);
    let mut counting = WorldSpec::benchmark(9);
    let objective = objective::parse("mean(alignment()) + mean(n(arena)) / 10", &[], 0.0, 2.0).unwrap();
    counting.task = Task::Objective(objective.into());
    let all = vec![WorldSpec::benchmark(9), sensing, ground, crowd, counting];
    all.iter().for_each(|spec| spec.check().unwrap());
    all
}

/// Simulates jobs in rounds. In each round, a random part of the jobs goes on. Every outcome is compared with that of the
/// whole job up to the same update. `engines` are used in turn.
fn check(spec: &WorldSpec, engines: &[&dyn Engine], number: u32) {
    let programs = programs();
    let mut draws = Draws::new(5, number, 0, 0, Stream::Start);
    let team = |i: u32| match i % 4 {
        3 => Team::from_programs([0, 1, 2, 3, 4, 5, 6]),
        _ => Team::all(i as usize % programs.len()),
    };
    let job = |i: u32| Job { spec, start: i as usize % 2, team: team(i), seed: 3, world: i / 3, updates: 0 };
    let mut kept: Vec<(Job<'_>, Option<Suspended>)> = (0..37).map(|i| (job(i), None)).collect();
    for round in 0..4 {
        kept.retain(|_| round == 0 || draws.below(3) > 0);
        kept.rotate_left(draws.below(5) as usize);
        for (job, _) in &mut kept {
            job.updates += 10 * (u32::from(round == 0) + draws.below(3));
        }
        let pieces: Vec<Piece<'_>> =
            kept.iter().map(|(job, from)| Piece { job: job.clone(), from: from.clone() }).collect();
        let engine = engines[round % engines.len()];
        let results = engine.advance(&programs, &pieces);
        let jobs: Vec<Job<'_>> = kept.iter().map(|(job, _)| job.clone()).collect();
        let whole: Vec<Outcome> = engine.run(&programs, &jobs);
        for ((outcome, suspended), (whole, (job, from))) in results.into_iter().zip(whole.into_iter().zip(&mut kept)) {
            let name = engine.name();
            assert_eq!(outcome, whole, "{name}, round {round}, world {}, update {}", job.world, job.updates);
            assert_eq!(suspended.updates(), job.updates);
            *from = Some(suspended);
        }
    }
}

#[test]
fn pieces_give_the_outcomes_of_whole_jobs() {
    for (number, spec) in (0..).zip(worlds()) {
        check(&spec, &[&Simd::default()], number);
        check(&spec, &[&Reference::default()], number);
    }
}

#[test]
fn gpu_continues_worlds_with_the_digits_of_whole_jobs() {
    let gpu = Gpu::open().unwrap();
    let mut specs = worlds();
    // A formula that the kernels compute, whose score has a state.
    let formula = "last(visited(0.2)) + mean(nearest(0.5)) + last(crossed(0, -0.5, 0, 0.5)) / 10";
    let objective = objective::parse(formula, &[], 0.0, 2.0).unwrap();
    specs[4].task = Task::Objective(objective.into());
    // Kernels for worlds of more than 24 bodies take a minute to compile on a software adapter.
    for (number, spec) in (0..).zip(specs).filter(|(_, spec)| spec.robots < 24) {
        check(&spec, &[&gpu], number);
    }
    check(&WorldSpec::benchmark(9), &[&Simd::default(), &gpu], 7);
    assert_eq!(gpu.notice(), None, "no other engine was needed");
}

#[test]
fn another_engine_goes_on_from_the_start() {
    check(&WorldSpec::benchmark(9), &[&Simd::default(), &Reference::default()], 0);
}

#[test]
fn chosen_engine_simulates_pieces_on_any_choice() {
    let spec = WorldSpec::benchmark(9);
    for engine in [EngineKind::Simd, EngineKind::Reference] {
        let machine = Machine { clock: || Duration::ZERO, gpu: false };
        let chosen = ChosenEngine::open(EngineChoice::with_best_adapter(engine), machine).unwrap();
        check(&spec, &[&chosen], 1);
    }
}

#[test]
#[should_panic(expected = "belongs to the job")]
fn world_of_another_job_is_rejected() {
    let (spec, programs) = (WorldSpec::benchmark(2), programs());
    let job = |world| Job { spec: &spec, start: 0, team: Team::all(0), seed: 3, world, updates: 10 };
    let simd = Simd::default();
    let (_, suspended) = simd.advance(&programs, &[Piece { job: job(1), from: None }]).remove(0);
    simd.advance(&programs, &[Piece { job: job(2), from: Some(suspended) }]);
}
