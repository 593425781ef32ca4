//! Pose of a planar target, from points on the target and the slopes at which the points are seen.
//!
//! The axes point to the right, down and away from the viewer. Slopes are offsets to the right and downwards per unit
//! of distance along the lens's axis. A distant planar target looks nearly the same if it is tilted in the opposite
//! direction. Both poses are tried, and the better fit is returned.

use crate::vision::homography::{LEAST_PIVOT, homography};
use xpuck_kernels::math::linear::solve;

/// Number of pose parameters: rotation and translation.
pub const POSE: usize = 6;
/// Maximum number of refinement iterations.
const STEPS: usize = 20;
/// Relative improvement of the sum of squared residuals below which the refinement has converged.
const ENOUGH: f64 = 1e-6;
/// Minimum distance of a visible point from the camera, along the lens's axis (m).
const NEAREST: f64 = 1e-3;

/// Point on the target, and the slopes at which the point is seen. The point is given by its offsets to the right and
/// downwards from the target's origin (m).
pub type Point = ([f64; 2], [f64; 2]);

/// Pose of the target in the camera's coordinate frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Rotation matrix, row by row. Its columns are the target's axes.
    pub rotation: [[f64; 3]; 3],
    /// Position of the target's origin (m).
    pub at: [f64; 3],
}

impl Pose {
    /// Returns the position of a point of the target in the camera's coordinate frame (m).
    pub fn position(&self, on: [f64; 2]) -> [f64; 3] {
        std::array::from_fn(|i| self.rotation[i][0] * on[0] + self.rotation[i][1] * on[1] + self.at[i])
    }

    /// Returns the slopes at which a point of the target is seen; `None` if the point is not in front of the camera.
    pub fn slopes(&self, on: [f64; 2]) -> Option<[f64; 2]> {
        let [right, down, ahead] = self.position(on);
        (ahead > NEAREST).then(|| [right / ahead, down / ahead])
    }

    /// Returns the pose after a rotation and a translation. The first three values are a rotation vector, whose length
    /// is the angle (rad). The last three values are the translation (m).
    pub fn shifted(&self, by: &[f64; POSE]) -> Pose {
        let angle = (by[0] * by[0] + by[1] * by[1] + by[2] * by[2]).sqrt();
        let (sine, rest) = match angle < 1e-9 {
            true => (1.0, 0.5),
            false => (angle.sin() / angle, (1.0 - angle.cos()) / angle / angle),
        };
        let axis = [by[0], by[1], by[2]];
        let mut rotation = self.rotation;
        for column in [0, 1, 2] {
            let v = std::array::from_fn(|i| self.rotation[i][column]);
            let (once, twice) = (cross(axis, v), cross(axis, cross(axis, v)));
            (0..3).for_each(|i| rotation[i][column] = v[i] + sine * once[i] + rest * twice[i]);
        }
        Pose { rotation, at: std::array::from_fn(|i| self.at[i] + by[3 + i]) }
    }

    /// Returns the pose with the target tilted in the opposite direction relative to the line of sight.
    fn mirrored(&self) -> Pose {
        let away: [f64; 3] = std::array::from_fn(|i| self.rotation[i][2]);
        let sight = unit(self.at);
        let axis = cross(away, sight);
        let sine = dot(axis, axis).sqrt();
        if sine < 1e-9 {
            return *self;
        }
        let twice = 2.0 * sine.atan2(dot(away, sight)) / sine;
        self.shifted(&[axis[0] * twice, axis[1] * twice, axis[2] * twice, 0.0, 0.0, 0.0])
    }

    /// Returns the sum of the squared residuals between computed and measured slopes of the points.
    fn squares(&self, points: &[Point]) -> f64 {
        let off = |(on, seen): &Point| {
            self.slopes(*on).map_or(f64::INFINITY, |[x, y]| (x - seen[0]).powi(2) + (y - seen[1]).powi(2))
        };
        points.iter().map(off).sum()
    }

    /// Refines the pose to a local optimum. Returns the refined pose with its sum of squared residuals; `None` if the
    /// refinement fails.
    fn refined(mut self, points: &[Point]) -> Option<(Pose, f64)> {
        let (mut error, mut damping) = (self.squares(points), 1e-4);
        for _ in 0..STEPS {
            let (mut normal, mut right) = (vec![vec![0.0; POSE]; POSE], vec![vec![0.0]; POSE]);
            for (on, seen) in points {
                let found = self.slopes(*on)?;
                let slopes: [[f64; 2]; POSE] = {
                    const SMALL: f64 = 1e-6;
                    let at = |n: usize, by: f64| {
                        self.shifted(&std::array::from_fn(|i| if i == n { by } else { 0.0 })).slopes(*on)
                    };
                    let mut slopes = [[0.0; 2]; POSE];
                    for (n, slope) in slopes.iter_mut().enumerate() {
                        let (high, low) = (at(n, SMALL)?, at(n, -SMALL)?);
                        *slope = std::array::from_fn(|i| (high[i] - low[i]) / (2.0 * SMALL));
                    }
                    slopes
                };
                for i in 0..POSE {
                    for axis in 0..2 {
                        right[i][0] += slopes[i][axis] * (seen[axis] - found[axis]);
                        (0..POSE).for_each(|j| normal[i][j] += slopes[i][axis] * slopes[j][axis]);
                    }
                }
            }
            (0..POSE).for_each(|i| normal[i][i] *= 1.0 + damping);
            let step = solve(normal, right, LEAST_PIVOT)?;
            let next = self.shifted(&std::array::from_fn(|i| step[i][0]));
            let next_error = next.squares(points);
            if next_error < error {
                let better = (error - next_error) / error;
                (self, error, damping) = (next, next_error, damping / 10.0);
                if better < ENOUGH {
                    break;
                }
            } else {
                damping *= 100.0;
                if damping > 1e6 {
                    break;
                }
            }
        }
        error.is_finite().then_some((self, error))
    }
}

/// Computes a pose from the homography between the points and their slopes. The result is close to the best fit, and is
/// a starting point for the refinement. Returns `None` if the points do not determine a pose.
pub fn from_homography(points: &[Point]) -> Option<Pose> {
    let (on, seen): (Vec<_>, Vec<_>) = points.iter().copied().unzip();
    let h = homography(&on, &seen)?;
    let column = |i: usize| [h[i], h[i + 3], h[i + 6]];
    // The homography's last element is 1. The positive scale therefore places the origin in front of the camera.
    let scale = 2.0 / (dot(column(0), column(0)).sqrt() + dot(column(1), column(1)).sqrt());
    let right = unit(column(0));
    let along = dot(right, column(1));
    let down = unit(std::array::from_fn(|i| column(1)[i] - along * right[i]));
    let away = cross(right, down);
    let stand =
        Pose { rotation: std::array::from_fn(|i| [right[i], down[i], away[i]]), at: column(2).map(|x| x * scale) };
    stand.rotation.iter().flatten().chain(&stand.at).all(|x| x.is_finite()).then_some(stand)
}

/// Returns the pose with the best fit to at least four points; `None` if the points do not determine a pose.
pub fn fit(points: &[Point]) -> Option<Pose> {
    let one = from_homography(points)?.refined(points);
    let other = one.and_then(|(stand, _)| stand.mirrored().refined(points));
    let (stand, _) = one.into_iter().chain(other).min_by(|a, b| a.1.total_cmp(&b.1))?;
    stand.rotation.iter().flatten().chain(&stand.at).all(|x| x.is_finite()).then_some(stand)
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn unit(v: [f64; 3]) -> [f64; 3] {
    v.map(|x| x / dot(v, v).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_kernels::random::{Draws, Stream};

    const SQUARE: [[f64; 2]; 4] = [[-0.05, 0.05], [0.05, 0.05], [0.05, -0.05], [-0.05, -0.05]];
    const UPRIGHT: Pose = Pose { rotation: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], at: [0.0; 3] };

    fn seen(stand: &Pose) -> Vec<Point> {
        SQUARE.iter().map(|on| (*on, stand.slopes(*on).unwrap())).collect()
    }

    #[test]
    fn exact_corners_give_exact_pose() {
        let mut draws = Draws::new(3, 0, 0, 0, Stream::Device);
        for _ in 0..500 {
            let mut any = |most: f32| f64::from(draws.range(-most, most));
            let by = [any(0.8), any(0.8), any(3.0), any(0.2), any(0.2), 0.9 + any(0.6)];
            let stand = UPRIGHT.shifted(&by);
            let away: f64 = (0..3).map(|i| stand.rotation[i][2] * stand.at[i]).sum();
            if away < 0.3 * dot(stand.at, stand.at).sqrt() {
                continue;
            }
            let told = fit(&seen(&stand)).unwrap();
            let off = |a: &Pose| (0..3).map(|i| (a.at[i] - stand.at[i]).abs()).fold(0.0, f64::max);
            assert!(off(&told) < 1e-5, "{told:?} for {stand:?}");
            let turn: f64 = (0..9).map(|i| (told.rotation[i / 3][i % 3] - stand.rotation[i / 3][i % 3]).abs()).sum();
            assert!(turn < 1e-3, "{told:?} for {stand:?}");
        }
    }

    #[test]
    fn mirrored_pose_differs_and_is_its_own_inverse() {
        let stand = UPRIGHT.shifted(&[0.3, 0.5, 0.1, 0.1, -0.05, 0.8]);
        let other = stand.mirrored();
        assert_eq!(other.at, stand.at);
        let turn =
            |a: &Pose| (0..9).map(|i| (a.rotation[i / 3][i % 3] - stand.rotation[i / 3][i % 3]).abs()).sum::<f64>();
        assert!(turn(&other) > 0.5 && turn(&other.mirrored()) < 1e-9);
    }

    #[test]
    fn degenerate_square_gives_none_or_finite_pose() {
        assert!(fit(&[]).is_none());
        let point = SQUARE.map(|on| (on, [0.1, 0.1]));
        let line = SQUARE.map(|on| (on, [on[0], 0.0]));
        let mad = SQUARE.map(|on| (on, [f64::NAN, 0.0]));
        for points in [point, line, mad] {
            assert!(fit(&points).is_none_or(|s| s.at.iter().all(|x| x.is_finite())), "{points:?}");
        }
        assert!(fit(&mad).is_none());
    }
}
