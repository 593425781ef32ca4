//! Fuzzes the decoders of device data: SPI words, e-puck2 packets, and the camera's USB packets.

#![no_main]

use libfuzzer_sys::fuzz_target;
use xpuck_registers::{epuck2, spi};
use xpuck_robot::device::frames::{FrameDecoder, PixelOrder};

const SIZE: (usize, usize) = (4, 2);

fuzz_target!(|bytes: &[u8]| {
    if let Some(words) = bytes.first_chunk() {
        let words = spi::from_wire(words);
        let _ = (spi::Report::decode(&words), spi::Command::decode(&words), spi::Command::decode_shifted(&words));
    }
    if let Some(report) = bytes.first_chunk() {
        let _ = epuck2::Report::decode(report);
    }
    if let Some(command) = bytes.first_chunk() {
        let _ = epuck2::Command::decode(command);
    }
    let mut decoder = FrameDecoder::new(SIZE.0, SIZE.1, PixelOrder::YCbYCr).unwrap();
    for packet in bytes.chunks(512) {
        decoder.packet(packet, |frame| assert!(frame.bytes().len() == 2 * SIZE.0 * SIZE.1));
    }
});
