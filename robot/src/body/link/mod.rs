//! Body thread, which performs one exchange with the robot's body per period, independently of the control loop.
//!
//! A command is valid for half a second ([`LEASE`]). When the command expires, the thread stops the wheels. If the
//! body stops answering, the thread tries to reopen it once a second. A reopened body moves only on a new command. The
//! thread never blocks on other threads. It receives the wheel speeds and the time of the command through two atomic
//! words. Lamp colours and results are exchanged through mutexes. While another thread holds a mutex, the body thread
//! skips this exchange.

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

/// Function that opens the body. The thread calls it at the start, and after the body has stopped answering.
pub type Open = Box<dyn FnMut() -> Result<Box<dyn Body>, DeviceError> + Send>;

/// Reason why the thread could not start.
#[derive(Debug, thiserror::Error)]
pub enum BodyLinkError {
    /// The body cannot be opened.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The system cannot create a thread.
    #[error("cannot create a thread for the robot's body: {0}")]
    Thread(#[from] std::io::Error),
}

/// Last answer of the body, with its time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Values of the last answer.
    pub sensed: BodyReadings,
    /// Time at which the exchange ended.
    pub at: Instant,
    /// Sequence number of the answer, from 1. Exchanges without an answer do not count.
    pub number: u64,
    /// Sums over all sound readings so far. They are needed because the body sends several sound readings between two
    /// reads of the sample by the control loop.
    pub heard: SoundSums,
}

/// State of the link to the body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BodyLinkHealth {
    /// Bus counters since the start of the link.
    pub counts: Counts,
    /// Number of periods without an exchange, because the thread or the previous exchange was late.
    pub missed_periods: u64,
    /// Number of times that the wheels were stopped because no command arrived for [`LEASE`].
    pub lease_expiries: u64,
    /// Number of times that the body was reopened.
    pub reopened: u64,
    /// Longest time between the starts of two consecutive exchanges (us).
    pub longest_gap_us: u64,
    /// Histogram of the lateness of the exchanges.
    pub lateness: Histogram,
    /// Whether the thread has the requested real-time priority.
    pub realtime: bool,
    /// Last error of the body; `None` without an error so far.
    pub last_error: Option<Arc<str>>,
}

/// Results that the thread publishes.
#[derive(Debug, Default)]
struct Published {
    sample: Option<Sample>,
    health: BodyLinkHealth,
}

/// State shared by the handle and the body thread.
#[derive(Debug)]
struct Shared {
    epoch: Instant,
    /// Speeds of both wheels, packed into one word.
    speeds: AtomicU64,
    /// Lamp colours of the last command. Neither the handle nor the thread waits for the lock. If the lock is held, the
    /// handle drops the new colours, and the thread sends the previous colours.
    lamps: Mutex<Lamps>,
    /// Time of the last command (ns after `epoch`). It is 0 before the first command.
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

    /// Returns the newest command; `None` before the first command. If another thread is writing new lamp colours, the
    /// command contains the colours `before` instead. During a concurrent write, the returned time may be that of the
    /// previous command. The lease is then shorter by at most the interval between the two commands.
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

/// Handle of the body thread. When the handle is dropped, the thread stops the wheels and ends. This takes a few
/// periods, or the timeout of the bus if the body does not answer.
#[derive(Debug)]
pub struct BodyLink {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl BodyLink {
    /// Opens the body and starts the exchanges with stopped wheels. `realtime` is a priority of 1..=99 under
    /// `SCHED_FIFO`. If the kernel rejects the priority, a warning is logged once and the thread runs with normal
    /// priority.
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

    /// Sends a command to the body. The command is valid for [`LEASE`].
    pub fn command(&self, drive: Drive) {
        self.shared.set_command(drive);
    }

    /// Returns the last answer of the body, regardless of its age. Returns `None` before the first answer.
    pub fn latest(&self) -> Option<Sample> {
        self.shared.latest().sample
    }

    /// Returns the state of the link to the body.
    pub fn health(&self) -> BodyLinkHealth {
        self.shared.latest().health.clone()
    }
}

impl Drop for BodyLink {
    fn drop(&mut self) {
        self.shared.ending.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            // An error means that the thread panicked. It is ignored, because `xpuckd` aborts on every panic. In other
            // programs, the body's own timeout stops the wheels.
            let _ = thread.join();
        }
    }
}

impl Command for Drive {
    fn standing(self) -> Drive {
        Drive { speeds: [StepsPerSecond::ZERO; 2], ..self }
    }
}

/// Packs the speeds of both wheels into one word, so that they are always read as a pair.
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
