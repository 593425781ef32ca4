//! Drawing of a scene as SVG.

use super::drawing::side;
use std::fmt::Write;
use xpuck_gateway::client::Client;
use xpuck_gateway::scene::Subject;
use xpuck_gateway::scene::top_view::{Outline, OutlineKind, Placed};
use xpuck_kernels::markup::escape;

/// Length of the drawn field, margin around it (`MARGIN`), and height of the line of text above it (`HEAD`) (pixels).
const LENGTH: f64 = 800.0;
const MARGIN: f64 = 60.0;
const HEAD: f64 = 30.0;
/// Font size (pixels).
const LETTERS: f64 = 13.0;

/// Draws the scene as SVG; `None` before the first scene.
pub fn draw(client: &Client) -> Option<String> {
    let above = client.above()?;
    let [length, width] = client.field();
    let plan = Plan { scale: LENGTH / length, half: [length / 2.0, width / 2.0] };
    let (across, down) = (LENGTH + 2.0 * MARGIN, width * plan.scale + 2.0 * MARGIN + HEAD);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {across:.0} {down:.0}\" font-family=\"sans-serif\" \
         font-size=\"{LETTERS}\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    );
    let head = escape(&super::drawing::head(client));
    let _ = writeln!(svg, "<text x=\"{MARGIN}\" y=\"{:.1}\" fill=\"#222222\">{head}</text>", HEAD);
    let (x, y) = plan.at([-length / 2.0, width / 2.0]);
    let _ = writeln!(
        svg,
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{LENGTH:.1}\" height=\"{:.1}\" fill=\"#f4f4f0\" stroke=\"#888888\"/>",
        width * plan.scale
    );
    above.outlines.iter().for_each(|outline| plan.outline(&mut svg, outline));
    above.placed.iter().filter(|one| one.visible).for_each(|one| plan.name(&mut svg, one));
    svg.push_str("</svg>\n");
    Some(svg)
}

struct Plan {
    /// Scale of the drawing (pixels per metre).
    scale: f64,
    /// Half the length and half the width of the field (m).
    half: [f64; 2],
}

impl Plan {
    fn at(&self, [x, y]: [f64; 2]) -> (f64, f64) {
        (MARGIN + (self.half[0] + x) * self.scale, MARGIN + HEAD + (self.half[1] - y) * self.scale)
    }

    fn outline(&self, svg: &mut String, outline: &Outline) {
        let [red, green, blue] = outline.colour.map(|part| (part * 255.0).round() as u8);
        let look = format!("fill=\"#{red:02x}{green:02x}{blue:02x}\" stroke=\"#555555\" stroke-width=\"0.5\"");
        let _ = match &outline.kind {
            OutlineKind::Circle(middle, radius) => {
                let (x, y) = self.at(*middle);
                writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{:.1}\" {look}/>", radius.abs() * self.scale)
            }
            OutlineKind::Polygon(corners) => {
                let points: Vec<String> = corners
                    .iter()
                    .map(|corner| {
                        let (x, y) = self.at(*corner);
                        format!("{x:.1},{y:.1}")
                    })
                    .collect();
                writeln!(svg, "<polygon points=\"{}\" {look}/>", points.join(" "))
            }
        };
    }

    /// Draws a robot's heading as a line, and the robot's number beside its body.
    fn name(&self, svg: &mut String, one: &Placed) {
        let Subject::Agent(team, number) = &one.who else { return };
        let (x, y) = self.at([one.at[0], one.at[1]]);
        let (sin, cos) = one.heading.sin_cos();
        let _ = writeln!(
            svg,
            "<line x1=\"{x:.1}\" y1=\"{y:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"#222222\" stroke-width=\"2\"/>\n\
             <text x=\"{:.1}\" y=\"{:.1}\" fill=\"#222222\">{}{number}<title>{}</title></text>",
            x + 1.5 * LETTERS * cos,
            y - 1.5 * LETTERS * sin,
            x + LETTERS,
            y - LETTERS,
            side(team),
            escape(team)
        );
    }
}
