//! Eigenvalues and eigenvectors of a symmetric matrix by Jacobi rotations, without an external library.

/// Maximum number of sweeps over all pairs of axes; a matrix of 40 rows needs about ten sweeps.
const SWEEPS: usize = 50;

/// Symmetric matrix in the form B diag(values) B^T.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Eigen {
    /// Eigenvalues, unsorted.
    pub(crate) values: Vec<f64>,
    /// Rows of B. The columns of B are the eigenvectors, with length 1.
    pub(crate) vectors: Vec<Vec<f64>>,
}

impl Eigen {
    /// Returns the decomposition of the identity matrix with `n` rows.
    pub(crate) fn identity(n: usize) -> Eigen {
        let row = |i: usize| (0..n).map(|j| if i == j { 1.0 } else { 0.0 }).collect();
        Eigen { values: vec![1.0; n], vectors: (0..n).map(row).collect() }
    }

    /// Decomposes a symmetric matrix, given by its rows. For a positive definite matrix, small eigenvalues have the
    /// same relative accuracy as large ones.
    pub(crate) fn decompose(matrix: &[Vec<f64>]) -> Eigen {
        let n = matrix.len();
        let mut a = matrix.to_vec();
        let mut vectors = Eigen::identity(n).vectors;
        for _ in 0..SWEEPS {
            let mut rotated = false;
            for p in 0..n {
                for q in p + 1..n {
                    if a[p][q].abs() > f64::EPSILON * (a[p][p] * a[q][q]).abs().sqrt() {
                        rotate(&mut a, &mut vectors, p, q);
                        rotated = true;
                    }
                }
            }
            if !rotated {
                break;
            }
        }
        Eigen { values: (0..n).map(|i| a[i][i]).collect(), vectors }
    }
}

/// Rotates the axes p and q so that the matrix has a 0 at (p, q).
fn rotate(a: &mut [Vec<f64>], vectors: &mut [Vec<f64>], p: usize, q: usize) {
    let slope = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    // Tangent of the smaller of the two possible rotation angles.
    let t = slope.signum() / (slope.abs() + slope.hypot(1.0));
    let cos = 1.0 / t.hypot(1.0);
    let sin = t * cos;
    let shift = t * a[p][q];
    for k in (0..a.len()).filter(|k| *k != p && *k != q) {
        let (kp, kq) = (a[k][p], a[k][q]);
        let turned = (cos * kp - sin * kq, sin * kp + cos * kq);
        (a[k][p], a[k][q]) = turned;
        (a[p][k], a[q][k]) = turned;
    }
    a[p][p] -= shift;
    a[q][q] += shift;
    (a[p][q], a[q][p]) = (0.0, 0.0);
    for row in vectors {
        let (kp, kq) = (row[p], row[q]);
        (row[p], row[q]) = (cos * kp - sin * kq, sin * kp + cos * kq);
    }
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_kernels::random::{Draws, Stream};

    #[test]
    fn eigenvalues_of_two_by_two_matrix_are_exact() {
        let of = Eigen::decompose(&[vec![2.0, 1.0], vec![1.0, 2.0]]);
        let mut values = of.values.clone();
        values.sort_by(f64::total_cmp);
        assert!((values[0] - 1.0).abs() < 1e-15 && (values[1] - 3.0).abs() < 1e-15, "{values:?}");
        assert_eq!(Eigen::decompose(&Eigen::identity(3).vectors), Eigen::identity(3));
    }

    #[test]
    fn values_and_vectors_give_the_matrix_back() {
        for n in [1usize, 3, 10, 40] {
            let mut draws = Draws::new(5, n as u32, 0, 0, Stream::Device);
            let factor: Vec<Vec<f64>> =
                (0..n).map(|_| (0..n).map(|_| f64::from(draws.range(-1.0, 1.0))).collect()).collect();
            let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            let matrix: Vec<Vec<f64>> = factor.iter().map(|a| factor.iter().map(|b| product(a, b)).collect()).collect();
            let of = Eigen::decompose(&matrix);
            assert!(of.values.iter().all(|value| *value > 0.0));
            for (i, row) in of.vectors.iter().enumerate() {
                for (j, other) in of.vectors.iter().enumerate() {
                    let back: f64 = (0..n).map(|k| row[k] * of.values[k] * other[k]).sum();
                    assert!((back - matrix[i][j]).abs() < 1e-12 * n as f64, "{n}: {back}, not {}", matrix[i][j]);
                    let unit = if i == j { 1.0 } else { 0.0 };
                    assert!((product(row, other) - unit).abs() < 1e-12);
                }
            }
        }
    }
}
