//! Tick of a Kilobot's tree (thesis 4.3 and Table 4.2).
//!
//! All nodes with children have memory, so a running node is never aborted. At most one leaf is running, and each of
//! its ancestors resumes at the child that contains this leaf. The state of a robot therefore consists of the running
//! leaf and the counters of `repeati`. A tick starts at the running leaf.

use super::program::{Instruction, Program, motors_of};
use super::robot::Motors;
use xpuck_kernels::random::Draws;
use xpuck_kernels::tree::{ENTRY_COUNT, Kind, Status};

/// Blackboard entry of the motor command.
pub(super) const MOTORS: usize = 0;
/// Blackboard entry of the signal to send.
pub(super) const SEND_SIGNAL: usize = 2;
/// Blackboard entry of the received signal. The entries of the other senses follow in the order of Table 4.1.
pub(super) const SENSES: usize = 3;

/// Access to the blackboard of a robot, independent of its storage.
pub(super) trait Blackboard {
    /// Returns an entry.
    fn get(&self, entry: u8) -> f32;
    /// Writes an entry.
    fn set(&mut self, entry: u8, value: f32);
}

impl Blackboard for [f32; ENTRY_COUNT] {
    #[inline(always)]
    fn get(&self, entry: u8) -> f32 {
        self[usize::from(entry)]
    }

    #[inline(always)]
    fn set(&mut self, entry: u8, value: f32) {
        self[usize::from(entry)] = value;
    }
}

/// Position at which a robot's next tick starts: an instruction or [`TreePosition::ROOT`]. A flag marks an instruction
/// that is a running motor node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TreePosition(u16);

impl TreePosition {
    /// Position of a tree without a running node.
    pub const ROOT: TreePosition = TreePosition(u16::MAX);
    /// Flag of a running motor node. Indices of instructions are much smaller than this value.
    const RUNNING: u16 = 0x8000;
}

/// State of a robot's controller: blackboard, position in the tree, and counters.
#[derive(Clone, Debug, PartialEq)]
pub struct ControllerState {
    /// Blackboard (Table 4.1). The caller must write the senses to entries 3 to 9 before each tick.
    pub board: [f32; ENTRY_COUNT],
    place: TreePosition,
    counts: Vec<u8>,
}

impl ControllerState {
    /// Creates the initial state for `program`. All entries and counters are zero.
    pub fn new(program: &Program) -> ControllerState {
        ControllerState { board: [0.0; ENTRY_COUNT], place: TreePosition::ROOT, counts: vec![0; program.counters] }
    }

    /// Ticks the tree once. Afterwards, the blackboard contains the motor command and the signal to send.
    ///
    /// # Panics
    /// Panics if the state was created for another program with fewer counting nodes.
    pub fn tick(&mut self, program: &Program, motors: Motors, draws: &mut Draws) -> Status {
        tick(program, motors, &mut self.place, &mut self.counts, &mut self.board, draws)
    }
}

/// Ticks a tree once. `counts` has one counter per counting node. Random numbers are drawn only if a node needs them.
#[inline(always)]
pub(super) fn tick(
    program: &Program,
    motors: Motors,
    place: &mut TreePosition,
    counts: &mut [u8],
    board: &mut impl Blackboard,
    draws: &mut Draws,
) -> Status {
    let code = &program.code[..];
    board.set(MOTORS as u8, 0.0);
    let (mut at, mut resumes) = match *place {
        TreePosition::ROOT => (0, false),
        TreePosition(at) => (usize::from(at & !TreePosition::RUNNING), at & TreePosition::RUNNING != 0),
    };
    loop {
        let node = &code[at];
        let test = |holds: bool| if holds { Status::Success } else { Status::Failure };
        let mut status = match node.kind {
            Kind::Seqm | Kind::Selm | Kind::Successd | Kind::Failed => {
                at += 1;
                continue;
            }
            Kind::Repeati => {
                counts[usize::from(node.v)] = node.k[0] as u8;
                at += 1;
                continue;
            }
            Kind::Probm2 | Kind::Probm3 | Kind::Probm4 => {
                at = choose(code, at, draws.unit());
                continue;
            }
            Kind::Mf | Kind::Ml | Kind::Mr => match motors {
                Motors::RunThenSucceed if resumes => Status::Success,
                Motors::RunThenSucceed => {
                    board.set(MOTORS as u8, motors_of(node.kind));
                    *place = TreePosition(at as u16 | TreePosition::RUNNING);
                    return Status::Running;
                }
                Motors::SucceedAtOnce if board.get(MOTORS as u8) > 0.0 => {
                    *place = TreePosition(at as u16);
                    return Status::Running;
                }
                Motors::SucceedAtOnce => {
                    board.set(MOTORS as u8, motors_of(node.kind));
                    Status::Success
                }
            },
            Kind::Ifltvar => test(board.get(node.v) < board.get(node.w)),
            Kind::Ifgevar => test(board.get(node.v) >= board.get(node.w)),
            Kind::Ifltcon => test(board.get(node.v) < node.k[0]),
            Kind::Ifgecon => test(board.get(node.v) >= node.k[0]),
            Kind::Set => {
                board.set(node.w, node.k[0]);
                Status::Success
            }
            Kind::Successl => Status::Success,
            _ => Status::Failure,
        };
        resumes = false;
        loop {
            if at == 0 {
                *place = TreePosition::ROOT;
                return status;
            }
            let next = code[at].end;
            let parent_at = usize::from(code[at].parent);
            let parent = &code[parent_at];
            let go_on = match parent.kind {
                Kind::Seqm => status == Status::Success,
                Kind::Selm => status == Status::Failure,
                Kind::Repeati => {
                    let left = &mut counts[usize::from(parent.v)];
                    if status == Status::Success && *left > 1 {
                        *left -= 1;
                        *place = TreePosition(parent_at as u16 + 1);
                        return Status::Running;
                    }
                    false
                }
                Kind::Successd => {
                    status = Status::Success;
                    false
                }
                Kind::Failed => {
                    status = Status::Failure;
                    false
                }
                _ => false,
            };
            if go_on && next != parent.end {
                at = usize::from(next);
                break;
            }
            at = parent_at;
        }
    }
}

/// Returns the child that a `probm` node ticks for a random number `drawn` in 0..1.
fn choose(code: &[Instruction], at: usize, drawn: f32) -> usize {
    let [first, second, third] = code[at].k;
    let mut child = at + 1;
    let passed = usize::from(drawn >= first) + usize::from(drawn >= second) + usize::from(drawn >= third);
    // The probabilities may sum to more than 1. In this case, the last children have probability 0.
    for _ in 0..passed {
        let next = usize::from(code[child].end);
        if next == usize::from(code[at].end) {
            break;
        }
        child = next;
    }
    child
}
