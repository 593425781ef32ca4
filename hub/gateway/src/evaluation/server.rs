//! Server of a world. Robot simulators connect to any of its ports, and share one world (section 2.1 of the
//! specification).

pub use super::connections::MOST_CONNECTIONS;
use super::connections::{Connections, Service};
use super::message::Message;
use super::world::World;
use std::io::Result;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// Interval between two checks for idle robots.
const EXPIRY: Duration = Duration::from_secs(1);

/// Counters of the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Number of valid messages received.
    pub messages: u64,
    /// Number of connections closed because the maximum was reached.
    pub refused: u64,
    /// Number of robots removed because no message with their identifier arrived within the idle limit.
    pub expired: u64,
}

/// World simulator that listens on one or more ports.
pub struct WorldServer {
    served: Served,
    connections: Connections,
    expired: u64,
    began: Instant,
    looked: Instant,
    idle: Duration,
}

struct Served {
    world: World,
    messages: u64,
}

impl Service for Served {
    fn on_message(&mut self, connection: u32, message: Message) -> std::result::Result<Option<Message>, String> {
        self.messages += 1;
        self.world.answer(connection, &message).map_err(|error| error.to_string())
    }

    fn close(&mut self, connection: u32) -> String {
        format!("{} robots", self.world.close(connection))
    }
}

impl WorldServer {
    /// Serves a world on the given addresses. Removes robots whose identifier was in no message for `idle`, and
    /// disconnects robot simulators that are silent for `idle`.
    ///
    /// # Errors
    /// The operating system cannot listen on an address.
    pub fn listen(world: World, addresses: &[SocketAddr], idle: Duration) -> Result<WorldServer> {
        let connections = Connections::listen("robot simulator", addresses, idle)?;
        let (began, served) = (Instant::now(), Served { world, messages: 0 });
        Ok(WorldServer { served, connections, expired: 0, began, looked: began, idle })
    }

    /// Returns the addresses of the listening sockets.
    ///
    /// # Errors
    /// Error of the operating system.
    pub fn addresses(&self) -> Result<Vec<SocketAddr>> {
        self.connections.addresses()
    }

    /// Returns the counters since the start.
    pub fn counts(&self) -> Counts {
        Counts { messages: self.served.messages, refused: self.connections.refused(), expired: self.expired }
    }

    /// Returns the number of connected robot simulators.
    pub fn connections(&self) -> usize {
        self.connections.count()
    }

    /// Waits at most `wait` for a connection or a message, and answers received messages. Returns lines for the log.
    ///
    /// # Errors
    /// Error of the operating system while waiting.
    pub fn turn(&mut self, wait: Duration) -> Result<Vec<String>> {
        let told = self.connections.turn(wait, None, &mut self.served)?;
        if self.looked.elapsed() >= EXPIRY {
            self.looked = Instant::now();
            let expired = self.served.world.expire(self.began.elapsed().as_secs_f64(), self.idle.as_secs_f64());
            self.expired += expired as u64;
        }
        Ok(told)
    }
}
