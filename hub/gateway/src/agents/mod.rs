//! Server for agents: programs that drive robots through SimSpark's agent protocol. In each cycle the server sends
//! the perceptors of each robot to its agent, and receives the effectors.
//!
//! The server has no thread of its own. The program that simulates the robots calls the server in each cycle. Only
//! [`Agents::wait`] blocks, with a time limit.

mod connection;

use crate::agent::{Effector, Perception, write};
use crate::door::PollingListener;
use connection::{Connection, Handshake};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::Result;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// Maximum number of connections accepted per call of [`Agents::poll`].
const NEW_AT_ONCE: usize = 16;
/// Maximum number of connections without a robot. Further connections are closed at once.
const MOST_WAITING: usize = 32;
/// Time limit for the handshake. A connection that has no robot after this time is closed.
const GREETING: Duration = Duration::from_secs(10);

/// Events and effectors from all agents.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AgentInput {
    /// Robots (index from 0) to which an agent was assigned.
    pub joined: Vec<usize>,
    /// Effectors in order of arrival, each with its robot (index from 0).
    pub effectors: Vec<(usize, Effector)>,
    /// Robots (index from 0) whose agent was disconnected.
    pub left: Vec<usize>,
    /// Lines for the log.
    pub told: Vec<String>,
}

/// Server for agents.
pub struct Agents {
    door: PollingListener,
    connections: Vec<Connection>,
    count: u64,
    refused: u64,
}

impl Agents {
    /// Binds the listening socket to an address.
    ///
    /// # Errors
    /// Error of the operating system.
    pub fn listen(at: SocketAddr) -> Result<Agents> {
        Ok(Agents { door: PollingListener::listen(at)?, connections: Vec::new(), count: 0, refused: 0 })
    }

    /// Returns the address of the listening socket.
    ///
    /// # Errors
    /// Error of the operating system.
    pub fn address(&self) -> Result<SocketAddr> {
        self.door.address()
    }

    /// Returns the team of the agent that drives a robot; `None` if no agent drives the robot.
    pub fn team(&self, robot: usize) -> Option<&str> {
        self.connections.iter().find(|one| one.robot() == Some(robot)).map(|one| one.team.as_str())
    }

    /// Returns the robots (index from 0) that agents drive.
    pub fn robots(&self) -> impl Iterator<Item = usize> {
        self.connections.iter().filter_map(Connection::robot)
    }

    /// Accepts connections and processes all received messages. `free` states for each robot whether the server may
    /// assign it to an agent. Robots that already have an agent are never assigned.
    pub fn poll(&mut self, free: &[bool]) -> AgentInput {
        let mut said = AgentInput::default();
        self.take_new(&mut said);
        let mut taken: Vec<usize> = self.robots().collect();
        self.connections.retain_mut(|one| {
            let before = one.robot();
            let goes_on = one.read(&mut said).and_then(|()| one.join(free, &mut taken));
            let why = match goes_on {
                Ok(()) if before.is_none() && one.robot().is_none() && one.since.elapsed() > GREETING => Some(format!(
                    "no handshake within {} s; send (scene NAME), then (init (unum N)(teamname T))",
                    GREETING.as_secs()
                )),
                Ok(()) => None,
                Err(why) => Some(why),
            };
            if let (None, Some(robot)) = (before, one.robot()) {
                said.told.push(format!("agent {} of team {} drives robot {}", one.number, one.team, robot + 1));
                said.joined.push(robot);
            }
            let Some(why) = why else { return true };
            said.told.push(format!("agent {} at {} is disconnected: {why}", one.number, one.at));
            said.left.extend(one.robot());
            false
        });
        said
    }

    fn take_new(&mut self, said: &mut AgentInput) {
        let before = self.refused;
        let waiting = self.connections.iter().filter(|one| one.robot().is_none()).count();
        let mut room = MOST_WAITING.saturating_sub(waiting);
        for (stream, at) in self.door.accept(NEW_AT_ONCE) {
            if room == 0 {
                self.refused += 1;
                continue;
            }
            room -= 1;
            self.count += 1;
            self.connections.push(Connection::new(self.count, at, stream));
        }
        if self.refused > before {
            let count = self.refused - before;
            said.told
                .push(format!("{count} connections were rejected: {MOST_WAITING} others wait for their handshake"));
        }
    }

    /// Sends the perceptors of the cycle to all agents. `perceive` returns the perception of a robot; its argument is
    /// `None` for an agent without a robot. Never blocks. An agent that does not read its perceptors is disconnected
    /// later.
    pub fn send_perceptions(&mut self, mut perceive: impl FnMut(Option<usize>) -> Perception) {
        for one in &mut self.connections {
            match one.progress {
                Handshake::Nothing => {}
                Handshake::Scene => one.send(&write(&perceive(None))),
                Handshake::Joined { robot, told } => {
                    let mut perception = perceive(Some(robot));
                    perception.joined = perception.joined.filter(|_| !told);
                    one.progress = Handshake::Joined { robot, told: true };
                    one.send(&write(&perception));
                }
            }
        }
    }

    /// Closes the connection of the agent that drives a robot.
    pub fn close(&mut self, robot: usize) {
        self.connections.retain(|one| one.robot() != Some(robot));
    }

    /// Returns whether every agent with a robot has sent `(syn)` since the last cycle.
    fn all_done(&self) -> bool {
        self.connections.iter().all(|one| one.robot().is_none() || one.done)
    }

    /// Processes messages until every agent with a robot has ended its cycle, or until `longest` has passed. Agents
    /// that have not ended their cycle by then are late. Further calls do not wait for a late agent before its next
    /// `(syn)`.
    pub fn wait(&mut self, longest: Duration, free: &[bool], said: &mut AgentInput) {
        let began = Instant::now();
        while !self.all_done() {
            let left = longest.saturating_sub(began.elapsed());
            if left.is_zero() {
                let late = self.connections.iter_mut().filter(|one| one.robot().is_some() && !one.done);
                for one in late {
                    one.done = true;
                    one.late = true;
                    said.told.push(format!(
                        "agent {} sent no (syn) for {:.1} s; continuing without it until its next (syn)",
                        one.number,
                        longest.as_secs_f64()
                    ));
                }
                return;
            }
            let mut sources: Vec<PollFd<'_>> = vec![PollFd::new(&self.door, PollFlags::IN)];
            sources.extend(self.connections.iter().map(|one| PollFd::new(&one.stream, PollFlags::IN)));
            let timeout = Timespec { tv_sec: 0, tv_nsec: left.as_nanos().min(50_000_000) as i64 };
            // A signal ends the call early. The loop then checks the remaining time.
            let _ = poll(&mut sources, Some(&timeout));
            let more = self.poll(free);
            said.joined.extend(more.joined);
            said.effectors.extend(more.effectors);
            said.left.extend(more.left);
            said.told.extend(more.told);
        }
    }
}

#[cfg(test)]
mod tests;
