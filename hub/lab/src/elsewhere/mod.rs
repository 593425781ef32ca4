//! Worlds and trees for other simulators, and arenas from them: [`argos`] and [`webots`] write, [`import`] reads.
//!
//! An exported tree is a table that a small interpreter ticks, in C++ or Python, to the digits that ours gives. What a
//! simulator lacks of our worlds is told by [`Export::notes`].

pub mod argos;
pub mod import;
mod table;
pub mod webots;

use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::tree::Program;
use xpuck_kernels::world::start::place;
use xpuck_kernels::world::{Body, Colour, Sensing, WorldSpec};

/// A file of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// Where it stands below the folder.
    pub path: String,
    /// What is in it.
    pub text: String,
}

/// What goes to another simulator.
pub struct Export<'a> {
    /// The world.
    pub spec: &'a WorldSpec,
    /// How many robots run which program; they come to the world's number of robots.
    pub parts: &'a [(usize, Program)],
    /// Starts and random nodes are those of this seed.
    pub seed: u64,
    /// Number of runs, each with a file of its own.
    pub runs: u32,
    /// Length of a run, s.
    pub seconds: f32,
}

impl Export<'_> {
    /// What the other simulator does not have, or has in another form, each in a line.
    pub fn notes(&self) -> Vec<String> {
        let sensing = Sensing::of(self.parts.iter().map(|(_, program)| program));
        let spec = self.spec;
        let lost = [
            (sensing.light, "v_light stays zero: no light is exported"),
            (sensing.tags, "v_tag stays zero: no tags are exported"),
            (
                !spec.patches.is_empty(),
                "patches are seen by cameras only where the camera is ours (ARGoS) or by colour (Webots)",
            ),
            (spec.messages.is_some(), "[messages] is left out: neighbours are heard as the other simulator has it"),
            (!spec.task.moves_disc(), "the task is not scored there: only the transport tasks are, and in ARGoS"),
        ];
        lost.into_iter().filter(|(is, _)| *is).map(|(_, line)| line.to_string()).collect()
    }

    /// Robots, then discs, at the start of a run: where `xpuck simulate` puts them in the same run of the same seed.
    fn bodies(&self, run: u32) -> Vec<Body> {
        place(self.spec, run as usize, &mut Draws::new(self.seed, run, 0, 0, Stream::Start))
    }

    /// Which program a robot runs.
    fn program_of(&self, robot: usize) -> usize {
        let mut first = 0;
        let ends = self.parts.iter().map(|(count, _)| {
            first += count;
            first
        });
        ends.into_iter().position(|end| robot < end).unwrap_or(0)
    }
}

/// Red, green or blue as the place of their register.
fn number(colour: Colour) -> usize {
    colour as usize
}

#[cfg(test)]
mod tests;
