//! Intervals in which a condition holds. A single interval starts at a given time, and random intervals start at
//! random times. Times are counted in arena steps.

use super::streams;
use xpuck_kernels::model::DT;
use xpuck_kernels::random::{Draws, Stream};

/// Intervals in which a condition holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FaultInterval {
    when: Start,
    /// Length of each interval (steps).
    length: u32,
    /// First step after the current random interval.
    until: u32,
}

#[derive(Clone, Copy, Debug)]
enum Start {
    /// First step of a single interval.
    From(u32),
    /// Random intervals. The value is the probability that an interval starts in a step in which the condition does
    /// not hold.
    Chance(f32),
}

/// Key of the random draws: the arena's seed, the index of the robot, and the number of the robot's condition.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IntervalKey {
    pub seed: u64,
    pub robot: u32,
    pub spell: u32,
}

/// Converts a duration (s) to a number of steps.
pub(crate) fn steps(seconds: f32) -> u32 {
    // The cast saturates for long durations.
    (seconds / DT).round() as u32
}

impl FaultInterval {
    /// Creates a single interval with a start time (s) and a length (s).
    pub fn at(seconds: f32, length: f32) -> FaultInterval {
        FaultInterval { when: Start::From(steps(seconds)), length: steps(length).max(1), until: 0 }
    }

    /// Creates random intervals with a mean rate of starts (1/min) and a length (s).
    pub fn by_chance(per_minute: f32, length: f32) -> FaultInterval {
        FaultInterval { when: Start::Chance(per_minute * DT / 60.0), length: steps(length).max(1), until: 0 }
    }

    /// Returns whether the condition holds in step `now`. Must be called once per step.
    pub fn step(&mut self, now: u32, whose: IntervalKey) -> bool {
        match self.when {
            Start::From(first) => (first..first.saturating_add(self.length)).contains(&now),
            Start::Chance(chance) => {
                let comes = || {
                    let world = streams::SPELLS + whose.spell;
                    Draws::new(whose.seed, world, whose.robot, now, Stream::Device).unit() < chance
                };
                if now >= self.until && comes() {
                    self.until = now.saturating_add(self.length);
                }
                now < self.until
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOSE: IntervalKey = IntervalKey { seed: 4, robot: 2, spell: 1 };

    #[test]
    fn fault_interval_lasts_from_start_for_its_duration() {
        let mut spell = FaultInterval::at(1.0, 0.5);
        let there: Vec<u32> = (1..200).filter(|now| spell.step(*now, WHOSE)).collect();
        assert_eq!(there, (40..60).collect::<Vec<_>>());
    }

    #[test]
    fn spells_by_chance_come_as_often_as_asked() {
        let run = |whose| {
            let mut spell = FaultInterval::by_chance(6.0, 0.1);
            (1..240_001).map(|now| spell.step(now, whose)).collect::<Vec<_>>()
        };
        let there = run(WHOSE);
        let starts = there.windows(2).filter(|pair| !pair[0] && pair[1]).count();
        // In 100 minutes 600 starts are expected, with a standard deviation of 24.
        assert!((520..680).contains(&starts), "{starts}");
        assert!(there == run(WHOSE) && there != run(IntervalKey { robot: 3, ..WHOSE }));
        let mut never = FaultInterval::by_chance(0.0, 1.0);
        assert!(!(1..10_000).any(|now| never.step(now, WHOSE)));
    }
}
