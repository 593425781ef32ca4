//! `xpuck runs` on damaged records, and on files that are not records.

use crate::common::xpuck;
use std::path::Path;
use std::process::{Command, Output};
use xpuck_hub_core::entry::Entry;
use xpuck_record::McapFile;

/// Writes a run of 40 events in chunks of four. Returns the content of its record.
fn run(directory: &Path) -> Vec<u8> {
    std::fs::create_dir_all(directory).unwrap();
    let described = "name = \"x\"\nstate = \"finished\"\nversion = \"0\"\nstarted_unix_ms = 1\nseed = 1\n\
                     robots = [\"xp01\"]\nspeed = 1.0\n[experiment]\n[hub]\n";
    std::fs::write(directory.join("run.toml"), described).unwrap();
    let path = directory.join("run.mcap");
    let mut file = McapFile::begin(std::fs::File::create(&path).unwrap()).unwrap();
    for i in 0..40u32 {
        file.write(&Entry::event(i.into(), format!("event {i}"))).unwrap();
        if i % 4 == 3 {
            file.flush().unwrap();
        }
    }
    file.finish().unwrap();
    drop(file);
    std::fs::read(&path).unwrap()
}

/// Runs `xpuck runs` in this folder. Returns the exit code, the standard output and the standard error.
fn ask(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let Output { status, stdout, stderr } = xpuck().arg("runs").args(arguments).current_dir(folder).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

#[test]
fn damaged_record_is_reported_and_repaired() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let directory = folder.join("runs/x-1-seed1");
    let mut bytes = run(&directory);
    let middle = bytes.len() / 3;
    bytes[middle..middle + 200].fill(0);
    std::fs::write(directory.join("run.mcap"), &bytes).unwrap();
    for command in [&["show", "last"][..], &["export", "last", "--csv", "csv"], &["replay", "last"]] {
        let (code, said, told) = ask(folder, command);
        assert!(code == 0 && !said.is_empty(), "{command:?}: {told}");
        assert!(told.contains("run.mcap is damaged") && told.contains("xpuck runs recover"), "{command:?}: {told}");
    }
    let (code, said, told) = ask(folder, &["recover", "last"]);
    assert!(code == 0 && said.contains("bytes are damaged") && said.contains("run.mcap.damaged"), "{said}{told}");
    assert!(std::fs::read(directory.join("run.mcap.damaged")).unwrap() == bytes);
    let (code, said, told) = ask(folder, &["show", "last"]);
    assert!(code == 0 && said.contains("finished") && told.is_empty(), "{said}{told}");
    // A second call of `recover` changes nothing.
    let before = std::fs::read(directory.join("run.mcap")).unwrap();
    assert_eq!(ask(folder, &["recover", "last"]).0, 0);
    assert!(std::fs::read(directory.join("run.mcap")).unwrap() == before);
    assert!(!directory.join("run.mcap.damaged-2").exists());
}

#[test]
fn non_record_file_is_rejected_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let good = run(&folder.join("run"));
    std::fs::write(folder.join("notes.txt"), "what somebody wrote\n").unwrap();
    std::fs::write(folder.join("dead.mcap"), [0; 70_000]).unwrap();
    std::fs::create_dir(folder.join("folder")).unwrap();
    assert!(Command::new("mkfifo").arg(folder.join("pipe")).status().unwrap().success());
    let refused = [
        ("notes.txt", "not an MCAP file"),
        ("dead.mcap", "no message could be recovered"),
        ("pipe", "pipe or socket"),
        ("/dev/null", "a device"),
        ("folder", "folder"),
        ("nothing", "nothing"),
    ];
    for (name, why) in refused {
        let (code, said, told) = ask(folder, &["recover", name]);
        assert!(code != 0 && said.is_empty() && told.lines().count() == 1, "{name}: {said}{told}");
        assert!(told.contains(name) && told.contains(why), "{told}");
    }
    assert_eq!(std::fs::read_to_string(folder.join("notes.txt")).unwrap(), "what somebody wrote\n");
    assert!(std::fs::read(folder.join("dead.mcap")).unwrap() == [0; 70_000]);
    // `recover` leaves an intact record unchanged.
    let (code, said, _) = ask(folder, &["recover", "run/run.mcap"]);
    assert!(code == 0 && said.contains("40 messages"), "{said}");
    assert!(std::fs::read(folder.join("run/run.mcap")).unwrap() == good);
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 5);
}

#[test]
fn run_table_skips_unreadable_run() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for name in ["x-1-seed1", "x-3-seed1"] {
        run(&folder.join("runs").join(name));
    }
    assert_eq!(ask(folder, &["table"]).0, 0);
    let broken = folder.join("runs/x-2-seed1");
    run(&broken);
    std::fs::write(broken.join("result.json"), "{\"phase\":").unwrap();
    let (code, said, told) = ask(folder, &["table"]);
    assert!(code == 1 && said.contains("x-1-seed1") && said.contains("x-3-seed1"), "{said}{told}");
    assert!(!said.contains("x-2-seed1") && told.contains("x-2-seed1/result.json"), "{said}{told}");
    assert!(told.contains("1 run could not be read and is left out"), "{told}");
    let (code, said, _) = ask(folder, &["table", "--json"]);
    let table: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!((code, table["runs"].as_array().unwrap().len(), table["left_out"].as_array().unwrap().len()), (1, 2, 1));
    assert_eq!(table["experiments"][0]["experiment"], "x, 1 robot");
}
