//! Tests with worlds that are lost, silent, or send invalid answers.

use super::serving::{Client, anywhere, example, robots, world_at};
use std::io::{Read, Write};
use std::net::TcpListener;

const GENOME: &str = "Individual 1 1 0 0.3 -1.5 2.7 -0.4 2.1 0.1 -3.6 -0.9";

/// Simulates a world that accepts a connection, sends `line` and waits until the connection ends.
fn bad_world(listener: &TcpListener, line: &[u8]) {
    let (mut stream, _) = listener.accept().unwrap();
    let mut bytes = [0; 1024];
    assert!(stream.read(&mut bytes).unwrap() > 0);
    stream.write_all(line).unwrap();
    while stream.read(&mut bytes).is_ok_and(|count| count > 0) {}
}

#[test]
fn fitness_is_sent_only_after_world_measured_it() {
    let world = world_at(anywhere());
    let server = robots(&example(), world.at);
    let right = Client::new(server.at).fitness(GENOME, 1, 1);
    drop((server.stop(), world.stop()));
    let listener = TcpListener::bind(anywhere()).unwrap();
    let place = listener.local_addr().unwrap();
    let server = robots(&example(), place);
    let mut client = Client::new(server.at);
    client.say(&format!("{GENOME}\r\n"));
    // The first world sends nothing. The next worlds send an invalid message, an unsolicited answer, a report that the
    // robot is lost, an invalid number, and the identifier of another robot, in this order.
    let lost = b"YourIdentifier 7\r\nYourPosition 7 0 0 0 0 0 0 1 1\r\n";
    for line in [
        &b""[..],
        b"what?\r\n",
        b"YourIdentifier 1\r\nYourIdentifier 2\r\n",
        lost,
        b"YourIdentifier nan\r\n",
        b"YourIdentifier 7\r\nYourPosition 8 500 600 0 0 0 0 0 0\r\n",
    ] {
        bad_world(&listener, line);
    }
    drop(listener);
    let world = world_at(place);
    assert_eq!(client.line(), format!("Fitness 1 1 {right}"));
    drop(world.stop());
    // The world is lost between two individuals. Then another world starts.
    client.say(&format!("{GENOME}\r\n"));
    let world = world_at(place);
    assert_eq!(client.line(), format!("Fitness 1 1 {right}"));
    let told = server.stop();
    for why in
        ["did not answer", "unknown message \"what?\"", "robot 7 is missing", "\"nan\" is not a number", "robot 7"]
    {
        assert!(told.iter().any(|line| line.contains("restarting") && line.contains(why)), "{why}: {told:#?}");
    }
    drop(world);
}

#[test]
fn disconnected_manager_cancels_its_individuals() {
    let world = world_at(anywhere());
    let server = robots(&xpuck_gateway::evaluation::robot::task::Task { steps: 100_000, ..example() }, world.at);
    let mut one = Client::new(server.at);
    one.say(&format!("{GENOME}\r\n{GENOME}\r\n"));
    let mut other = Client::new(server.at);
    // The sonars of a watching client detect whether the managers' robots are in the world.
    let mut watcher = Client::new(world.at);
    watcher.ask("CreateRobot");
    drop(one);
    assert!(other.ask("SendNetParameters").starts_with("NetParameters 1 "));
    let mut robots_left = || {
        let around =
            (0..8).map(|at| watcher.ask(&format!("SonicSensor 1 1000 1000 10 {} 0 0.785 0", 0.785 * f64::from(at))));
        around.filter(|line| line.rsplit_once(' ').unwrap().1.parse::<f64>().unwrap() < 990.0).count()
    };
    let began = std::time::Instant::now();
    while robots_left() > 0 {
        assert!(began.elapsed().as_secs() < 20);
    }
    let told = server.stop();
    assert!(
        told.iter().any(|line| line.contains("disconnected, lost 2 individuals that were not evaluated")),
        "{told:?}"
    );
}
