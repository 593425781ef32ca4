//! The FT2232H's packets over a socket: the stream that the shim would send, packet by packet.

use crate::device::DeviceError;
use crate::device::camera::{Camera, CameraError, Newest, POLL};
use crate::device::frames::{FrameDecoder, PixelOrder};
use std::io::{ErrorKind, Read};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use xpuck_registers::ft2232h::{PACKET, STATUS};

/// Bytes that are taken from the socket at once.
const INBOX: usize = 1 << 16;
/// Bytes of a packet's length in front of it.
const LENGTH: usize = 2;

/// Connects to `<robot>.camera`, which sends frames of `width` by `height` pixels.
pub fn open_camera(path: &Path, width: usize, height: usize) -> Result<Camera, DeviceError> {
    let decoder = FrameDecoder::new(width, height, PixelOrder::YCbYCr)?;
    let connect = || {
        let stream = UnixStream::connect(path)?;
        stream.set_read_timeout(Some(POLL))?;
        Ok(stream)
    };
    let stream = connect().map_err(|source| DeviceError::Open { path: path.into(), source })?;
    let path = path.to_path_buf();
    Camera::start((width, height), move |newest, stop| read(stream, &path, decoder, newest, stop))
}

fn read(
    mut stream: UnixStream,
    path: &Path,
    mut decoder: FrameDecoder,
    newest: &Newest,
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
            if !(STATUS..=PACKET).contains(&length) {
                return Err(CameraError::Packet { path: path.into(), length });
            }
            let Some(packet) = rest.get(..length) else { break };
            decoder.packet(packet, |frame| newest.offer(frame));
            used += LENGTH + length;
        }
        inbox.copy_within(used..filled, 0);
        filled -= used;
        newest.tell(decoder.counts());
    }
    Ok(())
}
