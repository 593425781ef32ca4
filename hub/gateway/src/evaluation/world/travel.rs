//! Checks of free poses, and of the free part of a `MoveTo`.

use super::convex::Side;
use super::description::SIDE;
use super::ground::PathSegment;
use super::pose::{Motion, Pose};
use super::scene::Scene;
use super::shape::{Body, PlacedBody, Prism};
use super::sweep::{TOUCH, behind, first_contact, overlap, probe, probe_line};
use super::vector::{Vec2, add, dot, nearest_part, scale, subtract};

/// Walls of the arena. Each wall is the half-plane behind a line.
pub(super) const WALLS: [Side; 4] = [
    Side { point: [0.0, SIDE], normal: [1.0, 0.0], offset: 0.0 },
    Side { point: [0.0, 0.0], normal: [0.0, 1.0], offset: 0.0 },
    Side { point: [SIDE, 0.0], normal: [-1.0, 0.0], offset: -SIDE },
    Side { point: [SIDE, SIDE], normal: [0.0, -1.0], offset: -SIDE },
];

/// Returns whether a body overlaps no object by more than `depth` (mm).
pub(super) fn is_free<'a>(
    scene: &'a Scene,
    mut others: impl Iterator<Item = &'a PlacedBody>,
    body: &Body,
    pose: &Pose,
    depth: f64,
) -> bool {
    let frame = pose.frame();
    if WALLS.iter().any(|wall| behind(&body.hull, &frame, wall) > depth) {
        return false;
    }
    let height = scene.terrain.spot(frame.origin).height;
    let centre = frame.place(body.hull.centre);
    let near = |at: Vec2, radius: f64| within(subtract(at, centre), radius + body.hull.radius);
    let hits = |obstacle: &Prism| {
        near(obstacle.outline.centre, obstacle.outline.radius)
            && body.prisms.iter().any(|prism| {
                share_heights(prism.span.map(|z| z + height), obstacle.span)
                    && overlap(&prism.outline, &frame, &obstacle.outline) > depth
            })
    };
    !scene.blocks.iter().any(|block| hits(&block.prism))
        && !others.any(|other| near(other.centre, other.body.hull.radius) && other.prisms.iter().any(hits))
}

/// Returns the largest lambda up to which a motion is free.
pub(super) fn largest_free<'a>(
    scene: &'a Scene,
    others: impl Iterator<Item = &'a PlacedBody> + Clone,
    body: &Body,
    motion: &Motion,
) -> f64 {
    if scene.terrain.flat() {
        return travel(scene, others, body, motion, &[scene.terrain.level()]);
    }
    let stretches = scene.terrain.stretches(motion.origin(0.0), motion.shift);
    let lambda = travel(scene, others.clone(), body, motion, &stretches);
    // At a step of the ground, rounding may put the final pose on the wrong side of the step. Then a slightly smaller
    // lambda is tried.
    let before = [0.0, 1e-9, 1e-6, 1e-3].map(|back| (lambda - back).max(0.0));
    let free = |lambda: f64| is_free(scene, others.clone(), body, &motion.pose(lambda), 2.0 * TOUCH);
    before.into_iter().find(|&lambda| free(lambda)).unwrap_or(0.0)
}

fn travel<'a>(
    scene: &'a Scene,
    others: impl Iterator<Item = &'a PlacedBody>,
    body: &Body,
    motion: &Motion,
    stretches: &[PathSegment],
) -> f64 {
    let mut free = 1.0_f64;
    let inside = |at: Vec2, margin: f64| at.iter().all(|value| (margin..=SIDE - margin).contains(value));
    let reach = body.hull.reach;
    if !inside(motion.origin(0.0), reach) || !inside(motion.origin(1.0), reach) {
        for wall in &WALLS {
            free = first_contact((0.0, free), |lambda, allowed| probe_line(&body.hull, wall, motion, lambda, allowed));
        }
    }
    for block in &scene.blocks {
        free = meet(&block.prism, body, motion, stretches, free);
    }
    for other in others {
        if comes_near(motion, reach, other.centre, other.body.hull.radius) {
            free = other.prisms.iter().fold(free, |free, prism| meet(prism, body, motion, stretches, free));
        }
    }
    free
}

/// Returns the largest lambda, at most `limit`, up to which a body does not hit an obstacle.
fn meet(obstacle: &Prism, body: &Body, motion: &Motion, stretches: &[PathSegment], limit: f64) -> f64 {
    let mut free = limit;
    let outline = &obstacle.outline;
    if !comes_near(motion, body.hull.reach, outline.centre, outline.radius) {
        return free;
    }
    for prism in &body.prisms {
        let piece = &prism.outline;
        if !comes_near(motion, piece.reach, outline.centre, outline.radius) {
            continue;
        }
        for stretch in stretches {
            let Some((from, to)) = stretch.shared(prism.span, obstacle.span, TOUCH) else { continue };
            if from >= free {
                break;
            }
            let until = to.min(free);
            let met = first_contact((from, until), |lambda, allowed| probe(piece, outline, motion, lambda, allowed));
            if met < until {
                free = met;
                break;
            }
        }
    }
    free
}

/// Returns whether a circle with radius `reach` around the moving point can touch another circle.
fn comes_near(motion: &Motion, reach: f64, centre: Vec2, radius: f64) -> bool {
    let start = motion.origin(0.0);
    let part = nearest_part(start, motion.origin(1.0), centre);
    within(subtract(add(start, scale(motion.shift, part)), centre), reach + radius)
}

/// Returns whether a vector has at most the given length, with the touch tolerance.
fn within(way: Vec2, length: f64) -> bool {
    dot(way, way) <= (length + TOUCH) * (length + TOUCH)
}

fn share_heights(one: [f64; 2], other: [f64; 2]) -> bool {
    one[0] < other[1] - TOUCH && other[0] < one[1] - TOUCH
}
