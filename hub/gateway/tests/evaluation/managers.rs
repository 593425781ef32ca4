//! Tests of population managers with robot simulators that connect, disconnect, answer late, or send invalid
//! messages.

use super::peers::peer;
use super::serving::{LONGEST, anywhere, example, robots, world_at};
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use xpuck_gateway::evaluation::population::evolution::{Best, Settings, Summary};
use xpuck_gateway::evaluation::population::manager::{Counts, Manager};
use xpuck_gateway::evaluation::robot::task::Task;

fn task() -> Task {
    Task { hidden: [0, 3], neuron_values: 1, steps: 60, ..example() }
}

fn settings() -> Settings {
    Settings { population: 12, ..Settings::default() }
}

struct Run {
    summaries: Vec<Summary>,
    best: Best,
    counts: Counts,
    told: Vec<String>,
}

/// Runs an evolution for a number of generations. After each generation, `between` is called with the generation's
/// number.
fn run(simulators: &[SocketAddr], generations: u32, timeout: Duration, mut between: impl FnMut(u32)) -> Run {
    let mut manager = Manager::new(settings(), simulators, timeout);
    let (mut summaries, mut told) = (Vec::new(), Vec::new());
    let began = Instant::now();
    while summaries.len() < generations as usize {
        let turn = manager.turn(Duration::from_millis(10)).unwrap();
        told.extend(turn.told.into_iter().map(|line| line.text));
        if let Some((summary, champion)) = turn.generation {
            assert_eq!(summary.best, champion.fitness);
            summaries.push(summary);
            between(summary.generation);
        }
        assert!(began.elapsed() < LONGEST, "{told:#?}");
    }
    let counts = manager.counts();
    Run { summaries, best: manager.evolution().unwrap().best().unwrap().clone(), counts, told }
}

const LONG: Duration = Duration::from_secs(30);

#[test]
fn replaced_simulator_does_not_change_evolution() {
    let worlds = [world_at(anywhere()), world_at(anywhere())];
    let alone = robots(&task(), worlds[0].at);
    let undisturbed = run(&[alone.at], 8, LONG, |_| {});
    let first = undisturbed.summaries[0].best;
    assert!(undisturbed.best.fitness > first, "{first} {:?}", undisturbed.best);

    let (one, two) = (robots(&task(), worlds[0].at), robots(&task(), worlds[1].at));
    let (places, mut one) = ([one.at, two.at], Some(one));
    // The simulator stops while it evaluates individuals: the next generation is sent before the closure is called.
    let disturbed = run(&places, 8, LONG, |generation| {
        if generation == 3 {
            one.take().map(|one| one.stop());
        }
    });
    assert_eq!(disturbed.summaries, undisturbed.summaries);
    assert_eq!(disturbed.best, undisturbed.best);
    assert!(disturbed.counts.lost >= 1, "{:?}", disturbed.told);
    assert!(
        disturbed.told.iter().any(|line| line.contains("lost connection to robot simulator")),
        "{:?}",
        disturbed.told
    );
}

const PARAMETERS: &str = "NetParameters 2 0 0 0 2 0 0 0 2 1 -5 5 0 3 1 -5 5 1 -10 10 1 1\r\n";

/// Starts a simulator that answers the request for parameters. For each individual, `then` gets a text with the
/// generation and the number, and returns the simulator's answer. `None` closes the connection.
fn scripted(then: impl Fn(&str) -> Option<String> + Send + Clone + 'static) -> SocketAddr {
    peer(move |line| match line.strip_prefix("Individual ") {
        None => Some(PARAMETERS.into()),
        Some(rest) => then(&rest.split(' ').take(2).collect::<Vec<_>>().join(" ")),
    })
}

#[test]
fn lost_answers_are_asked_for_elsewhere() {
    let world = world_at(anywhere());
    let good = robots(&task(), world.at);
    let undisturbed = run(&[good.at], 3, LONG, |_| {});
    let silent = scripted(|_| Some(String::new()));
    let run = run(&[silent, good.at], 3, Duration::from_millis(300), |_| {});
    assert_eq!(run.summaries, undisturbed.summaries);
    assert!(run.counts.overdue >= 2 && run.told.iter().any(|line| line.contains("is sent again")), "{:?}", run.told);
}

#[test]
fn late_answers_count_once() {
    // One simulator answers after 0.4 s, which is longer than the timeout of 0.25 s. Both simulators report the same
    // fitness.
    let late = |pause: u64| {
        scripted(move |name| {
            std::thread::sleep(Duration::from_millis(pause));
            Some(format!("Fitness {name} 0.5\r\n"))
        })
    };
    let run = run(&[late(30), late(400)], 3, Duration::from_millis(250), |_| {});
    assert!(run.summaries.iter().all(|one| one.best == 0.5 && one.worst == 0.5));
    assert_eq!(run.counts.evaluated, 36, "{:?}", run.counts);
    assert!(run.counts.overdue > 0);
}

#[test]
fn nonsense_and_what_nobody_asked_for_never_count() {
    let world = world_at(anywhere());
    let good = robots(&task(), world.at);
    let undisturbed = run(&[good.at], 4, LONG, |_| {});
    let unknown = scripted(|name| Some("Fitness 99 99 1e14\r\n".repeat(500) + &format!("Fitness {name} nan\r\n")));
    let malformed = scripted(|_| Some("Fitness 1 1\r\n".into()));
    let huge = scripted(|name| Some(format!("Fitness {name} -1e300\r\n")));
    let closing = scripted(|_| None);
    let other = peer(|_| Some("NetParameters 1 0 0 0 2 0 0 0 2 0 0 0 0 0 0 0 0 1 -10 10 1 1\r\n".into()));
    let world_like = peer(|_| Some("YourIdentifier 1\r\n".into()));
    let nobody = std::net::TcpListener::bind(anywhere()).unwrap().local_addr().unwrap();
    let all = [good.at, unknown, malformed, huge, closing, other, world_like, nobody];
    let disturbed = run(&all, 4, LONG, |_| {});
    assert_eq!(disturbed.summaries, undisturbed.summaries);
    assert!(disturbed.counts.unknown >= 500, "{:?}", disturbed.counts);
    for why in [
        "an unrequested fitness",
        "2 values, expected 3",
        "a fitness of -1e300; at most 1e15 is allowed",
        "closed the connection",
        "its networks differ",
        "YourIdentifier is not accepted by a population manager",
        "no robot simulator at",
    ] {
        assert!(disturbed.told.iter().any(|line| line.contains(why)), "{why}: {:#?}", disturbed.told);
    }
}
