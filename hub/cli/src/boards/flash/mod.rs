//! `xpuck card flash`: writes the card of one robot, or of each robot of a swarm.

mod written;

use crate::terminal::steps::Steps;
use anyhow::{Context, Result, bail};
use clap::{ArgGroup, Args};
use std::collections::BTreeMap;
use std::io::{BufRead, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use written::CardLog;
use xpuck_image::Board;
use xpuck_image::device::{self, Device};
use xpuck_image::flash::{self, Job};
use xpuck_image::identity;
use xpuck_update::Manifest;
use xpuck_wire::keyring::{Keyring, Role};
use xpuck_wire::keys::Key;
use xpuck_wire::{Swarm, output};

/// Write a robot's card: the image, and the robot's identity (its files, keys, Wi-Fi, address).
///
/// The card is tested before it is written, and read again afterwards. Only after a successful test does the command
/// write the partition table that makes the card bootable. With --all, the command prompts for one card after another.
/// If it is ended early (exit code 75), the same command continues with the next robot.
#[derive(Args)]
#[command(group(ArgGroup::new("whose").required(true).args(["robot", "all"])))]
#[command(after_help = "Common settings of a lab's cards are in cards.toml of the swarm's folder (docs/flash.md).")]
pub struct FlashArgs {
    /// Id of the robot.
    #[arg(long, value_name = "ID")]
    robot: Option<String>,
    /// Write a card for each robot of the swarm that has no card of this image yet.
    #[arg(long)]
    all: bool,
    /// Image from `xpuck card build`.
    #[arg(long, value_name = "FILE")]
    image: PathBuf,
    /// Card, such as /dev/sdb (the whole device, not a partition), or a file of a card's size.
    #[arg(long, value_name = "DEVICE")]
    device: PathBuf,
    /// Folder of the swarm.
    #[arg(long, value_name = "DIR", default_value = ".")]
    swarm: PathBuf,
    /// Allow a device that is not removable, and an image older than those of cards already written.
    #[arg(long)]
    force: bool,
    /// Do not ask for confirmation; all data on the card is lost.
    #[arg(long)]
    yes: bool,
}

/// Exit code if the operator ends the command early. If the same command is started again, it continues with the next
/// robot. `xpuck sweep` uses the same exit code for incomplete work.
const ENDED: u8 = 75;

/// State of the command: its arguments, the operators' keys, the image, and the record of written cards.
struct Lab<'a> {
    args: &'a FlashArgs,
    operators: BTreeMap<String, Key>,
    manifest: Manifest,
    written: CardLog,
}

/// Operator's answer to the prompt.
enum Answer {
    Write,
    Skip,
    End,
}

/// Runs `xpuck card flash`.
pub fn run(args: &FlashArgs) -> Result<ExitCode> {
    let swarm_file = args.swarm.join("swarm.toml");
    let swarm = Swarm::read(&swarm_file).context("--swarm must be a folder made by `xpuck init`")?;
    let (ring, wrong) = Keyring::read(&args.swarm.join("keys"))?;
    if let Some(first) = wrong.first() {
        bail!("{first}");
    }
    let operators = ring.holders().filter(|holder| holder.role == Role::Operator);
    let operators = operators.map(|holder| (holder.public.name.clone(), holder.public.ed25519)).collect();
    let manifest = flash::describe(&args.image, &operators)?;
    let written = CardLog::read(&args.swarm)?;
    let mut lab = Lab { args, operators, manifest, written };
    lab.look_at_image()?;
    match &args.robot {
        Some(robot) => {
            // These calls report errors before the prompt.
            lab.identity(robot)?;
            drop(Device::open(&args.device, args.force)?);
            match lab.ask(robot)? {
                Answer::Write => lab.card(robot).map(|()| ExitCode::SUCCESS),
                Answer::Skip | Answer::End => bail!("nothing was written"),
            }
        }
        None => lab.all(&swarm.robots),
    }
}

impl Lab<'_> {
    /// Checks that the image is for the swarm's kind of board, and not older than the cards already written.
    fn look_at_image(&self) -> Result<()> {
        let Manifest { version, counter, boards, arch, .. } = &self.manifest;
        let image = self.args.image.display();
        if let [name] = &boards[..] {
            let board = Board::named(name)?;
            if board.architecture != *arch {
                bail!(
                    "{image}: contains programs for {arch}, but its board {name} has the architecture {}",
                    board.architecture
                );
            }
        } else {
            bail!("{image}: is for {} boards, but an image must be for exactly one", boards.len());
        }
        if let Some(board) = identity::board(&self.args.swarm)?
            && !boards.contains(&board)
        {
            bail!("{image}: is for {}, but cards.toml has board = {board:?}", boards.join(", "));
        }
        if let Some((last, robot)) = self.written.newest().filter(|(last, _)| *last > counter && !self.args.force) {
            bail!(
                "{image}: release {version} (counter {counter}) is older than that of {robot}'s card ({last}); use \
                 --force to write it anyway"
            );
        }
        Ok(())
    }

    fn identity(&self, robot: &str) -> Result<Vec<identity::Entry>> {
        let board = self.manifest.boards.first().map_or("any", String::as_str);
        Ok(identity::card_files(&self.args.swarm, robot, board)?)
    }

    /// Prompts for and writes the card of each robot that does not have a card of this image.
    fn all(&mut self, robots: &[String]) -> Result<ExitCode> {
        if self.args.yes {
            bail!("--all prompts for each card; leave out --yes");
        }
        for robot in robots {
            self.identity(robot)?;
        }
        let open: Vec<&String> =
            robots.iter().filter(|robot| !self.written.has(robot, &self.manifest.sha256)).collect();
        let done = robots.len() - open.len();
        if done > 0 {
            output::line(format_args!("{done} of {} robots have a card of this image", robots.len()))?;
        }
        let mut left_out = Vec::new();
        for robot in open {
            loop {
                match self.ask(robot)? {
                    Answer::End => {
                        output::line(format_args!("ended before {robot}; run the same command again"))?;
                        return Ok(ExitCode::from(ENDED));
                    }
                    Answer::Skip => {
                        left_out.push(robot.as_str());
                        break;
                    }
                    Answer::Write => {}
                }
                // After an error, the command prompts again for the same robot, so that another card can be tried.
                match self.card(robot) {
                    Ok(()) => break,
                    Err(error) => output::line(format_args!("{robot}: {error:#}"))?,
                }
            }
        }
        match left_out.is_empty() {
            true => output::line("all robots have their cards")?,
            false => output::line(format_args!("skipped, without a card of this image: {}", left_out.join(", ")))?,
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Asks the operator to confirm writing the card. No confirmation is needed with `--yes`, or without `--all` if the
    /// device is a file that is blank or already contains a card.
    fn ask(&self, robot: &str) -> Result<Answer> {
        let device = self.args.device.display();
        let is_file = self.args.device.is_file() && !self.args.all;
        if self.args.yes || is_file && Device::is_blank_or_card(&self.args.device)? {
            return Ok(Answer::Write);
        }
        let input = std::io::stdin();
        if !input.is_terminal() && !self.args.all {
            bail!("no terminal to ask for confirmation; use --yes if all data on {device} may be lost");
        }
        let all = if self.args.all { ", s to skip this robot, q to end" } else { ", anything else to end" };
        output::text(format!("{robot}: insert its card into {device}; its data will be lost. Enter to write{all}: "))?;
        let mut line = String::new();
        if input.lock().read_line(&mut line)? == 0 {
            return Ok(Answer::End);
        }
        Ok(match line.trim() {
            "" => Answer::Write,
            "s" if self.args.all => Answer::Skip,
            _ => Answer::End,
        })
    }

    /// Writes a robot's card and adds it to the record of written cards.
    fn card(&mut self, robot: &str) -> Result<()> {
        let identity = self.identity(robot)?;
        let device = Device::open(&self.args.device, self.args.force)?;
        let is_of = |other: &&str| *other != robot && flash::is_card_of(&device, &self.manifest, other);
        if self.args.all
            && let Some(other) = self.written.all(&self.manifest.sha256).find(is_of)
        {
            bail!("this is the card of {other}; insert another one");
        }
        let job = Job { image: &self.args.image, operators: &self.operators, identity: &identity, robot };
        let mut steps = Steps::new(false);
        let manifest = flash::write(&job, &device, &mut steps)?;
        drop(steps);
        self.written.add(robot, &manifest)?;
        let size = device::bytes(device.size);
        output::line(format_args!(
            "{robot}: card of {size} written and verified, release {}; it can be removed",
            manifest.version
        ))?;
        Ok(())
    }
}

/// Returns the path of the record of written cards in a swarm's folder.
fn file_of(folder: &Path) -> PathBuf {
    folder.join("cards-written.toml")
}
