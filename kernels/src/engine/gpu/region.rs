//! Regions as words of the table.

use crate::math::Vec2;
use crate::world::task::Region;
use crate::world::zone::{Zone, ZoneShape};

/// Word for a missing condition, region or operation.
pub(super) const NO_CONDITION: u32 = 0xffff;
/// Number of words of a shape: its kind, then six parameters.
pub(super) const SHAPE_WORDS: usize = 7;
/// Kinds of shapes. Every other kind is a polygon.
pub(super) const SHAPE_ROUNDED: u32 = 0;
pub(super) const SHAPE_BEYOND: u32 = 1;
pub(super) const SHAPE_HALF_PLANE: u32 = 2;
pub(super) const SHAPE_RING: u32 = 3;
const SHAPE_POLYGON: u32 = 4;

/// Appends a region to the table, and returns the index of its first word. The words are: the number of shapes, the
/// number of shapes that are cut out, and the shapes. The corners of polygons stand before the region.
pub(super) fn append_region(zone: &Zone, table: &mut Vec<u32>) -> usize {
    let all = || zone.shapes.iter().chain(&zone.without);
    let mut polygons = Vec::new();
    for shape in all() {
        polygons.push(table.len() as u32);
        if let ZoneShape::Polygon(corners) = shape {
            table.extend(corners.iter().flat_map(|corner| [corner.x.to_bits(), corner.y.to_bits()]));
        }
    }
    let start = table.len();
    table.extend([zone.shapes.len() as u32, zone.without.len() as u32]);
    for (shape, corners) in all().zip(polygons) {
        table.extend(shape_words(shape, corners));
    }
    start
}

fn shape_words(shape: &ZoneShape, corners_at: u32) -> [u32; SHAPE_WORDS] {
    let words = |kind: u32, parameters: [f32; 5]| {
        let mut words = [0; SHAPE_WORDS];
        words[0] = kind;
        words[1..].iter_mut().zip(parameters).for_each(|(word, parameter)| *word = parameter.to_bits());
        words
    };
    match shape {
        ZoneShape::Simple(region) => {
            let kind = if matches!(region, Region::Beyond { .. }) { SHAPE_BEYOND } else { SHAPE_ROUNDED };
            let (at, half, radius) = region.rounded();
            words(kind, [at.x, at.y, half.x, half.y, radius])
        }
        ZoneShape::HalfPlane { towards: Vec2 { x, y }, from } => words(SHAPE_HALF_PLANE, [*x, *y, *from, 0.0, 0.0]),
        ZoneShape::Ring { at, inner, outer } => words(SHAPE_RING, [at.x, at.y, *inner, *outer, 0.0]),
        ZoneShape::Polygon(corners) => {
            let mut words = [0; SHAPE_WORDS];
            words[..3].copy_from_slice(&[SHAPE_POLYGON, corners.len() as u32, corners_at]);
            words
        }
    }
}

/// Upper bound on the loop iterations for one test whether a place is in a region.
pub(super) fn region_iterations(zone: &Zone) -> u32 {
    let shape = |shape: &ZoneShape| match shape {
        ZoneShape::Polygon(corners) => 1 + corners.len() as u32,
        _ => 2,
    };
    2 + zone.shapes.iter().chain(&zone.without).map(shape).sum::<u32>()
}
