//! The server of a world: robot simulators connect to one of its ports, and all are in the same world (section 2.1).

pub use super::connections::MOST_CONNECTIONS;
use super::connections::{Connections, Service};
use super::message::Message;
use super::world::World;
use std::io::Result;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// Robots are looked through for dead ones so often.
const EXPIRY: Duration = Duration::from_secs(1);

/// What was served.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Messages that came and were understood.
    pub messages: u64,
    /// Connections that were closed because there were too many.
    pub refused: u64,
    /// Robots that were taken away because nobody moved or asked for them.
    pub expired: u64,
}

/// A world on its ports.
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
    fn take(&mut self, connection: u32, message: Message) -> std::result::Result<Option<Message>, String> {
        self.messages += 1;
        self.world.answer(connection, &message).map_err(|error| error.to_string())
    }

    fn close(&mut self, connection: u32) -> String {
        format!("{} robots", self.world.close(connection))
    }
}

impl WorldServer {
    /// Serves a world at these addresses. Robots of which nobody speaks for `idle` are taken away, and simulators that say
    /// nothing for so long are sent away.
    ///
    /// # Errors
    /// What the system says of an address.
    pub fn listen(world: World, addresses: &[SocketAddr], idle: Duration) -> Result<WorldServer> {
        let connections = Connections::listen("robot simulator", addresses, idle)?;
        let (began, served) = (Instant::now(), Served { world, messages: 0 });
        Ok(WorldServer { served, connections, expired: 0, began, looked: began, idle })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// What the system says.
    pub fn addresses(&self) -> Result<Vec<SocketAddr>> {
        self.connections.addresses()
    }

    /// What was served so far.
    pub fn counts(&self) -> Counts {
        Counts { messages: self.served.messages, refused: self.connections.refused(), expired: self.expired }
    }

    /// Robot simulators that are connected.
    pub fn connections(&self) -> usize {
        self.connections.count()
    }

    /// Waits until somebody connects or says something, for `wait` at most, and answers all that came. Lines for the log.
    ///
    /// # Errors
    /// What the system says of waiting.
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
