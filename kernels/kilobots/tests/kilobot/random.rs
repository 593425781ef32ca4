//! Random trees of Kilobot nodes, determined by a seed.

use xpuck_kernels::random::Draws;
use xpuck_kernels::tree::{Group, Kind, Node, Operand, RegisterMap, Tree};

/// Returns a random tree of Kilobot nodes, at most `depth` levels below its root.
pub fn tree(depth: u32, draws: &mut Draws) -> Tree {
    let mut nodes = Vec::new();
    grow(depth, draws, &mut nodes);
    let tree = Tree::from_preorder(nodes);
    assert_eq!(Tree::parse_with(&tree.to_string(), RegisterMap::Kilobot, false).as_ref(), Ok(&tree));
    tree
}

fn grow(depth: u32, draws: &mut Draws, nodes: &mut Vec<Node>) {
    let inner = depth > 0 && draws.below(4) > 0;
    let fits = |k: &Kind| k.on_kilobot() && matches!(k.spec().group, Group::Composite | Group::Decorator) == inner;
    let kinds: Vec<Kind> = Kind::all().filter(fits).collect();
    let kind = kinds[draws.below(kinds.len() as u32) as usize];
    let children = match kind.spec().group {
        Group::Composite => kind.fixed_children().map_or_else(|| 2 + draws.below(3), u32::from),
        Group::Decorator => 1,
        _ => 0,
    };
    let operand = |draws: &mut Draws, operand| match operand {
        Operand::Entry => (1 + draws.below(9)) as f32,
        Operand::EntryDest => (1 + draws.below(2)) as f32,
        Operand::Count => (1 + draws.below(9)) as f32,
        Operand::Share => draws.unit(),
        // Half of these constants are near 0, because most sensor values are near 0.
        _ if draws.below(2) == 0 => draws.range(-0.05, 0.05),
        _ => draws.range(-1.0, 1.0),
    };
    let operands: Vec<f32> = kind.spec().operands.iter().map(|o| operand(draws, o.operand)).collect();
    nodes.push(Node::new(kind, children as u16, &operands));
    (0..children).for_each(|_| grow(depth - 1, draws, nodes));
}
