//! What came out of a run.

use super::again::Again;
use super::kept::Kept;
use super::plan::Plan;
use crate::scenario::{Ask, Ending, Generation, Report, Step, StepReport};
use serde::{Deserialize, Serialize};
use xpuck_automata::cargo::{Arbitration, COUNTED_SCRIPTS, ScriptTimes};
use xpuck_evolve::curriculum::{OperatorStatistics, Progress, Statistics};
use xpuck_stats::statistics::mean;

/// Runs from each start in which the final controller is tried again.
const FRESH: u32 = 20;

/// The last line of `xpuck evolve --curriculum FILE --json`.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Outcome {
    /// The curriculum's name.
    pub curriculum: String,
    /// The run's seed.
    pub seed: u64,
    /// Whether the goal's end formula held.
    pub solved: bool,
    /// Generations of all steps.
    pub generations: u32,
    /// Controllers that were simulated, over all steps.
    pub evaluations: u64,
    /// The steps, in the order in which they ran.
    pub steps: Vec<StepOutcome>,
    /// The best of the last step in runs with other random numbers; nothing if the goal was not reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fresh: Option<Fresh>,
    /// The automata or the tree of the last step's best, as text.
    pub controller: String,
    /// Wall time of this process, s.
    pub wall_s: f64,
}

/// What came of a step.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct StepOutcome {
    /// Its name.
    pub name: String,
    /// Generations in it.
    pub generations: u32,
    /// Controllers that were simulated in it.
    pub evaluations: u64,
    /// Fitness of its best.
    pub best: f64,
    /// How it ended: "held" (its end formula), "skipped", "stopped", "exhausted", or "before" (in an earlier process that left no
    /// word of it).
    pub ending: String,
    /// What each operator contributed.
    pub operators: Vec<OperatorOutcome>,
}

/// What an operator contributed in a step.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct OperatorOutcome {
    /// Its name.
    pub name: String,
    /// New genotypes that it made.
    pub applied: u32,
    /// How many of them were fitter than their parent.
    pub better: u32,
    /// How many were less fit.
    pub worse: u32,
    /// Sum of the gains of those that were fitter.
    pub gain: f64,
    /// Its share of all operators' gains, 0 to 1.
    pub share: f64,
    /// How many of those that changed fitness were fitter, 0 to 1.
    pub positive: f64,
}

/// How a controller does in runs whose random numbers evolution has not seen.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Fresh {
    /// Runs, the starts of the step by turns.
    pub runs: usize,
    /// Mean score of a run.
    pub score: f64,
    /// The script that the goal's weights ask for most, from 1: in the worlds of cargo 4, which is a delivery.
    pub script: usize,
    /// How often it ran in a run, on average.
    pub times: f64,
    /// Runs in which it did not run at all.
    pub without: usize,
}

impl Outcome {
    /// Of a report; `kept` is what earlier processes left of a step that was over before.
    pub(super) fn of<S: Kept>(
        plan: &Plan,
        report: &Report<S::Controller>,
        kept: impl Fn(&str) -> Option<StepOutcome>,
        wall_s: f64,
    ) -> Outcome {
        let outcome = |step: &StepReport<_>| StepOutcome {
            name: step.name.clone(),
            generations: step.generations,
            evaluations: step.evaluations,
            best: step.best,
            ending: ending(step.ending).into(),
            operators: operators(&step.statistics),
        };
        let known = |step: &StepReport<_>| if step.ending == Ending::Before { kept(&step.name) } else { None };
        let steps: Vec<StepOutcome> =
            report.steps.iter().map(|step| known(step).unwrap_or_else(|| outcome(step))).collect();
        // Who skips the last step has not seen it solved.
        let skipped = steps.last().is_some_and(|step| step.ending == ending(Ending::Skipped));
        let last = report.steps.last();
        let fresh = last.filter(|_| report.solved).and_then(|last| {
            let step = plan.scenario.steps.iter().find(|step| step.name == last.name)?;
            fresh(step, S::arbitration(&last.controller), !plan.seed)
        });
        Outcome {
            curriculum: plan.scenario.name.clone(),
            seed: plan.seed,
            solved: report.solved && !skipped,
            generations: report.generations(),
            evaluations: report.evaluations(),
            steps,
            fresh,
            controller: last.map_or(String::new(), |last| S::arbitration(&last.controller).text()),
            wall_s,
        }
    }

    /// True if the run can go on.
    pub fn stopped(&self) -> bool {
        let over = [ending(Ending::Exhausted), ending(Ending::Skipped)];
        !self.solved && self.steps.last().is_none_or(|step| !over.contains(&step.ending.as_str()))
    }
}

impl StepOutcome {
    /// Of the last generation of a step.
    pub(super) fn of<S: Kept>(generation: &Generation<S>, asked: Ask) -> StepOutcome {
        let over =
            if asked == Ask::Skip && generation.progress != Progress::Done { Ending::Skipped } else { Ending::Held };
        StepOutcome {
            name: generation.step.name.clone(),
            generations: generation.variables.step_generation,
            evaluations: generation.variables.step_evaluations,
            best: generation.variables.best,
            ending: ending(over).into(),
            operators: operators(generation.statistics),
        }
    }
}

fn operators(statistics: &Statistics) -> Vec<OperatorOutcome> {
    let outcome = |((name, record), (_, share)): ((&str, &OperatorStatistics), (_, f64))| OperatorOutcome {
        name: name.to_string(),
        applied: record.applied,
        better: record.better,
        worse: record.worse,
        gain: record.gain,
        share,
        positive: record.positive_rate(),
    };
    statistics.iter().zip(statistics.contributions()).map(outcome).collect()
}

fn ending(ending: Ending) -> &'static str {
    match ending {
        Ending::Before => "before",
        Ending::Held => "held",
        Ending::Skipped => "skipped",
        Ending::Stopped => "stopped",
        Ending::Exhausted => "exhausted",
    }
}

/// Tries a controller again; nothing if the step's weights ask for no script.
fn fresh(step: &Step, controller: Arbitration, seed: u64) -> Option<Fresh> {
    let wanted = step.weights.scripts;
    let script = (0..COUNTED_SCRIPTS).filter(|&i| wanted[i] > 0.0).max_by(|&a, &b| wanted[a].total_cmp(&wanted[b]))?;
    let outcomes = Again { step, controller, repeats: FRESH, seed }.outcomes();
    let scores = outcomes.scores().concat();
    let ScriptTimes { times, without } = outcomes.script_times(script);
    Some(Fresh { runs: scores.len(), score: mean(&scores), script: script + 1, times, without })
}
