//! Tests of simulated runs: equal seeds give equal runs, and each injected bug (mutant) is detected.

use super::*;

/// Number of seeds per mutant; the first seed is 1. At least two of the seeds must detect the mutant. A test of the
/// hub's command line runs the first 300 seeds without a mutant.
const SEEDS: u64 = 40;

fn settings(seed: u64, mutant: Option<Mutant>) -> Settings {
    Settings { seed, seconds: 60, mutant, trace: false }
}

/// Returns a part of the text of the rule that a mutant violates.
fn complaint(mutant: Mutant) -> &'static str {
    match mutant {
        Mutant::DeafToSilence | Mutant::OldRun | Mutant::DrivesOn => "silen",
        Mutant::EndlessLease => "control thread hangs",
        Mutant::NoTimeOut => "wheels stand when the",
        Mutant::TrustsGenes | Mutant::TrustsSignatures => "a tree that was not verified",
        Mutant::CountsTwice => "delivered once",
        Mutant::DropsEntry => "the record contains each event once",
        Mutant::FallingNumbers => "the swarm converges",
        Mutant::FalseUpdates => "recorded control updates",
        Mutant::KeepsStaleState | Mutant::TrustsClock => "outlives every restart",
        Mutant::RunsHeld => "a held robot stands still",
        Mutant::ForgetsHeld => "holds the same robots",
    }
}

#[test]
fn same_seed_gives_same_run() {
    let [a, b] = [run(settings(5, None)), run(settings(5, None))];
    assert_eq!(format!("{a:?}"), format!("{b:?}"));
    assert_ne!(a.hash, run(settings(4, None)).hash);
    assert!(a.ticks > 1_000, "too few recorded ticks were made again: {}", a.ticks);
    assert!(a.moves > 1_000 && a.messages.1 > 100, "too little happens to mean anything: {a:?}");
}

#[test]
fn two_seeds_find_each_mutant() {
    for mutant in Mutant::ALL {
        let as_expected = |outcome: &Outcome| {
            outcome.violation.as_ref().is_some_and(|violation| violation.rule.contains(complaint(mutant)))
        };
        let found = (1..=SEEDS).map(|seed| run(settings(seed, Some(mutant)))).filter(as_expected).take(2).count();
        assert_eq!(found, 2, "{mutant:?} is found by {found} of {SEEDS} seeds");
    }
}
