//! A robot's further sensors and its lamps, through real processes: from the arena's light and sound by the devices' bytes to
//! what operators are told, and from an operator's wish to what the arena sees of the lamps.

use crate::common::{free_ports, xpuck};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long anything may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Processes that end with this.
struct Lab {
    directory: tempfile::TempDir,
    operator: String,
    children: Vec<Child>,
}

impl Drop for Lab {
    fn drop(&mut self) {
        for child in &mut self.children {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Lab {
    /// One robot of a kind, with a lamp and a sound in the arena.
    fn start(body: &str) -> Lab {
        let directory = tempfile::tempdir().unwrap();
        let ports = free_ports();
        let write = |name: &str, text: String| std::fs::write(directory.path().join(name), text).unwrap();
        let operator = format!("tcp://127.0.0.1:{}", ports + 1);
        write(
            "swarm.toml",
            format!(
                "robots = [\"xp01\"]\n[hub]\nrobots = \"tcp://127.0.0.1:{ports}\"\noperator = \"{operator}\"\n\
                 console = \"127.0.0.1:{}\"\n[security]\ndev_mode = true\n",
                ports + 2
            ),
        );
        write(
            "arena.toml",
            format!(
                "swarm = \"swarm.toml\"\nseed = 12\nscenario = \"b\"\ndevices = \"devices\"\nbody = \"{body}\"\n\
                 mocap = \"127.0.0.1:{}\"\nlamps_log = \"lamps.log\"\nfitted = [\"bno055\", \"ground\"]\n\
                 camera = {{ width = 32, height = 24, frames_per_second = 1.0 }}\n\
                 [[lights]]\nat_m = [0.3, 0.2]\nbrightness = 0.2\n[[sounds]]\nat_m = [0.0, 0.0]\nloudness = 0.02\n",
                ports + 3
            ),
        );
        let mocap = format!("[mocap]\naddress = \"127.0.0.1:{}\"\nfrisbee = \"frisbee\"\n", ports + 3);
        write("hub.toml", format!("swarm = \"swarm.toml\"\n{mocap}[record]\ndirectory = \"runs\"\n"));
        write(
            "xp01.toml",
            format!(
                "id = \"xp01\"\nswarm = \"swarm.toml\"\nfitted = [\"bno055\", \"ground\"]\n[devices]\nkind = \"virtual\"\n\
                 directory = \"devices\"\ncamera_width = 32\ncamera_height = 24\nbody = \"{body}\"\n"
            ),
        );
        let mut lab = Lab { directory, operator, children: Vec::new() };
        lab.serve("arena");
        lab.serve("hub");
        let xpuckd = Path::new(env!("CARGO_BIN_EXE_xpuck")).with_file_name("xpuckd");
        let mut robot = Command::new(xpuckd);
        robot.args(["--end-with-stdin", "--config"]).arg(lab.path("xp01.toml"));
        let robot = robot.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().expect("xpuckd is built");
        lab.children.push(robot);
        lab
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn serve(&mut self, what: &str) {
        let mut command = xpuck();
        command.args([what, "--end-with-stdin", "--config"]).arg(self.path(&format!("{what}.toml")));
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        self.children.push(child);
        assert_eq!(line, "ready\n", "{what}");
    }

    /// What the hub was told of the robot's sensors last.
    fn sensors(&self) -> Value {
        let output = xpuck().args(["status", "--json", "--dev-mode", "--hub", &self.operator]).output().unwrap();
        let status: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        status["robots"][0]["sensors"].clone()
    }

    /// The lines of the lamps' log.
    fn lamps(&self) -> String {
        std::fs::read_to_string(self.path("lamps.log")).unwrap_or_default()
    }
}

/// Waits until something is so, and gives it.
fn eventually<T>(what: &str, mut so: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = so() {
            return found;
        }
        assert!(start.elapsed() < PATIENCE, "it never came to this: {what}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
}

#[test]
fn light_sound_acceleration_and_fitted_devices_reach_the_hub_and_a_wish_reaches_the_lamps() {
    let lab = Lab::start("xpuck");
    let sensors = eventually("all sensors are told", || {
        let sensors = lab.sensors();
        let whole =
            sensors["heading"].is_number() && sensors["light"].is_array() && !numbers(&sensors["loudness"]).is_empty();
        whole.then_some(sensors)
    });
    let light = numbers(&sensors["light"]);
    let (least, most) = light.iter().fold((1.0f64, 0.0f64), |(a, b), x| (a.min(*x), b.max(*x)));
    assert!(light.len() == 8 && (0.05..0.2).contains(&least) && most > least + 0.05, "a lamp on one side: {sensors}");
    let [x, y, z] = numbers(&sensors["acceleration"])[..] else { panic!("{sensors}") };
    assert!(x.abs() < 0.3 && y.abs() < 0.3 && (z - 9.8).abs() < 0.3, "at rest: {sensors}");
    assert!(numbers(&sensors["loudness"]).iter().all(|loud| (0.005..0.5).contains(loud)), "{sensors}");
    assert!(numbers(&sensors["ground"]).iter().all(|floor| (floor - 0.85).abs() < 0.05), "{sensors}");
    assert_eq!((&sensors["selector"], &sensors["trouble"]), (&Value::Null, &Value::from("")), "{sensors}");
    // Blue without an experiment; white and dark by turns when it is to be found.
    eventually("its lamps show that it is idle", || lab.lamps().contains("pixels 000010 000010").then_some(()));
    let done = xpuck().args(["identify", "xp01", "--dev-mode", "--hub", &lab.operator]).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    eventually("it blinks, and shows its state again", || {
        let log = lab.lamps();
        let lit = log.matches("pixels 404040").count();
        (lit >= 5 && log.lines().last()?.contains("pixels 000010")).then_some(())
    });
}

#[test]
fn an_epuck2_tells_volumes_and_its_selector_and_plays_when_it_is_sought() {
    let lab = Lab::start("e-puck2");
    let sensors = eventually("all sensors are told", || {
        let sensors = lab.sensors();
        // Acceleration is the inertial unit's to tell, which takes a moment to begin.
        let whole = sensors["selector"] == 10 && sensors["acceleration"].is_array();
        (whole && numbers(&sensors["loudness"]).len() == 4).then_some(sensors)
    });
    assert_eq!(sensors["button"], Value::Bool(false));
    let done = xpuck().args(["identify", "xp01", "--dev-mode", "--hub", &lab.operator]).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    eventually("it plays a melody and blinks", || {
        let log = lab.lamps();
        (log.contains("a melody") && log.contains("leds 1a1a1a")).then_some(())
    });
}
