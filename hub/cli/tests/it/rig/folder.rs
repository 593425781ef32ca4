//! Folder of a swarm: files, keys and ports.

use super::ports::free_ports;
use super::process::xpuck;
use std::path::{Path, PathBuf};
use std::process::Output;
use xpuck_wire::keyring::{self, OPERATOR, Role};
use xpuck_wire::socket::Sockets;

/// Settings for the files of a swarm.
pub struct Layout<'a> {
    /// Ids of the swarm's robots.
    pub robots: &'a [&'a str],
    /// Ids of the robots with a body in the arena. If empty, the robots of the swarm have bodies.
    pub bodies: &'a [&'a str],
    /// Ratio of arena time to wall time.
    pub speed: f64,
    /// Width and height of the cameras (pixels).
    pub camera: [u32; 2],
    /// Frame rate of the cameras (Hz).
    pub frame_rate: f64,
    /// Whether connections are secured with keys. Without keys the swarm is in development mode.
    pub keys: bool,
    /// Whether the hub serves the web console.
    pub console: bool,
}

impl Default for Layout<'_> {
    fn default() -> Self {
        Layout {
            robots: &["xp01"],
            bodies: &[],
            speed: 1.0,
            camera: [32, 24],
            frame_rate: 1.0,
            keys: true,
            console: false,
        }
    }
}

/// A temporary folder with the files of a swarm.
pub struct Folder {
    _temporary: tempfile::TempDir,
    path: PathBuf,
    /// First of the swarm's four adjacent ports, which are for robots, operators, console and motion capture in this
    /// order.
    ports: u16,
    /// Address at which the hub accepts operators.
    pub operator: String,
    /// Whether connections are secured with keys.
    pub keys: bool,
}

impl Folder {
    /// Writes `swarm.toml`, `hub.toml`, `arena.toml` and a file for each robot, but no keys. Hub and arena use four
    /// ports in this order: robots, operators, console, motion capture.
    pub fn new(layout: &Layout) -> Folder {
        let temporary = tempfile::tempdir().unwrap();
        let ports = free_ports();
        let folder = Folder {
            path: temporary.path().into(),
            _temporary: temporary,
            ports,
            operator: format!("tcp://127.0.0.1:{}", ports + 1),
            keys: layout.keys,
        };
        let Layout { robots, speed, camera: [width, height], frame_rate, .. } = layout;
        let (operator, mocap) = (&folder.operator, folder.mocap());
        let swarm = |robots: &[&str]| {
            let console = if layout.console { format!("console = \"{}\"\n", folder.console()) } else { String::new() };
            let security = if layout.keys { "" } else { "[security]\ndev_mode = true\n" };
            format!(
                "speed = {speed:?}\nrobots = {robots:?}\n[hub]\nrobots = \"{}\"\noperator = \"{operator}\"\n\
                 {console}{security}",
                folder.robots()
            )
        };
        folder.write("swarm.toml", &swarm(robots));
        folder.write("bodies.toml", &swarm(if layout.bodies.is_empty() { robots } else { layout.bodies }));
        folder.write(
            "arena.toml",
            &format!(
                "swarm = \"bodies.toml\"\nseed = 12\nscenario = \"b\"\ndevices = \"devices\"\nmocap = \"{mocap}\"\n\
                 camera = {{ width = {width}, height = {height}, frames_per_second = {frame_rate:?} }}\n"
            ),
        );
        folder.write(
            "hub.toml",
            &format!(
                "swarm = \"swarm.toml\"\n[mocap]\naddress = \"{mocap}\"\nfrisbee = \"frisbee\"\n\
                 [record]\ndirectory = \"runs\"\n"
            ),
        );
        for id in *robots {
            folder.write(
                &format!("{id}.toml"),
                &format!(
                    "id = \"{id}\"\nswarm = \"swarm.toml\"\n[devices]\nkind = \"virtual\"\ndirectory = \"devices\"\n\
                     camera_width = {width}\ncamera_height = {height}\n"
                ),
            );
        }
        folder
    }

    /// Makes the folder of a virtual swarm with `xpuck init`, which also makes keys. The robots' files are in the
    /// subfolder `robots`.
    pub fn init(robots: usize) -> Folder {
        let temporary = tempfile::tempdir().unwrap();
        let ports = free_ports();
        let (path, operator) = (temporary.path().join("lab"), format!("tcp://127.0.0.1:{}", ports + 2));
        let init = xpuck()
            .args(["init", "lab", "--virtual", "--robots", &robots.to_string(), "--ports", &ports.to_string()])
            .current_dir(temporary.path())
            .output()
            .unwrap();
        assert!(init.status.success(), "{init:?}");
        Folder { _temporary: temporary, path, ports, operator, keys: true }
    }

    /// Makes the missing keys of hub, operator and robots with `xpuck keys new`.
    pub fn make_keys(&self) {
        let made = self.run(&["keys", "new", "--robots", "swarm.toml"]);
        assert!(made.status.success(), "{made:?}");
    }

    /// Path of the folder.
    pub fn root(&self) -> &Path {
        &self.path
    }

    /// Path of a file in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Returns the content of a file in the folder.
    pub fn read(&self, name: &str) -> String {
        let path = self.path(name);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// Writes a file in the folder, or replaces its content.
    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    /// Adds lines at the start of a file.
    pub fn prepend(&self, name: &str, text: &str) {
        self.write(name, &(text.to_string() + &self.read(name)));
    }

    /// Adds lines at the end of a file.
    pub fn append(&self, name: &str, text: &str) {
        self.write(name, &(self.read(name) + text));
    }

    /// Replaces a text in a file. Fails if the file does not contain the text.
    pub fn replace(&self, name: &str, from: &str, to: &str) {
        let text = self.read(name);
        assert!(text.contains(from), "{name} does not contain {from:?}: {text}");
        self.write(name, &text.replace(from, to));
    }

    /// Address at which the hub accepts robots.
    pub fn robots(&self) -> String {
        format!("tcp://127.0.0.1:{}", self.ports)
    }

    /// Address of the web console.
    pub fn console(&self) -> String {
        format!("127.0.0.1:{}", self.ports + 2)
    }

    /// Address at which the arena serves motion capture.
    pub fn mocap(&self) -> String {
        format!("127.0.0.1:{}", self.ports + 3)
    }

    /// Ports for robots, operators and console, in this order.
    pub fn ports(&self) -> [u16; 3] {
        [self.ports, self.ports + 1, self.ports + 2]
    }

    /// Path of the operator's key.
    pub fn key(&self) -> PathBuf {
        keyring::path(&self.path("keys"), Role::Operator, OPERATOR, "key")
    }

    /// Returns the sockets of an operator, with the operator's key if the swarm has keys.
    pub fn sockets(&self) -> Sockets {
        if self.keys { Sockets::for_operator(&self.key()).unwrap().0 } else { Sockets::new() }
    }

    /// Runs `xpuck` in the folder, and waits for its end.
    pub fn run(&self, arguments: &[&str]) -> Output {
        xpuck().args(arguments).current_dir(&self.path).output().unwrap()
    }
}
