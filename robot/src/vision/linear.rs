//! Linear equations, as few and as small as a camera's calibration needs them.

/// The columns of `right` solved for: `a` (row by row, square) times the answer is `right`. None if `a` is singular.
pub fn solve(mut a: Vec<Vec<f64>>, mut right: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let n = a.len();
    for column in 0..n {
        let pivot = (column..n).max_by(|i, j| a[*i][column].abs().total_cmp(&a[*j][column].abs()))?;
        // What is not larger than nothing is no pivot; NaN is none either.
        if a[pivot][column].abs().partial_cmp(&1e-300) != Some(std::cmp::Ordering::Greater) {
            return None;
        }
        a.swap(column, pivot);
        right.swap(column, pivot);
        let (upper, lower) = a.split_at_mut(column + 1);
        let (upper_right, lower_right) = right.split_at_mut(column + 1);
        let (leading, leading_right) = (&upper[column], &upper_right[column]);
        for (row, row_right) in lower.iter_mut().zip(lower_right) {
            let factor = row[column] / leading[column];
            if factor != 0.0 {
                row[column..].iter_mut().zip(&leading[column..]).for_each(|(x, y)| *x -= factor * y);
                row_right.iter_mut().zip(leading_right).for_each(|(x, y)| *x -= factor * y);
            }
        }
    }
    for row in (0..n).rev() {
        for k in 0..right[row].len() {
            let known: f64 = (row + 1..n).map(|column| a[row][column] * right[column][k]).sum();
            right[row][k] = (right[row][k] - known) / a[row][row];
        }
    }
    Some(right)
}

/// The homography, row by row with its last element 1, that takes the first points nearest to the second ones; at least
/// four. None if they do not tell.
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
    let h = solve(a, b)?;
    let whole: [f64; 9] = std::array::from_fn(|i| if i < 8 { h[i][0] } else { 1.0 });
    whole.iter().all(|x| x.is_finite()).then_some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equations_are_solved_and_singular_ones_refused() {
        let a = vec![vec![0.0, 2.0, 1.0], vec![1.0, 1.0, 0.0], vec![3.0, 0.0, -1.0]];
        let x = solve(a, vec![vec![7.0, 1.0], vec![3.0, 0.0], vec![0.0, 2.0]]).unwrap();
        assert!(x.iter().zip([1.0, 2.0, 3.0]).all(|(row, x)| (row[0] - x).abs() < 1e-12), "{x:?}");
        assert!(solve(vec![vec![1.0, 2.0], vec![2.0, 4.0]], vec![vec![1.0], vec![1.0]]).is_none());
        assert!(solve(vec![vec![f64::NAN]], vec![vec![1.0]]).is_none());
    }

    #[test]
    fn a_homography_takes_points_where_they_belong() {
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
