//! Lots: random choices that are drawn once per run, and that formulas and scenery use.

use crate::random::{Draws, Stream};
use serde::{Deserialize, Serialize};

/// Maximum number of lots of a world.
pub const MAX_LOTS: usize = 16;
/// Maximum number of values of a lot.
pub const MAX_VALUES: u32 = 1000;

/// Random choice with a name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lot {
    /// Name in formulas.
    pub name: String,
    /// Distribution.
    pub kind: LotKind,
}

/// Distribution of a lot.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum LotKind {
    /// Equally likely whole numbers, from 0 to one below this number.
    Values(u32),
    /// Number from the first to below the second limit, uniformly distributed.
    Range([f32; 2]),
}

/// Draws all lots of a run. Run `world` of a seed always has the same lots.
pub fn draw(lots: &[Lot], seed: u64, world: u32) -> Vec<f32> {
    let mut draws = Draws::new(seed, world, 0, 0, Stream::Lots);
    let draw = |lot: &Lot| match lot.kind {
        LotKind::Values(values) => draws.below(values) as f32,
        LotKind::Range([low, high]) => draws.range(low, high),
    };
    lots.iter().map(draw).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lots_have_their_distributions_and_depend_on_the_run() {
        let lots = [LotKind::Values(3), LotKind::Range([40.0, 60.0])].map(|kind| Lot { name: "lot".into(), kind });
        let all: Vec<Vec<f32>> = (0..3000).map(|world| draw(&lots, 7, world)).collect();
        for value in 0..3 {
            let count = all.iter().filter(|drawn| drawn[0] == value as f32).count();
            assert!((900..1100).contains(&count), "{value} was drawn {count} times of 3000");
        }
        let mean = all.iter().map(|drawn| drawn[1]).sum::<f32>() / 3000.0;
        assert!((mean - 50.0).abs() < 0.5 && all.iter().all(|drawn| (40.0..60.0).contains(&drawn[1])), "{mean}");
        assert_eq!(draw(&lots, 7, 5), all[5]);
        assert_ne!(draw(&lots, 8, 5), all[5]);
    }
}
