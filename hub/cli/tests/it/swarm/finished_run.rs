//! `xpuck runs` and `xpuck runs lineage` on a finished run.

use crate::common::xpuck;
use crate::rig::{copy_folder, recorded_run, valid_json};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use xpuck_hub_core::entry::Entry;
use xpuck_record::McapFile;
use xpuck_wire::Status;
use xpuck_wire::updates::Packer;

/// A temporary folder whose only run is a copy of [`recorded_run`].
struct Folder {
    temporary: tempfile::TempDir,
    run: PathBuf,
}

impl Folder {
    fn new() -> Folder {
        let temporary = tempfile::tempdir().unwrap();
        let recorded = recorded_run();
        let run = temporary.path().join("runs").join(recorded.file_name().unwrap());
        copy_folder(&recorded, &run);
        Folder { temporary, run }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.temporary.path().join(name)
    }

    /// Runs `xpuck`, which must succeed. Returns its standard output.
    fn run(&self, arguments: &[&str]) -> String {
        let output = xpuck().args(arguments).current_dir(self.temporary.path()).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn json(&self, arguments: &[&str]) -> Value {
        valid_json(&arguments[..2].join(" "), self.run(arguments).as_bytes())
    }
}

#[test]
fn finished_run_is_listed_shown_and_tabulated() {
    let folder = Folder::new();
    let list = folder.json(&["runs", "list", "--json"]);
    assert_eq!((list[0]["state"].as_str(), list[0]["seed"].as_str()), (Some("finished"), Some("7")), "{list}");
    assert!(list[0]["length_s"].as_f64().unwrap() > 59.9 && list[0]["mean_fitness"].is_number());
    assert!(folder.run(&["runs", "list"]).lines().count() == 2);
    let shown = folder.run(&["runs", "show", "last"]);
    assert!(shown.contains("xp02") && shown.contains("real fitness") && shown.contains("quality"), "{shown}");
    let results = folder.json(&["runs", "show", "recorded", "--json"]);
    let robot = &results["results"]["robots"][0];
    assert!(robot["battery_j"].as_f64().unwrap() > 0.0 && robot["generations"].as_u64().unwrap() > 0, "{robot}");
    let table = folder.json(&["runs", "table", "--json"]);
    let (row, segments) = (&table["runs"][0], results["results"]["segments"].as_array().unwrap());
    let real: Vec<&Value> = segments.iter().map(|segment| &segment["fitness"]).collect();
    assert_eq!((row["real"].as_array().unwrap().iter().collect::<Vec<_>>(), row["dead"].as_u64()), (real, Some(0)));
    assert!(!segments.is_empty() && row["ping_ms"].as_f64().unwrap() > 0.0 && table["printed"].is_null(), "{table}");
    let printed = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/experiments/table-8.3.toml");
    let table = folder.run(&["runs", "table", "last", "--printed", printed, "--svg", "segments.svg"]);
    assert!(
        table.contains("Table 8.3: mean of 20") && table.contains("+0.205") && table.contains("here: sd"),
        "{table}"
    );
    let svg = std::fs::read_to_string(folder.path("segments.svg")).unwrap();
    assert!(roxmltree::Document::parse(&svg).is_ok());
}

#[test]
fn finished_run_is_exported_and_replayed_to_its_end() {
    let folder = Folder::new();
    folder.run(&["runs", "export", "last", "--csv", "csv"]);
    let poses = std::fs::read_to_string(folder.path("csv/poses.csv")).unwrap();
    assert!(poses.starts_with("name,x,y,heading,time\n") && poses.lines().count() > 1000);
    let exported = folder.run(&["runs", "export", "last", "--parquet", "tables"]);
    assert!(exported.contains("births: "), "{exported}");
    let end: Status = serde_json::from_str(&folder.run(&["runs", "replay", "last"])).unwrap();
    let result: Status = serde_json::from_slice(&std::fs::read(folder.run.join("result.json")).unwrap()).unwrap();
    assert_eq!((end.phase, end.segments, end.dead), (result.phase, result.segments, result.dead));
    assert_eq!(end.events.last(), result.events.last());
    read_from_python(&folder);
}

/// The record has the lineage of the fittest emigrant.
#[test]
fn emigrants_of_a_finished_run_have_lineages() {
    let run = recorded_run().display().to_string();
    let folder = Folder::new();
    let lineage = |more: &[&str]| folder.run(&[&["runs", "lineage", run.as_str()][..], more].concat());
    let fittest = valid_json("runs lineage", lineage(&["--json"]).as_bytes());
    let id = fittest["fittest"][0]["id"].as_str().unwrap();
    assert!(
        ["crossover", "mutation", "random"].iter().any(|by| lineage(&[id]).contains(&format!("{by} in generation")))
    );
    let whole = valid_json("runs lineage", lineage(&[id, "--json"]).as_bytes());
    assert_eq!(whole["id"], id);
    assert!(lineage(&[id, "--dot"]).starts_with("digraph"));
}

#[test]
fn finished_run_has_entries_of_every_topic() {
    let mut seen = BTreeSet::new();
    for message in xpuck_record::read::Messages::open(&recorded_run()).unwrap().map(Result::unwrap) {
        let entry: Entry = serde_json::from_slice(&message.data).unwrap();
        assert_eq!(entry.topic(), message.topic);
        seen.insert(message.topic);
    }
    // Robots log nothing in a run without faults. These robots neither detect tags nor estimate parameters.
    let expected =
        xpuck_hub_core::entry::TOPICS.iter().filter(|topic| !["/logs", "/tags", "/estimates"].contains(*topic));
    assert!(expected.clone().all(|topic| seen.contains(*topic)), "{seen:?}");
}

/// A run, and the folder for a copy with changed or missing entries.
struct Copy<'a> {
    run: &'a Path,
    copy: PathBuf,
}

impl Copy<'_> {
    /// Writes a copy with the entries for which `change` returns true. Verifies the copy, and returns the exit code,
    /// standard output and standard error of `xpuck runs verify`.
    fn verify(&self, change: &dyn Fn(&mut Entry) -> bool) -> (Option<i32>, String, String) {
        let mut file = McapFile::begin(std::fs::File::create(self.copy.join("run.mcap")).unwrap()).unwrap();
        for entry in xpuck_record::read::entries(self.run).unwrap() {
            let mut entry = entry.unwrap();
            if change(&mut entry) {
                file.write(&entry).unwrap();
            }
        }
        file.finish().unwrap();
        let output = xpuck().args(["runs", "verify"]).arg(&self.copy).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    }
}

#[test]
fn finished_run_verifies_and_one_changed_bit_is_located() {
    let folder = Folder::new();
    assert!(folder.run(&["runs", "verify", "last"]).contains("\nidentical: "));
    let verdict = folder.json(&["runs", "verify", "last", "--json"]);
    let robot = &verdict["robots"]["xp01"];
    assert!(robot["ticks"].as_u64().unwrap() > 100 && robot["unknown"] == 0 && robot["missing"] == 0, "{verdict}");
    assert!(verdict["senses"].as_array().unwrap().len() == 6 && verdict["identical"] == true, "{verdict}");
    let copy = Copy { run: &folder.run, copy: folder.path("tampered") };
    std::fs::create_dir(&copy.copy).unwrap();
    std::fs::copy(folder.run.join("run.toml"), copy.copy.join("run.toml")).unwrap();
    // Changes one bit of the left wheel's speed in the first control update with a tick.
    let falsified = std::cell::Cell::new(0);
    let (code, text, _) = copy.verify(&|entry| {
        if let Entry::Updates { robot, updates, .. } = entry
            && robot == "xp02"
            && falsified.get() == 0
        {
            let mut all = updates.unpack().unwrap();
            if let Some(place) = all.iter().position(|update| update.ticked) {
                falsified.set(updates.first + place as u32);
                all[place].wheels[0] ^= 1;
                let mut packer = Packer::default();
                all.iter().for_each(|update| packer.push(update));
                updates.data = packer.finish_batch();
            }
        }
        true
    });
    let named = format!("update {}: the wheels", falsified.get());
    let first = text.lines().find(|line| line.starts_with("first difference")).unwrap_or_default();
    assert!(code == Some(1) && first.contains("robot xp02") && first.ends_with(&named), "{text}");
    // If a batch of control updates is missing, the command reports this and verifies the other batches.
    let batches = std::cell::Cell::new(0);
    let (code, text, _) = copy.verify(&|entry| {
        let batch = matches!(entry, Entry::Updates { robot, .. } if robot == "xp01");
        batches.set(batches.get() + u32::from(batch));
        !(batch && batches.get() == 5)
    });
    assert!(code == Some(0) && text.contains("identical"), "{text}");
    let xp01: Vec<&str> = text.lines().find(|line| line.starts_with("xp01")).unwrap().split_whitespace().collect();
    assert!(xp01[5] == "1" && xp01[6] != "0", "{text}");
    // A record of an earlier version contains no control updates, so verification fails with one line.
    let (code, text, error) = copy.verify(&|entry| !matches!(entry, Entry::Updates { .. }));
    assert!(code == Some(1) && text.is_empty() && error.lines().count() == 1, "{text}{error}");
    assert!(error.contains("contains no control updates"), "{error}");
}

/// Runs the snippets of docs/pandas.md if `XPUCK_RECORD_PYTHON` names a Python with the needed packages.
fn read_from_python(folder: &Folder) {
    let Ok(python) = std::env::var("XPUCK_RECORD_PYTHON") else {
        return xpuck_testing::skipped("records are not read from Python (make deps-record)");
    };
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/pandas.md")).unwrap();
    std::fs::rename(folder.path("tables"), folder.run.join("tables")).unwrap();
    let mut text = String::new();
    for snippet in page.split("```python\n").skip(1) {
        let code = snippet.split("```").next().unwrap();
        let output = Command::new(&python).args(["-c", code]).current_dir(&folder.run).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        text += &String::from_utf8_lossy(&output.stdout);
    }
    assert!(text.contains("2 robots, 0 dead") && text.contains("'/telemetry'"), "{text}");
    assert!(folder.run.join("fitness.png").exists());
}
