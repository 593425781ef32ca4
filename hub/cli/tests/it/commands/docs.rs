//! Runs the commands in the documents: every line of a block marked `sh test`.

use crate::common::free_ports;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Declares a test for each page with tested commands, and the constant `PAGES` with all these pages.
macro_rules! pages {
    ($($name:ident: $page:literal,)*) => {
        const PAGES: &[&str] = &[$($page),*];

        mod commands {
            $(#[test]
            fn $name() {
                super::commands_work($page);
            })*
        }
    };
}

pages! {
    readme: "README.md",
    adaptivity: "docs/adaptivity.md",
    algebra: "docs/algebra.md",
    analysis: "docs/analysis.md",
    bodies: "docs/bodies.md",
    calibration: "docs/calibration.md",
    camera: "docs/camera.md",
    cluster_scale: "docs/cluster/scale.md",
    cluster_sweeps: "docs/cluster/sweeps.md",
    behaviour_trees: "docs/concepts/behaviour-trees.md",
    concept_of_evolution: "docs/concepts/evolution.md",
    fitness: "docs/concepts/fitness.md",
    islands: "docs/concepts/islands.md",
    curricula: "docs/curricula.md",
    evolution: "docs/evolution.md",
    experiments: "docs/experiments.md",
    explain: "docs/explain.md",
    hub_mocap: "docs/hub-mocap.md",
    hubless: "docs/hubless.md",
    kilobots: "docs/kilobots.md",
    live: "docs/live.md",
    networks: "docs/networks.md",
    operate: "docs/operate.md",
    runs: "docs/runs.md",
    security: "docs/security.md",
    sensors: "docs/sensors.md",
    simtest: "docs/simtest.md",
    simulator: "docs/simulator.md",
    sweeps: "docs/sweeps.md",
    robot_models: "docs/robot-models.md",
    automode: "docs/automode.md",
    thesis: "docs/thesis.md",
    worlds: "docs/worlds.md",
    missions: "docs/missions.md",
}

/// Page that has a separate test, `tutorial_commands_and_pictures_are_current`.
const TUTORIAL: &str = "docs/tutorial.md";

/// Returns a temporary folder with links to the repository's files. The outputs of commands stay in this folder.
fn workplace(root: &Path) -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(root).unwrap().map(Result::unwrap) {
        let name = entry.file_name();
        if !["runs", "target", "tutorial"].iter().any(|made| name == *made) {
            std::os::unix::fs::symlink(entry.path(), place.path().join(&name)).unwrap();
        }
    }
    place
}

/// Returns the code blocks of a document. Each item is the mark after a block's opening fence, and the block's lines.
fn blocks(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split("\n```").skip(1).step_by(2).map(|block| block.split_once('\n').unwrap_or((block, "")))
}

/// Adapts a command line to the test. Ports are replaced by free ports, and `python3` by the Python program in the
/// variable `XPUCK_RECORD_PYTHON`. Returns `None` if the line calls `python3` and the variable is not set.
fn runnable(line: &str) -> Option<String> {
    if let Some(arguments) = line.strip_prefix("python3 ") {
        return std::env::var("XPUCK_RECORD_PYTHON").ok().map(|python| format!("{python} {arguments}"));
    }
    let ports = if line.starts_with("xpuck demo") { format!(" --ports {}", free_ports()) } else { String::new() };
    Some(line.replace(":7700", &format!(":{}", free_ports())) + &ports)
}

/// Runs all lines of a document's blocks marked `sh test` in the folder `place`. For each block marked `text printed`,
/// checks that the last `sh test` block has printed the lines in the same order. Returns the number of command lines
/// that ran.
fn run(document: &str, root: &Path, place: &Path) -> usize {
    let programs = Path::new(env!("CARGO_BIN_EXE_xpuck")).parent().unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap_or_default());
    let text = std::fs::read_to_string(root.join(document)).unwrap();
    let (mut ran, mut printed) = (0, String::new());
    for (mark, lines) in blocks(&text) {
        match mark {
            "sh test" => {
                printed.clear();
                for line in lines.lines() {
                    let Some(command) = runnable(line) else {
                        xpuck_testing::skipped(format_args!("{document}: {line} (make deps-record)"));
                        continue;
                    };
                    let output =
                        Command::new("sh").args(["-c", &command]).current_dir(place).env("PATH", &path).output();
                    let output = output.unwrap();
                    assert!(output.status.success(), "{document}: {line}\n{}", String::from_utf8_lossy(&output.stderr));
                    printed += &String::from_utf8_lossy(&output.stdout);
                    ran += 1;
                }
            }
            "text printed" => {
                let mut rest = printed.as_str();
                for line in lines.lines() {
                    let at = rest.find(line).unwrap_or_else(|| panic!("{document}: not printed: {line}\n{printed}"));
                    rest = &rest[at + line.len()..];
                }
            }
            _ => {}
        }
    }
    ran
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn commands_work(page: &str) {
    assert!(run(page, root(), workplace(root()).path()) > 0, "{page}: no commands");
}

/// Returns the Markdown files of a folder and its subfolders.
fn markdown(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let below = |path: PathBuf| if path.is_dir() { markdown(&path) } else { vec![path] };
    entries.flat_map(below).filter(|path| path.extension().is_some_and(|ending| ending == "md")).collect()
}

#[test]
fn every_page_with_commands_is_listed() {
    for page in markdown(&root().join("docs")) {
        let name = page.strip_prefix(root()).unwrap().to_str().unwrap();
        let text = std::fs::read_to_string(&page).unwrap();
        let has = blocks(&text).any(|(mark, _)| mark == "sh test");
        assert!(
            !has || name == TUTORIAL || PAGES.contains(&name),
            "add {name} to the pages of hub/cli/tests/it/commands/docs.rs"
        );
    }
}

/// The tutorial contains each file that it uses, and its pictures equal the output of its commands.
#[test]
fn tutorial_commands_and_pictures_are_current() {
    let root = root();
    let text = std::fs::read_to_string(root.join(TUTORIAL)).unwrap();
    for file in ["first.bt", "second.bt", "third.bt", "seeds.toml", "wall.toml", "path.py"] {
        let content = std::fs::read_to_string(root.join("docs/tutorial").join(file)).unwrap();
        assert!(blocks(&text).any(|(_, lines)| lines.trim_end() == content.trim_end()), "{file} is not shown");
    }
    let place = workplace(root);
    assert!(run(TUTORIAL, root, place.path()) > 20);
    for picture in ["first.svg", "third.svg", "five/curves.svg"] {
        let read = |folder: &Path| std::fs::read_to_string(folder.join("tutorial").join(picture)).unwrap();
        assert!(read(&root.join("docs")) == read(place.path()), "draw docs/tutorial/{picture} again");
    }
}

/// Blocks marked `toml NAME` in docs/worlds.md contain lines of docs/worlds/missions/NAME.toml, in the same order.
#[test]
fn excerpts_of_missions_equal_lines_of_their_files() {
    let page = include_str!("../../../../../docs/worlds.md");
    let mut excerpts = 0;
    for (mark, lines) in blocks(page) {
        let Some(name) = mark.strip_prefix("toml ") else { continue };
        let file = std::fs::read_to_string(root().join(format!("docs/worlds/missions/{name}.toml"))).unwrap();
        let mut rest = file.lines();
        for line in lines.lines().filter(|line| !line.is_empty()) {
            assert!(rest.any(|other| other == line), "docs/worlds.md: {name}.toml lacks, in this order: {line}");
        }
        excerpts += 1;
    }
    assert!(excerpts >= 10, "only {excerpts} excerpts were found");
}

/// docs/explain.md contains the command's output for the tree 806768.
#[test]
fn documented_explanation_matches_output() {
    let root = root();
    let output = Command::new(env!("CARGO_BIN_EXE_xpuck"))
        .args(["tree", "explain", "docs/trees/806768.bt"])
        .current_dir(root)
        .output()
        .unwrap();
    let shown: String = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| if line.is_empty() { "\n".into() } else { format!("    {line}\n") })
        .collect();
    let document = std::fs::read_to_string(root.join("docs/explain.md")).unwrap();
    assert!(document.contains(&shown), "docs/explain.md should hold\n{shown}");
}

/// docs/concepts/behaviour-trees.md contains the tutorial's second tree, and its picture equals the program's drawing.
#[test]
fn documented_tick_tree_matches_output() {
    let root = root();
    let read = |path: &str| std::fs::read_to_string(root.join(path)).unwrap();
    let tree = read("docs/tutorial/second.bt");
    let shown: String =
        tree.lines().filter(|line| !line.starts_with('#')).map(|line| format!("    {line}\n")).collect();
    assert!(read("docs/concepts/behaviour-trees.md").contains(&shown), "the page should hold\n{shown}");
    let output = Command::new(env!("CARGO_BIN_EXE_xpuck"))
        .args(["tree", "convert", "docs/tutorial/second.bt", "--to", "svg"])
        .current_dir(root)
        .output()
        .unwrap();
    assert!(read("docs/concepts/tick.svg").as_bytes() == output.stdout, "draw docs/concepts/tick.svg again");
}
