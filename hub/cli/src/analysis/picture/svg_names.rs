//! Names of regions in a drawing. A name is placed where it does not cover another one, if possible.

use super::svg_bodies::Plan;
use std::fmt::Write;
use xpuck_kernels::markup::escape;
use xpuck_kernels::math::{Vec2, vec2};
use xpuck_kernels::world::areas::FloorArea;
use xpuck_kernels::world::task::Region;
use xpuck_kernels::world::zone::ZoneShape;

/// CSS for the elements of this module. The white edge keeps names readable on black paint.
pub const STYLE: &str = "    .area-name { font: 12px sans-serif; fill: #1b1f24; stroke: #ffffff; stroke-width: 3.5;
      stroke-opacity: 0.85; stroke-linejoin: round; paint-order: stroke }
";

/// Mean width of a character, and height of a line (pixels).
const CHARACTER: f32 = 6.6;
const LINE: f32 = 14.0;

/// Rectangle in the drawing: left, top, right and bottom (pixels).
type Box = [f32; 4];

/// Draws the name of each shape of the regions. `taken` is a list of rectangles that names should not cover.
pub fn draw(svg: &mut String, plan: &Plan, areas: &[FloorArea], mut taken: Vec<Box>) {
    for area in areas {
        let name = &area.zone.name;
        let half = CHARACTER * name.chars().count() as f32 / 2.0;
        for shape in &area.zone.shapes {
            let places = places(plan, shape, area.level.is_some());
            let place = |(x, y): (f32, f32)| {
                let x = limited(x, plan.left + half + 3.0, plan.left + 2.0 * plan.half.0 * plan.scale - half - 3.0);
                let bottom = plan.top + 2.0 * plan.half.1 * plan.scale;
                (x, limited(y, plan.top + LINE / 2.0 + 3.0, bottom - LINE / 2.0 - 3.0))
            };
            let covers = |(x, y): (f32, f32)| {
                let name = [x - half, y - LINE / 2.0, x + half, y + LINE / 2.0];
                taken.iter().any(|other| overlap(&name, other))
            };
            let places: Vec<(f32, f32)> = places.into_iter().map(place).collect();
            let Some(&(x, y)) = places.iter().find(|place| !covers(**place)).or(places.first()) else { continue };
            taken.push([x - half, y - LINE / 2.0, x + half, y + LINE / 2.0]);
            let _ = writeln!(
                svg,
                "  <text class=\"area-name\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                y + 4.0,
                escape(name)
            );
        }
    }
}

fn limited(value: f32, low: f32, high: f32) -> f32 {
    value.min(high).max(low)
}

fn overlap(a: &Box, b: &Box) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

/// Returns possible centres of a shape's name (pixels), the best first: the centre of a painted shape, and the upper
/// border of others, which often contain painted shapes.
fn places(plan: &Plan, shape: &ZoneShape, painted: bool) -> Vec<(f32, f32)> {
    let at = |place: Vec2, down: f32| {
        let (x, y) = plan.at(place);
        (x, y + down)
    };
    let inside = |middle: Vec2, up: f32| {
        let (top, bottom) = (middle + vec2(0.0, up), middle - vec2(0.0, up));
        let edges = [at(top, LINE), at(bottom, -LINE)];
        let middles = [0.0, LINE, -LINE].map(|down| at(middle, down));
        let outside = [at(bottom, LINE), at(top, -LINE)];
        if painted { [&middles[..], &edges, &outside].concat() } else { [&edges[..], &middles, &outside].concat() }
    };
    match shape {
        ZoneShape::Simple(Region::Rectangle { at, half }) => inside(*at, half.y),
        ZoneShape::Simple(Region::Disc { at, radius }) => inside(*at, *radius),
        ZoneShape::Simple(Region::Beyond { at: middle, radius }) => {
            let above = vec2(0.0, radius + LINE / plan.scale);
            let (x, y) = (0.85 * plan.half.0, plan.half.1 - LINE / plan.scale);
            let corners = [vec2(-x, y), vec2(x, y), vec2(-x, -y), vec2(x, -y)];
            let visible = |place: &Vec2| shape.contains(*place) && place.y.abs() < plan.half.1;
            let places = [*middle + above, *middle - above].into_iter().chain(corners);
            places.filter(visible).map(|place| at(place, 0.0)).collect()
        }
        ZoneShape::Ring { at: middle, inner, outer } => {
            let radius = vec2(0.0, (inner + outer) / 2.0);
            vec![at(*middle + radius, 0.0), at(*middle - radius, 0.0)]
        }
        ZoneShape::HalfPlane { .. } | ZoneShape::Polygon(_) => {
            let Some(middle) = shape.name_place(plan.half) else { return Vec::new() };
            [0.0, LINE, -LINE].map(|down| at(middle, down)).to_vec()
        }
    }
}
