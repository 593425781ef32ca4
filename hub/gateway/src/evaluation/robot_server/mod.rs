//! Server of a robot simulator. Population managers connect to it, request the supported networks, send individuals,
//! and receive their fitness (section 3.1 of the specification).
//!
//! An [`evaluator::Evaluator`] evaluates the individuals. [`world_link::WorldLink`] drives robots in the world of a
//! world simulator; [`batch::Batch`] passes whole batches to a function on a separate thread.

pub mod batch;
pub mod evaluator;
mod queue;
pub mod world_link;

use super::connections::{Connections, Service};
use super::message::Message;
use super::parameters::NetParameters;
use evaluator::Evaluator;
use queue::Queue;
use std::io::Result;
use std::net::SocketAddr;
use std::time::Duration;
use xpuck_wire::log::Line;

/// Counters of the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Number of accepted individuals.
    pub individuals: u64,
    /// Number of fitness values sent to managers.
    pub evaluated: u64,
    /// Number of connections closed because the maximum was reached.
    pub refused: u64,
}

/// Robot simulator that listens for population managers.
pub struct RobotServer<E> {
    evaluator: E,
    served: Served,
    connections: Connections,
    evaluated: u64,
}

struct Served {
    parameters: NetParameters,
    queue: Queue,
    individuals: u64,
}

impl Service for Served {
    fn on_message(&mut self, connection: u32, message: Message) -> std::result::Result<Option<Message>, String> {
        match message {
            Message::SendNetParameters => Ok(Some(Message::NetParameters(self.parameters.clone()))),
            Message::Individual(individual) => {
                individual.genome(&self.parameters).map_err(|error| error.to_string())?;
                self.individuals += 1;
                self.queue.push(connection, individual);
                Ok(None)
            }
            other => Err(format!("{} is not accepted by a robot simulator", other.name())),
        }
    }

    fn is_full(&self, connection: u32) -> bool {
        self.queue.is_full(connection)
    }

    fn awaits_answer(&self, connection: u32) -> bool {
        self.queue.owes(connection)
    }

    fn close(&mut self, connection: u32) -> String {
        format!("{} individuals that were not evaluated", self.queue.close(connection))
    }
}

impl<E: Evaluator> RobotServer<E> {
    /// Listens on an address. Disconnects managers that wait for no answer and have been silent for `idle`.
    ///
    /// # Errors
    /// The operating system cannot listen on the address.
    pub fn listen(evaluator: E, address: SocketAddr, idle: Duration) -> Result<RobotServer<E>> {
        let connections = Connections::listen("population manager", &[address], idle)?;
        let served = Served { parameters: evaluator.parameters().clone(), queue: Queue::default(), individuals: 0 };
        Ok(RobotServer { evaluator, served, connections, evaluated: 0 })
    }

    /// Returns the address of the listening socket.
    ///
    /// # Errors
    /// Error of the operating system.
    pub fn address(&self) -> Result<SocketAddr> {
        self.connections.addresses()?.pop().ok_or_else(|| std::io::ErrorKind::AddrNotAvailable.into())
    }

    /// Returns the counters since the start.
    pub fn counts(&self) -> Counts {
        let Served { individuals, .. } = self.served;
        Counts { individuals, evaluated: self.evaluated, refused: self.connections.refused() }
    }

    /// Waits at most `wait` for a message or a fitness, and processes all pending work. Returns lines for the log.
    ///
    /// # Errors
    /// Error of the operating system while waiting.
    pub fn turn(&mut self, wait: Duration) -> Result<Vec<Line>> {
        let wait = self.evaluator.longest_wait().map_or(wait, |longest| longest.min(wait));
        let told = self.connections.turn(wait, self.evaluator.waits_for(), &mut self.served)?;
        let mut told: Vec<Line> = told.into_iter().map(Line::info).collect();
        let queue = &mut self.served.queue;
        queue.cancelled().for_each(|ticket| self.evaluator.cancel(ticket));
        while queue.running() < self.served.parameters.max_concurrent as usize {
            let Some((ticket, individual)) = queue.pop() else { break };
            self.evaluator.begin(ticket, individual);
        }
        for (ticket, fitness) in self.evaluator.turn(&mut told) {
            let Some(job) = self.served.queue.end(ticket) else { continue };
            let (generation, number) = (job.generation, job.number);
            let Some(fitness) = fitness else { continue };
            match self.connections.put(job.connection, &Message::Fitness { generation, number, fitness }) {
                Ok(()) => self.evaluated += 1,
                Err(error) => {
                    told.push(Line::warn(format!("the answer for individual {number} could not be sent: {error}")))
                }
            }
        }
        Ok(told)
    }
}
