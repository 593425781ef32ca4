//! Worlds and programs as the words of the buffers.

use super::layout::{HEADER, NODE_WORDS, QUANTITIES, SLOTS, WORLD_WORDS, place};
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

/// The words of one world, read and written by name.
pub(super) struct Words<'a>(pub &'a mut [u32]);

impl Words<'_> {
    /// Sets a quantity of a body.
    pub fn set(&mut self, quantity: usize, body: usize, value: f32) {
        self.0[HEADER.len() + quantity * SLOTS + body] = value.to_bits();
    }

    /// A quantity of a body.
    pub fn get(&self, quantity: usize, body: usize) -> f32 {
        f32::from_bits(self.0[HEADER.len() + quantity * SLOTS + body])
    }

    /// Sets two quantities that follow each other.
    pub fn set_vector(&mut self, quantity: usize, body: usize, v: Vec2) {
        self.set(quantity, body, v.x);
        self.set(quantity + 1, body, v.y);
    }

    /// Two quantities that follow each other.
    pub fn vector(&self, quantity: usize, body: usize) -> Vec2 {
        vec2(self.get(quantity, body), self.get(quantity + 1, body))
    }

    /// Where a body is.
    pub fn pose(&self, body: usize) -> Pose {
        Pose { at: self.vector(quantity("X"), body), heading: self.get(quantity("HEADING"), body) }
    }

    /// Writes a body's state.
    pub fn set_body(&mut self, i: usize, body: &Body) {
        self.set_vector(quantity("X"), i, body.pose.at);
        self.set(quantity("HEADING"), i, body.pose.heading);
        self.set_vector(quantity("VX"), i, body.velocity);
        self.set(quantity("SPIN"), i, body.spin);
        self.set_vector(quantity("LEFT"), i, vec2(body.wheels[0], body.wheels[1]));
    }

    /// The disc's way along x so far, m.
    pub fn moved(&self, disc: usize) -> f32 {
        let word = |name| f32::from_bits(self.0[header(name)]);
        word("TOTAL") + (self.get(quantity("X"), disc) - word("COUNTED_FROM"))
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
            for instruction in program.words() {
                words.extend::<[u32; NODE_WORDS]>(instruction);
            }
        }
        Code { programs, words, starts }
    }
}

/// The words of a job's world at its start.
pub(super) fn world_words(world: &World, job: &Job<'_>, code: &Code<'_>) -> Vec<u32> {
    let mut words = vec![0; WORLD_WORDS];
    words[header("SEED_LOW")] = job.seed as u32;
    words[header("SEED_HIGH")] = (job.seed >> 32) as u32;
    words[header("WORLD")] = job.world;
    words[header("COUNTED_FROM")] = world.bodies[world.robots()].pose.at.x.to_bits();
    let mut named = Words(&mut words);
    world.bodies.iter().enumerate().for_each(|(i, body)| named.set_body(i, body));
    for robot in 0..world.robots() {
        let program = job.team.program(robot);
        named.set(quantity("PROGRAM"), robot, f32::from_bits(code.starts[program]));
        named.set(quantity("MEMORIES"), robot, f32::from_bits(code.programs[program].memories() as u32));
    }
    words
}
