//! Wheel factors of each robot, and the noise of motion (Eqs. 7.1 and 7.2), from segments of a run in which the robot
//! touches nothing.
//!
//! The commanded wheel speeds drive a simulated robot, so that inertia has no effect on the result. A segment lasts
//! half a second or more, and begins and ends at times at which the wheels turn steadily. In a segment, the wheels of
//! the simulated robot roll the distances L and R. The robot should then advance by (a L + b R) / 2, and turn by
//! (b R - a L) / (c W). W is the distance between the wheels, and a, b and c are the robot's factors. The factors are
//! found by least squares. Segments in which a wheel slipped are outliers, and are left out of this fit. The errors of
//! all segments give the noise.

use super::poses::Run;
use xpuck_kernels::math::linear::solve_underdetermined;
use xpuck_kernels::math::{Vec2, wrap_angle};
use xpuck_kernels::model::{DT, WHEELBASE};

/// Minimum duration of a segment (s).
const STRETCH: f64 = 0.5;
/// Maximum duration of a segment (s).
const LONGEST: f64 = 2.0;
/// Half the length of the interval in which the speed of a wheel is checked (s). A wheel is steady if it rolls the same
/// distance in both halves. The length is chosen by the accuracy of the command times.
const AROUND: f64 = 0.1;
/// Maximum difference between the distances that a steady wheel rolls in two successive intervals of [`AROUND`] (m).
const UNSTEADY: f64 = 0.001;
/// Maximum error of a segment that is not an outlier, as a multiple of the median error.
const FAR_OFF: f64 = 5.0;
/// Number of Gauss-Newton iterations. The factors converge within five.
const ROUNDS: usize = 12;
/// Maximum distance that a wheel rolls in a segment if it counts as standing (m).
const STANDS: f64 = 1e-4;
/// Median of the square of a standard normal deviate.
const MEDIAN_OF_SQUARES: f64 = 0.4549;
/// Minimum sum and minimum difference of the two wheel distances in a segment (m). The fit requires several segments
/// with a greater sum, and several with a greater difference.
const LEAST_WAY: f64 = 0.005;

/// Segment of a run: distances of the simulated wheels, and recorded motion of the robot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    /// Distances that the left and the right wheel of the simulated robot roll (m).
    pub wheels: [f64; 2],
    /// Recorded forward distance of the robot (m).
    pub way: f64,
    /// Recorded turn of the robot (rad).
    pub turn: f64,
    /// Sums over all physics steps of the squared distance (m^2) and the squared turn (rad^2) of the simulated robot.
    /// The noise is proportional to these sums.
    pub squares: [f64; 2],
}

/// Factors of a robot: for the left wheel, for the right wheel, and for the distance between the wheels.
pub type Factors = [f64; 3];

/// Returns the segments of a run of one robot. Its poses have the delay `late` (s). `free` returns whether the robot
/// touched nothing between two times of the record (s).
pub fn stretches(run: &Run, late: f64, free: impl Fn(f64, f64) -> bool) -> Vec<Stretch> {
    let rolled = Rolled::from_run(run);
    let mut found = Vec::new();
    let mut first = 0;
    while first < run.frames.len() {
        let from = run.frames[first].time;
        if !rolled.steady(from - late) {
            first += 1;
            continue;
        }
        let end = |i: &usize| run.frames[*i].time - from >= STRETCH && rolled.steady(run.frames[*i].time - late);
        let Some(last) = (first..run.frames.len()).find(end) else { break };
        let to = run.frames[last].time;
        if to - from > LONGEST {
            first += 1;
            continue;
        }
        // The first segments are left out. Because of inertia, their motion depends on commands before the run.
        let known = from - late - run.frames[0].time > STRETCH;
        if known && free(from, to) {
            let (mut way, mut turn) = (0.0, 0.0);
            for pair in run.frames[first..=last].windows(2) {
                let (a, b) = (&pair[0].poses[0], &pair[1].poses[0]);
                let by = wrap_angle(b.heading - a.heading);
                way += f64::from((b.at - a.at).dot(Vec2::unit(a.heading + 0.5 * by)));
                turn += f64::from(by);
            }
            let (a, b) = (rolled.at(from - late), rolled.at(to - late));
            let sums = [0, 1, 2, 3].map(|i| b[i] - a[i]);
            found.push(Stretch { wheels: [sums[0], sums[1]], way, turn, squares: [sums[2], sums[3]] });
        }
        first = last;
    }
    found
}

/// Cumulative sums over the physics steps of a simulated robot. The sums are the distances of the left and the right
/// wheel (m), the squared distance of the robot (m^2), and its squared turn (rad^2).
struct Rolled {
    start: f64,
    sums: Vec<[f64; 4]>,
}

impl Rolled {
    fn from_run(run: &Run) -> Rolled {
        let start = run.frames[0].time;
        let mut sums = vec![[0.0; 4]];
        let steps = ((run.frames[run.frames.len() - 1].time - start) / f64::from(DT)) as u32 + 1;
        run.drive_alone(0, steps, |body| {
            let ahead = body.velocity.dot(Vec2::unit(body.pose.heading));
            let aside = body.spin * WHEELBASE * 0.5;
            let squares = [ahead * DT, body.spin * DT].map(|x| f64::from(x * x));
            let steps = [f64::from((ahead - aside) * DT), f64::from((ahead + aside) * DT), squares[0], squares[1]];
            let last = sums[sums.len() - 1];
            sums.push([0, 1, 2, 3].map(|i| last[i] + steps[i]));
        });
        Rolled { start, sums }
    }

    /// Returns whether both wheels roll the same distance in the intervals [`AROUND`] before and after `time` (s).
    fn steady(&self, time: f64) -> bool {
        let [before, now, after] = [time - AROUND, time, time + AROUND].map(|t| self.at(t));
        (0..2).all(|i| (after[i] - 2.0 * now[i] + before[i]).abs() < UNSTEADY)
    }

    fn at(&self, time: f64) -> [f64; 4] {
        let place = ((time - self.start) / f64::from(DT)).clamp(0.0, (self.sums.len() - 1) as f64);
        let below = (place as usize).min(self.sums.len() - 2);
        let part = place - below as f64;
        [0, 1, 2, 3].map(|i| self.sums[below][i] * (1.0 - part) + self.sums[below + 1][i] * part)
    }
}

/// Returns the differences between the recorded distance and turn of a segment and their predictions from the factors
/// (m). The difference of the turn is converted to the distance that a wheel rolls.
fn off(stretch: &Stretch, [a, b, c]: Factors) -> [f64; 2] {
    let [left, right] = stretch.wheels;
    let turn = (b * right - a * left) / (c * f64::from(WHEELBASE));
    [stretch.way - (a * left + b * right) / 2.0, (stretch.turn - turn) * f64::from(WHEELBASE) / 2.0]
}

/// Returns the factors of a robot by least squares. Outliers are determined and left out in three rounds. `None` if
/// the robot hardly moved or never turned, or if a factor is outside 0.5..2.
pub fn factors(stretches: &[Stretch]) -> Option<Factors> {
    let moved = |f: fn([f64; 2]) -> f64| stretches.iter().filter(|s| f(s.wheels).abs() > LEAST_WAY).count();
    if moved(|[l, r]| l + r) < 8 || moved(|[l, r]| r - l) < 8 {
        return None;
    }
    let moving: Vec<&Stretch> = stretches.iter().filter(|s| s.wheels.iter().any(|way| way.abs() > STANDS)).collect();
    let mut found = [1.0; 3];
    for _ in 0..3 {
        let distance = |s: &Stretch| off(s, found).iter().map(|x| x * x).sum::<f64>().sqrt();
        let mut sorted: Vec<f64> = moving.iter().map(|s| distance(s)).collect();
        sorted.sort_by(f64::total_cmp);
        let most = FAR_OFF * sorted[sorted.len() / 2];
        let kept: Vec<&Stretch> = moving.iter().copied().filter(|s| distance(s) <= most).collect();
        for _ in 0..ROUNDS {
            found = improved(&kept, found);
        }
    }
    found.iter().all(|f| (0.5..2.0).contains(f)).then_some(found)
}

/// Returns the factors after one Gauss-Newton iteration.
fn improved(stretches: &[&Stretch], [a, b, c]: Factors) -> Factors {
    let (mut matrix, mut right_side) = ([[0.0; 3]; 3], [0.0; 3]);
    for stretch in stretches {
        let [left, right] = stretch.wheels;
        let rows = [
            [left / 2.0, right / 2.0, 0.0],
            [-left / (2.0 * c), right / (2.0 * c), -(b * right - a * left) / (2.0 * c * c)],
        ];
        for (row, off) in rows.iter().zip(off(stretch, [a, b, c])) {
            for i in 0..3 {
                (0..3).for_each(|j| matrix[i][j] += row[i] * row[j]);
                right_side[i] += row[i] * off;
            }
        }
    }
    let [da, db, dc] = solve_underdetermined(matrix, right_side);
    [a + da, b + db, c + dc]
}

/// Returns the three alphas of the motion noise, including slip. With these alphas, simulated distances and turns
/// scatter as in the record. The apparent motion of standing robots is noise of the poses, and is subtracted.
pub fn alphas(stretches: &[(Stretch, Factors)]) -> [f64; 3] {
    let rows: Vec<Row> = stretches.iter().map(|(stretch, factors)| Row::from_stretch(stretch, *factors)).collect();
    // The median is robust against robots that other bodies pushed while they stood.
    let of_poses = [0, 1].map(|i| {
        let mut standing: Vec<f64> = rows.iter().filter(|row| row.stands).map(|row| row.squares[i]).collect();
        standing.sort_by(f64::total_cmp);
        standing.get(standing.len() / 2).map_or(0.0, |median| median / MEDIAN_OF_SQUARES)
    });
    let sum = |of: &dyn Fn(&Row) -> f64| rows.iter().filter(|row| !row.stands).map(of).sum::<f64>();
    let position = sum(&|r| r.squares[0] - of_poses[0]) / sum(&|r| r.way);
    // The error of the heading has two sources: the turn and the distance. Two equations give the noise of both
    // sources. The first is the sum over all segments in which the robot turns more than it advances. The second is the
    // sum over all other segments.
    let mut matrix = [[0.0; 2]; 2];
    let mut right = [0.0; 2];
    for (kind, turning) in [true, false].into_iter().enumerate() {
        let of_kind = |of: &dyn Fn(&Row) -> f64| sum(&|r| if r.turning == turning { of(r) } else { 0.0 });
        matrix[kind] = [of_kind(&|r| r.turn), of_kind(&|r| r.way)];
        right[kind] = of_kind(&|r| r.squares[1] - of_poses[1]);
    }
    // If the solution for one source is negative, it is replaced by zero. The total error is then attributed to the
    // other source.
    let alone = |i: usize| (right[0] + right[1]) / (matrix[0][i] + matrix[1][i]);
    let [turn, drift] = match solve_underdetermined(matrix, right) {
        [turn, _] if turn < 0.0 => [0.0, alone(1)],
        [_, drift] if drift < 0.0 => [alone(0), 0.0],
        both => both,
    };
    [position, turn, drift].map(|square| if square.is_finite() { square.max(0.0).sqrt() } else { 0.0 })
}

/// Errors of a segment, and the quantities with which its noise scales.
struct Row {
    /// Squared errors of the distance (m^2) and of the turn (rad^2).
    squares: [f64; 2],
    /// Sum of squared distances over all physics steps (m^2), with which the noise scales.
    way: f64,
    /// Sum of squared turns over all physics steps (rad^2), with which the noise scales.
    turn: f64,
    /// Whether the robot turns more than it advances in the segment. The turn is converted to a distance of the wheels.
    turning: bool,
    stands: bool,
}

impl Row {
    fn from_stretch(stretch: &Stretch, factors: Factors) -> Row {
        let [way_off, turn_off] = off(stretch, factors);
        let [way, turn] = stretch.squares;
        let turned = 2.0 / f64::from(WHEELBASE);
        Row {
            squares: [way_off.powi(2), (turned * turn_off).powi(2)],
            way,
            turn,
            turning: turn > turned * turned * way,
            stands: stretch.wheels.iter().all(|way| way.abs() < STANDS),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::poses::Frame;
    use xpuck_kernels::random::{Draws, Stream};
    use xpuck_kernels::world::physics::{self, Physics};
    use xpuck_kernels::world::{Body, Shape};

    /// Simulates a robot with random commands by the reference physics. The robot has the given factors and motion
    /// noise.
    fn drive(factors: Factors, noise: [f32; 3], seed: u64) -> Run {
        let physics = Physics { noise, half_arena: (f32::INFINITY, f32::INFINITY), ..Physics::default() };
        let mut body = [Body::at_rest(Shape::ROBOT, xpuck_kernels::world::Pose::default())];
        let mut draws = Draws::new(seed, 0, 0, 0, Stream::Start);
        let mut frames = Vec::new();
        let mut wheels = [0.0; 2];
        for k in 0..24_000u32 {
            if k.is_multiple_of(40) {
                wheels = [draws.range(-0.13, 0.13), draws.range(-0.13, 0.13)];
            }
            frames.push(Frame { time: f64::from(k * 25) / 1000.0, poses: vec![body[0].pose], wheels: vec![wheels] });
            let [a, b, c] = factors.map(|f| f as f32);
            // A smaller distance between the wheels makes the robot turn faster at the same wheel speeds.
            let (sum, difference) = (a * wheels[0] + b * wheels[1], (b * wheels[1] - a * wheels[0]) / c);
            body[0].wheels = [(sum - difference) / 2.0, (sum + difference) / 2.0];
            physics::step(&mut body, &physics, seed, 0, k);
        }
        Run { bodies: vec!["xp01".into()], frames }
    }

    #[test]
    fn wheels_and_noise_come_back() {
        let truth = [1.04, 0.97, 1.03];
        let mut all = Vec::new();
        for seed in 0..24 {
            let run = drive(truth, [0.1, 0.08, 0.5], seed);
            let found = stretches(&run, 0.0, |_, _| true);
            let factors = factors(&found).unwrap();
            for (found, truth) in factors.into_iter().zip(truth) {
                assert!((found - truth).abs() < 0.01, "{factors:?}");
            }
            all.extend(found.into_iter().map(|s| (s, factors)));
        }
        let [position, turn, drift] = alphas(&all);
        assert!((position / 0.1 - 1.0).abs() < 0.15 && (turn / 0.08 - 1.0).abs() < 0.25, "{position} {turn}");
        assert!((drift / 0.5 - 1.0).abs() < 0.15, "{drift}");
    }

    #[test]
    fn straight_driving_yields_no_wheel_factors() {
        let mut run = drive([1.0; 3], [0.0; 3], 1);
        run.frames.iter_mut().for_each(|f| f.wheels[0] = [0.1, 0.1]);
        assert_eq!(factors(&stretches(&run, 0.0, |_, _| true)), None);
        assert!(stretches(&run, 0.0, |_, _| false).is_empty());
    }
}
