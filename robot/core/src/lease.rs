//! Lease on the wheels, which limits the validity of commands to a body. Times are durations since an epoch that the
//! caller chooses.

use std::time::Duration;

/// Time for which a command is valid. After this time, the wheels receive a command to stop.
pub const LEASE: Duration = Duration::from_millis(500);

/// Command to a body.
pub trait Command: Copy + Default {
    /// Returns the command with zero wheel speeds. All other values are kept.
    fn standing(self) -> Self;
}

/// Command with its time.
#[derive(Clone, Copy, Debug)]
pub struct TimedCommand<C> {
    /// The command.
    pub command: C,
    /// Time at which the command was given.
    pub at: Duration,
}

/// State of the lease.
#[derive(Clone, Debug, Default)]
pub struct Lease {
    /// Time up to which commands are revoked.
    revoked_until: Option<Duration>,
    /// Time of the last command whose expiry was counted.
    counted: Option<Duration>,
    expiries: u64,
}

impl Lease {
    /// Returns the command for the body at `now`: the given command while it is valid, otherwise the same command with
    /// zero wheel speeds. Without a given command, returns the default command.
    pub fn command<C: Command>(&mut self, given: Option<TimedCommand<C>>, now: Duration) -> C {
        let Some(TimedCommand { command, at }) = given else { return C::default() };
        if self.revoked_until.is_some_and(|void| at <= void) {
            return command.standing();
        }
        if now.saturating_sub(at) < LEASE {
            return command;
        }
        if self.counted.replace(at) != Some(at) {
            self.expiries += 1;
        }
        command.standing()
    }

    /// Revokes all commands up to the time `now`, because a different body may receive the next command.
    pub fn revoke(&mut self, now: Duration) {
        self.revoked_until = Some(now);
    }

    /// Returns the number of expired commands.
    pub fn expiries(&self) -> u64 {
        self.expiries
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Test command with a speed and a lamp.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    struct Drive(i16, u8);

    impl Command for Drive {
        fn standing(self) -> Drive {
            Drive(0, self.1)
        }
    }

    fn given(at: Duration) -> Option<TimedCommand<Drive>> {
        Some(TimedCommand { command: Drive(500, 3), at })
    }

    #[test]
    fn command_expires_after_half_a_second_and_counts_once() {
        let start = Duration::from_secs(7);
        let mut lease = Lease::default();
        assert_eq!(lease.command(None::<TimedCommand<Drive>>, start), Drive::default());
        let command = given(start);
        assert_eq!(lease.command(command, start + LEASE - Duration::from_nanos(1)), Drive(500, 3));
        for after in [0, 5, 5000] {
            assert_eq!(lease.command(command, start + LEASE + Duration::from_millis(after)), Drive(0, 3));
        }
        assert_eq!(lease.expiries(), 1);
        let again = start + 20 * LEASE;
        assert_eq!(lease.command(given(again), again), Drive(500, 3), "a new command begins a new lease");
        lease.command(given(again), again + LEASE);
        assert_eq!(lease.expiries(), 2);
    }

    #[test]
    fn revoked_command_never_moves_again() {
        let start = Duration::from_secs(7);
        let mut lease = Lease::default();
        lease.revoke(start);
        assert_eq!(lease.command(given(start), start), Drive(0, 3));
        let later = start + Duration::from_millis(1);
        assert_eq!(lease.command(given(later), later), Drive(500, 3));
        assert_eq!(lease.expiries(), 0);
    }
}
