//! Builds the program of a Kilobot from its sources, with Debian's compiler for the robot's processor (avr-gcc).

use anyhow::{Context, Result, anyhow, bail};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;
use xpuck_wire::file;

/// Size of the flash of an ATmega328P that is available to the program (bytes). The rest of the 32 KB holds the
/// bootloader.
pub const BOOTLOADER: u32 = 0x7000;
/// Size of an ATmega328P's RAM (bytes).
pub const RAM: u32 = 2048;

/// Names and texts of the sources that are compiled into every program.
const SOURCES: [(&str, &str); 6] = [
    ("kilolib.h", include_str!("../../../../../robot/kilobot/kilolib.h")),
    ("main.c", include_str!("../../../../../robot/kilobot/main.c")),
    ("senses.c", include_str!("../../../../../robot/kilobot/senses.c")),
    ("senses.h", include_str!("../../../../../robot/kilobot/senses.h")),
    ("tick.c", include_str!("../../../../../robot/kilobot/tick.c")),
    ("tick.h", include_str!("../../../../../robot/kilobot/tick.h")),
];
/// Names and texts of the sources that replace kilolib in the simulator simavr.
const SIMAVR: [(&str, &str); 2] = [
    ("device.h", include_str!("../../../../../robot/kilobot/simavr/device.h")),
    ("kilolib.c", include_str!("../../../../../robot/kilobot/simavr/kilolib.c")),
];
const PROCESSOR: [&str; 4] = ["-Os", "-mmcu=atmega328p", "-DF_CPU=8000000UL", "-fstack-usage"];
/// Compiler options of kilolib's own Makefile. These options determine the memory layout of kilolib's data.
const KILOLIB: [&str; 5] = ["-w", "-funsigned-char", "-funsigned-bitfields", "-fpack-struct", "-fshort-enums"];
/// Source files of kilolib that are compiled.
const KILOLIB_SOURCES: [&str; 3] = ["kilolib.c", "message_crc.c", "message_send.S"];
/// Maximum size of a file with the stack use of functions (bytes).
const LARGEST: u64 = 1 << 20;

/// Platform for which the program is built.
#[derive(Clone, Copy)]
pub enum Platform<'a> {
    /// Simulator simavr, with `robot/kilobot/simavr/run.c`.
    Simavr,
    /// Real robot, with kilolib from this folder.
    Robot(&'a Path),
}

/// Memory use of a program on the robot (bytes).
pub struct Sizes {
    /// Flash that the program occupies.
    pub flash: u32,
    /// RAM that the static data occupies.
    pub ram: u32,
    /// Upper bound of the stack in RAM: the sum of the stack use of all functions, none of which is recursive.
    /// Functions in the compiler's own library and in a kilolib.a are not included.
    pub stack: u32,
}

/// Builds the program with a tree's table (`Program::to_c`). Returns the Intel HEX file of the program, and its
/// sizes. The definitions `define` (NAME=VALUE) are passed to the preprocessor.
///
/// # Errors
/// The compiler is missing or rejects the sources, kilolib is missing, or the robot's memory is too small.
pub fn build(table: &str, platform: Platform<'_>, define: &[String]) -> Result<(Vec<u8>, Sizes)> {
    let folder = tempfile::tempdir().map_err(|error| {
        let place = std::env::temp_dir();
        anyhow!(
            "{}: cannot create a folder for the compiler ({}); set TMPDIR to another folder",
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
            "the program needs {} of {BOOTLOADER} bytes of flash and {} of {RAM} bytes of RAM; make the tree smaller",
            sizes.flash,
            sizes.ram + sizes.stack
        );
    }
    let mut copy = avr("objcopy", dir);
    done(copy.args(["-O", "ihex", "-R", ".eeprom", "-R", ".fuse", "-R", ".lock", "kilobot.elf", "kilobot.hex"]))?;
    let hex = std::fs::read(dir.join("kilobot.hex")).unwrap_or_default();
    // Every complete Intel HEX file ends with this record.
    if !hex.trim_ascii_end().ends_with(b":00000001FF") {
        bail!("avr-objcopy wrote an incomplete hex file; use Debian's avr-objcopy (package binutils-avr)");
    }
    Ok((hex, sizes))
}

/// Returns the library or the object files of kilolib. The sources are compiled if the folder `kilolib` has no
/// library.
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
            "{}: contains neither kilolib.a nor kilolib.c; --kilolib must be the folder of kilolib's sources",
            kilolib.display()
        );
    }
    Ok(objects)
}

/// Returns the command that runs a tool for the robot's processor in the folder `dir`.
fn avr(tool: &str, dir: &Path) -> Command {
    let mut command = Command::new(format!("avr-{tool}"));
    // The messages of the tool are parsed, so they must be in English.
    command.current_dir(dir).env("LC_ALL", "C");
    command
}

/// Runs a tool and returns its output. If the tool fails, the error contains the first line of the tool's messages that
/// states a cause.
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
        let line = line.or_else(|| said.lines().next()).unwrap_or("no error message");
        // The C library is in a separate Debian package, which may be missing.
        let missing = line.contains("avr/") && line.contains("No such file");
        bail!("{name}: {line}{}", if missing { "; install it with `apt-get install avr-libc`" } else { "" });
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Returns the sizes of `kilobot.elf` in `dir`. The compiler wrote the stack use of each function to files `*.su`.
fn sizes(dir: &Path) -> Result<Sizes> {
    let told = done(avr("size", dir).arg("kilobot.elf"))?;
    let numbers: Vec<u32> =
        told.lines().nth(1).unwrap_or("").split_whitespace().filter_map(|n| n.parse().ok()).collect();
    let [text, data, bss, ..] = numbers[..] else { bail!("avr-size: unexpected output {told:?}") };
    let mut stack = 0;
    for entry in std::fs::read_dir(dir).with_context(|| dir.display().to_string())? {
        let path = entry.with_context(|| dir.display().to_string())?.path();
        if path.extension().is_some_and(|extension| extension == "su") {
            // Columns of the file: function, stack use (bytes), and whether the stack use is constant.
            let bytes = |line: &str| line.split('\t').nth(1).and_then(|bytes| bytes.parse::<u32>().ok());
            stack += file::text(&path, LARGEST)?.lines().filter_map(bytes).sum::<u32>();
        }
    }
    Ok(Sizes { flash: text + data, ram: data + bss, stack })
}
