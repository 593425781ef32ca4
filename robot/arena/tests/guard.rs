//! Tests of the guard, a separate process that stops the wheels of an e-puck if the robot's program fails. The guard
//! is necessary because the bodies of e-pucks have no watchdog. The tests kill or stop the program during a move, and
//! measure the time until the wheels stop.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "tests tell figures")]

mod robot;

use robot::{selftest, serve};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use xpuck_arena::{BodyKind, Faults, Settings};
use xpuck_registers::epuck1::{self, STEPS};
use xpuck_registers::epuck2::{self, REPORT_BYTES, Report};

/// Minimum remaining time of a self-test's move after its first motor step. A move lasts 0.8 s.
const MOVE: Duration = Duration::from_millis(600);

/// Bus connection that reads the step counters without moving the robot.
struct Counters {
    bus: UnixStream,
    body: BodyKind,
}

impl Counters {
    fn open(settings: &Settings) -> Counters {
        let bus = UnixStream::connect(settings.device_path("xp01", "i2c")).unwrap();
        bus.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        Counters { bus, body: settings.body }
    }

    fn transfer<const N: usize>(&mut self, write: &[u8]) -> [u8; N] {
        let head = [epuck1::ADDRESS, write.len() as u8, N as u8];
        self.bus.write_all(&[&head, write].concat()).unwrap();
        let mut acknowledged = [1];
        self.bus.read_exact(&mut acknowledged).unwrap();
        assert_eq!(acknowledged, [0]);
        let mut read = [0; N];
        self.bus.read_exact(&mut read).unwrap();
        read
    }

    fn read(&mut self) -> [u16; 2] {
        if self.body == BodyKind::Epuck1 {
            return [0, 1].map(|i| u16::from_le_bytes(self.transfer(&[STEPS.pointer(i)])));
        }
        // A command with a wrong checksum is not executed, but the body answers it with a report. The report contains
        // the step counters.
        let mut command = epuck2::Command::default().encode();
        command[epuck2::COMMAND_BYTES - 1] ^= 1;
        let bytes: [u8; REPORT_BYTES] = self.transfer(&command);
        Report::decode(&bytes).unwrap().steps
    }

    /// Waits until the step counters change, or until `MOVE` has passed.
    fn wait_for_a_step(&mut self) {
        let (start, first) = (Instant::now(), self.read());
        while self.read() == first && start.elapsed() < MOVE {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Waits until the step counters have been constant for one second. Returns the time of the last change; `None` if
    /// the counters never changed.
    fn rest(&mut self) -> Option<Instant> {
        let (mut last, mut at, start) = (self.read(), None, Instant::now());
        while at.unwrap_or(start).elapsed() < Duration::from_secs(1) {
            std::thread::sleep(Duration::from_millis(2));
            let now = self.read();
            if now != last {
                (last, at) = (now, Some(Instant::now()));
            }
            assert!(start.elapsed() < Duration::from_secs(20), "the wheels never stop");
        }
        at
    }
}

fn signal(process: u32, name: &str) {
    let status = Command::new("sh").args(["-c", &format!("kill -{name} {process}")]).status().unwrap();
    assert!(status.success());
}

/// Returns the process id of the guard on this arena's bus.
fn guard(settings: &Settings) -> u32 {
    let bus = settings.device_path("xp01", "i2c");
    let is_guard = |line: &[u8]| {
        let words: Vec<&[u8]> = line.split(|b| *b == 0).collect();
        words.contains(&b"guard".as_slice()) && words.contains(&bus.as_os_str().as_encoded_bytes())
    };
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let mut numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    // A process may end during the search.
    numbers
        .find(|n| std::fs::read(format!("/proc/{n}/cmdline")).is_ok_and(|line| is_guard(&line)))
        .expect("a guard runs")
}

/// Starts a self-test, and waits until the self-test announces its first move.
fn moving(file: &Path) -> Child {
    let mut child = selftest(file, &["--wheels"]).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stderr.as_mut().unwrap()).lines();
    assert!(lines.map_while(Result::ok).any(|line| line.starts_with("moving: forwards")), "it never moved");
    child
}

/// Sends the signal `name` to the program during a move. Returns the time from the signal to the last motor step, or 0
/// if no step followed. Returns `None` if the move may have ended before the signal.
fn latency(body: BodyKind, name: &str) -> Option<Duration> {
    serve(body, Faults::default(), None, |file, settings| {
        let mut child = moving(file);
        let announced = Instant::now();
        let mut counters = Counters::open(settings);
        counters.wait_for_a_step();
        signal(child.id(), name);
        let sent = Instant::now();
        let in_time = sent - announced < MOVE;
        let stopped = counters.rest().map(|at| at - sent).or(in_time.then_some(Duration::ZERO));
        if name == "STOP" {
            child.kill().unwrap();
        }
        child.wait().unwrap();
        stopped
    })
}

/// Returns the latencies of `count` trials. Repeats trials in which the signal came after the move.
fn latencies(body: BodyKind, name: &str, count: usize) -> Vec<Duration> {
    let found: Vec<Duration> = (0..count + 10).filter_map(|_| latency(body, name)).take(count).collect();
    assert_eq!(found.len(), count, "moves were over before the signal came");
    found
}

const CASES: [(BodyKind, &str); 4] =
    [(BodyKind::Epuck1, "STOP"), (BodyKind::Epuck1, "KILL"), (BodyKind::Epuck2, "STOP"), (BodyKind::Epuck2, "KILL")];

#[test]
fn wheels_stop_soon_after_kill_or_stop() {
    for (body, name) in CASES {
        let latency = latencies(body, name, 1)[0];
        println!("{body:?}: kill -{name}: {} ms", latency.as_millis());
        // The expected latency is 300 ms of silence plus one arena step. The rest of the limit is a margin for a busy
        // machine.
        assert!(latency < Duration::from_millis(1500), "{body:?}, kill -{name}: {latency:?}");
    }
}

/// Stops the guard and then the program during a move. Returns whether the wheels still turn 1 s later.
fn turns_on(body: BodyKind) -> bool {
    serve(body, Faults::default(), None, |file, settings| {
        let mut child = moving(file);
        let mut counters = Counters::open(settings);
        counters.wait_for_a_step();
        let guard = guard(settings);
        signal(guard, "STOP");
        signal(child.id(), "STOP");
        std::thread::sleep(Duration::from_secs(1));
        let before = counters.read();
        std::thread::sleep(Duration::from_millis(500));
        let turning = counters.read() != before;
        signal(guard, "KILL");
        child.kill().unwrap();
        child.wait().unwrap();
        turning
    })
}

#[test]
fn without_the_guard_they_would_turn_for_ever() {
    for body in [BodyKind::Epuck1, BodyKind::Epuck2] {
        // On a busy machine the move may end before both processes are stopped.
        assert!((0..5).any(|_| turns_on(body)), "{body:?} stopped by itself");
    }
}

/// Prints the latency distribution for the documentation. Run it with `cargo test -p xpuck-arena --test guard --
/// --ignored --nocapture`.
#[test]
#[ignore = "takes some minutes"]
fn distribution_of_stop_latencies() {
    for (body, name) in CASES {
        let mut found = latencies(body, name, 20);
        found.sort();
        let [least, median, most] = [0, 10, 19].map(|i| found[i].as_millis());
        println!(
            "{body:?}: kill -{name}: least {least} ms, median {median} ms, most {most} ms of 20; 0 is under 25 ms"
        );
    }
}
