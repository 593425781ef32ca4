//! Detection of registers of optional devices that trees read: camera and ground sensor. A robot without such a device
//! cannot run a tree that reads its registers.

use crate::primitive_set::PrimitiveSet;
use xpuck_kernels::tree::registers::GROUND;
use xpuck_kernels::tree::{Kind, Operand, REGISTERS, Tree};

/// Names of the registers whose values are computed from camera frames.
const CAMERA_REGISTERS: [&str; 4] = ["v_red", "v_green", "v_blue", "v_tag"];

/// Returns the name of the camera register that contains this cell. `None` if the cell does not belong to a camera
/// register.
fn of_cell(cell: u8) -> Option<&'static str> {
    REGISTERS.iter().find(|r| r.full == cell & !1 && CAMERA_REGISTERS.contains(&r.name)).map(|r| r.name)
}

fn of_kind(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::Red => Some("v_red"),
        Kind::Green => Some("v_green"),
        Kind::Blue | Kind::Bleft | Kind::Bright | Kind::Bfront | Kind::Bsearch => Some("v_blue"),
        _ => None,
    }
}

/// Returns a camera register that the tree reads; `None` if the tree needs no camera.
pub fn colour_read(tree: &Tree) -> Option<&'static str> {
    tree.nodes().iter().find_map(|node| of_kind(node.kind)).or_else(|| cells_read(tree).find_map(of_cell))
}

/// Returns true if the tree reads the register of the ground sensor.
pub fn ground_read(tree: &Tree) -> bool {
    cells_read(tree).any(|cell| usize::from(cell) == GROUND)
}

/// Returns the cells that operands of the tree name as sources.
fn cells_read(tree: &Tree) -> impl Iterator<Item = u8> + '_ {
    tree.nodes().iter().flat_map(|node| {
        let operands = node.kind.spec().operands.iter().zip(node.operands);
        operands
            .filter(|(spec, _)| matches!(spec.operand, Operand::Scalar | Operand::Vector))
            .map(|(_, cell)| cell as u8)
    })
}

impl PrimitiveSet {
    /// Returns a camera register that trees of this set may read; `None` if the trees need no camera.
    pub fn colour_read(&self) -> Option<&'static str> {
        let registers = &self.operands().registers;
        let kinds = self.leaf_kinds().find_map(of_kind);
        let sources =
            || registers.vector_sources.iter().chain(&registers.scalar_sources).find_map(|cell| of_cell(*cell));
        kinds.or_else(sources).or_else(|| (0..self.subtree_count()).find_map(|i| colour_read(self.subtree(i))))
    }

    /// Returns true if trees of this set may read the register of the ground sensor.
    pub fn ground_read(&self) -> bool {
        let registers = &self.operands().registers;
        let sources = registers.vector_sources.iter().chain(&registers.scalar_sources);
        sources.into_iter().any(|cell| usize::from(*cell) == GROUND)
            || (0..self.subtree_count()).any(|i| ground_read(self.subtree(i)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_and_trees_say_which_colour_they_need() {
        assert_eq!(PrimitiveSet::in_swarm().colour_read(), Some("v_blue"));
        let read = |text: &str| colour_read(&Tree::parse(text).unwrap());
        assert_eq!(read("bleft"), Some("v_blue"));
        assert_eq!(read("mulav v_goal v_zero 1 v_red"), Some("v_red"));
        assert_eq!(read("mulav v_goal v_zero 1 v_tag"), Some("v_tag"));
        assert_eq!(read("mulav v_goal v_zero 1 v_light"), None);
        assert_eq!(read("upfield 1"), None);
    }

    #[test]
    fn sets_and_trees_say_whether_they_need_the_ground_sensor() {
        assert!(!PrimitiveSet::in_swarm().ground_read());
        let read = |text: &str| ground_read(&Tree::parse(text).unwrap());
        assert!(read("ifprob s_ground 4 0.5") && read("ifsect s_ground 180deg 40deg"));
        assert!(!read("mulas s_scr s_zero 1 s_zero") && !read("ifprob s_n 1 2"));
    }
}
