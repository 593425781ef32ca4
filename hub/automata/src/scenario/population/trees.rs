//! Trees in a saved population, in the format of [`Tree`].

use super::{Body, SavedGenome};
use crate::arbiters::{TreeGenome, primitive_set};
use crate::scenario::{ScenarioError, Step};
use xpuck_automata::automaton::Module;
use xpuck_automata::cargo::Arbiter;
use xpuck_kernels::tree::Tree;

impl SavedGenome for TreeGenome {
    const WORD: Option<&'static str> = Some("tree");

    fn modules(step: &Step) -> Vec<Module> {
        step.driven()
    }

    fn write(&self, _modules: &[Module], text: &mut String) {
        text.push_str(&self.tree().to_string());
    }

    fn read(body: &Body) -> Result<TreeGenome, ScenarioError> {
        let fail = |line: usize, message: String| ScenarioError { file: body.file.into(), line, message };
        let lines: String = body.lines.iter().map(|(_, line)| format!("{line}\n")).collect();
        let tree = Tree::parse(&lines).map_err(|error| {
            let line = error.line.checked_sub(1).and_then(|line| body.lines.get(line));
            fail(line.map_or(body.above, |(number, _)| *number), format!("tree: {}", error.message))
        })?;
        // The genetic operators and the simulated robot require that the primitive set allows the tree.
        if !primitive_set(body.modules).allows(&tree) {
            let message = "tree: it has a node, register or signal that trees of these modules do not have; use the \
                file that the step wrote";
            return Err(fail(body.above, message.into()));
        }
        let arbiter = Arbiter::new(tree, body.modules).map_err(|error| fail(body.above, format!("tree: {error}")))?;
        Ok(TreeGenome::new(arbiter.tree().clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Population;

    const TEXT: &str = "population 1 tree avoidance explore\ngenerations 2\nevaluations 150\n\
        individual 299000.5\nsel\n  seq\n    ifquad v_prox 1\n    signal 2\n  signal 1\n\
        individual -0.25\nsignal 1\nend 2\n";

    fn population(text: &str) -> Result<Population<TreeGenome>, String> {
        Population::parse("p", text).map_err(|error| error.to_string())
    }

    #[test]
    fn text_and_population_of_trees_are_each_others() {
        let read = population(TEXT).unwrap();
        assert_eq!(read.text(), TEXT);
        assert_eq!((read.individuals.len(), read.modules), (2, vec![Module::Avoidance, Module::Explore]));
    }

    #[test]
    fn invalid_tree_reports_line() {
        let error = |from: &str, to: &str| population(&TEXT.replacen(from, to, 1)).unwrap_err();
        assert!(error("signal 2", "signul 2").starts_with("p: line 8: tree: "), "{}", error("signal 2", "signul 2"));
        assert!(error("signal 2", "signal 3").starts_with("p: line 4: tree: it has a node"));
        assert!(error("end 2", "end 3").contains("the last line states 3 individuals, but the file has 2"));
        assert!(error("tree ", "").contains("line 1: population: expected \"tree\" before the modules"));
        assert!(error("signal 1\nend", "end").starts_with("p: line 10: tree: "));
    }
}
