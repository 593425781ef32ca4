//! Parser of saved populations, for all kinds of genomes.

use super::{Body, MAX_INDIVIDUALS, Population, SavedGenome, SavedIndividual};
use crate::scenario::ScenarioError;
use std::str::FromStr;
use xpuck_automata::automaton::Module;
use xpuck_kernels::tree::suggest;

/// Maximum length of the text of a population (bytes).
const MAX_TEXT: usize = 64 * 1024 * 1024;
/// Maximum number of generations of a curriculum.
const MAX_GENERATIONS: u64 = 100_000;
/// Maximum number of evaluations of a step. The limit is greater than the number in any possible run.
const MAX_EVALUATIONS: u64 = 1 << 40;
/// Keywords that begin the lines between genomes.
const KEYS: [&str; 4] = ["generations", "evaluations", "individual", "end"];
const HEADER: &str = "the first line must be such as \"population 1 cargoloader lnflwer\"";

/// Returns the non-empty lines with their line numbers. Comments are removed, and the indentation is kept.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = (1..).zip(text.lines()).map(|(number, line)| (number, line.split('#').next().unwrap_or("").trim_end()));
    lines.filter(|(_, line)| !line.is_empty())
}

/// Returns the number of the line that names the modules of a population.
pub(super) fn header_line(text: &str) -> usize {
    lines(text).next().map_or(1, |(number, _)| number)
}

pub(super) fn population<G: SavedGenome>(file: &str, text: &str) -> Result<Population<G>, ScenarioError> {
    let fail = |line: usize, message: String| ScenarioError { file: file.into(), line, message };
    if text.len() > MAX_TEXT {
        return Err(fail(1, format!("the file has {} bytes; at most {MAX_TEXT} are allowed", text.len())));
    }
    let lines: Vec<(usize, &str)> = lines(text).collect();
    let Some((&(mut number, header), mut rest)) = lines.split_first() else {
        return Err(fail(1, format!("the file is empty; {HEADER}")));
    };
    let modules = modules::<G>(header).map_err(|message| fail(number, format!("population: {message}")))?;
    let mut population = Population { modules, generations: 0, evaluations: 0, individuals: vec![] };
    while let Some((&(at, line), after)) = rest.split_first() {
        (number, rest) = (at, after);
        let line = line.trim();
        let (key, value) = line.split_once(' ').map_or((line, ""), |(key, value)| (key, value.trim()));
        let result = match key {
            "generations" => count(value, MAX_GENERATIONS).map(|n| population.generations = n as u32),
            "evaluations" => count(value, MAX_EVALUATIONS).map(|n| population.evaluations = n),
            "individual" => match fitness(value, population.individuals.len()) {
                Ok(fitness) => {
                    let length = rest.iter().take_while(|(_, line)| is_of_genome(line)).count();
                    let (lines, after) = rest.split_at(length);
                    rest = after;
                    let genome = G::read(&Body { file, modules: &population.modules, above: number, lines })?;
                    population.individuals.push(SavedIndividual { fitness, genome });
                    Ok(())
                }
                Err(message) => Err(message),
            },
            "end" => end(value, population.individuals.len(), rest.is_empty()),
            _ => Err(format!("unexpected line; expected {}", KEYS.join(", "))),
        };
        result.map_err(|message| fail(number, format!("{key}: {message}")))?;
    }
    if population.individuals.is_empty() {
        return Err(fail(
            number,
            "individual: the population has no individual; add one such as \"individual 803211.5\"".into(),
        ));
    }
    population.individuals.sort_by(|a, b| b.fitness.total_cmp(&a.fitness));
    Ok(population)
}

/// Returns whether a line belongs to the genome above it, because it does not begin with a keyword.
fn is_of_genome(line: &str) -> bool {
    !KEYS.contains(&line.split_whitespace().next().unwrap_or(""))
}

/// Checks that the last line contains the number of individuals. `value` is its text after the keyword.
fn end(value: &str, individuals: usize, is_last: bool) -> Result<(), String> {
    match value.parse::<usize>() {
        _ if !is_last => Err("it must be the last line; remove the lines after it".into()),
        Ok(count) if count == individuals => Ok(()),
        _ => Err(format!(
            "the last line states {value} individuals, but the file has {individuals}; copy the whole file again"
        )),
    }
}

fn fitness(word: &str, known: usize) -> Result<f64, String> {
    if known == MAX_INDIVIDUALS {
        return Err(format!("at most {MAX_INDIVIDUALS} individuals are allowed; remove the excess individuals"));
    }
    match value::<f64>(word)? {
        fitness if fitness.is_finite() => Ok(fitness),
        fitness => Err(format!("{fitness} is not a valid fitness; must be a finite number")),
    }
}

fn modules<G: SavedGenome>(header: &str) -> Result<Vec<Module>, String> {
    let mut words = header.split_whitespace();
    if words.next() != Some("population") {
        return Err(HEADER.into());
    }
    match words.next() {
        Some("1") => {}
        other => return Err(format!("format {} is not supported; must be 1", other.unwrap_or("-"))),
    }
    if let Some(kind) = G::WORD
        && words.next() != Some(kind)
    {
        return Err(format!("expected \"{kind}\" before the modules, because the individuals are {kind}s"));
    }
    let mut named = words.map(module).collect::<Result<Vec<_>, _>>()?;
    named.sort_by_key(|module| module.arbitrated());
    let count = named.len();
    named.dedup();
    match named.len() {
        0 => Err(format!("no module is named; {HEADER}")),
        n if n < count => Err("a module is named twice; remove one of them".into()),
        _ => Ok(named),
    }
}

pub(super) fn module(name: &str) -> Result<Module, String> {
    let found = Module::ARBITRATED.into_iter().find(|module| module.name() == name);
    found.ok_or_else(|| {
        let near = suggest(name, Module::ARBITRATED.iter().map(|module| module.name().into()));
        format!("{name:?} is not a module with a post-office{near}")
    })
}

fn count(word: &str, most: u64) -> Result<u64, String> {
    match value(word)? {
        count if count <= most => Ok(count),
        count => Err(format!("{count} is out of range; must be 0 to {most}")),
    }
}

fn value<T: FromStr>(word: &str) -> Result<T, String> {
    word.parse().map_err(|_| format!("{word:?} is not a number"))
}

#[cfg(test)]
mod tests {
    use super::{Population, ScenarioError};

    fn population(file: &str, text: &str) -> Result<Population, ScenarioError> {
        super::population(file, text)
    }

    const TEXT: &str = "population 1 cargoloader lnflwer\ngenerations 12\nevaluations 691\n\
        individual 803211.1\nmodule cargoloader\nstates 1\nstart 1\n\
        1 -> 1: (SENSORS_TARGET_MARK), in:CARGOLOADER_LOAD, out:-\nmodule lnflwer\nstates 2\nstart 2\n\
        individual -0.30000000000000004\nmodule cargoloader\nstates 1\nstart 1\nmodule lnflwer\nstates 1\nstart 1\n\
        end 2\n";

    #[test]
    fn text_and_population_are_each_others() {
        let population = population("p", TEXT).unwrap();
        assert_eq!(population.text(), TEXT);
        assert_eq!((population.individuals.len(), population.generations, population.evaluations), (2, 12, 691));
    }

    #[test]
    fn truncated_population_is_rejected() {
        let end = |text: &str| population("p", text).unwrap_err().to_string();
        assert!(
            end(&TEXT.replace("end 2", "end 3")).contains("the last line states 3 individuals, but the file has 2")
        );
        assert!(end(&TEXT.replace("end 2", "end 2\nindividual 1")).contains("it must be the last line"));
    }

    #[test]
    fn individuals_are_sorted_by_fitness() {
        let text = TEXT.replace("803211.1", "-7");
        assert_eq!(population("p", &text).unwrap().individuals[1].fitness, -7.0);
    }

    #[test]
    fn errors_name_line_key_and_remedy() {
        let error = |from: &str, to: &str| population("p", &TEXT.replacen(from, to, 1)).unwrap_err().to_string();
        assert_eq!(error("on 1 c", "on 2 c"), "p: line 1: population: format 2 is not supported; must be 1");
        assert!(error("lnflwer", "lnflower").contains("did you mean `lnflwer`?"));
        assert!(error("cargoloader lnflwer", "").starts_with("p: line 1: population: no module is named"));
        assert_eq!(error("12", "x"), "p: line 2: generations: \"x\" is not a number");
        assert!(error("12", "100001").contains("generations: 100001 is out of range; must be 0 to 100000"));
        assert!(error("803211.1", "inf").starts_with("p: line 4: individual: inf is not a valid fitness"));
        assert!(error("MARK", "MARC").starts_with("p: line 8: module cargoloader: \"SENSORS_TARGET_MARC\""));
        assert!(
            error("module lnflwer", "module cargoloader")
                .contains("p: line 9: module: the individual has module cargoloader twice")
        );
        assert!(
            error("module lnflwer\nstates 2", "# comment\nstates 2")
                .contains("p: line 5: module: the individual has no")
        );
        assert!(error("generations", "generation").contains("line 2: generation: unexpected line"));
        assert!(
            population("p", "\npopulation 1 explore\n").unwrap_err().to_string().starts_with("p: line 2: individual")
        );
    }

    #[test]
    fn changed_lines_never_panic() {
        for at in 0..TEXT.lines().count() {
            for to in
                ["", "individual", "individual nan", "module explore", "module", "population 1", "states 99", "é -> 1:"]
            {
                let lines = TEXT.lines().enumerate().map(|(i, line)| if i == at { to } else { line });
                let _ = population("p", &lines.collect::<Vec<_>>().join("\n"));
            }
        }
    }
}
