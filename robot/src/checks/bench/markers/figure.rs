//! Figure of `xpuckd bench markers`: errors over distance, and detection rate over speed as in Fig. 5.9 of the thesis.

use super::Report;
use super::trials::{Accuracy, Errors, mean_rate};
use crate::checks::bench::panel::{COLOURS, Panel, round_up};
use std::fmt::Write;

/// Left edges of the panels (SVG units).
const LEFT: [f64; 3] = [52.0, 368.0, 684.0];

/// Returns the complete figure as SVG.
pub(super) fn svg(report: &Report) -> String {
    let mut out = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 956 300\" font-family=\"sans-serif\" font-size=\"10\">\n\
         <rect width=\"956\" height=\"300\" fill=\"white\"/>\n",
    );
    let [width, height] = report.size;
    let _ = writeln!(out, "<title>Tags of 100 mm in pictures of {width} x {height}</title>");
    errors(&mut out, report, LEFT[0], ("Range", "mean error, mm"), |errors| errors.range_mm);
    errors(&mut out, report, LEFT[1], ("Bearing", "root mean square error, degrees"), |errors| errors.bearing_deg);
    let x = LEFT[0];
    let _ = writeln!(out, "<text x=\"{x}\" y=\"293\">solid: measured lens; dashed: pinhole of 56 degrees</text>");
    let fastest = report.speeds.first().and_then(|row| row.found.last()).map_or(1.0, |[speed, _]| *speed);
    let panel = Panel { left: LEFT[2], most: [fastest, 1.0] };
    panel.axes(
        &mut out,
        "Detection while the robot turns",
        ["speed in the image, pixels/s", "share of tags detected"],
        [fastest / 6.0, 0.25],
    );
    for row in &report.speeds {
        panel.line(&mut out, row.found.iter().copied(), "stroke=\"#bbb\"");
    }
    panel.line(&mut out, mean_rate(&report.speeds).into_iter(), "stroke=\"#1b4f8f\" stroke-width=\"2\"");
    if let Some(half) = report.half_at_px_s {
        let [x, y] = panel.at(half, 0.5);
        let _ = writeln!(
            out,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"#1b4f8f\"/><text x=\"{:.1}\" y=\"{:.1}\">half at {half:.0}</text>",
            x + 6.0,
            y - 5.0
        );
    }
    out + "</svg>\n"
}

/// Draws a panel of errors over distance, with one colour per angle. Dashed lines show the errors without the lens
/// calibration.
fn errors(out: &mut String, report: &Report, left: f64, (title, label): (&str, &str), value: impl Fn(&Errors) -> f64) {
    let seen = |row: &&Accuracy| row.found > 0;
    let farthest = report.accuracy.iter().map(|row| row.distance_m).fold(0.0, f64::max);
    let most = report.accuracy.iter().filter(seen).map(|row| value(&row.measured).max(value(&row.nominal)));
    let (top, step) = round_up(most.fold(0.0, f64::max));
    let panel = Panel { left, most: [farthest, top] };
    panel.axes(out, title, ["distance, m", label], [0.5, step]);
    let mut angles: Vec<f64> = report.accuracy.iter().map(|row| row.angle_deg).collect();
    angles.sort_by(f64::total_cmp);
    angles.dedup();
    for (angle, colour) in angles.iter().zip(COLOURS) {
        let rows = || report.accuracy.iter().filter(seen).filter(|row| row.angle_deg == *angle);
        panel.line(
            out,
            rows().map(|row| [row.distance_m, value(&row.measured)]),
            &format!("stroke=\"{colour}\" stroke-width=\"1.6\""),
        );
        panel.line(
            out,
            rows().map(|row| [row.distance_m, value(&row.nominal)]),
            &format!("stroke=\"{colour}\" stroke-dasharray=\"4 3\""),
        );
    }
    for (n, (angle, colour)) in angles.iter().zip(COLOURS).enumerate() {
        let x = left + 50.0 * n as f64;
        let _ = writeln!(
            out,
            "<path d=\"M{x} 276h14\" stroke=\"{colour}\" stroke-width=\"1.6\"/><text x=\"{}\" y=\"279.5\">{angle}°</text>",
            x + 18.0
        );
    }
}
