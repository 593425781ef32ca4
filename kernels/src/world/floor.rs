//! Paint on the floor, and the ground sensor with which robots read it.

use super::conditions::holds;
use super::robot::GroundPoints;
use super::zone::Zone;
use crate::math::{Vec2, vec2};
use crate::random::{Draws, unit};

/// Distance of the middle ground sensor ahead of the robot's centre (m), on an e-puck.
pub const SENSOR_AHEAD: f32 = 0.03;
/// Levels below this limit are black.
const BLACK_BELOW: f32 = 0.25;
/// Levels above this limit are white.
const WHITE_ABOVE: f32 = 0.75;

/// Shade that the ground sensor distinguishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shade {
    /// Level below 0.25.
    Black,
    /// Level from 0.25 to 0.75.
    Grey,
    /// Level above 0.75.
    White,
}

/// Paint of one region.
#[derive(Clone, Debug, PartialEq)]
pub struct Paint {
    /// The painted region.
    pub zone: Zone,
    /// Brightness of the paint, 0 (black) to 1 (white).
    pub level: f32,
    /// Condition of the objective under which the paint exists; `None`: always.
    pub condition: Option<u8>,
}

/// Floor of a world.
#[derive(Clone, Debug, PartialEq)]
pub struct Floor {
    /// Brightness of the unpainted floor, 0 to 1.
    pub level: f32,
    /// Paint. Where regions overlap, the first one is visible.
    pub paint: Vec<Paint>,
    /// Probability of each reading of the ground sensor. Row and column have the order of [`Shade`]: the element in row
    /// i and column j is the probability that shade i is read as shade j. Each row has the sum 1.
    pub confusion: [[f32; 3]; 3],
}

/// Confusion table of a sensor without errors.
pub const NO_CONFUSION: [[f32; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

impl Default for Floor {
    /// Grey floor without paint, and a sensor without errors.
    fn default() -> Floor {
        Floor { level: 0.5, paint: Vec::new(), confusion: NO_CONFUSION }
    }
}

impl Shade {
    /// Shade of a level (0 to 1).
    pub fn of_level(level: f32) -> Shade {
        match level {
            level if level < BLACK_BELOW => Shade::Black,
            level if level > WHITE_ABOVE => Shade::White,
            _ => Shade::Grey,
        }
    }

    /// Name of the shade.
    pub fn name(self) -> &'static str {
        match self {
            Shade::Black => "black",
            Shade::Grey => "grey",
            Shade::White => "white",
        }
    }

    /// Value of the register s_ground: -1 black, 0 grey, 1 white.
    #[inline(always)]
    pub fn value(self) -> f32 {
        self as u32 as f32 - 1.0
    }
}

/// Place of the ground sensor of a robot at a place with a direction (m).
#[inline(always)]
pub fn sensor_place(at: Vec2, ahead: Vec2) -> Vec2 {
    vec2(at.x + SENSOR_AHEAD * ahead.x, at.y + SENSOR_AHEAD * ahead.y)
}

/// Places of the three ground points of a robot (m).
#[inline(always)]
pub(crate) fn ground_places(at: Vec2, ahead: Vec2) -> [Vec2; 3] {
    let middle = sensor_place(at, ahead);
    GroundPoints::ASIDE.map(|aside| vec2(middle.x - aside * ahead.y, middle.y + aside * ahead.x))
}

impl Floor {
    /// True if the ground sensor reads grey everywhere.
    pub fn is_grey(&self) -> bool {
        self.paint.is_empty() && Shade::of_level(self.level) == Shade::Grey && self.is_exact()
    }

    /// True if the ground sensor has no errors.
    pub fn is_exact(&self) -> bool {
        self.confusion == NO_CONFUSION
    }

    /// Brightness of the floor at a place (0 to 1), while the conditions of the bit mask `active` hold.
    pub fn level(&self, at: Vec2, active: u32) -> f32 {
        let visible = |paint: &&Paint| holds(paint.condition, active) && paint.zone.contains(at);
        self.paint.iter().find(visible).map_or(self.level, |paint| paint.level)
    }

    /// Limits of a uniform number in [0, 1) for each shade: below the first it is read as black, below the second as
    /// grey, else as white.
    pub(crate) fn limits(&self) -> [[f32; 2]; 3] {
        self.confusion.map(|[black, grey, _]| [black, black + grey])
    }

    /// Value of s_ground for the value without errors and a random word.
    #[inline(always)]
    pub(crate) fn read(limits: &[[f32; 2]; 3], value: f32, word: u32) -> f32 {
        let [black, grey] = limits[(value + 1.0) as usize];
        let chance = unit(word);
        if chance < black {
            Shade::Black.value()
        } else if chance < grey {
            Shade::Grey.value()
        } else {
            Shade::White.value()
        }
    }

    /// Brightness at the three points of a ground sensor, while the conditions of the bit mask `active` hold.
    pub(crate) fn levels(&self, at: Vec2, ahead: Vec2, active: u32) -> [f32; 3] {
        ground_places(at, ahead).map(|point| self.level(point, active))
    }

    /// Value of s_ground of a robot at a place with a direction, while the conditions of the bit mask `active` hold. `draws` yields the draws of this robot and update for
    /// [`Stream::Ground`](crate::random::Stream::Ground).
    pub fn reading(&self, at: Vec2, ahead: Vec2, active: u32, draws: impl FnOnce() -> Draws) -> f32 {
        let value = Shade::of_level(self.level(sensor_place(at, ahead), active)).value();
        if self.is_exact() { value } else { Floor::read(&self.limits(), value, draws().word()) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::region::Region;
    use super::super::zone::ZoneShape;
    use super::*;
    use crate::random::Stream;

    fn disc(x: f32, radius: f32, level: f32) -> Paint {
        let shapes = vec![ZoneShape::Simple(Region::Disc { at: vec2(x, 0.0), radius })];
        Paint { zone: Zone { name: "disc".into(), shapes, without: Vec::new() }, level, condition: None }
    }

    #[test]
    fn first_paint_is_visible_and_sensor_is_ahead() {
        let floor = Floor { paint: vec![disc(0.0, 0.1, 0.0), disc(0.0, 0.3, 1.0)], ..Floor::default() };
        let read = |x: f32, towards: f32| floor.reading(vec2(x, 0.0), vec2(towards, 0.0), 0, || unreachable!());
        assert_eq!([0.0, 0.2, 0.4].map(|x| read(x, 1.0)), [-1.0, 1.0, 0.0]);
        assert_eq!((read(0.32, -1.0), read(0.28, 1.0)), (1.0, 0.0), "the sensor is 0.03 m ahead");
        assert!(!floor.is_grey() && Floor::default().is_grey());
    }

    #[test]
    fn readings_are_confused_as_often_as_the_table_says() {
        let confusion = [[0.84, 0.16, 0.0], [0.1, 0.8, 0.1], [0.0, 0.0, 1.0]];
        for (level, row) in [0.0, 0.5, 1.0].into_iter().zip(confusion) {
            let floor = Floor { level, confusion, ..Floor::default() };
            let mut counts = [0u32; 3];
            for update in 0..20_000 {
                let draws = || Draws::new(7, 1, 2, update, Stream::Ground);
                let value = floor.reading(Vec2::ZERO, vec2(1.0, 0.0), 0, draws);
                counts[(value + 1.0) as usize] += 1;
            }
            for (count, expected) in counts.into_iter().zip(row) {
                let deviation = (expected * (1.0 - expected) / 20_000.0).sqrt();
                let found = count as f32 / 20_000.0;
                assert!((found - expected).abs() <= 4.0 * deviation, "{level}: {found} for {expected}");
            }
        }
    }
}
