//! Services whose log or standard output takes nothing: the run goes on, and what was lost is counted.

use super::{PATIENCE, Sink, TREE, ended, until, xpuckd};
use crate::common::{free_ports, only, xpuck};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};
use xpuck_wire::message::{Reply, Request};
use xpuck_wire::signed::Signed;
use xpuck_wire::socket::Sockets;
use xpuck_wire::{Phase, Status};

const EXPERIMENT: &str = "name = \"x\"\nminutes = 60.0\nsegment_minutes = 1.0\ntask = \"transport\"\n";

/// Arena, hub and robot without keys, all with the same output.
struct World {
    dir: tempfile::TempDir,
    ports: u16,
    children: Vec<(&'static str, Child)>,
    /// Readers that do not read.
    _readers: Vec<OwnedFd>,
}

impl Drop for World {
    fn drop(&mut self) {
        for (_, child) in &mut self.children {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl World {
    fn start(sink: Sink) -> World {
        let dir = tempfile::tempdir().unwrap();
        let ports = free_ports();
        let write = |name: &str, text: String| std::fs::write(dir.path().join(name), text).unwrap();
        write(
            "swarm.toml",
            format!(
                "robots = [\"xp01\"]\nspeed = 8.0\n[hub]\nrobots = \"tcp://127.0.0.1:{ports}\"\n\
                 operator = \"tcp://127.0.0.1:{}\"\nconsole = \"127.0.0.1:{}\"\n[security]\ndev_mode = true\n",
                ports + 1,
                ports + 2
            ),
        );
        let mocap = ports + 3;
        write(
            "arena.toml",
            format!(
                "swarm = \"swarm.toml\"\nseed = 12\nscenario = \"b\"\ndevices = \"devices\"\nmocap = \"127.0.0.1:{mocap}\"\n\
                 camera = {{ width = 32, height = 24, frames_per_second = 1.0 }}\n"
            ),
        );
        write(
            "hub.toml",
            format!(
                "swarm = \"swarm.toml\"\n[mocap]\naddress = \"127.0.0.1:{mocap}\"\nfrisbee = \"frisbee\"\n\
                 [record]\ndirectory = \"runs\"\n"
            ),
        );
        write(
            "xp01.toml",
            "id = \"xp01\"\nswarm = \"swarm.toml\"\n[devices]\nkind = \"virtual\"\ndirectory = \"devices\"\n\
             camera_width = 32\ncamera_height = 24\n"
                .into(),
        );
        let mut world = World { dir, ports, children: Vec::new(), _readers: Vec::new() };
        world.spawn("arena", xpuck(), &["arena"], "arena.toml", sink);
        let socket = world.dir.path().join("devices/xp01.spi");
        until("the arena's devices are there", || socket.exists());
        world.spawn("hub", xpuck(), &["hub"], "hub.toml", sink);
        world.spawn("xpuckd", xpuckd(), &[], "xp01.toml", sink);
        world
    }

    fn spawn(&mut self, name: &'static str, mut command: Command, words: &[&str], file: &str, sink: Sink) {
        let (out, err) = (sink.open(), sink.open());
        command.args(words).arg("--end-with-stdin").arg("--config").arg(self.dir.path().join(file));
        let child = command.stdin(Stdio::piped()).stdout(out.0).stderr(err.0).spawn().unwrap();
        self.children.push((name, child));
        self._readers.extend([out.1, err.1].into_iter().flatten());
    }

    fn ask(&self, request: &Request) -> Option<Reply> {
        Sockets::new().operator(&format!("tcp://127.0.0.1:{}", self.ports + 1), 2000).unwrap().ask(request).ok()
    }

    fn status(&self) -> Option<Status> {
        match self.ask(&Request::Status)? {
            Reply::Status(status) => Some(*status),
            _ => None,
        }
    }

    fn get(&self, path: &str) -> String {
        let mut socket = TcpStream::connect(("127.0.0.1", self.ports + 2)).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        let host = format!("127.0.0.1:{}", self.ports + 2);
        write!(socket, "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        socket.read_to_string(&mut answer).unwrap();
        answer
    }

    /// A run that goes on for ten seconds of arena time, and is stopped.
    fn run(&self) {
        until("the robot is there", || {
            self.status().is_some_and(|status| status.tracking && status.robots.iter().all(|robot| robot.alive))
        });
        let signed = Signed::new(EXPERIMENT.into(), Default::default(), None).unwrap();
        assert_eq!(self.ask(&Request::Start { signed, seed: 1 }), Some(Reply::Done));
        until("the run goes on", || self.status().is_some_and(|status| status.run_seconds > 10.0));
        assert_eq!(self.ask(&Request::Stop), Some(Reply::Done));
        until("the run is over", || self.status().is_some_and(|status| status.phase == Phase::Finished));
    }

    /// All end by themselves, and well, when their standard input does.
    fn end(mut self) -> tempfile::TempDir {
        for (name, child) in self.children.drain(..).rev() {
            let output = ended(child, name);
            assert!(output.status.success(), "{name}: {}", output.status);
        }
        std::mem::replace(&mut self.dir, tempfile::tempdir().unwrap())
    }
}

#[test]
fn a_run_goes_on_while_nobody_takes_the_logs() {
    for sink in [Sink::Full, Sink::Left, Sink::Stalled] {
        let world = World::start(sink);
        world.run();
        let lost = world.status().unwrap().log_lines_lost;
        // A log that only stalls loses nothing before its queue is full.
        assert_eq!(lost > 0, sink != Sink::Stalled, "{sink:?}: {lost} lines lost");
        if sink == Sink::Full {
            let (metrics, health) = (world.get("/metrics"), world.get("/health"));
            assert!(metrics.contains("\nxpuck_log_lines_lost_total "), "{metrics}");
            assert!(health.contains("the log loses lines"), "{health}");
            let endpoint = format!("tcp://127.0.0.1:{}", world.ports + 1);
            let robots = xpuck().args(["robots", "--dev-mode", "--hub", &endpoint]).output().unwrap();
            let text = String::from_utf8_lossy(&robots.stdout).into_owned();
            assert!(text.contains("log lines lost: "), "{text}");
        }
        let dir = world.end();
        let runs = dir.path().join("runs");
        assert!(std::fs::read_dir(runs).unwrap().flatten().any(|entry| entry.path().join("run.mcap").exists()));
    }
}

#[test]
fn an_island_and_its_geneserver_finish_while_nobody_takes_their_output() {
    for sink in [Sink::Full, Sink::Left, Sink::Stalled] {
        let dir = tempfile::tempdir().unwrap();
        let endpoint = format!("tcp://127.0.0.1:{}", free_ports());
        let mut readers = Vec::new();
        let mut spawn = |command: &mut Command| {
            let (out, err) = (sink.open(), sink.open());
            let child = command.stdin(Stdio::null()).stdout(out.0).stderr(err.0).spawn().unwrap();
            readers.extend([out.1, err.1]);
            child
        };
        let server = spawn(xpuck().args(["geneserver", "--islands", "1", "--listen", &endpoint]));
        let keys = ["generations=3", "settings.population=8", "seconds=1.0", "robots=2", "remeasure=1"];
        let mut island = xpuck();
        island.args(["island", "--island", "1", "--json", "--hub", &endpoint, "--resume"]).arg(dir.path().join("i"));
        for key in keys {
            island.args(["--set", key]);
        }
        let island = ended(spawn(&mut island), "island");
        assert!(island.status.success(), "{sink:?}: island: {}", island.status);
        assert!(dir.path().join("i/result.json").exists());
        let server = ended(server, "geneserver");
        assert!(server.status.success(), "{sink:?}: geneserver: {}", server.status);
    }
}

#[test]
fn a_world_is_served_while_nobody_takes_the_output() {
    for sink in [Sink::Full, Sink::Left, Sink::Stalled] {
        let (out, err, port) = (sink.open(), sink.open(), free_ports());
        let mut server = xpuck();
        server.args(["serve", "world-sim", "--end-with-stdin", "--port", &port.to_string()]);
        let mut server = server.stdin(Stdio::piped()).stdout(out.0).stderr(err.0).spawn().unwrap();
        until("the world is served", || TcpStream::connect(("127.0.0.1", port)).is_ok());
        for _ in 0..50 {
            let mut client = TcpStream::connect(("127.0.0.1", port)).unwrap();
            client.set_read_timeout(Some(PATIENCE)).unwrap();
            client.write_all(b"CreateRobot\r\nnonsense\r\n").unwrap();
            let mut answer = String::new();
            let _ = client.read_to_string(&mut answer);
            assert!(answer.starts_with("YourIdentifier "), "{sink:?}: {answer}");
        }
        drop(server.stdin.take());
        let server = ended(server, "world-sim");
        assert!(server.status.success(), "{sink:?}: {}", server.status);
    }
}

#[test]
fn networks_evolve_in_a_world_while_nobody_takes_the_output() {
    for sink in [Sink::Full, Sink::Left, Sink::Stalled] {
        let (world, robots) = (free_ports().to_string(), free_ports().to_string());
        let mut readers = Vec::new();
        let mut spawn = |arguments: &[&str]| {
            let (out, err) = (sink.open(), sink.open());
            let mut command = xpuck();
            command.arg("serve").args(arguments).arg("--end-with-stdin").stdin(Stdio::piped());
            let child = command.stdout(out.0).stderr(err.0).spawn().unwrap();
            readers.extend([out.1, err.1]);
            child
        };
        let in_world = format!("127.0.0.1:{world}");
        let mut services =
            [spawn(&["robot-sim", "--world", &in_world, "--port", &robots]), spawn(&["world-sim", "--port", &world])];
        let simulator = format!("127.0.0.1:{robots}");
        let line = ["population-manager", "--robot-sim", &simulator, "--population", "4", "--generations", "2"];
        let manager = ended(spawn(&line), "population-manager");
        assert!(manager.status.success(), "{sink:?}: {}", manager.status);
        for service in &mut services {
            drop(service.stdin.take());
        }
        for service in services {
            let ended = ended(service, "a service of evaluation");
            assert!(ended.status.success(), "{sink:?}: {}", ended.status);
        }
    }
}

#[test]
fn a_demo_goes_on_while_nobody_takes_its_output() {
    let demo = |stdout: Option<Sink>, stderr: Option<Sink>| {
        let dir = tempfile::tempdir().unwrap();
        let open = |sink: Option<Sink>| sink.map_or_else(|| (Stdio::piped(), None), Sink::open);
        let (out, err) = (open(stdout), open(stderr));
        let mut demo = xpuck();
        demo.args(["demo", "--robots", "1", "--minutes", "0.1", "--speed", "32", "--tree", TREE, "--no-console"]);
        demo.args(["--ports", &free_ports().to_string(), "--out"]).arg(dir.path());
        let output = ended(demo.stdin(Stdio::null()).stdout(out.0).stderr(err.0).spawn().unwrap(), "demo");
        let run = only(&only(dir.path(), "demo-"), "transport-");
        assert!(run.join("run.mcap").exists(), "the record in {} is closed", run.display());
        output
    };
    for sink in [Sink::Full, Sink::Left, Sink::Stalled] {
        let output = demo(None, Some(sink));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && text.contains("\nrecord: "), "{sink:?}: {}: {text}", output.status);
    }
    let closed = demo(Some(Sink::Left), None);
    assert!(closed.status.success() && closed.stderr.is_empty(), "{closed:?}");
    let full = demo(Some(Sink::Full), None);
    let said = String::from_utf8_lossy(&full.stderr).into_owned();
    assert_eq!(full.status.code(), Some(1), "{said}");
    assert!(said.starts_with("xpuck: standard output: No space left on device") && said.lines().count() == 1, "{said}");
}
