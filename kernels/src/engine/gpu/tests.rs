//! The twin test: compares every stage on `reference` and on the GPU for the same inputs. For each stage, a planted
//! fault must be detected.
//!
//! The test runs on any Vulkan adapter; `make test` installs Mesa's software adapter.

mod objectives;
mod robots;

use super::code::memory_words;
use super::device::{Batch, Device};
use super::encode::{ProgramTable, State, StateRows, quantity};
use super::floor::append_floor;
use super::layout::{LaneWork, Layout, MAX_BODIES, QUANTITIES, index_of};
use super::*;
use crate::engine::{Reference, Team};
use crate::math::{Vec2, vec2};
use crate::model::{ROBOT_RADIUS, SEGMENT_ANGLE};
use crate::random::{Draws, Stream, motion_words, random_block};
use crate::tree::{Memory, Tree};
use crate::world::floor::{Floor, Paint};
use crate::world::physics::{FrictionParams, contacts, floor_friction, integrate, motion_noise, steer};
use crate::world::robot::Wheels;
use crate::world::senses::Patch;
use crate::world::senses::camera_model::{self, CameraModel};
use crate::world::senses::light::{self, Light, Lighting};
use crate::world::senses::messages::{MessageId, Occlusion};
use crate::world::senses::tags::{Tag, tag_vector};
use crate::world::spec::{Area, Disc};
use crate::world::task::transport::{Transport, touches_end};
use crate::world::task::{Region, Score};
use crate::world::wall::Wall;
use crate::world::zone::{Zone, ZoneShape};
use crate::world::{Body, Colour, Pose, Scenario, Shape, Task, WorldSpec, senses};
use objectives::objectives;
use std::sync::Arc;

const WORLDS: u32 = 24;
const ROBOTS: usize = 16;
const SEED: u64 = 0x1234_5678_9abc;
/// Trees that together contain every kind of node.
const TREES: [&str; 11] = [
    include_str!("../../../../docs/trees/806768.bt"),
    include_str!("../../../../docs/trees/explore.bt"),
    "par 2\n  repeatr 9\n    attract 2\n  selm\n    ifprob s_n 0.5 3\n    seqm\n      successl\n      movcs s_scr 5\n  invert\n    bleft\n",
    "sel\n  seq\n    rotav v_scr v_up 45deg v_scr\n    ifsect v_scr 30deg 90deg\n    mulas v_goal.x s_scr 0.5 v_goal.y\n    failed\n      upfield 1\n  repeati 3\n    successd\n      mulav v_goal v_scr 0.1 v_attr\n",
    "seqm\n  repeati 4\n    movcv v_goal 90deg\n  repeati 4\n    movcv v_goal -90deg\n  selm\n    red 2\n    ifquad v_prox -2\n    ifquad v_prox 0\n",
    "seq\n  mulas s_scr s_scr 1.5 s_n\n  movcs s_scr 3\n  mulas s_scr v_goal.x 1 s_scr\n  ifprob s_scr 1 1\n  attract -1\n",
    "sel\n  seq\n    ifquad v_light 0\n    movcv v_light 45deg\n    movcs v_light.y 3\n  mulav v_goal v_light 4 v_light\n",
    "sel\n  seq\n    ifsect v_tag 0deg 40deg\n    movcv v_tag 45deg\n    movcs v_tag.y 3\n  mulav v_goal v_tag 4 v_tag\n",
    "sel\n  seq\n    ifprob s_ground 4 0.5\n    mulas v_goal.x s_ground 2 s_zero\n  seq\n    ifsect s_ground 180deg 40deg\n    movcv v_goal 90deg\n  movcv v_goal 0deg\n",
    "sel\n  avoiding\n  network\n    neuron 0.2 1\n      synapse v_blue.x 1.5\n      synapse n3 -0.7\n      synapse n1 0.3\n    neuron 0 1.5\n      synapse v_up.y -1\n      synapse s_n 0.1\n    neuron -0.4 2\n      synapse v_prox.y 3\n      synapse n2 1\n",
    "seqm\n  repeati 3\n    network\n      neuron 1 1\n      neuron 0 1\n        synapse n1 1\n  seq\n    movcs s_scr 2\n    network\n      neuron 0 0.1\n        synapse s_scr 3\n        synapse v_attr.x -2\n      neuron 0 1\n        synapse n1 0.5\n        synapse n2 -0.5\n",
];

/// Returns a world with all kinds of objects: inner walls, discs of several colours, patches, paint of all shapes, lights
/// and tags.
fn furnished() -> WorldSpec {
    let mut spec = WorldSpec::benchmark(ROBOTS);
    spec.physics.walls = vec![
        Wall { from: vec2(0.35, -0.3), to: vec2(0.4, 0.5) },
        Wall { from: vec2(-0.75, 0.4), to: vec2(-0.3, 0.45) },
    ];
    let area = |x: f32, y: f32| Area { low: vec2(x - 0.05, y - 0.05), high: vec2(x + 0.05, y + 0.05) };
    spec.discs.push(Disc { shape: Shape::disc(0.06, 0.05, 0.4, Colour::Green), start: area(0.0, 0.6) });
    spec.discs.push(Disc { shape: Shape::disc(0.05, 0.1, 0.3, Colour::Red), start: area(0.0, -0.6) });
    spec.patches = vec![
        Patch { at: vec2(-1.0, 0.2), half_length: 0.4, colour: Colour::Green },
        Patch { at: vec2(0.3, 0.75), half_length: 0.5, colour: Colour::Blue },
    ];
    let zone = |shapes, without| Zone { name: "zone".into(), shapes, without };
    let disc = |x: f32, y: f32, radius: f32| ZoneShape::Simple(Region::Disc { at: vec2(x, y), radius });
    let ring = ZoneShape::Ring { at: vec2(-0.5, 0.0), inner: 0.2, outer: 0.45 };
    let corners = [vec2(0.2, -0.7), vec2(0.9, -0.5), vec2(0.4, -0.1), vec2(0.5, -0.4)];
    let black = zone(vec![ring, disc(0.5, 0.3, 0.25)], vec![disc(-0.5, 0.4, 0.2)]);
    let white = zone(vec![ZoneShape::Polygon(corners.to_vec()), disc(0.1, 0.1, 0.35)], Vec::new());
    let ends = ZoneShape::Simple(Region::Beyond { at: Vec2::ZERO, radius: 0.95 });
    let side = ZoneShape::HalfPlane { towards: Vec2::unit(2.0), from: 0.6 };
    let last = zone(vec![ends, side], Vec::new());
    let paint = |zone, level| Paint { zone, level, condition: None };
    spec.floor = Arc::new(Floor {
        paint: vec![paint(black, 0.0), paint(white, 1.0), paint(last, 0.1)],
        confusion: [[0.84, 0.16, 0.0], [0.05, 0.9, 0.05], [0.0, 0.1, 0.9]],
        ..Floor::default()
    });
    let light = |x: f32, y: f32, height: f32| Light { at: vec2(x, y), height, brightness: 0.08 };
    spec.lighting = Lighting { room: 0.15, lights: vec![light(0.9, 0.6, 0.1), light(-0.2, -0.4, 0.06)] };
    let tag = |x: f32, y: f32, degrees: f32| Tag { at: vec2(x, y), facing: Vec2::unit(degrees.to_radians()) };
    spec.tags.list = vec![tag(1.0, 0.3, 180.0), tag(-1.0, -0.2, 0.0), tag(-0.2, 0.75, -90.0), tag(0.37, 0.1, 180.0)];
    spec
}

/// Returns the layouts under test: both kinds of lanes, and the capacity for many robots.
fn layouts() -> [Layout; 3] {
    let [body, world] = [LaneWork::Body, LaneWork::World].map(|lane| Layout::select(lane, ROBOTS + 3, 8));
    [body, world, Layout { capacity: MAX_BODIES, ..body }]
}

/// The same worlds in two forms: on the processor, and as words for the GPU.
struct Twin {
    spec: WorldSpec,
    layout: Layout,
    worlds: Vec<World>,
    programs: Vec<Program>,
    state: State,
    scene: Scene,
}

impl Twin {
    fn new(layout: Layout) -> Twin {
        Twin::with_layout(furnished(), layout)
    }

    fn with_layout(spec: WorldSpec, layout: Layout) -> Twin {
        let programs: Vec<Program> =
            TREES.iter().map(|t| Program::compile(&Tree::parse(t).unwrap()).unwrap()).collect();
        // Robots without collision avoidance make contacts.
        let forward = Program::compile(&Tree::parse("movcv v_goal 0deg").unwrap()).unwrap();
        let started = |i: u32| {
            let mut world = World::new(&spec, i as usize, SEED, i);
            let drivers = [&programs[0], &forward];
            let mut memories: Vec<Memory> = (0..ROBOTS).map(|r| Memory::new(drivers[r % 2])).collect();
            (0..100).for_each(|_| world.update(&drivers, &mut memories));
            world
        };
        let worlds: Vec<World> = (0..WORLDS).map(started).collect();
        let mut twin = Twin {
            scene: Scene::from_world(&worlds[0]),
            spec,
            layout,
            worlds,
            programs,
            state: State { words: Vec::new(), worlds: 0, bodies: 0 },
        };
        twin.encode();
        twin
    }

    /// Encodes the worlds as words.
    fn encode(&mut self) {
        let job = |i: u32| {
            let team = Team::all(i as usize % self.programs.len());
            Job { spec: &self.spec, start: 0, team, seed: SEED, world: i, updates: 0 }
        };
        let jobs: Vec<Job<'_>> = (0..WORLDS).map(job).collect();
        let jobs: Vec<&Job<'_>> = jobs.iter().collect();
        let columns = (WORLDS as usize).next_multiple_of(self.layout.worlds(self.scene.bodies.len()));
        let standing = |world: &World| InitialState { bodies: world.bodies.clone(), pictures: world.pictures.clone() };
        let standing: Vec<InitialState> = self.worlds.iter().map(standing).collect();
        let rows = State::rows(self.scene.bodies.len());
        let mut state = State::encode(&standing, &jobs, &ProgramTable::from_programs(&self.programs), columns, rows);
        for (w, world) in self.worlds.iter().enumerate() {
            for robot in 0..ROBOTS {
                let s = world.senses(robot);
                state.set_vector(w, quantity("PROX_X"), robot, s.prox);
                state.set_vector(w, quantity("ATTR_X"), robot, s.attr);
                state.set(w, quantity("NEIGHBOURS"), robot, s.neighbours);
                state.set_vector(w, quantity("LIGHT_X"), robot, s.light);
                state.set_vector(w, quantity("TAG_X"), robot, s.tag);
                state.set(w, quantity("GROUND"), robot, s.ground);
                for (colour, v) in s.colours.iter().enumerate() {
                    state.set_vector(w, quantity("RED_X") + 2 * colour, robot, *v);
                }
            }
        }
        self.state = state;
    }

    fn memories(&self) -> usize {
        self.programs.iter().map(memory_words).max().unwrap()
    }

    /// Runs a stage `times` times. Returns the words of the state, of the cells, and of the node memory.
    fn run(&self, device: &Device, stage: &'static str, times: u32) -> [Vec<u32>; 3] {
        let [state, cells, memory, _] = self.run_scored(device, stage, times, &[]);
        [state, cells, memory]
    }

    fn robot(&self) -> RobotConstants {
        RobotConstants::new(&self.spec.physics.robot, self.spec.messages.as_ref())
    }

    /// Runs a stage like [`Twin::run`], with the words `score` of the scores of an objective. Also returns these words.
    fn run_scored(&self, device: &Device, stage: &'static str, times: u32, score: &[u32]) -> [Vec<u32>; 4] {
        let columns = self.state.worlds;
        let mut table = vec![0, 4, MESSAGE, 0];
        let channel = Channel::new(self.spec.messages.unwrap_or_default(), ROBOTS, Obstacles::default());
        table.extend(channel.gains().iter().flatten().map(|g| g.to_bits()));
        let floor = append_floor(&self.scene.floor, &mut table);
        let messages = self.spec.messages.as_ref();
        let formula = self.formula(&mut table);
        let objective = formula.as_ref().map_or(0, |formula| formula.start);
        let params = Params::new(&self.scene, messages, Sensing::ALL, &self.layout, columns, [floor, objective]);
        let memory = self.memories() * ROBOTS * columns;
        let batch = Batch {
            layout: self.layout,
            robot: self.robot(),
            params,
            first: [&self.state.words, &[], &[], score],
            state_words: self.state.words.len(),
            programs: &ProgramTable::from_programs(&self.programs).words,
            table: &table,
            memory,
            work: self.layout.work_words(ROBOTS) * columns,
            past: params.past_words() * columns,
            score_words: formula.map_or(0, |formula| formula.score_words()) * columns,
            outcome: [self.state.words.len(), 0, params.cell_words() * columns, score.len()],
        };
        let mut flight = device.begin_stage(&batch, stage).unwrap();
        device.advance(&mut flight, 1, times);
        let memory = device.read_memory(&flight, memory);
        device.request_readback(&mut flight);
        let mut words = device.finish(flight).unwrap();
        let score = words.split_off(words.len() - score.len());
        let cells = words.split_off(self.state.words.len());
        [words, cells, memory, score]
    }

    fn formula(&self, table: &mut Vec<u32>) -> Option<Formula> {
        let Task::Objective(objective) = &self.spec.task else { return None };
        Some(Formula::append(objective, ROBOTS, self.spec.physics.half_arena, table))
    }

    fn rows<'a>(&self, words: &'a [u32]) -> StateRows<'a> {
        StateRows { words, worlds: self.state.worlds, bodies: self.state.bodies }
    }

    /// Compares the quantities `names` with the expected values, within a tolerance. For a given world, `expected`
    /// returns a list of bodies, each with one value per name. Bodies after the end of the list are not compared.
    fn compare(
        &self,
        words: &[u32],
        names: &[&str],
        tolerance: f32,
        expected: impl Fn(u32) -> Vec<Vec<f32>>,
    ) -> Result<(), String> {
        for w in 0..WORLDS {
            for (i, values) in expected(w).iter().enumerate() {
                for (name, value) in names.iter().zip(values) {
                    let got = self.rows(words).get(w as usize, index_of(QUANTITIES, name), i);
                    // NaN on both sides counts as equal, and NaN on only one side counts as a difference.
                    let near = (got - value).abs() <= tolerance || (got.is_nan() && value.is_nan());
                    if !near {
                        return Err(format!(
                            "{:?}: world {w}, body {i}: {name} is {got}, reference {value}",
                            self.layout
                        ));
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

/// Number of the message that robots receive in the twin test.
const MESSAGE: u32 = 7;

type Check = fn(Layout, &Device) -> Result<(), String>;

/// Compares random numbers. They must be exact, because Philox is integer arithmetic.
fn random(layout: Layout, device: &Device) -> Result<(), String> {
    let twin = Twin::new(layout);
    let [words, ..] = twin.run(device, "only_random", 1);
    for w in 0..WORLDS {
        for i in 0..twin.state.bodies {
            let expected = random_block(SEED, w, i as u32, 0, Stream::Motion, 0);
            let got =
                ["X", "Y", "VX", "VY"].map(|name| twin.rows(&words).word(w as usize, index_of(QUANTITIES, name), i));
            if got != expected {
                return Err(format!("world {w}, body {i}: {got:?}, reference {expected:?}"));
            }
        }
    }
    Ok(())
}

/// Compares floor friction. The tolerance is 2e-6 for velocities, which are below 1 and have a few roundings of sqrt,
/// division and sine. The tolerance is 1e-4 for spins, which reach 5 and involve divisions by small inertias.
fn friction(layout: Layout, device: &Device) -> Result<(), String> {
    let twin = Twin::new(layout);
    let [words, ..] = twin.run(device, "only_friction", 1);
    let after = |w: u32| -> Vec<(Vec2, f32)> {
        let rub = |b: &Body| {
            floor_friction(
                &FrictionParams::from_shape(&b.shape),
                Vec2::unit(b.pose.heading),
                b.velocity,
                b.spin,
                b.wheels,
            )
        };
        twin.bodies(w).iter().map(rub).collect()
    };
    twin.compare(&words, &["VX", "VY"], 2e-6, |w| after(w).iter().map(|(v, _)| vec![v.x, v.y]).collect())?;
    twin.compare(&words, &["SPIN"], 1e-4, |w| after(w).iter().map(|(_, s)| vec![*s]).collect())
}

/// Compares contacts. Eight iterations over chains of contacts accumulate rounding errors, so the tolerances are 1e-5
/// for velocities, 1e-3 for spins, and 1e-6 for positions.
fn touching(layout: Layout, device: &Device) -> Result<(), String> {
    let twin = Twin::new(layout);
    let [words, ..] = twin.run(device, "only_contacts", 1);
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

/// Compares poses after one step. A step moves a body by millimetres, so positions and headings agree within a few
/// roundings of numbers up to pi.
fn moving(layout: Layout, device: &Device) -> Result<(), String> {
    let twin = Twin::new(layout);
    let [words, ..] = twin.run(device, "only_integrate", 1);
    let after = |w: u32| {
        let step = |(i, b): (usize, &Body)| {
            let words = motion_words([SEED as u32, (SEED >> 32) as u32], w, i as u32, 0);
            let noise = motion_noise(words, twin.worlds[w as usize].physics.noise);
            let (at, heading) = integrate(b.pose.at, b.pose.heading, b.velocity, b.spin, noise);
            vec![at.x, at.y, heading]
        };
        twin.bodies(w).iter().enumerate().map(step).collect()
    };
    twin.compare(&words, &["X", "Y", "HEADING"], 1e-6, after)
}

/// Compares proximity with a tolerance of 2e-3. A reading is a distance divided by 30 mm, and grazing rays involve
/// the root of a small difference.
fn rays(layout: Layout, device: &Device) -> Result<(), String> {
    let twin = Twin::new(layout);
    let [words, ..] = twin.run(device, "only_proximity", 1);
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

/// Compares light with a tolerance of 2e-5. The sum has eight terms up to 1, each computed with a square root and a
/// division.
fn lights(layout: Layout, device: &Device) -> Result<(), String> {
    let twin = Twin::new(layout);
    let [words, ..] = twin.run(device, "only_light", 1);
    let after = |w: u32| -> Vec<Vec<f32>> {
        let world = &twin.worlds[w as usize];
        let sense = |i: usize| {
            let Pose { at, heading } = world.bodies[i].pose;
            let robot = &world.physics.robot;
            light::light_vector(&light::brightness(at, Vec2::unit(heading), &world.lighting, robot))
        };
        (0..ROBOTS)
            .map(|i| {
                let v = sense(i);
                vec![v.x, v.y]
            })
            .collect()
    };
    let bright = (0..WORLDS).flat_map(after).filter(|v| v[0].abs() > 0.1).count();
    assert!(bright > 100, "only {bright} robots see much of a light");
    twin.compare(&words, &["LIGHT_X", "LIGHT_Y"], 2e-5, after)
}

/// Compares tags. The choice of the tag is discrete, so positions in the robot's frame differ only by rounding.
fn tags(layout: Layout, device: &Device) -> Result<(), String> {
    let twin = Twin::new(layout);
    let [words, ..] = twin.run(device, "only_tags", 1);
    let after = |w: u32| -> Vec<Vec<f32>> {
        let World { bodies, physics, tags, .. } = &twin.worlds[w as usize];
        let sense = |i: usize| tag_vector(bodies, i, physics, tags);
        (0..ROBOTS).map(|i| vec![sense(i).x, sense(i).y]).collect()
    };
    let seen = (0..WORLDS).flat_map(after).filter(|v| *v != [0.0; 2]).count();
    assert!((30..300).contains(&seen), "{seen} robots of 384 see a tag");
    twin.compare(&words, &["TAG_X", "TAG_Y"], 1e-5, after)
}

/// Compares the ground sensors. Shades are discrete, so they are equal unless a sensor is on a border.
fn grounds(layout: Layout, device: &Device) -> Result<(), String> {
    let twin = Twin::new(layout);
    let [words, ..] = twin.run(device, "only_ground", 1);
    let after = |w: u32| -> Vec<Vec<f32>> {
        let World { bodies, floor, .. } = &twin.worlds[w as usize];
        let sense = |i: usize| {
            let Pose { at, heading } = bodies[i].pose;
            floor.reading(at, Vec2::unit(heading), 0, || Draws::new(SEED, w, i as u32, 0, Stream::Ground))
        };
        (0..ROBOTS).map(|i| vec![sense(i)]).collect()
    };
    let read = |value: f32| (0..WORLDS).flat_map(after).filter(|v| v[0] == value).count();
    assert!([-1.0, 0.0, 1.0].map(read).iter().all(|count| *count > 30), "all shades are read");
    twin.compare(&words, &["GROUND"], 0.0, after)
}

/// Compares camera vectors. Segments are discrete, so the vectors are exact except for the rounding of a sum.
fn camera(layout: Layout, device: &Device) -> Result<(), String> {
    let twin = Twin::new(layout);
    let [words, ..] = twin.run(device, "only_camera", 1);
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

/// Compares camera images with missed segments. These segments are determined by integers, so they must be exact.
fn pictures(layout: Layout, device: &Device) -> Result<(), String> {
    let camera = CameraModel { delay_s: 0.3, misses: 0.3 };
    let mut spec = furnished();
    spec.camera = camera;
    let twin = Twin::with_layout(spec, layout);
    let [words, ..] = twin.run(device, "only_camera", 1);
    let picture = |w: u32, i: usize| {
        let world = &twin.worlds[w as usize];
        let blobs = senses::camera(&world.bodies, i, &world.patches, &world.physics);
        (blobs.picture(), blobs.picture() & !camera.missed_segments(SEED, w, i as u32, 0))
    };
    let missed = (0..WORLDS).flat_map(|w| (0..ROBOTS).map(move |i| (w, i))).map(|(w, i)| picture(w, i));
    assert!(missed.filter(|(seen, told)| seen != told).count() > 30, "little is overlooked");
    let aside = Vec2::unit(SEGMENT_ANGLE);
    let after = |w: u32| -> Vec<Vec<f32>> {
        let told = |i| camera_model::vectors(picture(w, i).1, aside).iter().flat_map(|v| [v.x, v.y]).collect();
        (0..ROBOTS).map(told).collect()
    };
    twin.compare(&words, &["RED_X", "RED_Y", "GREEN_X", "GREEN_Y", "BLUE_X", "BLUE_Y"], 1e-6, after)
}

/// Compares range and bearing. The sums have up to 15 terms up to 1, one per neighbour. The count must be exact.
fn neighbours(layout: Layout, device: &Device) -> Result<(), String> {
    let twin = Twin::new(layout);
    let [words, ..] = twin.run(device, "only_camera", 1);
    let sense = |w: u32, i| senses::range_and_bearing(&twin.worlds[w as usize].bodies, i, 0.5);
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

/// Compares ticks. Node memories are integers and must be exact. The tolerance of goals is 1e-4, because they are
/// sums of a few products of numbers up to 20.
fn ticks(layout: Layout, device: &Device) -> Result<(), String> {
    let twin = Twin::new(layout);
    const TICKS: u32 = 12;
    let [words, _, memory] = twin.run(device, "only_tick", TICKS);
    let mut expected = Vec::new();
    for w in 0..WORLDS {
        let program = &twin.programs[w as usize % twin.programs.len()];
        let mut rows = Vec::new();
        for i in 0..ROBOTS {
            let world = &twin.worlds[w as usize];
            // The stage computes the compass from the current heading, so the reference does the same.
            let sensed = crate::tree::Senses { up: senses::compass(world.bodies[i].pose.heading), ..*world.senses(i) };
            let mut robot = Memory::new(program);
            let mut goal = Vec2::ZERO;
            for _ in 0..TICKS {
                let mut draws = Draws::new(SEED, w, i as u32, 0, Stream::Controller);
                (_, goal) = robot.tick(program, &sensed, &mut draws);
            }
            let [left, right] = steer(goal, &Wheels::default());
            let cells = robot.board.cells();
            rows.push(vec![goal.x, goal.y, left, right, cells[17], cells[18], cells[19]]);
            let at = |slot: usize| memory[(slot * ROBOTS + i) * twin.state.worlds + w as usize];
            for (neuron, expected) in robot.neurons().iter().enumerate() {
                let got = f32::from_bits(at(program.memories() + neuron));
                if (got - expected).abs() > 1e-4 {
                    return Err(format!("world {w}, robot {i}: neuron {neuron} is {got}, reference {expected}"));
                }
            }
            for (slot, word) in robot.node_words().iter().take(program.memories()).enumerate() {
                let got = at(slot);
                if got != u32::from(*word) {
                    return Err(format!("world {w}, robot {i}: node memory {slot} is {got:#x}, reference {word:#x}"));
                }
            }
        }
        expected.push(rows);
    }
    let names = ["GOAL_X", "GOAL_Y", "LEFT", "RIGHT", "SCRATCH", "SCRATCH_X", "SCRATCH_Y"];
    twin.compare(&words, &names, 1e-4, |w| expected[w as usize].clone())
}

/// Compares relocations. Both positions are computed from the same random numbers, so they agree within one rounding.
fn relocation(layout: Layout, device: &Device) -> Result<(), String> {
    let mut moved = Twin::new(layout);
    for (w, world) in moved.worlds.iter_mut().enumerate() {
        world.bodies[ROBOTS].pose.at.x = if w % 2 == 0 { -0.9 } else { 0.5 };
    }
    moved.encode();
    for w in 0..WORLDS as usize {
        *moved.state.header(w, "COUNTED_FROM") = 0;
    }
    let [words, ..] = moved.run(device, "only_task", 1);
    let after = |w: u32| {
        let mut bodies = moved.bodies(w);
        let mut task = Transport::new(&Body { pose: Pose::default(), ..bodies[ROBOTS] });
        if touches_end(&bodies[ROBOTS], 1.0) {
            task.relocate(&mut bodies, ROBOTS, &mut Draws::new(SEED, w, 0, 0, Stream::Relocation));
        }
        (bodies.iter().map(|b| vec![b.pose.at.x, b.pose.at.y]).collect::<Vec<_>>(), task.moved(&bodies[ROBOTS]))
    };
    moved.compare(&words, &["X", "Y"], 1e-6, |w| after(w).0)?;
    for w in 0..WORLDS {
        let (got, expected) = (moved.rows(&words).moved(w as usize, ROBOTS), after(w).1);
        if (got - expected).abs() > 1e-6 {
            return Err(format!("world {w}: moved {got}, reference {expected}"));
        }
    }
    Ok(())
}

/// Compares messages. Receptions are computed from the same random numbers, so counts must be exact. The tolerance of
/// v_attr is 2e-5, because it is a sum of up to fifteen vectors of length up to 1, whose angles have some roundings.
fn messages(layout: Layout, device: &Device) -> Result<(), String> {
    let model = Messages {
        range_noise_m: 0.03,
        bearing_noise_rad: 0.2,
        loss: 0.1,
        loss_at_range: 0.3,
        sender_lobe: 1,
        receiver_lobe: 2,
        gain_spread: 0.3,
        gain_seed: 5,
        occlusion: Occlusion::All,
        range_m: 1.5,
        ..Messages::default()
    };
    let twin = Twin::with_layout(WorldSpec { messages: Some(model), ..furnished() }, layout);
    let [words, ..] = twin.run(device, "only_messages", 1);
    let channel = Channel::new(model, ROBOTS, twin.spec.obstacles());
    let heard = |w: u32, me: usize| {
        let poses: Vec<Option<Pose>> = twin.bodies(w).iter().map(|b| Some(b.pose)).collect();
        let (mut sum, mut count) = (Vec2::ZERO, 0.0);
        channel.receive(MessageId { seed: SEED, world: w, number: MESSAGE }, me, &poses, |_, neighbour| {
            sum += model.attraction.step(&neighbour, ROBOT_RADIUS);
            count += 1.0;
        });
        (if count > 0.0 { sum } else { vec2(1.0, 0.0) }, count)
    };
    let all = (0..WORLDS).flat_map(|w| (0..ROBOTS).map(move |i| (w, i))).map(|(w, i)| heard(w, i).1).sum::<f32>();
    assert!(all > 200.0, "only {all} robots heard");
    twin.compare(&words, &["NEIGHBOURS"], 0.0, |w| (0..ROBOTS).map(|i| vec![heard(w, i).1]).collect())?;
    let attr = |w| (0..ROBOTS).map(|i| heard(w, i).0).map(|v| vec![v.x, v.y]).collect();
    twin.compare(&words, &["ATTR_X", "ATTR_Y"], 2e-5, attr)
}

/// Compares the task scores of one update. Counts must be exact, and other values must agree within the rounding of a
/// mean.
fn scores(layout: Layout, device: &Device) -> Result<(), String> {
    let tasks = [Task::Aggregation { range: 0.3 }, Task::Dispersion, Task::Coverage { cell: 0.2 }];
    for task in tasks {
        let twin = Twin::with_layout(WorldSpec { task: task.clone(), ..furnished() }, layout);
        let [words, cells, _] = twin.run(device, "only_score", 1);
        let each = cells.len() / twin.state.worlds;
        for w in 0..WORLDS as usize {
            let bodies = &twin.worlds[w].bodies;
            let mut score = Score::new(&task, &twin.spec.physics, bodies, ROBOTS, (1, 0));
            score.update(&bodies[..ROBOTS].iter().map(|b| b.pose.at).collect::<Vec<_>>());
            let expected = score.fitness(&twin.spec.physics, bodies, ROBOTS, 0.1);
            let got = outcome::fitness(&twin.scene, &twin.rows(&words), w, &cells[w * each..(w + 1) * each], 1);
            if expected == 0.0 || (got - expected).abs() > 1e-5 {
                return Err(format!("{}, world {w}: {got}, reference {expected}", task.name()));
            }
        }
    }
    // In the first run, robots in the region `left` pick up food. In the second run, the same region is the nest,
    // where the robots deliver the food.
    let left = Region::Rectangle { at: vec2(-0.6, 0.0), half: vec2(0.3, 0.7) };
    let far = Region::Beyond { at: vec2(0.0, 0.0), radius: 1.15 };
    let swapped = |nest, food| WorldSpec { task: Task::Foraging { nest, food }, ..furnished() };
    let twin = Twin::with_layout(swapped(far, left), layout);
    let [words, ..] = twin.run(device, "only_score", 1);
    let mut after = Twin::with_layout(swapped(left, far), layout);
    after.state.words = words;
    let [words, ..] = after.run(device, "only_score", 1);
    let within = |w: u32| after.bodies(w)[..ROBOTS].iter().filter(|b| left.contains(b.pose.at)).count() as u32;
    for w in 0..WORLDS {
        let rows = after.rows(&words);
        let count: u32 = (0..ROBOTS).map(|i| rows.word(w as usize, quantity("COUNT_LOW"), i)).sum();
        if count != within(w) {
            return Err(format!("foraging, world {w}: {count} delivered, reference {}", within(w)));
        }
    }
    assert!((0..WORLDS).map(within).sum::<u32>() > 10, "nobody forages");
    Ok(())
}

/// For each stage: its name, its comparison, and a planted fault that the comparison must detect.
const STAGES: [(&str, Check, &str, &str); 22] = [
    ("random", random, "PHILOX_BUMP_0: u32 = 2654435769u", "PHILOX_BUMP_0: u32 = 2654435768u"),
    ("friction", friction, "footing.strongest * share", "footing.strongest * share * 1.01"),
    ("contacts", touching, "params.mu * contact.normal_impulse", "1.1 * params.mu * contact.normal_impulse"),
    (
        "inner walls",
        touching,
        "return ends.xy + along * part - origin",
        "return ends.xy + along * part * 0.98 - origin",
    ),
    ("integrate", moving, "* params.noise.xyz", "* params.noise.xyz * vec3(1.0, 1.0, 1.05)"),
    ("proximity", rays, "direction * ROBOT_RADIUS", "direction * 0.0365"),
    ("light", lights, "(square * sqrt(square))", "(square * sqrt(square) * 1.01)"),
    ("tags", tags, "faces * faces >= TAG_STEEPEST", "faces * faces >= 2.0 * TAG_STEEPEST"),
    ("ground", grounds, "at.x < a.x + (at.y - a.y)", "at.x < a.x - (at.y - a.y)"),
    ("misread ground", grounds, "1u, chance < limits.y", "1u, chance < limits.y * 0.9"),
    ("camera", camera, "min(last + 1.0,", "min(last + 0.5,"),
    ("patches", camera, ".half_length;\n        colour", ".half_length * 0.9;\n        colour"),
    ("pictures", pictures, "vec3(73u, 146u, 292u)", "vec3(73u, 146u, 146u)"),
    ("range and bearing", neighbours, "(NEIGHBOUR_MIN / square)", "(NEIGHBOUR_MIN / square * 1.01)"),
    ("messages", messages, "range + noise.y *", "range - noise.y *"),
    ("tick", ticks, "select(RUNNING, SUCCESS, kept == 1u)", "select(RUNNING, SUCCESS, kept == 2u)"),
    ("task", relocation, "spot *= RELOCATION_RADIUS", "spot *= 1.01 * RELOCATION_RADIUS"),
    ("score", scores, "dot(d, d) <= square", "dot(d, d) <= 0.8 * square"),
    ("objective robots", objectives, "let loses = lost & ~source", "let loses = lost"),
    ("objective world", objectives, "1u << (c & 31u), result_of", "1u << ((c + 1u) & 31u), result_of"),
    ("objective program", objectives, "return a - b;", "return b - a;"),
    ("objective reductions", objectives, "max(kept, value)", "value"),
];

#[test]
fn every_stage_matches_reference() {
    let device = Device::open(&AdapterChoice::Best, source).unwrap();
    for layout in layouts() {
        for (name, check, ..) in STAGES {
            check(layout, &device).unwrap_or_else(|e| panic!("{name} on {}: {e}", device.name));
        }
    }
}

#[test]
fn fault_in_any_stage_is_detected() {
    for (i, (name, check, right, wrong)) in STAGES.into_iter().enumerate() {
        let layout = layouts()[i % 2];
        let faulty = move |layout: &Layout, robot: &RobotConstants| source(layout, robot).replacen(right, wrong, 1);
        let robot = RobotConstants::default();
        assert_ne!(faulty(&layout, &robot), source(&layout, &robot), "{name}: the fault is not planted");
        let device = Device::open(&AdapterChoice::Best, faulty).unwrap();
        assert!(check(layout, &device).is_err(), "{name}: the fault is not seen");
    }
}

/// Compares the fitness of 64 runs of 6 s on the GPU and on `reference`. The means must agree within the sampling error.
fn assert_equal_on_average(gpu: &Gpu, programs: &[Program], spec: &WorldSpec, name: &str) {
    let job = |world| Job { spec, start: 1, team: Team::all(0), seed: 3, world, updates: 60 };
    let jobs: Vec<Job<'_>> = (0..64).map(job).collect();
    let [a, b] = [gpu as &dyn Engine, &Reference::default()].map(|engine| {
        let fitness: Vec<f64> = engine.run(programs, &jobs).iter().map(|o| f64::from(o.fitness)).collect();
        let mean = fitness.iter().sum::<f64>() / fitness.len() as f64;
        let square = fitness.iter().map(|f| (f - mean) * (f - mean)).sum::<f64>() / 63.0;
        (mean, square / 64.0)
    });
    assert_eq!(gpu.notice(), None, "{name}");
    assert!((a.0 - b.0).abs() <= 4.0 * (a.1 + b.1).sqrt() + 1e-6, "{name}: {a:?}, reference {b:?}");
}

/// Compares the scores of all tasks in a world with all kinds of objects. The means over worlds must agree within the
/// sampling error.
#[test]
fn every_task_score_matches_reference() {
    let gpu = Gpu::open().unwrap();
    let programs = [Program::compile(&Tree::parse("sel\n  avoiding\n  attract 3\n").unwrap()).unwrap()];
    let nest = Region::Disc { at: vec2(-0.6, -0.3), radius: 0.35 };
    let food = Region::Rectangle { at: vec2(0.2, 0.0), half: vec2(0.2, 0.5) };
    let tasks = [
        Task::Transport,
        Task::TransportOnce,
        Task::TransportPosition,
        Task::Aggregation { range: 0.3 },
        Task::Dispersion,
        Task::Coverage { cell: 0.2 },
        Task::Foraging { nest, food },
    ];
    for task in tasks {
        let messages = matches!(task, Task::Aggregation { .. } | Task::Transport).then(Messages::default);
        let spec = WorldSpec { task: task.clone(), messages, ..furnished() };
        assert_equal_on_average(&gpu, &programs, &spec, task.name());
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
    // Kolmogorov-Smirnov test at the 0.1 % level: `distance` is the largest difference between the two distribution
    // functions. Runs are chaotic, so different rounding yields a different sample.
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
fn oversized_worlds_are_rejected_in_one_line() {
    assert_eq!(supported(&WorldSpec::benchmark(128)), Ok(()));
    let told = supported(&WorldSpec::benchmark(129)).unwrap_err().to_string();
    assert_eq!(told, "129 robots in a world; the GPU kernels support 1 to 128");
    let mut walled = furnished();
    walled.physics.walls = vec![walled.physics.walls[0]; 33];
    assert!(supported(&walled).unwrap_err().to_string().contains("33 inner walls"));
}

#[test]
fn both_layouts_and_batches_of_any_size_give_the_same_swarms() {
    let mut gpu = Gpu::open().unwrap();
    let programs = [Program::compile(&Tree::parse(TREES[1]).unwrap()).unwrap()];
    let spec = WorldSpec::scenario(3, Scenario::B);
    let job = |world| Job { spec: &spec, start: 0, team: Team::all(0), seed: 3, world, updates: 10 };
    let jobs: Vec<Job<'_>> = (0..150).map(job).collect();
    let mut of = |lane| {
        gpu.lane = Some(lane);
        let outcomes = gpu.run(&programs, &jobs);
        assert_eq!(gpu.notice(), None);
        outcomes
    };
    // The runs last one second and have hardly any contacts, so rounding errors do not grow.
    for (a, b) in of(LaneWork::Body).iter().zip(of(LaneWork::World)) {
        assert!((a.fitness - b.fitness).abs() < 1e-4, "{a:?}, {b:?}");
    }
}

/// Runs robots that drive forward while they see blue and turn otherwise. Their cameras are delayed and miss
/// segments. Rounding errors do not grow in this short run, so the engines differ only if their cameras show
/// different images.
#[test]
fn cameras_show_the_same_past_as_in_reference() {
    let gpu = Gpu::open().unwrap();
    let tree = "sel\n  seq\n    ifquad v_blue 1\n    movcv v_goal 0deg\n  movcv v_goal 90deg\n";
    let programs = [Program::compile(&Tree::parse(tree).unwrap()).unwrap()];
    let mut before: Vec<f32> = Vec::new();
    for delay_s in [0.0, 0.1, 0.2, 0.25, 0.3, 0.4] {
        let mut spec = WorldSpec { task: Task::Dispersion, ..WorldSpec::scenario(5, Scenario::B) };
        spec.camera = CameraModel { delay_s, misses: 0.2 };
        let job = |world| Job { spec: &spec, start: 0, team: Team::all(0), seed: 3, world, updates: 41 };
        let jobs: Vec<Job<'_>> = (0..32).map(job).collect();
        let fitness = |engine: &dyn Engine| engine.run(&programs, &jobs).iter().map(|o| o.fitness).collect::<Vec<_>>();
        let (a, b) = (fitness(&gpu), fitness(&Reference::default()));
        assert_eq!(gpu.notice(), None);
        let apart = |a: &[f32], b: &[f32]| a.iter().zip(b).filter(|(a, b)| (*a - *b).abs() > 1e-4).count();
        assert!(apart(&a, &b) <= 3, "{delay_s}: {a:?}, reference {b:?}");
        assert!(before.is_empty() || apart(&before, &b) > 10, "{delay_s}: the delay makes no difference");
        before = b;
    }
}

#[test]
fn lost_device_loses_no_results() {
    let gpu = Gpu::open().unwrap();
    let programs = [Program::compile(&Tree::parse("movcv v_goal 0deg").unwrap()).unwrap()];
    let spec = WorldSpec::scenario(4, Scenario::A);
    let job = |world| Job { spec: &spec, start: 0, team: Team::all(0), seed: 3, world, updates: 20 };
    let jobs: Vec<Job<'_>> = (0..5).map(job).collect();
    assert!(!gpu.is_lost());
    gpu.device.destroy();
    assert_eq!(gpu.run(&programs, &jobs), Simd::default().run(&programs, &jobs));
    assert!(gpu.notice().unwrap().contains("simd") && gpu.is_lost(), "{:?}", gpu.notice());
    assert!(!Gpu::open_adapter(&AdapterChoice::Best).unwrap().is_lost(), "another one can be opened");
}

/// Checks that kernels above the limits of a Raspberry Pi 5 (V3DV) are rejected. All tests of this file request only
/// these limits from the device, so the kernels are within the limits on every adapter.
#[test]
fn kernels_run_within_the_limits_of_a_raspberry_pi() {
    let wgpu::Limits {
        max_compute_invocations_per_workgroup: invocations,
        max_compute_workgroup_size_x: width,
        max_compute_workgroup_storage_size: shared,
        max_storage_buffers_per_shader_stage: buffers,
        ..
    } = adapters::required_limits();
    assert!(invocations <= 256 && width <= 256 && shared <= 16_384 && buffers <= 8);
    let greedy = |_: &Layout, _: &RobotConstants| "@compute @workgroup_size(257)\nfn advance() {}\n".to_string();
    let device = Device::open(&AdapterChoice::Best, greedy).unwrap();
    let refused = device
        .kernel(&Layout::select(LaneWork::Body, 9, 8), &RobotConstants::default(), "advance")
        .unwrap_err()
        .to_string();
    assert!(refused.contains("257"), "{refused}");
}

#[test]
fn adapter_opens_by_index_and_missing_name_is_rejected() {
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
    let scene = |spec: &WorldSpec| Scene::from_world(&World::new(spec, 0, 1, 1));
    for spec in [WorldSpec::benchmark(1), WorldSpec::benchmark(16), furnished(), objectives::mission()] {
        let scene = scene(&spec);
        for lane in [LaneWork::Body, LaneWork::World] {
            let layout = Layout::select(lane, scene.bodies.len(), 8);
            for nodes in [1, 10, 2048] {
                let updates = bounds::updates(&layout, &scene, nodes);
                assert!(updates * bounds::of_update(&layout, &scene, nodes) <= bounds::ITERATIONS, "{nodes} nodes");
            }
        }
    }
    let benchmark = scene(&WorldSpec::benchmark(16));
    assert!(bounds::updates(&Layout::select(LaneWork::World, 17, 8), &benchmark, 20) >= 2);
    assert!(
        bounds::updates(&Layout::select(LaneWork::Body, 17, 8), &benchmark, 2048) >= 1,
        "large trees run a body a lane"
    );
}
