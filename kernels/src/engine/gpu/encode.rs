//! Worlds and programs as the words of the buffers.

use super::layout::{HEADER, QUANTITIES, place};
use crate::engine::Job;
use crate::math::{Vec2, vec2};
use crate::tree::Program;
use crate::world::{Body, Pose, World};

/// Number of a header word.
pub(super) const fn header(name: &str) -> usize {
    place(HEADER, name)
}

/// Number of a quantity of bodies.
pub(super) const fn quantity(name: &str) -> usize {
    place(QUANTITIES, name)
}

/// The words of a batch: rows of header words, then of quantities of bodies, a world in each column.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub words: Vec<u32>,
    pub worlds: usize,
    pub bodies: usize,
}

impl State {
    /// Words of a world.
    pub fn rows(bodies: usize) -> usize {
        HEADER.len() + QUANTITIES.len() * bodies
    }

    /// A batch of these worlds; further columns repeat the last one, so that workgroups are full.
    pub fn of(worlds: &[World], jobs: &[&Job<'_>], code: &Code<'_>, columns: usize) -> State {
        let bodies = worlds[0].bodies.len();
        let mut state = State { words: vec![0; State::rows(bodies) * columns], worlds: columns, bodies };
        for column in 0..columns {
            let from = column.min(worlds.len() - 1);
            state.set_world(column, &worlds[from], jobs[from], code);
        }
        state
    }

    fn set_world(&mut self, w: usize, world: &World, job: &Job<'_>, code: &Code<'_>) {
        *self.header(w, "SEED_LOW") = job.seed as u32;
        *self.header(w, "SEED_HIGH") = (job.seed >> 32) as u32;
        *self.header(w, "WORLD") = job.world;
        let disc = world.bodies.get(world.robots());
        *self.header(w, "COUNTED_FROM") = disc.map_or(0, |disc| disc.pose.at.x.to_bits());
        world.bodies.iter().enumerate().for_each(|(i, body)| self.set_body(w, i, body));
        for robot in 0..world.robots() {
            let program = job.team.program(robot);
            *self.word(w, quantity("PROGRAM"), robot) = code.starts[program];
            *self.word(w, quantity("PICTURES"), robot) = world.pictures[robot];
            *self.word(w, quantity("MEMORIES"), robot) = code.programs[program].memories() as u32;
        }
    }

    /// A header word of a world.
    pub fn header(&mut self, world: usize, name: &str) -> &mut u32 {
        &mut self.words[header(name) * self.worlds + world]
    }

    /// A quantity of a body as a word.
    pub fn word(&mut self, world: usize, quantity: usize, body: usize) -> &mut u32 {
        &mut self.words[(HEADER.len() + quantity * self.bodies + body) * self.worlds + world]
    }

    /// Sets a quantity of a body.
    pub fn set(&mut self, world: usize, quantity: usize, body: usize, value: f32) {
        *self.word(world, quantity, body) = value.to_bits();
    }

    /// Sets two quantities that follow each other.
    pub fn set_vector(&mut self, world: usize, quantity: usize, body: usize, v: Vec2) {
        self.set(world, quantity, body, v.x);
        self.set(world, quantity + 1, body, v.y);
    }

    /// Writes a body's state.
    pub fn set_body(&mut self, w: usize, i: usize, body: &Body) {
        self.set_vector(w, quantity("X"), i, body.pose.at);
        self.set(w, quantity("HEADING"), i, body.pose.heading);
        self.set_vector(w, quantity("VX"), i, body.velocity);
        self.set(w, quantity("SPIN"), i, body.spin);
        self.set_vector(w, quantity("LEFT"), i, vec2(body.wheels[0], body.wheels[1]));
    }
}

/// Rows of a batch as they were read back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows<'a> {
    pub words: &'a [u32],
    pub worlds: usize,
    pub bodies: usize,
}

impl Rows<'_> {
    /// A header word of a world.
    pub fn header(&self, world: usize, name: &str) -> u32 {
        self.words[header(name) * self.worlds + world]
    }

    /// A quantity of a body as a word.
    pub fn word(&self, world: usize, quantity: usize, body: usize) -> u32 {
        self.words[(HEADER.len() + quantity * self.bodies + body) * self.worlds + world]
    }

    /// A quantity of a body.
    pub fn get(&self, world: usize, quantity: usize, body: usize) -> f32 {
        f32::from_bits(self.word(world, quantity, body))
    }

    /// Where a body is.
    pub fn pose(&self, world: usize, body: usize) -> Pose {
        let number = |name| self.get(world, name, body);
        const X: usize = quantity("X");
        Pose { at: vec2(number(X), number(X + 1)), heading: number(quantity("HEADING")) }
    }

    /// The disc's way along x so far, m.
    pub fn moved(&self, world: usize, disc: usize) -> f32 {
        let word = |name| f32::from_bits(self.header(world, name));
        word("TOTAL") + (self.get(world, quantity("X"), disc) - word("COUNTED_FROM"))
    }
}

/// All programs, and the words that the device gets of them.
pub(super) struct Code<'a> {
    pub programs: &'a [Program],
    pub words: Vec<u32>,
    /// Where each program starts.
    starts: Vec<u32>,
}

impl Code<'_> {
    /// The words of programs.
    pub fn of(programs: &[Program]) -> Code<'_> {
        let (mut words, mut starts) = (Vec::new(), Vec::new());
        for program in programs {
            starts.push(words.len() as u32);
            words.extend(super::code::words(program));
        }
        Code { programs, words, starts }
    }
}
