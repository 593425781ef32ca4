//! Schedules temporary failures of a robot. This module determines start and end times; other modules apply the
//! effects.

use crate::unkind::fault_interval::{FaultInterval, IntervalKey, steps};
use crate::unkind::{FaultKeys, FaultKind, SupplyKeys};

/// Numbers that identify a robot's fault intervals: 0 and 1 for the wheels, 2 for the supply, and from 3 on for the
/// list of faults.
const SUPPLY: u32 = 2;
const FAULTS: u32 = 3;

/// Failures of a robot that are active in one step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outage {
    pub brown_out: bool,
    pub body_reset: bool,
    pub body_silent: bool,
    pub camera_gone: bool,
    pub camera_frozen: bool,
    pub proximity_stuck: bool,
}

impl Outage {
    /// Returns whether the body's processor is not running.
    pub fn off(self) -> bool {
        self.brown_out || self.body_reset
    }

    /// Returns whether the body's processor does not answer.
    pub fn away(self) -> bool {
        self.off() || self.body_silent
    }

    fn add(&mut self, what: FaultKind) {
        let part = match what {
            FaultKind::BrownOut => &mut self.brown_out,
            FaultKind::BodyReset => &mut self.body_reset,
            FaultKind::BodySilent => &mut self.body_silent,
            FaultKind::CameraGone => &mut self.camera_gone,
            FaultKind::CameraFrozen => &mut self.camera_frozen,
            FaultKind::ProximityStuck => &mut self.proximity_stuck,
        };
        *part = true;
    }
}

/// All scheduled failures of one robot.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outages {
    list: Vec<(u32, FaultKind, FaultInterval)>,
    supply: Option<Supply>,
}

#[derive(Clone, Debug)]
struct Supply {
    keys: SupplyKeys,
    surges: FaultInterval,
    /// First step in which the board runs again after a reset.
    until: u32,
}

impl Outages {
    /// Creates the failures of a robot. `faults` contains the robot's faults with their indices in the arena's list.
    /// `supply` contains the settings for failures of the robot's supply.
    pub fn new<'a>(faults: impl Iterator<Item = (usize, &'a FaultKeys)>, supply: Option<SupplyKeys>) -> Outages {
        let spell = |keys: &FaultKeys| match (keys.at_s, keys.per_minute) {
            (Some(at), _) => FaultInterval::at(at, keys.seconds),
            (None, rate) => FaultInterval::by_chance(rate.unwrap_or(0.0), keys.seconds),
        };
        Outages {
            list: faults.map(|(number, keys)| (FAULTS + number as u32, keys.what, spell(keys))).collect(),
            supply: supply.map(|keys| Supply {
                surges: FaultInterval::by_chance(keys.surges_per_minute, keys.surge_seconds),
                keys,
                until: 0,
            }),
        }
    }

    /// Returns the extra power that the board draws in step `now` because of a surge (W).
    pub fn surge(&mut self, now: u32, seed: u64, robot: u32) -> f64 {
        let Some(supply) = &mut self.supply else { return 0.0 };
        let surges = supply.surges.step(now, IntervalKey { seed, robot, spell: SUPPLY });
        // A board that is not running draws no extra power.
        if surges && now >= supply.until { f64::from(supply.keys.surge_watts) } else { 0.0 }
    }

    /// Returns the failures that are active in step `now`. `volts` is the supply voltage of the board (V).
    pub fn step(&mut self, now: u32, seed: u64, robot: u32, volts: f64) -> Outage {
        let mut out = Outage::default();
        for (spell, what, when) in &mut self.list {
            if when.step(now, IntervalKey { seed, robot, spell: *spell }) {
                out.add(*what);
            }
        }
        if let Some(supply) = &mut self.supply {
            if now >= supply.until && volts < f64::from(supply.keys.reset_below_v) {
                supply.until = now.saturating_add(steps(supply.keys.reset_seconds).max(1));
            }
            out.brown_out |= now < supply.until;
        }
        out
    }
}
