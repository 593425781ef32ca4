//! Quantities of sixteen worlds side by side, a world in each lane.

/// Worlds in a block: the lanes of a 512-bit register; narrower registers take them in turns.
pub(super) const LANES: usize = 16;

/// A number in each world.
pub(super) type Lanes = [f32; LANES];

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

/// What one robot senses in all worlds; see [`Senses`](crate::tree::Senses).
#[derive(Clone, Default)]
#[repr(align(64))]
pub(super) struct SenseLanes {
    /// The unit vector along the robot's heading.
    pub ahead: [Lanes; 2],
    pub up: [Lanes; 2],
    pub prox: [Lanes; 2],
    pub attr: [Lanes; 2],
    pub neighbours: Lanes,
    pub colours: [[Lanes; 2]; 3],
    pub light: [Lanes; 2],
    pub tag: [Lanes; 2],
    /// What the controller wants.
    pub goal: [Lanes; 2],
}

/// The pictures of one robot's camera in all worlds; see `senses::camera_model`.
#[derive(Clone, Default)]
pub(super) struct PictureLanes {
    /// The one just taken.
    pub taken: [u32; LANES],
    /// The last ones.
    pub history: [u32; LANES],
}

/// Where another robot is in each world; infinitely far where a world has no more of them.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Other {
    pub x: Lanes,
    pub y: Lanes,
}

impl Other {
    pub const NOBODY: Other = Other { x: [f32::INFINITY; LANES], y: [f32::INFINITY; LANES] };
}
