//! Links to other robots. A separate thread sends the control loop's messages. It also receives and validates the
//! messages of other robots. The control loop never waits for the thread.

use crate::config::Config;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use tracing::warn;
use xpuck_experiment::Plan;
use xpuck_robot_core::peers::{PeerInput, open};
use xpuck_wire::codec::{CodecError, UnknownNames};
use xpuck_wire::log::Line;
use xpuck_wire::peer::PeerMessage;
use xpuck_wire::socket::{Dealer, Readable, Router, SocketError, Sockets, wait};
use xpuck_wire::{FileError, Swarm, Waker, Wakeups, event_at, host_of};

/// Maximum number of messages queued in each direction. Further messages are dropped.
const QUEUE: usize = 256;
/// Maximum number of messages read from one link before the other links are read.
const AT_ONCE: usize = 16;
/// Interval between checks of the keys (ms).
const LOOK_MS: i64 = 500;

/// Command from the control loop to the thread.
enum Command {
    /// Sends a message to the robot of an island. The first field is the island's number.
    Tell(u16, PeerMessage),
    /// Sets the experiment. The thread then accepts only trees that fit this experiment.
    Admit(Arc<Plan>),
}

/// Reason why the links could not be created.
#[derive(Debug, thiserror::Error)]
pub enum PeersError {
    /// The keys cannot be read.
    #[error("{0}")]
    Keys(#[from] FileError),
    /// The robot's own address cannot be used.
    #[error("{0}")]
    Socket(#[from] SocketError),
    /// The system cannot create a thread.
    #[error("cannot create a thread: {0}")]
    Thread(std::io::Error),
}

#[derive(Default)]
struct Counts {
    /// Number of connections and messages rejected because of their keys or sender names since the start.
    keys: AtomicU64,
    /// Number of messages and commands dropped because a queue was full, since the last call of `refused`.
    dropped: AtomicU64,
}

/// Handle of the thread, owned by the control loop. Dropping the handle ends the thread at its next check.
pub struct PeersLink {
    wanted: SyncSender<Command>,
    heard: Receiver<(u16, PeerInput)>,
    waker: Waker,
    counts: Arc<Counts>,
}

impl PeersLink {
    /// Binds the address that the swarm file gives for this robot, and starts the thread. Returns `None` if the swarm
    /// file has no addresses.
    ///
    /// # Errors
    /// If the address or the keys cannot be used, or the system cannot create the thread.
    pub fn start(config: &Config) -> Result<Option<PeersLink>, PeersError> {
        let (swarm, id) = (&config.swarm, &config.robot.id);
        let Some(own) = swarm.peers.get(usize::from(config.island).saturating_sub(1)) else { return Ok(None) };
        let sockets = Sockets::for_peers(&swarm.security, id)?;
        let end = sockets.peers_end(&bound(own))?;
        let (waker, wakeups) = sockets.waker(&format!("peers-{id}"))?;
        let (wanted, wishes) = sync_channel(QUEUE);
        let (sender, heard) = sync_channel(QUEUE);
        let counts = Arc::new(Counts::default());
        let mut carrier = PeerWorker {
            id: id.clone(),
            swarm: swarm.clone(),
            sockets,
            end,
            links: BTreeMap::new(),
            plan: None,
            heard: sender,
            counts: counts.clone(),
            edition: 0,
            unknown_senders: 0,
            unenrolled: BTreeSet::new(),
            unknown: UnknownNames::default(),
        };
        let thread = std::thread::Builder::new().name("peers".into());
        thread.spawn(move || carrier.run(&wishes, &wakeups)).map_err(PeersError::Thread)?;
        Ok(Some(PeersLink { wanted, heard, waker, counts }))
    }

    /// Sends a message to the robot of an island. If the queue is full, the message is dropped.
    pub fn send(&self, island: u16, message: PeerMessage) {
        self.want(Command::Tell(island, message));
    }

    /// Sets the experiment. The thread then accepts only trees that fit this experiment.
    pub fn admit(&self, plan: &Arc<Plan>) {
        self.want(Command::Admit(plan.clone()));
    }

    fn want(&self, wanted: Command) {
        match self.wanted.try_send(wanted) {
            Ok(()) => self.waker.wake(),
            // The queue is full. The message is lost, in the same way as on a radio link.
            Err(_) => drop(self.counts.dropped.fetch_add(1, Ordering::Relaxed)),
        }
    }

    /// Returns the next message of another robot, with the sender's island; `None` if the queue is empty.
    pub fn receive(&self) -> Option<(u16, PeerInput)> {
        self.heard.try_recv().ok()
    }

    /// Returns two counts. The first counts the connections and messages rejected because of their keys or sender names
    /// since the start. The second counts the messages dropped because a queue was full, since the last call.
    pub fn refused(&self) -> (u64, u64) {
        (self.counts.keys.load(Ordering::Relaxed), self.counts.dropped.swap(0, Ordering::Relaxed))
    }
}

/// Returns the local address to bind for a robot that others reach at `address`. If the host in `address` is numeric,
/// both addresses are equal. If the host is a name, the robot binds all interfaces, because the robot itself may be
/// unable to resolve this name.
fn bound(address: &str) -> String {
    let Some(authority) = address.strip_prefix("tcp://") else { return address.into() };
    let host = host_of(authority);
    let is_number = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>().is_ok() || host == "*";
    let host = match host {
        "localhost" => "127.0.0.1",
        host if is_number => host,
        _ => "*",
    };
    format!("tcp://{host}{}", &authority[host_of(authority).len()..])
}

/// State of the thread.
struct PeerWorker {
    id: String,
    swarm: Swarm,
    sockets: Sockets,
    end: Router,
    /// Open links to other robots, by island number.
    links: BTreeMap<u16, Dealer>,
    plan: Option<Arc<Plan>>,
    heard: SyncSender<(u16, PeerInput)>,
    counts: Arc<Counts>,
    /// Edition number of the keys that the links use.
    edition: u64,
    /// Number of rejected messages: those with an unknown robot name, and answers that did not arrive over this robot's
    /// own links.
    unknown_senders: u64,
    /// Islands for which a warning was logged because the island's robot has no enrolled key.
    unenrolled: BTreeSet<u16>,
    unknown: UnknownNames,
}

impl PeerWorker {
    fn run(&mut self, wishes: &Receiver<Command>, wakeups: &Wakeups) {
        loop {
            let mut sockets: Vec<&dyn Readable> = vec![wakeups, &self.end];
            sockets.extend(self.links.values().map(|link| link as &dyn Readable));
            wait(&sockets, LOOK_MS);
            wakeups.drain();
            self.check_keys();
            if !self.run_commands(wishes) {
                return;
            }
            self.receive();
        }
    }

    /// Executes queued commands. Returns false if the control loop has dropped its handle.
    fn run_commands(&mut self, wishes: &Receiver<Command>) -> bool {
        for _ in 0..QUEUE {
            match wishes.try_recv() {
                Ok(Command::Tell(island, message)) => self.send(island, &message),
                Ok(Command::Admit(plan)) => self.plan = Some(plan),
                Err(TryRecvError::Empty) => return true,
                Err(TryRecvError::Disconnected) => return false,
            }
        }
        true
    }

    /// Sends a message to the robot of an island. An answer is sent over the connection on which the question arrived.
    /// Any other message is sent over the link to that robot, which is opened if necessary.
    fn send(&mut self, island: u16, message: &PeerMessage) {
        let Some((name, address)) = self.named(island) else { return };
        if matches!(message, PeerMessage::Genes { .. }) {
            self.end.send(&name, message);
            return;
        }
        if !self.links.contains_key(&island) {
            let key = self.sockets.peer_key(&name);
            if key.is_none() && !self.swarm.security.dev_mode {
                if self.unenrolled.insert(island) {
                    let keys = self.swarm.security.keys.display();
                    warn!(target: "xpuckd", id = self.id, "{keys}/robots/{name}.pub does not exist: no messages are exchanged with {name}");
                }
                return;
            }
            match self.sockets.peer(&address, &self.id, key) {
                Ok(link) => drop(self.links.insert(island, link)),
                Err(error) => return warn!(target: "xpuckd", id = self.id, "link to robot {name}: {error}"),
            }
        }
        // If the link is not connected yet, the message is lost. The control loop repeats its questions.
        self.links[&island].send(message);
    }

    fn named(&self, island: u16) -> Option<(String, String)> {
        let place = usize::from(island).checked_sub(1)?;
        Some((self.swarm.robots.get(place)?.clone(), self.swarm.peers.get(place)?.clone()))
    }

    fn receive(&mut self) {
        for _ in 0..AT_ONCE {
            let Some((name, message)) = self.end.receive::<PeerMessage>() else { break };
            match self.swarm.island(&name) {
                // Answers are accepted only over this robot's own links.
                Some(island) if !matches!(message, Ok(PeerMessage::Genes { .. })) => self.deliver(island, message),
                _ => self.unknown_senders += 1,
            }
        }
        let read = |(island, link): (&u16, &Dealer)| {
            let messages = std::iter::from_fn(|| link.receive::<PeerMessage>()).take(AT_ONCE);
            messages.map(|message| (*island, message)).collect::<Vec<_>>()
        };
        let answers: Vec<_> = self.links.iter().flat_map(read).collect();
        answers.into_iter().for_each(|(island, message)| self.deliver(island, message));
    }

    fn deliver(&mut self, island: u16, message: Result<PeerMessage, CodecError>) {
        let heard = match message {
            Ok(message) => open(message, self.plan.as_ref().map(|plan| &plan.primitive_set)),
            Err(CodecError::Unknown(name)) => {
                if let Some(line) = self.unknown.line(&name) {
                    warn!(target: "xpuckd", id = self.id, "from robot {island}: {line}");
                }
                return;
            }
            Err(error) => PeerInput::Nothing(error.to_string()),
        };
        if self.heard.try_send((island, heard)).is_err() {
            self.counts.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Updates the rejection count, logs the notes about the key folder, and closes links that use previous keys.
    fn check_keys(&mut self) {
        let Some(guard) = self.sockets.guard().cloned() else { return };
        self.counts.keys.store(guard.refusals().total() + self.unknown_senders, Ordering::Relaxed);
        for Line { level, text } in guard.take_notes() {
            event_at!(level, target: "xpuckd", id = self.id, "keys: {text}");
        }
        let edition = guard.edition();
        if edition != self.edition {
            self.edition = edition;
            self.unenrolled.clear();
            // Links are opened again with the current keys when needed.
            self.links.clear();
        }
    }
}

#[cfg(test)]
mod tests;
