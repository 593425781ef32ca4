//! Tests with random moves.

use super::*;
use crate::evaluation::place::Target;
use crate::evaluation::world::pose::Motion;
use crate::evaluation::world::random::Random;
use crate::evaluation::world::shape::PlacedBody;
use crate::evaluation::world::sweep::TOUCH;
use crate::evaluation::world::travel::{is_free, largest_free};

const SHAPES: [&str; 4] = [
    RECTANGLE,
    "1 20 1 8 -50 60 -50 -50 50 -50 50 60 30 60 30 -30 -30 -30 -30 60",
    "2 30 1 3 -9 -9 9 -9 0 20 20 1 6 -60 0 -30 52 30 52 60 0 30 -52 -30 -52",
    "1 20 1 4 -5 100 5 100 5 -100 -5 -100",
];

fn crowd(seed: u64) -> World {
    let description = Description {
        blocks: vec![block([400.0, 401.0], [300.0, 1700.0]), block([1200.0, 1500.0], [1200.0, 1300.0])],
        ..Description::empty()
    };
    let mut world = World::new(&description, seed).expect("a world");
    for at in 0..24 {
        ask(&mut world, "CreateRobot");
        assert_eq!(go(&mut world, &format!("BodyShape {} {}", at + 1, SHAPES[at % 4])).stress, 0.0);
    }
    world
}

/// Sends random moves and returns all answers. After each move, `check` gets the world and the text of the move.
fn moves(seed: u64, count: usize, mut check: impl FnMut(&World, &str)) -> Vec<Message> {
    let mut world = crowd(seed);
    let mut random = Random::new(seed + 1);
    let mut answers = Vec::new();
    for at in 0..count {
        let identifier = at % 24 + 1;
        let target = random.pose();
        let name = if at % 10 == 0 { "JumpTo" } else { "MoveTo" };
        let line = format!("{name} {identifier} {} {} {}", target.x, target.y, target.direction);
        answers.push(ask(&mut world, &line));
        check(&world, &line);
    }
    answers
}

#[test]
fn same_seed_and_moves_give_same_answers() {
    let one = moves(3, 500, |_, _| ());
    assert_eq!(one, moves(3, 500, |_, _| ()));
    assert_ne!(one, moves(4, 500, |_, _| ()));
}

#[test]
fn no_move_ends_in_an_overlap() {
    let (mut stopped, mut slid) = (0, 0);
    for seed in 0..8 {
        let answers = moves(seed, 2000, |world, line| {
            for (at, robot) in world.robots.all().iter().enumerate() {
                let placed = robot.placed.as_ref().expect("a body");
                let free = is_free(&world.scene, world.robots.others(at), &placed.body, &placed.pose, 1.001 * TOUCH);
                assert!(free, "robot {} after {line}", robot.identifier);
            }
        });
        let stress = |answer: &Message| match answer {
            Message::YourPosition { position, .. } => position.stress,
            other => panic!("{other:?}"),
        };
        stopped += answers.iter().filter(|answer| stress(answer) > 0.0 && stress(answer) < 1.0).count();
        slid += answers.iter().filter(|answer| stress(answer) == 0.0).count();
    }
    assert!(stopped > 5000 && slid > 500, "{stopped} {slid}");
}

/// Small steps confirm that the path is free up to the point where a robot stopped, and blocked beyond that point.
#[test]
fn move_stops_where_small_steps_stop() {
    const STEPS: usize = 4000;
    let mut random = Random::new(99);
    for seed in 0..10 {
        let mut world = crowd(seed);
        for at in 0..24 {
            let placed: PlacedBody = world.robots.all()[at].placed.clone().expect("a body");
            let target = random.pose();
            let line = format!("MoveTo {} {} {} {}", at + 1, target.x, target.y, target.direction);
            let wanted = Target { x: target.x, y: target.y, direction: target.direction };
            let (motion, _) = Motion::new(placed.pose, &wanted);
            let free = |lambda: f64, depth: f64| {
                is_free(&world.scene, world.robots.others(at), &placed.body, &motion.pose(lambda), depth)
            };
            let steps = || (0..=STEPS).map(|step| step as f64 / STEPS as f64);
            let first = steps().find(|&lambda| !free(lambda, 1.001 * TOUCH)).unwrap_or(1.0);
            let after = |lambda: f64| !free(lambda + 1e-5, 0.0) || !free(lambda + 1e-3, 0.0);
            let end = {
                let lambda = largest_free(&world.scene, world.robots.others(at), &placed.body, &motion);
                assert!(lambda <= first, "{line}: {lambda} {first}");
                assert!(lambda == 1.0 || after(lambda), "{line}: {lambda} of {first} is too early");
                lambda
            };
            let stress = go(&mut world, &line).stress;
            near(stress, 1.0 - end, 1e-9);
        }
    }
}
