//! `xpuckd power`: sets the processor clocks of the board. The clocks are low during boot, and at the operating point
//! afterwards.
//!
//! The clocks of each type of board are in a built-in table (`robot/boards.toml`). The file `/etc/xpuck/board` contains
//! the board's name. Each clock is read back after it is set, because the kernel selects the nearest clock that the
//! board supports.

use super::processors;
use super::table::{Board, Cluster, board, board_of};
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use std::fmt::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use xpuck_wire::{file, output};

/// Size limit of files below `/sys` (bytes).
const SYSFS_LIMIT: u64 = 4096;

/// Set the processor clocks and interrupt affinities of the board, or show the clocks.
///
/// Known boards: pi5, pi4, rk3588, xu4, qemu-arm64, qemu-arm. Setting requires root.
#[derive(Args)]
pub struct PowerArgs {
    /// Action to perform.
    #[arg(value_enum)]
    what: Action,
    /// Board name; overrides --board-file.
    #[arg(long)]
    board: Option<String>,
    /// File that contains the board's name.
    #[arg(long, value_name = "FILE", default_value = "/etc/xpuck/board")]
    board_file: PathBuf,
    /// Directory of the kernel's sysfs files.
    #[arg(long, value_name = "DIR", default_value = "/sys")]
    sysfs: PathBuf,
    /// Directory of the kernel's procfs files (interrupts).
    #[arg(long, value_name = "DIR", default_value = "/proc")]
    proc: PathBuf,
}

/// Action of `xpuckd power`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Action {
    /// Limit the clocks to the boot values.
    Boot,
    /// Set the operating point, and route the interrupts of the body's buses to the processor of the control loop.
    Run,
    /// Show current and maximum clocks.
    Show,
}

/// Runs the command.
///
/// # Errors
/// If the board is not in the table, or the kernel rejects a clock.
pub fn run(args: &PowerArgs) -> Result<()> {
    let name = match &args.board {
        Some(name) => name.clone(),
        None => board_of(&args.board_file)?,
    };
    let board = board(&name)?;
    let text = match args.what {
        Action::Show => show(&board, &args.sysfs),
        Action::Boot => set(&board, &args.sysfs, |cluster| cluster.boot_khz)?,
        Action::Run => {
            let processors = std::thread::available_parallelism().map_or(1, usize::from);
            let dealt = processors::route_interrupts(&args.proc, board.control, processors)
                .unwrap_or_else(|error| format!("interrupts: {}: {error}", args.proc.display()));
            format!("{}{dealt}\n", set(&board, &args.sysfs, |cluster| cluster.run_khz)?)
        }
    };
    output::text(text)?;
    Ok(())
}

/// Sets the maximum clock of each cluster. `wanted` returns the clock for a cluster (kHz). Returns a report of the
/// clocks that the kernel selected.
fn set(board: &Board, sysfs: &Path, wanted: impl Fn(&Cluster) -> u32) -> Result<String> {
    let mut text = String::new();
    let mut failed = Vec::new();
    for cluster in &board.clusters {
        let khz = wanted(cluster);
        match set_one(&policy(sysfs, cluster), khz) {
            Ok(found) if found == khz => writeln!(text, "{}: at most {}", cluster.cores, mhz(found))?,
            Ok(found) => writeln!(text, "{}: at most {} (asked for {})", cluster.cores, mhz(found), mhz(khz))?,
            Err(why) => failed.push(format!("{}: {why:#}", cluster.cores)),
        }
    }
    if board.clusters.is_empty() {
        writeln!(text, "{}: no clocks to set", board.name)?;
    }
    match failed.is_empty() {
        true => Ok(text),
        false => bail!("{}: {}; check that the kernel's clock driver is loaded", board.name, failed.join("; ")),
    }
}

/// Sets the maximum clock of one cluster, and returns the value that the kernel selected (kHz).
fn set_one(policy: &Path, khz: u32) -> Result<u32> {
    let limit = policy.join("scaling_max_freq");
    // Without `create`, a missing file is an error. `O_NONBLOCK` prevents the program from waiting on a pipe without a
    // reader.
    let opened = std::fs::OpenOptions::new().write(true).truncate(true).custom_flags(libc::O_NONBLOCK).open(&limit);
    let written = opened.and_then(|mut file| std::io::Write::write_all(&mut file, khz.to_string().as_bytes()));
    written.with_context(|| limit.display().to_string())?;
    number(policy, "scaling_max_freq").with_context(|| format!("{}: does not contain a number", limit.display()))
}

/// Returns a table of the current clocks and the configured values.
fn show(board: &Board, sysfs: &Path) -> String {
    let mut text = format!("{}\n", board.name);
    for cluster in &board.clusters {
        let policy = policy(sysfs, cluster);
        let shown = |name: &str| number(&policy, name).map_or_else(|| "?".into(), mhz);
        let _ = writeln!(
            text,
            "{:<11} now {}, at most {} of {}; booting {}, running {}",
            cluster.cores,
            shown("scaling_cur_freq"),
            shown("scaling_max_freq"),
            shown("cpuinfo_max_freq"),
            mhz(cluster.boot_khz),
            mhz(cluster.run_khz)
        );
    }
    if board.clusters.is_empty() {
        text += "no clocks to set\n";
    }
    let zone = sysfs.join("class/thermal/thermal_zone0");
    if let Some(millidegrees) = number(&zone, "temp") {
        let _ = writeln!(text, "processor   {:.1} degrees C", f64::from(millidegrees) / 1000.0);
    }
    text
}

fn policy(sysfs: &Path, cluster: &Cluster) -> PathBuf {
    sysfs.join(format!("devices/system/cpu/cpufreq/policy{}", cluster.policy))
}

/// Reads a number from a kernel file; `None` if the file cannot be read or does not contain a number.
fn number(folder: &Path, name: &str) -> Option<u32> {
    let bytes = file::bytes(&folder.join(name), SYSFS_LIMIT).ok()?;
    std::str::from_utf8(&bytes).ok()?.trim().parse().ok()
}

fn mhz(khz: u32) -> String {
    format!("{} MHz", khz / 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a substitute for /sys that contains cpufreq policies with the numbers in `policies`.
    fn kernel(policies: &[u8]) -> tempfile::TempDir {
        let sysfs = tempfile::tempdir().unwrap();
        for policy in policies {
            let folder = sysfs.path().join(format!("devices/system/cpu/cpufreq/policy{policy}"));
            std::fs::create_dir_all(&folder).unwrap();
            for (name, value) in
                [("scaling_cur_freq", "600000"), ("scaling_max_freq", "2000000"), ("cpuinfo_max_freq", "2000000")]
            {
                std::fs::write(folder.join(name), format!("{value}\n")).unwrap();
            }
        }
        sysfs
    }

    #[test]
    fn boot_clock_is_at_most_run_clock_on_every_board() {
        for name in ["pi5", "pi4", "rk3588", "xu4", "qemu-arm64", "qemu-arm"] {
            let board = board(name).unwrap();
            assert!(!board.name.is_empty());
            for Cluster { boot_khz, run_khz, .. } in board.clusters {
                assert!((200_000..=run_khz).contains(&boot_khz) && run_khz <= 3_000_000, "{name}");
            }
        }
        assert_eq!(super::super::table::control_of(Path::new("/nowhere/board")), None);
        let error = board("pi3").unwrap_err().to_string();
        assert!(error.contains("\"pi3\"") && error.contains("pi4, pi5"), "{error}");
    }

    /// Tests the operating point of thesis 5.1.3.
    #[test]
    fn xu4_runs_at_1400_and_800_mhz() {
        let sysfs = kernel(&[0, 4]);
        let xu4 = board("xu4").unwrap();
        let limit = |policy: u8| {
            number(&sysfs.path().join(format!("devices/system/cpu/cpufreq/policy{policy}")), "scaling_max_freq")
        };
        set(&xu4, sysfs.path(), |cluster| cluster.boot_khz).unwrap();
        assert_eq!((limit(0), limit(4)), (Some(600_000), Some(400_000)));
        let text = set(&xu4, sysfs.path(), |cluster| cluster.run_khz).unwrap();
        assert_eq!((limit(0), limit(4)), (Some(1_400_000), Some(800_000)));
        assert_eq!(text, "Cortex-A7: at most 1400 MHz\nCortex-A15: at most 800 MHz\n");
        let text = show(&xu4, sysfs.path());
        assert!(text.contains("Cortex-A15  now 600 MHz, at most 800 MHz of 2000 MHz; booting 400 MHz"), "{text}");
    }

    #[test]
    fn missing_clock_is_reported_in_one_line_without_file() {
        let sysfs = kernel(&[0]);
        let error = format!("{:#}", set(&board("xu4").unwrap(), sysfs.path(), |cluster| cluster.run_khz).unwrap_err());
        assert!(error.contains("Odroid XU4: Cortex-A15: ") && error.contains("clock driver"), "{error}");
        assert!(!error.contains('\n') && !sysfs.path().join("devices/system/cpu/cpufreq/policy4").exists());
        assert!(show(&board("xu4").unwrap(), sysfs.path()).contains("Cortex-A15  now ?"));
        assert_eq!(
            set(&board("qemu-arm64").unwrap(), sysfs.path(), |_| 1).unwrap(),
            "virtual machine, 64 bits: no clocks to set\n"
        );
    }

    #[test]
    fn board_file_is_exactly_one_word() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("board");
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            board_of(&path)
        };
        assert_eq!(read("xu4\n").unwrap(), "xu4");
        for wrong in ["", "two words", "../xu4"] {
            let error = read(wrong).unwrap_err().to_string();
            assert!(error.contains("one word") && !error.contains('\n'), "{error}");
        }
        assert!(board_of(&dir.path().join("none")).unwrap_err().to_string().contains("cannot be read"));
    }
}
