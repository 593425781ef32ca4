//! Sounds in the arena: fixed sources from the arena file, robots that play a melody, and the loudness at each
//! robot's microphones. Sources are omnidirectional, so the level falls with the distance.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xpuck_kernels::math::{Vec2, vec2};
use xpuck_kernels::world::Pose;
use xpuck_registers::microphone::{BEARINGS, Loudness, MAX_MICROPHONES, RADIUS};

/// Maximum number of sound sources in an arena.
pub const MAX_SOUNDS: usize = 8;
/// Minimum distance in the calculation of the level (m), about the size of a loudspeaker. At smaller distances, the
/// level of a source does not rise further.
const NEAREST: f32 = 0.02;
/// Loudness of a robot's speaker at 1 m, relative to a microphone's full scale (an assumption).
const SPEAKER: f32 = 0.01;

/// A sound source at a fixed position.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sound {
    /// Position, x and y (m).
    pub at_m: [f32; 2],
    /// Root-mean-square loudness at 1 m, relative to a microphone's full scale (0 to 1).
    pub loudness: f32,
}

impl Sound {
    /// Returns the sound source that represents the speaker of a robot.
    pub fn of_robot(pose: &Pose) -> Sound {
        Sound { at_m: [pose.at.x, pose.at.y], loudness: SPEAKER }
    }
}

/// Returns the loudness at each microphone of a robot. Sources are uncorrelated, so their powers add.
pub fn at_microphones<'a>(pose: &Pose, sounds: impl Iterator<Item = &'a Sound> + Clone) -> [Loudness; MAX_MICROPHONES] {
    BEARINGS.map(|bearing| {
        let place = pose.at + Vec2::unit(pose.heading + bearing) * RADIUS;
        let power = |sound: &Sound| {
            let distance = (vec2(sound.at_m[0], sound.at_m[1]) - place).length().max(NEAREST);
            (sound.loudness / distance).powi(2)
        };
        Loudness(sounds.clone().map(power).sum::<f32>().sqrt())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loudness_follows_side_and_distance() {
        let pose = Pose { at: vec2(0.0, 0.0), heading: 0.5 };
        let heard = |distance: f32| {
            let at = Vec2::unit(0.5 + BEARINGS[1]) * distance;
            at_microphones(&pose, [Sound { at_m: [at.x, at.y], loudness: 0.02 }].iter()).map(|l| l.0)
        };
        let [right, left, back, front] = heard(0.5);
        assert!(left > back && (back - front).abs() < 1e-6 && front > right, "{:?}", heard(0.5));
        assert!((heard(RADIUS + 0.2)[1] / heard(RADIUS + 0.4)[1] - 2.0).abs() < 1e-3);
        assert_eq!(at_microphones(&pose, [].iter()), [Loudness(0.0); 4]);
    }
}
