//! Checks of the robots, based on the status of the running hub.

use super::{Finding, Hub};
use std::collections::BTreeMap;
use xpuck_hub_core::config::Config;
use xpuck_wire::telemetry::EngineReport;
use xpuck_wire::{RobotRow, Status};

/// Lateness of a control update above which the robot misses a whole control period (ms).
const LATE_MS: f32 = 100.0;
/// Maximum fraction of slow round trips in a valid run (thesis 8.4).
const SLOW: f64 = 0.05;
/// Version of this program.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Names of the promises about the robots, in the order in which they are checked.
const CHECKS: [&str; 7] = [
    "all robots are connected",
    "wheels stop in time",
    "robots follow the hub's clock",
    "the link is fast",
    "all run the same release",
    "evolution survives a restart",
    "all simulate on the same engine",
];

/// Returns the findings about the robots.
pub(super) fn findings(config: &Config, hub: Option<&Hub>) -> Vec<Finding> {
    let Some(Hub { status, .. }) = hub else {
        let robots = config.swarm.robots.len();
        let silent = |promise| {
            Finding::off(promise, format!("no hub reports the state of the {robots} robots"), "start the hub")
        };
        return CHECKS.map(silent).into();
    };
    let looks = [presence, punctuality, clock, round_trips, versions, checkpoints, engines];
    CHECKS.into_iter().zip(looks).map(|(name, look)| look(name, status)).collect()
}

fn names(robots: &[&RobotRow]) -> String {
    robots.iter().map(|r| r.id.as_str()).collect::<Vec<_>>().join(", ")
}

fn presence(promise: &'static str, status: &Status) -> Finding {
    let away: Vec<&RobotRow> = status.robots.iter().filter(|r| !r.alive).collect();
    match away.is_empty() {
        true => Finding::on(promise, format!("all {} robots are connected", status.robots.len())),
        false => Finding::broken(promise, format!("not connected: {}", names(&away)), "check their power and network"),
    }
}

fn punctuality(promise: &'static str, status: &Status) -> Finding {
    let here = || status.robots.iter().filter(|r| r.alive);
    let Some(worst) = here().max_by(|a, b| a.late_p99_ms.total_cmp(&b.late_p99_ms)) else {
        return Finding::off(promise, "no robot is connected", "");
    };
    let evidence = format!("99 % of control updates are at most {:.1} ms late on {}", worst.late_p99_ms, worst.id);
    match worst.late_p99_ms <= LATE_MS {
        true => Finding::on(promise, evidence),
        false => Finding::broken(promise, evidence, "free its processor: fewer evolution.threads, real-time priority"),
    }
}

/// Checks that each robot has answered a ping. Robots use the hub's answers to determine whether a command has expired,
/// and the hub uses the robots' answers to measure the delay.
fn clock(promise: &'static str, status: &Status) -> Finding {
    let alive = status.robots.iter().filter(|r| r.alive);
    let without: Vec<&RobotRow> = alive.clone().filter(|r| r.round_trip_ms.is_none()).collect();
    match (alive.count(), without.is_empty()) {
        (0, _) => Finding::off(promise, "no robot is connected", ""),
        (all, true) => Finding::on(promise, format!("{all} robots answer pings; only time differences are sent")),
        (_, false) => {
            let evidence = format!("no round trip to {} was measured yet", names(&without));
            Finding::broken(promise, evidence, "RUN expires before they obey it; check their link")
        }
    }
}

fn round_trips(promise: &'static str, status: &Status) -> Finding {
    let slow = status.slow_round_trips;
    let evidence = format!(
        "the mean round trip takes {:.1} ms; {:.1} % take more than 100 ms",
        status.round_trip_ms,
        100.0 * slow
    );
    match slow <= SLOW {
        true => Finding::on(promise, evidence),
        false => Finding::broken(
            promise,
            evidence,
            "check the radio channel and its other users; with virtual robots, this machine is busy",
        ),
    }
}

fn versions(promise: &'static str, status: &Status) -> Finding {
    let other: Vec<&RobotRow> =
        status.robots.iter().filter(|r| !r.version.is_empty() && r.version != VERSION).collect();
    match other.first() {
        None => Finding::on(promise, format!("all robots that report their version have version {VERSION}")),
        Some(first) => {
            let evidence = format!("{} here, {} on {}", VERSION, first.version, names(&other));
            Finding::broken(promise, evidence, "install the same release on all")
        }
    }
}

fn checkpoints(promise: &'static str, status: &Status) -> Finding {
    let evolving: Vec<&RobotRow> = status.robots.iter().filter(|r| r.alive && r.evolution.generation > 0).collect();
    let without: Vec<&RobotRow> = evolving.iter().filter(|r| r.evolution.kept == 0).copied().collect();
    match (evolving.is_empty(), without.is_empty()) {
        (true, _) => Finding::off(promise, "no robot evolves now", ""),
        (false, true) => Finding::on(promise, format!("all {} evolving robots save their generations", evolving.len())),
        (false, false) => {
            let remedy = "set evolution.state in their files";
            Finding::off(promise, format!("no generations are saved on {}", names(&without)), remedy)
        }
    }
}

/// Checks the robots' engines. A robot whose GPU has failed continues with `simd`. It evolves more slowly than the
/// others, and no other check shows this.
fn engines(promise: &'static str, status: &Status) -> Finding {
    let mut by_engine: BTreeMap<String, Vec<&RobotRow>> = BTreeMap::new();
    for row in status.robots.iter().filter(|r| r.alive && !r.engine.name.is_empty()) {
        let EngineReport { name, adapter, .. } = &row.engine;
        by_engine.entry(format!("{name} {adapter}").trim_end().into()).or_default().push(row);
    }
    let told = by_engine.iter().map(|(engine, robots)| format!("{engine} on {}", names(robots)));
    let evidence = told.collect::<Vec<_>>().join("; ");
    match by_engine.len() {
        0 => Finding::off(promise, "no robot evolves now", ""),
        1 => Finding::on(promise, evidence),
        _ => Finding::off(promise, evidence, "if this is not intended, see their logs for the loss of a device"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Verdict;
    use xpuck_wire::telemetry::EvolutionReport;

    #[test]
    fn each_promise_is_seen_to_break() {
        let good = RobotRow {
            id: "xp01".into(),
            alive: true,
            version: VERSION.into(),
            late_p99_ms: 1.0,
            round_trip_ms: Some(3.0),
            evolution: EvolutionReport { generation: 3, kept: 3, ..EvolutionReport::default() },
            engine: EngineReport { name: "gpu".into(), adapter: "llvmpipe".into(), r_acc: 1.0 },
            ..RobotRow::default()
        };
        let look = |robots: Vec<RobotRow>, slow_round_trips| {
            let status = Status { robots, slow_round_trips, ..Status::default() };
            let all = [presence, punctuality, clock, round_trips, versions, checkpoints, engines];
            all.map(|look| look("", &status).verdict)
        };
        assert_eq!(look(vec![good.clone()], 0.0), [Verdict::On; 7]);
        let mut bad = RobotRow { late_p99_ms: 300.0, round_trip_ms: None, version: "0.0.9".into(), ..good.clone() };
        bad.evolution.kept = 0;
        let fallen = EngineReport { name: "simd".into(), ..EngineReport::default() };
        let other = RobotRow { id: "xp03".into(), engine: fallen, ..good.clone() };
        let gone = RobotRow { id: "xp02".into(), alive: false, ..good };
        let broken = Verdict::Broken;
        assert_eq!(
            look(vec![bad, gone, other], 0.2),
            [broken, broken, broken, broken, broken, Verdict::Off, Verdict::Off]
        );
    }
}
