//! Registers of the blackboard. The registers have the numbers of thesis Tables 6.3 and 8.2. Additional registers
//! contain the values of senses that are not in the thesis.

/// Access of nodes to a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Only the robot writes the register. A write by a node succeeds without effect.
    ReadOnly,
    /// Nodes may write the register, which keeps the last written value.
    Scratch,
    /// Nodes may write the register once per tick. The register controls the wheels (thesis 6.3.1).
    Goal,
}

/// A register, which is a scalar in one cell or a vector in two adjacent cells.
#[derive(Clone, Copy, Debug)]
pub struct Register {
    /// Name of the register in the text form.
    pub name: &'static str,
    /// First cell in the full map. The map equals thesis Table 6.3 up to cell 19. All internal register numbers use
    /// this map.
    pub full: u8,
    /// First cell in the in-swarm map (thesis Table 8.2); `None` if the map does not contain the register.
    pub in_swarm: Option<u8>,
    /// Whether the register is a vector.
    pub vector: bool,
    /// Access of nodes to the register.
    pub access: Access,
    /// One-line description of the register.
    pub meaning: &'static str,
}

const fn register(
    name: &'static str,
    full: u8,
    in_swarm: Option<u8>,
    vector: bool,
    access: Access,
    meaning: &'static str,
) -> Register {
    Register { name, full, in_swarm, vector, access, meaning }
}

/// All registers in the order of their cells.
pub const REGISTERS: [Register; 15] = [
    register("v_zero", 0, Some(0), true, Access::ReadOnly, "always zero"),
    register("v_goal", 2, Some(2), true, Access::Goal, "goal velocity; NaN until written in this tick"),
    register("v_prox", 4, Some(4), true, Access::ReadOnly, "sum of the eight proximity rays, towards obstacles"),
    register("v_up", 6, Some(6), true, Access::ReadOnly, "unit vector upfield (+x of the world)"),
    register("v_attr", 8, Some(8), true, Access::ReadOnly, "towards neighbours; near ones have more weight"),
    register("v_red", 10, None, true, Access::ReadOnly, "towards red in the camera"),
    register("v_green", 12, None, true, Access::ReadOnly, "towards green in the camera"),
    register("v_blue", 14, Some(10), true, Access::ReadOnly, "towards blue in the camera"),
    register("s_n", 16, Some(12), false, Access::ReadOnly, "number of neighbours within 0.5 m"),
    register("s_scr", 17, Some(13), false, Access::Scratch, "scratch scalar"),
    register("v_scr", 18, Some(14), true, Access::Scratch, "scratch vector"),
    register("v_light", 20, None, true, Access::ReadOnly, "towards the light; its length is the brightness"),
    register(
        "v_tag",
        22,
        None,
        true,
        Access::ReadOnly,
        "vector to the nearest tag in the camera (m); zero without a tag",
    ),
    register("s_ground", 24, None, false, Access::ReadOnly, "floor under the ground sensor: -1 black, 0 grey, 1 white"),
    register("s_zero", 25, None, false, Access::ReadOnly, "always zero; as a vector, s_ground is (s_ground, 0)"),
];

/// Number of cells of the full map.
pub const CELLS: usize = 26;
/// First cell of v_goal.
pub const GOAL: usize = 2;
/// First cell of v_prox.
pub const PROX: usize = 4;
/// First cell of v_up.
pub const UP: usize = 6;
/// First cell of v_attr.
pub const ATTR: usize = 8;
/// First cell of v_red. The cells of v_green and v_blue follow.
pub const RED: usize = 10;
/// First cell of v_blue.
pub const BLUE: usize = 14;
/// Cell of s_n.
pub const NEIGHBOURS: usize = 16;
/// First cell of v_scr.
pub const SCRATCH: usize = 18;
/// First cell of v_light.
pub const LIGHT: usize = 20;
/// First cell of v_tag.
pub const TAG: usize = 22;
/// Cell of s_ground.
pub const GROUND: usize = 24;

/// Access of nodes to each cell of the full map, derived from [`REGISTERS`].
pub(super) const ACCESS: [Access; CELLS] = {
    let mut access = [Access::ReadOnly; CELLS];
    let mut i = 0;
    while i < REGISTERS.len() {
        let first = REGISTERS[i].full as usize;
        access[first] = REGISTERS[i].access;
        if REGISTERS[i].vector {
            access[first + 1] = REGISTERS[i].access;
        }
        i += 1;
    }
    access
};

/// Register map, which gives the meaning of `[index]` in the textual forms of a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RegisterMap {
    /// Map of thesis Table 6.3, extended by the registers of additional senses.
    #[default]
    Full,
    /// Map of thesis Table 8.2.
    InSwarm,
    /// Blackboard of the Kilobot (thesis Table 4.1). The tree consists of Kilobot nodes.
    Kilobot,
}

impl RegisterMap {
    /// Converts cell `index` of this map to a cell of the full map; `None` if this map does not have the cell.
    pub fn cell(self, index: u32) -> Option<u8> {
        REGISTERS.iter().find_map(|r| {
            let first = u32::from(match self {
                RegisterMap::Full => r.full,
                RegisterMap::InSwarm => r.in_swarm?,
                RegisterMap::Kilobot => return None,
            });
            let cells = if r.vector { 2 } else { 1 };
            (index >= first && index < first + cells).then(|| r.full + (index - first) as u8)
        })
    }
}

/// Returns the register that contains a cell of the full map.
pub fn register_of(cell: u8) -> &'static Register {
    let last = REGISTERS.iter().rposition(|r| r.full <= cell).unwrap_or(0);
    &REGISTERS[last]
}

/// Returns the name of a cell in the text form, such as `v_goal.x` or `s_n`.
pub fn scalar_name(cell: u8) -> String {
    let r = register_of(cell);
    match (r.vector, cell - r.full) {
        (false, _) => r.name.to_string(),
        (true, 0) => format!("{}.x", r.name),
        (true, _) => format!("{}.y", r.name),
    }
}

/// Returns the name of the vector register that contains a cell, as in the text form. The pair (s_n, s_scr) can be used
/// as a vector and has the name `s_n`.
pub fn vector_name(cell: u8) -> &'static str {
    register_of(cell & !1).name
}

/// Returns the first cell of the register that an operand names; `None` if the name is unknown. The cell is a cell of
/// the full map. `vector` is true for a vector operand and false for a scalar operand. For a vector operand, both `s_n`
/// and `s_scr` denote the pair (s_n, s_scr).
pub fn cell_of_name(name: &str, vector: bool) -> Option<u8> {
    let find = |n: &str| REGISTERS.iter().find(|r| r.name == n);
    if vector {
        return find(name).map(|r| r.full & !1);
    }
    if let Some(r) = find(name).filter(|r| !r.vector) {
        return Some(r.full);
    }
    let (base, offset) = match name.rsplit_once('.')? {
        (base, "x") => (base, 0),
        (base, "y") => (base, 1),
        _ => return None,
    };
    find(base).filter(|r| r.vector).map(|r| r.full + offset)
}

/// Returns all names that `cell_of_name` accepts, for suggestions in error messages.
pub fn names(vector: bool) -> Vec<String> {
    if vector {
        return REGISTERS.iter().map(|r| r.name.to_string()).collect();
    }
    (0..CELLS as u8).map(scalar_name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_maps_lead_to_the_same_registers() {
        assert_eq!(RegisterMap::Full.cell(14), Some(14));
        assert_eq!(RegisterMap::InSwarm.cell(10), Some(14));
        assert_eq!(RegisterMap::InSwarm.cell(15), Some(19));
        assert_eq!(RegisterMap::InSwarm.cell(16), None);
        assert_eq!((RegisterMap::Full.cell(25), RegisterMap::Full.cell(26)), (Some(25), None));
        let in_swarm: Vec<u8> = (0..16).map(|i| RegisterMap::InSwarm.cell(i).unwrap()).collect();
        assert!(in_swarm.iter().enumerate().all(|(i, cell)| i % 2 == usize::from(cell % 2)), "pairs stay pairs");
    }

    #[test]
    fn names_and_cells_are_inverse() {
        for cell in 0..CELLS as u8 {
            assert_eq!(cell_of_name(&scalar_name(cell), false), Some(cell));
            assert_eq!(cell_of_name(vector_name(cell), true), Some(cell & !1));
        }
        assert_eq!(cell_of_name("v_scr", false), None, "a scalar operand names a component");
        assert_eq!(cell_of_name("s_scr", true), Some(16), "the pair (s_n, s_scr)");
    }
}
