//! The commands that the documents show are run: every line of a block marked `sh test`.

use std::path::Path;
use std::process::Command;

const DOCUMENTS: &[&str] = &[
    "README.md",
    "docs/architecture.md",
    "docs/performance.md",
    "docs/simulator.md",
    "docs/exchange.md",
    "docs/algebra.md",
    "docs/explain.md",
    "docs/nodes.md",
    "docs/calibration.md",
    "docs/hub.md",
    "docs/hub-mocap.md",
    "docs/senses.md",
    "docs/security.md",
    "docs/simtest.md",
    "docs/protocols/messages.md",
    "docs/evolution.md",
    "docs/firmware.md",
    "docs/robots.md",
    "docs/protocols/camera.md",
    "docs/protocols/spi.md",
    "docs/sweeps.md",
    "docs/thesis.md",
    "docs/experiments.md",
    "docs/worlds.md",
    "docs/runs.md",
    "docs/pandas.md",
    "docs/protocols/i2c.md",
    "docs/cluster/README.md",
];

#[test]
fn commands_in_documents_work() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let programs = Path::new(env!("CARGO_BIN_EXE_xpuck")).parent().unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap_or_default());
    let mut ran = 0;
    for document in DOCUMENTS {
        let text = std::fs::read_to_string(root.join(document)).unwrap();
        for block in text.split("```sh test\n").skip(1) {
            for line in block.split("```").next().unwrap().lines() {
                let output =
                    Command::new("sh").args(["-c", line]).current_dir(root).env("PATH", &path).output().unwrap();
                assert!(output.status.success(), "{document}: {line}\n{}", String::from_utf8_lossy(&output.stderr));
                ran += 1;
            }
        }
    }
    assert!(ran >= 4, "{ran} commands found");
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
