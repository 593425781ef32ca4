//! Command `xpuckd slots`, which manages the update slots. On a robot, systemd runs the command as root, with the
//! program of the Debian package.

use crate::config::Config;
use anyhow::Context;
use clap::{Args, Subcommand};
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use xpuck_update::Release;
use xpuck_update::bundle::this_arch;
use xpuck_update::health::{Health, TRIAL_TIMEOUT_S, TrialMonitor, Verdict, uptime};
use xpuck_update::slots::{
    self, BaseVersions, Boot, DebTar, Disk, Installed, Lock, Outcome, Phase, RealDisk, Restart, Robot, Slot, SlotStore,
    Source,
};
use xpuck_wire::keyring::{Keyring, Role};
use xpuck_wire::keys::Key;
use xpuck_wire::{file, log, output};

/// Folder of the slots, relative to the root.
pub(crate) const SLOTS: &str = "var/lib/xpuck-slots";
/// Path of the robot's file, relative to the root.
const CONFIG: &str = "etc/xpuck/robot.toml";
/// File that contains the board's name, relative to the root.
pub(crate) const BOARD: &str = "etc/xpuck/board";
/// File with the health report of the running program, relative to the root.
const HEALTH: &str = "run/xpuck/health";
/// List of mounts, relative to the root.
const MOUNTS: &str = "proc/self/mountinfo";
/// Service that writes an image to the card's idle root, with privileges that `xpuckd slots` lacks. It then writes the
/// new root's release, or the reason of a failure, to a file in the slots folder.
const FILL_SERVICE: &str = "xpuck-root.service";
const FILLED: &str = "root.release";
const NOT_FILLED: &str = "root.why";
/// Size limit of each file that `FILL_SERVICE` writes (bytes).
const MAX_TOLD: u64 = 1024;
/// Minimum time limit for a version in a new root to become healthy (s). The limit is long, because the board must boot
/// first.
const ROOT_HEALTH_TIMEOUT_S: f64 = 240.0;
/// Polling interval of `xpuckd slots judge`, and its number of attempts to write the verdict to disk.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
const WRITE_ATTEMPTS: u32 = 40;

/// Manage the slots that updates are installed in.
#[derive(Args)]
pub struct SlotsArgs {
    #[command(subcommand)]
    what: SlotsCommand,
    /// Root of all paths.
    #[arg(long, global = true, default_value = "/")]
    root: PathBuf,
    /// Shell command that restarts the robot's program [default: systemd, for the root `/`].
    #[arg(long, global = true, value_name = "COMMAND")]
    restart: Option<String>,
}

#[derive(Subcommand)]
enum SlotsCommand {
    /// Before each start: count the starts of a trial, revert if no start is left, and repair the link `current`.
    Boot,
    /// Install the bundle that is ready, and start its trial.
    Install,
    /// Wait until the version on trial is healthy, then keep it or revert.
    Judge {
        /// Time limit for the version on trial to become healthy (s, 1..=600).
        #[arg(long, default_value_t = TRIAL_TIMEOUT_S as u32, value_parser = clap::value_parser!(u32).range(1..=600))]
        within: u32,
    },
    /// Show the running version and the result of the latest update.
    Show {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
}

/// Output of `show`.
#[derive(serde::Serialize)]
struct ShowOutput {
    runs: String,
    release: Option<Release>,
    phase: Phase,
    starts_left: Option<u8>,
    highest: Release,
    last: Option<Outcome>,
    /// Repairs that the next start would make, one line each.
    damaged: Vec<String>,
}

struct Packages<'a>(&'a SlotsArgs);

impl Source<RealDisk> for Packages<'_> {
    fn tar(&self, disk: &RealDisk) -> io::Result<Box<dyn Read>> {
        Ok(Box::new(DebTar::open(&disk.path(slots::PAYLOAD))?))
    }

    fn root(&self, disk: &mut RealDisk, _: Slot) -> io::Result<Release> {
        let [filled, not] = [FILLED, NOT_FILLED].map(|name| disk.path(name));
        disk.remove(FILLED)?;
        disk.remove(NOT_FILLED)?;
        let started = self.0.systemctl(&["start", FILL_SERVICE]);
        let (release, why) = (file::text(&filled, MAX_TOLD), file::text(&not, MAX_TOLD));
        let _ = disk.remove(FILLED).and_then(|()| disk.remove(NOT_FILLED));
        let told = match (started, release, why) {
            (Ok(()), Ok(text), Err(_)) => return Release::parse(FILLED, &text).map_err(io::Error::other),
            (.., Ok(why)) => why.trim().to_string(),
            (Err(error), ..) => format!("{error}; see `journalctl -u {FILL_SERVICE}`"),
            (Ok(()), Err(error), _) => error.to_string(),
        };
        Err(io::Error::other(told))
    }
}

/// Runs a subcommand of `xpuckd slots`. Returns false if an update was reverted.
///
/// # Errors
/// Any error of the disk, the robot's file or systemd.
pub fn run(args: &SlotsArgs) -> anyhow::Result<bool> {
    let folder = args.root.join(SLOTS);
    let here = BaseVersions { packaged: packaged(&args.root), root: root_of(&args.root) };
    if let SlotsCommand::Boot = args.what {
        std::fs::create_dir_all(folder.join(slots::INCOMING)).with_context(|| folder.display().to_string())?;
    }
    let mut disk = RealDisk::new(&folder);
    match &args.what {
        SlotsCommand::Boot => {
            let Boot { runs, starts_left, reboot, lines } = {
                let _lock = lock(&disk)?;
                slots::boot(&mut disk, &here).with_context(|| folder.display().to_string())?
            };
            lines.iter().for_each(|text| log::write_raw(format_args!("xpuckd slots: {text}")));
            if starts_left.is_some() && !reboot {
                args.systemctl(&["start", "--no-block", "xpuck-judge.service"])?;
            }
            log::write_raw(format_args!("xpuckd slots: `{}` runs", runs.link()));
            if reboot {
                args.restart(Restart::Board)?;
            }
            Ok(true)
        }
        SlotsCommand::Install => install(args, &mut disk, here),
        SlotsCommand::Judge { within } => judge(args, &mut disk, &here, f64::from(*within)),
        SlotsCommand::Show { json } => {
            let shown = show(&mut disk, &here)?;
            match json {
                true => output::line(serde_json::to_string(&shown)?)?,
                false => output::line(describe(&shown))?,
            }
            Ok(true)
        }
    }
}

/// Returns the release of the Debian package that is installed in `root`. A package without a release file counts as
/// the oldest release.
fn packaged(root: &Path) -> Release {
    Release::of_tree(root).unwrap_or(Release { version: env!("CARGO_PKG_VERSION").into(), counter: 0 })
}

/// Returns the running root of a card with two roots; `None` if the card does not have two roots.
fn root_of(root: &Path) -> Option<Slot> {
    let text = file::text(&root.join(MOUNTS), 256 * 1024).ok()?;
    let words = text.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    // The fourth field of a line is the mounted path in its file system, and the fifth field is the mount point. If
    // several file systems are mounted at `/`, the last one is visible.
    let seen = words.rev().find(|words| words.get(4) == Some(&"/"))?;
    Slot::from_root_name(seen.get(3)?.strip_prefix('/')?)
}

fn lock(disk: &RealDisk) -> anyhow::Result<Lock> {
    Lock::acquire(disk).with_context(|| disk.path("").display().to_string())
}

fn install(args: &SlotsArgs, disk: &mut RealDisk, here: BaseVersions) -> anyhow::Result<bool> {
    let held = lock(disk)?;
    let operators = operators(&args.root.join(CONFIG)).unwrap_or_else(|error| {
        log::write_raw(format_args!("xpuckd slots: {error}; no bundles are installed"));
        BTreeMap::new()
    });
    let board = file::text(&args.root.join(BOARD), 64).map(|text| text.trim().to_string());
    let robot = Robot { board: board.unwrap_or("unknown".into()), arch: this_arch().into(), operators, here };
    let installed = slots::install(disk, &robot, &Packages(args)).context("the slots")?;
    drop(held);
    match installed {
        Installed::Trial(candidate) => {
            let version = &candidate.release.version;
            log::write_raw(format_args!(
                "xpuckd slots: version {version} is in slot {} and on trial",
                candidate.slot.folder()
            ));
            args.restart(if candidate.slot.is_root() { Restart::Board } else { Restart::Program })?;
            Ok(true)
        }
        Installed::Already(release) => {
            log::write_raw(format_args!("xpuckd slots: version {} is already running", release.version));
            Ok(true)
        }
        Installed::Nothing => {
            log::write_raw(format_args!("xpuckd slots: no bundle is ready in {}", disk.path(slots::READY).display()));
            Ok(true)
        }
        Installed::Refused(why) => {
            log::write_raw(format_args!("xpuckd slots: the update is refused: {why}"));
            // The refusal is not a failure of the service: the bundle was removed, and the running version is
            // unchanged.
            Ok(true)
        }
    }
}

/// Returns the names and keys of the operators whose bundles are accepted: those with keys in the swarm's key folder.
/// Bundles must be signed even in a swarm that otherwise uses no keys.
pub(crate) fn operators(config: &Path) -> anyhow::Result<BTreeMap<String, Key>> {
    let config = Config::read(config)?;
    let (ring, wrong) = Keyring::read(&config.swarm.security.keys)?;
    wrong.iter().for_each(|text| log::write_raw(format_args!("xpuckd slots: {text}")));
    let operators = ring.holders().filter(|holder| holder.role == Role::Operator);
    Ok(operators.map(|holder| (holder.public.name.clone(), holder.public.ed25519)).collect())
}

fn judge(args: &SlotsArgs, disk: &mut RealDisk, here: &BaseVersions, within: f64) -> anyhow::Result<bool> {
    let on_trial = |disk: &mut RealDisk| -> anyhow::Result<_> {
        let _lock = lock(disk)?;
        Ok(slots::on_trial(disk, here)?)
    };
    let Some(candidate) = on_trial(disk)? else { return Ok(true) };
    let within = if candidate.slot.is_root() { within.max(ROOT_HEALTH_TIMEOUT_S) } else { within };
    let health = args.root.join(HEALTH);
    let mut judge = TrialMonitor::new(candidate.release.clone(), uptime(), within);
    let verdict = loop {
        let found = Health::read(&health).ok();
        if let Some(verdict) = judge.evaluate(uptime(), found.as_ref()) {
            break verdict;
        }
        let still = on_trial(disk)?;
        if still.is_none_or(|now| (now.slot, &now.sha256) != (candidate.slot, &candidate.sha256)) {
            // The trial has already ended, because the version on trial had no starts left.
            return Ok(false);
        }
        std::thread::sleep(POLL_INTERVAL);
    };
    let version = &candidate.release.version;
    match &verdict {
        Verdict::Healthy => log::write_raw(format_args!("xpuckd slots: version {version} is healthy and is kept")),
        Verdict::Unhealthy(why) => log::write_raw(format_args!("xpuckd slots: version {version} is reverted: {why}")),
    }
    let mut tries = 0;
    let again = loop {
        let settled = {
            let _lock = lock(disk)?;
            slots::conclude_trial(disk, here, &candidate, verdict.clone())
        };
        match settled {
            Ok(again) => break again,
            Err(error) if tries < WRITE_ATTEMPTS => {
                tries += 1;
                log::write_raw(format_args!("xpuckd slots: the verdict cannot be written yet: {error}"));
                std::thread::sleep(POLL_INTERVAL);
            }
            Err(error) => return Err(error).context("the slots"),
        }
    };
    args.restart(again)?;
    Ok(again == Restart::No)
}

fn show(disk: &mut RealDisk, here: &BaseVersions) -> anyhow::Result<ShowOutput> {
    let mut place = SlotStore::read(disk, here)?;
    let runs = place.points_at();
    let release = match runs.and_then(|target| target.slot()) {
        Some(slot) => slots::complete_release(place.disk, slot),
        None => runs.map(|_| here.packaged.clone()),
    };
    let mut damaged = std::mem::take(&mut place.repaired);
    let folder = place.disk.path("");
    if !folder.is_dir() {
        damaged
            .push(format!("{}: does not exist; the first start of the robot's service creates it", folder.display()));
    }
    let starts_left = place.state.candidate.filter(|_| place.state.phase == Phase::Trial).map(|c| c.starts_left);
    let runs = runs.map_or("nothing", |target| target.link()).into();
    let (phase, highest, last) = (place.state.phase, place.state.good, place.state.last);
    Ok(ShowOutput { runs, release, phase, starts_left, highest, last, damaged })
}

fn describe(shown: &ShowOutput) -> String {
    let version = |release: &Release| format!("{} (counter {})", release.version, release.counter);
    let mut text = format!("`{}` runs", shown.runs);
    if let Some(release) = &shown.release {
        text += &format!(": version {}", version(release));
    }
    text += &format!("; {:?}", shown.phase).to_lowercase();
    if let Some(starts) = shown.starts_left {
        text += &format!(", {} left", output::count(starts.into(), "start", "starts"));
    }
    for what in &shown.damaged {
        text += &format!("\n{what}");
    }
    if let Some(last) = &shown.last {
        text += &format!("\nthe latest update: version {}: {:?}", version(&last.release), last.result).to_lowercase();
        if !last.why.is_empty() {
            text += &format!(": {}", last.why);
        }
    }
    text
}

impl SlotsArgs {
    /// Restarts the robot's program or the board, as stated by `what`.
    fn restart(&self, what: Restart) -> anyhow::Result<()> {
        let Some(command) = &self.restart else {
            return match what {
                Restart::No => Ok(()),
                Restart::Program => self.systemctl(&["restart", "--no-block", "xpuckd.service"]),
                Restart::Board => self.systemctl(&["reboot", "--no-block"]),
            };
        };
        if what == Restart::No {
            return Ok(());
        }
        let status = Command::new("sh").arg("-c").arg(command).status().context("--restart")?;
        anyhow::ensure!(status.success(), "--restart {command}: {status}");
        Ok(())
    }

    /// Runs `systemctl`. Does nothing if the root is not `/`.
    fn systemctl(&self, arguments: &[&str]) -> anyhow::Result<()> {
        if self.root != Path::new("/") {
            return Ok(());
        }
        let status = Command::new("systemctl").args(arguments).status().context("systemctl")?;
        anyhow::ensure!(status.success(), "systemctl {}: {status}", arguments.join(" "));
        Ok(())
    }
}
