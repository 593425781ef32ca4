//! The twin test: every stage on the same inputs in `reference` and on the GPU, and a fault planted in each.
//!
//! Runs on any Vulkan adapter; `make test` installs Mesa's software one.

use super::device::{Batch, Device};
use super::encode::{Code, Words, header, quantity, world_words};
use super::layout::{HEADER, QUANTITIES, SLOTS, WORLD_WORDS};
use super::*;
use crate::engine::{Reference, Team};
use crate::math::Vec2;
use crate::random::{Draws, Stream, block};
use crate::tree::{Memory, Tree};
use crate::world::physics::{Footing, contacts, floor_friction, integrate, motion_noise, steer};
use crate::world::task::transport::{Transport, touches_end};
use crate::world::{Body, Colour, Pose, Scenario, WorldSpec, senses};

const WORLDS: u32 = 24;
const ROBOTS: usize = 16;
const SEED: u64 = 0x1234_5678_9abc;
/// Trees that together have every kind of node.
const TREES: [&str; 6] = [
    include_str!("../../../../docs/trees/806768.bt"),
    include_str!("../../../../docs/trees/explore.bt"),
    "par 2\n  repeatr 9\n    attract 2\n  selm\n    ifprob s_n 0.5 3\n    seqm\n      successl\n      movcs s_scr 5\n  invert\n    bleft\n",
    "sel\n  seq\n    rotav v_scr v_up 45deg v_scr\n    ifsect v_scr 30deg 90deg\n    mulas v_goal.x s_scr 0.5 v_goal.y\n    failed\n      upfield 1\n  repeati 3\n    successd\n      mulav v_goal v_scr 0.1 v_attr\n",
    "seqm\n  repeati 4\n    movcv v_goal 90deg\n  repeati 4\n    movcv v_goal -90deg\n  selm\n    red 2\n    ifquad v_prox -2\n    ifquad v_prox 0\n",
    "seq\n  mulas s_scr s_scr 1.5 s_n\n  movcs s_scr 3\n  mulas s_scr v_goal.x 1 s_scr\n  ifprob s_scr 1 1\n  attract -1\n",
];

/// Worlds in mid-run, on the processor and as words.
struct Twin {
    worlds: Vec<World>,
    programs: Vec<Program>,
    state: Vec<u32>,
}

impl Twin {
    fn new() -> Twin {
        let programs: Vec<Program> =
            TREES.iter().map(|t| Program::compile(&Tree::parse(t).unwrap()).unwrap()).collect();
        let code = Code::of(&programs);
        // Robots that avoid nothing make contacts.
        let forward = Program::compile(&Tree::parse("movcv v_goal 0deg").unwrap()).unwrap();
        let spec = WorldSpec::benchmark(ROBOTS);
        let mut worlds = Vec::new();
        let mut state = Vec::new();
        for i in 0..WORLDS {
            let mut world = World::new(&spec, i as usize, SEED, i);
            let drivers = [&programs[0], &forward];
            let mut memories: Vec<Memory> = (0..ROBOTS).map(|r| Memory::new(drivers[r % 2])).collect();
            for _ in 0..100 {
                world.update(&drivers, &mut memories);
            }
            let team = Team::all(i as usize % programs.len());
            let job = Job { spec: &spec, start: 0, team, seed: SEED, world: i, updates: 0 };
            let mut words = world_words(&world, &job, &code);
            let mut named = Words(&mut words);
            for robot in 0..ROBOTS {
                let s = world.senses(robot);
                named.set_vector(quantity("PROX_X"), robot, s.prox);
                named.set_vector(quantity("ATTR_X"), robot, s.attr);
                named.set(quantity("NEIGHBOURS"), robot, s.neighbours);
                for (colour, v) in s.colours.iter().enumerate() {
                    named.set_vector(quantity("RED_X") + 2 * colour, robot, *v);
                }
            }
            worlds.push(world);
            state.extend(words);
        }
        Twin { worlds, programs, state }
    }

    fn batch(&self, device: &Device, state: &[u32]) -> Batch {
        let scene = Scene::of(&self.worlds[0]);
        let memories = self.programs.iter().map(Program::memories).max().unwrap();
        let memory_words = (memories * SLOTS) as u32;
        let code = Code::of(&self.programs).words;
        let params = Params::of(&scene, Sensing::ALL, 1, memory_words);
        device.batch(&params, state, &code, memories * SLOTS * WORLDS as usize, WORLDS)
    }

    /// The words after a stage has run `times`.
    fn run(&self, device: &Device, stage: &str, times: u32) -> Vec<u32> {
        let batch = self.batch(device, &self.state);
        let pipeline = device.stage(stage);
        (0..times).for_each(|_| device.run(&batch, &pipeline).unwrap());
        device.read(&batch).unwrap()
    }

    /// Compares quantities of all bodies for which `expected` has values, within a tolerance.
    fn compare(
        &self,
        words: &[u32],
        names: &[&str],
        tolerance: f32,
        expected: impl Fn(u32) -> Vec<Vec<f32>>,
    ) -> Result<(), String> {
        for (w, world) in words.chunks_exact(WORLD_WORDS).enumerate() {
            for (i, values) in expected(w as u32).iter().enumerate() {
                for (name, value) in names.iter().zip(values) {
                    let got = f32::from_bits(world[HEADER.len() + quantity(name) * SLOTS + i]);
                    // Written so that NaN on either side is a difference.
                    let near = (got - value).abs() <= tolerance;
                    if !near {
                        return Err(format!("world {w}, body {i}: {name} is {got}, reference {value}"));
                    }
                }
            }
        }
        Ok(())
    }

    fn bodies(&self, world: u32) -> Vec<Body> {
        self.worlds[world as usize].bodies.clone()
    }
}

type Check = fn(&Twin, &Device) -> Result<(), String>;

/// Philox is integer arithmetic: exact.
fn random(twin: &Twin, device: &Device) -> Result<(), String> {
    let words = twin.run(device, "only_random", 1);
    for (w, world) in words.chunks_exact(WORLD_WORDS).enumerate() {
        for i in 0..SLOTS {
            let expected = block(SEED, w as u32, i as u32, 0, Stream::Motion, 0);
            let at = |name| world[HEADER.len() + quantity(name) * SLOTS + i];
            let got = [at("X"), at("Y"), at("VX"), at("VY")];
            if got != expected {
                return Err(format!("world {w}, body {i}: {got:?}, reference {expected:?}"));
            }
        }
    }
    Ok(())
}

/// Velocities are below 1; a few roundings of sqrt, division and sine: 2e-6. Spins reach 5 and divide by small
/// inertias: 1e-4.
fn friction(twin: &Twin, device: &Device) -> Result<(), String> {
    let words = twin.run(device, "only_friction", 1);
    let after = |w: u32| -> Vec<(Vec2, f32)> {
        let rub =
            |b: &Body| floor_friction(&Footing::of(&b.shape), Vec2::unit(b.pose.heading), b.velocity, b.spin, b.wheels);
        twin.bodies(w).iter().map(rub).collect()
    };
    twin.compare(&words, &["VX", "VY"], 2e-6, |w| after(w).iter().map(|(v, _)| vec![v.x, v.y]).collect())?;
    twin.compare(&words, &["SPIN"], 1e-4, |w| after(w).iter().map(|(_, s)| vec![*s]).collect())
}

/// Eight iterations over chains of contacts add up roundings: velocities within 1e-5, spins 1e-3, places 1e-6.
fn touching(twin: &Twin, device: &Device) -> Result<(), String> {
    let words = twin.run(device, "only_contacts", 1);
    let after = |w: u32| -> Vec<Body> {
        let mut bodies = twin.bodies(w);
        let found = contacts::solve(&mut bodies, &twin.worlds[w as usize].physics);
        contacts::correct_positions(&mut bodies, &found);
        bodies
    };
    let changed = (0..WORLDS).filter(|w| after(*w) != twin.bodies(*w)).count();
    assert!(changed > 10, "contacts in only {changed} worlds");
    twin.compare(&words, &["VX", "VY"], 1e-5, |w| after(w).iter().map(|b| vec![b.velocity.x, b.velocity.y]).collect())?;
    twin.compare(&words, &["SPIN"], 1e-3, |w| after(w).iter().map(|b| vec![b.spin]).collect())?;
    twin.compare(&words, &["X", "Y"], 1e-6, |w| after(w).iter().map(|b| vec![b.pose.at.x, b.pose.at.y]).collect())
}

/// A step moves by millimetres: places and headings within a few roundings of numbers up to pi.
fn moving(twin: &Twin, device: &Device) -> Result<(), String> {
    let words = twin.run(device, "only_integrate", 1);
    let after = |w: u32| {
        let step = |(i, b): (usize, &Body)| {
            let words = block(SEED, w, i as u32, 0, Stream::Motion, 0);
            let noise = motion_noise(words, twin.worlds[w as usize].physics.noise);
            let (at, heading) = integrate(b.pose.at, b.pose.heading, b.velocity, b.spin, noise);
            vec![at.x, at.y, heading]
        };
        twin.bodies(w).iter().enumerate().map(step).collect()
    };
    twin.compare(&words, &["X", "Y", "HEADING"], 1e-6, after)
}

/// A reading is a distance over 30 mm; rays that graze take the root of a small difference: 2e-3.
fn rays(twin: &Twin, device: &Device) -> Result<(), String> {
    let words = twin.run(device, "only_proximity", 1);
    let after = |w: u32| -> Vec<Vec<f32>> {
        let world = &twin.worlds[w as usize];
        let sense = |i| senses::proximity_vector(&senses::proximity(&world.bodies, i, &world.physics));
        (0..ROBOTS)
            .map(|i| {
                let v = sense(i);
                vec![v.x, v.y]
            })
            .collect()
    };
    let busy = (0..WORLDS).flat_map(after).filter(|v| v[0] != 0.0).count();
    assert!(busy > 30, "only {busy} robots near anything");
    twin.compare(&words, &["PROX_X", "PROX_Y"], 2e-3, after)
}

/// Segments are seen or not; what they add up to is exact but for the rounding of a sum.
fn camera(twin: &Twin, device: &Device) -> Result<(), String> {
    let words = twin.run(device, "only_camera", 1);
    let after = |w: u32| {
        let world = &twin.worlds[w as usize];
        let see = |i| {
            let blobs = senses::camera(&world.bodies, i, &world.patches, &world.physics);
            [Colour::Red, Colour::Green, Colour::Blue]
                .map(|c| blobs.vector(c))
                .iter()
                .flat_map(|v| [v.x, v.y])
                .collect()
        };
        (0..ROBOTS).map(see).collect()
    };
    twin.compare(&words, &["RED_X", "RED_Y", "GREEN_X", "GREEN_Y", "BLUE_X", "BLUE_Y"], 1e-6, after)
}

/// Sums over up to 15 neighbours of numbers up to 1; the count is exact.
fn neighbours(twin: &Twin, device: &Device) -> Result<(), String> {
    let words = twin.run(device, "only_camera", 1);
    let sense = |w: u32, i| senses::range_and_bearing(&twin.worlds[w as usize].bodies, i);
    twin.compare(&words, &["NEIGHBOURS"], 0.0, |w| (0..ROBOTS).map(|i| vec![sense(w, i).1]).collect())?;
    let attr = |w| {
        (0..ROBOTS)
            .map(|i| {
                let v = sense(w, i).0;
                vec![v.x, v.y]
            })
            .collect()
    };
    twin.compare(&words, &["ATTR_X", "ATTR_Y"], 1e-5, attr)
}

/// Node memories are integers: exact. Goals are sums of a few products of numbers up to 20: 1e-4.
fn ticks(twin: &Twin, device: &Device) -> Result<(), String> {
    const TICKS: u32 = 12;
    let batch = twin.batch(device, &twin.state);
    let pipeline = device.stage("only_tick");
    (0..TICKS).for_each(|_| device.run(&batch, &pipeline).unwrap());
    let words = device.read(&batch).unwrap();
    let memory = device.read_memory(&batch).unwrap();
    let longest = twin.programs.iter().map(Program::memories).max().unwrap();
    let mut expected = Vec::new();
    for w in 0..WORLDS {
        let program = &twin.programs[w as usize % twin.programs.len()];
        let mut rows = Vec::new();
        for i in 0..ROBOTS {
            let world = &twin.worlds[w as usize];
            // The compass follows the heading of now, as the stage's does.
            let sensed = crate::tree::Senses { up: senses::compass(world.bodies[i].pose.heading), ..*world.senses(i) };
            let mut robot = Memory::new(program);
            let mut goal = Vec2::ZERO;
            for _ in 0..TICKS {
                let mut draws = Draws::new(SEED, w, i as u32, 0, Stream::Controller);
                (_, goal) = robot.tick(program, &sensed, &mut draws);
            }
            let [left, right] = steer(goal);
            let cells = robot.board.cells();
            rows.push(vec![goal.x, goal.y, left, right, cells[17], cells[18], cells[19]]);
            for (slot, word) in robot.node_words().iter().enumerate() {
                let got = memory[(w as usize * longest + slot) * SLOTS + i];
                if got != u32::from(*word) {
                    return Err(format!("world {w}, robot {i}: node memory {slot} is {got:#x}, reference {word:#x}"));
                }
            }
        }
        expected.push(rows);
    }
    // A scratch register may hold NaN on both sides; it counts as 0 in this comparison if both agree.
    let names = ["GOAL_X", "GOAL_Y", "LEFT", "RIGHT", "SCRATCH", "SCRATCH_X", "SCRATCH_Y"];
    let mut words = words;
    for (world, rows) in words.chunks_exact_mut(WORLD_WORDS).zip(&mut expected) {
        for (i, row) in rows.iter_mut().enumerate() {
            for (name, value) in names.iter().zip(row) {
                let word = &mut world[HEADER.len() + quantity(name) * SLOTS + i];
                if value.is_nan() && f32::from_bits(*word).is_nan() {
                    (*word, *value) = (0, 0.0);
                }
            }
        }
    }
    twin.compare(&words, &names, 1e-4, |w| expected[w as usize].clone())
}

/// The spot is drawn from the same numbers: within a rounding.
fn relocation(twin: &Twin, device: &Device) -> Result<(), String> {
    let mut moved = Twin { worlds: twin.worlds.clone(), programs: Vec::new(), state: twin.state.clone() };
    moved.programs = twin.programs.clone();
    for (w, world) in moved.worlds.iter_mut().enumerate() {
        world.bodies[ROBOTS].pose.at.x = if w % 2 == 0 { -0.9 } else { 0.5 };
        let words = &mut moved.state[w * WORLD_WORDS..(w + 1) * WORLD_WORDS];
        Words(words).set_body(ROBOTS, &world.bodies[ROBOTS]);
        words[header("COUNTED_FROM")] = 0;
    }
    let words = moved.run(device, "only_task", 1);
    let after = |w: u32| {
        let mut bodies = moved.bodies(w);
        let mut task = Transport::new(&Body { pose: Pose::default(), ..bodies[ROBOTS] });
        if touches_end(&bodies[ROBOTS], 1.0) {
            task.relocate(&mut bodies, ROBOTS, &mut Draws::new(SEED, w, 0, 0, Stream::Relocation));
        }
        (bodies.iter().map(|b| vec![b.pose.at.x, b.pose.at.y]).collect::<Vec<_>>(), task.moved(&bodies[ROBOTS]))
    };
    moved.compare(&words, &["X", "Y"], 1e-6, |w| after(w).0)?;
    let mut words = words;
    for (w, world) in words.chunks_exact_mut(WORLD_WORDS).enumerate() {
        let (got, expected) = (Words(world).moved(ROBOTS), after(w as u32).1);
        if (got - expected).abs() > 1e-6 {
            return Err(format!("world {w}: moved {got}, reference {expected}"));
        }
    }
    Ok(())
}

/// Each stage's comparison, and a fault that must turn it red.
const STAGES: [(&str, Check, &str, &str); 9] = [
    ("random", random, "PHILOX_BUMP_0: u32 = 2654435769u", "PHILOX_BUMP_0: u32 = 2654435768u"),
    ("friction", friction, "footing.strongest * share", "footing.strongest * share * 1.01"),
    ("contacts", touching, "params.mu * contact.normal_impulse", "1.1 * params.mu * contact.normal_impulse"),
    ("integrate", moving, "* params.noise.z", "* params.noise.y * 1.05"),
    ("proximity", rays, "direction * ROBOT_RADIUS", "direction * 0.0365"),
    ("camera", camera, "min(last + 1.0,", "min(last + 0.5,"),
    ("range and bearing", neighbours, "(NEIGHBOUR_MIN / square)", "(NEIGHBOUR_MIN / square * 1.01)"),
    ("tick", ticks, "status == FAILURE || left == 1u", "status == FAILURE || left == 2u"),
    ("task", relocation, "spot *= RELOCATION_RADIUS", "spot *= 1.01 * RELOCATION_RADIUS"),
];

#[test]
fn every_stage_agrees_with_reference() {
    let device = Device::open(&source(), &AdapterChoice::Best).unwrap();
    let twin = Twin::new();
    for (name, check, ..) in STAGES {
        check(&twin, &device).unwrap_or_else(|e| panic!("{name} on {}: {e}", device.name));
    }
}

#[test]
fn a_fault_in_any_stage_is_seen() {
    let twin = Twin::new();
    for (name, check, right, wrong) in STAGES {
        let faulty = source().replacen(right, wrong, 1);
        assert_ne!(faulty, source(), "{name}: the fault is not planted");
        let device = Device::open(&faulty, &AdapterChoice::Best).unwrap();
        assert!(check(&twin, &device).is_err(), "{name}: the fault is not seen");
    }
}

#[test]
fn fitness_is_distributed_as_in_reference() {
    let gpu = Gpu::open().unwrap();
    let programs = [Program::compile(&Tree::parse(TREES[0]).unwrap()).unwrap()];
    let spec = WorldSpec::scenario(9, Scenario::B);
    let job = |world| Job { spec: &spec, start: 0, team: Team::all(0), seed: 3, world, updates: 300 };
    let jobs: Vec<Job<'_>> = (0..256).map(job).collect();
    let sorted = |engine: &dyn Engine| {
        let outcomes = engine.run(&programs, &jobs);
        let mut fitness: Vec<f32> = outcomes.iter().map(|o| o.fitness).collect();
        fitness.sort_by(f32::total_cmp);
        fitness
    };
    let (a, b) = (sorted(&gpu), sorted(&Reference::default()));
    assert_eq!(gpu.notice(), None, "the adapter did it all");
    // Kolmogorov-Smirnov: the largest difference between the two distribution functions, at the 0.1 % level:
    // runs are chaotic, so another processor's rounding gives another sample.
    let below = |v: &[f32], x: f32| v.partition_point(|y| *y <= x) as f32 / v.len() as f32;
    let distance = a.iter().chain(&b).map(|x| (below(&a, *x) - below(&b, *x)).abs()).fold(0.0, f32::max);
    assert!(distance < 1.95 * (2.0f32 / 256.0).sqrt(), "distributions differ by {distance}");
}

#[test]
fn infinities_stay_in_the_controllers() {
    let gpu = Gpu::open().unwrap();
    let wild = "seq\n  mulas s_scr s_scr 3e38 s_n\n  mulas s_scr s_scr 3e38 s_scr\n  mulav v_goal s_n 3e38 v_attr\n";
    let programs = [Program::compile(&Tree::parse(wild).unwrap()).unwrap()];
    let spec = WorldSpec::scenario(16, Scenario::B);
    let job = |world| Job { spec: &spec, start: 0, team: Team::all(0), seed: 3, world, updates: 100 };
    let outcomes = gpu.run(&programs, &(0..8).map(job).collect::<Vec<_>>());
    assert!(outcomes.iter().all(|o| o.fitness.is_finite()) && gpu.notice().is_none(), "{outcomes:?}");
    let still = Simd::default().run(&[Program::compile(&Tree::parse("successl").unwrap()).unwrap()], &[job(0)]);
    assert_ne!(outcomes[0].hash, still[0].hash, "they do drive");
}

#[test]
fn what_the_kernels_do_not_know_is_run_by_simd() {
    let gpu = Gpu::open().unwrap();
    let programs = [Program::compile(&Tree::parse("attract 3").unwrap()).unwrap()];
    let spec = WorldSpec { task: Task::Dispersion, ..WorldSpec::benchmark(4) };
    let job = Job { spec: &spec, start: 0, team: Team::all(0), seed: 3, world: 1, updates: 20 };
    assert_eq!(
        gpu.run(&programs, std::slice::from_ref(&job)),
        Simd::default().run(&programs, std::slice::from_ref(&job))
    );
    assert!(gpu.notice().unwrap().contains("no tasks other than transport"), "{:?}", gpu.notice());
}

#[test]
fn a_lost_device_loses_no_result() {
    let gpu = Gpu::open().unwrap();
    let programs = [Program::compile(&Tree::parse("movcv v_goal 0deg").unwrap()).unwrap()];
    let spec = WorldSpec::scenario(4, Scenario::A);
    let job = |world| Job { spec: &spec, start: 0, team: Team::all(0), seed: 3, world, updates: 20 };
    let jobs: Vec<Job<'_>> = (0..5).map(job).collect();
    assert!(!gpu.is_lost());
    gpu.device.lose();
    assert_eq!(gpu.run(&programs, &jobs), Simd::default().run(&programs, &jobs));
    assert!(gpu.notice().unwrap().contains("simd") && gpu.is_lost(), "{:?}", gpu.notice());
    assert!(!Gpu::open_adapter(&AdapterChoice::Best).unwrap().is_lost(), "another one can be opened");
}

#[test]
fn an_adapter_is_opened_by_its_number_or_name() {
    let there = Gpu::adapters();
    let first = &there[0];
    let by_index = Gpu::open_adapter(&AdapterChoice::Index(first.index)).unwrap();
    assert_eq!(by_index.device(), Some(first.name.clone()));
    assert!(first.limits.workgroup_invocations >= 256 && first.limits.subgroup.0 >= 1, "{first:?}");
    let absent = Gpu::open_adapter(&"no such card".parse().unwrap()).err().unwrap().to_string();
    assert!(absent.contains("\"no such card\"") && absent.contains(&first.to_string()), "{absent}");
}

#[test]
fn dispatches_stay_within_the_iterations_of_software_adapters() {
    assert!(updates_within_iterations(10) >= 2);
    for nodes in [1, 10, 2048] {
        assert!(updates_within_iterations(nodes) * iterations_of_update(nodes) <= ITERATIONS, "{nodes} nodes");
    }
    assert!(QUANTITIES.len() * SLOTS * 4 < 64 * 1024, "a world stays below 64 KiB");
}
