//! The robot's socket for external controllers: programs on this board that read the senses and drive the robot
//! (docs/controllers.md).
//!
//! For each controller, one thread reads the requests. The control loop processes the requests and sends sense
//! messages, and never waits for a controller. [`xpuck_robot_core::external`] decides which controller drives.

mod connection;
mod line;
mod listener;

pub use line::{PROTOCOL, Reply, Request, SenseMessage, Stats};
pub(crate) use listener::check_place;

use connection::Connection;
use std::collections::VecDeque;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use xpuck_robot_core::core::Core;
use xpuck_robot_core::external::ProgramRequest;
use xpuck_wire::{FileError, Waker};

/// Maximum number of connected controllers.
pub const MAX_PROGRAMS: usize = 4;
/// Maximum number of requests that wait for the control loop.
const WAITING: usize = 64;

/// Request of a controller, and its connection.
struct QueuedRequest {
    connection: Arc<Connection>,
    said: ProgramRequest,
    /// Number of the sense message that a drive command answers, if the command contains the number.
    of: Option<u64>,
}

/// State shared by the control loop and the reading threads.
struct Shared {
    robot: String,
    speed: f64,
    heard: Mutex<VecDeque<QueuedRequest>>,
    connections: Mutex<Vec<Arc<Connection>>>,
    waker: Mutex<Waker>,
    ending: AtomicBool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// Queues a request for the control loop, and wakes the loop. A drive command replaces a directly preceding drive
    /// command of the same controller. Returns false if the queue is full.
    fn push(&self, heard: QueuedRequest) -> bool {
        let mut waiting = lock(&self.heard);
        let is_drive = |said: &ProgramRequest| matches!(said, ProgramRequest::Drive(_));
        let full = waiting.len() >= WAITING;
        let newer = waiting.back_mut().filter(|last| {
            last.connection.number == heard.connection.number && is_drive(&last.said) && is_drive(&heard.said)
        });
        match newer {
            Some(last) => *last = heard,
            // The end of a connection is queued even if the queue is full, because it must not be lost.
            None if full && heard.said != ProgramRequest::Gone => return false,
            None => waiting.push_back(heard),
        }
        drop(waiting);
        lock(&self.waker).wake();
        true
    }
}

/// Server of the socket, owned by the control loop. Dropping the server closes all connections and removes the socket.
pub struct ProgramServer {
    shared: Arc<Shared>,
    path: PathBuf,
    listener: Option<JoinHandle<()>>,
    /// Request that the control loop is processing.
    current: Option<QueuedRequest>,
}

impl ProgramServer {
    /// Listens at `path`, and replaces a socket that a killed program left there. The caller holds the lock of the
    /// robot's body, so no other program of this robot is running. `speed` is the ratio of arena time to wall time.
    ///
    /// # Errors
    /// If another file is at the path, or the socket cannot be created.
    pub fn listen(path: &Path, robot: &str, speed: f64, waker: Waker) -> Result<ProgramServer, FileError> {
        let listener = listener::bind(path)?;
        let shared = Arc::new(Shared {
            robot: robot.into(),
            speed,
            heard: Mutex::default(),
            connections: Mutex::default(),
            waker: Mutex::new(waker),
            ending: AtomicBool::new(false),
        });
        let accepting = shared.clone();
        let thread = std::thread::Builder::new()
            .name("programs".into())
            .spawn(move || listener::accept(&listener, &accepting))
            .map_err(|error| {
                FileError::value(
                    &path.display().to_string(),
                    format!("cannot create a thread for this socket: {error}"),
                )
            })?;
        Ok(ProgramServer { shared, path: path.into(), listener: Some(thread), current: None })
    }

    /// Returns the next request, with the number of the controller's connection; `None` if no request is queued.
    pub fn next_request(&mut self) -> Option<(u32, ProgramRequest)> {
        let heard = lock(&self.shared.heard).pop_front()?;
        let next = (heard.connection.number, heard.said.clone());
        self.current = Some(heard);
        Some(next)
    }

    /// Reports the result of the last request to its controller. For a drive command, `Ok` means that the command has
    /// reached the body; the response time is recorded, and no message is sent.
    pub fn reply(&mut self, result: Result<(), String>) {
        let Some(QueuedRequest { connection, said, of }) = self.current.take() else { return };
        let reply = match (&result, &said) {
            (Err(why), _) => Reply::Refused { why },
            (Ok(()), ProgramRequest::Take(_)) => Reply::Taken,
            (Ok(()), ProgramRequest::Release) => Reply::Released,
            (Ok(()), ProgramRequest::Drive(_)) => return of.iter().for_each(|of| connection.record_round_trip(*of)),
            (Ok(()), ProgramRequest::Tell(..) | ProgramRequest::Unreadable | ProgramRequest::Gone) => return,
        };
        connection.send_line(reply.line());
    }

    /// Returns the time of the next sense message (s of arena time); `None` if no controller has sent a hello.
    pub fn due(&self) -> Option<f64> {
        let connections = lock(&self.shared.connections);
        connections.iter().filter_map(|connection| connection.due()).reduce(f64::min)
    }

    /// Sends `view` to each controller whose next sense message is due at `now` (s of arena time).
    pub fn send_senses(&self, now: f64, core: &Core, view: &SenseMessage) {
        for connection in lock(&self.shared.connections).iter() {
            let driver = line::driver_name(core.driver(now), connection.number);
            connection.send_senses(now, |n| Reply::Senses { n, driver, view }.line());
        }
    }
}

impl ProgramServer {
    /// Sends a text from a controller of robot `from` to all controllers of this robot. `from` is the index in the
    /// swarm file, from 1.
    pub fn broadcast(&self, from: u16, text: &str) {
        for connection in lock(&self.shared.connections).iter() {
            connection.send_line(Reply::Heard { from, text }.line());
        }
    }
}

impl Drop for ProgramServer {
    fn drop(&mut self) {
        self.shared.ending.store(true, Ordering::Release);
        lock(&self.shared.connections).iter().for_each(|connection| connection.close());
        // Connects to the server's own socket, to wake the listening thread. The thread then ends.
        let woken = UnixStream::connect(&self.path).is_ok();
        let _ = std::fs::remove_file(&self.path);
        if let Some(listener) = self.listener.take().filter(|_| woken) {
            let _ = listener.join();
        }
    }
}

#[cfg(test)]
mod tests;
