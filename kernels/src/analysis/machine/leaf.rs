//! Leaves of a robot's tree in memoryless form: its original leaves, and leaves for explicit integer variables.

use crate::tree::registers::GOAL;
use crate::tree::{Instruction, Kind, Node, Results, Status, decode};
use std::fmt;

/// Purpose of a variable for a node with memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Idle, active or running: the state of Figure 3.7.
    State,
    /// Child to tick, from 1.
    Index,
    /// Successes: the remaining successes of `repeati` and `repeatr`, or the successes of `par` in this tick.
    Count,
    /// Number of children of `par` that did not fail in this tick.
    Possible,
    /// 1 if a leaf below the current child of `par` was running.
    Running,
}

impl Role {
    /// Number of roles.
    pub const COUNT: usize = 5;
    /// Value of [`Role::State`]: not ticked or not running in the last update.
    pub const IDLE: i32 = 0;
    /// Value of [`Role::State`]: running in the last update.
    pub const ACTIVE: i32 = 1;
    /// Value of [`Role::State`]: running in this update.
    pub const RUNNING: i32 = 2;
}

/// An integer variable on the blackboard, named like `s3`: letter of the role and number of its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Purpose.
    pub role: Role,
    /// Number of the node, from 1, among the nodes that need variables.
    pub node: u16,
}

/// A decoded leaf of the node table.
#[derive(Clone, Debug, PartialEq)]
pub struct RobotLeaf {
    node: Node,
    pub(super) code: Instruction,
}

/// A leaf of the memoryless form.
#[derive(Clone, Debug, PartialEq)]
pub enum Leaf {
    /// A leaf of the node table.
    Robot(RobotLeaf),
    /// A leaf of the node table for places where running is not allowed: it fails instead and sets the variable to 1.
    Flag(Variable, RobotLeaf),
    /// Sets a variable; always succeeds.
    Set(Variable, i32),
    /// Adds to a variable; always succeeds.
    Add(Variable, i32),
    /// Sets a variable to a random number from 1 to the given number; always succeeds.
    Draw(Variable, u32),
    /// Succeeds if the variable equals the value.
    Is(Variable, i32),
    /// Succeeds if the variable is at least the value.
    Least(Variable, i32),
    /// Always running.
    Running,
}

impl RobotLeaf {
    /// Creates a primitive leaf of the node table, which must not stand for a subtree.
    pub(super) fn new(node: Node) -> RobotLeaf {
        RobotLeaf { node, code: decode(&node) }
    }

    /// Possible results: those of the node table, but only writes to v_goal can be running.
    fn results(&self) -> Results {
        let results = self.node.kind.spec().results;
        let goal = usize::from(self.code.d) & !1 == GOAL || matches!(self.node.kind, Kind::Upfield | Kind::Attract);
        Results { running: results.running && goal, ..results }
    }
}

impl Leaf {
    /// Possible results of the leaf.
    pub fn results(&self) -> Results {
        match self {
            Leaf::Robot(leaf) => leaf.results(),
            Leaf::Flag(_, leaf) => {
                let results = leaf.results();
                Results { failure: results.failure || results.running, running: false, ..results }
            }
            Leaf::Set(..) | Leaf::Add(..) | Leaf::Draw(..) => only(Status::Success),
            Leaf::Is(..) | Leaf::Least(..) => Results { success: true, failure: true, running: false },
            Leaf::Running => only(Status::Running),
        }
    }
}

fn only(status: Status) -> Results {
    Results {
        success: status == Status::Success,
        failure: status == Status::Failure,
        running: status == Status::Running,
    }
}

impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = match self.role {
            Role::State => 's',
            Role::Index => 'i',
            Role::Count => 'c',
            Role::Possible => 'p',
            Role::Running => 'r',
        };
        write!(f, "{letter}{}", self.node)
    }
}

impl fmt::Display for Leaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Leaf::Robot(leaf) => leaf.node.fmt(f),
            Leaf::Flag(variable, leaf) => write!(f, "note {variable} {}", leaf.node),
            Leaf::Set(variable, value) => write!(f, "set {variable} {}", word(*variable, *value)),
            Leaf::Add(variable, value) => write!(f, "add {variable} {value}"),
            Leaf::Draw(variable, highest) => write!(f, "draw {variable} {highest}"),
            Leaf::Is(variable, value) => write!(f, "is {variable} {}", word(*variable, *value)),
            Leaf::Least(variable, value) => write!(f, "least {variable} {value}"),
            Leaf::Running => write!(f, "runningl"),
        }
    }
}

/// Formats a value for readers: states have names.
fn word(variable: Variable, value: i32) -> String {
    match (variable.role, value) {
        (Role::State, Role::IDLE) => "idle".into(),
        (Role::State, Role::ACTIVE) => "active".into(),
        (Role::State, Role::RUNNING) => "running".into(),
        _ => value.to_string(),
    }
}
