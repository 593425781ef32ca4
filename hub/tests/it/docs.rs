//! The commands that the documents show are run: every line of a block marked `sh test`.

use crate::common::free_ports;
use std::path::Path;
use std::process::Command;

const DOCUMENTS: &[&str] = &[
    "README.md",
    "docs/README.md",
    "docs/glossary.md",
    "docs/concepts/behaviour-trees.md",
    "docs/concepts/evolution.md",
    "docs/concepts/fitness.md",
    "docs/concepts/islands.md",
    "docs/concepts/swarm.md",
    "docs/architecture.md",
    "docs/performance.md",
    "docs/simulator.md",
    "docs/exchange.md",
    "docs/algebra.md",
    "docs/explain.md",
    "docs/networks.md",
    "docs/bodies.md",
    "docs/kilobots.md",
    "docs/curricula.md",
    "docs/nodes.md",
    "docs/calibration.md",
    "docs/hub.md",
    "docs/hub-mocap.md",
    "docs/operate.md",
    "docs/live.md",
    "docs/senses.md",
    "docs/security.md",
    "docs/hubless.md",
    "docs/simtest.md",
    "docs/protocols/messages.md",
    "docs/evolution.md",
    "docs/firmware.md",
    "docs/robots.md",
    "docs/protocols/camera.md",
    "docs/protocols/spi.md",
    "docs/sweeps.md",
    "docs/adaptivity.md",
    "docs/analysis.md",
    "docs/thesis.md",
    "docs/experiments.md",
    "docs/sensors.md",
    "docs/worlds.md",
    "docs/runs.md",
    "docs/pandas.md",
    "docs/protocols/i2c.md",
    "docs/cluster/README.md",
    "docs/cluster/scale.md",
    "docs/cluster/sweeps.md",
];

/// A folder in which commands find the files of the repository, and what they make is their own.
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

/// The blocks of a document: what is written behind the three signs that open it, and its lines.
fn blocks(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split("\n```").skip(1).step_by(2).map(|block| block.split_once('\n').unwrap_or((block, "")))
}

/// A line as it is run here: on free ports, and with the Python that has the packages. None without such a Python.
fn runnable(line: &str) -> Option<String> {
    if let Some(arguments) = line.strip_prefix("python3 ") {
        return std::env::var("XPUCK_RECORD_PYTHON").ok().map(|python| format!("{python} {arguments}"));
    }
    let ports = if line.starts_with("xpuck demo") { format!(" --ports {}", free_ports()) } else { String::new() };
    Some(line.replace(":7700", &format!(":{}", free_ports())) + &ports)
}

/// Runs each line of each block marked `sh test`, all of a document in one folder. A block marked `text printed` has
/// lines that the block before it prints, in that order.
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

#[test]
fn commands_in_documents_work() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let ran: usize = DOCUMENTS.iter().map(|document| run(document, root, workplace(root).path())).sum();
    assert!(ran >= 50, "{ran} commands found");
}

/// The tutorial shows the files that it works with, and its pictures are those that its commands draw.
#[test]
fn the_tutorial_works() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let text = std::fs::read_to_string(root.join("docs/tutorial.md")).unwrap();
    for file in ["first.bt", "second.bt", "third.bt", "seeds.toml", "wall.toml", "path.py"] {
        let content = std::fs::read_to_string(root.join("docs/tutorial").join(file)).unwrap();
        assert!(blocks(&text).any(|(_, lines)| lines.trim_end() == content.trim_end()), "{file} is not shown");
    }
    let place = workplace(root);
    assert!(run("docs/tutorial.md", root, place.path()) > 20);
    for picture in ["first.svg", "third.svg", "five/curves.svg"] {
        let read = |folder: &Path| std::fs::read_to_string(folder.join("tutorial").join(picture)).unwrap();
        assert!(read(&root.join("docs")) == read(place.path()), "draw docs/tutorial/{picture} again");
    }
}

/// The account of 806768 in docs/explain.md is what the command prints.
#[test]
fn the_account_that_the_document_shows_is_the_real_one() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
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

/// docs/concepts/behaviour-trees.md shows the tutorial's second tree, and draws it as the program does.
#[test]
fn the_tree_of_the_page_on_ticks_is_the_real_one() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
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
