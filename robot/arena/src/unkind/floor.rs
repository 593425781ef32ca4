//! Uneven floor: friction that varies smoothly with the position.

use super::keys::FloorKeys;
use super::streams;
use std::f32::consts::TAU;
use xpuck_kernels::math::{Vec2, sin_cos, vec2};
use xpuck_kernels::random::{Draws, Stream, normal_pair};

/// Number of plane waves that form the friction field.
const WAVES: usize = 32;
/// Bounds of the friction factor. They prevent extreme friction where the field has outliers.
const LEAST: f32 = 0.2;
const MOST: f32 = 1.8;

/// Random field of friction factors around 1.
#[derive(Clone, Debug)]
pub(crate) struct Floor {
    spread: f32,
    /// Wave number along x and y (1/m), and phase of each wave (rad).
    waves: Vec<(Vec2, f32)>,
}

impl Floor {
    /// Creates the field for a seed: a sum of plane waves with normally distributed wave numbers. The correlation of
    /// the factors at two positions with distance d is exp(-d^2 / (2 l^2)), where l is the correlation length. See
    /// Rahimi and Recht 2007, "Random features for large-scale kernel machines".
    pub fn new(keys: &FloorKeys, seed: u64) -> Floor {
        let mut draws = Draws::new(seed, streams::FLOOR, 0, 0, Stream::Device);
        let mut wave = || {
            let (x, y) = normal_pair(draws.word(), draws.word());
            (vec2(x, y) * (1.0 / keys.length_m), draws.unit() * TAU)
        };
        Floor { spread: keys.spread, waves: (0..WAVES).map(|_| wave()).collect() }
    }

    /// Returns the friction factor at a position (m).
    pub fn factor(&self, at: Vec2) -> f32 {
        let waves: f32 = self.waves.iter().map(|(number, phase)| sin_cos(number.dot(at) + phase).1).sum();
        (1.0 + self.spread * waves * (2.0 / WAVES as f32).sqrt()).clamp(LEAST, MOST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn friction_field_has_configured_spread_and_is_smooth() {
        let keys = FloorKeys { spread: 0.1, length_m: 0.25 };
        let (mut sum, mut square, mut near, mut far, mut n) = (0.0, 0.0, 0.0, 0.0, 0.0f64);
        for seed in 0..40 {
            let floor = Floor::new(&keys, seed);
            for i in 0..100 {
                let at = vec2(-0.9 + 0.2 * (i % 10) as f32, -0.7 + 0.15 * (i / 10) as f32);
                let here = f64::from(floor.factor(at)) - 1.0;
                let there = |d: f32| f64::from(floor.factor(at + vec2(d, 0.0))) - 1.0;
                sum += here;
                square += here * here;
                near += (here - there(0.02)).powi(2);
                far += (here - there(0.75)).powi(2);
                n += 1.0;
            }
        }
        let sd = (square / n).sqrt();
        assert!((sum / n).abs() < 0.02 && (0.085..0.115).contains(&sd), "mean {} sd {sd}", sum / n);
        // The expected root-mean-square difference of the factors at two positions with a distance of 0.02 m is spread
        // * sqrt(2 (1 - exp(-0.0032))) = 0.008. For positions far apart, it is 0.141.
        assert!((near / n).sqrt() < 0.012 && (far / n).sqrt() > 0.11, "{} {}", (near / n).sqrt(), (far / n).sqrt());
        assert_eq!(Floor::new(&keys, 3).factor(vec2(0.3, 0.2)), Floor::new(&keys, 3).factor(vec2(0.3, 0.2)));
        assert_ne!(Floor::new(&keys, 3).factor(vec2(0.3, 0.2)), Floor::new(&keys, 4).factor(vec2(0.3, 0.2)));
    }
}
