//! Explanation of a tree in English: the condition of each branch and the resulting motion. This is an automatic
//! version of the analysis in thesis 8.6.3.
//!
//! The account describes the reduced tree. The abstract tick of the reduction provides the facts: the possible
//! results, camera patterns and obstacle positions at each branch, and the known contents of scratch registers.
//! Formulas can therefore refer to senses. If no short description is possible, the text is exact but less fluent.

mod cases;
mod conditions;
mod drive;
mod facts;
mod formula;
mod linear;
mod motion;
mod network;
mod render;
mod tell;
mod words;

pub use cases::Case;
pub use render::{Part, to_markdown, to_text};

use super::reduce::{Options, reduce};
use crate::tree::{Kind, Tree};
use crate::world::{Colour, WorldSpec};
use facts::Facts;

/// Explanation of a tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Account {
    /// Number of nodes before the reduction.
    pub before: usize,
    /// Reduced tree, which the explanation describes.
    pub tree: Tree,
    /// Notes about the whole tree. Each note is one sentence.
    pub notes: Vec<String>,
    /// Explanation of the root.
    pub root: Item,
}

/// Explanation of a node of the reduced tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Index of the node in the reduced tree's preorder.
    pub node: usize,
    /// Description, which starts with a capital letter and ends without a full stop.
    pub text: String,
    /// Formula of the goal velocity that the node writes; `None` for nodes that write no goal velocity.
    pub formula: Option<String>,
    /// Results of the formula in typical situations. Empty if the formula is constant.
    pub cases: Vec<Case>,
    /// Explanations of the node's parts, in order.
    pub children: Vec<Item>,
}

/// Explains a tree in English.
pub fn explain(tree: &Tree) -> Account {
    let reduced = reduce(tree, Options::default()).tree;
    let (root, facts) = Facts::from_tree(&reduced);
    let mut notes = vec![
        "Ten times a second the robot goes through the tree from the top. The first rule that writes v_goal sets the \
         speeds of the wheels; later writes in the same update change nothing."
            .to_string(),
    ];
    if let Some(tests) = tests_only(tree, &reduced) {
        notes = vec![tests];
    } else if facts.may_end_unwritten(&root) {
        notes.push("If no rule writes v_goal in an update, the wheels stand still.".into());
    }
    if facts.names_registers() {
        notes.push(
            "Scratch registers (s_scr, v_scr) keep their value until it is set again, also between updates.".into(),
        );
    }
    let root = tell::explain_subtree(&root, &facts);
    if root.any(&|item| !item.cases.is_empty()) {
        notes.push(
            "Below a formula: its result in typical situations, with the speeds of the left and right wheel in m/s."
                .into(),
        );
    }
    if root.any(&|item| item.cases.iter().any(|case| case.when.starts_with("heading"))) {
        notes.push("Headings count from upfield (+x) to the left.".into());
    }
    Account { before: tree.nodes().len(), tree: reduced, notes, root }
}

/// Returns a note for a tree that reduces to a constant; `None` for other trees. Such a tree never drives, but it can
/// serve as a condition in a larger tree.
fn tests_only(tree: &Tree, reduced: &Tree) -> Option<String> {
    if !matches!(reduced.nodes()[0].kind, Kind::Successl | Kind::Failurel) {
        return None;
    }
    let (root, facts) = Facts::from_tree(tree);
    let alone = "Alone, this tree never moves the wheels";
    Some(match conditions::condition(&root, &facts) {
        Some(condition) => {
            format!(
                "{alone}. In a larger tree it succeeds if {}; otherwise it fails.",
                conditions::after_if(&[condition])
            )
        }
        None => format!("{alone}."),
    })
}

impl Account {
    /// Adapts the account to a world. Blue is called a frisbee only if the task is to move a blue disc. Red is called
    /// another robot only if the world has no red patches.
    pub fn for_world(mut self, spec: &WorldSpec) -> Account {
        let frisbee =
            spec.task.moves_disc() && spec.discs.first().is_some_and(|disc| disc.shape.colour == Colour::Blue);
        let patches = spec.patches.iter().any(|patch| patch.colour == Colour::Red);
        self.root.each(&mut |text| {
            if !frisbee {
                *text = text.replace("the frisbee (blue)", "blue").replace("the frisbee", "blue");
            }
            if patches {
                *text = text.replace("red (another robot)", "red");
            }
        });
        self
    }
}

impl Item {
    /// Applies `change` to all texts of the item and its descendants, except formulas.
    fn each(&mut self, change: &mut impl FnMut(&mut String)) {
        change(&mut self.text);
        for case in &mut self.cases {
            change(&mut case.when);
            change(&mut case.does);
        }
        self.children.iter_mut().for_each(|child| child.each(change));
    }

    /// Returns whether `what` returns true for the item or for any descendant.
    fn any(&self, what: &impl Fn(&Item) -> bool) -> bool {
        what(self) || self.children.iter().any(|child| child.any(what))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::task::Task;

    #[test]
    fn blue_is_a_frisbee_only_where_one_is_to_be_moved() {
        let tree =
            Tree::parse("sel\n  avoiding\n  seq\n    bfront\n    mulav v_goal v_up 2 v_blue\n  bsearch 20\n").unwrap();
        let told = |spec: &WorldSpec| to_text(&explain(&tree).for_world(spec), |_| None, |_, words| words.into());
        let mut spec = WorldSpec::benchmark(9);
        assert!(told(&spec).contains("the frisbee"));
        spec.discs[0].shape.colour = Colour::Green;
        assert!(!told(&spec).contains("the frisbee"));
        spec = WorldSpec { task: Task::Coverage { cell: 0.1 }, ..WorldSpec::benchmark(9) };
        let coverage = told(&spec);
        assert!(!coverage.contains("frisbee") && coverage.contains("if blue is dead ahead"), "{coverage}");
    }
}
