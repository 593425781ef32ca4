//! Decomposition of painted regions into quadrilaterals, because viewers draw triangles.

use xpuck_kernels::math::{Vec2, vec2};
use xpuck_kernels::world::areas::FloorArea;
use xpuck_kernels::world::outline;

/// Corners of a quadrilateral in order (m).
pub type Quad = [Vec2; 4];

/// Minimum height and width of a quadrilateral (m).
const TINY: f32 = 1e-4;

/// Side of a polygon, with its lower end first.
struct Side {
    low: Vec2,
    high: Vec2,
}

impl Side {
    fn at(&self, y: f32) -> f32 {
        self.low.x + (self.high.x - self.low.x) * ((y - self.low.y) / (self.high.y - self.low.y)).clamp(0.0, 1.0)
    }

    /// Height at which two sides cross.
    fn crossing(&self, other: &Side) -> Option<f32> {
        let (low, high) = (self.low.y.max(other.low.y), self.high.y.min(other.high.y));
        if low >= high {
            return None;
        }
        let (below, above) = (self.at(low) - other.at(low), self.at(high) - other.at(high));
        (below * above < 0.0).then(|| low + (high - low) * below / (below - above))
    }
}

/// Returns the visible part of each area as quadrilaterals. The first area that contains a place is visible there. An
/// area with a condition does not hide the areas after it.
pub fn visible(areas: &[&FloorArea], half_arena: (f32, f32)) -> Vec<Vec<Quad>> {
    let mut quads = vec![Vec::new(); areas.len()];
    if areas.is_empty() {
        return quads;
    }
    let sides = sides(areas, half_arena);
    // No side starts, ends or crosses another one between two successive heights.
    for band in heights(&sides, half_arena.1).windows(2) {
        let (low, high) = (band[0], band[1]);
        let middle = (low + high) / 2.0;
        let mut across: Vec<&Side> = sides.iter().filter(|side| side.low.y < middle && side.high.y > middle).collect();
        across.sort_by(|a, b| a.at(middle).total_cmp(&b.at(middle)));
        for pair in across.windows(2) {
            let (left, right) = (pair[0], pair[1]);
            let place = vec2((left.at(middle) + right.at(middle)) / 2.0, middle);
            if place.x.abs() > half_arena.0 || right.at(middle) - left.at(middle) < TINY {
                continue;
            }
            let quad = [(left, low), (right, low), (right, high), (left, high)].map(|(side, y)| vec2(side.at(y), y));
            for (area, quads) in areas.iter().zip(&mut quads) {
                if area.zone.contains(place) {
                    quads.push(quad);
                    if area.condition.is_none() {
                        break;
                    }
                }
            }
        }
    }
    quads
}

/// Sides of the arena and of all shapes that are not horizontal.
fn sides(areas: &[&FloorArea], half_arena: (f32, f32)) -> Vec<Side> {
    let shapes = areas.iter().flat_map(|area| area.zone.shapes.iter().chain(&area.zone.without));
    let mut polygons: Vec<Vec<Vec2>> = shapes.flat_map(|shape| shape.outline(half_arena)).collect();
    polygons.push(outline::arena(half_arena));
    let mut sides = Vec::new();
    for polygon in &polygons {
        for (a, b) in polygon.iter().zip(polygon.iter().cycle().skip(1)) {
            let (low, high) = if a.y < b.y { (*a, *b) } else { (*b, *a) };
            if high.y > low.y {
                sides.push(Side { low, high });
            }
        }
    }
    sides
}

/// Heights in the arena at which a side starts, ends or crosses another one, from low to high.
fn heights(sides: &[Side], half: f32) -> Vec<f32> {
    let mut heights: Vec<f32> = sides.iter().flat_map(|side| [side.low.y, side.high.y]).collect();
    for (index, side) in sides.iter().enumerate() {
        heights.extend(sides[..index].iter().filter_map(|other| side.crossing(other)));
    }
    heights.retain(|y| y.abs() <= half);
    heights.sort_by(f32::total_cmp);
    heights.dedup_by(|later, earlier| *later - *earlier < TINY);
    heights
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_kernels::world::task::Region;
    use xpuck_kernels::world::zone::{Zone, ZoneShape};

    fn disc(x: f32, radius: f32) -> ZoneShape {
        ZoneShape::Simple(Region::Disc { at: vec2(x, 0.0), radius })
    }

    fn area(shapes: Vec<ZoneShape>, without: Vec<ZoneShape>, condition: Option<u8>) -> FloorArea {
        FloorArea { zone: Zone { name: "area".into(), shapes, without }, level: Some(0.0), condition }
    }

    fn sizes(areas: &[FloorArea]) -> Vec<f32> {
        let size = |quad: &Quad| (0..4).map(|corner| quad[corner].cross(quad[(corner + 1) % 4])).sum::<f32>() / 2.0;
        let areas: Vec<&FloorArea> = areas.iter().collect();
        visible(&areas, (1.0, 0.75)).iter().map(|quads| quads.iter().map(size).sum()).collect()
    }

    #[test]
    fn visible_parts_have_the_right_areas() {
        let pi = std::f32::consts::PI;
        let close = |found: &[f32], expected: &[f32]| {
            let near = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 0.005);
            assert!(near && found.len() == expected.len(), "{found:?} for {expected:?}");
        };
        let ring = ZoneShape::Ring { at: Vec2::ZERO, inner: 0.2, outer: 0.5 };
        let beyond = ZoneShape::Simple(Region::Beyond { at: Vec2::ZERO, radius: 0.5 });
        close(&sizes(&[area(vec![ring], vec![], None)]), &[0.21 * pi]);
        close(&sizes(&[area(vec![beyond.clone()], vec![], None)]), &[3.0 - 0.25 * pi]);
        // A disc with a cut, and half a disc outside of the arena.
        close(&sizes(&[area(vec![disc(0.0, 0.5)], vec![disc(0.0, 0.3)], None)]), &[0.16 * pi]);
        close(&sizes(&[area(vec![disc(1.0, 0.4)], vec![], None)]), &[0.08 * pi]);
        // The first area hides the second one, unless it has a condition.
        let large = || area(vec![disc(0.0, 0.5)], vec![], None);
        close(&sizes(&[area(vec![disc(0.0, 0.3)], vec![], None), large()]), &[0.09 * pi, 0.16 * pi]);
        close(&sizes(&[area(vec![disc(0.0, 0.3)], vec![], Some(0)), large()]), &[0.09 * pi, 0.25 * pi]);
        // Two discs that overlap are one region.
        let lens = 2.0 * 0.09 * (0.5f32).acos() - 0.15 * (4.0 * 0.09 - 0.09f32).sqrt() * 2.0 * 0.5;
        close(&sizes(&[area(vec![disc(-0.15, 0.3), disc(0.15, 0.3)], vec![], None)]), &[0.18 * pi - lens]);
        assert!(visible(&[], (1.0, 0.75)).is_empty());
    }
}
