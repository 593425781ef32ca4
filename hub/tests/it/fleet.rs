//! A fleet that changes during a run: robots that come, boards that take the place of others, and kinds that differ.

use crate::common::{free_ports, only, record, said, xpuck};
use crate::lab::Lab;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Output;
use xpuck_hub_core::entry::Entry;
use xpuck_hub_service::console::{Clock, Feed};
use xpuck_record::run_file::RunFile;
use xpuck_wire::Phase;
use xpuck_wire::message::{Population, State};

/// Small populations and short trials: many generations in seconds.
const EVOLVES: &str = "name = \"fleet\"\nminutes = 5.0\nsegment_minutes = 0.1\ntask = \"transport\"\n\
    [evolution]\npopulation = 8\ntrial_seconds = 1.0\n";

fn done(output: &Output) -> String {
    assert!(output.status.success(), "{}", said(output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A lab whose robots' files lie in `robots`, as `xpuck init` puts them.
fn lab() -> Lab {
    let lab = Lab::among(&["xp01", "xp02", "xp03"]);
    let robots = lab.path().join("robots");
    std::fs::create_dir(&robots).unwrap();
    let text = std::fs::read_to_string(lab.path().join("xp01.toml")).unwrap();
    let text = text.replace("\"swarm.toml\"", "\"../swarm.toml\"").replace("\"devices\"", "\"../devices\"");
    std::fs::write(robots.join("xp01.toml"), text).unwrap();
    std::fs::write(lab.path().join("e.toml"), EVOLVES).unwrap();
    lab
}

/// From which islands to which robots genes crossed.
fn crossed(run: &Path) -> BTreeSet<(u64, String)> {
    let mut crossed = BTreeSet::new();
    for file in xpuck_record::parts(run).unwrap() {
        for (_, told) in record(&file).into_iter().filter(|(topic, _)| topic == "/populations") {
            let from = told["from"].as_array().unwrap().iter().map(|island| island.as_u64().unwrap());
            crossed.extend(from.map(|island| (island, told["robot"].as_str().unwrap().to_string())));
        }
    }
    crossed
}

fn runs(status: &xpuck_wire::Status, robot: usize) -> bool {
    status.robots.get(robot).is_some_and(|row| row.alive && row.state == State::Run && row.evolution.generation > 2)
}

#[test]
fn a_robot_that_is_enrolled_during_a_run_joins_it_and_another_board_takes_its_place() {
    let mut lab = lab();
    lab.wait("the robot", |s| s.robots[0].alive && s.tracking);
    done(&lab.run(&["start", "e.toml", "--seed", "3"]));
    lab.wait("the run", |s| s.phase == Phase::Running && runs(s, 0));

    let made = done(&lab.run(&["enrol", "xp02", "--json"]));
    let made: serde_json::Value = serde_json::from_str(&made).unwrap();
    assert_eq!((&made["island"], &made["hub"]), (&2.into(), &true.into()), "{made}");
    let status = lab.wait("its row", |s| s.robots.len() == 2);
    assert!(!status.robots[1].alive, "no program of it runs yet");
    lab.robot_as("robots/xp02.toml", "xp02");
    let status = lab.wait("the second island", |s| runs(s, 1));
    assert!(status.robots[0].evolution.generation > status.robots[1].evolution.generation);
    assert!(status.events.iter().any(|e| e.contains("robot xp02 is enrolled by operator, its island is 2; it joins")));
    // Said again it changes nothing.
    assert!(done(&lab.run(&["enrol", "xp02"])).contains("the hub has taken it"));
    assert!(lab.run(&["robots"]).status.success());

    // A hub that dies and comes back has not forgotten it.
    lab.kill(1);
    lab.serve("hub");
    lab.wait("the run again", |s| s.phase == Phase::Running && runs(s, 0) && runs(s, 1));

    // Another board: the former one is cut off.
    let before = std::fs::read(lab.path().join("keys/robots/xp02.key")).unwrap();
    assert!(done(&lab.run(&["replace", "xp02"])).contains("revoked its former key"));
    assert_ne!(std::fs::read(lab.path().join("keys/robots/xp02.key")).unwrap(), before);
    assert_eq!(std::fs::read(lab.path().join("keys/robots/xp02.key.revoked")).unwrap(), before);
    lab.wait("the revocation", |s| !s.robots[1].alive && s.security.refusals.revoked > 0);
    // Both boards have the one virtual body.
    lab.kill(2);
    lab.robot_as("robots/xp02.toml", "xp02-new");
    lab.wait("the new board", |s| runs(s, 1));
    assert!(said(&lab.run(&["replace", "xp09"])).contains("lists no robot `xp09`; `xpuck enrol` adds one"));

    lab.wait("a tree that drives", |s| s.robots[0].segment > 0 && s.robots[0].tree_nodes.is_some());
    done(&lab.run(&["stop"]));
    lab.wait("the end", |s| s.phase == Phase::Finished);
    lab.children.drain(..).for_each(|mut child| drop(child.wait()));
    let run = only(&lab.path().join("runs"), "fleet-");
    assert_eq!(RunFile::read(&run).unwrap().robots, ["xp01", "xp02"]);
    // Genes crossed in both directions.
    let crossed = crossed(&run);
    assert!(crossed.contains(&(1, "xp02".into())) && crossed.contains(&(2, "xp01".into())), "{crossed:?}");
    // What reads records takes a robot that came later.
    for arguments in [&["runs", "show", "last"][..], &["runs", "table"], &["runs", "export", "last", "--csv", "t"]] {
        done(&lab.run(arguments));
    }
    let verified = done(&lab.run(&["runs", "verify", "last"]));
    assert!(verified.contains("xp02") && verified.contains("identical"), "{verified}");
}

#[test]
fn robots_of_three_kinds_evolve_in_one_run_and_exchange_genes() {
    let out = tempfile::tempdir().unwrap();
    let mut command = xpuck();
    command.args(["demo", "--robots", "3", "--kinds", "xpuck,e-puck2,e-puck1", "--population", "8", "--minutes", "1"]);
    command.args(["--no-console", "--json", "--ports", &free_ports().to_string(), "--out"]).arg(out.path());
    done(&command.output().unwrap());
    let demo = only(out.path(), "demo-");
    for (id, body) in [("xp02", "e-puck2"), ("xp03", "e-puck1")] {
        let file = std::fs::read_to_string(demo.join(format!("config/robots/{id}.toml"))).unwrap();
        assert!(file.contains(&format!("body = \"{body}\"")), "{file}");
    }
    let run = only(&demo, "transport-");
    let crossed = crossed(&run);
    for robot in 1..=3u64 {
        let id = format!("xp{robot:02}");
        assert!(crossed.iter().any(|(from, _)| *from == robot), "{id} gave nothing: {crossed:?}");
        assert!(crossed.iter().any(|(from, to)| *from != robot && *to == id), "{id} got nothing: {crossed:?}");
    }
    // Each drove with a tree of its own.
    let driven: BTreeSet<String> = record(&run.join("run.mcap"))
        .into_iter()
        .filter(|(topic, told)| topic == "/telemetry" && told["telemetry"]["motion"]["wheels"][0] != 0.0)
        .map(|(_, told)| told["robot"].as_str().unwrap().into())
        .collect();
    assert_eq!(driven.len(), 3, "{driven:?}");
}

#[test]
fn a_robot_without_a_camera_says_before_the_start_that_it_cannot_run_an_experiment_that_needs_one() {
    let mut lab = lab();
    lab.wait("the robot", |s| s.robots[0].alive && s.tracking);
    lab.kill(2);
    let file = lab.path().join("xp01.toml");
    let text = std::fs::read_to_string(&file).unwrap().replace("[devices]\n", "[devices]\ncamera = false\n");
    std::fs::write(&file, text).unwrap();
    lab.robot();
    lab.wait("its new start", |s| s.robots[0].alive && s.robots[0].heard_s.is_some_and(|s| s < 0.5));
    let told = lab.run(&["start", "e.toml", "--wait", "0"]);
    let status = lab.wait("the refusal", |s| !s.robots[0].refusal.is_empty());
    assert_eq!(status.phase, Phase::Preparing, "{}", said(&told));
    let line = "robot xp01 refuses the experiment: its trees may read v_blue, and this robot has no camera";
    assert!(status.events.iter().any(|event| event.contains(line)), "{:?}", status.events);
    // What needs none runs.
    done(&lab.run(&["stop"]));
    std::fs::write(lab.path().join("e.toml"), crate::lab::EXPERIMENT).unwrap();
    done(&lab.run(&["start", "e.toml"]));
    lab.wait("the run", |s| s.phase == Phase::Running && s.robots[0].state == State::Run);
}

#[test]
fn the_console_knows_a_robot_that_came_later_and_whom_it_gave_genes() {
    let ids: Vec<String> = ["xp01", "xp02", "xp03"].map(String::from).to_vec();
    let mut feed = Feed::new(&ids[..2], Clock { time: 0.0, unix_ms: 0, speed: 1.0 });
    let population = Population { generation: 1, size: 8, distinct: 7, mean_nodes: 3.5, step: 0 };
    let entry = |robot: &str, from: &[u16]| Entry::Population {
        time: 1.0,
        robot: robot.into(),
        population,
        from: from.to_vec(),
    };
    feed.take(&entry("xp01", &[2]), |_| false);
    feed.take(&entry("xp03", &[1]), |_| false);
    feed.set_robots(&ids);
    assert!(feed.robot_history("xp03").is_some() && feed.robots() == ids);
    feed.take(&entry("xp03", &[1, 2]), |_| false);
    feed.take(&entry("xp02", &[3]), |_| false);
    let shown = serde_json::to_value(feed.history.shown()).unwrap();
    assert_eq!(shown["migration"]["counts"], serde_json::json!([[0, 0, 1], [1, 0, 1], [0, 1, 0]]));
}
