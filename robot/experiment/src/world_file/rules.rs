//! Lots, latches and conditions of a world file.

use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use xpuck_kernels::world::task::Task;
use xpuck_kernels::world::task::objective::lots::{Lot, LotKind, MAX_LOTS, MAX_VALUES};
use xpuck_kernels::world::task::objective::{ObjectiveBuilder, check_names};
use xpuck_kernels::world::zone::Zone;

/// Random choice that is drawn once per run: exactly one of `values` and `range`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LotEntry {
    /// Name in formulas: letters, digits and inner hyphens.
    name: String,
    /// Number of values, 2 to 1000: the lot is a whole number from 0 to below it, each equally likely.
    values: Option<u32>,
    /// Limits between which the lot is uniformly distributed.
    range: Option<[f32; 2]>,
}

/// Value with a name that is 0 at the start, and 1 from the first update in which its condition holds.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LatchEntry {
    /// Name in formulas: letters, digits and inner hyphens.
    name: String,
    /// Formula that sets the latch when it is not 0.
    when: String,
}

/// Formulas of a world that are compiled so far.
pub(super) struct Rules {
    builder: ObjectiveBuilder,
    /// First key that needs an objective.
    used: Option<String>,
}

impl Rules {
    /// Compiles the latches of a world with the given number of discs.
    pub fn new(zones: &[Zone], discs: usize, lots: Vec<LotEntry>, latches: Vec<LatchEntry>) -> Result<Rules, String> {
        if lots.len() > MAX_LOTS {
            return Err(format!("{} lots; at most {MAX_LOTS} are allowed", lots.len()));
        }
        let names = || lots.iter().map(|lot| &lot.name).chain(latches.iter().map(|latch| &latch.name));
        check_names(names().map(String::as_str)).map_err(|error| error.replacen("region", "lot or latch", 1))?;
        for (i, name) in names().enumerate() {
            let taken = names().take(i).chain(zones.iter().map(|zone| &zone.name)).any(|other| other == name)
                || ["N", "time"].contains(&name.as_str());
            if taken {
                return Err(format!("the name {name} of a lot or latch exists already; choose another name"));
            }
        }
        let used = names().next().map(|name| format!("the lot or latch {name}"));
        let lots: Result<Vec<Lot>, String> = lots.into_iter().map(lot).collect();
        let mut builder = ObjectiveBuilder::new(zones, lots?);
        builder.set_discs(discs);
        for LatchEntry { name, when } in latches {
            builder.latch(&name, &when).map_err(|error| format!("latch {name}, when, {error}"))?;
        }
        Ok(Rules { builder, used })
    }

    /// Registers the condition of a part of the world.
    pub fn condition(&mut self, part: &str, when: Option<&str>) -> Result<Option<u8>, String> {
        let Some(when) = when else { return Ok(None) };
        self.used.get_or_insert_with(|| format!("the key `when` of {part}"));
        self.builder.condition(when).map(Some).map_err(|error| format!("{part}, when, {error}"))
    }

    /// Moves the first disc back near the centre when it touches an x wall.
    pub fn relocate_disc(&mut self) {
        self.builder.relocate_disc();
    }

    pub fn set_zone_condition(&mut self, zone: usize, condition: u8) {
        self.builder.set_zone_condition(zone, condition);
    }

    /// Compiles the objective with its score.
    pub fn objective(mut self, score: &str, end: Option<&str>, worst: f32, best: f32) -> Result<Task, String> {
        if let Some(end) = end {
            self.builder.end(end).map_err(|error| format!("task.end, {error}"))?;
        }
        let objective = self.builder.finish(score, worst, best).map_err(|error| format!("task.score, {error}"))?;
        Ok(Task::Objective(Arc::new(objective)))
    }

    /// Returns a built-in task, which has no lots, latches or conditions.
    pub fn built_in(&self, task: Task) -> Result<Task, String> {
        match &self.used {
            None => Ok(task),
            Some(used) => Err(format!("{used} needs a task of the kind \"objective\", not \"{}\"", task.name())),
        }
    }
}

fn lot(LotEntry { name, values, range }: LotEntry) -> Result<Lot, String> {
    let kind = match (values, range) {
        (Some(values), None) if (2..=MAX_VALUES).contains(&values) => LotKind::Values(values),
        (Some(values), None) => return Err(format!("lot {name}, values = {values} is outside 2 to {MAX_VALUES}")),
        (None, Some([low, high])) if low < high && low.abs() <= 1e6 && high.abs() <= 1e6 => LotKind::Range([low, high]),
        (None, Some(_)) => {
            return Err(format!("lot {name}: the first number of range must be below the second; both -1e6 to 1e6"));
        }
        _ => return Err(format!("lot {name} needs exactly one of values and range")),
    };
    Ok(Lot { name, kind })
}
