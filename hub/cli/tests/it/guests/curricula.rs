//! Commands for curricula of automata and of trees: interruption, skipped steps, resumed runs, and errors about wrong
//! files.

use crate::common::xpuck;
use crate::rig::valid_json;
use std::path::Path;
use std::process::Output;

const CREATIVE: &str = include_str!("../../../../../docs/curricula/cargo-creative.toml");

/// Returns the curriculum with only the first two steps of the creative scenario.
fn two_steps() -> String {
    let third = CREATIVE.match_indices("[[steps]]").nth(2).unwrap().0;
    CREATIVE[..third].into()
}

fn evolve(dir: &Path, args: &[&str]) -> Output {
    xpuck().current_dir(dir).arg("evolve").args(args).output().unwrap()
}

fn result(folder: &Path) -> serde_json::Value {
    let mut result: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.join("result.json")).unwrap()).unwrap();
    result.as_object_mut().unwrap().remove("wall_s");
    result
}

#[test]
fn resumed_run_of_automata_equals_uninterrupted() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    std::fs::write(dir.join("c.toml"), two_steps()).unwrap();
    let whole = evolve(dir, &["--curriculum", "c.toml", "--seed", "3", "--output", "whole"]);
    assert!(whole.status.success(), "{whole:?}");
    let text = String::from_utf8(whole.stdout).unwrap();
    assert!(text.contains("end formula holds") && text.contains("solved after"), "{text}");

    // The file `stop` requests a stop before the process starts, so the process ends after one generation.
    std::fs::create_dir(dir.join("cut")).unwrap();
    std::fs::write(dir.join("cut/stop"), "").unwrap();
    let cut = evolve(dir, &["--curriculum", "c.toml", "--seed", "3", "--output", "cut"]);
    assert_eq!(cut.status.code(), Some(75), "{cut:?}");
    assert!(String::from_utf8_lossy(&cut.stderr).contains("continue with: xpuck evolve cut"), "{cut:?}");
    assert!(!dir.join("cut/result.json").exists());
    // The run's folder contains its own copy of the curriculum, so the original is not needed.
    std::fs::remove_file(dir.join("c.toml")).unwrap();
    let on = evolve(dir, &["--resume", "cut"]);
    assert!(on.status.success(), "{on:?}");
    assert_eq!(result(&dir.join("cut")), result(&dir.join("whole")));
    for file in ["generations.csv", "controller.txt", "steps/2-follow/population.txt", "steps/1-avoid/world.svg"] {
        let [cut, whole] = ["cut", "whole"].map(|run| std::fs::read(dir.join(run).join(file)).unwrap());
        assert!(cut == whole, "{file}");
    }
    // All steps are complete, so the command reads the result from their files.
    let again = evolve(dir, &["--resume", "cut", "--json"]);
    assert!(again.status.success(), "{again:?}");
    let again: serde_json::Value = serde_json::from_slice(&again.stdout).unwrap();
    assert_eq!((&again["solved"], &again["steps"][1]["ending"]), (&true.into(), &"held".into()));

    let refused = |what: &str| {
        let refused = evolve(dir, &["--resume", "cut"]);
        let told = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && told.contains(what), "{told}");
    };
    let table = dir.join("cut/generations.csv");
    let text = std::fs::read_to_string(&table).unwrap();
    let (but_the_last, _) = text.trim_end().rsplit_once('\n').unwrap();
    std::fs::write(&table, format!("{but_the_last}\n")).unwrap();
    refused("remove cut/steps/2-follow");
    std::fs::write(&table, text).unwrap();
    std::fs::rename(dir.join("cut/steps"), dir.join("elsewhere")).unwrap();
    std::os::unix::fs::symlink("../elsewhere", dir.join("cut/steps")).unwrap();
    refused("cut/steps: is a link");
}

#[test]
fn resumed_run_of_trees_equals_uninterrupted() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let second = CREATIVE.match_indices("[[steps]]").nth(1).unwrap().0;
    // The curriculum has two steps of a few generations. The second step starts with the population of the first step.
    let first =
        CREATIVE[..second].replacen("best-fitness >= 295000 and learning-momentum < 50", "gennum-thisstep >= 3", 1);
    let again = &first[first.find("[[steps]]").unwrap()..];
    let again = again.replacen("name = \"avoid\"", "name = \"again\"\nafter = [\"avoid\"]", 1);
    let blend = "[[steps.blend]]\nmodule = \"avoidance\"\nfrom = \"avoid\"\nrow = [0.5, 0.5, 0.3, 2]\n";
    std::fs::write(dir.join("c.toml"), format!("species = \"tree\"\n{first}\n{again}\n{blend}")).unwrap();
    let bare = evolve(dir, &["--curriculum", "c.toml", "--seed", "3", "--json"]);
    assert!(bare.status.success(), "{bare:?}");
    let bare = valid_json("evolve", &bare.stdout);
    let whole = evolve(dir, &["--curriculum", "c.toml", "--seed", "3", "--output", "whole"]);
    assert!(whole.status.success(), "{whole:?}");
    let text = String::from_utf8(whole.stdout).unwrap();
    assert!(text.contains("end formula holds") && text.contains("solved after"), "{text}");
    assert_eq!(bare["controller"], result(&dir.join("whole"))["controller"]);
    assert_eq!(std::fs::read_to_string(dir.join("whole/controller.bt")).unwrap(), bare["controller"].as_str().unwrap());

    std::fs::create_dir(dir.join("cut")).unwrap();
    std::fs::write(dir.join("cut/stop"), "").unwrap();
    let cut = evolve(dir, &["--curriculum", "c.toml", "--seed", "3", "--output", "cut"]);
    assert_eq!(cut.status.code(), Some(75), "{cut:?}");
    let on = evolve(dir, &["--resume", "cut"]);
    assert!(on.status.success(), "{on:?}");
    let equal = |files: &[&str]| {
        for file in files {
            let [cut, whole] = ["cut", "whole"].map(|run| std::fs::read(dir.join(run).join(file)).unwrap());
            assert!(cut == whole, "{file}");
        }
    };
    assert_eq!(result(&dir.join("cut")), result(&dir.join("whole")));
    equal(&["generations.csv", "controller.bt", "steps/1-avoid/best.bt", "steps/2-again/population.txt"]);
    equal(&["steps/1-avoid/tree.svg", "steps/1-avoid/world.svg", "steps/1-avoid/account.txt"]);
    // The second step runs again and starts with the saved population of the first step.
    std::fs::remove_dir_all(dir.join("cut/steps/2-again")).unwrap();
    std::fs::remove_file(dir.join("cut/fitness.sqlite")).unwrap();
    let on = evolve(dir, &["--resume", "cut"]);
    assert!(on.status.success(), "{on:?}");
    assert_eq!(result(&dir.join("cut")), result(&dir.join("whole")));
    equal(&["generations.csv", "controller.bt", "steps/2-again/population.txt", "steps/2-again/best.bt"]);

    let tried = xpuck()
        .current_dir(dir)
        .args(["simulate", "whole/controller.bt", "--curriculum", "c.toml", "--runs", "1", "--json"])
        .output()
        .unwrap();
    assert!(tried.status.success(), "{tried:?}");
    let tried = valid_json("simulate", &tried.stdout);
    assert_eq!((&tried["step"], &tried["runs"]), (&"again".into(), &3.into()));
}

#[test]
fn step_can_be_skipped() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    // Without the skip request, the first step would continue until the limit of generations.
    let text = two_steps().replacen("best-fitness >= 295000 and learning-momentum < 50", "gennum >= 600", 1);
    std::fs::write(dir.join("c.toml"), text).unwrap();
    std::fs::create_dir(dir.join("run")).unwrap();
    std::fs::write(dir.join("run/skip"), "").unwrap();
    let run = evolve(dir, &["--curriculum", "c.toml", "--output", "run", "--json"]);
    assert!(run.status.success(), "{run:?}");
    let told = valid_json("evolve", &run.stdout);
    assert_eq!((&told["steps"][0]["ending"], &told["steps"][0]["generations"]), (&"skipped".into(), &1.into()));
    assert!(!dir.join("run/skip").exists(), "it asks once");
}

#[test]
fn invalid_files_are_reported_in_one_line() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    std::fs::write(dir.join("c.toml"), two_steps()).unwrap();
    std::fs::write(dir.join("bad.toml"), two_steps().replacen("population = 100", "population = 1", 1)).unwrap();
    std::fs::write(dir.join("tree.toml"), "[[steps]]\nname = \"a\"\nend = \"gennum > 99\"\n").unwrap();
    std::fs::write(dir.join("bad.prj"), "# steps\n2\n# crossover\nmuch\n").unwrap();
    std::fs::create_dir(dir.join("taken")).unwrap();
    std::fs::write(dir.join("taken/run.toml"), "").unwrap();
    for (args, wanted) in [
        (&["--curriculum", "bad.toml"][..], "bad.toml: line "),
        (&["--curriculum", "nowhere.toml"], "nowhere.toml: "),
        (&["--curriculum", "tree.toml"], "step \"a\": end: it can never be true"),
        (&["--curriculum", "bad.prj"], "bad.prj: line 4: crossover"),
        (&["--curriculum", "c.toml", "--count", "2"], "--count is for trees; the file is of kind automata"),
        (&["--curriculum", "c.toml", "--output", "taken"], "taken: already contains a run"),
        (&["--resume", "nowhere"], "nowhere: contains no run"),
    ] {
        let output = evolve(dir, args);
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(
            !output.status.success() && told.contains(wanted) && told.trim().lines().count() == 1,
            "{args:?}: {told}"
        );
    }
}
