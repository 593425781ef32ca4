//! Socket of the telemetry stream, which sends text to viewers such as PlotJuggler. The hub accepts no commands through
//! this socket.

use crate::guard::Domain;
use crate::signals::{retry_zmq, send_parts};
use crate::socket::{SocketError, Sockets};
use std::collections::BTreeSet;

/// Maximum number of messages queued per watcher. A slow watcher misses the newest messages, and detects the loss by
/// the sequence numbers. Other watchers are not affected.
const QUEUE: i32 = 1000;
/// Kernel send buffer per watcher (bytes).
const BUFFER: i32 = 64 * 1024;
/// Maximum length of a frame from a watcher (bytes). Such a frame contains a topic prefix or a handshake message.
const REQUEST: i64 = 4096;
/// Maximum number of subscription requests processed per call, so that a call takes only a few ms. A watcher that
/// subscribes to 100000 topics and disconnects leaves 100000 requests in the queue.
const REQUESTS_AT_ONCE: usize = 4096;
/// Maximum number of topic prefixes subscribed at the same time. Further prefixes are ignored. The hub publishes about
/// 200 topics.
const MAX_PREFIXES: usize = 1000;

/// Hub's socket of the telemetry stream.
pub struct Stream {
    socket: zmq::Socket,
    /// Subscribed topic prefixes.
    prefixes: BTreeSet<Vec<u8>>,
}

impl Sockets {
    /// Opens a stream at an endpoint, such as `ipc://@stream`, for operators and observers. If `plain` is true, the
    /// stream is not encrypted and anyone can watch, because PlotJuggler does not support keys.
    ///
    /// # Errors
    /// The port is in use, or the endpoint is invalid.
    pub fn stream(&self, endpoint: &str, plain: bool) -> Result<Stream, SocketError> {
        let socket = self.open(zmq::XPUB, endpoint, |s| {
            s.set_sndhwm(QUEUE)?;
            s.set_sndbuf(BUFFER)?;
            s.set_maxmsgsize(REQUEST)?;
            if !plain {
                self.serve(s, Domain::Watchers)?;
            }
            s.bind(endpoint)
        })?;
        Ok(Stream { socket, prefixes: BTreeSet::new() })
    }
}

impl Stream {
    /// Returns the endpoint of the socket, with the port that the system chose.
    pub fn endpoint(&self) -> String {
        self.socket.get_last_endpoint().ok().and_then(Result::ok).unwrap_or_default()
    }

    /// Processes subscription requests; returns the number of subscribed prefixes.
    pub fn subscriptions(&mut self) -> usize {
        for _ in 0..REQUESTS_AT_ONCE {
            let Ok(request) = retry_zmq(|| self.socket.recv_bytes(zmq::DONTWAIT)) else { break };
            // The first byte of a request is 1 for a subscription and 0 for a cancellation. For each prefix, ZeroMQ
            // only reports the first subscription, and the cancellation by the last subscriber.
            match request.split_first() {
                Some((1, prefix)) if self.prefixes.len() < MAX_PREFIXES => drop(self.prefixes.insert(prefix.into())),
                Some((0, prefix)) => drop(self.prefixes.remove(prefix)),
                _ => {}
            }
        }
        self.prefixes.len()
    }

    /// Whether any watcher subscribes to this topic.
    pub fn wants(&self, topic: &str) -> bool {
        self.prefixes.iter().any(|prefix| topic.as_bytes().starts_with(prefix))
    }

    /// Sends a message of two parts, topic and text, to the subscribers of the topic. Does not block.
    pub fn publish(&self, topic: &str, text: &str) {
        // Errors are ignored: ZeroMQ drops messages for a watcher with a full queue.
        let _ = send_parts(&self.socket, &[topic, text]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keyring::{self, Role};
    use crate::keys::{Public, Secret};
    use crate::swarm::Security;
    use std::time::{Duration, Instant};

    fn watcher(endpoint: &str, topic: &str) -> (zmq::Context, zmq::Socket) {
        let context = zmq::Context::new();
        let socket = context.socket(zmq::SUB).unwrap();
        socket.set_rcvtimeo(5000).unwrap();
        socket.set_rcvhwm(1).unwrap();
        socket.set_rcvbuf(4096).unwrap();
        // The send queue is unlimited, so that any number of subscriptions can be queued at once.
        socket.set_sndhwm(0).unwrap();
        socket.connect(endpoint).unwrap();
        socket.set_subscribe(topic.as_bytes()).unwrap();
        (context, socket)
    }

    fn until(mut done: impl FnMut() -> bool) {
        let end = Instant::now() + Duration::from_secs(10);
        while !done() {
            assert!(Instant::now() < end, "not within 10 s");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn watchers_get_their_topics_in_two_parts() {
        let mut stream = Sockets::new().stream("tcp://127.0.0.1:*", false).unwrap();
        assert_eq!(stream.subscriptions(), 0);
        let (_context, socket) = watcher(&stream.endpoint(), "telemetry/xp01");
        until(|| stream.subscriptions() == 1);
        assert!(stream.wants("telemetry/xp01") && !stream.wants("telemetry/xp02"));
        stream.publish("telemetry/xp02", "{}");
        stream.publish("telemetry/xp01", "{\"a\":1}");
        let parts = socket.recv_multipart(0).unwrap();
        assert_eq!(parts, [b"telemetry/xp01".to_vec(), b"{\"a\":1}".to_vec()]);
        for number in 0..20_000 {
            socket.set_subscribe(format!("topic {number}").as_bytes()).unwrap();
        }
        until(|| stream.subscriptions() == MAX_PREFIXES);
        drop(socket);
        // The hub calls `subscriptions` ten times a second. With fewer than 200 calls, a new watcher receives data
        // within 20 s.
        let mut looks = 0;
        until(|| {
            looks += 1;
            stream.subscriptions() == 0
        });
        assert!(looks < 200, "{looks}");
    }

    /// Tests that a watcher that never reads delays neither publishing nor another watcher. The other watcher receives
    /// all messages.
    #[test]
    fn silent_watcher_does_not_delay_others() {
        let mut stream = Sockets::new().stream("tcp://127.0.0.1:*", false).unwrap();
        let (_one, _silent) = watcher(&stream.endpoint(), "");
        let (_two, reader) = watcher(&stream.endpoint(), "poses");
        until(|| stream.subscriptions() == 2);
        let text = "x".repeat(2000);
        let mut longest = Duration::ZERO;
        for number in 0..5000 {
            let begun = Instant::now();
            stream.publish("poses", &format!("{number} {text}"));
            longest = longest.max(begun.elapsed());
            let parts = reader.recv_multipart(0).unwrap();
            assert!(parts[1].starts_with(format!("{number} ").as_bytes()), "message {number}");
        }
        // The hub published 10 MB without blocking, although the silent watcher's queue cannot hold all of it.
        assert!(longest < Duration::from_secs(2), "publishing took {longest:?}");
    }

    /// Tests that, with keys, observers can subscribe to the stream, but robots and watchers without keys cannot. A
    /// watcher without keys can subscribe to a plain stream of the same hub.
    #[test]
    fn with_keys_only_those_who_may_look_watch() {
        let dir = tempfile::tempdir().unwrap();
        keyring::create_missing_pairs(dir.path(), &["xp01".into()]).unwrap();
        keyring::create_pair(dir.path(), Some(Role::Observer), "visitor").unwrap();
        let hub = Sockets::for_hub(&Security { keys: dir.path().into(), dev_mode: false }).unwrap();
        let mut stream = hub.stream("tcp://127.0.0.1:*", false).unwrap();
        let secret = |role, name| Secret::read(&keyring::path(dir.path(), role, name, "key")).unwrap();
        let server = Public::read(&dir.path().join("hub.pub")).unwrap().curve;
        let watch = |sockets: &Sockets, endpoint: &str| {
            let set_up = |s: &zmq::Socket| {
                s.set_rcvtimeo(10_000)?;
                s.set_subscribe(b"")?;
                sockets.set_client_keys(s)?;
                s.connect(endpoint)
            };
            sockets.open(zmq::SUB, endpoint, set_up).unwrap()
        };
        let robot = Sockets::client(secret(Role::Robot, "xp01"), server).unwrap();
        let _refused = [watch(&Sockets::new(), &stream.endpoint()), watch(&robot, &stream.endpoint())];
        let refusals = || hub.guard().unwrap().refusals();
        until(|| refusals().no_curve > 0 && refusals().wrong_role > 0);
        assert_eq!(stream.subscriptions(), 0);
        let visitor = Sockets::client(secret(Role::Observer, "visitor"), server).unwrap();
        let socket = watch(&visitor, &stream.endpoint());
        until(|| stream.subscriptions() == 1);
        stream.publish("poses", "{}");
        assert_eq!(socket.recv_multipart(0).unwrap()[1], b"{}");
        let mut plain = hub.stream("tcp://127.0.0.1:*", true).unwrap();
        let _anybody = watch(&Sockets::new(), &plain.endpoint());
        until(|| plain.subscriptions() == 1);
    }
}
