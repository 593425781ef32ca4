//! Live view for Foxglove, Lichtblick and other viewers with Foxglove's WebSocket protocol: the recorded entries, and
//! the arena, robots and frisbee as scenes.
//!
//! Viewers are read-only. The hub's loop passes on subscribed entries without blocking ([`ViewSender`]); one thread
//! converts them into messages (`feed`) and serves all viewers (`serve`). `protocol` defines the text and binary
//! messages.

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

/// Maximum length of the queue between the hub's loop and the viewers' thread; excess messages are dropped and
/// counted.
const QUEUE: usize = 4096;

/// Message from the hub's loop.
pub enum ViewMessage {
    /// Entry of the record; sent even if no record is open.
    Entry(Box<Entry>),
    /// World from this arena time on (s); `None` without a run.
    World(f64, Option<Box<WorldSpec>>),
    /// All robots of the swarm from this arena time on (s), after some were added.
    Robots(f64, Vec<String>),
}

/// State shared between the hub and the viewers' thread.
#[derive(Default)]
struct Shared {
    /// Number of subscriptions by channel.
    subscriptions: [AtomicUsize; CHANNELS],
    viewers: AtomicUsize,
    left_out: AtomicU64,
}

impl Shared {
    fn wants(&self, topic: &str) -> bool {
        protocol::index(topic).is_some_and(|index| self.subscriptions[index].load(Ordering::Relaxed) > 0)
    }
}

/// Counters of the live view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Number of connected viewers.
    pub viewers: usize,
    /// Number of messages that viewers missed because they or this machine did not keep up.
    pub left_out: u64,
}

/// Hub's end of the queue.
pub struct ViewSender {
    sender: mpsc::Sender<ViewMessage>,
    shared: Arc<Shared>,
}

/// Viewers' end of the queue.
pub struct Receiver {
    told: mpsc::Receiver<ViewMessage>,
    shared: Arc<Shared>,
}

impl ViewSender {
    /// Creates a queue; returns both ends.
    pub fn new() -> (ViewSender, Receiver) {
        let (sender, told) = mpsc::channel(QUEUE);
        let shared = Arc::<Shared>::default();
        (ViewSender { sender, shared: shared.clone() }, Receiver { told, shared })
    }

    /// Sends an entry if a viewer subscribes to it, or if it changes the initial state for new viewers; never blocks.
    pub fn entry(&self, entry: &Entry) {
        let drawn = matches!(entry, Entry::Poses { .. } | Entry::Telemetry { .. });
        let line = matches!(entry, Entry::Event { .. } | Entry::Log { .. }) && self.shared.wants(LOG);
        if drawn || line || self.shared.wants(entry.topic()) {
            self.send(ViewMessage::Entry(Box::new(entry.clone())));
        }
    }

    /// Reports another world from this arena time on (s).
    pub fn world(&self, now: f64, world: Option<&WorldSpec>) {
        self.send(ViewMessage::World(now, world.map(|world| Box::new(world.clone()))));
    }

    /// Reports additional robots from this arena time on (s); `robots` lists all of them.
    pub fn robots(&self, now: f64, robots: &[String]) {
        self.send(ViewMessage::Robots(now, robots.into()));
    }

    fn send(&self, told: ViewMessage) {
        if self.sender.try_send(told).is_err() {
            self.shared.left_out.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counters since the start.
    pub fn counts(&self) -> Counts {
        let (viewers, left_out) = (&self.shared.viewers, &self.shared.left_out);
        Counts { viewers: viewers.load(Ordering::Relaxed), left_out: left_out.load(Ordering::Relaxed) }
    }
}

/// Serves viewers on `listener` in a separate thread until the process ends. Requests have to use one of `names` for
/// the hub.
///
/// # Errors
/// The operating system provides no thread or no runtime.
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
            error!(target: "hub", "the live view for Foxglove has stopped: {error}");
        }
    })?;
    Ok(())
}

#[cfg(test)]
mod tests;
