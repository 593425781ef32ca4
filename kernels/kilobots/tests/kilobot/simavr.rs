//! Tests of the interpreter on the robot's processor, simulated by simavr. Ticks are bit-identical to the Rust
//! implementation and do not exceed the time limit.

use crate::random;
use crate::recorded::{ANSWER, TickRecording};
use std::path::{Path, PathBuf};
use std::process::Command;
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::tree::{RegisterMap, Tree};
use xpuck_kilobots::Program;
use xpuck_testing::{simavr::Simavr, skipped};

const TICKS: u32 = 150;
/// Size of the cycle counter that precedes each answer (bytes).
const CYCLES: usize = 4;
/// Maximum number of processor cycles of a tick: 5 ms at 8 MHz.
const MOST_CYCLES: u32 = 40_000;

/// Returns the number of random trees, 800 by default. `XPUCK_SIMAVR_TREES` sets a different number.
fn trees() -> u32 {
    std::env::var("XPUCK_SIMAVR_TREES").map_or(800, |trees| trees.parse().expect("a number of trees"))
}

/// Builds the interpreter and its replay program for the robot's processor. Returns the path of the program.
fn replay() -> PathBuf {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../robot/kilobot");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kilobot-replay.elf");
    let compiled = Command::new("avr-gcc")
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-Wconversion", "-Os", "-mmcu=atmega328p"])
        .args(["-DF_CPU=8000000UL", "-I"])
        .arg(&sources)
        .arg("-o")
        .arg(&program)
        .args(["tick.c", "simavr/replay.c"].map(|file| sources.join(file)))
        .status()
        .expect("avr-gcc");
    assert!(compiled.success());
    program
}

/// Returns a tree of 101 nodes. A tick visits all of these nodes, whatever the sensor values are.
fn large() -> Tree {
    let mut text = String::from("seqm4\n");
    for _ in 0..4 {
        text += "  seqm4\n";
        for _ in 0..4 {
            text += "    seqm4\n      successd\n        ifgecon density 0.73\n";
            text += &"      ifltcon delta_dist_food 2.5\n".repeat(3);
        }
    }
    Tree::parse_with(&text, RegisterMap::Kilobot, false).unwrap()
}

/// Compares the answers of the interpreter with the recorded answers. Returns the maximum number of cycles of a tick,
/// and the stack depth (bytes).
fn compared(simavr: &Simavr, recorded: &TickRecording, ticks: u32) -> (u32, u32) {
    let run = simavr.run(&replay(), &recorded.ended());
    let mut most = 0;
    for (tick, (got, wanted)) in run.output.chunks(CYCLES + ANSWER).zip(recorded.answers.chunks(ANSWER)).enumerate() {
        let (cycles, answer) = got.split_at(CYCLES);
        assert_eq!(answer, wanted, "tick {tick}\n{}", recorded.trees[tick / ticks as usize]);
        most = most.max(u32::from_le_bytes(cycles.try_into().unwrap()));
    }
    assert_eq!(run.output.len() / (CYCLES + ANSWER), recorded.answers.len() / ANSWER);
    (most, run.stack)
}

#[test]
fn simulated_avr_ticks_match_rust() {
    let simavr = match Simavr::compile(Path::new(env!("CARGO_TARGET_TMPDIR")), "simavr-trees") {
        Ok(simavr) => simavr,
        Err(missing) => return skipped(missing),
    };
    let mut recorded = TickRecording::default();
    let figure = Tree::parse_with(include_str!("../../../../docs/kilobots/figure-4-6.bt"), RegisterMap::Kilobot, false);
    for number in 0..=trees() {
        let tree = match number {
            0 => figure.clone().unwrap(),
            _ => random::tree(1 + number % 5, &mut Draws::new(10, 0, number, 0, Stream::Evolution)),
        };
        let Ok(program) = Program::compile(&tree) else { continue };
        recorded.add(&tree, &program, number, TICKS);
    }
    let (cycles, stack) = compared(&simavr, &recorded, TICKS);
    println!(
        "{} ticks in simavr, the longest of {cycles} cycles, stack {stack} bytes",
        recorded.answers.len() / ANSWER
    );
    assert!(recorded.answers.len() / ANSWER > (trees() * TICKS) as usize * 4 / 5 && cycles < MOST_CYCLES);
}

#[test]
fn hundred_node_tick_takes_less_than_5_ms() {
    let simavr = match Simavr::compile(Path::new(env!("CARGO_TARGET_TMPDIR")), "simavr-cycles") {
        Ok(simavr) => simavr,
        Err(missing) => return skipped(missing),
    };
    let tree = large();
    let nodes = tree.nodes().len();
    let mut recorded = TickRecording::default();
    recorded.add(&tree, &Program::compile(&tree).unwrap(), 1, TICKS);
    let (cycles, stack) = compared(&simavr, &recorded, TICKS);
    println!("a tick that visits {nodes} nodes takes {cycles} cycles at most; stack {stack} bytes");
    assert!(nodes > 100 && cycles < MOST_CYCLES, "{nodes} nodes, {cycles} cycles");
}
