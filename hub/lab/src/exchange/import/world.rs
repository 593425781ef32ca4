//! Writes the world file. The origin of its coordinates is the arena's centre.

use super::Imported;
use super::draw::StartScene;
use super::mission::comment;
use super::polygon::{self, Polygon};
use super::region::Region;
use super::scene::{Place, Scene, Thing, What};
use super::shapes::round;
use super::starts::starts;
use super::walls::{self, Walls};
use std::fmt::Write;
use xpuck_kernels::math::{Vec2, vec2};
use xpuck_kernels::model::{MAX_DISCS, MAX_WALLS};
use xpuck_kernels::world::senses::light::MAX_LIGHTS;

/// Ranges of a disc's radius (m) and mass (kg).
const DISC: [(f32, f32); 2] = [(0.02, 1.0), (0.001, 10.0)];
/// Range of a light's height above the robots' light sensors (m).
const LIGHT_HEIGHT: (f32, f32) = (0.05, 5.0);
/// Height of an e-puck's light sensors above the floor (m).
const SENSOR_HEIGHT: f32 = 0.033;
/// Maximum distance of a light from the arena's centre along an axis (m).
const FARTHEST_LIGHT: f32 = 20.0;

/// Writes the world file, and the notes on omissions and changes.
pub(super) fn write(scene: &Scene, drawn: &StartScene, region: &Region) -> Imported {
    let (polygon, walls) = walls(scene, drawn, region);
    let middle = region.middle();
    let half = (region.high - region.low) * 0.5;
    let mut notes = scene.notes.clone();
    let (starts, robots) = starts(scene, drawn, region, polygon.as_ref(), &walls.lines, &mut notes);
    let discs = discs(scene, drawn, middle, &mut notes);
    let lights = lights(scene, drawn, middle, &mut notes);
    let has_discs = discs.contains("[[disc]]");
    let mut text = head(scene, region, robots, polygon.as_ref());
    text += &match &scene.mission {
        Some(mission) => mission.task(middle),
        None => format!("\n[task]\n{}\n", placeholder(has_discs, robots)),
    };
    text += &starts;
    text += &scene.mission.as_ref().map_or(String::new(), |mission| mission.regions(middle));
    text += &(discs + &lights);
    for ends in &walls.lines {
        let [from, to] = ends.map(|end| end - middle).map(|end| [round(end.x), round(end.y)]);
        let _ = write!(text, "\n[[wall]]\nfrom_m = {from:?}\nto_m = {to:?}\n");
    }
    note_room(scene, drawn, &walls, &mut notes);
    for entry in scene.mission.iter().flat_map(|mission| &mission.shapes) {
        if !entry.is_cut && !region.reaches(|at| entry.shape.contains(at)) {
            notes.push(format!("robots cannot reach a part of the mission's region {}; check the arena", entry.name));
        }
    }
    if region.is_open && !drawn.solids.is_empty() {
        let [length, width] = [half.x, half.y].map(|half| round(2.0 * half));
        notes.push(format!(
            "no walls enclose the robots: the arena is the part of ARGoS's space that they can reach, {length} by \
             {width} m"
        ));
    }
    if region.is_cut {
        let [length, width] = scene.size;
        notes.push(format!(
            "the space of {length} by {width} m is cut to 20 m around the robots, the maximum size of an arena"
        ));
    }
    Imported { text, notes, is_task_known: scene.mission.is_some() }
}

/// Returns the polygon of walls around the arena, if there is one, and the other walls. Without a polygon, some of its
/// sides may be edges of the arena, and leave room for more bodies.
fn walls(scene: &Scene, drawn: &StartScene, region: &Region) -> (Option<Polygon>, Walls) {
    let made = |polygon: Option<&Polygon>| walls::from_solids(&drawn.solids, scene.things.len(), region, polygon);
    let left = |walls: &Walls| walls.left_out.iter().sum::<usize>();
    let single = made(None);
    if let Some(polygon) = polygon::find(&drawn.solids, region) {
        let others = made(Some(&polygon));
        if left(&others) <= left(&single) {
            return (Some(polygon), others);
        }
    }
    (None, single)
}

/// Returns a task that the world can have, in place of an unknown task.
fn placeholder(has_discs: bool, robots: usize) -> &'static str {
    match (has_discs, robots) {
        (true, _) => "kind = \"transport-position\"",
        (false, 1) => "kind = \"coverage\"\ncell_m = 0.1",
        (false, _) => "kind = \"dispersion\"",
    }
}

/// Returns the first part of the world file: comments, number of robots, and size of the arena.
fn head(scene: &Scene, region: &Region, robots: usize, polygon: Option<&Polygon>) -> String {
    let mut text = match &scene.mission {
        Some(mission) => mission.comments.iter().map(|text| comment(text)).collect(),
        None => comment(
            "Arena imported from ARGoS. Its loop functions define the score, and they are unknown, so [task] is a guess; \
             change it.",
        ),
    };
    let at = region.middle();
    if at.length() > 1e-3 {
        let _ =
            writeln!(text, "# ({:?}, {:?}) in {} is the centre of this arena.", round(at.x), round(at.y), scene.source);
    }
    if let Some(seconds) = scene.seconds {
        let _ = writeln!(text, "# Duration in {}: {seconds} s; use `--seconds {seconds}`.", scene.source);
    }
    let _ = writeln!(text, "robots = {robots}");
    // ARGoS has no ambient light, only lamps. A mission without a lamp has a lamp of intensity 0.
    if scene.mission.is_some() || scene.things.iter().any(|thing| matches!(thing.what, What::Light { .. })) {
        text += "room_light = 0.0\n";
    }
    let half = (region.high - region.low) * 0.5;
    let _ = match polygon {
        Some(Polygon { sides, inradius, .. }) => {
            write!(text, "\n[arena]\npolygon = {{ sides = {sides}, inradius_m = {inradius:?} }}\n")
        }
        None => {
            write!(text, "\n[arena]\nlength_m = {:?}\nwidth_m = {:?}\n", round(2.0 * half.x), round(2.0 * half.y))
        }
    };
    text
}

/// Returns the `[[disc]]` tables of the world file, one for each movable body that fits the limits of discs. Adds notes
/// on the other movable bodies, and on bodies converted to discs.
fn discs(scene: &Scene, drawn: &StartScene, middle: Vec2, notes: &mut Vec<String>) -> String {
    let (mut text, mut count) = (String::new(), 0);
    let mut left_out = vec![(0, ""); scene.things.len()];
    for (at, radius, mass, number) in &drawn.movable {
        let thing = &scene.things[*number];
        let in_range = [*radius, *mass].into_iter().zip(DISC).all(|(x, (low, high))| (low..=high).contains(&x));
        if count == MAX_DISCS || !in_range {
            let why = if in_range {
                "a world has at most 8 discs"
            } else {
                "discs must have a radius of 0.02 to 1 m and a mass of 0.001 to 10 kg"
            };
            left_out[*number] = (left_out[*number].0 + 1, why);
            continue;
        }
        count += 1;
        let (low, high) = match thing.position {
            Place::Uniform { low, high } => (vec2(low[0], low[1]), vec2(high[0], high[1])),
            _ => (*at, *at),
        };
        let [low, high] = [low, high].map(|at| at - middle);
        let [x, y] = [[low.x, high.x], [low.y, high.y]].map(|range| range.map(round));
        let radius = round(*radius);
        let _ = write!(text, "\n[[disc]]\nx_m = {x:?}\ny_m = {y:?}\nradius_m = {radius:?}\nmass_kg = {mass:?}\n");
    }
    for (thing, (count, why)) in scene.things.iter().zip(left_out) {
        if count > 0 {
            notes.push(format!("{}: {why}", without(thing, count)));
        }
        if matches!(thing.what, What::Box { mass: Some(_), .. }) && count < thing.count {
            let Thing { line, name, .. } = thing;
            notes.push(format!(
                "line {line}: movable <{name}> converted to a disc of the same area; only discs can move"
            ));
        }
    }
    text
}

/// Returns the `[[light]]` tables of the world file. The light sensor of ARGoS's foot-bot reads exp(-2 d / intensity)
/// at a distance of d metres from a light. The brightness in the world file is this reading at 1 m.
fn lights(scene: &Scene, drawn: &StartScene, middle: Vec2, notes: &mut Vec<String>) -> String {
    let (mut text, mut count) = (String::new(), 0);
    let mut left_out = vec![0; scene.things.len()];
    for (at, height, intensity, number) in &drawn.lights {
        let at = *at - middle;
        if count == MAX_LIGHTS || at.x.abs().max(at.y.abs()) > FARTHEST_LIGHT {
            left_out[*number] += 1;
            continue;
        }
        count += 1;
        let (height, place) = (round((height - SENSOR_HEIGHT).clamp(LIGHT_HEIGHT.0, LIGHT_HEIGHT.1)), [at.x, at.y]);
        let (place, brightness) = (place.map(round), round((-2.0 / intensity).exp()));
        let _ = write!(text, "\n[[light]]\nat_m = {place:?}\nheight_m = {height:?}\nbrightness = {brightness:?}\n");
    }
    for (thing, count) in scene.things.iter().zip(left_out).filter(|(_, count)| *count > 0) {
        notes.push(format!("{}: a world has at most {MAX_LIGHTS} lights, within 20 m", without(thing, count)));
    }
    text
}

/// Adds notes on bodies omitted because the world has too many walls, on objects for which no free space was found, and
/// on cylinders converted to walls.
fn note_room(scene: &Scene, drawn: &StartScene, walls: &Walls, notes: &mut Vec<String>) {
    for (number, thing) in scene.things.iter().enumerate() {
        if walls.left_out[number] > 0 {
            notes.push(format!("{}: a world has at most {MAX_WALLS} walls", without(thing, walls.left_out[number])));
        }
        if drawn.without_room[number] > 0 {
            let count = drawn.without_room[number];
            notes.push(format!("{}: no free space was found", without(thing, count)));
        }
        if matches!(thing.what, What::Cylinder { mass: None, .. }) && walls.left_out[number] < thing.count {
            let Thing { line, name, .. } = thing;
            notes.push(format!(
                "line {line}: fixed <{name}> converted to a polygon of walls with its radius at the corners"
            ));
        }
    }
}

/// Formats a note such as `line 12: 3 of 5 <box> left out`.
fn without(thing: &Thing, count: usize) -> String {
    let Thing { line, name, .. } = thing;
    let of = if thing.count == 1 { format!("<{name}>") } else { format!("{count} of {} <{name}>", thing.count) };
    format!("line {line}: {of} left out")
}
