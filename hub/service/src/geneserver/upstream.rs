//! Upper link of a geneserver that is an island of another geneserver. The server offers the best tree of its own
//! islands to the upper server, and passes immigrants on to the islands.

use super::Link;
use std::time::{Duration, Instant};
use xpuck_evolve::PrimitiveSet;
use xpuck_hub_core::geneserver::Broker;
use xpuck_wire::keys::Secret;
use xpuck_wire::log::Line;
use xpuck_wire::socket::{SocketError, Sockets};

/// Interval between two offers to the upper server.
const OFFER_INTERVAL: Duration = Duration::from_secs(1);
/// Time without an answer after which the upper server counts as unavailable.
const PATIENCE: Duration = Duration::from_secs(10);
/// Time limit for the upper server's acknowledgement at the end.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// Configuration of the connection to the upper geneserver.
#[derive(Clone, Debug)]
pub struct Options {
    /// Endpoint of the upper server.
    pub endpoint: String,
    /// Key that the upper server shares with its islands; `None` if it uses no key.
    pub key: Option<Secret>,
    /// Island number with which this server registers at the upper server.
    pub number: u16,
    /// Primitive set of accepted trees.
    pub primitive_set: PrimitiveSet,
}

/// Link to the upper geneserver, which may be temporarily unavailable.
pub struct UpperLink {
    link: Link,
    /// Endpoint and island number for the log line about the first connection; `None` after this line was logged.
    unreported: Option<(String, u16)>,
    beat: u32,
    next: Instant,
    heard: Instant,
}

impl UpperLink {
    /// Opens a link that connects by itself as soon as the upper server is reachable.
    ///
    /// # Errors
    /// The endpoint is invalid.
    pub fn open(options: &Options) -> Result<UpperLink, SocketError> {
        let sockets = Sockets::for_worker(options.key.as_ref())?;
        let link = Link::open(sockets, &options.endpoint, options.number, options.primitive_set.clone())?;
        let now = Instant::now();
        let unmet = Some((options.endpoint.clone(), options.number));
        Ok(UpperLink { link, unreported: unmet, beat: 0, next: now, heard: now })
    }

    /// Processes received messages and sends an offer once a second, without blocking. Returns lines for the log.
    pub fn turn(&mut self, broker: &mut Broker) -> Vec<Line> {
        let now = Instant::now();
        if let Some(migrants) = self.link.arrived() {
            self.heard = now;
            broker.receive_above(&migrants);
        }
        if now >= self.next {
            self.next = now + OFFER_INTERVAL;
            if self.unreported.is_some() {
                self.link.greet();
            }
            if let Some((generation, migrant)) = broker.offer_above(self.beat) {
                self.beat += 1;
                self.link.send_emigrant(generation, &migrant);
            } else if self.unreported.is_none() {
                // This server has offered no tree yet, so it expects no answer.
                self.heard = now;
            }
        }
        if now - self.heard > PATIENCE {
            self.link.on_overdue();
        }
        let mut notes = self.link.take_notes();
        if self.link.met()
            && let Some((endpoint, number)) = self.unreported.take()
        {
            notes.push(Line::info(format!("connected to the upper geneserver at {endpoint} as its island {number}")));
        }
        notes
    }

    /// Reports to the upper server that all islands of this server are done.
    pub fn done(&mut self) {
        self.link.done(self.beat, CLOSE_TIMEOUT);
    }
}
