//! Simulated recordings of driving robots: encounters for collisions, pauses for latency, turns for the camera.

use super::normal;
use crate::camera::Sample;
use crate::poses::{FRISBEE, Frame, Run};
use xpuck_kernels::math::{Vec2, vec2, wrap_angle};
use xpuck_kernels::model::{DT, HALF_ARENA, STEPS_PER_UPDATE, V_MAX};
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::world::physics::{self, Physics};
use xpuck_kernels::world::{Body, Colour, Pose, Shape, senses};

/// Parameters of the simulated encounters.
#[derive(Clone, Debug)]
pub struct Encounters {
    /// Physics of the arena.
    pub physics: Physics,
    /// Standard deviations of the noise of observed poses: each coordinate (m), and heading (rad).
    pub pose_noise: [f32; 2],
    /// Number of runs.
    pub runs: u32,
    /// Duration of each run (s).
    pub seconds: f32,
    /// Seed of all random numbers.
    pub seed: u64,
}

/// Number of physics steps between changes of the wheel speeds in an encounter. The steps last half a second.
const STEPS_PER_COMMAND: u32 = 20;

/// Simulates runs in which a robot drives alone, or towards the frisbee, another robot, or both. At the start, the gap
/// to each other body is 1 to 4 cm, and the robot does not aim exactly at a body's centre. The robot gets new wheel
/// speeds every half second.
pub fn encounters(setting: &Encounters) -> Vec<Run> {
    (0..setting.runs).map(|run| encounter(setting, run)).collect()
}

fn encounter(setting: &Encounters, run: u32) -> Run {
    let mut draws = Draws::new(setting.seed, run, 0, 0, Stream::Start);
    let shapes = match run % 4 {
        0 => vec![Shape::ROBOT],
        1 => vec![Shape::ROBOT, Shape::FRISBEE],
        2 => vec![Shape::ROBOT, Shape::ROBOT],
        _ => vec![Shape::ROBOT, Shape::FRISBEE, Shape::ROBOT],
    };
    let heading = draws.range(-3.1, 3.1);
    let mut bodies = vec![Body::at_rest(shapes[0], Pose { at: vec2(0.0, 0.0), heading })];
    for (i, shape) in shapes.iter().enumerate().skip(1) {
        let gap = draws.range(0.01, 0.04);
        // The third body is placed beside the second, so that the robot does not meet both at the same time.
        let aside = draws.range(-0.5, 0.5) + if i == 2 { 2.4 } else { 0.0 };
        let at = Vec2::unit(wrap_angle(heading + aside)) * (Shape::ROBOT.radius + shape.radius + gap);
        bodies.push(Body::at_rest(*shape, Pose { at, heading: draws.range(-3.1, 3.1) }));
    }
    let mut robots = 0;
    let mut name = |body: &Body| {
        robots += i32::from(body.shape.tall);
        if body.shape.tall { format!("xp{robots:02}") } else { FRISBEE.to_string() }
    };
    let names = bodies.iter().map(&mut name).collect();
    let mut frames = Vec::new();
    for step in 0..(setting.seconds / DT).round() as u32 {
        if step.is_multiple_of(STEPS_PER_COMMAND) {
            let pushes = bodies.len() > 1;
            for (i, body) in bodies.iter_mut().enumerate().filter(|(_, b)| b.shape.tall) {
                body.wheels = if pushes && i == 0 { pushing_wheels(&mut draws) } else { any_wheels(&mut draws) };
            }
        }
        frames.push(seen(&bodies, step, setting.pose_noise, &mut draws));
        physics::step(&mut bodies, &setting.physics, setting.seed, run, step);
    }
    Run { bodies: names, frames }
}

/// Draws random wheel speeds (m/s) for driving ahead in a slight curve, so that the robot keeps contact with the pushed
/// body for a while.
fn pushing_wheels(draws: &mut Draws) -> [f32; 2] {
    let (ahead, curve) = (draws.range(0.04, 0.1), draws.range(-0.01, 0.01));
    [ahead - curve, ahead + curve]
}

/// Draws random wheel speeds (m/s) for a curve, straight motion, a turn on the spot, or standing. The last three
/// motions each show one kind of noise in isolation.
fn any_wheels(draws: &mut Draws) -> [f32; 2] {
    let (ahead, curve, turn) = (draws.range(0.04, 0.1), draws.range(-0.03, 0.03), draws.range(-0.1, 0.1));
    match draws.below(8) {
        0 => [0.0; 2],
        1 | 2 => [-turn, turn],
        3 | 4 => [ahead; 2],
        _ => [ahead - curve, ahead + curve],
    }
}

/// Returns the frame of motion capture at a physics step. `place` (m) and `angle` (rad) are the standard deviations of
/// the noise of coordinates and headings.
fn seen(bodies: &[Body], step: u32, [place, angle]: [f32; 2], draws: &mut Draws) -> Frame {
    let mut pose = |body: &Body| Pose {
        at: body.pose.at + vec2(normal(draws), normal(draws)) * place,
        heading: wrap_angle(body.pose.heading + normal(draws) * angle),
    };
    Frame {
        time: f64::from(step) * f64::from(DT),
        poses: bodies.iter().map(&mut pose).collect(),
        wheels: bodies.iter().map(|b| b.wheels).collect(),
    }
}

/// Simulates the experiment of Fig. 7.6: a robot drives ahead, pauses, drives back and pauses, for one to three seconds
/// each. Motion capture observes the robot 50 times per second, with the delay `delay` (s). Frames have the time at
/// which their poses arrive.
pub fn pauses(physics: &Physics, delay: f64, seconds: f32, seed: u64) -> Run {
    const FRAME: f64 = 0.02;
    let mut draws = Draws::new(seed, 0, 0, 0, Stream::Start);
    let mut body = [Body::at_rest(Shape::ROBOT, Pose { at: vec2(0.0, 0.0), heading: draws.range(-3.1, 3.1) })];
    let mut truth = Run { bodies: vec!["xp01".into()], frames: Vec::new() };
    let ahead = V_MAX * std::f32::consts::FRAC_1_SQRT_2;
    let (mut part, mut change, mut way) = (0, 0, 0);
    for step in 0..(seconds / DT).round() as u32 {
        if step == change {
            // Commands change only at control updates.
            let drawn = (10 + draws.below(20)) * STEPS_PER_UPDATE;
            // The robot drives back for as long as it drove ahead, so that it stays away from the walls.
            let (speed, lasts) = [(ahead, drawn), (0.0, drawn), (-ahead, way), (0.0, drawn)][part % 4];
            way = if part % 4 == 0 { drawn } else { way };
            body[0].wheels = [speed; 2];
            (part, change) = (part + 1, change + lasts);
        }
        truth.frames.push(seen(&body, step, [0.0; 2], &mut draws));
        physics::step(&mut body, physics, seed, 0, step);
    }
    let end = f64::from(seconds) - f64::from(DT);
    let late = |time: f64| Frame { time, poses: truth.at(time - delay).poses, wheels: truth.at(time).wheels };
    let frames = (0..(end / FRAME) as u32).map(|k| late(f64::from(k) * FRAME)).collect();
    Run { bodies: truth.bodies.clone(), frames }
}

/// Simulates the experiment of Fig. 7.5. In each run, a robot turns on the spot at one of four distances (0.5 to 1.8 m)
/// from the frisbee, and at one of ten speeds (10 % to 100 % of the maximum). Camera images arrive ten times per second
/// with the delay `delay` (s). A segment misses a visible frisbee with probability `misses`. `seconds` is the duration
/// of each run (s).
pub fn turns(physics: &Physics, delay: f64, misses: f32, seconds: f32, seed: u64) -> Vec<Sample> {
    let mut samples = Vec::new();
    for run in 0..40 {
        let mut draws = Draws::new(seed, run, 0, 0, Stream::Start);
        let distance = [0.5, 0.9, 1.4, 1.8][(run / 10) as usize];
        let speed = V_MAX * std::f32::consts::FRAC_1_SQRT_2 * 0.1 * (run % 10 + 1) as f32;
        let start = Pose { at: vec2(-HALF_ARENA.0 + 0.1, 0.0), heading: draws.range(-3.1, 3.1) };
        let frisbee = Pose { at: start.at + vec2(distance, 0.0), heading: 0.0 };
        let mut bodies = [Body::at_rest(Shape::ROBOT, start), Body::at_rest(Shape::FRISBEE, frisbee)];
        bodies[0].wheels = [-speed, speed];
        let mut truth = Run { bodies: vec!["xp01".into(), FRISBEE.into()], frames: Vec::new() };
        for step in 0..(seconds / DT).round() as u32 {
            truth.frames.push(seen(&bodies, step, [0.0; 2], &mut draws));
            physics::step(&mut bodies, physics, seed, run, step);
        }
        // The first second is left out, because its images would need states from before the start.
        for k in 10..(seconds / 0.1) as u32 {
            let time = f64::from(k) * 0.1;
            let past = truth.at(time - delay).poses;
            let view = [Body::at_rest(Shape::ROBOT, past[0]), Body::at_rest(Shape::FRISBEE, past[1])];
            let blue = senses::camera(&view, 0, &[], &Physics::default()).0[Colour::Blue as usize];
            let segments = blue.map(|seen| seen && draws.unit() >= misses);
            let now = truth.at(time).poses;
            let (robot, frisbee) = (now[0], now[1].at);
            samples.push(Sample { run: run + 1, time, robot, frisbee, segments: Some(segments), others: Vec::new() });
        }
    }
    samples
}
