//! Imperfections of a simulated camera: delay and missed objects (thesis 7.3.2, Fig. 7.5).

use super::camera::{COLUMNS_PER_SEGMENT, segments_vector};
use crate::math::Vec2;
use crate::model::{CONTROL_PERIOD, SLOW_SENSES_PERIOD};
use crate::random::{Stream, random_block, unit};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Camera model. The default is a perfect camera.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CameraModel {
    /// Additional age of the images that controllers see (s), 0 to 0.4. A perfect camera takes one image every 0.2 s,
    /// which controllers read immediately and again 0.1 s later. The mean age of its images is therefore 0.05 s. The
    /// delay of each robot is a whole number of controller updates of 0.1 s. For 0.15 s, for example, half of the
    /// robots have a delay of one update, and the other half a delay of two updates.
    #[schemars(range(min = 0.0, max = LONGEST_DELAY))]
    pub delay_s: f32,
    /// Probability that an image shows nothing in one of its three segments, 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub misses: f32,
}

/// Longest delay of camera images (s). The delay is limited, because a history contains three images.
pub const LONGEST_DELAY: f32 = 0.4;
/// Number of bits of an image: three segments for each of three colours.
pub(crate) const PICTURE_BITS: u32 = 9;
/// Mean age of a perfect camera's image when the controller reads it (s).
pub const PERFECT_AGE: f32 = 0.5 * CONTROL_PERIOD * (SLOW_SENSES_PERIOD - 1) as f32;
/// Bit mask of one image.
const PICTURE: u32 = (1 << PICTURE_BITS) - 1;
/// Factor that replicates one image to a history of three equal images.
pub(crate) const THRICE: u32 = 1 | 1 << PICTURE_BITS | 1 << (2 * PICTURE_BITS);
/// Bit mask of the three images of a history. The bits above this mask contain the delay (controller updates).
pub(crate) const PICTURES: u32 = PICTURE * THRICE;
/// First bit of the delay in a history.
pub(crate) const DELAY_BIT: u32 = 3 * PICTURE_BITS;

impl CameraModel {
    /// Whether the camera is perfect, i.e. has no delay and misses nothing.
    pub fn is_perfect(&self) -> bool {
        self.delay_s == 0.0 && self.misses == 0.0
    }

    /// Returns the history of a robot's camera before its first image. This history contains no images, but only the
    /// delay of the robot's camera. The delay is partly random.
    pub(crate) fn initial_history(&self, seed: u64, world: u32, robot: u32) -> u32 {
        let updates = self.delay_s / CONTROL_PERIOD;
        let whole = updates as u32;
        // u32::MAX exceeds all update numbers, so this random number is independent of the missed segments.
        let chance = unit(random_block(seed, world, robot, u32::MAX, Stream::Camera, 0)[0]);
        (whole + u32::from(chance < updates - whole as f32)) << DELAY_BIT
    }

    /// Validates the ranges of the values.
    ///
    /// # Errors
    /// Returns key, value and range of the first value that is out of range.
    pub fn check(&self) -> Result<(), String> {
        let rows = [("delay_s", self.delay_s, LONGEST_DELAY), ("misses", self.misses, 1.0)];
        match rows.into_iter().find(|(_, value, high)| !(0.0..=*high).contains(value)) {
            Some((key, value, high)) => Err(format!("camera.{key} = {value} is outside 0 to {high}")),
            None => Ok(()),
        }
    }

    /// Returns the segments in which a robot's camera detects nothing in an update, as a mask of image bits.
    #[inline(always)]
    pub(crate) fn missed_segments(&self, seed: u64, world: u32, robot: u32, update: u32) -> u32 {
        let words = random_block(seed, world, robot, update, Stream::Camera, 0);
        let missed = |segment: usize| if unit(words[segment]) < self.misses { 0b001_001_001 << segment } else { 0 };
        missed(0) | missed(1) | missed(2)
    }

    /// Returns a history with a new image added. The image of update 0 also fills the entries for earlier images.
    #[inline(always)]
    pub(crate) fn push_image(history: u32, picture: u32, update: u32) -> u32 {
        let pictures = if update == 0 { picture * THRICE } else { history << PICTURE_BITS | picture };
        history & !PICTURES | pictures & PICTURES
    }

    /// Returns the newest image of a history that is at least as old as the delay. Images are taken in every second
    /// update.
    #[inline(always)]
    pub(crate) fn delayed_image(history: u32, update: u32) -> u32 {
        let back = ((history >> DELAY_BIT) + 1 - update % SLOW_SENSES_PERIOD) / SLOW_SENSES_PERIOD;
        history >> (back * PICTURE_BITS) & PICTURE
    }
}

/// Encodes an image from bit masks of the visible columns of red, green and blue.
#[inline(always)]
pub(crate) fn picture(columns: [u32; 3]) -> u32 {
    const SEGMENT: u32 = (1 << COLUMNS_PER_SEGMENT) - 1;
    let mut bits = 0;
    for (colour, columns) in columns.into_iter().enumerate() {
        for segment in 0..3 {
            let seen = columns >> (segment * COLUMNS_PER_SEGMENT) & SEGMENT != 0;
            bits |= u32::from(seen) << (3 * colour + segment);
        }
    }
    bits
}

/// Returns the vectors of red, green and blue in an image (thesis Table 6.4). `aside` is the direction of the left
/// segment.
#[inline(always)]
pub(crate) fn vectors(picture: u32, aside: Vec2) -> [Vec2; 3] {
    let seen = |bit: u32| picture >> bit & 1 != 0;
    [0, 3, 6].map(|first| segments_vector(seen(first), seen(first + 1), seen(first + 2), aside))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shown_image_age_is_minimal_above_delay() {
        for delay in 0..=4u32 {
            let mut history = delay << DELAY_BIT;
            for update in 0..40u32 {
                if update.is_multiple_of(SLOW_SENSES_PERIOD) {
                    history = CameraModel::push_image(history, update / SLOW_SENSES_PERIOD, update);
                }
                assert_eq!(history >> DELAY_BIT, delay);
                let age = update.checked_sub(SLOW_SENSES_PERIOD * CameraModel::delayed_image(history, update)).unwrap();
                let least = if update >= delay { delay } else { 0 };
                let fits = (least..least + SLOW_SENSES_PERIOD).contains(&age) || update < delay + 2;
                assert!(fits, "{delay} {update} {age}");
            }
        }
    }

    #[test]
    fn delays_between_updates_are_those_of_some_robots() {
        let delays = |delay_s: f32| -> f32 {
            let model = CameraModel { delay_s, misses: 0.0 };
            let sum: u32 = (0..10_000).map(|robot| model.initial_history(3, 8, robot) >> DELAY_BIT).sum();
            sum as f32 / 1e5
        };
        for delay_s in [0.0, 0.1, 0.15, 0.23, 0.4] {
            assert!((delays(delay_s) - delay_s).abs() < 0.003, "{delay_s}: {}", delays(delay_s));
        }
    }

    #[test]
    fn segments_are_missed_at_modelled_rate() {
        let model = CameraModel { delay_s: 0.0, misses: 0.2 };
        let counts = |bit: u32| (0..20_000).filter(|u| model.missed_segments(7, 3, 2, *u) >> bit & 1 != 0).count();
        for bit in 0..9 {
            let part = counts(bit) as f32 / 20_000.0;
            assert!((part - 0.2).abs() < 0.01, "bit {bit}: {part}");
        }
        assert!((0..1000).all(|u| CameraModel::default().missed_segments(7, 3, 2, u) == 0));
        assert!((0..1000).all(|u| CameraModel { misses: 1.0, ..model }.missed_segments(7, 3, 2, u) == PICTURE));
    }

    #[test]
    fn picture_bits_match_columns_and_bad_delay_is_rejected() {
        for bits in 0..=PICTURE {
            let columns = [0, 1, 2].map(|colour| {
                (0..3).map(|s| (bits >> (3 * colour + s) & 1) << (s as usize * COLUMNS_PER_SEGMENT + 2)).sum()
            });
            assert_eq!(picture(columns), bits);
        }
        assert_eq!(
            CameraModel { delay_s: 0.5, misses: 0.0 }.check().unwrap_err(),
            "camera.delay_s = 0.5 is outside 0 to 0.4"
        );
        assert!(CameraModel { delay_s: f32::NAN, misses: 0.0 }.check().is_err());
    }
}
