//! The hub is killed during a run. The robots exchange genes with each other and continue to evolve. The next hub
//! resumes the run, and the record contains every generation.

use crate::common::{record, said};
use crate::rig::{Folder, OPERATOR_KEY, Swarm};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;
use xpuck_testing::patience;
use xpuck_testing::patience::wait_until;
use xpuck_wire::Phase;

/// Parameters of a test.
struct Case {
    robots: usize,
    speed: f64,
    /// Length of the run (min of arena time).
    minutes: f64,
    /// Time at which the hub is killed (min of arena time).
    killed_at: f64,
    /// Time between the kill and the start of the next hub (wall time).
    absence: Duration,
}

/// Starts a swarm from a folder made by `xpuck init`.
fn start(case: &Case) -> Swarm {
    let folder = Folder::init(case.robots);
    let text = folder.read("swarm.toml");
    assert!(text.contains("peers = ["), "{text}");
    folder.replace("swarm.toml", "speed = 1.0", &format!("speed = {:.1}", case.speed));
    folder.write(
        "e.toml",
        &format!(
            "name = \"x\"\nminutes = {:.1}\nsegment_minutes = 0.5\ntask = \"transport\"\ngenes = \"peers\"\n\
             silence = {{ then = \"evolve\" }}\n[evolution]\npopulation = 16\ntrial_seconds = 10.0\n",
            case.minutes
        ),
    );
    let mut swarm = Swarm::of_folder(folder);
    swarm.start_service("arena");
    swarm.start_service("hub");
    for robot in 1..=case.robots {
        let id = format!("xp{robot:02}");
        swarm.start_robot_as(&id, &format!("robots/{id}.toml"));
    }
    swarm
}

/// Data about the evolution of one robot, collected from the record.
#[derive(Debug, Default)]
struct Evolution {
    /// Generations in the order of their arrival. Each has its number and its time (s).
    generations: Vec<(u64, f64)>,
    /// Number of immigrants in all generations.
    immigrants: usize,
    /// Log lines of the robot that report an absence of the hub.
    away: Vec<String>,
    /// 99th percentile of the control loop's delay, from the last telemetry (us).
    late_p99_us: u64,
}

/// Returns all messages of a run's record, ordered by time. Each is a pair of topic and content.
fn recorded(run: &Path) -> Vec<(String, Value)> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(run).unwrap().flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.to_string_lossy().contains(".mcap"));
    files.sort();
    let mut messages: Vec<_> = files.iter().flat_map(|file| record(file)).collect();
    messages.sort_by(|a, b| a.1["time"].as_f64().unwrap().total_cmp(&b.1["time"].as_f64().unwrap()));
    messages
}

fn check(case: &Case) {
    let mut swarm = start(case);
    swarm.wait_for_robots();
    let start = swarm.folder.run(&["start", "e.toml", "--hub", &swarm.folder.operator, "--key", OPERATOR_KEY]);
    assert!(start.status.success(), "{}", said(&start));
    let before = swarm.wait_within(4 * patience(), "the middle of the run", |s| s.run_seconds >= 60.0 * case.killed_at);
    swarm.kill("hub");
    let at_death = before.robots.iter().map(|robot| robot.evolution.generation).collect::<Vec<_>>();
    std::thread::sleep(case.absence);
    swarm.start_service("hub");
    swarm.wait("the run again", |s| s.phase == Phase::Running && s.robots.iter().all(|robot| robot.alive));
    swarm.wait_within(8 * patience(), "the end of the run", |s| s.phase == Phase::Finished);
    // The hub closes the record shortly after the end of the run.
    let runs = std::fs::read_dir(swarm.folder.path("runs")).unwrap().flatten().map(|entry| entry.path());
    let runs: Vec<PathBuf> = runs.filter(|path| path.join("run.toml").exists()).collect();
    let [run] = &runs[..] else { panic!("one run: {runs:?}") };
    wait_until("the record is closed", || {
        std::fs::read_to_string(run.join("run.toml")).unwrap().contains("\"finished\"")
    });
    let mut evolutions: BTreeMap<String, Evolution> = BTreeMap::new();
    let mut events = Vec::new();
    for (topic, message) in recorded(run) {
        let robot = message["robot"].as_str().unwrap_or_default().to_string();
        match topic.as_str() {
            "/genes" => {
                let generation = message["generation"].as_u64().unwrap();
                evolutions.entry(robot).or_default().generations.push((generation, message["time"].as_f64().unwrap()));
            }
            "/populations" => {
                evolutions.entry(robot).or_default().immigrants += message["from"].as_array().unwrap().len()
            }
            "/logs" => {
                let text = message["line"]["text"].as_str().unwrap();
                if text.contains("the hub was away") {
                    evolutions.entry(robot).or_default().away.push(text.into());
                }
            }
            "/telemetry" => {
                let late = message["telemetry"]["control"]["p99_us"].as_u64();
                evolutions.entry(robot).or_default().late_p99_us = late.unwrap_or_default();
            }
            "/events" => events.push(message["text"].as_str().unwrap().to_string()),
            _ => {}
        }
    }
    assert!(events.iter().any(|text| text.contains("the run is resumed after")), "{events:?}");
    assert_eq!(evolutions.len(), case.robots, "{evolutions:?}");
    for ((robot, evolution), at_death) in evolutions.iter().zip(at_death) {
        let numbers: Vec<u64> = evolution.generations.iter().map(|(number, _)| *number).collect();
        let different: BTreeSet<u64> = numbers.iter().copied().collect();
        let last = *different.last().unwrap();
        println!(
            "{robot}: {last} generations, {} recorded, {at_death} at the hub's death; {} immigrants; {:?}; late by {} us (p99)",
            numbers.len(),
            evolution.immigrants,
            evolution.away,
            evolution.late_p99_us
        );
        let lacking: Vec<u64> = (1..=last).filter(|number| !different.contains(number)).collect();
        assert!(lacking.is_empty(), "{robot}: not in the record: {lacking:?}");
        assert_eq!(numbers.len(), different.len(), "{robot}: some are there twice");
        // On a busy machine the hub may be silent more than once, so there may be several such log lines.
        let told = evolution.away.iter().filter(|line| line.contains("are reported now")).count();
        assert!(told >= 1 && told == evolution.away.len(), "{robot}: {:?}", evolution.away);
        assert!(last > u64::from(at_death), "{robot}: {last}");
    }
    assert!(evolutions.values().map(|evolution| evolution.immigrants).sum::<usize>() > 0, "no genes crossed");
}

#[test]
fn killed_hub_costs_no_generation() {
    check(&Case { robots: 3, speed: 8.0, minutes: 3.0, killed_at: 1.0, absence: Duration::from_secs(5) });
}

/// Kills the hub in a run of nine robots after 3.5 min of arena time. The test takes two minutes.
#[test]
#[ignore = "it takes two minutes: make it by name"]
fn hub_killed_in_minute_four_costs_nine_robots_no_generation() {
    check(&Case { robots: 9, speed: 8.0, minutes: 8.0, killed_at: 3.5, absence: Duration::from_secs(20) });
}
