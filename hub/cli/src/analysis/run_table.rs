//! Table of the single runs of `xpuck simulate`.

use anyhow::Result;
use xpuck_kernels::engine::Outcome;
use xpuck_kernels::world::Task;
use xpuck_kernels::world::task::objective::lots;
use xpuck_lab::measure::Plan;

/// Returns a table as CSV, with one row for each run: its number, the seed, and its fitness. The rows of a mission
/// contain the value and the lots, too. A lot NAME has the column `lot_NAME`, so that it differs from other columns.
pub fn csv(plan: &Plan<'_>, outcomes: &[Outcome]) -> Result<Vec<u8>> {
    let task = &plan.spec.task;
    let lots = match task {
        Task::Objective(objective) => objective.lots.as_slice(),
        _ => &[],
    };
    let mut table = csv::Writer::from_writer(Vec::new());
    let value = task.value_of(0.0).map(|_| "value".to_owned());
    let names = ["run", "seed", "fitness"].map(str::to_owned).into_iter().chain(value);
    table.write_record(names.chain(lots.iter().map(|lot| format!("lot_{}", lot.name))))?;
    for (run, outcome) in (0..).zip(outcomes) {
        // The value is computed in f64 from a fitness of f32. As f32, a whole value has no decimals.
        let value = task.value_of(outcome.fitness.into()).map(|value| value as f32);
        let numbers = [Some(outcome.fitness), value].into_iter().flatten().chain(lots::draw(lots, plan.seed, run));
        let numbers = numbers.map(|number| number.to_string());
        table.write_record([run.to_string(), plan.seed.to_string()].into_iter().chain(numbers))?;
    }
    Ok(table.into_inner()?)
}
