//! The infra-red proximity sensors: ADC counts against distance (Eq. 7.3 of the thesis).
//!
//! The published curve has two branches that do not meet: at 7 mm it steps up from 3517.5 to 3584.6 counts. The
//! inverse takes the near branch wherever both answer, so only distances from 7.0 to 7.11 mm do not come back.

/// Raw reading of a reflectance sensor, ADC counts, 0..=4095; larger is nearer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct RawInfrared(pub u16);

/// A distance from a sensor, m.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Metres(pub f32);

/// Largest value of the dsPIC's 12-bit converter.
pub const MAX_COUNTS: u16 = 4095;

/// Readings in the e-puck's own order (0 is right of the front, then clockwise) in that of the thesis's Table 6.1
/// (sensor 1 is left of the front, then counter-clockwise), and the reverse.
pub fn other_order<T>(mut readings: [T; 8]) -> [T; 8] {
    readings.reverse();
    readings
}

/// The scale of Eq. 7.3, counts.
pub const SCALE: f32 = 3500.0;

/// The form of Eq. 7.3: counts = 3500 ((steepness d + shift)^-4 - floor) beyond the knee, and
/// 3500 (near_level - near_slope d) up to it, d being the distance in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curve {
    /// How fast the far branch falls, 1/m.
    pub steepness: f32,
    /// Where the far branch would be infinite: at d = -shift / steepness.
    pub shift: f32,
    /// What is subtracted from the far branch.
    pub floor: f32,
    /// The near branch at distance 0.
    pub near_level: f32,
    /// How fast the near branch falls, 1/m.
    pub near_slope: f32,
    /// Distance up to which the near branch holds, m.
    pub knee: f32,
}

/// Eq. 7.3 as printed.
pub const PUBLISHED: Curve =
    Curve { steepness: 40.0, shift: 0.7, floor: 0.06, near_level: 1.04, near_slope: 5.0, knee: 0.007 };

impl Curve {
    /// The reading of an aligned sensor at `distance` (m) from white card, counts as a real number; the published
    /// curve is negative beyond about 33 mm.
    pub fn counts(&self, distance: f32) -> f32 {
        if distance > self.knee {
            let x = self.steepness * distance + self.shift;
            let square = x * x;
            SCALE * (1.0 / (square * square) - self.floor)
        } else {
            SCALE * (self.near_level - self.near_slope * distance)
        }
    }

    /// The reading of an aligned sensor that faces white card at `distance`, rounded, 0..=4095; an infinite distance reads 0.
    pub fn reading(&self, distance: Metres) -> RawInfrared {
        RawInfrared(self.counts(distance.0.max(0.0)).round().clamp(0.0, f32::from(MAX_COUNTS)) as u16)
    }

    /// The distance at which an aligned sensor reads so many counts, m; 0 for readings above the curve.
    pub fn distance(&self, counts: f32) -> f32 {
        let level = counts / SCALE;
        if counts >= self.counts(self.knee) {
            ((self.near_level - level) / self.near_slope).max(0.0)
        } else {
            ((level + self.floor).sqrt().sqrt().recip() - self.shift) / self.steepness
        }
    }
}

impl RawInfrared {
    /// The reading of an aligned sensor that faces white card at `distance` (Eq. 7.3), rounded; 0 beyond about 33 mm,
    /// and an infinite distance reads 0.
    pub fn from_distance(distance: Metres) -> RawInfrared {
        PUBLISHED.reading(distance)
    }
}

impl Metres {
    /// The distance at which an aligned sensor reads `raw`; 0 for readings above the curve, and 33 mm for 0 counts,
    /// which then means "at least this far".
    pub fn from_raw(raw: RawInfrared) -> Metres {
        Metres(PUBLISHED.distance(f32::from(raw.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_has_the_printed_values() {
        let at = |mm: f32| RawInfrared::from_distance(Metres(mm * 1e-3)).0;
        assert_eq!(at(0.0), 3640);
        assert_eq!(at(5.0), 3553, "3500 * (1.04 - 0.025) = 3552.5");
        assert_eq!(at(10.0), 2181, "3500 * (1.1^-4 - 0.06)");
        assert_eq!(at(30.0), 59, "3500 * (1.9^-4 - 0.06)");
        assert_eq!(at(34.0), 0);
        assert_eq!(RawInfrared::from_distance(Metres(f32::INFINITY)), RawInfrared(0));
    }

    #[test]
    fn left_of_the_front_comes_first() {
        // e-puck: 0 front right, 2 right, 5 left, 7 front left.
        assert_eq!(other_order([0, 1, 2, 3, 4, 5, 6, 7]), [7, 6, 5, 4, 3, 2, 1, 0]);
    }

    #[test]
    fn distances_come_back() {
        for i in 0..=330 {
            let d = i as f32 * 1e-4;
            if d > 0.00699 && d < 0.00712 {
                continue;
            }
            let back = Metres::from_raw(RawInfrared::from_distance(Metres(d))).0;
            // Half a count is 0.03 mm on the flat parts of the curve.
            assert!((back - d).abs() < 5e-5, "{d} came back as {back}");
        }
    }

    #[test]
    fn any_count_gives_a_sane_distance() {
        for raw in 0..=MAX_COUNTS {
            let d = Metres::from_raw(RawInfrared(raw)).0;
            assert!((0.0..0.0335).contains(&d), "{raw} counts gave {d} m");
        }
    }
}
