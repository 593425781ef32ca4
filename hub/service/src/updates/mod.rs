//! Update bundles of the hub, and the thread that manages them. The thread does all disk access, so that the hub's
//! loop never waits for the disk.

mod store;

pub use store::Store;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use tracing::warn;
use xpuck_hub_core::config::Config;
use xpuck_hub_core::switchboard::{Bundle, Update};
use xpuck_wire::keyring::{Keyring, Role};
use xpuck_wire::keys::Key;
use xpuck_wire::message::Reply;
use xpuck_wire::rollout::BundleHead;

/// Maximum number of queued jobs. Requests of operators are rejected while the queue is full. Robots repeat requests
/// that get no answer.
const WAITING: usize = 16;
/// Maximum number of results waiting for the hub.
const DONE: usize = 4;

/// Job for the bundle thread. `To` is the type of a return address.
pub enum Job<To> {
    /// Adds a piece of a bundle.
    Upload {
        /// Return address.
        to: To,
        /// Bundle without its payload.
        bundle: BundleHead,
        /// Offset of the bytes.
        offset: u64,
        /// Bytes of the piece. An empty piece only requests the number of payload bytes that the hub has received.
        bytes: Vec<u8>,
    },
    /// Verifies a bundle for an update of these robots.
    Begin {
        /// Return address of the operator.
        to: To,
        /// SHA-256 of the bundle's payload.
        digest: String,
        /// Ids of the robots; empty for all robots.
        robots: Vec<String>,
        /// Number of robots that are updated first.
        canary: u32,
    },
    /// Reads a piece of a payload for a robot.
    Read {
        /// Index of the robot in the swarm file.
        robot: usize,
        /// SHA-256 of the payload.
        digest: String,
        /// Offset of the piece.
        offset: u64,
    },
    /// Stores the state of the update. This job has no result.
    Keep(Box<Update>),
}

/// Result of a job of the bundle thread.
pub enum Done<To> {
    /// Answer for an operator.
    Answer(To, Reply),
    /// Verified bundle for an update of these robots.
    Begin {
        /// Return address of the operator.
        to: To,
        /// Verified bundle without its payload.
        bundle: Bundle,
        /// Ids of the robots; empty for all robots.
        robots: Vec<String>,
        /// Number of robots that are updated first.
        canary: u32,
    },
    /// Piece of a payload for a robot.
    Piece {
        /// Index of the robot in the swarm file.
        robot: usize,
        /// SHA-256 of the payload.
        digest: String,
        /// Offset of the piece.
        offset: u64,
        /// Bytes of the piece.
        bytes: Vec<u8>,
    },
}

/// Handle of the bundle thread.
pub struct Updates<To> {
    jobs: SyncSender<Job<To>>,
    done: Receiver<Done<To>>,
}

impl<To: Send + 'static> Updates<To> {
    /// Starts the bundle thread. Also returns the last update that an earlier hub stored, if any. This update may be
    /// unfinished.
    ///
    /// # Errors
    /// The operating system cannot create a thread.
    pub fn start(config: &Config) -> std::io::Result<(Updates<To>, Option<Update>)> {
        let (jobs, work) = sync_channel(WAITING);
        let (teller, done) = sync_channel(DONE);
        let mut store = Store::new(&config.hub.record.directory);
        let left = store.update();
        let keys = config.swarm.security.keys.clone();
        let run = move || {
            for job in work {
                if let Some(done) = act(&mut store, &keys, job)
                    && teller.send(done).is_err()
                {
                    return;
                }
            }
        };
        std::thread::Builder::new().name("updates".into()).spawn(run)?;
        Ok((Updates { jobs, done }, left))
    }

    /// Queues a job.
    ///
    /// # Errors
    /// The queue is full, or the thread has ended. The error contains the job.
    pub fn enqueue(&self, job: Job<To>) -> Result<(), Job<To>> {
        self.jobs.try_send(job).map_err(|error| match error {
            std::sync::mpsc::TrySendError::Full(job) | std::sync::mpsc::TrySendError::Disconnected(job) => job,
        })
    }

    /// Returns the next result, if any.
    pub fn poll(&self) -> Option<Done<To>> {
        self.done.try_recv().ok()
    }
}

fn act<To>(store: &mut Store, keys: &Path, job: Job<To>) -> Option<Done<To>> {
    match job {
        Job::Upload { to, bundle, offset, bytes } => {
            let taken = operators(keys).and_then(|operators| store.add_piece(bundle, &operators, offset, &bytes));
            Some(Done::Answer(to, taken.map_or_else(Reply::Refused, Reply::Uploaded)))
        }
        Job::Begin { to, digest, robots, canary } => {
            match operators(keys).and_then(|operators| store.bundle(&digest, &operators)) {
                Ok(bundle) => Some(Done::Begin { to, bundle, robots, canary }),
                Err(why) => Some(Done::Answer(to, Reply::Refused(why))),
            }
        }
        Job::Read { robot, digest, offset } => match store.read(&digest, offset) {
            Ok(bytes) => Some(Done::Piece { robot, digest, offset, bytes }),
            Err(why) => {
                warn!(target: "hub", "a piece of an update cannot be read: {why}");
                None
            }
        },
        Job::Keep(update) => {
            if let Err(why) = store.keep(&update) {
                warn!(target: "hub", "the state of the update is not saved; it would not continue after a restart of the hub: {why}");
            }
            None
        }
    }
}

/// Returns the Ed25519 keys of the operators whose bundles are accepted, by name. Updates are signed even in a swarm
/// without encryption keys.
fn operators(keys: &Path) -> Result<BTreeMap<String, Key>, String> {
    let (ring, _) = Keyring::read(keys).map_err(|error| error.to_string())?;
    let operators = ring.holders().filter(|holder| holder.role == Role::Operator);
    Ok(operators.map(|holder| (holder.public.name.clone(), holder.public.ed25519)).collect())
}
