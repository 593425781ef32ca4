//! A hub that is killed in the middle of a run whose robots exchange genes with each other and evolve on: its successor takes
//! the run up, and the record has every generation.

use crate::common::{free_ports, record, said, xpuck};
use crate::lab::PATIENCE;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use xpuck_wire::message::{Reply, Request};
use xpuck_wire::socket::Sockets;
use xpuck_wire::{Phase, Status};

/// What to try.
struct Case {
    robots: usize,
    speed: f64,
    /// Length of the run, minutes of arena time, and when the hub is killed in it.
    minutes: f64,
    killed_at: f64,
    /// How long there is no hub, wall time.
    away: Duration,
}

/// A swarm that `xpuck init` made, with its processes.
struct Swarm {
    dir: tempfile::TempDir,
    operator: String,
    children: BTreeMap<String, Child>,
}

impl Drop for Swarm {
    fn drop(&mut self) {
        for child in self.children.values_mut() {
            // One that has ended already needs no kill.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Swarm {
    fn start(case: &Case) -> Swarm {
        let dir = tempfile::tempdir().unwrap();
        let ports = free_ports();
        let mut init = xpuck();
        init.args(["init", "lab", "--virtual", "--robots", &case.robots.to_string(), "--ports", &ports.to_string()]);
        let made = init.current_dir(dir.path()).output().unwrap();
        assert!(made.status.success(), "{}", said(&made));
        let mut swarm = Swarm { dir, operator: format!("tcp://127.0.0.1:{}", ports + 2), children: BTreeMap::new() };
        let file = swarm.path("swarm.toml");
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.contains("peers = ["), "{text}");
        std::fs::write(&file, text.replace("speed = 1.0", &format!("speed = {:.1}", case.speed))).unwrap();
        let experiment = format!(
            "name = \"x\"\nminutes = {:.1}\nsegment_minutes = 0.5\ntask = \"transport\"\ngenes = \"peers\"\n\
             silence = {{ then = \"evolve\" }}\n[evolution]\npopulation = 16\ntrial_seconds = 10.0\n",
            case.minutes
        );
        std::fs::write(swarm.path("e.toml"), experiment).unwrap();
        swarm.serve("arena");
        swarm.serve("hub");
        for robot in 1..=case.robots {
            let mut command = Command::new(Path::new(env!("CARGO_BIN_EXE_xpuck")).with_file_name("xpuckd"));
            command.args(["--config", &format!("robots/xp{robot:02}.toml")]);
            swarm.spawn(command, &format!("xp{robot:02}"));
        }
        swarm
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join("lab").join(name)
    }

    fn spawn(&mut self, mut command: Command, name: &str) -> &mut Child {
        let log = std::fs::File::options().create(true).append(true).open(self.path(&format!("{name}.log"))).unwrap();
        let child = command.arg("--end-with-stdin").current_dir(self.path("")).stdin(Stdio::piped()).stderr(log);
        let child = child.stdout(Stdio::piped()).spawn().unwrap();
        self.children.insert(name.into(), child);
        self.children.get_mut(name).unwrap()
    }

    fn serve(&mut self, what: &str) {
        let mut command = xpuck();
        command.args([what, "--config", &format!("{what}.toml")]);
        let child = self.spawn(command, what);
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n", "{what}: {}", std::fs::read_to_string(self.path(&format!("{what}.log"))).unwrap());
    }

    fn kill(&mut self, name: &str) {
        let mut child = self.children.remove(name).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
    }

    fn status(&self) -> Status {
        let (sockets, _) = Sockets::for_operator(&self.path("keys/operators/operator.key")).unwrap();
        match sockets.operator(&self.operator, 10_000).unwrap().ask(&Request::Status).unwrap() {
            Reply::Status(status) => *status,
            other => panic!("{other:?}"),
        }
    }

    fn wait(&self, what: &str, longest: Duration, ready: impl Fn(&Status) -> bool) -> Status {
        let deadline = Instant::now() + longest;
        loop {
            let status = self.status();
            if ready(&status) {
                return status;
            }
            assert!(Instant::now() < deadline, "{what}: not in time: {status:?}");
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

/// What the record tells of one robot.
#[derive(Debug, Default)]
struct Told {
    /// Generations in the order in which they came, each with its time, s.
    generations: Vec<(u64, f64)>,
    /// Immigrants of all generations.
    immigrants: usize,
    /// Its log's lines about a hub that was away.
    away: Vec<String>,
    /// How late its control loop was in all but 1 % of its updates, us.
    late_p99_us: u64,
}

/// All messages of a run's record.
fn recorded(run: &Path) -> Vec<(String, Value)> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(run).unwrap().flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.to_string_lossy().contains(".mcap"));
    files.sort();
    let mut messages: Vec<_> = files.iter().flat_map(|file| record(file)).collect();
    messages.sort_by(|a, b| a.1["time"].as_f64().unwrap().total_cmp(&b.1["time"].as_f64().unwrap()));
    messages
}

fn try_it(case: &Case) {
    let mut swarm = Swarm::start(case);
    swarm.wait("the robots", PATIENCE, |s| s.tracking && s.robots.iter().all(|robot| robot.alive));
    let start = xpuck()
        .args(["start", "e.toml", "--hub", &swarm.operator, "--key", "keys/operators/operator.key"])
        .current_dir(swarm.path(""))
        .output()
        .unwrap();
    assert!(start.status.success(), "{}", said(&start));
    let before = swarm.wait("the middle of the run", PATIENCE * 4, |s| s.run_seconds >= 60.0 * case.killed_at);
    swarm.kill("hub");
    let at_death = before.robots.iter().map(|robot| robot.evolution.generation).collect::<Vec<_>>();
    std::thread::sleep(case.away);
    swarm.serve("hub");
    swarm.wait("the run again", PATIENCE, |s| s.phase == Phase::Running && s.robots.iter().all(|robot| robot.alive));
    swarm.wait("its end", PATIENCE * 8, |s| s.phase == Phase::Finished);
    // The record is closed a moment after that.
    let runs = std::fs::read_dir(swarm.path("runs")).unwrap().flatten().map(|entry| entry.path());
    let runs: Vec<PathBuf> = runs.filter(|path| path.join("run.toml").exists()).collect();
    let [run] = &runs[..] else { panic!("one run: {runs:?}") };
    let deadline = Instant::now() + PATIENCE;
    while !std::fs::read_to_string(run.join("run.toml")).unwrap().contains("\"finished\"") {
        assert!(Instant::now() < deadline, "the record is not closed");
        std::thread::sleep(Duration::from_millis(100));
    }
    let mut told: BTreeMap<String, Told> = BTreeMap::new();
    let mut events = Vec::new();
    for (topic, message) in recorded(run) {
        let robot = message["robot"].as_str().unwrap_or_default().to_string();
        match topic.as_str() {
            "/genes" => {
                let generation = message["generation"].as_u64().unwrap();
                told.entry(robot).or_default().generations.push((generation, message["time"].as_f64().unwrap()));
            }
            "/populations" => told.entry(robot).or_default().immigrants += message["from"].as_array().unwrap().len(),
            "/logs" => {
                let text = message["line"]["text"].as_str().unwrap();
                if text.contains("the hub was away") {
                    told.entry(robot).or_default().away.push(text.into());
                }
            }
            "/telemetry" => {
                let late = message["telemetry"]["control"]["p99_us"].as_u64();
                told.entry(robot).or_default().late_p99_us = late.unwrap_or_default();
            }
            "/events" => events.push(message["text"].as_str().unwrap().to_string()),
            _ => {}
        }
    }
    assert!(events.iter().any(|text| text.contains("goes on with the run of one that died")), "{events:?}");
    assert_eq!(told.len(), case.robots, "{told:?}");
    for ((robot, told), at_death) in told.iter().zip(at_death) {
        let numbers: Vec<u64> = told.generations.iter().map(|(number, _)| *number).collect();
        let different: BTreeSet<u64> = numbers.iter().copied().collect();
        let last = *different.last().unwrap();
        println!(
            "{robot}: {last} generations, {} recorded, {at_death} at the hub's death; {} immigrants; {:?}; late by {} us (p99)",
            numbers.len(),
            told.immigrants,
            told.away,
            told.late_p99_us
        );
        let lacking: Vec<u64> = (1..=last).filter(|number| !different.contains(number)).collect();
        assert!(lacking.is_empty(), "{robot}: not in the record: {lacking:?}");
        assert_eq!(numbers.len(), different.len(), "{robot}: some are there twice");
        assert!(told.away.len() == 1 && told.away[0].contains("are told now"), "{robot}: {:?}", told.away);
        assert!(last > u64::from(at_death), "{robot}: {last}");
    }
    assert!(told.values().map(|told| told.immigrants).sum::<usize>() > 0, "no genes crossed");
}

#[test]
fn a_hub_that_is_killed_costs_no_generation() {
    try_it(&Case { robots: 3, speed: 8.0, minutes: 3.0, killed_at: 1.0, away: Duration::from_secs(5) });
}

/// The same with nine robots, in minute 4; it takes two minutes.
#[test]
#[ignore = "it takes two minutes: make it by name"]
fn a_hub_that_is_killed_in_minute_four_costs_nine_robots_no_generation() {
    try_it(&Case { robots: 9, speed: 8.0, minutes: 8.0, killed_at: 3.5, away: Duration::from_secs(20) });
}
