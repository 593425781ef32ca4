//! The thread that keeps a connection to the motion-capture server.

use super::Frame;
use super::vicon::Client;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;
use std::time::Duration;

/// Frames that may wait for the hub; newer ones are dropped while it is full.
pub const QUEUE: usize = 64;
/// Pause between attempts to connect.
const RETRY: Duration = Duration::from_millis(200);
/// A server silent for so long is taken for gone.
const SILENCE: Duration = Duration::from_secs(2);

/// What the thread tells.
#[derive(Debug)]
pub enum Event {
    /// A frame came.
    Frame(Frame),
    /// The connection came or went; a line for the log.
    Note(String),
}

/// Starts the thread; it ends when `stop` is set.
pub fn start(address: String, events: SyncSender<Event>, stop: Arc<AtomicBool>) -> std::io::Result<()> {
    std::thread::Builder::new().name("mocap".into()).spawn(move || {
        let mut told = false;
        while !stop.load(Ordering::Relaxed) {
            let problem = match stream(&address, &events, &stop, &mut told) {
                Ok(()) => return,
                Err(error) => error,
            };
            if !told {
                told = true;
                let note = format!("motion capture at {address}: {problem}; trying again until it answers");
                let _ = events.try_send(Event::Note(note));
            }
            std::thread::sleep(RETRY);
        }
    })?;
    Ok(())
}

fn stream(address: &str, events: &SyncSender<Event>, stop: &AtomicBool, told: &mut bool) -> Result<(), String> {
    let text = |e: std::io::Error| e.to_string();
    let mut socket = TcpStream::connect(address).map_err(text)?;
    socket.set_nodelay(true).map_err(text)?;
    socket.set_read_timeout(Some(SILENCE)).map_err(text)?;
    let mut client = Client::new();
    let mut bytes = [0u8; 16384];
    while !stop.load(Ordering::Relaxed) {
        let n = match socket.read(&mut bytes) {
            Ok(0) => return Err("the server closed the connection".into()),
            Ok(n) => n,
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                return Err(format!("silent for {} s", SILENCE.as_secs()));
            }
            Err(e) => return Err(text(e)),
        };
        for frame in client.feed(&bytes[..n]).map_err(|e| e.to_string())? {
            if *told {
                *told = false;
                let _ = events.try_send(Event::Note(format!("motion capture at {address}: frames are coming again")));
            }
            // A full queue means that the hub is late; the next frame is newer anyway.
            let _ = events.try_send(Event::Frame(frame));
        }
        let answer = client.take_outgoing();
        socket.write_all(&answer).map_err(text)?;
    }
    Ok(())
}
