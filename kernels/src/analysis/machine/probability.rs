//! Representation of a given probability as an `ifprob` leaf on a register that is always zero.

use crate::math::{exp, ln};
use crate::tree::{Kind, Tree};

/// Leaf `ifprob v_zero.x k l`, which succeeds with probability 1/(1+exp(k l)).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guard {
    /// Steepness, a multiple of 1/8.
    pub k: f32,
    /// Offset, a multiple of 1/8.
    pub l: f32,
    /// Resulting probability.
    pub achieved: f32,
}

impl Guard {
    /// Returns the guard closest to a probability above 0 and at most 1; `None` for other numbers. The error is at
    /// most 0.002, because the products of two multiples of 1/8 are sufficiently dense.
    pub fn nearest(probability: f64) -> Option<Guard> {
        if !(probability > 0.0 && probability <= 1.0) {
            return None;
        }
        let wanted = probability as f32;
        let product = ln((1.0 - wanted) / wanted);
        let candidates = (1..=127).flat_map(|eighths| {
            let k = eighths as f32 / 8.0;
            let l = (product / k * 8.0).clamp(-128.0, 127.0);
            [l.floor(), l.ceil()].map(|l| Guard::new(k, l / 8.0))
        });
        candidates.min_by(|a, b| (a.achieved - wanted).abs().total_cmp(&(b.achieved - wanted).abs()))
    }

    fn new(k: f32, l: f32) -> Guard {
        Guard { k, l, achieved: 1.0 / (1.0 + exp(k * l)) }
    }

    /// Converts the guard to a leaf.
    pub fn tree(self) -> Tree {
        Tree::leaf(Kind::Ifprob, &[0.0, self.k, self.l])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probability_guards_are_within_0_002() {
        for i in 1..=1000 {
            let wanted = f64::from(i) / 1000.0;
            let guard = Guard::nearest(wanted).unwrap();
            assert!((f64::from(guard.achieved) - wanted).abs() <= 0.002, "{wanted}: {guard:?}");
            assert_eq!(Tree::parse(&guard.tree().to_string()).unwrap(), guard.tree(), "k and l are eighths in range");
        }
        assert_eq!(Guard::nearest(1.0).unwrap().achieved, 1.0);
        assert!(Guard::nearest(1e-9).unwrap().achieved < 1e-6);
        for wrong in [0.0, -0.1, 1.001, f64::NAN] {
            assert_eq!(Guard::nearest(wrong), None);
        }
    }
}
