//! Tests of the C interpreter for real Kilobots. Under sanitisers, its ticks are bit-identical to the Rust
//! implementation.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "what C reads is a file")]

use crate::random;
use crate::recorded::{ANSWER, TickRecording};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kilobots::Program;

const TREES: u32 = 800;
const TICKS: u32 = 150;

/// Compiles a program of `robot/kilobot` and returns its path. Warnings are errors.
pub fn compiled(name: &str, files: &[&str]) -> PathBuf {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../robot/kilobot");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-Wconversion", "-O1", "-fno-sanitize-recover=all"];
    let compiled = Command::new("cc")
        .args(flags)
        .arg("-fsanitize=address,undefined")
        .arg("-o")
        .arg(&program)
        .arg("-I")
        .arg(sources.join("stub"))
        .args(files.iter().map(|file| sources.join(file)))
        .status()
        .expect("a C compiler");
    assert!(compiled.success());
    program
}

/// Returns the output of a program for an input. The program reads the input from a file, because two pipes could
/// cause a deadlock.
pub fn replayed(program: &Path, input: &[u8]) -> Vec<u8> {
    let file = program.with_extension("in");
    std::fs::write(&file, input).unwrap();
    let output = Command::new(program).stdin(File::open(&file).unwrap()).output().unwrap();
    assert!(output.status.success(), "{}: {}", output.status, String::from_utf8_lossy(&output.stderr));
    output.stdout
}

#[test]
fn c_interpreter_ticks_match_rust() {
    let replay = compiled("kilobot-replay", &["tick.c", "replay.c"]);
    let mut recorded = TickRecording::default();
    for number in 0..TREES {
        let tree = random::tree(1 + number % 5, &mut Draws::new(9, 0, number, 0, Stream::Evolution));
        let Ok(program) = Program::compile(&tree) else { continue };
        recorded.add(&tree, &program, number, TICKS);
    }
    let output = replayed(&replay, &recorded.ended());
    for (tick, (got, wanted)) in output.chunks(ANSWER).zip(recorded.answers.chunks(ANSWER)).enumerate() {
        assert_eq!(got, wanted, "tick {tick}\n{}", recorded.trees[tick / TICKS as usize]);
    }
    assert_eq!(output.len(), recorded.answers.len());
    assert!(output.len() / ANSWER > 100_000);
}

/// Static friction holds a stationary leg, so its motor starts at full power. This does not depend on the other motor.
#[test]
fn each_motor_that_stood_is_spun_up_at_every_change_of_command() {
    let program = compiled("kilobot-motors", &["stub/motors.c", "tick.c", "senses.c"]);
    let said = String::from_utf8(replayed(&program, &[])).unwrap();
    assert_eq!(said.lines().count(), 16);
    for line in said.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let [before, after] = [0, 1].map(|i| words[i].parse::<u8>().unwrap());
        let [left, right] = [["0", "70", "0", "65"], ["0", "0", "71", "66"]].map(|power| power[usize::from(after)]);
        let starts = after & !before;
        let full = |motor: u8, power: &str| if starts & motor != 0 { "255".into() } else { power.to_string() };
        let spun = format!("{},{}:15", full(1, left), full(2, right));
        let expected: Vec<String> =
            (starts != 0).then_some(spun).into_iter().chain([format!("{left},{right}")]).collect();
        assert_eq!(words[2..], expected, "{line}");
    }
}
