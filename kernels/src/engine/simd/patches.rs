//! Coloured wall patches in the view of a robot's camera.

use super::scene::Scene;
use crate::math::Vec2;
use crate::model::CAMERA_COLUMNS;
use crate::world::senses::patch_behind;

/// Returns the columns in which a robot at this position sees a wall patch, as a bit mask for each colour. Columns in
/// `taken` are excluded.
pub(super) fn patches_seen(at: Vec2, heading: f32, scene: &Scene, taken: u32) -> [u32; 3] {
    let mut colours = [0; 3];
    for column in (0..CAMERA_COLUMNS).filter(|c| taken >> c & 1 == 0) {
        if let Some(colour) = patch_behind(column, at, heading, &scene.patches, &scene.physics) {
            colours[colour as usize] |= 1 << column;
        }
    }
    colours
}
