//! Access control: replies to libzmq's authentication requests (ZAP, RFC 27), and a check of every message.
//!
//! libzmq sends an authentication request after a peer has proved that it owns a CURVE key. Handshakes of peers without
//! CURVE fail earlier, and the socket monitors report them. A connection stays open if its key is revoked, so the key
//! is also checked for each message.

use crate::file::FileError;
use crate::keyring::{self, Holder, Keyring, Role};
use crate::keys::Key;
use crate::log::Line;
use crate::monitor;
pub use crate::refusals::Refusals;
use crate::signals::{receive_parts, send_parts};
use crate::signed::Trust;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};
use std::time::{Duration, Instant};
use zmq::SocketEvent::{DISCONNECTED, HANDSHAKE_FAILED_NO_DETAIL, HANDSHAKE_FAILED_PROTOCOL, MONITOR_STOPPED};

/// Endpoint to which libzmq sends its authentication requests.
const ZAP: &str = "inproc://zeromq.zap.01";
/// Interval at which the key folder is checked for changes.
const RELOAD_INTERVAL: Duration = Duration::from_millis(500);
/// Maximum wait for an authentication request (ms). The thread of an [`AccessControl`] ends within this time after the
/// [`AccessControl`] is dropped.
const POLL_MS: i64 = 100;
/// Maximum number of log lines stored until the next [`AccessControl::take_notes`]; further lines are dropped.
const MAX_NOTES: usize = 20;
/// Name of the message property (ZeroMQ metadata) that holds the sender's key.
const KEY: &str = "X-Key";

/// Group of sockets with the same access rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// Link of the robots to the hub.
    Robots,
    /// Link of the operators to the hub.
    Operators,
    /// Link of the workers to a geneserver; all workers share one key.
    Workers,
    /// Telemetry stream, on which viewers cannot send commands.
    Watchers,
    /// Socket of a robot to which other robots connect.
    Peers,
}

impl Domain {
    const ALL: [Domain; 5] = [Domain::Robots, Domain::Operators, Domain::Workers, Domain::Watchers, Domain::Peers];

    /// Returns the domain's name in authentication requests.
    pub fn name(self) -> &'static str {
        match self {
            Domain::Robots => "robots",
            Domain::Operators => "operators",
            Domain::Workers => "workers",
            Domain::Watchers => "watchers",
            Domain::Peers => "peers",
        }
    }

    fn admits(self, role: Role) -> bool {
        match self {
            Domain::Robots | Domain::Peers => role == Role::Robot,
            Domain::Operators | Domain::Watchers => matches!(role, Role::Operator | Role::Observer),
            Domain::Workers => true,
        }
    }
}

/// Authenticated sender of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    /// Name of the peer.
    pub name: String,
    /// Role of the peer.
    pub role: Role,
}

/// Access control of a process with server sockets; one instance per process. Its thread replies to libzmq's
/// authentication requests and checks the key folder for changes.
pub struct AccessControl {
    folder: Option<PathBuf>,
    ring: RwLock<(Keyring, u64)>,
    refusals: Mutex<Refusals>,
    log_lines: Mutex<Vec<Line>>,
    /// Error of the last read of the key folder; `None` if the read succeeded.
    unreadable: Mutex<Option<String>>,
    /// Errors in files of the key folder, one text per file.
    wrong: Mutex<Vec<String>>,
    /// Number of closed connections to the robots' link.
    ended: AtomicU64,
    monitors: Sender<(Domain, zmq::Socket)>,
}

impl AccessControl {
    /// Creates access control for the keys in a folder, and reloads the keys when the folder changes.
    pub(crate) fn from_folder(context: &zmq::Context, folder: &Path) -> Result<Arc<AccessControl>, FileError> {
        let (ring, wrong) = Keyring::read(folder)?;
        AccessControl::start(context, Some(folder.into()), ring, wrong)
    }

    /// Creates access control for a fixed set of keys.
    pub(crate) fn from_keyring(context: &zmq::Context, ring: Keyring) -> Result<Arc<AccessControl>, FileError> {
        AccessControl::start(context, None, ring, Vec::new())
    }

    fn start(
        context: &zmq::Context,
        folder: Option<PathBuf>,
        ring: Keyring,
        wrong: Vec<String>,
    ) -> Result<Arc<AccessControl>, FileError> {
        let trouble = |what: String| FileError::value("authentication", what);
        if zmq::has("curve") != Some(true) {
            return Err(trouble("this libzmq does not support CURVE; install Debian's libzmq5".into()));
        }
        // The endpoint for authentication requests is bound before any socket that needs authentication, because
        // libzmq would otherwise accept every peer.
        let zap = context.socket(zmq::REP).and_then(|s| s.bind(ZAP).map(|()| s)).map_err(|e| trouble(e.to_string()))?;
        let (monitors, received) = channel();
        let seen = folder.as_deref().map(keyring::fingerprint).transpose()?.unwrap_or_default();
        let guard = Arc::new(AccessControl {
            folder,
            ring: RwLock::new((ring, 1)),
            refusals: Mutex::default(),
            log_lines: Mutex::new(wrong.iter().cloned().map(Line::warn).collect()),
            unreadable: Mutex::default(),
            wrong: Mutex::new(wrong),
            ended: AtomicU64::new(0),
            monitors,
        });
        let weak = Arc::downgrade(&guard);
        std::thread::Builder::new()
            .name("guard".into())
            .spawn(move || run(&zap, &received, &weak, seen))
            .map_err(|e| trouble(e.to_string()))?;
        Ok(guard)
    }

    /// Returns the numbers of rejections so far.
    pub fn refusals(&self) -> Refusals {
        *self.refusals.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a request that is not allowed for its sender's role.
    pub fn count_wrong_role(&self) {
        self.count(|r| &mut r.wrong_role);
    }

    /// Returns and removes the log lines since the last call.
    pub fn take_notes(&self) -> Vec<Line> {
        std::mem::take(&mut *self.log_lines.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the version of the keyring. It starts at 1 and increases by 1 when the enrolled keys change.
    pub fn edition(&self) -> u64 {
        self.ring.read().unwrap_or_else(PoisonError::into_inner).1
    }

    /// Returns the public keys that verify signatures of operators. Experiments with other signatures are rejected.
    pub fn trust(&self) -> Trust {
        Trust::operators(&self.ring.read().unwrap_or_else(PoisonError::into_inner).0)
    }

    /// Returns the enrolled key holders with this name, of any role.
    pub fn holders_called(&self, name: &str) -> Vec<Holder> {
        let ring = self.ring.read().unwrap_or_else(PoisonError::into_inner);
        ring.0.holders().filter(|holder| holder.public.name == name).cloned().collect()
    }

    fn count(&self, which: impl Fn(&mut Refusals) -> &mut u64) {
        *which(&mut self.refusals.lock().unwrap_or_else(PoisonError::into_inner)) += 1;
    }

    fn note(&self, line: Line) {
        let mut notes = self.log_lines.lock().unwrap_or_else(PoisonError::into_inner);
        if notes.len() < MAX_NOTES {
            notes.push(line);
        }
    }

    /// Starts to monitor a server's socket, so that failed handshakes are counted.
    pub(crate) fn monitor(&self, context: &zmq::Context, socket: &zmq::Socket, domain: Domain) -> zmq::Result<()> {
        // If a client does not use CURVE, both the server and the client detect that their mechanisms differ. If the
        // client disconnects first, libzmq only reports HANDSHAKE_FAILED_NO_DETAIL.
        let events = [HANDSHAKE_FAILED_PROTOCOL, HANDSHAKE_FAILED_NO_DETAIL, DISCONNECTED, MONITOR_STOPPED];
        // The receiving thread ends only after the guard is dropped, so sending cannot fail here.
        let _ = self.monitors.send((domain, monitor::start(context, socket, &events)?));
        Ok(())
    }

    /// Returns the number of closed connections to the robots' link so far.
    pub(crate) fn ended(&self) -> u64 {
        self.ended.load(Ordering::Relaxed)
    }

    /// Returns the sender of a message, identified by the connection's key. Returns `None` and counts a rejection if
    /// the key is not enrolled, if the holder's name has changed, or if the holder's role may not use this socket.
    pub(crate) fn sender(&self, domain: Domain, message: &mut zmq::Message) -> Option<Peer> {
        let key = message.gets(KEY).and_then(|text| Key::try_from(text.to_string()).ok());
        let ring = self.ring.read().unwrap_or_else(PoisonError::into_inner);
        let Some(holder) = key.and_then(|key| ring.0.holder(&key)) else {
            self.count(|r| &mut r.revoked);
            return None;
        };
        // If a key was enrolled again with another name, the peer with this key must reconnect.
        if message.gets("User-Id") != Some(&holder.public.name) {
            self.count(|r| &mut r.wrong_name);
            return None;
        }
        if !domain.admits(holder.role) {
            self.count(|r| &mut r.wrong_role);
            return None;
        }
        Some(Peer { name: holder.public.name.clone(), role: holder.role })
    }

    /// Counts a message with a sender name that does not match the connection's key.
    pub(crate) fn count_wrong_name(&self) {
        self.count(|r| &mut r.wrong_name);
    }

    /// Counts the events of a monitor; returns false if the monitored socket was closed.
    fn count_events(&self, domain: Domain, monitor: &zmq::Socket) -> bool {
        while let Some(event) = monitor::next(monitor) {
            match event {
                HANDSHAKE_FAILED_PROTOCOL | HANDSHAKE_FAILED_NO_DETAIL => self.count(|r| &mut r.no_curve),
                DISCONNECTED if domain == Domain::Robots => drop(self.ended.fetch_add(1, Ordering::Relaxed)),
                MONITOR_STOPPED => return false,
                _ => {}
            }
        }
        true
    }

    /// Returns the error of the key folder or of its first unreadable file; `None` if all files are readable. Peers
    /// that were enrolled before the error stay enrolled.
    pub fn unreadable(&self) -> Option<String> {
        let folder = self.unreadable.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let wrong = self.wrong.lock().unwrap_or_else(PoisonError::into_inner);
        let more = if wrong.len() > 1 { format!(" (and {} more files)", wrong.len() - 1) } else { String::new() };
        folder.or_else(|| wrong.first().map(|first| format!("{first}{more}")))
    }

    /// Reloads the keys if the folder changed. After a read error, the current keys stay valid, and the next check
    /// retries.
    fn reload(&self, folder: &Path, seen: &mut keyring::Fingerprint) {
        let result = self.reload_if_changed(folder, seen);
        let mut unreadable = self.unreadable.lock().unwrap_or_else(PoisonError::into_inner);
        match (&*unreadable, &result) {
            (None, Err(error)) => {
                let text = format!("the key folder cannot be read: {error}; enrolled peers stay enrolled");
                self.note(Line::warn(text));
            }
            (Some(_), Ok(())) => {
                self.note(Line::info(format!("the key folder {} can be read again", folder.display())));
            }
            _ => {}
        }
        *unreadable = result.err().map(|error| error.to_string());
    }

    fn reload_if_changed(&self, folder: &Path, seen: &mut keyring::Fingerprint) -> Result<(), FileError> {
        let now = keyring::fingerprint(folder)?;
        if now == *seen {
            return Ok(());
        }
        let before = self.ring.read().unwrap_or_else(PoisonError::into_inner).0.clone();
        let (ring, wrong) = before.reload(folder)?;
        *seen = now;
        if before != ring {
            self.note(Line::info(describe_changes(&before, &ring)));
            let mut present = self.ring.write().unwrap_or_else(PoisonError::into_inner);
            *present = (ring, present.1 + 1);
        }
        wrong.iter().for_each(|text| self.note(Line::warn(text.clone())));
        *self.wrong.lock().unwrap_or_else(PoisonError::into_inner) = wrong;
        Ok(())
    }
}

fn describe_changes(before: &Keyring, after: &Keyring) -> String {
    let of = |ring: &Keyring, other: &Keyring| {
        let only = ring.holders().filter(|h| other.holder(&h.public.curve) != Some(h));
        only.map(|h| format!("{} {}", h.role.name(), h.public.name)).collect::<Vec<_>>().join(", ")
    };
    let (gone, came) = (of(before, after), of(after, before));
    let part = |word: &str, who: String| (!who.is_empty()).then(|| format!("{word}: {who}"));
    [part("enrolled", came), part("revoked", gone)].into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// Replies to authentication requests, counts events and reloads keys until the guard is dropped.
fn run(
    zap: &zmq::Socket,
    received: &Receiver<(Domain, zmq::Socket)>,
    guard: &Weak<AccessControl>,
    mut seen: keyring::Fingerprint,
) {
    let mut monitors: Vec<(Domain, zmq::Socket)> = Vec::new();
    let mut next_look = Instant::now() + RELOAD_INTERVAL;
    loop {
        let mut items: Vec<_> =
            [zap].into_iter().chain(monitors.iter().map(|m| &m.1)).map(|s| s.as_poll_item(zmq::POLLIN)).collect();
        // Errors are ignored, because an interrupted wait only starts the next iteration earlier.
        let _ = zmq::poll(&mut items, POLL_MS);
        let Some(guard) = guard.upgrade() else { return };
        if let Some(request) = receive_parts(zap) {
            let request: Vec<Vec<u8>> = request.iter().map(|part| part.to_vec()).collect();
            let ring = guard.ring.read().unwrap_or_else(PoisonError::into_inner);
            let answer = answer(&request, &ring.0);
            if let Err(count) = answer.verdict {
                guard.count(count);
            }
            // Errors are ignored, because a send fails only if the connection is closed and needs no reply.
            let _ = send_parts(zap, &answer.frames);
        }
        // Removes closed sockets and adds new ones, because sockets of the telemetry stream are opened and closed at
        // run time.
        monitors.retain(|(domain, monitor)| guard.count_events(*domain, monitor));
        monitors.extend(received.try_iter());
        if let Some(folder) = guard.folder.as_deref().filter(|_| Instant::now() >= next_look) {
            next_look = Instant::now() + RELOAD_INTERVAL;
            guard.reload(folder, &mut seen);
        }
    }
}

/// Function that returns the counter to increase after a rejection.
type Count = fn(&mut Refusals) -> &mut u64;

struct Answer {
    frames: Vec<Vec<u8>>,
    verdict: Result<(), Count>,
}

/// Computes the reply to an authentication request. The request's parts are version, request number, domain, address,
/// identity, mechanism and the client's key.
fn answer(request: &[Vec<u8>], ring: &Keyring) -> Answer {
    let part = |i: usize| request.get(i).map_or(&[][..], Vec::as_slice);
    let domain = Domain::ALL.into_iter().find(|d| d.name().as_bytes() == part(2));
    let key = part(6).try_into().ok().map(Key).filter(|_| part(5) == b"CURVE");
    let verdict: Result<_, Count> = match (domain, key, key.and_then(|key| ring.holder(&key))) {
        (Some(domain), Some(key), Some(holder)) if domain.admits(holder.role) => Ok((key, holder)),
        (_, Some(_), Some(_)) => Err(|r| &mut r.wrong_role),
        (_, Some(_), None) => Err(|r| &mut r.unknown_key),
        (_, None, _) => Err(|r| &mut r.no_curve),
    };
    let (code, text, user, metadata) = match &verdict {
        Ok((key, holder)) => ("200", "OK", holder.public.name.as_str(), property(KEY, &key.text())),
        Err(_) => ("400", "not enrolled for this", "", Vec::new()),
    };
    let texts = [b"1.0", part(1), code.as_bytes(), text.as_bytes(), user.as_bytes(), &metadata];
    Answer { frames: texts.map(<[u8]>::to_vec).into(), verdict: verdict.map(|_| ()) }
}

/// Encodes a metadata property in the format of ZMTP: name length (1 byte), name, value length (4 bytes), value.
fn property(name: &str, value: &str) -> Vec<u8> {
    let length = (value.len() as u32).to_be_bytes();
    [&[name.len() as u8], name.as_bytes(), &length, value.as_bytes()].concat()
}

#[cfg(test)]
mod tests;
