//! Measures the time from a fault until the wheels stand, and the delays of the control loop. The measurements use the
//! real processes without changes, while evolution loads the robot's processor.

mod rig;

use rig::{Rig, limit};
use std::time::Duration;
use xpuck_testing::patience::scaled;
use xpuck_wire::message::State;
use xpuck_wire::telemetry::LATENESS_BINS;

/// Allowance for the latency of all processes and of the observer on a busy machine.
const MARGIN: Duration = Duration::from_millis(150);
/// Control period (ms).
const PERIOD: u32 = 100;
/// Duration of a silence of the hub after which only RUN starts the wheels.
const LONG: Duration = Duration::from_millis(1500);
/// Duration for which wheels that must stand are observed.
const WATCH: Duration = Duration::from_millis(500);

/// Name of a fault, maximum time until the wheels stand (ms), and a function. The function causes the fault and returns
/// the measured time. Afterwards the robot can run again.
type Case = (&'static str, u64, fn(&mut Rig) -> Duration);

/// Faults with their limits (ms). Each limit is the sum of the times that apply to the fault and the arena's resolution
/// of 25 ms. The times are the watchdog of the e-puck (200 ms), the silence of the hub (1 s), the control period
/// (100 ms), the lease of a command (500 ms), and the exchange with the body (5 ms).
const CASES: [Case; 5] = [
    ("xpuckd stopped (SIGSTOP)", 225, stopped),
    ("xpuckd killed (SIGKILL)", 225, killed),
    ("control loop hangs alone", 530, hung),
    ("hub gone", 1130, gone),
    ("hub says STOP", 130, commanded_stop),
];

fn stopped(rig: &mut Rig) -> Duration {
    let event = rig.signal("STOP");
    let latency = rig.until_still(event);
    rig.turn_for(LONG.saturating_sub(event.elapsed()));
    rig.directive = None;
    rig.signal("CONT");
    stands_without_run(rig);
    latency
}

fn killed(rig: &mut Rig) -> Duration {
    let event = rig.signal("KILL");
    let latency = rig.until_still(event);
    rig.restart();
    latency
}

fn hung(rig: &mut Rig) -> Duration {
    let expiries = rig.telemetry.devices.leases;
    let (event, thread) = rig.hang();
    let latency = rig.until_still(event);
    Rig::let_go(thread);
    while rig.telemetry.devices.leases == expiries {
        rig.turn();
        assert!(event.elapsed() < limit(), "no lease ran out, yet the wheels stopped: {:?}", rig.telemetry);
    }
    latency
}

fn gone(rig: &mut Rig) -> Duration {
    let event = rig.ping();
    rig.silent = true;
    let latency = rig.until_still(event);
    rig.directive = None;
    rig.silent = false;
    stands_without_run(rig);
    latency
}

fn commanded_stop(rig: &mut Rig) -> Duration {
    let event = rig.direct(State::Stop);
    let latency = rig.until_still(event);
    assert_eq!(rig.telemetry.state, State::Stop);
    latency
}

/// Checks that the robot reports PAUSE and that its wheels stand, while the hub sends messages but no RUN.
fn stands_without_run(rig: &mut Rig) {
    let (last, before) = (rig.turning[1], rig.telemetry.time);
    rig.turn_for(WATCH);
    assert!(rig.telemetry.time > before, "the robot's program is alive");
    assert_eq!(rig.telemetry.state, State::Pause);
    assert_eq!(rig.turning[1], last, "the wheels turned before the hub said RUN");
}

/// Causes a fault `count` times, at times spread over the control period. Returns the sorted latencies.
fn latencies(rig: &mut Rig, (name, limit, event): Case, count: u32) -> Vec<Duration> {
    let measure = |i| {
        rig.run();
        rig.turn_for(Duration::from_millis(u64::from(i * PERIOD / count)));
        let latency = event(rig);
        assert!(latency <= Duration::from_millis(limit) + scaled(MARGIN), "{name}: {latency:?}, limit {limit} ms");
        latency
    };
    let mut found: Vec<Duration> = (0..count).map(measure).collect();
    found.sort();
    found
}

/// Returns a percentile of the sorted values by the nearest-rank method (ms). `part` is the fraction, 0 to 1.
fn percentile(sorted: &[Duration], part: f64) -> u128 {
    let rank = (part * sorted.len() as f64).ceil() as usize;
    sorted[rank.clamp(1, sorted.len()) - 1].as_millis()
}

#[test]
fn wheels_stand_within_the_limit_of_every_fault() {
    let mut rig = Rig::start();
    for case in CASES {
        latencies(&mut rig, case, 2);
    }
}

/// Prints the tables for the documentation of measurements. Takes 5 minutes plus `XPUCK_MINUTES` [default: 10].
/// Command: `cargo test -p xpuck-hub --test it stop -- --ignored --nocapture`.
#[test]
#[ignore = "takes a quarter of an hour"]
fn figures_of_stopping_and_punctuality() {
    let minutes = std::env::var("XPUCK_MINUTES").map_or(10.0, |text| text.parse().unwrap());
    let mut rig = Rig::start();
    println!("load {}", load());
    println!("| event | n | median, ms | p95, ms | most, ms | limit, ms | longest time between two looks, ms |");
    println!("|---|---|---|---|---|---|---|");
    for case in CASES {
        rig.blind = Duration::ZERO;
        let found = latencies(&mut rig, case, 30);
        let [median, p95, most] = [0.5, 0.95, 1.0].map(|part| percentile(&found, part));
        let (name, limit, blind) = (case.0, case.1, rig.blind.as_millis());
        println!("| {name} | {} | {median} | {p95} | {most} | {limit} | {blind} |", found.len());
    }
    drop(rig);
    punctuality(Duration::from_secs_f64(60.0 * minutes));
}

/// Runs a robot that evolves for the duration `time`. Then prints the delays of the control loop, and the memory of the
/// robot's program.
fn punctuality(time: Duration) {
    let mut rig = Rig::start();
    rig.run();
    let before = rig.telemetry.clone();
    rig.turn_for(time);
    let (after, missed) = (&rig.telemetry.control, rig.telemetry.control.missed - before.control.missed);
    let bins: [u32; LATENESS_BINS] = std::array::from_fn(|i| after.bins[i] - before.control.bins[i]);
    let [p50, p99, p999] = [0.5, 0.99, 0.999].map(|part| bound(&bins, part));
    let updates: u32 = bins.iter().sum();
    println!("load {}; real-time priority: {}", load(), after.realtime);
    println!("{updates} updates, {missed} left out; lateness p50 {p50} us, p99 {p99} us, p99.9 {p999} us");
    println!("latest since the start {} us; longest gap of the body {} us", after.max_us, rig.telemetry.devices.gap_us);
    let generations = rig.telemetry.evolution.generation - before.evolution.generation;
    println!("{generations} generations meanwhile; VmRSS {} KiB", rig.memory());
    assert_eq!(rig.telemetry.state, State::Run);
    assert!(updates > 0 && generations > 0);
}

/// Returns the upper edge of the histogram bin that contains the quantile `part` of all updates (us). The first bin
/// ends at 16 us, and each octave has two bins.
fn bound(bins: &[u32], part: f64) -> u32 {
    let wanted = part * f64::from(bins.iter().sum::<u32>());
    let mut seen = 0.0;
    let reached = |count: &u32| {
        seen += f64::from(*count);
        seen >= wanted
    };
    let bin = bins.iter().position(reached).unwrap_or(bins.len());
    (16.0 * (bin as f64 / 2.0).exp2()).ceil() as u32
}

fn load() -> String {
    std::fs::read_to_string("/proc/loadavg").unwrap().trim().into()
}
