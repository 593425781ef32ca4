//! Runs a [`Broker`]: clock, socket, and the state file that survives a restart.

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

/// Maximum time for polling (ms).
const POLL_MS: i64 = 50;
/// Maximum number of messages between two checks of the clock.
const MESSAGES_AT_ONCE: usize = 256;
/// Interval of reports.
const REPORT: Duration = Duration::from_secs(10);
/// Interval of saves.
const SAVE: Duration = Duration::from_secs(5);
/// Time for which the server still answers after the last island is done, so that its last answers arrive.
const FAREWELL: Duration = Duration::from_secs(1);
/// State file in the server's folder.
const FILE: &str = "geneserver.state";
/// Lock file, locked while a server uses the folder.
const LOCK: &str = "lock";
/// Maximum size of the state (bytes).
const MAX_MEMORY: u64 = 1 << 30;

/// Configuration of a server.
#[derive(Clone, Debug)]
pub struct Options {
    /// ZeroMQ endpoint to listen on; port `*` selects a free one.
    pub listen: String,
    /// File to which the server writes its address for the islands.
    pub address_file: Option<PathBuf>,
    /// Key shared with the islands; `None` admits islands without a key.
    pub key: Option<Secret>,
    /// Folder for the server's state; without it, a restarted server learns the state from its workers.
    pub dir: Option<PathBuf>,
    /// Number of finished islands at which the server ends; `None`: only `stop` ends it.
    pub islands: Option<usize>,
    /// With `islands`: idle time after which the server ends, too.
    pub idle: Duration,
    /// Fingerprint of the configuration, stored with the state.
    pub configuration: u32,
    /// Upper geneserver, if any.
    pub above: Option<AboveOptions>,
}

/// Output of the server.
#[derive(Clone, Copy, Debug)]
pub enum ServerOutput<'a> {
    /// The server listens at this endpoint.
    Listening(&'a str),
    /// Line for the log.
    Note(&'a Line),
    /// Status, every ten seconds.
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

/// Serves until `stop`, or until all islands are done (returns true). The broker's state is saved at the end.
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
            tell(ServerOutput::Note(&Line::warn(format!("no messages for {} s", options.idle.as_secs()))));
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

/// Address for other machines: replaces the wildcard address with this machine's name.
fn reachable(endpoint: &str) -> String {
    match ["tcp://0.0.0.0:", "tcp://[::]:"].into_iter().find_map(|all| endpoint.strip_prefix(all)) {
        Some(port) => format!("tcp://{}:{port}", rustix::system::uname().nodename().to_string_lossy()),
        None => endpoint.into(),
    }
}

/// Answers waiting messages; returns their number.
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
        // A worker that has disconnected repeats its request later.
        router.send(&id, &answer);
    }
    MESSAGES_AT_ONCE
}

/// Saves on a separate thread, because a disk may be slow.
struct Saver {
    memories: SyncSender<SavedState>,
    thread: JoinHandle<()>,
    errors: std::sync::mpsc::Receiver<String>,
    /// The operating system releases the lock at any end of the process.
    _lock: File,
}

impl Saver {
    /// Restores the saved state, if any, and starts the thread.
    fn start(dir: &Path, configuration: u32, broker: &mut Broker) -> Result<Saver, ServiceError> {
        let folder = |error| ServiceError::Folder { path: dir.into(), error };
        std::fs::create_dir_all(dir).map_err(folder)?;
        let lock = file::append(&dir.join(LOCK)).map_err(folder)?;
        if matches!(lock.try_lock(), Err(TryLockError::WouldBlock)) {
            return Err(folder(std::io::Error::other("folder is in use by another geneserver")));
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
                    // If an error is already pending, a further error is dropped.
                    let _ = failed.try_send(format!("{}: NOT SAVED: {error}", path.display()));
                }
            }
        });
        Ok(Saver { memories, thread: thread.map_err(folder)?, errors, _lock: lock })
    }

    /// Hands over the state unless the last save is still in progress; returns an error of an earlier save.
    fn save(&self, broker: &Broker) -> Option<String> {
        match self.memories.try_send(broker.memory()) {
            Ok(()) | Err(TrySendError::Full(_)) => self.errors.try_recv().ok(),
            Err(TrySendError::Disconnected(_)) => Some("the thread that saves the state has ended".into()),
        }
    }

    /// Saves once more and waits for the end; returns an error, if any.
    fn close(self, broker: &Broker) -> Option<String> {
        let sent = self.memories.send(broker.memory()).is_ok();
        drop(self.memories);
        let ended = self.thread.join().is_ok();
        self.errors.try_recv().ok().or((!sent || !ended).then(|| "the last state was not saved".into()))
    }
}
