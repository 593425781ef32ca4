//! AprilTags seen by a robot's camera.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Maximum number of tags in a message.
pub const MAX_TAGS: usize = 16;
/// Maximum accepted distance of a tag from the camera, and maximum accepted height difference between them (m).
const FARTHEST: f32 = 100.0;

/// AprilTag that a robot's camera sees. Its pose is in the robot's frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TagSeen {
    /// Number of the tag in the family 36h11.
    pub id: u16,
    /// Distance of the tag's centre from the camera (m).
    pub range: f32,
    /// Horizontal angle from the robot's forward direction to the tag, counter-clockwise (rad).
    pub bearing: f32,
    /// Height of the tag's centre above the camera (m); negative below the camera.
    pub height: f32,
    /// Horizontal angle from the robot's forward direction to the direction in which the tag faces, counter-clockwise
    /// (rad). The value is pi if the tag faces against the robot's forward direction.
    pub facing: f32,
}

/// Result of tag detection in one camera frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Tags {
    /// Age of the camera frame (s).
    pub age: f32,
    /// Tags in the frame, sorted by distance in ascending order. At most 16 tags are listed.
    pub tags: Vec<TagSeen>,
    /// Number of frames in which the robot searched for tags so far.
    pub looks: u32,
    /// Number of tags rejected so far because several tags of a frame had the same number.
    pub doubled: u32,
    /// Duration of tag detection in the frame (ms).
    pub look_ms: f32,
}

impl Tags {
    /// Returns whether the number of tags and all values are within their limits.
    pub fn is_sound(&self) -> bool {
        let angle = |angle: f32| angle.abs() <= std::f32::consts::PI + 1e-3;
        let sound = |tag: &TagSeen| {
            (0.0..=FARTHEST).contains(&tag.range)
                && tag.height.abs() <= FARTHEST
                && angle(tag.bearing)
                && angle(tag.facing)
        };
        let times = [self.age, self.look_ms].iter().all(|time| time.is_finite() && *time >= 0.0);
        self.tags.len() <= MAX_TAGS && times && self.tags.iter().all(sound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_that_cannot_be_are_not_sound() {
        let tag = TagSeen { id: 7, range: 0.8, bearing: -0.2, height: 0.05, facing: 3.1 };
        let of = |tag: TagSeen| Tags { tags: vec![tag], ..Tags::default() }.is_sound();
        assert!(of(tag) && Tags::default().is_sound());
        assert!(!of(TagSeen { range: f32::NAN, ..tag }) && !of(TagSeen { range: 1e6, ..tag }));
        assert!(!of(TagSeen { bearing: 4.0, ..tag }) && !of(TagSeen { height: f32::INFINITY, ..tag }));
        assert!(!Tags { tags: vec![tag; 17], ..Tags::default() }.is_sound());
        assert!(!Tags { age: -1.0, ..Tags::default() }.is_sound());
    }
}
