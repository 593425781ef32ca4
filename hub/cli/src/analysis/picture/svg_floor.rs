//! Floor in a drawing: its paint, regions, and the lines that robots cross.

use super::colours::shade;
use super::svg_bodies::Plan;
use std::fmt::Write;
use xpuck_kernels::markup::escape;
use xpuck_kernels::math::Vec2;
use xpuck_kernels::world::Task;
use xpuck_kernels::world::areas::{FloorArea, Held};
use xpuck_kernels::world::floor::{Floor, Shade};
use xpuck_kernels::world::task::Region;
use xpuck_kernels::world::zone::ZoneShape;

/// CSS for the elements of this module.
pub const STYLE: &str = "    .shape { fill-rule: evenodd; clip-rule: evenodd }
    .tint { fill-opacity: 0.16 }
    .pale { fill-opacity: 0.06 }
    .border { fill: none; stroke-width: 1.3 }
    .dashed { stroke-dasharray: 6 4 }
    .line { fill: none; stroke: #a61e7a; stroke-width: 2.5 }
    .line-edge { fill: none; stroke: #ffffff; stroke-width: 5.5; stroke-opacity: 0.8 }
";

/// Border of painted regions.
const PAINTED_BORDER: &str = "#57606a";
/// Width of a stripe of paint that exists under a condition. All lengths are in pixels.
const STRIPE: f32 = 7.0;
/// Length of the arrow at a crossed line.
const ARROW: f32 = 26.0;
const ARROW_HEAD: f32 = 8.0;

/// Floor of a picture.
pub struct FloorView<'a> {
    /// Paint of the floor.
    pub floor: &'a Floor,
    /// Task of the run, which has the regions and the crossed lines.
    pub task: &'a Task,
    /// Regions that are drawn.
    pub areas: &'a [FloorArea],
    /// Conditions that held in the time that the picture shows.
    pub held: Held,
}

/// Words for the time in which a part with this condition exists.
pub fn while_words(task: &Task, condition: u8) -> String {
    format!("only while this is not 0: {}", task.condition_words(condition))
}

/// Draws the floor, painted regions, regions without paint above them, and crossed lines.
pub fn draw(svg: &mut String, plan: &Plan, view: &FloorView<'_>) {
    if !view.floor.is_plain() {
        let fill = shade(view.floor.level);
        let _ = writeln!(svg, "  <path fill=\"{fill}\" d=\"{}\"/>", arena_path(plan));
    }
    let areas = view.areas;
    // The first painted region is visible where several overlap, so it is drawn last.
    let painted = areas.iter().filter(|area| area.level.is_some()).rev();
    let plain = areas.iter().filter(|area| area.level.is_none()).rev();
    if !areas.is_empty() {
        let id = new_id(svg, "arena");
        let _ = writeln!(svg, "  <clipPath id=\"{id}\"><path d=\"{}\"/></clipPath>", arena_path(plan));
        let _ = writeln!(svg, "  <g clip-path=\"url(#{id})\">");
        painted.chain(plain).for_each(|area| draw_area(svg, plan, area, view));
        svg.push_str("  </g>\n");
    }
    for (from, to) in view.task.crossed_lines() {
        crossed_line(svg, plan, from, to);
    }
}

/// Returns an id that the document does not contain yet. Masks and clip paths are referenced by ids, which must be
/// unique in a document with several pictures.
fn new_id(svg: &str, kind: &str) -> String {
    format!("{kind}-{}", svg.matches(" id=\"").count() + 1)
}

fn draw_area(svg: &mut String, plan: &Plan, area: &FloorArea, view: &FloorView<'_>) {
    let doubt = view.held.doubt(area.condition);
    let when = doubt.map_or(String::new(), |condition| format!(", {}", while_words(view.task, condition)));
    let paint = area.level.map_or("no paint".into(), |level| format!("{} paint", Shade::of_level(level).name()));
    let _ = writeln!(svg, "  <g><title>region {}: {}</title>", escape(&area.zone.name), escape(&(paint + &when)));
    let paths: Vec<String> = area.zone.shapes.iter().map(|shape| path(plan, shape)).collect();
    let cuts: Vec<String> = area.zone.without.iter().map(|shape| path(plan, shape)).collect();
    let mask = if cuts.is_empty() { String::new() } else { cut_mask(svg, plan, &cuts) };
    let colour = if area.zone.name == "food" { "#2f7d43" } else { "#0b63c4" };
    let (class, fill, stroke) = match area.level {
        // On paint, the tint is pale, so that it does not change the shade.
        None if view.floor.is_plain() => ("shape tint", colour.to_owned(), colour),
        None => ("shape pale", colour.to_owned(), colour),
        Some(level) if doubt.is_none() => ("shape", shade(level), PAINTED_BORDER),
        Some(level) => ("shape", stripes(svg, level, doubt), PAINTED_BORDER),
    };
    let border = if area.level.is_some() && doubt.is_none() { "border" } else { "border dashed" };
    let _ = writeln!(svg, "  <g{mask}>");
    for path in &paths {
        let _ = writeln!(svg, "  <path class=\"{class}\" fill=\"{fill}\" d=\"{path}\"/>");
    }
    for path in &paths {
        let _ = writeln!(svg, "  <path class=\"{border}\" stroke=\"{stroke}\" d=\"{path}\"/>");
    }
    svg.push_str("  </g>\n");
    if !cuts.is_empty() {
        // The border of a cut is visible only inside the other shapes.
        let id = new_id(svg, "shapes");
        let _ = write!(svg, "  <clipPath id=\"{id}\">");
        for path in &paths {
            let _ = write!(svg, "<path class=\"shape\" d=\"{path}\"/>");
        }
        svg.push_str("</clipPath>\n");
        for cut in &cuts {
            let _ =
                writeln!(svg, "  <path class=\"{border}\" stroke=\"{stroke}\" clip-path=\"url(#{id})\" d=\"{cut}\"/>");
        }
    }
    svg.push_str("  </g>\n");
}

/// Writes a mask that hides the cut shapes. Returns the attribute that applies it.
fn cut_mask(svg: &mut String, plan: &Plan, cuts: &[String]) -> String {
    let id = new_id(svg, "cut");
    let (wide, high) = (2.0 * plan.half.0 * plan.scale, 2.0 * plan.half.1 * plan.scale);
    let _ = write!(
        svg,
        "  <mask id=\"{id}\" maskUnits=\"userSpaceOnUse\" x=\"{}\" y=\"{}\" width=\"{wide:.1}\" \
         height=\"{high:.1}\"><path fill=\"#ffffff\" d=\"{}\"/>",
        plan.left,
        plan.top,
        arena_path(plan)
    );
    for cut in cuts {
        let _ = write!(svg, "<path class=\"shape\" fill=\"#000000\" d=\"{cut}\"/>");
    }
    svg.push_str("</mask>\n");
    format!(" mask=\"url(#{id})\"")
}

/// Writes a pattern of stripes for paint that exists under a condition. Returns the fill that applies it. The stripes of
/// the next condition lie in the gaps, so that both paints of a place are visible.
fn stripes(svg: &mut String, level: f32, condition: Option<u8>) -> String {
    let id = new_id(svg, "stripes");
    let shift = STRIPE * f32::from(condition.unwrap_or_default() % 2);
    let _ = writeln!(
        svg,
        "  <pattern id=\"{id}\" width=\"{0}\" height=\"{0}\" patternUnits=\"userSpaceOnUse\" \
         patternTransform=\"rotate(45)\"><rect x=\"{shift}\" width=\"{STRIPE}\" height=\"{0}\" fill=\"{1}\"/></pattern>",
        2.0 * STRIPE,
        shade(level)
    );
    format!("url(#{id})")
}

/// Draws a line with an arrow from its left to its right side.
fn crossed_line(svg: &mut String, plan: &Plan, from: Vec2, to: Vec2) {
    let (x, y) = plan.at((from + to) * 0.5);
    let ((x0, y0), (x1, y1)) = (plan.at(from), plan.at(to));
    let length = (x1 - x0).hypot(y1 - y0).max(1e-3);
    // In the drawing, y points down. The right side is therefore the direction of the line, turned by +90 degrees.
    let (ahead, right) = (((x1 - x0) / length, (y1 - y0) / length), ((y0 - y1) / length, (x1 - x0) / length));
    let at = |along: f32, across: f32| {
        format!("{:.1} {:.1}", x + along * ahead.0 + across * right.0, y + along * ahead.1 + across * right.1)
    };
    let half = ARROW / 2.0;
    let path = format!(
        "M{x0:.1} {y0:.1}L{x1:.1} {y1:.1}M{}L{}M{}L{}L{}",
        at(0.0, -half),
        at(0.0, half),
        at(-ARROW_HEAD, half - ARROW_HEAD),
        at(0.0, half),
        at(ARROW_HEAD, half - ARROW_HEAD)
    );
    let _ = writeln!(
        svg,
        "  <g><title>crossed({}, {}, {}, {}): crossings along the arrow count 1, others -1</title>\
         <path class=\"line-edge\" d=\"{path}\"/><path class=\"line\" d=\"{path}\"/></g>",
        from.x, from.y, to.x, to.y
    );
}

fn arena_path(plan: &Plan) -> String {
    let (wide, high) = (2.0 * plan.half.0 * plan.scale, 2.0 * plan.half.1 * plan.scale);
    format!("M{:.1} {:.1}h{wide:.1}v{high:.1}h{:.1}z", plan.left, plan.top, -wide)
}

/// Returns the SVG path of a shape under the even-odd rule. Circles are exact.
fn path(plan: &Plan, shape: &ZoneShape) -> String {
    let circle = |at: Vec2, radius: f32| {
        let ((x, y), r) = (plan.at(at), radius * plan.scale);
        format!("M{:.1} {y:.1}a{r:.1} {r:.1} 0 1 0 {:.1} 0a{r:.1} {r:.1} 0 1 0 {:.1} 0z", x - r, 2.0 * r, -2.0 * r)
    };
    match shape {
        ZoneShape::Simple(Region::Disc { at, radius }) => circle(*at, *radius),
        ZoneShape::Simple(Region::Beyond { at, radius }) => arena_path(plan) + &circle(*at, *radius),
        ZoneShape::Ring { at, inner, outer } if *inner > 0.0 => circle(*at, *outer) + &circle(*at, *inner),
        ZoneShape::Ring { at, outer, .. } => circle(*at, *outer),
        _ => {
            let corner = |(index, at): (usize, &Vec2)| {
                let (x, y) = plan.at(*at);
                format!("{}{x:.1} {y:.1}", if index == 0 { 'M' } else { 'L' })
            };
            let polygon = |corners: &Vec<Vec2>| corners.iter().enumerate().map(corner).collect::<String>() + "z";
            shape.outline(plan.half).iter().map(polygon).collect()
        }
    }
}

#[cfg(test)]
#[path = "svg_floor_tests.rs"]
mod tests;
