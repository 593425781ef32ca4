//! Decomposition of simple polygons into convex polygons.

use super::convex::Convex;
use super::vector::{Vec2, cross, subtract};

/// Maximum number of corners of an outline.
const MAX_CORNERS: usize = 256;
/// Maximum magnitude of a coordinate (mm).
const FARTHEST: f64 = 10_000.0;
/// Maximum area that counts as zero (mm²).
const NO_AREA: f64 = 1e-6;

/// Reason why corners do not form a valid outline.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum OutlineError {
    /// The outline has too few or too many corners.
    #[error("it has {0} corners; 3 to {MAX_CORNERS} are allowed")]
    Corners(usize),
    /// A coordinate is out of range or NaN.
    #[error("corner coordinate {0} is out of range -{FARTHEST} to {FARTHEST}")]
    Coordinate(f64),
    /// The outline encloses no area, for example because all corners are collinear.
    #[error("it encloses no area")]
    NoArea,
    /// The two sides that start at these corners cross. Corners are numbered from 1.
    #[error("the sides that start at corners {0} and {1} cross; an outline must not cross itself")]
    Crossing(usize, usize),
}

/// Splits a simple polygon of either orientation into convex polygons. Sides may touch, as in a polygon whose hole is
/// connected to its border by two coinciding sides.
///
/// # Errors
/// The corners do not form a valid outline.
pub(super) fn convex_parts(outline: &[Vec2]) -> Result<Vec<Convex>, OutlineError> {
    if !(3..=MAX_CORNERS).contains(&outline.len()) {
        return Err(OutlineError::Corners(outline.len()));
    }
    if let Some(&value) = outline.iter().flatten().find(|value| !(-FARTHEST..=FARTHEST).contains(*value)) {
        return Err(OutlineError::Coordinate(value));
    }
    if let Some((first, second)) = crossing_sides(outline) {
        return Err(OutlineError::Crossing(first + 1, second + 1));
    }
    let mut points = outline.to_vec();
    points.dedup();
    if points.len() > 1 && points.first() == points.last() {
        points.pop();
    }
    let area = area(&points);
    if area.abs() < NO_AREA {
        return Err(OutlineError::NoArea);
    }
    if area < 0.0 {
        points.reverse();
    }
    let whole: Vec<usize> = (0..points.len()).collect();
    let parts = if is_convex(&points, &whole) { vec![whole] } else { merged(&points, triangles(&points)) };
    let corners = |part: Vec<usize>| part.into_iter().map(|at| points[at]).collect::<Vec<Vec2>>();
    Ok(parts.into_iter().map(|part| Convex::new(&corners(part))).collect())
}

/// Returns the signed area (mm²), which is positive for counter-clockwise corners.
fn area(points: &[Vec2]) -> f64 {
    let next = points.iter().cycle().skip(1);
    points.iter().zip(next).map(|(&from, &to)| cross(from, to)).sum::<f64>() / 2.0
}

/// Returns twice the signed area of the triangle a, b, c (mm²), which is positive for a left turn at b.
fn bend(a: Vec2, b: Vec2, c: Vec2) -> f64 {
    cross(subtract(b, a), subtract(c, b))
}

fn crossing_sides(points: &[Vec2]) -> Option<(usize, usize)> {
    let side = |at: usize| (points[at], points[(at + 1) % points.len()]);
    let apart = |(a, b): (Vec2, Vec2), c: Vec2, d: Vec2| bend(a, b, c) * bend(a, b, d) < 0.0;
    let cross = |first: usize, second: usize| {
        let (one, other) = (side(first), side(second));
        apart(one, other.0, other.1) && apart(other, one.0, one.1)
    };
    (0..points.len())
        .flat_map(|first| (first + 1..points.len()).map(move |second| (first, second)))
        .find(|&(a, b)| cross(a, b))
}

/// Returns whether no corner turns right and the polygon winds only once.
fn is_convex(points: &[Vec2], part: &[usize]) -> bool {
    let count = part.len();
    let corner = |at: usize| points[part[at % count]];
    let mut ups = 0;
    for at in 0..count {
        if bend(corner(at), corner(at + 1), corner(at + 2)) < 0.0 {
            return false;
        }
        // A polygon that winds once has a single lowest corner. Of corners at equal heights, the leftmost counts as
        // lowest.
        let (before, here) = (corner(at), corner(at + 1));
        let next = corner(at + 2);
        ups += usize::from((here[1], here[0]) < (before[1], before[0]) && (here[1], here[0]) < (next[1], next[0]));
    }
    ups == 1
}

/// Splits a polygon into triangles by ear clipping (Meisters, 1975).
fn triangles(points: &[Vec2]) -> Vec<Vec<usize>> {
    let mut left: Vec<usize> = (0..points.len()).collect();
    let mut triangles = Vec::new();
    while left.len() > 2 {
        let count = left.len();
        let corner = |at: usize| [left[(at + count - 1) % count], left[at], left[(at + 1) % count]];
        // Rounding errors can hide all ears. In this case, an arbitrary corner is removed, so that the loop
        // terminates.
        let ear = (0..count).find(|&at| is_ear(points, &left, corner(at))).unwrap_or(0);
        let [a, b, c] = corner(ear);
        if bend(points[a], points[b], points[c]) > NO_AREA {
            triangles.push(vec![a, b, c]);
        }
        left.remove(ear);
    }
    triangles
}

fn is_ear(points: &[Vec2], left: &[usize], [a, b, c]: [usize; 3]) -> bool {
    let ear = [points[a], points[b], points[c]];
    let turn = bend(ear[0], ear[1], ear[2]);
    // A corner on a straight line or at the end of a spike encloses no area, so it may be removed.
    if turn.abs() <= NO_AREA {
        return true;
    }
    let inside =
        |point: Vec2| !ear.contains(&point) && (0..3).all(|side| bend(ear[side], ear[(side + 1) % 3], point) >= 0.0);
    turn > 0.0 && !left.iter().any(|&other| inside(points[other]))
}

/// Merges parts with common sides while the merged parts are convex (after Hertel and Mehlhorn, 1983).
fn merged(points: &[Vec2], mut parts: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    let mut first = 0;
    while first < parts.len() {
        let joined =
            (first + 1..parts.len()).find_map(|second| Some((second, join(points, &parts[first], &parts[second])?)));
        if let Some((second, part)) = joined {
            parts[first] = part;
            parts.swap_remove(second);
        } else {
            first += 1;
        }
    }
    parts
}

fn join(points: &[Vec2], one: &[usize], other: &[usize]) -> Option<Vec<usize>> {
    for at in 0..one.len() {
        let (from, to) = (one[at], one[(at + 1) % one.len()]);
        let Some(back) = (0..other.len()).find(|&back| other[back] == to && other[(back + 1) % other.len()] == from)
        else {
            continue;
        };
        // The merged part consists of all corners of `one`, from the end of the common side to its start. The
        // remaining corners of `other` follow.
        let mut part: Vec<usize> = (1..=one.len()).map(|step| one[(at + step) % one.len()]).collect();
        part.extend((2..other.len()).map(|step| other[(back + step) % other.len()]));
        return is_convex(points, &part).then_some(part);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn total(parts: &[Convex]) -> f64 {
        parts.iter().map(|part| area(&part.sides.iter().map(|side| side.point).collect::<Vec<_>>())).sum()
    }

    #[test]
    fn convex_outline_stays_whole_in_both_orientations() {
        let mut square = vec![[0.0, 0.0], [0.0, 2.0], [2.0, 2.0], [2.0, 0.0], [0.0, 0.0]];
        for _ in 0..2 {
            let parts = convex_parts(&square).expect("an outline");
            assert_eq!((parts.len(), parts[0].sides.len(), total(&parts)), (1, 4, 4.0));
            square.reverse();
        }
    }

    #[test]
    fn parts_of_an_outline_have_its_area() {
        let l = [[0.0, 0.0], [30.0, 0.0], [30.0, 10.0], [10.0, 10.0], [10.0, 30.0], [0.0, 30.0]];
        let parts = convex_parts(&l).expect("an outline");
        assert_eq!((parts.len(), total(&parts)), (2, 500.0));
        // The outline is a ring. Two coinciding sides connect the border of the hole to the outer border.
        let ring = [[0., 0.], [9., 0.], [9., 9.], [0., 9.], [0., 0.], [3., 3.], [3., 6.], [6., 6.], [6., 3.], [3., 3.]];
        let parts = convex_parts(&ring).expect("an outline");
        assert_eq!(total(&parts), 72.0);
        assert!(!parts.iter().any(|part| part.contains([4.5, 4.5], 0.0)));
        let comb: Vec<Vec2> = (0..100)
            .map(|at| [f64::from(at), if at % 2 == 0 { 50.0 } else { 10.0 }])
            .chain([[99.0, 0.0], [0.0, 0.0]])
            .collect();
        assert!((total(&convex_parts(&comb).expect("an outline")) - area(&comb).abs()).abs() < 1e-6);
        let star: Vec<Vec2> =
            (0..5).map(|at| f64::from(2 * at) * std::f64::consts::TAU / 5.0).map(|a| [a.cos(), a.sin()]).collect();
        assert!(!is_convex(&star, &[0, 1, 2, 3, 4]));
    }

    #[test]
    fn invalid_outlines_are_rejected() {
        let refusal = |outline: &[Vec2]| convex_parts(outline).expect_err("no outline").to_string();
        assert_eq!(refusal(&[[0.0, 0.0], [1.0, 0.0]]), "it has 2 corners; 3 to 256 are allowed");
        assert_eq!(refusal(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]), "it encloses no area");
        let far = "corner coordinate NaN is out of range -10000 to 10000";
        assert_eq!(refusal(&[[0.0, 0.0], [1.0, f64::NAN], [2.0, 0.0]]), far);
        let bow = [[0.0, 0.0], [4.0, 4.0], [4.0, 0.0], [0.0, 3.0]];
        let crossing = "the sides that start at corners 1 and 3 cross; an outline must not cross itself";
        assert_eq!(refusal(&bow), crossing);
    }
}
