//! Principal component analysis (Pearson 1901): the directions with the greatest variance of the samples.

use super::standardise::check;
use crate::eigen::Eigen;

/// Principal components of a set of samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Pca {
    /// Mean of each column.
    pub mean: Vec<f64>,
    /// Variance of the samples along each component (with divisor n - 1), in descending order. The number of components
    /// is the number of columns.
    pub variances: Vec<f64>,
    /// Unit vectors of the components in the order of `variances`. In each vector, the entry with the greatest
    /// magnitude is positive.
    pub components: Vec<Vec<f64>>,
}

impl Pca {
    /// Computes the components of samples, one per row. If the units of the columns differ, the samples must be
    /// standardised first.
    ///
    /// # Errors
    /// Returns a message of one line if there are fewer than 4 samples, more than 64 columns, rows of different lengths
    /// or numbers that are not finite.
    pub fn fit(rows: &[Vec<f64>]) -> Result<Pca, String> {
        check(rows)?;
        let (n, columns) = (rows.len() as f64, rows[0].len());
        let mean: Vec<f64> = (0..columns).map(|k| rows.iter().map(|row| row[k]).sum::<f64>() / n).collect();
        let product = |j: usize, k: usize| rows.iter().map(|r| (r[j] - mean[j]) * (r[k] - mean[k])).sum::<f64>();
        let covariance: Vec<Vec<f64>> =
            (0..columns).map(|j| (0..columns).map(|k| product(j, k) / (n - 1.0)).collect()).collect();
        let (variances, components) = eigen(&covariance).into_iter().map(|(value, v)| (value.max(0.0), v)).unzip();
        Ok(Pca { mean, variances, components })
    }

    /// Returns the scores of a sample along each component, relative to the mean.
    pub fn scores(&self, row: &[f64]) -> Vec<f64> {
        let along = |v: &Vec<f64>| v.iter().zip(row).zip(&self.mean).map(|((v, x), mean)| v * (x - mean)).sum();
        self.components.iter().map(along).collect()
    }

    /// Returns the share of the total variance along each component, 0 to 1. All shares are 0 if all samples are equal.
    pub fn explained(&self) -> Vec<f64> {
        let whole: f64 = self.variances.iter().sum();
        self.variances.iter().map(|variance| if whole > 0.0 { variance / whole } else { 0.0 }).collect()
    }

    /// Returns the loading of each column on a component: its covariance with the scores, divided by the standard
    /// deviation of the scores. For standardised columns, the loading is the correlation, -1 to 1. Returns `None` if
    /// the component does not exist.
    pub fn loadings(&self, component: usize) -> Option<Vec<f64>> {
        let deviation = self.variances.get(component)?.sqrt();
        Some(self.components.get(component)?.iter().map(|entry| entry * deviation).collect())
    }
}

/// Returns the eigenvalues of a symmetric matrix in descending order, each with its unit eigenvector.
fn eigen(matrix: &[Vec<f64>]) -> Vec<(f64, Vec<f64>)> {
    let Eigen { values, vectors } = Eigen::decompose(matrix);
    let vector = |k: usize| with_positive_sign(vectors.iter().map(|row| row[k]).collect());
    let mut pairs: Vec<(f64, Vec<f64>)> = values.iter().enumerate().map(|(k, value)| (*value, vector(k))).collect();
    pairs.sort_by(|x, y| y.0.total_cmp(&x.0));
    pairs
}

/// Returns the vector or its opposite, so that the entry with the greatest magnitude is positive. The sign of an
/// eigenvector is otherwise arbitrary.
fn with_positive_sign(v: Vec<f64>) -> Vec<f64> {
    let mut greatest = 0.0f64;
    for x in &v {
        // Among entries whose magnitudes differ only by rounding, the first one decides.
        if x.abs() > greatest.abs() * (1.0 + 1e-9) {
            greatest = *x;
        }
    }
    if greatest < 0.0 { v.into_iter().map(|x| -x).collect() } else { v }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_of_known_data() {
        // The sums of squares along the two diagonals are 16 and 4.
        let rows: Vec<Vec<f64>> =
            [(2.0, 2.0), (-2.0, -2.0), (1.0, -1.0), (-1.0, 1.0)].map(|(x, y)| vec![10.0 + x, y - 3.0]).to_vec();
        let pca = Pca::fit(&rows).unwrap();
        assert_eq!(pca.mean, [10.0, -3.0]);
        let half = 0.5f64.sqrt();
        for (found, expected) in [(pca.variances[0], 16.0 / 3.0), (pca.variances[1], 4.0 / 3.0)] {
            assert!((found - expected).abs() < 1e-12, "{found}");
        }
        assert!((pca.components[0][0] - half).abs() < 1e-12 && (pca.components[0][1] - half).abs() < 1e-12);
        assert!((pca.components[1][0] - half).abs() < 1e-12 && (pca.components[1][1] + half).abs() < 1e-12);
        let scores = pca.scores(&rows[0]);
        assert!((scores[0] - 8f64.sqrt()).abs() < 1e-12 && scores[1].abs() < 1e-12);
        assert!((pca.explained()[0] - 0.8).abs() < 1e-12);
        assert!((pca.loadings(0).unwrap()[1] - (8.0f64 / 3.0).sqrt()).abs() < 1e-12);
        assert_eq!(pca.loadings(2), None);
    }

    #[test]
    fn data_that_do_not_vary_have_components_all_the_same() {
        let pca = Pca::fit(&vec![vec![3.0, 4.0, 5.0]; 5]).unwrap();
        assert_eq!((pca.variances.clone(), pca.explained()), (vec![0.0; 3], vec![0.0; 3]));
        assert!(pca.components.iter().flatten().all(|x| x.is_finite()));
        assert!(Pca::fit(&vec![vec![3.0]; 3]).is_err());
    }
}
