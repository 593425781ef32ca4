//! Friction and restitution between bodies, and motion noise, from recorded encounters (thesis 7.2.2).
//!
//! A run is simulated by the reference physics without noise. It begins with bodies at rest. Before every step, the
//! poses are replaced by the recorded poses, whereas velocities are those of the simulation. Errors of a step therefore
//! do not accumulate. This agrees with Eq. 5.9, in which velocities have no noise, and the displacement of each step
//! has its own noise.
//!
//! The discrepancy is the root mean square of these one-step errors (m), over the steps in which a body touches
//! something. An error of heading is converted to the distance at the body's rim. Friction and restitution are the
//! values with the smallest discrepancy. The errors of steps without contact give the noise.

use super::motion_noise::{Residual, deviations};
use super::numerics::{golden, jackknife, minimum, spread};
use super::poses::{FRISBEE, Run};
use super::{FitError, Report, estimates};
use rayon::prelude::*;
use xpuck_kernels::math::wrap_angle;
use xpuck_kernels::model::DT;
use xpuck_kernels::world::physics::{self, Physics};
use xpuck_kernels::world::{Body, Pose, Shape};
use xpuck_stats::plot::{Colour, Plot};

/// Maximum interval between frames (s). Poses between frames are interpolated.
const LONGEST_GAP: f64 = 0.05;
/// Maximum displacement between the first two frames of a body that counts as at rest (m). The value is twice the
/// displacement in the first step of the fastest start.
const REST: f32 = 0.008;
/// Range of friction and of restitution in the search.
const RANGE: (f64, f64) = (0.0, 1.0);
/// Number of points in a sweep over `RANGE`.
const SWEEP: usize = 26;
/// Tolerance of the fitted friction and restitution.
const TOLERANCE: f64 = 2e-4;
/// Half the width of the range of the local search, which is centred on the result of the sweep.
const REACH: f64 = 0.04;
/// Difference of friction or restitution between the three points of a parabola. The minimum of the parabola is the
/// fitted value for a subset of the runs.
const STEP: f64 = 0.01;
/// Gap between two bodies below which it is uncertain whether they touch (m). It is a few times the noise of motion
/// capture.
const DOUBT: f32 = 0.0003;
/// Number of frames for which an uncertain contact affects velocities. After that, friction with the floor has
/// removed the effect.
const MEMORY: usize = 2;
/// Number of frames after a contact in which the effects of the contact could be mistaken for noise.
const SETTLING: usize = 12;

/// Friction and restitution between bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Contact {
    friction: f64,
    restitution: f64,
}

impl Contact {
    fn physics(self, half_arena: (f32, f32)) -> Physics {
        Physics {
            mu_bodies: self.friction as f32,
            restitution: self.restitution as f32,
            noise: [0.0; 3],
            half_arena,
            ..Physics::default()
        }
    }
}

/// Run that is prepared for simulation, with one frame per physics step.
struct Encounter {
    run: Run,
    shapes: Vec<Shape>,
    /// Gaps as computed by [`gaps`], by frame and body (m).
    gaps: Vec<Vec<f32>>,
    half_arena: (f32, f32),
}

impl Encounter {
    fn new(run: &Run, half_arena: (f32, f32)) -> Result<Encounter, FitError> {
        if run.longest_gap() > LONGEST_GAP {
            let gap = run.longest_gap();
            return Err(FitError(format!("frames are up to {gap:.3} s apart; record at least every {LONGEST_GAP} s")));
        }
        let run = run.resampled(f64::from(DT));
        let shapes: Vec<Shape> =
            run.bodies.iter().map(|b| if b == FRISBEE { Shape::FRISBEE } else { Shape::ROBOT }).collect();
        if run.frames.len() < 2 {
            return Err(FitError("the run is shorter than a physics step of 0.025 s; record a longer run".into()));
        }
        for (i, name) in run.bodies.iter().enumerate() {
            let moved = (run.frames[1].poses[i].at - run.frames[0].poses[i].at).length();
            if moved > REST {
                let cm = moved * 100.0;
                return Err(FitError(format!(
                    "`{name}` moves {cm:.1} cm in its first 0.025 s; runs must start at rest"
                )));
            }
        }
        let gaps: Vec<Vec<f32>> = run.frames.iter().map(|f| gaps(&f.poses, &shapes, half_arena)).collect();
        Ok(Encounter { run, shapes, gaps, half_arena })
    }

    /// Returns whether body `i` certainly touches something in a frame. Returns false if the contact of any body is
    /// uncertain in this frame or in the preceding [`MEMORY`] frames.
    fn touches(&self, frame: usize, i: usize) -> bool {
        let lately = &self.gaps[frame.saturating_sub(MEMORY)..=frame];
        self.gaps[frame][i] < 0.0 && !lately.iter().flatten().any(|gap| gap.abs() < DOUBT)
    }

    /// Returns whether body `i` has no contact in a frame and in the preceding [`SETTLING`] frames.
    fn free(&self, frame: usize, i: usize) -> bool {
        self.gaps[frame.saturating_sub(SETTLING)..=frame].iter().all(|gaps| gaps[i] > DOUBT)
    }

    /// Returns the number of contacts, summed over all frames and bodies.
    fn touch_count(&self) -> usize {
        (0..self.gaps.len()).map(|k| (0..self.shapes.len()).filter(|i| self.touches(k, *i)).count()).sum()
    }

    /// Predicts every frame from the preceding frame. `see` receives the index of the frame, the bodies after the
    /// simulated step, and the recorded poses.
    fn predict(&self, contact: Contact, mut see: impl FnMut(usize, &[Body], &[Pose])) {
        let physics = contact.physics(self.half_arena);
        let frames = &self.run.frames;
        let mut bodies: Vec<Body> = self.bodies(0);
        for k in 1..frames.len() {
            for (i, body) in bodies.iter_mut().enumerate() {
                (body.pose, body.wheels) = (frames[k - 1].poses[i], frames[k - 1].wheels[i]);
            }
            physics::step(&mut bodies, &physics, 0, 0, k as u32);
            see(k, &bodies, &frames[k].poses);
        }
    }

    /// Returns the bodies at rest, with the poses of a frame.
    fn bodies(&self, frame: usize) -> Vec<Body> {
        self.shapes.iter().zip(&self.run.frames[frame].poses).map(|(s, pose)| Body::at_rest(*s, *pose)).collect()
    }

    /// Returns the sum of the squared one-step errors of touching bodies (m^2), and the number of these errors.
    fn errors(&self, contact: Contact) -> (f64, f64) {
        let (mut sum, mut count) = (0.0, 0.0);
        self.predict(contact, |k, bodies, seen| {
            for (i, body) in bodies.iter().enumerate().filter(|(i, _)| self.touches(k - 1, *i)) {
                let turn = wrap_angle(seen[i].heading - body.pose.heading) * body.shape.radius;
                sum += f64::from((seen[i].at - body.pose.at).length_squared() + turn * turn);
                count += 1.0;
            }
        });
        (sum, count)
    }

    /// Returns the prediction errors of robots without contact: errors of the position along the direction of motion,
    /// and errors of the heading.
    fn residuals(&self, contact: Contact) -> (Vec<Residual>, Vec<Residual>) {
        let (mut along, mut turning) = (Vec::new(), Vec::new());
        self.predict(contact, |k, bodies, seen| {
            let free = |i: &usize| self.free(k - 1, *i) && self.shapes[*i].tall;
            for i in (0..bodies.len()).filter(free) {
                let body = &bodies[i];
                let [speed, spin] = [body.velocity.length(), body.spin].map(|x| f64::from(x * DT).powi(2));
                let off = seen[i].at - body.pose.at;
                // A standing robot has no direction of motion. Any direction is suitable, because the error is only
                // the noise of the pose.
                let ahead = if speed > 1e-14 { body.velocity * (1.0 / body.velocity.length()) } else { unit_x() };
                along.push(Residual { square: f64::from(off.dot(ahead)).powi(2), scales: [speed, 0.0] });
                let turn = f64::from(wrap_angle(seen[i].heading - body.pose.heading));
                turning.push(Residual { square: turn * turn, scales: [spin, speed] });
            }
        });
        (along, turning)
    }
}

fn unit_x() -> xpuck_kernels::math::Vec2 {
    xpuck_kernels::math::vec2(1.0, 0.0)
}

/// Returns the gap between each body and the nearest body or wall (m). The gap is negative if they overlap.
fn gaps(poses: &[Pose], shapes: &[Shape], (hx, hy): (f32, f32)) -> Vec<f32> {
    let gap = |i: usize| {
        let (at, radius) = (poses[i].at, shapes[i].radius);
        let walls = (hx - at.x.abs()).min(hy - at.y.abs()) - radius;
        let others = (0..poses.len()).filter(|j| *j != i);
        others.map(|j| (poses[j].at - at).length() - radius - shapes[j].radius).fold(walls, f32::min)
    };
    (0..poses.len()).map(gap).collect()
}

/// Returns the root mean square of the one-step errors (m). The runs are summed in their order, so that the result
/// does not depend on the threads.
fn discrepancy(encounters: &[&Encounter], contact: Contact) -> f64 {
    let sums: Vec<(f64, f64)> = encounters.par_iter().map(|e| e.errors(contact)).collect();
    let (sum, count) = sums.iter().fold((0.0, 0.0), |t, s| (t.0 + s.0, t.1 + s.1));
    (sum / count).sqrt()
}

/// Returns the friction and the restitution with the smallest discrepancy. They are optimised in turn, first by a
/// sweep over the whole range, and then by a local search.
fn least(encounters: &[&Encounter]) -> Contact {
    let grid = spread(RANGE.0, RANGE.1, SWEEP);
    let find = |last: Option<f64>, cost: &dyn Fn(f64) -> f64| match last {
        None => minimum(&grid, TOLERANCE, cost),
        Some(last) => golden((last - REACH).max(RANGE.0), (last + REACH).min(RANGE.1), TOLERANCE, cost),
    };
    let friction = f64::from(Physics::default().mu_bodies);
    let restitution = find(None, &|restitution| discrepancy(encounters, Contact { friction, restitution }));
    let friction = find(None, &|friction| discrepancy(encounters, Contact { friction, restitution }));
    let restitution =
        find(Some(restitution), &|restitution| discrepancy(encounters, Contact { friction, restitution }));
    let friction = find(Some(friction), &|friction| discrepancy(encounters, Contact { friction, restitution }));
    Contact { friction, restitution }
}

/// Data of one run, from which [`parameters`] estimates the result for any subset of the runs. The errors are computed
/// at the optimum of all runs, and at one lower and one higher value of each parameter.
struct Around {
    /// Sums of squared errors and their counts at minus [`STEP`], zero and plus [`STEP`] from the optimum: first for
    /// friction, and then for restitution.
    errors: [[(f64, f64); 3]; 2],
    along: Vec<Residual>,
    turning: Vec<Residual>,
}

impl Around {
    fn new(encounter: &Encounter, best: Contact) -> Around {
        let (along, turning) = encounter.residuals(best);
        let steps = [-STEP, 0.0, STEP];
        let friction = steps.map(|s| encounter.errors(Contact { friction: best.friction + s, ..best }));
        let restitution = steps.map(|s| encounter.errors(Contact { restitution: best.restitution + s, ..best }));
        Around { errors: [friction, restitution], along, turning }
    }
}

/// Returns friction, restitution and the three alphas of the motion noise for a subset of the runs. Friction and
/// restitution are the minima of parabolas through the errors near `best`, the optimum of all runs.
fn parameters(runs: &[&Around], best: Contact) -> Vec<f64> {
    let vertex = |parameter: usize| {
        let [a, b, c] = [0, 1, 2].map(|s| runs.iter().map(|r| r.errors[parameter][s].0).sum::<f64>());
        let bend = a - 2.0 * b + c;
        if bend > 0.0 { STEP * (a - c) / (2.0 * bend) } else { 0.0 }
    };
    let all =
        |of: fn(&Around) -> &Vec<Residual>| -> Vec<Residual> { runs.iter().flat_map(|r| of(r)).copied().collect() };
    let [_, position, _] = deviations(&all(|r| &r.along));
    let [_, turn, drift] = deviations(&all(|r| &r.turning));
    vec![best.friction + vertex(0), best.restitution + vertex(1), position, turn, drift]
}

/// Fits friction, restitution and noise to runs. `half_arena` is half the length and half the width of the arena (m).
pub fn fit(runs: &[Run], half_arena: (f32, f32)) -> Result<Report, FitError> {
    let encounters: Vec<Encounter> = (1..)
        .zip(runs)
        .map(|(i, run)| Encounter::new(run, half_arena).map_err(|e| FitError(format!("run {i} of the record: {e}"))))
        .collect::<Result<_, _>>()?;
    let all: Vec<&Encounter> = encounters.iter().collect();
    let touches: usize = all.iter().map(|e| e.touch_count()).sum();
    if touches == 0 {
        return Err(FitError("no body touches another body or a wall; record runs with collisions".into()));
    }
    let contact = least(&all);
    let around: Vec<Around> = all.par_iter().map(|encounter| Around::new(encounter, contact)).collect();
    let around: Vec<&Around> = around.iter().collect();
    let values = parameters(&around, contact);
    let errors = jackknife(&around, |kept| Some(parameters(kept, contact)));
    let rows = [
        ("body_friction", "", "friction between bodies"),
        ("restitution", "", "restitution between bodies"),
        ("noise[0]", "", "alpha 1, noise of the distance, each 0.025 s"),
        ("noise[1]", "", "alpha 2, noise of the turn"),
        ("noise[2]", "rad/m", "alpha 3, turn per distance"),
    ];
    let digits: Vec<String> = values.iter().map(|v| format!("{v:.4}")).collect();
    Ok(Report {
        subject: "collisions",
        data: format!("{} runs, {touches} steps of 0.025 s in which a body has contact", runs.len()),
        estimates: estimates(&rows, &values, errors.as_deref()),
        fit: format!("one-step error while touching: {:.3} mm", 1e3 * discrepancy(&all, contact)),
        toml: format!(
            "[physics]\nbody_friction = {}\nrestitution = {}\nnoise = [{}]\n",
            digits[0],
            digits[1],
            digits[2..].join(", ")
        ),
        panels: vec![trajectories(&all, contact), sweeps(&all, contact)],
    })
}

/// Plots the recorded tracks of the encounter with the most contacts. Simulated tracks with different values of
/// friction are grey (Fig. 7.2).
fn trajectories(encounters: &[&Encounter], contact: Contact) -> Plot {
    let mut plot = Plot::new("recorded (colour), simulated for friction 0 to 0.5 (grey)", "x, m", "y, m").same_scale();
    let Some(shown) = encounters.iter().max_by_key(|e| e.touch_count()) else { return plot };
    for friction in spread(0.0, 0.5, 11) {
        let mut bodies = shown.bodies(0);
        let mut tracks = vec![Vec::new(); bodies.len()];
        let physics = Contact { friction, ..contact }.physics(shown.half_arena);
        for (k, frame) in (0..).zip(&shown.run.frames) {
            for (i, body) in bodies.iter_mut().enumerate() {
                tracks[i].push((f64::from(body.pose.at.x), f64::from(body.pose.at.y)));
                body.wheels = frame.wheels[i];
            }
            physics::step(&mut bodies, &physics, 0, 0, k);
        }
        tracks.into_iter().for_each(|track| plot.line("", Colour::Grey, track));
    }
    let colours = [Colour::Red, Colour::Green, Colour::Orange];
    for (i, name) in shown.run.bodies.iter().enumerate() {
        let colour = if name == FRISBEE { Colour::Blue } else { colours[i % colours.len()] };
        let at =
            |i: usize| shown.run.frames.iter().map(move |f| (f64::from(f.poses[i].at.x), f64::from(f.poses[i].at.y)));
        plot.line(name, colour, at(i).collect());
    }
    plot
}

/// Plots the discrepancy over friction and over restitution. In each curve, the other parameter has its fitted value.
fn sweeps(encounters: &[&Encounter], contact: Contact) -> Plot {
    let mut plot = Plot::new("discrepancy over each parameter", "value", "one-step error, mm");
    let grid = spread(RANGE.0, 0.6, 31);
    let curve = |with: &dyn Fn(f64) -> Contact| -> Vec<(f64, f64)> {
        grid.iter().map(|v| (*v, 1e3 * discrepancy(encounters, with(*v)))).collect()
    };
    plot.line("friction", Colour::Red, curve(&|friction| Contact { friction, ..contact }));
    plot.line("restitution", Colour::Blue, curve(&|restitution| Contact { restitution, ..contact }));
    plot.mark(&format!("{:.3}", contact.friction), Colour::Red, contact.friction);
    plot.mark(&format!("{:.3}", contact.restitution), Colour::Blue, contact.restitution);
    plot
}
