//! Creation and configuration of the ZeroMQ sockets, and sending and receiving of messages.
//!
//! The hub and the robots poll their sockets, so that sending and receiving never block their control loops. With keys,
//! every connection is encrypted and authenticated (CURVE), and only messages from enrolled peers are delivered.

mod client;
mod greeting;
mod peers;
mod server;

pub use client::{AskError, Dealer, OperatorLink};
pub use greeting::GREETING;
pub use server::{OperatorsHub, ReturnAddress, Router, Sender};

use crate::codec::MAX_BYTES;
use crate::file::FileError;
use crate::guard::AccessControl;
use crate::keyring::{self, Keyring, Role};
use crate::keys::{Key, Public, Secret};
use crate::swarm::Security;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

/// Queue length of a socket in each direction (messages); further messages are dropped.
const QUEUE: i32 = 1000;
/// Maximum length of a message that libzmq accepts (bytes). libzmq closes the connection that sends a longer message,
/// without an error. The limit exceeds [`MAX_BYTES`], so that a slightly oversized message is received, rejected and
/// counted.
const MAX_READ: i64 = 2 * MAX_BYTES as i64;
/// Separator between a robot's id and a random number in the identity of a connection without keys.
const NAME_ENDS: char = '/';
/// Maximum number of rejected messages, or of connection events, that are processed per call.
const REFUSED_AT_ONCE: usize = 256;

/// Socket error.
#[derive(Debug, thiserror::Error)]
pub enum SocketError {
    /// The endpoint is invalid.
    #[error("`{0}` is not an address; it must look like tcp://192.168.1.2:7602")]
    Address(String),
    /// The port is in use.
    #[error("{0}: the port is in use; stop the other program or choose another port")]
    InUse(String),
    /// The system provides no random numbers.
    #[error(transparent)]
    Random(#[from] FileError),
    /// Any other error of ZeroMQ.
    #[error("{endpoint}: {error}")]
    Other {
        /// Endpoint of the socket.
        endpoint: String,
        /// Error of ZeroMQ.
        error: zmq::Error,
    },
}

/// Factory of a process's sockets. Clones share the ZeroMQ context and the keys.
#[derive(Clone, Default)]
pub struct Sockets {
    context: zmq::Context,
    keys: Keys,
}

/// Credentials of a process's sockets.
#[derive(Clone, Default)]
enum Keys {
    /// No keys: connections are neither encrypted nor authenticated (`dev_mode`).
    #[default]
    None,
    /// Server's key, and the access control that admits peers.
    Server(Secret, Arc<AccessControl>),
    /// Client's key and the public key of its server.
    Client(Secret, Key),
}

/// Replaces the error for a missing key file by an error that names the command to create the file.
fn explain_missing_key(error: FileError) -> FileError {
    match &error {
        FileError::Unreadable { path, error } if error.kind() == ErrorKind::NotFound => FileError::value(
            &path.display().to_string(),
            "is missing; run `xpuck keys new --swarm swarm.toml` on the hub's machine to create the missing keys of a \
             swarm",
        ),
        _ => error,
    }
}

impl Sockets {
    /// Creates a factory of plain sockets, which accept every peer without authentication.
    pub fn new() -> Sockets {
        Sockets::default()
    }

    /// Creates the hub's factory with `hub.key` of the key folder, or a factory of plain sockets in `dev_mode`.
    ///
    /// # Errors
    /// The key cannot be used, the key folder cannot be read, or libzmq lacks CURVE.
    pub fn for_hub(security: &Security) -> Result<Sockets, FileError> {
        if security.dev_mode {
            return Ok(Sockets::new());
        }
        let secret = Secret::read(&security.keys.join("hub.key")).map_err(explain_missing_key)?;
        let context = zmq::Context::new();
        let guard = AccessControl::from_folder(&context, &security.keys)?;
        Ok(Sockets { context, keys: Keys::Server(secret, guard) })
    }

    /// Creates a robot's factory with `robots/<id>.key` and `hub.pub` of the key folder, or a factory of plain sockets
    /// in `dev_mode`.
    ///
    /// # Errors
    /// A key cannot be used, or libzmq lacks CURVE.
    pub fn for_robot(security: &Security, id: &str) -> Result<Sockets, FileError> {
        if security.dev_mode {
            return Ok(Sockets::new());
        }
        let path = keyring::path(&security.keys, Role::Robot, id, "key");
        let secret = Secret::read(&path).map_err(explain_missing_key)?;
        if secret.public.name != id {
            let why = format!("holds the key of `{}`, not of `{id}`", secret.public.name);
            return Err(FileError::value(&path.display().to_string(), why));
        }
        Sockets::client(secret, Public::read(&security.keys.join("hub.pub")).map_err(explain_missing_key)?.curve)
    }

    /// Creates the factory for an operator's or observer's key file, `<folder>/operators/<name>.key`. The hub's public
    /// key is read from `<folder>/hub.pub`. Also returns the operator's or observer's secret key.
    ///
    /// # Errors
    /// A key cannot be used, or libzmq lacks CURVE.
    pub fn for_operator(key: &Path) -> Result<(Sockets, Secret), FileError> {
        let secret = Secret::read(key)?;
        let folder = key.parent().and_then(Path::parent).filter(|p| !p.as_os_str().is_empty());
        let server = Public::read(&folder.unwrap_or(Path::new(".")).join("hub.pub"))?;
        Ok((Sockets::client(secret.clone(), server.curve)?, secret))
    }

    /// Creates the factory of a client with the key `secret`, for a server with the public key `server`.
    ///
    /// # Errors
    /// libzmq lacks CURVE.
    pub fn client(secret: Secret, server: Key) -> Result<Sockets, FileError> {
        if zmq::has("curve") != Some(true) {
            return Err(FileError::value(
                "authentication",
                "this libzmq does not support CURVE; install Debian's libzmq5",
            ));
        }
        Ok(Sockets { context: zmq::Context::new(), keys: Keys::Client(secret, server) })
    }

    /// Creates a geneserver's factory. Its sockets accept clients with the same key. Without a key, the sockets are
    /// plain.
    ///
    /// # Errors
    /// libzmq lacks CURVE.
    pub fn for_geneserver(secret: Option<&Secret>) -> Result<Sockets, FileError> {
        let Some(secret) = secret else { return Ok(Sockets::new()) };
        let context = zmq::Context::new();
        let guard =
            AccessControl::from_keyring(&context, Keyring::from_holders([(Role::Operator, secret.public.clone())]))?;
        Ok(Sockets { context, keys: Keys::Server(secret.clone(), guard) })
    }

    /// Creates a worker's factory with the geneserver's key. Without a key, the sockets are plain.
    ///
    /// # Errors
    /// libzmq lacks CURVE.
    pub fn for_worker(secret: Option<&Secret>) -> Result<Sockets, FileError> {
        match secret {
            Some(secret) => Sockets::client(secret.clone(), secret.public.curve),
            None => Ok(Sockets::new()),
        }
    }

    /// Returns the access control; `None` in `dev_mode` and on a client.
    pub fn guard(&self) -> Option<&Arc<AccessControl>> {
        match &self.keys {
            Keys::Server(_, guard) => Some(guard),
            _ => None,
        }
    }

    fn is_plain(&self) -> bool {
        matches!(self.keys, Keys::None)
    }

    pub(crate) fn open(
        &self,
        kind: zmq::SocketType,
        endpoint: &str,
        set_up: impl FnOnce(&zmq::Socket) -> zmq::Result<()>,
    ) -> Result<zmq::Socket, SocketError> {
        let make = || {
            let socket = self.context.socket(kind)?;
            socket.set_linger(0)?;
            socket.set_sndhwm(QUEUE)?;
            socket.set_rcvhwm(QUEUE)?;
            socket.set_maxmsgsize(MAX_READ)?;
            set_up(&socket)?;
            Ok(socket)
        };
        make().map_err(|error| match error {
            zmq::Error::EADDRINUSE => SocketError::InUse(endpoint.into()),
            zmq::Error::EINVAL | zmq::Error::EPROTONOSUPPORT | zmq::Error::ENOCOMPATPROTO => {
                SocketError::Address(endpoint.into())
            }
            error => SocketError::Other { endpoint: endpoint.into(), error },
        })
    }
}

/// Waits until one of the sockets is readable, for at most `timeout_ms`.
pub fn wait(sockets: &[&dyn Readable], timeout_ms: i64) {
    let mut items: Vec<zmq::PollItem<'_>> = sockets.iter().map(|s| s.socket().as_poll_item(zmq::POLLIN)).collect();
    // Errors are ignored, because an interrupted wait only starts the caller's next iteration earlier.
    let _ = zmq::poll(&mut items, timeout_ms);
}

/// Socket on which [`wait`] can wait.
pub trait Readable {
    /// Underlying socket.
    fn socket(&self) -> &zmq::Socket;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec;
    use crate::message::{Reply, Request, RobotMessage, ToRobot};
    use std::time::Duration;

    fn wait_for<T>(mut ready: impl FnMut() -> Option<T>) -> T {
        for _ in 0..2000 {
            if let Some(value) = ready() {
                return value;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        panic!("nothing came in 4 s");
    }

    #[test]
    fn robots_and_hub_talk_and_robots_are_known_by_id() {
        let sockets = Sockets::new();
        let endpoint = "tcp://127.0.0.1:17601";
        let hub = sockets.robots_hub(endpoint).unwrap();
        let robot = sockets.robot(endpoint, "xp01").unwrap();
        robot.send(&RobotMessage::Pong { stamp: 1.5 });
        let (id, message) = wait_for(|| hub.receive::<RobotMessage>());
        assert_eq!((id.as_str(), message.unwrap()), ("xp01", RobotMessage::Pong { stamp: 1.5 }));
        assert!(hub.send("xp01", &ToRobot::Ping { stamp: 2.0 }));
        assert_eq!(wait_for(|| robot.receive::<ToRobot>()).unwrap(), ToRobot::Ping { stamp: 2.0 });
        assert!(matches!(sockets.robots_hub(endpoint), Err(SocketError::InUse(_))));
    }

    #[test]
    fn operators_get_answers_and_silence_is_an_error() {
        let sockets = Sockets::new();
        let endpoint = "tcp://127.0.0.1:17602";
        let silent = sockets.operator(endpoint, 100).unwrap();
        let nobody = silent.ask::<Request, Reply>(&Request::Status).unwrap_err().to_string();
        assert!(nobody.contains(endpoint), "{nobody}");
        let hub = sockets.operators_hub(endpoint).unwrap();
        let asking = std::thread::spawn(move || {
            let link = Sockets::new().operator(endpoint, 4000).unwrap();
            link.ask::<Request, Reply>(&Request::Pause).unwrap()
        });
        // The request of `silent` was not answered, and may arrive first when the socket is bound.
        loop {
            let (to, request) = wait_for(|| hub.receive::<Request>());
            let request = request.unwrap();
            hub.answer(to, &Reply::Done);
            if request == Request::Pause {
                break;
            }
        }
        assert_eq!(asking.join().unwrap(), Reply::Done);
    }

    /// Tests that a second robot with the same name has a separate connection even without keys, and that replies reach
    /// the correct robot.
    #[test]
    fn second_robot_with_same_name_does_not_displace_first() {
        let sockets = Sockets::new();
        let hub = sockets.robots_hub("tcp://127.0.0.1:*").unwrap();
        let [first, second] = [(), ()].map(|()| sockets.robot(&hub.endpoint(), "xp01").unwrap());
        first.send(&RobotMessage::Pong { stamp: 1.0 });
        assert_eq!(wait_for(|| hub.receive::<RobotMessage>()).0, "xp01");
        second.send(&RobotMessage::Pong { stamp: 2.0 });
        let (sender, _) = wait_for(|| hub.receive_from::<RobotMessage>());
        assert!(sender.name == "xp01" && !hub.is_routed_by(&sender));
        assert!(hub.send("xp01", &ToRobot::Ping { stamp: 3.0 }));
        assert_eq!(wait_for(|| first.receive::<ToRobot>()).unwrap(), ToRobot::Ping { stamp: 3.0 });
        hub.set_route(sender);
        assert!(hub.send("xp01", &ToRobot::Ping { stamp: 4.0 }));
        assert_eq!(wait_for(|| second.receive::<ToRobot>()).unwrap(), ToRobot::Ping { stamp: 4.0 });
        first.send(&RobotMessage::Pong { stamp: 5.0 });
        let (sender, message) = wait_for(|| hub.receive_from::<RobotMessage>());
        assert!(!hub.is_routed_by(&sender) && message.unwrap() == RobotMessage::Pong { stamp: 5.0 });
    }

    /// Tests that a slightly oversized message is received and rejected, and that a far larger message closes its
    /// connection. The closed connections are counted.
    #[test]
    fn oversized_messages_are_counted() {
        let sockets = Sockets::new();
        let hub = sockets.robots_hub("tcp://127.0.0.1:*").unwrap();
        let context = zmq::Context::new();
        let send = |length: usize| {
            let socket = context.socket(zmq::DEALER).unwrap();
            socket.set_linger(10_000).unwrap();
            socket.connect(&hub.endpoint()).unwrap();
            socket.send(vec![codec::VERSION; length], 0).unwrap();
            socket
        };
        for length in [MAX_BYTES + 1, MAX_READ as usize] {
            let _sender = send(length);
            let (_, message) = wait_for(|| hub.receive::<RobotMessage>());
            assert!(matches!(message, Err(codec::CodecError::Size(n)) if n == length));
        }
        wait_for(|| (hub.ended() == 2).then_some(()));
        let sender = send(MAX_READ as usize + 1);
        wait_for(|| (hub.ended() > 2).then_some(()));
        assert!(hub.receive::<RobotMessage>().is_none());
        // Drops the message when the socket is closed; libzmq would otherwise send it again after each reconnection.
        sender.set_linger(0).unwrap();
    }
}
