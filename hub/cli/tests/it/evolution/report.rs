//! `xpuck runs report` on complete, copied, truncated and unfinished runs, and on runs of other versions and
//! experiments.

use crate::common::said;
use crate::rig::{copy_folder, recorded_run, xpuck};
use std::path::{Path, PathBuf};
use std::process::Output;

fn report(runs: &[&Path], out: &Path) -> Output {
    let mut command = xpuck();
    command.args(["runs", "report"]).args(runs).arg("--output").arg(out).args(["--simulations", "2", "--json"]);
    command.output().unwrap()
}

/// Copies a run and replaces a text in the run.toml of the copy. Returns the folder of the copy.
fn edited(run: &Path, name: &str, from: &str, to: &str) -> PathBuf {
    let copy = run.parent().unwrap().join(name);
    copy_folder(run, &copy);
    let file = copy.join("run.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains(from), "{from} is not in {text}");
    std::fs::write(&file, text.replace(from, to)).unwrap();
    copy
}

/// Returns the path of the largest MCAP file in a run's folder.
fn record(run: &Path) -> PathBuf {
    let files = std::fs::read_dir(run).unwrap().map(|entry| entry.unwrap().path());
    files
        .filter(|path| path.extension().is_some_and(|end| end == "mcap"))
        .max_by_key(|path| path.metadata().unwrap().len())
        .unwrap()
}

fn results(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn only_complete_runs_count_and_others_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let recorded = recorded_run();
    let run = dir.path().join("runs").join(recorded.file_name().unwrap());
    copy_folder(&recorded, &run);
    let text = std::fs::read_to_string(run.join("run.toml")).unwrap();
    let line = |key: &str| text.lines().find(|line| line.starts_with(key)).unwrap().to_string();
    let (seed, state, version, robots) = (line("seed"), line("state"), line("version"), line("robots"));

    let other = edited(&run, "other", &seed, "seed = 77");
    let copy = edited(&run, "copy", &seed, &seed);
    let out = dir.path().join("report");
    let told = report(&[&run, &other, &copy], &out);
    assert!(!told.status.success() && said(&told).contains("is given twice, or is a copy"), "{}", said(&told));
    assert!(results(&told).contains("2 of 2 runs count"), "{}", said(&told));

    let unfinished = edited(&run, "unfinished", &state, "state = \"running\"");
    std::fs::write(
        unfinished.join("run.toml"),
        std::fs::read_to_string(unfinished.join("run.toml")).unwrap().replace(&seed, "seed = 78"),
    )
    .unwrap();
    let cut = edited(&run, "cut", &seed, "seed = 79");
    let whole = std::fs::read(record(&cut)).unwrap();
    std::fs::write(record(&cut), &whole[..whole.len() / 2]).unwrap();
    let junk = edited(&run, "junk", &seed, "seed = 81");
    std::fs::write(record(&junk), vec![7; 100_000]).unwrap();
    let told = report(&[&run, &junk], &out);
    assert!(!told.status.success() && said(&told).contains("its record cannot be read"), "{}", said(&told));
    let own = record(&run);
    let before = std::fs::read(&own).unwrap();
    let link = dir.path().join("link");
    std::os::unix::fs::symlink(&own, &link).unwrap();
    for over in [run.join("run.toml"), own.clone(), link] {
        let export = xpuck().args(["runs", "export"]).arg(&run).arg("--foxglove").arg(&over).output().unwrap();
        assert!(!export.status.success() && said(&export).contains("is a file of the run;"), "{}", said(&export));
    }
    assert_eq!(std::fs::read(&own).unwrap(), before);
    let newer = edited(&run, "newer", &seed, "seed = 80");
    std::fs::write(
        newer.join("run.toml"),
        std::fs::read_to_string(newer.join("run.toml")).unwrap().replace(&version, "version = \"9.9.9\""),
    )
    .unwrap();
    let told = report(&[&run, &unfinished, &cut, &newer], &out);
    let all = said(&told);
    assert!(told.status.success() && all.contains("2 of 4 runs count"), "{all}");
    assert!(all.contains("several versions of the program") && all.contains("9.9.9"), "{all}");
    assert!(all.contains("cut: "), "damage is reported: {all}");
    let page: serde_json::Value = serde_json::from_str(&results(&told)).unwrap();
    let page = std::fs::read_to_string(page["page"].as_str().unwrap()).unwrap();
    assert!(page.contains("xpuck swarm top") && page.contains("make the report after its end"));

    // A folder of another kind gives an error that names the right command or page.
    let (sweep, evolution) = (dir.path().join("sweep"), dir.path().join("evolution"));
    std::fs::create_dir_all(sweep.join("runs")).unwrap();
    std::fs::write(sweep.join("results.csv"), "").unwrap();
    std::fs::create_dir_all(evolution.join("trees")).unwrap();
    std::fs::write(evolution.join("generations.csv"), "").unwrap();
    for (folder, words) in [(&sweep, "sweep/curves.html"), (&evolution, "`xpuck runs lineage ")] {
        let told = report(&[folder], &out);
        assert!(!told.status.success() && said(&told).contains(words), "{}", said(&told));
    }

    let fewer = edited(&run, "fewer", &robots, "robots = [\"xp01\"]");
    let told = report(&[&fewer], &out);
    assert!(said(&told).contains("xp02"), "a robot that run.toml does not name: {}", said(&told));
    assert!(results(&told).contains("0 of 1 runs count"), "{}", said(&told));
    let longer = edited(&run, "longer", "minutes = 1", "minutes = 9");
    let told = report(&[&run, &longer], &out);
    assert!(!told.status.success() && said(&told).contains("different experiments"), "{}", said(&told));
    let nothing = report(&[dir.path().join("nowhere").as_path()], &out);
    assert!(!nothing.status.success() && said(&nothing).lines().count() == 1, "{}", said(&nothing));
}
