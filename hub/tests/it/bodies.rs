//! Bodies as commands evolve and exchange them; and what wrong files are told.

use crate::common::xpuck;
use std::path::Path;
use std::process::Output;

/// The root has no joint, so that a URDF does not tell its axis: X is what comes back.
const TREE: &str = "(CPG(0), [FRONT, 1, X], {LEFT: (B(1), [LEFT, 2, X], None), RIGHT: (S(2), [RIGHT, 2, X], None)})\n";

fn body(dir: &Path, args: &[&str]) -> Output {
    xpuck().current_dir(dir).arg("body").args(args).output().unwrap()
}

fn out(output: Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_run_that_goes_on_after_any_generation_ends_as_one_that_never_stopped() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let run = ["evolve", "--steps", "60", "--islands", "2", "--set", "exchange_every=1", "--set", "families.cells=8"];
    let whole = [&run[..], &["--evaluations", "100", "--out", "whole"]].concat();
    out(body(dir, &whole));
    // What a process that was killed after its second generation leaves: its own checkpoint, and a row that came after it.
    let part = [&run[..], &["--evaluations", "40", "--out", "part"]].concat();
    out(body(dir, &part));
    let toml = std::fs::read_to_string(dir.join("part/bodies.toml")).unwrap();
    let other = body(dir, &["evolve", "--resume", "part"]);
    assert!(other.status.success(), "nothing is left to do: {other:?}");
    std::fs::write(dir.join("part/bodies.toml"), toml.replace("evaluations = 40", "evaluations = 100")).unwrap();
    let refused = body(dir, &["evolve", "--resume", "part"]);
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && told.contains("belongs to another configuration"), "{told}");
    // Without its checkpoint it begins again.
    std::fs::remove_file(dir.join("part/checkpoint")).unwrap();
    out(body(dir, &["evolve", "--resume", "part"]));
    for file in ["generations.csv", "gallery.svg", "walk.html", "bodies/island-0.prif", "bodies/island-1.nndf"] {
        let [part, whole] = ["part", "whole"].map(|run| std::fs::read(dir.join(run).join(file)).unwrap());
        assert!(part == whole, "{file}");
    }
}

#[test]
fn a_body_goes_out_and_comes_back() {
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
        let told: serde_json::Value = serde_json::from_str(&out(body(dir, &all))).unwrap();
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
    assert!(told.contains("b.toml: families.population = 1: it lies between 2 and 1024"), "{told}");
}
