//! Results of `xpuckd bench markers` as text tables.

use super::Report;
use super::trials::{Errors, mean_rate};
use std::fmt::Write;

/// Appends formatted text to `out`. Writing to a string cannot fail.
fn put(out: &mut String, what: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(what);
}

/// Returns all tables of the report.
pub(super) fn text(report: &Report) -> String {
    let mut out = String::new();
    let [width, height] = report.size;
    let lens = |lens: &super::LensReport| {
        let ([f, _], [x, y], [k1, k2]) = (lens.focal, lens.centre, lens.distortion);
        format!("focal length {f:.1}, centre {x:.1} {y:.1}, k1 {k1:.3}, k2 {k2:.3}")
    };
    // Writing to a string cannot fail.
    let _ = writeln!(out, "pictures of {width} x {height}, tags of 100 mm");
    let _ = writeln!(out, "true lens         {}", lens(&report.lens));
    let _ = writeln!(out, "measured lens     {}; corner error {:.2} pixels", lens(&report.measured), report.rms_px);
    let _ = writeln!(out, "\n                      with the measured lens          with a pinhole of 56 degrees");
    let _ = writeln!(out, "    m  deg  found   range mm  bias  bearing  face     range mm  bias  bearing  face");
    let errors = |errors: &Errors, found: u32| match found {
        0 => "       -     -        -     -".into(),
        _ => format!(
            "{:8.1} {:5.1} {:8.2} {:5.1}",
            errors.range_mm, errors.range_bias_mm, errors.bearing_deg, errors.face_deg
        ),
    };
    for row in &report.accuracy {
        let _ = writeln!(
            out,
            "{:5.2} {:4.0} {:5.0}%  {}    {}",
            row.distance_m,
            row.angle_deg,
            100.0 * f64::from(row.found) / f64::from(row.frames),
            errors(&row.measured, row.found),
            errors(&row.nominal, row.found)
        );
    }
    let _ = writeln!(out, "\ndetected while the robot turns, % (columns: speed in the image, pixels/s)");
    let _ = write!(out, "    m  deg");
    let speeds = report.speeds.first().map(|row| &row.found[..]).unwrap_or_default();
    speeds.iter().for_each(|[speed, _]| put(&mut out, format_args!("{speed:6.0}")));
    for row in &report.speeds {
        let _ = write!(out, "\n{:5.2} {:4.0}", row.distance_m, row.angle_deg);
        row.found.iter().for_each(|[_, part]| put(&mut out, format_args!("{:6.0}", 100.0 * part)));
    }
    let _ = write!(out, "\n      mean");
    mean_rate(&report.speeds).iter().for_each(|[_, part]| put(&mut out, format_args!("{:6.0}", 100.0 * part)));
    let half = report.half_at_px_s.map_or("at none of the tested speeds".into(), |at| format!("at {at:.0} pixels/s"));
    let _ = writeln!(
        out,
        "\nhalf of the tags are detected {half}; in the thesis at 180 pixels/s in images 320 pixels wide\n"
    );
    let _ = writeln!(out, "picture        found    ms  deviation");
    for time in &report.times {
        let (found, tags) = (time.found, time.tags);
        let _ =
            writeln!(out, "{:<13} {found:>2}/{tags:<2} {:7.1} {:10.1}", time.picture, time.mean_ms, time.deviation_ms);
    }
    out
}
