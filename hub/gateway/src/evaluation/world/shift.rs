//! Finds a free pose for a body (section 3.2, `BodyShape`). This is necessary if the body has no pose yet, or if its
//! new shape does not fit at its pose.

use super::convex::{crossing, hull};
use super::description::SIDE;
use super::pose::Pose;
use super::random::Random;
use super::scene::Scene;
use super::shape::{Body, PlacedBody, Prism};
use super::sweep::TOUCH;
use super::travel::is_free;
use super::vector::{Vec2, add, dot, nearest_part, scale, subtract};

/// Maximum number of random poses tried.
const TRIES: usize = 4096;
/// Maximum number of shifts tried. The shortest shifts are tried first.
const MAX_CANDIDATES: usize = 4096;
/// Maximum number of edges whose intersections are computed. These edges bound the forbidden shifts.
const MAX_EDGES: usize = 256;

/// Returns a random free pose; `None` if no tried pose is free.
pub(super) fn random_pose<'a>(
    scene: &'a Scene,
    others: impl Iterator<Item = &'a PlacedBody> + Clone,
    body: &Body,
    random: &mut Random,
) -> Option<Pose> {
    let mut tries = (0..TRIES).map(|_| random.pose());
    tries.find(|pose| is_free(scene, others.clone(), body, pose, TOUCH / 2.0))
}

/// Returns the given pose if it is free, otherwise the nearest free pose with the same direction. Returns `None` if
/// no tried pose is free.
///
/// A shift moves the body without rotating it. For two convex parts, the forbidden shifts form a convex polygon,
/// their Minkowski difference. The shortest allowed shift is on the border of such a polygon. There, it is either the
/// nearest point of a single edge to the origin, or the intersection of two edges.
pub(super) fn nearest_pose<'a>(
    scene: &'a Scene,
    others: impl Iterator<Item = &'a PlacedBody> + Clone,
    body: &Body,
    pose: &Pose,
) -> Option<Pose> {
    if is_free(scene, others.clone(), body, pose, 2.0 * TOUCH) {
        return Some(*pose);
    }
    let mut edges = wall_edges(body, pose)?;
    for block in &scene.blocks {
        forbidden_edges(body, pose, scene, &block.prism, &mut edges);
    }
    for prism in others.clone().flat_map(|other| &other.prisms) {
        forbidden_edges(body, pose, scene, prism, &mut edges);
    }
    let free = |shift: &Vec2| is_free(scene, others.clone(), body, &pose.shifted(*shift), TOUCH / 2.0);
    let nearest_free = |mut shifts: Vec<Vec2>| {
        shifts.sort_by(|&a, &b| dot(a, a).total_cmp(&dot(b, b)));
        shifts.into_iter().take(MAX_CANDIDATES).find(free)
    };
    let nearest = |&(from, to): &Edge| add(from, scale(subtract(to, from), nearest_part(from, to, [0.0, 0.0])));
    let on_edge = nearest_free(edges.iter().map(nearest).collect());

    // An intersection is useful only if its shift is shorter than the shortest free shift on an edge.
    let square = |edge: &Edge| dot(nearest(edge), nearest(edge));
    let bound = on_edge.map_or(f64::INFINITY, |shift| dot(shift, shift));
    edges.retain(|edge| square(edge) < bound);
    edges.sort_by(|a, b| square(a).total_cmp(&square(b)));
    edges.truncate(MAX_EDGES);
    let crossings = (1..edges.len()).flat_map(|at| {
        let edges = &edges;
        edges[..at].iter().filter_map(move |&edge| crossing(edge, edges[at]))
    });
    let crossings = crossings.filter(|&shift| dot(shift, shift) < bound).collect();
    nearest_free(crossings).or(on_edge).map(|shift| pose.shifted(shift))
}

type Edge = (Vec2, Vec2);

/// Returns the border of the shifts that keep a body between the walls; `None` if the body is too large for the
/// arena.
fn wall_edges(body: &Body, pose: &Pose) -> Option<Vec<Edge>> {
    let frame = pose.frame();
    let corners: Vec<Vec2> = body.hull.sides.iter().map(|side| frame.place(side.point)).collect();
    let range = |axis: usize| {
        let values = || corners.iter().map(|corner| corner[axis]);
        let low = -values().fold(f64::INFINITY, f64::min);
        let high = SIDE - values().fold(f64::NEG_INFINITY, f64::max);
        (low <= high).then_some((low, high))
    };
    let ((left, right), (bottom, top)) = (range(0)?, range(1)?);
    let corners = [[left, bottom], [right, bottom], [right, top], [left, top]];
    Some((0..4).map(|at| (corners[at], corners[(at + 1) % 4])).collect())
}

/// Adds the edges around the shifts that an obstacle forbids.
fn forbidden_edges(body: &Body, pose: &Pose, scene: &Scene, obstacle: &Prism, edges: &mut Vec<Edge>) {
    let frame = pose.frame();
    let height = scene.terrain.spot(frame.origin).height;
    for prism in &body.prisms {
        // The heights of body and obstacle can exclude a collision only on flat ground. On slopes, the body's height
        // changes with the shift.
        let [low, high] = prism.span.map(|z| z + height);
        if scene.terrain.flat() && (low >= obstacle.span[1] || obstacle.span[0] >= high) {
            continue;
        }
        let corners = || prism.outline.sides.iter().map(|side| frame.place(side.point));
        let ends = &obstacle.outline.sides;
        let differences = ends.iter().flat_map(|end| corners().map(|corner| subtract(end.point, corner))).collect();
        let polygon = hull(differences);
        let next = polygon.iter().cycle().skip(1);
        edges.extend(polygon.iter().copied().zip(next.copied()));
    }
}
