//! Tests of moves against walls, blocks and robots.

use std::f64::consts::{FRAC_PI_2, PI};

use super::*;

/// Body 200 mm long and 20 mm wide.
const LONG: &str = "1 20 1 4 -10 100 10 100 10 -100 -10 -100";

#[test]
fn thin_obstacles_stop_moves() {
    for turn in [0.0, 0.5, FRAC_PI_2, 3.1] {
        let mut world = world(|world| world.blocks.push(block([1000.0, 1001.0], [0.0, 2000.0])));
        let id = robot(&mut world, RECTANGLE, "50 1000 0");
        let end = go(&mut world, &format!("MoveTo {id} 1950 1000 {turn}"));
        assert!(end.stress > 0.4 && end.x < 971.0 && end.x > 940.0, "{end:?}");
        let end = go(&mut world, &format!("MoveTo {id} 1e300 1000 {turn}"));
        assert!(end.x < 971.0 && end.stress > 0.999, "{end:?}");
    }
    // A needle with a thickness of 0.01 mm is in the path of a rotating corner.
    let mut world = world(|world| world.blocks.push(block([1095.0, 1095.01], [1000.0, 1000.01])));
    let id = robot(&mut world, LONG, "1000 1000 -1.5");
    let end = go(&mut world, &format!("MoveTo {id} 1000 1000 1.5"));
    near(end.direction, -(10.0_f64 / 95.0).atan(), 1e-3);
}

#[test]
fn move_along_wall_is_free() {
    let mut world = empty();
    let id = robot(&mut world, RECTANGLE, "1960 100 0");
    for y in [1900.0, 100.0, 1900.0] {
        let end = go(&mut world, &format!("MoveTo {id} 1960 {y} 0"));
        assert_eq!((end.y, end.stress), (y, 0.0));
    }
    // A robot that an oblique wall contact has stopped can move along the wall. It can also move along another robot.
    go(&mut world, &format!("JumpTo {id} 1900 500 0.3"));
    let contact = go(&mut world, &format!("MoveTo {id} 2100 500 0.3"));
    assert!(contact.stress > 0.5);
    let end = go(&mut world, &format!("MoveTo {id} {} 1500 0.3", contact.x));
    assert_eq!((end.y, end.stress), (1500.0, 0.0));
    let other = robot(&mut world, RECTANGLE, "500 500 0.7");
    let (s, c) = 0.7_f64.sin_cos();
    let beside = |along: f64| format!("{} {} 0.7", 500.0 - 60.0 * s + along * c, 500.0 + 60.0 * c + along * s);
    assert_eq!(go(&mut world, &format!("JumpTo {id} {}", beside(-90.0))).stress, 0.0);
    assert_eq!(go(&mut world, &format!("MoveTo {id} {}", beside(90.0))).stress, 0.0);
    assert_eq!(go(&mut world, &format!("MoveTo {other} 500 500 0.7")).stress, 0.0);
}

#[test]
fn turn_stops_at_contact_along_swept_path() {
    // The corridor is 100 mm wide. At an angle a to the corridor, the robot's width across it is 200 sin a + 20 cos
    // a. The robot is stuck where this width is 100 mm.
    let mut world = world(|world| {
        world.blocks = vec![block([500.0, 1500.0], [900.0, 950.0]), block([500.0, 1500.0], [1050.0, 1100.0])];
    });
    let id = robot(&mut world, LONG, "1000 1000 0");
    let stuck = (100.0 / (200.0_f64.powi(2) + 20.0_f64.powi(2)).sqrt()).asin() - (20.0_f64 / 200.0).atan();
    for side in [1.0, -1.0] {
        go(&mut world, &format!("JumpTo {id} 1000 1000 0"));
        let end = go(&mut world, &format!("MoveTo {id} 1000 1000 {}", side * FRAC_PI_2));
        near(end.direction, side * stuck, 1e-9);
        near(end.stress, 1.0 - stuck / FRAC_PI_2, 1e-9);
        // At this angle, the robot can also move along the corridor.
        let end = go(&mut world, &format!("MoveTo {id} 1200 1000 {}", side * stuck));
        assert_eq!(end.x, 1200.0);
    }
}

#[test]
fn turn_takes_shorter_direction_and_is_linear() {
    let mut world = empty();
    let id = robot(&mut world, RECTANGLE, "1000 1000 3");
    assert_eq!(go(&mut world, &format!("MoveTo {id} 1000 1000 -3")).direction, -3.0);
    near(go(&mut world, &format!("MoveTo {id} 1000 1000 7")).direction, 7.0 - 2.0 * PI, 1e-12);
    // The wall stops the robot's front, 40 mm ahead of its centre, while the robot also rotates. Translation and
    // rotation end at the same lambda.
    go(&mut world, &format!("JumpTo {id} 1900 1000 0"));
    let end = go(&mut world, &format!("MoveTo {id} 2000 1000 0.2"));
    let lambda = 1.0 - end.stress;
    near(end.x, 1900.0 + 100.0 * lambda, 1e-9);
    near(end.direction, 0.2 * lambda, 1e-12);
    let (s, c) = end.direction.sin_cos();
    near(end.x + 40.0 * c + 30.0 * s, 2000.0, 1e-8);
}

#[test]
fn robots_are_obstacles_and_are_not_pushed() {
    let mut world = empty();
    let a = robot(&mut world, RECTANGLE, "500 1000 0");
    let b = robot(&mut world, RECTANGLE, "800 1000 0");
    let end = go(&mut world, &format!("MoveTo {a} 1100 1000 0"));
    near(end.x, 720.0, 1e-9);
    near(end.stress, 1.0 - 220.0 / 600.0, 1e-12);
    assert_eq!(go(&mut world, &format!("MoveTo {b} 800 1000 0")).x, 800.0);
    let jump = go(&mut world, &format!("JumpTo {a} 800 1050 1.5"));
    assert_eq!(jump, Position { stress: 1.0, ..end });
    assert_eq!(go(&mut world, &format!("MoveTo {a} 500 1000 0")).stress, 0.0);
    // Bodies that overlap only in the top view, but not in height, do not stop each other.
    let mut world = empty();
    let mushroom = "2 30 1 4 -5 5 5 5 5 -5 -5 -5 20 1 4 -60 60 60 60 60 -60 -60 -60";
    let high = robot(&mut world, mushroom, "500 1000 0");
    robot(&mut world, RECTANGLE, "540 1000 1.5707963267948966");
    near(go(&mut world, &format!("MoveTo {high} 700 1000 0")).x, 505.0, 1e-9);
}

#[test]
fn concave_body_keeps_its_notch() {
    let mut world = empty();
    // The fork is open at the front, and its opening is 60 mm wide. A robot that is 50 mm wide fits into the opening.
    let fork = "1 20 1 8 -50 60 -50 -50 50 -50 50 60 30 60 30 -30 -30 -30 -30 60";
    let id = robot(&mut world, fork, "500 1000 0");
    robot(&mut world, "1 20 1 4 -25 25 25 25 25 -25 -25 -25", "700 1000 0");
    let end = go(&mut world, &format!("MoveTo {id} 800 1000 0"));
    near(end.x, 700.0 - 25.0 + 30.0, 1e-9);
    // In contact with the other robot, the fork cannot rotate. With some clearance, it can rotate slightly.
    assert_eq!(go(&mut world, &format!("MoveTo {id} {} 1000 1", end.x)), Position { stress: 1.0, ..end });
    assert_eq!(go(&mut world, &format!("MoveTo {id} 703 1000 0")).stress, 0.0);
    let turned = go(&mut world, &format!("MoveTo {id} 703 1000 1"));
    assert!(turned.stress > 0.5 && turned.direction > 0.01, "{turned:?}");
}
