//! Camera streams over a socket. An xpuck's camera sends the shim's frames in packets of an FT2232H. Other cameras send
//! payloads of the USB video class.

use super::stream::Stream;
use crate::device::camera::{Camera, CameraError, LatestFrame, POLL};
use crate::device::frames::{CameraCounts, FrameDecoder, PixelOrder};
use crate::device::uvc::PayloadReader;
use crate::device::{DeviceError, Frame, v4l2};
use std::io::{ErrorKind, Read};
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use xpuck_registers::{ft2232h, uvc};

/// Maximum number of bytes read from the socket at once.
const INBOX: usize = 1 << 16;
/// Size of the length field of a packet (bytes).
const LENGTH: usize = 2;

/// Connects to an xpuck's `<robot>.camera`, which sends frames of `width` by `height` pixels as an FT2232H does.
pub fn open_ft2232h(path: &Path, width: usize, height: usize) -> Result<Camera, DeviceError> {
    let mut decoder = FrameDecoder::new(width, height, PixelOrder::YCbYCr)?;
    open(path, (width, height), ft2232h::STATUS..=ft2232h::PACKET, move |packet, newest| {
        decoder.packet(packet, |frame| newest.offer(frame));
        decoder.counts()
    })
}

/// Connects to an e-puck1's or e-puck2's `<robot>.camera`, which sends payloads of the USB video class. The frames
/// are processed like those of a video device.
pub fn open_uvc(path: &Path, width: usize, height: usize) -> Result<Camera, DeviceError> {
    let mut frame = Frame::black(width, height)?;
    let mut reader = PayloadReader::new(frame.bytes().len());
    let mut counts = CameraCounts::default();
    open(path, (width, height), uvc::HEADER..=uvc::LONGEST, move |payload, newest| {
        counts.packets += 1;
        reader.push(payload, |bytes, damaged| {
            if v4l2::copy_frame(bytes, damaged, &mut frame, &mut counts) {
                newest.offer(&mut frame);
            }
        });
        CameraCounts { resyncs: reader.malformed, ..counts }
    })
}

/// Connects to a camera's socket. `take` processes a packet, and returns the current counters. A packet whose length
/// (bytes) is not in `possible` ends the stream with an error.
fn open(
    path: &Path,
    size: (usize, usize),
    possible: RangeInclusive<usize>,
    take: impl FnMut(&[u8], &LatestFrame) -> CameraCounts + Send + 'static,
) -> Result<Camera, DeviceError> {
    let stream = Stream::open(path, POLL)?;
    let path = path.to_path_buf();
    Camera::start(size, move |newest, stop| read(stream, &path, &possible, take, newest, stop))
}

fn read(
    mut stream: Stream,
    path: &Path,
    possible: &RangeInclusive<usize>,
    mut take: impl FnMut(&[u8], &LatestFrame) -> CameraCounts,
    newest: &LatestFrame,
    stop: &AtomicBool,
) -> Result<(), CameraError> {
    let mut inbox = vec![0; INBOX];
    let mut filled = 0;
    while !stop.load(Relaxed) {
        match stream.read(&mut inbox[filled..]) {
            Ok(0) => return Err(CameraError::Gone { device: path.display().to_string() }),
            Ok(bytes) => filled += bytes,
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted) => {}
            Err(e) if e.kind() == ErrorKind::ConnectionReset => {
                return Err(CameraError::Gone { device: path.display().to_string() });
            }
            Err(source) => {
                return Err(CameraError::File { path: path.into(), doing: "read", source: Arc::new(source) });
            }
        }
        let mut used = 0;
        while let Some((head, rest)) = inbox[used..filled].split_first_chunk::<LENGTH>() {
            let length = usize::from(u16::from_le_bytes(*head));
            if !possible.contains(&length) {
                return Err(CameraError::Packet { path: path.into(), length, most: *possible.end() });
            }
            let Some(packet) = rest.get(..length) else { break };
            newest.update_counts(take(packet, newest));
            used += LENGTH + length;
        }
        inbox.copy_within(used..filled, 0);
        filled -= used;
    }
    Ok(())
}
