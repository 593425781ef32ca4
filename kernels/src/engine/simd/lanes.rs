//! Quantities of sixteen worlds side by side, a world in each lane.

use crate::math::{Vec2, vec2};
pub(super) use crate::tree::lanes::{LANES, Lanes};
use crate::tree::registers::CELLS;

/// The state of one body in all worlds.
#[derive(Clone, Default)]
#[repr(align(64))]
pub(super) struct BodyLanes {
    pub x: Lanes,
    pub y: Lanes,
    pub heading: Lanes,
    pub vx: Lanes,
    pub vy: Lanes,
    pub spin: Lanes,
    pub left: Lanes,
    pub right: Lanes,
}

/// What one robot senses in all worlds.
#[derive(Clone, Default)]
#[repr(align(64))]
pub(super) struct SenseLanes {
    /// The unit vector along the robot's heading.
    pub ahead: [Lanes; 2],
    /// The controllers' registers: where the senses are told, and what the controllers want.
    pub cells: [Lanes; CELLS],
}

impl SenseLanes {
    /// The unit vector along the robot's heading in one world.
    #[inline(always)]
    pub fn ahead(&self, l: usize) -> Vec2 {
        vec2(self.ahead[0][l], self.ahead[1][l])
    }

    /// A vector of one world's controller.
    #[inline(always)]
    pub fn vector(&self, cell: usize, l: usize) -> Vec2 {
        vec2(self.cells[cell][l], self.cells[cell + 1][l])
    }

    /// Tells one world's controller a vector.
    #[inline(always)]
    pub fn tell(&mut self, cell: usize, l: usize, v: Vec2) {
        (self.cells[cell][l], self.cells[cell + 1][l]) = (v.x, v.y);
    }
}

/// The pictures of one robot's camera in all worlds; see `senses::camera_model`.
#[derive(Clone, Default)]
pub(super) struct PictureLanes {
    /// The one just taken.
    pub taken: [u32; LANES],
    /// The last ones.
    pub history: [u32; LANES],
}
