//! Small systems of linear equations, for calibration.

/// Solves the system `a` * result = `right` for each column of `right`, by elimination with pivots. The matrix `a` is
/// square and stored row by row. Returns `None` if `a` is singular: a pivot does not exceed `least` in magnitude.
pub fn solve(mut a: Vec<Vec<f64>>, mut right: Vec<Vec<f64>>, least: f64) -> Option<Vec<Vec<f64>>> {
    let n = a.len();
    for column in 0..n {
        let pivot = (column..n).max_by(|i, j| a[*i][column].abs().total_cmp(&a[*j][column].abs()))?;
        // A NaN pivot is also rejected.
        if a[pivot][column].abs().partial_cmp(&least) != Some(std::cmp::Ordering::Greater) {
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

/// Solves a possibly underdetermined system by elimination with pivots. Variables without an equation are set to 0.
pub fn solve_underdetermined<const N: usize>(mut rows: [[f64; N]; N], mut right: [f64; N]) -> [f64; N] {
    for i in 0..N {
        let pivot = (i..N).max_by(|a, b| rows[*a][i].abs().total_cmp(&rows[*b][i].abs())).expect("not empty");
        rows.swap(i, pivot);
        right.swap(i, pivot);
        let row = rows[i];
        for j in (0..N).filter(|j| *j != i && row[i] != 0.0) {
            let factor = rows[j][i] / row[i];
            rows[j].iter_mut().zip(row).for_each(|(x, y)| *x -= factor * y);
            right[j] -= factor * right[i];
        }
    }
    std::array::from_fn(|i| if rows[i][i] == 0.0 { 0.0 } else { right[i] / rows[i][i] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equations_are_solved_and_singular_ones_refused() {
        let a = vec![vec![0.0, 2.0, 1.0], vec![1.0, 1.0, 0.0], vec![3.0, 0.0, -1.0]];
        let x = solve(a, vec![vec![7.0, 1.0], vec![3.0, 0.0], vec![0.0, 2.0]], 0.0).unwrap();
        assert!(x.iter().zip([1.0, 2.0, 3.0]).all(|(row, x)| (row[0] - x).abs() < 1e-12), "{x:?}");
        assert!(solve(vec![vec![1.0, 2.0], vec![2.0, 4.0]], vec![vec![1.0], vec![1.0]], 0.0).is_none());
        assert!(solve(vec![vec![f64::NAN]], vec![vec![1.0]], 0.0).is_none());
    }
    #[test]
    fn unconstrained_unknown_solves_to_zero() {
        let x = solve_underdetermined([[0.0, 2.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 0.0]], [4.0, 5.0, 0.0]);
        assert_eq!(x, [3.0, 2.0, 0.0]);
    }
}
