//! Where the nodes of a drawn tree stand: subtrees side by side, each parent over the middle of its children.

use super::super::nodes::{Group, Kind};
use super::super::{Node, Tree};
use super::children;
use super::svg_network::Hinton;

/// Where the root is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// At the top, children below.
    #[default]
    Down,
    /// At the left, children to the right.
    Right,
}

/// A node's box: centre and size, pixels.
#[derive(Clone, Copy, Default)]
pub(super) struct Place {
    pub x: f32,
    pub y: f32,
    pub width: f32,
    pub height: f32,
}

/// Width of a character of 13 px monospace.
const CHARACTER: f32 = 7.8;
const HEIGHT: f32 = 28.0;
const DIAMOND: f32 = 40.0;
/// Space between subtrees side by side, between levels, and around everything.
const BESIDE: f32 = 14.0;
const BETWEEN: f32 = 36.0;
pub(super) const MARGIN: f32 = 16.0;

/// Room of a node's shape: decorators are diamonds, networks pictures, leaves as wide as their text.
fn size(node: &Node, label: &str) -> (f32, f32) {
    let text = label.chars().count() as f32 * CHARACTER;
    match node.kind.spec().group {
        Group::Decorator => (DIAMOND.max(text + 28.0), DIAMOND),
        Group::Composite => (36f32.max(text + 20.0), HEIGHT + 4.0),
        _ => (text + 20.0, HEIGHT),
    }
}

/// Places every node of a tree whose shapes hold `labels`.
pub(super) fn place(tree: &Tree, labels: &[String], direction: Direction) -> Vec<Place> {
    let nodes = tree.nodes();
    let mut children = children(tree);
    let mut sizes: Vec<(f32, f32)> = nodes.iter().zip(labels).map(|(node, label)| size(node, label)).collect();
    for at in (0..nodes.len()).filter(|at| nodes[*at].kind == Kind::Network) {
        let end = tree.end(at);
        (sizes[at], children[at]) = (Hinton::of(&nodes[at..end]).size(), Vec::new());
        // Its neurons are in its picture.
        sizes[at + 1..end].fill((0.0, 0.0));
        children[at + 1..end].fill(Vec::new());
    }
    // Along the direction of growth and across it.
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
    // Preorder puts children after parents: backwards sums up extents, forwards hands out places.
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
        // Beside the picture of a network others stand at the top, so that no line goes behind it.
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
