//! Checks worlds with up to 256 robots: both CPU engines give identical results, and updates do not allocate memory.

use xpuck_kernels::engine::{Engine, Job, Reference, Simd, Team};
use xpuck_kernels::math::vec2;
use xpuck_kernels::model::MAX_ROBOTS;
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::tree::{Memory, Program, Tree};
use xpuck_kernels::world::senses::Patch;
use xpuck_kernels::world::senses::camera_model::CameraModel;
use xpuck_kernels::world::senses::messages::{Messages, Occlusion};
use xpuck_kernels::world::spec::{Area, Disc, Start};
use xpuck_kernels::world::task::{Region, Task};
use xpuck_kernels::world::wall::Wall;
use xpuck_kernels::world::{Colour, Scenario, Sensing, Shape, World, WorldSpec};

fn programs() -> Vec<Program> {
    let senses = "seq\n  mulas s_scr v_blue.y 2 v_red.x\n  mulav v_goal v_red 0.5 v_attr\n";
    let texts = [
        include_str!("../../docs/trees/806768.bt"),
        "explore 20",
        "attract 3",
        "movcv v_goal 0deg",
        "upfield 2",
        senses,
    ];
    let program = |text: &&str| Program::compile(&Tree::parse(text).unwrap()).ok();
    texts.iter().map(|text| program(text).unwrap_or_else(|| panic!("{text}"))).collect()
}

/// Returns a valid random world, which depends only on the arguments.
fn world(robots: usize, number: u32) -> WorldSpec {
    let mut tries = (0..20).map(|k| random_world(robots, number + 1000 * k));
    tries.find(|spec| spec.check().is_ok()).expect("most worlds have room")
}

/// Returns a random world, which may be invalid. Density, walls, patches, the discs (up to seven), the task, the camera
/// and the messages vary.
fn random_world(robots: usize, number: u32) -> WorldSpec {
    let mut draws = Draws::new(17, number, robots as u32, 0, Stream::Start);
    let mut spec = WorldSpec::benchmark(robots);
    // The arena is up to 1.7 times as long and as wide as in the benchmark, so the density falls to about a third.
    let (wider, higher) = (draws.range(1.0, 1.7), draws.range(1.0, 1.7));
    let (hx, hy) = spec.physics.half_arena;
    let (hx, hy) = (hx * wider, hy * higher);
    spec.physics.half_arena = (hx, hy);
    spec.physics.noise = [draws.range(0.0, 0.3), 0.1, 0.05];
    let high = vec2(hx - 0.15, hy - 0.15);
    spec.starts = vec![Start::Area(Area { low: -high, high }), Scenario::A.start(robots)];
    let colours = [Colour::Blue, Colour::Green, Colour::Red];
    if draws.below(3) > 0 {
        for i in 0..1 + draws.below(6) {
            let radius = [0.105, 0.03, 0.2][i as usize % 3];
            let shape = Shape::disc(radius, draws.range(0.02, 0.5), 0.4, colours[i as usize % 3]);
            let area = vec2(hx - 0.25, hy - 0.25);
            spec.discs.push(Disc { shape, start: Area { low: -area, high: area } });
        }
    }
    spec.task = match draws.below(6) {
        0 => Task::Transport,
        1 => Task::TransportPosition,
        2 => Task::Aggregation { range: draws.range(0.08, 0.6) },
        3 => Task::Dispersion,
        4 => Task::Coverage { cell: 0.2 },
        _ => Task::Foraging {
            nest: Region::Disc { at: vec2(-0.6 * hx, 0.0), radius: 0.3 },
            food: Region::Rectangle { at: vec2(0.5 * hx, 0.0), half: vec2(0.3 * hx, 0.5 * hy) },
        },
    };
    if robots == 1 && matches!(spec.task, Task::Aggregation { .. } | Task::Dispersion) {
        spec.task = Task::TransportOnce;
    }
    if draws.below(2) == 0 && spec.task != Task::Transport {
        for _ in 0..1 + draws.below(4) {
            let from = vec2(draws.range(-hx, hx), draws.range(-hy, hy)) * 0.9;
            spec.physics.walls.push(Wall { from, to: from * 0.5 + vec2(0.1, 0.05) });
        }
        spec.patches.push(Patch { at: vec2(hx, 0.0), half_length: 0.4 * hy, colour: Colour::Green });
    }
    if draws.below(3) == 0 {
        spec.camera = CameraModel { delay_s: draws.range(0.0, 0.4), misses: 0.1 };
    }
    if draws.below(3) == 0 {
        spec.messages = Some(Messages {
            latency_s: f64::from(draws.range(0.0, 0.3)),
            loss: 0.2,
            bearing_noise_rad: 0.1,
            gain_spread: 0.3,
            range_m: draws.range(0.2, 0.8),
            occlusion: [Occlusion::None, Occlusion::Robots, Occlusion::All][draws.below(3) as usize],
            ..Messages::default()
        });
    }
    spec
}

#[test]
fn engines_agree_bit_for_bit_with_any_number_of_robots() {
    let programs = programs();
    let numbers = [1, 2, 5, 15, 16, 17, 23, 24, 25, 31, 33, 64, 100, 177, 255, 256];
    let specs: Vec<WorldSpec> = numbers.iter().flat_map(|n| (0..3).map(|i| world(*n, i))).collect();
    let job = |i: usize| {
        let spec = &specs[i % specs.len()];
        let mixed: Vec<usize> = (0..6).map(|k| (i * 7 + k * 5) % (spec.robots / 3 + 2)).collect();
        Job {
            spec,
            start: i / specs.len(),
            team: if i.is_multiple_of(3) { Team::all(i / 3 % 6) } else { Team::mixed(&mixed) },
            seed: 4,
            world: i as u32,
            updates: 120,
        }
    };
    let jobs: Vec<Job<'_>> = (0..specs.len() * 3).map(job).collect();
    // Additional senses that the trees do not read must not change the results.
    let all = Simd { sensing: Some(Sensing::ALL) }.run(&programs, &jobs);
    let simd = Simd::default().run(&programs, &jobs);
    let reference = Reference::default().run(&programs, &jobs);
    let mut scored = 0;
    for (job, ((a, b), c)) in jobs.iter().zip(reference.iter().zip(&simd).zip(&all)) {
        assert_eq!((a, a), (b, c), "{job:?}");
        scored += u32::from(a.fitness != 0.0);
    }
    assert!(scored as usize > jobs.len() / 3, "{scored} of {} score anything", jobs.len());
}

#[test]
fn arena_area_per_robot_is_constant() {
    for robots in [1, 9, 16, 17, 64, MAX_ROBOTS] {
        let spec = WorldSpec::benchmark(robots);
        spec.check().unwrap();
        let area = 4.0 * spec.physics.half_arena.0 * spec.physics.half_arena.1;
        let expected = if robots <= 16 { 3.0 } else { 3.0 / 16.0 * robots as f32 };
        assert!((area - expected).abs() < 1e-3, "{robots} robots on {area} m2");
    }
    assert_eq!(WorldSpec::benchmark(64).physics.half_arena, (2.0, 1.5));
}

#[test]
fn updates_allocate_nothing() {
    let program = &programs()[0];
    for (robots, number) in [(16, 0), (64, 1), (256, 2), (256, 5)] {
        let spec = world(robots, number);
        let mut world = World::new(&spec, 0, 1, 0);
        let mut memories = vec![Memory::new(program); robots];
        let counted = allocation_counter::measure(|| {
            for _ in 0..50 {
                world.update(&[program], &mut memories);
            }
        });
        assert_eq!(counted.count_total, 0, "{robots} robots, {:?}", spec.task);
    }
}

#[test]
fn longer_runs_of_simd_allocate_no_more() {
    let programs = programs();
    for robots in [16, 256] {
        let spec = WorldSpec::benchmark(robots);
        let allocations = |updates| {
            let jobs = [Job { spec: &spec, start: 1, team: Team::all(0), seed: 1, world: 0, updates }];
            // With one thread in the pool, the simulation runs in the thread whose allocations are counted.
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
            pool.install(|| allocation_counter::measure(|| drop(Simd::default().run(&programs, &jobs))).count_total)
        };
        allocations(1);
        assert_eq!(allocations(100), allocations(10), "{robots} robots");
    }
}
