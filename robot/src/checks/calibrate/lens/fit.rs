//! Lens calibration from views of a flat board of tags. The lens parameters and the board's pose in each view are
//! fitted together with the Levenberg-Marquardt method. The fit minimises the distances between predicted and observed
//! corners of the tags.

use crate::checks::calibrate::{CalibrateError, unfit};
use crate::vision::homography::LEAST_PIVOT;
use crate::vision::lens::Lens;
use crate::vision::planar::{self, POSE, Pose};
use crate::vision::tags::board::Board;
use xpuck_kernels::math::linear::solve;

/// Number of lens parameters: two focal lengths, two coordinates of the centre, two distortion coefficients.
const LENS: usize = 6;
/// Maximum number of iterations.
const STEPS: usize = 100;
/// Relative improvement of the sum of squares below which the fit has converged.
const ENOUGH: f64 = 1e-9;
/// Maximum root mean square error of the corners (pixels of a picture of width 640). The error is larger if the board
/// is not flat, or if its dimensions differ from the assumed dimensions.
const WORST: f64 = 1.2;
/// Maximum standard deviation of the focal length, as a fraction of the focal length.
const UNSURE: f64 = 0.01;
/// Maximum distance between each edge of the picture and the nearest observed corner, as a fraction of the picture's
/// size.
const REACH: f64 = 0.2;
/// Minimum number of views for a fit.
pub const FEWEST: usize = 5;

/// Tag in a picture: its id, and its corners in the order of [`Board::corners`] (pixels).
pub type TagView = (u16, [[f64; 2]; 4]);

/// Result of a fit.
#[derive(Clone, Debug)]
pub struct Fit {
    /// Fitted lens.
    pub lens: Lens,
    /// Root mean square distance between predicted and observed corners (pixels).
    pub rms: f64,
    /// Standard deviations of the fitted parameters: focal lengths and centre (pixels), and distortion coefficients k1
    /// and k2.
    pub deviation: [f64; LENS],
    /// Number of corners in all views.
    pub corners: usize,
}

/// View of the board: points of the board (m) with their image positions (pixels), and the pose of the board.
#[derive(Clone)]
struct View {
    points: Vec<([f64; 2], [f64; 2])>,
    pose: Pose,
}

/// Fits a lens to views of `board` in pictures of `size` pixels.
///
/// # Errors
/// If the views do not determine the lens.
pub fn fit(views: &[Vec<TagView>], board: &Board, size: [usize; 2]) -> Result<Fit, CalibrateError> {
    if views.len() < FEWEST {
        return unfit(format!("{} views of the board; at least {FEWEST} are needed", views.len()));
    }
    let mut lens = Lens::nominal(size[0], size[1]);
    covers(views, lens.size)?;
    let mut placed = Vec::new();
    for view in views {
        let points: Vec<_> = view
            .iter()
            .flat_map(|(id, corners)| board.corners(*id).into_iter().flat_map(move |at| at.into_iter().zip(*corners)))
            .collect();
        let seen: Vec<_> = points.iter().map(|(on, pixel)| (*on, lens.slopes(*pixel))).collect();
        let Some(pose) = planar::from_homography(&seen) else {
            return unfit(
                "a view shows no tags of this board; check that --first, --columns and --rows match the print",
            );
        };
        placed.push(View { points, pose });
    }
    let (mut error, mut damping) = (squares(&placed, &lens), 1e-3);
    for _ in 0..STEPS {
        let (normal, gradient) = equations(&placed, &lens);
        let Some(step) = damped(&normal, &gradient, damping) else { return unfit(SINGULAR) };
        let (next_lens, next) = moved(&placed, &lens, &step);
        let next_error = squares(&next, &next_lens);
        if next_error < error {
            let better = (error - next_error) / error;
            (lens, placed, error, damping) = (next_lens, next, next_error, (damping / 5.0).max(1e-12));
            if better < ENOUGH {
                break;
            }
        } else {
            damping *= 5.0;
            if damping > 1e12 {
                break;
            }
        }
    }
    judge(lens, &placed, error)
}

const SINGULAR: &str = "the views do not determine the lens; tilt and turn the board between the views";

/// Validates the quality of a fit, and computes the standard deviations of its parameters. `error` is the sum of the
/// squared distances between predicted and observed corners (pixels^2).
fn judge(lens: Lens, views: &[View], error: f64) -> Result<Fit, CalibrateError> {
    let corners: usize = views.iter().map(|view| view.points.len()).sum();
    let numbers = LENS + POSE * views.len();
    let rms = (error / corners as f64).sqrt();
    let worst = WORST * (lens.size[0] / 640.0).max(0.5);
    if rms.is_nan() || rms > worst {
        return unfit(format!(
            "the corners are {rms:.2} pixels off on average, at most {worst:.1} is allowed; check that the board is \
             flat, printed at full size and held still"
        ));
    }
    // The covariance of the parameters is the inverse matrix of the normal equations, times the error variance of a
    // corner's coordinate.
    let (normal, _) = equations(views, &lens);
    let one = |n: usize| (0..numbers).map(|i| vec![if i == n { 1.0 } else { 0.0 }]).collect::<Vec<_>>();
    let variance = error / (2 * corners).saturating_sub(numbers).max(1) as f64;
    let mut deviation = [0.0; LENS];
    for (n, deviation) in deviation.iter_mut().enumerate() {
        let Some(column) = solve(normal.clone(), one(n), LEAST_PIVOT) else { return unfit(SINGULAR) };
        *deviation = (column[n][0] * variance).max(0.0).sqrt();
    }
    let unsure = deviation[0] / lens.focal[0];
    if unsure.is_nan() || unsure > UNSURE {
        return unfit(format!(
            "the uncertainty of the focal length is {:.1} %, but must be at most 1 %; tilt the board more, to all sides",
            100.0 * unsure
        ));
    }
    if let Err(why) = lens.check() {
        return unfit(format!("the views give an invalid lens: {why}"));
    }
    Ok(Fit { lens, rms, deviation, corners })
}

/// Verifies that corners were observed near each edge of the picture, where the distortion is largest.
fn covers(views: &[Vec<TagView>], size: [f64; 2]) -> Result<(), CalibrateError> {
    let all = || views.iter().flatten().flat_map(|(_, corners)| corners);
    for (axis, edges) in [["left", "right"], ["upper", "lower"]].into_iter().enumerate() {
        let places = || all().map(|corner| corner[axis] / size[axis]);
        let (least, most) = (places().fold(f64::INFINITY, f64::min), places().fold(0.0, f64::max));
        if let Some(edge) = [least > REACH, most < 1.0 - REACH].iter().position(|missing| *missing) {
            return unfit(format!("no tag came near the {} edge of the image; move the board there too", edges[edge]));
        }
    }
    Ok(())
}

/// Returns the image position of a point of the board (pixels).
fn appears(on: [f64; 2], pose: &Pose, lens: &Lens) -> [f64; 2] {
    // A point behind the camera has no image. A distant position gives it a large residual, so that the fit rejects
    // the step.
    pose.slopes(on).map_or([1e6; 2], |slopes| lens.pixel(slopes))
}

fn squares(views: &[View], lens: &Lens) -> f64 {
    let off = |view: &View| -> f64 {
        let one = |(on, seen): &([f64; 2], [f64; 2])| {
            let found = appears(*on, &view.pose, lens);
            (found[0] - seen[0]).powi(2) + (found[1] - seen[1]).powi(2)
        };
        view.points.iter().map(one).sum()
    };
    views.iter().map(off).sum()
}

/// Returns the lens with parameter `n` increased by `by`.
fn nudged(lens: &Lens, n: usize, by: f64) -> Lens {
    let mut lens = *lens;
    match n {
        0 | 1 => lens.focal[n] += by,
        2 | 3 => lens.centre[n - 2] += by,
        _ => lens.distortion[n - 4] += by,
    }
    lens
}

/// Computes the matrix and the right side of the fit's normal equations, at the given lens and poses.
fn equations(views: &[View], lens: &Lens) -> (Vec<Vec<f64>>, Vec<f64>) {
    let numbers = LENS + POSE * views.len();
    let (mut normal, mut gradient) = (vec![vec![0.0; numbers]; numbers], vec![0.0; numbers]);
    const SMALL: [f64; LENS] = [1e-3, 1e-3, 1e-3, 1e-3, 1e-6, 1e-6];
    for (v, view) in views.iter().enumerate() {
        let lenses = std::array::from_fn::<_, LENS, _>(|n| [SMALL[n], -SMALL[n]].map(|by| nudged(lens, n, by)));
        let poses = std::array::from_fn::<_, POSE, _>(|n| {
            [1e-6, -1e-6].map(|by| view.pose.shifted(&std::array::from_fn(|i| if i == n { by } else { 0.0 })))
        });
        let place = |n: usize| if n < LENS { n } else { LENS + POSE * v + n - LENS };
        for (on, seen) in &view.points {
            let found = appears(*on, &view.pose, lens);
            let slopes: [[f64; 2]; LENS + POSE] = std::array::from_fn(|n| {
                let ([high, low], width) = match n {
                    n if n < LENS => (lenses[n].map(|lens| appears(*on, &view.pose, &lens)), 2.0 * SMALL[n]),
                    n => (poses[n - LENS].map(|pose| appears(*on, &pose, lens)), 2e-6),
                };
                std::array::from_fn(|axis| (high[axis] - low[axis]) / width)
            });
            for (i, row) in slopes.iter().enumerate() {
                for axis in [0, 1] {
                    gradient[place(i)] += row[axis] * (seen[axis] - found[axis]);
                    let add = |(j, other): (usize, &[f64; 2])| normal[place(i)][place(j)] += row[axis] * other[axis];
                    slopes.iter().enumerate().for_each(add);
                }
            }
        }
    }
    (normal, gradient)
}

fn damped(normal: &[Vec<f64>], gradient: &[f64], damping: f64) -> Option<Vec<f64>> {
    let mut a = normal.to_vec();
    (0..a.len()).for_each(|i| a[i][i] *= 1.0 + damping);
    let step = solve(a, gradient.iter().map(|g| vec![*g]).collect(), LEAST_PIVOT)?;
    Some(step.into_iter().map(|row| row[0]).collect())
}

fn moved(views: &[View], lens: &Lens, step: &[f64]) -> (Lens, Vec<View>) {
    let lens = (0..LENS).fold(*lens, |lens, n| nudged(&lens, n, step[n]));
    let one = |(v, view): (usize, &View)| {
        let from = LENS + POSE * v;
        View { points: view.points.clone(), pose: view.pose.shifted(&std::array::from_fn(|i| step[from + i])) }
    };
    (lens, views.iter().enumerate().map(one).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_kernels::random::{Draws, Stream};

    const TRUE: Lens =
        Lens { size: [640.0, 480.0], focal: [582.0, 584.0], centre: [327.0, 235.0], distortion: [-0.22, 0.06] };
    const BOARD: Board = Board { first: 0, columns: 4, rows: 6, size: 0.03, pitch: 0.04 };

    /// Returns views of the board with the given tilts. Each coordinate of a corner has a uniformly distributed error
    /// of at most `scatter` (pixels).
    fn views(tilts: &[[f64; 3]], scatter: f32) -> Vec<Vec<TagView>> {
        let mut draws = Draws::new(4, 0, 0, 0, Stream::Device);
        let one = |turn: &[f64; 3]| {
            let upright = Pose { rotation: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], at: [0.0; 3] };
            let mut pose = upright.shifted(&[turn[0], turn[1], turn[2], 0.0, 0.0, 0.0]);
            let middle: [f64; 3] = std::array::from_fn(|i| pose.rotation[i][0] * 0.075 + pose.rotation[i][1] * 0.115);
            pose.at = [-middle[0] + 0.06 * turn[1].signum(), -middle[1] + 0.03 * turn[0].signum(), 0.3 - middle[2]];
            let ids = BOARD.first..BOARD.first + 24;
            let seen = ids.filter_map(|id| {
                let corners = BOARD.corners(id).unwrap().map(|on| {
                    let [x, y] = appears(on, &pose, &TRUE);
                    [x + f64::from(draws.range(-scatter, scatter)), y + f64::from(draws.range(-scatter, scatter))]
                });
                let inside = |[x, y]: &[f64; 2]| (0.0..640.0).contains(x) && (0.0..480.0).contains(y);
                corners.iter().all(inside).then_some((id, corners))
            });
            seen.collect()
        };
        tilts.iter().map(one).collect()
    }

    const MANY: [[f64; 3]; 8] = [
        [0.5, 0.1, 0.0],
        [-0.5, -0.1, 0.2],
        [0.1, 0.5, -0.2],
        [-0.1, -0.5, 1.5],
        [0.4, 0.4, 0.0],
        [-0.4, 0.4, 0.1],
        [0.3, -0.5, 3.0],
        [-0.3, -0.3, -1.5],
    ];

    #[test]
    fn lens_fit_recovers_lens_and_its_uncertainty() {
        let exact = fit(&views(&MANY, 0.0), &BOARD, [640, 480]).unwrap();
        let off = |fit: &Fit| {
            let (f, t) = (fit.lens, TRUE);
            [
                f.focal[0] - t.focal[0],
                f.focal[1] - t.focal[1],
                f.centre[0] - t.centre[0],
                f.centre[1] - t.centre[1],
                f.distortion[0] - t.distortion[0],
                f.distortion[1] - t.distortion[1],
            ]
        };
        assert!(off(&exact).iter().all(|x| x.abs() < 1e-3) && exact.rms < 1e-3, "{exact:?}");
        let rough = fit(&views(&MANY, 0.5), &BOARD, [640, 480]).unwrap();
        for (off, deviation) in off(&rough).iter().zip(rough.deviation) {
            assert!(off.abs() < 4.0 * deviation && deviation > 0.0, "{off} for {deviation}: {rough:?}");
        }
        // A corner has two coordinates, each with an error variance of 1/12 pixel^2. The expected root mean square
        // distance is therefore 0.41 pixels.
        assert!((0.3..0.5).contains(&rough.rms), "{}", rough.rms);
    }

    #[test]
    fn views_that_do_not_tell_are_refused_with_the_remedy() {
        let error = |views: &[Vec<TagView>]| fit(views, &BOARD, [640, 480]).unwrap_err().to_string();
        assert!(error(&views(&MANY[..3], 0.0)).contains("at least 5 are needed"));
        assert!(error(&views(&[[0.0, 0.0, 0.0]; 6], 0.3)).contains("edge"), "only the middle");
        let mut wrong = views(&MANY, 0.0);
        wrong[2][3].1 = wrong[2][0].1;
        assert!(error(&wrong).contains("flat"), "{}", error(&wrong));
        let stranger = views(&MANY, 0.0).into_iter().map(|v| v.into_iter().map(|(id, c)| (id + 100, c)).collect());
        assert!(error(&stranger.collect::<Vec<_>>()).contains("--first"));
        let mut mad = views(&MANY, 0.0);
        mad[0][0].1[0][0] = f64::NAN;
        assert!(fit(&mad, &BOARD, [640, 480]).is_err());
    }
}
