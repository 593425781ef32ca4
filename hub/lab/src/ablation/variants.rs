//! Variants of a tree for ablation. Each variant lacks one branch or has one changed constant.

use xpuck_kernels::tree::{Group, Kind, Node, Operand, Tree};

/// Changes of angles and widths (pi/128 rad). The small changes equal the resolution of an operand, and the large
/// changes are 14 degrees.
const STEPS: [f32; 4] = [-10.0, -1.0, 1.0, 10.0];
/// Factors for changes of float, gain and share operands.
const PARTS: [f64; 2] = [0.8, 1.2];

/// Tree with one change.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// Tree after the change.
    pub tree: Tree,
    /// Preorder index of the changed or removed node in the original tree.
    pub node: usize,
    /// Change of the tree.
    pub change: Change,
}

/// Change that makes a variant.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// A branch or a decorator was removed.
    Removed {
        /// The removed node.
        node: Node,
        /// Number of removed nodes. It is 1 for a decorator, which is replaced by its only child.
        nodes: usize,
    },
    /// The value of an operand was changed.
    Constant {
        /// The node before the change.
        before: Node,
        /// The node after the change.
        after: Node,
        /// Index of the changed operand, from 0.
        operand: usize,
    },
}

/// Returns all variants: first the removals, then the changed constants. Each group is sorted by the preorder index of
/// the node.
pub fn variants(tree: &Tree) -> Vec<Variant> {
    let mut all = removals(tree);
    for (at, node) in tree.nodes().iter().enumerate() {
        for (i, spec) in node.kind.spec().operands.iter().enumerate() {
            for value in changed(node.operands[i], spec.operand) {
                let mut after = *node;
                after.operands[i] = value;
                let change = Change::Constant { before: *node, after, operand: i };
                all.push(Variant { tree: tree.with_node(at, after), node: at, change });
            }
        }
    }
    all
}

/// Returns the variants with a removal. A variant lacks one child of a composite with several children, one synapse of
/// a neuron, or one decorator, which is replaced by its child.
fn removals(tree: &Tree) -> Vec<Variant> {
    let nodes = tree.nodes();
    let mut all = Vec::new();
    for (at, node) in nodes.iter().enumerate() {
        let group = node.kind.spec().group;
        if group == Group::Decorator {
            let change = Change::Removed { node: *node, nodes: 1 };
            all.push(Variant { tree: tree.replace(at, &tree.subtree(at + 1)), node: at, change });
        }
        // A neuron may lose all its synapses, but a composite keeps at least one child.
        let least = if node.kind == Kind::Neuron { 1 } else { 2 };
        if (group != Group::Composite && node.kind != Kind::Neuron) || node.children < least {
            continue;
        }
        let mut child = at + 1;
        for _ in 0..node.children {
            let end = tree.end(child);
            let mut left = nodes.to_vec();
            left[at].children -= 1;
            left.drain(child..end);
            let change = Change::Removed { node: nodes[child], nodes: end - child };
            all.push(Variant { tree: Tree::from_preorder(left), node: child, change });
            child = end;
        }
    }
    all.sort_by_key(|variant| variant.node);
    all
}

/// Returns alternative values of an operand; empty for registers and quadrants.
fn changed(value: f32, operand: Operand) -> Vec<f32> {
    let (low, high) = operand.range();
    let near = |steps: &[f32]| steps.iter().map(|step| (value + step).clamp(low, high)).collect::<Vec<_>>();
    let values = match operand {
        // An angle outside the range from -180 to 180 degrees wraps around.
        Operand::Angle => STEPS.map(|step| (value + step + 128.0).rem_euclid(256.0) - 128.0).to_vec(),
        Operand::Width => near(&STEPS),
        Operand::Float | Operand::Gain | Operand::Share => {
            PARTS.map(|part| six_digits(f64::from(value) * part).clamp(low, high)).to_vec()
        }
        Operand::Fixed | Operand::Int8 | Operand::Threshold => near(&[-1.0, 1.0]),
        Operand::Count => {
            let fifth = (value * 0.2).round().max(1.0);
            near(&[-fifth, fifth])
        }
        Operand::Quadrant
        | Operand::ScalarDest
        | Operand::VectorDest
        | Operand::Scalar
        | Operand::Vector
        | Operand::Source
        | Operand::Entry
        | Operand::EntryDest => Vec::new(),
    };
    values.into_iter().filter(|new| *new != value).collect()
}

/// Rounds a number to six significant digits, so that it has a short text form.
fn six_digits(x: f64) -> f32 {
    format!("{x:.5e}").parse().unwrap_or(x as f32)
}

impl Change {
    /// Returns a description of the change.
    pub fn words(&self) -> String {
        match self {
            Change::Removed { node, nodes: 1 } => format!("without `{node}`"),
            Change::Removed { node, nodes: 2 } => format!("without `{node}` and the node below"),
            Change::Removed { node, nodes } => format!("without `{node}` and the {} nodes below", nodes - 1),
            Change::Constant { before, after, operand } => {
                let word = |node: &Node| node.to_string().split(' ').nth(operand + 1).unwrap_or_default().to_string();
                let name = before.kind.spec().operands[*operand].name;
                format!("`{before}` with {name} {} instead of {}", word(after), word(before))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_variants(text: &str) -> Vec<Variant> {
        variants(&Tree::parse(text).unwrap())
    }

    #[test]
    fn branches_go_one_at_a_time() {
        let all = parse_variants("sel\n  seq\n    bfront\n    invert\n      bleft\n  bright\n");
        let texts: Vec<String> = all.iter().map(|v| v.tree.to_string().replace('\n', ";").replace(' ', "")).collect();
        let expected = [
            "sel;bright;",
            "sel;seq;invert;bleft;bright;",
            "sel;seq;bfront;bright;",
            "sel;seq;bfront;bleft;bright;",
            "sel;seq;bfront;invert;bleft;",
        ];
        assert_eq!(texts, expected);
        assert_eq!(all.iter().map(|v| v.node).collect::<Vec<_>>(), [1, 2, 3, 3, 5]);
        assert_eq!(all[2].change.words(), "without `invert` and the node below");
    }

    #[test]
    fn changed_constants_are_described() {
        let all = parse_variants("mulav v_goal v_scr 12.3 v_blue");
        assert_eq!(all[1].change.words(), "`mulav v_goal v_scr 12.3 v_blue` with f 14.76 instead of 12.3");
    }

    #[test]
    fn constants_stay_in_their_ranges() {
        let values = |text: &str, operand: usize| {
            parse_variants(text).iter().map(|v| v.tree.nodes()[0].operands[operand]).collect::<Vec<_>>()
        };
        assert_eq!(values("movcv v_goal 127", 1), [117.0, 126.0, -128.0, -119.0]);
        assert_eq!(values("ifsect v_blue 0 250", 2)[4..], [240.0, 249.0, 251.0, 255.0]);
        assert_eq!(values("mulav v_goal v_zero 5 v_blue", 2), [4.0, 6.0]);
        assert_eq!(values("mulav v_goal v_zero -20.7 v_blue", 2), [-16.56, -24.84]);
        assert_eq!(values("mulav v_goal v_zero 3.4e38 v_blue", 2), [2.72e38, f32::MAX]);
        assert_eq!(values("explore 1", 0), [2.0]);
        assert_eq!(values("explore 100", 0), [80.0, 120.0]);
        assert_eq!(values("neighbour 15.875 0", 0)[..1], [14.875]);
        assert_eq!(values("mulav v_goal v_zero 0 v_blue", 2), [] as [f32; 0]);
    }
}
