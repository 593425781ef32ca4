//! Limit for the births in a record. A fast board evolves many generations per second, but the size of records is
//! limited (docs/performance.md: 4 MB per robot and 16 minutes).

use crate::births::Births;
use xpuck_wire::message::Birth;

/// Maximum mean rate at which the generations of a robot increase the size of a record, after compression (byte/s of
/// arena time).
const BYTES: f64 = 1700.0;
/// Maximum accumulated allowance, expressed as a duration at the rate `BYTES` (s).
const BURST: f64 = 30.0;
/// Recorded size of a generation without its births, measured on demo runs (bytes).
const GENERATION: f64 = 130.0;
/// Recorded size of a birth, measured on demo runs (bytes).
const BIRTH: f64 = 5.5;

/// Recording allowance of one robot.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    bytes: f64,
    /// Time of the last update of `bytes` (s of arena time).
    at: f64,
}

impl Default for Allowance {
    fn default() -> Allowance {
        Allowance { bytes: BYTES * BURST, at: 0.0 }
    }
}

impl Allowance {
    /// Returns the births of a generation that may be recorded at `now` (s of arena time). If the allowance does not
    /// suffice for all births, the fittest are kept, because they have descendants.
    pub fn record(&mut self, now: f64, mut rows: Vec<Birth>) -> Births {
        self.bytes = (self.bytes + BYTES * (now - self.at).max(0.0)).min(BYTES * BURST) - GENERATION;
        self.at = now;
        let room = (self.bytes.max(0.0) / BIRTH) as usize;
        let left_out = rows.len().saturating_sub(room);
        if left_out > 0 {
            rows.sort_by(|a, b| b.fitness.total_cmp(&a.fitness));
            rows.truncate(room);
        }
        // The generation itself is always recorded, even without allowance. The debt is limited, because otherwise it
        // could suppress the births of a robot for ever.
        self.bytes = (self.bytes - BIRTH * rows.len() as f64).max(-BYTES * BURST);
        Births { rows, left_out: left_out as u32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_wire::message::Operator;

    fn births(count: u32) -> Vec<Birth> {
        let birth = |number: u32| Birth {
            number,
            parents: Vec::new(),
            fitness: number as f32 / 1000.0,
            operator: Operator::Random,
        };
        (0..count).map(birth).collect()
    }

    #[test]
    fn fast_island_keeps_fittest_births() {
        let told = |per_second: u32| {
            let mut allowance = Allowance::default();
            let each = (0..960 * per_second).map(|i| allowance.record(f64::from(i / per_second), births(65)));
            each.fold((0, 0), |(kept, out), births| (kept + births.rows.len(), out + births.left_out))
        };
        assert_eq!(told(3), (960 * 3 * 65, 0));
        let (kept, left_out) = told(10);
        assert_eq!(kept + left_out as usize, 960 * 10 * 65);
        let bytes = kept as f64 * BIRTH + 9600.0 * GENERATION;
        assert!(bytes <= (960.0 + BURST) * BYTES && bytes > 0.98 * 960.0 * BYTES, "{bytes}");
        // If the allowance does not suffice for all births, the fittest are kept.
        let mut allowance = Allowance { bytes: GENERATION + 10.0 * BIRTH, at: 1.0 };
        let some = allowance.record(1.0, births(30));
        assert_eq!((some.rows.len(), some.left_out), (10, 20));
        assert!(some.rows.iter().all(|birth| birth.number >= 20));
    }
}
