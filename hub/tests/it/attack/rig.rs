//! A hub with keys and a record, an arena, and one robot's program; the hub may have few descriptors.

use crate::common::{free_ports, only, xpuck};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use xpuck_wire::Status;
use xpuck_wire::keyring::{self, OPERATOR, Role};
use xpuck_wire::message::{Reply, Request};
use xpuck_wire::signed::Signed;
use xpuck_wire::socket::Sockets;

/// How long anything may take on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);
const EXPERIMENT: &str = "name = \"attack\"\nminutes = 600.0\nsegment_minutes = 60.0\ntask = \"transport\"\n\
    controller_file = \"on.bt\"\n";

/// Processes that end with this.
pub struct Rig {
    directory: tempfile::TempDir,
    ports: u16,
    stream: u16,
    children: Vec<Child>,
}

impl Drop for Rig {
    fn drop(&mut self) {
        for child in self.children.iter_mut().rev() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Rig {
    /// Starts all, and a run. `descriptors` bounds the hub's open files.
    pub fn start(descriptors: Option<u32>) -> Rig {
        let directory = tempfile::tempdir().unwrap();
        let (ports, stream) = (free_ports(), free_ports());
        let mocap = format!("127.0.0.1:{}", ports + 3);
        let write = |name: &str, text: String| std::fs::write(directory.path().join(name), text).unwrap();
        write(
            "swarm.toml",
            format!(
                "robots = [\"xp01\"]\n[hub]\nrobots = \"tcp://127.0.0.1:{ports}\"\n\
                 operator = \"tcp://127.0.0.1:{}\"\nconsole = \"127.0.0.1:{}\"\n",
                ports + 1,
                ports + 2
            ),
        );
        write(
            "arena.toml",
            format!(
                "swarm = \"swarm.toml\"\nseed = 12\nscenario = \"b\"\ndevices = \"devices\"\nmocap = \"{mocap}\"\n\
                 camera = {{ width = 32, height = 24, frames_per_second = 1.0 }}\n"
            ),
        );
        write(
            "hub.toml",
            format!(
                "swarm = \"swarm.toml\"\n[mocap]\naddress = \"{mocap}\"\nfrisbee = \"frisbee\"\n\
                 [record]\ndirectory = \"runs\"\n[stream]\naddress = \"tcp://127.0.0.1:{stream}\"\n"
            ),
        );
        write(
            "xp01.toml",
            "id = \"xp01\"\nswarm = \"swarm.toml\"\n[devices]\nkind = \"virtual\"\ndirectory = \"devices\"\n\
             camera_width = 32\ncamera_height = 24\n"
                .into(),
        );
        keyring::make_all(&directory.path().join("keys"), &["xp01".into()]).unwrap();
        let mut rig = Rig { directory, ports, stream, children: Vec::new() };
        rig.serve("arena", None);
        rig.serve("hub", descriptors);
        let xpuckd = Path::new(env!("CARGO_BIN_EXE_xpuck")).with_file_name("xpuckd");
        let mut robot = Command::new(xpuckd);
        robot
            .args(["--end-with-stdin", "--config"])
            .arg(rig.path("xp01.toml"))
            .stdin(Stdio::piped())
            .stderr(Stdio::null());
        rig.children.push(robot.spawn().expect("xpuckd is built"));
        rig.until("the robot is there", |rig| rig.status().robots.iter().all(|robot| robot.alive));
        let files = BTreeMap::from([("on.bt".to_string(), "movcv v_goal 0deg\n".to_string())]);
        let (_, secret) = Sockets::for_operator(&rig.key()).unwrap();
        let signed = Signed::new(EXPERIMENT.into(), files, Some(&secret)).unwrap();
        assert_eq!(rig.ask(&Request::Start { signed, seed: 1 }).1, Reply::Done);
        rig.until("the run goes on", |rig| rig.status().run_seconds > 1.0);
        rig
    }

    fn serve(&mut self, what: &str, descriptors: Option<u32>) {
        let mut command = match descriptors {
            Some(limit) => {
                let mut shell = Command::new("sh");
                let program = xpuck().get_program().to_owned();
                shell.args(["-c", &format!("ulimit -n {limit}; exec \"$0\" \"$@\"")]).arg(program);
                shell
            }
            None => xpuck(),
        };
        let log = std::fs::File::create(self.path(&format!("{what}.log"))).unwrap();
        command.args([what, "--end-with-stdin", "--config"]).arg(self.path(&format!("{what}.toml")));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        self.children.push(child);
        assert_eq!(line, "ready\n", "{what}");
    }

    /// A file or folder of the rig.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// What the hub logged.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.path("hub.log")).unwrap()
    }

    /// Ports of robots, operators, console and stream.
    pub fn attacked(&self) -> [(&'static str, u16); 4] {
        [("robots", self.ports), ("operators", self.ports + 1), ("console", self.ports + 2), ("stream", self.stream)]
    }

    /// The console's address.
    pub fn console(&self) -> String {
        format!("127.0.0.1:{}", self.ports + 2)
    }

    fn key(&self) -> PathBuf {
        keyring::path(&self.path("keys"), Role::Operator, OPERATOR, "key")
    }

    /// Asks as an operator who has just come: how long it took, from connecting on, and the answer.
    pub fn ask(&self, request: &Request) -> (Duration, Reply) {
        let (sockets, _) = Sockets::for_operator(&self.key()).unwrap();
        let began = Instant::now();
        let link = sockets.operator(&format!("tcp://127.0.0.1:{}", self.ports + 1), 30_000).unwrap();
        let reply = link.ask(request).unwrap();
        (began.elapsed(), reply)
    }

    /// How things stand, by an operator's request.
    pub fn status(&self) -> Status {
        match self.ask(&Request::Status).1 {
            Reply::Status(status) => *status,
            other => panic!("{other:?}"),
        }
    }

    /// What the hub's process takes in memory, MB, and its open files.
    pub fn hub(&self) -> (f64, usize) {
        let id = self.children[1].id();
        let text = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
        let kb: f64 =
            text.lines().find_map(|l| l.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB")?.parse().ok()).unwrap();
        (kb / 1024.0, std::fs::read_dir(format!("/proc/{id}/fd")).unwrap().count())
    }

    /// A metric's value.
    pub fn metric(&self, name: &str) -> f64 {
        let text = self.http(&format!("GET /metrics HTTP/1.1\r\nHost: {}\r\n\r\n", self.console()));
        let line = text.lines().find(|line| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(' ')));
        line.and_then(|line| line.rsplit(' ').next()?.parse().ok()).unwrap_or_else(|| panic!("no {name} in {text}"))
    }

    /// The console's answer to a request.
    pub fn http(&self, request: &str) -> String {
        let mut socket = TcpStream::connect(self.console()).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        socket.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        let _ = socket.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// Waits until something holds.
    pub fn until(&self, what: &str, mut holds: impl FnMut(&Rig) -> bool) {
        let end = Instant::now() + PATIENCE;
        while !holds(self) {
            assert!(Instant::now() < end, "not within {PATIENCE:?}: {what}\n{}", self.log());
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// The run goes on, its robot is there, nobody was revoked, and all of it is recorded.
    pub fn assert_well(&self) {
        let before = self.status();
        let record = || {
            let parts = std::fs::read_dir(only(&self.path("runs"), "attack-")).unwrap().flatten();
            parts
                .filter(|part| part.file_name().to_string_lossy().contains(".mcap"))
                .map(|p| p.metadata().unwrap().len())
                .sum::<u64>()
        };
        let written = record();
        self.until("the run goes on", |rig| rig.status().run_seconds > before.run_seconds + 0.5);
        let after = self.status();
        assert!(after.robots.iter().all(|robot| robot.alive), "{:?}", after.robots);
        assert_eq!((after.dead, after.security.refusals.revoked), (0, 0), "{}", self.log());
        self.until("the record grows", |_| record() > written);
        for word in ["revoked:", "NOT RECORD", "panicked"] {
            assert!(!self.log().contains(word), "{}", self.log());
        }
    }

    /// What the page shows as JSON.
    pub fn shown(&self) -> Value {
        let answer = self.http(&format!("GET /api/status HTTP/1.1\r\nHost: {}\r\n\r\n", self.console()));
        serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
    }
}
