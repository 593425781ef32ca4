//! Last known pose of each body. It is used for frames in which the body is briefly hidden.

use crate::mocap::{Frame, Tracked};
use std::collections::BTreeMap;
use xpuck_kernels::world::Pose;

/// Maximum number of stored bodies.
const MOST: usize = 512;
/// Time after which a hidden body counts as absent (s).
const GONE: f64 = 0.5;

/// Last known pose of each body, with the time of its frame (s).
#[derive(Clone, Debug, Default)]
pub struct LastPoses(BTreeMap<String, (f64, Pose)>);

impl LastPoses {
    /// Stores the poses of a frame that arrived at `now` (s).
    pub fn on_frame(&mut self, now: f64, frame: &Frame) {
        for body in &frame.bodies {
            if let Some(sight) = self.0.get_mut(&body.name) {
                *sight = (now, body.pose);
            } else if self.0.len() < MOST {
                self.0.insert(body.name.clone(), (now, body.pose));
            }
        }
    }

    /// Returns the bodies that were visible in the last half second, with their last poses.
    pub fn recent(&self, now: f64) -> Frame {
        let recent = self.0.iter().filter(|(_, (at, _))| now - at <= GONE);
        let bodies = recent.map(|(name, (_, pose))| Tracked { name: name.clone(), pose: *pose });
        Frame { number: 0, bodies: bodies.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn briefly_hidden_body_is_still_present() {
        let frame = |names: &[&str]| Frame {
            number: 1,
            bodies: names.iter().map(|name| Tracked { name: (*name).into(), pose: Pose::default() }).collect(),
        };
        let mut sightings = LastPoses::default();
        sightings.on_frame(1.0, &frame(&["a", "b"]));
        sightings.on_frame(1.2, &frame(&["b"]));
        assert!(sightings.recent(1.4).pose("a").is_some());
        let later = sightings.recent(1.6);
        assert!(later.pose("a").is_none() && later.pose("b").is_some());
    }
}
