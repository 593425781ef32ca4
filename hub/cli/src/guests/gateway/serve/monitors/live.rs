//! Pictures of a running hub. A separate thread queries the hub, so that viewers do not wait for the hub's answers.

use crate::link::hub_address::{self, HubAddress};
use anyhow::{Result, bail};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};
use tracing::{info, warn};
use xpuck_gateway::stage::{GameFrame, Presentation};
use xpuck_wire::output::count;
use xpuck_wire::socket::OperatorLink;
use xpuck_wire::{Status, output};

/// Minimum interval between two queries of the hub.
const OFTEN: Duration = Duration::from_millis(20);
/// Interval until the next query if the hub did not answer.
const AGAIN: Duration = Duration::from_secs(1);
/// Minimum time over which the speed of arena time is measured.
const MEASURED: Duration = Duration::from_secs(1);

/// Source of pictures of a running hub. A separate thread queries the status of the hub.
pub struct Live {
    answers: Receiver<Result<Box<Status>, String>>,
    stage: Presentation,
    silent: bool,
}

impl Live {
    /// Queries the status once, then starts a thread that queries it `rate` times per second of arena time.
    ///
    /// # Errors
    /// No hub is known, or the hub does not answer.
    pub fn open(address: &HubAddress, rate: f64) -> Result<Live> {
        let (link, _) = address.open()?;
        let first = hub_address::status(&link)?;
        let (sender, answers) = sync_channel(1);
        let address = address.clone();
        thread::Builder::new()
            .name("hub".into())
            .spawn(move || ask(link, &address, Pace::new(rate, &first), &sender))?;
        Ok(Live { answers, stage: Presentation::new(None), silent: false })
    }

    /// Returns the hub's next status as a picture. `None` if the hub does not send one within `longest`, or a query
    /// has failed.
    ///
    /// # Errors
    /// The thread that queries the hub has ended.
    pub fn next(&mut self, longest: Duration) -> Result<Option<GameFrame>> {
        match self.answers.recv_timeout(longest) {
            Ok(Ok(status)) => {
                if std::mem::take(&mut self.silent) {
                    let robots = count(status.robots.len(), "robot", "robots");
                    info!(target: "monitors", "a hub answers again, with {robots}");
                }
                Ok(Some(self.stage.picture(&status)))
            }
            Ok(Err(why)) => {
                if !std::mem::replace(&mut self.silent, true) {
                    warn!(target: "monitors", "{why}; viewers see the last state; retrying");
                }
                Ok(None)
            }
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => bail!("the thread that queries the hub has ended"),
        }
    }
}

/// Queries the status of the hub and sends each answer to `to`, until the receiver is dropped.
fn ask(mut link: OperatorLink, address: &HubAddress, mut pace: Pace, to: &SyncSender<Result<Box<Status>, String>>) {
    loop {
        let began = Instant::now();
        let (answer, wait) = match hub_address::status(&link) {
            Ok(status) => {
                let period = pace.period(began, status.time);
                (Ok(Box::new(status)), period.saturating_sub(began.elapsed()))
            }
            Err(error) => {
                // Key and address of the hub may have changed, for example after a restart of a demo.
                if let Ok((new, _)) = address.open() {
                    link = new;
                }
                (Err(output::error_chain(error.as_ref())), AGAIN)
            }
        };
        if to.send(answer).is_err() {
            return;
        }
        thread::sleep(wait);
    }
}

/// Computes the interval between two queries of a hub. The interval depends on the speed of arena time.
struct Pace {
    rate: f64,
    /// Speed of arena time (arena seconds per second of wall time).
    speed: f64,
    since: (Instant, f64),
}

impl Pace {
    fn new(rate: f64, first: &Status) -> Pace {
        Pace { rate, speed: 1.0, since: (Instant::now(), first.time) }
    }

    /// Returns the interval until the next query, after an answer with the arena time `time` (s).
    fn period(&mut self, now: Instant, time: f64) -> Duration {
        let wall = now.duration_since(self.since.0);
        if wall >= MEASURED {
            // After a restart of the hub, arena time starts again at 0. The speed is then negative and not used.
            let speed = (time - self.since.1) / wall.as_secs_f64();
            self.speed = if speed > 0.0 { speed.clamp(0.1, 100.0) } else { self.speed };
            self.since = (now, time);
        }
        Duration::from_secs_f64(1.0 / (self.rate * self.speed)).max(OFTEN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn poll_period_follows_arena_time_with_lower_bound() {
        let mut pace = Pace::new(25.0, &Status::default());
        let start = pace.since.0;
        let mut at = |seconds: f64, time: f64| pace.period(start + Duration::from_secs_f64(seconds), time).as_millis();
        assert_eq!(at(0.5, 1.0), 40);
        assert_eq!(at(2.0, 1.0), 80, "half as fast as the clock");
        assert_eq!(at(4.0, 17.0), 20, "eight times as fast: 5 ms would be too often");
        assert_eq!(at(6.0, 0.0), 20, "a hub that was started anew");
        assert_eq!(at(8.0, 2.0), 40);
    }
}
