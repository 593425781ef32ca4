//! Evolution processes that are killed at random times or stopped by signals, and then resumed.

use crate::evolution::runs::{CHECKPOINTS, assert_same, contents, evolve, finished, in_table, resume, small};
use crate::rig::send_signal;
use nix::sys::signal::Signal;
use serde_json::Value;
use std::path::Path;
use std::time::{Duration, Instant};
use xpuck_kernels::random::{Draws, Stream};
use xpuck_lab::evolution_run::Folder;
use xpuck_testing::patience;
use xpuck_testing::patience::scaled;

#[test]
fn kill_nine_loses_at_most_the_current_generation() {
    const GENERATIONS: u32 = 400;
    let dir = tempfile::tempdir().unwrap();
    let (whole, killed) = (dir.path().join("whole"), dir.path().join("killed"));
    finished(evolve(&small(GENERATIONS), &whole).output().unwrap());
    let mut draws = Draws::new(5, 0, 0, 0, Stream::Device);
    let (mut kills, mut in_a_write, mut before) = (0u64, 0, 0);
    loop {
        let mut command =
            if killed.join("run.toml").exists() { resume(&killed) } else { evolve(&small(GENERATIONS), &killed) };
        let mut child = command.spawn().unwrap();
        // The delay grows with each kill, so that the run also finishes on a slow machine.
        std::thread::sleep(Duration::from_micros(u64::from(draws.below(40_000)) + 1000 * kills));
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success(), "{:?}", child.wait_with_output());
            break;
        }
        // `Child::kill` sends SIGKILL.
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
        assert!(kills < 1000, "no progress");
        if !killed.join("run.toml").exists() {
            continue;
        }
        let seen = in_table(&killed);
        let left_over = CHECKPOINTS.iter().any(|name| killed.join(format!("{name}.new")).exists());
        let at = Folder::resume(&killed).unwrap().evolution.state().generation;
        assert!(at <= seen && seen <= at + 1 && at >= before, "{seen} in the table, {at} kept, {before} before");
        in_a_write += u32::from(left_over || seen > at);
        before = at;
    }
    println!("{kills} kills, {in_a_write} of them while a generation was written");
    assert!(kills >= 8, "only {kills} kills");
    assert_same(&killed, &contents(&whole));
}

/// Waits until the first generation of a run is saved.
fn wait_for_a_generation(out: &Path) {
    let deadline = Instant::now() + patience();
    while !out.join("checkpoint-1").exists() {
        assert!(Instant::now() < deadline, "no generation");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn signals_end_a_run_with_code_75_and_the_command_to_resume() {
    let dir = tempfile::tempdir().unwrap();
    let whole = dir.path().join("whole");
    finished(evolve(&small(600), &whole).output().unwrap());
    for signal in [Signal::SIGTERM, Signal::SIGINT] {
        let out = dir.path().join(signal.as_str());
        let child = evolve(&small(600), &out).spawn().unwrap();
        wait_for_a_generation(&out);
        let asked = Instant::now();
        send_signal(child.id(), signal);
        let output = child.wait_with_output().unwrap();
        assert!(asked.elapsed() < scaled(Duration::from_secs(5)));
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), error.lines().count()), (Some(75), 1), "{error}");
        let go_on = format!(" % of the run; continue with: xpuck evolve {}", out.display());
        assert!(error.trim_end().ends_with(&go_on), "{error}");
        let json: Value = serde_json::from_slice(&finished(resume(&out).output().unwrap()).stdout).unwrap();
        assert_eq!(json["generations"], 600);
        assert_same(&out, &contents(&whole));
    }
}

#[test]
fn signal_ends_a_run_within_five_seconds_in_a_long_generation() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("long");
    let arguments = ["--population", "4096", "--seconds", "600", "--generations", "2"].map(String::from);
    let child = evolve(&arguments, &out).spawn().unwrap();
    while !out.join("generations.csv").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(200));
    let asked = Instant::now();
    send_signal(child.id(), Signal::SIGTERM);
    let output = child.wait_with_output().unwrap();
    assert!(asked.elapsed() < scaled(Duration::from_secs(5)), "{:?}", asked.elapsed());
    assert_eq!(output.status.code(), Some(75));
    assert!(String::from_utf8_lossy(&output.stderr).contains("continue with: xpuck evolve"));
    assert_eq!(Folder::resume(&out).unwrap().evolution.state().generation, 0);
}
