//! Checks of optional devices: each device answers, and its readings are plausible for a robot at rest.

use super::{Bench, Opened};
use crate::device::fitted::{Fitted, FittedDevice, FittedReadings};
use std::time::Duration;
use xpuck_registers::accelerometer::GRAVITY;

/// Number of readings, and pause between them.
const READINGS: usize = 8;
const PAUSE: Duration = Duration::from_millis(50);
/// Voltage range of a lithium-ion cell (V).
const CELL: std::ops::RangeInclusive<f32> = 3.0..=4.4;

/// Checks one optional device.
pub(super) fn check(bench: &mut Bench, device: Fitted, opened: Opened<Box<dyn FittedDevice>>) {
    bench.on(device.name());
    let mut opened = match opened {
        Ok(opened) => opened,
        Err(error) => return bench.fail("opens", "it answers and accepts its settings", error.to_string()),
    };
    let mut told = Vec::new();
    for _ in 0..READINGS {
        let mut readings = FittedReadings::default();
        if let Err(error) = opened.read(&mut readings) {
            return bench.fail("answers", "8 of 8 readings", format!("{} of 8; {error}", told.len()));
        }
        told.push(readings);
        bench.wait(PAUSE);
    }
    bench.judge("answers", true, "8 of 8 readings", "8".into());
    let Some(last) = told.last() else { return };
    // The first reading is ignored, because the device may have measured it before it was configured.
    let alive = told[1..].windows(2).any(|pair| pair[0] != pair[1]);
    let (expected, good, found) = match device {
        Fitted::Bno055 => {
            let data = last.imu.unwrap_or_default();
            let size = data.acceleration.iter().map(|a| a * a).sum::<f32>().sqrt();
            let still = data.turn.iter().all(|turn| turn.abs() < 0.2);
            let found = format!("{size:.1} m/s2, heading {:.0} degrees", data.angles[0].to_degrees());
            ("gravity at rest, no turning, alive", (size - GRAVITY).abs() < 1.0 && still && alive, found)
        }
        Fitted::Ads1015 => {
            let [battery, auxiliary] = last.batteries.unwrap_or_default();
            ("3.00 to 4.40 V", CELL.contains(&battery), format!("{battery:.3} V, auxiliary {auxiliary:.3} V"))
        }
        Fitted::Ground => {
            let readings = last.ground.unwrap_or_default();
            let seen = readings.iter().any(|reading| *reading > 0);
            ("0 to 1023, not all 0, alive", seen && alive, format!("{readings:?}"))
        }
        Fitted::Vl53l0x => {
            let found = match last.ahead.flatten() {
                Some(distance) => format!("{distance:.3} m"),
                None => "nothing in range".into(),
            };
            let possible = last.ahead.is_some_and(|ahead| ahead.is_none_or(|distance| distance < 2.0));
            ("a distance below 2 m, or none", possible, found)
        }
        Fitted::Erandb => {
            let words = |told: &FittedReadings| told.heard.iter().flatten().filter(|heard| heard.word > 0).count();
            let heard: usize = told.iter().map(words).sum();
            let possible = told.iter().filter_map(|told| told.heard).flatten().all(|heard| heard.bearing.abs() < 3.15);
            ("bearings within half a turn", possible, format!("{heard} words heard"))
        }
    };
    bench.judge("readings", good, expected, found);
}
