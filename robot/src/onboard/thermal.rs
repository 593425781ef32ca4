//! Thermal limit of evolution. The processor temperature determines the fraction of the time that evolution may use.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// File with the processor temperature on Linux (thousandths of a degree C).
pub const SOC_TEMPERATURE_PATH: &str = "/sys/class/thermal/thermal_zone0/temp";
/// Temperature range from the limit, at which throttling begins, to the temperature at which evolution stops (K).
const THROTTLE_SPAN: f32 = 8.0;
/// Cooling that is required before evolution gets more time again (K). This hysteresis avoids oscillation.
const HYSTERESIS: f32 = 4.0;
/// Range of plausible temperatures (degrees C). Other values are ignored.
const PLAUSIBLE_RANGE: std::ops::RangeInclusive<f32> = -40.0..=150.0;
/// Interval between temperature readings.
const READ_INTERVAL: Duration = Duration::from_secs(1);
/// Maximum duration of a single rest, after which the caller checks again.
pub const LONGEST_REST: Duration = Duration::from_secs(1);

/// Returns the fraction of the time that evolution may use (0..=1) at `temperature` (degrees C). During heating, it is
/// 1 up to `limit`, and decreases to 0 at 8 K above `limit`. During cooling, the same fractions apply at temperatures
/// 4 K lower. Between these two curves, the function returns `previous`.
pub fn duty(previous: f32, temperature: f32, limit: f32) -> f32 {
    let allowed = |temperature: f32| (1.0 - (temperature - limit) / THROTTLE_SPAN).clamp(0.0, 1.0);
    previous.clamp(allowed(temperature + HYSTERESIS), allowed(temperature))
}

/// Reads the temperature from a kernel file (degrees C); `None` if the file is unreadable or the value implausible.
pub fn temperature(path: &Path) -> Option<f32> {
    let thousandths: f32 = std::fs::read_to_string(path).ok()?.trim().parse().ok()?;
    Some(thousandths / 1000.0).filter(|t| PLAUSIBLE_RANGE.contains(t))
}

/// Controller of the duty cycle, the fraction of the time that evolution may use.
#[derive(Debug)]
pub struct Governor {
    path: PathBuf,
    limit: f32,
    duty: f32,
    read_at: Option<Instant>,
}

impl Governor {
    /// Creates a controller that reads the temperature file at `path`. Throttling begins at `limit` (degrees C).
    pub fn new(path: PathBuf, limit: f32) -> Governor {
        Governor { path, limit, duty: 1.0, read_at: None }
    }

    /// Returns the current duty cycle (0..=1). Without a temperature reading, the duty cycle is 1, and only the
    /// kernel's own limits protect the processor.
    pub fn duty(&mut self) -> f32 {
        if self.read_at.is_none_or(|at| at.elapsed() >= READ_INTERVAL) {
            self.read_at = Some(Instant::now());
            self.duty = temperature(&self.path).map_or(1.0, |t| duty(self.duty, t, self.limit));
        }
        self.duty
    }
}

/// Returns the duration of the rest after a working time of `worked`. The rest results in the duty cycle `duty`, but is
/// at most [`LONGEST_REST`].
pub fn rest(worked: Duration, duty: f32) -> Duration {
    if duty >= 1.0 {
        return Duration::ZERO;
    }
    let seconds = worked.as_secs_f32() * (1.0 - duty) / duty.max(1e-3);
    Duration::from_secs_f32(seconds.min(LONGEST_REST.as_secs_f32())).min(LONGEST_REST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duty_falls_with_heat_and_recovers_with_hysteresis() {
        let mut d = 1.0;
        let mut at = |temperature: f32| {
            d = duty(d, temperature, 80.0);
            d
        };
        assert_eq!(at(60.0), 1.0);
        assert_eq!(at(80.0), 1.0);
        assert_eq!(at(84.0), 0.5);
        assert_eq!(at(81.0), 0.5, "it stays while it cools a little");
        assert_eq!(at(78.0), 0.75);
        assert_eq!(at(79.0), 0.75);
        assert_eq!(at(76.0), 1.0);
        assert_eq!(at(90.0), 0.0);
        assert_eq!(at(85.0), 0.0);
    }

    #[test]
    fn heated_processor_settles_without_oscillation() {
        // Each second the temperature changes by 1/20 of its difference to the steady state. The steady state is at 60
        // degrees C without load, and at 100 degrees C at full load.
        let (mut temperature, mut d, mut changes) = (60.0f32, 1.0f32, 0);
        for second in 0..1000 {
            let next = duty(d, temperature, 80.0);
            changes += u32::from(second > 500 && next != d);
            d = next;
            temperature += (60.0 + 40.0 * d - temperature) / 20.0;
            assert!(temperature < 88.0);
        }
        assert_eq!(changes, 0, "{temperature} degrees, duty {d}");
    }

    #[test]
    fn only_a_temperature_is_believed() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("temp");
        for (text, expected) in [("48500\n", Some(48.5)), ("NaN", None), ("900000", None), ("warm", None), ("", None)] {
            std::fs::write(&file, text).unwrap();
            assert_eq!(temperature(&file), expected, "{text}");
        }
        assert_eq!(temperature(&dir.path().join("nowhere")), None);
        std::fs::write(&file, "84000").unwrap();
        assert_eq!(Governor::new(file, 80.0).duty(), 0.5);
        assert_eq!(Governor::new(dir.path().join("nowhere"), 80.0).duty(), 1.0);
    }

    #[test]
    fn rests_keep_the_duty_and_end() {
        let ms = Duration::from_millis;
        assert_eq!(rest(ms(10), 1.0), Duration::ZERO);
        assert!(rest(ms(10), 0.5).abs_diff(ms(10)) < ms(1));
        assert_eq!(rest(ms(10), 0.0), LONGEST_REST);
        assert_eq!(rest(ms(60_000), 0.1), LONGEST_REST);
    }
}
