//! Detects dead, stuck and erratic sensors. All functions are deterministic. Times are in seconds of arena time.

use std::fmt;
use xpuck_registers::infrared::MAX_COUNTS;

/// Duration of constant readings after which a sensor counts as stuck (s). A working sensor is not constant for this
/// duration, because its converter has noise.
const STUCK_AFTER: f64 = 10.0;
/// Duration of zero readings after which a sensor counts as dead (s).
const DEAD_AFTER: f64 = 3.0;
/// Minimum size of a jump (counts). In a jump, a reading changes by more than this value, and the next reading changes
/// by more than this value in the opposite direction. Jumps are rare even when a robot turns or hits an obstacle.
const JUMP: i32 = 1500;
/// Weight of a new reading in the moving average of the jump rate (jumps per reading). The next constant is the rate
/// above which a sensor counts as erratic.
const JUMP_RATE_WEIGHT: f32 = 0.05;
const JUMP_RATE_FAULT: f32 = 0.2;
/// Jump rate below which an erratic sensor counts as valid again.
const JUMP_RATE_OK: f32 = 0.05;

/// Fault of a sensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SensorFault {
    /// All values are zero.
    Dead,
    /// The values are constant, and not all of them are at an end of the converter's range.
    Stuck,
    /// The values jump, or exceed the converter's range.
    Mad,
}

impl fmt::Display for SensorFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SensorFault::Dead => "is dead",
            SensorFault::Stuck => "is stuck",
            SensorFault::Mad => "is erratic",
        })
    }
}

/// Behaviour that is plausible for a working sensor of a given type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plausibility {
    /// Whether the reading may be zero for a long time, in darkness or silence.
    pub may_be_zero: bool,
    /// Whether the reading may jump often without a fault.
    pub may_jump: bool,
}

/// Fault detector for a sensor with `N` values.
#[derive(Clone, Debug)]
pub struct FaultDetector<const N: usize> {
    nature: Plausibility,
    /// Last two readings, the newest first.
    last: [Option<[u16; N]>; 2],
    /// Time since which the readings have been constant (s).
    since: f64,
    jumps: f32,
    mad: bool,
}

impl<const N: usize> FaultDetector<N> {
    /// Creates a detector without readings.
    pub fn new(nature: Plausibility) -> FaultDetector<N> {
        FaultDetector { nature, last: [None; 2], since: 0.0, jumps: 0.0, mad: false }
    }

    /// Processes a reading at time `now` (s), and returns the detected fault; `None` without a fault.
    pub fn look(&mut self, now: f64, told: [u16; N]) -> Option<SensorFault> {
        let [last, before] = self.last;
        self.last = [Some(told), last];
        if last != Some(told) {
            self.since = now;
        }
        let jumped = match (before, last) {
            (Some(before), Some(last)) => (0..N).any(|i| {
                let [first, second] =
                    [(before[i], last[i]), (last[i], told[i])].map(|(a, b)| i32::from(b) - i32::from(a));
                first.abs().min(second.abs()) > JUMP && first.signum() != second.signum()
            }),
            _ => false,
        };
        self.jumps += JUMP_RATE_WEIGHT * (f32::from(u8::from(jumped && !self.nature.may_jump)) - self.jumps);
        self.mad = self.jumps > if self.mad { JUMP_RATE_OK } else { JUMP_RATE_FAULT };
        let (same, ends) = (now - self.since, [0, MAX_COUNTS]);
        if self.mad || told.iter().any(|value| *value > MAX_COUNTS) {
            Some(SensorFault::Mad)
        } else if !self.nature.may_be_zero && same >= DEAD_AFTER && told == [0; N] {
            Some(SensorFault::Dead)
        } else if same >= STUCK_AFTER && !told.iter().all(|value| ends.contains(value)) {
            Some(SensorFault::Stuck)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIGHT: Plausibility = Plausibility { may_be_zero: true, may_jump: false };
    const SOUND: Plausibility = Plausibility { may_be_zero: false, may_jump: true };

    /// Returns the detected fault after `seconds`, with ten readings per second. The closure returns the reading with
    /// the given index.
    fn after(seconds: u32, nature: Plausibility, told: impl Fn(u32) -> [u16; 2]) -> Option<SensorFault> {
        let mut watch = FaultDetector::new(nature);
        (0..10 * seconds).fold(None, |_, look| watch.look(f64::from(look) / 10.0, told(look)))
    }

    #[test]
    fn sensors_that_work_are_believed() {
        assert_eq!(after(60, LIGHT, |look| [500 + look as u16 % 3, 700]), None);
        assert_eq!(after(60, LIGHT, |_| [0, 0]), None, "darkness");
        assert_eq!(after(60, LIGHT, |_| [MAX_COUNTS, 0]), None, "full light on one side");
        // The readings are those of a robot that turns on the spot close to a lamp. Each sensor is alternately dark
        // for nine readings and bright for nine readings.
        assert_eq!(after(60, LIGHT, |look| [(look / 9 % 2) as u16 * 4095, (look / 9 % 2) as u16 * 3000 + 7]), None);
        assert_eq!(after(60, SOUND, |look| [(look % 2) as u16 * 4000, 2000]), None, "loud sound");
        assert_eq!(after(1, SOUND, |_| [0, 0]), None, "not for long");
    }

    #[test]
    fn sensors_that_fail_are_not() {
        assert_eq!(after(4, SOUND, |_| [0, 0]), Some(SensorFault::Dead));
        assert_eq!(after(11, LIGHT, |_| [500, 700]), Some(SensorFault::Stuck));
        assert_eq!(after(11, SOUND, |_| [2048, 2048]), Some(SensorFault::Stuck));
        assert_eq!(after(3, LIGHT, |look| [(look * 1999 % 4096) as u16, 0]), Some(SensorFault::Mad));
        assert_eq!(after(1, SOUND, |_| [4096, 0]), Some(SensorFault::Mad), "no converter tells that");
    }

    #[test]
    fn erratic_sensor_is_trusted_again_after_calming() {
        let mut watch = FaultDetector::new(LIGHT);
        let mut said = Vec::new();
        for look in 0..120u32 {
            let told = if look < 30 { [(look % 2) as u16 * 4000; 2] } else { [300 + (look % 2) as u16; 2] };
            said.push(watch.look(f64::from(look) / 10.0, told));
        }
        assert_eq!((said[29], said[119]), (Some(SensorFault::Mad), None));
    }
}
