//! Tests of unplaced and removed robots, and of errors that end connections.

use super::*;

#[test]
fn before_its_shape_came_a_robot_has_no_place() {
    let mut world = empty();
    ask(&mut world, "CreateRobot");
    let nowhere = Position { stress: 1.0, ..Position::default() };
    assert_eq!(go(&mut world, "JumpTo 1 1000 1000 0"), nowhere);
    assert_eq!(go(&mut world, "MoveTo 1 1000 1000 0"), nowhere);
    assert_eq!(distance(&mut world, "SonicSensor 1 500 1000 10 0 0 0 0"), 1500.0);
    // The body is too large for the arena.
    assert_eq!(go(&mut world, "BodyShape 1 1 20 1 4 0 0 2001 0 2001 2001 0 2001"), nowhere);
    assert_eq!(go(&mut world, "MoveTo 1 1000 1000 0"), nowhere);
}

#[test]
fn unknown_robot_is_dead_but_its_sensors_read() {
    let mut world = empty();
    let dead = Position { stress: 1.0, death: true, ..Position::default() };
    for line in [format!("BodyShape 7 {RECTANGLE}"), "JumpTo 7 1 1 1".into(), "MoveTo 7 1 1 1".into()] {
        assert_eq!(ask(&mut world, &line), Message::YourPosition { identifier: 7, position: dead });
    }
    assert_eq!(answer(&mut world, 1, "KillRobot 7"), Ok(None));
    let reading = Message::SonicSensorReading { identifier: 7, distance: 1500.0 };
    assert_eq!(ask(&mut world, "SonicSensor 7 500 1000 10 0 0 0 0"), reading);
}

#[test]
fn robots_that_are_not_used_expire() {
    let mut world = empty();
    world.expire(1000.0, 60.0);
    let a = robot(&mut world, RECTANGLE, "500 1000 0");
    robot(&mut world, RECTANGLE, "800 1000 0");
    assert_eq!(world.expire(1060.0, 60.0), 0);
    distance(&mut world, &format!("SonicSensor {a} 500 1000 10 0 0 0 0"));
    assert_eq!((world.expire(1061.0, 60.0), world.robots()), (1, 1));
    assert_eq!(go(&mut world, &format!("MoveTo {a} 700 1000 0")).stress, 0.0);
    assert_eq!((world.expire(1200.0, 60.0), world.robots()), (1, 0));
}

#[test]
fn identifiers_come_again_only_after_all_others() {
    let mut world = empty();
    let create = |world: &mut World| match ask(world, "CreateRobot") {
        Message::YourIdentifier { identifier } => identifier,
        other => panic!("{other:?}"),
    };
    assert_eq!(create(&mut world), 1);
    for wanted in 2..=u16::MAX {
        assert_eq!(create(&mut world), wanted);
        assert_eq!(answer(&mut world, 1, &format!("KillRobot {wanted}")), Ok(None));
    }
    assert_eq!(create(&mut world), 2);
}

#[test]
fn rejected_message_leaves_world_unchanged() {
    let mut world = empty();
    for line in ["SendNetParameters", "YourIdentifier 1", "SonicSensorReading 1 5", "Fitness 1 1 1"] {
        let error = answer(&mut world, 1, line).expect_err(line).to_string();
        assert_eq!(error, format!("{} is not accepted by a world simulator", line.split(' ').next().unwrap_or("")));
    }
    let id = robot(&mut world, RECTANGLE, "500 1000 0");
    let error = answer(&mut world, 1, &format!("BodyShape {id} 1 20 1 4 0 0 1 1 1 0 0 1")).expect_err("crossing");
    let text = "BodyShape: polygon 1 of layer 1: the sides that start at corners 1 and 3 cross; an outline must not cross \
                itself";
    assert_eq!(error.to_string(), text);
    let comb: String = (0..256).map(|at| format!(" {at} {}", if at % 2 == 0 { 9 } else { 8 })).collect();
    let many = format!("BodyShape {id} 1 20 5{}", format!(" 256{comb}").repeat(5));
    let error = answer(&mut world, 1, &many).expect_err("too many");
    assert_eq!(error.to_string(), "BodyShape: the polygons have 1280 corners; at most 256 are allowed");
    assert_eq!(go(&mut world, &format!("MoveTo {id} 500 1000 0")).x, 500.0);
    for _ in 1..super::super::MAX_ROBOTS {
        ask(&mut world, "CreateRobot");
    }
    assert_eq!(answer(&mut world, 1, "CreateRobot"), Err(WorldError::TooManyRobots));
    assert_eq!(world.close(1), super::super::MAX_ROBOTS);
}
