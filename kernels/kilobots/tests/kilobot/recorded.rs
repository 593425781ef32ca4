//! Recorded ticks of trees: inputs (blackboards and random numbers) and expected outputs of a C interpreter.

use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::tree::{Kind, Tree};
use xpuck_kilobots::{ControllerState, Motors, Program};

/// Size of an answer (bytes). An answer contains a status and ten blackboard entries.
pub const ANSWER: usize = 1 + 40;
/// Number of random numbers available to a tick. It equals `DRAWN` in both files `replay.c`.
const DRAWN: usize = 24;

/// Input of an interpreter, and the expected answers.
#[derive(Default)]
pub struct TickRecording {
    pub input: Vec<u8>,
    pub answers: Vec<u8>,
    /// Tree of each call of `add`, in order.
    pub trees: Vec<Tree>,
}

impl TickRecording {
    /// Adds `ticks` ticks of a tree to the recording. `number` determines the senses and the random numbers.
    pub fn add(&mut self, tree: &Tree, program: &Program, number: u32, ticks: u32) {
        let table = program.table();
        let counters = tree.nodes().iter().filter(|node| node.kind == Kind::Repeati).count() as u16;
        self.input.extend_from_slice(&(table.len() as u16).to_le_bytes());
        self.input.extend_from_slice(&counters.to_le_bytes());
        self.input.extend_from_slice(&ticks.to_le_bytes());
        self.input.extend_from_slice(&table);
        let mut mind = ControllerState::new(program);
        self.trees.push(tree.clone());
        for tick in 0..ticks {
            let mut senses = Draws::new(4, number, 1, tick, Stream::Device);
            for entry in &mut mind.board[3..] {
                let sense = if senses.below(2) == 0 { senses.below(2) as f32 } else { senses.range(-0.1, 0.1) };
                *entry = sense;
                self.input.extend_from_slice(&sense.to_le_bytes());
            }
            let draws = || Draws::new(5, number, 1, tick, Stream::Controller);
            let mut drawn = draws();
            (0..DRAWN).for_each(|_| self.input.extend_from_slice(&drawn.unit().to_le_bytes()));
            self.answers.push(mind.tick(program, Motors::RunThenSucceed, &mut draws()) as u8);
            mind.board.iter().for_each(|entry| self.answers.extend_from_slice(&entry.to_le_bytes()));
        }
    }

    /// Returns the input with its end marker.
    pub fn ended(&self) -> Vec<u8> {
        [&self.input[..], &[0, 0]].concat()
    }
}
