//! The live view for Foxglove, Lichtblick and whoever else speaks Foxglove's WebSocket protocol: what is recorded, and the
//! arena, robots and frisbee as scenes.
//!
//! Viewers look and change nothing. The hub's loop hands over what viewers asked for and never waits ([`Teller`]); one thread
//! makes messages of it (`feed`) and serves all viewers (`serve`). What a viewer is told by in words is in `protocol`.

mod feed;
mod origin;
mod protocol;
mod serve;

pub use feed::Start;

use crate::admission::Bounds;
use crate::console::Names;
use feed::Feed;
use protocol::CHANNELS;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use tokio::sync::mpsc;
use tracing::error;
use xpuck_hub_core::config::Foxglove;
use xpuck_hub_core::entry::Entry;
use xpuck_kernels::world::WorldSpec;
use xpuck_record::foxglove::LOG;

/// What waits between the hub's loop and the viewers' thread at most; what does not fit is lost, and counted.
const QUEUE: usize = 4096;

/// What the hub's loop tells.
pub enum Told {
    /// Something that is recorded, whether a record is open or not.
    Entry(Box<Entry>),
    /// The world is this one from a moment of arena time on, s; none means that there is no run.
    World(f64, Option<Box<WorldSpec>>),
    /// The swarm has more robots from a moment of arena time on, s: these are all.
    Robots(f64, Vec<String>),
}

/// What the hub and the viewers' thread know of each other.
#[derive(Default)]
struct Shared {
    /// Subscriptions by channel.
    subscriptions: [AtomicUsize; CHANNELS],
    viewers: AtomicUsize,
    left_out: AtomicU64,
}

impl Shared {
    fn wants(&self, topic: &str) -> bool {
        protocol::index(topic).is_some_and(|index| self.subscriptions[index].load(Ordering::Relaxed) > 0)
    }
}

/// What was served so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Viewers that are connected.
    pub viewers: usize,
    /// Messages that viewers missed because they or this machine did not keep up.
    pub left_out: u64,
}

/// The hub's end of the queue.
pub struct Teller {
    sender: mpsc::Sender<Told>,
    shared: Arc<Shared>,
}

/// The viewers' end.
pub struct Receiver {
    told: mpsc::Receiver<Told>,
    shared: Arc<Shared>,
}

impl Teller {
    /// A queue, and its other end.
    pub fn new() -> (Teller, Receiver) {
        let (sender, told) = mpsc::channel(QUEUE);
        let shared = Arc::<Shared>::default();
        (Teller { sender, shared: shared.clone() }, Receiver { told, shared })
    }

    /// Tells of an entry if a viewer asked for it, or if it changes what those see who come later; never waits.
    pub fn entry(&self, entry: &Entry) {
        let drawn = matches!(entry, Entry::Poses { .. } | Entry::Telemetry { .. });
        let line = matches!(entry, Entry::Event { .. } | Entry::Log { .. }) && self.shared.wants(LOG);
        if drawn || line || self.shared.wants(entry.topic()) {
            self.tell(Told::Entry(Box::new(entry.clone())));
        }
    }

    /// Tells that the world is another one from now on, s of arena time.
    pub fn world(&self, now: f64, world: Option<&WorldSpec>) {
        self.tell(Told::World(now, world.map(|world| Box::new(world.clone()))));
    }

    /// Tells that the swarm has more robots from now on, s of arena time.
    pub fn robots(&self, now: f64, robots: &[String]) {
        self.tell(Told::Robots(now, robots.into()));
    }

    fn tell(&self, told: Told) {
        if self.sender.try_send(told).is_err() {
            self.shared.left_out.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// What was served so far.
    pub fn counts(&self) -> Counts {
        let (viewers, left_out) = (&self.shared.viewers, &self.shared.left_out);
        Counts { viewers: viewers.load(Ordering::Relaxed), left_out: left_out.load(Ordering::Relaxed) }
    }
}

/// Serves viewers who call the hub by one of `names` on `listener`, in a thread of its own, until the process ends.
///
/// # Errors
/// If the system refuses a thread or a runtime.
pub fn start(
    listener: TcpListener,
    config: &Foxglove,
    start: Start,
    receiver: Receiver,
    (bounds, names): (Bounds, Names),
) -> std::io::Result<()> {
    listener.set_nonblocking(true)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let Receiver { told, shared } = receiver;
    let origins = origin::Origins::new(&config.address, &config.origins);
    let live = serve::Live::new(Feed::new(start), shared, origins, names);
    std::thread::Builder::new().name("foxglove".into()).spawn(move || {
        let served = runtime.block_on(async {
            tokio::spawn(live.clone().run(told));
            live.serve(listener, bounds).await
        });
        if let Err(error) = served {
            error!(target: "hub", "the live view for Foxglove ended: {error}");
        }
    })?;
    Ok(())
}

#[cfg(test)]
mod tests;
