//! Box constraints: a minimum and a maximum for each variable.

/// Minimum and maximum of each variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Bounds {
    low: Vec<f64>,
    high: Vec<f64>,
}

impl Bounds {
    /// Creates bounds from the minimum and the maximum of each variable, which may be infinite. Returns `None` if the
    /// lengths differ, or a minimum is not below the maximum of the same variable.
    pub fn new(low: Vec<f64>, high: Vec<f64>) -> Option<Bounds> {
        let apart = low.len() == high.len() && low.iter().zip(&high).all(|(low, high)| low < high);
        apart.then_some(Bounds { low, high })
    }

    /// Returns the number of variables.
    pub fn dimension(&self) -> usize {
        self.low.len()
    }

    /// Reflects a point at the bounds until it is inside. The function is evaluated at the reflected point, but the
    /// strategy continues with the original point, which may be outside the bounds.
    pub fn reflect(&self, point: &[f64]) -> Vec<f64> {
        point.iter().zip(self.low.iter().zip(&self.high)).map(|(x, (low, high))| reflected(*x, *low, *high)).collect()
    }
}

fn reflected(x: f64, low: f64, high: f64) -> f64 {
    if (low..=high).contains(&x) || !x.is_finite() {
        return x.clamp(low, high);
    }
    let width = high - low;
    if !width.is_finite() {
        return if x < low { 2.0 * low - x } else { 2.0 * high - x };
    }
    let way = (x - low).rem_euclid(2.0 * width);
    (low + way.min(2.0 * width - way)).clamp(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_outside_are_reflected() {
        let bounds = Bounds::new(vec![0.0, 1.0, f64::NEG_INFINITY], vec![1.0, 3.0, 5.0]).unwrap();
        assert_eq!(bounds.reflect(&[-0.25, 3.5, 7.0]), [0.25, 2.5, 3.0]);
        assert_eq!(bounds.reflect(&[1.0, 1.0, -1e9]), [1.0, 1.0, -1e9]);
        // Repeated reflection: 2.25 is reflected at 1 and again at 0.
        assert_eq!(bounds.reflect(&[2.25, -2.5, 5.0]), [0.25, 1.5, 5.0]);
        assert_eq!(bounds.reflect(&[f64::INFINITY, 2.0, 0.0])[0], 1.0);
    }

    #[test]
    fn bounds_that_are_none() {
        assert_eq!((Bounds::new(vec![0.0], vec![]), Bounds::new(vec![1.0], vec![1.0])), (None, None));
        assert_eq!(Bounds::new(vec![f64::NAN], vec![1.0]), None);
    }
}
