//! Commands that evolve Kilobots and simulate foraging, and errors about wrong files.

use crate::common::xpuck;
use crate::rig::valid_json;
use std::path::Path;
use std::process::Output;

/// Configuration of an experiment of short duration.
const SMALL: &str = "runs = 2\nsimulations = 400\nfresh = 16\n[world]\nrobots = 4\nseconds = 60.0\nnest = 0.06\ngap = 0.02\n\
                     [settings.racing]\npopulation = 32\n";

fn kilobot(dir: &Path, args: &[&str]) -> Output {
    let command: &[&str] = match args[0] {
        "evolve" => &["evolve", "--kind", "kilobots"],
        "hex" => &["tree", "convert", "--to", "hex"],
        _ => &["simulate", "--kind", "kilobots"],
    };
    xpuck().current_dir(dir).args(command).args(&args[1..]).output().unwrap()
}

fn out(output: Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn stderr_text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn lost_run_is_repeated_identically() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    std::fs::write(dir.join("small.toml"), SMALL).unwrap();
    out(kilobot(dir, &["evolve", "small.toml", "--output", "whole"]));
    // The folder `part` simulates an experiment that was killed: it has one run, and a file of this run is missing. The
    // resumed experiment repeats this run and adds a second one.
    out(kilobot(dir, &["evolve", "small.toml", "--runs", "1", "--output", "part"]));
    std::fs::remove_file(dir.join("part/runs/racing-01.json")).unwrap();
    out(kilobot(dir, &["evolve", "--resume", "part", "--runs", "2"]));
    for file in
        ["runs.csv", "runs/racing-01.json", "runs/dars2016-02.json", "usage.csv", "figure-4-4.svg", "trees/racing.bt"]
    {
        let mut read = ["part", "whole"].map(|run| std::fs::read_to_string(dir.join(run).join(file)).unwrap());
        // The table lists the runs in the order of completion, which varies.
        if file == "runs.csv" {
            read = read.map(|text| {
                let mut lines: Vec<&str> = text.lines().collect();
                lines.sort_unstable();
                lines.join("\n")
            });
        }
        assert!(read[0] == read[1], "{file}: {read:?}");
    }
    let page = std::fs::read_to_string(dir.join("whole/chapter.html")).unwrap();
    assert!(page.contains("Figure 4.4") && page.matches("<svg").count() == 5, "{page}");
    let tree = out(kilobot(dir, &["simulate", "whole/trees/racing.bt", "--runs", "16", "--count", "4", "--json"]));
    assert!(valid_json("simulate", tree.as_bytes())["fitness"].is_number(), "{tree}");
    // The command does not overwrite an existing run, and rejects files of other experiments.
    let again = kilobot(dir, &["evolve", "small.toml", "--output", "whole"]);
    assert!(!again.status.success() && stderr_text(&again).contains("already contains a run"), "{again:?}");
    std::fs::copy(dir.join("whole/runs/racing-01.json"), dir.join("whole/runs/racing-02.json")).unwrap();
    let mixed = kilobot(dir, &["evolve", "--resume", "whole"]);
    assert!(
        stderr_text(&mixed).contains("racing-02.json: is of another experiment or another run; remove the file"),
        "{mixed:?}"
    );
    let kept = std::fs::read_to_string(dir.join("part/runs/racing-02.json")).unwrap();
    std::fs::write(dir.join("whole/runs/racing-02.json"), kept.replace("\"mean\":0", "\"mean\":9")).unwrap();
    let edited = kilobot(dir, &["evolve", "--resume", "whole"]);
    assert!(stderr_text(&edited).contains("racing-02.json: was changed: its numbers are inconsistent"), "{edited:?}");
    let fewer = kilobot(dir, &["evolve", "--resume", "part", "--runs", "1"]);
    assert!(
        stderr_text(&fewer).contains("--runs 1: the experiment has 2 runs; the number cannot be reduced"),
        "{fewer:?}"
    );
    // The command rejects a folder with other files, but accepts the files of a start that was killed.
    std::fs::create_dir(dir.join("mine")).unwrap();
    std::fs::write(dir.join("mine/result.json"), "precious").unwrap();
    let used = kilobot(dir, &["evolve", "small.toml", "--output", "mine"]);
    assert!(
        stderr_text(&used).contains("mine: is not empty: it contains `result.json`; choose a new folder"),
        "{used:?}"
    );
    std::fs::create_dir_all(dir.join("begun/runs")).unwrap();
    std::fs::write(dir.join("begun/runs.csv"), "algorithm,ru").unwrap();
    out(kilobot(dir, &["evolve", "small.toml", "--runs", "1", "--algorithm", "racing", "--output", "begun"]));
    let table = std::fs::read_to_string(dir.join("begun/runs.csv")).unwrap();
    assert!(table.starts_with("algorithm,run,generations") && table.lines().count() == 2, "{table}");
    std::fs::write(dir.join("whole/runs/racing-02.json"), "{\"conf").unwrap();
    let damaged = kilobot(dir, &["evolve", "--resume", "whole"]);
    assert!(stderr_text(&damaged).contains("racing-02.json: is damaged"), "{damaged:?}");
}

#[test]
fn wrong_trees_and_worlds_get_one_line() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    std::fs::write(dir.join("foreign.bt"), "seq\n  bfront\n  movcv v_goal 0deg\n").unwrap();
    std::fs::write(
        dir.join("big.bt"),
        format!("{}mf\n", (0..40).map(|i| " ".repeat(2 * i) + "successd\n").collect::<String>() + &" ".repeat(80)),
    )
    .unwrap();
    std::fs::write(dir.join("ok.bt"), "mf\n").unwrap();
    std::fs::write(dir.join("wrong.toml"), "[world]\nrobot = 3\n").unwrap();
    for (args, words) in [
        (vec!["simulate", "foreign.bt"], "a Kilobot has no node"),
        (vec!["simulate", "big.bt"], "make it smaller or less deep"),
        (vec!["simulate", "ok.bt", "--count", "101"], "101 Kilobots; 1 to 100 are allowed"),
        (vec!["simulate", "ok.bt", "--set", "gap=-1"], "above 0"),
        (vec!["simulate", "none.bt"], "none.bt"),
        (vec!["simulate", "ok.bt", "--svg", "ok.bt"], "is an input file"),
        (vec!["simulate", "ok.bt", "--set", "gap=x"], "`world.gap` must be a number"),
        (vec!["hex", "ok.bt", "-o", "ok.hex", "--for", "simavr", "-D", "LIGHT_WAIT=-1"], "--define"),
        (vec!["evolve", "wrong.toml"], "wrong.toml"),
        (vec!["evolve", "--resume", "."], "contains no run, as it has no kilobots.toml"),
        (vec!["evolve", "--algorithm", "raceing"], "raceing"),
    ] {
        let output = kilobot(dir, &args);
        let said = stderr_text(&output);
        // The error message for a tree may have two extra lines: the source line, and a mark below the position.
        let (lines, first) = (said.trim_end().lines().count(), said.lines().next().unwrap_or_default());
        assert!(!output.status.success() && first.contains(words) && lines <= 3, "{args:?}: {said}");
    }
}

#[test]
fn paths_are_drawn_and_tree_is_reduced() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    std::fs::write(dir.join("t.bt"), "selm\n  failurel\n  seqm\n    successl\n    mf\n").unwrap();
    let told = out(kilobot(dir, &["simulate", "t.bt", "--runs", "2", "--count", "4", "--reduce", "--svg", "ways.svg"]));
    assert!(told.contains("1 of 5 nodes are needed:\nmf\n"), "{told}");
    let svg = std::fs::read_to_string(dir.join("ways.svg")).unwrap();
    assert_eq!(svg.matches("<polyline").count(), 4);
}
