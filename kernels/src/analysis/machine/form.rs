//! Trees of memoryless nodes with any type of leaves.

use crate::tree::{Kind, Status, decorate};
use std::fmt;

/// Tree of the thesis's memoryless nodes (Table 3.3). A [`Domain`] defines the meaning of the leaves.
#[derive(Clone, Debug, PartialEq)]
pub enum Form<L> {
    /// Ticks children in order until one does not succeed.
    Seq(Vec<Form<L>>),
    /// Ticks children in order until one does not fail.
    Sel(Vec<Form<L>>),
    /// Returns running while the child is running, otherwise success.
    Successd(Box<Form<L>>),
    /// Returns running while the child is running, otherwise failure.
    Failed(Box<Form<L>>),
    /// Returns failure if the child succeeds, success if the child fails, and running while the child is running.
    Invert(Box<Form<L>>),
    /// Leaf, which a [`Domain`] ticks.
    Leaf(L),
}

/// Interpreter that ticks leaves and holds the state that they need.
pub trait Domain {
    /// Type of the leaves that the interpreter ticks.
    type Leaf;

    /// Ticks a leaf and returns its result.
    fn leaf(&mut self, leaf: &Self::Leaf) -> Status;
}

impl<L> Form<L> {
    /// Creates `successd` with a child.
    pub fn successd(child: Form<L>) -> Form<L> {
        Form::Successd(Box::new(child))
    }

    /// Creates `failed` with a child.
    pub fn failed(child: Form<L>) -> Form<L> {
        Form::Failed(Box::new(child))
    }

    /// Creates `invert` with a child.
    pub fn invert(child: Form<L>) -> Form<L> {
        Form::Invert(Box::new(child))
    }

    /// Ticks the tree once. The depth of the recursion is the depth of the tree.
    pub fn tick<D: Domain<Leaf = L>>(&self, domain: &mut D) -> Status {
        match self {
            Form::Seq(children) => until(children, Status::Success, domain),
            Form::Sel(children) => until(children, Status::Failure, domain),
            Form::Successd(child) => decorate(Kind::Successd, child.tick(domain)),
            Form::Failed(child) => decorate(Kind::Failed, child.tick(domain)),
            Form::Invert(child) => decorate(Kind::Invert, child.tick(domain)),
            Form::Leaf(leaf) => domain.leaf(leaf),
        }
    }

    /// Returns the number of nodes of the tree.
    pub fn size(&self) -> usize {
        1 + self.children().iter().map(Form::size).sum::<usize>()
    }

    /// Returns the children of the root, in order.
    pub fn children(&self) -> &[Form<L>] {
        match self {
            Form::Seq(children) | Form::Sel(children) => children,
            Form::Successd(child) | Form::Failed(child) | Form::Invert(child) => std::slice::from_ref(child),
            Form::Leaf(_) => &[],
        }
    }
}

/// Ticks children until the result of one differs from `next`. Returns this result, or `next` if all results are
/// `next`.
fn until<L, D: Domain<Leaf = L>>(children: &[Form<L>], next: Status, domain: &mut D) -> Status {
    children.iter().map(|child| child.tick(domain)).find(|status| *status != next).unwrap_or(next)
}

impl<L: fmt::Display> fmt::Display for Form<L> {
    /// Writes one node per line, indented by two spaces per level, like the text form of trees.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        line(self, 0, f)
    }
}

fn line<L: fmt::Display>(form: &Form<L>, level: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "{:1$}", "", 2 * level)?;
    let kind = match form {
        Form::Seq(_) => Kind::Seq,
        Form::Sel(_) => Kind::Sel,
        Form::Successd(_) => Kind::Successd,
        Form::Failed(_) => Kind::Failed,
        Form::Invert(_) => Kind::Invert,
        Form::Leaf(leaf) => return writeln!(f, "{leaf}"),
    };
    writeln!(f, "{}", kind.spec().name)?;
    form.children().iter().try_for_each(|child| line(child, level + 1, f))
}
