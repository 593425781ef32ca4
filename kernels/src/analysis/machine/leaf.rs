//! Leaves of a robot's tree in memoryless form: the original leaves, and leaves that use explicit integer variables.

use crate::tree::registers::GOAL;
use crate::tree::{Instruction, Kind, Node, Results, Status, decode};
use std::fmt;

/// Purpose of a variable that belongs to a node with memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// State of the node as in Figure 3.7: idle, active or running.
    State,
    /// Number of the child to tick, counted from 1.
    Index,
    /// Number of successes. For `repeati` and `repeatr`, it is the number of successes that are still required. For
    /// `par`, it is the number of children that succeeded in this tick.
    Count,
    /// Number of children of `par` that did not fail in this tick.
    Possible,
    /// Flag that is 1 if a leaf below the current child of `par` was running.
    Running,
}

impl Role {
    /// Number of roles.
    pub const COUNT: usize = 5;
    /// Value of [`Role::State`] for a node that was not running in the last update, because it was not ticked or ended
    /// with another result.
    pub const IDLE: i32 = 0;
    /// Value of [`Role::State`] for a node that was running in the last update.
    pub const ACTIVE: i32 = 1;
    /// Value of [`Role::State`] for a node that is running in this update.
    pub const RUNNING: i32 = 2;
}

/// Integer variable on the blackboard. Its name, such as `s3`, has the letter of the role and the number of the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Purpose of the variable.
    pub role: Role,
    /// Number of the variable's node among the nodes that need variables, counted from 1.
    pub node: u16,
}

/// Leaf of the node table in decoded form.
#[derive(Clone, Debug, PartialEq)]
pub struct RobotLeaf {
    node: Node,
    pub(super) code: Instruction,
}

/// Leaf of the memoryless form.
#[derive(Clone, Debug, PartialEq)]
pub enum Leaf {
    /// Leaf of the node table.
    Robot(RobotLeaf),
    /// Leaf of the node table that must not return running. If its original result is running, the leaf sets the
    /// variable to 1 and returns failure.
    Flag(Variable, RobotLeaf),
    /// Sets the variable to a value. Always succeeds.
    Set(Variable, i32),
    /// Adds a value to the variable. Always succeeds.
    Add(Variable, i32),
    /// Sets the variable to a random number from 1 to the given number. Always succeeds.
    Draw(Variable, u32),
    /// Succeeds if the variable equals the value.
    Is(Variable, i32),
    /// Succeeds if the variable is at least the value.
    Least(Variable, i32),
    /// Returns running in every tick.
    Running,
}

impl RobotLeaf {
    /// Creates a primitive leaf of the node table. The node must not represent a subtree.
    pub(super) fn new(node: Node) -> RobotLeaf {
        RobotLeaf { node, code: decode(&node) }
    }

    /// Returns the possible results according to the node table. Only a leaf that writes v_goal can be running.
    fn results(&self) -> Results {
        let results = self.node.kind.spec().results;
        let goal = usize::from(self.code.d) & !1 == GOAL || matches!(self.node.kind, Kind::Upfield | Kind::Attract);
        Results { running: results.running && goal, ..results }
    }
}

impl Leaf {
    /// Returns the possible results of the leaf.
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

/// Formats a value of a variable for readers. The values of states are formatted as names.
fn word(variable: Variable, value: i32) -> String {
    match (variable.role, value) {
        (Role::State, Role::IDLE) => "idle".into(),
        (Role::State, Role::ACTIVE) => "active".into(),
        (Role::State, Role::RUNNING) => "running".into(),
        _ => value.to_string(),
    }
}
