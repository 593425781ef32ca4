//! Buffers of a kernel video device, read with the crate `linuxvideo`.

use super::{Buffers, Format, YUYV, check, file_error};
use crate::device::camera::CameraError;
use linuxvideo::Device;
use linuxvideo::format::{PixFormat, PixelFormat};
use linuxvideo::stream::ReadStream;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::io;
use std::path::Path;
use std::time::Duration;

/// Streaming video device.
pub struct Kernel(ReadStream);

/// Opens a video device, and starts a stream of frames of this width and height (pixels).
///
/// # Errors
/// The errors of [`super::open`].
pub fn open(path: &Path, (width, height): (usize, usize)) -> Result<Kernel, CameraError> {
    let failed = |doing| move |source| file_error(path, doing, source);
    let device = Device::open(path).map_err(|source| match Errno::from_io_error(&source) {
        Some(Errno::NOTTY | Errno::INVAL) => CameraError::NotVideo { path: path.into() },
        _ => file_error(path, "open", source),
    })?;
    let asked = PixFormat::new(width as u32, height as u32, PixelFormat::from_fourcc(YUYV));
    let device = device.video_capture(asked).map_err(failed("set the format of"))?;
    let found = device.format();
    let [w, h, row] = [found.width(), found.height(), found.bytes_per_line()].map(|n| n as usize);
    let pixels = found.pixel_format().as_fourcc();
    check(path, (width, height), Format { width: w, height: h, pixels, row })?;
    Ok(Kernel(device.into_stream().map_err(failed("start"))?))
}

impl Buffers for Kernel {
    fn next(&mut self, timeout: Duration, take: &mut dyn FnMut(&[u8], bool)) -> io::Result<bool> {
        let timeout = Timespec::try_from(timeout).map_err(io::Error::other)?;
        // If the camera is unplugged, the poll ends too, and the subsequent dequeue returns the error.
        if poll(&mut [PollFd::new(&self.0, PollFlags::IN)], Some(&timeout))? == 0 {
            return Ok(false);
        }
        self.0.dequeue(|buffer| {
            take(&buffer, buffer.is_error());
            Ok(true)
        })
    }
}
