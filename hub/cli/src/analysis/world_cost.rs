//! `xpuck world cost`: cost of the score of a world.

use crate::analysis::world_explain::summary;
use crate::terminal::print_json;
use anyhow::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;
use std::hint::black_box;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use xpuck_experiment::world_file;
use xpuck_kernels::math::Vec2;
use xpuck_kernels::model::V_MAX;
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::world::task::objective::cost::Field;
use xpuck_kernels::world::task::objective::{MAX_OPS, MAX_ZONES};
use xpuck_kernels::world::task::{Score, Task};
use xpuck_kernels::world::{Pose, World, WorldSpec};
use xpuck_stats::statistics::median;
use xpuck_wire::output::{self, count};

/// Number of slices of the measurement. Each slice measures simulation and score in turn, so that both have the same
/// load on the computer.
const SLICES: usize = 10;
/// Duration of the simulation, and of the score, in each slice.
const SLICE: Duration = Duration::from_millis(10);
/// Number of updates with robots that drive at random, whose positions the measurement of the score repeats.
const UPDATES: usize = 100;

/// Print the cost of the score of a world: operations, and the share of the simulation's time.
///
/// The cost is the number of operations for each robot and for each world, and the quantities over the points of a
/// region. The time is measured with the code of `reference` on this computer, for about 0.2 s: ten times for the
/// simulation and the score in turn. The output contains the medians.
#[derive(Args)]
pub struct CostArgs {
    /// World file.
    file: PathBuf,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Cost of the score of a world, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub struct WorldCost {
    /// Name of the task.
    task: String,
    /// Number of robots.
    robots: usize,
    /// Cost of the formula; `null` for built-in tasks.
    formula: Option<FormulaCost>,
    /// Measured times.
    #[serde(flatten)]
    times: Times,
}

/// Times of an update, each the median of the slices of the measurement.
#[derive(Serialize, JsonSchema)]
struct Times {
    /// Measured time of an update of the score (us).
    score_us: f64,
    /// Measured time of an update of the simulation, which includes that of the score (us).
    update_us: f64,
    /// Measured time of the score as a fraction of the time of the simulation.
    share: f64,
}

impl Times {
    /// Returns the medians of slices. A slice has the time of an update of the score and of the simulation (us).
    fn from_slices(slices: &[(f64, f64)]) -> Times {
        let of = |value: fn(&(f64, f64)) -> f64| median(&slices.iter().map(value).collect::<Vec<_>>());
        Times { score_us: of(|slice| slice.0), update_us: of(|slice| slice.1), share: of(|slice| slice.0 / slice.1) }
    }
}

/// Number of operations that a formula needs.
#[derive(Serialize, JsonSchema)]
struct FormulaCost {
    /// Number of regions in which robots are counted in each update.
    regions: usize,
    /// Operations for each robot in each update.
    operations_per_robot: usize,
    /// Operations for the world in each update.
    operations_per_world: usize,
    /// Operations at the end of the run.
    operations_at_the_end: usize,
    /// Quantities over the points of a region.
    fields: Vec<FieldCost>,
}

/// Cost of a quantity over the points of a region.
#[derive(Serialize, JsonSchema)]
struct FieldCost {
    /// Description of the quantity.
    quantity: String,
    /// Number of points.
    points: usize,
    /// Whether the quantity is computed once per second; otherwise, it is computed at the end.
    every_second: bool,
}

/// Runs `xpuck world cost`.
///
/// # Errors
/// The file is invalid.
pub fn run(args: &CostArgs) -> Result<()> {
    let spec = world_file::read(&args.file)?;
    let cost = cost_of(&spec);
    if args.json { print_json(&cost) } else { Ok(output::text(words(&spec, &cost))?) }
}

fn cost_of(spec: &WorldSpec) -> WorldCost {
    let formula = match &spec.task {
        Task::Objective(objective) => {
            let cost = objective.cost(spec.physics.half_arena, spec.robots);
            let field = |field: Field| FieldCost {
                quantity: field.words,
                points: field.points,
                every_second: field.every_second,
            };
            Some(FormulaCost {
                regions: cost.regions,
                operations_per_robot: cost.per_robot,
                operations_per_world: cost.per_world,
                operations_at_the_end: cost.at_the_end,
                fields: cost.fields.into_iter().map(field).collect(),
            })
        }
        _ => None,
    };
    WorldCost { task: spec.task.name().into(), robots: spec.robots, formula, times: measure(spec) }
}

/// Measures the time of an update of the score, and of an update of the simulation. The robots drive at random.
fn measure(spec: &WorldSpec) -> Times {
    let mut world = World::new(spec, 0, 1, 0);
    let mut score = Score::new(&spec.task, &spec.physics, &world.bodies, spec.robots, (1, 0));
    let mut draws = Draws::new(1, 0, 0, 0, Stream::Device);
    let mut wheels: Vec<[f32; 2]> = vec![[0.0; 2]; spec.robots];
    let mut update = |world: &mut World, number: usize| {
        if number.is_multiple_of(10) {
            wheels.iter_mut().flatten().for_each(|speed| *speed = draws.range(-0.5, 1.0) * V_MAX);
        }
        let start = Instant::now();
        world.update_with_wheels(|robot, _, _| wheels[robot]);
        start.elapsed()
    };
    let places: Vec<(Vec<Pose>, Vec<Vec2>)> = (0..UPDATES)
        .map(|number| {
            update(&mut world, number);
            let poses: Vec<Pose> = world.bodies.iter().map(|body| body.pose).collect();
            let centres = poses[..spec.robots].iter().map(|pose| pose.at).collect();
            (poses, centres)
        })
        .collect();
    let mut updates = UPDATES;
    let mut slice = || {
        let (first, mut spent) = (updates, Duration::ZERO);
        while spent < SLICE {
            spent += update(&mut world, updates);
            updates += 1;
        }
        let update_us = mean_us(spent, updates - first);
        let (mut scored, start) = (0, Instant::now());
        while start.elapsed() < SLICE {
            for (poses, centres) in &places {
                score.see(poses.iter().copied());
                score.update(black_box(centres));
            }
            scored += places.len();
        }
        (mean_us(start.elapsed(), scored), update_us)
    };
    Times::from_slices(&std::array::from_fn::<_, SLICES, _>(|_| slice()))
}

/// Returns the mean time of an update (us).
fn mean_us(spent: Duration, updates: usize) -> f64 {
    spent.as_secs_f64() * 1e6 / updates as f64
}

fn words(spec: &WorldSpec, cost: &WorldCost) -> String {
    let mut text = format!("{}\n", summary(spec));
    if let Some(formula) = &cost.formula {
        let operations = |n: usize| count(n, "operation", "operations");
        let _ = write!(
            text,
            "\nin each update, 10 a second:\n  for each robot: {} (regions: {} of at most {MAX_ZONES})\n  for the world: {} \
             (at most {MAX_OPS})\nat the end: {}\n",
            operations(formula.operations_per_robot),
            formula.regions,
            operations(formula.operations_per_world),
            operations(formula.operations_at_the_end),
        );
        for field in &formula.fields {
            let when = if field.every_second { "once per second" } else { "at the end" };
            let _ = writeln!(text, "field, {when}: {}, over {} points", field.quantity, field.points);
        }
    }
    let _ = writeln!(
        text,
        "\nmeasured now with the code of `reference`: the score takes {:.1} % of an update (medians: {:.2} us of {:.1} us)",
        100.0 * cost.times.share,
        cost.times.score_us,
        cost.times.update_us
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(name: &str) -> (String, WorldCost) {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/worlds").join(name);
        let spec = world_file::read(&path).unwrap();
        let cost = cost_of(&spec);
        (words(&spec, &cost), cost)
    }

    #[test]
    fn cost_of_a_mission_has_counts_fields_and_times() {
        let (text, cost) = checked("missions/agg.toml");
        let formula = cost.formula.unwrap();
        assert_eq!((formula.regions, formula.operations_per_robot, formula.operations_per_world), (2, 2, 0));
        assert!(text.contains("for each robot: 2 operations (regions: 2 of at most 32)"), "{text}");
        let Times { score_us, update_us, share } = cost.times;
        assert!(score_us > 0.0 && score_us < update_us && share < 1.0, "{share}: {score_us} of {update_us}");
        let (text, cost) = checked("missions/covering-south.toml");
        assert!(cost.formula.unwrap().fields[0].points > 100);
        assert!(text.contains("\nfield, ") && text.trim_end().ends_with("us)"), "{text}");
    }

    #[test]
    fn interrupted_slices_do_not_change_the_share() {
        let mut slices = [(1.0, 40.0); SLICES];
        // Another program interrupts the score in two slices, the simulation in two, and both in one.
        for (slice, times) in
            [(0, (9.0, 40.0)), (3, (30.0, 40.0)), (4, (1.0, 400.0)), (7, (1.0, 90.0)), (9, (2.0, 80.0))]
        {
            slices[slice] = times;
        }
        let Times { score_us, update_us, share } = Times::from_slices(&slices);
        assert_eq!((score_us, update_us, share), (1.0, 40.0, 0.025));
    }

    #[test]
    fn cost_of_a_built_in_task_is_a_time() {
        let (text, cost) = checked("coverage.toml");
        assert!(cost.formula.is_none() && text.contains("measured now") && !text.contains("operation"), "{text}");
    }
}
