//! The AprilTags that a robot's camera sees.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most tags that are told at once.
pub const MAX_TAGS: usize = 16;
/// Farthest that a tag may be told to be, m.
const FARTHEST: f32 = 100.0;

/// A tag, as seen from the robot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TagSeen {
    /// Its number in the family 36h11.
    pub id: u16,
    /// Distance of its middle from the camera, m.
    pub range: f32,
    /// Direction on the floor, rad to the left of ahead.
    pub bearing: f32,
    /// Height of its middle above the camera, m.
    pub height: f32,
    /// Where its face points to, rad to the left of ahead: pi for one that faces the robot.
    pub facing: f32,
}

/// What a look at the camera's picture found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Tags {
    /// Age of the picture, s.
    pub age: f32,
    /// The tags in it, the nearest first; at most 16.
    pub tags: Vec<TagSeen>,
    /// Pictures that were looked at so far.
    pub looks: u32,
    /// Tags not believed so far, because the same number was seen at two places of a picture.
    pub doubled: u32,
    /// How long the look took, ms.
    pub look_ms: f32,
}

impl Tags {
    /// True if there are not too many, and every number can be.
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
