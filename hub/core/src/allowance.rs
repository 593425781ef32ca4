//! How much of a record the births that a robot tells of may take: a fast board evolves many generations a second, and
//! records are bounded (docs/performance.md: 4 MB for a robot and 16 minutes).

use crate::births::Births;
use xpuck_wire::message::Birth;

/// Bytes of a record that a robot's generations may take in a second of arena time, as they come to after compression.
const BYTES: f64 = 1700.0;
/// So many seconds' worth may come at once.
const BURST: f64 = 30.0;
/// What a generation takes without its births, and each of its births: measured on demos.
const GENERATION: f64 = 130.0;
/// See [`GENERATION`].
const BIRTH: f64 = 5.5;

/// What one robot may still tell.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    bytes: f64,
    /// When that was counted, s of arena time.
    at: f64,
}

impl Default for Allowance {
    fn default() -> Allowance {
        Allowance { bytes: BYTES * BURST, at: 0.0 }
    }
}

impl Allowance {
    /// A generation that comes `now`, s of arena time: its births as far as they may be recorded, the fittest first, since
    /// those have descendants.
    pub fn take(&mut self, now: f64, mut rows: Vec<Birth>) -> Births {
        self.bytes = (self.bytes + BYTES * (now - self.at).max(0.0)).min(BYTES * BURST) - GENERATION;
        self.at = now;
        let room = (self.bytes.max(0.0) / BIRTH) as usize;
        let left_out = rows.len().saturating_sub(room);
        if left_out > 0 {
            rows.sort_by(|a, b| b.fitness.total_cmp(&a.fitness));
            rows.truncate(room);
        }
        // What the entries themselves take is not left out; a debt that grows for ever would silence a robot for ever.
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
    fn an_island_of_usual_speed_is_recorded_whole_and_of_a_fast_one_the_fittest_are_kept() {
        let told = |per_second: u32| {
            let mut allowance = Allowance::default();
            let each = (0..960 * per_second).map(|i| allowance.take(f64::from(i / per_second), births(65)));
            each.fold((0, 0), |(kept, out), births| (kept + births.rows.len(), out + births.left_out))
        };
        assert_eq!(told(3), (960 * 3 * 65, 0));
        let (kept, left_out) = told(10);
        assert_eq!(kept + left_out as usize, 960 * 10 * 65);
        let bytes = kept as f64 * BIRTH + 9600.0 * GENERATION;
        assert!(bytes <= (960.0 + BURST) * BYTES && bytes > 0.98 * 960.0 * BYTES, "{bytes}");
        // Among those that came too fast the fittest stay.
        let mut allowance = Allowance { bytes: GENERATION + 10.0 * BIRTH, at: 1.0 };
        let some = allowance.take(1.0, births(30));
        assert_eq!((some.rows.len(), some.left_out), (10, 20));
        assert!(some.rows.iter().all(|birth| birth.number >= 20));
    }
}
