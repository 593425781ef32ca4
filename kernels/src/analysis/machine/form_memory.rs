//! Ticks of a memoryless form on a robot. Between ticks, the robot keeps only its registers and variables.

use super::form::{Domain, Form};
use super::leaf::{Leaf, Role, Variable};
use super::leaf_machine::LeafMachine;
use super::memoryless::Memoryless;
use crate::math::Vec2;
use crate::random::Draws;
use crate::tree::{Blackboard, Senses, Status, leaf as tick_leaf};

/// State of a robot between ticks of a memoryless form: its registers and variables.
#[derive(Clone, Debug)]
pub struct FormMemory {
    /// Registers of the robot.
    pub board: Blackboard,
    variables: Vec<[i32; Role::COUNT]>,
}

impl FormMemory {
    /// Creates the initial memory of a robot that runs `memoryless`. All registers and variables are zero.
    pub fn new(memoryless: &Memoryless) -> FormMemory {
        FormMemory { board: Blackboard::default(), variables: vec![[0; Role::COUNT]; memoryless.owners.len()] }
    }

    /// Ticks the form once. Returns its status and the goal velocity, like [`Memory::tick`](crate::tree::Memory).
    ///
    /// # Panics
    /// Panics if the memory was created for a tree with fewer variables.
    pub fn tick(&mut self, form: &Form<Leaf>, senses: &Senses, draws: &mut Draws) -> (Status, Vec2) {
        self.board.sense(senses);
        let status = form.tick(&mut Robot { memory: self, draws });
        (status, self.board.goal())
    }

    /// Runs the state machine of a form from its start to an exit. The result equals that of [`FormMemory::tick`] for
    /// the form.
    pub fn walk(&mut self, machine: &LeafMachine<Leaf>, senses: &Senses, draws: &mut Draws) -> (Status, Vec2) {
        self.board.sense(senses);
        let status = machine.walk(&mut Robot { memory: self, draws });
        (status, self.board.goal())
    }
}

/// Context in which leaves are evaluated during one tick.
struct Robot<'a> {
    memory: &'a mut FormMemory,
    draws: &'a mut Draws,
}

impl Robot<'_> {
    fn cell(&mut self, variable: Variable) -> &mut i32 {
        &mut self.memory.variables[usize::from(variable.node) - 1][variable.role as usize]
    }
}

impl Domain for Robot<'_> {
    type Leaf = Leaf;

    fn leaf(&mut self, leaf: &Leaf) -> Status {
        let test = |holds| if holds { Status::Success } else { Status::Failure };
        match leaf {
            Leaf::Robot(leaf) => return tick_leaf(&leaf.code, &mut self.memory.board, self.draws),
            Leaf::Flag(flag, leaf) => {
                let status = tick_leaf(&leaf.code, &mut self.memory.board, self.draws);
                if status != Status::Running {
                    return status;
                }
                *self.cell(*flag) = 1;
                return Status::Failure;
            }
            Leaf::Is(variable, value) => return test(*self.cell(*variable) == *value),
            Leaf::Least(variable, value) => return test(*self.cell(*variable) >= *value),
            Leaf::Running => return Status::Running,
            Leaf::Set(variable, value) => *self.cell(*variable) = *value,
            Leaf::Add(variable, value) => *self.cell(*variable) += value,
            Leaf::Draw(variable, highest) => *self.cell(*variable) = 1 + self.draws.below(*highest) as i32,
        }
        Status::Success
    }
}
