//! The Xpuck's camera: an FT2232H as a synchronous FIFO, read with many transfers queued in the kernel.
//!
//! The camera cannot wait and the shim holds 0.9 ms of it, so there must always be a transfer that the host controller
//! may fill. The kernel keeps the queue going while this thread sleeps; a queue of synchronous reads would need a
//! thread for each of them.

use super::DeviceError;
use super::camera::{Camera, CameraError, Newest, POLL};
use super::frames::{CameraCounts, FrameDecoder, PixelOrder};
use nusb::transfer::{Bulk, ControlOut, ControlType, In, Recipient, TransferError};
use nusb::{DeviceInfo, Endpoint, Interface, MaybeFuture};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;
use xpuck_registers::ft2232h::{self as chip, Request};

/// Transfers in the queue, and ...
const TRANSFERS: usize = 32;
/// ... bytes of each: together 57 ms of camera at 9.2 MB/s, a thirtieth of what usbfs allows by default.
const TRANSFER: usize = 32 * chip::PACKET;
/// The chip's latency timer, ms. It only matters at the end of a frame; with 1 ms some chips skip bytes.
const LATENCY_MS: u8 = 2;
/// Longest time for a request.
const REQUEST_TIMEOUT: Duration = Duration::from_millis(500);
/// Stalls without data between them after which the endpoint is given up.
const MAX_STALLS: u32 = 8;

/// Opens the FT2232H with this serial number, or the only one, and streams frames of `width` by `height` pixels.
///
/// # Errors
/// No such device, one that another program holds or this user may not open, one that refuses a request.
pub fn open(serial: Option<&str>, width: usize, height: usize, order: PixelOrder) -> Result<Camera, DeviceError> {
    let decoder = FrameDecoder::new(width, height, order)?;
    let info = find(serial)?;
    let name = format!(
        "{:04x}:{:04x} at bus {} address {}",
        chip::VENDOR,
        chip::PRODUCT,
        info.bus_id(),
        info.device_address()
    );
    let failed = |doing| {
        let device = name.clone();
        move |source| CameraError::Usb { device, doing, source }
    };
    let device = info.open().wait().map_err(failed("open"))?;
    // The kernel takes every FTDI chip for a serial port; it gets this one back when the interface is dropped.
    let interface = device.detach_and_claim_interface(chip::INTERFACE).wait().map_err(failed("claim"))?;
    let mut queue =
        Queue { endpoint: interface.endpoint(chip::ENDPOINT_IN).map_err(failed("use the endpoint of"))?, name };
    // This order loses no bytes: what the chip held before is gone, and transfers wait when the first byte comes.
    let quiet = [chip::RESET, chip::MODE_RESET, chip::PURGE_FROM_HOST, chip::PURGE_TO_HOST];
    for request in quiet.into_iter().chain([chip::latency_timer(LATENCY_MS), chip::FLOW_CONTROL]) {
        obey(&interface, &queue.name, request)?;
    }
    queue.fill();
    obey(&interface, &queue.name, chip::MODE_SYNC_FIFO)?;
    Camera::start((width, height), move |newest, stop| {
        let ended = queue.read(decoder, newest, stop);
        // A chip that is gone cannot be reset, and needs none.
        let _ = obey(&interface, &queue.name, chip::MODE_RESET);
        ended
    })
}

fn find(serial: Option<&str>) -> Result<DeviceInfo, CameraError> {
    let (vendor, product) = (chip::VENDOR, chip::PRODUCT);
    let looked_for = || format!("{vendor:04x}:{product:04x}");
    let mut devices = nusb::list_devices().wait().map_err(|source| CameraError::Usb {
        device: looked_for(),
        doing: "look for",
        source,
    })?;
    devices
        .find(|d| {
            (d.vendor_id(), d.product_id()) == (vendor, product) && (serial.is_none() || d.serial_number() == serial)
        })
        .ok_or_else(|| CameraError::Absent { vendor, product, serial: serial.map(Into::into) })
}

fn obey(
    interface: &Interface,
    device: &str,
    Request { name, request, value, index }: Request,
) -> Result<(), CameraError> {
    let (control_type, recipient) = (ControlType::Vendor, Recipient::Device);
    let out = ControlOut { control_type, recipient, request, value, index, data: &[] };
    let told = interface.control_out(out, REQUEST_TIMEOUT).wait();
    told.map_err(|source| CameraError::Request { device: device.into(), request: name, source })
}

/// The transfers on the chip's endpoint.
struct Queue {
    endpoint: Endpoint<Bulk, In>,
    name: String,
}

/// What to do after a transfer.
#[derive(Debug, PartialEq, Eq)]
enum Next {
    /// Go on.
    Continue,
    /// Clear the stall first.
    Recover,
    /// The camera has ended.
    End,
}

/// What follows a transfer's status, after so many stalls in a row.
fn next(status: Result<(), TransferError>, stalls: u32) -> Next {
    match status {
        Ok(()) => Next::Continue,
        // A fault is a packet that was damaged three times on the cable; the endpoint halts as after a stall.
        Err(TransferError::Stall | TransferError::Fault) if stalls < MAX_STALLS => Next::Recover,
        Err(_) => Next::End,
    }
}

impl Queue {
    fn fill(&mut self) {
        while self.endpoint.pending() < TRANSFERS {
            let buffer = self.endpoint.allocate(TRANSFER);
            self.endpoint.submit(buffer);
        }
    }

    fn read(&mut self, mut decoder: FrameDecoder, newest: &Newest, stop: &AtomicBool) -> Result<(), CameraError> {
        let (mut stalls, mut all_stalls) = (0, 0);
        while !stop.load(Relaxed) {
            let Some(done) = self.endpoint.wait_next_complete(POLL) else { continue };
            // What came before an error is good.
            let bytes = &done.buffer[..done.actual_len];
            bytes.chunks(chip::PACKET).for_each(|packet| decoder.packet(packet, |frame| newest.offer(frame)));
            if !bytes.is_empty() {
                stalls = 0;
            }
            match next(done.status, stalls) {
                Next::Continue => self.endpoint.submit(done.buffer),
                Next::Recover => {
                    (stalls, all_stalls) = (stalls + 1, all_stalls + 1);
                    self.recover()?;
                }
                Next::End => return Err(self.ended(done.status.err().unwrap_or(TransferError::Disconnected))),
            }
            newest.tell(CameraCounts { stalls: all_stalls, ..decoder.counts() });
        }
        Ok(())
    }

    /// Ends the halt of the endpoint, which is only allowed with an empty queue, and fills the queue again.
    fn recover(&mut self) -> Result<(), CameraError> {
        self.endpoint.cancel_all();
        for _ in 0..TRANSFERS {
            if self.endpoint.pending() == 0 {
                break;
            }
            // A cancelled transfer has nothing to tell.
            let _ = self.endpoint.wait_next_complete(REQUEST_TIMEOUT);
        }
        if self.endpoint.pending() > 0 {
            return Err(self.ended(TransferError::Cancelled));
        }
        let failed = |source: nusb::Error| match source.kind() {
            nusb::ErrorKind::Disconnected => CameraError::Gone { device: self.name.clone() },
            _ => CameraError::Usb { device: self.name.clone(), doing: "clear the stall of", source },
        };
        self.endpoint.clear_halt().wait().map_err(failed)?;
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
mod tests {
    use super::*;

    #[test]
    fn an_absent_chip_is_named() {
        let error = open(Some("no such number"), 640, 480, PixelOrder::CrYCbY).map(|_| ()).unwrap_err();
        let told = error.to_string();
        assert!(told.contains("0403:6010"), "{told}");
        // Where there is no USB at all, that is what is told.
        assert!(matches!(error, DeviceError::Camera(CameraError::Absent { .. } | CameraError::Usb { .. })));
        assert!(matches!(open(None, 641, 480, PixelOrder::CrYCbY), Err(DeviceError::FrameSize { .. })));
    }

    #[test]
    fn stalls_are_cleared_a_bounded_number_of_times_and_an_unplugged_chip_ends_the_camera() {
        assert_eq!(next(Ok(()), MAX_STALLS), Next::Continue);
        assert_eq!(next(Err(TransferError::Stall), 0), Next::Recover);
        assert_eq!(next(Err(TransferError::Fault), MAX_STALLS - 1), Next::Recover);
        assert_eq!(next(Err(TransferError::Stall), MAX_STALLS), Next::End);
        assert_eq!(next(Err(TransferError::Disconnected), 0), Next::End);
    }
}
