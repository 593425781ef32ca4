//! Checks of the power monitors: the voltage is in range, and the current is in range and positive.

use super::{Bench, Opened};
use crate::device::PowerMonitor;
use std::ops::RangeInclusive;

/// Voltage range of the battery, a lithium-ion cell (V).
pub(super) const BATTERY: RangeInclusive<f32> = 3.0..=4.3;
/// Output voltage range of the boost converter on the 5 V side (V).
pub(super) const SUPPLY: RangeInclusive<f32> = 4.75..=5.25;
/// Current range of a board (A). A smaller current means a broken shunt or a wrong calibration. The chip measures at
/// most 4.096 A.
const AMPS: RangeInclusive<f32> = 0.05..=4.0;

/// Checks one power monitor. `volts` is the range of its voltage (V).
pub(super) fn check(bench: &mut Bench, monitor: Option<Opened<Box<dyn PowerMonitor>>>, volts: RangeInclusive<f32>) {
    let mut monitor = match monitor {
        Some(Ok(monitor)) => monitor,
        Some(Err(error)) => return bench.fail("opens", "it opens and accepts its settings", error.to_string()),
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
