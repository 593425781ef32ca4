//! Format of automata in a saved population. Each automaton follows a line `module NAME`.

use super::read::module;
use super::{Body, SavedGenome};
use crate::scenario::{ScenarioError, Step};
use std::fmt::Write;
use xpuck_automata::automaton::{Automaton, Module, parse, print};
use xpuck_automata::cargo::ControllerAutomata;

impl SavedGenome for ControllerAutomata {
    const WORD: Option<&'static str> = None;

    fn modules(step: &Step) -> Vec<Module> {
        step.modules()
    }

    fn write(&self, modules: &[Module], text: &mut String) {
        for module in modules {
            let automaton = module.arbitrated().and_then(|place| self.0[place].as_ref());
            if let Some(automaton) = automaton {
                let _ = write!(text, "module {}\n{}", module.name(), print(automaton));
            }
        }
    }

    fn read(body: &Body) -> Result<ControllerAutomata, ScenarioError> {
        let fail = |line: usize, message: String| ScenarioError { file: body.file.into(), line, message };
        let mut automata = ControllerAutomata::default();
        let (mut above, mut rest) = (body.above, body.lines);
        while let Some((&(number, line), after)) = rest.split_first() {
            let line = line.trim();
            let (key, name) = line.split_once(' ').map_or((line, ""), |(key, value)| (key, value.trim()));
            if key != "module" {
                return Err(fail(number, format!("{key}: unexpected line; expected \"module NAME\"")));
            }
            let length = after.iter().take_while(|(_, line)| !begins_module(line)).count();
            let (lines, after) = after.split_at(length);
            let place = place(&automata, body.modules, name);
            let place = place.map_err(|message| fail(number, format!("module: {message}")))?;
            automata.0[place] = Some(automaton(body.file, number, Module::ARBITRATED[place], lines)?);
            (above, rest) = (number, after);
        }
        let missing = |module: &&Module| module.arbitrated().is_none_or(|place| automata.0[place].is_none());
        match body.modules.iter().find(missing) {
            None => Ok(automata),
            Some(missing) => {
                let name = missing.name();
                Err(fail(above, format!("module: the individual has no automaton of {name}; add \"module {name}\"")))
            }
        }
    }
}

fn begins_module(line: &str) -> bool {
    line.split_whitespace().next() == Some("module")
}

/// Returns the index of the automaton of module `name`. Rejects modules that are not in `modules`, and modules that
/// already have an automaton.
fn place(automata: &ControllerAutomata, modules: &[Module], name: &str) -> Result<usize, String> {
    let module = module(name)?;
    let place = module.arbitrated().filter(|_| modules.contains(&module));
    let place = place.ok_or_else(|| format!("module {name} is not listed in the first line; add it there"))?;
    match automata.0[place] {
        None => Ok(place),
        Some(_) => Err(format!("the individual has module {name} twice; remove one of them")),
    }
}

/// Parses the automaton of a module. Its lines follow line `above`, which contains the name of the module.
fn automaton(file: &str, above: usize, module: Module, lines: &[(usize, &str)]) -> Result<Automaton, ScenarioError> {
    let mut body = String::new();
    let mut next = above + 1;
    for &(number, line) in lines {
        // Removed empty lines are inserted again, so that errors have correct line numbers.
        body.extend(std::iter::repeat_n('\n', number - next));
        next = number + 1;
        body.push_str(line);
        body.push('\n');
    }
    parse(file, module, &body).map_err(|error| ScenarioError {
        file: file.into(),
        line: above + error.line,
        message: format!("module {}: {}", module.name(), error.message),
    })
}
