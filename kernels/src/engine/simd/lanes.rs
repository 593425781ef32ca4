//! State variables of sixteen worlds, one world per lane.

use crate::math::{Vec2, vec2};
use crate::tree::Senses;
pub(super) use crate::tree::lanes::{LANES, Lanes};
use crate::tree::registers::{ATTR, CELLS, UP};

/// State of one body in all worlds of a block.
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

impl BodyLanes {
    /// Replaces the state in lane `l` by that in lane `k` of `from`.
    pub fn copy_lane(&mut self, l: usize, from: &BodyLanes, k: usize) {
        let BodyLanes { x, y, heading, vx, vy, spin, left, right } = from;
        (self.x[l], self.y[l], self.heading[l]) = (x[k], y[k], heading[k]);
        (self.vx[l], self.vy[l], self.spin[l]) = (vx[k], vy[k], spin[k]);
        (self.left[l], self.right[l]) = (left[k], right[k]);
    }
}

/// Senses of one robot in all worlds of a block.
#[derive(Clone, Default)]
#[repr(align(64))]
pub(super) struct SenseLanes {
    /// Components of the unit vector along the robot's heading.
    pub ahead: [Lanes; 2],
    /// Registers of the robot's controllers, including senses and v_goal.
    pub cells: [Lanes; CELLS],
}

impl SenseLanes {
    /// Returns the values of senses that were never computed. They equal the default of [`Senses`].
    pub fn initial() -> SenseLanes {
        let mut senses = SenseLanes::default();
        let Senses { up, attr, .. } = Senses::default();
        for l in 0..LANES {
            senses.write_vector(UP, l, up);
            senses.write_vector(ATTR, l, attr);
        }
        senses
    }

    /// Replaces the state in lane `l` by that in lane `k` of `from`.
    pub fn copy_lane(&mut self, l: usize, from: &SenseLanes, k: usize) {
        let cells = self.ahead.iter_mut().chain(&mut self.cells);
        cells.zip(from.ahead.iter().chain(&from.cells)).for_each(|(to, from)| to[l] = from[k]);
    }

    /// Returns the unit vector along the robot's heading in world `l`.
    #[inline(always)]
    pub fn ahead(&self, l: usize) -> Vec2 {
        vec2(self.ahead[0][l], self.ahead[1][l])
    }

    /// Returns a vector register in world `l`.
    #[inline(always)]
    pub fn vector(&self, cell: usize, l: usize) -> Vec2 {
        vec2(self.cells[cell][l], self.cells[cell + 1][l])
    }

    /// Writes a vector register in world `l`.
    #[inline(always)]
    pub fn write_vector(&mut self, cell: usize, l: usize, v: Vec2) {
        (self.cells[cell][l], self.cells[cell + 1][l]) = (v.x, v.y);
    }
}

/// Camera images of one robot in all worlds of a block (see `senses::camera_model`).
#[derive(Clone, Default)]
pub(super) struct ImageLanes {
    /// Newest image, before missed segments are removed.
    pub taken: [u32; LANES],
    /// History of images.
    pub history: [u32; LANES],
}
