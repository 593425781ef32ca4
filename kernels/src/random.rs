//! Counter-based random numbers: Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011).
//!
//! A draw is a pure function of (seed, world, body, step, stream), independent of the order of worlds and the number
//! of threads and lanes.

use crate::math::{ln, max, sin_cos};
use rand::{SeedableRng, TryRng};
use std::convert::Infallible;
use std::f32::consts::TAU;

/// Purpose of random numbers. The purpose is part of the counter, so that different uses do not share numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Stream {
    /// Starting poses of a world.
    Start = 1,
    /// Motion noise of a body in a physics step.
    Motion = 2,
    /// Probabilistic nodes of a robot's controller.
    Controller = 3,
    /// Position of a relocated frisbee.
    Relocation = 4,
    /// Variation and selection in an evolving population.
    Evolution = 5,
    /// Noise of virtual devices and virtual senses.
    Device = 6,
    /// Source islands of migrating genes.
    Migration = 7,
    /// Reception, and measurement noise, of messages between robots.
    Messages = 8,
    /// Kinds and times of faults that the simulation test injects into a swarm.
    Simtest = 9,
    /// Missed segments of a simulated camera.
    Camera = 10,
    /// Misread shades of the ground sensor.
    Ground = 11,
    /// Lots of a world.
    Lots = 12,
    /// Errors of wheel speeds.
    Wheels = 13,
    /// Errors of proximity readings.
    Proximity = 14,
    /// Errors of light readings.
    Light = 15,
    /// Lost messages of robots with a memory.
    Packets = 16,
    /// Errors of ground points.
    Points = 17,
}

/// Number of rounds of Philox.
pub(crate) const PHILOX_ROUNDS: usize = 10;
/// Number of rounds of Philox for motion noise. Seven rounds pass all tests of TestU01's BigCrush (Salmon et al.). Ten
/// rounds include a safety margin, which motion noise does not need.
pub(crate) const MOTION_ROUNDS: usize = 7;
/// Factors by which each round of Philox multiplies the first and the third word of the counter.
pub(crate) const PHILOX_FACTORS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
/// Increments of the two words of the key after each round of Philox.
pub(crate) const PHILOX_BUMPS: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
/// Increment of the second word of the counter for the next block. The upper 16 bits of this word are the block number.
pub(crate) const NEXT_BLOCK: u32 = 1 << 16;
/// Distance between adjacent results of [`unit`].
pub(crate) const UNIT_STEP: f32 = 1.0 / 16_777_216.0;
/// Mean of the sum of five random bytes, and the reciprocal of its standard deviation, sqrt(5 (256^2 - 1) / 12).
pub(crate) const FIVE_BYTES: [f32; 2] = [637.5, 0.006_051_582_5];

/// Computes ten rounds of Philox on a 128-bit counter with a 64-bit key.
#[inline(always)]
pub fn philox(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    philox_rounds::<PHILOX_ROUNDS>(counter, key)
}

#[inline(always)]
fn philox_rounds<const ROUNDS: usize>(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let [mut a, mut b, mut c, mut d] = counter;
    let [mut k0, mut k1] = key;
    for _ in 0..ROUNDS {
        let x = u64::from(a) * u64::from(PHILOX_FACTORS[0]);
        let y = u64::from(c) * u64::from(PHILOX_FACTORS[1]);
        (a, b, c, d) = ((y >> 32) as u32 ^ b ^ k0, y as u32, (x >> 32) as u32 ^ d ^ k1, x as u32);
        k0 = k0.wrapping_add(PHILOX_BUMPS[0]);
        k1 = k1.wrapping_add(PHILOX_BUMPS[1]);
    }
    [a, b, c, d]
}

/// Returns one block of four random words for `body` of `world` at `step`. `block` is the number of the block, below
/// 2^16.
#[inline(always)]
pub fn random_block(seed: u64, world: u32, body: u32, step: u32, stream: Stream, block: u32) -> [u32; 4] {
    philox([world, body | block << 16, step, stream as u32], [seed as u32, (seed >> 32) as u32])
}

/// Returns four random words for a body's motion in a physics step. `key` is the seed, low word first.
#[inline(always)]
pub fn motion_words(key: [u32; 2], world: u32, body: u32, step: u32) -> [u32; 4] {
    philox_rounds::<MOTION_ROUNDS>([world, body, step, Stream::Motion as u32], key)
}

/// Returns four random words for the errors of a robot's sensors or wheels in an update. Like motion noise, they need
/// fewer rounds than other draws.
#[inline(always)]
pub fn error_words(key: [u32; 2], world: u32, robot: u32, update: u32, stream: Stream) -> [u32; 4] {
    philox_rounds::<MOTION_ROUNDS>([world, robot, update, stream as u32], key)
}

/// Computes an approximately normal deviate with mean 0 and variance 1. It is the scaled sum of five bytes: the four
/// bytes of one word and the lowest byte of another. The fourth moment of the deviate is 2.76 instead of 3, and its
/// magnitude is at most 3.86.
#[inline(always)]
pub fn nearly_normal(four: u32, fifth: u32) -> f32 {
    const EVEN: u32 = 0x00ff_00ff;
    let pairs = (four & EVEN) + (four >> 8 & EVEN);
    let sum = (pairs & 0xffff) + (pairs >> 16) + (fifth & 0xff);
    // Converts through i32, because a signed integer is converted to f32 in a single instruction.
    (sum as i32 as f32 - FIVE_BYTES[0]) * FIVE_BYTES[1]
}

/// Converts the upper 24 bits of a word to a number in [0, 1).
#[inline(always)]
pub fn unit(word: u32) -> f32 {
    (word >> 8) as f32 * UNIT_STEP
}

/// Converts a word to an integer in `0..n`; see [`Draws::below`].
#[inline(always)]
pub(crate) fn below(word: u32, n: u32) -> u32 {
    ((u64::from(word) * u64::from(n)) >> 32) as u32
}

/// Converts two words to two independent standard normal deviates (Box-Muller).
#[inline(always)]
pub fn normal_pair(a: u32, b: u32) -> (f32, f32) {
    let u = ((a >> 8) + 1) as f32 * UNIT_STEP;
    let radius = max(-2.0 * ln(u), 0.0).sqrt();
    let (s, c) = sin_cos(unit(b) * TAU);
    (radius * c, radius * s)
}

/// Sequence of random words for one combination of seed, world, body, step and stream.
#[derive(Clone, Debug)]
pub struct Draws {
    seed: u64,
    counter: [u32; 4],
    words: [u32; 4],
    used: usize,
}

impl Draws {
    /// Creates the draws for `body` of `world` at `step`. The sequence has 2^18 words.
    pub fn new(seed: u64, world: u32, body: u32, step: u32, stream: Stream) -> Draws {
        Draws { seed, counter: [world, body, step, stream as u32], words: [0; 4], used: 4 }
    }

    /// Returns the next random word.
    pub fn word(&mut self) -> u32 {
        if self.used == 4 {
            self.words = philox(self.counter, [self.seed as u32, (self.seed >> 32) as u32]);
            self.counter[1] = self.counter[1].wrapping_add(NEXT_BLOCK);
            self.used = 0;
        }
        let word = self.words[self.used];
        self.used += 1;
        word
    }

    /// Returns a uniform number in [0, 1).
    pub fn unit(&mut self) -> f32 {
        unit(self.word())
    }

    /// Returns a uniform number in `low..high`.
    pub fn range(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    /// Returns a uniform integer in `0..n`, for n >= 1. The result is the high word of the product of n and a random
    /// word, so the bias is below n / 2^32.
    pub fn below(&mut self, n: u32) -> u32 {
        assert!(n > 0, "no number is below 0");
        below(self.word(), n)
    }
}

/// Provides the words of [`Draws::word`] to the methods of `rand`. A `u64` consists of two words, low word first. The
/// algorithms of `rand` can change with its version, so reproducible results must not depend on them.
impl TryRng for Draws {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.word())
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let low = u64::from(self.word());
        Ok(low | u64::from(self.word()) << 32)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for four in bytes.chunks_mut(4) {
            four.copy_from_slice(&self.word().to_le_bytes()[..four.len()]);
        }
        Ok(())
    }
}

/// Creates draws from 24 bytes. These are the seed and the four words of the counter (world, body, step and stream), in
/// this order and little endian.
impl SeedableRng for Draws {
    type Seed = [u8; 24];

    fn from_seed(place: [u8; 24]) -> Draws {
        let word = |i: usize| u32::from_le_bytes(std::array::from_fn(|byte| place[4 * i + byte]));
        let seed = u64::from(word(0)) | u64::from(word(1)) << 32;
        Draws { seed, counter: [word(2), word(3), word(4), word(5)], words: [0; 4], used: 4 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, RngExt};

    #[test]
    fn philox_known_answers() {
        assert_eq!(philox([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        assert_eq!(philox([u32::MAX; 4], [u32::MAX; 2]), [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
        assert_eq!(
            philox([0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344], [0xa409_3822, 0x299f_31d0]),
            [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]
        );
    }

    #[test]
    fn normals_have_the_moments_of_a_normal() {
        let n = 40_000;
        let (mut sum, mut square, mut fourth) = (0.0f64, 0.0f64, 0.0f64);
        for i in 0..n {
            let w = random_block(7, 0, 0, i, Stream::Motion, 0);
            for x in [normal_pair(w[0], w[1]).0, normal_pair(w[0], w[1]).1] {
                let x = f64::from(x);
                sum += x;
                square += x * x;
                fourth += x.powi(4);
            }
        }
        let m = f64::from(2 * n);
        assert!((sum / m).abs() < 0.02, "mean {}", sum / m);
        assert!((square / m - 1.0).abs() < 0.03, "variance {}", square / m);
        assert!((fourth / m - 3.0).abs() < 0.2, "fourth moment {}", fourth / m);
    }

    #[test]
    fn motion_noise_is_near_normal_and_uncorrelated() {
        let n = 100_000;
        let mut sums = [0.0f64; 3];
        let mut fourth = 0.0f64;
        let mut products = [0.0f64; 6];
        for i in 0..n {
            let [a, b, c, d] = motion_words([7, 0], 0, 0, i);
            let [x, y, z] = [nearly_normal(a, d), nearly_normal(b, d >> 8), nearly_normal(c, d >> 16)].map(f64::from);
            sums = [sums[0] + x, sums[1] + y, sums[2] + z];
            fourth += x.powi(4);
            for (product, value) in products.iter_mut().zip([x * x, y * y, z * z, x * y, y * z, z * x]) {
                *product += value;
            }
            assert!(x.abs() < 3.86 && y.abs() < 3.86 && z.abs() < 3.86);
        }
        let n = f64::from(n);
        assert!(sums.iter().all(|sum| (sum / n).abs() < 0.015), "{sums:?}");
        assert!(products[..3].iter().all(|square| (square / n - 1.0).abs() < 0.02), "{products:?}");
        assert!(products[3..].iter().all(|product| (product / n).abs() < 0.015), "{products:?}");
        assert!((fourth / n - 2.76).abs() < 0.06, "{}", fourth / n);
    }

    #[test]
    fn draws_follow_the_blocks_and_stay_in_range() {
        let mut draws = Draws::new(3, 1, 2, 9, Stream::Start);
        let expected: Vec<u32> = (0..3).flat_map(|b| random_block(3, 1, 2, 9, Stream::Start, b)).collect();
        let got: Vec<u32> = (0..12).map(|_| draws.word()).collect();
        assert_eq!(got, expected);
        assert!((0..1000).all(|_| draws.below(7) < 7));
        assert!((0..1000).all(|_| (-2.0..3.0).contains(&draws.range(-2.0, 3.0))));
    }

    #[test]
    fn rand_draws_the_words_of_the_stream() {
        let stream = || Draws::new(0x0123_4567_89ab_cdef, 1, 2, 9, Stream::Device);
        let mut draws = stream();
        let words: [u32; 9] = std::array::from_fn(|_| draws.word());
        let mut rng = stream();
        assert_eq!(rng.next_u32(), words[0]);
        assert_eq!(rng.next_u64(), u64::from(words[1]) | u64::from(words[2]) << 32);
        let mut bytes = [0; 6];
        rng.fill_bytes(&mut bytes);
        assert_eq!(bytes[..4], words[3].to_le_bytes());
        assert_eq!(bytes[4..], words[4].to_le_bytes()[..2]);
        assert_eq!(rng.random::<u32>(), words[5], "the rest of a word is not used");

        let seed = 0x0123_4567_89ab_cdefu64.to_le_bytes();
        let counter = [1u32, 2, 9, Stream::Device as u32].map(u32::to_le_bytes).concat();
        let mut seeded = Draws::from_seed([&seed[..], &counter].concat().try_into().unwrap());
        assert_eq!(std::array::from_fn(|_| seeded.word()), words);
    }
}
