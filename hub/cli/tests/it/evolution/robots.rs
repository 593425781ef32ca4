//! Robot models in `simulate`, `evolve` and `check`.

use crate::common::xpuck;
use serde_json::Value;
use std::path::Path;

const DOCS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");

fn output(arguments: &[&str]) -> Result<String, String> {
    let output = xpuck().args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    if output.status.success() { Ok(text(output.stdout)) } else { Err(text(output.stderr)) }
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&output(arguments).unwrap()).unwrap()
}

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().unwrap().into()
}

#[test]
fn three_lines_of_a_world_change_the_robots() {
    let folder = tempfile::tempdir().unwrap();
    let world = path(folder.path(), "w.toml");
    let text = "robots = 4\ntask = { kind = \"dispersion\" }\n[[start]]\nx_m = [-0.6, 0.6]\ny_m = [-0.5, 0.5]\n";
    let explore = format!("{DOCS}/trees/explore.bt");
    let hash = |robot: &str| {
        std::fs::write(&world, format!("{text}{robot}")).unwrap();
        assert!(output(&["check", &world]).is_ok());
        let simulate =
            |engine| json(&["simulate", &explore, "--world", &world, "--runs", "2", "--json", "--engine", engine]);
        let [reference, simd] = ["reference", "simd"].map(|engine| simulate(engine)["hash"].clone());
        assert_eq!(reference, simd, "{robot}");
        simd
    };
    let changed = hash("[robot]\ncamera.fov_deg = 120\nproximity.length_m = 0.05\nradius_m = 0.06\n");
    let usual = hash("");
    assert_ne!(changed, usual);
    assert_eq!(hash("[robot]\nbase = \"xpuck\"\n"), usual);
}

#[test]
fn trees_that_read_absent_senses_are_rejected() {
    let (world, push) = (format!("{DOCS}/worlds/automode/for.toml"), format!("{DOCS}/trees/806768.bt"));
    let error = output(&["simulate", &push, "--world", &world, "--runs", "1"]).unwrap_err();
    assert!(error.contains("the tree reads v_") && error.contains("the robot model lacks this sense"), "{error}");
    assert!(
        output(&["simulate", &push, "--world", &world, "--robot", "xpuck", "--runs", "1", "--seconds", "1"]).is_ok()
    );
    let error = output(&["simulate", &push, "--robot", "rm9"]).unwrap_err();
    assert!(error.contains("--robot: unknown robot model `rm9`; choose xpuck, e-puck2"), "{error}");
}

#[test]
fn evolution_keeps_its_robots_and_its_number_of_simulations() {
    let folder = tempfile::tempdir().unwrap();
    let (model, out) = (path(folder.path(), "mine.toml"), path(folder.path(), "out"));
    std::fs::write(&model, "base = \"rm1.1\"\nradius_m = 0.045\n").unwrap();
    let world = format!("{DOCS}/worlds/automode/agg.toml");
    let set = format!("{DOCS}/primitive-sets/modules.toml");
    let small = ["--islands", "1", "--population", "8", "--seconds", "2", "--simulations", "60", "--remeasure", "2"];
    let mut arguments = vec!["evolve", "--world", &world, "--robot", &model, "--primitive-set", &set, "--json"];
    arguments.extend(small);
    let first = json(&[arguments.as_slice(), &["--output", &out]].concat());
    let used = first["robot_seconds"].as_f64().unwrap() / 40.0;
    assert!((20.0..=120.0).contains(&used), "{used} trials of 2 s");
    assert!(!first["best_tree"].as_str().unwrap().contains("v_up"), "{first}");
    // The folder of a run does not depend on the model's file.
    std::fs::remove_file(&model).unwrap();
    let again = json(&["evolve", &format!("{out}/run.toml"), "--json"]);
    assert_eq!((&again["best_tree"], &again["remeasured_mean"]), (&first["best_tree"], &first["remeasured_mean"]));
    let champion = format!("{out}/trees/champion-0.bt");
    assert!(output(&["simulate", &champion, "--world", &world, "--runs", "1", "--seconds", "1"]).is_ok());
}

#[test]
fn space_of_maple_evolves_without_avoiding() {
    let folder = tempfile::tempdir().unwrap();
    let out = path(folder.path(), "out");
    let (world, set) = (format!("{DOCS}/worlds/automode/for.toml"), format!("{DOCS}/primitive-sets/maple.toml"));
    let settings = ["representation=grammar", "avoiding=false", "bits=512", "depth=8"].map(|s| format!("settings.{s}"));
    let mut arguments = vec!["evolve", "--world", &world, "--primitive-set", &set, "--output", &out, "--json"];
    settings.iter().for_each(|setting| arguments.extend(["--set", setting]));
    arguments.extend([
        "--islands",
        "1",
        "--population",
        "8",
        "--seconds",
        "2",
        "--generations",
        "3",
        "--remeasure",
        "2",
    ]);
    json(&arguments);
    let tree = std::fs::read_to_string(format!("{out}/trees/champion-0.bt")).unwrap();
    let lines: Vec<&str> = tree.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(!tree.contains("avoiding"), "{tree}");
    let branches = lines.iter().filter(|line| line.trim() == "sel").count();
    assert!(branches >= 1 && (lines[0] == "seqm" || lines[0] == "sel"), "a ring of branches: {tree}");
}
