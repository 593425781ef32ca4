//! A hub, an arena and a robot's program as real processes with real keys, in a folder of their own.

use crate::common::{free_ports, xpuck};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use xpuck_wire::Status;
use xpuck_wire::keyring::{self, Role};
use xpuck_wire::message::{Reply, Request};
use xpuck_wire::socket::Sockets;

/// An experiment with a controller in a file of its own, `on.bt`.
pub const EXPERIMENT: &str = "name = \"x\"\nminutes = 1.0\nsegment_minutes = 0.5\ntask = \"transport\"\n\
    controller_file = \"on.bt\"\n";
/// How long anything may take on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A folder with the keys and files of a hub, an arena and one robot, and its processes.
pub struct Lab {
    dir: tempfile::TempDir,
    /// Where operators ask.
    pub operator: String,
    /// The processes in the order of their starts.
    pub children: Vec<Child>,
}

impl Lab {
    /// Starts all of them.
    pub fn start() -> Lab {
        Lab::among(&["xp01"])
    }

    /// The same in an arena in which these bodies stand, of which the swarm has the first.
    pub fn among(bodies: &[&str]) -> Lab {
        Lab::with(bodies, |_| {})
    }

    /// The same after the files in its folder were changed.
    pub fn with(bodies: &[&str], change: impl FnOnce(&Path)) -> Lab {
        let dir = tempfile::tempdir().unwrap();
        let ports = free_ports();
        let operator = format!("tcp://127.0.0.1:{}", ports + 1);
        let mocap = format!("127.0.0.1:{}", ports + 2);
        for (name, text) in [
            (
                "swarm.toml",
                format!(
                    "robots = [\"xp01\"]\n[hub]\nrobots = \"tcp://127.0.0.1:{ports}\"\noperator = \"{operator}\"\n"
                ),
            ),
            (
                "bodies.toml",
                format!(
                    "robots = {bodies:?}\n[hub]\nrobots = \"tcp://127.0.0.1:{ports}\"\noperator = \"{operator}\"\n"
                ),
            ),
            (
                "arena.toml",
                format!(
                    "swarm = \"bodies.toml\"\nseed = 12\nscenario = \"b\"\ndevices = \"devices\"\nmocap = \"{mocap}\"\n\
                     camera = {{ width = 160, height = 120, frames_per_second = 5.0 }}\n"
                ),
            ),
            (
                "hub.toml",
                format!(
                    "swarm = \"swarm.toml\"\n[mocap]\naddress = \"{mocap}\"\nfrisbee = \"frisbee\"\n[record]\ndirectory = \"runs\"\n"
                ),
            ),
            (
                "xp01.toml",
                "id = \"xp01\"\nswarm = \"swarm.toml\"\n[devices]\nkind = \"virtual\"\ndirectory = \"devices\"\n\
                 camera_width = 160\ncamera_height = 120\n"
                    .into(),
            ),
            ("on.bt", "movcv v_goal 0deg".into()),
            ("e.toml", EXPERIMENT.into()),
        ] {
            std::fs::write(dir.path().join(name), text).unwrap();
        }
        change(dir.path());
        let mut lab = Lab { dir, operator, children: Vec::new() };
        assert!(lab.keys(&["new", "--robots", "swarm.toml"]).status.success());
        lab.serve("arena");
        lab.serve("hub");
        lab.robot();
        lab
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Starts the arena or the hub, and waits until it is ready.
    pub fn serve(&mut self, what: &str) {
        self.serve_as(xpuck(), what, &format!("{what}.toml"));
    }

    /// The same, of another configuration or within another program.
    pub fn serve_as(&mut self, mut command: Command, what: &str, config: &str) {
        command.args([what, "--end-with-stdin", "--config", config]).stdout(Stdio::piped());
        let child = self.spawn(command, config.trim_end_matches(".toml"));
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n", "{}", self.log(what));
    }

    /// Starts the robot's program.
    pub fn robot(&mut self) {
        self.robot_as("xp01.toml", "xpuckd");
    }

    /// The same with another of its files and another log.
    pub fn robot_as(&mut self, config: &str, log: &str) -> &mut Child {
        let mut command = Command::new(Path::new(env!("CARGO_BIN_EXE_xpuck")).with_file_name("xpuckd"));
        command.args(["--end-with-stdin", "--config", config]);
        self.spawn(command, log)
    }

    /// Ends a process at once; the others keep their order.
    pub fn kill(&mut self, place: usize) {
        let mut child = self.children.remove(place);
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// A free port for more.
    pub fn port(&self) -> u16 {
        self.operator.rsplit(':').next().unwrap().parse::<u16>().unwrap() + 2
    }

    fn spawn(&mut self, mut command: Command, log: &str) -> &mut Child {
        let log = std::fs::File::create(self.path().join(format!("{log}.log"))).unwrap();
        self.children.push(command.current_dir(self.dir.path()).stdin(Stdio::piped()).stderr(log).spawn().unwrap());
        self.children.last_mut().unwrap()
    }

    /// What a process said on standard error.
    pub fn log(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(format!("{name}.log"))).unwrap()
    }

    /// Runs the operator's tool in the folder.
    pub fn run(&self, arguments: &[&str]) -> Output {
        xpuck().args(arguments).current_dir(self.path()).output().unwrap()
    }

    /// `xpuck keys`.
    pub fn keys(&self, arguments: &[&str]) -> Output {
        self.run(&[&["keys"], arguments].concat())
    }

    /// Says a command to the hub with a key of the folder; what came on standard error, empty if it was done.
    pub fn tell(&self, key: &str, arguments: &[&str]) -> String {
        let output = self.run(&[arguments, &["--hub", &self.operator, "--key", key]].concat());
        String::from_utf8(output.stderr).unwrap()
    }

    /// Asks the hub as its operator.
    pub fn ask(&self, request: &Request) -> Reply {
        let key = keyring::path(&self.path().join("keys"), Role::Operator, keyring::OPERATOR, "key");
        let (sockets, _) = Sockets::for_operator(&key).unwrap();
        sockets.operator(&self.operator, 10_000).unwrap().ask(request).unwrap()
    }

    /// Waits for a status.
    pub fn wait(&self, what: &str, ready: impl Fn(&Status) -> bool) -> Status {
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            let Reply::Status(status) = self.ask(&Request::Status) else { panic!() };
            if ready(&status) {
                return *status;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("{what}: not in time; hub: {} robot: {}", self.log("hub"), self.log("xpuckd"));
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        for child in &mut self.children {
            // One that has ended already needs no kill.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
