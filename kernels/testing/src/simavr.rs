//! Runs Kilobot programs in simavr, a third-party simulator of the Kilobot's processor.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiled host program, which simulates a Kilobot's processor with simavr.
pub struct Simavr {
    program: PathBuf,
}

/// Result of a simulated program.
pub struct Run {
    /// Output of the simulated program.
    pub output: Vec<u8>,
    /// Number of processor cycles that the program took.
    pub cycles: u64,
    /// Maximum stack depth (bytes).
    pub stack: u32,
}

impl Simavr {
    /// Compiles the simulator to the file `name` in `folder`. No other test may use this file.
    ///
    /// # Errors
    /// If avr-gcc, avr-libc or libsimavr is missing on this machine. The error is a reason for [`crate::skipped`].
    ///
    /// # Panics
    /// If compilation fails although all requirements are installed.
    pub fn compile(folder: &Path, name: &str) -> Result<Simavr, String> {
        let there = ["/usr/include/simavr/sim_avr.h", "/usr/lib/avr/include/avr/io.h"]
            .iter()
            .all(|file| Path::new(file).exists());
        if !there || Command::new("avr-gcc").arg("--version").output().is_err() {
            return Err("avr-gcc, avr-libc or libsimavr is missing; run `make deps-kilobot`".into());
        }
        let program = folder.join(name);
        let compiled = Command::new("cc")
            .args(["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O2", "-o"])
            .arg(&program)
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../robot/kilobot/simavr/run.c"))
            .args(["-I/usr/include/simavr", "-lsimavr"])
            .status()
            .expect("a C compiler");
        assert!(compiled.success());
        Ok(Simavr { program })
    }

    /// Runs a Kilobot program (.hex or .elf) with an input. The input is first written to a file next to the simulator.
    ///
    /// # Panics
    /// If the program hangs, crashes or reads an incomplete input.
    pub fn run(&self, program: &Path, input: &[u8]) -> Run {
        let file = self.program.with_extension("in");
        std::fs::write(&file, input).expect("a file for the input");
        let input = File::open(&file).expect("the input");
        let output = Command::new(&self.program).arg(program).stdin(input).output().expect("the simulator");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {said}", output.status);
        let line = said.lines().find(|line| line.contains(" cycles, stack ")).expect("a line of figures");
        let mut numbers = line.split_whitespace().filter_map(|word| word.parse().ok());
        let mut number = || numbers.next().expect("a number");
        Run { output: output.stdout, cycles: number(), stack: number() as u32 }
    }
}
