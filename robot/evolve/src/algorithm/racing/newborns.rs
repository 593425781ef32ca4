//! Creation of newborns for `racing`.

use super::{Racing, TRIALS, value};
use crate::algorithm::Rules;
use crate::algorithm::noise_aware::from_scratch;
use crate::deme::Deme;
use crate::genotype::Genotype;
use crate::individual::{Individual, Operator, Stage};
use crate::rule_list::RuleListBuilder;
use crate::settings::Representation;
use crate::space::Space;
use crate::variation::{crossover, mutate_gently, vary};
use xpuck_kernels::analysis::reduce::{Options, reduce};
use xpuck_kernels::hash::fnv1a;
use xpuck_kernels::random::Draws;
use xpuck_kernels::tree::Tree;

/// Number of generations after a start from new trees in which all newborns are new trees.
const SEED_GENERATIONS: u32 = 6;
/// Share of new trees among the newborns, after the first [`SEED_GENERATIONS`] generations.
const NEW_TREE_SHARE: f32 = 0.1;
/// Maximum number of attempts per newborn to create a tree that has not been evaluated yet.
const TRIES: usize = 20;

impl Racing {
    /// Admits given genotypes as newborns, within the generation's budget. Genotypes whose reduced tree was already
    /// tried are skipped.
    pub(super) fn admit(&mut self, deme: &mut Deme, given: Vec<Genotype>) {
        let most = deme.settings().population / TRIALS[0] as usize;
        for genotype in given {
            let (made, key) = reduced(deme.space(), genotype);
            if deme.individuals().len() < most && self.seen.insert(key) {
                let newborn = deme.newborn_with(made, None, Operator::Migration);
                deme.individuals_mut().push(newborn);
            }
        }
    }

    /// Fills the rest of the generation's trial budget with newborns. Creates newborns for at least a sixteenth of the
    /// budget, even if the other individuals need the whole budget.
    pub(super) fn seed_population(&mut self, deme: &mut Deme) {
        let budget = deme.settings().population as u32;
        let taken: u32 = self.trials(deme).iter().map(|trial| trial.end / 2).sum();
        self.add_newborns(deme, (budget.saturating_sub(taken) / TRIALS[0]).max(budget / 32));
    }

    /// Creates up to `count` newborns. None of their reduced trees was already tried.
    pub(in crate::algorithm) fn add_newborns(&mut self, deme: &mut Deme, count: u32) {
        let elite = deme.individuals().iter().take_while(|i| i.stage == Stage::Elite).count();
        let young = !self.from_guests && deme.generation() - self.began < SEED_GENERATIONS;
        let mut newborn = Vec::new();
        let node_cost = deme.settings().node_cost;
        let value = |individual: &Individual| value(individual, node_cost);
        let primitive_set = deme.primitive_set().clone();
        let builder =
            RuleListBuilder::new(&primitive_set).filter(|_| deme.settings().representation == Representation::Tree);
        for place in 0..count as usize {
            let mut draws = deme.draws(place);
            for _ in 0..TRIES {
                let fresh = young || elite < 4.min(deme.settings().elites()) || draws.unit() < NEW_TREE_SHARE;
                let (made, ids, operator) = if fresh {
                    (random(deme.space(), builder.as_ref(), &mut draws), None, Operator::Random)
                } else {
                    let mother = &deme.individuals()[deme.tournament(elite, value, &mut draws)];
                    let father = &deme.individuals()[deme.tournament(elite, value, &mut draws)];
                    let (child, operator) = child(deme.space(), builder.as_ref(), mother, father, &mut draws);
                    let father = if operator == Operator::Crossover { father.id } else { mother.id };
                    (child, Some([mother.id, father]), operator)
                };
                let (made, key) = reduced(deme.space(), made);
                if self.seen.insert(key) {
                    newborn.push(deme.newborn_with(made, ids, operator));
                    break;
                }
            }
        }
        deme.individuals_mut().extend(newborn);
    }
}

fn random(space: Space<'_>, builder: Option<&RuleListBuilder<'_>>, draws: &mut Draws) -> Genotype {
    match builder {
        Some(builder) => Genotype::Branches(vec![builder.branch(draws)]),
        None => space.random(from_scratch(space.settings.depth, draws), draws),
    }
}

fn child(
    space: Space<'_>,
    builder: Option<&RuleListBuilder<'_>>,
    mother: &Individual,
    father: &Individual,
    draws: &mut Draws,
) -> (Genotype, Operator) {
    if let Some(builder) = builder {
        return vary(space, builder, &mother.genotype, &father.genotype, draws);
    }
    // Neurons depend on each other more than subtrees do, so most children of networks have one parent.
    if matches!(mother.genotype, Genotype::Network(_)) && draws.unit() >= space.settings.crossover {
        let mut child = mother.genotype.clone();
        mutate_gently(space, &mut child, draws);
        return (child, Operator::Mutation);
    }
    let mut child = crossover(space, &mother.genotype, &father.genotype, draws);
    mutate_gently(space, &mut child, draws);
    (child, Operator::Crossover)
}

/// Reduces the tree of a genotype to a smaller tree with the same behaviour. Returns the new genotype, its tree, and
/// the hash of the reduced tree. Genotype and tree are unchanged if the primitive set does not allow the reduced tree,
/// or if the genotype is not a plain tree.
fn reduced(space: Space<'_>, genotype: Genotype) -> ((Genotype, Tree), u64) {
    let tree = space.tree(&genotype);
    let less = reduce(&tree, Options { executable: false }).tree;
    let key = fnv1a(less.key());
    let plain = matches!(&genotype, Genotype::Branches(branches) if branches.len() == 1);
    match space.primitive_set.branch(&less).filter(|_| plain) {
        Some(branch) => ((Genotype::Branches(vec![branch]), less), key),
        None => ((genotype, tree), key),
    }
}
