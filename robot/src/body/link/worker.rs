//! Body thread of the link. The thread performs the exchanges with the body, reopens the body after errors, and
//! publishes the results.

use super::{BodyLinkHealth, Open, Published, Sample, Shared};
use crate::board::processors;
use crate::body::sensors::hearing::SoundSums;
use crate::device::DeviceError;
use crate::device::body::{Body, Counts};
use crate::device::lamps::Lamps;
use crate::pace::PeriodicTimer;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tracing::warn;
use xpuck_robot_core::lease::{Command, Lease};
use xpuck_wire::priority;

/// Number of consecutive bus errors after which the body is closed and reopened.
const DEAD_AFTER: u32 = 3;
/// Interval between attempts to open a body.
const REOPEN_INTERVAL: Duration = Duration::from_secs(1);
/// Number of stop commands that are sent when the thread ends. A single command may be lost on the bus.
const FINAL_STOPS: u32 = 3;

/// State of the body thread.
pub(super) struct Worker {
    open: Open,
    body: Option<Box<dyn Body>>,
    shared: Arc<Shared>,
    lease: Lease,
    started: Instant,
    pace: PeriodicTimer,
    /// Sum of the bus counters of previously opened bodies.
    before: Counts,
    errors_in_a_row: u32,
    retry_at: Instant,
    sample: Option<Sample>,
    heard: SoundSums,
    /// Lamps of the last command to the body.
    lamps: Lamps,
    health: BodyLinkHealth,
}

impl Worker {
    pub fn new(open: Open, body: Box<dyn Body>, shared: Arc<Shared>) -> Worker {
        let now = Instant::now();
        Worker {
            started: now,
            pace: PeriodicTimer::new(Duration::ZERO, body.period()),
            open,
            body: Some(body),
            shared,
            lease: Lease::default(),
            before: Counts::default(),
            errors_in_a_row: 0,
            retry_at: now,
            sample: None,
            heard: SoundSums::default(),
            lamps: Lamps::default(),
            health: BodyLinkHealth::default(),
        }
    }

    /// Performs one exchange with the body per period until the handle of the thread is dropped. Then stops the wheels.
    pub fn run(mut self, realtime: Option<u8>) {
        self.health.realtime = realtime.is_some_and(raise_priority);
        loop {
            std::thread::sleep(self.pace.remaining(self.started.elapsed()));
            if self.shared.ending.load(Ordering::Acquire) {
                break;
            }
            if !self.pace.poll(self.started.elapsed()) {
                continue;
            }
            self.exchange();
            self.publish();
        }
        let farewell = self.shared.command(self.lamps).map(|given| given.command).unwrap_or_default().standing();
        if let Some(body) = &mut self.body {
            // If these commands are lost, the body's own timeout stops the wheels.
            (0..FINAL_STOPS).for_each(|_| drop(body.exchange(&farewell)));
        }
    }

    fn exchange(&mut self) {
        let Some(body) = &mut self.body else { return self.reopen() };
        let drive = self.lease.command(self.shared.command(self.lamps), self.shared.epoch.elapsed());
        self.lamps = drive.lamps;
        let errors = body.counts().bus_errors;
        let result = body.exchange(&drive);
        let counts = body.counts();
        // Only bus errors count. A corrupt answer shows that the body is connected, so reopening it would not help.
        self.errors_in_a_row = if counts.bus_errors > errors { self.errors_in_a_row + 1 } else { 0 };
        self.health.counts = add_counts(self.before, counts);
        match result {
            Ok(sensed) => {
                let number = self.sample.map_or(0, |sample| sample.number) + 1;
                sensed.sound.into_iter().for_each(|sound| self.heard.add_reading(sound));
                self.sample = Some(Sample { sensed, at: Instant::now(), number, heard: self.heard });
            }
            Err(error) => {
                // After this error, the connection is already closed, so the body can be reopened at once.
                let given_up = matches!(error, DeviceError::Abandoned { .. });
                self.record_error(&error);
                if given_up {
                    self.give_up(Duration::ZERO);
                }
            }
        }
        if self.errors_in_a_row >= DEAD_AFTER {
            self.give_up(REOPEN_INTERVAL);
        }
    }

    /// Closes the body. The thread tries to reopen it after `pause`.
    fn give_up(&mut self, pause: Duration) {
        self.before = self.health.counts;
        self.body = None;
        self.errors_in_a_row = 0;
        self.retry_at = Instant::now() + pause;
    }

    fn reopen(&mut self) {
        if Instant::now() < self.retry_at {
            return;
        }
        match (self.open)() {
            Ok(body) => {
                self.body = Some(body);
                self.health.reopened += 1;
            }
            Err(error) => self.record_error(&error),
        }
        let now = Instant::now();
        self.lease.revoke(self.shared.epoch.elapsed());
        self.retry_at = now + REOPEN_INTERVAL;
    }

    fn record_error(&mut self, error: &DeviceError) {
        self.health.last_error = Some(error.to_string().into());
    }

    /// Publishes the results. While a reader holds the lock, the publication is postponed to the next period.
    fn publish(&mut self) {
        self.health.missed_periods = self.pace.skipped();
        self.health.lease_expiries = self.lease.expiries();
        self.health.longest_gap_us = self.pace.longest_gap().as_micros() as u64;
        self.health.lateness.clone_from(self.pace.lateness());
        if let Ok(mut latest) = self.shared.latest.try_lock() {
            *latest = Published { sample: self.sample, health: self.health.clone() };
        }
    }
}

fn add_counts(a: Counts, b: Counts) -> Counts {
    Counts {
        exchanges: a.exchanges + b.exchanges,
        bus_errors: a.bus_errors + b.bus_errors,
        retries: a.retries + b.retries,
        corrupt: a.corrupt + b.corrupt,
        rejected: a.rejected + b.rejected,
    }
}

/// Requests real-time priority for this thread, and pins it to the control processor. Returns whether the kernel
/// granted the priority.
fn raise_priority(priority: u8) -> bool {
    let result = priority::run_first(priority);
    if let Err(why) = &result {
        warn!(target: "xpuckd", "the kernel refuses real-time priority {priority} for the robot's body: {why}");
    } else {
        processors::pin_to_control();
    }
    result.is_ok()
}
