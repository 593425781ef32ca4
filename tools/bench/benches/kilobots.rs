//! Measures the speed of simulating foraging Kilobots on all cores. It simulates 256 worlds of 25 or 100 robots for 300
//! s each.
//!
//! Run `cargo bench -p xpuck-bench --profile dev --bench kilobots`. The unit "elements per second" means simulated
//! robot-seconds per second (r_acc).

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use xpuck_kernels::tree::{RegisterMap, Tree};
use xpuck_kilobots::{Foraging, Job, Program, run};

const WORLDS: u32 = 256;
/// Workloads. Each workload has a name and the tree of the robots. In the first workload, the swarm disperses. In the
/// second, the swarm stays together. In the third, the robots do not move.
const WORKLOADS: [(&str, &str); 3] =
    [("forward", "mf"), ("figure-4-6", include_str!("../../../docs/kilobots/figure-4-6.bt")), ("still", "failurel")];

fn kilobots(c: &mut Criterion) {
    let mut group = c.benchmark_group("kilobots");
    for robots in [25, 100] {
        let foraging = Foraging::thesis(robots);
        let robot_seconds = u64::from(WORLDS) * robots as u64 * foraging.seconds as u64;
        group.sample_size(10).sampling_mode(SamplingMode::Flat).throughput(Throughput::Elements(robot_seconds));
        for (name, text) in WORKLOADS {
            let tree = Tree::parse_with(text, RegisterMap::Kilobot, false).expect("a tree");
            let program = Program::compile(&tree).expect("fits a robot");
            let jobs: Vec<Job<'_>> = (0..WORLDS).map(|world| Job { program: &program, seed: 1, world }).collect();
            group.bench_function(format!("{name}-{robots}"), |b| b.iter(|| run(&foraging, &jobs)));
        }
    }
    group.finish();
}

criterion_group!(benches, kilobots);
criterion_main!(benches);
