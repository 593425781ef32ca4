//! Buffers of a video device of the kernel, by the crate `v4l`.

use super::{Buffers, Format, YUYV, check, file_error};
use crate::device::camera::CameraError;
use rustix::io::Errno;
use std::io;
use std::path::Path;
use std::time::Duration;
use v4l::buffer::{Flags, Type};
use v4l::io::mmap::Stream;
use v4l::io::traits::{CaptureStream, Stream as _};
use v4l::video::Capture;
use v4l::{Device, FourCC};

/// Buffers that the driver is asked for.
const BUFFERS: u32 = 4;
/// The most that a driver gives (`VIDEO_MAX_FRAME`).
const MOST_BUFFERS: usize = 32;

/// A video device that streams.
pub struct Kernel {
    stream: Option<Stream<'static>>,
}

/// Opens a video device and starts it with frames of this size.
///
/// # Errors
/// As of [`super::open`].
pub fn open(path: &Path, (width, height): (usize, usize)) -> Result<Kernel, CameraError> {
    let failed = |doing| move |source| file_error(path, doing, source);
    let device = Device::with_path(path).map_err(failed("open"))?;
    device.query_caps().map_err(|source| match Errno::from_io_error(&source) {
        Some(Errno::NOTTY | Errno::INVAL) => CameraError::NotVideo { path: path.into() },
        _ => file_error(path, "open", source),
    })?;
    let asked = v4l::Format::new(width as u32, height as u32, FourCC::new(&YUYV));
    let found = device.set_format(&asked).map_err(failed("set the format of"))?;
    let [w, h, row] = [found.width, found.height, found.stride].map(|n| n as usize);
    check(path, (width, height), Format { width: w, height: h, pixels: found.fourcc.repr, row })?;
    let stream = Stream::with_buffers(&device, Type::VideoCapture, BUFFERS).map_err(failed("start"))?;
    let mut kernel = Kernel { stream: Some(stream) };
    kernel.start().map_err(failed("start"))?;
    Ok(kernel)
}

impl Kernel {
    /// Queues every buffer but the first, which `next` of the crate queues before it takes another.
    fn start(&mut self) -> io::Result<()> {
        let Some(stream) = &mut self.stream else { return Ok(()) };
        for index in 1..MOST_BUFFERS {
            match CaptureStream::queue(stream, index) {
                Ok(()) => {}
                // There is none of this number.
                Err(error) if Errno::from_io_error(&error) == Some(Errno::INVAL) && index > 1 => break,
                Err(error) => return Err(error),
            }
        }
        stream.start()
    }
}

impl Buffers for Kernel {
    fn next(&mut self, timeout: Duration) -> io::Result<Option<(&[u8], bool)>> {
        let Some(stream) = &mut self.stream else { return Ok(None) };
        // The crate's own time-out would leave it with a buffer that is queued already, and it queues it again. An unplugged
        // camera is ready as well; taking its buffer then tells why.
        if stream.handle().poll(libc::POLLIN, timeout.as_millis() as i32)? == 0 {
            return Ok(None);
        }
        let (bytes, about) = CaptureStream::next(stream)?;
        let used = bytes.len().min(about.bytesused as usize);
        Ok(Some((&bytes[..used], about.flags.contains(Flags::ERROR))))
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        // The crate panics if a stream that is dropped cannot be stopped, and a panic ends the robot's program; one that
        // cannot be stopped is left as it is.
        if let Some(mut stream) = self.stream.take()
            && stream.stop().is_err_and(|error| Errno::from_io_error(&error) != Some(Errno::NODEV))
        {
            std::mem::forget(stream);
        }
    }
}
