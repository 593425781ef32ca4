//! Engines of evolution: list, selection, rejection, and the engine named in a run's result.

use crate::common::xpuck;
use crate::rig::valid_json;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

const SMALL: &str = "--islands 2 --population 12 --generations 4 --seconds 2 --count 3 --remeasure 4 --json";

fn run(arguments: &[&str]) -> Output {
    xpuck().args(arguments).output().unwrap()
}

/// Returns the standard error of `xpuck` or `xpuckd`, without the warning of Mesa's loader outside a desktop session.
fn said(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    text.lines().filter(|line| !line.contains("XDG_RUNTIME_DIR")).collect::<Vec<_>>().join("\n")
}

fn evolve(more: &[&str]) -> Output {
    let small: Vec<&str> = SMALL.split(' ').collect();
    run(&[&["evolve"], small.as_slice(), more].concat())
}

/// Returns the result of a run without `wall_s` and `r_acc`, which depend on the wall clock.
fn result(output: &Output) -> Value {
    let mut result = valid_json("evolve", &output.stdout);
    assert!(result["r_acc"].as_f64().unwrap() > 0.0);
    for timing in ["wall_s", "r_acc"] {
        result.as_object_mut().unwrap().remove(timing);
    }
    result
}

#[test]
fn engines_and_adapters_are_listed() {
    let found = valid_json("dev engines", &run(&["dev", "engines", "--json"]).stdout);
    let rows = found["engines"].as_array().unwrap();
    let names: Vec<&str> = rows.iter().map(|row| row["engine"].as_str().unwrap()).collect();
    assert_eq!(names[..2], ["reference", "simd"]);
    let software = rows.iter().find(|row| row["kind"] == "software").expect("Mesa's lavapipe is installed");
    assert_eq!((&software["engine"], &software["refused"]), (&"gpu".into(), &Value::Null));
    assert!(software["name"].as_str().unwrap().contains("llvmpipe"), "{software}");
    assert!(software["index"].is_u64() && software["driver"].as_str().unwrap().len() > 3, "{software}");
    let table = run(&["engines"]);
    let table = String::from_utf8_lossy(&table.stdout);
    assert!(table.contains("llvmpipe") && table.contains("simd"), "{table}");
}

#[test]
fn missing_adapter_is_rejected_before_any_write() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let (out_text, tree) = (out.to_str().unwrap(), concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/trees/806768.bt"));
    let wrong = ["--engine", "gpu", "--adapter", "voodoo"];
    let commands: [&[&str]; 4] = [
        &["evolve", "--output", out_text],
        &["simulate", tree, "--runs", "2"],
        &["serve", "island", "--island", "0", "--resume", out_text],
        &["demo", "--output", out_text],
    ];
    for command in commands {
        let output = run(&[command, &wrong].concat());
        let line = said(&output);
        assert!(!output.status.success() && output.stdout.is_empty(), "{command:?}");
        assert!(line.starts_with("xpuck: engine = \"gpu\", adapter = \"voodoo\": "), "{line}");
        assert!(line.contains("llvmpipe") && line.lines().count() == 1, "{line}");
    }
    assert!(!out.exists(), "nothing was written");
    let bad = run(&["evolve", "--set", "engine=\"cuda\""]);
    assert!(said(&bad).contains("cuda") && said(&bad).contains("reference"), "{}", said(&bad));
    robot_is_refused(dir.path());
}

/// A robot whose configuration names a missing adapter does not start.
fn robot_is_refused(dir: &Path) {
    let write = |name: &str, text: &str| std::fs::write(dir.join(name), text).unwrap();
    write(
        "swarm.toml",
        "robots = [\"xp01\"]\n[hub]\nrobots = \"tcp://127.0.0.1:1\"\noperator = \"tcp://127.0.0.1:2\"\n\
         [security]\ndev_mode = true\n",
    );
    write(
        "xp01.toml",
        "id = \"xp01\"\nswarm = \"swarm.toml\"\n[devices]\nkind = \"virtual\"\ndirectory = \"none\"\n\
         camera_width = 160\ncamera_height = 120\n[evolution]\nengine = \"gpu\"\nadapter = 77\n",
    );
    let xpuckd = Path::new(env!("CARGO_BIN_EXE_xpuck")).with_file_name("xpuckd");
    let output = Command::new(xpuckd).arg("--config").arg(dir.join("xp01.toml")).output().unwrap();
    let line = said(&output);
    assert!(!output.status.success(), "{line}");
    assert!(line.contains("xp01.toml: evolution: engine = \"gpu\", adapter = 77: "), "{line}");
    assert!(line.contains("llvmpipe") && line.lines().count() == 1, "{line}");
}

#[test]
fn run_records_its_engine_and_resumes_on_another() {
    let dir = tempfile::tempdir().unwrap();
    let out = |name: &str| dir.path().join(name).to_str().unwrap().to_string();
    let (gpu, again, simd) = (out("gpu"), out("again"), out("simd"));
    let on_gpu = ["--engine", "gpu", "--adapter", "llvmpipe", "--out"];
    let first = result(&evolve(&[&on_gpu[..], &[&gpu]].concat()));
    assert_eq!(first["engine"], "gpu");
    assert!(first["adapter"].as_str().unwrap().contains("llvmpipe") && first["driver"].is_string(), "{first}");
    assert_eq!(result(&evolve(&[&on_gpu[..], &[&again]].concat())), first, "one adapter, one driver: the same digits");
    let written = std::fs::read_to_string(Path::new(&gpu).join("run.toml")).unwrap();
    assert!(written.contains("engine = \"gpu\"\n") && written.contains("adapter = \"llvmpipe\"\n"), "{written}");

    // A run that was interrupted on a machine with this adapter resumes on a machine without the adapter.
    let kept = result(&evolve(&["--output", &simd]));
    assert_eq!((&kept["engine"], &kept["adapter"]), (&"simd".into(), &Value::Null));
    let folder = Path::new(&gpu);
    std::fs::remove_file(folder.join("result.json")).unwrap();
    std::fs::remove_file(folder.join("checkpoint-0")).unwrap();
    let other = run(&["evolve", "--resume", &gpu, "--engine", "simd", "--json"]);
    let note = said(&other);
    assert!(note.contains("simulated by gpu on llvmpipe") && note.contains("continues with simd"), "{note}");
    assert_eq!(result(&other)["engine"], "simd");
    let engines = std::fs::read_to_string(folder.join("engines.jsonl")).unwrap();
    let lines: Vec<Value> = engines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let told: Vec<_> =
        lines.iter().map(|line| (line["generation"].as_u64().unwrap(), line["engine"].as_str().unwrap())).collect();
    assert_eq!(told, [(1, "gpu"), (4, "simd")]);
    // The engines `simd` and `reference` give identical results, so a change between them is not reported.
    std::fs::remove_file(Path::new(&simd).join("checkpoint-0")).unwrap();
    let same = run(&["evolve", "--resume", &simd, "--engine", "reference", "--json"]);
    assert_eq!((said(&same), result(&same)["best_tree"].clone()), (String::new(), kept["best_tree"].clone()));
}
