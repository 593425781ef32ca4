//! Tests of engine choices on the adapters of this machine.

use super::*;
use crate::engine::{Evaluator, Team};
use crate::tree::Tree;
use crate::world::{Scenario, Task};
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::Instant;

#[allow(clippy::disallowed_methods, reason = "engines are timed with a real clock")]
fn clock() -> Duration {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

const MACHINE: Machine = Machine { clock, gpu: false };

fn choice(engine: EngineKind, adapter: &str) -> EngineChoice {
    let adapter = if adapter.is_empty() { AdapterChoice::Best } else { adapter.parse().unwrap() };
    EngineChoice { engine, adapter }
}

fn said(engine: &ChosenEngine) -> Vec<String> {
    engine.drain_notices().into_iter().map(|notice| notice.text).collect()
}

fn programs() -> Vec<Program> {
    vec![Program::compile(&Tree::parse("movcv v_goal 0deg").unwrap()).unwrap()]
}

fn jobs(spec: &WorldSpec, number: u32) -> Vec<Job<'_>> {
    (0..number).map(|world| Job { spec, start: 0, team: Team::all(0), seed: 3, world, updates: 20 }).collect()
}

#[test]
fn auto_without_a_gpu_is_simd_and_loads_no_driver() {
    let engine = ChosenEngine::open(choice(EngineKind::Auto, ""), MACHINE).unwrap();
    assert_eq!(engine.name(), "auto");
    let spec = WorldSpec::scenario(4, Scenario::A);
    let jobs = jobs(&spec, 5);
    assert_eq!(engine.run(&programs(), &jobs), Simd::default().run(&programs(), &jobs));
    let status = engine.status();
    assert_eq!((status.engine, status.adapter), ("simd", None));
    assert!(status.r_acc > 0.0 && engine.drain_notices().is_empty());
}

#[test]
fn auto_times_the_adapter_that_it_is_given() {
    let engine = ChosenEngine::open(choice(EngineKind::Auto, "llvmpipe"), MACHINE).unwrap();
    let spec = WorldSpec::scenario(4, Scenario::A);
    let outcomes = engine.run(&programs(), &jobs(&spec, 100));
    assert_eq!(outcomes.len(), 100);
    let said = said(&engine).join("\n");
    assert!(said.starts_with("engine auto: ") && said.contains("robot-seconds a second"), "{said}");
    // Any of the three engines may be fastest. A software adapter runs on the same cores as `simd`, and other
    // processes may use these cores too.
    let rate = |key: &str| -> f64 {
        let after = said.split(&format!("{key} ")).nth(1).unwrap_or_else(|| panic!("no {key}: {said}"));
        after.split([',', ' ']).next().and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{said}"))
    };
    let rates = [("simd", "simd"), ("gpu", "gpu"), ("gpu+simd", "both")].map(|(name, key)| (name, rate(key)));
    let best = rates.iter().fold(0.0, |best, (_, rate)| rate.max(best));
    let (_, taken) = rates.into_iter().find(|(name, _)| *name == engine.name()).unwrap();
    assert!(taken > 0.0 && taken >= best / GAIN, "{said}");
}

#[test]
fn missing_adapter_is_rejected_with_config_keys() {
    let refused = |engine, adapter| ChosenEngine::open(choice(engine, adapter), MACHINE).err().unwrap();
    for engine in [EngineKind::Gpu, EngineKind::Both, EngineKind::Auto] {
        let line = refused(engine, "voodoo");
        assert!(line.starts_with(&format!("engine = \"{engine}\", adapter = \"voodoo\": ")), "{line}");
        assert!(line.contains("llvmpipe") && line.lines().count() == 1, "{line}");
    }
    assert!(refused(EngineKind::Gpu, "77").contains("adapter = 77"));
    // Without the requested device, the engine runs with `simd` and reports this.
    let waiting = ChosenEngine::open_or_wait(choice(EngineKind::Gpu, "voodoo"), MACHINE);
    let spec = WorldSpec::scenario(4, Scenario::A);
    let jobs = jobs(&spec, 3);
    assert_eq!(waiting.run(&programs(), &jobs), Simd::default().run(&programs(), &jobs));
    let said = said(&waiting);
    assert!(said.len() == 1 && said[0].contains("voodoo") && said[0].contains("simd runs instead"), "{said:?}");
}

#[test]
fn gpu_engine_runs_jobs_and_reports_unsupported_specs() {
    let engine = ChosenEngine::open(choice(EngineKind::Gpu, "llvmpipe"), MACHINE).unwrap();
    let spec = WorldSpec::scenario(4, Scenario::A);
    let outcomes = engine.run(&programs(), &jobs(&spec, 5));
    assert!(outcomes.iter().all(|o| o.fitness.is_finite()));
    let status = engine.status();
    assert_eq!(status.engine, "gpu");
    assert!(status.adapter.unwrap().contains("llvmpipe") && !status.driver.unwrap().is_empty());
    assert_eq!(engine.check(&spec), Ok(()));
    let other = WorldSpec { task: Task::Dispersion, ..WorldSpec::benchmark(4) };
    if let Err(line) = engine.check(&other) {
        assert!(line.starts_with("engine = \"gpu\", adapter = \"llvmpipe\": "), "{line}");
    }
}

#[test]
fn both_share_a_batch_and_keep_its_order() {
    let engine = ChosenEngine::open(choice(EngineKind::Both, ""), MACHINE).unwrap();
    let spec = WorldSpec::scenario(4, Scenario::A);
    let jobs = jobs(&spec, 200);
    let simd = Simd::default().run(&programs(), &jobs);
    for _ in 0..3 {
        let shared = engine.run(&programs(), &jobs);
        assert_eq!(shared.len(), simd.len());
        assert_eq!(shared.last(), simd.last(), "the last jobs are simd's");
        // The robots drive straight, so the results of `gpu` and `simd` differ only in rounding.
        assert!(shared.iter().zip(&simd).all(|(a, b)| (a.fitness - b.fitness).abs() < 0.05));
    }
    assert_eq!(engine.status().engine, "gpu+simd");
    let [gpu, simd] = engine.state().speeds.unwrap();
    assert!(gpu > 0.0 && simd > gpu, "{gpu} {simd}");
    assert!(said(&engine).iter().all(|line| line.starts_with("no GPU found; ")));
}

/// A clock that only the test advances (ms).
static NOW: AtomicU64 = AtomicU64::new(0);

fn by_hand() -> Duration {
    Duration::from_millis(NOW.load(SeqCst))
}

#[test]
fn lost_device_keeps_generation_and_is_reopened() {
    let machine = Machine { clock: by_hand, gpu: false };
    let engine = ChosenEngine::open(choice(EngineKind::Gpu, ""), machine).unwrap();
    // A machine without a GPU has a first notice about the software adapter.
    assert!(said(&engine).iter().all(|line| line.starts_with("no GPU found; ")));
    let tree = Tree::parse("movcv v_goal 0deg").unwrap();
    let mut evaluator = Evaluator::default();
    evaluator.prepare(&[&tree]);
    let spec = WorldSpec::scenario(4, Scenario::A);
    let jobs = jobs(&spec, 5);
    let expected = evaluator.fitness(&Simd::default(), &jobs);
    NOW.store(10_000, SeqCst);
    assert_eq!(evaluator.fitness(&engine, &jobs).len(), 5);
    engine.destroy_device();
    assert_eq!(evaluator.fitness(&engine, &jobs), expected, "the generation is run again by simd");
    assert_eq!(engine.status().engine, "simd");
    let lines = said(&engine);
    assert!(lines.len() == 1 && lines[0].contains("lost") && lines[0].contains("simd runs instead"), "{lines:?}");
    NOW.fetch_add(900, SeqCst);
    assert_eq!(evaluator.fitness(&engine, &jobs), expected);
    assert!(engine.drain_notices().is_empty(), "said once");
    NOW.fetch_add(200, SeqCst);
    evaluator.fitness(&engine, &jobs);
    assert_eq!(engine.status().engine, "gpu");
    assert!(said(&engine)[0].contains("open again"));
    // After an immediate second loss, the delay is doubled.
    engine.destroy_device();
    evaluator.fitness(&engine, &jobs);
    NOW.fetch_add(1900, SeqCst);
    evaluator.fitness(&engine, &jobs);
    assert_eq!(engine.status().engine, "simd");
    NOW.fetch_add(200, SeqCst);
    evaluator.fitness(&engine, &jobs);
    assert_eq!(engine.status().engine, "gpu");
}
