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

#[test]
fn simple_follower() {
    let text = "1 -> 1: (SENSORS_LINE_ENTER), in:LNFLWER_FOLLOW, out:-\n1 -> 1: (SENSORS_LINE_LEAVE), in:SENSORS_LINE_LEAVE, out:-\n";
    let mut automata = hand_made();
    automata.0[1] = Some(xpuck_kernels::automaton::parse("f", xpuck_kernels::automaton::Module::LineFollower, text).unwrap());
    automata.0[0] = None;
    let world = Prepared::new(printed()).unwrap();
    let weights = Weights { offset: 300_000.0, obstacle_time: -1.0, line_time: 5.0, changes: 100.0, ..Weights::default() };
    for start in 0..3 {
        for repeat in 0..4 {
            let o = run(&automata, &Setup { world: &world, weights: &weights, start, repeat, time: 150_000, seed: 1 }, &[]);
            println!("F {start} {repeat} {:.0} obstacle {:.0} line {:.0} changes {}", o.score, o.tally.obstacle_time, o.tally.line_time, o.tally.changes);
        }
    }
}
