//! Drawing of a world: walls, regions of the task, lights, and bodies at a start.

use super::colours::{FLOOR, FRISBEE};
use super::scenery::{self, Scenery};
use super::svg_bodies::Plan;
use std::fmt::Write;
use xpuck_kernels::fonts;
use xpuck_kernels::markup::escape;
use xpuck_kernels::world::{World, WorldSpec};

/// Longer side of the arena (pixels).
const LONG_SIDE: f32 = 640.0;
const MARGIN: f32 = 24.0;
/// Height of the title above the arena.
const HEAD: f32 = 44.0;

const STYLE: &str = "  <style>
    text { font: 13px monospace; fill: #1b1f24; white-space: pre }
    .title { font: bold 16px sans-serif }
    .small { font: 12px sans-serif; fill: #57606a }
    .robot { fill: #ffffff; fill-opacity: 0.7; stroke: #57606a; stroke-width: 1.4 }
    .light { fill: #ffd43b; stroke: #8a6d00 }
";

/// Draws a world with the bodies of its first start, from seed 1.
pub fn draw(spec: &WorldSpec, title: &str) -> String {
    let (half_x, half_y) = spec.physics.half_arena;
    let scale = LONG_SIDE / (2.0 * half_x.max(half_y));
    let plan = Plan { half: spec.physics.half_arena, scale, left: MARGIN, top: HEAD };
    let (width, height) = (2.0 * (half_x * scale + MARGIN), 2.0 * half_y * scale + HEAD + MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\">\n{}{}  </style>\n  \
         <rect width=\"100%\" height=\"100%\" fill=\"{FLOOR}\"/>\n  \
         <text class=\"title\" x=\"{MARGIN}\" y=\"26\">{}</text>\n",
        fonts::with_fonts(STYLE),
        scenery::STYLE,
        escape(title)
    );
    let scenery = Scenery { walls: &spec.physics.walls, patches: &spec.patches, task: spec.task.clone() };
    scenery.floor(&mut svg, &plan);
    let world = World::new(spec, 0, 1, 0);
    for (index, body) in world.bodies.iter().enumerate() {
        let ((x, y), radius) = (plan.at(body.pose.at), body.shape.radius * scale);
        let class = if index < spec.robots { "class=\"robot\"".into() } else { format!("fill=\"{FRISBEE}\"") };
        let _ = writeln!(svg, "  <circle {class} cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\"/>");
    }
    for light in &spec.lighting.lights {
        // Lights outside the arena are drawn at its border.
        let at = |value: f32, half: f32| value.clamp(-half, half);
        let (x, y) = plan.at(xpuck_kernels::math::vec2(at(light.at.x, half_x), at(light.at.y, half_y)));
        let _ = writeln!(svg, "  <circle class=\"light\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"8\"/>");
    }
    scenery.walls(&mut svg, &plan);
    svg.push_str("</svg>\n");
    svg
}
