//! Links between robots. Each robot binds one socket, to which other robots connect and send their messages. It opens a
//! separate client socket for each robot to which it sends messages.

use super::{Dealer, Keys, NAME_ENDS, Router, SocketError, Sockets, explain_missing_key};
use crate::file::FileError;
use crate::guard::{AccessControl, Domain};
use crate::keyring::{self, Role};
use crate::keys::{Key, Secret};
use crate::peer::MAX_PEER_BYTES;
use crate::session::fresh_session;
use crate::swarm::Security;

/// Queue length of a link in each direction (messages); further messages are dropped.
const QUEUE: i32 = 64;
/// Heartbeat interval of a link (ms of wall time). A link without traffic for three intervals is closed.
const HEARTBEAT_MS: i32 = 1000;
/// Maximum number of connections waiting for acceptance.
const BACKLOG: i32 = 256;

impl Sockets {
    /// Creates a robot's factory for links to other robots, with `robots/<id>.key` of the key folder. The sockets
    /// accept robots whose `.pub` files are in the folder, which is reloaded on change. With `dev_mode`, the sockets
    /// are plain.
    ///
    /// # Errors
    /// The key cannot be used, the folder cannot be read, or libzmq lacks CURVE.
    pub fn for_peers(security: &Security, id: &str) -> Result<Sockets, FileError> {
        if security.dev_mode {
            return Ok(Sockets::new());
        }
        let path = keyring::path(&security.keys, Role::Robot, id, "key");
        let secret = Secret::read(&path).map_err(explain_missing_key)?;
        let context = zmq::Context::new();
        let guard = AccessControl::from_folder(&context, &security.keys)?;
        Ok(Sockets { context, keys: Keys::Server(secret, guard) })
    }

    /// Returns the CURVE public key of an enrolled robot; `None` in `dev_mode` or if the robot is not enrolled.
    pub fn peer_key(&self, id: &str) -> Option<Key> {
        let holders = self.guard()?.holders_called(id);
        holders.into_iter().find(|holder| holder.role == Role::Robot).map(|holder| holder.public.curve)
    }

    /// Opens the socket to which other robots connect.
    ///
    /// # Errors
    /// The address is invalid or in use.
    pub fn peers_end(&self, endpoint: &str) -> Result<Router, SocketError> {
        let socket = self.open(zmq::ROUTER, endpoint, |s| {
            s.set_router_handover(self.is_plain())?;
            s.set_sndhwm(QUEUE)?;
            s.set_rcvhwm(QUEUE)?;
            s.set_backlog(BACKLOG)?;
            s.set_maxmsgsize(MAX_PEER_BYTES as i64)?;
            self.serve(s, Domain::Peers)?;
            s.bind(endpoint)
        })?;
        Ok(Router::for_peers(socket, self.access(Domain::Peers)))
    }

    /// Opens a link from robot `id` to the robot at `endpoint`, which has the public key `key`. Without a key, the link
    /// is plain. Messages sent while the other robot is unreachable are dropped, so that no stale message arrives
    /// later.
    ///
    /// # Errors
    /// The address is invalid, or the system provides no random numbers.
    pub fn peer(&self, endpoint: &str, id: &str, key: Option<Key>) -> Result<Dealer, SocketError> {
        let number = fresh_session()?;
        let socket = self.open(zmq::DEALER, endpoint, |s| {
            s.set_immediate(true)?;
            s.set_sndhwm(QUEUE)?;
            s.set_rcvhwm(QUEUE)?;
            s.set_maxmsgsize(MAX_PEER_BYTES as i64)?;
            s.set_reconnect_ivl(200)?;
            s.set_reconnect_ivl_max(2000)?;
            s.set_heartbeat_ivl(HEARTBEAT_MS)?;
            s.set_heartbeat_timeout(3 * HEARTBEAT_MS)?;
            match (&self.keys, key) {
                (Keys::Server(secret, _), Some(key)) => {
                    s.set_curve_serverkey(&key.0)?;
                    s.set_curve_publickey(&secret.public.curve.0)?;
                    s.set_curve_secretkey(secret.curve())?;
                }
                _ => s.set_identity(format!("{id}{NAME_ENDS}{number:016x}").as_bytes())?,
            }
            s.connect(endpoint)
        })?;
        Ok(Dealer::without_monitor(socket))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peer::{PeerMessage, RunName};
    use std::path::Path;
    use std::time::Duration;

    const ASK: PeerMessage = PeerMessage::Ask { number: 7, run: RunName { number: 1, seed: 2 }, after: 0 };

    fn wait_for<T>(mut ready: impl FnMut() -> Option<T>) -> T {
        for _ in 0..4000 {
            if let Some(value) = ready() {
                return value;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        panic!("nothing came in 8 s");
    }

    fn robot(keys: &Path, id: &str) -> Sockets {
        Sockets::for_peers(&Security { keys: keys.into(), dev_mode: false }, id).unwrap()
    }

    #[test]
    fn peers_are_identified_by_key_and_revoked_peer_is_silenced() {
        let dir = tempfile::tempdir().unwrap();
        let keys = dir.path();
        keyring::create_missing_pairs(keys, &["xp01".into(), "xp02".into()]).unwrap();
        let [first, second] = ["xp01", "xp02"].map(|id| robot(keys, id));
        let end = first.peers_end("tcp://127.0.0.1:*").unwrap();
        let link = second.peer(&end.endpoint(), "xp02", second.peer_key("xp01")).unwrap();
        // Retries, because messages sent before the connection is established are dropped.
        wait_for(|| link.send(&ASK).then_some(()));
        let (name, message) = wait_for(|| end.receive::<PeerMessage>());
        assert_eq!((name.as_str(), message.unwrap()), ("xp02", ASK));
        assert!(end.send("xp02", &ASK));
        assert_eq!(wait_for(|| link.receive::<PeerMessage>()).unwrap(), ASK);
        std::fs::remove_file(keyring::path(keys, Role::Robot, "xp02", "pub")).unwrap();
        let guard = first.guard().unwrap();
        wait_for(|| (guard.edition() > 1).then_some(()));
        assert!(link.send(&ASK));
        wait_for(|| {
            assert!(end.receive::<PeerMessage>().is_none(), "a message of somebody who is revoked");
            (guard.refusals().revoked > 0).then_some(())
        });
        assert_eq!(first.peer_key("xp02"), None);
    }

    #[test]
    fn strangers_operators_and_plain_clients_are_rejected() {
        let dir = tempfile::tempdir().unwrap();
        let [keys, others] = ["keys", "others"].map(|name| dir.path().join(name));
        keyring::create_missing_pairs(&keys, &["xp01".into(), "xp02".into()]).unwrap();
        keyring::create_missing_pairs(&others, &["xp01".into(), "xp02".into()]).unwrap();
        let first = robot(&keys, "xp01");
        let guard = first.guard().unwrap();
        let end = first.peers_end("tcp://127.0.0.1:*").unwrap();
        // The stranger has a key that is not enrolled, but knows the robot's public key.
        let stranger = robot(&others, "xp02").peer(&end.endpoint(), "xp02", first.peer_key("xp01")).unwrap();
        wait_for(|| (guard.refusals().unknown_key > 0).then_some(()));
        let secret = Secret::read(&keyring::path(&keys, Role::Operator, keyring::OPERATOR, "key")).unwrap();
        let operator = Sockets { context: zmq::Context::new(), keys: Keys::Server(secret, guard.clone()) };
        let operator = operator.peer(&end.endpoint(), "xp02", first.peer_key("xp01")).unwrap();
        wait_for(|| (guard.refusals().wrong_role > 0).then_some(()));
        let plain = Sockets::new().peer(&end.endpoint(), "xp02", None).unwrap();
        wait_for(|| (guard.refusals().no_curve > 0).then_some(()));
        for link in [stranger, operator, plain] {
            link.send(&ASK);
        }
        std::thread::sleep(Duration::from_millis(100));
        assert!(end.receive::<PeerMessage>().is_none());
    }

    #[test]
    fn names_are_trusted_without_keys_and_long_message_dropped() {
        let plain = Sockets::new();
        let end = plain.peers_end("ipc://@xpuck-peers-test-plain").unwrap();
        let link = plain.peer("ipc://@xpuck-peers-test-plain", "xp09", None).unwrap();
        wait_for(|| link.send(&ASK).then_some(()));
        assert_eq!(wait_for(|| end.receive::<PeerMessage>()).0, "xp09");
        let context = zmq::Context::new();
        let socket = context.socket(zmq::DEALER).unwrap();
        socket.set_linger(0).unwrap();
        socket.connect("ipc://@xpuck-peers-test-plain").unwrap();
        socket.send(vec![0; MAX_PEER_BYTES + 1], 0).unwrap();
        std::thread::sleep(Duration::from_millis(100));
        assert!(end.receive::<PeerMessage>().is_none());
    }
}
