//! The camera above the arena: a thread asks for its pictures by HTTP and hands the newest to the hub's loop. A camera that is
//! absent, slow or mad costs a line in the log and nothing else.

mod stream;

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::{Duration, Instant};
use stream::{Jpeg, Pictures};
use xpuck_hub_core::config::Overhead;

/// Pictures that may wait for the hub's loop; what comes when it is full is lost.
const WAITING: usize = 4;
/// How long a connection may take to be made, and how long a thread waits for bytes before it looks whether it shall end.
const CONNECT: Duration = Duration::from_secs(3);
const POLL: Duration = Duration::from_millis(200);
/// A camera that gives no whole picture for so long is asked anew.
const SILENT: Duration = Duration::from_secs(10);
/// A camera that failed is asked again after this, and ever later up to the second.
const RETRY: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(10));
/// More bytes a second are not read: who sends more is waited for.
const MOST_A_SECOND: f64 = 32.0 * 1024.0 * 1024.0;

/// What the thread tells.
pub enum Event {
    /// A picture came then.
    Picture(Arc<Shot>, Instant),
    /// No pictures come, and why; told once for each reason.
    Trouble(String),
    /// They come again.
    Comes,
}

/// A picture of the arena.
#[derive(Debug, PartialEq, Eq)]
pub struct Shot {
    /// The JPEG file.
    pub jpeg: Vec<u8>,
    /// Width and height, pixels.
    pub size: [u16; 2],
}

impl AsRef<[u8]> for Shot {
    fn as_ref(&self) -> &[u8] {
        &self.jpeg
    }
}

/// Begins to ask a camera for pictures until `stop`.
///
/// # Errors
/// If the system gives no thread.
pub fn start(config: &Overhead, stop: Arc<AtomicBool>) -> std::io::Result<Receiver<Event>> {
    let (sender, receiver) = sync_channel(WAITING);
    let (config, mut reader) = (config.clone(), Reader::new(config, sender, stop));
    std::thread::Builder::new().name("overhead".into()).spawn(move || reader.run(&config))?;
    Ok(receiver)
}

struct Reader {
    sender: SyncSender<Event>,
    stop: Arc<AtomicBool>,
    /// Least time between two pictures that are kept.
    period: Duration,
    /// When the next may be kept.
    due: Instant,
    /// What was told of last.
    told: Option<String>,
    /// Pictures of this connection.
    pictures: u32,
    /// Nobody takes events any more.
    alone: bool,
}

impl Reader {
    fn new(config: &Overhead, sender: SyncSender<Event>, stop: Arc<AtomicBool>) -> Reader {
        let period = Duration::from_secs_f64(1.0 / config.frames_per_second);
        Reader { sender, stop, period, due: Instant::now(), told: None, pictures: 0, alone: false }
    }

    fn run(&mut self, config: &Overhead) {
        let mut wait = RETRY.0;
        while !self.is_over() {
            self.pictures = 0;
            let ended = self.watch(config);
            if self.is_over() {
                return;
            }
            // A camera that gives one picture an answer is asked again for the next.
            wait = match ended {
                Ok(()) if self.pictures > 0 => self.due.saturating_duration_since(Instant::now()).max(POLL / 10),
                Ok(()) => self.fails(config, "the answer had no picture", wait),
                Err(why) => self.fails(config, &why, if self.pictures > 0 { RETRY.0 } else { wait }),
            };
            let until = Instant::now() + wait;
            while Instant::now() < until && !self.is_over() {
                std::thread::sleep(until.saturating_duration_since(Instant::now()).min(POLL));
            }
            if self.pictures > 0 {
                wait = RETRY.0;
            }
        }
    }

    fn is_over(&self) -> bool {
        self.alone || self.stop.load(Relaxed)
    }

    /// Tells of a failure, if it is another than the last; gives how long to wait.
    fn fails(&mut self, config: &Overhead, why: &str, wait: Duration) -> Duration {
        let text = format!("no pictures from the overhead camera {}: {why}", config.url);
        if self.told.as_ref() != Some(&text) && self.send(Event::Trouble(text.clone())) {
            self.told = Some(text);
        }
        (wait * 2).min(RETRY.1)
    }

    /// True if it was taken.
    fn send(&mut self, event: Event) -> bool {
        match self.sender.try_send(event) {
            Ok(()) => true,
            Err(TrySendError::Full(_)) => false,
            Err(TrySendError::Disconnected(_)) => {
                self.alone = true;
                false
            }
        }
    }

    /// One connection, to its end.
    fn watch(&mut self, config: &Overhead) -> Result<(), String> {
        let (host, path) = config.target().ok_or("the address is none")?;
        let mut stream = connect(&host)?;
        let request =
            format!("GET {path} HTTP/1.0\r\nHost: {host}\r\nAccept: multipart/x-mixed-replace, image/jpeg\r\n\r\n");
        stream.write_all(request.as_bytes()).map_err(|error| error.to_string())?;
        let (mut pictures, mut buffer) = (Pictures::default(), vec![0; 64 * 1024]);
        let (begun, mut bytes, mut last) = (Instant::now(), 0.0, Instant::now());
        while !self.is_over() && !pictures.is_over() {
            let read = match stream.read(&mut buffer) {
                Ok(0) => {
                    return pictures.end(|jpeg| self.take(jpeg));
                }
                Ok(n) => n,
                Err(error)
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted) =>
                {
                    0
                }
                Err(error) => return Err(error.to_string()),
            };
            let before = self.pictures;
            pictures.push(&buffer[..read], |jpeg| self.take(jpeg))?;
            if self.pictures > before {
                last = Instant::now();
            }
            if last.elapsed() > SILENT {
                return Err(format!("no whole picture for {} s", SILENT.as_secs()));
            }
            bytes += read as f64;
            let early = bytes / MOST_A_SECOND - begun.elapsed().as_secs_f64();
            if early > 0.0 {
                std::thread::sleep(Duration::from_secs_f64(early.min(1.0)));
            }
        }
        Ok(())
    }

    /// Keeps a picture, if it is time for the next.
    fn take(&mut self, Jpeg { bytes, size }: Jpeg) {
        self.pictures = self.pictures.saturating_add(1);
        let now = Instant::now();
        if now < self.due {
            return;
        }
        // Evenly spaced, unless none came for a while.
        let next = self.due + self.period;
        self.due = if next > now { next } else { now + self.period };
        if self.told.is_some() && self.send(Event::Comes) {
            self.told = None;
        }
        self.send(Event::Picture(Arc::new(Shot { jpeg: bytes, size }), now));
    }
}

/// A connection to the first of the host's addresses that takes one.
fn connect(host: &str) -> Result<TcpStream, String> {
    let addresses = host.to_socket_addrs().map_err(|error| error.to_string())?;
    let mut why = String::from("the name has no address");
    for address in addresses {
        match TcpStream::connect_timeout(&address, CONNECT) {
            Ok(stream) => {
                let set = stream.set_read_timeout(Some(POLL)).and_then(|()| stream.set_write_timeout(Some(CONNECT)));
                return set.map(|()| stream).map_err(|error| error.to_string());
            }
            Err(error) => why = error.to_string(),
        }
    }
    Err(why)
}

#[cfg(test)]
mod tests;
