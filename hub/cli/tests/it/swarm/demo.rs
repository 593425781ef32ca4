//! The whole swarm as real processes: a short run, and the loss of single processes.

use crate::common::{only, record};
use crate::rig::{Demo, free_ports, http, send_signal, valid_json, xpuck};
use nix::sys::signal::Signal;
use std::path::{Path, PathBuf};
use std::time::Duration;
use xpuck_testing::patience::{scaled, wait_until};

fn transport_record(demo: &Path) -> PathBuf {
    only(demo, "transport-")
}

/// A tree that drives from its first tick.
const TREE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/trees/806768.bt");

#[test]
fn robots_that_evolve_on_a_software_gpu_report_it() {
    // The graphics driver compiles the kernels before the first generation, which takes long on a slow machine.
    // Therefore the run may last 600 minutes of arena time. The test stops the run earlier.
    let mut demo = Demo::start("600", &["--json", "--engine", "gpu", "--adapter", "llvmpipe"]);
    demo.wait("a generation of each robot", |status| {
        status.robots.len() == 2 && status.robots.iter().all(|robot| robot.evolution.generation >= 1)
    });
    // Telemetry contains the engine's name and speed. It may be recorded later than the status shows the generation.
    let generations = || {
        let messages = record(&transport_record(&demo.directory()).join("run.mcap.open"));
        ["xp01", "xp02"].iter().all(|robot| {
            let last = messages.iter().rfind(|(topic, m)| topic == "/telemetry" && m["robot"] == *robot);
            last.is_some_and(|(_, m)| m["telemetry"]["engine"]["r_acc"].as_f64().is_some_and(|r_acc| r_acc > 0.0))
        })
    };
    wait_until("telemetry with the engine's speed", generations);
    let (output, text) = demo.stop();
    assert!(output.status.success(), "{text}");
    let result: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(result["generations"].as_u64().unwrap() >= 1, "{result}");
    let directory = demo.directory();
    let messages = record(&transport_record(&directory).join("run.mcap"));
    for robot in ["xp01", "xp02"] {
        let last = messages.iter().rfind(|(topic, m)| topic == "/telemetry" && m["robot"] == robot).unwrap();
        let engine = &last.1["telemetry"]["engine"];
        assert_eq!(engine["name"], "gpu", "{}", last.1);
        assert!(engine["adapter"].as_str().unwrap().contains("llvmpipe") && engine["r_acc"].as_f64().unwrap() > 0.0);
    }
    demo.assert_nobody_left();
}

#[test]
fn robots_evolve_networks_and_their_record_verifies() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("networks.toml");
    let text = "name = \"networks\"\nminutes = 1.0\nsegment_minutes = 0.2\ntask = \"transport\"\n[evolution]\n\
        trial_seconds = 5.0\n[evolution.settings]\nrepresentation = \"network\"\nhidden = 2\n";
    std::fs::write(&file, text).unwrap();
    let mut demo = Demo::start("1", &["--json", "--experiment", file.to_str().unwrap()]);
    let (output, text) = demo.end();
    assert!(output.status.success(), "{text}");
    let run = only(&demo.directory(), "networks-");
    let loaded = record(&run.join("run.mcap")).into_iter().filter(|(topic, _)| topic == "/loaded").map(|(_, m)| m);
    let networks = loaded.filter(|m| m.to_string().contains("network\\n")).count();
    assert!(networks >= 2, "{networks} networks drove robots");
    let verified = xpuck().args(["runs", "verify"]).arg(&run).output().unwrap();
    let text = String::from_utf8_lossy(&verified.stdout);
    assert!(verified.status.success() && text.contains("identical"), "{text}");
}

#[test]
fn short_run_records_everything() {
    let mut demo = Demo::start("0.5", &["--json"]);
    let (output, text) = demo.end();
    assert!(output.status.success(), "{text}");
    let result = valid_json("demo", &output.stdout);
    assert_eq!(result["segments"].as_array().unwrap().len(), 7, "{result}");
    assert_eq!(result["dead"], 0);
    assert!(result["generations"].as_u64().unwrap() >= 1);
    assert!(result["best_fitness"].is_number());
    // Ratio of arena time to wall time. The lower limit is only 0.9, because other tests may load the machine.
    // `make demo` prints the ratio without this load.
    let ratio = result["arena_over_wall"].as_f64().unwrap();
    assert!((0.9..=1.02).contains(&ratio), "arena time over wall time: {ratio}");
    demo.assert_nobody_left();

    let directory = transport_record(&demo.directory());
    let status: serde_json::Value =
        serde_json::from_slice(&std::fs::read(directory.join("result.json")).unwrap()).unwrap();
    assert_eq!(status["phase"], "finished");
    let run = std::fs::read_to_string(directory.join("run.toml")).unwrap();
    assert!(run.contains("seed = 1") && run.contains("segment_minutes = 0.0625"), "{run}");

    let messages = record(&directory.join("run.mcap"));
    let of = |topic: &str| -> Vec<&serde_json::Value> {
        messages.iter().filter(|(t, _)| t == topic).map(|(_, m)| m).collect()
    };
    let (poses, telemetry, loaded) = (of("/poses"), of("/telemetry"), of("/loaded"));
    let run_seconds = status["run_seconds"].as_f64().unwrap();
    assert!((29.9..31.0).contains(&run_seconds), "{run_seconds}");
    let slowness = scaled(Duration::from_secs(1)).as_secs_f64();
    assert!(poses.len() as f64 > 20.0 / slowness * run_seconds, "{} poses in {run_seconds} s", poses.len());
    assert!(poses.iter().all(|p| p["bodies"].as_array().unwrap().len() == 3), "two robots and the frisbee");
    for robot in ["xp01", "xp02"] {
        let mine: Vec<_> = telemetry.iter().filter(|t| t["robot"] == robot).collect();
        let rate = mine.len() as f64 / run_seconds;
        assert!((4.0..7.0).contains(&rate), "{robot}: {} telemetry messages", mine.len());
        let segments: Vec<u64> =
            loaded.iter().filter(|l| l["robot"] == robot).map(|l| l["segment"].as_u64().unwrap()).collect();
        assert!(segments.contains(&7), "{robot} loaded a tree in {segments:?}");
        assert!(mine.iter().any(|t| t["telemetry"]["devices"]["frames"].as_u64().unwrap() > 50), "camera frames came");
        let battery = |t: &serde_json::Value| t["telemetry"]["power"]["battery_v"].as_f64().unwrap_or(0.0);
        assert!(mine.iter().any(|t| battery(t) > 3.0), "the battery was read");
        assert!(mine.iter().any(|t| t["telemetry"]["link"]["trip_ms"].is_number()), "the round trip was measured");
        let errors =
            ["bus", "corrupt", "rejected", "power"].map(|kind| &mine.last().unwrap()["telemetry"]["devices"][kind]);
        assert!(errors.iter().all(|count| **count == 0), "{robot}: {errors:?}");
    }
    assert!(of("/genes").iter().any(|g| !g["births"]["numbers"].as_array().unwrap().is_empty()));
    wheels_turn_only_in_run(&messages);
}

fn wheels_turn_only_in_run(messages: &[(String, serde_json::Value)]) {
    let mut turned = false;
    for (_, message) in messages.iter().filter(|(t, _)| t == "/telemetry") {
        let telemetry = &message["telemetry"];
        let wheels: f64 =
            telemetry["motion"]["wheels"].as_array().unwrap().iter().map(|w| w.as_f64().unwrap().abs()).sum();
        turned |= wheels > 0.0;
        assert!(wheels == 0.0 || telemetry["state"] == "RUN", "{message}");
    }
    assert!(turned, "the robots drove at some time");
}

#[test]
fn robot_recovers_after_a_brown_out_of_its_board() {
    let dir = tempfile::tempdir().unwrap();
    let unkind = dir.path().join("unkind.toml");
    let faults = "[[faults]]\nwhat = \"brown-out\"\nrobot = \"xp02\"\nper_minute = 3.0\nseconds = 2.0\n";
    std::fs::write(&unkind, faults).unwrap();
    let mut demo = Demo::start("3", &["--json", "--unkind", unkind.to_str().unwrap()]);
    let (output, text) = demo.end();
    assert!(output.status.success(), "{text}");
    let messages = record(&transport_record(&demo.directory()).join("run.mcap"));
    let of = |robot: &str| -> Vec<&serde_json::Value> {
        let mine = messages.iter().filter(|(topic, message)| topic == "/telemetry" && message["robot"] == robot);
        mine.map(|(_, message)| &message["telemetry"]).collect()
    };
    let count = |t: &serde_json::Value, key: &str| t["devices"][key].as_u64().unwrap();
    let all = of("xp02");
    let (first, last, other) = (all[0], all[all.len() - 1], of("xp01"));
    assert_eq!(first["session"], last["session"], "its program continues");
    let corrupt = (count(other[other.len() - 1], "corrupt"), count(last, "corrupt"));
    assert!(10 * corrupt.0 < corrupt.1, "only xp02's board has the fault: {corrupt:?}");
    // During a brown-out the line to the board is idle. It reads as ones, which fail every CRC. The data of the body
    // become older, and the robot sends no wheel command.
    let age = |t: &serde_json::Value, of: &str| t["senses"][of].as_f64().unwrap_or(f64::INFINITY);
    let wheels = |t: &serde_json::Value| t["motion"]["wheels"].as_array().unwrap().iter().any(|w| *w != 0.0);
    let lost = all.iter().position(|t| count(t, "corrupt") > 20 && age(t, "body_age") > 0.5).expect("it lost its body");
    assert!(!wheels(all[lost]), "{}", all[lost]);
    let back = lost + all[lost..].iter().position(|t| age(t, "body_age") < 0.3).expect("its body answers again");
    assert!(all[back..].iter().any(|t| wheels(t)), "it drives again");
    let dark = all.iter().position(|t| age(t, "camera_age") > 1.5).expect("it lost its camera");
    assert!(all[dark..].iter().any(|t| age(t, "camera_age") < 0.5), "its camera came back");
}

#[test]
fn killed_robot_is_named_and_the_run_continues() {
    // A robot counts as lost after a silence of 3 s. The run is longer than that, also on a busy machine.
    let mut demo = Demo::start("2", &[]);
    demo.wait_for_run();
    send_signal(demo.process(&["xpuckd", "xp02"]), Signal::SIGKILL);
    let (output, text) = demo.end();
    assert!(output.status.success(), "{text}");
    assert!(text.contains("xp02 was killed by signal 9; the run continues with the remaining robots"), "{text}");
    let directory = transport_record(&demo.directory());
    let status: serde_json::Value =
        serde_json::from_slice(&std::fs::read(directory.join("result.json")).unwrap()).unwrap();
    let alive: Vec<bool> =
        status["robots"].as_array().unwrap().iter().map(|robot| robot["alive"].as_bool().unwrap()).collect();
    // On an overloaded machine, the hub may also count xp01 as lost for a short time.
    assert!(status["dead"].as_u64() >= Some(1) && !alive[1], "{status}");
    assert_eq!(status["phase"], "finished");
    let last = |robot: &str| -> f64 {
        let all = record(&directory.join("run.mcap"));
        let mine = all.iter().filter(|(t, m)| t == "/telemetry" && m["robot"] == robot);
        mine.map(|(_, m)| m["time"].as_f64().unwrap()).fold(0.0, f64::max)
    };
    assert!(last("xp01") > last("xp02") + 5.0, "xp01 continued");
    demo.assert_nobody_left();
}

#[test]
fn killed_hub_ends_the_demo_and_keeps_its_record() {
    let mut demo = Demo::start("5", &[]);
    let status = demo.wait("three seconds of wall time", |status| status.run_seconds > 24.0);
    send_signal(demo.process(&["xpuck serve hub"]), Signal::SIGKILL);
    let (output, text) = demo.end();
    assert!(!output.status.success());
    assert!(text.contains("xpuck: the hub was killed by signal 9"), "{text}");
    let messages = record(&transport_record(&demo.directory()).join("run.mcap.open"));
    let last = messages.iter().filter_map(|(_, m)| m["time"].as_f64()).fold(0.0, f64::max);
    // The kill may lose the hub's buffer, which contains up to half a second of wall time.
    assert!(last > status.time - 8.0, "{last} s of {} s", status.time);
    demo.assert_nobody_left();
}

#[test]
fn hub_that_hangs_stops_the_wheels_until_it_continues() {
    let mut demo = Demo::start("1", &[]);
    // A segment lasts 7.5 s of arena time. Trees drive from the second segment on.
    demo.wait("the second segment", |status| status.run_seconds > 10.0);
    let hub = demo.process(&["xpuck serve hub"]);
    send_signal(hub, Signal::SIGSTOP);
    std::thread::sleep(Duration::from_millis(1500));
    send_signal(hub, Signal::SIGCONT);
    let log = demo.directory().join("logs/xp01.log");
    let (output, text) = demo.end();
    assert!(output.status.success(), "{text}");
    let said = std::fs::read_to_string(log).unwrap();
    assert!(said.contains("the hub was silent for 1 s: wheels and evolution stand still"), "{said}");
    let messages = record(&transport_record(&demo.directory()).join("run.mcap"));
    let states: Vec<&str> = messages
        .iter()
        .filter(|(t, m)| t == "/telemetry" && m["robot"] == "xp01")
        .map(|(_, m)| m["telemetry"]["state"].as_str().unwrap())
        .collect();
    let changes: Vec<&str> = states.chunk_by(|a, b| a == b).map(|c| c[0]).collect();
    assert!(changes.join(" ").contains("RUN PAUSE RUN"), "{changes:?}");
    wheels_turn_only_in_run(&messages);
}

#[test]
fn ctrl_c_stops_the_wheels_and_closes_the_record() {
    let mut demo = Demo::start("5", &["--tree", TREE]);
    demo.wait("robots that drive", |status| status.run_seconds > 4.0);
    demo.send_signal(Signal::SIGINT);
    let (output, text) = demo.end();
    assert_eq!(output.status.code(), Some(130), "{text}");
    demo.assert_nobody_left();
    let directory = transport_record(&demo.directory());
    let messages = record(&directory.join("run.mcap"));
    assert!(messages.iter().any(|(t, m)| t == "/events" && m["text"] == "stopped by operator"), "{text}");
    wheels_turn_only_in_run(&messages);
}

#[test]
fn killed_demo_leaves_no_process_behind() {
    let mut demo = Demo::start("5", &[]);
    demo.wait_for_run();
    demo.kill();
    demo.assert_nobody_left();
}

#[test]
fn used_port_is_one_clear_line() {
    let ports = free_ports();
    for offset in 0..4 {
        let taken = std::net::TcpListener::bind(("127.0.0.1", ports + offset)).unwrap();
        let out = tempfile::tempdir().unwrap();
        let arguments = ["demo", "--count", "1", "--ports", &ports.to_string(), "--output"];
        let output = xpuck().args(arguments).arg(out.path()).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success());
        assert_eq!(error.lines().count(), 1, "{error}");
        assert!(error.contains(&(ports + offset).to_string()), "port {} is named: {error}", ports + offset);
        assert!(error.contains("use"), "{error}");
        drop(taken);
    }
}

#[test]
fn console_serves_page_status_and_commands() {
    let demo = Demo::start("5", &[]);
    demo.wait_for_run();
    let http = |request: String| http::exchange(&demo.console(), &request);
    let get = |path: &str| http(format!("GET {path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n"));
    let post = |header: &str, command: &str| {
        let body = format!("{{\"command\":\"{command}\"}}");
        http(format!(
            "POST /api/command HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\ncontent-type: application/json\r\n{header}\
             content-length: {}\r\n\r\n{body}",
            body.len()
        ))
    };
    let page = get("/");
    let (_, rest) = page.split_once("src=\"/assets/").unwrap_or_else(|| panic!("{page}"));
    let (script, _) = rest.split_once('"').unwrap();
    assert!(page.contains("<title>Xpuck</title>") && get(&format!("/assets/{script}")).contains("import "));
    assert!(get("/nothing").starts_with("HTTP/1.1 404"));
    let status = || get("/api/status");
    let wait_for = |text: &str| wait_until(text, || status().contains(text));
    wait_for("\"phase\":\"running\"");
    assert!(post("", "pause").starts_with("HTTP/1.1 403"), "a page of another site cannot send the header");
    assert!(post("x-xpuck: 1\r\n", "pause").starts_with("HTTP/1.1 401"), "without a login");
    let as_operator = |arguments: &[&str]| {
        let mut command = xpuck();
        command.args(arguments).args(["--hub", &demo.operator(), "--key"]).arg(demo.key()).output().unwrap()
    };
    let link = String::from_utf8(as_operator(&["swarm", "console"]).stdout).unwrap();
    let token = link.trim().split_once("#link=").unwrap_or_else(|| panic!("{link}")).1;
    let login = |token: &str| {
        let body = format!("{{\"link\":\"{token}\"}}");
        http(format!(
            "POST /api/login HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\ncontent-type: application/json\r\n\
             x-xpuck: 1\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        ))
    };
    let answer = login(token);
    let cookie = answer
        .split("set-cookie: ")
        .nth(1)
        .and_then(|rest| rest.split(';').next())
        .unwrap_or_else(|| panic!("{answer}"));
    assert!(answer.contains("HttpOnly; SameSite=Strict") && login(token).starts_with("HTTP/1.1 401"), "{answer}");
    let mine = format!("x-xpuck: 1\r\ncookie: {cookie}\r\n");
    assert!(post(&format!("cookie: {cookie}\r\n"), "pause").starts_with("HTTP/1.1 403"), "the header is missing");
    assert!(post(&mine, "pause").ends_with("{\"ok\":true}"));
    wait_for("\"phase\":\"paused\"");
    wait_for("\"state\":\"PAUSE\"");
    let robots = as_operator(&["robot", "list"]);
    let table = String::from_utf8_lossy(&robots.stdout).into_owned();
    assert!(table.contains("paused") && table.contains("xp02"), "{table}");
    let experiment = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/experiments/transport.toml");
    let second = as_operator(&["start", experiment]);
    assert!(String::from_utf8_lossy(&second.stderr).contains("a run is in progress"), "{second:?}");
    assert!(as_operator(&["resume"]).status.success());
    wait_for("\"phase\":\"running\"");
    let refused = as_operator(&["resume"]);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("refused"), "nothing to resume: {refused:?}");
    // STOP is the last request, because the demo ends with its run.
    assert!(post(&mine, "stop").ends_with("{\"ok\":true}"));
}

#[test]
fn demo_of_a_given_tree_reports_no_evolution() {
    let mut given = Demo::start("0.2", &["--tree", TREE, "--no-console"]);
    let (output, text) = given.end();
    assert!(output.status.success() && text.contains("evolution was off: every robot ran "), "{text}");
    assert!(!text.contains("-0.000") && !text.contains("no tree was evolved"), "{text}");
    let shown = given.command("runs --folder out show last").output().unwrap();
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.contains("evolution was off") && shown.contains("xp02"), "{shown}");
    assert!(!shown.contains("generations") && !shown.contains("evolved fitness"), "{shown}");
    // The report explains the given tree, and omits chapters without content.
    assert!(given.command("runs report --folder out last --output page --simulations 4").status().unwrap().success());
    let page = std::fs::read_to_string(given.folder().join("page/report.html")).unwrap();
    for (words, there) in [
        ("from the experiment", true),
        ("How 1:xp01 works", true),
        ("No robot evolved", true),
        ("What evolution reports", false),
        ("Ancestry", false),
    ] {
        assert_eq!(page.contains(words), there, "{words}");
    }
    let mut counted = Demo::start("0.2", &["--tree", TREE, "--no-console", "--json"]);
    let (output, text) = counted.end();
    let result: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {text}"));
    assert_eq!(result["engines"].as_array().map(Vec::len), Some(0), "{result}");
}
