//! Tests of networks that are received over a socket and evaluated by our own engine.

use super::*;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use xpuck_gateway::evaluation::message::Message;
use xpuck_gateway::evaluation::robot_server::RobotServer;
use xpuck_gateway::evaluation::robot_server::batch::Batch;
use xpuck_lab::engine;

/// Returns individuals without hidden neurons, whose values are spread over the value ranges.
fn individuals(parameters: &NetParameters, count: u32) -> Vec<Individual> {
    let values = parameters.value_count(0) as u32;
    let value = |number: u32, at: u32| f64::from((number * 37 + at * 11) % 61) / 10.0 - 3.0;
    let individual = |number: u32| Individual {
        generation: 1,
        number,
        hidden: 0,
        values: (0..values).map(|at| value(number, at)).collect(),
    };
    (1..=count).map(individual).collect()
}

fn lines(individuals: &[Individual]) -> Vec<String> {
    let line = |one: &Individual| {
        let mut line = String::new();
        Message::Individual(one.clone()).write_to(&mut line).unwrap();
        line + "\r\n"
    };
    individuals.iter().map(line).collect()
}

/// Serves a task while `client` communicates with the server. Returns the client's result.
fn served<T>(task: &OwnTask, client: impl FnOnce(&mut BufReader<TcpStream>) -> T) -> T {
    let (parameters, spec) = (task.parameters().unwrap(), task.spec().unwrap());
    let evaluate = task.clone().evaluate(parameters.clone(), spec, engine::simd());
    let at = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let mut server =
        RobotServer::listen(Batch::new(parameters, evaluate).unwrap(), at, Duration::from_secs(60)).unwrap();
    let (at, stop) = (server.address().unwrap(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                server.turn(Duration::from_millis(20)).unwrap();
            }
        });
        let stream = TcpStream::connect(at).unwrap();
        stream.set_nodelay(true).unwrap();
        let result = client(&mut BufReader::new(stream));
        stop.store(true, Ordering::Relaxed);
        result
    })
}

#[test]
fn served_fitness_equals_direct_evaluation() {
    let task = OwnTask { concurrent: 5, runs: 2, ..OwnTask::default() };
    let parameters = task.parameters().unwrap();
    let individuals = individuals(&parameters, 12);
    let mut direct = task.clone().evaluate(parameters, task.spec().unwrap(), engine::simd());
    let wanted = direct(&individuals).unwrap();
    let mut told: Vec<(usize, f64)> = served(&task, |client| {
        client.get_mut().write_all(lines(&individuals).concat().as_bytes()).unwrap();
        let fitness = |line: String| match Message::parse(&line).unwrap() {
            Message::Fitness { number, fitness, .. } => (number as usize, fitness),
            other => panic!("{other:?}"),
        };
        client.lines().take(12).map(|line| fitness(line.unwrap())).collect()
    });
    told.sort_by_key(|(number, _)| *number);
    assert_eq!(told.iter().map(|(_, fitness)| *fitness).collect::<Vec<_>>(), wanted);
    assert!(wanted.iter().any(|fitness| *fitness != wanted[0]), "{wanted:?}");
}

#[test]
fn tasks_that_make_no_sense_are_refused() {
    let wrong = |task: OwnTask| task.parameters().unwrap_err().to_string();
    let usual = OwnTask::default;
    assert!(wrong(OwnTask { concurrent: 0, ..usual() }).contains("concurrent is 0"));
    assert!(wrong(OwnTask { inputs: vec!["v_nothing.x".into()], ..usual() }).contains("v_nothing"));
    assert!(wrong(OwnTask { inputs: Vec::new(), ..usual() }).contains("inputs is 0"));
    assert!(wrong(OwnTask { hidden: [0, 60_000], ..usual() }).contains("NetParameters"));
    assert!(wrong(OwnTask { hidden: [0, 63], ..usual() }).contains("must be lower"));
    assert!(wrong(OwnTask { weights: [f64::NAN, 1.0], ..usual() }).contains("NaN"));
}

/// Prints the evaluation rates of the engine and of the server with 256 individuals in flight, and their ratio.
#[test]
#[ignore = "a measurement"]
fn rate_with_256_individuals_is_printed() {
    const BATCHES: usize = 6;
    let task = OwnTask { runs: 1, ..OwnTask::default() };
    let parameters = task.parameters().unwrap();
    let individuals = individuals(&parameters, 256);
    let mut direct = task.clone().evaluate(parameters, task.spec().unwrap(), engine::simd());
    let lines = lines(&individuals);
    let rate = |began: Instant| (BATCHES * 256) as f64 / began.elapsed().as_secs_f64();
    for _ in 0..3 {
        let began = Instant::now();
        (0..BATCHES).for_each(|_| drop(direct(&individuals).unwrap()));
        let own = rate(began);
        let began = Instant::now();
        served(&task, |client| {
            client.get_mut().write_all(lines.concat().as_bytes()).unwrap();
            let mut line = String::new();
            for answered in 0..BATCHES * 256 {
                line.clear();
                client.read_line(&mut line).unwrap();
                // After each answer, the server accepts one more individual.
                if answered < (BATCHES - 1) * 256 {
                    client.get_mut().write_all(lines[answered % 256].as_bytes()).unwrap();
                }
            }
        });
        let served = rate(began);
        println!("{own:.0} a second by the engine, {served:.0} served: {:.3}", served / own);
    }
}
