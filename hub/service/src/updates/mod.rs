//! The hub's bundles of updates, and the thread that has them: what takes a disk's time is done there, so that no turn of the hub
//! waits for it.

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

/// Work that may wait for the thread; what operators ask beyond that is refused, what robots ask is asked again.
const WAITING: usize = 16;
/// What the thread has done and the hub has not taken yet.
const DONE: usize = 4;

/// What the thread is to do; `To` is who gets the answer.
pub enum Job<To> {
    /// Take a piece of a bundle.
    Upload {
        /// Who gets the answer.
        to: To,
        /// The bundle without its payload.
        bundle: BundleHead,
        /// Where the bytes begin.
        offset: u64,
        /// The bytes; none only asks what is there.
        bytes: Vec<u8>,
    },
    /// Verify a bundle, for an update of these robots.
    Begin {
        /// Who gets the answer.
        to: To,
        /// SHA-256 of its payload.
        digest: String,
        /// The robots; all if empty.
        robots: Vec<String>,
        /// So many first.
        canary: u32,
    },
    /// Read a piece for a robot, by its place in the swarm file.
    Read {
        /// The robot.
        robot: usize,
        /// SHA-256 of the payload.
        digest: String,
        /// Where the piece begins.
        offset: u64,
    },
    /// Keep how the update stands.
    Keep(Box<Update>),
}

/// What the thread has done.
pub enum Done<To> {
    /// An answer.
    Answer(To, Reply),
    /// A bundle that was verified, for an update of these robots, `canary` of them first.
    Begin {
        /// Who gets the answer.
        to: To,
        /// The bundle.
        bundle: Bundle,
        /// The robots; all if empty.
        robots: Vec<String>,
        /// So many first.
        canary: u32,
    },
    /// A piece for a robot.
    Piece {
        /// The robot.
        robot: usize,
        /// SHA-256 of the payload.
        digest: String,
        /// Where the piece begins.
        offset: u64,
        /// The bytes.
        bytes: Vec<u8>,
    },
}

/// The thread.
pub struct Updates<To> {
    jobs: SyncSender<Job<To>>,
    done: Receiver<Done<To>>,
}

impl<To: Send + 'static> Updates<To> {
    /// Starts the thread, and gives the update that an earlier hub left.
    ///
    /// # Errors
    /// The system gives no thread.
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

    /// Hands work over; gives it back if too much waits.
    ///
    /// # Errors
    /// The work, which is not done.
    pub fn hand(&self, job: Job<To>) -> Result<(), Job<To>> {
        self.jobs.try_send(job).map_err(|error| match error {
            std::sync::mpsc::TrySendError::Full(job) | std::sync::mpsc::TrySendError::Disconnected(job) => job,
        })
    }

    /// What was done next; none if nothing was.
    pub fn poll(&self) -> Option<Done<To>> {
        self.done.try_recv().ok()
    }
}

fn act<To>(store: &mut Store, keys: &Path, job: Job<To>) -> Option<Done<To>> {
    match job {
        Job::Upload { to, bundle, offset, bytes } => {
            let taken = operators(keys).and_then(|operators| store.take(bundle, &operators, offset, &bytes));
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
                warn!(target: "hub", "no piece of an update: {why}");
                None
            }
        },
        Job::Keep(update) => {
            if let Err(why) = store.keep(&update) {
                warn!(target: "hub", "the update would not go on after a new start of the hub: {why}");
            }
            None
        }
    }
}

/// Whose bundles are taken; updates are signed also where a swarm does without keys otherwise.
fn operators(keys: &Path) -> Result<BTreeMap<String, Key>, String> {
    let (ring, _) = Keyring::read(keys).map_err(|error| error.to_string())?;
    let operators = ring.holders().filter(|holder| holder.role == Role::Operator);
    Ok(operators.map(|holder| (holder.public.name.clone(), holder.public.ed25519)).collect())
}
