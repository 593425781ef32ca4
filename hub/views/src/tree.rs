//! Tree in the format for pages: nodes with labels and children, and an explanation of the tree in plain English.

use serde::Serialize;
use xpuck_kernels::analysis::explain::{Item, explain};
use xpuck_kernels::hash::fnv1a;
use xpuck_kernels::tree::{Group, Kind, Tree};

/// Maximum number of nodes up to which a tree is explained. Larger trees are only drawn, because an explanation would
/// take too long to compute.
const EXPLAINED: usize = 400;

/// Node of a drawn tree.
#[derive(Clone, Debug, Serialize)]
struct NodeView {
    /// Name of the node in the text format.
    symbol: &'static str,
    /// Name and operands of the node.
    label: String,
    /// `composite`, `decorator`, `action`, `condition`, `subtree` or `network`.
    kind: &'static str,
    /// Description of the function of nodes with this name.
    meaning: &'static str,
    /// Indices of the children in the list of nodes.
    children: Vec<usize>,
}

/// Sentence of a tree's explanation.
#[derive(Clone, Debug, Serialize)]
struct ItemView {
    depth: usize,
    text: String,
    /// Index of the node that the sentence describes; `None` if reduction combined several nodes.
    node: Option<usize>,
    formula: Option<String>,
}

/// Tree in the format for pages.
#[derive(Clone, Debug, Serialize)]
pub struct TreeView {
    hash: String,
    text: String,
    nodes: Vec<NodeView>,
    /// Summary of the tree's behaviour.
    account: String,
    account_items: Vec<ItemView>,
}

/// Returns the hash that identifies a tree.
pub fn tree_hash(tree: &Tree) -> String {
    format!("{:016x}", fnv1a(tree.key()))
}

impl TreeView {
    /// Returns the view of a tree, with its drawing and explanation.
    pub fn new(tree: &Tree) -> TreeView {
        let kind = |group| match group {
            Group::Composite => "composite",
            Group::Decorator => "decorator",
            Group::Action => "action",
            Group::Query => "condition",
            Group::Subtree => "subtree",
            Group::Network => "network",
            Group::Part => "part",
        };
        let mut nodes: Vec<NodeView> = Vec::with_capacity(tree.nodes().len());
        // Stack of nodes whose children are incomplete: the index of each node, and the number of its missing children.
        let mut open: Vec<(usize, u16)> = Vec::new();
        for (place, node) in tree.nodes().iter().enumerate() {
            if let Some((parent, left)) = open.last_mut() {
                // A network is drawn as one node, without its parts. Its explanation describes the parts.
                if node.kind.spec().group != Group::Part {
                    nodes[*parent].children.push(place);
                }
                *left -= 1;
            }
            let spec = node.kind.spec();
            let label = match node.kind {
                Kind::Network => format!("recurrent network of {} neurons", node.children),
                _ => node.to_string(),
            };
            let (symbol, meaning) = (spec.name, spec.meaning);
            nodes.push(NodeView { symbol, label, kind: kind(spec.group), meaning, children: Vec::new() });
            open.push((place, node.children));
            while open.last().is_some_and(|(_, left)| *left == 0) {
                open.pop();
            }
        }
        let (account, account_items) = account(tree);
        TreeView { hash: tree_hash(tree), text: tree.to_string(), nodes, account, account_items }
    }
}

/// Returns, for each node of a reduced tree, the index of the same node in the original tree; `None` for a new node.
/// Reduction keeps the order of the remaining nodes.
fn places(tree: &Tree, reduced: &Tree) -> Vec<Option<usize>> {
    let words = |tree: &Tree| tree.nodes().iter().map(ToString::to_string).collect::<Vec<_>>();
    let (all, kept) = (words(tree), words(reduced));
    // Lengths of the longest common subsequences of the two node lists. Element `[k][a]` is the length for the nodes
    // from position k in the reduced tree and from position a in the original tree.
    let mut common = vec![vec![0_u32; all.len() + 1]; kept.len() + 1];
    for (k, a) in (0..kept.len()).rev().flat_map(|k| (0..all.len()).rev().map(move |a| (k, a))) {
        let both = if kept[k] == all[a] { common[k + 1][a + 1] + 1 } else { 0 };
        common[k][a] = both.max(common[k + 1][a]).max(common[k][a + 1]);
    }
    let (mut found, mut a) = (vec![None; kept.len()], 0);
    for k in 0..kept.len() {
        let best = common[k][a];
        let here = (a..all.len()).find(|a| kept[k] == all[*a] && common[k + 1][a + 1] + 1 == best);
        if let Some(here) = here {
            (found[k], a) = (Some(here), here + 1);
        }
    }
    found
}

fn account(tree: &Tree) -> (String, Vec<ItemView>) {
    if tree.nodes().len() > EXPLAINED {
        return (format!("This tree has {} nodes, too many for an explanation here.", tree.nodes().len()), Vec::new());
    }
    let account = explain(tree);
    let places = places(tree, &account.tree);
    let mut items = Vec::new();
    let mut open: Vec<(&Item, usize)> = vec![(&account.root, 0)];
    while let Some((item, depth)) = open.pop() {
        items.push(ItemView {
            depth,
            text: item.text.clone(),
            node: places.get(item.node).copied().flatten(),
            formula: item.formula.clone(),
        });
        open.extend(item.children.iter().rev().map(|child| (child, depth + 1)));
    }
    (account.notes.join(" "), items)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_are_named_by_their_places() {
        let tree =
            Tree::parse("seqm\n  selm\n    ifsect v_prox 0deg 90deg\n    movcv v_goal 0deg\n  movcv v_goal 0deg\n");
        let tree = tree.or_else(|_| {
            Tree::parse("seqm\n  selm\n    movcv v_goal 0deg\n    movcv v_goal 0deg\n  movcv v_goal 0deg\n")
        });
        let shown = TreeView::new(&tree.unwrap());
        let children: Vec<&[usize]> = shown.nodes.iter().map(|node| &node.children[..]).collect();
        assert_eq!(children, [&[1, 4][..], &[2, 3], &[], &[], &[]]);
        assert_eq!(shown.nodes[0].kind, "composite");
        assert!(!shown.account_items.is_empty());
    }

    #[test]
    fn sentences_are_about_nodes_of_the_tree_itself() {
        let text =
            "sel\n  sel\n    seq\n      bleft\n      movcs v_goal.x 97\n    movcs v_goal.y -33\n  movcs v_goal.x 12\n";
        let Ok(tree) = Tree::parse(text) else { panic!("the tree is sound") };
        let shown = TreeView::new(&tree);
        let about = |words: &str| {
            let item = shown.account_items.iter().find(|item| item.text.starts_with(words))?;
            Some(shown.nodes[item.node?].symbol)
        };
        assert_eq!((about("If the frisbee (blue) is on the left"), about("Otherwise")), (Some("seq"), Some("movcs")));
        let kept = explain(&tree).tree;
        let places = places(&tree, &kept);
        for (place, node) in places.iter().zip(kept.nodes()) {
            assert_eq!(place.map(|at| tree.nodes()[at].to_string()), Some(node.to_string()));
        }
        assert!(kept.nodes().len() < tree.nodes().len() && places.is_sorted());
    }
}
