//! Body thread: one exchange with the robot's body per period, independent of the control loop.
//!
//! A command is valid for half a second ([`LEASE`]); when it expires, the thread stops the wheels. If the body stops
//! answering, the thread tries to reopen it once a second. A reopened body moves only on a new command. The thread
//! never blocks on other threads. Speeds reach it through two atomic words. While another thread holds a mutex, it
//! skips reading lamp colours or publishing results.

mod worker;

use crate::histogram::Histogram;
pub use xpuck_robot_core::lease::LEASE;

use crate::body::sensors::hearing::SoundSums;
use crate::device::DeviceError;
use crate::device::body::{Body, BodyReadings, Counts, Drive};
use crate::device::lamps::Lamps;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use xpuck_registers::stepper::StepsPerSecond;
use xpuck_robot_core::lease::{Command, TimedCommand};

/// Function that opens the body, at the start and after the body stopped answering.
pub type Open = Box<dyn FnMut() -> Result<Box<dyn Body>, DeviceError> + Send>;

/// Reasons why the thread could not start.
#[derive(Debug, thiserror::Error)]
pub enum BodyLinkError {
    /// The body cannot be opened.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The system cannot create a thread.
    #[error("cannot create a thread for the robot's body: {0}")]
    Thread(#[from] std::io::Error),
}

/// Last answer of the body, and its time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Values of the last answer.
    pub sensed: BodyReadings,
    /// Time at which the exchange ended.
    pub at: Instant,
    /// Number of the exchange, from 1.
    pub number: u64,
    /// Sums over all sound values so far; several exchanges happen between two reads of the sample.
    pub heard: SoundSums,
}

/// State of the link to the body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BodyLinkHealth {
    /// Bus counters since the link started.
    pub counts: Counts,
    /// Periods without an exchange, because the thread or the previous exchange was late.
    pub missed_periods: u64,
    /// Number of times that the wheels were stopped because no command arrived for [`LEASE`].
    pub lease_expiries: u64,
    /// Number of times that the body was reopened.
    pub reopened: u64,
    /// Longest time between the starts of two consecutive exchanges (us).
    pub longest_gap_us: u64,
    /// Lateness of the exchanges.
    pub lateness: Histogram,
    /// Whether the thread has the requested real-time priority.
    pub realtime: bool,
    /// Last error.
    pub last_error: Option<Arc<str>>,
}

/// Results published by the thread.
#[derive(Debug, Default)]
struct Published {
    sample: Option<Sample>,
    health: BodyLinkHealth,
}

/// State shared by the handle and the thread.
#[derive(Debug)]
struct Shared {
    epoch: Instant,
    /// Both speeds, packed into one word.
    speeds: AtomicU64,
    /// Lamp colours. Neither side blocks: each skips the update if the other holds the lock.
    lamps: Mutex<Lamps>,
    /// Time of the last command (ns after the epoch); 0 before the first.
    given: AtomicU64,
    ending: AtomicBool,
    latest: Mutex<Published>,
}

impl Shared {
    fn set_command(&self, drive: Drive) {
        let now = self.epoch.elapsed().as_nanos() as u64;
        if let Ok(mut lamps) = self.lamps.try_lock() {
            *lamps = drive.lamps;
        }
        self.speeds.store(pack(drive.speeds), Ordering::Release);
        self.given.store(now.max(1), Ordering::Release);
    }

    /// Newest command. Its lamps are `before` while new colours are being written. During a concurrent write, its
    /// time may be the time of the previous command, which shortens the lease by at most a period.
    fn command(&self, before: Lamps) -> Option<TimedCommand<Drive>> {
        let at = self.given.load(Ordering::Acquire);
        let speeds = unpack(self.speeds.load(Ordering::Acquire));
        let lamps = self.lamps.try_lock().map_or(before, |lamps| *lamps);
        (at > 0).then(|| TimedCommand { command: Drive { speeds, lamps }, at: Duration::from_nanos(at) })
    }

    fn latest(&self) -> MutexGuard<'_, Published> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Handle of the thread. Dropping it stops the wheels and ends the thread within a few periods, or within the bus
/// timeout.
#[derive(Debug)]
pub struct BodyLink {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl BodyLink {
    /// Opens the body and starts the exchanges with stopped wheels. `realtime` is a priority of 1..=99 under
    /// `SCHED_FIFO`; if the kernel rejects it, a warning is logged once and the thread runs with normal priority.
    pub fn start(mut open: Open, realtime: Option<u8>) -> Result<BodyLink, BodyLinkError> {
        let body = open()?;
        let shared = Arc::new(Shared {
            epoch: Instant::now(),
            speeds: AtomicU64::new(0),
            lamps: Mutex::default(),
            given: AtomicU64::new(0),
            ending: AtomicBool::new(false),
            latest: Mutex::default(),
        });
        let worker = worker::Worker::new(open, body, shared.clone());
        let thread = std::thread::Builder::new().name("body".into()).spawn(move || worker.run(realtime))?;
        Ok(BodyLink { shared, thread: Some(thread) })
    }

    /// Commands the body; the command is valid for [`LEASE`].
    pub fn command(&self, drive: Drive) {
        self.shared.set_command(drive);
    }

    /// Last answer of the body, whatever its age; `None` before the first.
    pub fn latest(&self) -> Option<Sample> {
        self.shared.latest().sample
    }

    /// State of the link to the body.
    pub fn health(&self) -> BodyLinkHealth {
        self.shared.latest().health.clone()
    }
}

impl Drop for BodyLink {
    fn drop(&mut self) {
        self.shared.ending.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has already ended the process, or the wheels stop at their timeout.
            let _ = thread.join();
        }
    }
}

impl Command for Drive {
    fn standing(self) -> Drive {
        Drive { speeds: [StepsPerSecond::ZERO; 2], ..self }
    }
}

/// Packs both speeds into one word, so that they are always read as a pair.
fn pack([left, right]: [StepsPerSecond; 2]) -> u64 {
    let [a, b] = (left.get() as u16).to_be_bytes();
    let [c, d] = (right.get() as u16).to_be_bytes();
    u64::from_be_bytes([0, 0, 0, 0, a, b, c, d])
}

fn unpack(word: u64) -> [StepsPerSecond; 2] {
    let [.., a, b, c, d] = word.to_be_bytes();
    [[a, b], [c, d]].map(|bytes| StepsPerSecond::new(u16::from_be_bytes(bytes) as i16))
}

#[cfg(test)]
mod tests;
