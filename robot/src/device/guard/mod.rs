//! Guard process that stops the wheels of an e-puck1 or e-puck2 if `xpuckd` fails. Over I2C, these robots keep their
//! last speed when the board stops sending.
//!
//! The guard is a separate process that opens the bus itself, so it continues to run when `xpuckd` is killed, stopped
//! or hung. With every exchange, `xpuckd` sends a byte to the guard through a pipe. After [`SILENCE`] without a byte,
//! the guard writes zero speeds every [`REPEAT`] until bytes arrive again. When the pipe closes, the guard writes zero
//! speeds several times and ends.

mod parent;
mod process;

pub use parent::{GuardedBody, Launch, open};
pub use process::run;

use super::DeviceError;
use super::body::Body;
use super::epuck1::Epuck1;
use super::epuck2::Epuck2;
use std::path::Path;
use std::time::Duration;

/// Time without an exchange after which the wheels are stopped. It equals six exchange periods, and is less than the
/// control loop's lease of 500 ms.
pub const SILENCE: Duration = Duration::from_millis(300);
/// Interval between the guard's stop commands.
pub const REPEAT: Duration = Duration::from_millis(100);

/// Kind of robot that requires a guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Kind {
    /// e-puck1.
    #[value(name = "e-puck1")]
    Epuck1,
    /// e-puck2.
    #[value(name = "e-puck2")]
    Epuck2,
}

impl Kind {
    /// Returns the name of the kind in files and on command lines.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Epuck1 => "e-puck1",
            Kind::Epuck2 => "e-puck2",
        }
    }

    /// Opens the driver of the body on the bus at `i2c`, without a guard.
    pub fn body(self, i2c: &Path) -> Result<Box<dyn Body>, DeviceError> {
        Ok(match self {
            Kind::Epuck1 => Box::new(Epuck1::open(i2c)?),
            Kind::Epuck2 => Box::new(Epuck2::open(i2c)?),
        })
    }
}

/// Event that the guard processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The guarded program has made an exchange with the robot.
    Exchange,
    /// The pipe was closed, because the guarded program has ended.
    Closed,
    /// The time returned by [`StopTimer::due`] was reached without another event.
    Tick,
}

/// Request to write zero speeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop {
    /// Time since the last exchange.
    pub silent: Duration,
    /// Whether this is the first stop since the last exchange.
    pub first: bool,
}

/// State machine that decides when the guard stops the wheels. Times are measured from an arbitrary fixed moment.
#[derive(Clone, Copy, Debug)]
pub struct StopTimer {
    heard: Duration,
    closed: bool,
    stopped: Option<Duration>,
}

impl StopTimer {
    /// Creates a timer that starts at `now`. The start counts as an exchange.
    pub fn new(now: Duration) -> StopTimer {
        StopTimer { heard: now, closed: false, stopped: None }
    }

    /// Processes an event at `now`. Returns a request if zero speeds must be written now.
    pub fn step(&mut self, now: Duration, event: Event) -> Option<Stop> {
        match event {
            Event::Exchange => *self = StopTimer::new(now),
            Event::Closed => self.closed = true,
            Event::Tick => {}
        }
        let silent = now.saturating_sub(self.heard);
        let waits = self.stopped.is_some_and(|at| now.saturating_sub(at) < REPEAT);
        if waits || !self.closed && silent < SILENCE {
            return None;
        }
        let first = self.stopped.replace(now).is_none();
        Some(Stop { silent, first })
    }

    /// Returns the time at which the next [`Event::Tick`] is due.
    pub fn due(&self) -> Duration {
        self.stopped.map_or(self.heard + SILENCE, |at| at + REPEAT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn exchanges_keep_the_guard_quiet() {
        let mut core = StopTimer::new(ms(1000));
        for i in 0..100 {
            assert_eq!(core.step(ms(1000 + 299 * i), Event::Tick), None);
            assert_eq!(core.step(ms(1000 + 299 * i), Event::Exchange), None);
        }
    }

    #[test]
    fn silence_repeats_stop_until_next_byte() {
        let mut core = StopTimer::new(ms(0));
        core.step(ms(50), Event::Exchange);
        assert_eq!(core.due(), ms(350));
        assert_eq!(core.step(ms(349), Event::Tick), None);
        assert_eq!(core.step(ms(350), Event::Tick), Some(Stop { silent: ms(300), first: true }));
        assert_eq!(core.due(), ms(450));
        assert_eq!(core.step(ms(400), Event::Tick), None, "every 100 ms");
        assert_eq!(core.step(ms(450), Event::Tick), Some(Stop { silent: ms(400), first: false }));
        assert_eq!(core.step(ms(500), Event::Exchange), None);
        assert_eq!(core.step(ms(799), Event::Tick), None);
        assert!(core.step(ms(800), Event::Tick).is_some_and(|stop| stop.first));
    }

    #[test]
    fn closed_pipe_stops_immediately_and_permanently() {
        let mut core = StopTimer::new(ms(0));
        core.step(ms(10), Event::Exchange);
        assert_eq!(core.step(ms(20), Event::Closed), Some(Stop { silent: ms(10), first: true }));
        assert_eq!(core.step(ms(60), Event::Tick), None);
        assert!(core.step(ms(120), Event::Tick).is_some());
    }
}
