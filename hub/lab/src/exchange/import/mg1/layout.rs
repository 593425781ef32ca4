//! Arena, start and score of a mission of MG1.

use super::super::automode::deliveries;
use super::super::mission::{self, Mission, half_plane};
use super::super::scene::{Place, Scene, Thing, What};
use super::line::{Arena, Goal, Line, Patch, StartRule, Time};
use std::f32::consts::PI;
use xpuck_kernels::math::Vec2;
use xpuck_kernels::model::ROBOT_RADIUS;
use xpuck_kernels::world::task::Region;
use xpuck_kernels::world::zone::{Zone, ZoneShape};

/// Thickness of a wall (m).
const THICKNESS: f32 = 0.055;
/// Height of the light above the floor (m).
const LIGHT_HEIGHT: f32 = 0.4;
/// Intensity of the light as in ARGoS.
const LIGHT_INTENSITY: f32 = 5.0;

impl Arena {
    /// Number of sides, and the direction from the centre to the first side (rad).
    fn sides(self) -> (usize, f32) {
        match self {
            Arena::Trigon => (3, PI / 3.0),
            Arena::Tetragon => (4, PI / 4.0),
            Arena::Hexagon => (6, 0.0),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Arena::Trigon => "triangle",
            Arena::Tetragon => "square, turned by 45 degrees,",
            Arena::Hexagon => "hexagon",
        }
    }
}

/// Returns the distance of the walls from the centre (m), and the directions of the walls (rad).
fn walls(line: &Line) -> (f32, impl Iterator<Item = f32>) {
    let (sides, first) = line.arena.sides();
    let angle = 2.0 * PI / sides as f32;
    (0.5 * line.side / (0.5 * angle).tan(), (0..sides).map(move |i| first + angle * i as f32))
}

/// Returns the objects of the arena and the mission of a line.
pub(super) fn scene(line: &Line) -> Scene {
    let (inradius, directions) = walls(line);
    let thing = |name: &str, what: What, count, position, orientation| Thing {
        line: 0,
        name: name.into(),
        what,
        count,
        trials: 1,
        position,
        orientation,
    };
    let wall = |direction: f32| {
        let at = Vec2::unit(direction) * (inradius + 0.5 * THICKNESS);
        let what = What::Box { size: [THICKNESS, line.side], mass: None };
        let turned = Place::Constant([direction.to_degrees(), 0.0, 0.0]);
        thing("box", what, 1, Place::Constant([at.x, at.y, 0.0]), turned)
    };
    let mut things: Vec<Thing> = directions.map(wall).collect();
    if line.has_light {
        let [x, y] = light(line, inradius);
        let place = Place::Constant([x, y, LIGHT_HEIGHT]);
        things.push(thing("light", What::Light { intensity: LIGHT_INTENSITY }, 1, place, Place::Constant([0.0; 3])));
    }
    let turned = Place::Uniform { low: [0.0; 3], high: [360.0, 0.0, 0.0] };
    things.push(thing("e-puck", What::Robot, line.robots, Place::Anywhere, turned));
    // The space contains the corners of every shape of arena.
    let space = 4.0 * inradius + 1.0;
    let mut mission = mission(line);
    mission.comments.push(
        "A line of MG1 does not contain the obstacles of its mission; the ARGoS file of the same mission does.".into(),
    );
    Scene {
        size: [space, space],
        centre: [0.0; 2],
        seed: 1,
        seconds: Some(line.seconds),
        things,
        notes: Vec::new(),
        mission: Some(mission),
        source: "MG1",
    }
}

/// Returns the place of the light: the only one that MG1 uses in each shape of arena (m).
fn light(line: &Line, inradius: f32) -> [f32; 2] {
    match line.arena {
        Arena::Trigon => [-inradius - 0.2, 0.0],
        Arena::Tetragon => [0.0, -1.61],
        Arena::Hexagon => [0.0, -line.side - 0.2],
    }
}

/// Returns the mission of a line.
pub(super) fn mission(line: &Line) -> Mission {
    let start = start(line);
    let names = names(line);
    let homes =
        |indices: &[usize]| -> Vec<String> { indices.iter().map(|i| format!("share({})", names[*i])).collect() };
    let (when, reduction) = match line.goal {
        Goal::Homing { time: Time::End, .. } | Goal::Aggregation { time: Time::End, .. } => ("At the end, the", "last"),
        _ => ("The mean", "mean"),
    };
    let mut mission = match &line.goal {
        Goal::Foraging { nests, sources } => {
            let gap = |a: &Patch, b: &Patch| region(a).gap(&region(b));
            let pairs = sources.iter().flat_map(|source| nests.iter().map(move |nest| (source, nest)));
            let gaps = pairs.map(|(source, nest)| gap(&line.patches[*source], &line.patches[*nest]));
            let (best, comment) = deliveries(line.robots, line.seconds, gaps.fold(f32::INFINITY, f32::min));
            let what = "MG1, foraging: the number of items that robots carry from a source to a nest.";
            Mission::new(what, "last(delivered(source, nest))", start).scale(0.0, best, comment)
        }
        Goal::Homing { .. } => {
            let what = format!("MG1, homing: {} share of the robots in the home.", when.to_lowercase());
            Mission::new(&what, format!("{reduction}(share(home))"), start)
        }
        Goal::Aggregation { homes: indices, .. } => {
            let what = format!("MG1, aggregation: {} share of the robots in the fullest home.", when.to_lowercase());
            let score = format!("{reduction}({})", greatest(&homes(indices)));
            Mission::new(&what, score, start).note("A robot in two overlapping homes counts in both.")
        }
    };
    if matches!(line.goal, Goal::Homing { .. } | Goal::Aggregation { .. }) {
        mission = mission.note(
            "MG1 sums over updates for 'anytime', and counts robots in homing; here, both are shares from 0 to 1.",
        );
    }
    for (name, patch) in names.iter().zip(&line.patches) {
        mission = mission.paint(name, patch.paint, shape(patch));
    }
    mission.note(format!(
        "The arena is a {} with sides of {} m. Robots start with an even density; in MG1, they are denser near the centre.",
        line.arena.name(),
        line.side
    ))
}

/// Returns a formula for the greatest of some quantities. `max` has two arguments.
fn greatest(quantities: &[String]) -> String {
    match quantities {
        [] => "0".into(),
        [one] => one.clone(),
        [first, rest @ ..] => format!("max({first}, {})", greatest(rest)),
    }
}

/// Returns the name of the region of each patch.
fn names(line: &Line) -> Vec<String> {
    let name = |i: usize| match &line.goal {
        Goal::Foraging { nests, .. } if nests.contains(&i) => "nest".into(),
        Goal::Foraging { .. } => "source".into(),
        Goal::Homing { home, .. } if *home == i => "home".into(),
        Goal::Aggregation { homes, .. } if homes.contains(&i) => format!("home-{}", i + 1),
        _ => format!("other-{}", i + 1),
    };
    (0..line.patches.len()).map(name).collect()
}

fn region(patch: &Patch) -> Region {
    match patch.is_square {
        true => Region::Rectangle { at: patch.at, half: Vec2 { x: 0.5 * patch.size, y: 0.5 * patch.size } },
        false => Region::Disc { at: patch.at, radius: patch.size },
    }
}

fn shape(patch: &Patch) -> ZoneShape {
    ZoneShape::Simple(region(patch))
}

/// Returns the region in which the robots start: the part of the arena at least a robot's radius from the walls.
fn start(line: &Line) -> Zone {
    let (inradius, directions) = walls(line);
    let (sides, _) = line.arena.sides();
    let half_angle = PI / sides as f32;
    let reach = (inradius - ROBOT_RADIUS) / half_angle.cos();
    let corners = directions.map(|direction| Vec2::unit(direction + half_angle) * reach).collect();
    // The removed half is the one on the other side.
    let towards = |x: f32, y: f32, is_second: bool| {
        let sign = if is_second { 1.0 } else { -1.0 };
        half_plane([sign * x, sign * y], 0.0)
    };
    let without = match line.start {
        StartRule::Uniform => Vec::new(),
        StartRule::NotPatches => line.patches.iter().map(shape).collect(),
        StartRule::OneSide { is_second } => match line.arena {
            // Robots start in the west on the first side, and in the east on the second.
            Arena::Trigon => vec![towards(-1.0, 0.0, is_second)],
            // Robots start in the north on the first side, and in the south on the second.
            Arena::Tetragon | Arena::Hexagon => vec![towards(0.0, 1.0, is_second)],
        },
    };
    mission::start(vec![ZoneShape::Polygon(corners)], without)
}
