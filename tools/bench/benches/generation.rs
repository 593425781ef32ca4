//! Wall time of breeding one generation of 256 trees: selection, crossover, mutation and the new trees; no fitness.
//!
//! The first row is the work in which DEAP 1.4 took 8.8 ms: everybody from a tournament of three, pairs crossed with
//! probability 0.8, then a subtree, a node and a constant replaced with 0.05, 0.1 and 0.1, on trees of about ten nodes.

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use xpuck_evolve::{Algorithm, Island, PrimitiveSet, Settings};

const POPULATION: usize = 256;
const WARM_UP: u32 = 40;

/// Fitness is highest at ten nodes, so that trees keep that size.
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
