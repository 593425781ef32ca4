//! Measures the wall time to breed one generation of 256 trees by selection, crossover and mutation. The evaluation of
//! fitness is not included.
//!
//! The first benchmark, "as DEAP", repeats a workload for which DEAP 1.4 needed 8.8 ms. Parents are selected by
//! tournaments of three. Pairs are crossed with probability 0.8. Then a subtree is replaced with probability 0.05, a
//! node with probability 0.1, and a constant with probability 0.1. Trees have about ten nodes.

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use xpuck_evolve::{Algorithm, Island, PrimitiveSet, Settings};

const POPULATION: usize = 256;
const WARM_UP: u32 = 40;

/// Records a fitness for every trial of the island. The fitness is highest for trees with ten nodes, so that trees keep
/// about this size.
fn record(island: &mut Island) {
    let trial = |t: &xpuck_evolve::Trial| {
        let nodes = island.population()[t.individual].tree.nodes().len() as f32;
        0.001 * (t.world % 97) as f32 - (nodes - 10.0).abs()
    };
    let fitness: Vec<f32> = island.trials().iter().map(trial).collect();
    island.record(&fitness);
}

fn generation(c: &mut Criterion) {
    let mut group = c.benchmark_group("generation");
    let dars2016 = Settings::for_algorithm(Algorithm::Dars2016);
    let deap = Settings { mutate_shrink: 0.0, mutate_point: 0.1, mutate_parameter: 0.1, elite: 0.01, ..dars2016 };
    let own = Algorithm::ALL.map(|algorithm| (algorithm.name(), Settings::for_algorithm(algorithm)));
    for (name, settings) in [("as DEAP", deap)].into_iter().chain(own) {
        let settings = Settings { population: POPULATION, ..settings };
        let mut island = Island::new(settings, PrimitiveSet::in_swarm(), 1, 1);
        for _ in 0..WARM_UP {
            record(&mut island);
            island.advance(&[]);
        }
        record(&mut island);
        group.bench_function(name, |b| {
            let breed = |mut island: Island| {
                island.advance(black_box(&[]));
                island
            };
            b.iter_batched(|| island.clone(), breed, BatchSize::LargeInput);
        });
    }
    group.finish();
}

criterion_group!(benches, generation);
criterion_main!(benches);
