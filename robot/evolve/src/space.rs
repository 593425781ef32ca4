//! Search space of an island: creation of genotypes, and conversion of genotypes to trees.

use crate::generate::{Method, Primitives};
use crate::genotype::{Bits, Branch, Genotype, Shape, Weights};
use crate::primitive_set::PrimitiveSet;
use crate::settings::{Representation, Settings};
use xpuck_kernels::random::Draws;
use xpuck_kernels::tree::Tree;

/// Number of attempts to create functions and a main tree that together fit a robot.
const TRIES: usize = 8;

/// Search space, defined by the primitive set and the settings.
#[derive(Clone, Copy, Debug)]
pub struct Space<'a> {
    /// Primitive set of the trees.
    pub primitive_set: &'a PrimitiveSet,
    /// Settings, including the representation and its parameters.
    pub settings: &'a Settings,
}

impl<'a> Space<'a> {
    /// Returns the number of functions of a genotype.
    fn functions(self) -> u16 {
        if self.settings.representation == Representation::Adf { self.settings.functions } else { 0 }
    }

    /// Returns the primitives of the branch with this index. Only the main branch, with index 0, may call functions.
    pub(crate) fn primitives(self, branch: usize) -> Primitives<'a> {
        Primitives { primitive_set: self.primitive_set, functions: if branch == 0 { self.functions() } else { 0 } }
    }

    /// Returns the shape of networks. The inputs are all sensor cells that trees may read. The neurons are two motor
    /// neurons and the hidden neurons.
    pub(crate) fn shape(self) -> Shape {
        Shape { inputs: self.primitive_set.senses(), neurons: 2 + usize::from(self.settings.hidden) }
    }

    /// Creates a random genotype. `method` creates the branches of a tree. Bit strings and networks ignore method and
    /// depth.
    pub fn random(self, (method, depth): (Method, usize), draws: &mut Draws) -> Genotype {
        match self.settings.representation {
            Representation::Grammar => return self.random_bits(draws),
            Representation::Network => return Genotype::Network(Weights::random(&self.shape(), draws)),
            Representation::Tree | Representation::Adf => {}
        }
        let count = 1 + usize::from(self.functions());
        for _ in 0..TRIES {
            let branches: Vec<Branch> = (0..count).map(|i| method(self.primitives(i), depth, draws)).collect();
            // A single branch always fits, because `method` returns only branches that fit.
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
        // The tree of the bit string of zeros always fits a robot. The parser of the grammar has validated this.
        Genotype::Bits(Bits::zero(self.settings.bits))
    }

    /// Generates the branch of a bit string. Reduces the depth limit, beginning with that of the settings, until the
    /// branch fits a robot. `None` if the branch does not fit at any limit.
    fn generate(self, bits: &Bits) -> Option<Branch> {
        let at = |depth| self.primitive_set.generate(bits, depth);
        (0..=self.settings.depth)
            .rev()
            .filter_map(at)
            .find(|branch| self.primitive_set.fits(std::slice::from_ref(branch)))
    }

    /// Returns whether the genotype's tree fits a robot.
    pub(crate) fn fits(self, genotype: &Genotype) -> bool {
        match genotype {
            Genotype::Branches(branches) => self.primitive_set.fits(branches),
            Genotype::Bits(bits) => self.generate(bits).is_some(),
            // The limits of the settings guarantee that networks fit.
            Genotype::Network(_) => true,
        }
    }

    /// Converts a genotype to its tree.
    ///
    /// # Panics
    /// Panics if a bit string yields no tree that fits a robot. [`Space::random`] and variation never create such a
    /// string.
    pub fn tree(self, genotype: &Genotype) -> Tree {
        match genotype {
            Genotype::Branches(branches) => self.primitive_set.express(branches),
            Genotype::Bits(bits) => self.primitive_set.express(&[self.generate(bits).expect("genotypes fit")]),
            Genotype::Network(weights) => weights.tree(&self.shape()),
        }
    }

    /// Finds a genotype for a tree of another island. `None` if the tree is not allowed, or if no genotype with this
    /// tree was found. The functions are copied from `host`, a genotype of this island, but the tree does not call them
    /// yet.
    pub(crate) fn adopt(self, tree: &Tree, host: &Genotype) -> Option<Genotype> {
        if let Genotype::Network(_) = host {
            return Weights::from_tree(tree, &self.shape()).map(Genotype::Network);
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
