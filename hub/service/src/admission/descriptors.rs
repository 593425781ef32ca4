//! File descriptors: how many this process may have, and what the ports may take of them.

use super::{Bounds, Full};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Descriptors that no port may take: for the record and the runs before it, the folder of keys, motion capture, ZeroMQ's
/// own, and STOP.
const RESERVE: u64 = 192;
/// More than this is no limit.
const PLENTY: u64 = 1 << 20;
/// Descriptors of a connection that is passed on to ZeroMQ: from outside, to inside, and libzmq's own end.
pub const RELAYED: u64 = 3;
/// Connections that a robot may have at once: one that works, and one that is dead and not yet known to be.
const A_ROBOT: usize = 2;

/// Bytes that a watcher of the stream may say: enough for 50 000 topics.
const WATCHER_SAYS: usize = 1 << 20;

/// Viewers of the live view, and as many that have not greeted yet.
const VIEWERS: usize = 16;

/// Raises the limit as far as the system lets it be raised without asking, and gives it.
pub fn raise_limit() -> u64 {
    let limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.unwrap_or(PLENTY).min(PLENTY);
    if limit.current.is_some_and(|current| current < wanted) {
        // Refused, it stays as it was, and that is what counts.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum: limit.maximum });
    }
    getrlimit(Resource::Nofile).current.unwrap_or(PLENTY).min(PLENTY)
}

/// The bounds of the hub's ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ports {
    /// The robots' port.
    pub robots: Bounds,
    /// The operators' port.
    pub operators: Bounds,
    /// The console.
    pub console: Bounds,
    /// The stream.
    pub stream: Bounds,
    /// The live view for Foxglove.
    pub foxglove: Bounds,
}

impl Ports {
    /// Bounds for a swarm of so many robots under a limit of descriptors.
    ///
    /// # Errors
    /// The limit is too low for so many robots; in one line, with what is needed.
    pub fn new(limit: u64, robots: usize) -> Result<Ports, String> {
        let bounds = |pending: usize| {
            let half = pending / 2;
            let relayed = |established| {
                let full = Full::Silent;
                Bounds { silent: pending, greeting: pending, handshake: half, established, full, said: usize::MAX }
            };
            let ports = Ports {
                robots: relayed(A_ROBOT * robots + 16),
                operators: relayed(pending.min(128)),
                console: Bounds::of_pages(pending, pending.min(64)),
                stream: Bounds { handshake: 16, full: Full::Newest, said: WATCHER_SAYS, ..relayed(64) },
                foxglove: Bounds::of_pages(VIEWERS, VIEWERS),
            };
            (ports, ports.descriptors() + RESERVE)
        };
        let sizes = [512, 256, 128, 64, 32, 16];
        let fitting = sizes.into_iter().map(bounds).find(|(_, needed)| *needed <= limit);
        fitting.map(|(ports, _)| ports).ok_or_else(|| {
            let (_, needed) = bounds(16);
            format!(
                "{robots} robots need {needed} open files and this process may have {limit}: raise the limit \
                 (`ulimit -n`, or LimitNOFILE= in the systemd unit)"
            )
        })
    }

    /// Descriptors that all may take together.
    fn descriptors(&self) -> u64 {
        let relayed = |b: &Bounds| (b.silent + b.greeting) as u64 + RELAYED * (b.handshake + b.established) as u64;
        let plain = |b: &Bounds| (b.silent + b.established) as u64;
        let relayed = relayed(&self.robots) + relayed(&self.operators) + relayed(&self.stream);
        relayed + plain(&self.console) + plain(&self.foxglove)
    }
}

/// Bounds for a geneserver's workers, as many as the limit has room for.
pub fn workers(limit: u64) -> Bounds {
    let room = limit.saturating_sub(RESERVE) as usize;
    let pending = (room / 16).clamp(16, 1024);
    let taken = 2 * pending + RELAYED as usize * pending;
    let established = room.saturating_sub(taken) / RELAYED as usize;
    Bounds { silent: pending, greeting: pending, handshake: pending, established, full: Full::Newest, said: usize::MAX }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ports_together_stay_below_the_limit_or_the_hub_says_what_it_needs() {
        for limit in [1024, 4096, 20_000, 1 << 20] {
            let ports = Ports::new(limit, 9).unwrap();
            assert!(ports.descriptors() + RESERVE <= limit, "{limit}: {ports:?}");
            assert!(ports.robots.established >= 18 && ports.operators.silent >= 32);
        }
        assert_eq!(Ports::new(20_000, 200).unwrap().robots.silent, 512);
        let error = Ports::new(1024, 200).unwrap_err();
        assert!(error.contains("200 robots") && error.contains("LimitNOFILE"), "{error}");
        let many = workers(20_000);
        assert!(
            many.established > 4000
                && 2 * many.silent as u64 + 3 * (many.handshake + many.established) as u64 <= 20_000
        );
    }

    #[test]
    fn the_limit_is_raised_as_far_as_it_may_be() {
        let limit = raise_limit();
        assert_eq!(Some(limit), getrlimit(Resource::Nofile).current.map(|c| c.min(PLENTY)).or(Some(PLENTY)));
        assert!(limit >= 1024);
    }
}
