//! Runs the program of one robot on the devices of an arena.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, mpsc};
use xpuck_arena::fitted::Fitted;
use xpuck_arena::{BodyKind, Faults, Settings, Shim, run};
use xpuck_kernels::world::Scenario;

const SWARM: &str = "robots = [\"xp01\"]\n[hub]\nrobots = \"tcp://127.0.0.1:9\"\noperator = \"tcp://127.0.0.1:9\"\n\
    [security]\ndev_mode = true\n";

/// Stops the arena when the test ends. Without it, a test whose assertion fails would wait for the arena's thread
/// forever.
struct StopAtEnd<'a>(&'a AtomicBool);

impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// Serves an arena with one robot of kind `body` while `test` runs. Passes the path of the robot's file and the
/// settings of the arena to `test`. `shim` is optional logic between the robot's board and its devices.
pub fn serve<R>(
    body: BodyKind,
    faults: Faults,
    shim: Option<Arc<dyn Shim>>,
    test: impl FnOnce(&Path, &Settings) -> R,
) -> R {
    let dir = tempfile::tempdir().unwrap();
    let settings = Settings {
        seed: 12,
        scenario: Scenario::B,
        shim,
        body,
        faults,
        fitted: vec![Fitted::Bno055, Fitted::Ads1015, Fitted::Ground, Fitted::Vl53l0x, Fitted::Erandb],
        ..Settings::with_defaults(1, dir.path().join("devices"))
    };
    let kind = match body {
        BodyKind::Xpuck => "xpuck",
        BodyKind::Epuck1 => "e-puck1",
        BodyKind::Epuck2 => "e-puck2",
    };
    let file = dir.path().join("xp01.toml");
    let robot = format!(
        "id = \"xp01\"\nswarm = \"swarm.toml\"\nfitted = [\"bno055\", \"ads1015\", \"ground\", \"vl53l0x\", \"erandb\"]\n[devices]\nkind = \"virtual\"\ndirectory = \"devices\"\n\
         camera_width = 160\ncamera_height = 120\nbody = \"{kind}\"\n"
    );
    std::fs::write(&file, robot).unwrap();
    std::fs::write(dir.path().join("swarm.toml"), SWARM).unwrap();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (ready, listening) = mpsc::channel();
        let (settings, stop) = (&settings, &stop);
        scope.spawn(move || run(settings, stop, |l| ready.send(*l).unwrap(), |_, _| {}, &mut ()).unwrap());
        let _guard = StopAtEnd(stop);
        listening.recv().unwrap();
        test(&file, settings)
    })
}

/// Returns the command that runs `xpuckd selftest` for a robot, with the additional arguments `more`.
pub fn selftest(file: &Path, more: &[&str]) -> Command {
    let deps = std::env::current_exe().unwrap();
    let xpuckd: PathBuf = deps.parent().unwrap().with_file_name("xpuckd");
    assert!(xpuckd.exists(), "{} is missing: `cargo build -p xpuck-robot` builds it", xpuckd.display());
    let mut command = Command::new(xpuckd);
    command.args(["selftest", "--config"]).arg(file).args(more);
    command
}
