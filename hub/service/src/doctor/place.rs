//! Checks of this machine and its network: ports, protocol version, and real-time priority.

use super::{Finding, Hub, HubError};
use std::net::TcpListener;
use xpuck_hub_core::config::Config;
use xpuck_wire::codec;

/// Number of the bit for CAP_SYS_NICE in the kernel's capability masks.
const SYS_NICE: u32 = 23;

/// Returns the findings about this machine. `asked` is the hub's answer to the request for its status.
pub(super) fn findings(config: &Config, asked: &Result<Hub, HubError>) -> Vec<Finding> {
    vec![ports(config, asked), messages(asked), real_time()]
}

/// Checks that the hub answers. If it does not, checks that no other program uses its ports.
fn ports(config: &Config, asked: &Result<Hub, HubError>) -> Finding {
    let promise = "STOP is heard";
    let addresses = &config.swarm.hub;
    let why = match asked {
        Ok(hub) => {
            let text = format!("the hub at {} answered in {} ms", addresses.operator, hub.answered.as_millis());
            return Finding::on(promise, text);
        }
        Err(HubError::Nobody(why) | HubError::Foreign(why)) => why,
    };
    let taken = |endpoint: &&String| {
        let address = endpoint.trim_start_matches("tcp://").replace('*', "0.0.0.0");
        TcpListener::bind(address).is_err_and(|error| error.kind() == std::io::ErrorKind::AddrInUse)
    };
    let all = [&addresses.robots, &addresses.operator].into_iter().chain(&addresses.console);
    match all.clone().find(taken) {
        Some(endpoint) => Finding::broken(
            promise,
            format!("a program listens at {endpoint}, but {why}"),
            "if it is the hub, use a key that is enrolled there (--key); otherwise stop it, or choose other ports in \
             the swarm file",
        ),
        None => {
            Finding::off(promise, format!("no hub answers at {}", addresses.operator), "start it: `xpuck serve hub`")
        }
    }
}

/// Checks that the hub uses the same version of the protocol as this program.
fn messages(asked: &Result<Hub, HubError>) -> Finding {
    let promise = "the hub has the same message version";
    match asked {
        Ok(_) => Finding::on(promise, format!("version {}", codec::VERSION)),
        Err(HubError::Foreign(why)) => Finding::broken(promise, why, "install the same release on all machines"),
        Err(HubError::Nobody(_)) => Finding::off(promise, "no hub is running", "start the hub"),
    }
}

/// Checks that a robot's control loop on this machine may get real-time priority.
fn real_time() -> Finding {
    let promise = "programs here may run in real time";
    let read = |path| std::fs::read_to_string(path).unwrap_or_default();
    match allowed(&read("/proc/self/status"), &read("/proc/self/limits")) {
        Some(why) => Finding::on(promise, why),
        None => Finding::off(
            promise,
            "neither CAP_SYS_NICE nor a limit for real-time priority",
            "needed on robots only: AmbientCapabilities=CAP_SYS_NICE in the unit of xpuckd",
        ),
    }
}

fn allowed(status: &str, limits: &str) -> Option<&'static str> {
    let mask = status.lines().find_map(|l| l.strip_prefix("CapEff:"))?;
    if u64::from_str_radix(mask.trim(), 16).ok()? >> SYS_NICE & 1 == 1 {
        return Some("CAP_SYS_NICE");
    }
    let row = limits.lines().find_map(|l| l.strip_prefix("Max realtime priority"))?;
    (row.split_whitespace().next()? != "0").then_some("the limit for real-time priority is above 0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn real_time_is_allowed_by_a_capability_or_a_limit() {
        let limits = |n: &str| format!("Max nice priority         0    0\nMax realtime priority     {n}    {n}\n");
        assert_eq!(allowed("CapEff:\t0000000000800000\n", &limits("0")), Some("CAP_SYS_NICE"));
        assert_eq!(allowed("CapEff:\t0000000000000000\n", &limits("0")), None);
        assert!(allowed("CapEff:\t0000000000000000\n", &limits("50")).unwrap().contains("limit"));
    }
}
