//! Paint of the floor for other simulators: exact shapes for ARGoS, and strips for Webots.

use std::fmt::Write;
use xpuck_kernels::math::{Vec2, vec2};
use xpuck_kernels::world::WorldSpec;
use xpuck_kernels::world::floor::{Floor, Shade};
use xpuck_kernels::world::task::Region;
use xpuck_kernels::world::zone::ZoneShape;

/// Conditions of paint: all hold, because the other simulator has no conditions.
const ALL: u32 = u32::MAX;
/// Width of a strip, and accuracy of its ends (m).
const STRIP: f32 = 0.01;
const STEP: f32 = 0.005;
/// Maximum number of strips or steps across an arena. In a large arena, they are wider.
const MOST: f32 = 1000.0;

/// A rectangle of one shade, parallel to the x axis.
pub(super) struct Strip {
    /// Corner with the lowest coordinates (m).
    pub low: Vec2,
    /// Corner with the highest coordinates (m).
    pub high: Vec2,
}

/// True if a ground sensor without errors does not read grey everywhere.
pub(super) fn is_painted(floor: &Floor) -> bool {
    !floor.paint.is_empty() || Shade::of_level(floor.level) != Shade::Grey
}

/// Returns the paint as elements of a C++ vector of `Paint` (`argos/floor.hpp`).
pub(super) fn cpp(floor: &Floor) -> String {
    let shapes = |all: &[ZoneShape]| all.iter().map(cpp_shape).collect::<Vec<_>>().join(", ");
    let paints = floor.paint.iter().map(|paint| {
        let zone = &paint.zone;
        let shade = Shade::of_level(paint.level).value();
        format!("\n    {{{shade:.0}, {{{}}}, {{{}}}}},", shapes(&zone.shapes), shapes(&zone.without))
    });
    paints.collect()
}

/// Returns a shape as `FloorShape` in C++.
fn cpp_shape(shape: &ZoneShape) -> String {
    let (kind, numbers) = match shape {
        ZoneShape::Simple(Region::Rectangle { at, half }) => ("RECTANGLE", vec![at.x, at.y, half.x, half.y]),
        ZoneShape::Simple(Region::Disc { at, radius }) => ("DISC", vec![at.x, at.y, *radius]),
        ZoneShape::Simple(Region::Beyond { at, radius }) => ("BEYOND", vec![at.x, at.y, *radius]),
        ZoneShape::HalfPlane { towards, from } => ("HALF_PLANE", vec![towards.x, towards.y, *from]),
        ZoneShape::Ring { at, inner, outer } => ("RING", vec![at.x, at.y, *inner, *outer]),
        ZoneShape::Polygon(corners) => ("POLYGON", corners.iter().flat_map(|corner| [corner.x, corner.y]).collect()),
    };
    let mut text = format!("{{FloorShape::{kind}, {{");
    for (i, number) in numbers.iter().enumerate() {
        let _ = write!(text, "{}{number:?}", if i == 0 { "" } else { ", " });
    }
    text + "}}"
}

/// Returns the strips that cover the floor of one shade. Their error is at most half a strip across, and half a step
/// along.
pub(super) fn strips(spec: &WorldSpec, shade: Shade) -> Vec<Strip> {
    let (hx, hy) = spec.physics.half_arena;
    let cells = |half: f32, size: f32| (2.0 * half / size).ceil().clamp(1.0, MOST) as usize;
    let (rows, columns) = (cells(hy, STRIP), cells(hx, STEP));
    let place = |index: f32, count: usize, half: f32| half * (2.0 * index / count as f32 - 1.0);
    let is_shade = |row: usize, column: usize| {
        let at = vec2(place(column as f32 + 0.5, columns, hx), place(row as f32 + 0.5, rows, hy));
        Shade::of_level(spec.floor.level(at, ALL)) == shade
    };
    let mut strips = Vec::new();
    for row in 0..rows {
        let mut column = 0;
        while column < columns {
            let first = column;
            while column < columns && is_shade(row, column) {
                column += 1;
            }
            if column > first {
                strips.push(Strip {
                    low: vec2(place(first as f32, columns, hx), place(row as f32, rows, hy)),
                    high: vec2(place(column as f32, columns, hx), place(row as f32 + 1.0, rows, hy)),
                });
            }
            column += 1;
        }
    }
    strips
}
