//! Senses of a Kilobot (thesis 4.2 and 4.3). The light sensor detects the regions. Messages give the routes to food and
//! nest, and the density of neighbours.

use super::robot::{UNKNOWN_DISTANCE, WINDOW};
use std::f32::consts::PI;
use xpuck_kernels::math::{floor, max};

/// Number of light samples in the median filter (4.3).
const SAMPLES: u32 = 7;

/// Last samples of the light sensor as bits, with the newest sample in the lowest bit. Bits are set in `food` for
/// samples in the food region, and in `nest` for samples in the nest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Light {
    pub food: u32,
    pub nest: u32,
}

impl Light {
    /// Returns the history of a sensor that was always at one place. `squared` is the place's squared distance from
    /// the centre (m^2).
    pub fn at(squared: f32, regions: Regions) -> Light {
        let all = (1 << SAMPLES) - 1;
        Light { food: all * regions.food(squared), nest: all * regions.nest(squared) }
    }

    /// Adds a sample at a place with the squared distance `squared` from the centre (m^2).
    #[inline(always)]
    pub fn with(self, squared: f32, regions: Regions) -> Light {
        Light { food: self.food << 1 | regions.food(squared), nest: self.nest << 1 | regions.nest(squared) }
    }

    /// Returns whether the median of the last seven samples is food, and whether it is the nest. The regions are
    /// ordered from nest to food. The median is therefore in a region if at least four samples are in this region.
    #[inline(always)]
    pub fn filtered(self) -> [bool; 2] {
        [self.food, self.nest].map(|bits| (bits & ((1 << SAMPLES) - 1)).count_ones() > SAMPLES / 2)
    }
}

/// Returns whether the light sensor takes a sample at the end of this step of the run. A sample is due every 0.125 s
/// (8 Hz), and is taken at the end of the step of 0.1 s in which it is due.
pub(super) fn samples(step: u32) -> bool {
    4 * (step + 1) / 5 > 4 * step / 5
}

/// Regions of nest and food, as squared distances from the centre (m^2).
#[derive(Clone, Copy, Debug)]
pub(super) struct Regions {
    pub nest_squared: f32,
    pub food_squared: f32,
}

impl Regions {
    #[inline(always)]
    fn food(self, squared: f32) -> u32 {
        u32::from(squared >= self.food_squared)
    }

    #[inline(always)]
    fn nest(self, squared: f32) -> u32 {
        u32::from(squared <= self.nest_squared)
    }
}

/// Route to a region as encoded in a message. The upper half is the hop count, and the lower half is the total length
/// (mm). A smaller value has fewer hops, or the same number of hops and a shorter length.
pub(super) type Route = u32;

/// Best route of a robot that has not received a message with a route.
pub(super) const NO_ROUTE: Route = u32::MAX;

/// Increment of a route by one hop, without a change of its length.
const HOP: Route = 1 << 16;

/// Returns the hop count of a route.
#[inline(always)]
pub(super) fn hops(way: Route) -> u32 {
    way >> 16
}

/// Returns the length of a route (mm).
#[inline(always)]
pub(super) fn length(way: Route) -> u32 {
    way & 0xffff
}

/// Returns the route that a robot sends while it does not know a route.
#[inline(always)]
pub(super) fn unknown_route(most_hops: u32) -> Route {
    most_hops << 16 | UNKNOWN_DISTANCE
}

/// Returns the new route of a robot to a region. `told` is the best received route, extended by the distance to its
/// sender. The route is 0 within the region, and [`unknown_route`] if `told` has `most_hops` hops or more.
#[inline(always)]
pub(super) fn update_route(told: Route, within: bool, most_hops: u32) -> Route {
    let way = if hops(told) < most_hops { told.wrapping_add(HOP) } else { unknown_route(most_hops) };
    if within { 0 } else { way }
}

/// Returns the distance that a receiver measures, in whole mm as in kilolib. `squared` is the squared distance (m^2).
#[inline(always)]
pub(super) fn measured(squared: f32) -> u32 {
    floor(squared.sqrt() * 1000.0)
}

/// Returns the contribution of a message from distance `mm` to the local density (Kilobots per m^2) (Eq. 4.3).
#[inline(always)]
pub(super) fn density_contribution(mm: u32) -> f32 {
    // The value is converted through a signed integer, because this conversion is a single instruction.
    let mm = max(mm as i32 as f32, 1.0);
    1e6 / (PI * mm * mm)
}

/// Filter history: last values of the density, and of the route lengths to food and nest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct History {
    pub crowding: [f32; WINDOW],
    pub food: [u32; WINDOW],
    pub nest: [u32; WINDOW],
}

impl History {
    /// History before the first update: no neighbours and no known route.
    pub const START: History =
        History { crowding: [0.0; WINDOW], food: [UNKNOWN_DISTANCE; WINDOW], nest: [UNKNOWN_DISTANCE; WINDOW] };
}

/// Returns the mean density (1000 Kilobots per m^2). In this unit, densities have the magnitude of the tree's
/// constants, which are from -1 to 1 (thesis 4.3.1).
#[inline(always)]
pub(super) fn density(c: [f32; WINDOW]) -> f32 {
    (c[0] + c[1] + c[2] + c[3] + c[4]) * (0.001 / WINDOW as f32)
}

/// Returns the change of the mean route length (m) when the newest value (mm) replaces the oldest (mm).
#[inline(always)]
pub(super) fn distance_change(newest: u32, oldest: u32) -> f32 {
    (newest as i32 - oldest as i32) as f32 * (0.001 / WINDOW as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn light_sensor_samples_at_8_hz_with_median_of_seven() {
        assert_eq!((0..5).filter(|step| samples(*step)).count(), 4);
        let regions = Regions { nest_squared: 0.04, food_squared: 0.09 };
        let mut light = Light::at(0.0, regions);
        assert_eq!(light.filtered(), [false, true]);
        for _ in 0..3 {
            light = light.with(0.1, regions);
        }
        assert_eq!(light.filtered(), [false, true], "three of seven are not enough");
        light = light.with(0.1, regions);
        assert_eq!(light.filtered(), [true, false]);
        for _ in 0..3 {
            light = light.with(0.06, regions);
        }
        assert_eq!(light.filtered(), [true, false], "the gap is neither");
        assert_eq!(light.with(0.06, regions).filtered(), [false, false]);
    }

    #[test]
    fn figure_4_3_the_way_of_fewest_hops_counts_not_the_shortest() {
        let most = 7;
        let at_food = update_route(NO_ROUTE, true, most);
        assert_eq!((hops(at_food), length(at_food)), (0, 0));
        // One route has three short hops, and the other has two long hops.
        let along = |lengths: &[u32]| lengths.iter().fold(at_food, |way, mm| update_route(way + mm, false, most));
        let (three, two) = (along(&[90, 90, 90]), along(&[100, 100]));
        let told = (three + 90).min(two + 100);
        let mine = update_route(told, false, most);
        assert_eq!((hops(mine), length(mine)), (3, 300));
        assert_eq!(update_route(NO_ROUTE, false, most), unknown_route(most));
        assert_eq!(
            length(update_route(unknown_route(most) + 80, false, most)),
            UNKNOWN_DISTANCE,
            "who knows no way tells none"
        );
        assert_eq!(update_route(along(&[50; 6]) + 50, false, most), 7 << 16 | 350, "the last that is known");
        assert_eq!(update_route(along(&[50; 7]) + 50, false, most), unknown_route(most));
    }

    #[test]
    fn neighbour_at_100_mm_gives_density_32_per_square_metre() {
        assert!((density_contribution(measured(0.01 + 1e-6)) - 31.83).abs() < 0.01);
        assert!((density([1000.0; WINDOW]) - 1.0).abs() < 1e-6);
        assert_eq!(distance_change(0, 500), -0.1);
    }
}
