//! Assignment of robots to places with the minimum total cost (Kuhn 1955; shortest augmenting paths of Jonker and
//! Volgenant 1987).

/// Assigns a different column to each row so that the sum of the costs is minimal, and returns the column of each row.
/// Costs must be finite, and there must be at least as many columns as rows.
///
/// # Panics
/// If there are fewer columns than rows.
pub fn assign(costs: &[Vec<f64>]) -> Vec<usize> {
    let rows = costs.len();
    let columns = costs.first().map_or(0, Vec::len);
    assert!(columns >= rows, "{rows} rows and {columns} columns");
    // `of_row` and `of_column` are the potentials of the rows and columns. `taken` is the row assigned to each column,
    // or 0 if the column is unassigned. Indices start at 1.
    let (mut of_row, mut of_column) = (vec![0.0; rows + 1], vec![0.0; columns + 1]);
    let mut taken = vec![0; columns + 1];
    let mut before = vec![0; columns + 1];
    for row in 1..=rows {
        taken[0] = row;
        let mut column = 0;
        let mut least = vec![f64::INFINITY; columns + 1];
        let mut done = vec![false; columns + 1];
        while taken[column] != 0 {
            done[column] = true;
            let (here, mut step, mut next) = (taken[column], f64::INFINITY, 0);
            for j in (1..=columns).filter(|j| !done[*j]) {
                let reduced = costs[here - 1][j - 1] - of_row[here] - of_column[j];
                if reduced < least[j] {
                    (least[j], before[j]) = (reduced, column);
                }
                if least[j] < step {
                    (step, next) = (least[j], j);
                }
            }
            for j in 0..=columns {
                if done[j] {
                    of_row[taken[j]] += step;
                    of_column[j] -= step;
                } else {
                    least[j] -= step;
                }
            }
            column = next;
        }
        // Reassigns the columns along the augmenting path.
        while column != 0 {
            taken[column] = taken[before[column]];
            column = before[column];
        }
    }
    let mut places = vec![0; rows];
    for (column, row) in taken.iter().enumerate().skip(1).filter(|(_, row)| **row != 0) {
        places[row - 1] = column - 1;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_kernels::random::{Draws, Stream};

    /// Returns the minimum sum of costs for `row` and all later rows by exhaustive search. `used` contains the
    /// columns of earlier rows.
    fn least(costs: &[Vec<f64>], row: usize, used: &mut Vec<usize>) -> f64 {
        if row == costs.len() {
            return 0.0;
        }
        let mut best = f64::INFINITY;
        for column in 0..costs[0].len() {
            if !used.contains(&column) {
                used.push(column);
                best = best.min(costs[row][column] + least(costs, row + 1, used));
                used.pop();
            }
        }
        best
    }

    #[test]
    fn no_other_assignment_costs_less() {
        for case in 0..200 {
            let mut draws = Draws::new(case, 0, 0, 0, Stream::Simtest);
            let rows = 1 + draws.below(5) as usize;
            let columns = rows + draws.below(3) as usize;
            let costs: Vec<Vec<f64>> =
                (0..rows).map(|_| (0..columns).map(|_| f64::from(draws.below(50))).collect()).collect();
            let places = assign(&costs);
            let mut different = places.clone();
            different.sort_unstable();
            different.dedup();
            assert_eq!(different.len(), rows, "{places:?}");
            let sum: f64 = places.iter().zip(&costs).map(|(column, row)| row[*column]).sum();
            assert_eq!(sum, least(&costs, 0, &mut Vec::new()), "{costs:?}");
        }
    }
}
