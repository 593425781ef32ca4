//! A fleet that changes during a run: new robots, replaced boards, and robots of several kinds.

use crate::common::{only, record, said};
use crate::rig::{Demo, EXPERIMENT, Layout, Swarm, valid_json};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Output;
use xpuck_hub_core::entry::Entry;
use xpuck_hub_service::console::{Clock, Feed};
use xpuck_record::run_file::RunFile;
use xpuck_wire::Phase;
use xpuck_wire::message::{Population, State};

/// Experiment with a small population and short trials, so that many generations take only seconds.
const EVOLVES: &str = "name = \"fleet\"\nminutes = 5.0\nsegment_minutes = 0.1\ntask = \"transport\"\n\
    [evolution]\npopulation = 8\ntrial_seconds = 1.0\n";

fn done(output: &Output) -> String {
    assert!(output.status.success(), "{}", said(output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Starts a swarm of one robot, in an arena with three bodies. The robot's file is also in the folder `robots`, as
/// after `xpuck init`.
fn swarm() -> Swarm {
    let layout = Layout { bodies: &["xp01", "xp02", "xp03"], camera: [160, 120], frame_rate: 5.0, ..Layout::default() };
    let mut swarm = Swarm::new(&layout);
    swarm.start();
    let folder = &swarm.folder;
    std::fs::create_dir(folder.path("robots")).unwrap();
    folder.write("robots/xp01.toml", &folder.read("xp01.toml"));
    folder.replace("robots/xp01.toml", "\"swarm.toml\"", "\"../swarm.toml\"");
    folder.replace("robots/xp01.toml", "\"devices\"", "\"../devices\"");
    folder.write("e.toml", EVOLVES);
    swarm
}

/// Reads the migrations of genes from the record of a run. Returns the island of origin and the id of the receiving
/// robot for each migration.
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
fn robot_enrolled_during_a_run_joins_it_and_can_be_replaced() {
    let mut swarm = swarm();
    swarm.wait_for_robots();
    done(&swarm.folder.run(&["start", "e.toml", "--seed", "3"]));
    swarm.wait("the run", |s| s.phase == Phase::Running && runs(s, 0));

    let made = done(&swarm.folder.run(&["robot", "enrol", "xp02", "--json"]));
    let made = valid_json("robot enrol", made.as_bytes());
    assert_eq!((&made["island"], &made["hub"]), (&2.into(), &true.into()), "{made}");
    let status = swarm.wait("its row", |s| s.robots.len() == 2);
    assert!(!status.robots[1].alive, "no program of it runs yet");
    swarm.start_robot_as("xp02", "robots/xp02.toml");
    let status = swarm.wait("the second island", |s| runs(s, 1));
    assert!(status.robots[0].evolution.generation > status.robots[1].evolution.generation);
    assert!(status.events.iter().any(|e| e.contains("robot xp02 is enrolled by operator, its island is 2; it joins")));
    // Enrolling the robot a second time changes nothing.
    assert!(done(&swarm.folder.run(&["robot", "enrol", "xp02"])).contains("the hub has added it"));
    assert!(swarm.folder.run(&["robot", "list"]).status.success());

    // After a kill and a restart, the hub still has the enrolled robot.
    swarm.kill("hub");
    swarm.start_service("hub");
    swarm.wait("the run again", |s| s.phase == Phase::Running && runs(s, 0) && runs(s, 1));

    // After `xpuck robot replace`, the hub disconnects the previous board.
    let before = std::fs::read(swarm.folder.path("keys/robots/xp02.key")).unwrap();
    assert!(done(&swarm.folder.run(&["robot", "replace", "xp02"])).contains("revoked its previous key"));
    assert_ne!(std::fs::read(swarm.folder.path("keys/robots/xp02.key")).unwrap(), before);
    assert_eq!(std::fs::read(swarm.folder.path("keys/robots/xp02.key.revoked")).unwrap(), before);
    swarm.wait("the revocation", |s| !s.robots[1].alive && s.security.refusals.revoked > 0);
    // The programs of both boards use the same virtual body, so the previous program is killed first.
    swarm.kill("xp02");
    swarm.start_robot_as("xp02-new", "robots/xp02.toml");
    swarm.wait("the new board", |s| runs(s, 1));
    assert!(
        said(&swarm.folder.run(&["robot", "replace", "xp09"]))
            .contains("does not list robot `xp09`; add it with `xpuck robot enrol`")
    );

    swarm.wait("a tree that drives", |s| s.robots[0].segment > 0 && s.robots[0].tree_nodes.is_some());
    done(&swarm.folder.run(&["stop"]));
    swarm.wait("the end", |s| s.phase == Phase::Finished);
    swarm.end();
    let run = only(&swarm.folder.path("runs"), "fleet-");
    assert_eq!(RunFile::read(&run).unwrap().robots, ["xp01", "xp02"]);
    // Genes migrated from xp01 to xp02 and from xp02 to xp01.
    let crossed = crossed(&run);
    assert!(crossed.contains(&(1, "xp02".into())) && crossed.contains(&(2, "xp01".into())), "{crossed:?}");
    // Commands that read records accept a robot that joined during the run.
    for arguments in [&["runs", "show", "last"][..], &["runs", "table"], &["runs", "export", "last", "--csv", "t"]] {
        done(&swarm.folder.run(arguments));
    }
    let verified = done(&swarm.folder.run(&["runs", "verify", "last"]));
    assert!(verified.contains("xp02") && verified.contains("identical"), "{verified}");
}

#[test]
fn robots_of_three_kinds_evolve_in_one_run_and_exchange_genes() {
    let line = "--count 3 --kinds xpuck,e-puck2,e-puck1 --population 8 --minutes 1 --no-console --json";
    let mut demo = Demo::with(&line.split(' ').collect::<Vec<_>>());
    done(&demo.end().0);
    let demo = demo.directory();
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
    // Each robot's wheels moved during the run.
    let driven: BTreeSet<String> = record(&run.join("run.mcap"))
        .into_iter()
        .filter(|(topic, told)| topic == "/telemetry" && told["telemetry"]["motion"]["wheels"][0] != 0.0)
        .map(|(_, told)| told["robot"].as_str().unwrap().into())
        .collect();
    assert_eq!(driven.len(), 3, "{driven:?}");
}

#[test]
fn robot_without_a_camera_rejects_an_experiment_that_needs_one() {
    let mut swarm = swarm();
    swarm.wait_for_robots();
    swarm.kill("xp01");
    swarm.folder.replace("xp01.toml", "[devices]\n", "[devices]\ncamera = false\n");
    swarm.start_robot("xp01");
    swarm.wait("its new start", |s| s.robots[0].alive && s.robots[0].heard_s.is_some_and(|s| s < 0.5));
    let told = swarm.folder.run(&["start", "e.toml", "--wait", "0"]);
    let status = swarm.wait("the refusal", |s| !s.robots[0].refusal.is_empty());
    assert_eq!(status.phase, Phase::Preparing, "{}", said(&told));
    let line = "robot xp01 refuses the experiment: its trees may read v_blue, but this robot has no camera";
    assert!(status.events.iter().any(|event| event.contains(line)), "{:?}", status.events);
    // The robot runs an experiment that needs no camera.
    done(&swarm.folder.run(&["stop"]));
    swarm.folder.write("e.toml", EXPERIMENT);
    done(&swarm.folder.run(&["start", "e.toml"]));
    swarm.wait("the run", |s| s.phase == Phase::Running && s.robots[0].state == State::Run);
}

#[test]
fn console_shows_genes_of_a_robot_that_joined_later() {
    let ids: Vec<String> = ["xp01", "xp02", "xp03"].map(String::from).to_vec();
    let mut feed = Feed::new(&ids[..2], Clock { time: 0.0, unix_ms: 0, speed: 1.0 });
    let population = Population { generation: 1, size: 8, distinct: 7, mean_nodes: 3.5, step: 0 };
    let entry = |robot: &str, from: &[u16]| Entry::Population {
        time: 1.0,
        robot: robot.into(),
        population,
        from: from.to_vec(),
    };
    feed.on_entry(&entry("xp01", &[2]), |_| false);
    feed.on_entry(&entry("xp03", &[1]), |_| false);
    feed.set_robots(&ids);
    assert!(feed.robot_history("xp03").is_some() && feed.robots() == ids);
    feed.on_entry(&entry("xp03", &[1, 2]), |_| false);
    feed.on_entry(&entry("xp02", &[3]), |_| false);
    let shown = serde_json::to_value(feed.history.shown()).unwrap();
    assert_eq!(shown["migration"]["counts"], serde_json::json!([[0, 0, 1], [1, 0, 1], [0, 1, 0]]));
}
