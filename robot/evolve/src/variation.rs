//! Crossover and the three mutations (thesis 7.4.3).

use crate::generate::full;
use crate::palette::Palette;
use crate::settings::Settings;
use xpuck_kernels::random::Draws;
use xpuck_kernels::tree::{Program, Tree};

/// Probability that a crossover or mutation point is an inner node (Koza 1992).
const INNER_BIAS: f32 = 0.9;

/// `mother` with one of its subtrees replaced by one of `father`'s; `mother` itself if the child would not fit a robot.
pub fn crossover(mother: &Tree, father: &Tree, draws: &mut Draws) -> Tree {
    let at = point(mother, draws);
    let from = point(father, draws);
    keep_if_fits(mother.replace(at, &father.subtree(from)), mother)
}

/// Parameter, point and subtree mutation, one after the other.
pub fn mutate(tree: &Tree, palette: &Palette, settings: &Settings, draws: &mut Draws) -> Tree {
    let mut tree = parameters(tree, palette, settings, draws);
    for at in 0..tree.nodes().len() {
        if draws.unit() >= settings.mutate_point {
            continue;
        }
        if let Some(node) = palette.same_arity(tree.nodes()[at].children, draws) {
            tree = tree.with_node(at, node);
        }
    }
    if draws.unit() < settings.mutate_subtree {
        let at = point(&tree, draws);
        let depth = draws.below(settings.depth as u32) as usize;
        tree = keep_if_fits(tree.replace(at, &full(palette, depth, draws)), &tree);
    }
    keep_if_fits(tree.clone(), &tree)
}

fn parameters(tree: &Tree, palette: &Palette, settings: &Settings, draws: &mut Draws) -> Tree {
    let mut changed = tree.clone();
    for at in 0..tree.nodes().len() {
        let mut node = tree.nodes()[at];
        let mut touched = false;
        for (value, spec) in node.operands.iter_mut().zip(node.kind.spec().operands) {
            if draws.unit() < settings.mutate_parameter {
                *value = palette.operand(spec.operand, draws);
                touched = true;
            }
        }
        if touched {
            changed = changed.with_node(at, node);
        }
    }
    changed
}

/// A random node, inner with probability 0.9 where there is one.
fn point(tree: &Tree, draws: &mut Draws) -> usize {
    let inner = draws.unit() < INNER_BIAS;
    let fitting: Vec<usize> = (0..tree.nodes().len()).filter(|i| (tree.nodes()[*i].children > 0) == inner).collect();
    if fitting.is_empty() {
        return draws.below(tree.nodes().len() as u32) as usize;
    }
    fitting[draws.below(fitting.len() as u32) as usize]
}

fn keep_if_fits(tree: Tree, otherwise: &Tree) -> Tree {
    if Program::compile(&tree).is_ok() && tree.depth() <= xpuck_kernels::tree::MAX_DEPTH {
        tree
    } else {
        otherwise.clone()
    }
}
