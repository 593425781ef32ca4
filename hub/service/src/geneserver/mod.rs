//! Runs a [`Broker`] with a clock, a socket, and a state file that survives a restart.

mod duplicates;
mod link;
mod upstream;

use duplicates::DuplicateIslands;
pub use link::{Link, address_in};
pub use upstream::{Options as AboveOptions, UpperLink};

use crate::admission::relay::{self, Relay};
use crate::admission::{Greeting, descriptors};
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use xpuck_evolve::checkpoint;
use xpuck_hub_core::geneserver::{Broker, SavedState, Status};
use xpuck_wire::FileError;
use xpuck_wire::atomic;
use xpuck_wire::file;
use xpuck_wire::keys::Secret;
use xpuck_wire::log::Line;
use xpuck_wire::message::WorkerMessage;
use xpuck_wire::socket::{Router, SocketError, Sockets, wait};

/// Maximum wait for messages per turn of the loop (ms).
const POLL_MS: i64 = 50;
/// Maximum number of messages between two checks of the clock.
const MESSAGES_AT_ONCE: usize = 256;
/// Interval of status reports.
const REPORT: Duration = Duration::from_secs(10);
/// Interval of saving the state.
const SAVE: Duration = Duration::from_secs(5);
/// Time for which the server continues to answer after all islands are done, so that its last answers arrive.
const FAREWELL: Duration = Duration::from_secs(1);
/// State file in the server's folder.
const FILE: &str = "geneserver.state";
/// Lock file, locked while a server uses the folder.
const LOCK: &str = "lock";
/// Maximum size of the state file (bytes).
const MAX_MEMORY: u64 = 1 << 30;

/// Configuration of a server.
#[derive(Clone, Debug)]
pub struct Options {
    /// ZeroMQ endpoint on which the server listens. The port `*` selects a free port.
    pub listen: String,
    /// File to which the server writes its address for the islands.
    pub address_file: Option<PathBuf>,
    /// Key shared with the islands; `None` admits islands without a key.
    pub key: Option<Secret>,
    /// Folder for the server's state. Without a folder, a restarted server restores its state from its workers.
    pub dir: Option<PathBuf>,
    /// Number of finished islands after which the server ends. `None`: the server ends only when the `stop` flag of
    /// [`run`] is set.
    pub islands: Option<usize>,
    /// Time without messages after which the server ends. It has no effect if `islands` is `None`.
    pub idle: Duration,
    /// Fingerprint of the configuration, stored with the state.
    pub configuration: u32,
    /// Upper geneserver of which this server is an island, if any.
    pub above: Option<AboveOptions>,
}

/// Output of the server.
#[derive(Clone, Copy, Debug)]
pub enum ServerOutput<'a> {
    /// The server listens at this endpoint.
    Listening(&'a str),
    /// Line for the log.
    Note(&'a Line),
    /// Status, reported every ten seconds.
    Report(&'a Status),
}

/// Reason why a server could not start.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// The key is invalid.
    #[error("{0}")]
    Key(#[from] FileError),
    /// The socket failed.
    #[error("{0}")]
    Socket(#[from] SocketError),
    /// The port is not available.
    #[error("{endpoint}: {error}; stop the other program or choose another port")]
    Port {
        /// Endpoint.
        endpoint: String,
        /// Error of the operating system.
        error: std::io::Error,
    },
    /// The folder is not usable.
    #[error("{}: {error}; choose a writable folder", path.display())]
    Folder {
        /// Folder.
        path: PathBuf,
        /// Error of the operating system.
        error: std::io::Error,
    },
    /// The saved state is not usable.
    #[error("{}: {error}; remove the file; the server then restores its state from its workers", path.display())]
    Memory {
        /// State file.
        path: PathBuf,
        /// Reason.
        error: checkpoint::CheckpointError,
    },
}

/// Serves until `stop` is set. If `options.islands` is set, also ends when this number of islands is done, or when no
/// message arrives for `options.idle`. Returns the final status, and whether this number of islands is done. Saves the
/// broker's state at the end if `options.dir` is set.
///
/// # Errors
/// The socket or the folder is not usable.
pub fn run(
    options: &Options,
    mut broker: Broker,
    stop: &AtomicBool,
    mut tell: impl FnMut(ServerOutput<'_>),
) -> Result<(Status, bool), ServiceError> {
    let saver = options.dir.as_ref().map(|dir| Saver::start(dir, options.configuration, &mut broker)).transpose()?;
    let sockets = Sockets::for_geneserver(options.key.as_ref())?;
    let router = sockets.geneserver(relay::INSIDE)?;
    let workers = descriptors::workers(descriptors::raise_limit());
    let port = |error| ServiceError::Port { endpoint: options.listen.clone(), error };
    let greeting = Greeting::from_sockets(&sockets, false).map_err(port)?;
    let relay = Relay::start("workers", &options.listen, &router.endpoint(), greeting, workers).map_err(port)?;
    let mut above = options.above.as_ref().map(UpperLink::open).transpose()?;
    let endpoint = format!("tcp://{}", relay.address());
    if let Some(path) = &options.address_file {
        let written = atomic::write(path, format!("{}\n", reachable(&endpoint)).as_bytes());
        written.map_err(|error| ServiceError::Folder { path: path.clone(), error })?;
    }
    tell(ServerOutput::Listening(&endpoint));
    if options.key.is_none() {
        tell(ServerOutput::Note(&Line::warn("no --key: anyone who reaches this address can take part")));
    }
    let mut turned_away = 0;
    let mut namesakes = DuplicateIslands::default();
    let (mut next_report, mut next_save) = (Instant::now() + REPORT, Instant::now() + SAVE);
    let mut all_done: Option<Instant> = None;
    let mut heard = Instant::now();
    while !stop.load(Ordering::Relaxed) && all_done.is_none_or(|at| at.elapsed() < FAREWELL) {
        wait(&[&router], POLL_MS);
        if answer(&router, &mut broker, &mut namesakes) > 0 {
            heard = Instant::now();
        }
        broker.take_notes().iter().for_each(|note| tell(ServerOutput::Note(note)));
        namesakes.take_notes().iter().for_each(|note| tell(ServerOutput::Note(note)));
        if let Some(above) = &mut above {
            above.turn(&mut broker).iter().for_each(|note| tell(ServerOutput::Note(note)));
        }
        if Instant::now() >= next_report {
            next_report = Instant::now() + REPORT;
            tell(ServerOutput::Report(&broker.status()));
            let total = sockets.guard().map_or(0, |guard| guard.refusals().total());
            if total > std::mem::replace(&mut turned_away, total) {
                tell(ServerOutput::Note(&Line::warn(format!("{total} connections rejected: wrong key"))));
            }
        }
        if let Some(saver) = saver.as_ref().filter(|_| Instant::now() >= next_save) {
            next_save = Instant::now() + SAVE;
            saver.save(&broker).into_iter().for_each(|error| tell(ServerOutput::Note(&Line::warn(error))));
        }
        if all_done.is_none() && options.islands.is_some_and(|n| broker.done() >= n) {
            all_done = Some(Instant::now());
        }
        if options.islands.is_some() && heard.elapsed() > options.idle {
            tell(ServerOutput::Note(&Line::warn(format!(
                "no messages for {} s; the server ends",
                options.idle.as_secs()
            ))));
            break;
        }
    }
    if let Some(above) = above.as_mut().filter(|_| all_done.is_some()) {
        above.done();
    }
    if let Some(error) = saver.and_then(|saver| saver.close(&broker)) {
        tell(ServerOutput::Note(&Line::error(error)));
    }
    Ok((broker.status(), all_done.is_some()))
}

/// Returns the address for other machines: a wildcard address is replaced by this machine's name.
fn reachable(endpoint: &str) -> String {
    match ["tcp://0.0.0.0:", "tcp://[::]:"].into_iter().find_map(|all| endpoint.strip_prefix(all)) {
        Some(port) => format!("tcp://{}:{port}", rustix::system::uname().nodename().to_string_lossy()),
        None => endpoint.into(),
    }
}

/// Answers the waiting messages, at most [`MESSAGES_AT_ONCE`]. Returns the number of answered messages.
fn answer(router: &Router, broker: &mut Broker, namesakes: &mut DuplicateIslands) -> usize {
    for count in 0..MESSAGES_AT_ONCE {
        let Some((id, message)) = router.receive::<WorkerMessage>() else { return count };
        let answer = match message {
            Ok(message) => {
                namesakes.heard(message.island(), &id);
                broker.on_message(message)
            }
            Err(error) => broker.on_garbage(&id, error.to_string()),
        };
        // A failed send is harmless, because a worker without an answer repeats its request later.
        router.send(&id, &answer);
    }
    MESSAGES_AT_ONCE
}

/// Handle of the thread that saves the broker's state. The server's loop does not write to the disk, because a disk may
/// be slow.
struct Saver {
    memories: SyncSender<SavedState>,
    thread: JoinHandle<()>,
    errors: std::sync::mpsc::Receiver<String>,
    /// Locked file. The operating system releases the lock when the process ends, even after a crash.
    _lock: File,
}

impl Saver {
    /// Locks the folder, restores the saved state, if any, and starts the thread.
    fn start(dir: &Path, configuration: u32, broker: &mut Broker) -> Result<Saver, ServiceError> {
        let folder = |error| ServiceError::Folder { path: dir.into(), error };
        std::fs::create_dir_all(dir).map_err(folder)?;
        let lock = file::append(&dir.join(LOCK)).map_err(folder)?;
        if matches!(lock.try_lock(), Err(TryLockError::WouldBlock)) {
            return Err(folder(std::io::Error::other("the folder is in use by another geneserver")));
        }
        let path = dir.join(FILE);
        match file::bytes(&path, MAX_MEMORY) {
            Ok(bytes) => {
                let memory = checkpoint::from_bytes(&bytes, configuration);
                broker.recall(memory.map_err(|error| ServiceError::Memory { path: path.clone(), error })?);
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(folder(error)),
        }
        let (memories, received) = sync_channel::<SavedState>(1);
        let (failed, errors) = sync_channel(1);
        let thread = std::thread::Builder::new().name("save".into()).spawn(move || {
            for memory in received {
                if let Err(error) = atomic::write(&path, &checkpoint::to_bytes(&memory, configuration)) {
                    // The channel holds one error. Further errors are dropped until it is read.
                    let _ = failed.try_send(format!("{}: NOT SAVED: {error}", path.display()));
                }
            }
        });
        Ok(Saver { memories, thread: thread.map_err(folder)?, errors, _lock: lock })
    }

    /// Passes the state to the thread, unless the thread is still busy with earlier saves. Returns the error of an
    /// earlier save, if any.
    fn save(&self, broker: &Broker) -> Option<String> {
        match self.memories.try_send(broker.memory()) {
            Ok(()) | Err(TrySendError::Full(_)) => self.errors.try_recv().ok(),
            Err(TrySendError::Disconnected(_)) => Some("the thread that saves the state has ended".into()),
        }
    }

    /// Saves the state once more and waits until it is written. Returns an error, if any.
    fn close(self, broker: &Broker) -> Option<String> {
        let sent = self.memories.send(broker.memory()).is_ok();
        drop(self.memories);
        let ended = self.thread.join().is_ok();
        self.errors.try_recv().ok().or((!sent || !ended).then(|| "the last state was not saved".into()))
    }
}
