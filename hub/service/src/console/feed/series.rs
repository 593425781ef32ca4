//! Time series of limited length.

use serde::Serialize;
use std::collections::VecDeque;

/// Maximum number of stored rows of a thinned series.
pub const POINTS: usize = 1000;

/// Series of rows of `N` numbers, which is thinned as it grows. Whenever [`POINTS`] rows are stored, every second one
/// is removed and the interval doubles. The stored rows are therefore evenly spaced.
#[derive(Clone, Debug)]
pub struct Thinned<const N: usize> {
    rows: Vec<[f32; N]>,
    /// Interval between stored rows (number of pushed rows).
    stride: usize,
    /// Number of rows pushed since the last stored row.
    since: usize,
    /// Last pushed row, whether it is stored or not.
    last: Option<[f32; N]>,
}

impl<const N: usize> Default for Thinned<N> {
    fn default() -> Self {
        Thinned { rows: Vec::new(), stride: 1, since: 0, last: None }
    }
}

impl<const N: usize> Thinned<N> {
    /// Adds a row to the end of the series.
    pub fn push(&mut self, row: [f32; N]) {
        self.last = Some(row);
        self.since += 1;
        if self.since < self.stride && !self.rows.is_empty() {
            return;
        }
        self.since = 0;
        if self.rows.len() == POINTS {
            let mut place = 0;
            self.rows.retain(|_| {
                place += 1;
                place % 2 == 1
            });
            self.stride *= 2;
        }
        self.rows.push(row);
    }

    /// Returns the stored rows, followed by the last pushed row if that row is not stored.
    pub fn rows(&self) -> impl Iterator<Item = [f32; N]> + '_ {
        let more = self.last.filter(|last| self.since > 0 && self.rows.last() != Some(last));
        self.rows.iter().copied().chain(more)
    }

    /// Returns the values of one column, in the order of the rows.
    pub fn column(&self, place: usize) -> Vec<f32> {
        self.rows().map(|row| row[place]).collect()
    }
}

/// Values of the most recent samples. An unknown value is NaN here, and null in JSON.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(transparent)]
pub struct Window(VecDeque<f32>);

impl Window {
    /// Adds a value. Removes the oldest values so that at most `length` remain.
    pub fn push(&mut self, value: Option<f32>, length: usize) {
        while self.0.len() >= length {
            self.0.pop_front();
        }
        self.0.push_back(value.unwrap_or(f32::NAN));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curve_is_thinned_evenly_and_ends_with_last_row() {
        let mut course = Thinned::<2>::default();
        for i in 0..100_000 {
            course.push([i as f32, -(i as f32)]);
            assert!(course.rows().count() <= POINTS + 1, "{i}");
        }
        let rows: Vec<[f32; 2]> = course.rows().collect();
        assert_eq!((rows[0], *rows.last().unwrap()), ([0.0, 0.0], [99_999.0, -99_999.0]));
        let gaps: Vec<f32> = rows.windows(2).map(|pair| pair[1][0] - pair[0][0]).collect();
        assert!(gaps[..gaps.len() - 1].iter().all(|gap| *gap == gaps[0]), "{gaps:?}");
        assert!(rows.len() > POINTS / 2);
    }

    #[test]
    fn window_drops_oldest_values_and_marks_missing_ones() {
        let mut window = Window::default();
        for i in 0..5 {
            window.push((i != 3).then_some(i as f32), 3);
        }
        assert_eq!(serde_json::to_string(&window).unwrap(), "[2.0,null,4.0]");
    }
}
