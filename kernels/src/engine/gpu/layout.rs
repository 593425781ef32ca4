//! How worlds lie in the storage buffers; `source` makes the WGSL constants from the same lists.

/// Bodies of a world in storage, and invocations of its workgroup.
pub const SLOTS: usize = 32;
/// Most bodies of a world that the kernels run.
pub const MAX_BODIES: usize = 24;
/// Most contacts of a step.
pub const MAX_CONTACTS: usize = crate::model::most_contacts(MAX_BODIES);
/// Words of an instruction.
pub const NODE_WORDS: usize = 5;
/// Most wall patches of a world.
pub const MAX_PATCHES: usize = 16;

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
];

/// What each body has, a word a slot.
pub const QUANTITIES: &[&str] = &[
    "X",
    "Y",
    "HEADING",
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
    "GOAL_X",
    "GOAL_Y",
    "SCRATCH",
    "SCRATCH_X",
    "SCRATCH_Y",
    // Where a robot's program starts, and how many node memories it has; integers.
    "PROGRAM",
    "MEMORIES",
];

/// Words of a world.
pub const WORLD_WORDS: usize = HEADER.len() + QUANTITIES.len() * SLOTS;

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
