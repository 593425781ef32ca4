//! Raw client of the arena's sockets, which uses only the byte formats of the devices and of Vicon DataStream.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;
use xpuck_registers::spi::{self, Actions, Command, Report};
use xpuck_registers::stepper::StepsPerSecond;

/// SPI connection to one robot's dsPIC.
pub struct Spi {
    stream: UnixStream,
    sequence: u16,
}

impl Spi {
    pub fn open(path: &Path) -> Spi {
        let stream = UnixStream::connect(path).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        Spi { stream, sequence: 0 }
    }

    /// Sets both speeds (steps/s). Returns the report of the same exchange.
    pub fn drive(&mut self, left: f32, right: f32) -> Report {
        self.sequence = self.sequence.wrapping_add(1);
        let speeds = [left, right].map(|s| StepsPerSecond::new(s as i16));
        let command = Command { actions: Actions::SET_MOTOR, speeds, sequence: self.sequence, ..Command::default() };
        self.stream.write_all(&spi::to_wire(&command.encode())).unwrap();
        let mut bytes = [0; spi::BYTES];
        self.stream.read_exact(&mut bytes).unwrap();
        Report::decode(&spi::from_wire(&bytes)).unwrap()
    }
}

/// Pose of a subject (m, rad).
#[derive(Clone, Copy, Debug)]
pub struct Pose {
    pub x: f64,
    pub y: f64,
    pub heading: f64,
}

/// Vicon DataStream client.
pub struct Vicon {
    pub stream: TcpStream,
    names: HashMap<u32, String>,
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn real(bytes: &[u8], at: usize) -> f64 {
    f64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

pub fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
}

impl Vicon {
    /// Connects, checks the server's hello packet, and requests the objects that contain poses.
    pub fn open(address: SocketAddr) -> Vicon {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        let mut vicon = Vicon { stream, names: HashMap::new() };
        let hello = vicon.packet();
        assert_eq!(hello[..12], bytes("a18601002000000007000000"), "the server speaks first");
        vicon.send(
            "01002b1a20000000a186010018000000050000000100000002000000050000000900000\
                    0a4860100",
        );
        vicon
    }

    pub fn send(&mut self, hex: &str) {
        self.stream.write_all(&bytes(hex)).unwrap();
    }

    /// Returns the objects of the next packet.
    pub fn packet(&mut self) -> Vec<u8> {
        let mut head = [0; 8];
        self.stream.read_exact(&mut head).unwrap();
        assert_eq!(head[..4], [0x01, 0x00, 0x2b, 0x1a]);
        let mut body = vec![0; word(&head, 4) as usize];
        self.stream.read_exact(&mut body).unwrap();
        body
    }

    /// Returns the number and the poses of the next frame. Skips packets without a frame.
    pub fn frame(&mut self) -> (u32, HashMap<String, Pose>) {
        loop {
            let body = self.packet();
            let (mut at, mut number, mut poses) = (0, None, HashMap::new());
            while at < body.len() {
                let (id, object) = (word(&body, at), &body[at + 8..at + 8 + word(&body, at + 4) as usize]);
                at += 8 + object.len();
                match id {
                    2 => {
                        let name = String::from_utf8(object[8..8 + word(object, 4) as usize].to_vec()).unwrap();
                        self.names.insert(word(object, 0), name);
                    }
                    5 => number = Some(word(object, 0)),
                    9 => {
                        let heading = real(object, 36 + 24).atan2(real(object, 36));
                        let pose = Pose { x: real(object, 12) / 1000.0, y: real(object, 20) / 1000.0, heading };
                        poses.insert(self.names[&word(object, 0)].clone(), pose);
                    }
                    _ => {}
                }
            }
            if let Some(number) = number {
                return (number, poses);
            }
        }
    }
}

/// Returns the pixels of the next complete frame on a camera's socket, without lengths, status bytes and headers.
pub fn frame(camera: &mut impl Read, width: usize) -> Vec<u8> {
    let mut stream = Vec::new();
    loop {
        let mut length = [0; 2];
        camera.read_exact(&mut length).unwrap();
        let mut packet = vec![0; usize::from(u16::from_le_bytes(length))];
        camera.read_exact(&mut packet).unwrap();
        stream.extend(&packet[2..]);
        // A frame ends with an end header of 8 bytes. Each row consists of a header and the pixels of the row.
        if let Some(end) = stream.windows(3).position(|mark| mark == [0xff, 0x00, 0x42]) {
            assert!(end % (8 + 2 * width) == 0, "rows have their length");
            return stream[..end].chunks(8 + 2 * width).flat_map(|row| row[8..].iter().copied()).collect();
        }
    }
}
