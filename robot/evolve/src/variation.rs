//! Crossover and the three mutations (thesis 7.4.3).

use crate::generate::full;
use crate::palette::Palette;
use crate::settings::{Form, Settings};
use xpuck_kernels::random::{Draws, normal_pair};
use xpuck_kernels::tree::{Operand, Program, Tree};

/// Probability that a crossover or mutation point is an inner node (Koza 1992).
const INNER_BIAS: f32 = 0.9;
/// Parameters and nodes that a mutation changes on average at most, in the honest form.
const EXPECTED_PARAMETERS: f32 = 1.0;
/// See [`EXPECTED_PARAMETERS`].
const EXPECTED_POINTS: f32 = 0.5;
/// Probability that a subtree is replaced by one inside it, in the honest form: what carries no fitness falls away.
const HOIST: f32 = 0.15;

/// `mother` with one of its subtrees replaced by one of `father`'s; `mother` itself if the child would not fit a robot.
pub fn crossover(mother: &Tree, father: &Tree, draws: &mut Draws) -> Tree {
    let at = point(mother, draws);
    let from = point(father, draws);
    keep_if_fits(mother.replace(at, &father.subtree(from)), mother)
}

/// Parameter, point and subtree mutation, one after the other; in the honest form also hoisting.
///
/// As published, rates hold for each node, so a tree of a hundred nodes is changed in ten places at once and little
/// of it is inherited. The honest form caps the expected number of changes and moves numbers by small steps too.
pub fn mutate(tree: &Tree, palette: &Palette, settings: &Settings, draws: &mut Draws) -> Tree {
    let honest = settings.form == Form::Honest;
    let operands: usize = tree.nodes().iter().map(|n| n.kind.spec().operands.len()).sum();
    let cap = |rate: f32, expected: f32, places: usize| {
        if honest { rate.min(expected / places.max(1) as f32) } else { rate }
    };
    let rate = cap(settings.mutate_parameter, EXPECTED_PARAMETERS, operands);
    let mut tree = parameters(tree, palette, rate, honest, draws);
    let rate = cap(settings.mutate_point, EXPECTED_POINTS, tree.nodes().len());
    for at in 0..tree.nodes().len() {
        if draws.unit() >= rate {
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
    if honest && draws.unit() < HOIST {
        let at = point(&tree, draws);
        let inside = at + draws.below((tree.end(at) - at) as u32) as usize;
        tree = tree.replace(at, &tree.subtree(inside));
    }
    tree
}

fn parameters(tree: &Tree, palette: &Palette, rate: f32, small_steps: bool, draws: &mut Draws) -> Tree {
    let mut changed = tree.clone();
    for at in 0..tree.nodes().len() {
        let mut node = tree.nodes()[at];
        let mut touched = false;
        for (value, spec) in node.operands.iter_mut().zip(node.kind.spec().operands) {
            if draws.unit() < rate {
                let small = small_steps && draws.unit() < 0.5;
                *value = if small { nudge(*value, spec.operand, draws) } else { palette.operand(spec.operand, draws) };
                touched = true;
            }
        }
        if touched {
            changed = changed.with_node(at, node);
        }
    }
    changed
}

/// A number near `value`; registers have no neighbours and stay.
fn nudge(value: f32, operand: Operand, draws: &mut Draws) -> f32 {
    let (low, high) = operand.range();
    let (step, grain) = match operand {
        Operand::Int8 | Operand::Angle | Operand::Width | Operand::Count => (12.0, 1.0),
        Operand::Fixed => (2.0, 0.125),
        Operand::Float | Operand::Gain => (0.25 * value.abs() + 0.2, 0.0),
        _ => return value,
    };
    let moved = value + step * normal_pair(draws.word(), draws.word()).0;
    let moved = if grain > 0.0 { (moved / grain).round() * grain } else { moved };
    moved.clamp(low, high)
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
