//! Reader for the evolving and the fixed automata of each step.

use super::Project;
use crate::scenario::ScenarioError;
use crate::scenario::file::{AutomatonEntry, StepEntry};
use xpuck_automata::automaton::Module;

/// Maximum number of triggers of an automaton.
const MAX_TRIGGERS: usize = 64;

impl Project<'_> {
    pub(super) fn automata(&mut self) -> Result<(), ScenarioError> {
        self.modules()?;
        self.evolving()?;
        self.fixed()?;
        self.triggers()?;
        self.each_automaton(|automaton, value| automaton.states = value)?;
        self.each_automaton(|automaton, value| automaton.new_states.get_or_insert([1, 1])[0] = value)?;
        self.each_automaton(|automaton, value| automaton.new_states.get_or_insert([1, 1])[1] = value)?;
        self.each_transitions(|automaton, value| automaton.transitions[1] = value)?;
        self.each_transitions(|automaton, value| automaton.transitions[0] = value)?;
        self.each_transitions(|automaton, value| automaton.new_transitions[1] = value)?;
        self.each_transitions(|automaton, value| automaton.new_transitions[0] = value)?;
        let out = self.values.number("out")?;
        self.steps.iter_mut().flat_map(|step| &mut step.automata).for_each(|automaton| automaton.out = out);
        Ok(())
    }

    /// Reads the list of modules, which must contain the ten modules in the order of their numbers.
    fn modules(&mut self) -> Result<(), ScenarioError> {
        let count = Module::ALL.len() as i64;
        self.each_by("modules", |_, values| values.only("modules", count, "all"))?;
        self.values.word("message data")?;
        self.each_by("modules", |_, values| {
            for module in Module::ALL {
                let path = values.word("modules")?;
                let name = path.rsplit('/').next().unwrap_or(path).split('.').next();
                if name != Some(module.name()) {
                    let message = format!(
                        "{path:?} is not a file of module {}; list the modules in the order of their numbers",
                        module.name()
                    );
                    return Err(values.refuse("modules", message));
                }
            }
            Ok(())
        })
    }

    fn evolving(&mut self) -> Result<(), ScenarioError> {
        let most = Module::ARBITRATED.len();
        let mut counts = Vec::new();
        self.each_by("automata", |_, values| {
            counts.push(values.count("automata", most)?);
            Ok(())
        })?;
        let mut counts = counts.into_iter();
        self.each_by("automata", |step, values| {
            for _ in 0..counts.next().unwrap_or(0) {
                let module = values.module("automata")?.name();
                if step.automata.iter().any(|automaton| automaton.module == module) {
                    return Err(
                        values.refuse("automata", format!("module {module} evolves twice; remove one of the entries"))
                    );
                }
                step.automata.push(AutomatonEntry {
                    module: module.into(),
                    triggers: vec![],
                    outgoing_triggers: vec![],
                    states: 0,
                    new_states: None,
                    transitions: [0, 0],
                    new_transitions: [0, 0],
                    out: 0.0,
                });
            }
            Ok(())
        })
    }

    fn fixed(&mut self) -> Result<(), ScenarioError> {
        let mut counts = Vec::new();
        self.each_by("fixed", |_, values| {
            counts.push(values.count("fixed", Module::ARBITRATED.len())?);
            Ok(())
        })?;
        let evolves = |module: Module, step: &StepEntry| step.automata.iter().any(|a| a.module == module.name());
        let evolving = Module::ARBITRATED
            .map(|module| -> Vec<bool> { self.steps.iter().map(|step| evolves(module, step)).collect() });
        let mut counts = counts.into_iter();
        self.each_by("fixed", |step, values| {
            for _ in 0..counts.next().unwrap_or(0) {
                let module = values.module("fixed")?;
                let path = values.word("fixed")?;
                let steps = module.arbitrated().map_or(&[][..], |place| &evolving[place]);
                let from = source(path, steps).map_err(|message| values.refuse("fixed", message))?;
                step.fixed.insert(module.name().into(), from);
            }
            Ok(())
        })
    }

    /// Reads the triggers of each evolving automaton. They apply to incoming messages.
    fn triggers(&mut self) -> Result<(), ScenarioError> {
        self.each_by("automata", |step, values| {
            for _ in 0..step.automata.len() {
                let module = values.module("triggers")?.name();
                let Some(automaton) = step.automata.iter_mut().find(|automaton| automaton.module == module) else {
                    return Err(values.refuse(
                        "triggers",
                        format!("module {module} does not evolve in step {}; remove its triggers", step.name),
                    ));
                };
                for _ in 0..values.count("triggers", MAX_TRIGGERS)? {
                    automaton.triggers.push(values.word("triggers")?.into());
                }
            }
            Ok(())
        })
    }

    /// Reads one number for each evolving automaton of each step, and passes the numbers to `put`.
    fn each_automaton(&mut self, put: fn(&mut AutomatonEntry, usize)) -> Result<(), ScenarioError> {
        self.each_by("states", |step, values| {
            for automaton in &mut step.automata {
                put(automaton, values.number("states")?);
            }
            Ok(())
        })
    }

    /// Reads one number for each step, and passes it to `put` for each evolving automaton of the step.
    fn each_transitions(&mut self, put: fn(&mut AutomatonEntry, usize)) -> Result<(), ScenarioError> {
        self.each("transitions", |step, value| {
            step.automata.iter_mut().for_each(|automaton| put(automaton, value));
        })
    }
}

/// Returns the source of a fixed automaton from the path of its file: hand-made, or the step in which the automaton
/// evolved. A step's folder contains both evolved and fixed automata. The source is therefore the folder's step, or
/// the last earlier step in which the module evolved.
fn source(path: &str, evolves: &[bool]) -> Result<String, String> {
    if path.contains("handmade") {
        return Ok("hand-made".into());
    }
    let folder = path.rsplit('/').nth(1).and_then(|folder| folder.parse::<usize>().ok());
    let folder = folder.filter(|_| path.ends_with(".evolved"));
    let folder = folder.ok_or_else(|| {
        format!(
            "{path:?} is neither a hand-made automaton nor a result of a step; choose a file such as fsa-handmade/fsa.dat or 1/fsa.dat.evolved"
        )
    })?;
    let step = evolves.iter().take(folder + 1).rposition(|&evolves| evolves);
    step.map(|step| step.to_string())
        .ok_or_else(|| format!("{path:?} contains a module that does not evolve in any step up to step {folder}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_automaton_comes_from_last_evolving_step() {
        let evolves = [true, false, true, false];
        assert_eq!(source("fsa/1/fsa.dat.evolved", &evolves), Ok("0".into()));
        assert_eq!(source("fsa/9/fsa.dat.evolved", &evolves), Ok("2".into()));
        assert_eq!(source("fsa-handmade/fsa.dat", &evolves), Ok("hand-made".into()));
        assert!(source("fsa/fsa.dat", &evolves).unwrap_err().contains("neither"));
        assert!(source("1/a.evolved", &[false; 3]).unwrap_err().contains("does not evolve in any step up to step 1"));
    }
}
