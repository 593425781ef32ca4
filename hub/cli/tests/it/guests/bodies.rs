//! Commands that evolve and convert bodies, and errors about wrong files.

use crate::common::xpuck;
use crate::rig::valid_json;
use std::path::Path;
use std::process::Output;

/// Body with two limbs. The joint axis of its root is X. A URDF has no joint for the root, and the import assumes X.
const TREE: &str = "(CPG(0), [FRONT, 1, X], {LEFT: (B(1), [LEFT, 2, X], None), RIGHT: (S(2), [RIGHT, 2, X], None)})\n";

fn body(dir: &Path, args: &[&str]) -> Output {
    let command: &[&str] = match args[0] {
        "curves" => &["runs", "curves"],
        "evolve" => &["evolve", "--kind", "bodies"],
        "export" => &["tree", "convert"],
        "import" => &["tree", "convert", "--to", "prif"],
        "show" => &["tree", "explain"],
        _ => &args[..1],
    };
    xpuck().current_dir(dir).args(command).args(&args[1..]).output().unwrap()
}

fn out(output: Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn resumed_run_equals_uninterrupted_run() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let run = ["evolve", "--steps", "60", "--islands", "2", "--set", "exchange_every=1", "--set", "families.cells=8"];
    let whole = [&run[..], &["--evaluations", "100", "--output", "whole"]].concat();
    out(body(dir, &whole));
    // A run with a smaller budget prepares the folder of an interrupted run.
    let part = [&run[..], &["--evaluations", "40", "--output", "part"]].concat();
    out(body(dir, &part));
    let other = body(dir, &["evolve", "--resume", "part"]);
    assert!(other.status.success(), "nothing is left to do: {other:?}");
    let toml = std::fs::read_to_string(dir.join("part/bodies.toml")).unwrap();
    std::fs::write(dir.join("part/bodies.toml"), toml.replace("steps = 60", "steps = 70")).unwrap();
    assert!(refused(dir, &["evolve", "--resume", "part"]).contains("belongs to another configuration"));
    std::fs::write(dir.join("part/bodies.toml"), toml.replace("evaluations = 40", "evaluations = 100")).unwrap();
    // Without checkpoints, `--resume` restarts the run from the beginning.
    let kept = ["part/checkpoint-0", "part/checkpoint-1"].map(|name| std::fs::remove_file(dir.join(name)).is_ok());
    assert!(kept.contains(&true), "there was a checkpoint");
    out(body(dir, &["evolve", "--resume", "part"]));
    for file in ["generations.csv", "gallery.svg", "walk.html", "bodies/island-0.prif", "bodies/island-1.nndf"] {
        let [part, whole] = ["part", "whole"].map(|run| std::fs::read(dir.join(run).join(file)).unwrap());
        assert!(part == whole, "{file}");
    }
}

#[test]
fn runs_are_drawn_side_by_side_and_kinds_as_a_gallery() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let run = ["evolve", "--steps", "60", "--evaluations", "60"];
    for (seed, folder) in [("1", "one"), ("2", "two"), ("3", "three")] {
        out(body(dir, &[&run[..], &["--seed", seed, "--output", folder]].concat()));
    }
    let told = valid_json(
        "runs curves",
        out(body(dir, &["curves", "one", "two", "three", "-o", "c.svg", "--json"])).as_bytes(),
    );
    let way = |folder: &str| {
        let result = std::fs::read(dir.join(folder).join("result.json")).unwrap();
        serde_json::from_slice::<serde_json::Value>(&result).unwrap()["best"].as_f64().unwrap()
    };
    let mut ways = ["one", "two", "three"].map(way);
    for (number, way) in ways.iter().enumerate() {
        assert!((told["runs"][number]["way"].as_f64().unwrap() - way).abs() < 1e-6, "{told}");
    }
    ways.sort_by(f64::total_cmp);
    assert!((told["median"].as_f64().unwrap() - ways[1]).abs() < 1e-6, "{told}");
    let svg = std::fs::read_to_string(dir.join("c.svg")).unwrap();
    assert!(svg.matches("<polyline").count() + svg.matches("<path").count() >= 3 && svg.contains(">two<"), "{svg}");
    assert!(refused(dir, &["curves", "one", "none"]).contains("none"));
    let table = std::fs::read_to_string(dir.join("two/generations.csv")).unwrap();
    std::fs::write(dir.join("two/generations.csv"), table.clone() + "9,0,60.0,500,nan,1,2,3\n").unwrap();
    let line = table.lines().count() + 1;
    assert!(
        refused(dir, &["curves", "two"])
            .contains(&format!("two/generations.csv: line {line}: not a row of finite numbers"))
    );
    // The command ignores an incomplete last line.
    std::fs::write(dir.join("two/generations.csv"), table + "9,0,60").unwrap();
    out(body(dir, &["curves", "two"]));
    // The gallery shows the best body of each kind.
    out(body(dir, &[&run[..], &["--set", "families.cells=16", "--output", "kinds"]].concat()));
    let result = std::fs::read(dir.join("kinds/result.json")).unwrap();
    let kinds = serde_json::from_slice::<serde_json::Value>(&result).unwrap()["islands"][0]["kinds"].as_u64().unwrap();
    let svg = std::fs::read_to_string(dir.join("kinds/kinds.svg")).unwrap();
    assert_eq!(svg.matches(" limbs</text>").count() as u64, kinds);
    assert!(kinds > 2 && !dir.join("one/kinds.svg").exists());
}

/// Runs a command that must fail with one line of standard error. Returns this line.
fn refused(dir: &Path, args: &[&str]) -> String {
    let output = body(dir, args);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && told.lines().count() == 1, "{args:?}: {told}");
    told
}

fn same(dir: &Path, runs: [&str; 2]) {
    for file in
        ["generations.csv", "bodies.toml", "gallery.svg", "walk.html", "bodies/island-0.prif", "bodies/island-1.nndf"]
    {
        let [a, b] = runs.map(|run| std::fs::read(dir.join(run).join(file)).unwrap());
        assert!(a == b, "{file} of {runs:?}");
    }
}

#[test]
fn extended_run_equals_longer_run() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let run =
        ["evolve", "--steps", "60", "--islands", "2", "--set", "exchange_every=2", "--set", "families.children=3"];
    let of = |evaluations: &'static str, folder: &'static str| {
        out(body(dir, &[&run[..], &["--evaluations", evaluations, "--output", folder]].concat()))
    };
    of("150", "whole");
    // The budget of 70 evaluations ends within a generation.
    of("70", "part");
    let before = std::fs::read(dir.join("part/generations.csv")).unwrap();
    out(body(dir, &["evolve", "--resume", "part"]));
    assert!(before == std::fs::read(dir.join("part/generations.csv")).unwrap(), "a run that is over stays as it is");
    let kept = std::fs::read(dir.join("part/bodies.toml")).unwrap();
    assert!(refused(dir, &["evolve", "--resume", "part", "--evaluations", "69"]).contains("the run already has 70"));
    assert!(kept == std::fs::read(dir.join("part/bodies.toml")).unwrap());
    out(body(dir, &["evolve", "--resume", "part", "--evaluations", "110"]));
    out(body(dir, &["evolve", "--resume", "part", "--evaluations", "150"]));
    same(dir, ["whole", "part"]);
}

#[test]
fn stop_file_ends_run_after_current_generation() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let run = ["evolve", "--steps", "60", "--islands", "2", "--evaluations", "80"];
    out(body(dir, &[&run[..], &["--output", "whole"]].concat()));
    std::fs::create_dir(dir.join("part")).unwrap();
    std::fs::write(dir.join("part/stop"), "").unwrap();
    let stopped = body(dir, &[&run[..], &["--output", "part"]].concat());
    let told = String::from_utf8_lossy(&stopped.stderr).into_owned();
    assert_eq!(stopped.status.code(), Some(75), "{told}");
    assert!(told.contains(" of 80 evaluations; continue with: xpuck evolve part"), "{told}");
    out(body(dir, &["evolve", "--resume", "part"]));
    assert!(!dir.join("part/stop").exists());
    same(dir, ["whole", "part"]);
}

#[test]
fn run_started_from_body_keeps_that_body() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    std::fs::write(dir.join("b.prif"), TREE).unwrap();
    out(body(dir, &["export", "b.prif", "--to", "nndf", "--seed", "4", "-o", "b.nndf"]));
    let run =
        ["evolve", "--steps", "60", "--islands", "2", "--evaluations", "80", "--from", "b.prif", "--brain", "b.nndf"];
    // Without mutations, all founders equal the given body and its brain.
    let itself =
        ["--evaluations", "2", "--set", "founder_mutations=0", "--set", "own_periods=false", "--output", "itself"];
    out(body(dir, &[&["evolve", "--steps", "60", "--from", "b.prif", "--brain", "b.nndf"][..], &itself].concat()));
    let read = |file: &str| std::fs::read_to_string(dir.join(file)).unwrap();
    assert_eq!(read("itself/bodies/island-0.nndf"), read("b.nndf"));
    assert_eq!(read("itself/bodies/island-0.prif").trim(), out(body(dir, &["import", "b.prif"])).trim());
    let walk = ["simulate", "b.prif", "--brain", "b.nndf", "--steps", "60", "--html", "walk.html"];
    assert!(out(body(dir, &walk)).contains(" m along y in 0.2 s"));
    assert!(read("walk.html") == read("itself/walk.html"));
    out(body(dir, &[&run[..], &["--output", "whole"]].concat()));
    std::fs::create_dir(dir.join("part")).unwrap();
    std::fs::write(dir.join("part/stop"), "").unwrap();
    assert_eq!(body(dir, &[&run[..], &["--output", "part"]].concat()).status.code(), Some(75));
    std::fs::remove_file(dir.join("b.prif")).unwrap();
    std::fs::remove_file(dir.join("b.nndf")).unwrap();
    out(body(dir, &["evolve", "--resume", "part"]));
    same(dir, ["whole", "part"]);
    std::fs::write(dir.join("b.prif"), TREE).unwrap();
    // Founders usually run a heat, a short walk that selects the fastest ones. Founders from an ancestor skip the heat,
    // because they may be slow at first.
    let text = std::fs::read_to_string(dir.join("whole/generations.csv")).unwrap();
    assert!(text.lines().nth(1).unwrap().contains(",20,"), "{text}");
    let told = refused(dir, &["evolve", "--from", "b.prif", "--set", "symmetric=true"]);
    assert!(told.contains("from: the body is not symmetric; remove symmetric = true"), "{told}");
    assert!(
        refused(dir, &["evolve", "--from", "b.prif", "--set", "parts=4"])
            .contains("from: the body has 5 parts, but parts = 4")
    );
    assert!(refused(dir, &["evolve", "--set", "from_period=1.0"]).contains("from_period: "));
    std::fs::write(dir.join("other.toml"), "from = \"(B(), [LEFT, 0, X], None)\"\n").unwrap();
    let told = refused(dir, &["evolve", "other.toml"]);
    assert!(told.contains("other.toml: from: ") && told.contains("repetitions"), "{told}");
    assert!(refused(dir, &["evolve", "--set", "from=b.prif"]).contains("--from names a file"));
    let told = refused(dir, &["evolve", "--set", "from_weights=[1.0]"]);
    assert!(told.contains("from_weights: "), "{told}");
}

#[test]
fn wrong_folders_and_keys_give_remedy() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    out(body(dir, &["evolve", "--steps", "20", "--evaluations", "4", "--output", "bodies"]));
    let trees = "evolve --islands 1 --generations 1 --population 8 --seconds 1 --remeasure 1 --output trees";
    assert!(xpuck().current_dir(dir).args(trees.split(' ')).output().unwrap().status.success());
    let told = refused(dir, &["evolve", "--resume", "trees"]);
    assert!(told.contains("trees: contains a run of evolution; go on with `xpuck evolve --resume trees`"), "{told}");
    let told =
        xpuck().current_dir(dir).args(["evolve", "--kind", "trees", "--resume", "bodies"]).output().unwrap().stderr;
    let told = String::from_utf8(told).unwrap();
    assert!(told.contains("bodies: contains a run of bodies; go on with `xpuck evolve --resume bodies`"), "{told}");
    let told = refused(dir, &["evolve", "--set", "steps=many"]);
    assert!(told.contains("`steps` must be a whole number, not string \"many\""), "{told}");
    std::fs::write(dir.join("b.prif"), TREE).unwrap();
    out(body(dir, &["export", "b.prif", "--to", "nndf", "-o", "b.nndf"]));
    // The command checks the given brain even if it does not write the brain.
    out(body(dir, &["export", "b.prif", "--to", "urdf", "--brain", "b.nndf"]));
    let told = refused(dir, &["export", "b.prif", "--to", "urdf", "--brain", "b.prif"]);
    assert!(told.contains("b.prif: "), "{told}");
}

#[test]
fn names_in_files_do_not_reach_the_terminal_as_they_are() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    std::fs::write(dir.join("b.prif"), TREE).unwrap();
    out(body(dir, &["export", "b.prif", "--to", "urdf", "-o", "b.urdf"]));
    out(body(dir, &["export", "b.prif", "--to", "nndf", "-o", "b.nndf"]));
    let rewritten = |file: &str, old: &str| {
        let text = std::fs::read_to_string(dir.join(file)).unwrap();
        std::fs::write(
            dir.join("x").with_extension(file.split('.').next_back().unwrap()),
            text.replace(old, "a&#10;\u{9b}2J\u{202e}"),
        )
        .unwrap();
    };
    rewritten("b.urdf", "1r2");
    rewritten("b.nndf", "1r2");
    std::fs::write(dir.join("x.prif"), "\u{1b}[2J\u{9b}").unwrap();
    for args in [&["import", "x.urdf"][..], &["import", "b.prif", "--brain", "x.nndf"], &["import", "x.prif"]] {
        let told = refused(dir, args);
        let raw = |c: char| c != '\n' && c.is_control() || c == '\u{202e}';
        assert!(!told.contains(raw) && told.contains("\\u{9b}"), "{args:?}: {told:?}");
    }
}

#[test]
fn exported_body_is_imported_unchanged() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    std::fs::write(dir.join("b.prif"), TREE).unwrap();
    out(body(dir, &["export", "b.prif", "--to", "urdf", "-o", "b.urdf"]));
    out(body(dir, &["export", "b.prif", "--to", "nndf", "--seed", "4", "-o", "b.nndf"]));
    let json = out(body(dir, &["export", "b.prif", "--to", "json"]));
    std::fs::write(dir.join("b.json"), json).unwrap();
    let text = out(body(dir, &["import", "b.urdf", "--brain", "b.nndf"]));
    assert_eq!(text, out(body(dir, &["import", "b.json"])));
    let walk = |file: &str| {
        let all = ["simulate", file, "--brain", "b.nndf", "--steps", "480", "--json"];
        let told = valid_json("simulate", out(body(dir, &all)).as_bytes());
        told["end"].clone()
    };
    assert_eq!(walk("b.prif"), walk("b.urdf"));
    assert_eq!(walk("b.prif"), walk("b.json"));
}

#[test]
fn wrong_bodies_are_refused_with_the_place_and_the_rule() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let cases = [
        ("(B(1), [RIGHT, 0, X], None)", "repetitions"),
        ("(B(1), [RIGHT, 1, X], {LEFT: (B(2), [LEFT, 1, X], None), TOP: (B(3), [LEFT, 1, X], None)})", "root."),
        ("(B(1), [RIGHT, 10000, X], None)", "256"),
        ("(B(1), [RIGHT, 1, X], {LEFT: (B(1), [LEFT, 1, X], None)})", "1"),
        ("(B(1), [SIDEWAYS, 1, X], None)", "line 1"),
        ("", "column 1"),
    ];
    for (text, rule) in cases {
        std::fs::write(dir.join("b.prif"), text).unwrap();
        let refused = body(dir, &["export", "b.prif", "--to", "urdf", "-o", "b.urdf"]);
        let told = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && told.contains("b.prif") && told.contains(rule), "{text}: {told}");
        assert_eq!(told.lines().count(), 1, "{told}");
        assert!(!dir.join("b.urdf").exists(), "nothing is left behind");
    }
    std::fs::write(dir.join("b.toml"), "families = { population = 1 }\n").unwrap();
    let refused = body(dir, &["evolve", "b.toml"]);
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(told.contains("b.toml: families.population = 1: it must be 2 to 1024"), "{told}");
}

#[test]
fn existing_files_are_not_overwritten() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let told = |args: &[&str]| {
        let output = body(dir, args);
        assert!(!output.status.success(), "{args:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    std::fs::write(dir.join("b.prif"), TREE).unwrap();
    for args in [
        &["export", "b.prif", "--to", "urdf", "-o", "b.prif"][..],
        &["show", "b.prif", "--svg", "b.prif"],
        &["import", "b.prif", "-o", "b.prif"],
        &["simulate", "b.prif", "--steps", "2", "--html", "b.prif"],
    ] {
        assert!(told(args).contains("is an input file"), "{args:?}");
        assert_eq!(std::fs::read_to_string(dir.join("b.prif")).unwrap(), TREE);
    }
    std::fs::create_dir(dir.join("mine")).unwrap();
    std::fs::write(dir.join("mine/curve.svg"), "precious").unwrap();
    let used = told(&["evolve", "--evaluations", "4", "--steps", "10", "--output", "mine"]);
    assert!(used.contains("mine: is not empty: it contains `curve.svg`; choose a new folder"), "{used}");
}

/// Evolution varies one half of the body and mirrors it. The best body can start another run, and keeps its own period.
#[test]
fn mirror_symmetric_body_stays_symmetric() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    out(body(dir, &["evolve", "--steps", "60", "--evaluations", "60", "--output", "first"]));
    let read = |file: &str| std::fs::read_to_string(dir.join(file)).unwrap();
    let mirrored = |file: &str| {
        let shown = valid_json("tree explain", out(body(dir, &["show", file, "--json"])).as_bytes());
        let cells: Vec<[i64; 3]> = shown["parts"]
            .as_array()
            .unwrap()
            .iter()
            .map(|p| serde_json::from_value(p["cell"].clone()).unwrap())
            .collect();
        cells.len() > 1 && cells.iter().all(|[x, y, z]| cells.contains(&[-x, *y, *z]))
    };
    let (prif, nndf) = ("first/bodies/island-0.prif", "first/bodies/island-0.nndf");
    assert!(mirrored(prif) && read(nndf).contains("period = "), "{}", read(prif));
    let again = ["evolve", "--steps", "60", "--evaluations", "2", "--from", prif, "--brain", nndf];
    out(body(dir, &[&again[..], &["--set", "founder_mutations=0", "--output", "second"]].concat()));
    for (file, was) in [("second/bodies/island-0.prif", prif), ("second/bodies/island-0.nndf", nndf)] {
        assert_eq!(read(file), read(was));
    }
    // The simulated walk equals the walk in the run. `--period` overrides the brain's period.
    let way = |prif: &str, nndf: &str, more: &[&str]| {
        out(body(dir, &[&["simulate", prif, "--brain", nndf, "--steps"][..], more].concat()))
    };
    let metres = |said: &str| said.split_once(" m along y").map(|(way, _)| way.parse::<f64>().unwrap()).unwrap();
    let result: serde_json::Value = serde_json::from_str(&read("first/result.json")).unwrap();
    // The fitness is the shorter distance of two walks. The simulated walk is one of the two, so its distance is not
    // less than the fitness.
    let walked = way(prif, nndf, &["60"]);
    assert!(metres(&walked) >= result["best"].as_f64().unwrap() - 0.005, "{walked}");
    let [walker, brain] =
        ["prif", "nndf"].map(|form| format!("{}/../../docs/bodies/walker.{form}", env!("CARGO_MANIFEST_DIR")));
    assert_ne!(metres(&way(&walker, &brain, &["600", "--period", "0"])), metres(&way(&walker, &brain, &["600"])));
    out(body(
        dir,
        &["evolve", "--steps", "60", "--evaluations", "40", "--set", "symmetric=false", "--output", "other"],
    ));
    assert!(!mirrored("other/bodies/island-0.prif"), "{}", read("other/bodies/island-0.prif"));
}
