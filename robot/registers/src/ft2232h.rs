//! FT2232H, the USB bridge of the camera: identity, endpoints, requests and packets. Terms are those of FTDI's
//! application note AN_232R-01 and of libftdi. The shim uses channel A as a synchronous 245 FIFO, which occupies the
//! resources of both channels. The EEPROM must select "245 FIFO" for both channels; otherwise the chip stays a serial
//! port.

/// USB vendor id of FTDI.
pub const VENDOR: u16 = 0x0403;
/// USB product id of the FT2232H with its default EEPROM.
pub const PRODUCT: u16 = 0x6010;
/// USB interface of channel A.
pub const INTERFACE: u8 = 0;
/// Endpoint for data from channel A to the host.
pub const ENDPOINT_IN: u8 = 0x81;
/// `wIndex` of requests for channel A.
pub const CHANNEL_A: u16 = 1;

/// Length of a full packet at high speed (bytes).
pub const PACKET: usize = 512;
/// Number of status bytes at the start of every packet. A transfer of several packets contains status bytes at the
/// start of each packet.
pub const STATUS: usize = 2;
/// Length of the payload of a full packet (bytes).
pub const PAYLOAD: usize = PACKET - STATUS;
/// Modem and line status of an idle chip. In libftdi's terms, CTS and DSR are set and the transmitter is empty.
pub const STATUS_AT_REST: [u8; STATUS] = [0x32, 0x60];

/// Vendor request to the device, without data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Name of the request in error messages.
    pub name: &'static str,
    /// Field `bRequest` of the setup packet.
    pub request: u8,
    /// Field `wValue` of the setup packet.
    pub value: u16,
    /// Field `wIndex` of the setup packet.
    pub index: u16,
}

const fn request(name: &'static str, request: u8, value: u16) -> Request {
    Request { name, request, value, index: CHANNEL_A }
}

/// Request that resets the channel.
pub const RESET: Request = request("reset", 0x00, 0);
/// Request that discards data from the host which the shim's logic has not yet read from the FIFO.
pub const PURGE_FROM_HOST: Request = request("purge of host data", 0x00, 1);
/// Request that discards data from the shim's logic which the host has not yet read.
pub const PURGE_TO_HOST: Request = request("purge of camera data", 0x00, 2);
/// Request that enables flow control by RTS and CTS. Without flow control the chip may lose bytes (AN_130).
pub const FLOW_CONTROL: Request = Request { name: "flow control", request: 0x02, value: 0, index: 0x0100 | CHANNEL_A };
/// Request that ends any special mode. The pins become a serial port again.
pub const MODE_RESET: Request = request("mode reset", 0x0b, 0x00ff);
/// Request that selects the synchronous 245 FIFO. The chip starts its 60 MHz clock output.
pub const MODE_SYNC_FIFO: Request = request("synchronous FIFO mode", 0x0b, 0x40ff);

/// Returns the request that sets the latency timer (ms). The chip sends a partly filled packet when the timer expires.
/// If no data are available, the packet contains only the status.
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
