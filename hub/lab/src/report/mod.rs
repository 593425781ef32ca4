//! Report of a swarm's runs as one page: chapters from records and from simulations of the final trees (thesis 8.4 to
//! 8.7).

pub mod ancestry_graph;
pub mod behaviour;
pub mod collect;
pub mod estimates;
pub mod fitness;
pub mod gap;
pub mod last_trees;
pub mod mixed;
pub mod page;
pub mod parameter_history;
pub mod regions;
pub mod scaling;
pub mod senses;
pub mod tables;
pub mod trees;
pub mod write;

use crate::measure::Plan;
use collect::RunFacts;
use page::Section;
use scaling::Single;
use xpuck_kernels::engine::Engine;
use xpuck_stats::som::Topology;
use xpuck_wire::output::count;

/// Maximum number of ancestry graphs on a page: each graph is large.
const GRAPHS: usize = 3;
/// Duration of each simulation (s).
pub const SECONDS: f32 = 60.0;

/// Options of a report.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Number of simulations of each tree and of each swarm.
    pub simulations: u32,
    /// Seed of the simulations.
    pub seed: u64,
    /// Topology of the cells of the behaviour map.
    pub topology: Topology,
    /// Run with one island, with which the islands are compared (Eq. 8.4).
    pub single: Option<Single>,
}

/// A report as a page, as tables, and as sentences.
pub struct Report {
    /// The page as HTML.
    pub html: String,
    /// Tables of the numeric results.
    pub tables: Vec<tables::Named>,
    /// Findings by chapter: heading of the chapter, and findings of one sentence each.
    pub results: Vec<(String, Vec<String>)>,
}

/// Creates the report on runs of the same experiment. The page contains `command`, the user's command line.
/// `progress` receives the numbers of finished and of all simulations. It counts separately for trees, for the runs'
/// swarms, and for mixed swarms.
///
/// # Errors
/// If there are no runs, if the runs are of different experiments, or if the single run has another task. The error
/// is one line.
pub fn make(
    engine: &dyn Engine,
    runs: &[RunFacts],
    options: &Options,
    command: &str,
    mut progress: impl FnMut(usize, usize),
) -> Result<Report, String> {
    let Some(first) = runs.first() else { return Err("a report needs at least one run".into()) };
    let mut experiments: Vec<&str> = runs.iter().map(|run| run.experiment.as_str()).collect();
    experiments.sort_unstable();
    experiments.dedup();
    if experiments.len() > 1 {
        return Err(format!(
            "the runs belong to different experiments, which cannot be compared: {}; choose runs of one experiment",
            experiments.join("; ")
        ));
    }
    if let Some(single) = options.single.filter(|single| single.task != first.world.task.name()) {
        return Err(format!(
            "--single: its task is {}, but the task of the runs is {}; choose a run with this task",
            single.task,
            first.world.task.name()
        ));
    }
    let good: Vec<&RunFacts> = runs.iter().filter(|run| fitness::counts(run)).collect();
    // If robots adapted, trees are simulated in the world that the robots simulated at the end.
    let adapted = good.iter().find(|run| run.last_world != run.world);
    let spec = adapted.map_or(&first.world, |run| &run.last_world).as_ref();
    let plan = Plan { spec, seconds: SECONDS, runs: options.simulations, seed: options.seed };
    let known = trees::measure(engine, runs, &plan, &mut progress);
    let segment = gap::of_segment(&good, &plan);
    let gaps = gap::simulate(engine, &good, &segment, &mut progress);
    let mixed = mixed::simulate(engine, &good, spec, (options.simulations, SECONDS, options.seed), progress);
    let evolved = runs.iter().any(|run| run.evolves);
    // Chapters on evolution are included only if robots evolved.
    let islands = evolved.then(|| fitness::islands(&good).with("curves"));
    let estimates = estimates::section(&good).map(|section| section.with("estimates"));
    let single = options.single.as_ref();
    let scaling = evolved.then(|| scaling::section(&good, single, &first.world.task).with("runs"));
    let origins = evolved.then(|| last_trees::origins(&good, GRAPHS));
    let discs = !first.world.discs.is_empty();
    let sections: Vec<Section> = [
        Some(fitness::quality(runs).with("runs")),
        Some(fitness::real(&good, &first.world.task).with("segments")),
        islands,
        estimates,
        scaling,
        Some(behaviour::section(&good, discs, options.topology).with("segments")),
        Some(last_trees::section(runs, &known, &plan).with("trees")),
        origins,
        Some(mixed::section(mixed.as_ref()).with("swarms")),
        Some(gap::section(&gaps, &segment).with("gap")),
        Some(senses::section(&good).with("senses")),
    ]
    .into_iter()
    .flatten()
    .collect();
    let does = match evolved {
        true => {
            "Every robot evolves its own behaviour: it simulates thousands of behaviour trees on its board, sends its \
             fittest trees to the other robots, and drives with the fittest tree that it knows. This page reports the \
             results."
        }
        false => "No robot evolved: each drove with the tree of the experiment.",
    };
    let mut lead = vec![
        format!(
            "{} of {}, {} simulations of {SECONDS} s for each tree.",
            count(runs.len(), "run", "runs"),
            first.experiment,
            plan.runs
        ),
        format!("{does} The blue bar marks results."),
        "The data are in the folder of this page as runs, curves, segments, trees, swarms, gap, senses and estimates, \
         each as .csv and .parquet."
            .into(),
    ];
    if let Some(run) = adapted {
        lead.push(format!(
            "The robots found that the world differs from the plan, and continued to evolve with their estimates of \
             it. Trees and swarms are simulated with the median of the last estimates of the robots of {}; in the last \
             chapters each run's own swarm is simulated with the estimates of its own robots.",
            run.name
        ));
    }
    Ok(Report {
        html: page::html(&format!("Report: {}", first.experiment), &lead, command, &sections),
        tables: tables::all(runs, &known, &gaps, mixed.as_ref()),
        results: sections.into_iter().map(|section| (section.title, section.results)).collect(),
    })
}
