//! `xpuck tree convert --to hex`: builds the robots' program file from a tree.

use super::firmware::{BOOTLOADER, Platform, RAM, Sizes, build};
use crate::files::tree_file::{print, read_kilobot, refuse_over, write};
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use xpuck_kilobots::Program;

/// Build a tree into the Intel HEX file of a Kilobot.
///
/// Debian's avr-gcc is required: `apt-get install gcc-avr avr-libc`. kilolib, the robots' own library, is not
/// available as a package: set its folder with --kilolib. The command prints the memory use of the program.
#[derive(Args)]
pub struct HexArgs {
    /// File with a Kilobot's tree (.bt).
    tree: PathBuf,
    /// File to write.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Folder of kilolib with its kilolib.a, or with kilolib.c and the files that it requires.
    #[arg(long, value_name = "DIR", conflicts_with = "platform")]
    kilolib: Option<PathBuf>,
    /// Build for a simulator instead of a robot.
    #[arg(long = "for", value_enum)]
    platform: Option<Simulator>,
    /// Set a calibration value: LIGHT_WAIT, the interval between light readings (us) (default 400), or
    /// LIGHT_CONTRAST, the difference between a bright and a dark reading (default 40).
    #[arg(short = 'D', long = "define", value_name = "NAME=VALUE", value_parser = define)]
    define: Vec<String>,
    /// Format to write.
    #[arg(long, hide = true, default_value = "hex", value_parser = ["hex"])]
    to: String,
}

/// Simulators of the robot's processor.
#[derive(Clone, Copy, ValueEnum)]
enum Simulator {
    /// Simulator simavr, with the replacement of kilolib in robot/kilobot/simavr.
    Simavr,
}

/// Calibration values that the user may set, each with its minimum and maximum.
const DEFINES: [(&str, u32, u32); 2] = [("LIGHT_WAIT", 1, 5000), ("LIGHT_CONTRAST", 1, 1023)];

fn define(text: &str) -> Result<String, String> {
    let known = || DEFINES.iter().find(|(name, ..)| text.split('=').next() == Some(name));
    let Some((name, low, high)) = known() else { return Err("must be LIGHT_WAIT=N or LIGHT_CONTRAST=N".into()) };
    let value = text.split_once('=').and_then(|(_, value)| value.parse::<u32>().ok());
    match value.filter(|value| (low..=high).contains(&value)) {
        Some(value) => Ok(format!("{name}={value}")),
        None => Err(format!("{name} must be a whole number from {low} to {high}")),
    }
}

/// Runs the command.
///
/// # Errors
/// The tree is not a Kilobot's or is too large, avr-gcc is missing or rejects the sources, or a file cannot be
/// written.
pub fn run(args: &HexArgs) -> Result<()> {
    refuse_over([&args.tree], [&args.output])?;
    let name = args.tree.display().to_string();
    let program = Program::compile(&read_kilobot(&args.tree, None)?).context(name)?;
    let platform = match (&args.kilolib, args.platform) {
        (Some(kilolib), _) => Platform::Robot(kilolib),
        (None, Some(Simulator::Simavr)) => Platform::Simavr,
        (None, None) => bail!(
            "kilolib, the robots' own library, is not packaged; set its folder with --kilolib, or build for a \
             simulator with --for simavr"
        ),
    };
    let (hex, Sizes { flash, ram, stack }) = build(&program.to_c(), platform, &args.define)?;
    write(&args.output, &hex)?;
    let line = format!(
        "{}: {flash} of {BOOTLOADER} bytes of flash, {ram} of {RAM} bytes of RAM, and at most {stack} bytes more for the stack\n",
        args.output.display()
    );
    print(line.as_bytes())
}
