//! How long a robot's battery lasts.

use xpuck_wire::telemetry::PowerReport;

/// What the Xpuck's cell, an NCR18650B of 3400 mAh at 3.6 V, holds, W h (thesis 5.1.3).
const ENERGY_WH: f32 = 12.24;
/// Voltage under load, V, and the part of the energy that is left, read off the cell's discharge curve at 1 A (the Xpuck
/// draws 3.3 W, thesis Fig. 5.4). The board's converter gives up at 2.5 V.
const LEFT: [(f32, f32); 8] =
    [(2.5, 0.0), (3.0, 0.05), (3.2, 0.12), (3.4, 0.28), (3.55, 0.5), (3.7, 0.68), (3.9, 0.88), (4.1, 1.0)];

/// Minutes that it lasts at the power drawn now; none if the robot cannot measure it or draws nothing.
pub fn minutes_left(power: &PowerReport) -> Option<f32> {
    let (volts, watts) = (power.battery_v?, power.battery_w?);
    let usable = watts > 0.05 && volts.is_finite() && watts.is_finite();
    usable.then(|| part_left(volts) * ENERGY_WH / watts * 60.0)
}

fn part_left(volts: f32) -> f32 {
    let above = LEFT.iter().position(|(v, _)| volts < *v);
    match above {
        Some(0) => 0.0,
        Some(i) => {
            let ((v0, p0), (v1, p1)) = (LEFT[i - 1], LEFT[i]);
            p0 + (p1 - p0) * (volts - v0) / (v1 - v0)
        }
        None => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn minutes(volts: f32, watts: f32) -> Option<f32> {
        minutes_left(&PowerReport { battery_v: Some(volts), battery_w: Some(watts), ..PowerReport::default() })
    }

    #[test]
    fn a_full_battery_lasts_as_the_thesis_measured_and_an_empty_one_not_at_all() {
        // Close to three hours at 3.3 W measured; the curve's ideal cell lasts somewhat longer.
        assert!((180.0..230.0).contains(&minutes(4.15, 3.3).unwrap()));
        assert_eq!((minutes(2.4, 3.3), minutes(3.7, 0.0), minutes(f32::NAN, 3.3)), (Some(0.0), None, None));
        let falls = [4.2, 4.0, 3.8, 3.6, 3.4, 3.2, 3.0, 2.8].map(|volts| minutes(volts, 5.0).unwrap());
        assert!(falls.windows(2).all(|pair| pair[0] > pair[1]), "{falls:?}");
    }
}
