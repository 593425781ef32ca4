//! Tests of robots in worlds, without sockets.

use super::super::individual::Individual;
use super::super::message::Message;
use super::super::place::Position;
use super::super::world::World;
use super::super::world::description::Description;
use super::body;
use super::fleet::EvaluationSet;
use super::score::{Step, step_fitness};
use super::task::{Kind, Task};

fn task() -> Task {
    Task { steps: 100, starts: vec![[1000.0, 1000.0, 0.0]], hidden: [0, 0], neuron_values: 1, ..Task::default() }
}

/// Returns a genome without hidden neurons, with the given biases of the wheel neurons and zero weights.
fn blind(task: &Task, number: u32, biases: [f64; 2]) -> Individual {
    let mut values = biases.to_vec();
    values.resize(task.parameters().value_count(0), 0.0);
    Individual { generation: 1, number, hidden: 0, values }
}

/// Evaluates individuals concurrently, and returns their tickets and fitness values in the order of completion.
fn evaluated(task: &Task, individuals: Vec<Individual>) -> Vec<(u64, f64)> {
    let mut world = World::new(&Description::empty(), 1).unwrap();
    let (mut fleet, mut found, mut now) = (EvaluationSet::new(task.clone()), Vec::new(), 0.0);
    individuals.into_iter().zip(1..).for_each(|(individual, ticket)| fleet.begin(ticket, individual).unwrap());
    while !fleet.is_empty() {
        let requests: Vec<Message> = fleet.requests().collect();
        for request in requests {
            if let Some(answer) = world.answer(1, &request).unwrap() {
                found.extend(fleet.on_answer(&answer, now).unwrap());
            }
        }
        now += 0.001;
        fleet.wake(now);
        assert!(now < 1000.0);
    }
    assert_eq!(world.robots(), fleet.requests().count(), "robots are killed");
    found
}

#[test]
fn step_fitness_follows_task_formula() {
    let task = task();
    let step = Step { wheels: [1.0, 1.0], ..Step::default() };
    assert_eq!(step_fitness(&task, &step), 1.0);
    assert_eq!(step_fitness(&task, &Step { wheels: [0.75, 0.25], ..step }), 0.5 * 0.5);
    assert_eq!(step_fitness(&task, &Step { wheels: [1.0, -1.0], ..step }), 0.0);
    assert_eq!(step_fitness(&task, &Step { wheels: [-1.0, -1.0], ..step }), -1.0);
    assert_eq!(step_fitness(&task, &Step { nearest: 0.25, ..step }), 0.75);
    assert_eq!(step_fitness(&task, &Step { nearest: 0.25, stress: 0.5, ..step }), 0.5);
    let pursuit = Task { kind: Kind::Pursuit, visual_range: 1000.0, ..task.clone() };
    let evasion = Task { kind: Kind::Evasion, ..pursuit.clone() };
    for (other, near) in [(None, 0.0), (Some(250.0), 0.75), (Some(1500.0), 0.0)] {
        assert_eq!(step_fitness(&pursuit, &Step { other, ..step }), near);
        assert_eq!(step_fitness(&evasion, &Step { other, ..step }), 1.0 - near);
    }
}

#[test]
fn wheels_turn_and_drive_the_body() {
    let position = Position { x: 100.0, y: 200.0, ..Position::default() };
    let straight = body::drive(&position, 10.0, 10.0);
    assert_eq!((straight.x, straight.y, straight.direction), (110.0, 200.0, 0.0));
    let turned = body::drive(&position, -5.3, 5.3);
    assert_eq!((turned.x, turned.y), (100.0, 200.0));
    assert!((turned.direction - 0.2).abs() < 1e-12, "the right wheel turns it left");
}

#[test]
fn robots_drive_and_are_worth_what_they_did() {
    let task = task();
    let worth = |biases: [f64; 2]| evaluated(&task, vec![blind(&task, 1, biases)])[0].1;
    // Three robots are evaluated. One stands still, one turns on the spot, and one drives 949 mm until the wall stops
    // it.
    assert_eq!(worth([0.0, 0.0]), 0.0);
    assert!(worth([5.0, -5.0]) < 1e-4);
    let straight = worth([5.0, 5.0]);
    assert!((0.62..0.78).contains(&straight), "{straight}");
    assert_eq!(straight, worth([5.0, 5.0]));
}

#[test]
fn several_share_a_world_and_wait_for_their_start() {
    let task = Task { starts: vec![[300.0, 300.0, 0.0], [300.0, 1500.0, 0.0]], concurrent: 3, ..task() };
    let individuals = (1..=3).map(|number| blind(&task, number, [1.0, 1.0])).collect();
    let mut found = evaluated(&task, individuals);
    found.sort_by_key(|(ticket, _)| *ticket);
    assert_eq!(found.iter().map(|(ticket, _)| *ticket).collect::<Vec<_>>(), [1, 2, 3]);
    assert!(found.iter().all(|(_, fitness)| *fitness > 0.2), "{found:?}");
}

#[test]
fn unrequested_answers_and_lost_robots_are_reported() {
    let task = task();
    let mut fleet = EvaluationSet::new(task.clone());
    let position = Position { x: 1.0, y: 1.0, ..Position::default() };
    assert!(fleet.on_answer(&Message::YourPosition { identifier: 1, position }, 0.0).is_err());
    fleet.begin(7, blind(&task, 1, [1.0, 1.0])).unwrap();
    assert!(fleet.on_answer(&Message::SonicSensorReading { identifier: 1, distance: 1.0 }, 0.0).is_err());
    assert_eq!(fleet.restart(), 1);
    assert_eq!(fleet.on_answer(&Message::YourIdentifier { identifier: 9 }, 0.0), Ok(None));
    let other = Message::YourPosition { identifier: 8, position };
    assert!(fleet.on_answer(&other, 0.0).unwrap_err().contains("robot 9"));
    fleet.restart();
    fleet.on_answer(&Message::YourIdentifier { identifier: 9 }, 0.0).unwrap();
    let lost = Position { stress: 1.0, death: true, ..Position::default() };
    assert!(
        fleet.on_answer(&Message::YourPosition { identifier: 9, position: lost }, 0.0).unwrap_err().contains("missing")
    );
}

#[test]
fn cancelled_robot_is_killed_once_its_id_is_known() {
    let task = task();
    let mut fleet = EvaluationSet::new(task.clone());
    fleet.begin(7, blind(&task, 1, [1.0, 1.0])).unwrap();
    fleet.cancel(7);
    assert_eq!(fleet.requests().count(), 1);
    assert_eq!(fleet.on_answer(&Message::YourIdentifier { identifier: 9 }, 0.0), Ok(None));
    assert_eq!(fleet.requests().collect::<Vec<_>>(), [Message::KillRobot { identifier: 9 }]);
    assert!(fleet.is_empty() && !fleet.is_asking());
}

#[test]
fn tasks_that_make_no_sense_are_refused() {
    let wrong = |change: fn(&mut Task)| {
        let mut task = task();
        change(&mut task);
        task.check().unwrap_err()
    };
    assert_eq!(task().check(), Ok(()));
    assert!(wrong(|task| task.steps = 0).contains("steps is 0"));
    assert!(wrong(|task| task.starts = vec![[f64::NAN, 0.0, 0.0]]).contains("x of a start"));
    assert!(wrong(|task| task.sonar_range = f64::INFINITY).contains("sonar_range"));
    assert!(wrong(|task| task.weights = [1.0, -1.0]).contains("weights"));
    assert!(wrong(|task| task.hidden = [3, 2]).contains("hidden"));
    assert!(wrong(|task| task.kind = Kind::Pursuit).contains("visuals"));
    assert!(wrong(|task| task.concurrent = 0).contains("concurrent"));
}

/// Conformance case 2 of the specification.
#[test]
fn simple_recurrent_net_is_configurable() {
    let task = Task { sonars: vec![0.3, -0.3], hidden: [0, 0], neuron_values: 0, ..task() };
    let mut line = String::new();
    Message::NetParameters(task.parameters()).write_to(&mut line).unwrap();
    assert_eq!(line, "NetParameters 1 0 0 0 2 0 0 0 2 0 0 0 0 0 0 0 0 1 -10 10 1 1");
}
