//! A geneserver below another one, where it is an island: it offers the best of its own islands, and gives them what it gets.

use super::Link;
use std::time::{Duration, Instant};
use xpuck_evolve::PrimitiveSet;
use xpuck_hub_core::geneserver::Broker;
use xpuck_wire::keys::Secret;
use xpuck_wire::log::Line;
use xpuck_wire::socket::{SocketError, Sockets};

/// Time between two offers.
const BEAT: Duration = Duration::from_secs(1);
/// Without an answer for so long the one above is away, which is said once.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a server that ends waits until the one above knows it.
const FAREWELL: Duration = Duration::from_secs(2);

/// The geneserver above, and what this one is there.
#[derive(Clone, Debug)]
pub struct Options {
    /// Its endpoint.
    pub endpoint: String,
    /// The key file that it shares with those below it; without it none.
    pub key: Option<Secret>,
    /// The number of the island that this server is there.
    pub number: u16,
    /// What trees that come from there may have.
    pub primitive_set: PrimitiveSet,
}

/// The link to the geneserver above, which may be away at any time.
pub struct Above {
    link: Link,
    /// Its endpoint, and the number of the island that this server is there, until it is said that it was found.
    unmet: Option<(String, u16)>,
    beat: u32,
    next: Instant,
    heard: Instant,
}

impl Above {
    /// A link that connects by itself, now or whenever the one above is there.
    ///
    /// # Errors
    /// If the endpoint is none.
    pub fn open(options: &Options) -> Result<Above, SocketError> {
        let sockets = Sockets::for_worker(options.key.as_ref())?;
        let link = Link::open(sockets, &options.endpoint, options.number, options.primitive_set.clone())?;
        let now = Instant::now();
        let unmet = Some((options.endpoint.clone(), options.number));
        Ok(Above { link, unmet, beat: 0, next: now, heard: now })
    }

    /// Takes what came, and offers once in a second; never waits. What happened, for a log.
    pub fn turn(&mut self, broker: &mut Broker) -> Vec<Line> {
        let now = Instant::now();
        if let Some(migrants) = self.link.arrived() {
            self.heard = now;
            broker.receive_above(&migrants);
        }
        if now >= self.next {
            self.next = now + BEAT;
            if self.unmet.is_some() {
                self.link.greet();
            }
            if let Some((generation, migrant)) = broker.offer_above(self.beat) {
                self.beat += 1;
                self.link.post(generation, &migrant);
            } else if self.unmet.is_none() {
                // Nothing to offer, so no answer to miss.
                self.heard = now;
            }
        }
        if now - self.heard > PATIENCE {
            self.link.give_up();
        }
        let mut notes = self.link.take_notes();
        if self.link.met()
            && let Some((endpoint, number)) = self.unmet.take()
        {
            notes.push(Line::info(format!("below the geneserver at {endpoint}, as its island {number}")));
        }
        notes
    }

    /// Tells the one above that all islands here are done.
    pub fn done(&mut self) {
        self.link.done(self.beat, FAREWELL);
    }
}
