//! Floor in a scene: paint as triangles, borders of regions and crossed lines as lines, and names of regions.

use super::labels::{LETTERS, colour, label};
use super::messages::{Arrow, Color, Entity, Line, Point, Pose, Triangles};
use super::paint::{Quad, visible};

use xpuck_kernels::math::Vec2;
use xpuck_kernels::world::WorldSpec;
use xpuck_kernels::world::areas::FloorArea;
use xpuck_kernels::world::task::Region;
use xpuck_kernels::world::zone::ZoneShape;

/// Heights above the floor (m): paint, then borders and lines.
const PAINT: f64 = 0.001;
const BORDER: f64 = 0.003;
/// Thickness of borders and lines (m).
const THICKNESS: f64 = 0.008;
/// Types of lines.
const CLOSED: u8 = 1;
const LIST: u8 = 2;

/// Returns the colour of the unpainted floor. A floor without any paint is almost white.
pub fn base(world: Option<&WorldSpec>) -> Color {
    match world.map(|world| &world.floor) {
        Some(floor) if !floor.is_plain() => shade(floor.level, 1.0),
        _ => colour(0.9, 0.9, 0.88, 0.6),
    }
}

/// Draws paint, regions with their names, and crossed lines of a world.
pub fn draw(entity: &mut Entity, world: &WorldSpec) {
    let half = world.physics.half_arena;
    let areas = world.floor.areas(&world.task);
    let painted: Vec<&FloorArea> = areas.iter().filter(|area| area.level.is_some()).collect();
    for (index, quads) in visible(&painted, half).iter().enumerate() {
        let area = painted[index];
        // Paint under a condition is translucent. It lies above the paint that is visible without it.
        let opacity = if area.condition.is_some() { 0.5 } else { 1.0 };
        let height = PAINT * (1.0 + (painted.len() - index) as f64 / painted.len() as f64);
        entity.triangles.extend(triangles(quads, height, shade(area.level.unwrap_or_default(), opacity)));
    }
    for area in areas.iter().rev() {
        let color = match (area.level, area.zone.name.as_str()) {
            (Some(_), _) => colour(0.45, 0.5, 0.55, 0.8),
            (None, "food") => colour(0.3, 0.8, 0.4, 1.0),
            (None, _) => colour(0.3, 0.5, 0.9, 1.0),
        };
        for shape in area.zone.shapes.iter().chain(&area.zone.without) {
            entity.lines.extend(shape.outline(half).iter().map(|polygon| line(CLOSED, polygon, color)));
        }
        for shape in &area.zone.shapes {
            let Some(at) = shape.name_place(half) else { continue };
            let outside = matches!(shape, ZoneShape::Simple(Region::Beyond { .. }));
            let outside = if outside { ": outside this circle" } else { "" };
            let text = format!("{}{outside}", area.zone.name);
            entity.texts.push(label(&text, f64::from(at.x), f64::from(at.y), LETTERS));
        }
    }
    for (from, to) in world.task.crossed_lines() {
        crossed_line(entity, from, to);
    }
}

/// Draws a line, and an arrow from its left to its right side.
fn crossed_line(entity: &mut Entity, from: Vec2, to: Vec2) {
    const SHAFT: f64 = 0.07;
    const HEAD: f64 = 0.04;
    let color = colour(0.65, 0.12, 0.48, 1.0);
    entity.lines.push(line(LIST, &[from, to], color));
    let (middle, along) = ((from + to) * 0.5, to - from);
    let right = f64::from(along.y).atan2(f64::from(along.x)) - std::f64::consts::FRAC_PI_2;
    let back = (SHAFT + HEAD) / 2.0;
    let (x, y) = (f64::from(middle.x) - back * right.cos(), f64::from(middle.y) - back * right.sin());
    entity.arrows.push(Arrow {
        pose: Pose::at(x, y, BORDER, right),
        shaft_length: SHAFT,
        shaft_diameter: 0.012,
        head_length: HEAD,
        head_diameter: 0.03,
        color,
    });
}

fn line(kind: u8, places: &[Vec2], color: Color) -> Line {
    let points = places.iter().map(|place| point(*place, BORDER)).collect();
    let (pose, thickness) = (Pose::at(0.0, 0.0, 0.0, 0.0), THICKNESS);
    Line { kind, pose, thickness, scale_invariant: false, points, color, colors: Vec::new(), indices: Vec::new() }
}

/// Returns the triangles of quadrilaterals, or nothing without quadrilaterals.
fn triangles(quads: &[Quad], height: f64, color: Color) -> Option<Triangles> {
    let points = quads.iter().flatten().map(|corner| point(*corner, height)).collect();
    let indices = (0..quads.len() as u32).flat_map(|quad| [0, 1, 2, 0, 2, 3].map(|corner| 4 * quad + corner));
    let pose = Pose::at(0.0, 0.0, 0.0, 0.0);
    (!quads.is_empty()).then(|| Triangles { pose, points, color, colors: Vec::new(), indices: indices.collect() })
}

/// Rounds a place to 0.1 mm, which keeps messages small.
fn point(place: Vec2, z: f64) -> Point {
    let rounded = |value: f32| (f64::from(value) * 1e4).round() / 1e4;
    Point { x: rounded(place.x), y: rounded(place.y), z }
}

/// Returns the colour of paint. Black is drawn as dark grey, so that robots are visible on it.
fn shade(level: f32, opacity: f64) -> Color {
    let grey = 0.25 + 0.7 * f64::from(level);
    colour(grey, grey, grey, opacity)
}
