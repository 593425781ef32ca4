//! Panel of an SVG figure: two axes that start at 0, and lines.

use std::fmt::Write;

/// Width and height of a panel's plot area, and y of its upper edge (SVG units).
const PLOT: [f64; 2] = [250.0, 190.0];
const TOP: f64 = 34.0;
/// Line colours.
pub(super) const COLOURS: [&str; 5] = ["#1b4f8f", "#2f8f5b", "#c08a1e", "#b0452f", "#7a4aa0"];

/// Panel with axes that start at 0.
pub(super) struct Panel {
    /// Left edge of the plot area (SVG units).
    pub left: f64,
    /// Maximum values of the x and the y axis.
    pub most: [f64; 2],
}

impl Panel {
    /// Converts a point from axis values to its position in the figure (SVG units). A point beyond the end of an axis
    /// is moved to the edge of the plot area.
    pub fn at(&self, x: f64, y: f64) -> [f64; 2] {
        let part = |i: usize, value: f64| (value / self.most[i]).clamp(0.0, 1.0) * PLOT[i];
        [self.left + part(0, x), TOP + PLOT[1] - part(1, y)]
    }

    /// Draws the title and both axes, with their labels and a number at each step.
    pub fn axes(&self, out: &mut String, title: &str, labels: [&str; 2], steps: [f64; 2]) {
        let (bottom, right) = (TOP + PLOT[1], self.left + PLOT[0]);
        let _ =
            writeln!(out, "<text x=\"{:.1}\" y=\"{:.1}\" font-weight=\"bold\">{title}</text>", self.left, TOP - 14.0);
        let ticks =
            |axis: usize| (0..=(self.most[axis] / steps[axis] + 1e-9) as usize).map(move |n| n as f64 * steps[axis]);
        for tick in ticks(0) {
            let [x, _] = self.at(tick, 0.0);
            let _ = writeln!(
                out,
                "<path d=\"M{x:.1} {bottom}v4\" stroke=\"black\"/><text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                bottom + 15.0,
                short(tick)
            );
        }
        for tick in ticks(1) {
            let [_, y] = self.at(0.0, tick);
            let _ = writeln!(
                out,
                "<path d=\"M{} {y:.1}H{right}\" stroke=\"#ddd\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                self.left,
                self.left - 5.0,
                y + 3.5,
                short(tick)
            );
        }
        let _ = writeln!(
            out,
            "<path d=\"M{} {TOP}V{bottom}H{right}\" fill=\"none\" stroke=\"black\"/>\n\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n\
             <text transform=\"translate({:.1} {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            self.left,
            self.left + PLOT[0] / 2.0,
            bottom + 31.0,
            labels[0],
            self.left - 36.0,
            TOP + PLOT[1] / 2.0,
            labels[1]
        );
    }

    /// Draws a line through points.
    pub fn line(&self, out: &mut String, points: impl Iterator<Item = [f64; 2]>, style: &str) {
        let points: Vec<String> = points
            .map(|[x, y]| {
                let [x, y] = self.at(x, y);
                format!("{x:.1},{y:.1}")
            })
            .collect();
        let _ = writeln!(out, "<polyline fill=\"none\" points=\"{}\" {style}/>", points.join(" "));
    }
}

fn short(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// Rounds a value up to a multiple of a round step. Returns the multiple and the step.
pub(super) fn round_up(value: f64) -> (f64, f64) {
    let power = 10f64.powf(value.max(1e-6).log10().floor());
    let step = [0.2, 0.5, 1.0, 2.0]
        .into_iter()
        .map(|part| part * power)
        .find(|step| value / step <= 6.0)
        .unwrap_or(5.0 * power);
    ((value / step).ceil() * step, step)
}
