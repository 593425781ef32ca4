//! Tests of worlds that differ from the benchmark: walls, several discs, patches, all tasks, mixed swarms and messages.
//! Invalid worlds must be rejected.

use xpuck_kernels::engine::{Engine, Job, Reference, Simd, Team};
use xpuck_kernels::math::vec2;
use xpuck_kernels::tree::{Memory, Program, Tree};
use xpuck_kernels::world::physics::Physics;
use xpuck_kernels::world::senses::Patch;
use xpuck_kernels::world::senses::camera_model::CameraModel;
use xpuck_kernels::world::senses::messages::{Messages, Occlusion};
use xpuck_kernels::world::spec::{Area, Disc, Start};
use xpuck_kernels::world::task::{Region, Task};
use xpuck_kernels::world::wall::Wall;
use xpuck_kernels::world::{Colour, Pose, Shape, World, WorldSpec};

const NEST: Region = Region::Disc { at: vec2(-0.7, 0.0), radius: 0.3 };
const FOOD: Region = Region::Rectangle { at: vec2(-0.15, 0.0), half: vec2(0.15, 0.5) };

/// Returns a world with a wall in the middle, a blue disc on the left and other discs on the right. Its three starts
/// place the robots at random on the left, at random everywhere, or in a row.
fn cluttered(task: Task) -> WorldSpec {
    let area = |x: [f32; 2], y: [f32; 2]| Area { low: vec2(x[0], y[0]), high: vec2(x[1], y[1]) };
    let disc = |radius, colour, x: f32| Disc {
        shape: Shape::disc(radius, 0.1, 0.4, colour),
        start: area([x - 0.05, x + 0.05], [-0.4, 0.4]),
    };
    WorldSpec {
        physics: Physics {
            half_arena: (1.1, 0.7),
            noise: [0.2, 0.1, 0.05],
            walls: vec![
                Wall { from: vec2(0.05, -0.7), to: vec2(0.0, 0.7) },
                Wall { from: vec2(0.5, 0.6), to: vec2(0.8, 0.6) },
            ],
            ..Physics::default()
        },
        discs: vec![disc(0.1, Colour::Blue, -0.3), disc(0.05, Colour::Green, 0.5), disc(0.06, Colour::Red, 0.75)],
        patches: vec![
            Patch { at: vec2(-1.1, 0.2), half_length: 0.3, colour: Colour::Green },
            Patch { at: vec2(0.4, -0.7), half_length: 0.2, colour: Colour::Blue },
        ],
        starts: vec![
            Start::Area(area([-1.0, -0.2], [-0.6, 0.6])),
            Start::Area(area([-1.0, 1.0], [-0.6, 0.6])),
            Start::Poses((0..10).map(|i| Pose { at: vec2(-0.98 + 0.09 * i as f32, 0.5), heading: 0.3 }).collect()),
        ],
        task,
        ..WorldSpec::benchmark(10)
    }
}

fn programs() -> Vec<Program> {
    let blue = "sel\n  avoiding\n  seq\n    blue 0\n    mulav v_goal v_scr 1 v_blue\n  explore 9\n";
    let texts = [include_str!("../../docs/trees/806768.bt"), "explore 20", "attract 3", blue, "movcv v_goal 0deg"];
    texts.iter().map(|text| Program::compile(&Tree::parse(text).unwrap()).unwrap()).collect()
}

#[test]
fn engines_agree_bit_for_bit_in_every_world_and_swarm() {
    let tasks = [
        Task::TransportOnce,
        Task::TransportPosition,
        Task::Aggregation { range: 0.2 },
        Task::Dispersion,
        Task::Coverage { cell: 0.1 },
        Task::Foraging { nest: NEST, food: FOOD },
    ];
    let mut specs: Vec<WorldSpec> = tasks.into_iter().map(cluttered).collect();
    // Adds a world without discs, a world that equals another world in the list, and the benchmark.
    specs.push(WorldSpec { discs: Vec::new(), ..cluttered(Task::Dispersion) });
    specs.push(cluttered(Task::Dispersion));
    specs.push(WorldSpec::benchmark(10));
    let messages = Messages {
        latency_s: 0.23,
        loss: 0.2,
        loss_at_range: 0.5,
        bearing_noise_rad: 0.1,
        range_noise_m: 0.02,
        sender_lobe: 1,
        gain_spread: 0.3,
        occlusion: Occlusion::All,
        ..Messages::default()
    };
    specs.push(WorldSpec { messages: Some(messages), ..cluttered(Task::Aggregation { range: 0.2 }) });
    for (delay_s, misses) in [(0.1, 0.0), (0.25, 0.3), (0.3, 0.1), (0.4, 0.0), (0.0, 0.5)] {
        specs.push(WorldSpec { camera: CameraModel { delay_s, misses }, ..cluttered(Task::Dispersion) });
    }
    for spec in &specs {
        spec.check().unwrap();
    }
    let team = |i: usize| if i.is_multiple_of(2) { Team::mixed(&[1, 3, 2, 3, 1]) } else { Team::all(i % 5) };
    let job = |i: usize| Job {
        spec: &specs[i % specs.len()],
        start: i / 7,
        team: team(i),
        seed: 3,
        world: i as u32,
        updates: if i.is_multiple_of(5) { 100 } else { 250 },
    };
    let jobs: Vec<Job> = (0..300).map(job).collect();
    let programs = programs();
    let outcomes = Reference::default().run(&programs, &jobs);
    for (job, (a, b)) in jobs.iter().zip(outcomes.iter().zip(&Simd::default().run(&programs, &jobs))) {
        assert_eq!(a, b, "{job:?}");
    }
    for spec in &specs {
        let fitness = jobs.iter().zip(&outcomes).filter(|(job, _)| job.spec == spec).map(|(_, o)| o.fitness);
        assert!(fitness.clone().any(|f| f != 0.0), "{:?} scores nothing", spec.task);
        assert!(fitness.clone().all(|f| (-1.0..=1.5).contains(&f)), "{:?}", spec.task);
    }
}

#[test]
fn robots_do_not_cross_inner_walls() {
    let spec = cluttered(Task::Dispersion);
    let program = &programs()[4];
    let mut nearest = f32::INFINITY;
    for world in 0..4 {
        let mut world = World::new(&spec, 0, 1, world);
        let mut memories = vec![Memory::new(program); spec.robots];
        for _ in 0..300 {
            world.update(&[program], &mut memories);
            for robot in &world.bodies[..spec.robots] {
                let room = spec.physics.walls[0].offset(robot.pose.at);
                assert!(room.x > 0.0 && room.length() > 0.03, "{:?}", robot.pose);
                nearest = nearest.min(room.length());
            }
        }
    }
    assert!(nearest < 0.038, "they press against it");
}

#[test]
fn invalid_worlds_are_rejected_in_one_line() {
    let spec = || cluttered(Task::Dispersion);
    let refused = |change: &dyn Fn(&mut WorldSpec), expected: &str| {
        let mut spec = spec();
        change(&mut spec);
        let error = spec.check().unwrap_err().to_string();
        assert!(error.contains(expected) && !error.contains('\n'), "{error}");
    };
    refused(&|s| s.robots = 257, "257 robots; a world must have 1 to 256");
    refused(&|s| s.robots = 9, "start 3 has 10 poses for 9 robots; give one pose per robot");
    refused(&|s| s.discs = vec![s.discs[0]; 9], "9 discs; a world must have 0 to 8");
    refused(&|s| s.physics.walls = vec![s.physics.walls[0]; 33], "33 inner walls; a world must have 0 to 32");
    refused(&|s| s.starts.clear(), "0 starts; a world must have 1 to 16");
    refused(&|s| s.physics.half_arena.0 = f32::INFINITY, "arena length = inf is outside 0.3 to 20");
    refused(&|s| s.physics.restitution = -0.1, "restitution = -0.1 is outside 0 to 1");
    refused(&|s| s.physics.noise[1] = f32::NAN, "noise, number 2 = NaN is outside 0 to 1");
    refused(&|s| s.robot.mass = 0.0, "robot, mass = 0 is outside 0.001 to 10");
    refused(&|s| s.discs[1].shape.radius = f32::NAN, "disc 2, radius = NaN is outside 0.02 to 1");
    refused(&|s| s.discs[1].start.high.x = 1.2, "disc 2, x = 1.2 is outside -1.05 to 1.05");
    refused(&|s| s.discs[1].start.low.y = 0.5, "disc 2: its lowest x or y is above the highest");
    refused(&|s| s.physics.walls[1].to.y = 0.71, "wall 2, to, y = 0.71 is outside -0.7 to 0.7");
    refused(&|s| s.physics.walls[1].to = s.physics.walls[1].from, "wall 2 is shorter than 0.01 m");
    refused(&|s| s.patches[0].at.x = -1.0, "patch 1, centre, must be on a wall of the arena: x = +-1.1 or y = +-0.7");
    refused(
        &|s| s.discs[1].start = Area { low: vec2(-0.3, 0.0), high: vec2(-0.3, 0.0) },
        "disc 1 overlaps disc 2 by 0",
    );
    let pose = |at| Start::Poses((0..10).map(|i| Pose { at: vec2(at, -0.5 + 0.1 * i as f32), heading: 0.0 }).collect());
    refused(&|s| s.starts[2] = pose(0.05), "robot 1 overlaps wall 1 by 0.030 m at start 3; move them apart");
    refused(&|s| s.starts[2] = pose(f32::NAN), "start 3, robot 1, x = NaN is outside");
    let small = Start::Area(Area { low: vec2(-0.5, -0.1), high: vec2(-0.4, 0.1) });
    refused(
        &|s| s.starts[0] = small.clone(),
        "start 1 has no room for 10 robots at random places 0.1 m apart; at most 7 fit; widen its x_m and y_m",
    );
    // This area passes the estimate of the number of robots that fit. However, random placement does not find room for
    // all robots.
    let narrow = Start::Area(Area { low: vec2(-0.5, -0.1), high: vec2(-0.28, 0.12) });
    refused(&|s| s.starts[0] = narrow.clone(), "at start 1; move them apart or make room");
    refused(&|s| *s = WorldSpec { robots: 200, ..WorldSpec::benchmark(16) }, "start 1 has no room for 200 robots");
    refused(&|s| (s.task, s.discs) = (Task::TransportOnce, Vec::new()), "the world has none; add a disc");
    refused(&|s| s.task = Task::Transport, "wall 1 is within 0.2 m of the centre, where disc 1 is put back");
    refused(&|s| s.task = Task::Aggregation { range: 0.05 }, "aggregation range = 0.05 is outside 0.075 to 20");
    refused(&|s| s.task = Task::Coverage { cell: 0.0 }, "coverage cell = 0 is outside 0.05 to 20");
    refused(&|s| s.task = Task::Foraging { nest: NEST, food: NEST }, "nest and food are -0.6 m apart");
    refused(
        &|s| (s.robots, s.starts) = (1, vec![small.clone()]),
        "1 robots for dispersion; a world must have 2 to 256",
    );
}

#[test]
fn messages_tell_a_simulated_robot_what_was_true_before() {
    let messages = |latency_s| Messages { latency_s, rate_hz: 10.0, ..Messages::default() };
    let poses = [(0.0, 0.0), (0.3, 1.0)].map(|(x, heading)| Pose { at: vec2(x, 0.0), heading });
    let spec = |latency_s| WorldSpec {
        starts: vec![Start::Poses(poses.to_vec())],
        messages: Some(messages(latency_s)),
        task: Task::Dispersion,
        discs: Vec::new(),
        ..WorldSpec::benchmark(2)
    };
    // The robots turn on the spot. In the second world, sensed data is 0.2 s old.
    let turning = &Program::compile(&Tree::parse("movcv v_goal 90deg").unwrap()).unwrap();
    let (now, late) = (spec(0.0), spec(0.2));
    let mut worlds = [World::new(&now, 0, 1, 0), World::new(&late, 0, 1, 0)];
    let mut memories = vec![vec![Memory::new(turning); 2]; 2];
    let mut told = [Vec::new(), Vec::new()];
    for _ in 0..40 {
        for (i, world) in worlds.iter_mut().enumerate() {
            world.update(&[turning], &mut memories[i]);
            assert_eq!(world.senses(0).neighbours, 1.0);
            told[i].push((world.senses(1).up, world.senses(0).attr));
        }
    }
    assert_eq!(told[0][..38], told[1][2..], "two updates later");
    assert_ne!(told[0][10], told[0][30], "and something moved");
}
