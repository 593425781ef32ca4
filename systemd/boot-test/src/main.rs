//! Test of image, card and updates. A robot's card boots in a virtual machine. The robot's program is updated over the
//! air, also during power cuts, and the robot recovers from a broken version. Then the robot takes part in an
//! experiment with the rest of the swarm, which runs on this machine. The power is cut at random times. Finally the
//! card is damaged.
//!
//! `make boot-test` runs this program. It requires root (for loop devices) and qemu.

mod card;
mod check;
mod machine;
mod nbd;
mod swarm;
mod update;
mod variant;

use anyhow::{Context, Result, ensure};
use card::Random;
use check::OfflineCard;
use clap::Parser;
use machine::{Board, Kind};
use std::fs;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};
use swarm::{Swarm, VIRTUAL_ROBOT};
use update::Bundle;
use xpuck_update::Release;
use xpuck_wire::log;

/// Boot a robot's card in a virtual machine and test updates, power cuts and card damage.
#[derive(Parser)]
struct Args {
    /// Image of a virtual board.
    #[arg(long)]
    image: PathBuf,
    /// Key folder of the operator who signed the image.
    #[arg(long)]
    keys: PathBuf,
    /// Debian's name of the image's architecture.
    #[arg(long, default_value = "arm64")]
    architecture: String,
    /// Package of the robot's program for an update without power cuts; newer than the image.
    #[arg(long)]
    newer: PathBuf,
    /// Package of the robot's program for an update with power cuts; newer than the other packages.
    #[arg(long)]
    newest: PathBuf,
    /// Package with a program that does not run; newer than `--newer` and older than `--newest`.
    #[arg(long)]
    broken: PathBuf,
    /// Folder with the programs `xpuck` and `xpuckd` for this machine.
    #[arg(long, default_value = "target/debug")]
    programs: PathBuf,
    /// Working folder; must not exist.
    #[arg(long)]
    work: PathBuf,
    /// Number of power cuts; a fifth of them happen during an update.
    #[arg(long, default_value_t = 20)]
    cuts: u32,
    /// Number of times that a copy of the card is damaged.
    #[arg(long, default_value_t = 5)]
    damages: u32,
    /// Seed of the random times of power cuts, the lost sectors and the damage.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// First of six consecutive free ports.
    #[arg(long, default_value_t = 27_600)]
    ports: u16,
}

/// Maximum wall time of a boot. It is long, because the board is emulated and this machine may be busy.
const BOOT: Duration = Duration::from_secs(400);
/// Maximum time for which the test waits, before a power cut, until the card has sectors that are not flushed.
const WRITES: Duration = Duration::from_secs(35);
/// Maximum duration of a scrub of the whole card.
const SCRUB: Duration = Duration::from_secs(900);
/// Duration of the latency measurement (s).
const LATENCY_S: u32 = 30;
/// Size of the card (bytes).
const CARD: u64 = 4_000_000_000;
/// Text of the experiment. The experiment is small enough for an emulated processor to complete generations.
const EXPERIMENT: &str = "name = \"boot-test\"\nminutes = 240.0\nsegment_minutes = 5.0\ntask = \"transport\"\n\n[evolution]\n\
    population = 8\ntrial_seconds = 5.0\n";

struct Test {
    swarm: Swarm,
    board: Board,
    card: PathBuf,
    random: Random,
    /// Original files of the robot's identity, by path.
    identity: Vec<(PathBuf, Vec<u8>)>,
}

fn main() -> ExitCode {
    log::start(|| ());
    let code = run(&Args::parse()).map_or_else(
        |error| {
            log::write_raw(format_args!("boot-test: FAILED: {error:#}"));
            ExitCode::FAILURE
        },
        |()| ExitCode::SUCCESS,
    );
    log::flush();
    code
}

fn run(args: &Args) -> Result<()> {
    let begun = Instant::now();
    fs::create_dir(&args.work).with_context(|| args.work.display().to_string())?;
    let work = args.work.canonicalize()?;
    let swarm = Swarm::make(&args.programs.canonicalize()?, &work, args.ports)?;
    // The robots accept the image only if its signer is an operator of the swarm.
    for folder in [&swarm.folder, &swarm.card_folder] {
        let operators = folder.join("keys/operators");
        fs::remove_dir_all(&operators)?;
        let copied = Command::new("cp").arg("-a").arg(args.keys.join("operators")).arg(&operators).status()?;
        ensure!(copied.success(), "{}: not a key folder", args.keys.display());
    }
    let [newer, newest, broken] = [&args.newer, &args.newest, &args.broken].map(|path| path.canonicalize());
    let (newer, newest, broken) = (newer?, newest?, broken?);
    let release = variant::release_of(&args.image)?;
    let version = |version: &str, above| Release { version: version.into(), counter: release.counter + above };
    let keys = args.keys.canonicalize()?;
    let newer_image = variant::build(&args.image, &keys, &work, &version("100.0.0", 10), false)?;
    let broken_image = variant::build(&args.image, &keys, &work, &version("100.5.0", 11), true)?;
    log::write_raw(format_args!("two more images are built: {:.0} s", begun.elapsed().as_secs_f64()));
    let card = work.join("card.img");
    fs::File::create(&card)?.set_len(CARD)?;
    let (image, device, folder) = (args.image.canonicalize()?, card.clone(), swarm.card_folder.clone());
    let path = |path: &Path| path.display().to_string();
    swarm.run_checked(&[
        "card",
        "flash",
        "--robot",
        VIRTUAL_ROBOT,
        "--image",
        &path(&image),
        "--device",
        &path(&device),
        "--swarm",
        &path(&folder),
        "--yes",
    ])?;
    log::write_raw(format_args!("a card is written: {:.0} s", begun.elapsed().as_secs_f64()));
    let identity = identity(&card)?;
    let board = Board::new(Kind::from_architecture(&args.architecture)?, &work, &card)?;
    let mut test = Test { swarm, board, card, random: Random(args.seed), identity };
    test.swarm.start()?;
    test.boot()?;
    let during = args.cuts / 5;
    test.update_and_back(Bundle::Package(&newer), Bundle::Package(&broken))?;
    test.update_with_cuts(Bundle::Package(&newest), 2..=during, args.cuts)?;
    // Power cut number 1 happens during the update to an image, while the new root is written or runs on trial. If no
    // power cuts during updates are requested, the range is empty.
    test.update_with_cuts(Bundle::Image(&newer_image), 1..=during.min(1), args.cuts)?;
    test.back_from(Bundle::Image(&broken_image))?;
    test.run()?;
    for number in during + 1..=args.cuts {
        test.cut(number, args.cuts)?;
    }
    // The run is stopped before the card is damaged, because evolution would slow down the scrub.
    test.swarm.run_checked(&["stop"])?;
    test.power_off()?;
    for number in 1..=args.damages {
        test.damage(number, args.damages)?;
    }
    test.latency()?;
    log::write_raw(format_args!("boot-test: all passed in {:.0} s", begun.elapsed().as_secs_f64()));
    Ok(())
}

impl Test {
    /// Switches the board on and waits until the robot is connected to the hub and the boot is complete. A failed unit
    /// is an error.
    fn boot(&mut self) -> Result<()> {
        let seed = self.random.next();
        self.board.switch_on(seed, "")?;
        let swarm = &self.swarm;
        let took = self.board.wait("the robot at the hub", BOOT, |_| swarm.virtual_robot().is_some())?;
        log::write_raw(format_args!("power to the hub: {:.1} s", took.as_secs_f64()));
        let finished = |board: &Board| board.console_output().contains("Startup finished in ");
        self.board.wait("the end of the boot", BOOT, finished)?;
        let said = self.board.console_output();
        let startup = said.lines().rev().find_map(|line| line.split_once("Startup finished in "));
        log::write_raw(format_args!("systemd: {}", startup.map_or("no report", |(_, rest)| rest.trim())));
        // A failure of xpuckd.service is ignored. The robot's program fails and is restarted until the network is up,
        // because the emulated devices of the robot are reached over the network.
        let failed = said.lines().find(|line| line.contains("Failed with result") && !line.contains("xpuckd.service"));
        ensure!(failed.is_none(), "a unit failed: {}", failed.unwrap_or_default());
        Ok(())
    }

    /// Starts an experiment, and waits until the robot has completed a generation in it.
    fn run(&mut self) -> Result<()> {
        fs::write(self.swarm.folder.join("boot-test.toml"), EXPERIMENT)?;
        self.swarm.run_checked(&["start", "boot-test.toml", "--wait", "60"])?;
        let took = self.wait_for_generation(1)?;
        log::write_raw(format_args!(
            "{VIRTUAL_ROBOT} takes part in the run and has evolved a generation: {:.1} s",
            took.as_secs_f64()
        ));
        Ok(())
    }

    fn wait_for_generation(&mut self, least: u32) -> Result<Duration> {
        let swarm = &self.swarm;
        self.board.wait("a generation of the virtual robot", BOOT, |_| {
            swarm.virtual_robot().is_some_and(|robot| {
                robot.evolution.generation >= least && robot.state == xpuck_wire::state::State::Run
            })
        })
    }

    fn generation(&self) -> u32 {
        self.swarm.virtual_robot().map_or(0, |robot| robot.evolution.generation)
    }

    /// Waits until the card has sectors that are not flushed, but at most [`WRITES`]. Such sectors belong for example
    /// to a checkpoint, the journal or an update.
    fn wait_for_writes(&self) {
        let begun = Instant::now();
        while self.board.unsafe_sectors() == 0 && begun.elapsed() < WRITES {
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Cuts the power, and waits until the hub reports the robot as lost. Later checks then cannot mistake the old
    /// connection for a new one. Returns the numbers of kept and lost sectors.
    fn power_off(&mut self) -> Result<(usize, usize)> {
        let cut = self.board.cut_power()?;
        let begun = Instant::now();
        while self.swarm.virtual_robot().is_some() {
            ensure!(begun.elapsed() < Duration::from_secs(20), "the hub does not report the robot as missing");
            std::thread::sleep(Duration::from_millis(200));
        }
        Ok(cut)
    }

    /// Cuts the power at a random time, checks the card, boots again, and waits until the robot resumes its run. This
    /// is power cut `number` of `of`.
    fn cut(&mut self, number: u32, of: u32) -> Result<()> {
        // Power cuts with an even number happen during the boot.
        let (boots, evolved) = (number.is_multiple_of(2), self.generation());
        let wait = Duration::from_millis(self.random.below(if boots { 20_000 } else { 8_000 }));
        if boots {
            self.power_off()?;
            let seed = self.random.next();
            self.board.switch_on(seed, "")?;
        }
        std::thread::sleep(wait);
        self.wait_for_writes();
        let (kept, lost) = self.power_off()?;
        self.check_card()?;
        let seed = self.random.next();
        self.board.switch_on(seed, "")?;
        let swarm = &self.swarm;
        let took = self.board.wait("the robot back at the hub", BOOT, |_| swarm.virtual_robot().is_some())?;
        // The card may lack the last generation. The robot then resumes from an earlier generation and must evolve the
        // last generation again.
        self.wait_for_generation(evolved.max(1))?;
        let when = if boots { "after power-on" } else { "in the run" };
        log::write_raw(format_args!(
            "cut {number} of {of}, {:.1} s {when}: {lost} sectors lost, {kept} kept; card intact; back after {:.0} s, generation {}",
            wait.as_secs_f64(),
            took.as_secs_f64(),
            self.generation()
        ));
        Ok(())
    }

    /// Damages a part of one copy of the file system while the board is off. During the next boot, the robot must
    /// repair and report the damage. Afterwards both copies must be intact. This is damage `number` of `of`.
    fn damage(&mut self, number: u32, of: u32) -> Result<()> {
        // The two copies of the file system are damaged alternately.
        let copy = (number as usize + 1) % 2;
        let (first, blocks) = check::copies(&self.card)?[copy];
        let file = fs::OpenOptions::new().write(true).open(&self.card)?;
        // The range in which blocks are damaged is the first third of the copy. It contains data, because btrfs fills a
        // card from its beginning. The first MiB is excluded, because it contains the first superblock.
        let (from, to) = (2048, (blocks / 3).max(4096));
        for _ in 0..200 {
            let at = (first + from + self.random.below(to - from)) * 512;
            let garbage: Vec<u8> = (0..64 * 512 / 8).flat_map(|_| self.random.next().to_le_bytes()).collect();
            file.write_all_at(&garbage, at)?;
        }
        file.sync_all()?;
        ensure!(OfflineCard::attach(&self.card)?.scrub().is_err(), "none of the damaged blocks is in use");
        let seed = self.random.next();
        self.board.switch_on(seed, "systemd.wants=xpuck-scrub.service")?;
        // The last report is used, because blocks that are read during the boot are repaired and reported before the
        // scrub.
        let told = |board: &Board| board.console_output().lines().filter_map(repair_report).next_back();
        let took = self.board.wait("the scrub's report of repaired damage", SCRUB, |board| told(board).is_some())?;
        let swarm = &self.swarm;
        self.board.wait("the robot back at the hub", BOOT, |_| swarm.virtual_robot().is_some())?;
        let said = told(&self.board).unwrap_or_default();
        // Waits until the repaired blocks are flushed to the card.
        self.board.wait("the card at rest", WRITES * 2, |board| board.unsafe_sectors() == 0)?;
        self.power_off()?;
        let bench = OfflineCard::attach(&self.card)?;
        bench.check().context("the card after the damage")?;
        bench.scrub().context("the card after the repair")?;
        log::write_raw(format_args!(
            "damage {number} of {of}: 6.5 MB in 200 places of copy {}: `{said}` after {:.0} s; both copies intact",
            copy + 1,
            took.as_secs_f64()
        ));
        Ok(())
    }

    /// Measures the wake-up latency of a real-time thread while the robot's program does not run. The measured values
    /// are only logged, because their bound applies to real boards and not to emulated processors.
    fn latency(&mut self) -> Result<()> {
        let seed = self.random.next();
        let measure =
            format!("/usr/bin/xpuckd selftest --latency --seconds {LATENCY_S} --config /etc/xpuck/robot.toml");
        self.board.switch_on(
            seed,
            &format!(
                "systemd.mask=xpuckd.service \"systemd.run={measure}\" systemd.run_success_action=none \
                 systemd.run_failure_action=none"
            ),
        )?;
        let lines = ["real-time priority", "processor ", "wake-ups", "late, us", "exchange, us", "bound of"];
        let said = |board: &Board| -> Vec<String> {
            let said = board.console_output();
            let last = |what: &&str| said.lines().rev().find(|line| line.contains(&format!("]: {what}")));
            lines.iter().filter_map(last).filter_map(|line| Some(line.split_once("]: ")?.1.trim().into())).collect()
        };
        self.board.wait("the measured latency", BOOT, |board| said(board).len() == lines.len())?;
        let told = said(&self.board);
        ensure!(
            told[0].ends_with("yes") && told[1].ends_with(" 1"),
            "expected real-time priority on processor 1, found: {}",
            told.join("; ")
        );
        log::write_raw(format_args!("latency: {}", told.join("; ")));
        self.power_off().map(drop)
    }

    /// Checks the card while the board is off. The check fails if btrfs finds an error or the robot's identity has
    /// changed.
    fn check_card(&self) -> Result<()> {
        OfflineCard::attach(&self.card)?.check().context("check of the card after the power cut")?;
        let now = identity(&self.card)?;
        for (name, bytes) in &self.identity {
            let found = now.iter().find(|(other, _)| other == name);
            ensure!(found.is_some_and(|(_, now)| now == bytes), "{} has changed", name.display());
        }
        Ok(())
    }
}

/// Returns the scrub's message in a line of the console. `None` if the line does not report repaired damage.
fn repair_report(line: &str) -> Option<String> {
    let (_, said) = line.split_once("scrub: ")?;
    said.contains("mended").then(|| said.trim().to_string())
}

/// Reads the files of the robot's identity from a card.
fn identity(card: &Path) -> Result<Vec<(PathBuf, Vec<u8>)>> {
    let bench = OfflineCard::attach(card)?;
    bench.read(|top| check::files(&top.join("@config")))
}
