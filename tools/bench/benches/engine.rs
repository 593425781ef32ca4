//! Measures the speed of the engine `simd` on all cores. It simulates 256 worlds of 16 robots for 30 s each.
//!
//! Criterion stores its measurements, so that the speed before and after a change can be compared. Before the change,
//! run `cargo bench -p xpuck-bench --profile dev --bench engine -- --save-baseline before`. After the change, run the
//! same command with `--baseline before` instead of `--save-baseline before`. The unit "elements per second" means
//! simulated robot-seconds per second, which `xpuck dev bench` reports as r_acc.

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use xpuck_kernels::engine::{Engine, Job, Outcome, Piece, Simd, Suspended, Team};
use xpuck_kernels::tree::{Program, Tree};
use xpuck_kernels::world::{Scenario, Sensing, WorldSpec};

const WORLDS: u32 = 256;
const ROBOTS: usize = 16;
/// Number of controller updates per world. One update covers 0.1 s of simulated time.
const UPDATES: u32 = 300;
/// Number of pieces of a run in the benchmark of pieces.
const PIECES: u32 = 4;
/// Workloads. Each workload has a name, the tree of the robots, and the senses that are computed. With `None`, only the
/// senses that the tree reads are computed.
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
    let (name, text, sensing) = WORKLOADS[3];
    let program = Program::compile(&Tree::parse(text).expect("a tree")).expect("fits a robot");
    group.bench_function(format!("{name}, in pieces"), |b| {
        b.iter(|| in_pieces(&Simd { sensing }, std::slice::from_ref(&program), &jobs));
    });
    group.finish();
}

/// Simulates the jobs in pieces of 7.5 s, after which all of them go on.
fn in_pieces(simd: &Simd, programs: &[Program], jobs: &[Job<'_>]) -> Vec<Outcome> {
    let mut results: Vec<(Outcome, Option<Suspended>)> =
        jobs.iter().map(|_| (Outcome { fitness: 0.0, hash: 0 }, None)).collect();
    for piece in 1..=PIECES {
        let updates = UPDATES * piece / PIECES;
        let pieces =
            jobs.iter().zip(results).map(|(job, (_, from))| Piece { job: Job { updates, ..job.clone() }, from });
        let pieces: Vec<Piece<'_>> = pieces.collect();
        let outcomes = simd.advance(programs, &pieces);
        results = outcomes.into_iter().map(|(outcome, suspended)| (outcome, Some(suspended))).collect();
    }
    results.into_iter().map(|(outcome, _)| outcome).collect()
}

criterion_group!(benches, engine);
criterion_main!(benches);
