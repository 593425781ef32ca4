//! `xpuck kilobot hex`: from a tree to the file that is written to robots.

use super::super::tree_file::{print, read_kilobot, refuse_over, write};
use super::firmware::{BOOTLOADER, Platform, RAM, Sizes, build};
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use xpuck_kernels::kilobot::Program;

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
    /// Define a name for the C compiler, as LIGHT_WAIT=400; see robot/kilobot/main.c.
    #[arg(short = 'D', value_name = "NAME=VALUE")]
    define: Vec<String>,
}

/// Simulators of the robot's processor.
#[derive(Clone, Copy, ValueEnum)]
enum Simulator {
    /// simavr, with what robot/kilobot/simavr has in place of kilolib.
    Simavr,
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
