//! Services whose log or standard output fails. The run continues, and the hub counts the lost log lines.

use super::{Sink, TREE, ended};
use crate::common::only;
use crate::rig::{Folder, Layout, free_ports, http, xpuck, xpuckd};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};
use xpuck_testing::patience;
use xpuck_testing::patience::wait_until;
use xpuck_wire::message::{Reply, Request};
use xpuck_wire::signed::Signed;
use xpuck_wire::{Phase, Status};

const EXPERIMENT: &str = "name = \"x\"\nminutes = 60.0\nsegment_minutes = 1.0\ntask = \"transport\"\n";

/// Processes of an arena, a hub and a robot, in a swarm without keys. All their standard outputs and standard errors
/// fail in the same way.
struct World {
    folder: Folder,
    children: Vec<(&'static str, Child)>,
    /// Reading ends of the full pipes. The test keeps them open but never reads from them.
    readers: Vec<OwnedFd>,
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
        let layout = Layout { speed: 8.0, keys: false, console: true, ..Layout::default() };
        let mut world = World { folder: Folder::new(&layout), children: Vec::new(), readers: Vec::new() };
        world.spawn("arena", xpuck(), &["arena"], "arena.toml", sink);
        let socket = world.folder.path("devices/xp01.spi");
        wait_until("the devices of the arena", || socket.exists());
        world.spawn("hub", xpuck(), &["hub"], "hub.toml", sink);
        world.spawn("xpuckd", xpuckd(), &[], "xp01.toml", sink);
        world
    }

    fn spawn(&mut self, name: &'static str, mut command: Command, words: &[&str], file: &str, sink: Sink) {
        let (out, err) = (sink.open(), sink.open());
        command.args(words).arg("--end-with-stdin").arg("--config").arg(self.folder.path(file));
        let child = command.stdin(Stdio::piped()).stdout(out.0).stderr(err.0).spawn().unwrap();
        self.children.push((name, child));
        self.readers.extend([out.1, err.1].into_iter().flatten());
    }

    fn ask(&self, request: &Request) -> Option<Reply> {
        self.folder.sockets().operator(&self.folder.operator, 2000).unwrap().ask(request).ok()
    }

    fn status(&self) -> Option<Status> {
        match self.ask(&Request::Status)? {
            Reply::Status(status) => Some(*status),
            _ => None,
        }
    }

    fn get(&self, path: &str) -> String {
        http::get(&self.folder.console(), path).1
    }

    /// Starts a run, and stops it after ten seconds of arena time.
    fn run(&self) {
        wait_until("the robot", || {
            self.status().is_some_and(|status| status.tracking && status.robots.iter().all(|robot| robot.alive))
        });
        let signed = Signed::new(EXPERIMENT.into(), Default::default(), None).unwrap();
        assert_eq!(self.ask(&Request::Start { signed, seed: 1 }), Some(Reply::Done));
        wait_until("ten seconds of the run", || self.status().is_some_and(|status| status.run_seconds > 10.0));
        assert_eq!(self.ask(&Request::Stop), Some(Reply::Done));
        wait_until("the end of the run", || self.status().is_some_and(|status| status.phase == Phase::Finished));
    }

    /// Ends all programs by closing their standard inputs. Each must exit with success.
    fn end(&mut self) {
        for (name, child) in self.children.drain(..).rev() {
            let output = ended(child, name);
            assert!(output.status.success(), "{name}: {}", output.status);
        }
    }
}

#[test]
fn run_continues_while_logs_fail() {
    for sink in [Sink::Full, Sink::Left, Sink::Stalled] {
        let mut world = World::start(sink);
        world.run();
        let lost = world.status().unwrap().log_lines_lost;
        // A stalled log loses no line as long as its queue has space. The queue does not fill up in this test.
        assert_eq!(lost > 0, sink != Sink::Stalled, "{sink:?}: {lost} lines lost");
        if sink == Sink::Full {
            let (metrics, health) = (world.get("/metrics"), world.get("/health"));
            assert!(metrics.contains("\nxpuck_log_lines_lost_total "), "{metrics}");
            assert!(health.contains("log lines are lost"), "{health}");
            let robots = world.folder.run(&["robot", "list", "--dev-mode", "--hub", &world.folder.operator]);
            let text = String::from_utf8_lossy(&robots.stdout).into_owned();
            assert!(text.contains("log lines lost: "), "{text}");
        }
        world.end();
        assert!(
            std::fs::read_dir(world.folder.path("runs"))
                .unwrap()
                .flatten()
                .any(|entry| entry.path().join("run.mcap").exists())
        );
    }
}

#[test]
fn island_and_geneserver_finish_while_outputs_fail() {
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
        let server = spawn(xpuck().args(["serve", "geneserver", "--islands", "1", "--listen", &endpoint]));
        let keys = ["generations=3", "settings.population=8", "seconds=1.0", "robots=2", "remeasure=1"];
        let mut island = xpuck();
        island
            .args(["serve", "island", "--island", "1", "--json", "--hub", &endpoint, "--resume"])
            .arg(dir.path().join("i"));
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
fn playground_is_served_while_outputs_fail() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("index.html"), "the page").unwrap();
    for sink in [Sink::Full, Sink::Left, Sink::Stalled] {
        let address = format!("127.0.0.1:{}", free_ports());
        let (out, err) = (sink.open(), sink.open());
        let mut command = xpuck();
        command.args(["serve", "playground", "--end-with-stdin", "--listen", &address, "--files"]).arg(dir.path());
        let child = command.stdin(Stdio::piped()).stdout(out.0).stderr(err.0).spawn().unwrap();
        wait_until("the page", || TcpStream::connect(&address).is_ok());
        assert_eq!(http::get(&address, "/"), (200, "the page".into()));
        assert_eq!(http::get(&address, "/other").0, 404);
        let output = ended(child, "playground");
        assert!(output.status.success(), "{sink:?}: {}", output.status);
    }
}

#[test]
fn playground_without_files_is_refused_in_one_line() {
    let dir = tempfile::tempdir().unwrap();
    let output = xpuck().args(["serve", "playground", "--files"]).arg(dir.path()).output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(
        !output.status.success() && text.lines().count() == 1 && text.contains("not a folder with a playground"),
        "{text}"
    );
}

#[test]
fn world_is_served_while_outputs_fail() {
    for sink in [Sink::Full, Sink::Left, Sink::Stalled] {
        let (out, err, port) = (sink.open(), sink.open(), free_ports());
        let mut server = xpuck();
        server.args(["serve", "world-sim", "--end-with-stdin", "--port", &port.to_string()]);
        let mut server = server.stdin(Stdio::piped()).stdout(out.0).stderr(err.0).spawn().unwrap();
        wait_until("the world is served", || TcpStream::connect(("127.0.0.1", port)).is_ok());
        for _ in 0..50 {
            let mut client = TcpStream::connect(("127.0.0.1", port)).unwrap();
            client.set_read_timeout(Some(patience())).unwrap();
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
fn networks_evolve_in_a_world_while_outputs_fail() {
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
fn demo_continues_while_outputs_fail() {
    let demo = |stdout: Option<Sink>, stderr: Option<Sink>| {
        let dir = tempfile::tempdir().unwrap();
        let open = |sink: Option<Sink>| sink.map_or_else(|| (Stdio::piped(), None), Sink::open);
        let (out, err) = (open(stdout), open(stderr));
        let mut demo = xpuck();
        demo.args(["demo", "--count", "1", "--minutes", "0.1", "--speed", "32", "--tree", TREE, "--no-console"]);
        demo.args(["--ports", &free_ports().to_string(), "--output"]).arg(dir.path());
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
