//! Tests of the record of a real hub, which runs with an arena and two robots. After the hub is killed at a random
//! time, its record must be readable, and the restarted hub must continue the run.

use crate::common::only;
use crate::rig::{Layout, Swarm};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use xpuck_hub_core::entry::Entry;
use xpuck_kernels::random::{Draws, Stream};
use xpuck_record::recover;
use xpuck_record::run_file::{RunFile, RunState};
use xpuck_record::snapshot::{self, State};
use xpuck_testing::patience::wait_until;
use xpuck_wire::keys::Secret;
use xpuck_wire::message::{Reply, Request};
use xpuck_wire::signed::Signed;
use xpuck_wire::{Phase, Status};

/// Ratio of arena time to wall time.
const SPEED: f64 = 4.0;

/// Starts an arena, a hub and two robots.
fn start() -> Swarm {
    let layout = Layout { robots: &["xp01", "xp02"], speed: SPEED, ..Layout::default() };
    let mut swarm = Swarm::new(&layout);
    swarm.folder.append("hub.toml", "reserve_mib = 1\n");
    std::fs::create_dir(swarm.folder.path("runs")).unwrap();
    swarm.start_services();
    for id in layout.robots {
        swarm.folder.append(&format!("{id}.toml"), "[evolution]\nthreads = 1\n");
        swarm.start_robot(id);
    }
    swarm
}

/// Starts a run of `minutes` (min of arena time), and waits until it runs.
fn begin(swarm: &Swarm, minutes: f64) {
    swarm.wait_for_robots();
    let text = format!(
        "name = \"kept\"\nminutes = {minutes:?}\nsegment_minutes = {:?}\ntask = \"transport\"\n\
         [evolution]\npopulation = 8\ntrial_seconds = 1.0\n",
        minutes / 4.0
    );
    let secret = Secret::read(&swarm.folder.key()).unwrap();
    let signed = Signed::new(text, BTreeMap::new(), Some(&secret)).unwrap();
    assert_eq!(swarm.ask(&Request::StartAnyway { signed, seed: 7 }), Reply::Done);
    swarm.wait("running", |s| s.phase == Phase::Running);
}

/// Returns the folder of the only run.
fn run_folder(swarm: &Swarm) -> PathBuf {
    only(&swarm.folder.path("runs"), "kept-")
}

/// Returns the sequence number, the time (s) and the topic of each message of a file, up to the first unreadable
/// message.
fn messages(file: &Path) -> Vec<(u32, f64, String)> {
    let bytes = std::fs::read(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let stream = mcap::MessageStream::new_with_options(&bytes, mcap::read::Options::IgnoreEndMagic.into()).unwrap();
    let read = |m: mcap::Message| (m.sequence, m.log_time as f64 / 1e9, m.channel.topic.clone());
    stream.map_while(Result::ok).map(read).collect()
}

#[test]
fn hub_killed_at_random_moments_loses_no_flushed_message() {
    let kills: u32 = std::env::var("XPUCK_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(4);
    let mut swarm = start();
    begin(&swarm, 600.0);
    let mut draws = Draws::new(11, 0, 0, 0, Stream::Device);
    let (mut read, mut worst, mut longest, mut before) = (0, 0.0f64, Duration::ZERO, swarm.status());
    for kill in 1..=kills {
        std::thread::sleep(Duration::from_millis(u64::from(draws.below(1500))));
        let at = swarm.status();
        swarm.kill("hub");
        assert!(at.run_seconds >= before.run_seconds && at.time > before.time, "time goes on");
        std::thread::sleep(Duration::from_millis(u64::from(draws.below(500))));
        let returned = Instant::now();
        swarm.start_service("hub");
        before = swarm.wait("running again", |s| s.phase == Phase::Running);
        longest = longest.max(returned.elapsed());
        let lost = at.run_seconds - before.run_seconds;
        assert!(lost < 3.0 * SPEED, "{lost} s of arena time of the run were forgotten");
        assert_eq!(before.experiment, "kept");
        let name = if kill == 1 { "run.mcap".into() } else { format!("run-{kill}.mcap") };
        let part = run_folder(&swarm).join(name);
        wait_until("made whole", || RunFile::read(&run_folder(&swarm)).unwrap().recovered.len() as u32 == kill);
        let found = messages(&part);
        assert!(found.iter().zip(0..).all(|(m, i)| m.0 == i), "no message is missing before the end");
        let late = (at.time - found.last().unwrap().1) / SPEED;
        assert!(late < 2.0, "the last message read back is {late} s older than the kill, wall time");
        worst = worst.max(late);
        read += found.len();
    }
    println!("{kills} kills: {read} messages read back, the last at most {worst:.2} s old, back within {longest:.1?}");
    let generations = |s: &Status| s.robots.iter().map(|r| r.evolution.generation).collect::<Vec<_>>();
    let told = generations(&swarm.wait("telling", |s| generations(s).iter().all(|g| *g > 0)));
    assert_eq!(swarm.ask(&Request::Stop), Reply::Done);
    assert_eq!(swarm.ask(&Request::Shutdown), Reply::Done);
    swarm.wait_for_exit("hub");
    let run = RunFile::read(&run_folder(&swarm)).unwrap();
    assert_eq!((run.state, run.recovered.len() as u32, run.seed), (RunState::Finished, kills, 7));
    assert!(!run_folder(&swarm).join("run.state").exists() && run_folder(&swarm).join("result.json").exists());
    // After a kill of the hub, robots repeat the reports of recent generations, because the hub may have lost them.
    // Nevertheless each generation is recorded only once.
    let mut seen: BTreeMap<(String, u64), u32> = BTreeMap::new();
    for entry in xpuck_record::read::Messages::open(&run_folder(&swarm))
        .unwrap()
        .map(Result::unwrap)
        .filter(|m| m.topic == "/genes")
    {
        let value: serde_json::Value = serde_json::from_slice(&entry.data).unwrap();
        let (robot, generation) = (value["robot"].as_str().unwrap().to_string(), value["generation"].as_u64().unwrap());
        *seen.entry((robot, generation)).or_default() += 1;
    }
    assert!(seen.values().all(|count| *count == 1), "{seen:?}");
    let robots: BTreeSet<&String> = seen.keys().map(|(robot, _)| robot).collect();
    assert!(told.iter().all(|g| *g > 0) && robots.len() == 2);
    let entries = xpuck_record::read::Messages::open(&run_folder(&swarm)).unwrap().map(Result::unwrap);
    let silent = entries.filter(|m| m.topic == "/logs" && String::from_utf8_lossy(&m.data).contains("was silent"));
    assert!(silent.count() > 0, "log lines of the time without a hub are recorded");
}

#[test]
fn run_of_a_lost_hub_is_aborted_and_stop_is_remembered() {
    let mut swarm = start();
    begin(&swarm, 600.0);
    swarm.wait("a second old", |s| s.run_seconds > 2.0 * SPEED);
    swarm.kill("hub");
    let run = run_folder(&swarm);
    let State::Whole(then, reach, kept) = snapshot::read(&run).unwrap() else { panic!("a whole state") };
    // The test sets the time of the saved state one hour ahead, as if the clock had been set back. It also damages the
    // first byte of the record. The hub repairs the record. It reports the wrong time and does not resume the run.
    snapshot::write(&run, &kept, then + 3_600_000, reach).unwrap();
    let mut bytes = std::fs::read(run.join("run.mcap.open")).unwrap();
    bytes[0] ^= 1;
    std::fs::write(run.join("run.mcap.open"), &bytes).unwrap();
    swarm.start_service("hub");
    let status = swarm.status();
    assert_eq!(status.phase, Phase::Idle);
    let told = status.events.iter().find(|e| e.contains("s in the future")).expect("an event");
    assert!(told.contains("set the clock") && told.contains("xpuck runs recover"), "{told}");
    wait_until("made whole", || run.join("run.mcap").exists() && !run.join("run.mcap.open").exists());
    assert!(std::fs::read(run.join("run.mcap.damaged")).unwrap() == bytes);
    assert!(messages(&run.join("run.mcap")).len() > 50);
    assert!(run.join("run.state").exists() && RunFile::read(&run).unwrap().state == RunState::Running);
    swarm.kill("hub");
    // The test sets the time of the saved state one minute back. The state is then too old, so the hub aborts the run.
    snapshot::write(&run, &kept, then - 61_000, reach).unwrap();
    swarm.start_service("hub");
    assert_eq!(swarm.status().phase, Phase::Idle);
    wait_until("aborted", || {
        let closed = RunFile::read(&run).unwrap().state == RunState::Aborted && run.join("result.json").exists();
        closed && !run.join("run.state").exists()
    });
    assert!(run.join("run.mcap").exists());
    let result: Status = serde_json::from_slice(&std::fs::read(run.join("result.json")).unwrap()).unwrap();
    assert!(result.run_seconds > 0.0);
    // After a STOP, a restarted hub does not resume the run.
    std::fs::remove_dir_all(&run).unwrap();
    begin(&swarm, 600.0);
    assert_eq!(swarm.ask(&Request::Stop), Reply::Done);
    swarm.kill("hub");
    swarm.start_service("hub");
    assert_eq!(swarm.status().phase, Phase::Idle);
}

/// A small file system, mounted on the record directory.
struct Tiny(PathBuf);

impl Tiny {
    /// Mounts a file system of 4 MiB. Returns `None` if this user may not mount a file system.
    fn mount(at: &Path) -> Option<Tiny> {
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=4m", "tmpfs"]).arg(at).output().ok()?;
        mounted.status.success().then(|| Tiny(at.into()))
    }
}

impl Drop for Tiny {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn full_disk_stops_recording_with_an_alarm_and_nothing_else() {
    let swarm = start();
    let runs = swarm.folder.path("runs");
    let Some(_tiny) = Tiny::mount(&runs) else {
        return xpuck_testing::skipped("this user may not mount a file system");
    };
    begin(&swarm, 600.0);
    swarm.wait("recorded", |s| s.record.contains("kept-") && s.run_seconds > SPEED);
    // Fills the file system. `cat` fails when no space is left.
    let filler = Command::new("sh").arg("-c").arg("cat /dev/zero > filler").current_dir(&runs).output().unwrap();
    assert!(!filler.status.success());
    let status = swarm.wait("loud", |s| s.record.starts_with("NOT RECORDING: "));
    assert!(status.events.iter().any(|e| e.contains("NOT RECORDING: ")), "{:?}", status.events);
    swarm.wait("still running", |s| s.phase == Phase::Running && s.run_seconds > status.run_seconds + SPEED);
    // When the disk has space again, the hub records the run in another file. The first entry of this file reports the
    // gap, and the alarm ends.
    std::fs::remove_file(runs.join("filler")).unwrap();
    let status = swarm.wait("recording again", |s| !s.record.starts_with("NOT RECORDING"));
    assert_eq!(status.phase, Phase::Running);
    let run = run_folder(&swarm);
    swarm.wait("a second more", |s| s.run_seconds > status.run_seconds + SPEED);
    assert_eq!(swarm.ask(&Request::Stop), Reply::Done);
    swarm.wait("stopped", |s| {
        s.phase == Phase::Finished && s.robots.iter().all(|r| r.state == xpuck_wire::message::State::Stop)
    });
    wait_until("closed", || {
        run.join("result.json").exists()
            && recover::left_open(&run).unwrap().is_empty()
            && run.join("run-2.mcap").exists()
    });
    // The full disk cut off the first file of the record. The hub repairs this file too.
    assert!(run.join("run.mcap").exists() && !messages(&run.join("run.mcap")).is_empty());
    let last = xpuck_record::parts(&run).unwrap().pop().unwrap();
    assert!(last.ends_with("run-2.mcap"), "{}", last.display());
    let entries: Vec<Entry> = xpuck_record::read::entries(&last).unwrap().map(Result::unwrap).collect();
    assert!(
        matches!(&entries[0], Entry::Event { text, .. } if text.starts_with("RECORDING AGAIN: ")),
        "{:?}",
        entries[0]
    );
    assert!(entries.iter().filter(|e| matches!(e, Entry::Poses { .. })).count() > 20);
    // While the disk is full, the hub starts the next run but does not record it.
    let filler = Command::new("sh").arg("-c").arg("cat /dev/zero > filler").current_dir(&runs).output().unwrap();
    assert!(!filler.status.success());
    begin(&swarm, 600.0);
    assert!(swarm.status().record.starts_with("NOT RECORDING: "));
}

/// Sets the maximum number of open files of a process. Returns the previous maximum, or `None` if `prlimit` fails or is
/// missing.
fn limit_files(process: u32, soft: &str) -> Option<String> {
    let prlimit = |arguments: &[&str]| {
        let process = process.to_string();
        let output = Command::new("prlimit").args(["--pid", &process]).args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
    };
    let before = prlimit(&["--nofile", "--output=SOFT", "--noheadings"])?;
    prlimit(&[&format!("--nofile={soft}:")])?;
    Some(before)
}

#[test]
fn hub_without_descriptors_records_on_and_closes_the_run() {
    let swarm = start();
    begin(&swarm, 600.0);
    let hub = swarm.id("hub");
    let Some(before) = limit_files(hub, "3") else {
        return xpuck_testing::skipped("there is no prlimit");
    };
    let open = run_folder(&swarm).join("run.mcap.open");
    wait_until("said", || swarm.log("hub").contains("a restarted hub cannot resume this run"));
    let size = std::fs::metadata(&open).unwrap().len();
    wait_until("recorded on", || std::fs::metadata(&open).unwrap().len() > size);
    limit_files(hub, &before).unwrap();
    wait_until("heard", || swarm.try_ask(&Request::Status).is_ok());
    assert!(!swarm.status().record.starts_with("NOT RECORDING"));
    match swarm.ask(&Request::Stop) {
        Reply::Done => {}
        // The hub waits only briefly for the disk, which may be slow on a busy machine.
        Reply::DoneBut(what) => assert!(what.contains("the disk is slow"), "{what}"),
        other => panic!("{other:?}"),
    }
    wait_until("closed", || RunFile::read(&run_folder(&swarm)).unwrap().state == RunState::Finished);
    wait_until("whole", || {
        run_folder(&swarm).join("run.mcap").exists() && recover::left_open(&run_folder(&swarm)).unwrap().is_empty()
    });
}

/// Every path in the Foxglove layout names a topic and a field of the schemas. The layout uses every topic.
#[test]
fn foxglove_layout_matches_record() {
    let text = include_str!("../../../../../docs/foxglove-layout.json");
    let layout: serde_json::Value = serde_json::from_str(text).unwrap();
    let mut paths = Vec::new();
    let mut open = vec![&layout["configById"]];
    while let Some(value) = open.pop() {
        match value {
            serde_json::Value::Object(fields) => {
                // In the Foxglove layout, a 3D panel stores its topics as object keys, not as string values.
                paths.extend(fields.keys().filter(|key| key.starts_with('/')).cloned());
                open.extend(fields.values());
            }
            serde_json::Value::Array(items) => open.extend(items),
            serde_json::Value::String(path) if path.starts_with('/') => paths.push(path.clone()),
            _ => {}
        }
    }
    let mut topics = BTreeSet::new();
    for path in &paths {
        // `{robot==$robot}` selects the messages of the robot that the layout's variable `robot` names.
        let path = &path.replace("{robot==$robot}", "");
        let (topic, fields) = path.split_once('.').unwrap_or((path, ""));
        let schema = xpuck_record::foxglove::schema_of(topic).unwrap_or_else(|| panic!("{path}: no such topic"));
        let schema: serde_json::Value = serde_json::from_str(schema).unwrap();
        let mut at = &schema;
        for field in fields.split('.').filter(|f| !f.is_empty()) {
            let (name, index) = field.split_once('[').map_or((field, false), |(name, _)| (name, true));
            at = &at["properties"][name];
            at = if index { &at["items"] } else { at };
            assert!(at.is_object(), "{path}: no {name}");
        }
        topics.insert(topic.to_string());
    }
    // A 3D panel shows the transforms even if the layout does not name them.
    topics.insert(xpuck_record::foxglove::TRANSFORMS.into());
    assert_eq!(layout["globalVariables"]["robot"], "xp01");
    let known = xpuck_record::foxglove::channels().iter().map(|channel| channel.topic);
    let known: BTreeSet<String> = known.chain(xpuck_hub_core::entry::TOPICS).map(String::from).collect();
    assert_eq!(topics, known);
    // Every panel has a position in the layout, and every position has a panel.
    let mut placed = BTreeSet::new();
    let tabs = layout["configById"]["Tab!messages"]["tabs"].as_array().unwrap();
    let mut open: Vec<&serde_json::Value> = tabs.iter().map(|tab| &tab["layout"]).chain([&layout["layout"]]).collect();
    while let Some(value) = open.pop() {
        match value {
            serde_json::Value::String(panel) => drop(placed.insert(panel.as_str())),
            place => open.extend([&place["first"], &place["second"]]),
        }
    }
    let panels: BTreeSet<&str> = layout["configById"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(placed, panels);
}
