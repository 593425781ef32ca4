//! Tests of `BodyShape` for robots that already have a pose.

use super::*;

fn square(half: f64) -> String {
    format!("1 20 1 4 -{half} -{half} {half} -{half} {half} {half} -{half} {half}")
}

#[test]
fn growing_body_is_shifted_minimally() {
    let mut world = empty();
    let id = robot(&mut world, &square(10.0), "15 1000 0");
    let position = go(&mut world, &format!("BodyShape {id} {}", square(40.0)));
    assert_eq!(position, Position { x: 40.0, y: 1000.0, ..Position::default() });
    // The robot shrinks and jumps into a corner of the arena.
    go(&mut world, &format!("BodyShape {id} {}", square(10.0)));
    go(&mut world, &format!("JumpTo {id} 12 1985 0"));
    let position = go(&mut world, &format!("BodyShape {id} {}", square(30.0)));
    assert_eq!(position, Position { x: 30.0, y: 1970.0, ..Position::default() });
}

#[test]
fn two_obstacles_leave_the_crossing_of_what_each_allows() {
    // The robot is near the wall at x = 0, and the corner of another robot is near it in the direction of +y.
    let mut world = empty();
    let id = robot(&mut world, &square(10.0), "20 1000 0");
    robot(&mut world, &square(50.0), "70 1075 0.3");
    let (wide, blocked) = (square(25.0), format!("JumpTo {id} 20 1000 0"));
    let position = go(&mut world, &format!("BodyShape {id} {wide}"));
    assert_eq!((position.x, position.stress), (25.0, 0.0));
    assert_eq!(go(&mut world, &blocked).stress, 1.0);
    // A scan in 2000 directions finds no free pose at a smaller distance.
    let moved = (position.x - 20.0).hypot(position.y - 1000.0);
    assert!(position.y < 1000.0 && moved > 13.0 && moved < 14.0, "{position:?}");
    go(&mut world, &format!("JumpTo {id} 1500 1500 0"));
    for at in 0..2000 {
        let (s, c) = (std::f64::consts::TAU * f64::from(at) / 2000.0).sin_cos();
        let (x, y) = (20.0 + (moved - 0.01) * c, 1000.0 + (moved - 0.01) * s);
        assert_eq!(go(&mut world, &format!("JumpTo {id} {x} {y} 0")).stress, 1.0);
    }
}

#[test]
fn body_without_room_keeps_its_shape() {
    let mut world = empty();
    let id = robot(&mut world, &square(10.0), "1000 1000 0");
    let position = go(&mut world, &format!("BodyShape {id} {}", square(1001.0)));
    assert_eq!(position, Position { x: 1000.0, y: 1000.0, stress: 1.0, ..Position::default() });
    assert_eq!(go(&mut world, &format!("MoveTo {id} 1990 1000 0")).stress, 0.0);
}
