//! Tests updates with a power failure before, inside and after every disk operation, with a full disk at each write,
//! and with a damaged state file. In every case, a complete version must be able to run. It must be a version that was
//! found healthy before, or a version on trial whose starts are counted.

mod faulty;
mod update_steps;

use faulty::{Fault, Moment, Random};
use update_steps::{Baseline, Behaviour, UpdateScenario};

/// Returns all combinations of an update's behaviour and the version that runs before the update.
fn all() -> Vec<(Behaviour, Baseline)> {
    let natures = [Behaviour::Good, Behaviour::Crashes, Behaviour::Unhealthy];
    let every = [Baseline::Packaged, Baseline::Slot, Baseline::Root, Baseline::RootAndSlot];
    let mut all: Vec<_> = natures.into_iter().flat_map(|nature| every.map(|from| (nature, from))).collect();
    all.extend([Baseline::Root, Baseline::RootAndSlot].map(|from| (Behaviour::Dead, from)));
    all
}

/// Returns the number of seeds per power failure: 3, or the value of the environment variable `XPUCK_SEEDS`.
fn seeds() -> u64 {
    std::env::var("XPUCK_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(3)
}

/// Returns the numbers of disk operations and of writes of an update without faults.
fn counts(nature: Behaviour, from: Baseline) -> (u64, u64) {
    let mut story = UpdateScenario::begin(nature, from, 1);
    story.run();
    story.assert_final(true);
    (story.disk.operations, story.disk.writes)
}

#[test]
fn update_without_faults_is_kept_or_reverted() {
    for (nature, from) in all() {
        let (operations, writes) = counts(nature, from);
        assert!(operations > 40 && writes > 15, "{operations} operations, {writes} writes");
    }
}

#[test]
fn no_cut_of_power_leaves_a_robot_without_a_version() {
    let mut cuts = 0;
    for (nature, from) in all() {
        let (operations, _) = counts(nature, from);
        for at in 0..operations {
            for moment in [Moment::Before, Moment::Inside, Moment::After] {
                // To save time, only every third operation is tested for a card with two roots and a version in a slot.
                let seeds = if from == Baseline::RootAndSlot && at % 3 != 0 { 0 } else { seeds() };
                for seed in 0..seeds {
                    let mut story = UpdateScenario::begin(nature, from, seed);
                    story.label = format!("{nature:?} from {from:?} cut {moment:?} {at} seed {seed}");
                    story.disk.fault = Some(Fault::Cut(at, moment));
                    story.run();
                    story.power_is_back(seed);
                    // For odd seeds, a second power failure occurs during recovery.
                    if seed % 2 == 1 {
                        let mut random = Random(seed ^ at << 8);
                        story.disk.fault = Some(Fault::Cut(random.below(operations), Moment::Inside));
                        story.run();
                        story.power_is_back(seed + 1);
                    }
                    story.run();
                    // Two power failures may use up both starts of a healthy version, which is then reverted.
                    story.assert_final(seed % 2 == 0);
                    cuts += 1;
                }
            }
        }
    }
    assert!(cuts > 2000, "{cuts}");
}

#[test]
fn full_disk_keeps_old_version() {
    for (nature, from) in all() {
        let (_, writes) = counts(nature, from);
        for (at, for_good) in (0..writes).flat_map(|at| [(at, false), (at, true)]) {
            let mut story = UpdateScenario::begin(nature, from, at);
            story.label = format!("{nature:?} from {from:?} full at {at} for good: {for_good}");
            story.disk.fault = Some(Fault::Full(at, for_good));
            story.full = true;
            story.run();
            // Disk space becomes free, and the bundle that was rejected for lack of space is sent again.
            story.disk.fault = None;
            story.power_is_back(at);
            story.run();
            story.assert_final(false);
            story.deliver();
            story.run();
            story.assert_final(true);
        }
    }
}

#[test]
fn damaged_state_is_set_aside_and_repaired() {
    for (nature, from) in all() {
        let (operations, _) = counts(nature, from);
        for at in 0..operations {
            let mut story = UpdateScenario::begin(nature, from, at);
            story.label = format!("{nature:?} from {from:?} damaged at {at}");
            story.disk.fault = Some(Fault::Cut(at, Moment::After));
            story.run();
            let had_state = story.power_is_back_damaged(at);
            story.run();
            story.assert_final(false);
            assert_eq!(story.disk.exists("state.toml.broken"), had_state, "{}", story.label);
        }
    }
}
