//! File descriptors: the limit of the process, and the share of the limit for each port.

use super::{Bounds, EvictionPolicy};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Number of descriptors that the ports must leave free. They are needed for the current record and earlier runs, the
/// key folder, motion capture, ZeroMQ's own use, and STOP.
const RESERVE: u64 = 192;
/// Descriptor limit that is used if the system's limit is higher or unlimited.
const UNLIMITED: u64 = 1 << 20;
/// Number of descriptors of a relayed connection: the outer socket, the inner socket, and libzmq's own end.
pub const RELAYED: u64 = 3;
/// Maximum number of connections of a robot: its current connection, and a dead one that is not yet detected.
const PER_ROBOT: usize = 2;

/// Maximum number of bytes that a subscriber of the stream may send; enough to subscribe to 50 000 topics.
const WATCHER_BYTES: usize = 1 << 20;

/// Maximum number of viewers of the live view for Foxglove. The number of connections that are not yet established is
/// limited to the same value.
const VIEWERS: usize = 16;

/// Raises the soft limit of file descriptors as far as possible without privileges. Returns the resulting limit.
pub fn raise_limit() -> u64 {
    let limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.unwrap_or(UNLIMITED).min(UNLIMITED);
    if limit.current.is_some_and(|current| current < wanted) {
        // If this fails, the limit is unchanged. The function returns the limit that it reads afterwards.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum: limit.maximum });
    }
    getrlimit(Resource::Nofile).current.unwrap_or(UNLIMITED).min(UNLIMITED)
}

/// Connection limits of the hub's ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ports {
    /// Limits of the port for robots.
    pub robots: Bounds,
    /// Limits of the port for operators.
    pub operators: Bounds,
    /// Limits of the console's port.
    pub console: Bounds,
    /// Limits of the stream's port.
    pub stream: Bounds,
    /// Limits of the port of the live view for Foxglove.
    pub foxglove: Bounds,
}

impl Ports {
    /// Returns the connection limits for a swarm of `robots` robots, if the process may open `limit` descriptors.
    ///
    /// # Errors
    /// If the limit is too low for this number of robots. The message states the required limit.
    pub fn new(limit: u64, robots: usize) -> Result<Ports, String> {
        let bounds = |pending: usize| {
            let half = pending / 2;
            let relayed = |established| {
                let full = EvictionPolicy::Silent;
                Bounds { silent: pending, greeting: pending, handshake: half, established, full, said: usize::MAX }
            };
            let ports = Ports {
                robots: relayed(PER_ROBOT * robots + 16),
                operators: relayed(pending.min(128)),
                console: Bounds::of_pages(pending, pending.min(64)),
                stream: Bounds { handshake: 16, full: EvictionPolicy::Newest, said: WATCHER_BYTES, ..relayed(64) },
                foxglove: Bounds::of_pages(VIEWERS, VIEWERS),
            };
            (ports, ports.descriptors() + RESERVE)
        };
        let sizes = [512, 256, 128, 64, 32, 16];
        let fitting = sizes.into_iter().map(bounds).find(|(_, needed)| *needed <= limit);
        fitting.map(|(ports, _)| ports).ok_or_else(|| {
            let (_, needed) = bounds(16);
            format!(
                "{robots} robots need {needed} open files, but the limit of this process is {limit}; raise the limit \
                 (`ulimit -n`, or LimitNOFILE= in the systemd unit)"
            )
        })
    }

    /// Returns the maximum number of descriptors that all ports together can use.
    fn descriptors(&self) -> u64 {
        let relayed = |b: &Bounds| (b.silent + b.greeting) as u64 + RELAYED * (b.handshake + b.established) as u64;
        let plain = |b: &Bounds| (b.silent + b.established) as u64;
        let relayed = relayed(&self.robots) + relayed(&self.operators) + relayed(&self.stream);
        relayed + plain(&self.console) + plain(&self.foxglove)
    }
}

/// Returns the connection limits for the port of a geneserver's workers. They permit as many connections as the
/// descriptor limit allows.
pub fn workers(limit: u64) -> Bounds {
    let room = limit.saturating_sub(RESERVE) as usize;
    let pending = (room / 16).clamp(16, 1024);
    let taken = 2 * pending + RELAYED as usize * pending;
    let established = room.saturating_sub(taken) / RELAYED as usize;
    Bounds {
        silent: pending,
        greeting: pending,
        handshake: pending,
        established,
        full: EvictionPolicy::Newest,
        said: usize::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn port_bounds_stay_below_descriptor_limit() {
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
    fn descriptor_limit_is_raised_to_allowed_maximum() {
        let limit = raise_limit();
        assert_eq!(Some(limit), getrlimit(Resource::Nofile).current.map(|c| c.min(UNLIMITED)).or(Some(UNLIMITED)));
        assert!(limit >= 1024);
    }
}
