//! Wall time of breeding one generation.
use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use xpuck_evolve::{Algorithm, Island, Palette, Settings};

fn score(island: &Island) -> Vec<f32> {
    island
        .trials()
        .iter()
        .map(|t| {
            let nodes = island.population()[t.individual].tree.nodes().len() as f32;
            -(nodes - 10.0).abs() + 0.001 * (t.world % 97) as f32
        })
        .collect()
}

fn generation(c: &mut Criterion) {
    let mut group = c.benchmark_group("generation");
    for (name, settings) in Algorithm::ALL.map(|a| (a.name(), Settings { population: 256, ..Settings::of(a) })) {
        let mut island = Island::new(settings, Palette::in_swarm(), 1, 1);
        for _ in 0..40 {
            let s = score(&island);
            island.record(&s);
            island.advance(&[]);
        }
        let s = score(&island);
        island.record(&s);
        let n: usize = island.population().iter().map(|i| i.tree.nodes().len()).sum();
        println!("{name}: mean size {}", n as f32 / 256.0);
        group.bench_function(name, |b| {
            b.iter_batched(
                || island.clone(),
                |mut i| {
                    i.advance(black_box(&[]));
                    i
                },
                criterion::BatchSize::LargeInput,
            )
        });
    }
    group.finish();
}
criterion_group!(benches, generation);
criterion_main!(benches);
