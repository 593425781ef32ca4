//! Parts of the swarm that run on this machine: the hub, the arena, and a second robot.

use anyhow::{Context, Result, bail, ensure};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use xpuck_wire::Status;

/// Id of the robot in the virtual machine.
pub const VIRTUAL_ROBOT: &str = "xp02";
/// Id of the robot that runs on this machine.
pub const LOCAL_ROBOT: &str = "xp01";
/// Address of this machine in qemu's user network.
const HOST: &str = "10.0.2.2";

/// Swarm of two robots, with its hub and its arena.
pub struct Swarm {
    xpuck: PathBuf,
    xpuckd: PathBuf,
    /// Folder of the swarm.
    pub folder: PathBuf,
    /// Copy of the swarm's folder from which the card is made. It contains the address of this machine in the virtual
    /// machine's network instead of the local address.
    pub card_folder: PathBuf,
    ports: u16,
    services: Vec<Child>,
}

impl Swarm {
    /// Creates the folders of a swarm below `work`. `programs` is the folder with this machine's programs, and `ports`
    /// is the first of six consecutive ports.
    pub fn make(programs: &Path, work: &Path, ports: u16) -> Result<Swarm> {
        let (folder, card_folder) = (work.join("swarm"), work.join("card"));
        let (xpuck, xpuckd) = (programs.join("xpuck"), programs.join("xpuckd"));
        let swarm = Swarm { xpuck, xpuckd, folder, card_folder, ports, services: Vec::new() };
        let made = Command::new(&swarm.xpuck)
            .args(["init", "--count", "2", "--ports", &ports.to_string()])
            .arg(&swarm.folder)
            .output()
            .with_context(|| swarm.xpuck.display().to_string())?;
        ensure!(made.status.success(), "xpuck init: {}", String::from_utf8_lossy(&made.stderr));
        let edit = |path: PathBuf, from: &str, to: &str| -> Result<()> {
            let text = fs::read_to_string(&path)?;
            ensure!(text.contains(from), "{}: does not contain {from}", path.display());
            Ok(fs::write(&path, text.replacen(from, to, 1))?)
        };
        let devices = format!("devices = \"devices\"\ndevices_address = \"127.0.0.1:{}\"", ports + 4);
        edit(swarm.folder.join("arena.toml"), "devices = \"devices\"", &devices)?;
        let copied = Command::new("cp").arg("-a").arg(&swarm.folder).arg(&swarm.card_folder).status()?;
        ensure!(copied.success(), "{} cannot be copied", swarm.folder.display());
        let robots = format!("tcp://127.0.0.1:{}", ports + 1);
        edit(swarm.card_folder.join("swarm.toml"), &robots, &robots.replace("127.0.0.1", HOST))?;
        let directory = format!("directory = \"tcp://{HOST}:{}\"", ports + 4);
        edit(swarm.card_folder.join(format!("robots/{VIRTUAL_ROBOT}.toml")), "directory = \"../devices\"", &directory)?;
        Ok(swarm)
    }

    /// Starts the arena, the hub and the local robot.
    pub fn start(&mut self) -> Result<()> {
        let commands = [
            (self.xpuck.clone(), vec!["serve".to_string(), "arena".into(), "--config".into(), "arena.toml".into()]),
            (self.xpuck.clone(), vec!["serve".to_string(), "hub".into(), "--config".into(), "hub.toml".into()]),
            (self.xpuckd.clone(), vec!["--config".into(), format!("robots/{LOCAL_ROBOT}.toml")]),
        ];
        for (number, (program, arguments)) in commands.into_iter().enumerate() {
            let log = self.folder.join(format!("service-{number}.log"));
            let file = File::create(&log)?;
            let mut service = Command::new(&program);
            service
                .args(arguments)
                .current_dir(&self.folder)
                .stdin(Stdio::null())
                .stdout(file.try_clone()?)
                .stderr(file);
            self.services.push(service.spawn().with_context(|| program.display().to_string())?);
            if number < 2 {
                let begun = std::time::Instant::now();
                while !fs::read_to_string(&log)?.contains("ready") {
                    ensure!(begun.elapsed().as_secs() < 20, "{}: not ready", log.display());
                    std::thread::sleep(std::time::Duration::from_millis(50));
                }
            }
        }
        Ok(())
    }

    /// Creates a command of `xpuck` with the address of the hub and an operator's key.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.xpuck);
        command.args(arguments).current_dir(&self.folder).stdin(Stdio::null());
        command.env("XPUCK_HUB", format!("tcp://127.0.0.1:{}", self.ports + 2));
        command.env("XPUCK_KEY", self.folder.join("keys/operators/operator.key"));
        command
    }

    /// Runs a command of `xpuck` as an operator, and returns its output and exit status.
    pub fn xpuck(&self, arguments: &[&str]) -> Result<Output> {
        Ok(self.command(arguments).output()?)
    }

    /// Runs a command of `xpuck` as an operator, and returns its standard output. A failure of the command is an error.
    pub fn run_checked(&self, arguments: &[&str]) -> Result<String> {
        let output = self.xpuck(arguments)?;
        if !output.status.success() {
            bail!("xpuck {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr).trim());
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Requests the status of the swarm from the hub. The exit status of the command is ignored, because it reports
    /// problems of the swarm.
    pub fn status(&self) -> Result<Status> {
        let output = self.xpuck(&["status", "--json"])?;
        serde_json::from_slice(&output.stdout)
            .with_context(|| String::from_utf8_lossy(&output.stderr).trim().to_string())
    }

    /// Requests the hub's data about the robot in the virtual machine. `None` if the robot is not connected.
    pub fn virtual_robot(&self) -> Option<xpuck_wire::RobotRow> {
        self.status().ok()?.robots.into_iter().find(|robot| robot.id == VIRTUAL_ROBOT && robot.alive)
    }
}

impl Drop for Swarm {
    fn drop(&mut self) {
        for service in self.services.iter_mut().rev() {
            // The service may already have ended.
            let _ = service.kill();
            let _ = service.wait();
        }
    }
}
