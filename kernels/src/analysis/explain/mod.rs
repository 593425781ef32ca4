//! A tree in plain English: what each branch waits for and what it makes the wheels do (thesis 8.6.3, done by machine).
//!
//! The account is of the reduced tree. Facts come from the reduction's abstract tick: which results are possible, which
//! patterns of the camera and places of obstacles are left at a branch, and what scratch registers surely hold, so that
//! formulas speak of senses. Where nothing short is known, the wording is exact rather than smooth.

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

/// A tree explained.
#[derive(Clone, Debug, PartialEq)]
pub struct Account {
    /// Number of nodes before the reduction.
    pub before: usize,
    /// The reduced tree that the account is about.
    pub tree: Tree,
    /// What holds for the whole tree, a sentence each.
    pub notes: Vec<String>,
    /// The root.
    pub root: Item,
}

/// A node of the reduced tree explained.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The node's place in the reduced tree's preorder.
    pub node: usize,
    /// What it does, in words; begins with a capital and ends without a full stop.
    pub text: String,
    /// The goal velocity that it writes.
    pub formula: Option<String>,
    /// What the formula comes to in typical situations; empty if it depends on nothing.
    pub cases: Vec<Case>,
    /// What it is made of, in order.
    pub children: Vec<Item>,
}

/// Explains a tree.
pub fn explain(tree: &Tree) -> Account {
    let reduced = reduce(tree, Options::default()).tree;
    let (root, facts) = Facts::of(&reduced);
    let mut notes = vec![
        "Ten times a second the robot goes through the tree from the top. The first rule that writes v_goal decides \
         where the wheels take it; later writes in the same update change nothing."
            .to_string(),
    ];
    if let Some(tests) = tests_only(tree, &reduced) {
        notes = vec![tests];
    } else if facts.may_stand(&root) {
        notes.push("In an update in which no rule writes v_goal, the wheels stand still.".into());
    }
    if facts.names_registers() {
        notes.push(
            "Scratch registers (s_scr, v_scr) keep what was set until it is set again, also between updates.".into(),
        );
    }
    let root = tell::tell(&root, &facts);
    if root.any(&|item| !item.cases.is_empty()) {
        notes.push("Below a formula: what it comes to in typical situations, with the speeds of the left and right wheel in m/s.".into());
    }
    if root.any(&|item| item.cases.iter().any(|case| case.when.starts_with("heading"))) {
        notes.push("Headings count from upfield (+x) to the left.".into());
    }
    Account { before: tree.nodes().len(), tree: reduced, notes, root }
}

/// For a tree of which nothing is left: that it never drives, and what it tests for a larger tree.
fn tests_only(tree: &Tree, reduced: &Tree) -> Option<String> {
    if !matches!(reduced.nodes()[0].kind, Kind::Successl | Kind::Failurel) {
        return None;
    }
    let (root, facts) = Facts::of(tree);
    let alone = "Alone, this tree never moves the wheels";
    Some(match conditions::condition(&root, &facts) {
        Some(condition) => {
            format!("{alone}. In a larger tree it succeeds if {}, else it fails.", conditions::after_if(&[condition]))
        }
        None => format!("{alone}."),
    })
}

impl Account {
    /// The same for robots in this world: what is blue is a frisbee only where the task moves a blue disc, and red is not
    /// surely a robot where patches are red too.
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
    /// Gives every text of the item and of those below it to `change`.
    fn each(&mut self, change: &mut impl FnMut(&mut String)) {
        change(&mut self.text);
        for case in &mut self.cases {
            change(&mut case.when);
            change(&mut case.does);
        }
        self.children.iter_mut().for_each(|child| child.each(change));
    }

    /// True if `what` holds for the item or one below it.
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
