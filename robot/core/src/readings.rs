//! What the robot's own devices sense, and whether it is young enough to be used.

use xpuck_kernels::world::senses::Blobs;

/// A body that has been silent for longer is not trusted, s.
pub const BODY_STALE: f32 = 0.3;
/// A camera frame that is older shows nothing, s.
pub const CAMERA_STALE: f32 = 1.0;

/// What the robot's own devices sense, and how long ago. An age is `None` before the first reading.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Readings {
    /// Proximity, 0..1.
    pub proximity: [f32; 8],
    /// Brightness at the eight light sensors, 0..1; none if the body does not tell, or they cannot be believed.
    pub light: Option<[f32; 8]>,
    /// Age of what the body told, s of arena time.
    pub body_age: Option<f32>,
    /// Camera blobs.
    pub blobs: Blobs,
    /// Age of the camera frame, s of arena time.
    pub camera_age: Option<f32>,
    /// Range, m, and bearing, rad, of the nearest tag in the camera; none if there is none, or its picture is old.
    pub tag: Option<[f32; 2]>,
}

impl Readings {
    /// The body has told its senses lately.
    pub fn body_fresh(&self) -> bool {
        self.body_age.is_some_and(|age| age <= BODY_STALE)
    }

    /// The camera has given a frame lately.
    pub fn camera_fresh(&self) -> bool {
        self.camera_age.is_some_and(|age| age <= CAMERA_STALE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_readings_are_not_fresh() {
        let mut readings = Readings::default();
        assert!(!readings.body_fresh() && !readings.camera_fresh(), "before the first");
        (readings.body_age, readings.camera_age) = (Some(0.31), Some(0.9));
        assert!(!readings.body_fresh() && readings.camera_fresh());
    }
}
