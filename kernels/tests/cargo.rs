//! The hand-made controller in the printed world: it delivers cargo.

use xpuck_kernels::cargo::{Automata, Outcome, Prepared, Setup, Weights, hand_made, printed, run, watch};

fn deliver(automata: &Automata, start: usize, repeat: u32) -> Outcome {
    let world = Prepared::new(printed()).unwrap();
    let weights = Weights { offset: 300_000.0, ..Weights::default() };
    run(automata, &Setup { world: &world, weights: &weights, start, repeat, time: 400_000, seed: 1 }, &[])
}

#[test]
fn the_hand_made_controller_delivers() {
    for start in 0..3 {
        for repeat in 0..4 {
            let outcome = deliver(&hand_made(), start, repeat);
            println!("{start} {repeat} {:?}", outcome.tally);
        }
    }
}

#[test]
fn look_at_one() {
    let world = Prepared::new(printed()).unwrap();
    let weights = Weights::default();
    let setup = Setup { world: &world, weights: &weights, start: 0, repeat: 0, time: 100_000, seed: 1 };
    let mut last = 0;
    watch(&hand_made(), &setup, &[], |time, pose, tally| {
        if time >= last + 500 {
            last = time;
            println!("{time} {:.3} {:.3} {:.2} {:?}", pose.at.x, pose.at.y, pose.heading, tally.scripts);
        }
    });
}

#[test]
fn timing() {
    let begin = std::time::Instant::now();
    let mut sum = 0;
    for repeat in 0..200 {
        sum += deliver(&hand_made(), repeat as usize, repeat).tally.scripts[3];
    }
    println!("{sum} deliveries, {:?} a run", begin.elapsed() / 200);
}
