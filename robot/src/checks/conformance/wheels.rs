//! Checks that the wheels obey commands, that the step counters count, and that a stop command stops the wheels. Moves
//! are 2 cm long and slow, and are announced.

use super::Bench;
use crate::device::DeviceError;
use crate::device::body::{Body, BodyReadings, Drive};
use crate::device::lamps::Lamps;
use std::time::{Duration, Instant};
use xpuck_registers::spi::Pixel;
use xpuck_registers::stepper::StepsPerSecond;

/// Speed of a move (steps/s), equal to 26 mm/s.
const SPEED: i16 = 200;
/// Duration of a move.
const MOVE: Duration = Duration::from_millis(800);
/// Time within which the wheels must stop after a stop command.
const HALT: Duration = Duration::from_millis(400);
/// Colour of the lamps during a move.
const MOVING: Lamps = Lamps::all(Pixel { red: 0, green: 32, blue: 0 });

const MOVES: [(&str, &str, [i16; 2]); 4] = [
    ("forwards", "left and right +", [SPEED, SPEED]),
    ("backwards", "left and right -", [-SPEED, -SPEED]),
    ("turn left", "left -, right +", [-SPEED, SPEED]),
    ("turn right", "left +, right -", [SPEED, -SPEED]),
];

/// Checks a move in each direction, and the stop after it. Without `allowed`, skips the checks.
pub(super) fn check(bench: &mut Bench, body: &mut dyn Body, allowed: bool, announce: &mut dyn FnMut(&str)) {
    bench.on("wheels");
    for (name, signs, speeds) in MOVES {
        if !allowed {
            bench.skip(name, "--wheels was not given");
            continue;
        }
        announce(&format!("moving: {name}, 2 cm"));
        match drive(bench, body, speeds) {
            Ok((steps, seconds)) => {
                let asked = f64::from(SPEED) * seconds;
                // The tolerance is 50 %, because the check must only detect wheels that do not turn, or that turn in
                // the wrong direction.
                let obeys = |(step, speed): (&i16, &i16)| {
                    let along = f64::from(*step) * f64::from(speed.signum());
                    (asked * 0.5..=asked * 1.5).contains(&along)
                };
                let good = steps.iter().zip(&speeds).all(obeys);
                let found = format!("{:+} and {:+} steps", steps[0], steps[1]);
                bench.judge(name, good, &format!("{asked:.0} steps, {signs}"), found);
            }
            Err(error) => bench.fail(name, &format!("steps, {signs}"), error.to_string()),
        }
        match stands(bench, body) {
            Ok(moved) => {
                let found = format!("{:+} and {:+} steps", moved[0], moved[1]);
                bench.judge("stop", moved == [0, 0], "no step 0.4 s later", found);
            }
            Err(error) => bench.fail("stop", "no step 0.4 s later", error.to_string()),
        }
    }
}

/// Drives at `speeds` (steps/s) for [`MOVE`], and then stops the wheels, even after an error. Returns the steps made,
/// and the time between the first and the last counter reading (s).
fn drive(bench: &Bench, body: &mut dyn Body, speeds: [i16; 2]) -> Result<([i16; 2], f64), DeviceError> {
    let moved = turn(bench, body, &Drive { speeds: speeds.map(StepsPerSecond::new), lamps: MOVING });
    let stopped = body.exchange(&Drive::default());
    moved.and_then(|moved| stopped.map(|_| moved))
}

/// Drives for [`MOVE`], and does not stop the wheels at the end. Returns the steps made, and the time between the first
/// and the last counter reading (s).
fn turn(bench: &Bench, body: &mut dyn Body, moving: &Drive) -> Result<([i16; 2], f64), DeviceError> {
    body.exchange(moving)?;
    let first = body.exchange(moving)?;
    let start = Instant::now();
    let mut last = first;
    while bench.seconds(start) < MOVE.as_secs_f64() {
        bench.wait(body.period());
        last = body.exchange(moving)?;
    }
    Ok((between(&first, &last), bench.seconds(start)))
}

/// Stops the wheels. Returns the steps made in an interval of 0.2 s that begins [`HALT`] after the first stop command.
fn stands(bench: &Bench, body: &mut dyn Body) -> Result<[i16; 2], DeviceError> {
    let start = Instant::now();
    let mut first = body.exchange(&Drive::default())?;
    while bench.seconds(start) < HALT.as_secs_f64() {
        bench.wait(body.period());
        first = body.exchange(&Drive::default())?;
    }
    bench.wait(HALT / 2);
    // Two exchanges are made, because a report may be older than the command sent in the same exchange.
    body.exchange(&Drive::default())?;
    Ok(between(&first, &body.exchange(&Drive::default())?))
}

fn between(first: &BodyReadings, last: &BodyReadings) -> [i16; 2] {
    [0, 1].map(|i| last.steps[i].wrapping_sub(first.steps[i]) as i16)
}
