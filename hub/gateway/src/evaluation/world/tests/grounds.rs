//! Tests of ramps, steps and bridges.

use std::f64::consts::{FRAC_PI_2, PI};

use super::*;
use crate::evaluation::world::description::Ground;

/// Adds a ramp that rises from 0 mm at x = 800 to 100 mm at x = 1000. A table with the height of the ramp's end extends
/// from there to x = 1400.
fn ramp(world: &mut Description) {
    let colour = [1, 2, 3];
    let slope = [0.5, 0.0];
    world.grounds = vec![
        Ground { outline: rectangle([800.0, 1000.0], [500.0, 1500.0]), height: 0.0, slope, colour },
        Ground { outline: rectangle([1000.0, 1400.0], [500.0, 1500.0]), height: 100.0, slope: [0.0; 2], colour },
    ];
}

#[test]
fn ramp_lifts_and_tilts_robot() {
    let mut world = world(ramp);
    let id = robot(&mut world, RECTANGLE, "500 1000 0");
    let tilt = 0.5_f64.atan();
    let mut at = |line: &str| {
        let position = go(&mut world, &format!("{line} 0"));
        assert_eq!(position.stress, 0.0);
        position.z
    };
    near(at(&format!("MoveTo {id} 900 1000")), 50.0, 1e-9);
    near(at(&format!("MoveTo {id} 1200 1000")), 100.0, 1e-9);
    near(at(&format!("MoveTo {id} 1500 1000")), 0.0, 1e-9);
    for (direction, forward, across) in
        [(0.0, tilt, 0.0), (FRAC_PI_2, 0.0, -tilt), (PI, -tilt, 0.0), (-FRAC_PI_2, 0.0, tilt)]
    {
        let position = go(&mut world, &format!("JumpTo {id} 900 1000 {direction}"));
        near(position.tilt_forward, forward, 1e-12);
        near(position.tilt_across, across, 1e-12);
    }
}

#[test]
fn bridge_stops_robot_that_is_too_high() {
    let bridge = Block { bottom: 60.0, top: 70.0, ..block([850.0, 1300.0], [900.0, 1100.0]) };
    let low = |world: &mut Description| world.blocks.push(bridge.clone());
    let mut flat = world(low);
    let id = robot(&mut flat, RECTANGLE, "500 1000 0");
    assert_eq!(go(&mut flat, &format!("MoveTo {id} 1700 1000 0")).stress, 0.0);
    // The lower side of the bridge has a height of 60 mm. The robot is 20 mm high, so it touches the bridge where the
    // ramp has a height of 40 mm.
    let mut rising = world(|world| {
        ramp(world);
        low(world);
    });
    let id = robot(&mut rising, RECTANGLE, "500 1000 0");
    let end = go(&mut rising, &format!("MoveTo {id} 1700 1000 0"));
    near(end.x, 880.0, 1e-3);
    assert_eq!(go(&mut rising, &format!("MoveTo {id} 500 1000 0")).stress, 0.0);
    // A robot from x = 1600 meets the table as a step of 100 mm. In front of the table, the robot is below the bridge.
    // On the table, the robot is above the bridge.
    go(&mut rising, &format!("JumpTo {id} 1600 1000 0"));
    let end = go(&mut rising, &format!("MoveTo {id} 1200 1000 0"));
    assert_eq!((end.stress, end.z), (0.0, 100.0));
}

#[test]
fn step_under_block_stops_robot_before_it() {
    let mut world = world(|world| {
        ramp(world);
        world.blocks.push(Block { bottom: 60.0, top: 110.0, ..block([1300.0, 1500.0], [900.0, 1100.0]) });
    });
    let id = robot(&mut world, RECTANGLE, "1700 1000 0");
    let end = go(&mut world, &format!("MoveTo {id} 1200 1000 0"));
    near(end.x, 1400.0, 1e-2);
    assert_eq!(end.z, 0.0);
    assert_eq!(go(&mut world, &format!("MoveTo {id} 1700 1000 0")).stress, 0.0);
}

#[test]
fn raised_ground_is_seen() {
    let mut world = world(ramp);
    let down = -FRAC_PI_2;
    let (raised, common) = ([1, 2, 3], Description::empty().ground_colour);
    for (place, wanted, wanted_colour) in [
        (format!("1200 1000 500 0 {down}"), 400.0, raised),
        (format!("1600 1000 500 0 {down}"), 500.0, common),
        (format!("1600 1000 50 {PI} 0"), 200.0, raised),
        ("500 1000 50 0 0".into(), 400.0, raised),
        // The sensor is below the ground.
        ("1200 1000 50 0 0".into(), 0.0, raised),
    ] {
        let reading = ask(&mut world, &format!("VisualSensor 1 {place} 0 0"));
        let Message::VisualSensorReading { distance, colour, .. } = reading else { panic!("{reading:?}") };
        near(distance, wanted, 1e-9);
        assert_eq!(colour, wanted_colour, "{place}");
    }
}

#[test]
fn robot_on_ramp_does_not_detect_itself() {
    let mut world = world(ramp);
    let id = robot(&mut world, RECTANGLE, "900 1000 0");
    // The sensor is at the robot's rear, 10 mm above the ramp, and its beam goes upwards through the body.
    let (s, c) = 0.5_f64.atan().sin_cos();
    let (x, z) = (900.0 - 39.0 * c - 10.0 * s, 50.0 - 39.0 * s + 10.0 * c);
    assert_eq!(distance(&mut world, &format!("SonicSensor {id} {x} 1000 {z} 0 0.8 0 0")), 10_000.0);
    assert!(distance(&mut world, &format!("SonicSensor 9 {x} 1000 {z} 0 0.8 0 0")) < 20.0);
}
