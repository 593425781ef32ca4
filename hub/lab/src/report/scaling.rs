//! Chapter of the report on the scaling coefficient of the island model (Eq. 8.4). It is the fitness per simulation
//! of all islands together, relative to the fitness per simulation of a single population.

use super::collect::RunFacts;
use super::page::Section;
use crate::sweep::curves::{Quality, Times, of_run};
use crate::sweep::evolution::generations;
use crate::sweep::problem::Problem;
use std::path::Path;
use xpuck_kernels::world::task::Task;
use xpuck_stats::figure::Figure;
use xpuck_stats::statistics::spread::median;

/// A run with one island, for comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Single {
    /// Fitness that evolution reports at the end of the run.
    pub fitness: f64,
    /// Number of generations.
    pub generations: f64,
    /// Simulated time (robot-seconds).
    pub robot_seconds: f64,
    /// Name of the run's task.
    pub task: &'static str,
}

impl Single {
    /// Reads the run in a folder that was written by `xpuck evolve --islands 1 --output`.
    ///
    /// # Errors
    /// If the folder does not hold a run, the run has several islands, or its table cannot be read.
    pub fn read(folder: &Path) -> Result<Single, Problem> {
        let config = crate::evolution_run::Folder::config(folder).map_err(|error| Problem::new(folder, error))?;
        if config.islands != 1 {
            let why = format!("has {} islands; choose a run with `--islands 1`", config.islands);
            return Err(Problem::new(folder, why));
        }
        let steps = of_run(&generations(folder)?, &Times::new(), Quality::Derated);
        let last = steps
            .last()
            .ok_or_else(|| Problem::new(folder, "contains no complete generation yet; continue the run"))?;
        Ok(Single {
            fitness: last.value,
            generations: f64::from(last.generation),
            robot_seconds: last.robot_seconds,
            task: config.spec.task.name(),
        })
    }
}

/// Returns the scaling coefficient (Eq. 8.4): fitness per simulation of the islands, divided by fitness per
/// simulation of the single population. `islands` contains the fitness, the number of generations and the number of
/// islands. As in the thesis, a generation must have the same number of simulations on each island as in the single
/// run. Returns `None` if the single run's fitness is not positive, or the result is not finite.
pub fn beta(islands: (f64, f64, f64), single: &Single) -> Option<f64> {
    let (fitness, generations, nodes) = islands;
    let beta = fitness * single.generations / (single.fitness * generations * nodes);
    (single.fitness > 0.0 && beta.is_finite()).then_some(beta)
}

/// Returns the chapter on scaling. If `single` is `None`, the chapter explains how to create a run with one island.
pub fn section(runs: &[&RunFacts], single: Option<&Single>, task: &Task) -> Section {
    let mut section = Section {
        title: "Gain from many islands".into(),
        text: vec![
            "Beta (Eq. 8.4) is the fitness per simulation of all islands, divided by that of a single population: 1 \
             means that n robots reach the same fitness as one robot in n times the computing time. The thesis reports \
             0.76 for nine."
                .into(),
        ],
        ..Section::default()
    };
    let Some(single) = single else {
        let world = if *task == Task::Transport { "" } else { " --world FILE" };
        section.results.push(format!(
            "Not computed: a run of one island in the same world is needed for the comparison. `xpuck evolve --islands \
             1 --generations 600{world} --output single`, then `xpuck runs report ... --single single`."
        ));
        return section;
    };
    let of = |value: fn(&RunFacts) -> f64| -> f64 { median(&runs.iter().map(|run| value(run)).collect::<Vec<_>>()) };
    let (fitness, generations) = (of(|run| run.evolved), of(|run| run.generations));
    let nodes = of(|run| run.robots as f64);
    section.results.push(match beta((fitness, generations, nodes), single) {
        Some(beta) => format!(
            "Beta is {beta:.2}: {nodes:.0} islands report {:.3} after {generations:.0} generations (medians of the \
             runs), the single island {:.3} after {:.0}.",
            Figure(fitness),
            Figure(single.fitness),
            single.generations
        ),
        None => {
            "Beta is undefined: the single run's fitness is not above zero, or the runs completed no generation.".into()
        }
    });
    section
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thesis_values_give_thesis_beta() {
        let single = Single { fitness: 0.21, generations: 600.0, robot_seconds: 1.0, task: "transport" };
        assert!((beta((0.20, 84.0, 9.0), &single).unwrap() - 0.756).abs() < 1e-3);
        assert_eq!(beta((0.2, 0.0, 9.0), &single), None);
        assert_eq!(beta((0.2, 84.0, 9.0), &Single { fitness: -0.1, ..single }), None);
        assert!(section(&[], None, &Task::Transport).results[0].contains("--generations 600 --output"));
        assert!(section(&[], None, &Task::Dispersion).results[0].contains("--world FILE"));
    }
}
