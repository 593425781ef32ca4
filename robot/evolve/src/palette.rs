//! What evolution may build trees from: nodes, registers and ranges (Tables 7.5 and 8.2).

use serde::{Deserialize, Serialize};
use xpuck_kernels::random::Draws;
use xpuck_kernels::tree::{Group, Kind, Node, Operand, RegisterMap};

/// A node that may be chosen, with its number of children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Choice {
    kind: Kind,
    children: u16,
}

/// The allowed nodes and registers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Palette {
    inner: Vec<Choice>,
    leaves: Vec<Choice>,
    scalar_sources: Vec<u8>,
    vector_sources: Vec<u8>,
    scalar_destinations: Vec<u8>,
    vector_destinations: Vec<u8>,
}

/// Leaves of Table 8.2.
const IN_SWARM_LEAVES: [Kind; 15] = [
    Kind::Movcs,
    Kind::Movcv,
    Kind::Mulas,
    Kind::Mulav,
    Kind::Rotav,
    Kind::Ifprob,
    Kind::Ifsect,
    Kind::Successl,
    Kind::Failurel,
    Kind::Upfield,
    Kind::Attract,
    Kind::Bleft,
    Kind::Bright,
    Kind::Bfront,
    Kind::Bsearch,
];

impl Palette {
    /// The nodes and registers of the in-swarm experiments (Table 8.2).
    pub fn in_swarm() -> Palette {
        let mut inner = Vec::new();
        for kind in [Kind::Seq, Kind::Sel, Kind::Seqm, Kind::Selm] {
            inner.extend([2, 3, 4].map(|children| Choice { kind, children }));
        }
        for kind in [Kind::Successd, Kind::Failed, Kind::Invert, Kind::Repeati, Kind::Repeatr] {
            inner.push(Choice { kind, children: 1 });
        }
        let cells: Vec<u8> = (0..16).filter_map(|i| RegisterMap::InSwarm.cell(i)).collect();
        Palette {
            inner,
            leaves: IN_SWARM_LEAVES.map(|kind| Choice { kind, children: 0 }).to_vec(),
            vector_sources: cells.iter().copied().filter(|c| c % 2 == 0).collect(),
            scalar_sources: cells,
            // zero, v_goal, s_scr and v_scr (Table 7.5), by component for scalar nodes.
            scalar_destinations: vec![0, 1, 2, 3, 17, 18, 19],
            vector_destinations: vec![0, 2, 18],
        }
    }

    /// Part of the nodes that are leaves: Algorithm 11's probability to end a branch.
    pub(crate) fn leaf_share(&self) -> f32 {
        self.leaves.len() as f32 / (self.leaves.len() + self.inner.len()) as f32
    }

    /// A random inner node.
    pub(crate) fn inner(&self, draws: &mut Draws) -> Node {
        self.draw(self.inner[draws.below(self.inner.len() as u32) as usize], draws)
    }

    /// A random leaf.
    pub(crate) fn leaf(&self, draws: &mut Draws) -> Node {
        self.draw(self.leaves[draws.below(self.leaves.len() as u32) as usize], draws)
    }

    /// A random node with as many children.
    pub(crate) fn same_arity(&self, children: u16, draws: &mut Draws) -> Option<Node> {
        let fitting: Vec<&Choice> = self.inner.iter().chain(&self.leaves).filter(|c| c.children == children).collect();
        if fitting.is_empty() {
            return None;
        }
        let choice = *fitting[draws.below(fitting.len() as u32) as usize];
        Some(self.draw(choice, draws))
    }

    fn draw(&self, choice: Choice, draws: &mut Draws) -> Node {
        let mut operands = [0.0; 4];
        for (value, spec) in operands.iter_mut().zip(choice.kind.spec().operands) {
            *value = self.operand(spec.operand, draws);
        }
        Node { kind: choice.kind, children: choice.children, operands }
    }

    /// A random value for an operand (Table 7.5).
    pub(crate) fn operand(&self, operand: Operand, draws: &mut Draws) -> f32 {
        let mut pick = |cells: &[u8]| f32::from(cells[draws.below(cells.len() as u32) as usize]);
        match operand {
            Operand::ScalarDest => pick(&self.scalar_destinations),
            Operand::VectorDest => pick(&self.vector_destinations),
            Operand::Scalar => pick(&self.scalar_sources),
            Operand::Vector => pick(&self.vector_sources),
            Operand::Int8 | Operand::Angle => draws.below(256) as f32 - 128.0,
            Operand::Width => draws.below(256) as f32,
            Operand::Fixed => (draws.below(256) as f32 - 128.0) / 8.0,
            Operand::Float => draws.range(-32.0, 32.0),
            Operand::Gain => draws.range(-5.0, 5.0),
            Operand::Count => 1.0 + draws.below(100) as f32,
            Operand::Quadrant => draws.below(9) as f32 - 4.0,
            Operand::Threshold => 1.0 + draws.below(4) as f32,
        }
    }

    /// True if every node and register of a tree is allowed; what comes from outside is checked with this.
    pub fn allows(&self, tree: &xpuck_kernels::tree::Tree) -> bool {
        tree.nodes().iter().all(|node| {
            let listed = |list: &[Choice]| list.iter().any(|c| c.kind == node.kind && c.children == node.children);
            let known = match node.kind.spec().group {
                Group::Composite | Group::Decorator => listed(&self.inner),
                _ => listed(&self.leaves),
            };
            known
                && node.operands.iter().zip(node.kind.spec().operands).all(|(value, spec)| {
                    let cells = match spec.operand {
                        Operand::ScalarDest => &self.scalar_destinations,
                        Operand::VectorDest => &self.vector_destinations,
                        Operand::Scalar => &self.scalar_sources,
                        Operand::Vector => &self.vector_sources,
                        _ => return true,
                    };
                    cells.contains(&(*value as u8))
                })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_kernels::tree::Tree;

    #[test]
    fn trees_from_outside_are_checked() {
        let palette = Palette::in_swarm();
        let allows = |text: &str| palette.allows(&Tree::parse(text).unwrap());
        assert!(allows("seq\n  movcv v_goal 0deg\n  rotav v_scr v_up 3deg s_n\n"));
        assert!(!allows("movcv v_blue 0deg"), "evolution does not write read-only registers");
        assert!(!allows("mulav v_goal v_red 1 v_up"), "red is not in Table 8.2");
        assert!(!allows("explore 5"));
        assert!(!allows("seq\n  successl\n"), "arity 1 is not built");
    }
}
