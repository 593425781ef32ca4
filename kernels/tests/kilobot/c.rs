//! The interpreter in C for real Kilobots ticks as ours does, bit for bit, under sanitisers.

use crate::random;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use xpuck_kernels::kilobot::{Mind, Motors, Program};
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::tree::Kind;

const TREES: u32 = 800;
const TICKS: u32 = 150;
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

/// What a program makes of an input.
pub fn replayed(program: &Path, input: &[u8]) -> Vec<u8> {
    let mut child = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    // What goes in and what comes out fit the pipes, so nobody waits for the other.
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", output.status);
    output.stdout
}

#[test]
fn the_robot_s_interpreter_ticks_as_ours_does() {
    let replay = compiled("kilobot-replay", ["tick.c", "replay.c"]);
    let mut ticks = 0;
    for number in 0..TREES {
        let tree = random::tree(1 + number % 5, &mut Draws::new(9, 0, number, 0, Stream::Evolution));
        let Ok(program) = Program::compile(&tree) else { continue };
        let table = program.table();
        let mut input = Vec::new();
        let counters = tree.nodes().iter().filter(|node| node.kind == Kind::Repeati).count() as u16;
        input.extend_from_slice(&(table.len() as u16).to_le_bytes());
        input.extend_from_slice(&counters.to_le_bytes());
        input.extend_from_slice(&TICKS.to_le_bytes());
        input.extend_from_slice(&table);
        let (mut mind, mut expected) = (Mind::new(&program), Vec::new());
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
            ticks += 1;
        }
        input.extend_from_slice(&[0, 0]);
        assert!(replayed(&replay, &input) == expected, "another result for\n{tree}");
    }
    assert!(ticks > 100_000, "{ticks} ticks");
}
