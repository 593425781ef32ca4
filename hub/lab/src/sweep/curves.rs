//! Curves over the course of evolution: one curve for each run, and the mean of a setting's runs with its confidence
//! interval.

use crate::evolution_run::GenerationRow;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use xpuck_stats::statistics::{Spread, quantile, student_t_975};

/// Quantities on the axes of the curves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Axes {
    /// Quantity on the x axis.
    pub x: Along,
    /// Quantity on the y axis.
    pub y: Quality,
    /// Number of generations that each box covers. Without this value, means with bands are drawn instead of boxes.
    #[schemars(range(min = 1, max = 1000))]
    pub boxes: Option<u32>,
}

impl Axes {
    /// Validates constraints that the types do not express.
    ///
    /// # Errors
    /// If a value is invalid. The message contains the key and its valid values.
    pub fn check(&self) -> Result<(), String> {
        match self.boxes {
            Some(boxes) if !(1..=1000).contains(&boxes) => Err(format!("curves.boxes = {boxes} is outside 1 to 1000")),
            Some(_) if self.x != Along::Generation => {
                Err("curves.boxes groups generations; it requires x = \"generation\"".into())
            }
            _ => Ok(()),
        }
    }
}

/// Quantity on the x axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Along {
    /// Simulated robot-seconds of the whole swarm. The comparison of settings is then fair, even if their generations
    /// differ in cost.
    #[default]
    RobotSeconds,
    /// Number of the generation.
    Generation,
    /// Simulated robot-seconds of all islands together, divided by the robot-seconds of one trial.
    Simulations,
}

/// Quantity on the y axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Quality {
    /// Derated fitness of the fittest tree of each island, averaged over the islands (Fig. 8.4). Derated fitness is
    /// lower for trees with few evaluations.
    #[default]
    Derated,
    /// Fitness of the fittest tree of all islands (Fig. 5.10, 7.7, 8.1).
    Best,
    /// Mean fitness of each island's population, averaged over the islands.
    Mean,
    /// Share of distinct trees in a population, averaged over the islands.
    Distinct,
    /// Wall time of each generation on all islands together (s) (Fig. 5.11).
    Seconds,
}

impl Quality {
    /// Returns the value after a generation. `None` for [`Quality::Seconds`] if the generation's time was not
    /// recorded.
    fn value_at(self, generation: u32, islands: &[GenerationRow], times: &Times) -> Option<f64> {
        let mean = |value: fn(&GenerationRow) -> f64| islands.iter().map(value).sum::<f64>() / islands.len() as f64;
        Some(match self {
            Quality::Derated => mean(|g| g.derated),
            Quality::Best => islands.iter().map(|g| g.best).fold(f64::NEG_INFINITY, f64::max),
            Quality::Mean => mean(|g| g.mean),
            Quality::Distinct => mean(|g| g.distinct),
            Quality::Seconds => *times.get(&generation)?,
        })
    }

    /// Returns the label of the y axis.
    pub fn label(self) -> &'static str {
        match self {
            Quality::Derated => "derated fitness of the fittest tree, mean of islands",
            Quality::Best => "fitness of the fittest",
            Quality::Mean => "mean fitness of the populations",
            Quality::Distinct => "different trees / population, mean of islands",
            Quality::Seconds => "wall time of a generation, s",
        }
    }
}

/// Point of a run's curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Number of the generation.
    pub generation: u32,
    /// Robot-seconds from the start of the run to this generation.
    pub robot_seconds: f64,
    /// Value on the y axis.
    pub value: f64,
}

/// Wall time of each generation (s), by the number of the generation.
pub type Times = BTreeMap<u32, f64>;

/// Returns the curve of a run from the rows of its islands. The values of [`Quality::Seconds`] are taken from `times`,
/// and generations without a time are left out.
pub fn of_run(lines: &[GenerationRow], times: &Times, quality: Quality) -> Vec<Step> {
    let mut generations: BTreeMap<u32, Vec<GenerationRow>> = BTreeMap::new();
    for line in lines {
        generations.entry(line.generation).or_default().push(*line);
    }
    let step = |(generation, islands): (u32, Vec<GenerationRow>)| {
        let robot_seconds = islands.iter().map(|g| g.robot_seconds).fold(0.0, f64::max);
        Some(Step { generation, robot_seconds, value: quality.value_at(generation, &islands, times)? })
    };
    generations.into_iter().filter_map(step).collect()
}

/// Box of a box plot, which summarises the values of all runs in several generations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// Last generation that the box covers.
    pub generation: u32,
    /// Minimum, lower quartile, median, upper quartile and maximum of the values.
    pub numbers: [f64; 5],
}

/// Returns the boxes of a box plot, each of which covers `every` generations. A box is left out if any run ends before
/// the box's last generation.
pub fn boxes(runs: &[Vec<Step>], every: u32) -> Vec<Summary> {
    let mut values: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    let last = runs.iter().filter_map(|run| run.last()).map(|step| step.generation).min().unwrap_or(0);
    for step in runs.iter().flatten() {
        let generation = step.generation.next_multiple_of(every);
        if generation <= last {
            values.entry(generation).or_default().push(step.value);
        }
    }
    let summary = |(generation, mut values): (u32, Vec<f64>)| {
        values.sort_by(f64::total_cmp);
        Summary { generation, numbers: [0.0, 0.25, 0.5, 0.75, 1.0].map(|part| quantile(&values, part)) }
    };
    values.into_iter().map(summary).collect()
}

/// Mean of several runs after a generation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanStep {
    /// Number of the generation.
    pub generation: u32,
    /// Robot-seconds from the start of a run to this generation, averaged over the runs.
    pub robot_seconds: f64,
    /// Value on the y axis, averaged over the runs.
    pub mean: f64,
    /// Half the width of the mean's 95 % confidence interval. `None` for a single run.
    pub half: Option<f64>,
}

/// Returns the mean curve of a setting's runs, up to the end of the shortest run.
pub fn mean_course(runs: &[Vec<Step>]) -> Vec<MeanStep> {
    let length = runs.iter().map(Vec::len).min().unwrap_or(0);
    let t = if runs.len() > 1 { student_t_975(runs.len() - 1) } else { 0.0 };
    let step = |i: usize| {
        let spread = Spread::from_sample(&runs.iter().map(|run| run[i].value).collect::<Vec<_>>())?;
        let robot_seconds = runs.iter().map(|run| run[i].robot_seconds).sum::<f64>() / runs.len() as f64;
        let half = spread.half_interval(t);
        Some(MeanStep { generation: runs[0][i].generation, robot_seconds, mean: spread.mean, half })
    };
    (0..length).filter_map(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(generation: u32, island: u16, best: f64) -> GenerationRow {
        let robot_seconds = 100.0 * f64::from(generation);
        GenerationRow {
            generation,
            island,
            robot_seconds,
            best,
            derated: best / 2.0,
            evaluations: 4,
            mean: 0.1,
            distinct: 1.0,
        }
    }

    #[test]
    fn run_curve_combines_all_islands() {
        let lines = [line(1, 0, 0.1), line(1, 1, 0.3), line(2, 0, 0.2), line(2, 1, 0.4)];
        let best = of_run(&lines, &Times::new(), Quality::Best);
        assert_eq!(best[1], Step { generation: 2, robot_seconds: 200.0, value: 0.4 });
        let derated = of_run(&lines, &Times::new(), Quality::Derated);
        assert!((derated[0].value - 0.1).abs() < 1e-12 && derated.len() == 2);
        let seconds = of_run(&lines, &[(2, 0.5)].into(), Quality::Seconds);
        assert_eq!(seconds, [Step { generation: 2, robot_seconds: 200.0, value: 0.5 }], "the first was not timed");
    }

    #[test]
    fn box_summarises_all_runs_of_its_generations() {
        let run = |values: &[f64]| -> Vec<Step> {
            let step = |(generation, value): (u32, &f64)| Step { generation, robot_seconds: 1.0, value: *value };
            (1..).zip(values).map(step).collect()
        };
        let runs = [run(&[0.0, 1.0, 2.0, 3.0, 9.0]), run(&[4.0, 8.0, 5.0, 5.0, 9.0, 9.0])];
        // The box of generations 5 and 6 is left out, because the first run ends after generation 5.
        let expected = [
            Summary { generation: 2, numbers: [0.0, 0.75, 2.5, 5.0, 8.0] },
            Summary { generation: 4, numbers: [2.0, 2.75, 4.0, 5.0, 5.0] },
        ];
        assert_eq!(boxes(&runs, 2), expected);
        assert!(boxes(&[], 2).is_empty());
    }

    #[test]
    fn boxes_go_with_generations() {
        let axes = |x, boxes| Axes { x, boxes: Some(boxes), ..Axes::default() }.check();
        assert_eq!(axes(Along::Generation, 5), Ok(()));
        assert!(axes(Along::RobotSeconds, 5).unwrap_err().contains("it requires x = \"generation\""));
        assert!(axes(Along::Generation, 0).unwrap_err().contains("curves.boxes = 0 is outside 1 to 1000"));
    }

    #[test]
    fn mean_course_has_t_interval_and_shortest_length() {
        let run = |values: &[f64]| -> Vec<Step> {
            let step = |(generation, value): (u32, &f64)| Step {
                generation,
                robot_seconds: f64::from(generation) * 10.0,
                value: *value,
            };
            (1..).zip(values).map(step).collect()
        };
        let course = mean_course(&[run(&[0.1, 0.2]), run(&[0.3, 0.4, 0.9]), run(&[0.2, 0.6])]);
        assert_eq!(course.len(), 2);
        assert!((course[0].mean - 0.2).abs() < 1e-12 && course[1].robot_seconds == 20.0);
        // The first values of the three runs have the standard deviation 0.1. 4.302653 is the 97.5 % quantile of
        // Student's t distribution with two degrees of freedom.
        assert!((course[0].half.unwrap() - 4.302_653 * 0.1 / 3f64.sqrt()).abs() < 1e-6);
        assert_eq!(mean_course(&[run(&[0.1])])[0].half, None);
        assert!(mean_course(&[]).is_empty());
    }
}
