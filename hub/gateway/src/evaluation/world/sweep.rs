//! Contact of a moving convex polygon with a static convex polygon. Lambda is the completed fraction of the motion,
//! from 0 to 1.
//!
//! The gap between two convex polygons is the largest separation along the normal of a side. A negative gap is the
//! depth of their overlap.

use super::convex::{Convex, Side};
use super::pose::{Frame, Motion};
use super::vector::{Vec2, dot, left, length, subtract};

/// Maximum depth of an overlap that counts as a touch (mm). Due to rounding errors, a robot may overlap a wall along
/// which it slides, or an obstacle at a reported pose to which it jumps.
pub(super) const TOUCH: f64 = 1e-4;
/// Maximum width of a gap that counts as contact (mm).
const CONTACT: f64 = 1e-9;
/// Minimum step in lambda. A search ends at a shorter step.
const NO_STEP: f64 = 1e-13;
/// Maximum number of steps of a search; about 20 are typical.
const MAX_STEPS: usize = 10_000;

/// Result of a probe at one lambda. The first number is the gap at this lambda (mm). The second number is a step in
/// lambda by which the motion can safely continue.
pub(super) type Probe = (f64, f64);

/// Returns the depth by which a placed polygon overlaps an obstacle (mm); 0 or less without an overlap. `frame`
/// places the polygon `piece`.
pub(super) fn overlap(piece: &Convex, frame: &Frame, obstacle: &Convex) -> f64 {
    let to_obstacle = |side: &Side| {
        let (normal, offset) = seen_from_piece(side, frame);
        offset - piece.sides.iter().map(|corner| dot(normal, corner.point)).fold(f64::INFINITY, f64::min)
    };
    let to_piece = |side: &Side| {
        let normal = frame.turn(side.normal);
        let offset = side.offset + dot(normal, frame.origin);
        offset - obstacle.sides.iter().map(|corner| dot(normal, corner.point)).fold(f64::INFINITY, f64::min)
    };
    let mut depth = f64::INFINITY;
    for side in &obstacle.sides {
        depth = depth.min(to_obstacle(side));
        if depth <= 0.0 {
            return depth;
        }
    }
    piece.sides.iter().map(to_piece).fold(depth, f64::min)
}

/// Returns the depth of a placed polygon behind a straight line (mm); negative if the whole polygon is in front of
/// the line.
pub(super) fn behind(piece: &Convex, frame: &Frame, line: &Side) -> f64 {
    let (normal, offset) = seen_from_piece(line, frame);
    offset - piece.sides.iter().map(|corner| dot(normal, corner.point)).fold(f64::INFINITY, f64::min)
}

/// Returns the normal and the offset of a side in the coordinates of a piece.
fn seen_from_piece(side: &Side, frame: &Frame) -> (Vec2, f64) {
    (frame.turn_back(side.normal), side.offset - dot(side.normal, frame.origin))
}

/// Returns the largest lambda, from `from` to `to`, up to which a motion is free. This is `to` if the whole range is
/// free.
///
/// `probe` gets lambda and the allowed depth of overlap (mm), and returns a conservative step. The distance to a side's
/// line is a function of lambda with known value, known slope and bounded curvature. Therefore the search misses no
/// contact between two probes, even if the obstacle is thin.
pub(super) fn first_contact((from, to): (f64, f64), mut probe: impl FnMut(f64, f64) -> Probe) -> f64 {
    let mut allowed = TOUCH;
    let (mut gap, mut step) = probe(from, allowed);
    if gap < -TOUCH {
        // Rounding may have made the initial touch slightly too deep. The motion must not make it deeper.
        if from > 0.0 || gap < -2.0 * TOUCH {
            return from;
        }
        allowed = -gap;
        (gap, step) = probe(from, allowed);
    }
    let floor = gap.min(0.0) - CONTACT;
    let (mut at, mut kept) = (from, from);
    for _ in 0..MAX_STEPS {
        if gap >= floor {
            kept = at;
        }
        if step <= NO_STEP {
            break;
        }
        at += step;
        if at >= to {
            return to;
        }
        (gap, step) = probe(at, allowed);
    }
    kept
}

/// Probes a moving piece against a static polygon.
pub(super) fn probe(piece: &Convex, obstacle: &Convex, motion: &Motion, lambda: f64, allowed: f64) -> Probe {
    let frame = motion.frame(lambda);
    let (turn, shift) = (motion.turn, motion.shift);
    let mut best = (f64::NEG_INFINITY, 0.0_f64);
    let bend = turn * turn * piece.reach;
    for side in &obstacle.sides {
        best = better(best, corners_to_line(piece, side, &frame, motion, bend, allowed));
    }
    // In the coordinates of the rotating piece, the translation increases the curvature of the path of an obstacle's
    // corner.
    let speed = length(shift);
    let far = length(subtract(obstacle.centre, frame.origin)) + obstacle.radius + speed * (1.0 - lambda);
    let bend = turn * turn * far + 2.0 * turn.abs() * speed;
    for side in &piece.sides {
        let normal = frame.turn(side.normal);
        let offset = side.offset + dot(normal, frame.origin);
        let approach = dot(normal, shift);
        let turned = [left(normal)[0] * turn, left(normal)[1] * turn];
        let distances = || {
            obstacle.sides.iter().map(|corner| {
                let rate = dot(turned, subtract(corner.point, frame.origin)) - approach;
                (dot(normal, corner.point) - offset, rate)
            })
        };
        best = better(best, line(distances, bend, allowed));
    }
    best
}

/// Probes a piece against the half-plane behind a straight line.
pub(super) fn probe_line(piece: &Convex, side: &Side, motion: &Motion, lambda: f64, allowed: f64) -> Probe {
    let bend = motion.turn * motion.turn * piece.reach;
    corners_to_line(piece, side, &motion.frame(lambda), motion, bend, allowed)
}

fn corners_to_line(piece: &Convex, side: &Side, frame: &Frame, motion: &Motion, bend: f64, allowed: f64) -> Probe {
    let (normal, offset) = seen_from_piece(side, frame);
    let shift = dot(side.normal, motion.shift);
    let turned = [normal[1] * motion.turn, -normal[0] * motion.turn];
    let distances =
        || piece.sides.iter().map(|corner| (dot(normal, corner.point) - offset, dot(turned, corner.point) + shift));
    line(distances, bend, allowed)
}

fn better(one: Probe, other: Probe) -> Probe {
    (one.0.max(other.0), one.1.max(other.1))
}

/// Returns the gap between corners and a line, and a step for which the corners stay in front of the line. The step
/// follows from the corners' distances, the rates of these distances, and a bound of the curvature.
fn line<I: Iterator<Item = (f64, f64)>>(distances: impl Fn() -> I, bend: f64, allowed: f64) -> Probe {
    let gap = distances().map(|(distance, _)| distance).fold(f64::INFINITY, f64::min);
    if gap < -allowed {
        return (gap, 0.0);
    }
    // The search first goes up to contact. Then it goes further to check whether the contact is only a touch.
    let goal = if gap > CONTACT { 0.0 } else { -allowed };
    let step = distances().map(|(distance, rate)| time(distance - goal, rate, bend)).fold(f64::INFINITY, f64::min);
    (gap, step)
}

/// Returns the step t in lambda after which room + rate t - bend t² / 2 becomes negative; infinity if this never
/// happens. `room` and `bend` are at least 0.
fn time(room: f64, rate: f64, bend: f64) -> f64 {
    if bend == 0.0 {
        return if rate < 0.0 { room / -rate } else { f64::INFINITY };
    }
    let root = (rate * rate + 2.0 * bend * room).sqrt();
    if rate < 0.0 { 2.0 * room / (root - rate) } else { (rate + root) / bend }
}
