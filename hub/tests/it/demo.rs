//! The whole swarm as real processes: a short run, and what happens when parts of it die.

use crate::common::{free_ports, only, processes, record, xpuck};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A demo of two robots in its own directory and on its own ports.
pub struct Demo {
    out: tempfile::TempDir,
    child: Option<Child>,
    ports: u16,
}

impl Demo {
    pub fn start(minutes: &str, more: &[&str]) -> Demo {
        let out = tempfile::tempdir().unwrap();
        let ports = free_ports();
        let child = xpuck()
            .args(["demo", "--robots", "2", "--speed", "8", "--population", "8", "--minutes", minutes])
            .args(["--ports", &ports.to_string(), "--out"])
            .arg(out.path())
            .args(more)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Demo { out, child: Some(child), ports }
    }

    pub fn directory(&self) -> PathBuf {
        only(self.out.path(), "demo-")
    }

    /// Of its process.
    pub fn id(&self) -> u32 {
        self.child.as_ref().unwrap().id()
    }

    /// Waits until the hub says that the swarm runs.
    pub fn wait_for_run(&self) {
        let deadline = Instant::now() + Duration::from_secs(30);
        while Instant::now() < deadline {
            let started = std::fs::read_dir(self.out.path()).unwrap().flatten().next();
            let log = started.map(|d| d.path().join("logs/hub.log"));
            if log.is_some_and(|l| std::fs::read_to_string(l).unwrap_or_default().contains("RUN")) {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("the swarm did not start to run");
    }

    pub fn process(&self, words: &[&str]) -> u32 {
        let root = self.out.path().display().to_string();
        let all: Vec<&str> = words.iter().copied().chain([root.as_str(), "--end-with-stdin"]).collect();
        let found = processes(&all);
        assert_eq!(found.len(), 1, "{words:?}: {found:?}");
        found[0]
    }

    pub fn end(&mut self) -> (Output, String) {
        let output = self.child.take().unwrap().wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        (output, text)
    }

    pub fn assert_nobody_left(&self) {
        let root = self.out.path().display().to_string();
        let deadline = Instant::now() + Duration::from_secs(10);
        while Instant::now() < deadline {
            if processes(&[&root]).is_empty() {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("processes left: {:?}", processes(&[&root]));
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            // Only after a failed assertion; their closed standard inputs end the rest.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

pub fn signal(name: &str, process: u32) {
    // The shell's own kill: the program of that name is not on every machine.
    let status = Command::new("sh").args(["-c", &format!("kill {name} {process}")]).status().unwrap();
    assert!(status.success());
}

fn transport_record(demo: &Path) -> PathBuf {
    only(demo, "transport-")
}

#[test]
fn robots_that_evolve_on_a_software_gpu_say_so() {
    // Half a minute of the wall clock: the driver compiles the kernels first, on cores that other tests use too.
    let mut demo = Demo::start("4", &["--json", "--engine", "gpu", "--adapter", "llvmpipe"]);
    let (output, text) = demo.end();
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
fn robots_evolve_networks_and_their_records_are_ticked_again() {
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
fn a_short_run_records_everything() {
    let mut demo = Demo::start("0.5", &["--json"]);
    let (output, text) = demo.end();
    assert!(output.status.success(), "{text}");
    let result: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(result["segments"].as_array().unwrap().len(), 7, "{result}");
    assert_eq!(result["dead"], 0);
    assert!(result["generations"].as_u64().unwrap() >= 1);
    assert!(result["best_fitness"].is_number());
    // The machine that runs this may be busy with other tests; `make demo` prints the ratio of an idle one.
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
    assert!(poses.len() as f64 > 20.0 * run_seconds, "{} poses in {run_seconds} s", poses.len());
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
fn a_robot_whose_board_browns_out_loses_its_devices_and_drives_again() {
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
    assert_eq!(first["session"], last["session"], "its program lives on");
    let corrupt = (count(other[other.len() - 1], "corrupt"), count(last, "corrupt"));
    assert!(10 * corrupt.0 < corrupt.1, "only xp02's board has the fault: {corrupt:?}");
    // A line that nobody drives reads ones, which no CRC fits. While it does, the body's age grows and no command leaves.
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
fn a_killed_robot_is_named_and_the_run_goes_on() {
    let mut demo = Demo::start("0.6", &[]);
    demo.wait_for_run();
    signal("-KILL", demo.process(&["xpuckd", "xp02"]));
    let (output, text) = demo.end();
    assert!(output.status.success(), "{text}");
    assert!(text.contains("xp02 was killed by signal 9; the run goes on with the robots left"), "{text}");
    assert!(text.contains("robot xp02 is lost"), "{text}");
    let directory = transport_record(&demo.directory());
    let status: serde_json::Value =
        serde_json::from_slice(&std::fs::read(directory.join("result.json")).unwrap()).unwrap();
    assert_eq!((&status["dead"], &status["phase"]), (&1.into(), &"finished".into()));
    let last = |robot: &str| -> f64 {
        let all = record(&directory.join("run.mcap"));
        let mine = all.iter().filter(|(t, m)| t == "/telemetry" && m["robot"] == robot);
        mine.map(|(_, m)| m["time"].as_f64().unwrap()).fold(0.0, f64::max)
    };
    assert!(last("xp01") > last("xp02") + 5.0, "xp01 went on");
    demo.assert_nobody_left();
}

#[test]
fn a_killed_hub_ends_the_demo_and_loses_nothing_recorded() {
    let mut demo = Demo::start("5", &[]);
    demo.wait_for_run();
    std::thread::sleep(Duration::from_secs(3));
    signal("-KILL", demo.process(&["xpuck hub"]));
    let (output, text) = demo.end();
    assert!(!output.status.success());
    assert!(text.contains("xpuck: the hub was killed by signal 9"), "{text}");
    let messages = record(&transport_record(&demo.directory()).join("run.mcap.open"));
    let last = messages.iter().filter_map(|(_, m)| m["time"].as_f64()).fold(0.0, f64::max);
    assert!(last > 8.0 * 2.0, "three seconds at speed 8 less what half a second may hold: {last}");
    demo.assert_nobody_left();
}

#[test]
fn a_hub_that_hangs_stops_the_wheels_and_the_run_goes_on_when_it_is_back() {
    let mut demo = Demo::start("1", &[]);
    demo.wait_for_run();
    // Into the second segment of 7.5 s of arena time, so that trees drive.
    std::thread::sleep(Duration::from_millis(1500));
    let hub = demo.process(&["xpuck hub"]);
    signal("-STOP", hub);
    std::thread::sleep(Duration::from_secs(1));
    signal("-CONT", hub);
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
    // Segments of 6 s of arena time: trees drive when the signal comes.
    let mut demo = Demo::start("0.8", &[]);
    demo.wait_for_run();
    std::thread::sleep(Duration::from_secs(2));
    signal("-INT", demo.child.as_ref().unwrap().id());
    let (output, text) = demo.end();
    assert_eq!(output.status.code(), Some(130), "{text}");
    demo.assert_nobody_left();
    let directory = transport_record(&demo.directory());
    let messages = record(&directory.join("run.mcap"));
    assert!(messages.iter().any(|(t, m)| t == "/events" && m["text"] == "stopped by operator"), "{text}");
    wheels_turn_only_in_run(&messages);
}

#[test]
fn a_killed_demo_leaves_no_process_behind() {
    let mut demo = Demo::start("5", &[]);
    demo.wait_for_run();
    demo.child.as_mut().unwrap().kill().unwrap();
    demo.assert_nobody_left();
}

#[test]
fn a_port_in_use_is_one_clear_line() {
    let ports = free_ports();
    for offset in 0..4 {
        let taken = std::net::TcpListener::bind(("127.0.0.1", ports + offset)).unwrap();
        let out = tempfile::tempdir().unwrap();
        let arguments = ["demo", "--robots", "1", "--ports", &ports.to_string(), "--out"];
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
fn the_console_serves_page_status_and_commands() {
    let demo = Demo::start("5", &[]);
    demo.wait_for_run();
    let http = |request: String| -> String {
        use std::io::Write;
        let mut socket = std::net::TcpStream::connect(("127.0.0.1", demo.ports)).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        socket.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        let _ = socket.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    };
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
    let wait_for = |text: &str| {
        let deadline = Instant::now() + Duration::from_secs(10);
        while !status().contains(text) {
            assert!(Instant::now() < deadline, "no {text} in {}", status());
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    wait_for("\"phase\":\"running\"");
    assert!(post("", "pause").starts_with("HTTP/1.1 403"), "a page of another site cannot send the header");
    assert!(post("x-xpuck: 1\r\n", "pause").starts_with("HTTP/1.1 401"), "nobody is logged in");
    let operator = format!("tcp://127.0.0.1:{}", demo.ports + 2);
    let key = demo.directory().join("keys/operators/operator.key");
    let as_operator = |arguments: &[&str]| {
        let mut command = xpuck();
        command.args(arguments).args(["--hub", &operator, "--key"]).arg(&key).output().unwrap()
    };
    let link = String::from_utf8(as_operator(&["console"]).stdout).unwrap();
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
    let robots = as_operator(&["robots"]);
    let table = String::from_utf8_lossy(&robots.stdout).into_owned();
    assert!(table.contains("paused") && table.contains("xp02"), "{table}");
    let experiment = concat!(env!("CARGO_MANIFEST_DIR"), "/experiments/transport.toml");
    let second = as_operator(&["start", experiment]);
    assert!(String::from_utf8_lossy(&second.stderr).contains("a run is going on"), "{second:?}");
    assert!(as_operator(&["resume"]).status.success());
    wait_for("\"phase\":\"running\"");
    let refused = as_operator(&["resume"]);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("refused"), "nothing to resume: {refused:?}");
    // Last, as the demo ends its processes when its run is over.
    assert!(post(&mine, "stop").ends_with("{\"ok\":true}"));
}

#[test]
fn a_swarm_that_is_given_its_tree_has_no_evolution_to_tell_of() {
    const TREE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/trees/806768.bt");
    let mut told = Demo::start("0.2", &["--tree", TREE, "--no-console"]);
    let (output, text) = told.end();
    assert!(output.status.success() && text.contains("evolution was off: every robot ran "), "{text}");
    assert!(!text.contains("-0.000") && !text.contains("no tree was evolved"), "{text}");
    let runs = told.out.path().to_str().unwrap();
    let shown = xpuck().args(["runs", "--runs", runs, "show", "last"]).output().unwrap();
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.contains("evolution was off") && shown.contains("xp02"), "{shown}");
    assert!(!shown.contains("generations") && !shown.contains("evolved fitness"), "{shown}");
    let mut counted = Demo::start("0.2", &["--tree", TREE, "--no-console", "--json"]);
    let (output, text) = counted.end();
    let result: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {text}"));
    assert_eq!(result["engines"].as_array().map(Vec::len), Some(0), "{result}");
}
