//! Start tables of a world file.

use super::draw::{self, StartScene};
use super::mission::Mission;
use super::polygon::Polygon;
use super::region::Region;
use super::scene::{Place, Scene, Thing, What};
use super::shapes::round;
use std::f32::consts::{PI, TAU};
use std::fmt::Write;
use xpuck_kernels::math::{Vec2, vec2};
use xpuck_kernels::model::ROBOT_RADIUS;
use xpuck_kernels::world::Pose;
use xpuck_wire::output;

/// Number of starts drawn if ARGoS draws a new start for each run. The runs of Xpuck use these starts in turn.
const STARTS: u32 = 8;

/// Returns the text of the robots' starts, and the number of robots.
pub(super) fn starts(
    scene: &Scene,
    drawn: &StartScene,
    region: &Region,
    polygon: Option<&Polygon>,
    walls: &[[Vec2; 2]],
    notes: &mut Vec<String>,
) -> (String, usize) {
    let robots: Vec<&Thing> = scene.things.iter().filter(|thing| matches!(thing.what, What::Robot)).collect();
    let wanted = robots.iter().map(|thing| thing.count).sum();
    let mission = scene.mission.as_ref();
    if let Some(mission) = mission
        && is_reached(mission, region, polygon, walls)
    {
        return (mission.start(region.middle()), wanted);
    }
    if let [thing] = robots[..]
        && mission.is_none()
        && let Some((low, high)) = area(thing, region, walls)
    {
        let [low, high] = [low, high].map(|at| at - region.middle());
        let [x, y] = [[low.x, high.x], [low.y, high.y]].map(|range| range.map(round));
        return (format!("\n[[start]]\nx_m = {x:?}\ny_m = {y:?}\n"), thing.count);
    }
    let is_drawn =
        robots.iter().any(|thing| !(thing.position.is_fixed() && matches!(thing.orientation, Place::Constant(_))));
    let reached = |at: Vec2| region.is_reached(at) && mission.is_none_or(|mission| mission.start.contains(at));
    let mut first = drawn.robots.clone();
    if first.is_empty() {
        first = draw::robots(scene, drawn, 0, reached);
    }
    if mission.is_some() && first.len() < wanted {
        notes.push(format!(
            "{} of {wanted} robots left out: no free space in the mission's start",
            wanted - first.len()
        ));
    }
    // If no robot could be placed, one robot starts at the arena's centre.
    if first.is_empty() {
        first.push(Pose { at: region.middle(), heading: 0.0 });
    }
    let count = first.len();
    let mut all = vec![first];
    if is_drawn {
        let more = (1..STARTS).map(|start| draw::robots(scene, drawn, start, reached));
        all.extend(more.filter(|poses| poses.len() == count));
        notes.push(format!(
            "{} placed with seed {} by ARGoS's rules, but not with its random numbers",
            output::count(all.len(), "start", "starts"),
            scene.seed
        ));
    }
    let mut text = String::new();
    for poses in all {
        text += "\n[[start]]\npose = [\n";
        for Pose { at, heading } in poses {
            let at = at - region.middle();
            // The heading is wrapped to -180 to 180 degrees, because draws from a normal distribution are unlimited.
            let degrees = ((heading + PI).rem_euclid(TAU) - PI).to_degrees();
            let _ = writeln!(
                text,
                "    {{ at_m = [{:?}, {:?}], heading_deg = {:?} }},",
                round(at.x),
                round(at.y),
                round(degrees)
            );
        }
        text += "]\n";
    }
    (text, count)
}

/// Returns whether robots can reach the whole start region of a mission. A world file restricts starts to the inside of a
/// polygon of walls.
fn is_reached(mission: &Mission, region: &Region, polygon: Option<&Polygon>, walls: &[[Vec2; 2]]) -> bool {
    let room = vec2(ROBOT_RADIUS, ROBOT_RADIUS) + region.cell();
    let inner = polygon.map(|polygon| polygon.inradius - ROBOT_RADIUS - region.cell().length());
    let sides = polygon.map_or(0, |polygon| polygon.sides);
    let is_inside = |at: Vec2| {
        let at = at - region.middle();
        let outside = |i: usize| inner.is_some_and(|inner| at.dot(Vec2::unit(TAU * i as f32 / sides as f32)) > inner);
        !(0..sides).any(outside)
    };
    region.is_free(region.low + room, region.high - room, walls, |at| mission.start.contains(at) && is_inside(at))
}

/// Returns the corners of a start area. A start area requires that ARGoS draws positions uniformly from a rectangle and
/// headings from a full turn, and that robots can reach the whole rectangle. Otherwise, returns `None`.
fn area(thing: &Thing, region: &Region, walls: &[[Vec2; 2]]) -> Option<(Vec2, Vec2)> {
    let turns_freely = match thing.orientation {
        Place::Uniform { low, high } => high[0] - low[0] >= 359.0,
        Place::Gaussian { deviation, .. } => deviation[0] >= 180.0,
        _ => false,
    };
    let (low, high) = match thing.position {
        Place::Uniform { low, high } => (vec2(low[0], low[1]), vec2(high[0], high[1])),
        Place::Anywhere => (region.low, region.high),
        _ => return None,
    };
    let room = vec2(ROBOT_RADIUS, ROBOT_RADIUS) + region.cell();
    let (least, most) = (region.low + room, region.high - room);
    let low = vec2(low.x.max(least.x), low.y.max(least.y));
    let high = vec2(high.x.min(most.x), high.y.min(most.y));
    let is_free = || region.is_free(low, high, walls, |_| true);
    (turns_freely && low.x <= high.x && low.y <= high.y && is_free()).then_some((low, high))
}
