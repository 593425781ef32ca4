//! Behaviour trees as genomes, with their genetic operators. Some of the mutations are those of rule lists. Crossover
//! exchanges subtrees.

use super::primitive_set;
use std::hash::{Hash, Hasher};
use xpuck_automata::automaton::Module;
use xpuck_evolve::Genotype;
use xpuck_evolve::PrimitiveSet;
use xpuck_evolve::RuleListBuilder;
use xpuck_evolve::Space;
use xpuck_evolve::curriculum::Species;
use xpuck_evolve::{Algorithm, Settings};
use xpuck_evolve::{Change, change, exchange, replace_constant, replace_node};
use xpuck_kernels::random::Draws;
use xpuck_kernels::tree::Tree;

/// Behaviour tree as a genome. Genomes with equal keys have equal behaviour.
#[derive(Clone, Debug)]
pub struct TreeGenome {
    tree: Tree,
    key: Vec<u8>,
}

impl TreeGenome {
    /// Creates a genome from a tree.
    pub fn new(tree: Tree) -> TreeGenome {
        TreeGenome { key: tree.key(), tree }
    }

    /// Returns the behaviour tree.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }
}

impl PartialEq for TreeGenome {
    fn eq(&self, other: &TreeGenome) -> bool {
        self.key == other.key
    }
}

impl Eq for TreeGenome {}

impl Hash for TreeGenome {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key.hash(state);
    }
}

#[derive(Clone, Copy)]
enum Mutation {
    /// Draws a new register or a new quadrant for a query.
    Question,
    /// Replaces a node by another node of the same arity.
    Node,
    /// Changes the rule list.
    Rules(Change),
    /// Draws a new tree.
    New,
}

/// Mutations with their names and probabilities (%). The probabilities are those that the racing algorithm uses for
/// rule lists. They do not include crossover.
const MUTATIONS: [(&str, Mutation, u32); 8] = [
    ("question", Mutation::Question, 30),
    ("node", Mutation::Node, 10),
    ("replace", Mutation::Rules(Change::Replace), 18),
    ("condition", Mutation::Rules(Change::Condition), 11),
    ("rule", Mutation::Rules(Change::Rule), 11),
    ("other", Mutation::Rules(Change::Other), 3),
    ("hoist", Mutation::Rules(Change::Hoist), 12),
    ("new-individual", Mutation::New, 5),
];

/// Species of trees that arbitrate between given modules.
#[derive(Clone, Debug)]
pub struct TreeSpecies {
    primitive_set: PrimitiveSet,
    settings: Settings,
    modules: Vec<Module>,
    node: f64,
}

impl TreeSpecies {
    /// Creates the species of trees that can give the motors to `modules`. `node` is the change of fitness per node
    /// of a tree.
    pub fn new(modules: Vec<Module>, node: f64) -> TreeSpecies {
        TreeSpecies {
            primitive_set: primitive_set(&modules),
            settings: Settings::for_algorithm(Algorithm::Racing),
            modules,
            node,
        }
    }

    /// Returns the modules to which trees can give the motors.
    pub fn modules(&self) -> &[Module] {
        &self.modules
    }

    /// Returns the primitive set of the trees.
    pub(crate) fn primitive_set(&self) -> &PrimitiveSet {
        &self.primitive_set
    }

    fn space(&self) -> Space<'_> {
        Space { primitive_set: &self.primitive_set, settings: &self.settings }
    }

    fn express(&self, genotype: &Genotype) -> TreeGenome {
        TreeGenome::new(self.space().tree(genotype))
    }

    /// Returns the genotype that operators vary; `None` for a tree that uses a module which this step lacks.
    fn genotype(&self, genome: &TreeGenome) -> Option<Genotype> {
        self.primitive_set.branch(&genome.tree).map(|branch| Genotype::Branches(vec![branch]))
    }

    fn apply(&self, genome: &mut TreeGenome, mutation: Mutation, draws: &mut Draws) {
        let (Some(genotype), Some(builder)) = (self.genotype(genome), RuleListBuilder::new(&self.primitive_set)) else {
            return;
        };
        let Genotype::Branches(branches) = &genotype else { return };
        let changed = match mutation {
            Mutation::Question => replace_constant(self.space(), branches, 0, draws),
            Mutation::Node => replace_node(self.space(), branches, 0, draws),
            Mutation::Rules(how) => Some(change(self.space(), &builder, &genotype, how, draws)),
            Mutation::New => return *genome = self.random(draws),
        };
        if let Some(changed) = changed {
            *genome = self.express(&changed);
        }
    }

    fn draw_mutation(draws: &mut Draws) -> usize {
        let mut ticket = draws.below(MUTATIONS.iter().map(|mutation| mutation.2).sum());
        for (place, (_, _, share)) in MUTATIONS.iter().enumerate() {
            if ticket < *share {
                return place;
            }
            ticket -= share;
        }
        0
    }
}

impl Species for TreeSpecies {
    type Genome = TreeGenome;
    type Usage = ();

    fn parts(&self) -> usize {
        1
    }

    fn operators(&self) -> Vec<&'static str> {
        MUTATIONS.iter().map(|mutation| mutation.0).collect()
    }

    fn random(&self, draws: &mut Draws) -> TreeGenome {
        let genotype = match RuleListBuilder::new(&self.primitive_set) {
            Some(builder) => Genotype::Branches(vec![builder.branch(draws)]),
            None => self.space().random((xpuck_evolve::grow, self.settings.depth), draws),
        };
        self.express(&genotype)
    }

    fn renew(&self, genome: &mut TreeGenome, _part: usize, draws: &mut Draws) {
        *genome = self.random(draws);
    }

    fn copy(&self, genome: &mut TreeGenome, _part: usize, from: &TreeGenome) -> bool {
        let known = self.genotype(from).is_some();
        if known {
            genome.clone_from(from);
        }
        known
    }

    fn mutate_part(&self, genome: &mut TreeGenome, _part: usize, draws: &mut Draws) {
        // This mutation must keep parts of the copied tree, so a mutation that draws a new tree is rejected.
        let mutation = loop {
            match MUTATIONS[TreeSpecies::draw_mutation(draws)].1 {
                Mutation::New => {}
                mutation => break mutation,
            }
        };
        self.apply(genome, mutation, draws);
    }

    fn mutate(&self, genome: &mut TreeGenome, draws: &mut Draws) -> usize {
        let place = TreeSpecies::draw_mutation(draws);
        self.apply(genome, MUTATIONS[place].1, draws);
        place
    }

    fn cross(&self, mother: &mut TreeGenome, father: &mut TreeGenome, draws: &mut Draws) {
        if let (Some(a), Some(b)) = (self.genotype(mother), self.genotype(father)) {
            let (first, second) = exchange(self.space(), &a, &b, draws);
            (*mother, *father) = (self.express(&first), self.express(&second));
        }
    }

    fn trim(&self, _genome: &TreeGenome, _usage: &(), _draws: &mut Draws) -> Option<TreeGenome> {
        None
    }

    fn repair(&self, _genome: &mut TreeGenome, _draws: &mut Draws) {}

    fn size_worth(&self, genome: &TreeGenome) -> f64 {
        self.node * genome.tree.nodes().len() as f64
    }
}
