//! Checklist that the console shows before the start of a run.

use super::{json, run_blocking};
use crate::console::Shared;
use axum::extract::{Query, State};
use axum::response::Response;
use serde::{Deserialize, Serialize};
use std::path::Path;
use xpuck_record::budget::Limits;
use xpuck_wire::{RobotRow, Status};

/// Free disk space below which a warning is shown (bytes). It is enough for several runs of nine robots.
const LITTLE: u64 = 1 << 30;
/// Age from which poses count as missing (s).
const POSES: f64 = 0.5;
/// Processor temperature above which a warning is shown, because throttling is near (degrees C).
const HOT: f32 = 80.0;

/// State of a checklist item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum CheckState {
    Ok,
    Warn,
    Bad,
    Unknown,
}

/// Item of the checklist.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Item {
    what: &'static str,
    state: CheckState,
    text: String,
    remedy: &'static str,
}

#[derive(Deserialize)]
pub struct ChecklistQuery {
    #[serde(default = "usual")]
    minutes: f64,
}

fn usual() -> f64 {
    16.0
}

/// Returns the checklist for a run of the requested duration (minutes). Without a status of the hub, the list is
/// empty.
pub async fn checklist(State(shared): State<Shared>, Query(asked): Query<ChecklistQuery>) -> Response {
    let Some(status) = shared.live.status() else { return json(&Vec::<Item>::new()) };
    let runs = shared.settings.runs.clone();
    let free = match run_blocking(move || free(&runs)).await {
        Ok(free) => free,
        Err(response) => return response,
    };
    json(&list(&status, asked.minutes, free))
}

/// Returns the free disk space at a folder, or at its first existing ancestor (bytes); `None` if it is unknown.
pub fn free(folder: &Path) -> Option<u64> {
    folder
        .ancestors()
        .find_map(|folder| Limits::free(if folder.as_os_str().is_empty() { Path::new(".") } else { folder }).ok())
}

fn list(status: &Status, minutes: f64, free: Option<u64>) -> Vec<Item> {
    vec![
        robots(status),
        held_robots(status),
        battery(status, minutes),
        temperature(status),
        poses(status),
        security(status),
        disk(status, free),
    ]
}

fn names(rows: impl Iterator<Item = String>) -> String {
    rows.collect::<Vec<_>>().join(", ")
}

fn robots(status: &Status) -> Item {
    let there = status.robots.iter().filter(|r| r.alive).count();
    let missing = names(status.robots.iter().filter(|r| !r.alive).map(|r| r.id.clone()));
    let (state, text) = match (there, status.robots.len()) {
        (0, _) => (CheckState::Bad, "no robot is connected".into()),
        (there, all) if there == all => (CheckState::Ok, format!("all {all} robots are connected")),
        (there, all) => (CheckState::Warn, format!("{there} of {all} robots are connected; missing: {missing}")),
    };
    Item { what: "Robots", state, text, remedy: "switch them on; the start waits 30 s for missing robots" }
}

fn held_robots(status: &Status) -> Item {
    let held = names(status.robots.iter().filter(|r| r.held).map(|r| r.id.clone()));
    let refusing =
        names(status.robots.iter().filter(|r| !r.refusal.is_empty()).map(|r| format!("{} ({})", r.id, r.refusal)));
    let trouble = names(
        status
            .robots
            .iter()
            .filter(|r| !r.device_trouble.is_empty())
            .map(|r| format!("{} ({})", r.id, r.device_trouble)),
    );
    let parts = [("held: ", held), ("devices: ", trouble), ("refused the last experiment: ", refusing)];
    let told: Vec<String> =
        parts.iter().filter(|(_, who)| !who.is_empty()).map(|(lead, who)| format!("{lead}{who}")).collect();
    let (state, text) = match told.is_empty() {
        true => (CheckState::Ok, "no robot is held, and no device has a fault".into()),
        false => (CheckState::Warn, told.join("; ")),
    };
    Item { what: "Ready to drive", state, text, remedy: "release held robots; see the pages of the robots" }
}

/// Checks that the remaining battery time of each robot is sufficient for the run. `minutes` is the duration of the
/// run (minutes of arena time).
fn battery(status: &Status, minutes: f64) -> Item {
    let there = || status.robots.iter().filter(|r| r.alive && !r.held);
    let left = |r: &RobotRow| r.run_minutes.or(r.battery_minutes);
    let known: Vec<(f32, &str)> = there().filter_map(|r| Some((left(r)?, r.id.as_str()))).collect();
    let unknown = names(there().filter(|r| left(r).is_none()).map(|r| r.id.clone()));
    let remedy = "charge or change the batteries; if a battery is unknown, see the page of the robot";
    let Some((least, who)) = known.iter().copied().min_by(|a, b| a.0.total_cmp(&b.0)) else {
        return Item {
            what: "Batteries",
            state: CheckState::Unknown,
            text: "no robot measures its battery".into(),
            remedy,
        };
    };
    let needed = minutes;
    let empty = names(
        known.iter().filter(|(left, _)| f64::from(*left) < needed).map(|(left, id)| format!("{id} ({left:.0} min)")),
    );
    let (state, text) = match (empty.is_empty(), unknown.is_empty()) {
        (true, true) => (
            CheckState::Ok,
            format!("{needed:.0} min needed; {who} has the shortest remaining time: about {least:.0} min"),
        ),
        (true, false) => {
            (CheckState::Warn, format!("{needed:.0} min needed; the battery level of {unknown} is unknown"))
        }
        (false, _) => (CheckState::Bad, format!("{needed:.0} min needed; too little charge: {empty}")),
    };
    Item { what: "Batteries", state, text, remedy }
}

fn temperature(status: &Status) -> Item {
    let hot = status.robots.iter().filter(|r| r.alive && r.soc_c.is_some_and(|c| c > HOT));
    let hot = names(hot.map(|r| format!("{} ({:.0} °C)", r.id, r.soc_c.unwrap_or_default())));
    let (state, text) = match hot.is_empty() {
        true => (CheckState::Ok, "no processor is hot".into()),
        false => (CheckState::Warn, hot),
    };
    Item { what: "Temperature", state, text, remedy: "let them cool; hot processors evolve more slowly" }
}

fn poses(status: &Status) -> Item {
    let bodies = status.bodies.len();
    let unseen = status.robots.iter().filter(|r| r.alive && !status.bodies.iter().any(|body| body.name == r.id));
    let unseen = names(unseen.map(|r| r.id.clone()));
    let (state, text) = match status.pose_age_s {
        Some(age) if status.tracking && age < POSES && unseen.is_empty() => {
            (CheckState::Ok, format!("{bodies} bodies are tracked; the last poses are {:.0} ms old", age * 1e3))
        }
        Some(_) if status.tracking => (CheckState::Warn, format!("not seen: {unseen}")),
        Some(age) => (CheckState::Bad, format!("the last poses are {age:.1} s old")),
        None => (CheckState::Bad, "no poses received yet".into()),
    };
    Item { what: "Motion capture", state, text, remedy: "check the motion-capture server; see `xpuck doctor`" }
}

fn security(status: &Status) -> Item {
    let security = &status.security;
    let (state, text) = match (security.dev_mode, security.keys_unreadable.is_empty()) {
        (true, _) => (CheckState::Warn, "DEV MODE: no keys; anyone who reaches the hub can command the swarm".into()),
        (false, false) => (CheckState::Warn, security.keys_unreadable.clone()),
        (false, true) => (CheckState::Ok, "links are encrypted, experiments are signed".into()),
    };
    Item { what: "Security", state, text, remedy: "make keys with `xpuck keys new` (see docs/security.md)" }
}

fn disk(status: &Status, free: Option<u64>) -> Item {
    let gib = |bytes: u64| bytes as f64 / (1u64 << 30) as f64;
    let (state, text) = match free {
        _ if status.record.starts_with("NOT RECORD") => (CheckState::Bad, status.record.clone()),
        None => (CheckState::Unknown, "the free disk space is unknown".into()),
        Some(free) if free < LITTLE => (CheckState::Warn, format!("{:.1} GiB free", gib(free))),
        Some(free) => (CheckState::Ok, format!("{:.0} GiB free for records", gib(free))),
    };
    Item { what: "Disk", state, text, remedy: "free space on the disk of the records" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_wire::Body;

    fn good() -> Status {
        let row =
            |id: &str| RobotRow { id: id.into(), alive: true, battery_minutes: Some(90.0), ..RobotRow::default() };
        let body = |name: &str| Body { name: name.into(), pose: [0.0; 3] };
        Status {
            robots: vec![row("xp01"), row("xp02")],
            bodies: vec![body("xp01"), body("xp02"), body("frisbee")],
            tracking: true,
            pose_age_s: Some(0.02),
            ..Status::default()
        }
    }

    fn states(status: &Status) -> Vec<(&'static str, CheckState)> {
        list(status, 16.0, Some(10 << 30)).iter().map(|item| (item.what, item.state)).collect()
    }

    #[test]
    fn healthy_swarm_has_no_faults() {
        assert!(states(&good()).iter().all(|(_, state)| *state == CheckState::Ok), "{:?}", states(&good()));
    }

    #[test]
    fn each_fault_is_reported_in_its_line() {
        let change = |how: fn(&mut Status)| {
            let mut status = good();
            how(&mut status);
            let wrong: Vec<_> = states(&status).into_iter().filter(|(_, state)| *state != CheckState::Ok).collect();
            wrong
        };
        assert_eq!(change(|s| s.robots[0].alive = false), [("Robots", CheckState::Warn)]);
        assert_eq!(change(|s| s.robots[0].held = true), [("Ready to drive", CheckState::Warn)]);
        assert_eq!(change(|s| s.robots[0].device_trouble = "x".into()), [("Ready to drive", CheckState::Warn)]);
        assert_eq!(change(|s| s.robots[0].battery_minutes = Some(10.0)), [("Batteries", CheckState::Bad)]);
        assert_eq!(change(|s| s.robots[0].soc_c = Some(90.0)), [("Temperature", CheckState::Warn)]);
        assert_eq!(change(|s| s.tracking = false), [("Motion capture", CheckState::Bad)]);
        assert_eq!(change(|s| s.bodies.truncate(1)), [("Motion capture", CheckState::Warn)]);
        assert_eq!(change(|s| s.security.dev_mode = true), [("Security", CheckState::Warn)]);
        assert_eq!(change(|s| s.record = "NOT RECORDING: full".into()), [("Disk", CheckState::Bad)]);
        assert_eq!(change(|s| s.robots[1].run_minutes = Some(15.0)), [("Batteries", CheckState::Bad)]);
        assert_eq!(change(|s| s.robots[1].battery_minutes = None), [("Batteries", CheckState::Warn)]);
        let unknown = change(|s| s.robots.iter_mut().for_each(|r| r.battery_minutes = None));
        assert_eq!(unknown, [("Batteries", CheckState::Unknown)]);
    }
}
