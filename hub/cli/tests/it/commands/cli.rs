//! Tests of commands that need no swarm: output, and rejection of invalid input.

use crate::common::xpuck;
use crate::rig::valid_json;
use serde_json::Value;
use std::process::Output;

const TREE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/trees/806768.bt");

fn run(arguments: &[&str]) -> Output {
    xpuck().args(arguments).output().unwrap()
}

fn json(arguments: &[&str]) -> Value {
    let output = run(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn refusal(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(!output.status.success() && output.stdout.is_empty(), "{arguments:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn simulate_prints_the_agreed_object() {
    let result = json(&["simulate", TREE, "--runs", "40", "--scenario", "b", "--json", "--engine", "simd"]);
    for key in ["mean", "sd", "wall_s", "r_acc"] {
        assert!(result[key].is_f64(), "{key}: {result}");
    }
    assert_eq!((&result["runs"], &result["engine"]), (&40.into(), &"simd".into()));
    assert!((result["robot_seconds"].as_f64().unwrap() - 40.0 * 9.0 * 60.0).abs() < 1e-3);
    assert!((0.2..0.4).contains(&result["mean"].as_f64().unwrap()), "{result}");
    let reference = json(&["simulate", TREE, "--runs", "40", "--scenario", "b", "--json", "--engine", "reference"]);
    assert_eq!((&reference["hash"], &reference["engine"]), (&result["hash"], &"reference".into()));
}

#[test]
fn threads_do_not_change_a_digit() {
    let with = |threads: &str| {
        let arguments = ["simulate", TREE, "--runs", "12", "--seconds", "20", "--json"];
        let output = xpuck().args(arguments).env("RAYON_NUM_THREADS", threads).output().unwrap();
        let mut result = valid_json("simulate", &output.stdout);
        for timing in ["wall_s", "r_acc"] {
            result.as_object_mut().unwrap().remove(timing);
        }
        result
    };
    let one = with("1");
    assert_eq!(one, with("2"));
    assert_eq!(one, with("7"));
}

#[test]
fn evolution_is_a_function_of_its_seed() {
    let run = |algorithm: &str, seed: &str, threads: &str| {
        let arguments = ["evolve", "--islands", "3", "--population", "24", "--generations", "4", "--seconds", "5"];
        let more = ["--remeasure", "4", "--json", "--algorithm", algorithm, "--seed", seed];
        let output = xpuck().args(arguments).args(more).env("RAYON_NUM_THREADS", threads).output().unwrap();
        let mut result = valid_json("evolve", &output.stdout);
        for timing in ["wall_s", "r_acc"] {
            result.as_object_mut().unwrap().remove(timing);
        }
        result
    };
    for algorithm in ["racing", "pooled-samples"] {
        let first = run(algorithm, "1", "1");
        assert_eq!(first, run(algorithm, "1", "3"));
        assert_ne!(first["best_tree"], run(algorithm, "2", "2")["best_tree"]);
    }
    // `honest` is the former name of the algorithm `pooled-samples`, and is still accepted.
    assert_eq!(run("honest", "1", "2")["robot_seconds"], 3.0 * 24.0 * 4.0 * 9.0 * 5.0);
}

#[test]
fn bad_trees_are_named_by_file_line_and_column() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("bad.bt");
    std::fs::write(&file, "sel\n  avoiding\n  movcv v_gaol 3\n").unwrap();
    let error = refusal(&["simulate", file.to_str().unwrap()]);
    assert!(error.contains("bad.bt: line 3, column 9"), "{error}");
    assert!(error.contains("did you mean `v_goal`"), "{error}");
    assert!(refusal(&["simulate", "/nowhere.bt"]).contains("/nowhere.bt: cannot be read"));
    std::fs::write(&file, format!("seq\n{}", "  avoiding\n".repeat(600))).unwrap();
    assert!(refusal(&["simulate", file.to_str().unwrap()]).contains("at most 2048 are allowed"));
}

#[test]
fn arguments_out_of_range_are_refused() {
    assert!(refusal(&["simulate", TREE, "--count", "257"]).contains("1 to 256"));
    assert_eq!(run(&["simulate", TREE, "--count", "257"]).status.code(), Some(2));
    assert!(refusal(&["simulate", TREE, "--runs", "0"]).contains("--runs"));
    assert!(refusal(&["evolve", "--population", "3"]).contains("population = 3 is outside 8 to 4096"));
    assert!(refusal(&["demo", "--speed", "1000"]).contains("--speed"));
}

#[test]
fn services_name_the_file_and_key_that_is_wrong() {
    let dir = tempfile::tempdir().unwrap();
    let hub = dir.path().join("hub.toml");
    let path = hub.to_str().unwrap();
    let good = "swarm = \"swarm.toml\"\n[mocap]\nvicon = \"127.0.0.1:801\"\nfrisbee = \"frisbee\"\n\
        [record]\ndirectory = \"runs\"\n";
    let line = |text: &str| {
        std::fs::write(&hub, text).unwrap();
        let error = refusal(&["serve", "hub", "--config", path]);
        assert_eq!(error.lines().count(), 1, "{error}");
        error
    };
    assert!(line(&good.replace("vicon", "vikon")).contains("hub.toml: line 3: unknown field `vikon`"));
    assert!(line(good).contains("swarm.toml: cannot be read"));
    let vrpn = good.replace("vicon =", "kind = \"vrpn-udp\"\naddress =");
    assert!(line(&vrpn).contains("swarm.toml: cannot be read"));
    assert!(line(&vrpn.replace("-udp", "-tcp")).contains("unknown variant `vrpn-tcp`"));
    let gates = |row: &str| line(&good.replace("[record]", &format!("[mocap.gates]\n{row}\n[record]")));
    assert!(gates("settle_s = -1.0").contains("mocap.gates.settle_s = -1 is outside 0 to 60"));
    assert!(gates("jump = 1").contains("unknown field `jump`"));
    assert!(line(&format!("{good}[messages]\nloss = 2.0\n")).contains("messages.loss = 2 is outside 0 to 1"));
    let robots = refusal(&["robot", "list", "--dev-mode", "--hub", "tcp://127.0.0.1:1"]);
    assert!(robots.contains("no answer from the hub at tcp://127.0.0.1:1"), "{robots}");
}

#[test]
fn small_mistakes_get_one_clear_line() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    write(
        "swarm.toml",
        "robots = [\"xp01\"]\n[hub]\nrobots = \"tcp://127.0.0.1:1\"\noperator = \"tcp://127.0.0.1:2\"\n",
    );
    let hub =
        "swarm = \"swarm.toml\"\n[mocap]\naddress = \"127.0.0.1:1\"\nfrisbee = \"f\"\n[record]\ndirectory = \"runs\"\n";
    let error = refusal(&["serve", "hub", "--config", &write("hub.toml", hub)]);
    assert_eq!((error.matches("hub.key").count(), error.lines().count()), (1, 1), "{error}");
    for garbage in ["garbage", "tcp://127.0.0.1", "udp://127.0.0.1:7602"] {
        let error = refusal(&["robot", "list", "--dev-mode", "--hub", garbage]);
        assert_eq!(error, format!("xpuck: `{garbage}` is not an address; it must look like tcp://192.168.1.2:7602\n"));
    }
    assert!(refusal(&["demo", "--ports", "0"]).contains("0 is not in 1..=65532"));
    let mac = write("mac.bt", "sel\r  avoiding\r  explore 20\r");
    assert!(refusal(&["check", &mac]).contains("line 1, column 4: a line ends with CR alone"));
    // A byte order mark at the start of a file, which some editors write, is ignored.
    let tree = write("bom.bt", "\u{feff}sel\r\n  avoiding\r\n  explore 20\r\n");
    let experiment = "\u{feff}name = \"x\"\nminutes = 1.0\nsegment_minutes = 1.0\ntask = \"transport\"\n";
    let output = run(&["check", &tree, &write("x.toml", experiment)]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(run(&["check", &tree]).status.success());
    let world =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/worlds/foraging.toml")).unwrap();
    assert!(run(&["check", &write("w.toml", &format!("\u{feff}{world}"))]).status.success());
}

#[test]
fn check_reads_every_kind_of_file() {
    let experiment = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/experiments/transport.toml");
    let output = run(&["check", TREE, experiment]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && text.contains("a tree of 9 nodes") && text.contains("16.0 minutes"), "{text}");
    assert!(refusal(&["check", "/nowhere.bt"]).contains("the file is wrong"));
}

#[test]
fn markers_are_shown_printed_and_given_as_data() {
    let dir = tempfile::tempdir().unwrap();
    let sheet = dir.path().join("sheet.svg");
    let output = run(&["dev", "markers", "16", "--json", "--svg", sheet.to_str().unwrap()]);
    let json = valid_json("dev markers", &output.stdout);
    assert_eq!(json["patterns"].as_array().unwrap().len(), 16);
    assert_eq!(json["patterns"][15]["robot"], 16);
    assert_eq!(std::fs::read_to_string(&sheet).unwrap().matches("<circle").count(), 64);
    let text = String::from_utf8(run(&["dev", "markers", "3"]).stdout).unwrap();
    assert_eq!((text.matches('O').count(), text.matches(" .").count() + text.matches("\n.").count()), (12, 36));
    assert!(refusal(&["dev", "markers", "100"]).contains("100 is not in 1..=99"));
    assert!(
        refusal(&["dev", "markers", "2", "--svg", "/nowhere/x.svg"])
            .contains("--svg /nowhere/x.svg: cannot be written")
    );
}

#[test]
fn every_command_has_help() {
    for command in [
        "demo", "world", "simulate", "evolve", "lineage", "hub", "arena", "robots", "start", "pause", "resume", "stop",
        "check", "markers", "push", "doctor",
    ] {
        let help = run(&[command, "--help"]);
        assert!(help.status.success() && help.stdout.len() > 150, "{command} --help");
    }
}
