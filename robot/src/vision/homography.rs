//! Homography between points of two planes.

use xpuck_kernels::math::linear::solve;

/// Pivot below which a system of linear equations counts as singular.
pub const LEAST_PIVOT: f64 = 1e-300;

/// Computes the least-squares homography from the points `from` to the points `to`. The result is a 3 x 3 matrix, row
/// by row, whose last element is 1. Returns `None` for fewer than four points, or if the points do not determine a
/// homography.
pub fn homography(from: &[[f64; 2]], to: &[[f64; 2]]) -> Option<[f64; 9]> {
    if from.len().min(to.len()) < 4 {
        return None;
    }
    let (mut a, mut b) = (vec![vec![0.0; 8]; 8], vec![vec![0.0]; 8]);
    for ([x, y], [u, v]) in from.iter().zip(to) {
        let rows =
            [([*x, *y, 1.0, 0.0, 0.0, 0.0, -x * u, -y * u], u), ([0.0, 0.0, 0.0, *x, *y, 1.0, -x * v, -y * v], v)];
        for (row, value) in rows {
            for i in 0..8 {
                (0..8).for_each(|j| a[i][j] += row[i] * row[j]);
                b[i][0] += row[i] * value;
            }
        }
    }
    let h = solve(a, b, LEAST_PIVOT)?;
    let whole: [f64; 9] = std::array::from_fn(|i| if i < 8 { h[i][0] } else { 1.0 });
    whole.iter().all(|x| x.is_finite()).then_some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn homography_maps_points_to_targets() {
        let from = [[-1.0, 1.0], [1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]];
        let to = [[0.1, 0.2], [0.5, 0.25], [0.45, -0.1], [0.12, -0.2]];
        let h = homography(&from, &to).unwrap();
        for ([x, y], expected) in from.into_iter().zip(to) {
            let w = h[6] * x + h[7] * y + 1.0;
            let found = [(h[0] * x + h[1] * y + h[2]) / w, (h[3] * x + h[4] * y + h[5]) / w];
            assert!((found[0] - expected[0]).hypot(found[1] - expected[1]) < 1e-9, "{found:?} {expected:?}");
        }
        assert!(homography(&from, &[[0.0; 2]; 4]).is_none_or(|h| h.iter().all(|x| x.is_finite())));
        assert!(homography(&from[..3], &to[..3]).is_none());
    }
}
