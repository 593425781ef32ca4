//! Conversion of a motion-capture system's frames to the swarm's conventions: units, vertical axis, body names and
//! timestamps.

use super::RawFrame;
use crate::config::{Mocap, MocapKind, MocapTime, UpAxis};
use std::collections::BTreeMap;

/// Conversion of frames according to `[mocap]` in the hub's file.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    scale: f64,
    /// Whether poses must be rotated from y up to z up. For NatNet the value is false, because the NatNet client has
    /// already rotated the poses.
    turned: bool,
    arrival: bool,
    /// Robot id by subject name.
    robots: BTreeMap<String, String>,
    frames: u32,
}

impl Reference {
    /// Creates the conversion for the settings of a hub file.
    pub fn new(mocap: &Mocap) -> Reference {
        Reference {
            scale: mocap.scale,
            turned: mocap.up_axis() == UpAxis::Y && mocap.kind != MocapKind::Natnet,
            arrival: mocap.time == MocapTime::Arrival,
            robots: mocap.subjects.iter().map(|(robot, subject)| (subject.clone(), robot.clone())).collect(),
            frames: 0,
        }
    }

    /// Converts a frame that arrived at `arrived` (s since an arbitrary origin).
    pub fn translate(&mut self, frame: &mut RawFrame, arrived: f64) {
        if self.arrival {
            self.frames = self.frames.wrapping_add(1);
            (frame.number, frame.time_s) = (self.frames, arrived);
        }
        for body in &mut frame.bodies {
            body.place = body.place.map(|length| length * self.scale);
            if self.turned {
                (body.place, body.rotation) = (turn(body.place), turn_matrix(&body.rotation));
            }
            if self.arrival {
                body.age_s = 0.0;
            }
            if let Some(robot) = self.robots.get(&body.name) {
                body.name.clone_from(robot);
            }
        }
    }
}

/// Rotates a position by 90 degrees about x, from y up to z up.
fn turn([x, y, z]: [f64; 3]) -> [f64; 3] {
    [x, -z, y]
}

/// Rotates a row-major rotation matrix in the same way as [`turn`].
fn turn_matrix(rotation: &[f64; 9]) -> [f64; 9] {
    const FROM: [usize; 3] = [0, 2, 1];
    const SIGN: [f64; 3] = [1.0, -1.0, 1.0];
    std::array::from_fn(|at| {
        let (i, j) = (at / 3, at % 3);
        SIGN[i] * SIGN[j] * rotation[3 * FROM[i] + FROM[j]]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mocap::RawBody;

    const IDENTITY: [f64; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

    fn frame(place: [f64; 3], rotation: [f64; 9]) -> RawFrame {
        let body = RawBody { name: "XP01".into(), place, rotation, quality: None, age_s: 0.01 };
        RawFrame { number: 7, time_s: 0.5, bodies: vec![body] }
    }

    #[test]
    fn without_keys_a_frame_stays_as_it_is() {
        let (mut changed, before) = (frame([1.0, 2.0, 3.0], IDENTITY), frame([1.0, 2.0, 3.0], IDENTITY));
        Reference::new(&Mocap::default()).translate(&mut changed, 9.0);
        assert_eq!(changed, before);
    }

    #[test]
    fn millimetres_y_up_and_a_name_become_ours() {
        let subjects = [("xp01".into(), "XP01".into())].into();
        let mocap = Mocap { scale: 0.001, up: Some(UpAxis::Y), subjects, ..Mocap::default() };
        // The body is rotated by 90 degrees about the vertical axis y. Its x axis then points along -z, which is y in
        // the swarm's frame.
        let turned = [0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0];
        let mut frame = frame([500.0, 100.0, -250.0], turned);
        Reference::new(&mocap).translate(&mut frame, 9.0);
        let body = &frame.bodies[0];
        assert_eq!((body.name.as_str(), body.place), ("xp01", [0.5, 0.25, 0.1]));
        assert_eq!(body.rotation, [0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
        assert_eq!((frame.number, frame.time_s), (7, 0.5));
    }

    #[test]
    fn time_of_arrival_replaces_stamps_that_stand_still() {
        let mut reference = Reference::new(&Mocap { time: MocapTime::Arrival, ..Mocap::default() });
        for (number, arrived) in [(1, 0.02), (2, 0.04)] {
            let mut frame = frame([0.0; 3], IDENTITY);
            reference.translate(&mut frame, arrived);
            assert_eq!((frame.number, frame.time_s, frame.bodies[0].age_s), (number, arrived, 0.0));
        }
    }
}
