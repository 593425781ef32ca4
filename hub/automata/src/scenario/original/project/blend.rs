//! Reader for the sources of a step's initial population: saved populations, preceding steps, and shares.

use super::{MAX_FILES, MAX_STEPS, Project};
use crate::scenario::ScenarioError;
use crate::scenario::file::BlendEntry;

impl Project<'_> {
    /// Reads the paths of saved populations. Skips the paths of populations to save, because this project saves all
    /// populations in the folder of a run.
    pub(super) fn populations(&mut self) -> Result<(), ScenarioError> {
        for _ in 0..self.values.count("saved populations", MAX_FILES)? {
            self.saved.push((self.values.line(), self.values.word("saved populations")?));
        }
        let key = "populations to save";
        let count = self.values.count(key, MAX_FILES)?;
        for _ in 0..count {
            self.values.number::<usize>(key)?;
        }
        for _ in 0..count {
            self.values.word(key)?;
        }
        Ok(())
    }

    pub(super) fn blends(&mut self) -> Result<(), ScenarioError> {
        let mut counts = Vec::new();
        self.each_by("after", |_, values| {
            counts.push(values.count("after", MAX_STEPS)?);
            Ok(())
        })?;
        let (steps, saved) = (self.steps.len(), self.saved.clone());
        let mut before: Vec<Vec<String>> = Vec::new();
        self.each_by("after", |step, values| {
            let mut sources = Vec::new();
            for _ in 0..counts[before.len()] {
                let number: i32 = values.number("after")?;
                let place = number.unsigned_abs() as usize;
                sources.push(if number < 0 {
                    let (_, path) = saved.get(place - 1).ok_or_else(|| {
                        values.refuse(
                            "after",
                            format!(
                                "{number} is not a saved population; the number of saved populations is {}",
                                saved.len()
                            ),
                        )
                    })?;
                    format!("population:{path}")
                } else if place < steps {
                    step.after.push(place.to_string());
                    place.to_string()
                } else {
                    return Err(values.refuse("after", format!("{number} is not a step; must be 0 to {}", steps - 1)));
                });
            }
            before.push(sources);
            Ok(())
        })?;
        let mut before = before.into_iter();
        self.each_by("blend", |step, values| {
            let sources = before.next().unwrap_or_default();
            while let Some(module) = values.module_or_end("blend")? {
                for from in &sources {
                    let row: [f32; 4] = values.numbers("blend")?;
                    // Each source has a row of values. A first value of 0 disables the source.
                    if row[0] != 0.0 {
                        step.blend.push(BlendEntry { module: module.name().into(), from: from.clone(), row });
                    }
                }
            }
            Ok(())
        })
    }
}
