//! Overhead camera: an endless HTTP response of JPEG pictures (multipart/x-mixed-replace), as network cameras send it.

use super::sleep_until;
use crate::arena::Arena;
use crate::overhead::picture;
use crate::port::Port;
use crate::port::connection::{POLL, is_timeout, prepare, write_all};
use crate::settings::ArenaError;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::thread::Scope;
use std::time::{Duration, Instant};

/// Frame rate (Hz).
const RATE: f64 = 5.0;
/// Maximum number of viewers.
const WATCHERS: usize = 8;
/// Maximum length of a request (bytes), and time limit for its arrival.
const REQUEST: usize = 4096;
const ASKING: Duration = Duration::from_secs(2);

/// Network port of the overhead camera.
pub(super) struct Overhead(Port);

impl Overhead {
    /// Binds the port.
    pub(super) fn bind(address: SocketAddr) -> Result<Overhead, ArenaError> {
        Port::bind(address, WATCHERS).map(Overhead).map_err(|source| ArenaError::Overhead { address, source })
    }

    /// Returns the address of the port.
    pub(super) fn address(&self) -> SocketAddr {
        self.0.address()
    }

    /// Accepts waiting connections.
    pub(super) fn admit<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        arena: &'scope Mutex<Arena>,
        stop: &'scope AtomicBool,
    ) {
        // An error means that the viewer disconnected, and is ignored.
        self.0.admit(scope, move |stream| drop(serve(&stream, arena, stop)));
    }
}

fn serve(stream: &TcpStream, arena: &Mutex<Arena>, stop: &AtomicBool) -> io::Result<()> {
    let (mut reading, mut writing) = prepare(stream)?;
    asked(&mut reading, stop)?;
    let head = "HTTP/1.0 200 OK\r\nCache-Control: no-store\r\n\
        Content-Type: multipart/x-mixed-replace; boundary=picture\r\n\r\n";
    writing.write_all(head.as_bytes())?;
    let mut due = Instant::now();
    while sleep_until(due, stop) {
        let (bodies, half_arena) = {
            let arena = arena.lock().unwrap_or_else(PoisonError::into_inner);
            (arena.bodies().to_vec(), arena.surroundings().half_arena)
        };
        let jpeg = picture(&bodies, half_arena);
        let part = format!("--picture\r\nContent-Type: image/jpeg\r\nContent-Length: {}\r\n\r\n", jpeg.len());
        write_all(&mut writing, &[part.as_bytes(), &jpeg, b"\r\n"].concat(), stop)?;
        due = (due + Duration::from_secs_f64(1.0 / RATE)).max(Instant::now());
    }
    Ok(())
}

/// Reads an HTTP request up to the empty line after its header. The contents are ignored, because every request gets
/// the pictures.
fn asked(stream: &mut TcpStream, stop: &AtomicBool) -> io::Result<()> {
    let (begun, mut request) = (Instant::now(), Vec::<u8>::new());
    let mut buffer = [0; 512];
    while !request.windows(4).any(|end| end == b"\r\n\r\n") {
        if request.len() > REQUEST || begun.elapsed() > ASKING || stop.load(Relaxed) {
            return Err(ErrorKind::InvalidData.into());
        }
        match stream.read(&mut buffer) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(n) => request.extend(&buffer[..n]),
            Err(error) if is_timeout(&error) => std::thread::sleep(POLL.min(ASKING) / 20),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
