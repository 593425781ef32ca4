//! Common part of all cameras: a thread that receives frames, and a slot from which the reader takes the newest frame.
//!
//! A camera has three frame buffers. The thread fills the first, the second holds the newest frame, and the reader uses
//! the third. Buffers are swapped, and never allocated again.

use super::bulk::TransferError;
use super::frames::CameraCounts;
use super::{DeviceError, Frame, FrameSource};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Maximum time for which a camera's thread waits for data before it checks the stop flag.
pub(crate) const POLL: Duration = Duration::from_millis(100);

/// Reason why a camera cannot be opened, or why its stream ended. The type is `Clone`, because a camera whose stream
/// ended returns the same error at each call.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CameraError {
    /// The USB device does not exist.
    #[error("no USB device {vendor:04x}:{product:04x}{} found", serial.as_ref().map(|s| format!(" with serial number {s:?}")).unwrap_or_default())]
    Absent {
        /// Requested USB vendor id.
        vendor: u16,
        /// Requested USB product id.
        product: u16,
        /// Requested serial number, if any.
        serial: Option<String>,
    },
    /// The USB device cannot be listed, opened or claimed.
    #[error("cannot {doing} USB device {device}: {source}")]
    Usb {
        /// Description of the device: vendor and product, and its bus and address if known.
        device: String,
        /// Attempted operation.
        doing: &'static str,
        /// Error of libusb.
        source: rusb::Error,
    },
    /// The USB device rejected a request.
    #[error("USB device {device} rejected the request for {request}: {source}")]
    Request {
        /// Description of the device: vendor, product, bus and address.
        device: String,
        /// Name of the request.
        request: &'static str,
        /// Error of libusb.
        source: rusb::Error,
    },
    /// A USB endpoint delivers no more data.
    #[error("endpoint {endpoint:#04x} of USB device {device} stopped: {source}")]
    Endpoint {
        /// Description of the device: vendor, product, bus and address.
        device: String,
        /// Address of the endpoint.
        endpoint: u8,
        /// Error of the transfer.
        source: TransferError,
    },
    /// The camera was disconnected.
    #[error("camera {device} was disconnected: it was unplugged, or the other side closed")]
    Gone {
        /// Description of the USB device, or path of the device file or socket.
        device: String,
    },
    /// A device file or socket cannot be used.
    #[error("cannot {doing} {}: {source}", path.display())]
    File {
        /// Path of the file.
        path: PathBuf,
        /// Attempted operation.
        doing: &'static str,
        /// Error of the operating system.
        #[source]
        source: Arc<std::io::Error>,
    },
    /// The device file is not a camera.
    #[error("{} is not a video device", path.display())]
    NotVideo {
        /// Path of the device file.
        path: PathBuf,
    },
    /// The camera does not support the requested picture.
    #[error("{} delivers {found} instead of {asked}", path.display())]
    Format {
        /// Path of the device file.
        path: PathBuf,
        /// Requested size and pixel format.
        asked: String,
        /// Offered size and pixel format.
        found: String,
    },
    /// The socket of a virtual camera delivered a packet of an invalid length.
    #[error("{} sent a packet of {length} bytes; expected 2 to {most}", path.display())]
    Packet {
        /// Path of the socket.
        path: PathBuf,
        /// Received length (bytes).
        length: usize,
        /// Maximum length (bytes).
        most: usize,
    },
}

struct Slot {
    frame: Frame,
    fresh: bool,
    counts: CameraCounts,
    ended: Option<CameraError>,
}

/// Newest frame, shared by the camera's thread and the reader.
pub(crate) struct LatestFrame(Mutex<Slot>);

impl LatestFrame {
    fn lock(&self) -> MutexGuard<'_, Slot> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores a frame as the newest. Replaces the contents of `frame` by an older frame of the same size.
    pub(crate) fn offer(&self, frame: &mut Frame) {
        let mut slot = self.lock();
        std::mem::swap(&mut slot.frame, frame);
        slot.counts.overtaken += u64::from(slot.fresh);
        slot.fresh = true;
    }

    /// Updates the counters of the stream, except `overtaken`, which `offer` counts.
    pub(crate) fn update_counts(&self, counts: CameraCounts) {
        let mut slot = self.lock();
        slot.counts = CameraCounts { overtaken: slot.counts.overtaken, ..counts };
    }
}

/// Camera with its own thread. It does not report an error if no new frames arrive, so the caller must check the age of
/// the frames.
pub struct Camera {
    newest: Arc<LatestFrame>,
    stop: Arc<AtomicBool>,
    shown: Frame,
    reader: Option<JoinHandle<()>>,
}

impl Camera {
    /// Starts a camera of `width` by `height` pixels. `read` runs in a new thread, and stores frames until the stop
    /// flag is set or the stream ends. It must check the flag every [`POLL`].
    pub(crate) fn start(
        (width, height): (usize, usize),
        read: impl FnOnce(&LatestFrame, &AtomicBool) -> Result<(), CameraError> + Send + 'static,
    ) -> Result<Camera, DeviceError> {
        let slot =
            Slot { frame: Frame::black(width, height)?, fresh: false, counts: CameraCounts::default(), ended: None };
        let newest = Arc::new(LatestFrame(Mutex::new(slot)));
        let stop = Arc::new(AtomicBool::new(false));
        let (filling, told) = (newest.clone(), stop.clone());
        let reader = std::thread::Builder::new()
            .name("camera".into())
            .spawn(move || {
                if let Err(error) = read(&filling, &told) {
                    filling.lock().ended = Some(error);
                }
            })
            .map_err(|source| DeviceError::Open { path: "a thread for the camera".into(), source })?;
        Ok(Camera { newest, stop, shown: Frame::black(width, height)?, reader: Some(reader) })
    }
}

#[cfg(test)]
impl LatestFrame {
    /// Creates a slot for frames of this size, without a thread.
    pub(crate) fn empty(width: usize, height: usize) -> LatestFrame {
        let frame = Frame::black(width, height).expect("a possible size");
        LatestFrame(Mutex::new(Slot { frame, fresh: false, counts: CameraCounts::default(), ended: None }))
    }

    /// Returns the counters of the stream so far.
    pub(crate) fn counts(&self) -> CameraCounts {
        self.lock().counts
    }
}

impl FrameSource for Camera {
    fn latest(&mut self) -> Result<Option<&Frame>, DeviceError> {
        let mut slot = self.newest.lock();
        if !slot.fresh {
            return slot.ended.clone().map_or(Ok(None), |error| Err(error.into()));
        }
        slot.fresh = false;
        std::mem::swap(&mut slot.frame, &mut self.shown);
        drop(slot);
        Ok(Some(&self.shown))
    }

    fn counts(&self) -> CameraCounts {
        self.newest.lock().counts
    }
}

impl Drop for Camera {
    fn drop(&mut self) {
        self.stop.store(true, Relaxed);
        if let Some(reader) = self.reader.take() {
            // The result is ignored, even if the thread panicked.
            let _ = reader.join();
        }
    }
}
