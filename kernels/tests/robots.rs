//! Checks worlds whose robots differ from the reference model: both CPU engines give identical results, and each part of
//! a model has its effect.

use std::sync::Arc;
use xpuck_kernels::engine::{Engine, Job, Outcome, Reference, Simd, Team};
use xpuck_kernels::math::vec2;
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::tree::{Program, Tree};
use xpuck_kernels::world::floor::{Floor, Paint};
use xpuck_kernels::world::robot::CameraView;
use xpuck_kernels::world::robot::{
    Curve, GroundPoints, GroundSense, LightLaw, LightSense, Proximity, RobotModel, Steering, Wheels,
};
use xpuck_kernels::world::senses::light::{Light, Lighting};
use xpuck_kernels::world::senses::messages::{Attraction, Messages, Occlusion};
use xpuck_kernels::world::task::Region;
use xpuck_kernels::world::wall::Wall;
use xpuck_kernels::world::zone::{Zone, ZoneShape};
use xpuck_kernels::world::{Sensing, WorldSpec};

/// Trees that read every sense.
const TREES: [&str; 5] = [
    "explore 20",
    "sel\n  seq\n    ifquad v_blue 1\n    mulav v_goal v_blue 0.5 v_red\n  attract 3",
    "seq\n  mulav v_scr v_zero 10 v_light\n  mulav v_goal v_scr -5 v_prox",
    "sel\n  seq\n    ifsect s_ground 180deg 40deg\n    mulav v_goal v_zero 1 v_zero\n  explore 30",
    "seq\n  mulav v_scr v_zero 5 v_attr\n  mulav v_goal v_scr -6 v_prox",
];

fn points() -> GroundSense {
    GroundSense::Points(GroundPoints { noise: 0.05, black_below: 0.03, white_above: 0.85, window: 5, majority: 10 })
}

/// Returns a world with paint, lights and walls. The robots and their messages vary with the number.
fn world(robots: usize, number: u32) -> WorldSpec {
    let mut draws = Draws::new(23, number, robots as u32, 0, Stream::Start);
    let mut spec = WorldSpec::benchmark(robots);
    let mut often = || draws.below(2) == 1;
    let radius = if often() { 0.035 } else { 0.045 };
    spec.robot.radius = radius;
    spec.physics.robot = RobotModel {
        radius,
        wheels: Wheels {
            max_speed: if often() { 0.12 } else { 0.2 },
            steering: if often() { Steering::Pivot } else { Steering::Diagonal },
            noise: if often() { 0.05 } else { 0.0 },
        },
        proximity: Proximity {
            range: if often() { 0.05 } else { 0.1 },
            curve: if often() { Curve::Quadratic([1.08212, -36.8961, 298.701]) } else { Curve::Linear },
            noise: if often() { 0.05 } else { 0.0 },
        },
        neighbour_range: if often() { 0.9 } else { 0.2 },
        camera: CameraView::new(if often() { 2.1 } else { 0.5 }, if often() { 0.6 } else { f32::INFINITY }),
        light: LightSense {
            law: if often() { LightLaw::Exponential } else { LightLaw::InverseSquare },
            threshold: if often() { 0.2 } else { 0.0 },
            noise: if often() { 0.05 } else { 0.0 },
        },
        ground: if often() { points() } else { GroundSense::Class },
        senses: Sensing { light: often(), ..Sensing::ALL },
        compass: often(),
    };
    if often() {
        spec.messages = Some(Messages {
            rate_hz: 10.0,
            latency_s: if often() { 0.0 } else { 0.1 },
            range_m: 0.7,
            loss: 0.85,
            occlusion: if often() { Occlusion::Walls } else { Occlusion::None },
            memory: if often() { 11 } else { 1 },
            attraction: if often() { Attraction::Gap } else { Attraction::Centre },
            ..Messages::default()
        });
    }
    let shapes = vec![ZoneShape::Simple(Region::Disc { at: vec2(0.3, 0.2), radius: 0.4 })];
    let zone = Zone { name: "spot".into(), shapes, without: Vec::new() };
    let level = if often() { 0.0 } else { 1.0 };
    spec.floor = Floor { paint: vec![Paint { zone, level, condition: None }], ..Floor::default() }.into();
    spec.lighting = Lighting { room: 0.1, lights: vec![Light { at: vec2(-1.2, 0.3), height: 0.5, brightness: 2.0 }] };
    spec.physics.walls = vec![Wall { from: vec2(0.2, -0.5), to: vec2(0.5, -0.6) }];
    spec.check().unwrap();
    spec
}

fn programs() -> Vec<Program> {
    TREES.iter().map(|text| Program::compile(&Tree::parse(text).unwrap()).unwrap()).collect()
}

fn runs(engine: &dyn Engine, spec: &WorldSpec, updates: u32) -> Vec<Outcome> {
    let programs = programs();
    let job = |world: u32| Job {
        spec,
        start: world as usize,
        team: Team::all(world as usize % programs.len()),
        seed: 4,
        world,
        updates,
    };
    engine.run(&programs, &(0..20).map(job).collect::<Vec<_>>())
}

#[test]
fn engines_agree_for_any_robot_model() {
    for (robots, models, updates) in [(9, 24, 60), (40, 6, 25)] {
        for number in 0..models {
            let spec = world(robots, number);
            let [reference, simd] =
                [runs(&Reference::default(), &spec, updates), runs(&Simd::default(), &spec, updates)];
            assert_eq!(reference, simd, "{robots} robots, model {number}: {:?}", spec.physics.robot);
        }
    }
}

#[test]
fn every_part_of_a_model_changes_the_runs() {
    let plain = || {
        let mut spec = world(9, 0);
        spec.messages = None;
        spec.robot.radius = 0.0375;
        spec.physics.robot = RobotModel::default();
        Arc::make_mut(&mut spec.floor).paint[0].level = 0.0;
        spec
    };
    let before = runs(&Simd::default(), &plain(), 100);
    type Change = fn(&mut WorldSpec);
    let parts: [(&str, Change); 13] = [
        ("radius", |w| (w.robot.radius, w.physics.robot.radius) = (0.06, 0.06)),
        ("speed", |w| w.physics.robot.wheels.max_speed = 0.12),
        ("steering", |w| w.physics.robot.wheels.steering = Steering::Pivot),
        ("wheel noise", |w| w.physics.robot.wheels.noise = 0.05),
        ("length of rays", |w| w.physics.robot.proximity.range = 0.05),
        ("curve", |w| w.physics.robot.proximity.curve = Curve::Quadratic([1.0, -36.0, 200.0])),
        ("proximity noise", |w| w.physics.robot.proximity.noise = 0.05),
        ("neighbour range", |w| w.physics.robot.neighbour_range = 0.2),
        ("field of view", |w| w.physics.robot.camera = CameraView::new(2.1, f32::INFINITY)),
        ("camera range", |w| w.physics.robot.camera = CameraView::new(w.physics.robot.camera.fov, 0.3)),
        ("light law", |w| w.physics.robot.light.law = LightLaw::Exponential),
        ("ground", |w| w.physics.robot.ground = points()),
        ("senses", |w| w.physics.robot.senses.ground = false),
    ];
    for (name, change) in parts {
        let mut spec = plain();
        change(&mut spec);
        assert_ne!(runs(&Simd::default(), &spec, 100), before, "{name} has no effect");
    }
}
