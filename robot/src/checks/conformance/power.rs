//! The power monitors: voltage in range, current in range and with the right sign.

use super::{Bench, Opened};
use crate::device::PowerMonitor;
use std::ops::RangeInclusive;

/// A lithium-ion cell, V.
pub(super) const BATTERY: RangeInclusive<f32> = 3.0..=4.3;
/// The boost converter's output, V.
pub(super) const SUPPLY: RangeInclusive<f32> = 4.75..=5.25;
/// What a board draws: less is a broken shunt or a wrong calibration, and the chip sees no more than 4.096 A.
const AMPS: RangeInclusive<f32> = 0.05..=4.0;

/// Checks one monitor.
pub(super) fn check(bench: &mut Bench, monitor: Option<Opened<Box<dyn PowerMonitor>>>, volts: RangeInclusive<f32>) {
    let mut monitor = match monitor {
        Some(Ok(monitor)) => monitor,
        Some(Err(error)) => return bench.fail("opens", "it opens and takes its settings", error.to_string()),
        None => return bench.skip("voltage", "not named in the robot's file"),
    };
    let expected = format!("{:.2} to {:.2} V", volts.start(), volts.end());
    match monitor.volts() {
        Ok(found) => bench.judge("voltage", volts.contains(&found), &expected, format!("{found:.3} V")),
        Err(error) => bench.fail("voltage", &expected, error.to_string()),
    }
    let expected = "0.05 to 4 A, off the charger";
    match monitor.amps() {
        Ok(found) => bench.judge("current", AMPS.contains(&found), expected, format!("{found:+.3} A")),
        Err(error) => bench.fail("current", expected, error.to_string()),
    }
}
