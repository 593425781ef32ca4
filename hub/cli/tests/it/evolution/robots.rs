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
    let changed = hash(&block("robot"));
    let usual = hash("");
    assert_ne!(changed, usual);
    assert_eq!(hash("[robot]\nbase = \"xpuck\"\n"), usual);
}

/// Returns a block of docs/robot-models.md.
fn block(label: &str) -> String {
    let page = std::fs::read_to_string(format!("{DOCS}/robot-models.md")).unwrap();
    let (_, rest) = page.split_once(&format!("```toml {label}\n")).unwrap();
    rest.split("```").next().unwrap().into()
}

#[test]
fn shipped_and_documented_models_are_valid() {
    let folder = tempfile::tempdir().unwrap();
    let model = path(folder.path(), "m.toml");
    std::fs::write(&model, block("robot-file")).unwrap();
    for name in ["xpuck", "e-puck2", "pi-puck", "rm1.1", "rm1.2", "rm1.1-worse"] {
        let checked = output(&["check", &format!("{DOCS}/robot-models/{name}.toml")]).unwrap();
        assert!(checked.contains(": a robot model: radius 0.03"), "{checked}");
    }
    assert!(output(&["check", &model]).unwrap().ends_with("a robot model: radius 0.035 m, 0.12 m/s\n"));
    std::fs::write(&model, "radius_m = 0.9\n").unwrap();
    let error = output(&["check", &model]).unwrap_err();
    assert!(error.contains("radius = 0.9 is outside 0.02 to"), "{error}");
}

#[test]
fn trees_that_read_absent_senses_are_rejected() {
    let (world, push) = (format!("{DOCS}/worlds/automode/for.toml"), format!("{DOCS}/trees/806768.bt"));
    let error = output(&["simulate", &push, "--world", &world, "--runs", "1"]).unwrap_err();
    assert!(error.contains("the tree reads v_") && error.contains("the robot model lacks this sense"), "{error}");
    assert!(
        output(&["simulate", &push, "--world", &world, "--robot-model", "xpuck", "--runs", "1", "--seconds", "1"])
            .is_ok()
    );
    let error = output(&["simulate", &push, "--robot-model", "rm9"]).unwrap_err();
    assert!(error.contains("--robot-model: unknown robot model `rm9`; choose xpuck, e-puck2"), "{error}");
}

#[test]
fn evolution_keeps_its_robots_and_its_number_of_simulations() {
    let folder = tempfile::tempdir().unwrap();
    let (model, out) = (path(folder.path(), "mine.toml"), path(folder.path(), "out"));
    std::fs::write(&model, "base = \"rm1.1\"\nradius_m = 0.045\n").unwrap();
    let world = format!("{DOCS}/worlds/automode/agg.toml");
    let set = format!("{DOCS}/primitive-sets/modules.toml");
    let small = ["--islands", "1", "--population", "8", "--seconds", "2", "--simulations", "60", "--remeasure", "2"];
    let mut arguments = vec!["evolve", "--world", &world, "--robot-model", &model, "--primitive-set", &set, "--json"];
    arguments.extend(small);
    let first = json(&[arguments.as_slice(), &["--output", &out]].concat());
    let used = first["simulations"].as_u64().unwrap();
    assert!((20..=60).contains(&used), "{used} simulations");
    assert!(!first["best_tree"].as_str().unwrap().contains("v_up"), "{first}");
    // The folder of a run does not depend on the model's file.
    assert!(output(&["check", &model]).unwrap().ends_with("a robot model: radius 0.045 m, 0.12 m/s\n"));
    std::fs::remove_file(&model).unwrap();
    let resumed = json(&["evolve", "--resume", &out, "--json"]);
    assert_eq!(resumed["best_tree"], first["best_tree"]);
    let again = json(&["evolve", &format!("{out}/run.toml"), "--json"]);
    assert_eq!((&again["best_tree"], &again["remeasured_mean"]), (&first["best_tree"], &first["remeasured_mean"]));
    let champion = format!("{out}/trees/champion-0.bt");
    let own = format!("{out}/world.toml");
    assert!(output(&["check", &own]).unwrap().contains("robots of their own model, radius 0.045 m"));
    assert!(output(&["simulate", &champion, "--world", &own, "--runs", "1", "--seconds", "1"]).is_ok());
}

#[test]
fn sweeps_keep_the_models_of_their_robots() {
    let folder = tempfile::tempdir().unwrap();
    let (model, sweep, out) =
        (path(folder.path(), "m.toml"), path(folder.path(), "s.toml"), path(folder.path(), "out"));
    std::fs::write(&model, "radius_m = 0.045\n").unwrap();
    let text = "name = \"s\"\nseeds = [1]\n[base]\nislands = 1\ngenerations = 1\nseconds = 1.0\nremeasure = 2\n\
        robot = \"m.toml\"\n[base.settings]\npopulation = 8\n[[points]]\nlabel = \"a\"\n";
    std::fs::write(&sweep, text).unwrap();
    assert!(output(&["sweep", "run", &sweep, "--output", &out]).is_ok());
    std::fs::write(&model, "radius_m = 0.05\n").unwrap();
    let error = output(&["sweep", "run", &sweep, "--output", &out]).unwrap_err();
    assert!(error.contains("points/p1-robot.toml"), "{error}");
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
