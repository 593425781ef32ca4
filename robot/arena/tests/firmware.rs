//! Test that the firmware's core in C and the arena's dsPIC behave identically. The same input must give the same
//! replies, word by word.

use std::fmt::Write;
use std::fs::File;
use std::path::Path;
use std::process::Command as Process;
use xpuck_arena::SensorLevels;
use xpuck_arena::body::dspic::Dspic;
use xpuck_kernels::random::{Draws, Stream};
use xpuck_registers::spi::{Actions, Command, Report, WORDS, Words, crc, sum};
use xpuck_registers::stepper::{MetresPerSecond, StepsPerSecond};

/// Firmware ticks per arena step.
const TICKS: u32 = 250;

/// Script for the firmware, and replies of the arena's dsPIC to the same input.
struct Both {
    dspic: Dspic,
    script: String,
    answers: Vec<String>,
}

impl Both {
    fn new() -> Both {
        Both { dspic: Dspic::default(), script: String::new(), answers: Vec::new() }
    }

    fn select(&mut self, words: &[u16]) {
        let reply = self.dspic.select(words);
        let seen: Vec<String> = reply.iter().take(words.len()).map(|w| format!("{w:04x}")).collect();
        self.answers.push(seen.join(" "));
        self.script.push_str("select");
        words.iter().for_each(|w| write!(self.script, " {w:x}").unwrap());
        self.script.push('\n');
    }

    fn steps(&mut self, steps: u32) {
        (0..steps).for_each(|_| self.dspic.step());
        writeln!(self.script, "tick {}", steps * TICKS).unwrap();
        let speeds = self.dspic.wheels().map(|v| StepsPerSecond::from(MetresPerSecond(v)).get());
        let told = self.report();
        self.answers.push(format!("{} {} {} {}", speeds[0], speeds[1], told.steps[0], told.steps[1]));
        self.script.push_str("state\n");
    }

    /// Draws new readings for the arena's dsPIC, and passes the same readings to the firmware's hardware layer.
    fn sense(&mut self, draws: &mut Draws) {
        let reflected = std::array::from_fn(|_| draws.below(4096) as u16);
        let mut level = || draws.range(0.0, 4095.0);
        let felt = SensorLevels {
            acceleration: [(); 3].map(|()| level()),
            light: [(); 8].map(|()| level()),
            samples: [(); 4].map(|()| level()),
            ..SensorLevels::default()
        };
        let battery = draws.range(3.0, 4.2);
        self.dspic.scan(reflected, &felt, battery, draws);
        let report = self.report();
        let words = report.encode();
        self.script.push_str("sense");
        words[..22].iter().chain([&report.battery]).for_each(|w| write!(self.script, " {w:x}").unwrap());
        self.script.push('\n');
    }

    fn report(&self) -> Report {
        Report::decode(&self.dspic.clone().exchange(&[0; WORDS])).unwrap()
    }
}

fn sealed(mut words: Words) -> Words {
    words[28] = sum(&words);
    words[30] = crc(&words[..30]);
    words
}

/// Creates a valid command with random contents, including speeds beyond the motors' range.
fn any_command(draws: &mut Draws, sequence: u16) -> Words {
    let mut words: Words = std::array::from_fn(|_| draws.word() as u16);
    let motor = if draws.word().is_multiple_of(4) { 0 } else { Actions::SET_MOTOR.0 };
    let reset = if draws.word().is_multiple_of(64) { Actions::RESET.0 } else { 0 };
    words[0] = words[0] & !(Actions::SET_MOTOR.0 | Actions::RESET.0) | motor | reset;
    if draws.word().is_multiple_of(2) {
        words[1..3].iter_mut().for_each(|w| *w = (draws.range(-1100.0, 1100.0) as i16) as u16);
    }
    words[29] = sequence;
    sealed(words)
}

fn corrupt(mut words: Words, draws: &mut Draws) -> Words {
    for _ in 0..1 + draws.word() % 4 {
        words[draws.word() as usize % WORDS] ^= 1 << (draws.word() % 16) | (draws.word() & draws.word()) as u16;
    }
    words
}

/// Changes two words of a command in such a way that the CRC remains valid.
fn deceiving(mut words: Words) -> Words {
    (words[1], words[2]) = (words[1] ^ 0x0001, words[2] ^ 0x1021);
    assert_eq!(crc(&words[..30]), words[30]);
    words
}

/// Runs the firmware's core on a script. Returns the lines of its output.
fn firmware(script: &str) -> Vec<String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../robot/firmware");
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("replay");
    let flags = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Wconversion", "-Werror"];
    let compiled = Process::new("cc")
        .args(flags)
        .args(["-fsanitize=undefined", "-fno-sanitize-recover=undefined", "-o"])
        .arg(&program)
        .args([source.join("slave.c"), source.join("replay.c")])
        .output()
        .expect("a C compiler, cc");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let input = dir.path().join("script");
    std::fs::write(&input, script).unwrap();
    let output = Process::new(&program).stdin(File::open(&input).unwrap()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_string).collect()
}

/// Fails at the first reply of the firmware that differs from the reply of the arena's dsPIC.
fn compare(both: &Both) {
    let found = firmware(&both.script);
    assert_eq!(found.len(), both.answers.len());
    for (i, (found, wanted)) in found.iter().zip(&both.answers).enumerate() {
        // The firmware prints more values than the arena's dsPIC: words beyond the message, coils and LEDs.
        let same = found.split_whitespace().zip(wanted.split_whitespace()).all(|(a, b)| a == b);
        let enough = found.split_whitespace().count() >= wanted.split_whitespace().count();
        assert!(same && enough, "answer {i}: the firmware says\n{found}\nand the arena's slave\n{wanted}");
    }
}

#[test]
fn random_exchanges_have_the_same_answers() {
    let mut both = Both::new();
    for i in 0..20_000 {
        let draws = &mut Draws::new(7, 0, 0, i, Stream::Device);
        let command = any_command(draws, i as u16);
        match draws.word() % 20 {
            0..=11 => both.select(&command),
            12..=13 => both.select(&corrupt(command, draws)),
            14 => both.select(&deceiving(command)),
            15..=16 => both.select(&command[..draws.word() as usize % WORDS]),
            17 => both.select(&[command.as_slice(), &command[..9]].concat()),
            18 => both.select(&[[0, 0xffff][i as usize % 2]; WORDS]),
            _ => both.sense(draws),
        }
        match draws.word() % 10 {
            0..=4 => {}
            5..=8 => both.steps(1 + draws.word() % 3),
            _ => both.steps(6 + draws.word() % 6),
        }
    }
    compare(&both);
}

#[test]
fn counters_wrap_alike() {
    let mut both = Both::new();
    // The inputs make all counters wrap: 70 s of motor steps at 999 and -1000 steps/s, and 70 000 truncated messages.
    for i in 0..2800u16 {
        let speeds = [999, -1000].map(StepsPerSecond::new);
        let command = Command { actions: Actions::SET_MOTOR, speeds, sequence: i + 64_000, ..Command::default() };
        both.select(&command.encode());
        both.steps(1);
    }
    (0..70_000).for_each(|_| both.select(&[0x1234]));
    both.select(&[0; WORDS]);
    let told = both.report();
    assert!(told.rejected < 5000 && told.sequence < 8000 && told.steps[1] > told.steps[0], "{told:?}");
    compare(&both);
}
