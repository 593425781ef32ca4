//! Tables of the supported camera sensors and their configuration steps.

use super::{Exposing, Padding, Sensor, Step};

/// 7-bit I2C address of all Pixelplus sensors.
const PIXELPLUS: u8 = 0x6e;
const A: u8 = 0;
const B: u8 = 1;
const C: u8 = 2;

const fn set(bank: u8, register: u8, value: u16, meaning: &'static str) -> Step {
    Step::Set { bank, register, bytes: 1, value, holds: true, meaning }
}

const fn pair(bank: u8, register: u8, value: u16, meaning: &'static str) -> Step {
    Step::Set { bank, register, bytes: 2, value, holds: true, meaning }
}

/// Returns a register write that is not verified. The sensor does not keep the value, or no data sheet states that the
/// value can be read back.
const fn unchecked(bank: u8, register: u8, value: u16, meaning: &'static str) -> Step {
    Step::Set { bank, register, bytes: 1, value, holds: false, meaning }
}

const fn wait(milliseconds: u64, meaning: &'static str) -> Step {
    Step::Wait { milliseconds, meaning }
}

/// All sensors, in the order of detection. The three Pixelplus sensors share an address; the OmniVision sensor has its
/// own address.
pub static SENSORS: [&Sensor; 4] = [&OV7670, &PO3030K, &PO6030K, &PO8030];

/// Pixelplus PO3030K, in e-pucks with serial numbers below 1500. After power-up, the window is already set to VGA.
pub static PO3030K: Sensor = Sensor {
    name: "PO3030K",
    address: PIXELPLUS,
    id_register: 0x00,
    id: 0x3030,
    bank_register: None,
    repeated_start: true,
    padding: Padding::Size { bank: A, width: 0x04, height: 0x06 },
    exposing: Some(Exposing {
        switch: (A, 0xd4),
        mask: 0x10,
        automatic: 0x10,
        at_first: 0x3c,
        time: (A, 0xb0),
        bytes: 3,
        per_line: 64,
    }),
    steps: &[
        set(A, 0x4e, 0x02, "format Y Cb Y Cr"),
        unchecked(A, 0x50, 0x40, "reserved; required by the data sheet for this format"),
        set(A, 0x9b, 0x00, "brightness"),
        set(A, 0x9c, 0x96, "contrast"),
        set(A, 0xd4, 0x2c, "automatic exposure off, which would lower the frame rate; white balance on"),
        set(A, 0x4f, 0x02, "line signal only inside the picture"),
    ],
};

/// Pixelplus PO6030K, in e-pucks from June 2008.
pub static PO6030K: Sensor = Sensor {
    name: "PO6030K",
    address: PIXELPLUS,
    id_register: 0x00,
    id: 0x6030,
    bank_register: Some(0x03),
    repeated_start: true,
    padding: Padding::Size { bank: B, width: 0x48, height: 0x29 },
    exposing: Some(Exposing {
        switch: (C, 0x04),
        mask: 0x01,
        automatic: 0x00,
        at_first: 0x98,
        time: (C, 0x2c),
        bytes: 4,
        per_line: 64,
    }),
    steps: &[
        pair(B, 0x50, 7, "window, left"),
        pair(B, 0x52, 7, "window, top"),
        pair(B, 0x54, 646, "window, right"),
        pair(B, 0x56, 486, "window, bottom"),
        pair(B, 0x60, 12, "first row of the frame signal"),
        pair(B, 0x62, 492, "last row of the frame signal"),
        set(B, 0x80, 0x20, "scale along x: none"),
        set(B, 0x81, 0x20, "scale along y: none"),
        unchecked(B, 0x82, 0x01, "reserved; required by the data sheet"),
        pair(C, 0x10, 37, "exposure window, left"),
        pair(C, 0x12, 28, "exposure window, top"),
        pair(C, 0x14, 608, "exposure window, width"),
        pair(C, 0x16, 446, "exposure window, height"),
        pair(C, 0x18, 229, "inner exposure window, left"),
        pair(C, 0x1a, 135, "inner exposure window, top"),
        pair(C, 0x1c, 160, "inner exposure window, width"),
        pair(C, 0x1e, 160, "inner exposure window, height"),
        set(B, 0x38, 0x02, "format Y Cb Y Cr"),
        set(B, 0x90, 0xe0, "largest colour difference"),
        set(B, 0x91, 0x37, "contrast"),
        set(B, 0x92, 0x10, "brightness"),
        set(B, 0x93, 0xeb, "largest luminance"),
        set(B, 0x68, 0x60, "drop lines and frames while the array turns"),
        set(A, 0x90, 0xf5, "mirrored both ways, because the sensor is mounted upside down"),
        wait(35, "one frame"),
        set(B, 0x68, 0x00, "output lines and frames again"),
    ],
};

/// Pixelplus PO8030, in e-pucks of hardware 1.3 and in e-puck2s.
pub static PO8030: Sensor = Sensor {
    name: "PO8030",
    address: PIXELPLUS,
    id_register: 0x00,
    id: 0x8030,
    bank_register: Some(0x03),
    repeated_start: true,
    padding: Padding::Size { bank: A, width: 0x04, height: 0x06 },
    exposing: Some(Exposing {
        switch: (C, 0x04),
        mask: 0x03,
        automatic: 0x00,
        at_first: 0x00,
        time: (A, 0x17),
        bytes: 3,
        per_line: 256,
    }),
    steps: &[
        set(A, 0x5b, 0x00, "pads drive"),
        pair(A, 0x08, 1, "window, left"),
        pair(A, 0x0a, 1, "window, top"),
        pair(A, 0x0c, 640, "window, right"),
        pair(A, 0x0e, 480, "window, bottom"),
        pair(A, 0x35, 1, "exposure window, left"),
        pair(A, 0x37, 640, "exposure window, right"),
        pair(A, 0x39, 1, "exposure window, top"),
        pair(A, 0x3b, 480, "exposure window, bottom"),
        pair(A, 0x3d, 214, "inner exposure window, left"),
        pair(A, 0x3f, 427, "inner exposure window, right"),
        pair(A, 0x41, 161, "inner exposure window, top"),
        pair(A, 0x43, 320, "inner exposure window, bottom"),
        set(A, 0x11, 0x0a, "first row of the frame signal"),
        set(B, 0x93, 0x20, "scale along x: none"),
        set(B, 0x94, 0x20, "scale along y: none"),
        pair(B, 0x95, 10, "scaling threshold"),
        set(B, 0x4e, 0x02, "format Y Cb Y Cr"),
        set(B, 0xb7, 0x00, "pixel clock not divided"),
    ],
};

/// OmniVision OV7670, in the latest e-puck2s. It does not support a repeated start.
pub static OV7670: Sensor = Sensor {
    name: "OV7670",
    address: 0x21,
    id_register: 0x0a,
    id: 0x7673,
    bank_register: None,
    repeated_start: false,
    padding: Padding::DummyLines { register: 0x92, width: 784, height: 510 },
    exposing: None,
    steps: &[
        unchecked(A, 0x12, 0x80, "reset all registers"),
        wait(200, "the reset"),
        set(A, 0x11, 0x80, "clock not divided"),
        set(A, 0x3a, 0x04, "byte order"),
        set(A, 0x12, 0x00, "YUV, VGA"),
        set(A, 0x40, 0xc0, "full range of values"),
        set(A, 0x3d, 0x00, "byte order, no gamma"),
        unchecked(A, 0xb0, 0x84, "undocumented; without it colours are wrong"),
        set(A, 0x17, 0x13, "first column, upper bits"),
        set(A, 0x18, 0x01, "last column, upper bits"),
        set(A, 0x32, 0x36, "columns, lower bits"),
        set(A, 0x19, 0x02, "first row, upper bits"),
        set(A, 0x1a, 0x7a, "last row, upper bits"),
        set(A, 0x03, 0x0a, "rows, lower bits"),
        set(A, 0x0c, 0x00, "no scaling"),
        set(A, 0x3e, 0x00, "pixel clock not divided"),
        set(A, 0x70, 0x3a, "horizontal scale"),
        set(A, 0x71, 0x35, "vertical scale"),
        set(A, 0x72, 0x11, "down-sampling"),
        set(A, 0x73, 0xf0, "clock of the scaler"),
        set(A, 0xa2, 0x02, "delay of the scaler's clock"),
    ],
};
