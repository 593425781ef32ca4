//! How worlds lie in the storage buffers and in the invocations; `source` makes the WGSL constants from the same lists.

use crate::model::MAX_DISCS;

/// Most robots of a world.
pub const MOST_ROBOTS: usize = 128;
/// Most bodies of a world.
pub const MOST_BODIES: usize = MOST_ROBOTS + MAX_DISCS;
/// Words of an instruction.
pub const NODE_WORDS: usize = 5;
/// Most wall patches, and most inner walls, of a world.
pub const MAX_PATCHES: usize = 16;
/// Words of a contact in storage.
pub const CONTACT_WORDS: usize = 7;
/// Bodies of a world for which kernels are compiled; each is compiled at its first use.
const CAPACITIES: [usize; 2] = [24, MOST_BODIES];

/// What a world's header holds, a word each.
pub const HEADER: &[&str] = &[
    "SEED_LOW",
    "SEED_HIGH",
    "WORLD",
    // Updates done: returned and checked, as some adapters end long loops without a word.
    "UPDATE",
    "COUNTED_FROM",
    "TOTAL",
    "RELOCATIONS",
    // Sizes of the largest clusters, added up.
    "LARGEST",
];

/// What each body has, a word each. The first ones are what the outcome needs, and all that is read back.
pub const QUANTITIES: &[&str] = &[
    "X",
    "Y",
    "HEADING",
    // What the task counts of a robot, integers.
    "COUNT_LOW",
    "COUNT_HIGH",
    "CARRYING",
    // The last pictures of the camera; an integer.
    "PICTURES",
    // Where a robot's program starts, and how many node memories it has; integers.
    "PROGRAM",
    "MEMORIES",
    // What follows begins as zeros.
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
    "GOAL_X",
    "GOAL_Y",
    "SCRATCH",
    "SCRATCH_X",
    "SCRATCH_Y",
];

/// How many of [`QUANTITIES`] are read back.
pub const OUTCOME_QUANTITIES: usize = place(QUANTITIES, "PICTURES");
/// How many of [`QUANTITIES`] are written before the first update.
pub const START_QUANTITIES: usize = place(QUANTITIES, "VX");

/// What a lane sees to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lane {
    /// A body: for GPUs, whose lanes are many and meet in workgroup memory at little cost.
    Body,
    /// All of a world: for processors that play a GPU, where lanes are few and meeting is dear.
    World,
}

/// How worlds are spread over invocations. Each layout has kernels of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Layout {
    /// What a lane sees to.
    pub lane: Lane,
    /// Most bodies of a world.
    pub capacity: usize,
    /// Invocations of a workgroup.
    pub workgroup: usize,
}

impl Layout {
    /// The layout for worlds of so many bodies on an adapter that runs `subgroup` invocations in step.
    pub fn of(lane: Lane, bodies: usize, subgroup: usize) -> Layout {
        let capacity = CAPACITIES.into_iter().find(|c| bodies <= *c).unwrap_or(MOST_BODIES);
        let workgroup = match lane {
            Lane::World => subgroup.clamp(4, 64),
            Lane::Body => body_workgroup(bodies, subgroup.clamp(8, 64)),
        };
        Layout { lane, capacity, workgroup }
    }

    /// Worlds of a workgroup.
    pub fn worlds(&self, bodies: usize) -> usize {
        match self.lane {
            Lane::World => self.workgroup,
            Lane::Body => self.workgroup / bodies,
        }
    }

    /// Most contacts of a world: a circle touches at most six others of its size.
    pub fn contacts(&self) -> usize {
        6 * self.capacity
    }

    /// Bodies of an invocation.
    pub fn own(&self) -> usize {
        match self.lane {
            Lane::World => self.capacity,
            Lane::Body => 1,
        }
    }

    /// Words of a world's contacts in storage.
    pub fn contact_words(&self) -> usize {
        self.contacts() * CONTACT_WORDS
    }

    /// Words for a bit of each robot.
    pub fn robot_words(&self) -> usize {
        self.capacity.div_ceil(32)
    }

    /// Words for a bit of all that a body may touch.
    pub fn touch_words(&self) -> usize {
        (4 + MAX_PATCHES + self.capacity).div_ceil(32)
    }

    /// Words of a world in `work`: contacts, and who is near whom.
    pub fn work_words(&self, robots: usize) -> usize {
        self.contact_words() + robots * self.robot_words()
    }
}

/// Fewest invocations of a workgroup with a body in each lane. In smaller ones the worlds' leaders, who do what is done once in
/// a world, fill too little of a subgroup: 9 robots take a quarter longer in 32 than in 128 on an NVIDIA H200.
const LEAST_INVOCATIONS: usize = 128;

/// The smallest workgroup of whole subgroups nine tenths of whose lanes have a body, or the one with the fewest idle.
fn body_workgroup(bodies: usize, subgroup: usize) -> usize {
    let share = |size: usize| (size / bodies * bodies * 1000 / size, std::cmp::Reverse(size));
    let least = bodies.max(LEAST_INVOCATIONS);
    let sizes = (1..=256 / subgroup).map(|n| n * subgroup).filter(|size| *size >= least);
    sizes.clone().find(|size| share(*size).0 >= 900).or_else(|| sizes.max_by_key(|s| share(*s))).unwrap_or(256)
}

/// The place of a name in a list.
///
/// # Panics
/// If it is not there; constants are computed at compile time, so that is a compile error.
pub const fn place(list: &[&str], name: &str) -> usize {
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
        for bodies in 1..=MOST_BODIES {
            for subgroup in [8, 16, 32, 64] {
                let layout = Layout::of(Lane::Body, bodies, subgroup);
                let busy = layout.worlds(bodies) * bodies;
                assert!(layout.workgroup <= 256 && busy > 0 && bodies <= layout.capacity);
                assert!(bodies > 64 || busy * 10 >= layout.workgroup * 8, "{bodies} bodies, {layout:?}");
            }
        }
        assert_eq!(Layout::of(Lane::Body, 17, 32).workgroup, 128, "seven worlds of seventeen bodies");
    }
}
