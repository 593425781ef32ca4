//! USB bulk endpoint that sends to the host, with many queued transfers. libusb provides the endpoint, except in tests,
//! which emulate it.

use rusb::ffi::constants::{
    LIBUSB_TRANSFER_CANCELLED, LIBUSB_TRANSFER_COMPLETED, LIBUSB_TRANSFER_NO_DEVICE, LIBUSB_TRANSFER_OVERFLOW,
    LIBUSB_TRANSFER_STALL,
};
use rusb::ffi::{
    libusb_alloc_transfer, libusb_cancel_transfer, libusb_fill_bulk_transfer, libusb_free_transfer,
    libusb_submit_transfer, libusb_transfer,
};
use rusb::{Context, DeviceHandle, UsbContext};
use std::collections::VecDeque;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Time limit for the end of cancelled transfers when an endpoint is closed.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(1);

/// Reason why a transfer gave no data, or less data than its capacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TransferError {
    /// The device halted the endpoint.
    #[error("the endpoint is stalled")]
    Stall,
    /// A packet was damaged in every attempt to transfer it, or another bus error occurred.
    #[error("packets are damaged on the bus")]
    Fault,
    /// The device sent more data than the buffer holds.
    #[error("the device sent more data than the transfer can hold")]
    Overflow,
    /// The host cancelled the transfer.
    #[error("the transfer was cancelled")]
    Cancelled,
    /// The device was disconnected.
    #[error("the device was disconnected")]
    Disconnected,
    /// libusb or the kernel rejected the transfer.
    #[error("{0}")]
    Refused(rusb::Error),
}

/// Completed transfer.
#[derive(Debug)]
pub struct Completed {
    /// Buffer that was submitted.
    pub buffer: Vec<u8>,
    /// Number of bytes received, including bytes received before an error.
    pub length: usize,
    /// Status of the transfer.
    pub status: Result<(), TransferError>,
}

/// Queue of transfers from the endpoint. Transfers are completed in the order of their submission.
pub trait BulkIn {
    /// Queues a transfer of the buffer's length. A transfer that libusb rejects completes with an error, after all
    /// earlier transfers.
    fn submit(&mut self, buffer: Vec<u8>);

    /// Returns the number of submitted transfers that [`wait`](BulkIn::wait) has not returned yet.
    fn pending(&self) -> usize;

    /// Waits for the first transfer in the queue, removes it and returns it. `None` if the queue is empty, or the
    /// transfer did not complete in time.
    ///
    /// # Errors
    /// If the state of the transfers cannot be determined.
    fn wait(&mut self, timeout: Duration) -> Result<Option<Completed>, TransferError>;

    /// Cancels all transfers. They remain in the queue until [`wait`](BulkIn::wait) returns them.
    fn cancel_all(&mut self);

    /// Clears the halt of the endpoint. No transfer may be pending.
    ///
    /// # Errors
    /// The error of libusb.
    fn clear_halt(&mut self) -> Result<(), rusb::Error>;
}

/// Bulk endpoint of an open device. It uses the asynchronous transfers of libusb directly, because rusb supports only
/// blocking transfers.
pub struct Endpoint {
    device: Arc<DeviceHandle<Context>>,
    address: u8,
    queue: VecDeque<Transfer>,
}

/// Transfer of libusb, and the memory to which the transfer points.
struct Transfer {
    raw: NonNull<libusb_transfer>,
    /// Whether the transfer has ended; set by the callback. libusb has a pointer to this flag, which remains valid as
    /// long as the `Arc` exists.
    ended: Arc<AtomicBool>,
    /// Data buffer, which this program does not access between submission and completion.
    buffer: Vec<u8>,
    /// Error of libusb if the transfer was rejected.
    refused: Option<rusb::Error>,
}

// SAFETY: libusb may be called from any thread, and only the endpoint that submitted a transfer uses it.
#[allow(unsafe_code, reason = "the pointer to a transfer of libusb's is tied to no thread")]
unsafe impl Send for Transfer {}

impl Endpoint {
    /// Creates an empty transfer queue for the bulk endpoint at `address`. The interface that contains this endpoint
    /// must already be claimed.
    pub fn new(device: Arc<DeviceHandle<Context>>, address: u8) -> Endpoint {
        Endpoint { device, address, queue: VecDeque::new() }
    }
}

#[allow(unsafe_code, reason = "rusb has no asynchronous transfers")]
impl Transfer {
    fn submit(device: &DeviceHandle<Context>, endpoint: u8, mut buffer: Vec<u8>) -> Transfer {
        let ended = Arc::new(AtomicBool::new(false));
        // SAFETY: the call takes no pointer, and its result is checked. It returns null if memory is exhausted.
        let raw = NonNull::new(unsafe { libusb_alloc_transfer(0) }).expect("memory for a USB transfer");
        let (bytes, length) = (buffer.as_mut_ptr(), buffer.len() as i32);
        // SAFETY: the transfer is new. `buffer` and `ended` remain in place until the transfer has ended, or are leaked
        // (`Endpoint::drop`). The device remains open during that time, because the endpoint holds its handle.
        let result = unsafe {
            let told = Arc::as_ptr(&ended).cast_mut().cast();
            libusb_fill_bulk_transfer(raw.as_ptr(), device.as_raw(), endpoint, bytes, length, on_end, told, 0);
            libusb_submit_transfer(raw.as_ptr())
        };
        let refused = (result != 0).then(|| refusal(result));
        ended.store(refused.is_some(), Ordering::Release);
        Transfer { raw, ended, buffer, refused }
    }

    fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    fn cancel(&self) {
        // SAFETY: the transfer is not freed before `self` is dropped. Cancelling an ended transfer is an error
        // without effect.
        unsafe { libusb_cancel_transfer(self.raw.as_ptr()) };
    }

    /// Returns the result of a transfer that has ended.
    fn complete(mut self) -> Completed {
        // SAFETY: the transfer has ended, so libusb does not access it any more.
        let (status, length) = unsafe { (self.raw.as_ref().status, self.raw.as_ref().actual_length) };
        let buffer = std::mem::take(&mut self.buffer);
        match self.refused {
            Some(rusb::Error::NoDevice) => Completed { buffer, length: 0, status: Err(TransferError::Disconnected) },
            Some(error) => Completed { buffer, length: 0, status: Err(TransferError::Refused(error)) },
            None => Completed { length: (length.max(0) as usize).min(buffer.len()), buffer, status: meaning(status) },
        }
    }
}

#[allow(unsafe_code, reason = "libusb made it")]
impl Drop for Transfer {
    fn drop(&mut self) {
        // SAFETY: only transfers that have ended are dropped (`Endpoint::drop`), and each is freed once.
        unsafe { libusb_free_transfer(self.raw.as_ptr()) };
    }
}

#[allow(unsafe_code, reason = "libusb calls it with a pointer")]
extern "system" fn on_end(transfer: *mut libusb_transfer) {
    // SAFETY: libusb passes a valid transfer. Its user data is an `AtomicBool` that exists until the transfer has
    // ended.
    unsafe { (*(*transfer).user_data.cast::<AtomicBool>()).store(true, Ordering::Release) };
}

impl BulkIn for Endpoint {
    fn submit(&mut self, buffer: Vec<u8>) {
        self.queue.push_back(Transfer::submit(&self.device, self.address, buffer));
    }

    fn pending(&self) -> usize {
        self.queue.len()
    }

    fn wait(&mut self, timeout: Duration) -> Result<Option<Completed>, TransferError> {
        let deadline = Instant::now() + timeout;
        loop {
            if self.queue.front().is_none_or(Transfer::has_ended) {
                return Ok(self.queue.pop_front().map(Transfer::complete));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            match self.device.context().handle_events(Some(left)) {
                Ok(()) | Err(rusb::Error::Interrupted) => {}
                Err(error) => return Err(TransferError::Refused(error)),
            }
        }
    }

    fn cancel_all(&mut self) {
        self.queue.iter().for_each(Transfer::cancel);
    }

    fn clear_halt(&mut self) -> Result<(), rusb::Error> {
        self.device.clear_halt(self.address)
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        self.cancel_all();
        let deadline = Instant::now() + CANCEL_TIMEOUT;
        while let Ok(Some(_)) = self.wait(deadline.saturating_duration_since(Instant::now())) {}
        // Transfers that have not ended in time are leaked, because the kernel might still write to their buffers.
        self.queue.drain(..).filter(|transfer| !transfer.has_ended()).for_each(std::mem::forget);
    }
}

/// Converts libusb's status of a transfer that has ended.
fn meaning(status: i32) -> Result<(), TransferError> {
    match status {
        LIBUSB_TRANSFER_COMPLETED => Ok(()),
        LIBUSB_TRANSFER_STALL => Err(TransferError::Stall),
        LIBUSB_TRANSFER_OVERFLOW => Err(TransferError::Overflow),
        LIBUSB_TRANSFER_CANCELLED => Err(TransferError::Cancelled),
        LIBUSB_TRANSFER_NO_DEVICE => Err(TransferError::Disconnected),
        // libusb reports every other bus error as LIBUSB_TRANSFER_ERROR.
        _ => Err(TransferError::Fault),
    }
}

/// Converts libusb's error code of a rejected transfer.
fn refusal(code: i32) -> rusb::Error {
    use rusb::ffi::constants::{LIBUSB_ERROR_BUSY, LIBUSB_ERROR_IO, LIBUSB_ERROR_NO_DEVICE, LIBUSB_ERROR_NO_MEM};
    match code {
        LIBUSB_ERROR_NO_DEVICE => rusb::Error::NoDevice,
        LIBUSB_ERROR_NO_MEM => rusb::Error::NoMem,
        LIBUSB_ERROR_BUSY => rusb::Error::Busy,
        LIBUSB_ERROR_IO => rusb::Error::Io,
        _ => rusb::Error::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libusb_codes_map_to_errors() {
        assert_eq!(meaning(0), Ok(()));
        let errors = [1, 3, 4, 5, 6].map(|status| meaning(status).unwrap_err());
        use TransferError::{Cancelled, Disconnected, Fault, Overflow, Stall};
        assert_eq!(errors, [Fault, Cancelled, Stall, Disconnected, Overflow]);
        assert_eq!(
            (refusal(-4), refusal(-11), refusal(-99)),
            (rusb::Error::NoDevice, rusb::Error::NoMem, rusb::Error::Other)
        );
    }
}
