//! `xpuck runs remeasure`: repeated measurement of the champions of saved runs.

use crate::common::xpuck;
use crate::rig::valid_json;
use serde_json::Value;
use std::path::Path;
use std::process::Output;
use xpuck_lab::evolution_run::record;

fn evolve(out: &Path, algorithm: &str) {
    let text = "evolve --islands 2 --population 8 --generations 3 --seconds 1 --count 3 --remeasure 4 --json --output";
    let output = xpuck().args(text.split(' ')).arg(out).args(["--algorithm", algorithm]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn remeasure(folders: &[&Path], threads: &str, more: &[&str]) -> Output {
    let mut command = xpuck();
    command
        .args(["runs", "remeasure"])
        .args(folders)
        .args(["--runs", "4"])
        .args(more)
        .env("RAYON_NUM_THREADS", threads);
    command.output().unwrap()
}

/// Reads the generations.csv of a run. Returns the mean of `derated` over both islands, and the robot-seconds since the
/// start of the run, for each generation.
fn reported(run: &Path) -> Vec<(f64, f64)> {
    let mut reader = csv::Reader::from_path(run.join("generations.csv")).unwrap();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let number = |row: &csv::StringRecord, column: usize| row[column].parse::<f64>().unwrap();
    rows.chunks(2).map(|two| ((number(&two[0], 4) + number(&two[1], 4)) / 2.0, number(&two[0], 2))).collect()
}

#[test]
fn champions_are_measured_again_beside_what_was_reported() {
    let dir = tempfile::tempdir().unwrap();
    let [first, second] = ["first", "second"].map(|name| dir.path().join(name));
    evolve(&first, "noise-aware");
    evolve(&second, "racing");
    let [csv, svg] = ["t.csv", "t.svg"].map(|name| dir.path().join(name));
    let files = ["--every", "1", "--json", "--csv", csv.to_str().unwrap(), "--svg", svg.to_str().unwrap()];
    let output = remeasure(&[&first, &second], "1", &files);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let again = remeasure(&[&first, &second], "2", &["--every", "1", "--json"]);
    assert_eq!(output.stdout, again.stdout, "the same digits with two threads");
    valid_json("runs remeasure", &output.stdout);
    let text = String::from_utf8(output.stdout).unwrap();
    let runs: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for (run, folder) in runs.iter().zip([&first, &second]) {
        let rows = run["generations"].as_array().unwrap();
        assert_eq!(rows.iter().map(|row| row["generation"].as_u64().unwrap()).collect::<Vec<_>>(), [1, 2, 3]);
        for (row, (reported, robot_seconds)) in rows.iter().zip(reported(folder)) {
            assert!((row["reported"].as_f64().unwrap() - reported).abs() < 1e-12, "{row} against {reported}");
            assert_eq!(row["robot_seconds"], robot_seconds);
        }
        // The trees and worlds of the last generation are the same as in the final measurement of the run.
        let result: Value = serde_json::from_slice(&std::fs::read(folder.join("result.json")).unwrap()).unwrap();
        assert_eq!(rows[2]["remeasured"], result["remeasured_mean"]);
        assert_eq!(rows[2]["best"], result["remeasured_best"]);
    }

    let table = std::fs::read_to_string(&csv).unwrap();
    assert!(table.starts_with("run,algorithm,seed,generation,robot_seconds,reported,remeasured,best\n"), "{table}");
    let column: Vec<f64> = table.lines().skip(1).map(|line| line.split(',').nth(6).unwrap().parse().unwrap()).collect();
    let rows: Vec<&Value> = runs.iter().flat_map(|run| run["generations"].as_array().unwrap()).collect();
    assert_eq!(column.len(), rows.len());
    assert!(column.iter().zip(&rows).all(|(cell, row)| (cell - row["remeasured"].as_f64().unwrap()).abs() < 1e-12));

    let figure = std::fs::read_to_string(&svg).unwrap();
    let document = roxmltree::Document::parse(&figure).unwrap();
    let texts: Vec<&str> = document.descendants().filter_map(|n| n.text()).collect();
    for label in ["noise-aware, reported", "noise-aware, measured again", "racing, reported", "racing, measured again"]
    {
        assert!(texts.contains(&label), "{label}: {texts:?}");
    }
    // Each of the two runs has a dashed curve and a dashed sample in the legend.
    assert_eq!(figure.matches("stroke-dasharray:7 4").count(), 4);
}

#[test]
fn table_has_every_nth_generation_and_last() {
    let dir = tempfile::tempdir().unwrap();
    evolve(dir.path(), "noise-aware");
    let output = remeasure(&[dir.path()], "1", &["--every", "2"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let numbers: Vec<&str> = text.lines().skip(2).map(|line| line.split_whitespace().next().unwrap()).collect();
    assert_eq!(numbers, ["2", "3"], "{text}");
    assert!(text.contains("noise-aware, seed 1; 4 simulations of 60 s each"), "{text}");
}

#[test]
fn folder_without_usable_record_is_rejected_in_one_line() {
    let dir = tempfile::tempdir().unwrap();
    let refusal = || {
        let output = remeasure(&[dir.path()], "1", &[]);
        assert!(!output.status.success() && output.stdout.is_empty());
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(text.lines().count(), 1, "{text}");
        text
    };
    assert!(refusal().contains("has no record.mcap; `xpuck evolve --output DIR` writes one"));
    let file = dir.path().join("record.mcap");
    std::fs::write(&file, "").unwrap();
    assert!(refusal().contains("record.mcap: is not an evolution record"));
    std::fs::write(&file, [record::header(), record::end()].concat()).unwrap();
    assert!(refusal().contains("record.mcap: contains no complete generation yet"));
    std::fs::rename(&file, dir.path().join("record.xprec")).unwrap();
    assert!(refusal().contains("record.xprec: has format 1, which xpuck 0.1.0 reads"));
}

#[test]
fn outputs_do_not_replace_files_of_the_run() {
    let dir = tempfile::tempdir().unwrap();
    evolve(dir.path(), "noise-aware");
    let record = dir.path().join("record.mcap");
    let before = std::fs::read(&record).unwrap();
    let output = remeasure(&[dir.path()], "1", &["--csv", record.to_str().unwrap()]);
    assert!(!output.status.success() && output.stdout.is_empty());
    assert!(String::from_utf8_lossy(&output.stderr).contains("record.mcap"));
    assert_eq!(std::fs::read(&record).unwrap(), before);
    let output = remeasure(&[dir.path()], "1", &["--csv", "same", "--svg", "same"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("--csv and --svg name the same file, same"));
}

#[test]
fn damaged_record_is_measured_as_far_as_it_can_be_read() {
    let dir = tempfile::tempdir().unwrap();
    evolve(dir.path(), "noise-aware");
    let record = dir.path().join("record.mcap");
    let whole = std::fs::read(&record).unwrap();
    let middle = whole.len() * 3 / 4;
    let damaged: Vec<u8> = whole.iter().enumerate().map(|(i, byte)| if i == middle { !byte } else { *byte }).collect();
    std::fs::write(&record, damaged).unwrap();
    let output = remeasure(&[dir.path()], "1", &["--every", "1"]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("record.mcap") && text.trim_end().lines().last().unwrap().contains("damage"), "{text}");
}
