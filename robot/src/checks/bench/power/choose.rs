//! Measurement points, and selection of the operating points (thesis 5.1.3).

use serde::Serialize;

/// Fraction of its configured value below which a clock counts as throttled.
const THROTTLED: f64 = 0.95;

/// Measurement with all clocks fixed.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct Point {
    /// Values of the clocks, in the order of the sweep's clocks (MHz). Empty if the clocks cannot be set.
    pub mhz: Vec<f64>,
    /// Robot-seconds simulated per second.
    pub r_acc: f64,
    /// Mean power on the board's 5 V side (W); `None` if it was not measured.
    pub watts: Option<f64>,
    /// Robot-seconds simulated per joule; `None` if the power was not measured.
    pub r_acc_per_watt: Option<f64>,
    /// Maximum temperature of the processor (degrees C); `None` if it cannot be read.
    pub temperature_c: Option<f32>,
    /// Whether the board reduced a clock, or exceeded the temperature limit. Throttled points are not considered as
    /// operating points.
    pub throttled: bool,
}

/// Returns whether a clock was throttled. `set` is its configured value, and `found` is its value after the
/// measurement.
pub(super) fn is_throttled(set: f64, found: Option<f64>) -> bool {
    found.is_some_and(|found| found < THROTTLED * set)
}

/// Returns the index of the point with the most robot-seconds per joule. Throttled points are ignored. `None` if no
/// other point has a power reading.
pub(super) fn efficient(points: &[Point]) -> Option<usize> {
    most(points, |point| point.r_acc_per_watt)
}

/// Returns the index of the fastest point with a measured power of at most `watts` (W). Throttled points are ignored.
/// `None` if there is no such point.
pub(super) fn fastest_within(points: &[Point], watts: f64) -> Option<usize> {
    most(points, |point| point.watts.filter(|drawn| *drawn <= watts).map(|_| point.r_acc))
}

/// Returns the lowest power of all points (W); `None` without power readings.
pub(super) fn least_watts(points: &[Point]) -> Option<f64> {
    points.iter().filter_map(|point| point.watts).min_by(f64::total_cmp)
}

fn most(points: &[Point], value: impl Fn(&Point) -> Option<f64>) -> Option<usize> {
    let kept = points.iter().enumerate().filter(|(_, point)| !point.throttled);
    let values = kept.filter_map(|(number, point)| Some((number, value(point)?)));
    values.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(number, _)| number)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns points with the thesis's measurements: 9.1 GFLOPS and 1.95 GFLOPS/W with the A15 at 800 MHz, and 9.7
    /// GFLOPS and 1.21 GFLOPS/W at 1.8 GHz.
    fn xu4() -> Vec<Point> {
        let point = |mhz: f64, r_acc: f64, per_watt: f64| Point {
            mhz: vec![1400.0, mhz],
            r_acc,
            watts: Some(r_acc / per_watt),
            r_acc_per_watt: Some(per_watt),
            ..Point::default()
        };
        vec![point(200.0, 6.0, 1.6), point(800.0, 9.1, 1.95), point(1800.0, 9.7, 1.21)]
    }

    #[test]
    fn thesis_operating_point_is_found() {
        let mut points = xu4();
        assert_eq!(efficient(&points), Some(1));
        assert_eq!(fastest_within(&points, 15.0), Some(2));
        assert_eq!(fastest_within(&points, 5.0), Some(1));
        assert_eq!(fastest_within(&points, 4.0), Some(0));
        assert_eq!(fastest_within(&points, 3.0), None);
        assert_eq!(least_watts(&points), Some(6.0 / 1.6));
        points[1].throttled = true;
        assert_eq!((efficient(&points), fastest_within(&points, 5.0)), (Some(0), Some(0)));
        points.iter_mut().for_each(|point| (point.watts, point.r_acc_per_watt) = (None, None));
        assert_eq!((efficient(&points), fastest_within(&points, 5.0), least_watts(&points)), (None, None, None));
    }

    #[test]
    fn clock_within_five_percent_is_not_throttled() {
        assert!(!is_throttled(1400.0, Some(1350.0)) && !is_throttled(1400.0, None));
        assert!(is_throttled(1400.0, Some(1200.0)));
    }
}
