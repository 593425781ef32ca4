//! Readings of the robot's own devices, and their freshness.

use xpuck_kernels::world::senses::Blobs;

/// Age above which the body's readings are stale (s).
pub const BODY_STALE: f32 = 0.3;
/// Age above which a camera frame is stale (s).
pub const CAMERA_STALE: f32 = 1.0;

/// Readings of the robot's own devices with their ages. The age is `None` before the first reading.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Readings {
    /// Reading of each proximity sensor (0..1).
    pub proximity: [f32; 8],
    /// Brightness at the eight light sensors (0..1). `None` if the body has no light sensors or if they are faulty.
    pub light: Option<[f32; 8]>,
    /// Age of the body's readings, in arena time (s).
    pub body_age: Option<f32>,
    /// Coloured blobs in the camera frame.
    pub blobs: Blobs,
    /// Age of the camera frame, in arena time (s).
    pub camera_age: Option<f32>,
    /// Range (m) and bearing (rad) of the nearest tag in the camera frame. `None` without a tag or with an old frame.
    pub tag: Option<[f32; 2]>,
    /// Brightness of the floor under the middle ground sensor (0..1). `None` without a sensor or a fresh reading.
    pub ground: Option<f32>,
}

impl Readings {
    /// Returns whether the body's readings are fresh.
    pub fn body_fresh(&self) -> bool {
        self.body_age.is_some_and(|age| age <= BODY_STALE)
    }

    /// Returns whether the camera frame is fresh.
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
