//! A real hub with an arena and two robots, killed at random moments: what was recorded is read back, and the run goes on.

use crate::common::{free_ports, only, xpuck};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use xpuck_hub_core::entry::Entry;
use xpuck_kernels::random::{Draws, Stream};
use xpuck_record::run_file::{RunFile, RunState};
use xpuck_record::snapshot::{self, State};
use xpuck_record::{McapFile, recover};
use xpuck_wire::keyring::{self, Role};
use xpuck_wire::keys::Secret;
use xpuck_wire::message::{Reply, Request};
use xpuck_wire::signed::Signed;
use xpuck_wire::socket::{AskError, Sockets};
use xpuck_wire::updates::Packer;
use xpuck_wire::{Phase, Status};

/// Seconds of arena time in a second.
const SPEED: f64 = 4.0;
/// How long anything may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// Arena, robots and hub.
struct Lab {
    directory: tempfile::TempDir,
    hub: Option<Child>,
    others: Vec<Child>,
    operator: String,
}

impl Lab {
    fn start() -> Lab {
        let directory = tempfile::tempdir().unwrap();
        let ports = free_ports();
        let address = |i: u16| format!("127.0.0.1:{}", ports + i);
        let write = |name: &str, text: String| std::fs::write(directory.path().join(name), text).unwrap();
        let operator = format!("tcp://{}", address(1));
        let robots = address(0);
        write(
            "swarm.toml",
            format!(
                "speed = {SPEED:?}\nrobots = [\"xp01\", \"xp02\"]\n[hub]\nrobots = \"tcp://{robots}\"\n\
                 operator = \"{operator}\"\n"
            ),
        );
        write(
            "arena.toml",
            format!(
                "swarm = \"swarm.toml\"\nseed = 3\nscenario = \"b\"\ndevices = \"d\"\nmocap = \"{}\"\n\
                 [camera]\nwidth = 32\nheight = 24\nframes_per_second = 1.0\n",
                address(2)
            ),
        );
        write(
            "hub.toml",
            format!(
                "swarm = \"swarm.toml\"\n[mocap]\naddress = \"{}\"\nfrisbee = \"frisbee\"\n[record]\n\
                 directory = \"runs\"\nreserve_mib = 1\n",
                address(2)
            ),
        );
        for id in ["xp01", "xp02"] {
            let text = format!(
                "id = \"{id}\"\nswarm = \"swarm.toml\"\n[devices]\nkind = \"virtual\"\ndirectory = \"d\"\n\
                 camera_width = 32\ncamera_height = 24\n[evolution]\nthreads = 1\n"
            );
            write(&format!("{id}.toml"), text);
        }
        std::fs::create_dir(directory.path().join("runs")).unwrap();
        keyring::make_all(&directory.path().join("keys"), &["xp01".into(), "xp02".into()]).unwrap();
        let mut lab = Lab { directory, hub: None, others: Vec::new(), operator };
        lab.others.push(lab.serve("arena", xpuck().arg("arena")));
        lab.start_hub();
        for id in ["xp01", "xp02"] {
            let program = Path::new(env!("CARGO_BIN_EXE_xpuck")).with_file_name("xpuckd");
            let child = lab.spawn(id, &mut Command::new(program));
            lab.others.push(child);
        }
        lab
    }

    fn spawn(&self, name: &str, command: &mut Command) -> Child {
        let log = self.directory.path().join(format!("{name}.log"));
        let log = std::fs::OpenOptions::new().create(true).append(true).open(log).unwrap();
        let command = command.arg("--config").arg(self.directory.path().join(format!("{name}.toml")));
        command.arg("--end-with-stdin").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log).spawn().unwrap()
    }

    /// Starts a service and waits until it is ready.
    fn serve(&self, name: &str, command: &mut Command) -> Child {
        let mut child = self.spawn(name, command);
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n", "{}", self.log(name));
        child
    }

    fn log(&self, name: &str) -> String {
        std::fs::read_to_string(self.directory.path().join(format!("{name}.log"))).unwrap_or_default()
    }

    fn start_hub(&mut self) {
        self.hub = Some(self.serve("hub", xpuck().arg("hub")));
    }

    /// SIGKILL.
    fn kill_hub(&mut self) {
        let mut hub = self.hub.take().unwrap();
        hub.kill().unwrap();
        hub.wait().unwrap();
    }

    fn key(&self) -> PathBuf {
        keyring::path(&self.directory.path().join("keys"), Role::Operator, keyring::OPERATOR, "key")
    }

    fn ask(&self, request: &Request) -> Reply {
        self.try_to_ask(request).unwrap()
    }

    fn try_to_ask(&self, request: &Request) -> Result<Reply, AskError> {
        let (sockets, _) = Sockets::for_operator(&self.key()).unwrap();
        sockets.operator(&self.operator, 20_000).unwrap().ask(request)
    }

    fn status(&self) -> Status {
        match self.ask(&Request::Status) {
            Reply::Status(status) => *status,
            other => panic!("{other:?}"),
        }
    }

    /// Waits until the status is as it should be.
    fn wait(&self, what: &str, fits: impl Fn(&Status) -> bool) -> Status {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let status = self.status();
            if fits(&status) {
                return status;
            }
            assert!(Instant::now() < deadline, "not {what}: {status:?}\n{}", self.log("hub"));
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn begin(&self, minutes: f64) {
        self.wait("everybody here", |s| s.tracking && s.robots.iter().all(|r| r.alive));
        let text = format!(
            "name = \"kept\"\nminutes = {minutes:?}\nsegment_minutes = {:?}\ntask = \"transport\"\n\
             [evolution]\npopulation = 8\ntrial_seconds = 1.0\n",
            minutes / 4.0
        );
        let secret = Secret::read(&self.key()).unwrap();
        let signed = Signed::new(text, BTreeMap::new(), Some(&secret)).unwrap();
        assert_eq!(self.ask(&Request::StartAnyway { signed, seed: 7 }), Reply::Done);
        self.wait("running", |s| s.phase == Phase::Running);
    }

    fn run(&self) -> PathBuf {
        only(&self.directory.path().join("runs"), "kept-")
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        for child in self.hub.iter_mut().chain(&mut self.others) {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Sequence number, time and topic of each message of a file, as far as it can be read.
fn messages(file: &Path) -> Vec<(u32, f64, String)> {
    let bytes = std::fs::read(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let stream = mcap::MessageStream::new_with_options(&bytes, mcap::read::Options::IgnoreEndMagic.into()).unwrap();
    let read = |m: mcap::Message| (m.sequence, m.log_time as f64 / 1e9, m.channel.topic.clone());
    stream.map_while(Result::ok).map(read).collect()
}

fn wait_until(what: &str, there: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !there() {
        assert!(Instant::now() < deadline, "not {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_hub_killed_at_random_moments_loses_nothing_that_was_flushed_and_the_run_goes_on() {
    let kills: u32 = std::env::var("XPUCK_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(4);
    let mut lab = Lab::start();
    lab.begin(600.0);
    let mut draws = Draws::new(11, 0, 0, 0, Stream::Device);
    let (mut read, mut worst, mut longest, mut before) = (0, 0.0f64, Duration::ZERO, lab.status());
    for kill in 1..=kills {
        std::thread::sleep(Duration::from_millis(u64::from(draws.below(1500))));
        let at = lab.status();
        lab.kill_hub();
        assert!(at.run_seconds >= before.run_seconds && at.time > before.time, "time goes on");
        std::thread::sleep(Duration::from_millis(u64::from(draws.below(500))));
        let returned = Instant::now();
        lab.start_hub();
        before = lab.wait("running again", |s| s.phase == Phase::Running);
        longest = longest.max(returned.elapsed());
        let lost = at.run_seconds - before.run_seconds;
        assert!(lost < 3.0 * SPEED, "{lost} s of arena time of the run were forgotten");
        assert_eq!(before.experiment, "kept");
        let name = if kill == 1 { "run.mcap".into() } else { format!("run-{kill}.mcap") };
        let part = lab.run().join(name);
        wait_until("made whole", || RunFile::read(&lab.run()).unwrap().recovered.len() as u32 == kill);
        let found = messages(&part);
        assert!(found.iter().zip(0..).all(|(m, i)| m.0 == i), "no message is missing before the end");
        let late = (at.time - found.last().unwrap().1) / SPEED;
        assert!(late < 2.0, "the last message read back is {late} s older than the kill, wall time");
        worst = worst.max(late);
        read += found.len();
    }
    println!("{kills} kills: {read} messages read back, the last at most {worst:.2} s old, back within {longest:.1?}");
    let generations = |s: &Status| s.robots.iter().map(|r| r.evolution.generation).collect::<Vec<_>>();
    let told = generations(&lab.wait("telling", |s| generations(s).iter().all(|g| *g > 0)));
    assert_eq!(lab.ask(&Request::Stop), Reply::Done);
    assert_eq!(lab.ask(&Request::Shutdown), Reply::Done);
    lab.hub.take().unwrap().wait().unwrap();
    let run = RunFile::read(&lab.run()).unwrap();
    assert_eq!((run.state, run.recovered.len() as u32, run.seed), (RunState::Finished, kills, 7));
    assert!(!lab.run().join("run.state").exists() && lab.run().join("result.json").exists());
    // Islands and their names survived: each generation was recorded once. What robots tell again, because a dead hub may not
    // have kept it, comes after what they did since.
    let mut seen: BTreeMap<(String, u64), u32> = BTreeMap::new();
    for entry in
        xpuck_record::read::Messages::open(&lab.run()).unwrap().map(Result::unwrap).filter(|m| m.topic == "/genes")
    {
        let value: serde_json::Value = serde_json::from_slice(&entry.data).unwrap();
        let (robot, generation) = (value["robot"].as_str().unwrap().to_string(), value["generation"].as_u64().unwrap());
        *seen.entry((robot, generation)).or_default() += 1;
    }
    assert!(seen.values().all(|count| *count == 1), "{seen:?}");
    let robots: BTreeSet<&String> = seen.keys().map(|(robot, _)| robot).collect();
    assert!(told.iter().all(|g| *g > 0) && robots.len() == 2);
    let entries = xpuck_record::read::Messages::open(&lab.run()).unwrap().map(Result::unwrap);
    let silent = entries.filter(|m| m.topic == "/logs" && String::from_utf8_lossy(&m.data).contains("was silent"));
    assert!(silent.count() > 0, "what robots logged while there was no hub is recorded");
}

#[test]
fn a_run_whose_hub_does_not_return_is_aborted_and_stop_is_remembered() {
    let mut lab = Lab::start();
    lab.begin(600.0);
    lab.wait("a second old", |s| s.run_seconds > 2.0 * SPEED);
    lab.kill_hub();
    let run = lab.run();
    let State::Whole(then, reach, kept) = snapshot::read(&run).unwrap() else { panic!("a whole state") };
    // As if the clock had gone back by an hour, and the record's first byte with it: the run stays as it is, and that is
    // told, but its record is made whole.
    snapshot::write(&run, &kept, then + 3_600_000, reach).unwrap();
    let mut bytes = std::fs::read(run.join("run.mcap.open")).unwrap();
    bytes[0] ^= 1;
    std::fs::write(run.join("run.mcap.open"), &bytes).unwrap();
    lab.start_hub();
    let status = lab.status();
    assert_eq!(status.phase, Phase::Idle);
    let told = status.events.iter().find(|e| e.contains("s in the future")).expect("it is told");
    assert!(told.contains("set the clock") && told.contains("xpuck runs recover"), "{told}");
    wait_until("made whole", || run.join("run.mcap").exists() && !run.join("run.mcap.open").exists());
    assert!(std::fs::read(run.join("run.mcap.damaged")).unwrap() == bytes);
    assert!(messages(&run.join("run.mcap")).len() > 50);
    assert!(run.join("run.state").exists() && RunFile::read(&run).unwrap().state == RunState::Running);
    lab.kill_hub();
    // As if a minute had passed: the state is written again with an earlier time.
    snapshot::write(&run, &kept, then - 61_000, reach).unwrap();
    lab.start_hub();
    assert_eq!(lab.status().phase, Phase::Idle);
    wait_until("aborted", || {
        let closed = RunFile::read(&run).unwrap().state == RunState::Aborted && run.join("result.json").exists();
        closed && !run.join("run.state").exists()
    });
    assert!(run.join("run.mcap").exists());
    let result: Status = serde_json::from_slice(&std::fs::read(run.join("result.json")).unwrap()).unwrap();
    assert!(result.run_seconds > 0.0);
    // The robots stand, and a hub that dies after STOP is not taken up.
    std::fs::remove_dir_all(&run).unwrap();
    lab.begin(600.0);
    assert_eq!(lab.ask(&Request::Stop), Reply::Done);
    lab.kill_hub();
    lab.start_hub();
    assert_eq!(lab.status().phase, Phase::Idle);
}

/// A file system of its own in the record directory; none if this user may not mount one.
struct Tiny(PathBuf);

impl Tiny {
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
fn a_full_disk_stops_recording_loudly_and_nothing_else() {
    let lab = Lab::start();
    let runs = lab.directory.path().join("runs");
    let Some(_tiny) = Tiny::mount(&runs) else {
        return xpuck_testing::skipped("this user may not mount a file system");
    };
    lab.begin(600.0);
    lab.wait("recorded", |s| s.record.contains("kept-") && s.run_seconds > SPEED);
    // Every byte that is left.
    let filler = Command::new("sh").arg("-c").arg("cat /dev/zero > filler").current_dir(&runs).output().unwrap();
    assert!(!filler.status.success());
    let status = lab.wait("loud", |s| s.record.starts_with("NOT RECORDING: "));
    assert!(status.events.iter().any(|e| e.contains("NOT RECORDING: ")), "{:?}", status.events);
    lab.wait("still running", |s| s.phase == Phase::Running && s.run_seconds > status.run_seconds + SPEED);
    // Room again: the same run is recorded in a further file, which tells of the gap, and only then it is quiet again.
    std::fs::remove_file(runs.join("filler")).unwrap();
    let status = lab.wait("recording again", |s| !s.record.starts_with("NOT RECORDING"));
    assert_eq!(status.phase, Phase::Running);
    let run = lab.run();
    lab.wait("a second more", |s| s.run_seconds > status.run_seconds + SPEED);
    assert_eq!(lab.ask(&Request::Stop), Reply::Done);
    lab.wait("stopped", |s| {
        s.phase == Phase::Finished && s.robots.iter().all(|r| r.state == xpuck_wire::message::State::Stop)
    });
    wait_until("closed", || {
        run.join("result.json").exists()
            && recover::left_open(&run).unwrap().is_empty()
            && run.join("run-2.mcap").exists()
    });
    // The part that the full disk cut off is whole as well.
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
    // Without room, the next run is refused a record, and runs.
    let filler = Command::new("sh").arg("-c").arg("cat /dev/zero > filler").current_dir(&runs).output().unwrap();
    assert!(!filler.status.success());
    lab.begin(600.0);
    assert!(lab.status().record.starts_with("NOT RECORDING: "));
}

/// Sets how many files a process may have open; gives how many it might before. None if there is no such command.
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
fn without_descriptors_the_record_goes_on_and_at_the_end_nothing_is_open() {
    let lab = Lab::start();
    lab.begin(600.0);
    let hub = lab.hub.as_ref().unwrap().id();
    let Some(before) = limit_files(hub, "3") else {
        return xpuck_testing::skipped("there is no prlimit");
    };
    let open = lab.run().join("run.mcap.open");
    wait_until("said", || lab.log("hub").contains("a hub that returns cannot go on with this run"));
    let size = std::fs::metadata(&open).unwrap().len();
    wait_until("recorded on", || std::fs::metadata(&open).unwrap().len() > size);
    limit_files(hub, &before).unwrap();
    wait_until("heard", || lab.try_to_ask(&Request::Status).is_ok());
    assert!(!lab.status().record.starts_with("NOT RECORDING"));
    assert_eq!(lab.ask(&Request::Stop), Reply::Done);
    wait_until("closed", || RunFile::read(&lab.run()).unwrap().state == RunState::Finished);
    wait_until("whole", || lab.run().join("run.mcap").exists() && recover::left_open(&lab.run()).unwrap().is_empty());
}

/// Runs a command of this program on the lab's runs.
fn runs(lab: &Lab, arguments: &[&str]) -> String {
    let output = xpuck().args(arguments).current_dir(lab.directory.path()).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn what_a_run_was_is_listed_shown_exported_and_played_again() {
    let mut lab = Lab::start();
    lab.begin(0.4);
    lab.wait("over", |s| s.phase == Phase::Finished);
    assert_eq!(lab.ask(&Request::Shutdown), Reply::Done);
    lab.hub.take().unwrap().wait().unwrap();
    let list: serde_json::Value = serde_json::from_str(&runs(&lab, &["runs", "list", "--json"])).unwrap();
    assert_eq!((list[0]["state"].as_str(), list[0]["seed"].as_str()), (Some("finished"), Some("7")), "{list}");
    assert!(list[0]["length_s"].as_f64().unwrap() > 23.9 && list[0]["mean_fitness"].is_number());
    assert!(runs(&lab, &["runs", "list"]).lines().count() == 2);
    let shown = runs(&lab, &["runs", "show", "last"]);
    assert!(shown.contains("xp02") && shown.contains("real fitness") && shown.contains("quality"), "{shown}");
    let results: serde_json::Value = serde_json::from_str(&runs(&lab, &["runs", "show", "kept", "--json"])).unwrap();
    let robot = &results["results"]["robots"][0];
    assert!(robot["battery_j"].as_f64().unwrap() > 0.0 && robot["generations"].as_u64().unwrap() > 0, "{robot}");
    let table: serde_json::Value = serde_json::from_str(&runs(&lab, &["runs", "table", "--json"])).unwrap();
    let (row, segments) = (&table["runs"][0], results["results"]["segments"].as_array().unwrap());
    let real: Vec<&serde_json::Value> = segments.iter().map(|segment| &segment["fitness"]).collect();
    assert_eq!((row["real"].as_array().unwrap().iter().collect::<Vec<_>>(), row["dead"].as_u64()), (real, Some(0)));
    assert!(!segments.is_empty() && row["ping_ms"].as_f64().unwrap() > 0.0 && table["printed"].is_null(), "{table}");
    let printed = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/experiments/table-8.3.toml");
    let table = runs(&lab, &["runs", "table", "last", "--printed", printed, "--svg", "segments.svg"]);
    assert!(
        table.contains("Table 8.3: mean of 20") && table.contains("+0.205") && table.contains("here: sd"),
        "{table}"
    );
    let svg = std::fs::read_to_string(lab.directory.path().join("segments.svg")).unwrap();
    assert!(roxmltree::Document::parse(&svg).is_ok());
    runs(&lab, &["runs", "export", "last", "--csv", "csv"]);
    let poses = std::fs::read_to_string(lab.directory.path().join("csv/poses.csv")).unwrap();
    assert!(poses.starts_with("name,x,y,heading,time\n") && poses.lines().count() > 1000);
    let exported = runs(&lab, &["runs", "export", "last", "--parquet", "tables"]);
    assert!(exported.contains("births: "), "{exported}");
    // The replay ends where the run ended.
    let end: Status = serde_json::from_str(&runs(&lab, &["runs", "replay", "last"])).unwrap();
    let result: Status = serde_json::from_slice(&std::fs::read(lab.run().join("result.json")).unwrap()).unwrap();
    assert_eq!((end.phase, end.segments, end.dead), (result.phase, result.segments, result.dead));
    assert_eq!(end.events.last(), result.events.last());
    // Everybody that was sent to others has a lineage.
    let lineage = |more: &[&str]| {
        let run = lab.run().display().to_string();
        runs(&lab, &[&["lineage", run.as_str()][..], more].concat())
    };
    let fittest: serde_json::Value = serde_json::from_str(&lineage(&["--json"])).unwrap();
    let id = fittest["fittest"][0]["id"].as_str().unwrap();
    assert!(
        ["crossover", "mutation", "random"].iter().any(|by| lineage(&[id]).contains(&format!("{by} in generation")))
    );
    verified(&lab);
    assert!(lineage(&[id, "--dot"]).starts_with("digraph"));
    entries_of_every_topic(&lab.run());
    read_from_python(&lab);
}

/// The run verifies; with one bit of one update changed it does not, and the update is named.
fn verified(lab: &Lab) {
    assert!(runs(lab, &["runs", "verify", "last"]).ends_with("\nidentical\n"));
    let told: serde_json::Value = serde_json::from_str(&runs(lab, &["runs", "verify", "last", "--json"])).unwrap();
    let robot = &told["robots"]["xp01"];
    assert!(robot["ticks"].as_u64().unwrap() > 100 && robot["unknown"] == 0 && robot["missing"] == 0, "{told}");
    assert!(told["senses"].as_array().unwrap().len() == 6 && told["identical"] == true, "{told}");
    let copy = lab.directory.path().join("tampered");
    std::fs::create_dir(&copy).unwrap();
    std::fs::copy(lab.run().join("run.toml"), copy.join("run.toml")).unwrap();
    let rewrite = |change: &dyn Fn(&mut Entry) -> bool| {
        let mut file = McapFile::begin(std::fs::File::create(copy.join("run.mcap")).unwrap()).unwrap();
        for entry in xpuck_record::read::entries(&lab.run()).unwrap() {
            let mut entry = entry.unwrap();
            if change(&mut entry) {
                file.write(&entry).unwrap();
            }
        }
        file.finish().unwrap();
        let output = xpuck().args(["runs", "verify"]).arg(&copy).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    // One bit of the left wheel as the tree wanted it.
    let falsified = std::cell::Cell::new(0);
    let (code, said, _) = rewrite(&|entry| {
        if let Entry::Updates { robot, updates, .. } = entry
            && robot == "xp02"
            && falsified.get() == 0
        {
            let mut all = updates.unpack().unwrap();
            if let Some(place) = all.iter().position(|update| update.ticked) {
                falsified.set(updates.first + place as u32);
                all[place].wheels[0] ^= 1;
                let mut packer = Packer::default();
                all.iter().for_each(|update| packer.push(update));
                updates.data = packer.take();
            }
        }
        true
    });
    let named = format!("update {}: the wheels", falsified.get());
    let first = said.lines().find(|line| line.starts_with("first difference")).unwrap_or_default();
    assert!(code == Some(1) && first.contains("robot xp02") && first.ends_with(&named), "{said}");
    // A batch that is missing costs itself, and is told.
    let dropped = std::cell::Cell::new(0);
    let (code, said, _) = rewrite(&|entry| {
        let batch = matches!(entry, Entry::Updates { robot, .. } if robot == "xp01");
        dropped.set(dropped.get() + u32::from(batch));
        !(batch && dropped.get() == 5)
    });
    assert!(code == Some(0) && said.contains("identical"), "{said}");
    let xp01: Vec<&str> = said.lines().find(|line| line.starts_with("xp01")).unwrap().split_whitespace().collect();
    assert!(xp01[5] == "1" && xp01[6] != "0", "{said}");
    // A record of an earlier version.
    let (code, said, error) = rewrite(&|entry| !matches!(entry, Entry::Updates { .. }));
    assert!(code == Some(1) && said.is_empty() && error.lines().count() == 1, "{said}{error}");
    assert!(error.contains("holds no control updates"), "{error}");
}

fn entries_of_every_topic(run: &Path) {
    let mut seen = BTreeSet::new();
    for message in xpuck_record::read::Messages::open(run).unwrap().map(Result::unwrap) {
        let entry: Entry = serde_json::from_slice(&message.data).unwrap();
        assert_eq!(entry.topic(), message.topic);
        seen.insert(message.topic);
    }
    // Robots whose run goes well have nothing to say, and these look for no tags and do not adapt.
    let expected =
        xpuck_hub_core::entry::TOPICS.iter().filter(|topic| !["/logs", "/tags", "/estimates"].contains(*topic));
    assert!(expected.clone().all(|topic| seen.contains(*topic)), "{seen:?}");
}

/// Runs the snippets of docs/pandas.md where Python and its packages are there.
fn read_from_python(lab: &Lab) {
    let Ok(python) = std::env::var("XPUCK_RECORD_PYTHON") else {
        return xpuck_testing::skipped("records are not read from Python (make deps-record)");
    };
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/pandas.md")).unwrap();
    let tables = lab.run().join("tables");
    std::fs::rename(lab.directory.path().join("tables"), tables).unwrap();
    let mut said = String::new();
    for snippet in text.split("```python\n").skip(1) {
        let code = snippet.split("```").next().unwrap();
        let output = Command::new(&python).args(["-c", code]).current_dir(lab.run()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        said += &String::from_utf8_lossy(&output.stdout);
    }
    assert!(said.contains("2 robots, 0 dead") && said.contains("'/telemetry'"), "{said}");
    assert!(lab.run().join("fitness.png").exists());
}

/// Every path of the Foxglove layout names a topic and a field that the schemas have, and no topic is forgotten.
#[test]
fn the_foxglove_layout_fits_the_record() {
    let text = include_str!("../../../docs/foxglove-layout.json");
    let layout: serde_json::Value = serde_json::from_str(text).unwrap();
    let mut paths = Vec::new();
    let mut open = vec![&layout["configById"]];
    while let Some(value) = open.pop() {
        match value {
            serde_json::Value::Object(fields) => {
                // A 3D panel has its topics as keys.
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
        // `{robot==$robot}` takes the messages of the robot that the layout's variable names.
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
    // A 3D panel takes transforms without being told.
    topics.insert(xpuck_record::foxglove::TRANSFORMS.into());
    assert_eq!(layout["globalVariables"]["robot"], "xp01");
    let known = xpuck_record::foxglove::channels().iter().map(|channel| channel.topic);
    let known: BTreeSet<String> = known.chain(xpuck_hub_core::entry::TOPICS).map(String::from).collect();
    assert_eq!(topics, known);
    // Every panel is placed, and every place has its panel.
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
