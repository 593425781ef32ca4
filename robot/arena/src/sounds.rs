//! Sounds in the arena: sources that the arena's file places, robots that play, and how loud it is at each robot's
//! microphones. Every source sends to all sides, so its level falls with the distance.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xpuck_kernels::math::{Vec2, vec2};
use xpuck_kernels::world::Pose;
use xpuck_registers::microphone::{BEARINGS, Loudness, MOST, RADIUS};

/// Most sources of an arena.
pub const MAX_SOUNDS: usize = 8;
/// A source is heard as from no nearer than this, m: the size of a loudspeaker.
const NEAREST: f32 = 0.02;
/// How loud a robot's speaker is 1 m away, a guess.
const SPEAKER: f32 = 0.01;

/// A source of sound that stands still.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sound {
    /// x and y, m.
    pub at_m: [f32; 2],
    /// Root of the mean square 1 m away, part of what a microphone can tell, 0 to 1.
    pub loudness: f32,
}

impl Sound {
    /// The speaker of a robot that plays.
    pub fn of_robot(pose: &Pose) -> Sound {
        Sound { at_m: [pose.at.x, pose.at.y], loudness: SPEAKER }
    }
}

/// How loud it is at the microphones of a robot. Sources that are not alike add their powers.
pub fn at_microphones<'a>(pose: &Pose, sounds: impl Iterator<Item = &'a Sound> + Clone) -> [Loudness; MOST] {
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
    fn it_is_louder_on_the_side_of_the_source_and_twice_as_loud_at_half_the_distance() {
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
