//! Crossover and the three mutations of thesis 7.4.3, and a variant with smaller changes.

use super::{any_branch, graft, mutate_numbers};
use crate::generate::full;
use crate::genotype::{Branch, Gene, Genotype};
use crate::operands::{Operands, step_size};
use crate::space::Space;
use xpuck_kernels::random::{Draws, normal_pair};
use xpuck_kernels::tree::Operand;

/// Probability that a crossover or mutation point is an inner node (Koza 1992).
const INNER_BIAS: f32 = 0.9;
/// Maximum expected number of parameters that a gentle mutation changes.
const EXPECTED_PARAMETERS: f32 = 1.0;
/// Maximum expected number of nodes that a gentle mutation changes.
const EXPECTED_POINTS: f32 = 0.5;
/// Probability that a gentle mutation replaces a subtree by one of its own subtrees. This mutation removes parts that
/// have no effect.
const HOIST: f32 = 0.15;

/// Returns a copy of `mother` in which a random part is replaced by a part of `father`. Returns `mother` unchanged if
/// the child would not fit a robot.
pub fn crossover(space: Space<'_>, mother: &Genotype, father: &Genotype, draws: &mut Draws) -> Genotype {
    let child = match (mother, father) {
        (Genotype::Branches(mother), Genotype::Branches(father)) => {
            let which = any_branch(mother, draws);
            let at = point(&mother[which], draws);
            let from = point(&father[which], draws);
            graft(space, mother, which, at, father[which].subtree(from))
        }
        (Genotype::Bits(mother), Genotype::Bits(father)) => {
            Some(Genotype::Bits(mother.exchange(father, draws).0)).filter(|child| space.fits(child))
        }
        (Genotype::Network(mother), Genotype::Network(father)) => {
            Some(Genotype::Network(mother.exchange(father, &space.shape(), draws).0))
        }
        _ => None,
    };
    child.unwrap_or_else(|| mother.clone())
}

/// Applies parameter, point and subtree mutation, in this order (thesis 7.4.3). The rate of parameter mutation applies
/// to each parameter, and the rate of point mutation to each node.
pub(crate) fn mutate(space: Space<'_>, genotype: &mut Genotype, draws: &mut Draws) {
    if mutate_numbers(space, genotype, draws) {
        return;
    }
    parameters(space.primitive_set.operands(), genotype, space.settings.mutate_parameter, false, draws);
    points(space, genotype, space.settings.mutate_point, draws);
    subtree(space, genotype, draws);
}

/// Mutates a genotype like [`mutate`], but with smaller changes. At a constant rate per node, a tree of a hundred nodes
/// would change in ten places at once and inherit little. Therefore the expected number of changes is limited. Numbers
/// also change by small steps, and a subtree may be replaced by one of its own subtrees.
pub(crate) fn mutate_gently(space: Space<'_>, genotype: &mut Genotype, draws: &mut Draws) {
    if mutate_numbers(space, genotype, draws) {
        return;
    }
    let Genotype::Branches(branches) = &*genotype else { return };
    let genes = || branches.iter().flat_map(Branch::genes);
    let operands: usize = genes().map(operand_count).sum();
    let (places, settings) = (genes().count(), space.settings);
    let cap = |rate: f32, expected: f32, places: usize| rate.min(expected / places.max(1) as f32);
    parameters(
        space.primitive_set.operands(),
        genotype,
        cap(settings.mutate_parameter, EXPECTED_PARAMETERS, operands),
        true,
        draws,
    );
    points(space, genotype, cap(settings.mutate_point, EXPECTED_POINTS, places), draws);
    subtree(space, genotype, draws);
    if draws.unit() < HOIST {
        hoist(space, genotype, draws);
    }
}

fn operand_count(gene: &Gene) -> usize {
    match gene {
        Gene::Node(node) => node.kind.spec().operands.len(),
        Gene::Subtree(_) | Gene::Function(_) => 0,
    }
}

/// Replaces each operand, with probability `rate`, by a random value. With `small_steps`, about half of the replaced
/// operands instead get a value near the previous one.
fn parameters(operands: &Operands, genotype: &mut Genotype, rate: f32, small_steps: bool, draws: &mut Draws) {
    let Genotype::Branches(branches) = genotype else { return };
    for branch in branches {
        for at in 0..branch.genes().len() {
            let Gene::Node(mut node) = branch.genes()[at] else { continue };
            for (value, spec) in node.operands.iter_mut().zip(node.kind.spec().operands) {
                if draws.unit() < rate {
                    let small = small_steps && draws.unit() < 0.5;
                    *value =
                        if small { nudge(*value, spec.operand, draws) } else { operands.draw(spec.operand, draws) };
                }
            }
            branch.set(at, Gene::Node(node));
        }
    }
}

/// Draws a number near `value`. Values without a meaningful order, such as registers, are returned unchanged.
fn nudge(value: f32, operand: Operand, draws: &mut Draws) -> f32 {
    let (low, high) = operand.range();
    let step = match operand {
        Operand::Int8 | Operand::Angle | Operand::Width | Operand::Count => 12.0,
        Operand::Fixed => 2.0,
        Operand::Float | Operand::Gain => 0.25 * value.abs() + 0.2,
        Operand::Share => 0.1,
        _ => return value,
    };
    let moved = value + step * normal_pair(draws.word(), draws.word()).0;
    let moved = step_size(operand).map_or(moved, |grain| (moved / grain).round() * grain);
    moved.clamp(low, high)
}

/// Replaces each gene, with probability `rate`, by a gene with the same number of children. Reverts all changes if the
/// tree would not fit a robot.
fn points(space: Space<'_>, genotype: &mut Genotype, rate: f32, draws: &mut Draws) {
    let Genotype::Branches(branches) = genotype else { return };
    let mut before = None;
    for which in 0..branches.len() {
        let functions = space.primitives(which).functions;
        for at in 0..branches[which].genes().len() {
            if draws.unit() >= rate {
                continue;
            }
            let children = branches[which].genes()[at].children();
            if let Some(gene) = space.primitive_set.same_arity(children, functions, draws) {
                before.get_or_insert_with(|| branches.clone());
                branches[which].set(at, gene);
            }
        }
    }
    if let Some(before) = before.filter(|_| !space.primitive_set.fits(branches)) {
        *branches = before;
    }
}

/// Replaces a random subtree by a new full subtree, with probability `mutate_subtree` of the settings.
fn subtree(space: Space<'_>, genotype: &mut Genotype, draws: &mut Draws) {
    let Genotype::Branches(branches) = &*genotype else { return };
    if draws.unit() < space.settings.mutate_subtree {
        let which = any_branch(branches, draws);
        let at = point(&branches[which], draws);
        let depth = draws.below(space.settings.depth as u32) as usize;
        let new = full(space.primitives(which), depth, draws);
        if let Some(mutant) = graft(space, branches, which, at, new.genes()) {
            *genotype = mutant;
        }
    }
}

/// Replaces a random subtree by one of its own subtrees.
fn hoist(space: Space<'_>, genotype: &mut Genotype, draws: &mut Draws) {
    let Genotype::Branches(branches) = &*genotype else { return };
    let which = any_branch(branches, draws);
    let branch = &branches[which];
    let at = point(branch, draws);
    let inside = at + draws.below((branch.end(at) - at) as u32) as usize;
    if let Some(mutant) = graft(space, branches, which, at, branch.subtree(inside)) {
        *genotype = mutant;
    }
}

/// Draws the index of a random gene. With probability [`INNER_BIAS`], the gene has children, otherwise it is a leaf. If
/// the branch has no such gene, any gene is drawn.
fn point(branch: &Branch, draws: &mut Draws) -> usize {
    let inner = draws.unit() < INNER_BIAS;
    let genes = branch.genes();
    let mut fitting = (0..genes.len()).filter(|i| (genes[*i].children() > 0) == inner);
    match fitting.clone().count() {
        0 => draws.below(genes.len() as u32) as usize,
        count => fitting.nth(draws.below(count as u32) as usize).unwrap_or(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;
    use crate::{Algorithm, PrimitiveSet, Space};
    use xpuck_kernels::random::Stream;
    use xpuck_kernels::tree::Tree;

    /// Returns a tree of 21 nodes, whose 16 leaves have one number each. A mutation is very unlikely to draw the old
    /// number again.
    fn tree() -> String {
        format!("seq4\n{}", format!("  sel4\n{}", "    upfield 1\n".repeat(4)).repeat(4))
    }

    /// Returns the mean of `look` over 2000 mutants of the tree.
    fn mutants(settings: Settings, look: impl Fn(&Branch, &Branch) -> usize) -> f64 {
        let primitive_set = PrimitiveSet::in_swarm();
        let space = Space { primitive_set: &primitive_set, settings: &settings };
        let before = primitive_set.branch(&Tree::parse(&tree()).unwrap()).unwrap();
        let mutant = |i| {
            let mut genotype = Genotype::Branches(vec![before.clone()]);
            mutate(space, &mut genotype, &mut Draws::new(3, 0, i, 0, Stream::Evolution));
            let Genotype::Branches(after) = genotype else { panic!("a tree became a bit string") };
            look(&before, &after[0])
        };
        (0..2000).map(mutant).sum::<usize>() as f64 / 2000.0
    }

    #[test]
    fn mutation_rates_match_settings() {
        let own = Settings::for_algorithm(Algorithm::Classic);
        let off = Settings { mutate_parameter: 0.0, mutate_point: 0.0, mutate_subtree: 0.0, ..own.clone() };
        let differ = |a: &Branch, b: &Branch| a.genes().iter().zip(b.genes()).filter(|(a, b)| a != b).count();
        assert_eq!(mutants(off.clone(), differ), 0.0);
        // Mutation rates are measured with 32 000 draws (2000 mutants, 16 leaves), for which four standard deviations
        // are 0.005.
        let parameters = mutants(Settings { mutate_parameter: own.mutate_parameter, ..off.clone() }, differ) / 16.0;
        assert!((parameters - 0.05).abs() < 0.005, "{parameters}");
        // The measured rate is lower than the setting, because some inner nodes are replaced by an equal node.
        let points = mutants(Settings { mutate_point: own.mutate_point, ..off.clone() }, differ) / 21.0;
        assert!((0.04..0.054).contains(&points), "{points}");
        let changed = |a: &Branch, b: &Branch| usize::from(a != b);
        let subtrees = mutants(Settings { mutate_subtree: own.mutate_subtree, ..off }, changed);
        assert!((subtrees - 0.1).abs() < 0.027, "{subtrees}");
    }

    #[test]
    fn points_are_inner_nodes_nine_times_in_ten() {
        let branch = PrimitiveSet::in_swarm().branch(&Tree::parse(&tree()).unwrap()).unwrap();
        let mut draws = Draws::new(1, 0, 0, 0, Stream::Evolution);
        let inner = (0..4000).filter(|_| branch.genes()[point(&branch, &mut draws)].children() > 0).count();
        assert!((3520..3680).contains(&inner), "{inner} of 4000");
    }
}
