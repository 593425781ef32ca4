//! Outcome of a curriculum run.

use super::controller_kind::SavedKind;
use super::plan::Plan;
use super::reevaluation::Reevaluation;
use crate::scenario::{Ending, Generation, Report, Request, Step, StepReport};
use serde::{Deserialize, Serialize};
use xpuck_automata::cargo::{Arbitration, COUNTED_SCRIPTS, ScriptTimes};
use xpuck_evolve::curriculum::{OperatorStatistics, Statistics, StepState};
use xpuck_stats::statistics::mean;

/// Number of runs from each start in the re-evaluation of the final controller.
const FRESH: u32 = 20;

/// Outcome of a run, which `xpuck evolve --curriculum FILE --json` prints as its last line.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Outcome {
    /// Name of the curriculum.
    pub curriculum: String,
    /// Seed of the run.
    pub seed: u64,
    /// Whether the end formula of the goal, the last step, held.
    pub solved: bool,
    /// Total number of generations of all steps.
    pub generations: u32,
    /// Total number of simulated controllers of all steps.
    pub evaluations: u64,
    /// Steps, in the order in which they ran.
    pub steps: Vec<StepOutcome>,
    /// Re-evaluation of the last step's best controller with other random numbers. `None` if the goal was not
    /// reached, or if no script has a positive weight in the goal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fresh: Option<Fresh>,
    /// Automata or tree of the last step's best controller, as text.
    pub controller: String,
    /// Wall time of this process (s).
    pub wall_s: f64,
}

/// Outcome of a step.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct StepOutcome {
    /// Name of the step.
    pub name: String,
    /// Number of generations of the step.
    pub generations: u32,
    /// Number of simulated controllers of the step.
    pub evaluations: u64,
    /// Fitness of the best controller.
    pub best: f64,
    /// Reason for the end of the step: "held" (end formula), "skipped", "stopped", "exhausted" (no generations left),
    /// or "before" (an earlier process completed the step but did not save its outcome).
    pub ending: String,
    /// Contribution of each operator; empty with the racing algorithm.
    pub operators: Vec<OperatorOutcome>,
}

/// Contribution of an operator in a step.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct OperatorOutcome {
    /// Name of the operator.
    pub name: String,
    /// Number of new genotypes that the operator created.
    pub applied: u32,
    /// Number of the operator's genotypes that were fitter than their parent.
    pub better: u32,
    /// Number of the operator's genotypes that were less fit than their parent.
    pub worse: u32,
    /// Sum of the fitness gains of the fitter genotypes.
    pub gain: f64,
    /// Share of the operator's gains in the gains of all operators (0..=1).
    pub share: f64,
    /// Share of fitter genotypes among the operator's genotypes whose fitness changed (0..=1).
    pub positive: f64,
}

/// Re-evaluation of a controller with random numbers that evolution did not use.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Fresh {
    /// Total number of runs from all starts of the step. Each start has the same number of runs.
    pub runs: usize,
    /// Mean score of a run.
    pub score: f64,
    /// Number of the script with the largest weight in the goal (from 1). In the cargo worlds, this is script 4, which
    /// delivers the cargo.
    pub script: usize,
    /// Mean number of executions of the script per run.
    pub times: f64,
    /// Number of runs in which the script was not executed.
    pub without: usize,
}

impl Outcome {
    /// Creates the outcome of a run from its report. `kept` returns the saved outcome of a step that an earlier
    /// process completed.
    pub(super) fn new<S: SavedKind>(
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
        // A skipped last step counts as not solved.
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

    /// Returns whether the run was stopped before its end, and can be resumed.
    pub fn stopped(&self) -> bool {
        let over = [ending(Ending::Exhausted), ending(Ending::Skipped)];
        !self.solved && self.steps.last().is_none_or(|step| !over.contains(&step.ending.as_str()))
    }
}

impl StepOutcome {
    /// Creates the outcome of a step from its last generation and the observer's last request.
    pub(super) fn from_generation<S: SavedKind>(generation: &Generation<S>, asked: Request) -> StepOutcome {
        let over = if asked == Request::Skip && generation.progress != StepState::Done {
            Ending::Skipped
        } else {
            Ending::FormulaHeld
        };
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
        Ending::FormulaHeld => "held",
        Ending::Skipped => "skipped",
        Ending::Stopped => "stopped",
        Ending::Exhausted => "exhausted",
    }
}

/// Re-evaluates a controller in the world of a step. Returns `None` if no script has a positive weight in the step.
fn fresh(step: &Step, controller: Arbitration, seed: u64) -> Option<Fresh> {
    let wanted = step.weights.scripts;
    let script = (0..COUNTED_SCRIPTS).filter(|&i| wanted[i] > 0.0).max_by(|&a, &b| wanted[a].total_cmp(&wanted[b]))?;
    let outcomes = Reevaluation { step, controller, repeats: FRESH, seed }.outcomes();
    let scores = outcomes.scores().concat();
    let ScriptTimes { times, without } = outcomes.script_times(script);
    Some(Fresh { runs: scores.len(), score: mean(&scores), script: script + 1, times, without })
}
