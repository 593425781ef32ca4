//! Preparation of data for a map: validation, and standardisation of each column.

use crate::statistics::mean_and_sd;

/// Minimum number of samples.
pub const LEAST_SAMPLES: usize = 4;
/// Maximum number of columns.
pub const MOST_COLUMNS: usize = 64;
/// Maximum magnitude of a number, so that no sum of squares overflows.
const GREATEST: f64 = 1e100;

/// Checks that there are at least [`LEAST_SAMPLES`] samples, 1 to [`MOST_COLUMNS`] columns in each row, and only
/// finite numbers.
///
/// # Errors
/// Returns a message of one line about the first error.
pub fn check(rows: &[Vec<f64>]) -> Result<(), String> {
    if rows.len() < LEAST_SAMPLES {
        return Err(format!("{} samples are too few; at least {LEAST_SAMPLES} are needed", rows.len()));
    }
    let columns = rows[0].len();
    if !(1..=MOST_COLUMNS).contains(&columns) {
        return Err(format!("samples must have 1 to {MOST_COLUMNS} columns, not {columns}"));
    }
    for (i, row) in (1..).zip(rows) {
        if row.len() != columns {
            return Err(format!("sample {i} has {} columns, but the first one has {columns}", row.len()));
        }
        // The comparison also rejects NaN.
        if let Some(column) = row.iter().position(|x| !matches!(x.abs(), size if size <= GREATEST)) {
            return Err(format!(
                "sample {i}, column {} is {}, but must be finite and at most 1e100",
                column + 1,
                row[column]
            ));
        }
    }
    Ok(())
}

/// Converts each column to z-scores, with the standard deviation for divisor n - 1. A constant column becomes 0.
///
/// # Errors
/// Returns an error in the same cases as [`check`].
pub fn standardised(rows: &[Vec<f64>]) -> Result<Vec<Vec<f64>>, String> {
    check(rows)?;
    let mut scores = rows.to_vec();
    for column in 0..rows[0].len() {
        let values: Vec<f64> = rows.iter().map(|row| row[column]).collect();
        let (mean, sd) = mean_and_sd(&values);
        // The mean of equal numbers may be rounded, so the standard deviation of equal numbers is not always 0.
        let constant = values.iter().all(|value| *value == values[0]) || sd <= 0.0;
        for (score, value) in scores.iter_mut().zip(&values) {
            score[column] = if constant { 0.0 } else { (value - mean) / sd };
        }
    }
    Ok(scores)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_become_z_scores() {
        let rows = [[2.0, 0.1], [4.0, 0.1], [4.0, 0.1], [6.0, 0.1]].map(|row| row.to_vec());
        let scores = standardised(&rows).unwrap();
        let sd = (8.0f64 / 3.0).sqrt();
        for (score, expected) in scores.iter().zip([-2.0 / sd, 0.0, 0.0, 2.0 / sd]) {
            assert!((score[0] - expected).abs() < 1e-15);
            assert_eq!(score[1], 0.0, "a constant column counts 0");
        }
    }

    #[test]
    fn invalid_data_is_rejected_in_one_line() {
        let refused = |rows: &[Vec<f64>]| standardised(rows).unwrap_err();
        let good = vec![vec![1.0, 2.0]; 4];
        assert_eq!(refused(&good[..3]), "3 samples are too few; at least 4 are needed");
        assert_eq!(refused(&[]), "0 samples are too few; at least 4 are needed");
        assert_eq!(refused(&vec![Vec::new(); 4]), "samples must have 1 to 64 columns, not 0");
        for (bad, shown) in [(f64::NAN, "NaN"), (f64::INFINITY, "inf"), (f64::NEG_INFINITY, "-inf")] {
            let mut rows = good.clone();
            rows[2][1] = bad;
            assert_eq!(refused(&rows), format!("sample 3, column 2 is {shown}, but must be finite and at most 1e100"));
        }
        let mut rows = good.clone();
        rows[3].pop();
        assert_eq!(refused(&rows), "sample 4 has 1 columns, but the first one has 2");
        rows[3] = vec![1e101, 0.0];
        assert!(refused(&rows).starts_with("sample 4, column 1 is 1"));
    }
}
