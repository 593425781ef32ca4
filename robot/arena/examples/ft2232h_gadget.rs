//! Emulates an FT2232H, the shim's USB bridge, as a USB device through functionfs. The packets come from `ft2232h.rs`.
//! `tools/devices-test.sh` starts this program in a virtual machine, where `robot/examples/devices.rs` tests the
//! robot's driver against this device.
//!
//! Usage: `ft2232h_gadget FOLDER`, where FOLDER is the functionfs mount point. Each line on standard input halts the
//! camera's endpoint once.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};
use xpuck_arena::ft2232h::{Faults, Ft2232h};
use xpuck_registers::ft2232h::{self as chip, PACKET};
use xpuck_registers::yuyv::BYTES_PER_PIXEL;

const WIDTH: usize = 640;
const HEIGHT: usize = 480;
/// Frame period.
const FRAME: Duration = Duration::from_millis(67);
/// Setting of the chip's latency timer: interval at which the chip sends buffered data to the host.
const LATENCY: Duration = Duration::from_millis(2);
/// Maximum number of bytes per write to the kernel, a whole number of packets.
const AT_ONCE: usize = 32 * PACKET;

/// functionfs constants, as the kernel defines them.
const DESCRIPTORS_V2: u32 = 3;
const STRINGS: u32 = 2;
const HAS_FULL_SPEED: u32 = 1;
const HAS_HIGH_SPEED: u32 = 2;
/// functionfs flag: also deliver requests that are addressed to the device. The vendor requests of the chip have this
/// recipient.
const ALL_RECIPIENTS: u32 = 64;
const EVENT: usize = 12;
const ENABLE: u8 = 2;
const SETUP: u8 = 4;

/// Requests that the chip answers with data.
const GET_LATENCY: u8 = 0x0a;
const MODEM_STATUS: u8 = 0x05;
const READ_EEPROM: u8 = 0x90;

/// Returns the descriptors that functionfs expects: one interface per channel of the chip, each with an IN and an OUT
/// endpoint.
fn descriptors() -> Vec<u8> {
    let of_speed = |packet: u16| {
        let [low, high] = packet.to_le_bytes();
        let channel = |number: u8| {
            let interface = [9, 4, number, 0, 2, 0xff, 0xff, 0xff, 0];
            let endpoint = |address| [7, 5, address, 2, low, high, 0];
            [&interface[..], &endpoint(0x81 + 2 * number), &endpoint(0x02 + 2 * number)].concat()
        };
        [channel(0), channel(1)].concat()
    };
    let body = [of_speed(64), of_speed(PACKET as u16)].concat();
    let flags = HAS_FULL_SPEED | HAS_HIGH_SPEED | ALL_RECIPIENTS;
    let head = [DESCRIPTORS_V2, 20 + body.len() as u32, flags, 6, 6];
    [head.map(u32::to_le_bytes).concat(), body].concat()
}

/// State of the chip. Control requests and standard input change it.
#[derive(Default)]
struct Chip {
    /// Whether the chip streams camera data.
    fifo: AtomicBool,
    /// Whether the camera's endpoint must be halted once.
    halt: AtomicBool,
}

fn main() -> io::Result<()> {
    let folder =
        std::env::args().nth(1).ok_or_else(|| io::Error::other("give the folder where functionfs is mounted"))?;
    let folder = Path::new(&folder);
    let mut control = File::options().read(true).write(true).open(folder.join("ep0"))?;
    control.write_all(&descriptors())?;
    control.write_all(&[STRINGS, 16, 0, 0].map(u32::to_le_bytes).concat())?;
    let mut camera = File::options().read(true).write(true).open(folder.join("ep1"))?;
    let chip = Chip::default();
    std::thread::scope(|scope| {
        scope.spawn(|| stream(&mut camera, &chip));
        scope.spawn(|| {
            for line in io::stdin().lines() {
                chip.halt.store(line.is_ok(), Relaxed);
            }
        });
        loop {
            let mut event = [0; EVENT];
            control.read_exact(&mut event)?;
            match event[8] {
                SETUP => obey(&mut control, &chip, event)?,
                // A chip that has just been plugged in does not stream data.
                ENABLE => chip.fifo.store(false, Relaxed),
                _ => {}
            }
        }
    })
}

/// Handles a control request, and stalls a request that the chip does not support.
fn obey(control: &mut File, chip: &Chip, event: [u8; EVENT]) -> io::Result<()> {
    let [kind, request, value_low, value_high, _, _, length, _, ..] = event;
    let value = u16::from_le_bytes([value_low, value_high]);
    let done = if kind & 0x80 != 0 {
        match request {
            GET_LATENCY => control.write(&[LATENCY.as_millis() as u8]),
            MODEM_STATUS | READ_EEPROM => control.write(&chip::STATUS_AT_REST[..usize::from(length).min(2)]),
            // functionfs stalls a request if the program reads or writes against the request's direction.
            _ => control.read(&mut [0]),
        }
    } else {
        let known = [chip::RESET, chip::PURGE_FROM_HOST, chip::PURGE_TO_HOST, chip::FLOW_CONTROL, chip::MODE_RESET];
        let serial = 1..=4;
        if (request, value) == (chip::MODE_SYNC_FIFO.request, chip::MODE_SYNC_FIFO.value) {
            chip.fifo.store(true, Relaxed);
            control.read(&mut [])
        } else if known.iter().any(|known| known.request == request) || request == 0x09 || serial.contains(&request) {
            if request == chip::MODE_RESET.request {
                chip.fifo.store(false, Relaxed);
            }
            control.read(&mut [])
        } else {
            control.write(&[0])
        }
    };
    // The result is ignored. functionfs reports a stall as an error, and a transfer that the host has aborted needs no
    // action.
    let _ = done;
    Ok(())
}

/// Streams camera frames until the program ends.
fn stream(camera: &mut File, chip: &Chip) {
    let mut path = Ft2232h::new(Faults::default(), 1, 0);
    let (mut due, mut number) = (Instant::now(), 0usize);
    let (mut out, mut packets) = (Vec::new(), Vec::new());
    loop {
        std::thread::sleep(LATENCY);
        if chip.halt.swap(false, Relaxed) {
            // A read from an IN endpoint halts the endpoint.
            let _ = camera.read(&mut [0; PACKET]);
        }
        out.clear();
        if chip.fifo.load(Relaxed) && Instant::now() >= due {
            due = Instant::now() + FRAME;
            number += 1;
            path.frame(&picture(number), WIDTH, &mut out);
        }
        path.flush(&mut out);
        packets.clear();
        let mut rest = &out[..];
        while let Some((length, bytes)) = rest.split_first_chunk() {
            let (packet, behind) = bytes.split_at(usize::from(u16::from_le_bytes(*length)));
            packets.extend_from_slice(packet);
            rest = behind;
        }
        // The write blocks while no host reads. If the device is unplugged, the write fails and the data is dropped.
        for part in packets.chunks(AT_ONCE) {
            if camera.write(part).is_err() {
                break;
            }
        }
    }
}

/// Returns a test picture with grey bars that move with the frame number (YUYV).
fn picture(number: usize) -> Vec<u8> {
    let row: Vec<u8> = (0..WIDTH).flat_map(|x| [(((x + 8 * number) / 40 % 6) * 40 + 16) as u8, 128]).collect();
    let mut pixels = row.repeat(HEIGHT);
    assert_eq!(pixels.len(), WIDTH * HEIGHT * BYTES_PER_PIXEL);
    pixels[..WIDTH * BYTES_PER_PIXEL].fill(200);
    pixels
}
