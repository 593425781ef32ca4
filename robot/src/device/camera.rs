//! What all cameras share: a thread that takes frames in, and the newest of them for whoever looks.
//!
//! Three frames go round: one is being filled, one is the newest, one is being looked at. They are swapped, never made.

use super::bulk::TransferError;
use super::frames::CameraCounts;
use super::{DeviceError, Frame, FrameSource};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long a camera's thread waits for bytes before it looks whether it shall end.
pub(crate) const POLL: Duration = Duration::from_millis(100);

/// Why a camera cannot be opened, or ended. It can be copied, because an ended camera tells the same each time.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CameraError {
    /// No such USB device is there.
    #[error("no USB device {vendor:04x}:{product:04x}{} is there", serial.as_ref().map(|s| format!(" with serial number {s:?}")).unwrap_or_default())]
    Absent {
        /// USB vendor looked for.
        vendor: u16,
        /// USB product looked for.
        product: u16,
        /// Serial number looked for, if it mattered.
        serial: Option<String>,
    },
    /// The USB device cannot be listed, opened or claimed.
    #[error("cannot {doing} USB device {device}: {source}")]
    Usb {
        /// Bus and address, or what was looked for.
        device: String,
        /// What was tried.
        doing: &'static str,
        /// What the system said.
        source: rusb::Error,
    },
    /// The USB device refused a request.
    #[error("USB device {device} did not obey the request for {request}: {source}")]
    Request {
        /// Bus and address.
        device: String,
        /// Which request.
        request: &'static str,
        /// What the system said.
        source: rusb::Error,
    },
    /// A USB endpoint gives no data any more.
    #[error("endpoint {endpoint:#04x} of USB device {device} ended: {source}")]
    Endpoint {
        /// Bus and address.
        device: String,
        /// The endpoint's address.
        endpoint: u8,
        /// What the system said.
        source: TransferError,
    },
    /// The camera was there and is gone.
    #[error("camera {device} is gone: it was unplugged or its other side closed")]
    Gone {
        /// Bus and address, or the device file.
        device: String,
    },
    /// A device file or socket cannot be used.
    #[error("cannot {doing} {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What was tried.
        doing: &'static str,
        /// What the system said.
        #[source]
        source: Arc<std::io::Error>,
    },
    /// A device file is there and is no camera.
    #[error("{} is not a video device", path.display())]
    NotVideo {
        /// The file.
        path: PathBuf,
    },
    /// The camera gives another picture than the one asked for.
    #[error("{} gives {found} instead of {asked}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// Size and pixel format asked for.
        asked: String,
        /// Size and pixel format offered.
        found: String,
    },
    /// What came over a virtual camera's socket is no packet.
    #[error("{} sent a packet of {length} bytes; 2 to {most} are possible", path.display())]
    Packet {
        /// The socket.
        path: PathBuf,
        /// The length it told.
        length: usize,
        /// The longest possible, bytes.
        most: usize,
    },
}

struct Slot {
    frame: Frame,
    fresh: bool,
    counts: CameraCounts,
    ended: Option<CameraError>,
}

/// The newest frame, between the camera's thread and the one who looks.
pub(crate) struct Newest(Mutex<Slot>);

impl Newest {
    fn lock(&self) -> MutexGuard<'_, Slot> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a frame in, in exchange for an older one of the same size.
    pub(crate) fn offer(&self, frame: &mut Frame) {
        let mut slot = self.lock();
        std::mem::swap(&mut slot.frame, frame);
        slot.counts.overtaken += u64::from(slot.fresh);
        slot.fresh = true;
    }

    /// Tells what happened to the stream; `overtaken` is counted here.
    pub(crate) fn tell(&self, counts: CameraCounts) {
        let mut slot = self.lock();
        slot.counts = CameraCounts { overtaken: slot.counts.overtaken, ..counts };
    }
}

/// A camera with a thread of its own. One that sends nothing is no error; who needs pictures judges their age.
pub struct Camera {
    newest: Arc<Newest>,
    stop: Arc<AtomicBool>,
    shown: Frame,
    reader: Option<JoinHandle<()>>,
}

impl Camera {
    /// A camera of `width` by `height` pixels whose frames `read` offers, in a thread, until it is told to stop or the
    /// camera ends. `read` looks at the flag every [`POLL`].
    pub(crate) fn start(
        (width, height): (usize, usize),
        read: impl FnOnce(&Newest, &AtomicBool) -> Result<(), CameraError> + Send + 'static,
    ) -> Result<Camera, DeviceError> {
        let slot =
            Slot { frame: Frame::black(width, height)?, fresh: false, counts: CameraCounts::default(), ended: None };
        let newest = Arc::new(Newest(Mutex::new(slot)));
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
impl Newest {
    /// A place for frames of this size, without a thread that fills it.
    pub(crate) fn empty(width: usize, height: usize) -> Newest {
        let frame = Frame::black(width, height).expect("a possible size");
        Newest(Mutex::new(Slot { frame, fresh: false, counts: CameraCounts::default(), ended: None }))
    }

    /// What happened to the stream so far.
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
            // A reader that panicked has nothing left to give back.
            let _ = reader.join();
        }
    }
}
