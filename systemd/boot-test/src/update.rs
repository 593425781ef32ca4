//! Updates of the robot's program over the air.

use crate::machine::Board;
use crate::swarm::VIRTUAL_ROBOT;
use crate::{BOOT, Test, variant};
use anyhow::{Context, Result, bail, ensure};
use std::ops::RangeInclusive;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use xpuck_wire::log;

/// Arguments of the command that updates the robot in the virtual machine.
const UPDATE: [&str; 4] = ["robot", "update", "--robots", VIRTUAL_ROBOT];
/// File with an update for a robot.
#[derive(Clone, Copy)]
pub(crate) enum Bundle<'a> {
    /// Package with the robot's program.
    Package(&'a Path),
    /// Image with a whole root.
    Image(&'a Path),
}

impl Bundle<'_> {
    fn arguments(&self) -> [&str; 2] {
        match self {
            Bundle::Package(path) => ["--deb", text(path)],
            Bundle::Image(path) => ["--image", text(path)],
        }
    }

    fn version(self) -> Result<String> {
        match self {
            Bundle::Package(path) => version_of(path),
            Bundle::Image(path) => Ok(variant::release_of(path)?.version),
        }
    }

    /// Returns the maximum time from the start of the update to the power cut (ms).
    fn within_ms(self) -> u64 {
        match self {
            Bundle::Package(_) => 25_000,
            Bundle::Image(_) => 90_000,
        }
    }
}

impl Test {
    /// Updates the robot to a newer version, and then to a broken version. The robot must return from the broken
    /// version to the newer version.
    pub(crate) fn update_and_back(&mut self, newer: Bundle<'_>, broken: Bundle<'_>) -> Result<()> {
        let swarm = &self.swarm;
        // This wait is necessary, because a robot connects to the hub before it reports its version.
        let told = |_: &Board| swarm.virtual_robot().is_some_and(|robot| !robot.version.is_empty());
        self.board.wait("the version of the virtual robot", BOOT, told)?;
        let (before, wanted) = (self.version(), newer.version()?);
        let begun = Instant::now();
        self.update(newer)?;
        ensure!(self.version() == wanted, "after the update the robot runs {}, expected {wanted}", self.version());
        log::write_raw(format_args!("updated from {before} to {wanted}: {:.0} s", begun.elapsed().as_secs_f64()));
        self.back_from(broken)
    }

    /// Updates the robot to a version that does not run, and waits until the robot runs its previous version again.
    pub(crate) fn back_from(&mut self, broken: Bundle<'_>) -> Result<()> {
        let (begun, wanted) = (Instant::now(), self.version());
        let Err(error) = self.update(broken) else {
            bail!("an update to a program that does not run is reported as successful")
        };
        let swarm = &self.swarm;
        self.board.wait("the robot back on the previous version", BOOT, |_| {
            swarm.virtual_robot().is_some_and(|robot| robot.version == wanted)
        })?;
        log::write_raw(format_args!(
            "updated to the broken {}: back on {wanted} after {:.0} s; {error:#}",
            broken.version()?,
            begun.elapsed().as_secs_f64()
        ));
        Ok(())
    }

    /// Updates the robot with power cuts during the update. After each power cut, the robot must run the old or the new
    /// version. Finally an update without a power cut must succeed. `cuts` are the numbers of the power cuts, and `of`
    /// is the total number of power cuts in the test.
    pub(crate) fn update_with_cuts(&mut self, newest: Bundle<'_>, cuts: RangeInclusive<u32>, of: u32) -> Result<()> {
        let (before, wanted) = (self.version(), newest.version()?);
        for number in cuts {
            let mut update = self.swarm.command(&[&UPDATE[..], &newest.arguments()].concat());
            update.stdout(Stdio::null()).stderr(Stdio::null());
            let mut update = update.spawn().context("xpuck robot update")?;
            let wait = Duration::from_millis(self.random.below(newest.within_ms()));
            std::thread::sleep(wait);
            self.wait_for_writes();
            let (kept, lost) = self.power_off()?;
            // The command is killed, because its result is not needed. The update continues at the hub, and is aborted
            // by the command `xpuck robot update abort`.
            let _ = update.kill();
            update.wait()?;
            self.swarm.xpuck(&["robot", "update", "abort"])?;
            self.check_card()?;
            let seed = self.random.next();
            self.board.switch_on(seed, "")?;
            let swarm = &self.swarm;
            let took = self.board.wait("the robot back at the hub", BOOT, |_| swarm.virtual_robot().is_some())?;
            self.settle()?;
            let now = self.version();
            ensure!(now == before || now == wanted, "the robot runs {now}, expected {before} or {wanted}");
            log::write_raw(format_args!(
                "cut {number} of {of}, {:.1} s in an update: {lost} sectors lost, {kept} kept; card intact; back after {:.0} s, then {now}",
                wait.as_secs_f64(),
                took.as_secs_f64()
            ));
        }
        self.update(newest)?;
        ensure!(self.version() == wanted, "after the cuts the robot runs {}, expected {wanted}", self.version());
        log::write_raw(format_args!("updated without a cut to {wanted}"));
        Ok(())
    }

    /// Waits until the hub reports that no update is in progress.
    fn settle(&mut self) -> Result<()> {
        let swarm = &self.swarm;
        let done = || -> Option<bool> {
            let told: serde_json::Value =
                serde_json::from_str(&swarm.run_checked(&["robot", "update", "status", "--json"]).ok()?).ok()?;
            told["done"].as_bool()
        };
        self.board.wait("the end of the update at the hub", BOOT, |_| done() == Some(true)).map(drop)
    }

    fn version(&self) -> String {
        self.swarm.virtual_robot().map_or_else(|| "nothing".into(), |robot| robot.version)
    }

    fn update(&self, bundle: Bundle<'_>) -> Result<()> {
        self.swarm.run_checked(&[&UPDATE[..], &bundle.arguments()].concat()).map(drop)
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap_or_default()
}

/// Reads the version from the release file in a package.
fn version_of(package: &Path) -> Result<String> {
    let script = "dpkg-deb --fsys-tarfile \"$1\" | tar -xO ./usr/lib/xpuck/release";
    let output = Command::new("sh").args(["-c", script, "sh"]).arg(package).output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    let line = said.lines().find_map(|line| line.strip_prefix("version = "));
    line.map(|version| version.trim_matches('"').to_string()).with_context(|| package.display().to_string())
}
