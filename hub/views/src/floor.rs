//! Floor of a world, in the format for pages: its paint, regions, and lines that robots cross.

use crate::rounded;
use serde::Serialize;
use xpuck_kernels::math::Vec2;
use xpuck_kernels::world::WorldSpec;
use xpuck_kernels::world::areas::FloorArea;
use xpuck_kernels::world::zone::ZoneShape;

/// Shape as closed polygons under the even-odd rule (m).
type Outline = Vec<Vec<[f32; 2]>>;

/// Region: the union of shapes without the union of other shapes.
#[derive(Serialize)]
struct Region {
    name: String,
    shapes: Vec<Outline>,
    /// Shapes that are cut out.
    cuts: Vec<Outline>,
    /// Place of the name in each shape (m).
    names: Vec<[f32; 2]>,
    /// Brightness of the paint, 0 (black) to 1 (white); `None` without paint.
    level: Option<f32>,
    /// Whether the region exists only under a condition.
    conditional: bool,
}

/// Floor of a world.
#[derive(Default, Serialize)]
pub struct FloorView {
    /// Brightness of the unpainted floor, 0 (black) to 1 (white); `None` for a floor without paint.
    level: Option<f32>,
    /// Regions of the task and painted regions, in the order of the file. Where painted regions overlap, the first one
    /// is visible.
    regions: Vec<Region>,
    /// Lines whose crossings count, from the left to the right side: x and y of both ends (m).
    lines: Vec<[f32; 4]>,
}

impl FloorView {
    /// Returns the floor of a world.
    pub fn new(spec: &WorldSpec) -> FloorView {
        let lines = spec.task.crossed_lines().into_iter();
        FloorView {
            level: (!spec.floor.is_plain()).then_some(spec.floor.level),
            regions: regions(spec),
            lines: lines.map(|(from, to)| [from.x, from.y, to.x, to.y]).collect(),
        }
    }
}

fn regions(spec: &WorldSpec) -> Vec<Region> {
    let half = spec.physics.half_arena;
    let point = |place: &Vec2| [rounded(place.x, 4), rounded(place.y, 4)];
    let outline = |shape: &ZoneShape| -> Outline {
        shape.outline(half).iter().map(|polygon| polygon.iter().map(point).collect()).collect()
    };
    let region = |area: FloorArea| Region {
        shapes: area.zone.shapes.iter().map(outline).collect(),
        cuts: area.zone.without.iter().map(outline).collect(),
        names: area.zone.shapes.iter().filter_map(|shape| shape.name_place(half)).map(|at| point(&at)).collect(),
        level: area.level,
        conditional: area.condition.is_some(),
        name: area.zone.name,
    };
    spec.floor.areas(&spec.task).into_iter().map(region).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use xpuck_kernels::math::vec2;
    use xpuck_kernels::world::floor::{Floor, Paint};
    use xpuck_kernels::world::zone::Zone;

    #[test]
    fn floor_has_paint_polygons_and_cuts() {
        let corners = |s: f32| ZoneShape::Polygon(vec![vec2(0.0, 0.0), vec2(s, 0.0), vec2(0.0, s)]);
        let zone = Zone { name: "spot".into(), shapes: vec![corners(0.6)], without: vec![corners(0.3)] };
        let paint = vec![Paint { zone, level: 1.0, condition: None }];
        let spec = WorldSpec { floor: Arc::new(Floor { paint, ..Floor::default() }), ..WorldSpec::benchmark(2) };
        let expected = concat!(
            r#"{"level":0.5,"regions":[{"name":"spot","shapes":[[[[0.0,0.0],[0.6,0.0],[0.0,0.6]]]],"#,
            r#""cuts":[[[[0.0,0.0],[0.3,0.0],[0.0,0.3]]]],"names":[[0.2,0.2]],"level":1.0,"conditional":false}],"lines":[]}"#
        );
        assert_eq!(serde_json::to_string(&FloorView::new(&spec)).unwrap(), expected);
        let plain = serde_json::to_string(&FloorView::new(&WorldSpec::benchmark(2))).unwrap();
        assert_eq!(plain, r#"{"level":null,"regions":[],"lines":[]}"#);
    }
}
