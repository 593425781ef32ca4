//! Converts fixed bodies to walls, which are the sides that robots can touch, as thin lines.

use super::polygon::Polygon;
use super::region::Region;
use super::shapes::Solid;
use xpuck_kernels::math::{Vec2, vec2};
use xpuck_kernels::model::MAX_WALLS;

/// Maximum width of a box that is converted to a single wall along its middle (m). The box is converted only if robots
/// can touch both of its long sides.
const NARROW: f32 = 0.1;
/// Number of sides of the polygon for a cylinder, and a smaller number for arenas that would exceed the wall limit.
const SIDES: [usize; 2] = [6, 4];
/// Maximum distance between the arena's edge and a wall that counts as this edge (m).
const EDGE: f32 = 0.01;
/// Minimum length of a wall (m).
const SHORTEST: f32 = 0.01;

/// Walls, with the numbers of bodies that were left out because of a world's wall limit.
pub(super) struct Walls {
    /// End points of the walls in ARGoS's coordinates (m).
    pub lines: Vec<[Vec2; 2]>,
    /// Number of bodies left out, for each thing of the scene.
    pub left_out: Vec<usize>,
}

/// Converts bodies to walls: first the bodies with a fixed position, then the other bodies, each group in the order of
/// the file. `things` is the number of things in the scene. The sides of `polygon` are walls already.
pub(super) fn from_solids(solids: &[Solid], things: usize, region: &Region, polygon: Option<&Polygon>) -> Walls {
    let most = MAX_WALLS - polygon.map_or(0, |polygon| polygon.sides);
    let is_side = |index: &usize| polygon.is_some_and(|polygon| polygon.solids.contains(index));
    let others = || solids.iter().enumerate().filter(|(index, _)| !is_side(index)).map(|(_, solid)| solid);
    let sorted = || [false, true].into_iter().flat_map(|drawn| others().filter(move |s| s.is_drawn == drawn));
    let made = |sides: usize| {
        let mut walls = Walls { lines: Vec::new(), left_out: vec![0; things] };
        for solid in sorted() {
            let lines = touched(solid, sides, region);
            match walls.lines.len() + lines.len() <= most {
                true => walls.lines.extend(lines),
                false => walls.left_out[solid.thing] += 1,
            }
        }
        walls
    };
    let [many, few] = SIDES.map(made);
    let left = |walls: &Walls| walls.left_out.iter().sum::<usize>();
    if left(&few) < left(&many) { few } else { many }
}

/// Returns the sides of a body that robots can touch and that are not edges of the arena.
fn touched(solid: &Solid, sides: usize, region: &Region) -> Vec<[Vec2; 2]> {
    let faces: Vec<[Vec2; 2]> = if solid.radius > 0.0 {
        let corner = |i: usize| solid.at + Vec2::unit(std::f32::consts::TAU * i as f32 / sides as f32) * solid.radius;
        let faces: Vec<_> = (0..sides).map(|i| [corner(i + 1), corner(i)]).collect();
        // Either all sides or none are kept, because each corner protrudes beyond the adjacent sides.
        if faces.iter().any(|face| region.is_touched(*face)) { faces } else { Vec::new() }
    } else {
        box_faces(solid, region)
    };
    faces.into_iter().filter_map(|face| clipped(face, region)).collect()
}

fn box_faces(solid: &Solid, region: &Region) -> Vec<[Vec2; 2]> {
    let corners = solid.corners();
    // The sides are clockwise, so that the outside is to their left.
    let faces: [[Vec2; 2]; 4] = std::array::from_fn(|i| [corners[(i + 1) % 4], corners[i]]);
    let touched = faces.map(|face| region.is_touched(face));
    let halves = solid.axes.map(Vec2::length);
    // Sides 0 and 2 are parallel to the first axis.
    let (long, half) = if halves[0] >= halves[1] { (0, solid.axes[0]) } else { (1, solid.axes[1]) };
    if 2.0 * halves[0].min(halves[1]) > NARROW {
        return (0..4).filter(|i| touched[*i]).map(|i| faces[i]).collect();
    }
    match [touched[long], touched[long + 2]] {
        [true, true] => vec![[solid.at - half, solid.at + half]],
        [true, false] => vec![faces[long]],
        [false, true] => vec![faces[long + 2]],
        [false, false] => Vec::new(),
    }
}

/// Returns the part of a wall within the arena. Returns `None` for a wall outside the arena or on its edge, and for a
/// wall that is too short.
fn clipped([from, to]: [Vec2; 2], region: &Region) -> Option<[Vec2; 2]> {
    let along = to - from;
    let (mut enter, mut leave) = (0.0_f32, 1.0_f32);
    for (start, way, low, high) in
        [(from.x, along.x, region.low.x, region.high.x), (from.y, along.y, region.low.y, region.high.y)]
    {
        if way.abs() < 1e-6 {
            if start < low + EDGE || start > high - EDGE {
                return None;
            }
            continue;
        }
        let (a, b) = ((low - start) / way, (high - start) / way);
        (enter, leave) = (enter.max(a.min(b)), leave.min(a.max(b)));
    }
    let ends = [from + along * enter, from + along * leave];
    let near_edge = |axis: fn(Vec2) -> f32| {
        let beside = |edge: f32| ends.iter().all(|end| (axis(*end) - edge).abs() <= EDGE);
        beside(axis(region.low)) || beside(axis(region.high))
    };
    let is_edge = near_edge(|at| at.x) || near_edge(|at| at.y);
    let inside = |at: Vec2| vec2(at.x.clamp(region.low.x, region.high.x), at.y.clamp(region.low.y, region.high.y));
    (leave > enter && (ends[1] - ends[0]).length() >= SHORTEST && !is_edge).then(|| ends.map(inside))
}
