//! Infra-red proximity sensors: ADC counts as a function of distance (Eq. 7.3 of the thesis).
//!
//! The published curve has two branches with a discontinuity: at 7 mm it rises from 3517.5 to 3584.6 counts. Readings
//! between these values occur on both branches, and the inverse uses the near branch. Therefore only distances from
//! 7.0 to 7.11 mm are not recovered.

/// Raw reading of a reflectance sensor (ADC counts, 0..=4095). It increases with proximity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct RawInfrared(pub u16);

/// Distance from a sensor (m).
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Metres(pub f32);

/// Maximum reading of the dsPIC's 12-bit converter (counts).
pub const MAX_COUNTS: u16 = 4095;

/// Converts readings between the sensor orders of the e-puck and of the thesis's Table 6.1, in either direction. In
/// the e-puck's order, sensor 0 is right of the front, and the numbers increase clockwise. In Table 6.1, sensor 1 is
/// left of the front, and the numbers increase counter-clockwise.
pub fn other_order<T>(mut readings: [T; 8]) -> [T; 8] {
    readings.reverse();
    readings
}

/// Scale of Eq. 7.3 (counts).
pub const SCALE: f32 = 3500.0;

/// Parameters of Eq. 7.3. At distance d (m), counts = 3500 ((steepness d + shift)^-4 - floor) beyond the knee, and
/// counts = 3500 (near_level - near_slope d) up to the knee.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curve {
    /// Slope of the far branch's argument (1/m).
    pub steepness: f32,
    /// Offset of the far branch's argument. The pole is at d = -shift / steepness.
    pub shift: f32,
    /// Offset that is subtracted in the far branch.
    pub floor: f32,
    /// Value of the near branch at distance 0, in units of [`SCALE`].
    pub near_level: f32,
    /// Negative slope of the near branch in units of [`SCALE`] (1/m).
    pub near_slope: f32,
    /// Distance at which the near branch ends and the far branch begins (m).
    pub knee: f32,
}

/// Parameters of Eq. 7.3 as printed in the thesis.
pub const PUBLISHED: Curve =
    Curve { steepness: 40.0, shift: 0.7, floor: 0.06, near_level: 1.04, near_slope: 5.0, knee: 0.007 };

impl Curve {
    /// Computes the unrounded reading of an aligned sensor at `distance` (m) from white card (counts). The published
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

    /// Computes the reading of an aligned sensor at `distance` from white card, rounded to whole counts (0..=4095). The
    /// reading is 0 at infinite distance.
    pub fn reading(&self, distance: Metres) -> RawInfrared {
        RawInfrared(self.counts(distance.0.max(0.0)).round().clamp(0.0, f32::from(MAX_COUNTS)) as u16)
    }

    /// Returns the distance at which an aligned sensor has this reading (m). The distance is 0 for readings above the
    /// curve.
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
    /// Returns the rounded reading of an aligned sensor at `distance` from white card (Eq. 7.3). The reading is 0
    /// beyond about 33 mm and at infinite distance.
    pub fn from_distance(distance: Metres) -> RawInfrared {
        PUBLISHED.reading(distance)
    }
}

impl Metres {
    /// Returns the distance at which an aligned sensor reads `raw`. The distance is 0 for readings above the curve.
    /// For 0 counts it is 33 mm, which is the minimum of the possible distances.
    pub fn from_raw(raw: RawInfrared) -> Metres {
        Metres(PUBLISHED.distance(f32::from(raw.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn infrared_curve_has_published_values() {
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
        // In the e-puck's order, sensor 0 is front right, 2 right, 5 left, and 7 front left.
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
            // A rounding error of half a count corresponds to 0.03 mm on the flat parts of the curve.
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
