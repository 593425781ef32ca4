//! An island from its start to its end, and over a restart.

use super::*;
use xpuck_evolve::Progress;
use xpuck_experiment::Experiment;

fn plan(state: Option<PathBuf>) -> Plan {
    let text = "name = \"x\"\nminutes = 1.0\nsegment_minutes = 0.5\ntask = \"transport\"\n\
        [evolution]\npopulation = 8\ntrial_seconds = 1.0\n";
    let experiment = Experiment::parse("x", text).unwrap();
    let digest = "0".repeat(64);
    let plan = xpuck_experiment::Plan::new(&experiment, &Default::default(), Some(2)).unwrap();
    let island = IslandPlan { plan: plan.into(), digest, number: 5, seed: 1, island: 1 };
    Plan { island, threads: 1, state, temperature: "/nowhere".into(), max_temperature: 80.0 }
}

/// The next generation; other news are passed on to `other`.
fn generation(onboard: &Onboard, mut other: impl FnMut(News)) -> Generation {
    loop {
        match onboard.news.recv_timeout(Duration::from_secs(60)).expect("a generation") {
            News::Generation(done) => return *done,
            news => other(news),
        }
    }
}

/// Drops the handle and waits for the thread's end.
fn end(onboard: Onboard) {
    let shared = Arc::downgrade(&onboard.shared);
    drop(onboard);
    for _ in 0..6000 {
        if shared.strong_count() == 0 {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("the thread lives on");
}

#[test]
fn an_island_lives_pauses_and_ends() {
    let onboard = Onboard::start(plan(None)).unwrap();
    std::thread::sleep(Duration::from_millis(50));
    assert!(onboard.poll().is_none(), "it stands still until told to run");
    onboard.run(true);
    let first = generation(&onboard, |_| ());
    // Two trials for each newborn of a generation that costs eight.
    assert_eq!((first.progress.generation, first.births.len()), (1, 4));
    onboard.immigrate(1, vec![]);
    assert_eq!(generation(&onboard, |_| ()).progress.generation, 2);
    assert_eq!((onboard.duty(), onboard.kept()), (1.0, 0));
    end(onboard);
}

#[test]
fn an_island_that_was_killed_goes_on_as_if_it_had_not_been() {
    let dir = tempfile::tempdir().unwrap();
    let whole = Onboard::start(plan(None)).unwrap();
    whole.run(true);
    let expected: Vec<Progress> = (0..5).map(|_| generation(&whole, |_| ()).progress).collect();

    let first = Onboard::start(plan(Some(dir.path().join("xp01")))).unwrap();
    first.run(true);
    (0..3).for_each(|_| drop(generation(&first, |_| ())));
    end(first);
    let second = Onboard::start(plan(Some(dir.path().join("xp01")))).unwrap();
    second.run(true);
    let mut resumed = None;
    let next = generation(&second, |news| {
        if let News::Resumed { progress, .. } = news {
            resumed = Some(progress);
        }
    });
    let resumed = resumed.expect("it went on");
    assert!(resumed.generation >= 2);
    assert_eq!(resumed, expected[resumed.generation as usize - 1]);
    assert_eq!(next.progress, expected[resumed.generation as usize]);

    let mut other = plan(Some(dir.path().join("xp01")));
    other.island.seed = 2;
    let other = Onboard::start(other).unwrap();
    other.run(true);
    assert_eq!(generation(&other, |_| ()).progress.generation, 1, "another seed is another run");
}

#[test]
fn a_hot_processor_stands_evolution_still_until_it_cools() {
    let dir = tempfile::tempdir().unwrap();
    let temperature = dir.path().join("temp");
    std::fs::write(&temperature, "95000").unwrap();
    let onboard = Onboard::start(Plan { temperature: temperature.clone(), ..plan(None) }).unwrap();
    onboard.run(true);
    std::thread::sleep(Duration::from_millis(300));
    assert!(onboard.poll().is_none());
    std::fs::write(&temperature, "50000").unwrap();
    assert_eq!(generation(&onboard, |_| ()).progress.generation, 1);
    assert_eq!(onboard.duty(), 1.0);
}
