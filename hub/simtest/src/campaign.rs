//! Campaigns that simulate many seeds, and collect violations and run times.

use super::run::run_with_progress;
use super::{Outcome, Settings};
use rayon::prelude::*;
use serde::Serialize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use xpuck_wire::process::resident_bytes;

/// Maximum number of violations in a result, because a bug typically affects thousands of seeds.
const SHOWN: usize = 10;

/// Result of a campaign.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Campaign {
    /// Number of seeds.
    pub seeds: u64,
    /// Simulated time of each seed (s).
    pub seconds: u32,
    /// Number of seeds with a violation.
    pub broken: u64,
    /// Outcomes of the first seeds with a violation, at most 10.
    pub violations: Vec<Outcome>,
    /// Median wall time of a seed (ms).
    pub median_ms: f64,
    /// 95th percentile of the wall time of a seed (ms).
    pub p95_ms: f64,
    /// Wall time of the slowest seed (ms).
    pub max_ms: f64,
    /// Memory of the process at the start, after each quarter and at the end of the campaign (MiB); 0 if the system
    /// does not report it.
    pub memory_mib: [f64; 5],
    /// Number of sent messages, and number of lost messages.
    pub messages: (u64, u64),
    /// Total number of faults and operator requests.
    pub happenings: u64,
    /// Simulated time in which wheels turned, summed over all robots and seeds (s).
    pub wheel_seconds: f64,
}

/// Simulates `seeds` seeds, starting with `first.seed`, on all threads of rayon. Calls `done` after each seed.
///
/// # Panics
/// If `seeds` is 0.
pub fn campaign(first: Settings, seeds: u64, done: impl Fn() + Sync) -> Campaign {
    assert!(seeds > 0, "at least one seed");
    let mib = || resident_bytes().unwrap_or(0.0) / f64::from(1 << 20);
    let start = mib();
    let (quarters, inside) = (AtomicU64::new(0), Mutex::new([0.0; 3]));
    let quarter = || {
        // Each seed calls this closure three times, so the number of calls shows the progress of the campaign.
        let told = quarters.fetch_add(1, Ordering::Relaxed);
        if let Some(part) = (1..=3).position(|part| told == 3 * seeds * part / 4) {
            inside.lock().expect("nobody panics with it")[part] = mib();
        }
    };
    let one = |i: u64| {
        let began = Instant::now();
        let outcome = run_with_progress(Settings { seed: first.seed.wrapping_add(i), ..first }, quarter);
        done();
        (began.elapsed().as_secs_f64() * 1000.0, outcome)
    };
    let runs: Vec<(f64, Outcome)> = (0..seeds).into_par_iter().map(one).collect();
    let mut times: Vec<f64> = runs.iter().map(|(ms, _)| *ms).collect();
    times.sort_by(f64::total_cmp);
    let sum = |of: fn(&Outcome) -> u64| runs.iter().map(|(_, outcome)| of(outcome)).sum::<u64>();
    let [first_quarter, half, last_quarter] = inside.into_inner().expect("nobody panics with it");
    let broken = runs.iter().map(|(_, outcome)| outcome).filter(|o| o.violation.is_some());
    Campaign {
        seeds,
        seconds: first.seconds,
        broken: broken.clone().count() as u64,
        violations: broken.take(SHOWN).cloned().collect(),
        median_ms: times[times.len() / 2],
        p95_ms: times[times.len() * 95 / 100],
        max_ms: times[times.len() - 1],
        memory_mib: [start, first_quarter, half, last_quarter, mib()],
        messages: (sum(|o| o.messages.0), sum(|o| o.messages.1)),
        happenings: sum(|o| o.happenings as u64),
        wheel_seconds: sum(|o| o.moves) as f64 * f64::from(super::BODY_STEP) / 1000.0,
    }
}
