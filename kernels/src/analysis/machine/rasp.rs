//! A universal computer as a tree (thesis 3.1.9): the RASP machine of Table 3.5, with one instruction per tick.
//!
//! The blackboard contains an accumulator A, an instruction pointer PC, and registers X for program and data. The
//! thesis uses unbounded integers and an unbounded number of registers. This implementation limits both, and returns
//! a [`Fault`] if a limit is exceeded.

use super::form::{Domain, Form};
use crate::tree::{Status, shorten};
use std::fmt;

/// Limit of register indices: the registers are X(-LIMIT) to X(LIMIT - 1).
pub const LIMIT: i64 = 4096;

/// A leaf of the machine's tree. In the descriptions of the leaves, X(PC) is the opcode, and j = X(PC + 1) is its
/// parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaspLeaf {
    /// Succeeds if the opcode equals this value.
    Opcode(i64),
    /// Loads the parameter: A <- j.
    Load,
    /// Adds a register: A <- A + X(j).
    Add,
    /// Subtracts a register: A <- A - X(j).
    Subtract,
    /// Stores the accumulator in a register: X(j) <- A.
    Store,
    /// Succeeds if A > 0.
    Positive,
    /// Jumps to the parameter: PC <- j.
    Branch,
    /// Advances to the next instruction: PC <- PC + 2.
    Advance,
    /// Always returns running.
    Running,
    /// Succeeds unless a fault occurred in this tick. After a fault, all leaves fail.
    Sound,
}

/// Reason why a machine cannot continue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// An instruction refers to a register that does not exist.
    #[error("PC = {pc}: register X({index}) does not exist; valid are X({0}) to X({1})", -LIMIT, LIMIT - 1)]
    Register {
        /// Value of PC at the fault.
        pc: i64,
        /// Index of the register that does not exist.
        index: i64,
    },
    /// The result of a calculation exceeds 64 bits.
    #[error("PC = {pc}: the result does not fit in 64 bits")]
    Overflow {
        /// Value of PC at the fault.
        pc: i64,
    },
    /// The machine did not halt within the allowed number of instructions.
    #[error("the program did not halt within {0} instructions")]
    Steps(u64),
    /// The program is longer than the sequence of registers from X(0) on.
    #[error("the program has {0} numbers; at most {LIMIT} fit in the registers from X(0) on")]
    Length(usize),
}

/// State of a RASP machine.
#[derive(Clone, Debug)]
pub struct Rasp {
    a: i64,
    pc: i64,
    x: Vec<i64>,
    fault: Option<Fault>,
}

/// Mnemonics of Table 3.5 with their opcodes. Opcodes that are not in the table halt the machine, like `halt`.
const MNEMONICS: [(&str, i64); 6] = [("halt", 0), ("ldi", 1), ("add", 2), ("sub", 3), ("st", 4), ("bp", 5)];

/// Parses a program, which consists of integers and mnemonics separated by white space. A `#` starts a comment. Error
/// messages contain the line number and the invalid word.
pub fn assemble(text: &str) -> Result<Vec<i64>, String> {
    let mut program = Vec::new();
    for (line, code) in (1..).zip(text.lines()) {
        for word in code.split('#').next().unwrap_or("").split_whitespace() {
            let opcode = MNEMONICS.iter().find(|m| m.0 == word).map(|m| m.1);
            program.push(opcode.or_else(|| word.parse().ok()).ok_or_else(|| {
                let word = shorten(word);
                format!("line {line}: `{word}` is not a 64-bit integer or one of halt, ldi, add, sub, st, bp")
            })?);
        }
    }
    Ok(program)
}

/// Returns a tree that executes one instruction per tick. The tree returns running after an instruction, success on a
/// halt, and failure on a fault. All opcodes except 1 to 5 halt the machine.
pub fn rasp_tree() -> Form<RaspLeaf> {
    use RaspLeaf::{Add, Advance, Branch, Load, Opcode, Positive, Running, Sound, Store, Subtract};
    let leaves = |leaves: &[RaspLeaf]| Form::Seq(leaves.iter().map(|leaf| Form::Leaf(*leaf)).collect());
    let branch = Form::Sel(vec![leaves(&[Positive, Branch]), Form::Leaf(Advance)]);
    let instructions = Form::Sel(vec![
        leaves(&[Opcode(1), Load, Advance]),
        leaves(&[Opcode(2), Add, Advance]),
        leaves(&[Opcode(3), Subtract, Advance]),
        leaves(&[Opcode(4), Store, Advance]),
        Form::Seq(vec![Form::Leaf(Opcode(5)), branch]),
    ]);
    Form::Sel(vec![Form::Seq(vec![instructions, Form::Leaf(Running)]), Form::Leaf(Sound)])
}

impl Rasp {
    /// Creates a machine with a program in the registers from X(0) on. A, PC and all other registers are 0. Returns
    /// [`Fault::Length`] if the program does not fit.
    pub fn new(program: &[i64]) -> Result<Rasp, Fault> {
        let mut x = vec![0; 2 * LIMIT as usize];
        let room = x[LIMIT as usize..].get_mut(..program.len()).ok_or(Fault::Length(program.len()))?;
        room.copy_from_slice(program);
        Ok(Rasp { a: 0, pc: 0, x, fault: None })
    }

    /// Returns the accumulator A.
    pub fn a(&self) -> i64 {
        self.a
    }

    /// Returns the instruction pointer PC.
    pub fn pc(&self) -> i64 {
        self.pc
    }

    /// Returns the value of a register, or `None` if the register does not exist.
    pub fn x(&self, index: i64) -> Option<i64> {
        Some(self.x[place(index)?])
    }

    /// Executes one instruction. Returns true if this instruction halts the machine. Such an instruction does not
    /// change the state.
    pub fn tick(&mut self, tree: &Form<RaspLeaf>) -> Result<bool, Fault> {
        self.fault = None;
        let status = tree.tick(self);
        self.fault.map_or(Ok(status == Status::Success), Err)
    }

    /// Executes instructions until the machine halts, and returns the number of executed instructions. Returns
    /// [`Fault::Steps`] if the machine does not halt after `steps` instructions.
    pub fn run(&mut self, tree: &Form<RaspLeaf>, steps: u64) -> Result<u64, Fault> {
        for done in 0..=steps {
            if self.tick(tree)? {
                return Ok(done);
            }
        }
        Err(Fault::Steps(steps))
    }
}

/// Returns the index of a register in the storage; `None` if the register does not exist.
fn place(index: i64) -> Option<usize> {
    (-LIMIT..LIMIT).contains(&index).then(|| (index + LIMIT) as usize)
}

impl Rasp {
    fn cell(&mut self, index: i64) -> Result<&mut i64, Fault> {
        let at = place(index).ok_or(Fault::Register { pc: self.pc, index })?;
        Ok(&mut self.x[at])
    }

    fn parameter(&mut self) -> Result<i64, Fault> {
        self.cell(self.pc.saturating_add(1)).copied()
    }

    /// Returns the value of X(j), where j is the parameter of the current instruction.
    fn operand(&mut self) -> Result<i64, Fault> {
        let j = self.parameter()?;
        self.cell(j).copied()
    }

    /// Executes a leaf. Returns false if the leaf is a condition that is not met. A leaf that causes a fault does not
    /// change the state.
    fn execute(&mut self, leaf: RaspLeaf) -> Result<bool, Fault> {
        let overflow = Fault::Overflow { pc: self.pc };
        match leaf {
            RaspLeaf::Opcode(wanted) => return Ok(*self.cell(self.pc)? == wanted),
            RaspLeaf::Positive => return Ok(self.a > 0),
            RaspLeaf::Load => self.a = self.parameter()?,
            RaspLeaf::Add => self.a = self.a.checked_add(self.operand()?).ok_or(overflow)?,
            RaspLeaf::Subtract => self.a = self.a.checked_sub(self.operand()?).ok_or(overflow)?,
            RaspLeaf::Store => {
                let j = self.parameter()?;
                *self.cell(j)? = self.a;
            }
            RaspLeaf::Branch => self.pc = self.parameter()?,
            RaspLeaf::Advance => self.pc = self.pc.checked_add(2).ok_or(overflow)?,
            RaspLeaf::Running | RaspLeaf::Sound => {}
        }
        Ok(true)
    }
}

impl Domain for Rasp {
    type Leaf = RaspLeaf;

    fn leaf(&mut self, leaf: &RaspLeaf) -> Status {
        if self.fault.is_some() {
            return Status::Failure;
        }
        match self.execute(*leaf) {
            Ok(_) if *leaf == RaspLeaf::Running => Status::Running,
            Ok(true) => Status::Success,
            Ok(false) => Status::Failure,
            Err(fault) => {
                self.fault = Some(fault);
                Status::Failure
            }
        }
    }
}

impl fmt::Display for RaspLeaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self {
            RaspLeaf::Opcode(opcode) => return write!(f, "opcode {opcode}"),
            RaspLeaf::Load => "load",
            RaspLeaf::Add => "add",
            RaspLeaf::Subtract => "subtract",
            RaspLeaf::Store => "store",
            RaspLeaf::Positive => "positive",
            RaspLeaf::Branch => "branch",
            RaspLeaf::Advance => "advance",
            RaspLeaf::Running => "runningl",
            RaspLeaf::Sound => "sound",
        };
        f.write_str(word)
    }
}
