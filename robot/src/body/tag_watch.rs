//! Detects tags in camera frames, in a separate thread and at a fixed rate. The control loop and the colour vision do
//! not wait for the detection.

use crate::config::RobotFile;
use crate::device::Frame;
use crate::vision::markers::{Marker, Markers};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use xpuck_kernels::model::CAMERA_FOV;
use xpuck_wire::message::{MAX_TAGS, TagSeen, Tags};

/// State shared by the camera thread, the detection thread and the control loop.
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Next frame to process, and its arrival time.
    frame: Option<(Frame, Instant)>,
    /// Frame buffer that is kept for reuse.
    spare: Option<Frame>,
    /// Whether the detection thread is processing a frame.
    busy: bool,
    /// Time at which the last frame was accepted for detection.
    taken: Option<Instant>,
    seen: Option<(Tags, Instant)>,
    ended: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Handle through which the camera thread passes frames to the detection thread.
#[derive(Clone)]
pub struct FrameSender {
    shared: Arc<Shared>,
    period: Duration,
}

impl FrameSender {
    /// Copies a frame for detection, if the detection period has elapsed since the last copied frame and that frame has
    /// been processed. Otherwise, the frame is ignored.
    pub fn offer(&self, frame: &Frame) {
        let mut state = self.shared.lock();
        let due = state.taken.is_none_or(|at| at.elapsed() >= self.period);
        if !due || state.busy || state.frame.is_some() {
            return;
        }
        let now = Instant::now();
        let copy = match state.spare.take().filter(|spare| spare.bytes().len() == frame.bytes().len()) {
            Some(mut spare) if spare.width() == frame.width() => {
                spare.bytes_mut().copy_from_slice(frame.bytes());
                spare
            }
            _ => frame.clone(),
        };
        (state.frame, state.taken) = (Some((copy, now)), Some(now));
        self.shared.changed.notify_one();
    }
}

/// Returns whether the left, the centre and the right third of the camera's picture contain a tag. The picture spans
/// 56 degrees, centred on the robot's forward direction.
pub fn thirds(tags: &[TagSeen]) -> [bool; 3] {
    let edge = (CAMERA_FOV / 2.0).tan();
    let mut seen = [false; 3];
    for tag in tags.iter().filter(|tag| tag.bearing.abs() < CAMERA_FOV / 2.0) {
        // Position of the tag as a fraction of the picture's width, from the left.
        let place = (1.0 - tag.bearing.tan() / edge) / 2.0;
        seen[((3.0 * place) as usize).min(2)] = true;
    }
    seen
}

/// Handle of the detection thread, held by the control loop. When the handle is dropped, the thread ends.
pub struct TagDetector {
    looks: FrameSender,
}

impl TagDetector {
    /// Starts the detection if the robot's file configures a tag size and a camera. Otherwise returns `None`. `speed`
    /// is the ratio of arena time to wall time.
    ///
    /// # Errors
    /// If the system cannot create a thread.
    pub fn start(robot: &RobotFile, speed: f64) -> std::io::Result<Option<TagDetector>> {
        let Some(size_mm) = robot.camera.tag_size_mm.filter(|_| robot.devices.has_camera()) else { return Ok(None) };
        let period = Duration::from_secs_f64(1.0 / (robot.camera.tag_looks * speed));
        let shared = Arc::new(Shared { state: Mutex::default(), changed: Condvar::new() });
        let (lens, turn) = (robot.calibration.camera.lens, f64::from(robot.calibration.camera.turn_deg).to_radians());
        let markers = Markers::for_frames(size_mm / 1000.0, robot.devices.frame_size().0).with_lens(lens);
        let theirs = shared.clone();
        std::thread::Builder::new().name("tags".into()).spawn(move || detect_loop(&theirs, markers, turn))?;
        Ok(Some(TagDetector { looks: FrameSender { shared, period } }))
    }

    /// Returns a handle that accepts frames for detection.
    pub fn looks(&self) -> FrameSender {
        self.looks.clone()
    }

    /// Returns the tags of the last processed frame, and the arrival time of the frame. Returns `None` before the
    /// first frame has been processed, and while another thread holds the lock. The function never blocks.
    pub fn seen(&self) -> Option<(Tags, Instant)> {
        self.looks.shared.state.try_lock().ok()?.seen.clone()
    }
}

impl Drop for TagDetector {
    fn drop(&mut self) {
        self.looks.shared.lock().ended = true;
        self.looks.shared.changed.notify_one();
    }
}

fn detect_loop(shared: &Shared, mut markers: Markers, turn: f64) {
    let mut looks = 0u32;
    loop {
        let (frame, came) = {
            let mut state = shared.lock();
            loop {
                if state.ended {
                    return;
                }
                if let Some(given) = state.frame.take() {
                    state.busy = true;
                    break given;
                }
                state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        };
        let begun = Instant::now();
        let mut tags: Vec<TagSeen> = markers.detect(&frame).iter().map(|marker| to_robot_frame(marker, turn)).collect();
        tags.sort_by(|a, b| a.range.total_cmp(&b.range));
        tags.truncate(MAX_TAGS);
        looks = looks.saturating_add(1);
        let doubled = markers.doubled().try_into().unwrap_or(u32::MAX);
        let look_ms = begun.elapsed().as_secs_f32() * 1000.0;
        let mut state = shared.lock();
        state.seen = Some((Tags { age: 0.0, tags, looks, doubled, look_ms }, came));
        (state.busy, state.spare) = (false, Some(frame));
    }
}

/// Converts the pose of a marker to the robot's frame. The camera points `turn` (rad) to the left of the robot's
/// forward direction.
fn to_robot_frame(marker: &Marker, turn: f64) -> TagSeen {
    let around = |angle: f64| {
        let turned = (angle + turn).rem_euclid(std::f64::consts::TAU);
        (if turned > std::f64::consts::PI { turned - std::f64::consts::TAU } else { turned }) as f32
    };
    let pose = &marker.pose;
    TagSeen {
        id: marker.id,
        range: pose.range() as f32,
        bearing: around(pose.bearing()),
        height: pose.at[2] as f32,
        facing: around(pose.outward[1].atan2(pose.outward[0])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vision::synthetic::{Optics, marker_pose, render};
    use xpuck_kernels::random::{Draws, Stream};

    fn robot(more: &str) -> RobotFile {
        let text = format!(
            "id = \"xp01\"\nswarm = \"s.toml\"\n[devices]\nkind = \"virtual\"\ndirectory = \"d\"\ncamera_width = 320\n\
             camera_height = 240\n{more}"
        );
        let robot: RobotFile = xpuck_wire::file::parse("robot", &text).unwrap();
        robot.check().unwrap();
        robot
    }

    #[test]
    fn tags_are_in_robot_frame_nearest_first() {
        let file = "[camera]\ntag_size_mm = 100\ntag_looks = 15\n[calibration.camera]\nturn_deg = 10\n";
        let watch = TagDetector::start(&robot(file), 1.0).unwrap().unwrap();
        assert!(watch.seen().is_none());
        let tags = [(3, marker_pose([0.8, 0.1, 0.0], 0.0, 0.0)), (5, marker_pose([0.5, -0.1, 0.03], 0.3, 0.0))];
        let mut draws = Draws::new(1, 0, 0, 0, Stream::Device);
        let frame = render(&tags, 0.1, &Optics::perfect(320, 240), &mut draws);
        let begun = Instant::now();
        let seen = loop {
            watch.looks().offer(&frame);
            if let Some((seen, _)) = watch.seen().filter(|(seen, _)| seen.looks >= 2) {
                break seen;
            }
            assert!(begun.elapsed() < Duration::from_secs(60));
            std::thread::sleep(Duration::from_millis(2));
        };
        assert!(seen.is_sound() && seen.doubled == 0);
        assert_eq!(seen.tags.iter().map(|tag| tag.id).collect::<Vec<_>>(), [5, 3]);
        let tag = seen.tags[0];
        let (bearing, facing) =
            ((-0.1f32).atan2(0.5) + 10f32.to_radians(), std::f32::consts::PI - 0.3 - 10f32.to_radians());
        assert!((tag.range - 0.51).abs() < 0.015 && (tag.height - 0.03).abs() < 0.01, "{tag:?}");
        assert!((tag.bearing - bearing).abs() < 0.01, "{tag:?} {bearing}");
        // The tag is turned to the left by 0.3 rad relative to the direction of the camera. The camera itself points 10
        // degrees to the left of the robot's forward direction.
        assert!((tag.facing.abs() - facing).abs() < 0.05 && tag.facing < 0.0, "{tag:?} {facing}");
    }

    #[test]
    fn tags_are_seen_in_the_thirds_that_colours_have() {
        let at = |degrees: f32| thirds(&[TagSeen { range: 1.0, bearing: degrees.to_radians(), ..TagSeen::default() }]);
        assert_eq!((at(0.0), at(27.0), at(-27.0)), ([false, true, false], [true, false, false], [false, false, true]));
        // The edges of the centre third are a sixth of the picture's width away from the centre. Their angle is
        // atan(tan 28 / 3) = 10.05 degrees.
        assert_eq!((at(10.0), at(10.1)), ([false, true, false], [true, false, false]));
        assert_eq!((at(-10.0), at(-10.1)), ([false, true, false], [false, false, true]));
        assert_eq!((at(29.0), at(180.0), thirds(&[])), ([false; 3], [false; 3], [false; 3]));
    }

    #[test]
    fn tag_watch_needs_tag_size_and_valid_keys() {
        assert!(TagDetector::start(&robot(""), 1.0).unwrap().is_none());
        let error = |more: &str| {
            let file: Result<RobotFile, _> = xpuck_wire::file::parse(
                "r",
                &format!(
                    "id = \"a\"\nswarm = \"s\"\n[devices]\nkind = \"xpuck\"\nspi = \"/s\"\ni2c = \"/i\"\n[camera]\n{more}"
                ),
            );
            file.map_err(|e| e.to_string()).and_then(|file| file.check()).unwrap_err()
        };
        assert!(error("tag_size_mm = 2\n").contains("camera.tag_size_mm = 2 is outside 5 to 1000"));
        assert!(error("tag_looks = nan\n").contains("camera.tag_looks = NaN"));
        assert!(error("exposure = \"off\"\n").contains("exposure = \"off\""));
        assert!(error("tags_as = \"green\"\n").contains("camera.tags_as requires camera.tag_size_mm"));
        assert!(error("exposure = 500\n").contains("0.1 to 60 ms"));
    }
}
