//! Reduction of a Kilobot's tree to a smaller tree that moves every robot identically, to the last bit.
//!
//! The reduction of e-puck trees is based on registers written between ticks, and does not support a Kilobot's
//! blackboard. Here, a change of the tree is kept if all final poses in sixteen worlds stay the same.

use xpuck_kernels::tree::{Kind, Node, Tree};
use xpuck_kilobots::{Foraging, Job, Outcome, Program, run};

/// Number of worlds in which a smaller tree must have the same outcome.
const WORLDS: u32 = 16;

/// Returns the smallest tree found that has the same outcome as `tree` in sixteen worlds of a seed. It may lack nodes
/// for cases that do not occur in these worlds. A tree that a Kilobot cannot run is returned unchanged.
pub fn minimise(tree: &Tree, foraging: &Foraging, seed: u64) -> Tree {
    let mut tree = tree.clone();
    let Some(target) = outcomes(std::slice::from_ref(&tree), foraging, seed).pop().flatten() else { return tree };
    let mut at = 0;
    while at < tree.nodes().len() {
        let smaller = smaller(&tree, at);
        let same = outcomes(&smaller, foraging, seed).into_iter().position(|o| o.as_ref() == Some(&target));
        match same {
            Some(which) => tree = smaller[which].clone(),
            None => at += 1,
        }
    }
    tree
}

/// Returns the outcomes of each tree in all worlds. A tree that a Kilobot cannot run has `None`.
fn outcomes(trees: &[Tree], foraging: &Foraging, seed: u64) -> Vec<Option<Vec<Outcome>>> {
    let programs: Vec<Option<Program>> = trees.iter().map(|tree| Program::compile(tree).ok()).collect();
    let jobs: Vec<Job<'_>> = programs
        .iter()
        .flatten()
        .flat_map(|program| (0..WORLDS).map(move |world| Job { program, seed, world }))
        .collect();
    let all = run(foraging, &jobs);
    let mut each = all.chunks(WORLDS as usize);
    programs.iter().map(|program| program.as_ref().and_then(|_| each.next()).map(<[Outcome]>::to_vec)).collect()
}

/// Returns smaller trees that differ from `tree` at the node with index `at`. First, a constant leaf replaces the node.
/// Then each of its children replaces it, in order of increasing tree size. Finally, the node loses one child.
fn smaller(tree: &Tree, at: usize) -> Vec<Tree> {
    let node = tree.nodes()[at];
    let constant = |kind: Kind| matches!(kind, Kind::Successl | Kind::Failurel);
    let mut all = Vec::new();
    if !constant(node.kind) {
        all.extend([Kind::Successl, Kind::Failurel].map(|kind| tree.replace(at, &Tree::leaf(kind, &[]))));
    }
    let children: Vec<usize> = children(tree, at);
    let mut hoisted: Vec<Tree> = children.iter().map(|child| tree.replace(at, &tree.subtree(*child))).collect();
    hoisted.sort_by_key(|tree| tree.nodes().len());
    all.extend(hoisted);
    if matches!(node.kind, Kind::Seqm | Kind::Selm) && children.len() > 2 {
        for left_out in &children {
            let rest: Vec<Tree> = children.iter().filter(|c| *c != left_out).map(|c| tree.subtree(*c)).collect();
            all.push(tree.replace(at, &Tree::inner(node.kind, &[], &rest)));
        }
    }
    all
}

/// Returns the indices of a node's children.
fn children(tree: &Tree, at: usize) -> Vec<usize> {
    let Node { children, .. } = tree.nodes()[at];
    let mut places = Vec::new();
    let mut next = at + 1;
    for _ in 0..children {
        places.push(next);
        next = tree.end(next);
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_kernels::tree::RegisterMap;

    fn tree(text: &str) -> Tree {
        Tree::parse_with(text, RegisterMap::Kilobot, false).unwrap()
    }

    #[test]
    fn unneeded_nodes_are_removed_and_needed_ones_kept() {
        let foraging = Foraging { seconds: 120.0, ..Foraging::thesis(4) };
        let of = |text: &str| minimise(&tree(text), &foraging, 7).to_string();
        assert_eq!(of("selm\n  failurel\n  seqm\n    successl\n    mf\n    set scratchpad 0.5\n"), "mf\n");
        let turns = "selm\n  seqm\n    ifgecon detected_food 0.5\n    ml\n  mf\n";
        assert_eq!(of(turns), turns);
        assert_eq!(of("ifgecon density -1\n"), "successl\n");
    }
}
