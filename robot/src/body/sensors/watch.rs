//! Detects dead, stuck and erratic sensors. Pure functions; times are in seconds of arena time.

use std::fmt;
use xpuck_registers::infrared::MAX_COUNTS;

/// Time of constant readings after which a sensor counts as stuck, since a working converter has noise (s).
const STUCK_AFTER: f64 = 10.0;
/// Time of zero readings after which a sensor counts as dead (s).
const DEAD_AFTER: f64 = 3.0;
/// Threshold of a jump: a change by this count and back within two readings, which is rare even for a robot that
/// turns or bumps.
const JUMP: i32 = 1500;
/// Weight of a new reading in the moving average of the jump rate, and the rate above which a sensor counts as
/// erratic.
const SHARE: f32 = 0.05;
const TOO_OFTEN: f32 = 0.2;
/// Jump rate below which an erratic sensor is valid again.
const SELDOM: f32 = 0.05;

/// Faults of a sensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// All values are zero.
    Dead,
    /// The values are constant.
    Stuck,
    /// The values jump, or exceed the converter's range.
    Mad,
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Trouble::Dead => "is dead",
            Trouble::Stuck => "is stuck",
            Trouble::Mad => "tells nonsense",
        })
    }
}

/// Plausible behaviour of a working sensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nature {
    /// Zero means darkness or silence rather than a broken wire.
    pub may_be_zero: bool,
    /// The value may jump at any time.
    pub may_jump: bool,
}

/// Fault detector for a sensor with `N` values.
#[derive(Clone, Debug)]
pub struct Watch<const N: usize> {
    nature: Nature,
    /// Last two readings, newest first.
    last: [Option<[u16; N]>; 2],
    /// Time since which the reading is constant.
    since: f64,
    jumps: f32,
    mad: bool,
}

impl<const N: usize> Watch<N> {
    /// Creates a detector without readings.
    pub fn new(nature: Nature) -> Watch<N> {
        Watch { nature, last: [None; 2], since: 0.0, jumps: 0.0, mad: false }
    }

    /// Processes a reading at time `now`, and returns the fault, if any.
    pub fn look(&mut self, now: f64, told: [u16; N]) -> Option<Trouble> {
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
        self.jumps += SHARE * (f32::from(u8::from(jumped && !self.nature.may_jump)) - self.jumps);
        self.mad = self.jumps > if self.mad { SELDOM } else { TOO_OFTEN };
        let (same, ends) = (now - self.since, [0, MAX_COUNTS]);
        if self.mad || told.iter().any(|value| *value > MAX_COUNTS) {
            Some(Trouble::Mad)
        } else if !self.nature.may_be_zero && same >= DEAD_AFTER && told == [0; N] {
            Some(Trouble::Dead)
        } else if same >= STUCK_AFTER && !told.iter().all(|value| ends.contains(value)) {
            Some(Trouble::Stuck)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIGHT: Nature = Nature { may_be_zero: true, may_jump: false };
    const SOUND: Nature = Nature { may_be_zero: false, may_jump: true };

    /// Fault after some seconds with ten readings each.
    fn after(seconds: u32, nature: Nature, told: impl Fn(u32) -> [u16; 2]) -> Option<Trouble> {
        let mut watch = Watch::new(nature);
        (0..10 * seconds).fold(None, |_, look| watch.look(f64::from(look) / 10.0, told(look)))
    }

    #[test]
    fn sensors_that_work_are_believed() {
        assert_eq!(after(60, LIGHT, |look| [500 + look as u16 % 3, 700]), None);
        assert_eq!(after(60, LIGHT, |_| [0, 0]), None, "darkness");
        assert_eq!(after(60, LIGHT, |_| [MAX_COUNTS, 0]), None, "full light on one side");
        // Robot that turns on the spot close to a lamp: each sensor alternates between full and dark, nine readings
        // each.
        assert_eq!(after(60, LIGHT, |look| [(look / 9 % 2) as u16 * 4095, (look / 9 % 2) as u16 * 3000 + 7]), None);
        assert_eq!(after(60, SOUND, |look| [(look % 2) as u16 * 4000, 2000]), None, "loud sound");
        assert_eq!(after(1, SOUND, |_| [0, 0]), None, "not for long");
    }

    #[test]
    fn sensors_that_fail_are_not() {
        assert_eq!(after(4, SOUND, |_| [0, 0]), Some(Trouble::Dead));
        assert_eq!(after(11, LIGHT, |_| [500, 700]), Some(Trouble::Stuck));
        assert_eq!(after(11, SOUND, |_| [2048, 2048]), Some(Trouble::Stuck));
        assert_eq!(after(3, LIGHT, |look| [(look * 1999 % 4096) as u16, 0]), Some(Trouble::Mad));
        assert_eq!(after(1, SOUND, |_| [4096, 0]), Some(Trouble::Mad), "no converter tells that");
    }

    #[test]
    fn who_calms_down_is_believed_again() {
        let mut watch = Watch::new(LIGHT);
        let mut said = Vec::new();
        for look in 0..120u32 {
            let told = if look < 30 { [(look % 2) as u16 * 4000; 2] } else { [300 + (look % 2) as u16; 2] };
            said.push(watch.look(f64::from(look) / 10.0, told));
        }
        assert_eq!((said[29], said[119]), (Some(Trouble::Mad), None));
    }
}
