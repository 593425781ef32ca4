//! Tests of sensor readings.

use std::f64::consts::FRAC_PI_2;

use super::*;
use crate::evaluation::place::Beam;
use crate::evaluation::world::beam::Cone;
use crate::evaluation::world::random::Random;
use crate::evaluation::world::vector::subtract3;

#[test]
fn sensors_distinguish_materials() {
    let glass = Block { seen_by_light: false, colour: [0, 0, 255], ..block([700.0, 710.0], [900.0, 1100.0]) };
    let cotton = Block { seen_by_sound: false, colour: [255, 255, 255], ..block([800.0, 810.0], [900.0, 1100.0]) };
    let mut world = world(|world| world.blocks = vec![glass, cotton]);
    let seen = Message::VisualSensorReading { identifier: 1, distance: 300.0, colour: [255, 255, 255] };
    assert_eq!(ask(&mut world, "VisualSensor 1 500 1000 10 0 0 0 0"), seen);
    assert_eq!(distance(&mut world, "SonicSensor 1 500 1000 10 0 0 0 0"), 200.0);
    assert_eq!(distance(&mut world, "SonicSensor 1 750 1000 10 0 0 0 0"), 1250.0);
    // Cotton stops a robot, although sound passes through it.
    let id = robot(&mut world, RECTANGLE, "750 1000 1.5707963267948966");
    assert_eq!(go(&mut world, &format!("MoveTo {id} 1500 1000 1.5707963267948966")).x, 770.0);
}

#[test]
fn empty_beam_reads_maximum_distance() {
    let mut world = empty();
    let nothing = Message::VisualSensorReading { identifier: 1, distance: 10_000.0, colour: [0; 3] };
    for place in
        ["1000 1000 310 0 0", "1000 1000 10 0 1.5", "-500 1000 10 3.1 0", "1e300 1e300 1 0 0", "1000 1000 1e9 0 -1.57"]
    {
        assert_eq!(ask(&mut world, &format!("VisualSensor 1 {place} 0.01 0.01")), nothing, "{place}");
    }
    assert_eq!(distance(&mut world, "SonicSensor 1 1000 1000 301 0 0 0 0"), 10_000.0);
    assert_eq!(distance(&mut world, "SonicSensor 1 1000 1000 299 0 0 0 0"), 1000.0);
    // Sensors outside the arena also detect the walls.
    assert_eq!(distance(&mut world, "SonicSensor 1 -500 1000 100 0 0 0 0"), 500.0);
}

#[test]
fn own_body_is_detected_only_from_outside() {
    let mut world = empty();
    let id = robot(&mut world, RECTANGLE, "1000 1000 0");
    let mut read = |place: &str| distance(&mut world, &format!("SonicSensor {id} {place} 0 0"));
    assert_eq!(read("1040 1000 10 0 0"), 960.0);
    assert_eq!(read("960 1000 10 0 0"), 1040.0);
    assert_eq!(read("500 1000 10 0 0"), 460.0);
    near(read(&format!("1000 1000 1020 0 {}", -FRAC_PI_2)), 1000.0, 1e-9);
    // The sensor is inside the body of another robot.
    assert_eq!(distance(&mut world, "SonicSensor 7 1000 1000 10 0 0 0 0"), 0.0);
}

#[test]
fn sensor_touching_wall_reads_zero() {
    let mut world = empty();
    let id = robot(&mut world, RECTANGLE, "1900 1000 0");
    for y in ["1000", "1010", "990"] {
        let end = go(&mut world, &format!("MoveTo {id} 2000 {y} 0"));
        let front = end.x + 40.0;
        near(distance(&mut world, &format!("SonicSensor {id} {front} {y} 10 0 0 0.3 0.3")), 0.0, 1e-3);
        near(distance(&mut world, &format!("VisualSensor {id} {front} {y} 10 0 0 0 0")), 0.0, 1e-3);
        assert!(distance(&mut world, &format!("SonicSensor {id} {front} {y} 10 3.1 0 0.3 0.3")) > 50.0);
    }
}

#[test]
fn wide_beams_find_the_ground_and_the_walls() {
    let mut world = empty();
    // The lower side of the beam points 0.5 rad below the horizon. In this direction the ground is 100 / sin(0.5) mm
    // away.
    let wanted = 100.0 / 0.5_f64.sin();
    near(distance(&mut world, "VisualSensor 1 1000 1000 100 0.7 0 0.2 1"), wanted, 1e-9);
    near(distance(&mut world, "SonicSensor 1 1000 1000 100 0.7 0 1 1"), wanted, 1e-9);
    // The beam contains the normal of a near wall, so the nearest point is on this normal.
    near(distance(&mut world, "SonicSensor 1 1900 1000 150 0.2 0 1 1"), 100.0, 1e-9);
    near(distance(&mut world, "VisualSensor 1 1900 1000 150 0.2 0 1 1"), 100.0, 1e-9);
    // The sensor is rotated away from the wall's normal by more than half its opening angle. The nearest point is
    // therefore at the border of the beam.
    near(distance(&mut world, "SonicSensor 1 1900 1000 150 0.7 0 1 1"), 100.0 / 0.2_f64.cos(), 1e-9);
    near(distance(&mut world, "VisualSensor 1 1900 1000 150 0.7 0 1 1"), 100.0 / 0.2_f64.cos(), 1e-9);
}

/// One ray of a beam meets the nearest point that the sensor reports, and no ray meets a nearer point.
#[test]
fn beams_agree_with_bundles_of_rays() {
    const RAYS: usize = 100;
    let tall = Block { top: 250.0, ..block([600.0, 800.0], [900.0, 1300.0]) };
    let bridge = Block { bottom: 120.0, top: 160.0, ..block([1200.0, 1500.0], [300.0, 500.0]) };
    let mut world = world(|world| world.blocks = vec![tall, bridge]);
    let mut random = Random::new(5);
    for shape in [RECTANGLE, "2 30 1 3 -9 -9 9 -9 0 20 20 1 6 -60 0 -30 52 30 52 60 0 30 -52 -30 -52"].repeat(4) {
        ask(&mut world, "CreateRobot");
        let identifier = world.robots();
        assert_eq!(go(&mut world, &format!("BodyShape {identifier} {shape}")).stress, 0.0);
    }
    for at in 0..100 {
        let pose = random.pose();
        let (horizontal, vertical) = match at % 3 {
            0 => (random.unit() * 1.5, random.unit() * 1.5),
            1 => (0.6, 0.6),
            _ => (random.unit() * 1.5, 0.0),
        };
        let (z, tilt) = (1.0 + 200.0 * random.unit(), random.unit() - 0.5);
        let beam = Beam { x: pose.x, y: pose.y, z, direction: pose.direction, tilt, horizontal, vertical };
        for round in [false, true] {
            let came = read(&mut world, beam, round);
            // Coarse rays cover the whole beam first. Then finer rays surround the best ray.
            let place = |at: usize| 2.0 * at as f64 / RAYS as f64 - 1.0;
            let rows = if vertical > 0.0 { RAYS } else { 0 };
            let mut best = (f64::INFINITY, [0.0, 0.0]);
            for (row, column) in (0..=rows).flat_map(|row| (0..=RAYS).map(move |column| (row, column))) {
                let spot = inside([place(column), place(row)], round && vertical > 0.0);
                let distance = read(&mut world, ray(&beam, spot), round);
                assert!(distance >= came - 1e-6, "{beam:?}, {round}: {came}, yet {distance} at {spot:?}");
                best = if distance < best.0 { (distance, spot) } else { best };
            }
            let mut step = 2.0 / RAYS as f64;
            while step > 1e-9 {
                let mut better = best;
                for turn in 0..16 {
                    let (s, c) = (f64::from(turn) * std::f64::consts::TAU / 16.0).sin_cos();
                    let spot = inside([best.1[0] + step * c, best.1[1] + step * s], round && vertical > 0.0);
                    let distance = read(&mut world, ray(&beam, spot), round);
                    assert!(distance >= came - 1e-6, "{beam:?}, {round}: {came}, yet {distance} at {spot:?}");
                    better = if distance < better.0 { (distance, spot) } else { better };
                }
                step = if better.0 < best.0 { step } else { step / 2.0 };
                best = better;
            }
            assert!(best.0 < came + 0.01, "{beam:?}, {round}: {came}, rays {best:?}");
        }
    }
}

fn read(world: &mut World, beam: Beam, round: bool) -> f64 {
    let identifier = 999;
    let message =
        if round { Message::SonicSensor { identifier, beam } } else { Message::VisualSensor { identifier, beam } };
    match world.answer(1, &message) {
        Ok(Some(Message::SonicSensorReading { distance, .. } | Message::VisualSensorReading { distance, .. })) => {
            distance
        }
        other => panic!("{other:?}"),
    }
}

/// Returns the ray through a point of a beam's cross-section. The point's coordinates are -1 to 1, across and up.
fn ray(beam: &Beam, [across, up]: [f64; 2]) -> Beam {
    let cone = Cone::new(beam, false);
    let [wide, high] = [beam.horizontal, beam.vertical].map(|angle| (angle / 2.0).tan());
    let way = subtract3(cone.point([1.0, wide * across, high * up]), cone.tip);
    let (direction, tilt) = (way[1].atan2(way[0]), way[2].atan2(way[0].hypot(way[1])));
    Beam { direction, tilt, horizontal: 0.0, vertical: 0.0, ..*beam }
}

/// Returns the point of a beam's cross-section that is nearest to the given point. If `round` is true, the
/// cross-section is a circle of radius 1. Otherwise it is a square from -1 to 1.
fn inside([across, up]: [f64; 2], round: bool) -> [f64; 2] {
    let beyond = across.hypot(up);
    if round && beyond > 1.0 {
        return [across / beyond, up / beyond];
    }
    [across.clamp(-1.0, 1.0), up.clamp(-1.0, 1.0)]
}
