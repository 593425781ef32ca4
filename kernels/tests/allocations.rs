//! Checks that ticks of the library's trees do not allocate memory.

#![allow(clippy::disallowed_methods, reason = "the library of trees is a folder")]

use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::tree::{Memory, Program, Senses, Tree};

#[test]
fn ticks_allocate_nothing() {
    let library = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/trees");
    let mut trees = 0;
    for entry in std::fs::read_dir(library).expect("the library of trees") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|e| e != "bt") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a tree");
        let program = Program::compile(&Tree::parse(&text).expect("a tree")).expect("fits a robot");
        let mut memory = Memory::new(&program);
        let counted = allocation_counter::measure(|| {
            for step in 0..200 {
                let mut draws = Draws::new(1, 0, 0, step, Stream::Controller);
                memory.tick(&program, &Senses::default(), &mut draws);
            }
        });
        assert_eq!(counted.count_total, 0, "{}", path.display());
        trees += 1;
    }
    assert!(trees >= 20, "only {trees} trees found");
}

#[test]
fn allocation_counter_counts_one_box() {
    assert_eq!(allocation_counter::measure(|| drop(std::hint::black_box(Box::new(9)))).count_total, 1);
}
