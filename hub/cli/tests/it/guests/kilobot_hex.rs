//! `xpuck tree convert --to kilobot` and `--to hex`: converts a tree to a robot's program. In simavr, the program must
//! behave like the simulated robots.

use crate::common::{said, xpuck};
use std::path::Path;
use std::process::Output;
use xpuck_kernels::tree::{RegisterMap, Tree};
use xpuck_kilobots::{Foraging, Program, ReceivedMessage, World};
use xpuck_testing::{simavr::Simavr, skipped};

const FIGURE_4_6: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/kilobots/figure-4-6.bt");
/// Tree that sends a signal in every third update, and compares the density of neighbours with 0.9.
const SIGNALS: &str = "seqm4\n  set send_signal 1\n  mf\n  seqm2\n    set send_signal 0\n    ml\n  selm2\n    ifltcon density 0.9\n    mr\n";
const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../robot/kilobot");
const ROBOTS: usize = 25;
const UPDATES: usize = 200;
/// Indices of the robots whose program also runs in simavr.
const WATCHED: [usize; 3] = [0, 11, 24];
/// Output size of one turn of the program's loop (bytes). The output consists of cycle count, motors, message and
/// blackboard.
const ANSWER: usize = 4 + 2 + 9 + 40;
/// Number of turns in one update. Each turn advances the clock by 4 ticks and reads the light sensor.
const TURNS: usize = 4;

fn program(text: &str) -> Program {
    Program::compile(&Tree::parse_with(text, RegisterMap::Kilobot, false).unwrap()).unwrap()
}

fn figure_4_6() -> Program {
    program(&std::fs::read_to_string(FIGURE_4_6).unwrap())
}

fn hex(arguments: &[&str]) -> Output {
    xpuck().args(["tree", "convert", "--to", "hex"]).args(arguments).output().unwrap()
}

/// Returns sixteen readings of the light sensor as bytes, for a robot in the food, in the nest or outside both.
fn readings(light: [bool; 2]) -> impl Iterator<Item = u8> {
    let pulses = match light {
        [true, _] => 0b0000_0000_1111_1100_u16,
        [_, true] => 0b0011_1000_0000_0111,
        _ => 0,
    };
    (0..16).flat_map(move |i| (200 + 600 * (pulses >> i & 1)).to_le_bytes())
}

/// Simulates a swarm. Returns for each robot the input for simavr and the expected output of each update. The output
/// consists of motors, message without the robot's number, and blackboard.
fn recorded(program: &Program, world: u32) -> Vec<(Vec<u8>, Vec<[u8; 2 + 7 + 40]>)> {
    let foraging = Foraging { seconds: 200.0, ..Foraging::thesis(ROBOTS) };
    let mut world = World::new(&foraging, program, 5, world);
    let mut robots = vec![(Vec::new(), Vec::new()); ROBOTS];
    for update in 0..UPDATES {
        let lights: Vec<[bool; 2]> = world.views().map(|view| view.light).collect();
        let inboxes: Vec<Vec<ReceivedMessage>> = (0..ROBOTS).map(|i| world.received_messages(i).collect()).collect();
        world.update();
        let seen = lights.into_iter().zip(inboxes).zip(world.views()).enumerate();
        for ((i, ((light, messages), view)), (input, expected)) in seen.zip(&mut robots) {
            // The first update takes one turn. Each later update takes four turns: the light value is the median of the
            // last seven samples, and four new samples determine this median.
            let turns = if update == 0 { 1 } else { TURNS };
            for turn in 1..=turns {
                let heard = if turn == turns { &messages[..] } else { &[] };
                input.extend_from_slice(&[if update == 0 { 0 } else { 4 }, heard.len() as u8]);
                for message in heard {
                    input.extend_from_slice(&message.payload);
                    input.push(message.mm as u8);
                }
                input.extend(readings(light));
            }
            let mut answer = [0; 2 + 7 + 40];
            answer[..2].copy_from_slice(&[[0, 0], [61, 0], [0, 62], [63, 64]][view.board[0] as usize]);
            answer[2..9].copy_from_slice(&world.payload(i)[2..]);
            for (bytes, entry) in answer[9..].chunks_mut(4).zip(view.board) {
                bytes.copy_from_slice(&entry.to_le_bytes());
            }
            expected.push(answer);
        }
    }
    robots
}

#[test]
fn hex_file_in_simavr_matches_simulated_robots() {
    let dir = tempfile::tempdir().unwrap();
    let simavr = match Simavr::compile(dir.path(), "simavr-hex") {
        Ok(simavr) => simavr,
        Err(missing) => return skipped(missing),
    };
    let signals = dir.path().join("signals.bt");
    std::fs::write(&signals, SIGNALS).unwrap();
    for tree in [Path::new(FIGURE_4_6), &signals] {
        let file = dir.path().join("forage.hex");
        let [from, to] = [tree, &file].map(|path| path.to_str().unwrap());
        let output = hex(&[from, "--for", "simavr", "-o", to]);
        assert!(output.status.success(), "{}", said(&output));
        let line = String::from_utf8(output.stdout).unwrap();
        assert!(line.contains(" of 28672 bytes of flash, ") && line.contains(" of 2048 bytes of RAM, "), "{line}");
        let (mut longest, mut deepest) = (0, 0);
        let robots = recorded(&program(&std::fs::read_to_string(tree).unwrap()), 3);
        let told: Vec<[u8; 2 + 7 + 40]> = WATCHED.iter().flat_map(|robot| robots[*robot].1.clone()).collect();
        assert!([0, 61, 63].iter().all(|left| told.iter().any(|told| told[0] == *left)), "motors");
        assert!(tree == Path::new(FIGURE_4_6) || (told.iter().any(|told| told[2] == 1)), "a signal");
        for (robot, (input, expected)) in WATCHED.map(|robot| (robot, &robots[robot])) {
            let run = simavr.run(&file, input);
            let turns = run.output.chunks_exact(ANSWER);
            for (update, (got, wanted)) in turns.step_by(TURNS).zip(expected).enumerate() {
                let [told, board] = [&got[4..6], &got[8..]];
                assert_eq!(told, &wanted[..2], "motors of robot {robot} in update {update}");
                assert_eq!(board, &wanted[2..], "message and blackboard of robot {robot} in update {update}");
                longest = longest.max(u32::from_le_bytes(got[..4].try_into().unwrap()));
            }
            assert_eq!(run.output.len(), ANSWER * (1 + TURNS * (UPDATES - 1)));
            deepest = deepest.max(run.stack);
        }
        println!("{line}an update with its reading of the light: {longest} cycles at most, stack {deepest} bytes");
        // The limit for an update is 400000 cycles, a tenth of the interval between updates. An update mostly waits for
        // the light sensor.
        assert!(longest < 400_000 && deepest < 400, "{longest} cycles, {deepest} bytes");
    }
}

#[test]
fn kilolib_is_linked_where_it_lies() {
    let dir = tempfile::tempdir().unwrap();
    if let Err(missing) = Simavr::compile(dir.path(), "simavr-kilolib") {
        return skipped(missing);
    }
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let refused = hex(&[FIGURE_4_6, "--kilolib", &path("."), "-o", &path("robot.hex")]);
    assert!(said(&refused).contains("neither kilolib.a nor kilolib.c"), "{}", said(&refused));
    // The option `--kilolib` accepts any library with kilolib's functions.
    for name in ["kilolib.h", "tick.h", "simavr/kilolib.c", "simavr/device.h"] {
        let file = Path::new(SOURCES).join(name);
        std::fs::copy(&file, dir.path().join(file.file_name().unwrap())).unwrap();
    }
    let built = hex(&[FIGURE_4_6, "--kilolib", &path("."), "-D", "LIGHT_WAIT=380", "-o", &path("robot.hex")]);
    assert!(built.status.success(), "{}", said(&built));
    let text = std::fs::read_to_string(path("robot.hex")).unwrap();
    assert!(text.lines().all(|line| line.starts_with(':')) && text.ends_with(":00000001FF\r\n"), "{text}");
    std::fs::write(path("kilolib.c"), "int kilo_ticks(void) { return nothing; }\n").unwrap();
    let wrong = said(&hex(&[FIGURE_4_6, "--kilolib", &path("."), "-o", &path("robot.hex")]));
    assert!(
        wrong.contains("avr-gcc: ") && wrong.contains("'nothing' undeclared") && wrong.lines().count() == 1,
        "{wrong}"
    );
}

/// Returns the text of a full tree of depth `levels`, in which every composite has four children. `level` is the depth
/// at which the returned text starts: 0 for the whole tree.
fn full(level: usize, levels: usize) -> String {
    let indent = "  ".repeat(level);
    match level == levels {
        true => format!("{indent}set scratchpad 1\n"),
        false => format!("{indent}seqm4\n{}", full(level + 1, levels).repeat(4)),
    }
}

#[test]
fn unbuildable_trees_are_rejected_with_reason() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let out = path("out.hex");
    let refusal = |tree: &str| {
        std::fs::write(path("tree.bt"), tree).unwrap();
        let output = hex(&[&path("tree.bt"), "--for", "simavr", "-o", &out]);
        assert!(!output.status.success() && output.stdout.is_empty() && !Path::new(&out).exists());
        let line = said(&output);
        assert!(line.starts_with("xpuck: ") && line.contains("tree.bt: "), "{line}");
        line
    };
    assert!(refusal("movcv v_goal 0deg\n").contains("a Kilobot has no node `movcv`"));
    assert!(refusal("ifltcon v_prox.x 1\n").contains("unknown entry `v_prox.x`"));
    let large = full(0, 4);
    assert!(refusal(&large).contains("the tree needs 2727 bytes (limit 1024) and "), "{large}");
    let deep: String = (0..31).map(|level| format!("{}successd\n", "  ".repeat(level))).collect();
    assert!(refusal(&format!("{deep}{}mf\n", "  ".repeat(31))).contains("512 bytes of stack (limit 500)"));
    let without = xpuck()
        .args(["tree", "convert", "--to", "hex", FIGURE_4_6, "--for", "simavr", "-o", &out])
        .env("PATH", "")
        .output();
    assert!(said(&without.unwrap()).contains("avr-gcc is missing; install it with `apt-get install gcc-avr avr-libc`"));
    let neither = said(&hex(&[FIGURE_4_6, "-o", &out]));
    assert!(neither.contains("set its folder with --kilolib, or build for a simulator with --for simavr"), "{neither}");
    std::fs::write(path("tree.bt"), "mf\n").unwrap();
    let over = said(&hex(&[&path("tree.bt"), "--for", "simavr", "-o", &path("tree.bt")]));
    assert!(over.contains("is an input file"), "{over}");
}

#[test]
fn tree_converts_to_kilobot_program_table() {
    let convert = |file: &str| xpuck().args(["tree", "convert", file, "--to", "kilobot"]).output().unwrap();
    let table = convert(FIGURE_4_6);
    assert_eq!(String::from_utf8(table.stdout).unwrap(), figure_4_6().to_c());
    let foreign = said(&convert(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/trees/explore.bt")));
    assert!(foreign.contains("explore.bt: ") && foreign.contains("a Kilobot has no"), "{foreign}");
    let binary = said(&convert("tree.bin"));
    assert!(binary.contains("tree.bin: a Kilobot's tree has no binary form; use .bt, .xml or .json"), "{binary}");
}
