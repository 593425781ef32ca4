//! Validates the `--json` output of commands against the schemas that `xpuck dev schema` publishes.

use crate::rig::{valid_json, xpuck};

/// Commands that need no hub, and their arguments after `--json`. The tests of other commands validate the outputs of
/// those commands.
const COMMANDS: &[(&str, &str)] = &[
    ("check", "docs/trees/806768.bt docs/worlds/foraging.toml docs/worlds/none.toml"),
    ("tree explain", "docs/trees/806768.bt"),
    ("tree explain", "docs/trees/806768.bt --simulate --runs 2 --seconds 5"),
    ("tree explain", "docs/bodies/walker.prif"),
    ("tree diff", "docs/trees/806768.bt docs/trees/806768.bt --runs 2"),
    ("tree nodes", ""),
    ("study size", "docs/trees/806768.bt --sizes 1,2 --runs 2 --seconds 5"),
    ("study mix", "docs/trees/806768.bt docs/trees/explore.bt --runs 2 --seconds 5"),
    ("study perturb", "docs/trees/806768.bt --runs 4 --seconds 2"),
    ("study ablate", "docs/trees/806768.bt --runs 2 --seconds 5"),
    ("study branches", "docs/trees/806768.bt --runs 2 --seconds 5"),
    ("study path", "docs/trees/806768.bt --seconds 5"),
    ("keys list", "--dir KEYS"),
    ("study tune", "docs/trees/806768.bt --generations 1 --sizes 2 --runs 10"),
    ("study hetero", "docs/trees --mixed 2 --drawn 2 --alone 2"),
    ("dev bench", "--worlds 8 --repeat 1"),
];

#[test]
fn outputs_are_valid_by_their_schemas() {
    let dir = tempfile::tempdir().unwrap();
    let keys = dir.path().join("keys");
    let made = xpuck().args(["keys", "new", "--dir"]).arg(&keys).output().unwrap();
    assert!(made.status.success(), "{made:?}");
    for (command, arguments) in COMMANDS {
        let arguments = arguments.replace("KEYS", keys.to_str().unwrap());
        let mut line = xpuck();
        line.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).args(command.split(' ')).arg("--json");
        let output = line.args(arguments.split_whitespace()).output().unwrap();
        assert!(!output.stdout.is_empty(), "{command} {arguments}: {}", String::from_utf8_lossy(&output.stderr));
        valid_json(command, &output.stdout);
    }
}
