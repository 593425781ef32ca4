//! Evaluation and fitness of controllers.

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
                values.refuse("combine", format!("{number} is not a combination of scores; must be 0 to 4"))
            })?;
            Ok(())
        })
    }

    /// Reads the early stop rule: 0 for no rule, or -1 for shares of the best. After -1 come the number of best
    /// individuals, the share, the first time (ms) and the period (ms).
    fn checkpoints(&mut self) -> Result<(), ScenarioError> {
        let key = "early-stop";
        self.each_by(key, |step, values| match values.number::<i32>(key)? {
            0 => Ok(()),
            -1 => {
                if values.number::<f64>(key)? != 0.0 {
                    return Err(values.refuse(key, "a mean of several is not supported; must be 0 (only the best)"));
                }
                let [share, after, every] = values.numbers::<f64, 3>(key)?;
                step.early_stop = Some(EarlyStopEntry { after: after / 1000.0, every: every / 1000.0, share });
                Ok(())
            }
            _ => Err(values
                .refuse(key, "a list of checkpoints is not supported; must be 0 (none) or -1 (shares of the best)")),
        })
    }

    /// Reads weights of wheel speed changes, which count only on lines, with a separate weight under light.
    pub(super) fn changes(&mut self) -> Result<(), ScenarioError> {
        let key = "changes on lines only";
        self.each_by(key, |_, values| values.only(key, 1, "changes count on lines"))?;
        self.each("lit changes", |step, value| step.weights.lit_changes = value)
    }
}
