//! Draws positions of the entities that ARGoS places at random, with the file's seed.
//!
//! The random numbers are Xpuck's, not ARGoS's. Positions follow the same rules as in ARGoS, but differ from those
//! that ARGoS draws for the same seed.

use super::scene::{Place, Scene, Thing, What};
use super::shapes::Solid;
use xpuck_kernels::math::{Vec2, vec2};
use xpuck_kernels::model::ROBOT_RADIUS;
use xpuck_kernels::random::{Draws, Stream, normal_pair};
use xpuck_kernels::world::Pose;
use xpuck_kernels::world::start::SPACING;

/// Maximum number of draws for the position of a robot by [`robots`].
const TRIES: usize = 10_000;

/// Bodies, lights, and robots of the first start, each with its position.
pub(super) struct StartScene {
    /// Bodies that cannot move.
    pub solids: Vec<Solid>,
    /// Poses of the robots. Robots without a placement rule are not included.
    pub robots: Vec<Pose>,
    /// Movable bodies. Each has a position (m), a radius (m), a mass (kg), and the index of its thing in the scene.
    pub movable: Vec<(Vec2, f32, f32, usize)>,
    /// Lights. Each has a position (m), a height (m), an intensity, and the index of its thing in the scene.
    pub lights: Vec<(Vec2, f32, f32, usize)>,
    /// Number of instances without a free position, for each thing.
    pub without_room: Vec<usize>,
}

/// Determines the positions of all things for the first start, in the order of the file. Fixed positions come first.
pub(super) fn draw(scene: &Scene) -> StartScene {
    let mut drawn = StartScene {
        solids: Vec::new(),
        robots: Vec::new(),
        movable: Vec::new(),
        lights: Vec::new(),
        without_room: vec![0; scene.things.len()],
    };
    // Things with a fixed position are placed before any position is drawn.
    for fixed in [true, false] {
        for (number, thing) in scene.things.iter().enumerate() {
            if thing.position.is_fixed() == fixed && thing.position != Place::Anywhere {
                add(&mut drawn, scene.seed, number, thing);
            }
        }
    }
    drawn
}

fn add(drawn: &mut StartScene, seed: u64, number: usize, thing: &Thing) {
    let trials = if thing.position.is_fixed() { 1 } else { thing.trials };
    for i in 0..thing.count {
        let mut draws = draws_of(seed, 0, number, i);
        let found = (0..trials).any(|_| {
            let ([x, y, z], [angle, ..]) =
                (sample(&thing.position, i, &mut draws), sample(&thing.orientation, i, &mut draws));
            let (at, turned) = (vec2(x, y), angle.to_radians());
            place(drawn, number, thing, at, z, turned)
        });
        drawn.without_room[number] += usize::from(!found);
    }
}

/// Places an instance of a thing unless it is obstructed, and returns whether it was placed. An instance with a fixed
/// position is placed without a check, because the world's validation reports overlaps.
fn place(drawn: &mut StartScene, thing: usize, what: &Thing, at: Vec2, z: f32, turned: f32) -> bool {
    let is_drawn = !what.position.is_fixed();
    match what.what {
        What::Light { intensity } => drawn.lights.push((at, z, intensity, thing)),
        What::Robot => {
            if is_drawn && !is_free(at, drawn, &drawn.robots) {
                return false;
            }
            drawn.robots.push(Pose { at, heading: turned });
        }
        What::Box { size: [length, width], mass: Some(mass) } => {
            return lie(drawn, at, (length * width / std::f32::consts::PI).sqrt(), mass, thing, is_drawn);
        }
        What::Cylinder { radius, mass: Some(mass) } => return lie(drawn, at, radius, mass, thing, is_drawn),
        What::Box { size: [length, width], mass: None } => {
            let ahead = Vec2::unit(turned);
            let solid = Solid {
                at,
                axes: [ahead * (0.5 * length), ahead.perp() * (0.5 * width)],
                radius: 0.0,
                thing,
                is_drawn,
            };
            return stand(drawn, solid);
        }
        What::Cylinder { radius, mass: None } => {
            return stand(drawn, Solid { at, axes: [Vec2::ZERO; 2], radius, thing, is_drawn });
        }
    }
    true
}

/// Places a movable body, and returns whether it was placed. A body with a drawn position is placed only if there is
/// room.
fn lie(drawn: &mut StartScene, at: Vec2, radius: f32, mass: f32, thing: usize, is_drawn: bool) -> bool {
    let clear = drawn.robots.iter().all(|robot| (robot.at - at).length() > radius + ROBOT_RADIUS)
        && drawn.movable.iter().all(|(place, other, ..)| (*place - at).length() > radius + other)
        && drawn.solids.iter().all(|solid| solid.distance(at) >= radius);
    if is_drawn && !clear {
        return false;
    }
    drawn.movable.push((at, radius, mass, thing));
    true
}

fn stand(drawn: &mut StartScene, solid: Solid) -> bool {
    let clear = |robot: &Pose| solid.distance(robot.at) >= ROBOT_RADIUS;
    if solid.is_drawn && (drawn.solids.iter().any(|other| other.overlaps(&solid)) || !drawn.robots.iter().all(clear)) {
        return false;
    }
    drawn.solids.push(solid);
    true
}

/// Returns whether a robot has room at a position among bodies and `robots`.
fn is_free(at: Vec2, drawn: &StartScene, robots: &[Pose]) -> bool {
    drawn.solids.iter().all(|solid| solid.distance(at) >= ROBOT_RADIUS)
        && drawn.movable.iter().all(|(place, radius, ..)| (*place - at).length() > radius + ROBOT_RADIUS)
        && robots.iter().all(|robot| (robot.at - at).length() >= SPACING)
}

/// Returns the robots of one start. At a drawn position, a robot has room among bodies and other robots, and
/// `is_reached` returns true.
///
/// `start` is the number of the start, from 0. Robots without a free position are left out, so that the start has
/// fewer robots.
pub(super) fn robots(scene: &Scene, drawn: &StartScene, start: u32, is_reached: impl Fn(Vec2) -> bool) -> Vec<Pose> {
    let mut robots: Vec<Pose> = Vec::new();
    let all = || scene.things.iter().enumerate().filter(|(_, thing)| matches!(thing.what, What::Robot));
    for fixed in [true, false] {
        for (number, thing) in all().filter(|(_, thing)| thing.position.is_fixed() == fixed) {
            for i in 0..thing.count {
                let tries = if fixed { 1 } else { TRIES };
                let mut draws = draws_of(scene.seed, start, number, i);
                for _ in 0..tries {
                    let position = anywhere(scene, thing.position);
                    let ([x, y, _], [angle, ..]) =
                        (sample(&position, i, &mut draws), sample(&thing.orientation, i, &mut draws));
                    let at = vec2(x, y);
                    if fixed || (is_reached(at) && is_free(at, drawn, &robots)) {
                        robots.push(Pose { at, heading: angle.to_radians() });
                        break;
                    }
                }
            }
        }
    }
    robots
}

/// Replaces `Anywhere` by a uniform draw in the whole space.
fn anywhere(scene: &Scene, place: Place) -> Place {
    let [[x, y], [length, width]] = [scene.centre, scene.size];
    match place {
        Place::Anywhere => Place::Uniform {
            low: [x - 0.5 * length, y - 0.5 * width, 0.0],
            high: [x + 0.5 * length, y + 0.5 * width, 0.0],
        },
        place => place,
    }
}

/// Returns the random numbers of one instance. Each instance has its own stream. Adding an instance therefore does
/// not move other instances.
fn draws_of(seed: u64, start: u32, thing: usize, i: usize) -> Draws {
    Draws::new(seed, start, thing as u32, i as u32, Stream::Start)
}

/// Draws three numbers by a rule, such as a position. `i` is the index of the instance.
fn sample(place: &Place, i: usize, draws: &mut Draws) -> [f32; 3] {
    match *place {
        Place::Constant(values) => values,
        Place::Uniform { low, high } => std::array::from_fn(|k| draws.range(low[k], high[k])),
        Place::Gaussian { mean, deviation } => std::array::from_fn(|k| {
            let (normal, _) = normal_pair(draws.word(), draws.word());
            mean[k] + deviation[k] * normal
        }),
        Place::Grid { centre, distances, layout } => {
            // The first instance has the greatest x and y. The index along x varies fastest, as in CSpace's
            // GridGenerator.
            let places = [i % layout[0], i / layout[0] % layout[1], i / (layout[0] * layout[1])];
            std::array::from_fn(|k| centre[k] + distances[k] * (0.5 * (layout[k] as f32 - 1.0) - places[k] as f32))
        }
        Place::Disc { radius } => {
            let at = Vec2::unit(draws.range(0.0, std::f32::consts::TAU)) * (radius * draws.unit().sqrt());
            [at.x, at.y, 0.0]
        }
        Place::Anywhere => [0.0; 3],
    }
}
