//! Crossover of pairs and the four mutations of thesis 4.3.1. Each mutation changes the tree in at most one place.
//!
//! Details that the thesis does not specify follow the library DEAP, which the thesis used. A mutation point can be any
//! node, and a crossover point any node except the root.

use super::{any_branch, graft, mutate_numbers};
use crate::generate::grow;
use crate::genotype::{Branch, Gene, Genotype};
use crate::space::Space;
use xpuck_kernels::random::Draws;

/// Exchanges a subtree of genotype `a` with a subtree of genotype `b`, and returns both children. A child that would
/// not fit a robot is replaced by its parent. If one of the trees has only one node, both genotypes are unchanged.
pub fn exchange(space: Space<'_>, a: &Genotype, b: &Genotype, draws: &mut Draws) -> (Genotype, Genotype) {
    let (first, second) = match (a, b) {
        (Genotype::Branches(a), Genotype::Branches(b)) => {
            let which = any_branch(a, draws);
            let (left, right) = (&a[which], &b[which]);
            let (Some(at), Some(from)) = (below_root(left, draws), below_root(right, draws)) else {
                return (Genotype::Branches(a.clone()), Genotype::Branches(b.clone()));
            };
            (graft(space, a, which, at, right.subtree(from)), graft(space, b, which, from, left.subtree(at)))
        }
        (Genotype::Bits(a), Genotype::Bits(b)) => {
            let (first, second) = a.exchange(b, draws);
            let sound = |bits| Some(Genotype::Bits(bits)).filter(|child| space.fits(child));
            (sound(first), sound(second))
        }
        (Genotype::Network(a), Genotype::Network(b)) => {
            let (first, second) = a.exchange(b, &space.shape(), draws);
            (Some(Genotype::Network(first)), Some(Genotype::Network(second)))
        }
        _ => (None, None),
    };
    (first.unwrap_or_else(|| a.clone()), second.unwrap_or_else(|| b.clone()))
}

fn below_root(branch: &Branch, draws: &mut Draws) -> Option<usize> {
    let below = branch.genes().len() - 1;
    (below > 0).then(|| 1 + draws.below(below as u32) as usize)
}

/// Applies subtree replacement, shrinking, node replacement and constant replacement, each with its own probability.
pub(crate) fn mutate(space: Space<'_>, genotype: &mut Genotype, draws: &mut Draws) {
    if mutate_numbers(space, genotype, draws) {
        return;
    }
    let steps: [(f32, Mutation); 4] = [
        (space.settings.mutate_subtree, replace_subtree),
        (space.settings.mutate_shrink, shrink),
        (space.settings.mutate_point, replace_node),
        (space.settings.mutate_parameter, replace_constant),
    ];
    for (probability, mutation) in steps {
        let Genotype::Branches(branches) = &*genotype else { return };
        if draws.unit() < probability {
            let which = any_branch(branches, draws);
            if let Some(mutant) = mutation(space, branches, which, draws) {
                *genotype = mutant;
            }
        }
    }
}

/// Function that returns the genotype with one change in the branch with the given index. It returns `None` if no
/// change is possible, or if the result would not fit a robot.
type Mutation = fn(Space<'_>, &[Branch], usize, &mut Draws) -> Option<Genotype>;

/// Replaces a random subtree by a new random subtree.
fn replace_subtree(space: Space<'_>, branches: &[Branch], which: usize, draws: &mut Draws) -> Option<Genotype> {
    let at = draws.below(branches[which].genes().len() as u32) as usize;
    let depth = draws.below(space.settings.depth as u32) as usize;
    let new = grow(space.primitives(which), depth, draws);
    graft(space, branches, which, at, new.genes())
}

/// Replaces a random subtree with several nodes by one of its own leaves.
fn shrink(space: Space<'_>, branches: &[Branch], which: usize, draws: &mut Draws) -> Option<Genotype> {
    let genes = branches[which].genes();
    let at = pick(genes, |gene| gene.children() > 0, draws)?;
    let within = branches[which].subtree(at);
    let leaf = pick(within, |gene| gene.children() == 0, draws)?;
    graft(space, branches, which, at, &within[leaf..=leaf])
}

/// Replaces a random node by another node with the same operand types and number of children.
pub fn replace_node(space: Space<'_>, branches: &[Branch], which: usize, draws: &mut Draws) -> Option<Genotype> {
    let genes = branches[which].genes();
    let at = draws.below(genes.len() as u32) as usize;
    let Gene::Node(node) = genes[at] else { return None };
    let other = space.primitive_set.same_signature(&node, draws)?;
    changed(space, branches, which, at, Gene::Node(other))
}

/// Replaces the value of a random operand by a new random value.
pub fn replace_constant(space: Space<'_>, branches: &[Branch], which: usize, draws: &mut Draws) -> Option<Genotype> {
    let operands = |gene: &Gene| match gene {
        Gene::Node(node) => node.kind.spec().operands,
        Gene::Subtree(_) | Gene::Function(_) => &[],
    };
    let genes = branches[which].genes();
    let all: usize = genes.iter().map(|gene| operands(gene).len()).sum();
    let mut place = draws.below(all.max(1) as u32) as usize;
    for (at, gene) in genes.iter().enumerate() {
        let (Some(spec), Gene::Node(mut node)) = (operands(gene).get(place), *gene) else {
            place -= operands(gene).len();
            continue;
        };
        node.operands[place] = space.primitive_set.operands().draw(spec.operand, draws);
        return changed(space, branches, which, at, Gene::Node(node));
    }
    None
}

/// Replaces one gene by another gene with the same number of children. `None` if the result would not fit a robot.
fn changed(space: Space<'_>, branches: &[Branch], which: usize, at: usize, gene: Gene) -> Option<Genotype> {
    let mut branches = branches.to_vec();
    branches[which].set(at, gene);
    let genotype = Genotype::Branches(branches);
    space.fits(&genotype).then_some(genotype)
}

/// Draws the index of a random gene that satisfies `wanted`; `None` if there is no such gene.
fn pick(genes: &[Gene], wanted: impl Fn(&Gene) -> bool, draws: &mut Draws) -> Option<usize> {
    let mut fitting = (0..genes.len()).filter(|i| wanted(&genes[*i]));
    let count = fitting.clone().count();
    fitting.nth(draws.below(count.max(1) as u32) as usize)
}
