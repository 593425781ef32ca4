//! The space of genotypes that an island searches: how new ones are made, and which tree each stands for.

use crate::generate::{Method, Primitives};
use crate::genotype::{Bits, Branch, Genotype, Shape, Weights};
use crate::primitive_set::PrimitiveSet;
use crate::settings::{Representation, Settings};
use xpuck_kernels::random::Draws;
use xpuck_kernels::tree::Tree;

/// Attempts to make functions and a main tree that fit a robot together.
const TRIES: usize = 8;

/// A primitive set, and settings that say how it is used.
#[derive(Clone, Copy, Debug)]
pub struct Space<'a> {
    /// What trees are built from.
    pub primitive_set: &'a PrimitiveSet,
    /// The representation and its sizes.
    pub settings: &'a Settings,
}

impl<'a> Space<'a> {
    /// Number of functions of a genotype.
    fn functions(self) -> u16 {
        if self.settings.representation == Representation::Adf { self.settings.functions } else { 0 }
    }

    /// What a branch is made of: only the main one, number 0, calls functions.
    pub(crate) fn primitives(self, branch: usize) -> Primitives<'a> {
        Primitives { primitive_set: self.primitive_set, functions: if branch == 0 { self.functions() } else { 0 } }
    }

    /// Inputs and neurons of networks: they read every sense that trees may read, and two neurons drive.
    pub(crate) fn shape(self) -> Shape {
        Shape { inputs: self.primitive_set.senses(), neurons: 2 + usize::from(self.settings.hidden) }
    }

    /// A new genotype by `method`; a bit string and a network know neither method nor depth.
    pub fn random(self, (method, depth): (Method, usize), draws: &mut Draws) -> Genotype {
        match self.settings.representation {
            Representation::Grammar => return self.random_bits(draws),
            Representation::Network => return Genotype::Network(Weights::random(&self.shape(), draws)),
            Representation::Tree | Representation::Adf => {}
        }
        let count = 1 + usize::from(self.functions());
        for _ in 0..TRIES {
            let branches: Vec<Branch> = (0..count).map(|i| method(self.primitives(i), depth, draws)).collect();
            // A plain tree fits already.
            if count == 1 || self.primitive_set.fits(&branches) {
                return Genotype::Branches(branches);
            }
        }
        let leaf = |i| Branch::from_preorder(vec![self.primitive_set.leaf(self.primitives(i).functions, draws)]);
        Genotype::Branches((0..count).map(leaf).collect())
    }

    fn random_bits(self, draws: &mut Draws) -> Genotype {
        for _ in 0..TRIES {
            let bits = Bits::random(self.settings.bits, draws);
            if self.generate(&bits).is_some() {
                return Genotype::Bits(bits);
            }
        }
        // The reader of grammars has seen to it that this one fits.
        Genotype::Bits(Bits::zero(self.settings.bits))
    }

    /// The branch of a bit string, of the greatest depth up to the settings' with which it fits a robot.
    fn generate(self, bits: &Bits) -> Option<Branch> {
        let at = |depth| self.primitive_set.generate(bits, depth);
        (0..=self.settings.depth)
            .rev()
            .filter_map(at)
            .find(|branch| self.primitive_set.fits(std::slice::from_ref(branch)))
    }

    /// True if the genotype's tree fits a robot.
    pub(crate) fn fits(self, genotype: &Genotype) -> bool {
        match genotype {
            Genotype::Branches(branches) => self.primitive_set.fits(branches),
            Genotype::Bits(bits) => self.generate(bits).is_some(),
            // The settings have bounded it.
            Genotype::Network(_) => true,
        }
    }

    /// The tree that a genotype stands for.
    ///
    /// # Panics
    /// For a bit string without a tree that fits, which neither [`Space::random`] nor variation lets through.
    pub fn tree(self, genotype: &Genotype) -> Tree {
        match genotype {
            Genotype::Branches(branches) => self.primitive_set.express(branches),
            Genotype::Bits(bits) => self.primitive_set.express(&[self.generate(bits).expect("genotypes fit")]),
            Genotype::Network(weights) => weights.tree(&self.shape()),
        }
    }

    /// A genotype for a tree from outside; `None` if the tree is not allowed here or has no genotype here. Its functions
    /// are those of `host`, a genotype of this island; it does not call them yet.
    pub(crate) fn adopt(self, tree: &Tree, host: &Genotype) -> Option<Genotype> {
        if let Genotype::Network(_) = host {
            return Weights::of(tree, &self.shape()).map(Genotype::Network);
        }
        let main = self.primitive_set.branch(tree)?;
        match host {
            Genotype::Network(_) => None,
            Genotype::Branches(branches) => {
                let mut adopted = branches.clone();
                adopted[0] = main;
                Some(Genotype::Branches(adopted))
            }
            Genotype::Bits(bits) => {
                let at = |depth| self.primitive_set.recover(&main, depth, bits.length());
                let recovered = Genotype::Bits((0..=self.settings.depth).rev().find_map(at)?);
                (self.fits(&recovered) && self.tree(&recovered) == *tree).then_some(recovered)
            }
        }
    }
}
