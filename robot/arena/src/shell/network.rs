//! The devices on the network: one port, where the first line of a connection names the device, `<robot>.<device>`. A zero
//! byte answers it; from then on the connection carries what the device's Unix socket would. A name that is none of ours
//! ends the connection.

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

/// Most connections at once, of all devices: three of each of the most robots, and some that come again.
const MAX_CONNECTIONS: usize = 1024;
/// Longest first line: a robot's name, a dot and `camera`.
const MAX_NAME: usize = 40;
/// How long a connection may take to name its device.
const NAMING: Duration = Duration::from_secs(1);
/// The answer to a name that is known.
const HAVE: u8 = 0;

/// The port.
pub(super) struct Network(Port);

impl Network {
    /// Binds the port.
    pub(super) fn bind(address: SocketAddr) -> Result<Network, ArenaError> {
        let port = Port::bind(address, MAX_CONNECTIONS);
        port.map(Network).map_err(|source| ArenaError::DeviceAddress { address, source })
    }

    /// Where it is.
    pub(super) fn address(&self) -> SocketAddr {
        self.0.address()
    }

    /// Takes waiting connections.
    pub(super) fn admit<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        devices: &'scope Devices,
        arena: &'scope Mutex<Arena>,
        stop: &'scope AtomicBool,
    ) {
        // Whoever leaves in the middle, or names nothing of ours, is heard no longer.
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

/// The first line. Bytes behind it are the device's, so none of them is read.
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
