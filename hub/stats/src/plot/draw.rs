//! SVG elements of a figure.

use super::axis::Axis;
use super::{BoxShape, Colour, Footer, Layer, Plot, Stroke, violin};
use std::fmt::Write;
use xpuck_kernels::fonts;
use xpuck_kernels::markup::escape;

/// Width and height of a panel with its margins (pixels).
const SIZE: (f64, f64) = (560.0, 420.0);
/// Margins: left, right, top, bottom (pixels).
const MARGINS: [f64; 4] = [70.0, 20.0, 54.0, 55.0];
/// Height of a line of the footer (pixels).
const ROW: f64 = 20.0;
/// Length of a line sample in the legend (pixels).
const SAMPLE: f64 = 26.0;
/// Approximate width of a letter (pixels). The exact width depends on the font of the viewer.
const LETTER: f64 = 7.2;

const STYLE: &str = "  <style>
    text { font: 13px sans-serif; fill: #1b1f24 }
    .title { font-size: 14px; text-anchor: middle }
    .axis { stroke: #1b1f24; fill: none }
    .grid { stroke: #e3e6ea; fill: none }
    .line { fill: none; stroke-width: 1.8; stroke-linejoin: round }
    .faint { stroke-width: 1; stroke-opacity: 0.35 }
    .mark { fill: none; stroke-width: 1.2; stroke-dasharray: 5 4 }
    .median { stroke: #d00000; stroke-width: 1.6; fill: none }
    .note { fill: none; pointer-events: all }
  </style>
";

/// Draws the panels side by side, with the footer below them.
pub(super) fn figure(panels: &[Plot], footer: &Footer) -> String {
    let width = SIZE.0 * panels.len() as f64;
    let mut below = String::new();
    let height = SIZE.1 + draw_footer(&mut below, footer, width);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} \
         {height}\">\n{}  <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
        fonts::with_fonts(STYLE)
    );
    for (i, panel) in panels.iter().enumerate() {
        let _ = writeln!(svg, "  <g transform=\"translate({},0)\">", SIZE.0 * i as f64);
        draw(&mut svg, panel);
        svg.push_str("  </g>\n");
    }
    svg.push_str(&below);
    svg.push_str("</svg>\n");
    svg
}

/// Draws the legend and the caption. Returns the height of both (pixels).
fn draw_footer(svg: &mut String, footer: &Footer, width: f64) -> f64 {
    let (left, mut y) = (MARGINS[0], SIZE.1);
    let mut x = left;
    for (label, stroke) in &footer.series {
        let entry = SAMPLE + 8.0 + LETTER * label.chars().count() as f64 + 22.0;
        if x > left && x + entry > width {
            (x, y) = (left, y + ROW);
        }
        let _ = writeln!(svg, "  <path {} d=\"M{x:.1} {:.1}h{SAMPLE}\"/>", line_style(*stroke), y + 9.5);
        let _ = writeln!(svg, "  <text x=\"{:.1}\" y=\"{:.1}\">{}</text>", x + SAMPLE + 8.0, y + 14.0, escape(label));
        x += entry;
    }
    if !footer.series.is_empty() {
        y += ROW;
    }
    let letters = ((width - left - MARGINS[1]) / LETTER) as usize;
    for line in footer.caption.iter().flat_map(|line| wrapped(line, letters)) {
        let _ = writeln!(svg, "  <text x=\"{left:.1}\" y=\"{:.1}\">{}</text>", y + 14.0, escape(&line));
        y += ROW;
    }
    if y > SIZE.1 { y + 10.0 - SIZE.1 } else { 0.0 }
}

/// Breaks a text between words into lines of at most `letters` letters.
fn wrapped(text: &str, letters: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.len() - 1;
        if !lines[last].is_empty() && lines[last].chars().count() + 1 + word.chars().count() > letters {
            lines.push(word.to_string());
        } else {
            let gap = if lines[last].is_empty() { "" } else { " " };
            lines[last] += &format!("{gap}{word}");
        }
    }
    lines
}

fn line_style(stroke: Stroke) -> String {
    let class = if stroke.faint { "line faint" } else { "line" };
    let dashes = if stroke.dashes.is_empty() { String::new() } else { format!(";stroke-dasharray:{}", stroke.dashes) };
    format!("class=\"{class}\" style=\"stroke:{}{dashes}\"", stroke.colour.code())
}

fn draw(svg: &mut String, plot: &Plot) {
    let [left, right, top, bottom] = MARGINS;
    let extent = plot.extent();
    let mut x = Axis::around(extent.iter().map(|p| p.0), left, SIZE.0 - right);
    let mut y = Axis::around(extent.iter().map(|p| p.1), SIZE.1 - bottom, top);
    if plot.same_scale {
        let scale = x.scale().max(y.scale());
        (x, y) = (x.widened(scale), y.widened(scale));
    }
    frame(svg, plot, &x, &y);
    let (mut legend, mut marks) = (String::new(), 0);
    for layer in &plot.layers {
        let (label, colour) = draw_layer(svg, layer, &x, &y, &mut marks);
        if !label.is_empty() {
            let _ = write!(legend, "<tspan dx=\"14\" style=\"fill:{}\">{}</tspan>", colour.code(), escape(label));
        }
    }
    let _ = writeln!(svg, "    <text x=\"{:.1}\" y=\"44\" text-anchor=\"end\">{legend}</text>", SIZE.0 - right);
}

/// Draws the grid, axes, tick labels and titles.
fn frame(svg: &mut String, plot: &Plot, x: &Axis, y: &Axis) {
    let ((x_ticks, x_decimals), (y_ticks, y_decimals)) = (x.ticks(if plot.whole_x { 1.0 } else { 0.0 }), y.ticks(0.0));
    for tick in x_ticks {
        let at = x.pixel(tick);
        let _ = writeln!(svg, "    <path class=\"grid\" d=\"M{at:.1} {:.1}V{:.1}\"/>", y.from, y.to);
        let under = y.from + 18.0;
        let _ =
            writeln!(svg, "    <text x=\"{at:.1}\" y=\"{under:.1}\" text-anchor=\"middle\">{tick:.x_decimals$}</text>");
    }
    for tick in y_ticks {
        let at = y.pixel(tick);
        let _ = writeln!(svg, "    <path class=\"grid\" d=\"M{:.1} {at:.1}H{:.1}\"/>", x.from, x.to);
        let (beside, middle) = (x.from - 6.0, at + 4.0);
        let _ = writeln!(
            svg,
            "    <text x=\"{beside:.1}\" y=\"{middle:.1}\" text-anchor=\"end\">{tick:.y_decimals$}</text>"
        );
    }
    let _ = writeln!(svg, "    <path class=\"axis\" d=\"M{:.1} {:.1}V{:.1}H{:.1}\"/>", x.from, y.to, y.from, x.to);
    let (middle, centre) = ((x.from + x.to) / 2.0, (y.from + y.to) / 2.0);
    let [below, across] = plot.labels.each_ref().map(|label| escape(label));
    let _ = writeln!(svg, "    <text class=\"title\" x=\"{middle:.1}\" y=\"24\">{}</text>", escape(&plot.title));
    let _ = writeln!(svg, "    <text class=\"title\" x=\"{middle:.1}\" y=\"{:.1}\">{below}</text>", SIZE.1 - 14.0);
    let _ = writeln!(
        svg,
        "    <text class=\"title\" x=\"18\" y=\"{centre:.1}\" transform=\"rotate(-90 18 {centre:.1})\">{across}</text>"
    );
}

/// Draws a layer, and returns its label and colour for the legend. `marks` counts the marks drawn so far, so that the
/// labels of marks do not overlap.
fn draw_layer<'a>(svg: &mut String, layer: &'a Layer, x: &Axis, y: &Axis, marks: &mut u32) -> (&'a str, Colour) {
    let at = |(a, b): (f64, f64)| format!("{:.1} {:.1}", x.pixel(a), y.pixel(b));
    let path = |points: &mut dyn Iterator<Item = (f64, f64)>| {
        let finite: Vec<String> = points.filter(|(a, b)| a.is_finite() && b.is_finite()).map(at).collect();
        format!("M{}", finite.join("L"))
    };
    match layer {
        Layer::Line { label, stroke, points } => {
            let d = path(&mut points.iter().copied());
            let _ = writeln!(svg, "    <path {} d=\"{d}\"/>", line_style(*stroke));
            (label, stroke.colour)
        }
        Layer::Points { label, colour, points } => {
            for (a, b) in points.iter().filter(|(a, b)| a.is_finite() && b.is_finite()) {
                let (cx, cy, fill) = (x.pixel(*a), y.pixel(*b), colour.code());
                let _ = writeln!(
                    svg,
                    "    <circle cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"1.8\" fill=\"{fill}\" fill-opacity=\"0.6\"/>"
                );
            }
            (label, *colour)
        }
        Layer::Band { label, colour, edges } => {
            let upper = edges.iter().map(|e| (e.0, e.2));
            let d = path(&mut upper.chain(edges.iter().rev().map(|e| (e.0, e.1))));
            let _ = writeln!(svg, "    <path fill=\"{}\" fill-opacity=\"0.2\" d=\"{d}Z\"/>", colour.code());
            (label, *colour)
        }
        Layer::Mark { label, colour, x: value } => {
            let (at, code) = (x.pixel(*value), colour.code());
            let height = y.from - 6.0 - 16.0 * f64::from(*marks);
            *marks += 1;
            let _ = writeln!(
                svg,
                "    <path class=\"mark\" style=\"stroke:{code}\" d=\"M{at:.1} {:.1}V{:.1}\"/>\n    <text \
                 x=\"{:.1}\" y=\"{:.1}\" style=\"fill:{code}\">{}</text>",
                y.from,
                y.to,
                at + 4.0,
                height,
                escape(label)
            );
            ("", *colour)
        }
        Layer::Boxes { colour, boxes } => {
            boxes.iter().for_each(|one| draw_box(svg, one, colour.code(), x, y));
            ("", *colour)
        }
        Layer::Violins { colour, violins } => {
            violins.iter().for_each(|one| violin::draw(svg, one, *colour, x, y));
            ("", *colour)
        }
        Layer::Notes { notes } => {
            for (a, b, text) in notes.iter().filter(|(a, b, _)| a.is_finite() && b.is_finite()) {
                let (cx, cy, text) = (x.pixel(*a), y.pixel(*b), escape(text));
                let _ = writeln!(
                    svg,
                    "    <circle class=\"note\" cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"6\"><title>{text}</title></circle>"
                );
            }
            ("", Colour::Grey)
        }
    }
}

/// Draws the whiskers, then the box over the whiskers, then the median.
fn draw_box(svg: &mut String, BoxShape { x: (middle, half), numbers }: &BoxShape, colour: &str, x: &Axis, y: &Axis) {
    let [left, middle, right] = [middle - half, *middle, middle + half].map(|value| x.pixel(value));
    let [least, lower, median, upper, greatest] = numbers.map(|value| y.pixel(value));
    let _ = writeln!(
        svg,
        "    <path stroke=\"{colour}\" fill=\"none\" d=\"M{middle:.1} {least:.1}V{lower:.1}M{middle:.1} \
         {upper:.1}V{greatest:.1}\"/>\n    <path stroke=\"{colour}\" fill=\"{colour}\" fill-opacity=\"0.25\" \
         d=\"M{left:.1} {lower:.1}H{right:.1}V{upper:.1}H{left:.1}Z\"/>\n    <path class=\"median\" d=\"M{left:.1} \
         {median:.1}H{right:.1}\"/>"
    );
}
