//! Best run of each setting, and the file of its tree.

use super::evolution::Run;
use serde::Serialize;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use xpuck_stats::figure::Figure;

/// Run with the best champion of a setting.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Best {
    /// Name of the setting.
    pub label: String,
    /// Name of the run.
    pub run: String,
    /// Seed of the run.
    pub seed: u64,
    /// Estimated fitness of the champion during evolution, from the trials by which it was selected.
    pub in_evolution: f64,
    /// Fitness of the champion in fresh simulations.
    pub measured_again: f64,
    /// File of the champion's tree, relative to the sweep's folder.
    pub tree: PathBuf,
}

impl Best {
    /// Returns the run with the best champion among a setting's runs; `None` if no result contains champions.
    pub fn from_runs<'a>(label: &str, runs: impl Iterator<Item = (&'a Run, &'a Map<String, Value>)>) -> Option<Best> {
        let bests = runs.filter_map(|(run, result)| {
            let number = |champion: &Value, key: &str| champion.get(key)?.as_f64().filter(|x| x.is_finite());
            let champions = result.get("champions")?.as_array()?.iter().enumerate();
            let measured = champions.filter_map(|(i, c)| Some((i, number(c, "fitness")?, number(c, "remeasured")?)));
            // Among equally fit champions, the first champion is chosen.
            let (island, in_evolution, measured_again) = measured.rev().max_by(|a, b| a.2.total_cmp(&b.2))?;
            Some(Best {
                label: label.into(),
                run: run.name.clone(),
                seed: run.seed,
                in_evolution,
                measured_again,
                tree: ["runs", &run.name, "trees", &format!("champion-{island}.bt")].iter().collect(),
            })
        });
        bests.reduce(|best, other| if other.measured_again > best.measured_again { other } else { best })
    }

    /// Returns a line that summarises the best run. The path of the tree's file begins with `folder`.
    pub fn line(&self, folder: &Path) -> String {
        let Best { label, run, seed, in_evolution, measured_again, tree } = self;
        let [evolution, again] = [in_evolution, measured_again].map(|fitness| Figure(*fitness));
        let file = folder.join(tree);
        format!(
            "Best run of {label}: {run} (seed {seed}), {again:.4} remeasured ({evolution:.4} in evolution): {}",
            file.display()
        )
    }
}

/// Returns the best runs of all settings as paragraphs of Markdown; empty if `best` is empty.
pub fn markdown(best: &[Best], folder: &Path) -> String {
    best.iter().map(|best| format!("{}\n\n", best.line(folder))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn best_run_is_selected_by_remeasured_fitness() {
        let run =
            |seed: u64| Run { point: 0, seed, name: format!("p1-s{seed}"), file: "p1.toml".into(), folder: "x".into() };
        let result = |champions: &[[f64; 2]]| {
            let champion = |c: &[f64; 2]| json!({ "fitness": c[0], "remeasured": c[1] });
            let champions: Vec<Value> = champions.iter().map(champion).collect();
            json!({ "champions": champions }).as_object().unwrap().clone()
        };
        let runs = [run(2), run(4), run(5)];
        let results =
            [result(&[[0.5, 0.1], [0.4, 0.2]]), result(&[[0.32, 0.296], [0.3, 0.25]]), result(&[[0.4, 0.296]])];
        let best = Best::from_runs("racing", runs.iter().zip(&results)).unwrap();
        assert_eq!((best.run.as_str(), best.seed, best.in_evolution), ("p1-s4", 4, 0.32));
        assert_eq!(
            best.line(Path::new("runs/five")),
            "Best run of racing: p1-s4 (seed 4), 0.2960 remeasured (0.3200 in evolution): runs/five/runs/p1-s4/trees/champion-0.bt"
        );
        let second = Best::from_runs("racing", runs[..1].iter().zip(&results)).unwrap();
        assert_eq!(second.tree, Path::new("runs/p1-s2/trees/champion-1.bt"));
        let none = [Map::new()];
        assert_eq!(Best::from_runs("racing", runs.iter().zip(&none)), None);
        assert_eq!(markdown(&[], Path::new("")), "");
    }
}
