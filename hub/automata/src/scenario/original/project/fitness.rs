//! Reader for the evaluation of controllers and for the fitness.

use super::Project;
use crate::scenario::ScenarioError;
use crate::scenario::early_stop::EarlyStopEntry;
use xpuck_automata::cargo::{COUNTED_SCRIPTS, MAX_ENTRIES};
use xpuck_evolve::curriculum::Combination;

impl Project<'_> {
    pub(super) fn fitness(&mut self) -> Result<(), ScenarioError> {
        self.each("starts", |step, value| step.starts = value)?;
        self.each("repeats", |step, value| step.repeats = value)?;
        self.each("time", |step, value| step.time = value)?;
        self.checkpoints()?;
        self.each("obstacle time", |step, value| step.weights.obstacle_time = value)?;
        self.each("lit time", |step, value| step.weights.lit_time = value)?;
        self.each("line time", |step, value| step.weights.line_time = value)?;
        self.each("lit line time", |step, value| step.weights.lit_line_time = value)?;
        self.each("distance", |step, value| step.weights.distance = value)?;
        self.each("changes", |step, value| step.weights.changes = value)?;
        self.each_by("scripts", |step, values| {
            for _ in 0..values.count("scripts", COUNTED_SCRIPTS)? {
                step.weights.scripts.push(values.number("scripts")?);
            }
            Ok(())
        })?;
        self.each_by("areas", |_, values| {
            for _ in 0..values.count("areas", MAX_ENTRIES)? {
                if values.number::<f64>("areas")? != 0.0 {
                    return Err(
                        values.refuse("areas", "areas are not counted; set weights of the scripts that they run")
                    );
                }
            }
            Ok(())
        })?;
        self.each("states", |step, value| step.weights.states = value)?;
        self.each("transitions", |step, value| step.weights.transitions = value)?;
        self.each("offset", |step, value| step.weights.offset = value)?;
        self.each_by("only after load", |step, values| {
            step.weights.only_after_load = values.flag("only after load")?;
            Ok(())
        })?;
        self.each_by("combine", |step, values| {
            let number = values.number("combine")?;
            step.combine = Combination::of_number(number).ok_or_else(|| {
                values.refuse("combine", format!("{number} is not a valid combination of scores; must be 0 to 4"))
            })?;
            Ok(())
        })
    }

    /// Reads the early stop rule of each step. A value of 0 disables it, and -1 means shares of the best individual's
    /// score. Four values follow -1: a number of best individuals (which must be 0), the share, the time of the first
    /// check (ms) and the interval of the checks (ms).
    fn checkpoints(&mut self) -> Result<(), ScenarioError> {
        let key = "early-stop";
        self.each_by(key, |step, values| match values.number::<i32>(key)? {
            0 => Ok(()),
            -1 => {
                if values.number::<f64>(key)? != 0.0 {
                    return Err(values.refuse(
                        key,
                        "a mean of several individuals is not supported; must be 0 (best individual only)",
                    ));
                }
                let [share, after, every] = values.numbers::<f64, 3>(key)?;
                step.early_stop = Some(EarlyStopEntry { after: after / 1000.0, every: every / 1000.0, share });
                Ok(())
            }
            _ => Err(values
                .refuse(key, "a list of checkpoints is not supported; must be 0 (none) or -1 (shares of the best)")),
        })
    }

    /// Reads the weights of wheel speed changes. Changes count only on lines, and have a separate weight in the light
    /// of a lamp.
    pub(super) fn changes(&mut self) -> Result<(), ScenarioError> {
        let key = "changes on lines only";
        self.each_by(key, |_, values| values.only(key, 1, "changes count on lines"))?;
        self.each("lit changes", |step, value| step.weights.lit_changes = value)
    }
}
