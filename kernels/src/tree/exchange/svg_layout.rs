//! Layout of a drawn tree. Subtrees are placed side by side, and each parent is centred over its children.

use super::super::nodes::{Group, Kind};
use super::super::{Node, Tree};
use super::children;
use super::svg_network::Hinton;

/// Direction from the root to the leaves of a drawn tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// Root at the top, children below.
    #[default]
    Down,
    /// Root at the left, children to the right.
    Right,
}

/// Box of a node: centre and size (px).
#[derive(Clone, Copy, Default)]
pub(super) struct Place {
    pub x: f32,
    pub y: f32,
    pub width: f32,
    pub height: f32,
}

/// Width of a character in a monospace font of 13 px (px).
const CHARACTER: f32 = 7.8;
const HEIGHT: f32 = 28.0;
const DIAMOND: f32 = 40.0;
/// Gaps between adjacent subtrees (`BESIDE`), between levels (`BETWEEN`) and around the drawing (`MARGIN`), all in px.
const BESIDE: f32 = 14.0;
const BETWEEN: f32 = 36.0;
pub(super) const MARGIN: f32 = 16.0;

/// Returns width and height of a node's shape (px), which depend on the kind of shape and on the length of the label.
fn size(node: &Node, label: &str) -> (f32, f32) {
    let text = label.chars().count() as f32 * CHARACTER;
    match node.kind.spec().group {
        Group::Decorator => (DIAMOND.max(text + 28.0), DIAMOND),
        Group::Composite => (36f32.max(text + 20.0), HEIGHT + 4.0),
        _ => (text + 20.0, HEIGHT),
    }
}

/// Computes the box of every node. `labels` contains the text inside each node's shape.
pub(super) fn place(tree: &Tree, labels: &[String], direction: Direction) -> Vec<Place> {
    let nodes = tree.nodes();
    let mut children = children(tree);
    let mut sizes: Vec<(f32, f32)> = nodes.iter().zip(labels).map(|(node, label)| size(node, label)).collect();
    for at in (0..nodes.len()).filter(|at| nodes[*at].kind == Kind::Network) {
        let end = tree.end(at);
        (sizes[at], children[at]) = (Hinton::from_nodes(&nodes[at..end]).size(), Vec::new());
        // Neurons and synapses need no boxes of their own, because they are part of the network's picture.
        sizes[at + 1..end].fill((0.0, 0.0));
        children[at + 1..end].fill(Vec::new());
    }
    // Splits a size into the extents along and across `direction`.
    let split = |(width, height): (f32, f32)| match direction {
        Direction::Down => (height, width),
        Direction::Right => (width, height),
    };
    let mut depth = vec![0usize; nodes.len()];
    for (i, below) in children.iter().enumerate() {
        below.iter().for_each(|c| depth[*c] = depth[i] + 1);
    }
    let mut thickness = vec![0f32; depth.iter().max().map_or(1, |d| d + 1)];
    for (size, depth) in sizes.iter().zip(&depth) {
        thickness[*depth] = thickness[*depth].max(split(*size).0);
    }
    // In preorder, children follow their parents. The backward pass sums up the extents of children, and the forward
    // pass assigns positions.
    let mut extent = vec![0f32; nodes.len()];
    for i in (0..nodes.len()).rev() {
        let below: f32 = children[i].iter().map(|c| extent[*c]).sum();
        let gaps = children[i].len().saturating_sub(1) as f32 * BESIDE;
        extent[i] = split(sizes[i]).1.max(below + gaps);
    }
    let mut start = vec![MARGIN; nodes.len()];
    for i in 0..nodes.len() {
        let below: f32 = children[i].iter().map(|c| extent[*c]).sum();
        let gaps = children[i].len().saturating_sub(1) as f32 * BESIDE;
        let mut at = start[i] + (extent[i] - below - gaps) / 2.0;
        for child in &children[i] {
            start[*child] = at;
            at += extent[*child] + BESIDE;
        }
    }
    let mut across = vec![0f32; nodes.len()];
    for i in (0..nodes.len()).rev() {
        across[i] = match children[i][..] {
            [] => start[i] + extent[i] / 2.0,
            [first, ..] => (across[first] + across[children[i][children[i].len() - 1]]) / 2.0,
        };
    }
    let level = |depth: usize| thickness[..depth].iter().map(|t| t + BETWEEN).sum::<f32>() + thickness[depth] / 2.0;
    let centre = |i: usize| match direction {
        // In a tree with a network, the nodes of each level are aligned at the top. Otherwise lines could pass behind
        // the picture of the network.
        Direction::Down if tree.has_network() => {
            let top = level(depth[i]) - (thickness[depth[i]] - sizes[i].1) / 2.0;
            (across[i], MARGIN + top)
        }
        Direction::Down => (across[i], MARGIN + level(depth[i])),
        Direction::Right => (MARGIN + level(depth[i]) - (thickness[depth[i]] - sizes[i].0) / 2.0, across[i]),
    };
    (0..nodes.len())
        .map(|i| {
            let ((x, y), (width, height)) = (centre(i), sizes[i]);
            Place { x, y, width, height }
        })
        .collect()
}
