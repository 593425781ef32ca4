//! The interpreter in C for real Kilobots ticks as ours does, bit for bit, under sanitisers.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "what C reads is a file")]

use crate::random;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use xpuck_kernels::kilobot::{Mind, Motors, Program};
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::tree::Kind;

const TREES: u32 = 800;
const TICKS: u32 = 150;
/// A status and ten entries.
const ANSWER: usize = 1 + 40;
/// Numbers that a tick may draw; `DRAWN` of replay.c.
const DRAWN: usize = 24;

/// A program of `robot/kilobot`, compiled with every warning an error.
pub fn compiled(name: &str, files: [&str; 2]) -> PathBuf {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../robot/kilobot");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-Wconversion", "-O1", "-fno-sanitize-recover=all"];
    let compiled = Command::new("cc")
        .args(flags)
        .arg("-fsanitize=address,undefined")
        .arg("-o")
        .arg(&program)
        .args(files.map(|file| sources.join(file)))
        .status()
        .expect("a C compiler");
    assert!(compiled.success());
    program
}

/// What a program makes of an input, which it reads from a file, so that neither waits for the other.
pub fn replayed(program: &Path, input: &[u8]) -> Vec<u8> {
    let file = program.with_extension("in");
    std::fs::write(&file, input).unwrap();
    let output = Command::new(program).stdin(File::open(&file).unwrap()).output().unwrap();
    assert!(output.status.success(), "{}: {}", output.status, String::from_utf8_lossy(&output.stderr));
    output.stdout
}

#[test]
fn the_robot_s_interpreter_ticks_as_ours_does() {
    let replay = compiled("kilobot-replay", ["tick.c", "replay.c"]);
    let (mut input, mut expected, mut trees) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..TREES {
        let tree = random::tree(1 + number % 5, &mut Draws::new(9, 0, number, 0, Stream::Evolution));
        let Ok(program) = Program::compile(&tree) else { continue };
        let table = program.table();
        let counters = tree.nodes().iter().filter(|node| node.kind == Kind::Repeati).count() as u16;
        input.extend_from_slice(&(table.len() as u16).to_le_bytes());
        input.extend_from_slice(&counters.to_le_bytes());
        input.extend_from_slice(&TICKS.to_le_bytes());
        input.extend_from_slice(&table);
        let mut mind = Mind::new(&program);
        trees.push(tree);
        for tick in 0..TICKS {
            let mut senses = Draws::new(4, number, 1, tick, Stream::Device);
            for entry in &mut mind.board[3..] {
                let sense = if senses.below(2) == 0 { senses.below(2) as f32 } else { senses.range(-0.1, 0.1) };
                *entry = sense;
                input.extend_from_slice(&sense.to_le_bytes());
            }
            let draws = || Draws::new(5, number, 1, tick, Stream::Controller);
            let mut drawn = draws();
            (0..DRAWN).for_each(|_| input.extend_from_slice(&drawn.unit().to_le_bytes()));
            expected.push(mind.tick(&program, Motors::RunThenSucceed, &mut draws()) as u8);
            mind.board.iter().for_each(|entry| expected.extend_from_slice(&entry.to_le_bytes()));
        }
    }
    input.extend_from_slice(&[0, 0]);
    let output = replayed(&replay, &input);
    for (tick, (got, wanted)) in output.chunks(ANSWER).zip(expected.chunks(ANSWER)).enumerate() {
        assert_eq!(got, wanted, "tick {tick}\n{}", trees[tick / TICKS as usize]);
    }
    assert_eq!(output.len(), expected.len());
    assert!(expected.len() / ANSWER > 100_000);
}
