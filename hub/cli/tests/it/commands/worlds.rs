//! Worlds of docs/worlds, the scores of trees in them, and `xpuck simulate --world` and `--mix`.

use crate::common::xpuck;
use serde_json::Value;
use std::path::Path;
use xpuck_experiment::world_file;
use xpuck_kernels::engine::{Engine, Reference, Simd, Team};
use xpuck_kernels::tree::{Program, Tree};
use xpuck_kernels::world::WorldSpec;
use xpuck_lab::measure::{Plan, measure};

const WORLDS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/worlds");
const TREES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/trees");

fn world(name: &str) -> WorldSpec {
    world_file::read(&Path::new(WORLDS).join(format!("{name}.toml"))).unwrap()
}

fn program(text: &str) -> Program {
    Program::compile(&Tree::parse(text).unwrap()).unwrap()
}

/// Returns the mean fitness of a homogeneous swarm with `tree` in 20 runs of 60 s.
fn fitness(name: &str, tree: &str) -> f64 {
    let spec = world(name);
    measure(&Simd::default(), &[program(tree)], Team::all(0), &Plan { spec: &spec, seconds: 60.0, runs: 20, seed: 9 })
        .mean
}

#[test]
fn engines_agree_on_every_example_with_a_mixed_swarm() {
    let programs =
        [program(include_str!("../../../../../docs/trees/806768.bt")), program("explore 20"), program("attract 3")];
    let mut worlds = 0;
    let paths = std::fs::read_dir(WORLDS).unwrap().map(|entry| entry.unwrap().path());
    for path in paths.filter(|path| path.is_file()) {
        let spec = world_file::read(&path).unwrap();
        let team = Team::mixed(&[3, 3, spec.robots - 6]);
        let plan = Plan { spec: &spec, seconds: 20.0, runs: 18, seed: 1 };
        let run = |engine: &dyn Engine| measure(engine, &programs, team.clone(), &plan);
        assert_eq!(run(&Reference::default()), run(&Simd::default()), "{}", path.display());
        worlds += 1;
    }
    assert!(worlds >= 9, "{worlds} worlds found");
}

#[test]
fn transport_world_equals_benchmark() {
    assert_eq!(world("transport"), WorldSpec::benchmark(9));
}

#[test]
fn every_task_ranks_good_controllers_above_bad_ones() {
    let (together, apart, stand) = ("attract 3", "attract -3", "successl");
    let good_and_bad = |name: &str, good: &str, bad: &str, least: f64| {
        let (good, bad) = (fitness(name, good), fitness(name, bad));
        assert!(good > bad + least, "{name}: {good} and {bad}");
    };
    good_and_bad("aggregation", together, apart, 0.3);
    good_and_bad("aggregation", together, stand, 0.2);
    good_and_bad("dispersion", apart, together, 0.6);
    good_and_bad("dispersion", apart, stand, 0.5);
    good_and_bad("coverage", "explore 20", stand, 0.4);
    good_and_bad("coverage", "explore 20", together, 0.3);
    let shuttle = "seqm\n  repeati 200\n    upfield 1\n  repeati 200\n    upfield -1\n";
    good_and_bad("foraging", shuttle, "explore 20", 0.2);
    good_and_bad("kilobots", "explore 20", stand, 0.01);
    let push = include_str!("../../../../../docs/trees/806768.bt");
    for name in ["transport", "transport-once", "transport-position", "clutter"] {
        good_and_bad(name, push, "explore 20", 0.1);
        good_and_bad(name, push, stand, 0.1);
    }
    assert!((fitness("coverage", stand) - 8.0 / 300.0).abs() < 1e-6, "eight robots stand in eight of 20 x 15 cells");
}

#[test]
fn wrong_world_files_are_one_error_that_names_the_place() {
    let good = "robots = 2\n[task]\nkind = \"coverage\"\ncell_m = 0.1\n[[start]]\nx_m = [-0.5, 0.5]\ny_m = [0, 0.5]\n";
    world_file::parse("w.toml", good).unwrap();
    let disc = |x: &str| format!("[[disc]]\nx_m = [{x}, {x}]\ny_m = [0, 0]\n");
    let cases = [
        (
            good.replace("robots", "robot"),
            "w.toml: line 1: `robot` must be the name of a robot model, or a table of its keys (the number of robots is the key `robots`), not",
        ),
        (good.replace("0.1", "0.1\nrange_m = 1"), "w.toml: line 2: unknown field `range_m`, expected `cell_m`"),
        (
            good.replace("coverage", "covering"),
            "w.toml: line 3: unknown variant `covering`; did you mean `coverage`? expected one of `transport`",
        ),
        (good.replace("cell_m = 0.1\n", ""), "w.toml: line 2: missing field `cell_m`"),
        (good.replace("robots = 2", "robots = 257"), "w.toml: 257 robots; a world must have 1 to 256"),
        (
            format!("{good}{}radius = 1\n", disc("0")),
            "w.toml: line 11: unknown field `radius`; did you mean `radius_m`? expected one of `x_m`",
        ),
        (format!("{good}{}colour = \"pink\"\n", disc("0")), "unknown variant `pink`, expected one of `red`"),
        (format!("{good}[messages]\nloss = 2.0\n"), "w.toml: messages.loss = 2 is outside 0 to 1"),
        (format!("{good}[messages]\nocclusion = \"some\"\n"), "unknown variant `some`"),
        (format!("{good}{}", disc("inf")), "w.toml: disc 1, x = inf is outside -0.895 to 0.895"),
        (format!("{good}{}", disc("0.0").repeat(9)), "w.toml: 9 discs; a world must have 0 to 8"),
        (format!("{good}{}{}", disc("0.0"), disc("0.2")), "w.toml: disc 1 overlaps disc 2 by 0.010 m at start 1; move"),
        (good.replace("y_m = [0, 0.5]\n", ""), "w.toml: start 1 needs exactly one of x_m with y_m, pose, and region"),
        ("#".repeat(65_537), "w.toml: the file has 65537 bytes; at most 65536 are allowed"),
    ];
    for (text, expected) in cases {
        let error = world_file::parse("w.toml", &text).unwrap_err().to_string();
        assert!(error.starts_with("w.toml: ") && error.contains(expected) && !error.contains('\n'), "{error}");
    }
}

fn output(arguments: &[&str]) -> Result<String, String> {
    let output = xpuck().args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    if output.status.success() { Ok(text(output.stdout)) } else { Err(text(output.stderr)) }
}

#[test]
fn simulate_runs_worlds_and_mixed_swarms() {
    let simulate = |more: &[&str]| -> Value {
        let arguments = [&["simulate", "--runs", "4", "--seconds", "20", "--json"], more].concat();
        serde_json::from_str(&output(&arguments).unwrap()).unwrap()
    };
    let (push, explore) = (format!("{TREES}/806768.bt"), format!("{TREES}/explore.bt"));
    let transport = format!("{WORLDS}/transport.toml");
    let benchmark = simulate(&[&push]);
    assert_eq!(benchmark["task"], "transport");
    assert_eq!(benchmark["hash"], simulate(&[&push, "--world", &transport])["hash"]);
    assert_eq!(benchmark["hash"], simulate(&["--mix", &format!("4:{push},5:{push}")])["hash"]);
    let mix = format!("7:{push},2:{explore}");
    let mixed = simulate(&["--mix", &mix]);
    assert_ne!(benchmark["hash"], mixed["hash"]);
    assert_eq!(mixed["hash"], simulate(&["--mix", &mix, "--world", &transport, "--engine", "reference"])["hash"]);
    assert_ne!(mixed["hash"], simulate(&["--mix", &format!("2:{explore},7:{push}")])["hash"]);
    let aggregation = format!("{WORLDS}/aggregation.toml");
    assert_eq!(simulate(&[&explore, "--world", &aggregation])["task"], "aggregation");

    let refused = |more: &[&str], expected: &str| {
        let error = output(&[&["simulate"], more].concat()).unwrap_err();
        assert!(error.contains(expected), "{error}");
    };
    refused(&["--mix", &mix, "--world", &aggregation], "--mix has 9 robots and ");
    refused(&["--mix", "7:/nowhere.bt"], "/nowhere.bt: cannot be read");
    refused(&["--mix", "257:a.bt"], "257 robots; each count must be at least 1, and a world holds 1 to 256 robots");
    refused(&[&push, "--mix", &mix], "cannot be used with");
    refused(&[&push, "--world", &transport, "--count", "3"], "cannot be used with");
    refused(&[&push, "--world", "/nowhere.toml"], "/nowhere.toml: cannot be read");
}

#[test]
fn world_check_reads_every_file() {
    let dir = tempfile::tempdir().unwrap();
    let bad = dir.path().join("bad.toml");
    std::fs::write(&bad, "robots = 3\n[arena]\nlength_m = 2.0\n").unwrap();
    let clutter = format!("{WORLDS}/clutter.toml");
    let checked = output(&["check", &clutter]).unwrap();
    let expected = "transport in 2.4 m x 1.5 m: 9 robots, 3 discs, 2 inner walls, 1 patch, 1 start\n";
    assert!(checked.ends_with(expected), "{checked}");
    let error = output(&["check", bad.to_str().unwrap(), &clutter]).unwrap_err();
    assert!(
        error.contains("bad.toml: line 1: missing field `task`") && error.contains("1 of 2 files is wrong"),
        "{error}"
    );
    assert!(output(&["check", "--help"]).unwrap().contains("xpuck check docs/worlds/"));
}

#[test]
fn message_loss_lowers_aggregation_score() {
    let text = std::fs::read_to_string(Path::new(WORLDS).join("aggregation.toml")).unwrap();
    let score = |messages: &str| {
        let spec = world_file::parse("w.toml", &format!("{text}{messages}")).unwrap();
        let plan = Plan { spec: &spec, seconds: 60.0, runs: 20, seed: 9 };
        measure(&Simd::default(), &[program("attract 3")], Team::all(0), &plan).mean
    };
    let deaf = score("[messages]\nloss = 1.0\n");
    assert!(
        score("[messages]\nlatency_s = 0.0\n") > deaf + 0.1,
        "who hears nobody comes together by chance only: {deaf}"
    );
}
