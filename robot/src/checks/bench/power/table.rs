//! Results of a sweep as a text table.

use super::choose::{Point, least_watts};
use super::sweep::Sweep;
use std::fmt::Write;

/// Returns the results of a sweep as a text table, with the operating points at the end.
pub(super) fn table(sweep: &Sweep, watt_limit: Option<f64>) -> String {
    let mut text = format!("{}: {}\n", sweep.what, sweep.engine);
    let heads: Vec<String> = sweep.clocks.iter().map(|name| format!("{name} MHz")).collect();
    for head in &heads {
        let _ = write!(text, "{head:>12}  ");
    }
    text += "     r_acc        W   r_acc/W  degrees C\n";
    let number = |value: Option<f64>, digits| value.map_or("-".into(), |value| format!("{value:.digits$}"));
    for (n, point) in sweep.points.iter().enumerate() {
        for (head, mhz) in heads.iter().zip(&point.mhz) {
            let width = head.len().max(12);
            let _ = write!(text, "{mhz:>width$.0}  ");
        }
        let mark = match (point.throttled, Some(n) == sweep.efficient, Some(n) == sweep.within_limit) {
            (true, ..) => "  throttled",
            (_, true, true) => "  most per watt, fastest within the limit",
            (_, true, _) => "  most per watt",
            (_, _, true) => "  fastest within the limit",
            _ => "",
        };
        let _ = writeln!(
            text,
            "{:>10.0} {:>8} {:>9} {:>10}{mark}",
            point.r_acc,
            number(point.watts, 2),
            number(point.r_acc_per_watt, 0),
            number(point.temperature_c.map(f64::from), 1)
        );
    }
    if let Some(best) = sweep.efficient {
        let _ = writeln!(text, "most r_acc per watt: {}", words(sweep, &sweep.points[best]));
    }
    match (watt_limit, sweep.within_limit, least_watts(&sweep.points)) {
        (Some(limit), Some(best), _) => {
            let _ = writeln!(text, "fastest within {limit} W: {}", words(sweep, &sweep.points[best]));
        }
        (Some(limit), None, Some(least)) => {
            let _ = writeln!(text, "fastest within {limit} W: none; the minimum is {least:.2} W");
        }
        _ => {}
    }
    text
}

/// Describes a point: its clocks, r_acc, power and efficiency.
fn words(sweep: &Sweep, point: &Point) -> String {
    let clocks = sweep.clocks.iter().zip(&point.mhz).map(|(name, mhz)| format!("{name} at {mhz:.0} MHz"));
    let clocks = match sweep.clocks.is_empty() {
        true => "current clock".into(),
        false => clocks.collect::<Vec<_>>().join(", "),
    };
    let power = point.watts.map_or(String::new(), |watts| {
        format!(", {watts:.2} W, {:.0} per watt", point.r_acc_per_watt.unwrap_or_default())
    });
    format!("{clocks}: r_acc {:.0}{power}", point.r_acc)
}
