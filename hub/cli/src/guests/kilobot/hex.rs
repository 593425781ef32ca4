//! `xpuck tree convert --to hex`: from a tree to the file that is written to robots.

use super::firmware::{BOOTLOADER, Platform, RAM, Sizes, build};
use crate::files::tree_file::{print, read_kilobot, refuse_over, write};
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use xpuck_kilobots::Program;

/// Build a tree into the Intel HEX file of a Kilobot.
///
/// Needs Debian's avr-gcc: `apt-get install gcc-avr avr-libc`. kilolib, the robots' own library, is in no package: say with
/// --kilolib where it is. Printed is what the program takes of the robot's memory.
#[derive(Args)]
pub struct HexArgs {
    /// File with a Kilobot's tree (.bt).
    tree: PathBuf,
    /// File to write.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Folder with kilolib: its kilolib.a, or kilolib.c and what it needs.
    #[arg(long, value_name = "DIR", conflicts_with = "platform")]
    kilolib: Option<PathBuf>,
    /// Build for a simulator instead of a robot.
    #[arg(long = "for", value_enum)]
    platform: Option<Simulator>,
    /// Set what is to be calibrated: LIGHT_WAIT, the us between readings of the light (default 400), or LIGHT_CONTRAST, how much
    /// a bright reading is above a dark one (40).
    #[arg(short = 'D', long = "define", value_name = "NAME=VALUE", value_parser = define)]
    define: Vec<String>,
    /// Format to write.
    #[arg(long, hide = true, default_value = "hex", value_parser = ["hex"])]
    to: String,
}

/// Simulators of the robot's processor.
#[derive(Clone, Copy, ValueEnum)]
enum Simulator {
    /// simavr, with what robot/kilobot/simavr has in place of kilolib.
    Simavr,
}

/// What may be set, and its range.
const DEFINES: [(&str, u32, u32); 2] = [("LIGHT_WAIT", 1, 5000), ("LIGHT_CONTRAST", 1, 1023)];

fn define(text: &str) -> Result<String, String> {
    let known = || DEFINES.iter().find(|(name, ..)| text.split('=').next() == Some(name));
    let Some((name, low, high)) = known() else { return Err("it is LIGHT_WAIT=N or LIGHT_CONTRAST=N".into()) };
    let value = text.split_once('=').and_then(|(_, value)| value.parse::<u32>().ok());
    match value.filter(|value| (low..=high).contains(&value)) {
        Some(value) => Ok(format!("{name}={value}")),
        None => Err(format!("{name} takes a whole number from {low} to {high}")),
    }
}

/// Runs the command.
///
/// # Errors
/// The tree is none of a Kilobot's or too large, avr-gcc is missing or has something against the sources, or a file cannot
/// be written.
pub fn run(args: &HexArgs) -> Result<()> {
    refuse_over([&args.tree], [&args.output])?;
    let name = args.tree.display().to_string();
    let program = Program::compile(&read_kilobot(&args.tree, None)?).context(name)?;
    let platform = match (&args.kilolib, args.platform) {
        (Some(kilolib), _) => Platform::Robot(kilolib),
        (None, Some(Simulator::Simavr)) => Platform::Simavr,
        (None, None) => bail!(
            "kilolib, the robots' own library, is in no package: name its folder with --kilolib, or build for a simulator with \
             --for simavr"
        ),
    };
    let (hex, Sizes { flash, ram, stack }) = build(&program.to_c(), platform, &args.define)?;
    write(&args.output, &hex)?;
    let line = format!(
        "{}: {flash} of {BOOTLOADER} bytes of flash, {ram} of {RAM} bytes of RAM, and at most {stack} more for its stack\n",
        args.output.display()
    );
    print(line.as_bytes())
}
