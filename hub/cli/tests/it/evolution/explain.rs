//! `xpuck tree explain`: its formats, its ablation, and its errors.

use crate::common::xpuck;
use crate::rig::valid_json;
use serde_json::Value;
use std::process::Output;

const TREES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/trees");
const SMALL: [&str; 5] = ["--simulate", "--runs", "4", "--seconds", "5"];

fn run(tree: &str, options: &[&str]) -> Output {
    xpuck().args(["tree", "explain", &format!("{TREES}/{tree}.bt")]).args(options).output().unwrap()
}

fn stdout(tree: &str, options: &[&str]) -> String {
    let output = run(tree, options);
    assert!(output.status.success(), "{options:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn object(tree: &str, options: &[&str]) -> Value {
    valid_json("tree explain", stdout(tree, &[options, &["--json"]].concat()).as_bytes())
}

#[test]
fn all_formats_have_same_rules() {
    let formula = "v_goal = unit(39 deg) + 12.3 v_blue";
    let text = stdout("806768", &[]);
    assert!(text.contains(formula) && text.contains("   3. Otherwise, steer towards the frisbee (blue)"), "{text}");
    assert!(!text.contains('\x1b'), "no colour outside a terminal");
    let markdown = stdout("806768", &["--to", "markdown"]);
    assert!(
        markdown.contains(&format!("`{formula}`")) && markdown.contains("| no blue | circle to the left"),
        "{markdown}"
    );
    let object = object("806768", &[]);
    assert_eq!((&object["nodes_before"], &object["nodes"]), (&9.into(), &8.into()));
    assert_eq!(object["account"]["children"][2]["formula"], formula);
    assert_eq!(object["account"]["children"][2]["cases"].as_array().unwrap().len(), 5);
    assert!(object["study"].is_null());
    assert!(stdout("806768", &["--to", "svg"]).starts_with("<svg "));
    assert_ne!(stdout("806768", &["--to", "svg"]), stdout("806768", &["--to", "svg", "--left"]));
}

#[test]
fn every_library_tree_is_explained_and_ablated() {
    let paths = std::fs::read_dir(TREES).unwrap().map(|entry| entry.unwrap().path());
    for path in paths.filter(|path| path.is_file()) {
        let tree = path.file_stem().unwrap().to_str().unwrap();
        let object = object(tree, &["--simulate", "--runs", "1", "--seconds", "1", "--count", "2"]);
        assert_eq!(
            object["study"]["nodes"].as_array().unwrap().len() as u64,
            object["nodes"].as_u64().unwrap(),
            "{tree}"
        );
    }
}

#[test]
fn ablation_counts_updates_on_same_worlds() {
    let object = object("806768", &["--simulate", "--runs", "6", "--seconds", "10", "--scenario", "b"]);
    let ablation = &object["study"];
    assert_eq!(ablation["updates"], 6 * 100 * 9);
    let node = |line: usize| &ablation["nodes"][line - 1];
    let ticks =
        |line: usize| ["success", "failure", "running"].map(|r| node(line)[r].as_u64().unwrap()).iter().sum::<u64>();
    assert_eq!((ticks(1), ticks(2)), (5400, 5400));
    assert_eq!(ticks(3), node(2)["failure"].as_u64().unwrap(), "the next rule is tried when avoiding fails");
    assert_eq!(ticks(8), node(3)["failure"].as_u64().unwrap());
    assert_eq!(ticks(6), node(5)["success"].as_u64().unwrap(), "what follows bfront is ticked when it succeeds");
    let removals = ablation["removals"].as_array().unwrap();
    assert_eq!(removals.len(), 7);
    let size = |effect: &Value| effect["mean"].as_f64().unwrap().abs();
    assert!(removals.windows(2).all(|pair| size(&pair[0]) >= size(&pair[1])), "the largest effect comes first");
    // Without the tree's last rule the robot only turns and waits, so the whole fitness of the tree is lost.
    let last = removals.iter().find(|r| r["line"] == 8).unwrap();
    let (lost, whole) = (last["mean"].as_f64().unwrap(), ablation["fitness"].as_f64().unwrap());
    assert!(whole > 0.05 && (lost + whole).abs() < 0.02, "{lost} of {whole}");
    assert!(
        ablation["constants"]
            .as_array()
            .unwrap()
            .iter()
            .any(|c| c["variant"].as_str().unwrap().contains("f 14.76 instead of 12.3"))
    );
}

#[test]
fn threads_do_not_change_a_digit() {
    let with = |threads: &str| {
        let file = format!("{TREES}/explore.bt");
        let output =
            xpuck().args(["tree", "explain", &file, "--json"]).args(SMALL).env("RAYON_NUM_THREADS", threads).output();
        output.unwrap().stdout
    };
    let one = with("1");
    assert!(!one.is_empty());
    assert_eq!(one, with("5"));
}

#[test]
fn unreached_nodes_are_marked() {
    // Robots never see green in this arena.
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a.bt");
    std::fs::write(
        &file,
        "sel\n  seq\n    invert\n      ifquad v_green 0\n    movcv v_goal 90deg\n  movcv v_goal 0deg\n",
    )
    .unwrap();
    let explain = |options: &[&str]| {
        let output =
            xpuck().args(["tree", "explain", file.to_str().unwrap()]).args(SMALL).args(options).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let text = explain(&[]);
    assert!(text.contains("never reached in 4 runs") && text.contains("movcv v_goal 90deg"), "{text}");
    let markdown = explain(&["--to", "markdown"]);
    assert!(markdown.contains("never reached in 4 runs | | | |"), "{markdown}");
    let drawing = dir.path().join("a.svg");
    assert_eq!(explain(&["--to", "svg", "-o", drawing.to_str().unwrap()]), "");
    let drawing = std::fs::read_to_string(drawing).unwrap();
    assert!(drawing.contains("class=\"action never\"") && drawing.contains(">100.0 %<"), "{drawing}");
}

#[test]
fn bad_input_is_refused_in_one_line() {
    let cases: [(&[&str], &str); 5] = [
        (&["--simulate", "--runs", "0"], "--runs 0: must be 1 to 1000000"),
        (&["--simulate", "--count", "257"], "--count 257: must be 1 to 256"),
        (&["--runs", "5"], "--simulate"),
        (&["--to", "xml"], "invalid value 'xml'"),
        (&["-o", "/nowhere/a.txt"], "/nowhere/a.txt: cannot be written"),
    ];
    for (options, expected) in cases {
        let output = run("806768", options);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            !output.status.success() && output.stdout.is_empty() && error.contains(expected),
            "{options:?}: {error}"
        );
    }
    let error = String::from_utf8_lossy(&run("nothing", &[]).stderr).into_owned();
    assert!(error.contains("nothing.bt: cannot be read") && error.lines().count() == 1, "{error}");
    let dir = tempfile::tempdir().unwrap();
    let large = dir.path().join("large.bt");
    std::fs::write(&large, format!("seq\n{}", "  avoiding\n".repeat(500))).unwrap();
    let output = xpuck().args(["tree", "explain", large.to_str().unwrap()]).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && error.contains("large.bt: the tree has 2501 nodes"), "{error}");
}
