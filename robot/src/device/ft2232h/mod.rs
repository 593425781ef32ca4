//! Camera of the Xpuck: the USB chip FT2232H, which works as a synchronous FIFO.
//!
//! The camera cannot pause, and the shim buffers the data of only 0.9 ms. The host controller must therefore always
//! have a transfer to fill, so many transfers are queued in the kernel. The kernel processes the queue while the
//! camera's thread sleeps. With single reads, the thread would have to submit each read within 0.9 ms.

use super::DeviceError;
use super::bulk::{BulkIn, Endpoint, TransferError};
use super::camera::{Camera, CameraError, LatestFrame, POLL};
use super::frames::{CameraCounts, FrameDecoder, PixelOrder};
use rusb::{Context, Device, DeviceHandle, Direction, Recipient, RequestType, UsbContext};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;
use xpuck_registers::ft2232h::{self as chip, Request};

/// Number of transfers that are kept in the queue.
const TRANSFERS: usize = 32;
/// Size of a transfer (bytes). At 9.2 MB/s, the whole queue holds the data of 56 ms. It uses 1/30 of the memory that
/// usbfs allows by default.
const TRANSFER: usize = 32 * chip::PACKET;
/// Latency timer of the chip, after which it sends an incomplete packet (ms). The timer matters only at the end of a
/// frame. With 1 ms, some chips skip bytes.
const LATENCY_MS: u8 = 2;
/// Time limit of a USB control request.
const REQUEST_TIMEOUT: Duration = Duration::from_millis(500);
/// Maximum number of consecutive stalls without data that are cleared. The next stall ends the stream.
const MAX_STALLS: u32 = 8;

/// Handle of an open chip.
type Handle = DeviceHandle<Context>;

/// Opens the FT2232H with this serial number, and receives frames of `width` by `height` pixels. Without a serial
/// number, opens the first FT2232H found.
///
/// # Errors
/// If no chip is found, the chip is in use, the user may not open the chip, or the chip rejects a request.
pub fn open(serial: Option<&str>, width: usize, height: usize, order: PixelOrder) -> Result<Camera, DeviceError> {
    let decoder = FrameDecoder::new(width, height, order)?;
    let (device, handle) = find(serial)?;
    let name = name_of(&device);
    let failed = |source| CameraError::Usb { device: name.clone(), doing: "claim", source };
    // The kernel attaches its serial driver to every FTDI chip. The driver is detached here, and attached again when
    // the interface is released.
    handle.set_auto_detach_kernel_driver(true).map_err(failed)?;
    handle.claim_interface(chip::INTERFACE).map_err(failed)?;
    let handle = Arc::new(handle);
    let mut queue = Queue { endpoint: Endpoint::new(handle.clone(), chip::ENDPOINT_IN), name, transfers: TRANSFERS };
    // In this order of steps, no bytes are lost. First, old data in the chip is discarded. Then transfers are queued.
    // Finally, the mode is set in which the chip sends data.
    let quiet = [chip::RESET, chip::MODE_RESET, chip::PURGE_FROM_HOST, chip::PURGE_TO_HOST];
    for request in quiet.into_iter().chain([chip::latency_timer(LATENCY_MS), chip::FLOW_CONTROL]) {
        send_request(&handle, &queue.name, request)?;
    }
    queue.fill();
    send_request(&handle, &queue.name, chip::MODE_SYNC_FIFO)?;
    Camera::start((width, height), move |newest, stop| {
        let ended = queue.read(decoder, newest, stop);
        // An error is ignored, because a disconnected chip cannot be reset, and need not be.
        let _ = send_request(&handle, &queue.name, chip::MODE_RESET);
        ended
    })
}

/// Finds and opens the first FT2232H with this serial number. If `serial` is `None`, any FT2232H matches.
fn find(serial: Option<&str>) -> Result<(Device<Context>, Handle), CameraError> {
    let (vendor, product) = (chip::VENDOR, chip::PRODUCT);
    let failed = |doing, device| move |source| CameraError::Usb { device, doing, source };
    let looked_for = || format!("{vendor:04x}:{product:04x}");
    let devices = Context::new().and_then(|context| context.devices()).map_err(failed("look for", looked_for()))?;
    for device in devices.iter() {
        let described = device.device_descriptor();
        let Ok(described) = described.as_ref() else { continue };
        if (described.vendor_id(), described.product_id()) != (vendor, product) {
            continue;
        }
        let handle = device.open().map_err(failed("open", name_of(&device)))?;
        let fits = serial
            .is_none_or(|wanted| handle.read_serial_number_string_ascii(described).is_ok_and(|found| found == wanted));
        if fits {
            return Ok((device, handle));
        }
    }
    Err(CameraError::Absent { vendor, product, serial: serial.map(Into::into) })
}

fn name_of(device: &Device<Context>) -> String {
    let (vendor, product) = (chip::VENDOR, chip::PRODUCT);
    format!("{vendor:04x}:{product:04x} at bus {:03} address {}", device.bus_number(), device.address())
}

fn send_request(
    handle: &Handle,
    device: &str,
    Request { name, request, value, index }: Request,
) -> Result<(), CameraError> {
    let kind = rusb::request_type(Direction::Out, RequestType::Vendor, Recipient::Device);
    let told = handle.write_control(kind, request, value, index, &[], REQUEST_TIMEOUT);
    told.map(|_| ()).map_err(|source| CameraError::Request { device: device.into(), request: name, source })
}

/// Action after a completed transfer.
#[derive(Debug, PartialEq, Eq)]
enum Action {
    /// Continue with the next transfer.
    Continue,
    /// Clear the halt of the endpoint, and continue.
    Recover,
    /// End the stream.
    End,
}

/// Returns the action for the status of a transfer. `stalls` is the number of consecutive stalls without data before
/// the transfer.
fn next(status: Result<(), TransferError>, stalls: u32) -> Action {
    match status {
        Ok(()) => Action::Continue,
        // A fault means that a packet was damaged in three attempts. The endpoint then halts, as after a stall.
        Err(TransferError::Stall | TransferError::Fault) if stalls < MAX_STALLS => Action::Recover,
        Err(_) => Action::End,
    }
}

/// Queue of transfers from the chip's endpoint.
struct Queue<E> {
    endpoint: E,
    name: String,
    /// Number of transfers kept in the queue.
    transfers: usize,
}

impl<E: BulkIn> Queue<E> {
    fn fill(&mut self) {
        while self.endpoint.pending() < self.transfers {
            self.endpoint.submit(vec![0; TRANSFER]);
        }
    }

    fn read(&mut self, mut decoder: FrameDecoder, newest: &LatestFrame, stop: &AtomicBool) -> Result<(), CameraError> {
        let (mut stalls, mut all_stalls) = (0, 0);
        while !stop.load(Relaxed) {
            let done = self.endpoint.wait(POLL).map_err(|error| self.ended(error))?;
            let Some(done) = done else { continue };
            // Data that was received before an error is valid.
            let bytes = &done.buffer[..done.length];
            bytes.chunks(chip::PACKET).for_each(|packet| decoder.packet(packet, |frame| newest.offer(frame)));
            if !bytes.is_empty() {
                stalls = 0;
            }
            match next(done.status, stalls) {
                Action::Continue => self.endpoint.submit(done.buffer),
                Action::Recover => {
                    (stalls, all_stalls) = (stalls + 1, all_stalls + 1);
                    self.recover()?;
                }
                Action::End => return Err(self.ended(done.status.err().unwrap_or(TransferError::Disconnected))),
            }
            newest.update_counts(CameraCounts { stalls: all_stalls, ..decoder.counts() });
        }
        Ok(())
    }

    /// Empties the queue, clears the halt of the endpoint, and fills the queue again. The queue must be empty, because
    /// libusb clears a halt only if no transfer is pending.
    fn recover(&mut self) -> Result<(), CameraError> {
        self.endpoint.cancel_all();
        for _ in 0..self.transfers {
            if self.endpoint.pending() == 0 {
                break;
            }
            // The data of cancelled transfers is discarded.
            self.endpoint.wait(REQUEST_TIMEOUT).map_err(|error| self.ended(error))?;
        }
        if self.endpoint.pending() > 0 {
            return Err(self.ended(TransferError::Cancelled));
        }
        self.endpoint.clear_halt().map_err(|source| match source {
            rusb::Error::NoDevice => CameraError::Gone { device: self.name.clone() },
            _ => CameraError::Usb { device: self.name.clone(), doing: "clear the stall of", source },
        })?;
        self.fill();
        Ok(())
    }

    fn ended(&self, source: TransferError) -> CameraError {
        let device = self.name.clone();
        match source {
            TransferError::Disconnected => CameraError::Gone { device },
            _ => CameraError::Endpoint { device, endpoint: chip::ENDPOINT_IN, source },
        }
    }
}

#[cfg(test)]
mod tests;
