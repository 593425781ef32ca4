//! Camera with a kernel driver, read over Video4Linux 2. The Pi-puck board sends YUYV frames of 640 x 480 pixels at
//! 15 Hz.
//!
//! The driver fills one of two mapped buffers while this program copies the other one. A copy takes a small part of
//! the frame time. The driver drops frames if no buffer is free.

mod kernel;

use super::camera::{Camera, CameraError, LatestFrame, POLL};
use super::frames::CameraCounts;
use super::{DeviceError, Frame};
use rustix::io::Errno;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// Requested pixel format.
pub const YUYV: [u8; 4] = *b"YUYV";

/// Opens a video device, such as `/dev/video0`, and streams YUYV frames of `width` by `height` pixels.
///
/// # Errors
/// If the file does not exist or is not a video device, or if the device does not support this format.
pub fn open(path: &Path, width: usize, height: usize) -> Result<Camera, DeviceError> {
    Frame::len_of(width, height)?;
    start(path, (width, height), kernel::open(path, (width, height))?)
}

/// Picture format of a driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Width (pixels).
    pub width: usize,
    /// Height (pixels).
    pub height: usize,
    /// Pixel format as four characters.
    pub pixels: [u8; 4],
    /// Row length (bytes).
    pub row: usize,
}

/// Stream of buffers filled by a driver.
pub trait Buffers {
    /// Passes the next filled buffer to `take`, with `true` if the driver marked the buffer as damaged. Returns false
    /// if no buffer was filled within `timeout`.
    ///
    /// # Errors
    /// The error of the system. After [`ErrorKind::Interrupted`], the caller can repeat the call.
    fn next(&mut self, timeout: Duration, take: &mut dyn FnMut(&[u8], bool)) -> io::Result<bool>;
}

/// Verifies that a driver's format is YUYV with the requested width and height. A driver may select another format if
/// it does not support the requested one.
///
/// # Errors
/// [`CameraError::Format`] with the requested and the actual format.
pub fn check(path: &Path, (width, height): (usize, usize), found: Format) -> Result<(), CameraError> {
    if found == (Format { width, height, pixels: YUYV, row: width * 2 }) {
        return Ok(());
    }
    let Format { width: w, height: h, pixels, row } = found;
    let asked = format!("{width} x {height} YUYV");
    let found = format!("{w} x {h} {} with {row} bytes per row", String::from_utf8_lossy(&pixels));
    Err(CameraError::Format { path: path.into(), asked, found })
}

/// Starts a camera that reads its frames from `buffers`.
///
/// # Errors
/// If the size is invalid, or the system cannot create a thread.
pub fn start(
    path: &Path,
    (width, height): (usize, usize),
    buffers: impl Buffers + Send + 'static,
) -> Result<Camera, DeviceError> {
    let (path, frame) = (path.to_path_buf(), Frame::black(width, height)?);
    Camera::start((width, height), move |newest, stop| read(buffers, &path, frame, newest, stop))
}

fn read(
    mut buffers: impl Buffers,
    path: &Path,
    mut frame: Frame,
    newest: &LatestFrame,
    stop: &AtomicBool,
) -> Result<(), CameraError> {
    let mut counts = CameraCounts::default();
    while !stop.load(Relaxed) {
        let mut whole = false;
        match buffers.next(POLL, &mut |bytes, damaged| whole = copy_frame(bytes, damaged, &mut frame, &mut counts)) {
            Ok(true) => {}
            Ok(false) => continue,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(file_error(path, "read", error)),
        }
        if whole {
            newest.offer(&mut frame);
        }
        newest.update_counts(counts);
    }
    Ok(())
}

/// Copies a buffer to the frame, and returns true. If the buffer is damaged or has a wrong size, counts the error and
/// returns false.
pub(super) fn copy_frame(bytes: &[u8], damaged: bool, frame: &mut Frame, counts: &mut CameraCounts) -> bool {
    counts.bytes += bytes.len() as u64;
    let fits = bytes.len() == frame.bytes().len();
    if damaged {
        counts.dropped_frames += 1;
    } else if !fits {
        counts.wrong_size += 1;
    } else {
        frame.bytes_mut().copy_from_slice(bytes);
        counts.frames += 1;
    }
    fits && !damaged
}

/// Converts an error of the system to a camera error. If the camera was unplugged, returns [`CameraError::Gone`].
pub fn file_error(path: &Path, doing: &'static str, source: io::Error) -> CameraError {
    if Errno::from_io_error(&source) == Some(Errno::NODEV) {
        return CameraError::Gone { device: path.display().to_string() };
    }
    CameraError::File { path: PathBuf::from(path), doing, source: Arc::new(source) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the error text for a device that cannot be opened.
    fn refused(path: &Path) -> String {
        open(path, 640, 480).map(|_| ()).unwrap_err().to_string()
    }

    #[test]
    fn odd_frame_width_is_rejected() {
        assert!(matches!(open(Path::new("/dev/null"), 3, 2), Err(DeviceError::FrameSize { .. })));
    }

    #[test]
    fn invalid_camera_is_rejected_with_path() {
        let absent = refused(Path::new("/nonexistent/video0"));
        assert!(absent.contains("cannot open /nonexistent/video0") && absent.contains("No such file"), "{absent}");
        assert_eq!(refused(Path::new("/dev/null")), "/dev/null is not a video device");
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(refused(file.path()).contains("is not a video device"));
    }

    /// Result of a driver call: the bytes of a buffer, and whether the buffer is damaged. `None`: no buffer was filled.
    type Given = io::Result<Option<(Vec<u8>, bool)>>;

    /// Simulated driver that returns a list of results, and afterwards the error of an unplugged camera.
    struct Driver(std::vec::IntoIter<Given>);

    impl Buffers for Driver {
        fn next(&mut self, _: Duration, take: &mut dyn FnMut(&[u8], bool)) -> io::Result<bool> {
            let Some((bytes, damaged)) = self.0.next().unwrap_or(Err(Errno::NODEV.into()))? else { return Ok(false) };
            take(&bytes, damaged);
            Ok(true)
        }
    }

    #[test]
    fn newest_buffer_wins_and_unplugging_ends_camera() {
        use crate::device::FrameSource;
        let gives = vec![
            Ok(Some((vec![1; 16], false))),
            Ok(None),
            Err(Errno::INTR.into()),
            Ok(Some((vec![2; 16], false))),
            Ok(Some((vec![3; 16], true))),
        ];
        let mut camera = start(Path::new("/dev/video7"), (4, 2), Driver(gives.into_iter())).unwrap();
        let deadline = std::time::Instant::now() + Duration::from_secs(60);
        while camera.counts().dropped_frames == 0 {
            assert!(std::time::Instant::now() < deadline, "{:?}", camera.counts());
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(camera.latest().unwrap().map(|frame| frame.bytes()[0]), Some(2));
        let counts = camera.counts();
        assert_eq!((counts.frames, counts.overtaken, counts.dropped_frames), (2, 1, 1));
        let ended = loop {
            if let Err(error) = camera.latest() {
                break error.to_string();
            }
            assert!(std::time::Instant::now() < deadline);
        };
        assert!(ended.contains("/dev/video7 was disconnected"), "{ended}");
    }

    #[test]
    fn unplugged_camera_is_reported_with_path() {
        let error = file_error(Path::new("/dev/video0"), "read", Errno::NODEV.into());
        assert!(matches!(&error, CameraError::Gone { device } if device == "/dev/video0"), "{error}");
    }

    #[test]
    fn only_whole_buffers_become_frames() {
        let mut frame = Frame::black(4, 2).unwrap();
        let mut counts = CameraCounts::default();
        assert!(!copy_frame(&[7; 12], false, &mut frame, &mut counts));
        assert!(!copy_frame(&[7; 16], true, &mut frame, &mut counts));
        assert_eq!(frame, Frame::black(4, 2).unwrap());
        assert!(copy_frame(&[9; 16], false, &mut frame, &mut counts));
        assert_eq!(frame.bytes(), [9; 16]);
        let expected =
            CameraCounts { frames: 1, dropped_frames: 1, wrong_size: 1, bytes: 44, ..CameraCounts::default() };
        assert_eq!(counts, expected);
    }

    #[test]
    fn another_picture_than_asked_for_is_refused() {
        let path = Path::new("/dev/video0");
        let format = Format { width: 320, height: 240, pixels: *b"MJPG", row: 0 };
        let told = check(path, (640, 480), format).unwrap_err().to_string();
        assert!(told.contains("640 x 480 YUYV") && told.contains("320 x 240 MJPG"), "{told}");
        let padded = Format { width: 640, height: 480, pixels: YUYV, row: 1536 };
        assert!(check(path, (640, 480), padded).unwrap_err().to_string().contains("1536 bytes per row"));
        assert!(check(path, (640, 480), Format { row: 1280, ..padded }).is_ok());
    }
}
