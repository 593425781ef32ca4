//! Camera above the arena. A thread requests pictures by HTTP and passes them to the hub's loop. A missing, slow or
//! faulty camera only causes a line in the log.

mod stream;

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::{Duration, Instant};
use stream::{Jpeg, MultipartParser};
use xpuck_hub_core::config::Overhead;

/// Maximum number of pictures waiting for the hub's loop; further pictures are dropped.
const WAITING: usize = 4;
/// Time limit for connecting and for sending the request (`CONNECT`), and interval at which the waiting thread checks
/// whether it has to end (`POLL`).
const CONNECT: Duration = Duration::from_secs(3);
const POLL: Duration = Duration::from_millis(200);
/// Time without a complete picture after which the connection is renewed.
const SILENT: Duration = Duration::from_secs(10);
/// Initial and maximum pause after a failure; each failure doubles the pause.
const RETRY: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(10));
/// Maximum read rate (bytes per second).
const MOST_A_SECOND: f64 = 32.0 * 1024.0 * 1024.0;

/// Event of the camera's thread.
pub enum Event {
    /// Picture with its time of arrival.
    Picture(Arc<OverheadPicture>, Instant),
    /// No pictures arrive, for this reason. The event is sent when the reason changes.
    Trouble(String),
    /// Pictures arrive again after a failure.
    Comes,
}

/// Picture of the arena.
#[derive(Debug, PartialEq, Eq)]
pub struct OverheadPicture {
    /// Contents of the JPEG file.
    pub jpeg: Vec<u8>,
    /// Width and height (pixels).
    pub size: [u16; 2],
}

impl AsRef<[u8]> for OverheadPicture {
    fn as_ref(&self) -> &[u8] {
        &self.jpeg
    }
}

/// Starts the camera's thread, which requests pictures until `stop` is set. Returns the receiver of its events.
///
/// # Errors
/// The operating system cannot create a thread.
pub fn start(config: &Overhead, stop: Arc<AtomicBool>) -> std::io::Result<Receiver<Event>> {
    let (sender, receiver) = sync_channel(WAITING);
    let (config, mut reader) = (config.clone(), Reader::new(config, sender, stop));
    std::thread::Builder::new().name("overhead".into()).spawn(move || reader.run(&config))?;
    Ok(receiver)
}

struct Reader {
    sender: SyncSender<Event>,
    stop: Arc<AtomicBool>,
    /// Minimum interval between two pictures that are passed on.
    period: Duration,
    /// Earliest time at which the next picture is passed on.
    due: Instant,
    /// Last reported failure; `None` while pictures arrive.
    told: Option<String>,
    /// Number of pictures received over this connection.
    pictures: u32,
    /// Whether the receiver of the events is gone.
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
            // Some cameras send only one picture per response. The thread then requests the next picture at the time
            // `due`.
            wait = match ended {
                Ok(()) if self.pictures > 0 => self.due.saturating_duration_since(Instant::now()).max(POLL / 10),
                Ok(()) => self.fails(config, "the answer contained no picture", wait),
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

    /// Reports a failure, unless it equals the last reported failure. Returns the next pause.
    fn fails(&mut self, config: &Overhead, why: &str, wait: Duration) -> Duration {
        let text = format!("no pictures from the overhead camera {}: {why}", config.url);
        if self.told.as_ref() != Some(&text) && self.send(Event::Trouble(text.clone())) {
            self.told = Some(text);
        }
        (wait * 2).min(RETRY.1)
    }

    /// Sends an event without waiting. Returns whether the channel accepted the event.
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

    /// Runs one connection until its end or until `stop` is set.
    fn watch(&mut self, config: &Overhead) -> Result<(), String> {
        let (host, path) = config.target().ok_or("invalid address")?;
        let mut stream = connect(&host)?;
        let request =
            format!("GET {path} HTTP/1.0\r\nHost: {host}\r\nAccept: multipart/x-mixed-replace, image/jpeg\r\n\r\n");
        stream.write_all(request.as_bytes()).map_err(|error| error.to_string())?;
        let (mut pictures, mut buffer) = (MultipartParser::default(), vec![0; 64 * 1024]);
        let (begun, mut bytes, mut last) = (Instant::now(), 0.0, Instant::now());
        while !self.is_over() && !pictures.is_over() {
            let read = match stream.read(&mut buffer) {
                Ok(0) => {
                    return pictures.end(|jpeg| self.on_picture(jpeg));
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
            pictures.push(&buffer[..read], |jpeg| self.on_picture(jpeg))?;
            if self.pictures > before {
                last = Instant::now();
            }
            if last.elapsed() > SILENT {
                return Err(format!("no complete picture for {} s", SILENT.as_secs()));
            }
            bytes += read as f64;
            let early = bytes / MOST_A_SECOND - begun.elapsed().as_secs_f64();
            if early > 0.0 {
                std::thread::sleep(Duration::from_secs_f64(early.min(1.0)));
            }
        }
        Ok(())
    }

    /// Passes on the picture, unless it arrives before the time `due`.
    fn on_picture(&mut self, Jpeg { bytes, size }: Jpeg) {
        self.pictures = self.pictures.saturating_add(1);
        let now = Instant::now();
        if now < self.due {
            return;
        }
        // Pictures are passed on at even intervals, except after an interruption.
        let next = self.due + self.period;
        self.due = if next > now { next } else { now + self.period };
        if self.told.is_some() && self.send(Event::Comes) {
            self.told = None;
        }
        self.send(Event::Picture(Arc::new(OverheadPicture { jpeg: bytes, size }), now));
    }
}

/// Connects to the first of the host's addresses that accepts a connection within [`CONNECT`].
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
