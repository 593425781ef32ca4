//! Tests of an island from start to end, and across a restart.

use super::*;
use xpuck_evolve::Progress;
use xpuck_experiment::Experiment;
use xpuck_kernels::engine::{AdapterChoice, EngineKind};
use xpuck_testing::patience;

const TEXT: &str = "name = \"x\"\nminutes = 1.0\nsegment_minutes = 0.5\ntask = \"transport\"\n\
    [evolution]\npopulation = 8\ntrial_seconds = 1.0\n";
/// Curriculum of two steps with two generations each.
const STEPS: &str = "[[steps]]\nname = \"alone\"\nrobots = 1\nseconds = 2.0\nend = \"gennum-thisstep >= 2\"\n\
    [[steps]]\nname = \"three\"\nrobots = 3\nend = \"num-eval-thisstep >= 9\"\n";

fn plan(state: Option<PathBuf>) -> Plan {
    plan_of(TEXT, state)
}

fn plan_of(text: &str, state: Option<PathBuf>) -> Plan {
    let experiment = Experiment::parse("x", text).unwrap();
    let digest = "0".repeat(64);
    let plan = xpuck_experiment::Plan::new(&experiment, &Default::default(), Some(2)).unwrap();
    let island = IslandPlan { plan: plan.into(), digest, number: 5, seed: 1, island: 1 };
    let engine = EngineChoice::with_best_adapter(EngineKind::Auto);
    Plan { island, engine, threads: 1, state, temperature: "/nowhere".into(), max_temperature: 80.0 }
}

/// Waits for the next generation and returns it. Passes other events to `other`. The time limit is long, because a
/// software GPU compiles its kernels first.
fn generation(onboard: &Onboard, mut other: impl FnMut(IslandEvent)) -> Generation {
    loop {
        match onboard.told.recv_timeout(3 * patience()).expect("a generation") {
            ThreadMessage::News(IslandEvent::Generation(done)) => return *done,
            ThreadMessage::News(news) => other(news),
            ThreadMessage::Engine(report) => *onboard.engine.borrow_mut() = report,
        }
    }
}

/// Drops the handle of an island, and waits for the end of the island's thread.
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
fn island_runs_only_when_started_and_ends() {
    let onboard = Onboard::start(plan(None)).unwrap();
    std::thread::sleep(Duration::from_millis(50));
    assert!(onboard.poll().is_none(), "it stands still until told to run");
    onboard.run(true);
    let first = generation(&onboard, |_| ());
    // A generation of eight trials has four newborns with two trials each.
    assert_eq!((first.progress.generation, first.births.len()), (1, 4));
    onboard.immigrate(1, vec![]);
    assert_eq!(generation(&onboard, |_| ()).progress.generation, 2);
    assert_eq!((onboard.duty(), onboard.kept()), (1.0, 0));
    end(onboard);
}

#[test]
fn island_adopts_world_estimate_by_majority() {
    let mut plan = plan(None);
    let adaptive = xpuck_experiment::Plan { adapt: true, ..(*plan.island.plan).clone() };
    plan.island.plan = adaptive.into();
    let onboard = Onboard::start(plan).unwrap();
    let estimate = xpuck_wire::message::Estimate {
        parameter: "frisbee-mass".into(),
        simulated: 0.07,
        value: 0.28,
        sd: 0.05,
        evidence: 30.0,
        windows: 40,
    };
    let told = xpuck_wire::message::PeerEstimates { island: 2, age: 0.0, estimates: vec![estimate] };
    onboard.observe(Observation::Peers(1.0, vec![told]));
    onboard.run(true);
    let mut lines = Vec::new();
    let simulated = |done: &Generation| {
        let found = done.found.as_ref().expect("an adaptive island tells what it found");
        let mass = found.estimates.iter().find(|estimate| estimate.parameter == "frisbee-mass");
        mass.expect("every parameter is told").simulated
    };
    // In a swarm of two robots, an estimate that the other robot sent is enough to change the simulation.
    let first = generation(&onboard, |news| lines.push(news));
    assert!((simulated(&first) - 0.28).abs() < 1e-3);
    onboard.immigrate(1, vec![]);
    let second = generation(&onboard, |news| lines.push(news));
    assert!((simulated(&second) - 0.28).abs() < 1e-3);
    let born = |done: &Generation| done.births.iter().map(|birth| birth.number).collect::<Vec<_>>();
    assert!(born(&second).iter().all(|number| !born(&first).contains(number)), "nobody is born twice");
    match lines.as_slice() {
        [IslandEvent::Say(line)] => assert!(line.text.contains("frisbee-mass is 0.280, was 0.070"), "{}", line.text),
        other => panic!("{other:?}"),
    }
    end(onboard);
}

#[test]
fn killed_island_resumes_identically() {
    killed_and_resumed(TEXT);
}

#[test]
fn island_continues_trials_of_earlier_rounds() {
    killed_and_resumed(&format!("{TEXT}algorithm = \"median-stopping\"\n"));
}

fn killed_and_resumed(text: &str) {
    let plan = |state| plan_of(text, state);
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
        if let IslandEvent::Resumed { progress, .. } = news {
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
fn killed_island_resumes_in_same_step() {
    let text = format!("{TEXT}{STEPS}");
    let first = |onboard: &Onboard, count: usize| {
        let mut lines = Vec::new();
        let mut done = Vec::new();
        for _ in 0..count {
            let next = generation(onboard, |news| match news {
                IslandEvent::Say(line) => lines.push(line.text),
                IslandEvent::Resumed { .. } | IslandEvent::Generation(_) => {}
            });
            onboard.immigrate(next.progress.generation, vec![]);
            done.push((next.progress, next.population.step));
        }
        (done, lines)
    };
    let whole = Onboard::start(plan_of(&text, None)).unwrap();
    whole.run(true);
    let (expected, lines) = first(&whole, 8);
    let steps: Vec<u16> = expected.iter().map(|(_, step)| *step).collect();
    assert!(steps[..3] == [0, 0, 1] && steps.is_sorted() && steps.last() == Some(&2), "{steps:?}");
    assert!(lines[0].starts_with("step \"alone\" of evolution ended after 2 generations"), "{lines:?}");
    assert!(lines[0].ends_with("step \"three\" begins") && lines[1].ends_with("own world begins"), "{lines:?}");
    assert_eq!(lines.len(), 2, "{lines:?}");
    let again = Onboard::start(plan_of(&text, None)).unwrap();
    again.run(true);
    assert_eq!(first(&again, 8).0, expected, "the digits depend on the seed only");

    let dir = tempfile::tempdir().unwrap();
    let state = || Some(dir.path().join("xp01"));
    // In each pass, the island is killed in another generation.
    for killed in 1..=6 {
        let one = Onboard::start(plan_of(&text, state())).unwrap();
        one.run(true);
        let (done, lines) = first(&one, 2);
        let kept = done[0].0.generation as usize - 1;
        assert_eq!(done, expected[kept..kept + 2], "after {kept}, {lines:?}");
        if kept > 0 {
            let step = match steps[kept] {
                0 => "generation 1, in step \"alone\"".to_string(),
                1 => format!("generation {kept}, in step \"three\""),
                _ => format!("generation {kept}"),
            };
            assert_eq!(lines[0], format!("evolution continues after {step}"));
        }
        while one.kept() < done[1].0.generation - 1 {
            std::thread::sleep(Duration::from_millis(5));
        }
        end(one);
        if kept + 4 > expected.len() {
            assert!(killed > 2);
            return;
        }
    }
}

#[test]
fn phase_with_other_world_keeps_curriculum_step() {
    let plan = plan_of(&format!("{TEXT}{STEPS}"), None);
    let onboard = Onboard::start(plan.clone()).unwrap();
    let planned = plan.island.plan.clone();
    let mut other = Trials::from_phase(&planned, planned.phase(0));
    let mut world = WorldSpec::clone(&other.world);
    world.physics.mu_bodies = 0.4;
    other.world = world.into();
    onboard.change_trials(other);
    onboard.run(true);
    let steps = (1..=6).map(|number| {
        let step = generation(&onboard, |_| ()).population.step;
        onboard.immigrate(number, vec![]);
        step
    });
    assert!(steps.collect::<Vec<_>>().starts_with(&[0, 0, 1]));
    end(onboard);
}

#[test]
fn hot_processor_pauses_evolution_until_cooled() {
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

#[test]
fn island_evolves_on_gpu_and_reports_adapter() {
    let engine = EngineChoice { engine: EngineKind::Gpu, adapter: AdapterChoice::Name("llvmpipe".into()) };
    let onboard = Onboard::start(Plan { engine, ..plan(None) }).unwrap();
    assert_eq!(onboard.engine(), EngineReport::default());
    onboard.run(true);
    for number in 1..=3 {
        assert_eq!(generation(&onboard, |news| panic!("{news:?}")).progress.generation, number);
        onboard.immigrate(number, vec![]);
    }
    let EngineReport { name, adapter, r_acc } = onboard.engine();
    assert!(name == "gpu" && adapter.contains("llvmpipe") && r_acc > 0.0, "{name} {adapter} {r_acc}");
    end(onboard);
}

#[test]
fn missing_adapter_falls_back_to_simd_with_log_line() {
    let engine = EngineChoice { engine: EngineKind::Gpu, adapter: AdapterChoice::Name("voodoo".into()) };
    let onboard = Onboard::start(Plan { engine, ..plan(None) }).unwrap();
    onboard.run(true);
    let mut said = Vec::new();
    let first = generation(&onboard, |news| said.push(news));
    assert_eq!((first.progress.generation, onboard.engine().name.as_str()), (1, "simd"));
    match said.as_slice() {
        [IslandEvent::Say(line)] => {
            assert!(line.text.contains("voodoo") && line.text.contains("simd"), "{}", line.text)
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn device_lost_between_generations_costs_none() {
    let plan = plan(None);
    let engine = EngineChoice { engine: EngineKind::Gpu, adapter: AdapterChoice::Name("llvmpipe".into()) };
    let machine = Machine { clock: monotonic, gpu: false };
    let (shared, (sender, told), (_genes, arrivals)) = (Shared::default(), channel(), sync_channel(1));
    shared.running.store(true, Ordering::Relaxed);
    let governor = Governor::new(plan.temperature.clone(), plan.max_temperature);
    let engine = ChosenEngine::open(engine, machine).unwrap();
    let own = Trials::from_phase(&plan.island.plan, plan.island.plan.phase(0));
    let (_trials, changes) = channel();
    let (_noticed, notices) = sync_channel(1);
    let mut thread = IslandThread {
        plan: &plan,
        engine,
        shared: &shared,
        sender,
        arrivals,
        changes,
        notices,
        probe: None,
        setting: TrialSetup::of(own.clone()),
        phase_trials: own,
        curriculum_state: CurriculumState::default(),
        governor,
    };
    let mut evaluator = Evaluator::default();
    let mut suspended = SuspendedTrials::default();
    let island = plan.island.create();
    let mut try_all = |thread: &mut IslandThread<'_>| match thread.try_all(&island, &mut evaluator, &mut suspended) {
        TrialResult::All(fitness) => fitness,
        TrialResult::Changed | TrialResult::Ended => panic!("nobody changed or ended it"),
    };
    let on_gpu = try_all(&mut thread);
    thread.engine.destroy_device();
    let without = try_all(&mut thread);
    thread.engine = ChosenEngine::open(EngineChoice::with_best_adapter(EngineKind::Simd), machine).unwrap();
    assert_eq!(without, try_all(&mut thread), "simd's own digits");
    assert_eq!(on_gpu.len(), without.len());
    let lines: Vec<ThreadMessage> = told.try_iter().collect();
    match lines.as_slice() {
        [ThreadMessage::News(IslandEvent::Say(line))] => {
            assert!(line.text.contains("lost") && line.text.contains("simd"), "{}", line.text)
        }
        _ => panic!("{} lines", lines.len()),
    }
}
