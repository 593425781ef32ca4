//! Radio range: the robots heard by range and bearing, and substitutes for a failure of range and bearing (thesis 4.3,
//! 5.2.3).

use std::collections::BTreeMap;
use xpuck_wire::message::Neighbour;
use xpuck_wire::peers_report::RangeBy;

/// Time for which a robot counts as in range after it was heard, in arena time (s). This time bridges lost messages
/// and brief occlusion.
pub const HEARD: f64 = 2.0;
/// Age of the last range and bearing data up to which the robots last heard count as in range, in arena time (s).
/// Without range and bearing, the wheels stop or turn slowly, so the positions hardly change. Above this age, every
/// robot reachable on the network counts as in range.
pub const REMEMBERED: f64 = 30.0;

/// Robots in the range of one robot.
#[derive(Clone, Debug)]
pub struct Range {
    me: u16,
    robots: u16,
    heard: BTreeMap<u16, f64>,
    /// Time of the last range and bearing data (s). Before the first data, the value is 0, the time of power-up.
    sensed: f64,
}

impl Range {
    /// Creates the state at power-up for the robot of island `me` in a swarm of `robots` robots.
    pub fn new(me: u16, robots: u16) -> Range {
        Range { me, robots, heard: BTreeMap::new(), sensed: 0.0 }
    }

    /// Records the robots heard at `now` (s).
    pub fn hear(&mut self, now: f64, neighbours: &[Neighbour]) {
        self.sensed = now;
        for neighbour in neighbours {
            if self.is_other(neighbour.island) {
                self.heard.insert(neighbour.island, now);
            }
        }
    }

    fn is_other(&self, island: u16) -> bool {
        island != self.me && (1..=self.robots).contains(&island)
    }

    /// Returns the source of the range information at `now` (s).
    pub fn by(&self, now: f64) -> RangeBy {
        match now - self.sensed {
            age if age <= HEARD => RangeBy::Heard,
            age if age <= REMEMBERED => RangeBy::Remembered,
            _ => RangeBy::Network,
        }
    }

    /// Returns whether the other robot is in range at `now` (s).
    pub fn holds(&self, now: f64, island: u16) -> bool {
        let since = match self.by(now) {
            RangeBy::Heard => now - HEARD,
            RangeBy::Remembered => self.sensed - HEARD,
            RangeBy::Network => return self.is_other(island),
        };
        self.heard.get(&island).is_some_and(|at| *at >= since)
    }

    /// Returns the islands of the robots in range at `now` (s).
    pub fn islands(&self, now: f64) -> Vec<u16> {
        (1..=self.robots).filter(|island| self.holds(now, *island)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn neighbours(islands: &[u16]) -> Vec<Neighbour> {
        islands.iter().map(|island| Neighbour { island: *island, range: 0.3, bearing: 0.0 }).collect()
    }

    #[test]
    fn heard_islands_stay_in_range_for_two_seconds() {
        let mut range = Range::new(2, 4);
        range.hear(10.0, &neighbours(&[1, 3, 2, 9, 0]));
        assert_eq!((range.by(10.0), range.islands(10.0)), (RangeBy::Heard, vec![1, 3]));
        range.hear(11.9, &neighbours(&[3, 4]));
        assert_eq!(range.islands(11.9), [1, 3, 4]);
        range.hear(12.1, &[]);
        assert_eq!(range.islands(12.1), [3, 4], "1 was heard 2.1 s ago");
    }

    #[test]
    fn range_falls_back_to_last_heard_then_whole_network() {
        let mut range = Range::new(2, 4);
        range.hear(100.0, &neighbours(&[1]));
        range.hear(103.0, &neighbours(&[4]));
        assert_eq!((range.by(106.0), range.islands(106.0)), (RangeBy::Remembered, vec![4]));
        assert_eq!(range.islands(133.0), [4]);
        assert_eq!((range.by(133.1), range.islands(133.1)), (RangeBy::Network, vec![1, 3, 4]));
        range.hear(140.0, &[]);
        assert!(range.islands(140.0).is_empty(), "range and bearing is back, and nobody is near");
        let new = Range::new(1, 3);
        assert!(new.islands(29.0).is_empty() && new.islands(31.0) == [2, 3]);
    }
}
