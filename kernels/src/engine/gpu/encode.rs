//! Conversion of worlds and programs to the words of the storage buffers.

use super::layout::{HEADER, QUANTITIES, START_QUANTITIES, index_of};
use crate::engine::{Job, hash};
#[cfg(test)]
use crate::math::Vec2;
use crate::math::vec2;
use crate::tree::Program;
use crate::world::{Body, InitialState, Pose};
use rayon::prelude::*;

/// Returns the index of a header word in [`HEADER`].
pub(super) const fn header(name: &str) -> usize {
    index_of(HEADER, name)
}

/// Returns the index of a quantity in [`QUANTITIES`].
pub(super) const fn quantity(name: &str) -> usize {
    index_of(QUANTITIES, name)
}

/// State of a batch, with one column per world. The first rows are the header words; one row per quantity and body
/// follows.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub words: Vec<u32>,
    #[cfg(test)]
    pub worlds: usize,
    #[cfg(test)]
    pub bodies: usize,
}

impl State {
    /// Returns the number of words per world.
    pub fn rows(bodies: usize) -> usize {
        HEADER.len() + QUANTITIES.len() * bodies
    }

    /// Returns the number of leading words per world that may be non-zero before the first update.
    pub fn start_rows(bodies: usize) -> usize {
        HEADER.len() + START_QUANTITIES * bodies
    }

    /// Encodes the first `rows` rows of a batch of worlds. The last world is repeated to fill all columns, so that
    /// all workgroups are full.
    pub fn encode(
        worlds: &[InitialState],
        jobs: &[&Job<'_>],
        code: &ProgramTable<'_>,
        columns: usize,
        rows: usize,
    ) -> State {
        let bodies = worlds[0].bodies.len();
        let mut words = vec![0; rows * columns];
        // The words are encoded row by row, so that all threads write consecutive words.
        words.par_chunks_mut(columns).enumerate().for_each(|(row, words)| {
            let Some(word) = word_of(row, bodies) else { return };
            let last = worlds.len() - 1;
            words.iter_mut().enumerate().for_each(|(w, to)| *to = word(&worlds[w.min(last)], jobs[w.min(last)], code));
        });
        State {
            words,
            #[cfg(test)]
            worlds: columns,
            #[cfg(test)]
            bodies,
        }
    }
}

#[cfg(test)]
impl State {
    /// Returns a header word of a world.
    pub fn header(&mut self, world: usize, name: &str) -> &mut u32 {
        &mut self.words[header(name) * self.worlds + world]
    }

    /// Returns a quantity of a body as a word.
    pub fn word(&mut self, world: usize, quantity: usize, body: usize) -> &mut u32 {
        &mut self.words[(HEADER.len() + quantity * self.bodies + body) * self.worlds + world]
    }

    /// Sets a quantity of a body.
    pub fn set(&mut self, world: usize, quantity: usize, body: usize, value: f32) {
        *self.word(world, quantity, body) = value.to_bits();
    }

    /// Sets two consecutive quantities of a body to the components of a vector.
    pub fn set_vector(&mut self, world: usize, quantity: usize, body: usize, v: Vec2) {
        self.set(world, quantity, body, v.x);
        self.set(world, quantity + 1, body, v.y);
    }
}

/// Returns the rows of the bodies' program starts.
pub(super) fn program_rows(bodies: usize) -> std::ops::Range<usize> {
    let first = HEADER.len() + quantity("PROGRAM") * bodies;
    first..first + bodies
}

/// Function that computes one row's word for a world.
type Word<'a> = Box<dyn Fn(&InitialState, &Job<'_>, &ProgramTable<'_>) -> u32 + 'a>;

fn word_of(row: usize, bodies: usize) -> Option<Word<'static>> {
    let Some(row) = row.checked_sub(HEADER.len()) else { return header_word(HEADER[row]) };
    let body = row % bodies;
    let of_body = |of: fn(&Body) -> f32| -> Option<Word<'static>> {
        Some(Box::new(move |world, _, _| of(&world.bodies[body]).to_bits()))
    };
    match QUANTITIES[row / bodies] {
        "X" => of_body(|b| b.pose.at.x),
        "Y" => of_body(|b| b.pose.at.y),
        "HEADING" => of_body(|b| b.pose.heading),
        "VX" => of_body(|b| b.velocity.x),
        "VY" => of_body(|b| b.velocity.y),
        "SPIN" => of_body(|b| b.spin),
        "LEFT" => of_body(|b| b.wheels[0]),
        "RIGHT" => of_body(|b| b.wheels[1]),
        // Discs do not run programs and do not have cameras.
        "PROGRAM" => Some(Box::new(
            move |world, job, code| {
                if body < world.pictures.len() { code.starts[job.team.program(body)] } else { 0 }
            },
        )),
        "PICTURES" => Some(Box::new(move |world, _, _| world.pictures.get(body).copied().unwrap_or(0))),
        "MEMORIES" => Some(Box::new(move |world, job, code| {
            if body < world.pictures.len() { code.programs[job.team.program(body)].memories() as u32 } else { 0 }
        })),
        _ => None,
    }
}

fn header_word(name: &str) -> Option<Word<'static>> {
    match name {
        "SEED_LOW" => Some(Box::new(|_, job, _| job.seed as u32)),
        "SEED_HIGH" => Some(Box::new(|_, job, _| (job.seed >> 32) as u32)),
        "WORLD" => Some(Box::new(|_, job, _| job.world)),
        "COUNTED_FROM" => Some(Box::new(|world, _, _| {
            world.bodies.get(world.pictures.len()).map_or(0, |disc| disc.pose.at.x.to_bits())
        })),
        _ => None,
    }
}

/// Rows of a batch's state that were read back.
#[derive(Clone, Copy, Debug)]
pub(super) struct StateRows<'a> {
    pub words: &'a [u32],
    pub worlds: usize,
    pub bodies: usize,
}

impl StateRows<'_> {
    /// Returns a header word of a world.
    pub fn header(&self, world: usize, name: &str) -> u32 {
        self.words[header(name) * self.worlds + world]
    }

    /// Returns a quantity of a body as a word.
    pub fn word(&self, world: usize, quantity: usize, body: usize) -> u32 {
        self.words[(HEADER.len() + quantity * self.bodies + body) * self.worlds + world]
    }

    /// Returns a quantity of a body.
    pub fn get(&self, world: usize, quantity: usize, body: usize) -> f32 {
        f32::from_bits(self.word(world, quantity, body))
    }

    /// Returns the pose of a body.
    pub fn pose(&self, world: usize, body: usize) -> Pose {
        let number = |name| self.get(world, name, body);
        const X: usize = quantity("X");
        Pose { at: vec2(number(X), number(X + 1)), heading: number(quantity("HEADING")) }
    }

    /// Returns the hash of the poses of all bodies of a world.
    pub fn hash(&self, world: usize) -> u64 {
        hash((0..self.bodies).map(|body| self.pose(world, body)))
    }

    /// Returns the displacement along x so far (m) of the disc with body index `disc`.
    pub fn moved(&self, world: usize, disc: usize) -> f32 {
        let word = |name| f32::from_bits(self.header(world, name));
        word("TOTAL") + (self.get(world, quantity("X"), disc) - word("COUNTED_FROM"))
    }
}

/// All programs, as such and as words for the device.
pub(super) struct ProgramTable<'a> {
    pub programs: &'a [Program],
    pub words: Vec<u32>,
    /// Index of the first word of each program.
    starts: Vec<u32>,
}

impl ProgramTable<'_> {
    /// Encodes the programs.
    pub fn from_programs(programs: &[Program]) -> ProgramTable<'_> {
        let (mut words, mut starts) = (Vec::new(), Vec::new());
        for program in programs {
            starts.push(words.len() as u32);
            words.extend(super::code::words(program));
        }
        ProgramTable { programs, words, starts }
    }

    /// Returns the index of the first word of a program.
    pub fn start(&self, program: usize) -> u32 {
        self.starts[program]
    }
}
