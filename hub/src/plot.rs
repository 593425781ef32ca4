//! Plots as SVG: panels with axes, lines, bands, points and marks, for reports that a browser or a paper shows.

use std::fmt::Write;

/// Size of a panel with its margins, pixels.
const SIZE: (f64, f64) = (560.0, 420.0);
/// Margins: left, right, top, bottom.
const MARGINS: [f64; 4] = [70.0, 20.0, 54.0, 55.0];
/// About so many ticks an axis.
const TICKS: f64 = 6.0;
/// Points of one layer that are drawn at most; more are thinned evenly, since a screen shows no more.
const MOST_POINTS: usize = 3000;

const STYLE: &str = "  <style>
    text { font: 13px sans-serif; fill: #1b1f24 }
    .title { font-size: 14px; text-anchor: middle }
    .axis { stroke: #1b1f24; fill: none }
    .grid { stroke: #e3e6ea; fill: none }
    .line { fill: none; stroke-width: 1.8; stroke-linejoin: round }
    .mark { fill: none; stroke-width: 1.2; stroke-dasharray: 5 4 }
  </style>
";

/// Colours that can be told apart, also by most colour-blind people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "colours say what they are")]
pub enum Colour {
    Blue,
    Orange,
    Green,
    Red,
    Grey,
}

impl Colour {
    /// As SVG has it.
    fn code(self) -> &'static str {
        match self {
            Colour::Blue => "#1f5fa8",
            Colour::Orange => "#d98a00",
            Colour::Green => "#2f7d43",
            Colour::Red => "#c0392b",
            Colour::Grey => "#b0b6bd",
        }
    }
}

#[derive(Clone, Debug)]
enum Layer {
    Line { label: String, colour: Colour, points: Vec<(f64, f64)> },
    Points { label: String, colour: Colour, points: Vec<(f64, f64)> },
    Band { label: String, colour: Colour, edges: Vec<(f64, f64, f64)> },
    Mark { label: String, colour: Colour, x: f64 },
}

/// One panel. Layers are drawn in the order in which they were added; points that are not finite are left out, and an
/// empty label keeps a layer out of the legend.
#[derive(Clone, Debug)]
pub struct Plot {
    title: String,
    labels: [String; 2],
    same_scale: bool,
    layers: Vec<Layer>,
}

impl Plot {
    /// An empty panel; `x` and `y` say what the axes are, with units.
    pub fn new(title: &str, x: &str, y: &str) -> Plot {
        Plot { title: title.into(), labels: [x.into(), y.into()], same_scale: false, layers: Vec::new() }
    }

    /// The same panel with as many pixels a unit along both axes: for maps.
    pub fn same_scale(self) -> Plot {
        Plot { same_scale: true, ..self }
    }

    /// Adds a line through points.
    pub fn line(&mut self, label: &str, colour: Colour, points: Vec<(f64, f64)>) {
        self.layers.push(Layer::Line { label: label.into(), colour, points });
    }

    /// Adds dots; beyond 3000 they are thinned.
    pub fn points(&mut self, label: &str, colour: Colour, mut points: Vec<(f64, f64)>) {
        points = points.iter().step_by(points.len().div_ceil(MOST_POINTS).max(1)).copied().collect();
        self.layers.push(Layer::Points { label: label.into(), colour, points });
    }

    /// Adds an area between two curves, given as x, lower and upper.
    pub fn band(&mut self, label: &str, colour: Colour, edges: Vec<(f64, f64, f64)>) {
        self.layers.push(Layer::Band { label: label.into(), colour, edges });
    }

    /// Adds a dashed upright line with a label at its top.
    pub fn mark(&mut self, label: &str, colour: Colour, x: f64) {
        self.layers.push(Layer::Mark { label: label.into(), colour, x });
    }

    /// All points that the axes must show.
    fn extent(&self) -> Vec<(f64, f64)> {
        let mut all = Vec::new();
        for layer in &self.layers {
            match layer {
                Layer::Line { points, .. } | Layer::Points { points, .. } => all.extend(points.iter().copied()),
                Layer::Band { edges, .. } => all.extend(edges.iter().flat_map(|e| [(e.0, e.1), (e.0, e.2)])),
                Layer::Mark { .. } => {}
            }
        }
        all.retain(|(x, y)| x.is_finite() && y.is_finite());
        all
    }
}

/// The panels side by side.
pub fn to_svg(panels: &[Plot]) -> String {
    let (width, height) = (SIZE.0 * panels.len() as f64, SIZE.1);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} \
         {height}\">\n{STYLE}  <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    );
    for (i, panel) in panels.iter().enumerate() {
        let _ = writeln!(svg, "  <g transform=\"translate({},0)\">", SIZE.0 * i as f64);
        draw(&mut svg, panel);
        svg.push_str("  </g>\n");
    }
    svg.push_str("</svg>\n");
    svg
}

/// An axis: the numbers at its ends and the pixels where they are.
#[derive(Clone, Copy, Debug)]
struct Axis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    /// An axis for these numbers with a little room around them.
    fn around(numbers: impl Iterator<Item = f64> + Clone, from: f64, to: f64) -> Axis {
        let low = numbers.clone().fold(f64::INFINITY, f64::min);
        let high = numbers.fold(f64::NEG_INFINITY, f64::max);
        let (low, high) = if low > high { (0.0, 1.0) } else { (low, high) };
        let room = if high > low { 0.04 * (high - low) } else { low.abs().max(1.0) * 0.5 };
        Axis { low: low - room, high: high + room, from, to }
    }

    fn pixel(&self, value: f64) -> f64 {
        self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    /// Units a pixel.
    fn scale(&self) -> f64 {
        (self.high - self.low) / (self.to - self.from).abs()
    }

    /// The same axis with more room at both ends, so that it has this scale.
    fn widened(&self, scale: f64) -> Axis {
        let (middle, half) = ((self.low + self.high) / 2.0, scale * (self.to - self.from).abs() / 2.0);
        Axis { low: middle - half, high: middle + half, ..*self }
    }

    /// Where ticks stand, and with how many decimals they are written: steps of 1, 2 or 5 times a power of ten.
    fn ticks(&self) -> (Vec<f64>, usize) {
        let raw = (self.high - self.low) / TICKS;
        let power = 10f64.powf(raw.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|s| *s >= raw).unwrap_or(10.0 * power);
        let decimals = (-step.log10().floor()).max(0.0) as usize;
        let (first, last) = ((self.low / step).ceil() as i64, (self.high / step).floor() as i64);
        // Adding zero turns -0 into 0.
        ((first..=last).map(|i| i as f64 * step + 0.0).collect(), decimals)
    }
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

/// Grid, axes, numbers and titles.
fn frame(svg: &mut String, plot: &Plot, x: &Axis, y: &Axis) {
    let ((x_ticks, x_decimals), (y_ticks, y_decimals)) = (x.ticks(), y.ticks());
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

/// Draws a layer; gives its entry in the legend. `marks` counts marks, so that their labels stand one above another.
fn draw_layer<'a>(svg: &mut String, layer: &'a Layer, x: &Axis, y: &Axis, marks: &mut u32) -> (&'a str, Colour) {
    let at = |(a, b): (f64, f64)| format!("{:.1} {:.1}", x.pixel(a), y.pixel(b));
    let path = |points: &mut dyn Iterator<Item = (f64, f64)>| {
        let finite: Vec<String> = points.filter(|(a, b)| a.is_finite() && b.is_finite()).map(at).collect();
        format!("M{}", finite.join("L"))
    };
    match layer {
        Layer::Line { label, colour, points } => {
            let d = path(&mut points.iter().copied());
            let _ = writeln!(svg, "    <path class=\"line\" style=\"stroke:{}\" d=\"{d}\"/>", colour.code());
            (label, *colour)
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
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_numbers_inside_the_axis() {
        let axis = |low: f64, high: f64| Axis { low, high, from: 0.0, to: 1.0 };
        assert_eq!(axis(-0.04, 1.04).ticks(), (vec![0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0], 1));
        assert_eq!(axis(0.0, 3640.0).ticks(), (vec![0.0, 1000.0, 2000.0, 3000.0], 0));
        assert_eq!(axis(0.012, 0.0131).ticks().1, 4);
    }

    #[test]
    fn every_layer_is_well_formed_xml_at_its_place() {
        let mut plot = Plot::new("a < b & c", "x", "y");
        plot.line("line", Colour::Blue, vec![(0.0, 0.0), (10.0, 5.0), (f64::NAN, 1.0)]);
        plot.points("dots", Colour::Red, (0..9000).map(|i| (f64::from(i) / 900.0, 1.0)).collect());
        plot.band("band", Colour::Grey, vec![(0.0, 1.0, 2.0), (10.0, 2.0, 4.0)]);
        plot.mark("best", Colour::Green, 5.0);
        let svg = to_svg(&[plot.clone(), Plot::new("empty", "", ""), plot.same_scale()]);
        let document = roxmltree::Document::parse(&svg).unwrap();
        assert_eq!(document.root_element().attribute("width"), Some("1680"));
        assert_eq!(document.descendants().filter(|n| n.has_tag_name("circle")).count(), 2 * 3000);
        assert!(svg.contains("a &lt; b &amp; c") && !svg.contains("NaN"));
        // The mark at 5 stands in the middle between the margins.
        assert!(svg.contains("d=\"M305.0 365.0V54.0\""), "{svg}");
    }
}
