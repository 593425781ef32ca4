//! Compares the exported interpreters in C++ and Python with Xpuck's interpreter, bit by bit. Trees and senses are
//! random.

use super::super::table;
use super::program;
use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use xpuck_kernels::math::{Vec2, vec2};
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::tree::{Kind, Memory, Program, Senses, Status, Tree};
use xpuck_kernels::world::physics::steer;
use xpuck_kernels::world::robot::Wheels;

const TREES: usize = 60;
const TICKS: u32 = 40;
const SEED: u64 = 0x1_0000_0007;

/// Test driver of the interpreter in C++. It reads lines with the bits of senses, and writes lines with the bits of
/// results.
const CPP: &str = r#"
#include "trees.hpp"
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
int main(int, char **arguments) {
    xpuck::Mind mind(xpuck::TREES[std::atoi(arguments[1])]);
    uint32_t bits;
    float sensed[xpuck::CELLS];
    for (uint32_t step = 0;; ++step) {
        for (int i = 0; i < xpuck::CELLS; ++i) {
            if (std::scanf("%" SCNx32, &bits) != 1) return 0;
            sensed[i] = xpuck::from_bits(bits);
        }
        xpuck::Draws draws(0x100000007u, 1, 2, step);
        int status = mind.tick(sensed, draws);
        float goal[2], wheels[2];
        mind.goal(goal);
        xpuck::steer(goal, wheels);
        const float all[] = {goal[0], goal[1], wheels[0], wheels[1], mind.cells[17], mind.cells[18], mind.cells[19]};
        std::printf("%d %d", status, mind.signal);
        for (float x : all) std::printf(" %08" PRIx32, x == x ? xpuck::to_bits(x) : 0x7fc00000u);
        std::printf("\n");
    }
}
"#;
const PYTHON: &str = r#"
import struct, sys
import trees
from xpuck_tree import CELLS, Draws, Mind, bits, steer
mind, names = Mind(trees.TREES[int(sys.argv[1])]), ["success", "failure", "running"]
for step, line in enumerate(sys.stdin):
    sensed = [struct.unpack("<f", struct.pack("<I", int(word, 16)))[0] for word in line.split()]
    status = mind.tick(sensed, Draws(0x100000007, 1, 2, step))
    goal = mind.goal()
    values = [*goal, *steer(goal), *mind.cells[17:20]]
    print(names.index(status), mind.signal, *("%08x" % (bits(x) if x == x else 0x7fc00000) for x in values))
"#;

/// Returns a random tree with at most `levels` levels and all kinds of nodes except networks.
fn random(draws: &mut Draws, levels: u32) -> Tree {
    let inner = [
        Kind::Seq,
        Kind::Sel,
        Kind::Seqm,
        Kind::Selm,
        Kind::Par,
        Kind::Successd,
        Kind::Failed,
        Kind::Invert,
        Kind::Repeati,
        Kind::Repeatr,
    ];
    let leaves = [
        Kind::Movcs,
        Kind::Movcv,
        Kind::Mulas,
        Kind::Mulav,
        Kind::Rotav,
        Kind::Ifprob,
        Kind::Ifquad,
        Kind::Ifsect,
        Kind::Successl,
        Kind::Failurel,
        Kind::Upfield,
        Kind::Attract,
        Kind::Signal,
        Kind::Neighbour,
        Kind::Explore,
    ];
    let pick = |draws: &mut Draws, of: &[Kind]| of[draws.below(of.len() as u32) as usize];
    let number = |draws: &mut Draws, low: i32, high: i32| (low + draws.below((high - low + 1) as u32) as i32) as f32;
    if levels > 0 && draws.below(4) > 0 {
        let kind = pick(draws, &inner);
        let children = match kind {
            Kind::Seq | Kind::Sel | Kind::Seqm | Kind::Selm | Kind::Par => 2 + draws.below(3),
            _ => 1,
        };
        let operands = match kind {
            Kind::Par => vec![number(draws, 1, children as i32 + 1)],
            Kind::Repeati | Kind::Repeatr => vec![number(draws, 1, 6)],
            _ => vec![],
        };
        let below: Vec<Tree> = (0..children).map(|_| random(draws, levels - 1)).collect();
        return Tree::inner(kind, &operands, &below);
    }
    let kind = pick(draws, &leaves);
    let scalar = |draws: &mut Draws| number(draws, 0, 23);
    let vector = |draws: &mut Draws| 2.0 * number(draws, 0, 11);
    // Most targets are scratch registers or the goal, and some are read-only registers.
    let target = |draws: &mut Draws| [2.0, 3.0, 17.0, 18.0, 19.0, 8.0][draws.below(6) as usize];
    let real = |draws: &mut Draws| draws.range(-6.0, 6.0) * draws.range(0.0, 1.0);
    let operands = match kind {
        Kind::Movcs => vec![target(draws), real(draws)],
        Kind::Movcv => vec![[2.0, 18.0, 16.0][draws.below(3) as usize], number(draws, -128, 127)],
        Kind::Mulas => vec![target(draws), scalar(draws), real(draws), scalar(draws)],
        Kind::Mulav => vec![[2.0, 18.0][draws.below(2) as usize], vector(draws), real(draws), vector(draws)],
        Kind::Rotav => {
            vec![[2.0, 18.0][draws.below(2) as usize], vector(draws), number(draws, -128, 127), vector(draws)]
        }
        Kind::Ifprob => vec![scalar(draws), real(draws), real(draws)],
        Kind::Ifquad => vec![vector(draws), number(draws, -4, 4)],
        Kind::Ifsect => vec![vector(draws), number(draws, -128, 127), number(draws, 0, 255)],
        Kind::Upfield | Kind::Attract => vec![real(draws)],
        Kind::Signal => vec![number(draws, 1, 255)],
        Kind::Neighbour => vec![real(draws), real(draws)],
        Kind::Explore => vec![number(draws, 1, 9)],
        _ => vec![],
    };
    Tree::leaf(kind, &operands)
}

fn programs(draws: &mut Draws) -> Vec<Program> {
    let mut programs = vec![
        program(
            "selm\n  ifprob s_n 1 3\n  network\n    neuron 0.5 1\n      synapse v_prox.x -2\n      synapse n2 0.25\n    neuron 0 2\n      \
             synapse n1 1\n      synapse v_scr.x 0.5\n  network\n    neuron 0 1\n    neuron -0.25 3\n      synapse s_n 9\n",
        ),
        program(include_str!("../../../../../docs/trees/806768.bt")),
    ];
    while programs.len() < TREES {
        programs.extend(Program::compile(&random(draws, 5)).ok());
    }
    programs
}

fn senses(draws: &mut Draws) -> Senses {
    let scale = [0.0, 0.05, 1.0, 40.0, f32::MAX][draws.below(5) as usize];
    let mut vector =
        || vec2(draws.range(-1.0, 1.0) * scale, draws.range(-1.0, 1.0)) * [0.0, 1.0, 1.0, 1.0][draws.below(4) as usize];
    let [prox, up, attr, red, green, blue, light, tag]: [Vec2; 8] = std::array::from_fn(|_| vector());
    let ground = draws.below(3) as f32 - 1.0;
    Senses { prox, up, attr, colours: [red, green, blue], neighbours: draws.below(9) as f32, light, tag, ground }
}

/// Returns random senses in the input format of the interpreters, and Xpuck's results in their output format.
fn ours(program: &Program, draws: &mut Draws) -> (String, String) {
    let (mut input, mut results, mut memory) = (String::new(), String::new(), Memory::new(program));
    for step in 0..TICKS {
        let sensed = senses(draws);
        let mut random = Draws::new(SEED, 1, 2, step, Stream::Controller);
        let (status, goal) = memory.tick(program, &sensed, &mut random);
        let mut cells = *memory.board.cells();
        // Registers that the tree writes are not senses, so they are sent as zeros.
        cells[17..20].fill(0.0);
        let bits = |x: f32| if x.is_nan() { 0x7fc0_0000 } else { x.to_bits() };
        let words: Vec<String> = cells.iter().map(|x| format!("{:08x}", bits(*x))).collect();
        let _ = writeln!(input, "{}", words.join(" "));
        let status = match status {
            Status::Success => 0,
            Status::Failure => 1,
            Status::Running => 2,
        };
        let [left, right] = steer(goal, &Wheels::default());
        let _ = write!(results, "{status} {}", memory.board.signal());
        for x in [goal.x, goal.y, left, right].into_iter().chain(memory.board.scratch()) {
            let _ = write!(results, " {:08x}", bits(x));
        }
        results.push('\n');
    }
    (input, results)
}

/// Runs a command with `input` as its standard input. Returns its output.
pub(super) fn answer(mut command: Command, input: &str) -> String {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_string();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

fn compare(programs: &[Program], draws: &mut Draws, name: &str, command: impl Fn(usize) -> Command) {
    for (i, program) in programs.iter().enumerate() {
        let (input, expected) = ours(program, draws);
        let got = answer(command(i), &input);
        for (tick, (got, expected)) in got.lines().zip(expected.lines()).enumerate() {
            assert_eq!(got, expected, "{name}: tree {i}, tick {tick}: {:?}", program.listing().lines);
        }
        assert_eq!(got.lines().count(), TICKS as usize, "{name}: tree {i}");
    }
}

pub(super) fn put(folder: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        std::fs::write(folder.join(name), text).unwrap();
    }
}

pub(super) fn runs(command: &str) -> bool {
    Command::new(command)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|s| s.success())
}

#[test]
fn cpp_loop_matches_rust_results() {
    if !runs("g++") {
        xpuck_testing::skipped("there is no g++");
        return;
    }
    let mut draws = Draws::new(5, 0, 0, 0, Stream::Device);
    let programs = programs(&mut draws);
    let listings: Vec<_> = programs.iter().map(Program::listing).collect();
    let folder = tempfile::tempdir().unwrap();
    let trees = table::cpp(&listings);
    put(folder.path(), &[("main.cpp", CPP), ("trees.hpp", &trees), ("tree.hpp", include_str!("../argos/tree.hpp"))]);
    let mut compiler = Command::new("g++");
    compiler.args(["-std=c++14", "-O1", "-Wall", "-Werror", "-ffp-contract=off", "main.cpp", "-o", "ticks"]);
    assert!(compiler.current_dir(&folder).status().unwrap().success());
    compare(&programs, &mut draws, "C++", |i| {
        let mut command = Command::new(folder.path().join("ticks"));
        command.arg(i.to_string());
        command
    });
}

#[test]
fn python_loop_matches_rust_results() {
    if !runs("python3") {
        xpuck_testing::skipped("there is no python3");
        return;
    }
    let mut draws = Draws::new(6, 0, 0, 0, Stream::Device);
    let programs = programs(&mut draws);
    let listings: Vec<_> = programs.iter().map(Program::listing).collect();
    let folder = tempfile::tempdir().unwrap();
    let tree = include_str!("../webots/xpuck_tree.py");
    put(folder.path(), &[("main.py", PYTHON), ("trees.py", &table::python(&listings)), ("xpuck_tree.py", tree)]);
    compare(&programs, &mut draws, "Python", |i| {
        let mut command = Command::new("python3");
        command.arg("main.py").arg(i.to_string()).current_dir(&folder);
        command
    });
}
