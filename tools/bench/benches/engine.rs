//! Cost of simulated worlds in `simd`: 256 worlds of 16 robots, 30 s each, on all cores.
//!
//! Criterion keeps what it measured, so a change is compared with what was before by
//! `cargo bench -p xpuck-bench --profile dev --bench engine -- --save-baseline before`, then `--baseline before`.
//! Elements per second are robot-seconds a second, the r_acc of `xpuck dev bench`.

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use xpuck_kernels::engine::{Engine, Job, Simd, Team};
use xpuck_kernels::tree::{Program, Tree};
use xpuck_kernels::world::{Scenario, Sensing, WorldSpec};

const WORLDS: u32 = 256;
const ROBOTS: usize = 16;
/// Controller updates of a world, 0.1 s each.
const UPDATES: u32 = 300;
/// Name, tree of the robots, and computed senses; without a value, the senses that the tree reads.
const WORKLOADS: [(&str, &str, Option<Sensing>); 4] = [
    ("physics", "movcv v_goal 60deg", Some(Sensing::NONE)),
    ("senses", "movcv v_goal 60deg", Some(Sensing::ALL)),
    ("everything", "explore 20", Some(Sensing::ALL)),
    ("pushing", include_str!("../../../docs/trees/806768.bt"), None),
];

fn engine(c: &mut Criterion) {
    let mut group = c.benchmark_group("engine");
    let robot_seconds = u64::from(WORLDS) * ROBOTS as u64 * u64::from(UPDATES) / 10;
    group.sample_size(10).sampling_mode(SamplingMode::Flat).throughput(Throughput::Elements(robot_seconds));
    let spec = WorldSpec::scenario(ROBOTS, Scenario::B);
    let job = |world| Job { spec: &spec, start: 0, team: Team::all(0), seed: 1, world, updates: UPDATES };
    let jobs: Vec<Job<'_>> = (0..WORLDS).map(job).collect();
    for (name, text, sensing) in WORKLOADS {
        let program = Program::compile(&Tree::parse(text).expect("a tree")).expect("fits a robot");
        let simd = Simd { sensing };
        group.bench_function(name, |b| b.iter(|| simd.run(std::slice::from_ref(&program), &jobs)));
    }
    group.finish();
}

criterion_group!(benches, engine);
criterion_main!(benches);
