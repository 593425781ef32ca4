//! Checks of the light sensors, accelerometer and microphones of a body at rest: the sensors are present, and their
//! readings are in range and change.

use super::Bench;
use crate::device::body::BodyReadings;
use xpuck_registers::accelerometer::{COUNTS_PER_G, GRAVITY, MetresPerSecondSquared, ZERO_COUNTS};
use xpuck_registers::infrared::MAX_COUNTS;
use xpuck_registers::microphone::RawSound;

/// Range of measured gravity on a robot at rest in any orientation (m/s^2). The error of an uncalibrated sensor is at
/// most a third of gravity.
const AT_REST: std::ops::RangeInclusive<f32> = 0.67 * GRAVITY..=1.33 * GRAVITY;
/// Maximum change between consecutive readings of a light sensor or the accelerometer of a robot at rest (counts).
const SHAKEN: u16 = 400;

/// Checks the readings of several exchanges. If the body has no accelerometer or no microphones, the check of that
/// device is skipped.
pub(super) fn check(bench: &mut Bench, told: &[BodyReadings]) {
    let light: Vec<[u16; 8]> = told.iter().filter_map(|s| s.light.map(|raw| raw.0)).collect();
    let expected = "0 to 4095, not all 0, readings that change";
    match light.last() {
        Some(last) => {
            let (least, most) = (last.iter().min().unwrap_or(&0), last.iter().max().unwrap_or(&0));
            let good = *most > 0 && *most <= MAX_COUNTS && alive(&light) && steady(&light);
            bench.judge("ambient light", good, expected, format!("{least} to {most}, {}", changes(&light)));
        }
        None => bench.fail("ambient light", expected, "missing in every exchange".into()),
    }
    let acceleration: Vec<[u16; 3]> = told.iter().filter_map(|s| s.acceleration.map(|raw| raw.0)).collect();
    match told.iter().rev().find_map(|s| s.acceleration) {
        Some(last) => {
            let MetresPerSecondSquared([x, y, z]) = last.calibrated([ZERO_COUNTS; 3], [COUNTS_PER_G; 3]);
            let size = (x * x + y * y + z * z).sqrt();
            let good = AT_REST.contains(&size) && alive(&acceleration) && steady(&acceleration);
            let found = format!("{x:+.1}, {y:+.1}, {z:+.1} m/s2, {}", changes(&acceleration));
            bench.judge("acceleration", good, "gravity at rest, readings that change", found);
        }
        None => bench.skip("acceleration", "this body does not report it"),
    }
    let (expected, samples) = ("0 to 4095, not all 0, readings that change", sounds(told));
    match samples.last() {
        Some(last) => {
            let most = last.iter().max().unwrap_or(&0);
            let good = *most > 0 && *most <= MAX_COUNTS && alive(&samples);
            bench.judge("microphones", good, expected, format!("{last:?}, {}", changes(&samples)));
        }
        None => bench.skip("microphones", "this body does not report it"),
    }
}

fn sounds(told: &[BodyReadings]) -> Vec<Vec<u16>> {
    let of = |sound: RawSound| match sound {
        RawSound::Samples(samples) => samples.to_vec(),
        RawSound::Volumes(volumes) => volumes.to_vec(),
    };
    told.iter().filter_map(|s| s.sound.map(of)).collect()
}

/// Returns whether the readings change. The readings of a working converter change because of noise.
fn alive<T: PartialEq>(readings: &[T]) -> bool {
    readings.windows(2).any(|pair| pair[0] != pair[1])
}

/// Returns whether no reading changes by more than [`SHAKEN`] between two exchanges.
fn steady<const N: usize>(readings: &[[u16; N]]) -> bool {
    let jumps = |pair: &[[u16; N]]| pair[0].iter().zip(&pair[1]).any(|(a, b)| a.abs_diff(*b) > SHAKEN);
    !readings.windows(2).any(jumps)
}

fn changes<T: PartialEq>(readings: &[T]) -> String {
    let different = readings.windows(2).filter(|pair| pair[0] != pair[1]).count();
    format!("{different} changes in {}", readings.len())
}
