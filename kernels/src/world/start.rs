//! Initial placement of the bodies of a world.

use super::body::{Body, Pose};
use super::conditions::{Conditions, holds};
use super::spec::{Area, Start, WorldSpec};
use super::task::Score;
use crate::math::Vec2;
use crate::random::Draws;
use std::f32::consts::PI;

/// Minimum distance between the centres of small robots with random start positions (m).
pub const SPACING: f32 = 0.1;

/// Returns the minimum distance between the centres of robots of this radius with random start positions (m).
pub fn spacing(radius: f32) -> f32 {
    SPACING.max(2.5 * radius)
}

/// Maximum number of random positions that are tried for one body. In the benchmark with 16 robots, more than half of
/// all positions are free.
const TRIES: usize = 1000;

/// Returns the start configurations that run `run.1` of the seed `run.0` may use: those whose condition holds for its
/// lots.
pub(super) fn possible(spec: &WorldSpec, run: (u64, u32)) -> Vec<&Start> {
    let Conditions { starts, .. } = &spec.conditions;
    if starts.iter().all(Option::is_none) {
        return spec.starts.iter().collect();
    }
    // Conditions of starts depend on lots only, so no robot needs a place.
    let active = Score::new(&spec.task, &spec.physics, &[], spec.robots, run).active();
    spec.starts.iter().zip(starts).filter(|(_, condition)| holds(**condition, active)).map(|(start, _)| start).collect()
}

/// Returns all bodies at rest at their start positions: the robots, then the discs. `start` is the index of a start
/// configuration among those that run `run.1` of the seed `run.0` may use, modulo their number.
pub fn place(spec: &WorldSpec, start: usize, run: (u64, u32), draws: &mut Draws) -> Vec<Body> {
    let starts = possible(spec, run);
    // `WorldSpec::check` rejects worlds without a start for the lots of its sample of runs.
    let start = starts.get(start % starts.len().max(1)).copied().unwrap_or(&spec.starts[0]);
    place_at(spec, start, draws)
}

/// Returns all bodies at rest at the positions of a start configuration: the robots, then the discs.
///
/// If no free position is found for a body, the body is placed at the last random position that was tried. The body can
/// then overlap another body or a wall, or be too close to another robot. [`WorldSpec::check`] rejects worlds with
/// overlaps.
pub(super) fn place_at(spec: &WorldSpec, start: &Start, draws: &mut Draws) -> Vec<Body> {
    let robot = |pose| Body::at_rest(spec.robot, pose);
    let radius = spec.robot.radius;
    let spacing = spacing(radius);
    let mut robots: Vec<Body> = Vec::with_capacity(spec.robots + spec.discs.len());
    let mut discs: Vec<Body> = Vec::with_capacity(spec.discs.len());
    if let Start::Poses(poses) = start {
        robots.extend(poses.iter().copied().map(robot));
    }
    for disc in &spec.discs {
        let at = free_spot(&disc.start, draws, |at| {
            let clear = |b: &Body| (b.pose.at - at).length() > b.shape.radius + disc.shape.radius;
            robots.iter().all(clear) && discs.iter().all(clear) && clear_of_walls(spec, at, disc.shape.radius)
        });
        discs.push(Body::at_rest(disc.shape, Pose { at, heading: 0.0 }));
    }
    let everywhere = |_| true;
    let (area, inside): (Area, &dyn Fn(Vec2) -> bool) = match start {
        Start::Area(area) => (*area, &everywhere),
        Start::Zone(zone) => {
            let (low, high) = zone.bounds(spec.physics.half_arena, radius);
            (Area { low, high }, &|at| zone.contains(at))
        }
        Start::Poses(_) => (Area { low: Vec2::ZERO, high: Vec2::ZERO }, &everywhere),
    };
    if !matches!(start, Start::Poses(_)) {
        for _ in 0..spec.robots {
            let at = free_spot(&area, draws, |at| {
                inside(at)
                    && discs.iter().all(|b| (at - b.pose.at).length() > b.shape.radius + radius)
                    && robots.iter().all(|b| (b.pose.at - at).length() >= spacing)
                    && clear_of_walls(spec, at, radius)
            });
            robots.push(robot(Pose { at, heading: draws.range(-PI, PI) }));
        }
    }
    robots.append(&mut discs);
    robots
}

fn free_spot(area: &Area, draws: &mut Draws, free: impl Fn(Vec2) -> bool) -> Vec2 {
    let mut at = Vec2::ZERO;
    for _ in 0..TRIES {
        at = Vec2 { x: draws.range(area.low.x, area.high.x), y: draws.range(area.low.y, area.high.y) };
        if free(at) {
            break;
        }
    }
    at
}

fn clear_of_walls(spec: &WorldSpec, at: Vec2, radius: f32) -> bool {
    spec.physics.walls.iter().all(|wall| wall.offset(at).length() > radius)
}

#[cfg(test)]
mod tests {
    use super::super::spec::Scenario;
    use super::*;
    use crate::random::Stream;

    #[test]
    fn starts_keep_their_distances_and_regions() {
        let spec = WorldSpec::benchmark(16);
        for world in 0..200 {
            for (start, scenario) in [Scenario::A, Scenario::B].into_iter().enumerate() {
                let bodies = place(&spec, start, (11, world), &mut Draws::new(11, world, 0, 0, Stream::Start));
                let Start::Area(area) = scenario.start(16) else { unreachable!("scenarios are areas") };
                let frisbee = bodies[16].pose.at;
                assert!(frisbee.x.abs() <= 0.05 && frisbee.y.abs() <= 0.05);
                for (i, a) in bodies[..16].iter().enumerate() {
                    assert!((area.low.x..=area.high.x).contains(&a.pose.at.x) && a.pose.at.y.abs() <= 0.6);
                    assert!((a.pose.at - frisbee).length() > 0.1425);
                    assert!(bodies[..i].iter().all(|b| (b.pose.at - a.pose.at).length() >= SPACING));
                }
            }
        }
    }
}
