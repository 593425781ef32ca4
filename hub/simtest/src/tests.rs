//! Seeds are clean, the same every time, and planted faults are found.

use super::*;

fn settings(seed: u64) -> Settings {
    Settings { seed, seconds: 60, plant: None, trace: false }
}

#[test]
fn the_same_seed_is_the_same_run() {
    let [a, b] = [run(settings(3)), run(settings(3))];
    assert_eq!(format!("{a:?}"), format!("{b:?}"));
    assert_ne!(a.hash, run(settings(4)).hash);
    assert!(a.moves > 1_000 && a.messages.1 > 100, "too little happens to mean anything: {a:?}");
}
