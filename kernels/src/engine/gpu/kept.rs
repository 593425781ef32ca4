//! Worlds of a batch that were read back whole, so that later batches may continue them.

use super::encode::{ProgramTable, State, header, program_rows};
use super::params::Params;
use crate::engine::Job;
use rayon::prelude::*;

/// Words of all storage buffers that contain the state of worlds.
#[derive(Clone, Debug, Default)]
pub(super) struct WorldWords {
    /// One row per header word and per quantity of a body, with one column per world.
    pub state: Vec<u32>,
    /// One row per node memory of a robot, with one column per world.
    pub memory: Vec<u32>,
    /// Sections of [`Params::past_sections`]. In each, the words of a world are consecutive.
    pub past: Vec<u32>,
    /// One row per word of an objective's score, with one column per world.
    pub score: Vec<u32>,
}

/// Worlds of a finished batch.
#[derive(Debug)]
pub(super) struct KeptBatch {
    /// Number of worlds, including those that fill the last workgroup.
    pub columns: usize,
    /// Number of words of a world in each section of the `past` buffer.
    pub past: [usize; 3],
    pub words: WorldWords,
}

impl KeptBatch {
    /// Returns the number of updates of a world.
    pub fn update(&self, column: usize) -> u32 {
        self.words.state[header("UPDATE") * self.columns + column]
    }
}

/// A world of a finished batch: the batch, and the column of the world.
pub(super) type KeptWorld<'a> = (&'a KeptBatch, usize);

/// Returns the words with which a batch continues kept worlds. The last world is repeated to fill all columns.
pub(super) fn gather(
    from: &[KeptWorld<'_>],
    (code, jobs): (&ProgramTable<'_>, &[&Job<'_>]),
    params: &Params,
    [memory_rows, score_rows]: [usize; 2],
) -> WorldWords {
    let (columns, bodies, robots) = (params.batch as usize, params.bodies as usize, params.robots as usize);
    let last = from.len() - 1;
    let rows_of = |rows: usize, of: fn(&WorldWords) -> &Vec<u32>| {
        let mut words = vec![0; rows * columns];
        words.par_chunks_mut(columns).enumerate().for_each(|(row, words)| {
            for (w, to) in words.iter_mut().enumerate() {
                let (batch, column) = from[w.min(last)];
                // A batch whose programs have fewer memories has fewer rows. The other memories are zero.
                *to = of(&batch.words).get(row * batch.columns + column).copied().unwrap_or(0);
            }
        });
        words
    };
    let mut state = rows_of(State::rows(bodies), |words| &words.state);
    for (robot, row) in program_rows(bodies).take(robots).enumerate() {
        for (w, to) in state[row * columns..][..columns].iter_mut().enumerate() {
            *to = code.start(jobs[w.min(last)].team.program(robot));
        }
    }
    let sections = params.past_sections();
    let mut past = Vec::with_capacity(sections.iter().sum::<usize>() * columns);
    for (section, length) in sections.into_iter().enumerate() {
        for w in 0..columns {
            let (batch, column) = from[w.min(last)];
            let begin = batch.past[..section].iter().sum::<usize>() * batch.columns + column * batch.past[section];
            // A batch in which no tree read messages has no past poses, and the trees of its worlds need none.
            match batch.past[section] == length {
                true => past.extend_from_slice(&batch.words.past[begin..begin + length]),
                false => past.resize(past.len() + length, 0),
            }
        }
    }
    let memory = rows_of(memory_rows, |words| &words.memory);
    WorldWords { state, memory, past, score: rows_of(score_rows, |words| &words.score) }
}
