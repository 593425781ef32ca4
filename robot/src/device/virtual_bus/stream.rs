//! Connection to a virtual device. The address is the path of a Unix socket, or `tcp://HOST:PORT/<robot>.<device>` for
//! an arena on the network.

use super::{DeviceError, TIMEOUT};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;
use xpuck_wire::retry_on_interrupt;

/// Prefix of the path of a device on the network.
pub const TCP: &str = "tcp://";
/// Answer byte of an arena that has the requested device.
const HAVE: u8 = 0;

/// Returns whether the path belongs to a virtual device. Such a path is a socket or a network address.
pub fn is_virtual(path: &Path) -> io::Result<bool> {
    Ok(on_network(path).is_some() || std::fs::metadata(path)?.file_type().is_socket())
}

/// Splits a network path into the arena's address and the device's name; `None` for other paths.
pub fn on_network(path: &Path) -> Option<(&str, &str)> {
    path.to_str()?.strip_prefix(TCP)?.rsplit_once('/')
}

/// Connection to a virtual device.
#[derive(Debug)]
pub enum Stream {
    /// Connection to a device on this machine.
    Unix(UnixStream),
    /// Connection to a device over the network.
    Tcp(TcpStream),
}

impl Stream {
    /// Connects to a device. `patience` is the time limit of each later read and write.
    ///
    /// # Errors
    /// If the connection fails, or the arena does not have the device.
    pub fn open(path: &Path, patience: Duration) -> Result<Stream, DeviceError> {
        let open = || match on_network(path) {
            Some((address, device)) => tcp(address, device, patience).map(Stream::Tcp),
            None => unix(path, patience).map(Stream::Unix),
        };
        open().map_err(|source| DeviceError::Open { path: path.into(), source })
    }

    /// Closes the connection in both directions.
    pub fn shutdown(&self) -> io::Result<()> {
        match self {
            Stream::Unix(stream) => stream.shutdown(Shutdown::Both),
            Stream::Tcp(stream) => stream.shutdown(Shutdown::Both),
        }
    }
}

fn unix(path: &Path, patience: Duration) -> io::Result<UnixStream> {
    let stream = retry_on_interrupt(|| UnixStream::connect(path))?;
    stream.set_read_timeout(Some(patience))?;
    stream.set_write_timeout(Some(patience))?;
    Ok(stream)
}

/// Connects to an arena: sends a line with the device's name, and reads a byte as the answer.
fn tcp(address: &str, device: &str, patience: Duration) -> io::Result<TcpStream> {
    let mut last = io::Error::new(ErrorKind::NotFound, "unknown host");
    for place in address.to_socket_addrs()? {
        let mut stream = match TcpStream::connect_timeout(&place, TIMEOUT) {
            Ok(stream) => stream,
            Err(error) => {
                last = error;
                continue;
            }
        };
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(TIMEOUT))?;
        stream.set_write_timeout(Some(patience))?;
        stream.write_all(format!("{device}\n").as_bytes())?;
        let mut answer = [0xff];
        stream.read_exact(&mut answer).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => {
                io::Error::new(ErrorKind::NotFound, "the arena there does not have this device")
            }
            _ => error,
        })?;
        if answer != [HAVE] {
            return Err(io::Error::new(ErrorKind::InvalidData, "the server at this address is not an arena"));
        }
        stream.set_read_timeout(Some(patience))?;
        return Ok(stream);
    }
    Err(last)
}

impl Read for Stream {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Unix(stream) => stream.read(bytes),
            Stream::Tcp(stream) => stream.read(bytes),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Stream::Unix(stream) => stream.write(bytes),
            Stream::Tcp(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Stream::Unix(stream) => stream.flush(),
            Stream::Tcp(stream) => stream.flush(),
        }
    }
}
