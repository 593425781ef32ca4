//! Tests of every deviation as seen from the robot, in the bytes of its devices and in poses from motion capture. Each
//! test fails if the tested key has no effect.

use super::*;
use crate::arena::Arena;
use crate::camera::Camera;
use crate::faults::Faults;
use crate::settings::{BodyKind, Settings, for_tests};
use picture::ImageDefects;
use xpuck_kernels::math::vec2;
use xpuck_kernels::world::{Body, Pose, Scenario};
use xpuck_kernels::world::{PhysicsKeys, WorldSpec};
use xpuck_registers::infrared::{RawInfrared, other_order};
use xpuck_registers::spi::{Actions, Command, Report};
use xpuck_registers::stepper::StepsPerSecond;
use xpuck_registers::{epuck1, epuck2, ina231, yuyv};

const KINDS: [BodyKind; 3] = [BodyKind::Xpuck, BodyKind::Epuck1, BodyKind::Epuck2];

/// Report of a body of any kind: proximity readings in the order of Table 6.1, and step counters.
#[derive(Clone, Copy, Debug, PartialEq)]
struct BodyReport {
    reflected: [u16; 8],
    steps: [u16; 2],
}

/// Sends speeds to a body. Returns the body's report, or `None` if the body does not answer.
fn drive(arena: &mut Arena, kind: BodyKind, left: i16, right: i16) -> Option<BodyReport> {
    match kind {
        BodyKind::Xpuck => {
            let speeds = [left, right].map(StepsPerSecond::new);
            let words = Command { actions: Actions::SET_MOTOR, speeds, ..Command::default() }.encode();
            let report = Report::decode(&arena.spi(0, &words)).ok()?;
            Some(BodyReport { reflected: report.reflected.map(|RawInfrared(counts)| counts), steps: report.steps })
        }
        BodyKind::Epuck1 => {
            let mut write = |register: u8, value: i16| {
                let [low, high] = value.to_le_bytes();
                arena.i2c(0, epuck1::ADDRESS, &[register, low, high], &mut [])
            };
            let heard = write(6, 1) && write(2, left) && write(3, right);
            let mut read = |register| {
                let mut bytes = [0; 2];
                arena.i2c(0, epuck1::ADDRESS, &[register], &mut bytes).then(|| u16::from_le_bytes(bytes))
            };
            let mut reflected = [0; 8];
            for (counts, register) in reflected.iter_mut().zip(7..) {
                *counts = read(register)?;
            }
            heard.then_some(BodyReport { reflected: other_order(reflected), steps: [read(4)?, read(5)?] })
        }
        BodyKind::Epuck2 => {
            let command = epuck2::Command { speeds: [left, right], ..epuck2::Command::default() }.encode();
            let mut bytes = [0; epuck2::REPORT_BYTES];
            if !arena.i2c(0, epuck2::ADDRESS, &command, &mut bytes) {
                return None;
            }
            let report = epuck2::Report::decode(&bytes).ok()?;
            Some(BodyReport { reflected: other_order(report.reflected), steps: report.steps })
        }
    }
}

/// Creates an arena with one robot at x = `robot_x` (m), heading along x, and with the frisbee at `frisbee` (m).
fn arena(kind: BodyKind, seed: u64, unkind: Unkind, robot_x: f32, frisbee: (f32, f32)) -> Arena {
    unkind.check(&["xp01".into()]).unwrap();
    let settings = Settings { seed, body: kind, unkind, ..for_tests(1) };
    let mut spec = WorldSpec::scenario(1, Scenario::A);
    settings.unkind.physics.apply(&mut spec);
    let robot = Body::at_rest(spec.robot, Pose { at: vec2(robot_x, 0.0), heading: 0.0 });
    let disc = Body::at_rest(spec.discs[0].shape, Pose { at: vec2(frisbee.0, frisbee.1), heading: 0.0 });
    Arena::with_bodies(&settings, spec.physics, Vec::new(), vec![robot, disc])
}

/// Drives for `steps` arena steps of 25 ms. Returns the robot's pose as seen by motion capture, and the body's last
/// report.
fn run(arena: &mut Arena, kind: BodyKind, steps: u32, left: i16, right: i16) -> (Pose, Option<BodyReport>) {
    let mut told = None;
    for _ in 0..steps {
        told = drive(arena, kind, left, right);
        arena.step();
    }
    (arena.poses(1.0)[0], told)
}

/// Returns physics without motion noise, so that only the deviation under test remains.
fn still() -> PhysicsKeys {
    PhysicsKeys { noise: Some([0.0; 3]), ..PhysicsKeys::default() }
}

fn robots(every_robot: RobotKeys) -> Unkind {
    Unkind { physics: still(), every_robot, ..Unkind::default() }
}

fn fault(what: FaultKind, at: f32, seconds: f32) -> Unkind {
    let fault = FaultKeys { what, robot: Some("xp01".into()), at_s: Some(at), per_minute: None, seconds };
    Unkind { physics: still(), faults: vec![fault], ..Unkind::default() }
}

const AWAY: (f32, f32) = (0.8, 0.6);

#[test]
fn wheel_bias_turns_robot_but_not_step_counters() {
    for kind in KINDS {
        let go = |wheel_bias| {
            let keys = RobotKeys { wheel_bias, ..RobotKeys::default() };
            run(&mut arena(kind, 3, robots(keys), -0.5, AWAY), kind, 160, 500, 500)
        };
        let (straight, told) = go(None);
        let (bent, told_bent) = go(Some(Varied::Given([-0.02, 0.02])));
        assert_eq!(told, told_bent, "{kind:?}");
        // In 4 s at 0.0644 m/s the robot drives 0.258 m. The distances of the two wheels differ by 4 %. With a wheel
        // base of 53 mm, the robot turns by 0.04 * 0.258 / 0.053 = 0.19 rad.
        assert!(straight.heading.abs() < 1e-3 && (bent.heading - 0.19).abs() < 0.03, "{kind:?} {straight:?} {bent:?}");
    }
}

#[test]
fn noisy_wheels_make_a_path_that_hangs_on_the_seed() {
    for kind in KINDS {
        let go = |seed, wheel_noise| {
            let keys = RobotKeys { wheel_noise, ..RobotKeys::default() };
            run(&mut arena(kind, seed, robots(keys), -0.5, AWAY), kind, 160, 500, 500)
        };
        let (straight, told) = go(3, None);
        let (noisy, told_noisy) = go(3, Some(0.05));
        assert_eq!(told, told_noisy);
        assert!(straight.heading.abs() < 1e-3 && noisy.heading.abs() > 2e-3, "{kind:?} {noisy:?}");
        assert_ne!(go(4, Some(0.05)).0, noisy);
        assert_eq!(go(3, Some(0.05)).0, noisy);
    }
}

#[test]
fn typical_preset_has_wheel_noise_of_thesis() {
    // In the thesis, the error of one robot over a commanded distance of 1 m had a standard deviation of 8 mm (7.2.2).
    // At 714 steps/s, the robot needs 10.9 s for 1 m.
    let keys = RobotKeys { wheel_noise: Preset::Typical.unkind().every_robot.wheel_noise, ..RobotKeys::default() };
    let aside: Vec<f32> = (0..60)
        .map(|seed| {
            let mut arena = arena(BodyKind::Xpuck, seed, robots(keys.clone()), -0.8, AWAY);
            run(&mut arena, BodyKind::Xpuck, 435, 714, 714).0.at.y
        })
        .collect();
    let sd = (aside.iter().map(|y| y * y).sum::<f32>() / 60.0).sqrt();
    assert!((0.005..0.011).contains(&sd), "{sd} m");
}

#[test]
fn slipping_wheels_count_steps_and_do_not_drive() {
    for kind in KINDS {
        let go = |wheel_slips| {
            let keys = RobotKeys { wheel_slips, ..RobotKeys::default() };
            run(&mut arena(kind, 3, robots(keys), -0.5, AWAY), kind, 160, 500, 500)
        };
        let (straight, told) = go(None);
        let (slipped, told_slipped) = go(Some(SpellKeys { per_minute: 30.0, seconds: 0.3 }));
        assert_eq!(told, told_slipped);
        assert!((slipped.at - straight.at).length() > 0.01, "{kind:?} {straight:?} {slipped:?}");
        let (stuck, told_stuck) = go(Some(SpellKeys { per_minute: 600.0, seconds: 3600.0 }));
        assert_eq!(told, told_stuck);
        assert!((stuck.at - vec2(-0.5, 0.0)).length() < 0.05, "{kind:?} {stuck:?}");
    }
}

#[test]
fn proximity_sensors_have_offset_gain_noise_and_get_stuck() {
    for kind in KINDS {
        let read = |keys: RobotKeys| {
            // The ideal readings are 1047 counts in front and 0 counts behind.
            let mut arena = arena(kind, 3, robots(keys), 0.95, (-0.5, 0.0));
            (0..40).map(|_| run(&mut arena, kind, 1, 0, 0).1.unwrap().reflected).skip(2).collect::<Vec<_>>()
        };
        let near = |readings: &[[u16; 8]], sensor: usize, counts: f32| {
            let mean = readings.iter().map(|r| f32::from(r[sensor])).sum::<f32>() / readings.len() as f32;
            assert!((mean - counts).abs() < 8.0, "{kind:?}: sensor {sensor} reads {mean}, not {counts}");
        };
        let kindly = read(RobotKeys::default());
        near(&kindly, 0, 1047.0);
        near(&kindly, 3, 1.0);
        let mut offset = [0.0; 8];
        offset[3] = 150.0;
        let mut gain = [1.0; 8];
        gain[0] = 0.5;
        let off = read(RobotKeys {
            proximity_offset_counts: Some(Varied::Given(offset)),
            proximity_gain: Some(Varied::Given(gain)),
            stuck_proximity: Some(vec![StuckSensor { sensor: 7, counts: 2222 }]),
            ..RobotKeys::default()
        });
        near(&off, 3, 151.0);
        near(&off, 0, 523.5);
        assert!(off.iter().all(|reading| reading[7] == 2222));
        let deviation = |readings: &[[u16; 8]]| {
            let n = readings.len() as f32;
            let mean = readings.iter().map(|r| f32::from(r[0])).sum::<f32>() / n;
            (readings.iter().map(|r| (f32::from(r[0]) - mean).powi(2)).sum::<f32>() / n).sqrt()
        };
        let noisy = read(RobotKeys { proximity_noise_counts: Some(60.0), ..RobotKeys::default() });
        assert!(deviation(&kindly) < 5.0 && (35.0..85.0).contains(&deviation(&noisy)), "{}", deviation(&noisy));
    }
}

#[test]
fn masses_and_frictions_are_the_arenas_own() {
    let push = |physics: PhysicsKeys| {
        let unkind = Unkind { physics: PhysicsKeys { noise: Some([0.0; 3]), ..physics }, ..Unkind::default() };
        // The robot drives beside the line through the frisbee's centre, so that friction between the bodies has an
        // effect.
        let mut arena = arena(BodyKind::Xpuck, 3, unkind, -0.4, (-0.2, 0.06));
        run(&mut arena, BodyKind::Xpuck, 160, 714, 714);
        let poses = arena.poses(1.0);
        (poses[1].at.x + 0.2, poses)
    };
    let none = PhysicsKeys::default;
    let (kindly, before) = push(none());
    assert!(kindly > 0.1, "{kindly}");
    let heavy = push(PhysicsKeys { frisbee_mass_kg: Some(2.0), ..none() }).0;
    let smooth = push(PhysicsKeys { robot_friction: Some(0.02), ..none() }).0;
    let light = push(PhysicsKeys { robot_mass_kg: Some(0.03), ..none() }).0;
    assert!([heavy, smooth, light].iter().all(|way| *way < 0.8 * kindly), "{heavy} {smooth} {light}");
    for other in [
        PhysicsKeys { frisbee_friction: Some(0.2), ..none() },
        PhysicsKeys { body_friction: Some(0.6), ..none() },
        PhysicsKeys { restitution: Some(0.9), ..none() },
    ] {
        let apart = (push(other).1[1].at - before[1].at).length();
        assert!(apart > 5e-4, "{other:?}: {apart}");
    }
    let mut noisy = arena(BodyKind::Xpuck, 3, Unkind::default(), -0.4, AWAY);
    assert!(run(&mut noisy, BodyKind::Xpuck, 80, 714, 714).0.heading.abs() > 1e-4, "the mask of 0.1 is the default");
}

#[test]
fn uneven_floor_changes_paths_by_seed() {
    let push = |seed, floor| {
        let unkind = Unkind { physics: still(), floor, ..Unkind::default() };
        let mut arena = arena(BodyKind::Xpuck, seed, unkind, -0.4, (-0.2, 0.03));
        run(&mut arena, BodyKind::Xpuck, 200, 714, 714);
        arena.poses(1.0)
    };
    let even = push(3, None);
    let uneven = push(3, Some(FloorKeys { spread: 0.3, length_m: 0.25 }));
    assert!((even[1].at - uneven[1].at).length() > 1e-3, "{even:?} {uneven:?}");
    assert_eq!(even, push(4, None));
    assert_ne!(uneven, push(4, Some(FloorKeys { spread: 0.3, length_m: 0.25 })), "another seed, another floor");
}

/// Returns picture number `number` of the robot's camera as YUYV bytes.
fn picture(arena: &Arena, settings: &Settings, number: u32) -> Vec<u8> {
    let view = arena.view(0).expect("a camera");
    let mut frame = Vec::new();
    Camera::new(&settings.camera).render(&view.bodies, 0, &arena.surroundings(), &mut frame);
    let blemishes = ImageDefects::new(arena.traits(0), settings.seed, 0, settings.camera.width, settings.camera.height);
    blemishes.apply(&mut frame, number);
    frame
}

fn pixels(frame: &[u8]) -> Vec<yuyv::Rgb> {
    let pairs = frame.chunks_exact(4).map(|b| yuyv::unpack([b[0], b[1], b[2], b[3]]));
    pairs.flatten().map(yuyv::to_rgb).collect()
}

#[test]
fn cameras_are_noisy_blemished_and_turned() {
    let settings = Settings { seed: 3, ..for_tests(1) };
    let look = |keys, number| picture(&arena(BodyKind::Xpuck, 3, robots(keys), 0.0, (0.5, 0.0)), &settings, number);
    let kindly = look(RobotKeys::default(), 1);
    assert_eq!(kindly, look(RobotKeys::default(), 2));

    let noisy = |number| look(RobotKeys { camera_noise: Some(6.0), ..RobotKeys::default() }, number);
    let off: f64 = kindly.iter().zip(noisy(1)).map(|(a, b)| (f64::from(*a) - f64::from(b)).powi(2)).sum();
    let sd = (off / kindly.len() as f64).sqrt();
    assert!((5.0..7.0).contains(&sd), "{sd} levels");
    assert!(noisy(1) != noisy(2) && noisy(1) == noisy(1));

    let part = |keys, shown: fn(&yuyv::Rgb) -> bool| {
        let all = pixels(&look(keys, 1));
        all.iter().filter(|pixel| shown(pixel)).count() as f64 / all.len() as f64
    };
    let dark: fn(&yuyv::Rgb) -> bool = |[r, g, b]| *r.max(g).max(b) < 60;
    let red: fn(&yuyv::Rgb) -> bool = |[r, g, b]| *r > 100 && r - 50 > *g.max(b);
    let dead = part(RobotKeys { dead_pixels: Some(0.02), ..RobotKeys::default() }, dark);
    assert!(part(RobotKeys::default(), dark) == 0.0 && (0.014..0.026).contains(&dead), "{dead}");
    // A quarter of the hot pixels are under a red filter. Each of these pixels also colours the pixel with which it
    // shares U and V.
    let hot = part(RobotKeys { hot_pixels: Some(0.02), ..RobotKeys::default() }, red);
    assert!(part(RobotKeys::default(), red) == 0.0 && (0.003..0.013).contains(&hot), "{hot}");

    let turned = look(RobotKeys { camera_turn_deg: Some(Varied::Given(10.0)), ..RobotKeys::default() }, 1);
    let middle = |frame: &[u8]| {
        let blue = |[r, g, b]: &yuyv::Rgb| *b > 140 && *r < 100 && *g < 120;
        let columns: Vec<usize> =
            pixels(frame).iter().enumerate().filter(|(_, p)| blue(p)).map(|(i, _)| i % 160).collect();
        columns.iter().sum::<usize>() as f64 / columns.len() as f64
    };
    // With a focal length of 150 pixels, a turn of 10 degrees to the left moves the frisbee 27 columns to the right.
    let moved = middle(&turned) - middle(&kindly);
    assert!((20.0..34.0).contains(&moved), "{moved} columns");
}

#[test]
fn delayed_camera_shows_earlier_frames() {
    for kind in KINDS {
        let settings = Settings { seed: 3, body: kind, ..for_tests(1) };
        let film = |camera_delay_s| {
            let keys = RobotKeys { camera_delay_s, ..RobotKeys::default() };
            let mut arena = arena(kind, 3, robots(keys), 0.0, (0.5, 0.0));
            (0..40)
                .map(|_| {
                    run(&mut arena, kind, 1, -200, 200);
                    picture(&arena, &settings, 1)
                })
                .collect::<Vec<_>>()
        };
        let (now, late) = (film(None), film(Some(0.3)));
        assert!(now[39] != now[27] && late[12..] == now[..28], "{kind:?}: 0.3 s are 12 steps");
    }
}

#[test]
fn frozen_camera_repeats_frame_and_absent_camera_returns() {
    for kind in KINDS {
        let settings = Settings { seed: 3, body: kind, ..for_tests(1) };
        let mut one = arena(kind, 3, fault(FaultKind::CameraFrozen, 0.5, 0.5), 0.0, (0.5, 0.0));
        let film: Vec<Vec<u8>> = (0..60)
            .map(|_| {
                run(&mut one, kind, 1, -200, 200);
                picture(&one, &settings, 1)
            })
            .collect();
        assert!(film[25..39].iter().all(|picture| *picture == film[24]), "{kind:?}");
        assert!(film[17] != film[18] && film[39] != film[38] && film[50] != film[51], "{kind:?}");
        let mut one = arena(kind, 3, fault(FaultKind::CameraGone, 0.5, 0.5), 0.0, (0.5, 0.0));
        let there: Vec<bool> = (1..61)
            .map(|_| {
                one.step();
                one.view(0).is_some()
            })
            .collect();
        let gone: Vec<usize> = (0..60).filter(|i| !there[*i]).collect();
        assert_eq!(gone, (19..39).collect::<Vec<_>>(), "{kind:?}");
    }
}

#[test]
fn silent_body_keeps_state_reset_body_loses_it() {
    for kind in KINDS {
        let film = |what| {
            let mut arena = arena(kind, 3, fault(what, 1.0, 0.5), -0.5, AWAY);
            let told: Vec<Option<BodyReport>> = (0..80).map(|_| run(&mut arena, kind, 1, 400, 400).1).collect();
            let there: Vec<usize> = (0..80).filter(|i| told[*i].is_none()).collect();
            // The fault begins in step 40, so the exchange after this step is the first one without a reply.
            assert_eq!(there, (40..60).collect::<Vec<_>>(), "{kind:?} {what:?}");
            (told, arena.poses(1.0)[0].at.x + 0.5)
        };
        let (silent, way) = film(FaultKind::BodySilent);
        // The xpuck's watchdog stops the wheels after 0.2 s of the 0.5 s of silence. The wheels of the other kinds
        // keep turning.
        let stopped = if kind == BodyKind::Xpuck { 0.3 } else { 0.0 };
        assert!((way - (2.0 - stopped) * 0.0515).abs() < 0.01, "{kind:?} {way}");
        assert!(silent[60].unwrap().steps[0] >= silent[39].unwrap().steps[0], "{kind:?}");
        let (reset, way) = film(FaultKind::BodyReset);
        assert!((way - 1.5 * 0.0515).abs() < 0.01, "{kind:?} {way}");
        assert!(reset[60].unwrap().steps[0] < 20, "{kind:?}: counters begin at 0");
    }
}

#[test]
fn stuck_proximity_sensors_keep_what_they_read() {
    for kind in KINDS {
        let mut arena = arena(kind, 3, fault(FaultKind::ProximityStuck, 1.0, 2.0), 0.8, (-0.5, 0.0));
        let front: Vec<u16> = (0..140).map(|_| run(&mut arena, kind, 1, 500, 500).1.unwrap().reflected[0]).collect();
        assert!(front[41..119].iter().all(|counts| *counts == front[41]), "{kind:?} {front:?}");
        assert!(front[125] > 500, "{kind:?}: it stands before the wall by then");
    }
}

#[test]
fn surge_over_bad_contacts_resets_board() {
    for kind in KINDS {
        let film = |ohms| {
            let supply = SupplyKeys { ohms, surges_per_minute: 20.0, reset_seconds: 1.0, ..SupplyKeys::default() };
            let keys = RobotKeys { supply: Some(supply), ..RobotKeys::default() };
            let mut arena = arena(kind, 3, robots(keys), -0.5, AWAY);
            let mut lowest = u16::MAX;
            let film: Vec<(bool, bool, bool)> = (0..800)
                .map(|_| {
                    let told = run(&mut arena, kind, 1, 100, 100).1.is_some();
                    let mut volts = [0; 2];
                    let monitor =
                        arena.i2c(0, ina231::BATTERY_ADDRESS, &[ina231::Register::BusVoltage as u8], &mut volts);
                    if monitor {
                        lowest = lowest.min(u16::from_be_bytes(volts));
                    }
                    (told, monitor, arena.view(0).is_some())
                })
                .collect();
            (film, ina231::volts(lowest))
        };
        let (carried, lowest) = film(0.1);
        assert!(carried.iter().all(|seen| *seen == (true, true, true)), "{kind:?}");
        assert!(lowest < 3.7, "{kind:?}: the surge shows at the monitor: {lowest} V");
        let (film, _) = film(0.3);
        let down: Vec<usize> = (0..800).filter(|i| !film[*i].1).collect();
        assert!(
            !down.is_empty() && down.len().is_multiple_of(40) && down.len() < 400,
            "{kind:?}: {} steps of 800",
            down.len()
        );
        assert!(down.iter().all(|i| !film[*i].2), "{kind:?}: the camera is gone with it");
        // In each step, the exchange with the body precedes the physics. If the body is in reset after step i, it
        // therefore does not answer in step i + 1.
        assert!(down.iter().all(|i| film.get(i + 1).is_none_or(|next| !next.0)), "{kind:?}");
        assert!(film.iter().filter(|seen| seen.0).count() > 300, "{kind:?}: it comes back");
    }
}

#[test]
fn brown_out_silences_robot_and_stops_wheels() {
    for kind in KINDS {
        let mut arena = arena(kind, 3, fault(FaultKind::BrownOut, 1.0, 0.5), -0.5, AWAY);
        arena.i2c(0, ina231::BATTERY_ADDRESS, &ina231::write(ina231::Register::Calibration, 256), &mut []);
        run(&mut arena, kind, 50, 400, 400);
        let during = arena.poses(1.0)[0].at.x;
        assert!(drive(&mut arena, kind, 400, 400).is_none() && arena.view(0).is_none());
        run(&mut arena, kind, 8, 400, 400);
        assert!((arena.poses(1.0)[0].at.x - during).abs() < 1e-4, "{kind:?}");
        let (_, told) = run(&mut arena, kind, 30, 0, 0);
        assert!(told.unwrap().steps == [0; 2], "{kind:?}: counters begin at 0: {told:?}");
        let mut calibration = [0xff; 2];
        assert!(arena.i2c(0, ina231::BATTERY_ADDRESS, &[ina231::Register::Calibration as u8], &mut calibration));
        assert_eq!(calibration, [0, 0], "monitors begin anew");
    }
}

#[test]
fn bus_faults_occur_at_configured_rate_on_all_kinds() {
    let count = |kind, bus: Faults| {
        let keys = RobotKeys { bus_faults: Some(bus), ..RobotKeys::default() };
        let mut arena = arena(kind, 3, robots(keys), -0.5, AWAY);
        let told: Vec<Option<BodyReport>> = (0..60).map(|_| run(&mut arena, kind, 1, 500, 500).1).collect();
        let silent = told.iter().filter(|told| told.is_none()).count();
        let back =
            told.iter().flatten().collect::<Vec<_>>().windows(2).filter(|w| w[1].steps[0] < w[0].steps[0]).count();
        (silent, back, told.into_iter().flatten().last().map_or([0; 2], |told| told.steps))
    };
    for kind in KINDS {
        assert!(matches!(count(kind, Faults::default()), (0, 0, [left, _]) if left > 650), "{kind:?}");
        let nak = count(kind, Faults { nak_every: 6, ..Faults::default() }).0;
        assert!(nak >= 10, "{kind:?} {nak}");
        let resets = count(kind, Faults { reset_every: 40, ..Faults::default() }).1;
        assert!(resets >= 1, "{kind:?}: counters begin anew: {resets}");
        assert_eq!(count(kind, Faults { frozen_counters: true, ..Faults::default() }).2, [0; 2], "{kind:?}");
    }
    // The e-puck1 is excluded, because its registers have no checksum, so a corrupt byte goes undetected.
    for kind in [BodyKind::Xpuck, BodyKind::Epuck2] {
        assert_eq!(count(kind, Faults { corrupt_every: 5, ..Faults::default() }).0, 12, "{kind:?}");
    }
}

#[test]
fn drawn_values_have_their_spread() {
    let names: Vec<String> = (1..=16).map(|i| format!("xp{i:02}")).collect();
    let own = RobotKeys {
        id: Some("xp03".into()),
        wheel_bias: Some(Varied::Given([0.1, -0.1])),
        charge: Some(0.25),
        ..RobotKeys::default()
    };
    let unkind = Unkind {
        every_robot: RobotKeys {
            wheel_bias: Some(Varied::Drawn(Spread { spread: 0.03 })),
            proximity_offset_counts: Some(Varied::Drawn(Spread { spread: 40.0 })),
            camera_turn_deg: Some(Varied::Drawn(Spread { spread: 2.0 })),
            charge: Some(0.75),
            ..RobotKeys::default()
        },
        robots: vec![own],
        ..Unkind::default()
    };
    unkind.check(&names).unwrap();
    let biases =
        |seed| -> Vec<[f32; 2]> { (0..16).map(|i| unkind.traits(seed, i, &names[i]).wheels.unwrap().bias).collect() };
    assert_eq!(biases(1), biases(1));
    assert_ne!(biases(1)[0], biases(2)[0]);
    assert_eq!(biases(1)[2], [0.1, -0.1]);
    let drawn: Vec<f32> = (0..40).flat_map(biases).filter(|bias| *bias != [0.1, -0.1]).flatten().collect();
    let n = drawn.len() as f32;
    let (mean, sd) = (drawn.iter().sum::<f32>() / n, (drawn.iter().map(|x| x * x).sum::<f32>() / n).sqrt());
    assert!(mean.abs() < 0.004 && (0.027..0.033).contains(&sd), "mean {mean} sd {sd}");
    assert!(drawn.iter().all(|bias| bias.abs() <= 0.0901));
    let (third, fourth) = (unkind.traits(1, 2, "xp03"), unkind.traits(1, 3, "xp04"));
    assert_eq!((third.charge, fourth.charge), (Some(0.25), Some(0.75)));
    assert!(third.proximity.is_some() && third.camera_turn != fourth.camera_turn);
    // Other settings do not affect the drawn value of this setting.
    let alone = Unkind {
        every_robot: RobotKeys { wheel_bias: unkind.every_robot.wheel_bias, ..RobotKeys::default() },
        ..Unkind::default()
    };
    assert_eq!(alone.traits(1, 0, "xp01").wheels.unwrap().bias, biases(1)[0]);
}

/// Returns the reports of nine robots and the poses of all bodies over 400 steps, as bytes.
fn history(settings: &Settings) -> Vec<u8> {
    let mut arena = Arena::new(settings).unwrap();
    let mut bytes = Vec::new();
    for step in 0..400i16 {
        for robot in 0..9 {
            let speeds = [400 + 7 * (step % 40), 300 + 20 * robot as i16].map(StepsPerSecond::new);
            let words = Command { actions: Actions::SET_MOTOR, speeds, ..Command::default() }.encode();
            bytes.extend(arena.spi(robot, &words).map(u16::to_le_bytes).concat());
            let mut volts = [0; 2];
            arena.i2c(robot, ina231::BATTERY_ADDRESS, &[ina231::Register::BusVoltage as u8], &mut volts);
            bytes.extend(volts);
        }
        arena.step();
        for pose in arena.poses(1.0) {
            bytes.extend([pose.at.x, pose.at.y, pose.heading].map(f32::to_le_bytes).concat());
        }
    }
    for robot in 0..9 {
        if let Some(view) = arena.view(robot) {
            bytes.extend(view.bodies.iter().flat_map(|body| body.pose.heading.to_le_bytes()));
        }
    }
    bytes
}

#[test]
fn deviations_depend_only_on_the_seed() {
    let mut unkind = Preset::Typical.unkind();
    let chance = |what| FaultKeys { what, robot: None, at_s: None, per_minute: Some(6.0), seconds: 0.3 };
    unkind.faults = [FaultKind::BodyReset, FaultKind::CameraGone, FaultKind::ProximityStuck].map(chance).to_vec();
    unkind.every_robot.supply = Some(SupplyKeys { surges_per_minute: 10.0, ..SupplyKeys::default() });
    let settings = |seed| Settings { seed, unkind: unkind.clone(), ..for_tests(9) };
    let one = history(&settings(5));
    assert!(one == history(&settings(5)));
    assert!(one != history(&settings(6)));
    assert!(one != history(&for_tests(9)));
}

#[test]
fn default_arena_history_is_unchanged() {
    // FNV-1a hash of the history of an arena without deviations. The history also contains battery voltages, which
    // depend on the robots' power draw.
    let hash = |bytes: Vec<u8>| {
        bytes
            .iter()
            .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
    };
    assert_eq!(hash(history(&for_tests(9))), 0xd87a_732f_4a95_7f8f);
    let none = Settings { unkind: Preset::None.unkind(), ..for_tests(9) };
    assert_eq!(hash(history(&none)), 0xd87a_732f_4a95_7f8f);
}

#[test]
fn values_out_of_bounds_are_named_with_their_limits() {
    let refused = |change: &dyn Fn(&mut Unkind)| {
        let mut unkind = Preset::Typical.unkind();
        unkind.check(&["xp01".into()]).unwrap();
        change(&mut unkind);
        let error = Settings { unkind, ..for_tests(1) }.validate().unwrap_err().to_string();
        assert!(!error.contains('\n'));
        error
    };
    let every = |change: fn(&mut RobotKeys)| refused(&|u| change(&mut u.every_robot));
    let error = every(|keys| keys.wheel_bias = Some(Varied::Given([0.0, 0.9])));
    assert_eq!(error, "arena setting `every_robot.wheel_bias` is 0.9: -0.5 to 0.5 are allowed");
    assert!(every(|keys| keys.wheel_bias = Some(Varied::Drawn(Spread { spread: 0.5 }))).contains("wheel_bias.spread"));
    assert!(every(|keys| keys.wheel_noise = Some(f32::NAN)).contains("`every_robot.wheel_noise` is NaN: 0 to 1"));
    assert!(every(|keys| keys.wheel_slips = Some(SpellKeys { per_minute: -1.0, seconds: 1.0 })).contains("per_minute"));
    assert!(every(|keys| keys.wheel_slips = Some(SpellKeys { per_minute: 1.0, seconds: 0.0 })).contains("seconds"));
    assert!(every(|keys| keys.proximity_gain = Some(Varied::Given([-1.0; 8]))).contains("proximity_gain"));
    assert!(every(|keys| keys.proximity_noise_counts = Some(1e9)).contains("proximity_noise_counts"));
    let stuck = |sensor, counts| Some(vec![StuckSensor { sensor, counts }]);
    assert!(refused(&|u| u.every_robot.stuck_proximity = stuck(8, 0)).contains("is 8: 0 to 7"));
    assert!(refused(&|u| u.every_robot.stuck_proximity = stuck(0, 5000)).contains("is 5000: 0 to 4095"));
    assert!(every(|keys| keys.camera_noise = Some(65.0)).contains("camera_noise"));
    assert!(every(|keys| keys.hot_pixels = Some(0.6)).contains("hot_pixels"));
    assert!(every(|keys| keys.dead_pixels = Some(-0.1)).contains("dead_pixels"));
    assert!(every(|keys| keys.camera_turn_deg = Some(Varied::Given(90.0))).contains("camera_turn_deg"));
    assert!(every(|keys| keys.camera_delay_s = Some(3.0)).contains("camera_delay_s"));
    assert!(
        every(|keys| keys.bus_faults = Some(Faults { absent: vec![200], ..Faults::default() })).contains("0 to 127")
    );
    assert!(every(|keys| keys.charge = Some(1.1)).contains("charge"));
    assert!(every(|keys| keys.capacity_ah = Some(0.0)).contains("capacity_ah"));
    assert!(
        every(|keys| keys.supply = Some(SupplyKeys { ohms: 9.0, ..SupplyKeys::default() })).contains("supply.ohms")
    );
    assert!(every(|keys| keys.id = Some("xp01".into())).contains("[[robots]]"));
    assert!(refused(&|u| u.physics.restitution = Some(2.0)).contains("`physics.restitution` is 2: 0 to 1"));
    assert!(refused(&|u| u.physics.robot_mass_kg = Some(0.0)).contains("physics.robot_mass_kg"));
    assert!(refused(&|u| u.floor = Some(FloorKeys { spread: 0.9, length_m: 1.0 })).contains("floor.spread"));
    let named = |id: Option<&str>| RobotKeys { id: id.map(String::from), ..RobotKeys::default() };
    assert!(refused(&|u| u.robots = vec![named(Some("xp07"))]).contains("choose one of xp01"));
    assert!(refused(&|u| u.robots = vec![named(None)]).contains("every table needs an id"));
    assert!(refused(&|u| u.robots = vec![named(Some("xp01")), named(Some("xp01"))]).contains("twice"));
    let fault =
        |at_s, per_minute, seconds| FaultKeys { what: FaultKind::BrownOut, robot: None, at_s, per_minute, seconds };
    assert!(refused(&|u| u.faults = vec![fault(None, None, 1.0)]).contains("at_s or per_minute"));
    assert!(refused(&|u| u.faults = vec![fault(Some(1.0), Some(1.0), 1.0)]).contains("remove one of them"));
    assert!(refused(&|u| u.faults = vec![fault(Some(1.0), None, 0.0)]).contains("faults.seconds"));
    assert!(refused(&|u| u.faults = vec![fault(Some(1.0), None, 1.0); 257]).contains("at most 256"));
}

#[test]
fn scheduled_changes_persist_for_rest_of_run() {
    let change = |at_s| ChangeKeys { at_s, physics: PhysicsKeys::default(), wall: None, robot: None, wheels: None };
    let heavy = PhysicsKeys { frisbee_mass_kg: Some(0.28), ..PhysicsKeys::default() };
    let changes = vec![
        ChangeKeys { robot: Some("xp01".into()), wheels: Some([0.5, 1.0]), ..change(3.0) },
        ChangeKeys { physics: heavy, ..change(1.0) },
        ChangeKeys { wall: Some(WallKeys { from_m: [0.0, -0.7], to_m: [0.0, 0.7] }), ..change(2.0) },
    ];
    let said: Vec<String> = changes.iter().map(ToString::to_string).collect();
    assert_eq!(said[0], "the wheel speeds of xp01 are multiplied by [0.5, 1.0]");
    assert_eq!(said[1..], ["frisbee_mass_kg is 0.28", "a wall from [0.0, -0.7] to [0.0, 0.7] m"]);
    for kind in KINDS {
        let mut arena =
            arena(kind, 3, Unkind { physics: still(), changes: changes.clone(), ..Unkind::default() }, -0.5, AWAY);
        run(&mut arena, kind, 39, 0, 0);
        assert_eq!(arena.bodies()[1].shape.mass, 0.07, "{kind:?}");
        run(&mut arena, kind, 2, 0, 0);
        assert_eq!(arena.bodies()[1].shape.mass, 0.28, "{kind:?}");
        assert!(arena.surroundings().walls.is_empty());
        let (before, _) = run(&mut arena, kind, 79, 500, 500);
        assert_eq!(arena.surroundings().walls.len(), 1, "cameras see it too");
        assert!(before.heading.abs() < 0.01, "{kind:?}: {before:?}");
        let (after, _) = run(&mut arena, kind, 20, 500, 500);
        assert!(after.heading > 0.2, "{kind:?}: the left wheel slips: {after:?}");
        assert_eq!(arena.take_changed().len(), 3, "{kind:?}");
    }
}

#[test]
fn changes_that_make_no_sense_are_named() {
    let good = ChangeKeys { at_s: 1.0, physics: PhysicsKeys::default(), wall: None, robot: None, wheels: None };
    let why = |change: ChangeKeys| {
        let unkind = Unkind { changes: vec![change], ..Unkind::default() };
        unkind.check(&["xp01".into()]).map_err(|error| error.to_string())
    };
    assert_eq!(
        why(ChangeKeys { physics: PhysicsKeys { body_friction: Some(0.1), ..good.physics }, ..good.clone() }),
        Ok(())
    );
    assert!(why(good.clone()).unwrap_err().contains("set what changes"));
    let wall = |to_m| Some(WallKeys { from_m: [0.0, 0.0], to_m });
    for (change, expected) in [
        (ChangeKeys { at_s: f32::NAN, ..good.clone() }, "`change.at_s` is NaN"),
        (ChangeKeys { wall: wall([0.0, 0.001]), ..good.clone() }, "at least 0.01 m long"),
        (ChangeKeys { wall: wall([0.0, 21.0]), ..good.clone() }, "`change.wall` is 21"),
        (ChangeKeys { wheels: Some([0.5, 0.5]), ..good.clone() }, "add robot"),
        (ChangeKeys { robot: Some("xp01".into()), ..good.clone() }, "add wheels"),
        (ChangeKeys { robot: Some("xp07".into()), wheels: Some([1.0; 2]), ..good.clone() }, "choose one of xp01"),
        (
            ChangeKeys { physics: PhysicsKeys { frisbee_mass_kg: Some(-1.0), ..PhysicsKeys::default() }, ..good },
            "`change.physics.frisbee_mass_kg` is -1",
        ),
    ] {
        let error = why(change).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
}
