//! A camera that the kernel knows, over Video4Linux 2: the Pi-puck's board sends YUYV of 640 x 480 at 15 Hz.
//!
//! The driver fills one mapped buffer while the other is copied, which takes a small part of a frame's time. What it
//! cannot put anywhere it leaves out, so the newest frame always wins.

use super::camera::{Camera, CameraError, Newest, POLL};
use super::frames::CameraCounts;
use super::{DeviceError, Frame};
use linuxvideo::format::{PixFormat, PixelFormat};
use linuxvideo::stream::ReadStream;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Opens a video device, such as `/dev/video0`, and streams YUYV frames of `width` by `height` pixels.
///
/// # Errors
/// No such file, one that is no video device, one that has no such format.
pub fn open(path: &Path, width: usize, height: usize) -> Result<Camera, DeviceError> {
    let frame = Frame::black(width, height)?;
    let failed = |doing| move |source| file_error(path, doing, source);
    let device = linuxvideo::Device::open(path).map_err(|source| match Errno::from_io_error(&source) {
        Some(Errno::NOTTY | Errno::INVAL) => CameraError::NotVideo { path: path.into() },
        _ => file_error(path, "open", source),
    })?;
    let asked = PixFormat::new(width as u32, height as u32, PixelFormat::YUYV);
    let device = device.video_capture(asked).map_err(failed("set the format of"))?;
    check(path, (width, height), device.format())?;
    let stream = device.into_stream().map_err(failed("start"))?;
    let path = path.to_path_buf();
    Camera::start((width, height), move |newest, stop| read(stream, &path, frame, newest, stop))
}

/// Refuses a format that is not the one asked for; the driver may offer its nearest instead.
fn check(path: &Path, (width, height): (usize, usize), found: &PixFormat) -> Result<(), CameraError> {
    let size = (found.width() as usize, found.height() as usize);
    let packed = found.bytes_per_line() as usize == width * 2;
    if size == (width, height) && found.pixel_format() == PixelFormat::YUYV && packed {
        return Ok(());
    }
    let (asked, line) = (format!("{width} x {height} YUYV"), found.bytes_per_line());
    let found = format!("{} x {} {} with {line} bytes a row", size.0, size.1, found.pixel_format());
    Err(CameraError::Format { path: path.into(), asked, found })
}

fn read(
    mut stream: ReadStream,
    path: &Path,
    mut frame: Frame,
    newest: &Newest,
    stop: &AtomicBool,
) -> Result<(), CameraError> {
    let wait = Timespec { tv_sec: 0, tv_nsec: POLL.as_nanos() as i64 };
    let mut counts = CameraCounts::default();
    while !stop.load(Relaxed) {
        // An unplugged camera is ready as well; taking its buffer then tells why.
        match poll(&mut [PollFd::new(&stream, PollFlags::IN)], Some(&wait)) {
            Ok(0) | Err(Errno::INTR) => continue,
            Ok(_) => {}
            Err(error) => return Err(file_error(path, "wait for", error.into())),
        }
        let whole = stream.dequeue(|view| Ok(take(&view, view.is_error(), &mut frame, &mut counts)));
        // The buffer is still there for the next round.
        if whole.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::Interrupted) {
            continue;
        }
        if whole.map_err(|source| file_error(path, "read", source))? {
            newest.offer(&mut frame);
        }
        newest.tell(counts);
    }
    Ok(())
}

/// Copies a buffer into the frame; false for one that is damaged or too short, which is counted.
pub(super) fn take(bytes: &[u8], damaged: bool, frame: &mut Frame, counts: &mut CameraCounts) -> bool {
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

fn file_error(path: &Path, doing: &'static str, source: io::Error) -> CameraError {
    if Errno::from_io_error(&source) == Some(Errno::NODEV) {
        return CameraError::Gone { device: path.display().to_string() };
    }
    CameraError::File { path: PathBuf::from(path), doing, source: Arc::new(source) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(path: &Path) -> String {
        open(path, 640, 480).map(|_| ()).unwrap_err().to_string()
    }

    #[test]
    fn what_is_no_camera_is_named() {
        let absent = refused(Path::new("/nonexistent/video0"));
        assert!(absent.contains("cannot open /nonexistent/video0") && absent.contains("No such file"), "{absent}");
        assert_eq!(refused(Path::new("/dev/null")), "/dev/null is not a video device");
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(refused(file.path()).contains("is not a video device"));
        assert!(matches!(open(Path::new("/dev/null"), 3, 2), Err(DeviceError::FrameSize { .. })));
    }

    #[test]
    fn an_unplugged_camera_is_named() {
        let error = file_error(Path::new("/dev/video0"), "read", Errno::NODEV.into());
        assert!(matches!(&error, CameraError::Gone { device } if device == "/dev/video0"), "{error}");
    }

    #[test]
    fn only_whole_buffers_become_frames() {
        let mut frame = Frame::black(4, 2).unwrap();
        let mut counts = CameraCounts::default();
        assert!(!take(&[7; 12], false, &mut frame, &mut counts));
        assert!(!take(&[7; 16], true, &mut frame, &mut counts));
        assert_eq!(frame, Frame::black(4, 2).unwrap());
        assert!(take(&[9; 16], false, &mut frame, &mut counts));
        assert_eq!(frame.bytes(), [9; 16]);
        let expected =
            CameraCounts { frames: 1, dropped_frames: 1, wrong_size: 1, bytes: 44, ..CameraCounts::default() };
        assert_eq!(counts, expected);
    }

    #[test]
    fn another_picture_than_asked_for_is_refused() {
        let path = Path::new("/dev/video0");
        // A format that is only asked for has no row length yet, as a driver's answer would.
        let told = check(path, (640, 480), &PixFormat::new(320, 240, PixelFormat::MJPG)).unwrap_err().to_string();
        assert!(told.contains("640 x 480 YUYV") && told.contains("320 x 240"), "{told}");
    }
}
