//! Serves the devices on one network port. A client first sends a line with a device name, `<robot>.<device>`. The
//! server replies with a zero byte. Then the connection carries the same data as the device's Unix socket. If the name
//! is unknown, the server closes the connection.

use super::devices::Devices;
use crate::arena::Arena;
use crate::port::Port;
use crate::port::connection::{POLL, prepare};
use crate::settings::ArenaError;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::thread::Scope;
use std::time::{Duration, Instant};

/// Maximum number of connections to all devices: three for each of up to 256 robots, and a reserve for reconnections.
const MAX_CONNECTIONS: usize = 1024;
/// Maximum length of the first line (bytes), enough for a robot's name, a dot and `camera`.
const MAX_NAME: usize = 40;
/// Time limit for the arrival of the device name.
const NAMING: Duration = Duration::from_secs(1);
/// Reply to the name of an existing device.
const HAVE: u8 = 0;

/// Network port of the devices.
pub(super) struct Network(Port);

impl Network {
    /// Binds the port.
    pub(super) fn bind(address: SocketAddr) -> Result<Network, ArenaError> {
        let port = Port::bind(address, MAX_CONNECTIONS);
        port.map(Network).map_err(|source| ArenaError::DeviceAddress { address, source })
    }

    /// Returns the address of the port.
    pub(super) fn address(&self) -> SocketAddr {
        self.0.address()
    }

    /// Accepts waiting connections.
    pub(super) fn admit<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        devices: &'scope Devices,
        arena: &'scope Mutex<Arena>,
        stop: &'scope AtomicBool,
    ) {
        // An error means that the peer disconnected or sent no device name, and is ignored.
        self.0.admit(scope, move |stream| drop(serve(stream, devices, arena, stop)));
    }
}

fn serve(stream: TcpStream, devices: &Devices, arena: &Mutex<Arena>, stop: &AtomicBool) -> io::Result<()> {
    let (mut stream, _) = prepare(&stream)?;
    let name = name(&mut stream)?;
    let greet = |stream: &mut TcpStream| stream.write_all(&[HAVE]);
    devices.serve_named(&name, stream, greet, arena, stop);
    Ok(())
}

/// Reads the first line of a connection byte by byte, because the bytes after the line are data for the device.
fn name(stream: &mut TcpStream) -> io::Result<String> {
    let deadline = Instant::now() + NAMING;
    stream.set_read_timeout(Some(NAMING))?;
    let mut name = Vec::new();
    let mut byte = [0];
    while name.len() <= MAX_NAME && Instant::now() < deadline {
        stream.read_exact(&mut byte)?;
        if byte == *b"\n" {
            stream.set_read_timeout(Some(POLL))?;
            return String::from_utf8(name).map_err(|_| ErrorKind::InvalidData.into());
        }
        name.push(byte[0]);
    }
    Err(ErrorKind::InvalidData.into())
}
