//! Measurement of the number of requests that a world answers per second.

use std::time::Instant;

use super::*;
use crate::evaluation::place::Target;
use crate::evaluation::world::random::Random;

const REQUESTS: usize = 1_000_000;

/// Prints the number of requests per second. Run it with `cargo test --release -p xpuck-gateway world -- --ignored
/// --nocapture`.
#[test]
#[ignore = "a measurement: it prints requests per second"]
fn requests_per_second() {
    let mut random = Random::new(1);
    let crowd = || {
        let mut world = empty();
        for identifier in 1..=16 {
            ask(&mut world, "CreateRobot");
            go(&mut world, &format!("BodyShape {identifier} {RECTANGLE}"));
        }
        world
    };
    let mut message = |name: &str, reach: f64| {
        let identifier = 1 + (16.0 * random.unit()) as u16;
        let (pose, other) = (random.pose(), random.pose());
        let line = match name {
            "MoveTo" => format!("{name} {identifier} {} {} {}", pose.x, pose.y, pose.direction),
            _ => format!("{name} {identifier} {} {} 15 {} 0 {reach} {reach}", other.x, other.y, other.direction),
        };
        Message::parse(&line).expect("a line")
    };
    for (name, reach) in
        [("MoveTo", 0.0), ("SonicSensor", 0.0), ("SonicSensor", 0.5), ("VisualSensor", 0.0), ("VisualSensor", 0.5)]
    {
        let messages: Vec<Message> = (0..1024).map(|_| message(name, reach)).collect();
        let mut world = crowd();
        let start = Instant::now();
        for at in 0..REQUESTS {
            std::hint::black_box(world.answer(1, &messages[at % messages.len()])).expect("an answer");
        }
        let rate = REQUESTS as f64 / start.elapsed().as_secs_f64();
        println!("{name} with opening angles of {reach}: {rate:.0} requests per second");
    }
    // The robots move as in a control loop, in steps of 5 mm and a few degrees.
    let mut world = crowd();
    let start = Instant::now();
    for at in 0..REQUESTS {
        let identifier = (at % 16 + 1) as u16;
        let placed = world.robots.all()[at % 16].placed.as_ref().expect("a body");
        let (pose, turn) = (placed.pose, 0.2 * (random.unit() - 0.5));
        let direction = pose.direction + turn;
        let (s, c) = direction.sin_cos();
        let target = Target { x: pose.x + 5.0 * c, y: pose.y + 5.0 * s, direction };
        std::hint::black_box(world.answer(1, &Message::MoveTo { identifier, target })).expect("an answer");
    }
    let rate = REQUESTS as f64 / start.elapsed().as_secs_f64();
    println!("MoveTo in steps of 5 mm: {rate:.0} requests per second");
}
