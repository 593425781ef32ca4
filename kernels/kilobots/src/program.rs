//! Tree that is compiled for a Kilobot, and its memory usage (thesis Table 4.2 and Eq. 4.4).

use xpuck_kernels::tree::{Kind, Tree};

/// Memory that is available for a tree (bytes).
pub const TREE_BYTES: usize = 1024;
/// Memory that is available for the stack (bytes).
pub const STACK_BYTES: usize = 500;
/// Stack usage per level of the tree (bytes).
pub const LEVEL_BYTES: usize = 16;

/// Reason why a Kilobot cannot run a tree.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum KilobotError {
    /// The tree has a node that a Kilobot does not have.
    #[error(
        "a Kilobot has no node `{0}`; it has seqm, selm, probm2 to probm4, repeati, successd, failed and the leaves of docs/nodes.md"
    )]
    Foreign(&'static str),
    /// A composite has a number of children that Table 4.2 does not allow.
    #[error("`{0}` has {1} children; on a Kilobot it must have 2, 3 or 4")]
    Children(&'static str, u16),
    /// The tree does not fit the memory.
    #[error("the tree needs {} bytes (limit {TREE_BYTES}) and {} bytes of stack (limit {STACK_BYTES}); make it smaller or less deep", .0.tree, .0.stack)]
    TooLarge(Usage),
}

/// Memory usage of a tree on a Kilobot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Memory for the tree (bytes).
    pub tree: usize,
    /// Memory for the stack (bytes).
    pub stack: usize,
}

impl Usage {
    /// Returns the memory usage of a tree. Nodes that a Kilobot does not have count as 0 bytes.
    pub fn from_tree(tree: &Tree) -> Usage {
        let bytes = tree.nodes().iter().map(|node| bytes(node.kind, usize::from(node.children))).sum();
        Usage { tree: bytes, stack: LEVEL_BYTES * (tree.depth() + 1) }
    }

    /// Returns the used share of tree memory or of stack memory, whichever is larger (Eq. 4.4).
    pub fn share(self) -> f32 {
        (self.tree as f32 / TREE_BYTES as f32).max(self.stack as f32 / STACK_BYTES as f32)
    }

    /// Returns the derating factor of the fitness (thesis 4.2). The factor is 1 for up to three quarters of the
    /// memory, and then decreases linearly to 0 for the full memory.
    pub fn derating(self) -> f32 {
        (4.0 * (1.0 - self.share())).clamp(0.0, 1.0)
    }
}

/// Returns the size of a node on the robot (bytes) (Table 4.2); 0 for nodes that a Kilobot does not have.
fn bytes(kind: Kind, children: usize) -> usize {
    match kind {
        Kind::Seqm | Kind::Selm => 3 + 2 * children,
        Kind::Probm2 | Kind::Probm3 | Kind::Probm4 => 6 * children - 1,
        Kind::Repeati => 6,
        Kind::Successd | Kind::Failed | Kind::Ifltvar | Kind::Ifgevar => 4,
        Kind::Ifltcon | Kind::Ifgecon | Kind::Set => 7,
        Kind::Mf | Kind::Ml | Kind::Mr | Kind::Successl | Kind::Failurel => 2,
        _ => 0,
    }
}

/// Node of a program. `parent` and `end` are indices in the program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Instruction {
    pub kind: Kind,
    /// Blackboard entries of the node. For `repeati`, `v` is the index of the node's counter.
    pub v: u8,
    pub w: u8,
    /// Constants of the node: the operand of a test or of `set`, the count of `repeati`, or the cumulative
    /// probabilities of the children of `probm`.
    pub k: [f32; 3],
    pub parent: u16,
    /// Index of the first node after the node's subtree. This node is the next sibling, if there is one.
    pub end: u16,
}

/// Compiled tree. Any number of Kilobots can run it.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    pub(super) code: Vec<Instruction>,
    /// Number of `repeati` nodes, each of which has a counter.
    pub(super) counters: usize,
    usage: Usage,
}

impl Program {
    /// Compiles a tree.
    ///
    /// # Errors
    /// Returns an error if the tree has a node that a Kilobot does not have, if a composite has a number of children
    /// that a Kilobot does not support, or if the tree does not fit the memory.
    pub fn compile(tree: &Tree) -> Result<Program, KilobotError> {
        for node in tree.nodes() {
            let name = node.kind.spec().name;
            if !node.kind.on_kilobot() {
                return Err(KilobotError::Foreign(name));
            }
            if matches!(node.kind, Kind::Seqm | Kind::Selm) && !(2..=4).contains(&node.children) {
                return Err(KilobotError::Children(name, node.children));
            }
        }
        let usage = Usage::from_tree(tree);
        if usage.share() >= 1.0 {
            return Err(KilobotError::TooLarge(usage));
        }
        let mut code: Vec<Instruction> = Vec::with_capacity(tree.nodes().len());
        let mut open: Vec<(usize, usize)> = Vec::new();
        let mut counters = 0;
        for (i, node) in tree.nodes().iter().enumerate() {
            open.retain(|(_, end)| i < *end);
            let [a, b, c, _] = node.operands;
            let (v, w, k) = match node.kind {
                Kind::Ifltvar | Kind::Ifgevar => (a as u8, b as u8, [0.0; 3]),
                Kind::Ifltcon | Kind::Ifgecon => (a as u8, 0, [b, 0.0, 0.0]),
                Kind::Set => (0, a as u8, [b, 0.0, 0.0]),
                Kind::Repeati => (counters as u8, 0, [a, 0.0, 0.0]),
                Kind::Probm2 => (0, 0, [a, 2.0, 2.0]),
                Kind::Probm3 => (0, 0, [a, a + b, 2.0]),
                Kind::Probm4 => (0, 0, [a, a + b, a + b + c]),
                _ => (0, 0, [0.0; 3]),
            };
            counters += usize::from(node.kind == Kind::Repeati);
            let parent = open.last().map_or(0, |(parent, _)| *parent) as u16;
            let end = tree.end(i);
            code.push(Instruction { kind: node.kind, v, w, k, parent, end: end as u16 });
            open.push((i, end));
        }
        Ok(Program { code, counters, usage })
    }

    /// Returns the memory usage of the tree on a Kilobot.
    pub fn usage(&self) -> Usage {
        self.usage
    }
}

/// Returns the motor command of a motor node: 1 turn left, 2 turn right, 3 forward.
pub(super) fn motors_of(kind: Kind) -> f32 {
    match kind {
        Kind::Ml => 1.0,
        Kind::Mr => 2.0,
        _ => 3.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_kernels::tree::RegisterMap;

    fn tree(text: &str) -> Tree {
        Tree::parse_with(text, RegisterMap::Kilobot, false).unwrap()
    }

    #[test]
    fn sizes_are_those_of_table_4_2() {
        let composites = [(Kind::Seqm, [7, 9, 11]), (Kind::Selm, [7, 9, 11])];
        for (kind, sizes) in composites {
            assert_eq!([2, 3, 4].map(|n| bytes(kind, n)), sizes);
        }
        assert_eq!([(Kind::Probm2, 2), (Kind::Probm3, 3), (Kind::Probm4, 4)].map(|(k, n)| bytes(k, n)), [11, 17, 23]);
        let usage = Usage::from_tree(&tree("seqm\n  mf\n  repeati 3\n    ifltcon density 0.5\n"));
        assert_eq!(usage, Usage { tree: 7 + 2 + 6 + 7, stack: 48 });
    }

    #[test]
    fn derating_begins_at_three_quarters_of_the_memory() {
        let derating = |tree, stack| Usage { tree, stack }.derating();
        assert_eq!([derating(768, 0), derating(896, 0), derating(1024, 0), derating(2000, 0)], [1.0, 0.5, 0.0, 0.0]);
        assert!((derating(0, 496) - 0.032).abs() < 1e-6, "31 levels are the deepest");
    }

    #[test]
    fn unsupported_tree_is_rejected_in_one_line() {
        let foreign = Tree::parse("seqm\n  movcv v_goal 0deg\n  successl\n").unwrap();
        assert!(Program::compile(&foreign).unwrap_err().to_string().starts_with("a Kilobot has no node `movcv`"));
        let deep: String = (0..31).map(|level| format!("{}successd\n", "  ".repeat(level))).collect();
        let deep = tree(&format!("{deep}{}mf\n", "  ".repeat(31)));
        assert_eq!(
            Program::compile(&deep).unwrap_err().to_string(),
            "the tree needs 126 bytes (limit 1024) and 512 bytes of stack (limit 500); make it smaller or less deep"
        );
        assert_eq!(
            Program::compile(&tree("seqm\n  mf\n")).unwrap_err().to_string(),
            "`seqm` has 1 children; on a Kilobot it must have 2, 3 or 4"
        );
        let wrong = |text: &str| Tree::parse_with(text, RegisterMap::Kilobot, false).unwrap_err().message;
        assert!(wrong("movcv v_goal 0deg").contains("a Kilobot has no node `movcv`"));
        assert!(wrong("ifltcon v_prox.x 1").contains("unknown entry `v_prox.x`"));
        assert!(wrong("set density 1").contains("choose one of scratchpad, send_signal"));
        assert!(wrong("ifltcon motors 1").contains("`motors` cannot be read"));
        assert!(wrong("ifltcon densty 1").contains("did you mean `density`"));
        assert!(wrong("probm2 0.5\n  mf\n").contains("2 are needed"));
        assert!(wrong("probm2 1.5\n  mf\n  ml\n").contains("0 to 1"));
        assert!(Tree::parse("mf").unwrap_err().message.contains("an e-puck does not have it"));
    }

    #[test]
    fn kilobot_tree_round_trips_through_text() {
        let text = "probm3 0.25 0.5\n  selm\n    ifltvar delta_dist_food scratchpad\n    set send_signal -0.75\n  \
                    repeati 9\n    mr\n  failed\n    ifgecon received_signal 0.5\n";
        assert_eq!(tree(text).to_string(), text);
    }
}
