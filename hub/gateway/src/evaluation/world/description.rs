//! Description of a world in a file.
//!
//! Lengths are in millimetres. The arena is 0 to [`SIDE`] in X and Y. Heights are measured from ground zero.

use serde::Deserialize;
use std::ops::RangeInclusive;

use super::outline::{OutlineError, convex_parts};

/// Length and width of the arena (mm) (section 3.2 of the specification).
pub const SIDE: f64 = 2000.0;

const HEIGHTS: RangeInclusive<f64> = -2000.0..=2000.0;
const SLOPES: RangeInclusive<f64> = -100.0..=100.0;
const MAX_BLOCKS: usize = 1024;
const MAX_GROUNDS: usize = 256;

/// Red, green and blue components of a colour.
pub type Colour = [u8; 3];

/// Corners `[x, y]` of a simple polygon (mm), 3 to 256 in either orientation. The last corner is joined to the first.
pub type Outline = Vec<[f64; 2]>;

/// World without robots.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Description {
    /// Height of the top of the walls around the arena, -2000 to 2000. Robots can never pass the walls, even if their
    /// top is below the ground. Beams pass above the walls.
    pub wall_height: f64,
    /// Colour of the walls.
    pub wall_colour: Colour,
    /// Height of the ground outside all raised ground, -2000 to 2000.
    pub ground_height: f64,
    /// Colour of the ground outside all raised ground.
    pub ground_colour: Colour,
    /// Colour of all robots.
    pub robot_colour: Colour,
    /// Obstacles, at most 1024.
    pub blocks: Vec<Block>,
    /// Raised ground and ramps, at most 256.
    pub grounds: Vec<Ground>,
    /// Areas where robots die, at most 256.
    pub deadly: Vec<Deadly>,
}

/// Obstacle with vertical sides.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Block {
    /// Outline, seen from above.
    pub outline: Outline,
    /// Height of the block's bottom, -2000 to 2000.
    #[serde(default)]
    pub bottom: f64,
    /// Height of the block's top, above the bottom, at most 2000.
    pub top: f64,
    /// Colour in visual readings.
    pub colour: Colour,
    /// Whether visual sensors detect the block. False for glass, for example.
    #[serde(default = "yes")]
    pub seen_by_light: bool,
    /// Whether sonic sensors detect the block. False for cotton, for example.
    #[serde(default = "yes")]
    pub seen_by_sound: bool,
}

/// Piece of raised ground with a level or sloping plane on top. It carries robots and never blocks them. To make a step
/// that blocks robots, add a block. Where several pieces of raised ground overlap, robots drive on the highest piece.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ground {
    /// Outline, seen from above.
    pub outline: Outline,
    /// Height at the first corner of the outline, -2000 to 2000.
    pub height: f64,
    /// Increase of the height per millimetre along X and Y, -100 to 100. No corner may be below
    /// [`Description::ground_height`].
    #[serde(default)]
    pub slope: [f64; 2],
    /// Colour in visual readings.
    pub colour: Colour,
}

/// Area in which robots die, regardless of the height of the ground.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deadly {
    /// Outline, seen from above.
    pub outline: Outline,
    /// Colour of the ground in this area.
    pub colour: Colour,
}

/// Error of a world description.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DescriptionError {
    /// The description has too many objects of a kind.
    #[error("there are {came} {what}; at most {most} are allowed")]
    TooMany {
        /// Kind of object.
        what: &'static str,
        /// Number of objects.
        came: usize,
        /// Maximum number of objects of this kind.
        most: usize,
    },
    /// The outline of an object is invalid.
    #[error("the outline of {what} {number}: {flaw}")]
    Outline {
        /// Kind of object.
        what: &'static str,
        /// Number of the object, from 1.
        number: usize,
        /// Error of the outline.
        flaw: OutlineError,
    },
    /// A value is out of range or NaN.
    #[error("the {what} is {value}, but must be {low} to {high}")]
    OutOfRange {
        /// Name of the value.
        what: String,
        /// Invalid value.
        value: f64,
        /// Lowest allowed value.
        low: f64,
        /// Highest allowed value.
        high: f64,
    },
}

impl Default for Description {
    fn default() -> Self {
        Self::empty()
    }
}

impl Description {
    /// Returns a world with flat ground, and with walls 300 mm high.
    pub fn empty() -> Self {
        Self {
            wall_height: 300.0,
            wall_colour: [200, 200, 200],
            ground_height: 0.0,
            ground_colour: [90, 90, 90],
            robot_colour: [40, 120, 60],
            blocks: Vec::new(),
            grounds: Vec::new(),
            deadly: Vec::new(),
        }
    }

    /// Checks the description.
    ///
    /// # Errors
    /// The description is invalid; the error describes its first flaw in one line.
    pub fn check(&self) -> Result<(), DescriptionError> {
        let counts = [
            ("blocks", self.blocks.len(), MAX_BLOCKS),
            ("pieces of ground", self.grounds.len(), MAX_GROUNDS),
            ("pieces of deadly ground", self.deadly.len(), MAX_GROUNDS),
        ];
        if let Some(&(what, came, most)) = counts.iter().find(|(_, came, most)| came > most) {
            return Err(DescriptionError::TooMany { what, came, most });
        }
        in_range(|| "height of the walls".into(), self.wall_height, HEIGHTS)?;
        in_range(|| "height of the ground".into(), self.ground_height, HEIGHTS)?;
        for (number, block) in (1..).zip(&self.blocks) {
            outline("block", number, &block.outline)?;
            in_range(|| format!("bottom of block {number}"), block.bottom, HEIGHTS)?;
            // A block must be at least one nanometre high.
            in_range(|| format!("top of block {number}"), block.top, block.bottom + 1e-6..=*HEIGHTS.end())?;
        }
        for (number, ground) in (1..).zip(&self.grounds) {
            outline("piece of ground", number, &ground.outline)?;
            let [along_x, along_y] = ground.slope;
            for slope in ground.slope {
                in_range(|| format!("slope of piece of ground {number}"), slope, SLOPES)?;
            }
            let [x, y] = ground.outline[0];
            for corner in &ground.outline {
                let height = ground.height + along_x * (corner[0] - x) + along_y * (corner[1] - y);
                let rounding = 1e-6;
                let allowed = self.ground_height - rounding..=HEIGHTS.end() + rounding;
                in_range(|| format!("height of a corner of piece of ground {number}"), height, allowed)?;
            }
        }
        (1..)
            .zip(&self.deadly)
            .try_for_each(|(number, deadly)| outline("piece of deadly ground", number, &deadly.outline))
    }
}

fn yes() -> bool {
    true
}

fn outline(what: &'static str, number: usize, outline: &Outline) -> Result<(), DescriptionError> {
    convex_parts(outline).map(drop).map_err(|flaw| DescriptionError::Outline { what, number, flaw })
}

fn in_range(what: impl FnOnce() -> String, value: f64, range: RangeInclusive<f64>) -> Result<(), DescriptionError> {
    if range.contains(&value) {
        return Ok(());
    }
    Err(DescriptionError::OutOfRange { what: what(), value, low: *range.start(), high: *range.end() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(side: f64) -> Outline {
        vec![[0.0, 0.0], [side, 0.0], [side, side], [0.0, side]]
    }

    fn refusal(change: impl FnOnce(&mut Description)) -> String {
        let mut description = Description::empty();
        assert_eq!(description.check(), Ok(()));
        change(&mut description);
        description.check().expect_err("no world").to_string()
    }

    #[test]
    fn invalid_description_is_reported_in_one_line() {
        let block = Block {
            outline: square(10.0),
            bottom: 50.0,
            top: 50.0,
            colour: [0; 3],
            seen_by_light: true,
            seen_by_sound: true,
        };
        assert_eq!(
            refusal(|world| world.blocks.push(block.clone())),
            "the top of block 1 is 50, but must be 50.000001 to 2000"
        );
        assert_eq!(
            refusal(|world| world.blocks = vec![block.clone(); 1025]),
            "there are 1025 blocks; at most 1024 are allowed"
        );
        assert_eq!(
            refusal(|world| world.wall_height = f64::NAN),
            "the height of the walls is NaN, but must be -2000 to 2000"
        );
        let low = Ground { outline: square(100.0), height: 10.0, slope: [0.0, -0.25], colour: [0; 3] };
        assert_eq!(
            refusal(|world| world.grounds.push(low)),
            "the height of a corner of piece of ground 1 is -15, but must be -0.000001 to 2000.000001"
        );
        let deadly = Deadly { outline: square(0.0), colour: [255, 0, 0] };
        assert_eq!(
            refusal(|world| world.deadly.push(deadly)),
            "the outline of piece of deadly ground 1: it encloses no area"
        );
    }
}
