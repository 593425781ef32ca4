//! Branch of a genotype: one tree in preorder, in which a leaf may represent another tree.

use serde::{Deserialize, Serialize};
use xpuck_kernels::tree::{Kind, Node, Tree};

/// Element of a branch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gene {
    /// Node of the robots' language.
    Node(Node),
    /// Leaf that represents the subtree with this index in the primitive set.
    Subtree(u16),
    /// Leaf that calls the function with this index, from 0, in the same genotype.
    Function(u16),
}

impl Gene {
    /// Returns the number of children: 0 for a subtree or function.
    pub fn children(&self) -> u16 {
        match self {
            Gene::Node(node) => node.children,
            Gene::Subtree(_) | Gene::Function(_) => 0,
        }
    }
}

/// Branch of a genotype: one or more genes in preorder, with all children of every gene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "Packed", try_from = "Packed")]
pub struct Branch {
    genes: Vec<Gene>,
}

impl Branch {
    /// Creates a branch from genes in preorder.
    ///
    /// # Panics
    /// Panics if the child counts do not describe exactly one tree. Callers must pass only valid genes.
    pub fn from_preorder(genes: Vec<Gene>) -> Branch {
        let branch = Branch { genes };
        assert_eq!(branch.end(0), branch.genes.len(), "child counts must describe one whole tree");
        branch
    }

    /// Returns the genes in preorder.
    pub fn genes(&self) -> &[Gene] {
        &self.genes
    }

    /// Replaces the gene at `at` by a gene with the same number of children.
    pub(crate) fn set(&mut self, at: usize, gene: Gene) {
        assert_eq!(gene.children(), self.genes[at].children(), "only a gene of the same arity fits");
        self.genes[at] = gene;
    }

    /// Returns the index after the last gene of the subtree that starts at `at`.
    pub fn end(&self, at: usize) -> usize {
        let mut open = 1usize;
        let mut i = at;
        while open > 0 {
            open = open - 1 + usize::from(self.genes[i].children());
            i += 1;
        }
        i
    }

    /// Returns the genes of the subtree that starts at `at`.
    pub fn subtree(&self, at: usize) -> &[Gene] {
        &self.genes[at..self.end(at)]
    }

    /// Returns a copy of the branch in which the subtree at `at` is replaced by `with`.
    pub fn replace(&self, at: usize, with: &[Gene]) -> Branch {
        let rest = &self.genes[self.end(at)..];
        let mut genes = Vec::with_capacity(at + with.len() + rest.len());
        genes.extend_from_slice(&self.genes[..at]);
        genes.extend_from_slice(with);
        genes.extend_from_slice(rest);
        Branch { genes }
    }
}

/// Serialised form of a branch: a tree in compact form, and a list of the subtree and function leaves with their
/// positions in the tree.
#[derive(Serialize, Deserialize)]
struct Packed {
    tree: Tree,
    calls: Vec<(u16, Call)>,
}

#[derive(Serialize, Deserialize)]
enum Call {
    Subtree(u16),
    Function(u16),
}

impl From<Branch> for Packed {
    fn from(branch: Branch) -> Packed {
        let mut calls = Vec::new();
        let mut node = |(at, gene): (usize, &Gene)| {
            match *gene {
                Gene::Node(node) => return node,
                Gene::Subtree(i) => calls.push((at as u16, Call::Subtree(i))),
                Gene::Function(i) => calls.push((at as u16, Call::Function(i))),
            }
            Node::new(Kind::Successl, 0, &[])
        };
        let nodes = branch.genes.iter().enumerate().map(&mut node).collect();
        Packed { tree: Tree::from_preorder(nodes), calls }
    }
}

impl TryFrom<Packed> for Branch {
    type Error = &'static str;

    fn try_from(packed: Packed) -> Result<Branch, &'static str> {
        let mut genes: Vec<Gene> = packed.tree.nodes().iter().copied().map(Gene::Node).collect();
        for (at, call) in packed.calls {
            let place = genes.get_mut(usize::from(at)).filter(|gene| gene.children() == 0);
            *place.ok_or("a call is not at a leaf")? = match call {
                Call::Subtree(i) => Gene::Subtree(i),
                Call::Function(i) => Gene::Function(i),
            };
        }
        Ok(Branch { genes })
    }
}
