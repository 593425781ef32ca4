//! New branches in the form of rule lists. A rule list consists of rules in order of priority, and of a final default
//! action. Each rule is an action guarded by conditions.
//!
//! With a tree of random nodes, a robot rarely drives to a particular place. Few leaves of the tree write the goal, and
//! most of the conditions guard no action. In a rule list, every rule tests a condition and then sets the goal.

mod kilobot;

use crate::genotype::{Branch, Gene};
use crate::operands::Values;
use crate::primitive_set::PrimitiveSet;
use xpuck_kernels::random::Draws;
use xpuck_kernels::tree::{Access, GOAL, GROUND, Kind, Node, Operand, Tree, register_of};

/// Maximum number of rules of a new branch.
const MAX_RULES: u32 = 3;
/// Probability that a rule has a second condition.
const SECOND_CONDITION: f32 = 0.4;
/// Probability that a condition is inverted.
const INVERTED: f32 = 0.15;
/// Probability that the first summand of an action's sum is zero instead of a register.
const FROM_ZERO: f32 = 0.25;
/// Minimum and maximum binary exponent of a new gain. Smaller gains have no effect, and larger gains only saturate the
/// wheels.
const GAIN_POWERS: (f32, f32) = (-2.0, 4.0);

/// Builder of rule lists over a primitive set.
#[derive(Clone, Debug)]
pub struct RuleListBuilder<'a> {
    primitive_set: &'a PrimitiveSet,
    conditions: Vec<Kind>,
    actions: Vec<Kind>,
    /// Indices of the set's subtrees that are conditions.
    condition_subtrees: Vec<u16>,
    /// Indices of the set's other subtrees.
    action_subtrees: Vec<u16>,
    /// Whether the rules are for Kilobots. All composite nodes of a Kilobot have memory.
    kilobots: bool,
    /// Whether a Kilobot may set an entry of its blackboard.
    sets: bool,
}

/// Registers that a rule may read.
#[derive(Clone, Copy)]
enum Read {
    /// Sensor registers.
    Sense,
    /// Sensor registers and registers that an earlier node has written.
    Known,
}

impl<'a> RuleListBuilder<'a> {
    /// Creates a builder. `None` if the set lacks `seq2` or `sel2` (`seqm2` or `selm2` for Kilobots), or if it contains
    /// no condition, or neither an action nor a subtree.
    pub fn new(primitive_set: &'a PrimitiveSet) -> Option<RuleListBuilder<'a>> {
        let (conditions, rest): (Vec<Kind>, Vec<Kind>) = primitive_set.leaf_kinds().partition(|kind| is_test(*kind));
        let (kilobots, sets) = (primitive_set.is_for_kilobots(), rest.contains(&Kind::Set));
        let acts = |kind: &Kind| kind.spec().writes && *kind != Kind::Set;
        let actions: Vec<Kind> = rest.into_iter().filter(acts).collect();
        let (condition_subtrees, action_subtrees) =
            (0..primitive_set.subtree_count()).partition(|index| is_condition(primitive_set.subtree(*index)));
        let builder =
            RuleListBuilder { primitive_set, conditions, actions, condition_subtrees, action_subtrees, kilobots, sets };
        let whole = primitive_set.has(builder.seq(), 2) && primitive_set.has(builder.sel(), 2);
        let tests = !builder.conditions.is_empty() || !builder.condition_subtrees.is_empty();
        let acts = !builder.actions.is_empty() || !builder.action_subtrees.is_empty();
        (whole && tests && acts).then_some(builder)
    }

    /// Returns the kind of the node that joins conditions and an action.
    pub fn seq(&self) -> Kind {
        if self.kilobots { Kind::Seqm } else { Kind::Seq }
    }

    /// Returns the kind of the node that joins rules.
    pub fn sel(&self) -> Kind {
        if self.kilobots { Kind::Selm } else { Kind::Sel }
    }

    /// Returns the primitive set of the rule lists.
    pub fn primitive_set(&self) -> &'a PrimitiveSet {
        self.primitive_set
    }

    /// Creates a branch of one to three rules and a default action.
    pub fn branch(&self, draws: &mut Draws) -> Branch {
        let rules = 1 + draws.below(MAX_RULES);
        let mut genes = self.action(draws);
        for _ in 0..rules {
            genes = join(self.sel(), self.rule(draws), genes);
        }
        let branch = Branch::from_preorder(genes);
        if self.primitive_set.fits(std::slice::from_ref(&branch)) {
            return branch;
        }
        Branch::from_preorder(self.action(draws))
    }

    /// Creates an action guarded by one or two conditions.
    pub fn rule(&self, draws: &mut Draws) -> Vec<Gene> {
        let first = self.condition(draws);
        let mut rest = self.action(draws);
        if draws.unit() < SECOND_CONDITION {
            rest = join(self.seq(), self.condition(draws), rest);
        }
        join(self.seq(), first, rest)
    }

    /// Creates a leaf that tests a condition: a node, or a subtree of the primitive set. With probability `INVERTED`,
    /// the leaf is the child of an `invert` node.
    pub fn condition(&self, draws: &mut Draws) -> Vec<Gene> {
        let which = draws.below((self.conditions.len() + self.condition_subtrees.len()) as u32) as usize;
        let operand = |operand: Operand, draws: &mut Draws| match operand {
            Operand::Scalar | Operand::Vector => self.source(operand, Read::Sense, draws),
            _ => self.number(operand, draws),
        };
        let leaf = match self.conditions.get(which) {
            Some(kind) => self.leaf(*kind, operand, draws),
            None => Gene::Subtree(self.condition_subtrees[which - self.conditions.len()]),
        };
        if draws.unit() < INVERTED && self.primitive_set.has(Kind::Invert, 1) {
            return vec![inner(Kind::Invert, 1), leaf];
        }
        vec![leaf]
    }

    /// Creates an action that sets the goal. The action is one node, one node per component, a subtree of the primitive
    /// set, or two nodes that set a scratch vector and compute the goal from the scratch vector.
    ///
    /// For a Kilobot, an action is a manoeuvre.
    pub fn action(&self, draws: &mut Draws) -> Vec<Gene> {
        if self.kilobots {
            return kilobot::manoeuvre(self, draws);
        }
        let scratch = self.actions.contains(&Kind::Movcv) && self.actions.contains(&Kind::Mulav);
        let count = self.actions.len() + self.action_subtrees.len() + usize::from(scratch);
        let which = draws.below(count as u32) as usize;
        let Some(kind) = self.actions.get(which) else {
            return match self.action_subtrees.get(which - self.actions.len()) {
                Some(subtree) => vec![Gene::Subtree(*subtree)],
                None => self.scratch(draws),
            };
        };
        let target = kind.spec().operands.first().map(|o| o.operand);
        if target != Some(Operand::ScalarDest) {
            return vec![self.writing(*kind, GOAL, draws)];
        }
        let y = self.writing(*kind, GOAL + 1, draws);
        join(Kind::Seq, vec![y], vec![self.writing(*kind, GOAL, draws)])
    }

    /// Creates an action that sets a scratch vector to a constant, and the goal to the sum of the scratch vector and a
    /// scaled sensor vector.
    fn scratch(&self, draws: &mut Draws) -> Vec<Gene> {
        let Some(cell) = self.cells(Operand::VectorDest).find(|c| register_of(*c).access == Access::Scratch) else {
            return vec![self.writing(Kind::Mulav, GOAL, draws)];
        };
        let first = self.writing(Kind::Movcv, usize::from(cell), draws);
        let Gene::Node(mut sum) = self.writing(Kind::Mulav, GOAL, draws) else { unreachable!("a node") };
        sum.operands[1] = f32::from(cell);
        sum.operands[3] = self.source(Operand::Vector, Read::Sense, draws);
        join(Kind::Seq, vec![first], vec![Gene::Node(sum)])
    }

    /// Creates a leaf of the given kind. If the kind has a destination operand, the leaf writes to `cell`.
    fn writing(&self, kind: Kind, cell: usize, draws: &mut Draws) -> Gene {
        let mut summand = true;
        let operand = |operand: Operand, draws: &mut Draws| match operand {
            Operand::ScalarDest | Operand::VectorDest => cell as f32,
            // Only the first summand may be zero.
            Operand::Scalar | Operand::Vector => {
                let zero = std::mem::take(&mut summand) && draws.unit() < FROM_ZERO;
                if zero { 0.0 } else { self.source(operand, Read::Known, draws) }
            }
            _ => self.number(operand, draws),
        };
        self.leaf(kind, operand, draws)
    }

    fn leaf(&self, kind: Kind, mut operand: impl FnMut(Operand, &mut Draws) -> f32, draws: &mut Draws) -> Gene {
        let mut operands = [0.0; 4];
        for (value, spec) in operands.iter_mut().zip(kind.spec().operands) {
            *value = operand(spec.operand, draws);
        }
        Gene::Node(Node { kind, children: 0, operands })
    }

    fn cells(&self, operand: Operand) -> impl Iterator<Item = u8> {
        let Values::Cells(cells) = self.primitive_set.operands().values(operand) else {
            unreachable!("operands that name registers")
        };
        cells.iter().copied()
    }

    /// Draws a register whose value carries information. The zero register is excluded. The goal is also excluded,
    /// because no earlier node has written it. For vector operands, scalar registers are excluded as well, except
    /// `s_ground`: its second component is always zero, so its direction distinguishes black from white.
    fn source(&self, operand: Operand, read: Read, draws: &mut Draws) -> f32 {
        let says = |cell: &u8| {
            let register = register_of(*cell);
            let known = match register.access {
                Access::ReadOnly => register.full != 0,
                Access::Scratch => matches!(read, Read::Known),
                Access::Goal => false,
            };
            known && (operand == Operand::Scalar || register.vector || usize::from(*cell) == GROUND)
        };
        let count = self.cells(operand).filter(says).count() as u32;
        let which = draws.below(count.max(1)) as usize;
        self.cells(operand).filter(says).nth(which).map_or(0.0, f32::from)
    }

    /// Draws a number within the operand's range. The magnitude of a gain is neither too small to have an effect, nor
    /// so great that it only saturates the wheels.
    pub fn number(&self, operand: Operand, draws: &mut Draws) -> f32 {
        let drawn = match operand {
            Operand::Float if self.kilobots => kilobot::constant(self, draws),
            Operand::Float => {
                let sign = if draws.unit() < 0.5 { 1.0 } else { -1.0 };
                sign * draws.range(GAIN_POWERS.0, GAIN_POWERS.1).exp2()
            }
            _ => return self.primitive_set.operands().draw(operand, draws),
        };
        let (low, high) = operand.range();
        drawn.clamp(low, high)
    }

    /// Draws a register for an operand that refers to a register.
    pub fn register(&self, operand: Operand, draws: &mut Draws) -> f32 {
        match operand {
            Operand::Scalar | Operand::Vector => self.source(operand, Read::Known, draws),
            _ => self.primitive_set.operands().draw(operand, draws),
        }
    }

    /// Returns whether a subtree consists only of a condition or an inverted condition.
    pub fn tests(&self, genes: &[Gene]) -> bool {
        let at = usize::from(matches!(genes[0], Gene::Node(node) if node.kind == Kind::Invert));
        match genes[at] {
            Gene::Node(node) => self.conditions.contains(&node.kind),
            Gene::Subtree(index) => self.condition_subtrees.contains(&index),
            Gene::Function(_) => false,
        }
    }
}

/// Returns whether a subtree is a condition: some leaf of it is a test, and no node sets the goal.
fn is_condition(tree: &Tree) -> bool {
    let sets_goal = |node: &Node| {
        let spec = node.kind.spec();
        let target = spec.operands.first().map(|first| first.operand);
        let writes_operand = matches!(target, Some(Operand::ScalarDest | Operand::VectorDest));
        spec.writes && (!writes_operand || register_of(node.operands[0] as u8).access == Access::Goal)
    };
    tree.nodes().iter().any(|node| node.children == 0 && is_test(node.kind)) && !tree.nodes().iter().any(sets_goal)
}

/// Returns whether a node writes no register, and can succeed and fail.
fn is_test(kind: Kind) -> bool {
    let spec = kind.spec();
    !spec.writes && spec.results.success && spec.results.failure
}

/// Creates a node whose children follow in preorder.
pub fn inner(kind: Kind, children: u16) -> Gene {
    Gene::Node(Node { kind, children, operands: [0.0; 4] })
}

/// Joins two subtrees under one node.
pub fn join(kind: Kind, first: Vec<Gene>, second: Vec<Gene>) -> Vec<Gene> {
    let mut genes = vec![inner(kind, 2)];
    genes.extend(first);
    genes.extend(second);
    genes
}
