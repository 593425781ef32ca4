//! Figure like Fig. 5.2 of the thesis: performance, power and efficiency over the clock. Each sweep has one row.

use super::choose::Point;
use super::sweep::Sweep;
use crate::checks::bench::panel::{COLOURS, Panel, round_up};
use std::fmt::Write;

/// Left edges of the panels, height of a row, and total width (SVG units).
const LEFT: [f64; 3] = [52.0, 368.0, 684.0];
const ROW: usize = 300;
const WIDTH: f64 = 956.0;

/// Function that returns the value plotted in a panel.
type Value = fn(&Point) -> Option<f64>;

const PANELS: [(&str, &str, Value); 3] = [
    ("Performance", "r_acc, thousands", |point| Some(point.r_acc / 1e3)),
    ("Power", "W", |point| point.watts),
    ("Efficiency", "r_acc per W, thousands", |point| point.r_acc_per_watt.map(|value| value / 1e3)),
];

/// Returns the complete figure as SVG.
pub(super) fn svg(sweeps: &[Sweep]) -> String {
    let height = ROW * sweeps.len().max(1);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 956 {height}\" font-family=\"sans-serif\" font-size=\"10\">\n\
         <rect width=\"956\" height=\"{height}\" fill=\"white\"/>\n<title>Operating points</title>\n"
    );
    for (n, sweep) in sweeps.iter().enumerate() {
        let _ = writeln!(out, "<g transform=\"translate(0 {})\">", n * ROW);
        row(&mut out, sweep);
        out += "</g>\n";
    }
    out + "</svg>\n"
}

/// Draws the row of a sweep. The x axis is the clock with the most measured values. Each combination of the other
/// clocks has its own line.
fn row(out: &mut String, sweep: &Sweep) {
    let of = |clock: usize| {
        let mut all: Vec<f64> = sweep.points.iter().filter_map(|point| point.mhz.get(clock).copied()).collect();
        all.sort_by(f64::total_cmp);
        all.dedup();
        all
    };
    // A sweep without adjustable clocks has a single point, at x = 0.
    let along = (0..sweep.clocks.len()).max_by_key(|clock| of(*clock).len()).unwrap_or_default();
    let x = |point: &Point| point.mhz.get(along).copied().unwrap_or_default();
    let others = |point: &Point| -> Vec<f64> {
        point.mhz.iter().enumerate().filter(|(clock, _)| *clock != along).map(|(_, mhz)| *mhz).collect()
    };
    let mut lines: Vec<Vec<f64>> = sweep.points.iter().map(others).collect();
    lines.sort_by(|a, b| a.iter().map(|mhz| mhz.to_bits()).cmp(b.iter().map(|mhz| mhz.to_bits())));
    lines.dedup();
    let (right, step) = round_up(of(along).last().copied().unwrap_or(1.0));
    let label = sweep.clocks.get(along).map_or("current clock".into(), |name| format!("{name}, MHz"));
    for ((title, unit, value), left) in PANELS.into_iter().zip(LEFT) {
        let (top, up) = round_up(sweep.points.iter().filter_map(value).fold(0.0, f64::max));
        let panel = Panel { left, most: [right, top] };
        panel.axes(out, &format!("{title}, {}", sweep.what), [&label, unit], [step, up]);
        for (line, colour) in lines.iter().zip(COLOURS.iter().cycle()) {
            let points = || sweep.points.iter().filter(|point| others(point) == *line);
            let told = points().filter_map(|point| Some([x(point), value(point)?]));
            panel.line(out, told, &format!("stroke=\"{colour}\" stroke-width=\"1.6\""));
        }
        for best in [sweep.efficient, sweep.within_limit].into_iter().flatten() {
            if let Some(height) = value(&sweep.points[best]) {
                let [x, y] = panel.at(x(&sweep.points[best]), height);
                let _ = writeln!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\" fill=\"none\" stroke=\"black\"/>");
            }
        }
    }
    if sweep.clocks.len() > 1 {
        legend(out, &lines);
    }
}

/// Draws the legend, which gives the clock values of each line (MHz).
fn legend(out: &mut String, lines: &[Vec<f64>]) {
    let mut x = LEFT[0];
    for (line, colour) in lines.iter().zip(COLOURS.iter().cycle()) {
        let words: Vec<String> = line.iter().map(|mhz| format!("{mhz:.0}")).collect();
        let words = format!("{} MHz", words.join(", "));
        if x > WIDTH - 100.0 {
            break;
        }
        let _ = writeln!(
            out,
            "<path d=\"M{x:.0} 282h14\" stroke=\"{colour}\" stroke-width=\"1.6\"/><text x=\"{:.0}\" y=\"285.5\">{words}</text>",
            x + 17.0
        );
        x += 36.0 + 6.0 * words.len() as f64;
    }
}
