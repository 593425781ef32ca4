//! The thread that talks to the robot's body: one exchange every period, whatever the control loop does.
//!
//! A command is a lease of half a second ([`LEASE`]); without a new one the thread tells the wheels to stand. A body
//! that does not answer any more is opened again, once a second, and moves only on a command given after that. The
//! thread waits for nobody: speeds reach it through two atomic words, lamps if it is not looking at that moment, and it hands
//! its news over only if nobody is reading them.

mod worker;

use crate::histogram::Histogram;
pub use xpuck_robot_core::lease::LEASE;

use crate::body::sensors::hearing::Heard;
use crate::device::DeviceError;
use crate::device::body::{Body, Counts, Drive, Sensed};
use crate::device::lamps::Lamps;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use xpuck_registers::stepper::StepsPerSecond;
use xpuck_robot_core::lease::{Command, Given};

/// How a body is opened, at the start and whenever it stopped answering.
pub type Open = Box<dyn FnMut() -> Result<Box<dyn Body>, DeviceError> + Send>;

/// Why the thread could not start.
#[derive(Debug, thiserror::Error)]
pub enum BodyLinkError {
    /// The body cannot be opened.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The system gives no thread.
    #[error("no thread for the robot's body: {0}")]
    Thread(#[from] std::io::Error),
}

/// What the body told last, and when.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// What it told last.
    pub sensed: Sensed,
    /// When the exchange ended that brought it.
    pub at: Instant,
    /// Its number, counted from 1.
    pub number: u64,
    /// All that was told of sound so far: more than one exchange comes between two looks.
    pub heard: Heard,
}

/// How the link to the body does.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BodyLinkHealth {
    /// What happened on the bus since the link started.
    pub counts: Counts,
    /// Periods without an exchange, because the thread or the exchange before was late.
    pub missed_periods: u64,
    /// Times the wheels were stopped because no command came for [`LEASE`].
    pub lease_expiries: u64,
    /// Times the body was opened again.
    pub reopened: u64,
    /// Longest time from the beginning of an exchange to that of the next, us.
    pub longest_gap_us: u64,
    /// How late the exchanges began.
    pub lateness: Histogram,
    /// The thread has the real-time priority that was asked for.
    pub realtime: bool,
    /// The last thing that went wrong.
    pub last_error: Option<Arc<str>>,
}

/// What the thread tells.
#[derive(Debug, Default)]
struct Latest {
    sample: Option<Sample>,
    health: BodyLinkHealth,
}

/// What handle and thread share.
#[derive(Debug)]
struct Shared {
    epoch: Instant,
    /// The speeds, packed.
    speeds: AtomicU64,
    /// What lamps show. Neither side waits for the other: who finds it taken leaves it for the next time.
    lamps: Mutex<Lamps>,
    /// When it was given, ns after the epoch; 0 is never.
    given: AtomicU64,
    ending: AtomicBool,
    latest: Mutex<Latest>,
}

impl Shared {
    fn give(&self, drive: Drive) {
        let now = self.epoch.elapsed().as_nanos() as u64;
        if let Ok(mut lamps) = self.lamps.try_lock() {
            *lamps = drive.lamps;
        }
        self.speeds.store(pack(drive.speeds), Ordering::Release);
        self.given.store(now.max(1), Ordering::Release);
    }

    /// The newest command; its lamps are those `before` if new ones are being given at this moment. If one comes at this very moment its time may still be that of the one before, which can only
    /// shorten its lease by a period.
    fn given(&self, before: Lamps) -> Option<Given<Drive>> {
        let at = self.given.load(Ordering::Acquire);
        let speeds = unpack(self.speeds.load(Ordering::Acquire));
        let lamps = self.lamps.try_lock().map_or(before, |lamps| *lamps);
        (at > 0).then(|| Given { command: Drive { speeds, lamps }, at: Duration::from_nanos(at) })
    }

    fn latest(&self) -> MutexGuard<'_, Latest> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A handle on the thread. Dropping it stops the wheels and ends the thread; that takes a few periods, or as long as
/// the bus waits for an answer.
#[derive(Debug)]
pub struct BodyLink {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl BodyLink {
    /// Opens the body and starts to talk to it, with wheels that stand. `realtime` is a priority of 1..=99 under
    /// `SCHED_FIFO`; if the kernel refuses it, that is said once and the thread runs as any other.
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

    /// Commands the body, for [`LEASE`].
    pub fn command(&self, drive: Drive) {
        self.shared.give(drive);
    }

    /// What the body told last, whatever its age; nothing before its first answer.
    pub fn latest(&self) -> Option<Sample> {
        self.shared.latest().sample
    }

    /// How the link to the body does.
    pub fn health(&self) -> BodyLinkHealth {
        self.shared.latest().health.clone()
    }
}

impl Drop for BodyLink {
    fn drop(&mut self) {
        self.shared.ending.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has ended the process already, or its wheels time out.
            let _ = thread.join();
        }
    }
}

impl Command for Drive {
    fn standing(self) -> Drive {
        Drive { speeds: [StepsPerSecond::ZERO; 2], ..self }
    }
}

/// Both speeds in one word, so that they never come apart.
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
