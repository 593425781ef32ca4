//! `xpuck tree`: converts the trees of the library to every format, and reports errors.

use crate::common::xpuck;
use std::path::{Path, PathBuf};
use std::process::Output;

const TREES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/trees");

fn run(arguments: &[&str]) -> Output {
    let group: &[&str] = if arguments[0] == "check" { &[] } else { &["tree"] };
    xpuck().args(group).args(arguments).output().unwrap()
}

fn stdout(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn refusal(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(!output.status.success() && output.stdout.is_empty(), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn library() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(TREES).unwrap().map(|e| e.unwrap().path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.is_file()).collect();
    files.sort();
    files
}

#[test]
fn library_trees_survive_every_readable_format() {
    let dir = tempfile::tempdir().unwrap();
    for file in library() {
        let expected = stdout(&["fmt", text(&file)]);
        for format in ["text", "xml", "json", "bin"] {
            let extension = if format == "text" { "bt" } else { format };
            let copy = dir.path().join(format!("copy.{extension}"));
            assert_eq!(stdout(&["convert", text(&file), "--to", format, "-o", text(&copy)]), "");
            assert_eq!(stdout(&["convert", text(&copy), "--to", "text"]), expected, "{} as {format}", file.display());
            assert!(stdout(&["check", text(&copy)]).contains("with subtrees expanded"));
        }
    }
}

#[test]
fn trees_are_drawn() {
    let file = format!("{TREES}/explore.bt");
    let [down, right] = [&["--to", "svg"][..], &["--to", "svg", "--left"]].map(|options| {
        let drawing = stdout(&[&["convert", &file], options].concat());
        assert!(drawing.starts_with("<svg ") && drawing.contains("ifquad v_prox 1"), "{drawing}");
        drawing
    });
    assert_ne!(down, right);
    assert!(stdout(&["convert", &file, "--to", "dot"]).starts_with("digraph tree {"));
}

#[test]
fn formatting_keeps_the_tree_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a.bt");
    std::fs::write(&file, "# a note\nseq2\n\n  movcv [2] 28 # left\n  ifquad v_up 1\n").unwrap();
    let expected = "seq\n  movcv v_goal 39deg\n  ifquad v_up 1\n";
    assert_eq!(stdout(&["fmt", text(&file)]), expected);
    assert_eq!(stdout(&["fmt", "--write", text(&file)]), "");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), expected);
    let xml = dir.path().join("a.xml");
    stdout(&["convert", text(&file), "--to", "xml", "-o", text(&xml)]);
    assert!(refusal(&["fmt", "--write", text(&xml)]).contains("--write is for the text form"));
}

#[test]
fn malformed_files_are_one_error_that_names_the_place() {
    let dir = tempfile::tempdir().unwrap();
    let cases: [(&str, &[u8], &str); 6] = [
        ("a.bt", b"sel\n  avoding\n", "a.bt: line 2, column 3: unknown node `avoding`; did you mean `avoiding`?"),
        (
            "a.xml",
            b"<root BTCPP_format=\"4\">\n<BehaviorTree>",
            "a.xml: line 2, column 15: not XML: the root node was opened but never closed",
        ),
        ("a.json", b"{\"node\": \"seq\",\n \"children\": 3}", "a.json: line 2, column 14: `[` is missing"),
        ("a.bin", b"XPBT\x01\0\x0c\0\x01\0\x10\0\x63\0\xff\xff", "a.bin: byte 12: 99 is not a node kind"),
        ("b.bt", b"\xff", "b.bt: cannot be read: it is not UTF-8 text"),
        ("b.bin", b"", "b.bin: byte 0: not a tree"),
    ];
    for (name, bytes, expected) in cases {
        let file = dir.path().join(name);
        std::fs::write(&file, bytes).unwrap();
        for command in [&["check"][..], &["fmt"], &["convert", "--to", "svg"]] {
            let error = refusal(&[command, &[text(&file)]].concat());
            assert!(error.starts_with("xpuck: ") && error.contains(expected), "{error}");
            // `check` ends with a summary line, which is not counted as an error line.
            assert_eq!(error.replace("xpuck: the file is wrong", "").matches("xpuck: ").count(), 1, "{error}");
        }
    }
    let other = dir.path().join("a.tree");
    std::fs::write(&other, "successl\n").unwrap();
    assert_eq!(stdout(&["convert", "--to", "text", text(&other)]), "successl\n", "text has any other name");
    assert!(refusal(&["check", "/nowhere.bt"]).contains("/nowhere.bt: cannot be read"));
}

#[test]
fn every_command_accepts_trees_in_every_format() {
    let dir = tempfile::tempdir().unwrap();
    let parts = "<root BTCPP_format=\"4\"><BehaviorTree ID=\"patrol\"><ReactiveFallback><avoiding/><SubTree ID=\"chase\"/>\
                 </ReactiveFallback></BehaviorTree><BehaviorTree ID=\"chase\"><upfield g=\"-1\"/></BehaviorTree></root>";
    let file = |name: &str| dir.path().join(name);
    std::fs::write(file("a.xml"), parts).unwrap();
    std::fs::write(file("p.btproj"), "<root BTCPP_format=\"4\"><include path=\"a.xml\"/></root>").unwrap();
    stdout(&["convert", text(&file("a.xml")), "--to", "json", "-o", text(&file("a.json"))]);
    stdout(&["convert", text(&file("a.xml")), "--to", "bin", "-o", text(&file("a.bin"))]);
    let read = |command: &str, name: &str| {
        let output = xpuck().args(command.split(' ')).arg(file(name)).output().unwrap();
        assert!(output.status.success(), "{command} {name}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    for name in ["a.xml", "p.btproj", "a.json", "a.bin"] {
        assert_eq!(read("tree convert --to text", name), "sel\n  avoiding\n  upfield -1\n");
        assert!(read("check", name).contains("a tree of 3 nodes"));
        let same = read("simulate --runs 1 --seconds 1 --json", name);
        assert!(same.contains("\"mean\""), "{same}");
    }
    assert_eq!(stdout(&["convert", text(&file("p.btproj")), "--tree", "chase", "--to", "text"]), "upfield -1\n");
    let kilobot = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/kilobots/racing.bt");
    for form in ["xml", "json"] {
        let other = file(&format!("k.{form}"));
        stdout(&["convert", kilobot, "--to", form, "-o", text(&other)]);
        assert_eq!(stdout(&["convert", text(&other), "--to", "text"]), stdout(&["convert", kilobot, "--to", "text"]));
        assert!(read("check", &format!("k.{form}")).contains("a Kilobot's tree of"));
    }
}

#[test]
fn printed_node_reference_matches_page() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/nodes.md");
    assert_eq!(stdout(&["nodes"]), std::fs::read_to_string(file).unwrap());
}

#[test]
fn every_subcommand_has_help() {
    for command in ["check", "fmt", "convert", "nodes"] {
        assert!(stdout(&[command, "--help"]).len() > 150, "{command} --help");
    }
    assert!(stdout(&["--help"]).contains("Groot2"));
}

#[test]
fn listing_8_1_reduces_to_nine_nodes_that_drive_the_same() {
    let trees = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/trees");
    let evolved = format!("{trees}/806768-evolved.bt");
    let dir = tempfile::tempdir().unwrap();
    let reduced = dir.path().join("reduced.bt");
    let output = xpuck().args(["tree", "reduce", &evolved, "--explain"]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && text.contains("(rule "), "{text}");
    let nodes = text.lines().filter(|line| !line.starts_with('#')).count();
    assert!(nodes <= 9, "{text}");
    std::fs::write(&reduced, &text).unwrap();
    let equal = |b: &str| xpuck().args(["tree", "diff", &evolved, b, "--runs", "10"]).output().unwrap();
    assert!(equal(reduced.to_str().unwrap()).status.success());
    let other = equal(&format!("{trees}/forward.bt"));
    let difference = String::from_utf8_lossy(&other.stderr).into_owned();
    assert!(!other.status.success() && difference.contains("the trees differ: run 0, after 0."), "{difference}");
}
