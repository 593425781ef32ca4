//! Live view for Foxglove, Lichtblick and other viewers that use Foxglove's WebSocket protocol. It shows the recorded
//! entries, and the arena, robots and frisbee as scenes.
//!
//! Viewers can only read. The hub's loop forwards subscribed entries without waiting ([`ViewSender`]). One thread
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

/// Maximum length of the queue between the hub's loop and the viewers' thread. Further messages are dropped and
/// counted.
const QUEUE: usize = 4096;

/// Message from the hub's loop to the viewers' thread.
pub enum ViewMessage {
    /// Entry of the record. It is sent even if no record is open.
    Entry(Box<Entry>),
    /// Arena time from which a new world applies (s), and the world. `None`: no run is in progress.
    World(f64, Option<Box<WorldSpec>>),
    /// Arena time from which the ids apply (s), and the ids of all robots. Sent after robots were added to the swarm.
    Robots(f64, Vec<String>),
}

/// Counters shared by the hub's loop and the viewers' thread.
#[derive(Default)]
struct Shared {
    /// Number of subscriptions to each channel.
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
    /// Number of messages that viewers missed, because the viewers or this machine were too slow.
    pub left_out: u64,
}

/// Sending end of the queue, which the hub's loop uses.
pub struct ViewSender {
    sender: mpsc::Sender<ViewMessage>,
    shared: Arc<Shared>,
}

/// Receiving end of the queue, which the viewers' thread uses.
pub struct Receiver {
    told: mpsc::Receiver<ViewMessage>,
    shared: Arc<Shared>,
}

impl ViewSender {
    /// Creates a queue, and returns both of its ends.
    pub fn new() -> (ViewSender, Receiver) {
        let (sender, told) = mpsc::channel(QUEUE);
        let shared = Arc::<Shared>::default();
        (ViewSender { sender, shared: shared.clone() }, Receiver { told, shared })
    }

    /// Sends an entry, without waiting, if a viewer subscribes to it. Poses and telemetry are always sent, because
    /// they change the first messages for new viewers.
    pub fn entry(&self, entry: &Entry) {
        let drawn = matches!(entry, Entry::Poses { .. } | Entry::Telemetry { .. });
        let line = matches!(entry, Entry::Event { .. } | Entry::Log { .. }) && self.shared.wants(LOG);
        if drawn || line || self.shared.wants(entry.topic()) {
            self.send(ViewMessage::Entry(Box::new(entry.clone())));
        }
    }

    /// Sends a new world, which applies from the arena time `now` (s). `None`: no run is in progress.
    pub fn world(&self, now: f64, world: Option<&WorldSpec>) {
        self.send(ViewMessage::World(now, world.map(|world| Box::new(world.clone()))));
    }

    /// Sends the ids of all robots, because robots were added to the swarm. `now` is the arena time from which the ids
    /// apply (s).
    pub fn robots(&self, now: f64, robots: &[String]) {
        self.send(ViewMessage::Robots(now, robots.into()));
    }

    fn send(&self, told: ViewMessage) {
        if self.sender.try_send(told).is_err() {
            self.shared.left_out.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Returns the current number of viewers, and the number of messages missed since the start.
    pub fn counts(&self) -> Counts {
        let (viewers, left_out) = (&self.shared.viewers, &self.shared.left_out);
        Counts { viewers: viewers.load(Ordering::Relaxed), left_out: left_out.load(Ordering::Relaxed) }
    }
}

/// Serves viewers on `listener` in a separate thread until the process ends. Requests have to use one of the hub's
/// `names` as the host.
///
/// # Errors
/// If the operating system cannot create a thread or a runtime.
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
