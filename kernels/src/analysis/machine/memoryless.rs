//! Conversion of a tree to memoryless nodes (thesis 3.1.6). The memory of nodes becomes integer variables on the
//! blackboard.

use super::form::Form;
use super::leaf::{Leaf, RobotLeaf, Role, Variable};
use super::parallel::par;
use crate::tree::{CompileError, Kind, LegacyBlueSides, Node, Program, Tree, expanded};
use std::fmt;

/// A tree in memoryless form. Ticked with a [`FormMemory`](super::FormMemory), it behaves identically to the
/// original.
#[derive(Clone, Debug, PartialEq)]
pub struct Memoryless {
    /// Sequence of the resets of thesis Figure 3.8, followed by the converted tree. If no node needs a reset, the form
    /// consists of only the converted tree.
    pub form: Form<Leaf>,
    /// Nodes that need variables, each with its position in preorder (from 1, after the expansion of subtrees). The
    /// variables of the first of these nodes have number 1, those of the second have number 2, and so on.
    pub owners: Vec<(usize, Node)>,
}

impl Memoryless {
    /// Converts a tree. Returns the errors of [`Program::compile`], and [`CompileError::HasMemory`] for a tree with a
    /// network.
    pub fn from_tree(tree: &Tree) -> Result<Memoryless, CompileError> {
        Program::compile(tree)?;
        if tree.has_network() {
            return Err(CompileError::HasMemory);
        }
        let (nodes, _) = expanded(tree, LegacyBlueSides::No);
        let mut rewriting = Rewriting { nodes: &nodes, at: 0, owners: Vec::new() };
        let body = rewriting.node();
        let owners = rewriting.owners;
        let mut steps: Vec<Form<Leaf>> = (1..=owners.len() as u16)
            .filter(|number| owners[usize::from(*number) - 1].1.kind != Kind::Par)
            .map(|number| reset(Variable { role: Role::State, node: number }))
            .collect();
        let form = if steps.is_empty() {
            body
        } else {
            steps.push(body);
            Form::Seq(steps)
        };
        Ok(Memoryless { form, owners })
    }
}

/// Returns the reset of thesis Figure 3.8: the state of a running node becomes active, and any other state becomes
/// idle.
fn reset(state: Variable) -> Form<Leaf> {
    let was_running = vec![is(state, Role::RUNNING), set(state, Role::ACTIVE)];
    Form::Sel(vec![Form::Seq(was_running), set(state, Role::IDLE)])
}

fn is(variable: Variable, value: i32) -> Form<Leaf> {
    Form::Leaf(Leaf::Is(variable, value))
}

fn set(variable: Variable, value: i32) -> Form<Leaf> {
    Form::Leaf(Leaf::Set(variable, value))
}

struct Rewriting<'a> {
    nodes: &'a [Node],
    at: usize,
    owners: Vec<(usize, Node)>,
}

impl Rewriting<'_> {
    /// Converts the subtree that starts at node `self.at`, and advances `self.at` past the subtree.
    fn node(&mut self) -> Form<Leaf> {
        let node = self.nodes[self.at];
        self.at += 1;
        if node.kind.has_memory() {
            self.owners.push((self.at, node));
        }
        let number = self.owners.len() as u16;
        let mut children: Vec<Form<Leaf>> = (0..node.children).map(|_| self.node()).collect();
        match node.kind {
            Kind::Seq => Form::Seq(children),
            Kind::Sel => Form::Sel(children),
            Kind::Seqm => seqm(children, number),
            Kind::Selm => selm(children, number),
            Kind::Par => par(node.operands[0] as i32, children, number),
            Kind::Successd => Form::successd(children.remove(0)),
            Kind::Failed => Form::failed(children.remove(0)),
            Kind::Invert => Form::invert(children.remove(0)),
            Kind::Repeati | Kind::Repeatr => repeat(&node, children.remove(0), number),
            _ => Form::Leaf(Leaf::Robot(RobotLeaf::new(node))),
        }
    }
}

/// Converts `seqm` (thesis Figure 3.9). Each child is enclosed in a wrapper. If the stored index is not the child's
/// number, the wrapper succeeds without a tick of the child.
fn seqm(children: Vec<Form<Leaf>>, number: u16) -> Form<Leaf> {
    let (state, index) = of_composite(number);
    let mut steps = vec![Form::Sel(vec![is(state, Role::ACTIVE), set(index, 1)])];
    for (i, child) in (1..).zip(children) {
        let succeeded = vec![child, set(state, Role::IDLE), set(index, i + 1)];
        let turn = Form::Sel(vec![Form::Seq(succeeded), Form::failed(set(state, Role::IDLE))]);
        let turn = Form::Seq(vec![set(state, Role::RUNNING), turn]);
        steps.push(Form::Sel(vec![Form::invert(is(index, i)), turn]));
    }
    Form::Seq(steps)
}

/// Converts `selm` like [`seqm`], but continues after a failed child instead of a successful one.
fn selm(children: Vec<Form<Leaf>>, number: u16) -> Form<Leaf> {
    let (state, index) = of_composite(number);
    let mut steps = vec![Form::failed(Form::Sel(vec![is(state, Role::ACTIVE), set(index, 1)]))];
    for (i, child) in (1..).zip(children) {
        let succeeded = Form::Seq(vec![child, set(state, Role::IDLE)]);
        let failed = Form::failed(Form::Seq(vec![set(state, Role::IDLE), set(index, i + 1)]));
        let turn = Form::Sel(vec![succeeded, failed]);
        steps.push(Form::Seq(vec![is(index, i), set(state, Role::RUNNING), turn]));
    }
    Form::Sel(steps)
}

fn of_composite(number: u16) -> (Variable, Variable) {
    (Variable { role: Role::State, node: number }, Variable { role: Role::Index, node: number })
}

/// Converts `repeati` and `repeatr` (thesis Algorithms 9 and 10). The counter contains the number of remaining
/// successes.
fn repeat(node: &Node, child: Form<Leaf>, number: u16) -> Form<Leaf> {
    let state = Variable { role: Role::State, node: number };
    let count = Variable { role: Role::Count, node: number };
    let n = node.operands[0] as u32;
    let start = if node.kind == Kind::Repeati { set(count, n as i32) } else { Form::Leaf(Leaf::Draw(count, n)) };
    let done = Form::Seq(vec![is(count, 0), set(state, Role::IDLE)]);
    let once_more = Form::Sel(vec![done, Form::Leaf(Leaf::Running)]);
    let succeeded = Form::Seq(vec![child, Form::Leaf(Leaf::Add(count, -1)), once_more]);
    Form::Seq(vec![
        Form::Sel(vec![is(state, Role::ACTIVE), start]),
        set(state, Role::RUNNING),
        Form::Sel(vec![succeeded, Form::failed(set(state, Role::IDLE))]),
    ])
}

impl Memoryless {
    /// Returns a description of the variables: one comment line per node with variables.
    pub fn legend(&self) -> String {
        let line = |(number, (at, node)): (usize, &(usize, Node))| {
            let held = match node.kind {
                Kind::Seqm | Kind::Selm => format!("s{number}: its state, i{number}: the child to tick"),
                Kind::Par => format!(
                    "c{number}: successes, p{number}: children that did not fail, r{number}: whether a leaf was running"
                ),
                _ => format!("s{number}: its state, c{number}: remaining successes"),
            };
            format!("# {node} (node {at}): {held}\n")
        };
        (1..).zip(&self.owners).map(line).collect()
    }
}

impl fmt::Display for Memoryless {
    /// Writes the legend, followed by the form.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.legend(), self.form)
    }
}
