//! Conformance cases 11 to 27 of the protocol that need no sockets.

use std::f64::consts::FRAC_PI_2;

use super::*;
use crate::evaluation::world::description::Deadly;

#[test]
fn case_11_identifiers_differ() {
    let mut world = empty();
    assert_eq!(ask(&mut world, "CreateRobot"), Message::YourIdentifier { identifier: 1 });
    assert_eq!(ask(&mut world, "CreateRobot"), Message::YourIdentifier { identifier: 2 });
}

#[test]
fn case_12_first_place_is_free_and_24_same_shape_keeps_it() {
    for seed in 0..200 {
        let mut world = World::new(&Description::empty(), seed).expect("a world");
        ask(&mut world, "CreateRobot");
        let first = go(&mut world, &format!("BodyShape 1 {RECTANGLE}"));
        assert!((30.0..=1970.0).contains(&first.x) && (30.0..=1970.0).contains(&first.y), "{first:?}");
        let flat = Position { x: first.x, y: first.y, direction: first.direction, ..Position::default() };
        assert_eq!(first, flat);
        assert_eq!(go(&mut world, &format!("BodyShape 1 {RECTANGLE}")), first);
    }
}

#[test]
fn cases_13_to_18_jumps_and_moves() {
    let mut world = empty();
    let id = robot(&mut world, RECTANGLE, "300 300 1");
    let quarter: f64 = "1.5707963".parse().expect("a number");
    let at = |x: f64, direction: f64, stress: f64| Position { x, y: 1000.0, direction, stress, ..Position::default() };
    assert_eq!(go(&mut world, &format!("JumpTo {id} 1000 1000 0")), at(1000.0, 0.0, 0.0));

    let reached = go(&mut world, &format!("MoveTo {id} 1000 1200 1.5707963"));
    assert_eq!(reached, Position { y: 1200.0, ..at(1000.0, quarter, 0.0) });

    assert_eq!(go(&mut world, &format!("JumpTo {id} 1930 1000 0")), at(1930.0, 0.0, 0.0));
    let blocked = go(&mut world, &format!("MoveTo {id} 1990 1000 0"));
    near(blocked.x, 1960.0, 1e-9);
    near(blocked.stress, 0.5, 1e-9);
    assert_eq!(go(&mut world, &format!("MoveTo {id} 1990 1000 0")), Position { stress: 1.0, ..blocked });
    assert_eq!(go(&mut world, &format!("JumpTo {id} 1990 1000 0")), Position { stress: 1.0, ..blocked });
    assert_eq!(go(&mut world, &format!("JumpTo {id} {} 1000 0", blocked.x)), Position { stress: 0.0, ..blocked });
    let across = go(&mut world, &format!("JumpTo {id} 1965 1000 1.5707963"));
    assert_eq!(across, at(1965.0, quarter, 0.0));
}

#[test]
fn case_19_a_ray_reaches_the_wall() {
    let mut world = empty();
    robot(&mut world, RECTANGLE, "200 200 0");
    let reading = ask(&mut world, "VisualSensor 1 500 1000 10 0 0 0 0");
    let colour = Description::empty().wall_colour;
    assert_eq!(reading, Message::VisualSensorReading { identifier: 1, distance: 1500.0, colour });
}

#[test]
fn case_20_opening_angles_are_full_ones() {
    let mut world = empty();
    robot(&mut world, RECTANGLE, "200 200 0");
    near(distance(&mut world, "SonicSensor 1 1000 500 10 0 0 1.5707963 0"), 500.0 * 2.0_f64.sqrt(), 1e-4);
    near(distance(&mut world, "VisualSensor 1 1000 500 10 0 0 1.5707963 0"), 500.0 * 2.0_f64.sqrt(), 1e-4);
}

#[test]
fn cases_21_to_23_other_robots_are_seen_until_they_are_killed() {
    let mut world = empty();
    let a = robot(&mut world, RECTANGLE, "500 1000 0");
    let b = robot(&mut world, RECTANGLE, "800 1000 0");
    let look = format!("SonicSensor {a} 500 1000 10 0 0 0 0");
    near(distance(&mut world, &look), 260.0, 1e-9);
    assert_eq!(answer(&mut world, 1, &format!("KillRobot {b}")), Ok(None));
    near(distance(&mut world, &look), 1500.0, 1e-9);
    let gone = Position { stress: 1.0, death: true, ..Position::default() };
    assert_eq!(go(&mut world, &format!("MoveTo {b} 800 1000 0")), gone);
}

/// The first layer has a polygon with 12 corners and one with 4. The second layer has one polygon with 14 corners, and
/// the third layer has two polygons with 4 corners each. The parser's tests cover a line that lacks a number.
#[test]
fn case_25_a_body_of_three_layers() {
    let mut world = empty();
    ask(&mut world, "CreateRobot");
    let mut line = String::from("BodyShape 1 3");
    for (height, counts) in [(35, &[12, 4][..]), (30, &[14][..]), (20, &[4, 4][..])] {
        line += &format!(" {height} {}", counts.len());
        for &count in counts {
            line += &format!(" {count}");
            for at in 0..count {
                let (y, x) = (std::f64::consts::TAU * f64::from(at) / f64::from(count)).sin_cos();
                line += &format!(" {:.3} {:.3}", 40.0 * x, 40.0 * y);
            }
        }
    }
    assert_eq!(go(&mut world, &line).stress, 0.0);
    go(&mut world, "JumpTo 1 1000 1000 1.5707963267948966");
    near(distance(&mut world, "SonicSensor 9 1000 500 84.9 1.5707963267948966 0 0 0"), 460.0, 1e-9);
    near(distance(&mut world, "SonicSensor 9 1000 500 85.1 1.5707963267948966 0 0 0"), 1500.0, 1e-9);
}

#[test]
fn case_26_deadly_ground() {
    let deadly = Deadly { outline: rectangle([900.0, 1100.0], [900.0, 1100.0]), colour: [255, 0, 0] };
    let mut world = world(|world| world.deadly.push(deadly));
    let id = robot(&mut world, RECTANGLE, "200 200 0");
    assert!(go(&mut world, &format!("JumpTo {id} 1000 1000 0")).death);
    assert!(!go(&mut world, &format!("JumpTo {id} 1500 1000 0")).death);
    // The robot's rear is 40 mm behind its centre. First the rear only touches the side of the deadly square, then it
    // is inside the square.
    assert!(!go(&mut world, &format!("MoveTo {id} 1140 1000 0")).death);
    let dead = go(&mut world, &format!("MoveTo {id} 1139.9 1000 0"));
    assert!(dead.death && dead.stress == 0.0);
    let down = ask(&mut world, &format!("VisualSensor {id} 950 950 500 0 {} 0 0", -FRAC_PI_2));
    assert_eq!(down, Message::VisualSensorReading { identifier: id, distance: 500.0, colour: [255, 0, 0] });
}

#[test]
fn case_27_connections_see_but_cannot_move_foreign_robots() {
    let mut world = empty();
    let id = robot(&mut world, RECTANGLE, "800 1000 0");
    let reading = answer(&mut world, 2, "SonicSensor 9 500 1000 10 0 0 0 0");
    assert_eq!(reading, Ok(Some(Message::SonicSensorReading { identifier: 9, distance: 260.0 })));
    let Ok(Some(Message::YourPosition { position, .. })) = answer(&mut world, 2, &format!("JumpTo {id} 1000 1000 0"))
    else {
        panic!("no position")
    };
    assert!(position.death && position.stress == 1.0);
    assert_eq!(answer(&mut world, 2, &format!("KillRobot {id}")), Ok(None));
    assert_eq!((world.close(2), world.robots()), (0, 1));
    assert_eq!((world.close(1), world.robots()), (1, 0));
    assert_eq!(distance(&mut world, "SonicSensor 9 500 1000 10 0 0 0 0"), 1500.0);
}
