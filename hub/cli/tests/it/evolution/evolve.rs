//! Runs of evolution that are started from files or options, and their reports.

use crate::common::xpuck;
use serde_json::Value;
use std::path::Path;

const SMALL: &str = "--islands 3 --population 16 --generations 12 --seconds 2 --count 3 --remeasure 4 --json";

fn evolve(arguments: &[&str]) -> Value {
    let output = xpuck().arg("evolve").args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), 1);
    let mut result: Value = serde_json::from_str(&text).unwrap();
    for timing in ["wall_s", "r_acc"] {
        assert!(result.as_object_mut().unwrap().remove(timing).unwrap().as_f64().unwrap() > 0.0, "{timing}");
    }
    result
}

fn rows(out: &Path) -> (String, Vec<Vec<f64>>) {
    let text = std::fs::read_to_string(out.join("generations.csv")).unwrap();
    let (header, rest) = text.split_once('\n').unwrap();
    let row = |line: &str| line.split(',').map(|field| field.parse().unwrap()).collect();
    (header.to_string(), rest.lines().map(row).collect())
}

#[test]
fn run_can_be_repeated_from_its_own_run_file() {
    let dir = tempfile::tempdir().unwrap();
    let (file, out) = (dir.path().join("e.toml"), dir.path().join("out"));
    let world = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/worlds/transport-once.toml");
    std::fs::copy(world, dir.path().join("w.toml")).unwrap();
    let text = "islands = 2\ngenerations = 5\nseconds = 2.0\nremeasure = 2\nworld = \"w.toml\"\n\
        [settings]\npopulation = 12\nelite = 0.3\n[migration]\nevery = 2\n";
    std::fs::write(&file, text).unwrap();
    let (file, out_text) = (file.to_str().unwrap(), out.to_str().unwrap());
    let first = evolve(&[file, "--seed", "6", "--set", "settings.depth=3", "--output", out_text, "--json"]);
    let written = std::fs::read_to_string(out.join("run.toml")).unwrap();
    for line in ["seed = 6", "depth = 3", "elite = 0.3", "every = 2", "world = \"world.toml\"", "tournament = 3"] {
        assert!(written.contains(line), "{line} in\n{written}");
    }
    let run = out.join("run.toml");
    assert_eq!(evolve(&[run.to_str().unwrap(), "--json"]), first);
    let mut kept: Value = serde_json::from_slice(&std::fs::read(out.join("result.json")).unwrap()).unwrap();
    for timing in ["wall_s", "r_acc"] {
        kept.as_object_mut().unwrap().remove(timing);
    }
    assert_eq!(kept, first);
}

#[test]
fn networks_evolve_migrate_and_are_reported() {
    let dir = tempfile::tempdir().unwrap();
    let (out, champion) = (dir.path().join("out"), dir.path().join("champion.bt"));
    let mut arguments: Vec<&str> = SMALL.split(' ').collect();
    arguments.extend(["--set", "settings.representation=\"network\"", "--set", "settings.hidden=3"]);
    let again = evolve(&arguments);
    arguments.extend(["--output", out.to_str().unwrap()]);
    let result = evolve(&arguments);
    assert_eq!(again["best_tree"], result["best_tree"]);
    let tree = result["best_tree"].as_str().unwrap();
    assert_eq!((tree.matches("neuron").count(), tree.matches("synapse").count()), (5, 5 * (9 + 5)), "{tree}");
    let births = std::fs::read(out.join("record.mcap")).unwrap();
    assert!(births.len() > 1000);
    std::fs::write(&champion, tree).unwrap();
    let told = xpuck().args(["tree", "explain"]).arg(&champion).output().unwrap();
    assert!(String::from_utf8_lossy(&told.stdout).contains("a recurrent network of two neurons and 3 hidden ones"));
}

#[test]
fn front_fitness_rises_with_size_and_trees_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let mut arguments: Vec<&str> = SMALL.split(' ').collect();
    arguments.extend(["--front", "--output", out.to_str().unwrap()]);
    let mut result = evolve(&arguments);
    let front = result.as_object_mut().unwrap().remove("front").unwrap();
    let front = front.as_array().unwrap();
    let number = |row: &Value, name: &str| row[name].as_f64().unwrap();
    assert!(!front.is_empty());
    for pair in front.windows(2) {
        assert!(number(&pair[0], "nodes") < number(&pair[1], "nodes"));
        assert!(number(&pair[0], "remeasured") < number(&pair[1], "remeasured"));
    }
    for row in front {
        let kept = std::fs::read_to_string(out.join(format!("trees/front-{:03}.bt", row["nodes"].as_u64().unwrap())));
        assert!(kept.unwrap().ends_with(row["tree"].as_str().unwrap()));
    }
    let plain: Vec<&str> = SMALL.split(' ').collect();
    assert_eq!(evolve(&plain), result, "asking for a front changes nothing else");
    // `node_cost` has an effect: with a high cost, the largest champion is not larger than without a cost.
    let sizes = |cost: &str| {
        let mut arguments = plain.clone();
        let cost = format!("settings.node_cost={cost}");
        arguments.extend(["--front", "--set", &cost]);
        let front = evolve(&arguments)["front"].as_array().unwrap().clone();
        front.iter().map(|row| row["nodes"].as_u64().unwrap()).max().unwrap()
    };
    assert!(sizes("0.1") <= sizes("0"), "{} and {}", sizes("0.1"), sizes("0"));
    let refused = xpuck().args(["evolve", "--set", "settings.node_cost=1"]).output().unwrap();
    assert!(String::from_utf8_lossy(&refused.stderr).contains("settings.node_cost = 1 is outside 0 to 0.1"));
}

#[test]
fn generation_table_agrees_with_result() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let mut arguments: Vec<&str> = SMALL.split(' ').collect();
    arguments.extend(["--algorithm", "pooled-samples", "--output", out.to_str().unwrap()]);
    let result = evolve(&arguments);
    let (header, rows) = rows(&out);
    assert_eq!(header, "generation,island,robot_seconds,best,derated,evaluations,mean,distinct");
    assert_eq!(rows.len(), 3 * 12);
    for (i, row) in rows.iter().enumerate() {
        let generation = (1 + i / 3) as f64;
        assert_eq!(row[..3], [generation, (i % 3) as f64, generation * 3.0 * 16.0 * 3.0 * 2.0]);
        assert_eq!(row[7], 1.0, "pooled samples: it holds no equal trees");
    }
    assert_eq!(result["robot_seconds"], rows.last().unwrap()[2]);
    let champions = result["champions"].as_array().unwrap();
    let mean = |key: &str| champions.iter().map(|c| c[key].as_f64().unwrap()).sum::<f64>() / 3.0;
    assert!((result["remeasured_mean"].as_f64().unwrap() - mean("remeasured")).abs() < 1e-12);
    let derated = |c: &Value| c["fitness"].as_f64().unwrap() * (c["evaluations"].as_f64().unwrap() / 8.0).min(1.0);
    let expected = champions.iter().map(derated).sum::<f64>() / 3.0;
    assert!((result["final_mean"].as_f64().unwrap() - expected).abs() < 1e-12, "{result}");
}

#[test]
fn generation_that_exhausts_budget_is_last() {
    let dir = tempfile::tempdir().unwrap();
    for (algorithm, budget) in [("noise-aware", 1500.0), ("classic", 9000.0)] {
        let out = dir.path().join(algorithm);
        let text = format!(
            "--algorithm {algorithm} --set settings.elite=0.25 --islands 3 --population 16 --seconds 2 --count 3 --remeasure 2 --json \
            --budget {budget} --output {}",
            out.display()
        );
        let result = evolve(&text.split(' ').collect::<Vec<_>>());
        let (_, rows) = rows(&out);
        let last = result["generations"].as_u64().unwrap();
        assert!(last > 2 && last as usize * 3 == rows.len());
        let used = |generation: u64| rows[3 * (generation as usize - 1)][2];
        assert!(used(last) >= budget && used(last - 1) < budget, "{rows:?}");
        assert_eq!(result["robot_seconds"], used(last));
        if algorithm == "classic" {
            // Each individual has eight trials of 6 robot-seconds. Generation 1 evaluates all 48 individuals.
            // Generation 2 evaluates all except the elite, which is four individuals on each of the three islands.
            assert_eq!((used(1), used(2)), (8.0 * 48.0 * 6.0, 8.0 * (48.0 + 36.0) * 6.0));
        }
        let reached = (&result["generations_to_0.205"], &result["robot_seconds_to_0.205"]);
        match reached.0.as_u64() {
            Some(generation) => assert_eq!(reached.1, used(generation)),
            None => assert!(reached.1.is_null()),
        }
    }
}

#[test]
fn heterogeneity_falls_where_copies_are_let_in() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let mut arguments: Vec<&str> = SMALL.split(' ').collect();
    arguments.extend(["--algorithm", "noise-aware", "--set", "migration.receive=8", "--output", out.to_str().unwrap()]);
    let result = evolve(&arguments);
    assert_eq!(result["algorithm"], "noise-aware");
    let (_, rows) = rows(&out);
    let distinct = |rows: &[Vec<f64>]| rows.iter().map(|r| r[7]).sum::<f64>() / rows.len() as f64;
    assert!(distinct(&rows[..3]) > distinct(&rows[33..]) + 0.1, "{rows:?}");
}

#[test]
fn wrong_keys_and_flags_are_refused_in_one_line() {
    let refusal = |arguments: &[&str]| {
        let output = xpuck().arg("evolve").args(arguments).output().unwrap();
        assert!(!output.status.success() && output.stdout.is_empty());
        String::from_utf8(output.stderr).unwrap()
    };
    for (arguments, expected) in [
        (["--set", "settings.elit=0.3"], "settings: unknown key `elit`; did you mean `elite`?"),
        (["--set", "elite"], "--set elite: write KEY=VALUE as in an evolution file"),
        (["--algorithm", "best"], "unknown variant `best`"),
        (["--islands", "99999"], "islands"),
        (["--world", "/nowhere.toml"], "/nowhere.toml: cannot be read"),
        (["--seconds", "nan"], "seconds = NaN is outside"),
        (["--resume", "/nowhere"], "/nowhere: contains no run"),
        (["/nowhere.toml", "--json"], "/nowhere.toml: cannot be read"),
    ] {
        let error = refusal(&arguments);
        assert!(error.contains(expected) && error.lines().count() == 1, "{arguments:?}: {error}");
    }
}

/// The output names the file that contains the printed best tree.
#[test]
fn run_with_folder_prints_file_of_best_tree() {
    let dir = tempfile::tempdir().unwrap();
    let run = "evolve --islands 2 --population 8 --generations 2 --seconds 1 --count 2 --remeasure 2 --output best";
    let output = xpuck().args(run.split(' ')).current_dir(dir.path()).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let (_, rest) = said.split_once("# file: ").unwrap_or_else(|| panic!("{said}"));
    let file = std::fs::read_to_string(dir.path().join(rest.split(';').next().unwrap())).unwrap();
    let (_, tree) = file.split_once('\n').unwrap();
    assert!(said.contains(tree), "{said}\n{file}");
}

#[test]
fn mean_of_single_island_equals_its_best() {
    let run = ["evolve", "--islands", "1", "--population", "8", "--generations", "2", "--seconds", "1", "--count", "2"];
    for seed in ["1", "2", "3"] {
        let output = xpuck().args(run).args(["--remeasure", "2", "--seed", seed]).output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && said.starts_with("fitness of 1 island's champion\n"), "{said}");
        for line in said.lines().skip(1).take(2) {
            let (_, numbers) = line.split_once("mean ").unwrap();
            let (mean, rest) = numbers.split_once(", best ").unwrap();
            assert_eq!(mean, rest.split(';').next().unwrap(), "{said}");
        }
    }
}
