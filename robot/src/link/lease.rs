//! The lease on the wheels: which command a body may be told, as time passes.

use crate::device::body::Drive;
use std::time::{Duration, Instant};
use xpuck_registers::stepper::StepsPerSecond;

/// A command holds for so long; then the wheels are told to stand.
pub const LEASE: Duration = Duration::from_millis(500);

/// A command and when it was given.
#[derive(Clone, Copy, Debug)]
pub(super) struct Given {
    pub drive: Drive,
    pub at: Instant,
}

/// What became of the commands so far.
#[derive(Debug, Default)]
pub(super) struct Lease {
    /// Commands given until then are void.
    void: Option<Instant>,
    /// The command that ran out was counted already.
    counted: Option<Instant>,
    /// Commands that ran out.
    pub expiries: u64,
}

impl Lease {
    /// What the body is told now: the command if it holds, and else its lamps with wheels that stand.
    pub fn drive(&mut self, given: Option<Given>, now: Instant) -> Drive {
        let Some(Given { drive, at }) = given else { return Drive::default() };
        if self.void.is_some_and(|void| at <= void) {
            return standing(drive);
        }
        if now.saturating_duration_since(at) < LEASE {
            return drive;
        }
        if self.counted.replace(at) != Some(at) {
            self.expiries += 1;
        }
        standing(drive)
    }

    /// Ends every command given until now: what answers next is not the body that they were meant for.
    pub fn revoke(&mut self, now: Instant) {
        self.void = Some(now);
    }
}

/// The same lamps, with wheels that stand.
pub(super) fn standing(drive: Drive) -> Drive {
    Drive { speeds: [StepsPerSecond::ZERO; 2], ..drive }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_registers::spi::Pixel;

    fn given(at: Instant) -> Option<Given> {
        let lamps = Pixel { red: 1, green: 2, blue: 3 };
        Some(Given { drive: Drive { speeds: [StepsPerSecond::new(500); 2], lamps }, at })
    }

    #[test]
    fn a_command_holds_for_half_a_second_and_its_end_is_counted_once() {
        let start = Instant::now();
        let mut lease = Lease::default();
        assert_eq!(lease.drive(None, start), Drive::default());
        let command = given(start);
        let moving = lease.drive(command, start + LEASE - Duration::from_nanos(1));
        assert_eq!(moving.speeds[0].get(), 500);
        for after in [0, 5, 5000] {
            let stopped = lease.drive(command, start + LEASE + Duration::from_millis(after));
            assert_eq!((stopped.speeds, stopped.lamps), ([StepsPerSecond::ZERO; 2], moving.lamps));
        }
        assert_eq!(lease.expiries, 1);
        let again = start + 20 * LEASE;
        assert_eq!(lease.drive(given(again), again), moving, "a new command begins a new lease");
        lease.drive(given(again), again + LEASE);
        assert_eq!(lease.expiries, 2);
    }

    #[test]
    fn a_revoked_command_never_moves_again() {
        let start = Instant::now();
        let mut lease = Lease::default();
        lease.revoke(start);
        assert_eq!(lease.drive(given(start), start).speeds, [StepsPerSecond::ZERO; 2]);
        let later = start + Duration::from_millis(1);
        assert_eq!(lease.drive(given(later), later).speeds[0].get(), 500);
        assert_eq!(lease.expiries, 0);
    }
}
