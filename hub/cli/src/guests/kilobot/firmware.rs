//! The program of a Kilobot, built from its sources by Debian's compiler for the robot's processor.

use anyhow::{Context, Result, anyhow, bail};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;
use xpuck_wire::file;

/// Flash of an ATmega328P below the robots' bootloader, which begins here and has the rest of 32 KB, bytes.
pub const BOOTLOADER: u32 = 0x7000;
/// RAM of an ATmega328P, bytes.
pub const RAM: u32 = 2048;

/// What is compiled for every robot.
const SOURCES: [(&str, &str); 6] = [
    ("kilolib.h", include_str!("../../../../../robot/kilobot/kilolib.h")),
    ("main.c", include_str!("../../../../../robot/kilobot/main.c")),
    ("senses.c", include_str!("../../../../../robot/kilobot/senses.c")),
    ("senses.h", include_str!("../../../../../robot/kilobot/senses.h")),
    ("tick.c", include_str!("../../../../../robot/kilobot/tick.c")),
    ("tick.h", include_str!("../../../../../robot/kilobot/tick.h")),
];
/// What a simulator has in place of kilolib.
const SIMAVR: [(&str, &str); 2] = [
    ("device.h", include_str!("../../../../../robot/kilobot/simavr/device.h")),
    ("kilolib.c", include_str!("../../../../../robot/kilobot/simavr/kilolib.c")),
];
const PROCESSOR: [&str; 4] = ["-Os", "-mmcu=atmega328p", "-DF_CPU=8000000UL", "-fstack-usage"];
/// kilolib's own way to lay out and read its data (its Makefile).
const KILOLIB: [&str; 5] = ["-w", "-funsigned-char", "-funsigned-bitfields", "-fpack-struct", "-fshort-enums"];
/// Of kilolib's sources, those that are its library.
const KILOLIB_SOURCES: [&str; 3] = ["kilolib.c", "message_crc.c", "message_send.S"];
/// Nothing that is read here is larger, bytes.
const LARGEST: u64 = 1 << 20;

/// Where the program is to run.
#[derive(Clone, Copy)]
pub enum Platform<'a> {
    /// In simavr, beside `robot/kilobot/simavr/run.c`.
    Simavr,
    /// On a robot, with kilolib from this folder.
    Robot(&'a Path),
}

/// What a program takes of the robot's memory, bytes.
pub struct Sizes {
    /// Of the flash.
    pub flash: u32,
    /// Of the RAM, whatever it does.
    pub ram: u32,
    /// Of the RAM while it runs: a bound, all its functions at once. None calls itself. Those of the compiler's own library
    /// and of a kilolib.a are not in it.
    pub stack: u32,
}

/// Builds the program with a tree's table (`Program::to_c`): its Intel HEX file and its sizes. `define` goes to the
/// preprocessor.
///
/// # Errors
/// The compiler is missing or has something against the sources, there is no kilolib, or the robot's memory is too small.
pub fn build(table: &str, platform: Platform<'_>, define: &[String]) -> Result<(Vec<u8>, Sizes)> {
    let folder = tempfile::tempdir().map_err(|error| {
        let place = std::env::temp_dir();
        anyhow!(
            "{}: no folder can be made there for the compiler ({}); TMPDIR names another place",
            place.display(),
            error.kind()
        )
    })?;
    let dir = folder.path();
    let stand_in = if matches!(platform, Platform::Simavr) { &SIMAVR[..] } else { &[] };
    for (name, text) in SOURCES.iter().chain(stand_in).copied().chain([("table.c", table)]) {
        std::fs::write(dir.join(name), text).with_context(|| dir.join(name).display().to_string())?;
    }
    let mut inputs: Vec<PathBuf> = ["main.c", "senses.c", "tick.c", "table.c"].map(PathBuf::from).to_vec();
    match platform {
        Platform::Simavr => inputs.push("kilolib.c".into()),
        Platform::Robot(kilolib) => inputs.extend(library(dir, kilolib)?),
    }
    let mut compile = avr("gcc", dir);
    compile.args(PROCESSOR).args(["-std=gnu11", "-Wall", "-Wextra", "-o", "kilobot.elf"]);
    compile.args(define.iter().map(|define| format!("-D{define}"))).args(&inputs);
    done(&mut compile)?;
    let sizes = sizes(dir)?;
    if sizes.flash > BOOTLOADER || sizes.ram + sizes.stack > RAM {
        bail!(
            "the program takes {} of {BOOTLOADER} bytes of flash and {} of {RAM} bytes of RAM; make the tree smaller",
            sizes.flash,
            sizes.ram + sizes.stack
        );
    }
    let mut copy = avr("objcopy", dir);
    done(copy.args(["-O", "ihex", "-R", ".eeprom", "-R", ".fuse", "-R", ".lock", "kilobot.elf", "kilobot.hex"]))?;
    let hex = std::fs::read(dir.join("kilobot.hex")).unwrap_or_default();
    // The record that ends such a file.
    if !hex.trim_ascii_end().ends_with(b":00000001FF") {
        bail!("avr-objcopy wrote no whole hex file; is it Debian's (package binutils-avr)?");
    }
    Ok((hex, sizes))
}

/// kilolib's library, compiled if its folder has the sources alone.
fn library(dir: &Path, kilolib: &Path) -> Result<Vec<PathBuf>> {
    let kilolib = std::path::absolute(kilolib).with_context(|| kilolib.display().to_string())?;
    if let Some(library) =
        ["kilolib.a", "build/kilolib.a"].map(|name| kilolib.join(name)).into_iter().find(|a| a.is_file())
    {
        return Ok(vec![library]);
    }
    let sources = KILOLIB_SOURCES.map(|name| (kilolib.join(name), format!("lib-{name}.o")));
    let mut objects = Vec::new();
    for (source, object) in sources.iter().filter(|(source, _)| source.is_file()) {
        done(avr("gcc", dir).args(PROCESSOR).args(KILOLIB).arg("-c").arg(source).args(["-o", object]))?;
        objects.push(object.into());
    }
    if objects.is_empty() {
        bail!(
            "{}: neither kilolib.a nor kilolib.c; --kilolib names the folder of kilolib's sources",
            kilolib.display()
        );
    }
    Ok(objects)
}

/// A tool for the robot's processor, which works in a folder.
fn avr(tool: &str, dir: &Path) -> Command {
    let mut command = Command::new(format!("avr-{tool}"));
    // Its messages are looked through.
    command.current_dir(dir).env("LC_ALL", "C");
    command
}

/// Runs a tool; what it prints.
fn done(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = match command.output() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            bail!("{name} is missing; install it with `apt-get install gcc-avr avr-libc`")
        }
        output => output.with_context(|| name.clone())?,
    };
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let line = said.lines().find(|line| line.contains("error") || line.contains("undefined reference"));
        let line = line.or_else(|| said.lines().next()).unwrap_or("it says nothing");
        // The C library is a package of its own.
        let missing = line.contains("avr/") && line.contains("No such file");
        bail!("{name}: {line}{}", if missing { "; install it with `apt-get install avr-libc`" } else { "" });
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The sizes of `kilobot.elf`, beside which lies what its functions take of the stack.
fn sizes(dir: &Path) -> Result<Sizes> {
    let told = done(avr("size", dir).arg("kilobot.elf"))?;
    let numbers: Vec<u32> =
        told.lines().nth(1).unwrap_or("").split_whitespace().filter_map(|n| n.parse().ok()).collect();
    let [text, data, bss, ..] = numbers[..] else { bail!("avr-size: {told:?} are no sizes") };
    let mut stack = 0;
    for entry in std::fs::read_dir(dir).with_context(|| dir.display().to_string())? {
        let path = entry.with_context(|| dir.display().to_string())?.path();
        if path.extension().is_some_and(|extension| extension == "su") {
            // The function, its bytes, and whether they are always as many.
            let bytes = |line: &str| line.split('\t').nth(1).and_then(|bytes| bytes.parse::<u32>().ok());
            stack += file::text(&path, LARGEST)?.lines().filter_map(bytes).sum::<u32>();
        }
    }
    Ok(Sizes { flash: text + data, ram: data + bss, stack })
}
