//! The FT2232H USB bridge that carries the camera: identity, endpoints, requests and packets, in the terms of FTDI's
//! application note AN_232R-01 and of libftdi. The shim uses channel A as a synchronous 245 FIFO, which takes the
//! resources of both channels. Its EEPROM has to say "245 FIFO" for both, or the chip stays a serial port.

/// USB vendor of FTDI.
pub const VENDOR: u16 = 0x0403;
/// USB product of the FT2232H with its default EEPROM.
pub const PRODUCT: u16 = 0x6010;
/// USB interface of channel A.
pub const INTERFACE: u8 = 0;
/// Endpoint on which channel A sends to the host.
pub const ENDPOINT_IN: u8 = 0x81;
/// Index of requests for channel A.
pub const CHANNEL_A: u16 = 1;

/// Bytes of a full packet at high speed.
pub const PACKET: usize = 512;
/// Modem-status bytes at the head of every packet, also inside a longer transfer.
pub const STATUS: usize = 2;
/// Payload of a full packet, bytes.
pub const PAYLOAD: usize = PACKET - STATUS;
/// Modem and line status of a chip at rest, as libftdi names them: CTS, DSR and the transmitter empty.
pub const STATUS_AT_REST: [u8; STATUS] = [0x32, 0x60];

/// A vendor request to the device, without data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// What it does, for errors.
    pub name: &'static str,
    /// Its `bRequest`.
    pub request: u8,
    /// Its `wValue`.
    pub value: u16,
    /// Its `wIndex`.
    pub index: u16,
}

const fn request(name: &'static str, request: u8, value: u16) -> Request {
    Request { name, request, value, index: CHANNEL_A }
}

/// Resets the channel.
pub const RESET: Request = request("reset", 0x00, 0);
/// Drops what the host sent and the FIFO's user has not read.
pub const PURGE_FROM_HOST: Request = request("purge of host data", 0x00, 1);
/// Drops what the FIFO's user wrote and the host has not read.
pub const PURGE_TO_HOST: Request = request("purge of camera data", 0x00, 2);
/// Flow control by RTS and CTS, without which the chip may lose bytes (AN_130).
pub const FLOW_CONTROL: Request = Request { name: "flow control", request: 0x02, value: 0, index: 0x0100 | CHANNEL_A };
/// Ends every mode; the pins are a serial port again.
pub const MODE_RESET: Request = request("mode reset", 0x0b, 0x00ff);
/// The synchronous 245 FIFO; the chip begins to drive its 60 MHz clock.
pub const MODE_SYNC_FIFO: Request = request("synchronous FIFO mode", 0x0b, 0x40ff);

/// How long the chip waits, in ms, before it sends a packet that is not full; an empty one has its status only.
pub const fn latency_timer(milliseconds: u8) -> Request {
    request("latency timer", 0x09, milliseconds as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_those_of_libftdi() {
        let fields = |r: Request| (r.request, r.value, r.index);
        assert_eq!(fields(RESET), (0, 0, 1));
        assert_eq!((PURGE_FROM_HOST.value, PURGE_TO_HOST.value), (1, 2));
        assert_eq!(fields(FLOW_CONTROL), (2, 0, 0x0101));
        assert_eq!(fields(latency_timer(2)), (9, 2, 1));
        assert_eq!((fields(MODE_RESET), fields(MODE_SYNC_FIFO)), ((11, 0x00ff, 1), (11, 0x40ff, 1)));
        assert_eq!(PAYLOAD, 510);
    }
}
