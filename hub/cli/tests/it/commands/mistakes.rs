//! Frequent mistakes of new users. For each mistake, the first line of the error must include the remedy.

use crate::common::{free_ports, xpuck};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn run(folder: &Path, line: &str) -> Output {
    let line = line.replace("{docs}", &format!("{ROOT}/docs"));
    xpuck().args(line.split(' ')).current_dir(folder).env("TMPDIR", folder).stdin(Stdio::null()).output().unwrap()
}

/// Checks that the first line of a command's standard error contains all of `words`. Returns the standard error.
fn checked_stderr(output: &Output, words: &[&str]) -> String {
    let text = String::from_utf8(output.stderr.clone()).unwrap();
    let first = text.lines().next().unwrap_or_default().to_string();
    assert!(first.starts_with("xpuck: ") || first.starts_with("error: "), "{text}");
    assert!(!first.contains("xpuck: xpuck:"), "{text}");
    for word in words {
        assert!(first.contains(word), "`{word}` is not in: {text}");
    }
    text
}

/// Runs a command that must fail. The first line of its standard error must contain all of `words`. Returns the
/// standard error.
fn refused(folder: &Path, line: &str, words: &[&str]) -> String {
    let output = run(folder, line);
    assert!(!output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stdout));
    checked_stderr(&output, words)
}

/// Runs a command that must fail with exactly one line of standard error, which must contain all of `words`.
fn one_line(folder: &Path, line: &str, words: &[&str]) {
    let text = refused(folder, line, words);
    assert_eq!(text.lines().count(), 1, "{line}: {text}");
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).unwrap();
}

#[test]
fn tab_indented_tree_is_rejected_with_position() {
    let dir = folder();
    write(dir.path(), "a.bt", "seq\n\tmovcv v_goal 0\n\tmovcv v_goal 0\n");
    for command in ["simulate", "tree fmt", "check", "demo --tree"] {
        refused(
            dir.path(),
            &format!("{command} a.bt"),
            &["a.bt: line 2, column 1: tabs are not allowed; indent with two spaces per level"],
        );
    }
}

#[test]
fn ninety_for_ninety_degrees() {
    let dir = folder();
    write(dir.path(), "a.bt", "movcv v_goal 90\n");
    for command in ["check a.bt", "check a.bt", "tree fmt a.bt", "simulate a.bt --runs 1 --seconds 1"] {
        let output = run(dir.path(), command);
        assert!(output.status.success(), "{command}");
        let text = checked_stderr(
            &output,
            &["a.bt: note: line 1, column 14: operand i: `90` is 90 steps", "127 degrees", "`90deg`"],
        );
        assert_eq!(text.lines().count(), 1, "{command}: {text}");
    }
    assert_eq!(String::from_utf8_lossy(&run(dir.path(), "tree fmt a.bt").stdout), "movcv v_goal 127deg\n");
    write(dir.path(), "b.bt", "movcv v_goal 90deg\n");
    assert!(run(dir.path(), "check b.bt").stderr.is_empty());
    write(dir.path(), "c.bt", "movcv v_goal 180\n");
    refused(dir.path(), "check c.bt", &["-180.0 to 178.6 degrees", "write degrees as in `90deg`"]);
}

#[test]
fn misspelt_names_get_suggestions() {
    let dir = folder();
    write(dir.path(), "node.bt", "sequ\n");
    write(dir.path(), "register.bt", "movcv v_gaol 0\n");
    write(dir.path(), "e.toml", "name = \"e\"\nminuets = 1.0\nsegment_minutes = 0.5\ntask = \"transport\"\n");
    write(dir.path(), "t.toml", "name = \"e\"\nminutes = 1.0\nsegment_minutes = 0.5\ntask = \"trasnport\"\n");
    write(dir.path(), "v.toml", "algoritm = \"racing\"\n");
    write(dir.path(), "a.toml", "algorithm = \"raicng\"\n");
    refused(dir.path(), "check node.bt", &["unknown node `sequ`; did you mean `seq"]);
    refused(dir.path(), "check register.bt", &["unknown register `v_gaol`; did you mean `v_goal`?"]);
    for (line, near) in [
        ("check e.toml", "`minutes`"),
        ("check t.toml", "`transport`"),
        ("evolve v.toml", "`algorithm`"),
        ("evolve a.toml", "`racing`"),
        ("evolve --algorithm raicng", "`racing`"),
        ("dev schema wrld", "`world`"),
        ("check node.tb", "`node.bt`"),
        (&format!("demo --unkind typcal --ports {}", free_ports()), "`typical`"),
        ("serve geneserver --policy rign", "`ring`"),
    ] {
        refused(dir.path(), line, &[&format!("did you mean {near}?")]);
    }
    // For commands, options and their values, the command-line library prints the suggestion on a line after the first
    // one.
    for (line, near) in
        [("simulat a.bt", "simulate"), ("evolve --iland 2", "--island"), ("simulate x --engine smid", "simd")]
    {
        assert!(refused(dir.path(), line, &["error: "]).contains("tip: a similar"), "{line}");
        assert!(refused(dir.path(), line, &[]).contains(near), "{line}");
    }
}

#[test]
fn no_key() {
    let dir = folder();
    let hub = format!("--hub tcp://127.0.0.1:{}", free_ports());
    for command in ["robot list", "stop", "start {docs}/experiments/transport.toml"] {
        one_line(
            dir.path(),
            &format!("{command} {hub}"),
            &["no key for the hub", "operators/ in that hub's folder of keys", "--key FILE"],
        );
    }
    one_line(dir.path(), "robot list --key ada.key", &["ada.key", "xpuck keys new"]);
    one_line(dir.path(), "keys list", &["keys/hub.pub", "`xpuck keys new"]);
    assert!(run(dir.path(), "init s").status.success());
    std::fs::remove_dir_all(dir.path().join("s/keys")).unwrap();
    one_line(
        dir.path(),
        "serve hub --config s/hub.toml",
        &["s/keys/hub.key: is missing", "`xpuck keys new --swarm swarm.toml`"],
    );
    let xpuckd = Path::new(env!("CARGO_BIN_EXE_xpuck")).with_file_name("xpuckd");
    let robot = Command::new(xpuckd).args(["--config", "s/robots/xp01.toml"]).current_dir(dir.path()).output().unwrap();
    let text = String::from_utf8(robot.stderr).unwrap();
    assert!(text.contains("xp01.key: is missing") && text.contains("`xpuck keys new --swarm swarm.toml`"), "{text}");
}

#[test]
fn port_in_use_is_reported_with_remedy() {
    let dir = folder();
    let ports = free_ports();
    let _taken = TcpListener::bind(("127.0.0.1", ports + 2)).unwrap();
    let words = [&format!("--ports {ports}: port {}", ports + 2), "in use", "--ports "];
    one_line(dir.path(), &format!("demo --output out --ports {ports}"), &words);
    assert!(!dir.path().join("out").exists());
    let init = run(dir.path(), &format!("init s --ports {ports}"));
    assert!(init.status.success());
    let hub = refused(
        dir.path(),
        "serve hub --config s/hub.toml",
        &[&format!(":{}", ports + 2), "in use", "choose another port"],
    );
    assert_eq!(hub.lines().count(), 1, "{hub}");
}

#[test]
fn wrong_folder_is_reported_with_remedy() {
    let dir = folder();
    one_line(dir.path(), "runs list", &["runs: is missing", "--folder DIR"]);
    one_line(dir.path(), "runs show last", &["runs: is missing", "--folder DIR"]);
    one_line(dir.path(), "robot list", &["this folder has no swarm.toml", "xpuck init DIR", "xpuck demo"]);
    for command in ["serve hub --config hub.toml", "serve arena --config arena.toml", "check swarm.toml"] {
        refused(dir.path(), command, &["is this the swarm's folder? `xpuck init DIR` makes one"]);
    }
    one_line(dir.path(), "simulate docs/trees/806768.bt", &["folder docs/trees does not exist (current folder: "]);
    std::fs::create_dir(dir.path().join("runs")).unwrap();
    one_line(dir.path(), "runs show last", &["no runs in runs", "--folder DIR"]);
}

#[test]
fn record_of_other_version_is_reported() {
    let dir = folder();
    let run_folder = dir.path().join("runs/x-1-seed1");
    std::fs::create_dir_all(&run_folder).unwrap();
    let described = "name = \"x\"\nstate = \"finished\"\nversion = \"0\"\nstarted_unix_ms = 1\nseed = 1\n\
                     robots = [\"xp01\"]\nspeed = 1.0\n[experiment]\n[hub]\n";
    write(&run_folder, "run.toml", described);
    let mut file = mcap::Writer::new(std::fs::File::create(run_folder.join("run.mcap")).unwrap()).unwrap();
    let channel = file.add_channel(0, "/telemetry", "json", &std::collections::BTreeMap::new()).unwrap();
    for sequence in 0..3 {
        let header = mcap::records::MessageHeader { channel_id: channel, sequence, log_time: 0, publish_time: 0 };
        file.write_to_known_channel(&header, b"{\"robot\": \"xp01\", \"volts\": 4.0}").unwrap();
    }
    file.finish().unwrap();
    drop(file);
    let text = String::from_utf8(run(dir.path(), "runs show last").stderr).unwrap();
    let line = text.lines().find(|line| line.contains("3 messages of /telemetry")).unwrap_or_default();
    assert!(line.contains("another version of xpuck") && line.contains("`version` in run.toml"), "{text}");
}

#[test]
fn wrong_file_kind_is_reported_with_its_command() {
    let dir = folder();
    let world = "{docs}/worlds/foraging.toml";
    let is_world = ["foraging.toml: is a world; use `xpuck check", "--world"];
    for command in
        ["simulate", "evolve", "sweep run", "start", "demo --tree", "demo --experiment", "tree convert --kind machines"]
    {
        one_line(dir.path(), &format!("{command} {world}"), &is_world);
    }
    write(dir.path(), "evolution.toml", "islands = 2\ngenerations = 3\n");
    one_line(dir.path(), "start evolution.toml", &["is a run of evolution; use `xpuck evolve evolution.toml`"]);
    refused(dir.path(), "evolve {docs}/sweeps/tiny.toml", &["is a sweep; use `xpuck sweep"]);
    one_line(
        dir.path(),
        "evolve --world {docs}/experiments/chapter-8.toml",
        &["is a primitive set", "--primitive-set"],
    );
    one_line(dir.path(), "evolve {docs}/experiments/transport.toml", &["is an experiment", "`xpuck start"]);
    // `check` accepts all of these files, and prints the kind of each.
    for (file, what) in [
        (world, "a world, foraging in 2 m x 1.5 m"),
        ("{docs}/sweeps/tiny.toml", "the sweep tiny of 2 settings and 2 seeds"),
        ("{docs}/experiments/chapter-8.toml", "a primitive set"),
        ("{docs}/trees/machines/rest.toml", "a state machine of"),
        ("evolution.toml", "a run of evolution on 2 islands"),
    ] {
        let output = run(dir.path(), &format!("check {file}"));
        assert!(String::from_utf8_lossy(&output.stdout).contains(what), "{file}: {output:?}");
    }
}

#[test]
fn no_space_left() {
    let dir = folder();
    write(dir.path(), "a.bt", "movcv v_goal 0\n");
    let full = || Stdio::from(std::fs::File::options().write(true).open("/dev/full").unwrap());
    let output = xpuck().args(["tree", "fmt", "a.bt"]).current_dir(dir.path()).stdout(full()).output().unwrap();
    assert!(!output.status.success());
    checked_stderr(&output, &["standard output: No space left on device", "free space there", "choose another folder"]);
    one_line(
        dir.path(),
        "tree convert a.bt --to svg -o /dev/full",
        &["/dev/full", "free space there", "choose another folder"],
    );
}
