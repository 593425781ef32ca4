//! Conformance cases 1 to 10 of the specification, tested with a population manager's messages to a robot simulator.

use super::serving::{Client, anywhere, example, robots, world_at};
use std::collections::BTreeSet;
use std::time::Duration;
use xpuck_gateway::evaluation::robot::task::Task;

const EXAMPLE: &str = "NetParameters 1 0 0 0 2 0 0 0 2 0 0 0 0 0 0 0 0 1 -10 10 1 1";
const FIRST: &str = "Individual 1 1 0 0.3 -1.5 2.7 -0.4 2.1 0.1 -3.6 -0.9";

fn with(task: &Task, client: impl FnOnce(&mut Client)) -> Vec<String> {
    let world = world_at(anywhere());
    let server = robots(task, world.at);
    client(&mut Client::new(server.at));
    server.stop()
}

#[test]
fn case_1_parameters_are_reported() {
    with(&Task::default(), |client| {
        let answer = client.ask("SendNetParameters");
        let numbers = answer.strip_prefix("NetParameters ").unwrap();
        let numbers: Vec<f64> = numbers.split(' ').map(|number| number.parse().unwrap()).collect();
        assert_eq!(numbers.len(), 22);
        assert!(numbers[0] >= 1.0 && numbers[12] <= numbers[13]);
        for low in [2, 6, 10, 15, 18] {
            assert!(numbers[low] <= numbers[low + 1], "{answer}");
        }
        assert!(numbers[20..].iter().all(|flag| [0.0, 1.0].contains(flag)));
    });
}

#[test]
fn cases_2_to_5_the_example_is_evaluated() {
    with(&example(), |client| {
        assert_eq!(client.ask("SendNetParameters"), EXAMPLE);
        let fitness = client.fitness(FIRST, 1, 1);
        assert!(fitness > 0.0 && fitness < 1.0);
        let same = "Individual 1 2 0 +0.3 -15E-1 27e-1 -0.4 2.1 .1 -3.6 -9E-1";
        assert_eq!(client.fitness(same, 1, 2), fitness);
        let echoed = "Individual 37 200 0 0.3 -1.5 2.7 -0.4 2.1 0.1 -3.6 -0.9";
        assert_eq!(client.fitness(echoed, 37, 200), fitness);
        let other = "Individual 1 3 0 2.3 -1.5 2.7 0.4 2.1 0.1 3.6 0.9";
        assert_ne!(client.fitness(other, 1, 3), fitness);
    });
}

#[test]
fn case_6_as_many_as_are_allowed_at_once_and_more() {
    with(&Task { concurrent: 4, ..example() }, |client| {
        for count in [4, 50] {
            let all: String =
                (1..=count).map(|number| FIRST.replacen("1 1", &format!("1 {number}"), 1) + "\r\n").collect();
            client.say(&all);
            let answered: BTreeSet<String> =
                (0..count).map(|_| client.line().rsplit_once(' ').unwrap().0.to_string()).collect();
            assert_eq!(answered, (1..=count).map(|number| format!("Fitness 1 {number}")).collect());
        }
    });
}

#[test]
fn cases_7_and_8_nulled_weights_make_no_difference() {
    // The genome has a bias for each of the two outputs. Then each output has a row of weights, from the two inputs
    // and the two outputs.
    let genome = |changed: usize, number: u32| {
        let mut values = [0.8, 0.5, 0.3, -1.5, 2.7, -0.4, 2.1, 0.1, -3.6, -0.9];
        if changed > 0 {
            values[changed] = 9.0;
        }
        format!("Individual 1 {number} 0 {}", values.map(|value| value.to_string()).join(" "))
    };
    let with_bias = Task { neuron_values: 1, ..example() };
    let input_to_output = ([2, 3, 6, 7], Task { input_to_output: false, ..with_bias.clone() });
    let output_to_output = ([4, 5, 8, 9], Task { recurrent: false, ..with_bias });
    for (nulled, task) in [input_to_output, output_to_output] {
        with(&task, |client| {
            let fitness = client.fitness(&genome(0, 1), 1, 1);
            for changed in 2..10 {
                let other = client.fitness(&genome(changed, 2), 1, 2);
                assert_eq!(other == fitness, nulled.contains(&changed), "value {changed}: {other} {fitness}");
            }
        });
    }
}

#[test]
fn case_9_what_does_not_fit_closes_the_connection() {
    let seven = FIRST.rsplit_once(' ').unwrap().0;
    let refused = [
        (seven, "10 values, expected 11"),
        (&format!("{FIRST} 1"), "12 values"),
        (&FIRST.replace("2.7", "nan"), "\"nan\" is not a number"),
        (&FIRST.replace("2.7", "1e999"), "Individual: value"),
        (&FIRST.replace("2.7", "10.1"), "out of range -10 to 10"),
        (&FIRST.replace("1 1 0", "1 1 4000000000"), "count of hidden neurons"),
        ("CreateRobot", "CreateRobot is not accepted by a robot simulator"),
        ("", "unknown message"),
    ];
    for (line, why) in refused {
        let told = with(&example(), |client| assert_eq!(client.ask(line), "", "{line}"));
        assert!(
            told.iter().any(|text| text.contains("population manager 1") && text.contains(why)),
            "{line}: {told:?}"
        );
    }
}

#[test]
fn case_10_requests_may_come_in_pieces_with_any_line_end() {
    with(&example(), |client| {
        let (start, rest) = FIRST.split_at(5);
        client.say(start);
        std::thread::sleep(Duration::from_secs(1));
        client.say(rest);
        client.say("\r\n");
        assert!(client.line().starts_with("Fitness 1 1 "));
        client.say("SendNetParameters\n");
        assert_eq!(client.line(), EXAMPLE);
    });
}

#[test]
fn flooding_client_is_not_read_and_others_are_served() {
    let world = world_at(anywhere());
    let server = robots(&example(), world.at);
    let flood = format!("{FIRST}\r\n").repeat(500_000);
    let mut deaf = Client::new(server.at);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| deaf.say(&flood));
        let mut other = Client::new(server.at);
        assert!(other.fitness(FIRST, 1, 1) > 0.0);
        assert!(!writer.is_finished(), "the flood waits");
        let told = server.stop();
        assert!(told.len() < 20, "{told:?}");
        // The client's write fails, because the server has closed the connection.
        assert!(writer.join().is_err());
    });
}
