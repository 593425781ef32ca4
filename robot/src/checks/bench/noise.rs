//! SPI bus that corrupts words and counts the corruptions, and a body wrapper that counts accepted corrupted reports.

use crate::device::body::{Body, BodyReadings, Counts, Drive};
use crate::device::{DeviceError, SpiBus};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;
use xpuck_kernels::random::{Draws, Stream};
use xpuck_registers::spi::{Command, Report, WORDS, Words};

/// Number of recent uncorrupted commands whose echo counts as correct.
const REMEMBERED: usize = 64;

/// Counters of corrupted messages, and of corrupted messages that were accepted.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// Number of corrupted words in both directions.
    pub words: AtomicU64,
    /// Number of commands with a corrupted word other than the dummy word.
    pub commands: AtomicU64,
    /// Number of reports with a corrupted word other than the dummy word.
    pub reports: AtomicU64,
    /// Number of corrupted commands that the slave accepted. The slave then echoes a sequence number that no recent
    /// uncorrupted command has.
    pub wrong_commands: AtomicU64,
    /// Number of corrupted reports that the driver accepted.
    pub wrong_reports: AtomicU64,
    /// Whether the last report was corrupted.
    disturbed: AtomicBool,
}

/// SPI bus that corrupts words at random.
#[derive(Debug)]
pub(super) struct NoisyBus<B> {
    bus: B,
    part: f64,
    draws: Draws,
    tally: Arc<Tally>,
    /// Sequence numbers of the last uncorrupted commands.
    uncorrupted: VecDeque<u16>,
    /// Whether the slave has already echoed a number in `uncorrupted`. Until then, it echoes commands that were sent
    /// before this bus was created.
    synchronised: bool,
}

impl<B> NoisyBus<B> {
    /// Wraps `bus`, and corrupts the fraction `part` of all words (0..=1).
    pub fn new(bus: B, part: f64, tally: Arc<Tally>) -> NoisyBus<B> {
        let draws = Draws::new(1, 0, 0, 0, Stream::Device);
        NoisyBus { bus, part, draws, tally, uncorrupted: VecDeque::new(), synchronised: false }
    }

    /// Replaces some words by random words. Returns whether a word other than the dummy word changed.
    fn disturb(&mut self, words: &mut Words) -> bool {
        let mut counts = false;
        for (i, word) in words.iter_mut().enumerate() {
            if f64::from(self.draws.unit()) < self.part {
                *word ^= 1 + self.draws.below(0xffff) as u16;
                self.tally.words.fetch_add(1, Relaxed);
                // The last word is the dummy word.
                counts |= i < WORDS - 1;
            }
        }
        counts
    }

    /// Checks a report before it is corrupted. If the bus is synchronised and the report echoes a command that is not
    /// in `uncorrupted`, the slave has accepted a corrupted command. This command is counted.
    fn judge_slave(&mut self, reply: &Words) {
        let Ok(Report { echo, .. }) = Report::decode(reply) else { return };
        let known = self.uncorrupted.contains(&echo);
        if self.synchronised && !known {
            self.tally.wrong_commands.fetch_add(1, Relaxed);
        }
        self.synchronised |= known;
    }
}

impl<B: SpiBus> SpiBus for NoisyBus<B> {
    fn transfer(&mut self, words: &Words) -> Result<Words, DeviceError> {
        let mut sent = *words;
        let disturbed = self.disturb(&mut sent);
        let mut reply = self.bus.transfer(&sent)?;
        self.judge_slave(&reply);
        if disturbed {
            self.tally.commands.fetch_add(1, Relaxed);
        } else if let Ok(Command { sequence, .. }) = Command::decode(words) {
            if self.uncorrupted.len() == REMEMBERED {
                self.uncorrupted.pop_front();
            }
            self.uncorrupted.push_back(sequence);
        }
        let disturbed = self.disturb(&mut reply);
        self.tally.reports.fetch_add(u64::from(disturbed), Relaxed);
        self.tally.disturbed.store(disturbed, Relaxed);
        Ok(reply)
    }
}

/// Body wrapper that counts accepted corrupted reports.
#[derive(Debug)]
pub(super) struct CorruptionChecker<B> {
    body: B,
    tally: Arc<Tally>,
}

impl<B> CorruptionChecker<B> {
    /// Wraps a body on a [`NoisyBus`] with the same tally.
    pub fn new(body: B, tally: Arc<Tally>) -> CorruptionChecker<B> {
        CorruptionChecker { body, tally }
    }
}

impl<B: Body> Body for CorruptionChecker<B> {
    fn exchange(&mut self, drive: &Drive) -> Result<BodyReadings, DeviceError> {
        let sensed = self.body.exchange(drive)?;
        self.tally.wrong_reports.fetch_add(u64::from(self.tally.disturbed.load(Relaxed)), Relaxed);
        Ok(sensed)
    }

    fn period(&self) -> Duration {
        self.body.period()
    }

    fn counts(&self) -> Counts {
        self.body.counts()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::epuck::Epuck;
    use xpuck_registers::spi::{crc, sum};

    /// Simulated SPI slave. If `credulous`, it repairs the checksums of every command, and so accepts corrupted
    /// commands.
    #[derive(Default)]
    struct Slave {
        credulous: bool,
        report: Report,
        commands: u64,
    }

    impl SpiBus for &mut Slave {
        fn transfer(&mut self, words: &Words) -> Result<Words, DeviceError> {
            let reply = self.report.encode();
            let mut words = *words;
            if self.credulous {
                words[28] = sum(&words);
                words[30] = crc(&words[..30]);
            }
            if let Ok(command) = Command::decode(&words) {
                self.report.echo = command.sequence;
                self.commands += 1;
            }
            Ok(reply)
        }
    }

    fn run(slave: &mut Slave, exchanges: u32) -> Arc<Tally> {
        let tally = Arc::new(Tally::default());
        let bus = NoisyBus::new(slave, 0.01, tally.clone());
        let mut body = CorruptionChecker::new(Epuck::new(bus), tally.clone());
        let good = (0..exchanges).filter(|_| Body::exchange(&mut body, &Drive::default()).is_ok()).count() as u64;
        assert_eq!(good + body.counts().corrupt, u64::from(exchanges));
        assert_eq!(body.counts().corrupt, tally.reports.load(Relaxed) - tally.wrong_reports.load(Relaxed));
        tally
    }

    #[test]
    fn one_percent_word_corruption_is_rejected() {
        let mut slave = Slave::default();
        let tally = run(&mut slave, 100_000);
        let disturbed = tally.commands.load(Relaxed);
        assert!((25_000..29_000).contains(&disturbed), "1 - 0.99^31 of them: {disturbed}");
        assert_eq!(slave.commands + disturbed, 100_000);
        assert_eq!((tally.wrong_commands.load(Relaxed), tally.wrong_reports.load(Relaxed)), (0, 0));
    }

    #[test]
    fn slave_without_checks_is_detected() {
        let mut slave = Slave { credulous: true, ..Slave::default() };
        assert!(run(&mut slave, 100_000).wrong_commands.load(Relaxed) > 100, "changed numbers are echoed");
    }
}
