//! Layout of worlds in storage buffers and invocations. `source` generates the WGSL constants from the same lists.

use crate::model::MAX_DISCS;

/// Maximum number of robots in a world on the GPU.
pub const MAX_ROBOTS: usize = 128;
/// Maximum number of bodies in a world on the GPU.
pub const MAX_BODIES: usize = MAX_ROBOTS + MAX_DISCS;
/// Number of words per instruction.
pub const NODE_WORDS: usize = 5;
/// Maximum number of wall patches in a world. The same limit applies to inner walls.
pub const MAX_PATCHES: usize = 32;
/// Number of words of a contact in storage.
pub const CONTACT_WORDS: usize = 7;
/// Maximum numbers of bodies per world, with separate kernels for each. The kernels are compiled on first use.
const CAPACITIES: [usize; 2] = [24, MAX_BODIES];

/// Names of the words in a world's header.
pub const HEADER: &[&str] = &[
    "SEED_LOW",
    "SEED_HIGH",
    "WORLD",
    // Number of completed updates. The host checks this number, because some adapters silently end long loops.
    "UPDATE",
    "COUNTED_FROM",
    "TOTAL",
    "RELOCATIONS",
    // Size of the largest cluster, summed over all updates.
    "LARGEST",
];

/// Names of the words of each body. Only the first quantities are read back, because the outcome needs no others.
pub const QUANTITIES: &[&str] = &[
    "X",
    "Y",
    "HEADING",
    // Task counts of a robot (integers).
    "COUNT_LOW",
    "COUNT_HIGH",
    "CARRYING",
    // Camera history (integer).
    "PICTURES",
    // Start of a robot's program, and the number of its node memories (integers).
    "PROGRAM",
    "MEMORIES",
    // The following quantities start as zeros.
    "VX",
    "VY",
    "SPIN",
    "LEFT",
    "RIGHT",
    "PROX_X",
    "PROX_Y",
    "ATTR_X",
    "ATTR_Y",
    "NEIGHBOURS",
    "RED_X",
    "RED_Y",
    "GREEN_X",
    "GREEN_Y",
    "BLUE_X",
    "BLUE_Y",
    "LIGHT_X",
    "LIGHT_Y",
    "TAG_X",
    "TAG_Y",
    "GROUND",
    // History of the ground points (integer).
    "POINTS",
    "GOAL_X",
    "GOAL_Y",
    "SCRATCH",
    "SCRATCH_X",
    "SCRATCH_Y",
];

/// Number of [`QUANTITIES`] that are read back.
pub const OUTCOME_QUANTITIES: usize = index_of(QUANTITIES, "PICTURES");
/// Number of [`QUANTITIES`] that are written before the first update.
pub const START_QUANTITIES: usize = index_of(QUANTITIES, "VX");

/// Amount of work of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LaneWork {
    /// One body. This is suitable for GPUs, which have many lanes and fast communication through workgroup memory.
    Body,
    /// One whole world. This is suitable for software adapters, which have few lanes and slow communication.
    World,
}

/// Distribution of worlds over invocations. Each layout has its own kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Layout {
    /// Amount of work of a lane.
    pub lane: LaneWork,
    /// Maximum number of bodies per world for which the kernels are compiled.
    pub capacity: usize,
    /// Number of invocations per workgroup.
    pub workgroup: usize,
}

impl Layout {
    /// Selects the layout for worlds with the given number of bodies on an adapter with the given subgroup size.
    pub fn select(lane: LaneWork, bodies: usize, subgroup: usize) -> Layout {
        let capacity = CAPACITIES.into_iter().find(|c| bodies <= *c).unwrap_or(MAX_BODIES);
        let workgroup = match lane {
            LaneWork::World => subgroup.clamp(4, 64),
            LaneWork::Body => body_workgroup(bodies, subgroup.clamp(8, 64)),
        };
        Layout { lane, capacity, workgroup }
    }

    /// Returns the number of worlds per workgroup.
    pub fn worlds(&self, bodies: usize) -> usize {
        match self.lane {
            LaneWork::World => self.workgroup,
            LaneWork::Body => self.workgroup / bodies,
        }
    }

    /// Returns the maximum number of contacts of a world. A circle touches at most six other circles of its size.
    pub fn contacts(&self) -> usize {
        6 * self.capacity
    }

    /// Returns the maximum number of bodies per invocation.
    pub fn own(&self) -> usize {
        match self.lane {
            LaneWork::World => self.capacity,
            LaneWork::Body => 1,
        }
    }

    /// Returns the number of words for a world's contacts in storage.
    pub fn contact_words(&self) -> usize {
        self.contacts() * CONTACT_WORDS
    }

    /// Returns the number of words for a bit mask of robots.
    pub fn robot_words(&self) -> usize {
        self.capacity.div_ceil(32)
    }

    /// Returns the number of words for a bit mask of all objects that a body can touch.
    pub fn touch_words(&self) -> usize {
        (4 + MAX_PATCHES + self.capacity).div_ceil(32)
    }

    /// Returns the number of words of a world in the `work` buffer: contacts, and the robots' bit masks of
    /// neighbours.
    pub fn work_words(&self, robots: usize) -> usize {
        self.contact_words() + robots * self.robot_words()
    }
}

/// Minimum number of invocations per workgroup with one body per lane. In each world, one lane (the leader) does the
/// work that is done once per world. In smaller workgroups, the leaders fill too small a part of a subgroup. On an
/// NVIDIA H200, worlds of 9 robots take 25 % longer with 32 than with 128 invocations.
const LEAST_INVOCATIONS: usize = 128;

/// Returns the size of the smallest workgroup of whole subgroups in which at least 90 % of the lanes have a body.
/// Without such a workgroup, returns the size with the fewest idle lanes.
fn body_workgroup(bodies: usize, subgroup: usize) -> usize {
    let share = |size: usize| (size / bodies * bodies * 1000 / size, std::cmp::Reverse(size));
    let least = bodies.max(LEAST_INVOCATIONS);
    let sizes = (1..=256 / subgroup).map(|n| n * subgroup).filter(|size| *size >= least);
    sizes.clone().find(|size| share(*size).0 >= 900).or_else(|| sizes.max_by_key(|s| share(*s))).unwrap_or(256)
}

/// Returns the index of a name in a list.
///
/// # Panics
/// If the name is not in the list. For a constant, this is a compile error, because constants are evaluated at
/// compile time.
pub const fn index_of(list: &[&str], name: &str) -> usize {
    let mut i = 0;
    while i < list.len() {
        if same(list[i].as_bytes(), name.as_bytes()) {
            return i;
        }
        i += 1;
    }
    panic!("no such word")
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_of_a_workgroup_have_bodies() {
        for bodies in 1..=MAX_BODIES {
            for subgroup in [8, 16, 32, 64] {
                let layout = Layout::select(LaneWork::Body, bodies, subgroup);
                let busy = layout.worlds(bodies) * bodies;
                assert!(layout.workgroup <= 256 && busy > 0 && bodies <= layout.capacity);
                assert!(bodies > 64 || busy * 10 >= layout.workgroup * 8, "{bodies} bodies, {layout:?}");
            }
        }
        assert_eq!(Layout::select(LaneWork::Body, 17, 32).workgroup, 128, "seven worlds of seventeen bodies");
    }
}
