//! AprilTags on the arena's walls.

use xpuck_kernels::math::Vec2;
use xpuck_registers::tag36h11::{CODES, SIDE, WITH_MARGIN};

/// Allowed side lengths of a tag (m).
const SIZES: std::ops::RangeInclusive<f32> = 0.01..=0.16;
/// Maximum height of the upper edge of a tag with its margin (m): the height of the walls.
const TOP: f32 = 0.18;
/// Maximum distance of a tag from its wall (m).
const OFF: f32 = 0.01;
/// Distance to a wall below which a point counts as on the wall (m).
const ON_WALL: f32 = 0.001;

/// A tag on a wall of the arena.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WallTag {
    /// Tag id, 0 to 29.
    pub id: u16,
    /// Position of the centre, on one of the walls (m).
    pub at: Vec2,
    /// Side length of the black square (m, 0.01 to 0.16).
    pub size: f32,
    /// Height of the centre above the floor (m).
    pub height: f32,
}

impl WallTag {
    /// Validates the tag for an arena with the half side lengths `half_arena` (m).
    ///
    /// # Errors
    /// Returns a description of the first invalid value, in one line.
    pub fn check(&self, half_arena: (f32, f32)) -> Result<(), String> {
        let half = self.half();
        if usize::from(self.id) >= CODES.len() {
            return Err(format!("id = {} must be at most {}", self.id, CODES.len() - 1));
        }
        if !SIZES.contains(&self.size) {
            return Err(format!("size = {} is outside {SIZES:?} m", self.size));
        }
        if !(half..=TOP - half).contains(&self.height) {
            return Err(format!(
                "height = {}: the tag with its margin is {} m high and must fit between 0 and {TOP} m",
                self.height,
                2.0 * half
            ));
        }
        let off = (self.at.x.abs() - half_arena.0).abs().min((self.at.y.abs() - half_arena.1).abs());
        let inside = self.at.x.abs() <= half_arena.0 + OFF && self.at.y.abs() <= half_arena.1 + OFF;
        if !(off <= OFF && inside) {
            return Err(format!("at = [{}, {}] is not on a wall", self.at.x, self.at.y));
        }
        Ok(())
    }

    /// Returns half of the side length of the tag with its margin (m).
    fn half(&self) -> f32 {
        self.size / 2.0 * WITH_MARGIN as f32 / SIDE as f32
    }

    /// Returns the column of the tag's cells at a point on the walls. Columns are counted from the left, as seen
    /// facing the wall. `hx` and `hy` are the half side lengths of the arena (m). Returns `None` for a point outside
    /// the tag.
    pub(crate) fn column(&self, place: Vec2, (hx, hy): (f32, f32)) -> Option<usize> {
        // The tag belongs to the wall nearest to its centre.
        let across = (self.at.x.abs() - hx).abs() < (self.at.y.abs() - hy).abs();
        let (off, right) = match across {
            true => ((place.x - hx.copysign(self.at.x)).abs(), (self.at.y - place.y) * self.at.x.signum()),
            false => ((place.y - hy.copysign(self.at.y)).abs(), (place.x - self.at.x) * self.at.y.signum()),
        };
        let cell = (right + self.half()) / (self.size / SIDE as f32);
        (off < ON_WALL && cell >= 0.0 && cell < WITH_MARGIN as f32).then_some(cell as usize)
    }

    /// Returns the height of the upper edge of a row of cells above the floor (m).
    pub(crate) fn edge(&self, row: usize) -> f32 {
        self.height + self.half() - row as f32 * self.size / SIDE as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_kernels::math::vec2;

    #[test]
    fn invalid_wall_tag_is_rejected() {
        let tag = WallTag { id: 3, at: vec2(1.0, 0.2), size: 0.1, height: 0.08 };
        let error = |tag: WallTag| tag.check((1.0, 0.75)).unwrap_err();
        assert_eq!(tag.check((1.0, 0.75)), Ok(()));
        assert!(error(WallTag { id: 30, ..tag }).contains("id = 30"));
        assert!(error(WallTag { size: f32::NAN, ..tag }).contains("size = NaN"));
        assert!(error(WallTag { height: 0.15, ..tag }).contains("height = 0.15"));
        assert!(error(WallTag { at: vec2(0.5, 0.2), ..tag }).contains("is not on a wall"));
        assert!(error(WallTag { at: vec2(1.0, 3.0), ..tag }).contains("is not on a wall"));
        assert!(error(WallTag { at: vec2(f32::NAN, 0.75), ..tag }).contains("is not on a wall"));
    }
}
