//! Tags as an input of the control loop. Tags are reported to the hub. If the robot's file configures a colour, the
//! behaviour tree sees tags as patches of this colour.

use crate::body::tag_watch::{FrameSender, TagDetector, thirds};
use crate::config::{RobotFile, TagColour};
use std::time::{Duration, Instant};
use xpuck_kernels::world::Colour;
use xpuck_kernels::world::senses::Blobs;
use xpuck_robot_core::readings::CAMERA_STALE;
use xpuck_wire::message::Tags;

/// Minimum interval between tag reports (wall time).
const REPORT_INTERVAL: Duration = Duration::from_millis(500);

/// Results of the tag detection for the control loop. Without a detection thread, no tags are sensed or reported.
pub struct TagReporter {
    watch: Option<TagDetector>,
    colour: Option<Colour>,
    /// Tags of the last processed frame, and the arrival time of that frame.
    seen: Option<(Tags, Instant)>,
    /// Number of the last reported detection result (0 before the first report), and the time of the report.
    last_report: (u32, Option<Instant>),
    /// Ratio of arena time to wall time.
    speed: f64,
}

impl TagReporter {
    /// Starts the tag detection if the robot's file configures it. `speed` is the ratio of arena time to wall time.
    ///
    /// # Errors
    /// If the system cannot create a thread.
    pub fn start(robot: &RobotFile, speed: f64) -> std::io::Result<TagReporter> {
        let colour = robot.camera.tags_as.map(|colour| match colour {
            TagColour::Red => Colour::Red,
            TagColour::Green => Colour::Green,
            TagColour::Blue => Colour::Blue,
        });
        Ok(TagReporter { watch: TagDetector::start(robot, speed)?, colour, seen: None, last_report: (0, None), speed })
    }

    /// Returns a handle that accepts frames for the tag detection; `None` without tag detection.
    pub fn frame_sender(&self) -> Option<FrameSender> {
        self.watch.as_ref().map(TagDetector::looks)
    }

    /// Returns the last result and its age (s of arena time); `None` before the first result. The function never
    /// blocks. It returns the previous result while the detection thread is writing.
    fn latest(&mut self) -> Option<(&Tags, f32)> {
        if let Some(seen) = self.watch.as_ref().and_then(TagDetector::seen) {
            self.seen = Some(seen);
        }
        let (tags, came) = self.seen.as_ref()?;
        Some((tags, (came.elapsed().as_secs_f64() * self.speed) as f32))
    }

    /// Adds each tag to the blobs as a patch of the configured colour. Does nothing if the last processed frame is
    /// stale.
    pub fn add_to(&mut self, blobs: &mut Blobs) {
        let Some(colour) = self.colour else { return };
        if let Some((tags, _)) = self.latest().filter(|(_, age)| *age <= CAMERA_STALE) {
            add(tags, colour, blobs);
        }
    }

    /// Returns range (m) and bearing (rad) of the nearest tag. Returns `None` if no tag is visible or the last
    /// processed frame is stale.
    pub fn nearest(&mut self) -> Option<[f32; 2]> {
        let (tags, _) = self.latest().filter(|(_, age)| *age <= CAMERA_STALE)?;
        nearest(tags)
    }

    /// Returns the tags of the last processed frame. Returns `None` if this frame's tags have already been returned, or
    /// less than half a second after the previous tags.
    pub fn next_report(&mut self) -> Option<Tags> {
        let (looks, at) = self.last_report;
        if at.is_some_and(|at| at.elapsed() < REPORT_INTERVAL) {
            return None;
        }
        let (tags, age) = self.latest().filter(|(tags, _)| tags.looks != looks)?;
        let tags = Tags { age, ..tags.clone() };
        self.last_report = (tags.looks, Some(Instant::now()));
        Some(tags)
    }
}

fn nearest(tags: &Tags) -> Option<[f32; 2]> {
    tags.tags.iter().min_by(|a, b| a.range.total_cmp(&b.range)).map(|tag| [tag.range, tag.bearing])
}

fn add(tags: &Tags, colour: Colour, blobs: &mut Blobs) {
    let seen = &mut blobs.0[colour as usize];
    seen.iter_mut().zip(thirds(&tags.tags)).for_each(|(seen, tag)| *seen |= tag);
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_wire::message::TagSeen;

    #[test]
    fn tags_add_to_the_colours_that_are_seen_anyway() {
        let mut blobs = Blobs::default();
        blobs.0[Colour::Green as usize] = [true, false, false];
        blobs.0[Colour::Blue as usize] = [false, true, false];
        let tag = TagSeen { range: 1.0, bearing: -0.3, ..TagSeen::default() };
        add(&Tags { tags: vec![tag], ..Tags::default() }, Colour::Green, &mut blobs);
        assert_eq!(blobs.0[Colour::Green as usize], [true, false, true]);
        assert_eq!(blobs.0[Colour::Blue as usize], [false, true, false]);
    }

    #[test]
    fn nearest_tag_is_selected() {
        let tag = |range: f32, bearing: f32| TagSeen { range, bearing, ..TagSeen::default() };
        assert_eq!(nearest(&Tags::default()), None);
        let tags = Tags { tags: vec![tag(1.0, -0.3), tag(0.4, 0.2), tag(0.9, 0.0)], ..Tags::default() };
        assert_eq!(nearest(&tags), Some([0.4, 0.2]));
    }
}
