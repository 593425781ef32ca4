//! Measures the wall time of a tick per visited node.
//!
//! The first tree has also been measured in other behaviour-tree engines. Its root is a selector with five children:
//! three sequences (S, S, F), one selector (F, F, F) and one sequence (S, S, S). S stands for success, and F for
//! failure. All 21 nodes of the tree are visited in every tick. The second tree is a robot's controller.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::tree::{Memory, Program, Senses, Tree};

const ALL_VISITED: &str = include_str!("../../../docs/trees/all-visited.bt");
const TREE_806768: &str = include_str!("../../../docs/trees/806768.bt");

fn tree_tick(c: &mut Criterion) {
    let mut group = c.benchmark_group("tree_tick");
    // The throughput is the number of visited nodes, so that Criterion's "elements per second" are nodes per second.
    for (name, text, visited) in [("all_visited", ALL_VISITED, 21), ("806768_blue_ahead", TREE_806768, 11)] {
        let program = Program::compile(&Tree::parse(text).expect("a tree of the library")).expect("fits a robot");
        let mut memory = Memory::new(&program);
        let mut senses = Senses::default();
        senses.colours[2].x = 1.0;
        group.throughput(Throughput::Elements(visited));
        group.bench_function(name, |b| {
            b.iter(|| {
                let mut draws = Draws::new(1, 0, 0, 0, Stream::Controller);
                memory.tick(black_box(&program), black_box(&senses), &mut draws)
            });
        });
    }
    group.finish();
}

criterion_group!(benches, tree_tick);
criterion_main!(benches);
