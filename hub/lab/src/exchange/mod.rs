//! Exchange with other simulators. [`argos`] and [`webots`] export worlds and trees, and [`import`] reads arenas.
//!
//! An exported tree is a table, which a small interpreter in C++ or Python ticks. The results of the interpreter
//! equal those of Xpuck to the last digit. [`Export::notes`] lists the features of Xpuck's worlds that a simulator
//! lacks.

pub mod argos;
mod floor;
pub mod import;
mod table;
pub mod webots;

use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::tree::Program;
use xpuck_kernels::world::robot::RobotModel;
use xpuck_kernels::world::start::place;
use xpuck_kernels::world::{Body, Colour, Sensing, Shape, WorldSpec};

/// File of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportedFile {
    /// Path of the file, relative to the export folder.
    pub path: String,
    /// Contents of the file.
    pub text: String,
}

/// Data of an export to another simulator.
pub struct Export<'a> {
    /// World to export.
    pub spec: &'a WorldSpec,
    /// Programs, each with the number of robots that run it. The sum of these numbers is the world's number of
    /// robots.
    pub parts: &'a [(usize, Program)],
    /// Seed of the start poses and of random nodes.
    pub seed: u64,
    /// Number of runs, each with its own file.
    pub runs: u32,
    /// Length of a run (s).
    pub seconds: f32,
}

impl Export<'_> {
    /// Returns notes on features that the other simulator lacks or models differently, one line each.
    pub fn notes(&self) -> Vec<String> {
        let sensing = Sensing::from_programs(self.parts.iter().map(|(_, program)| program));
        let spec = self.spec;
        let lost = [
            (sensing.light, "v_light stays zero: no light is exported"),
            (sensing.tags, "v_tag stays zero: no tags are exported"),
            (
                sensing.ground && !spec.floor.is_exact(),
                "s_ground has no errors: the table `confusion` of [floor] is not exported",
            ),
            (
                !spec.patches.is_empty(),
                "cameras detect patches only with the project's own camera model (ARGoS) or by colour (Webots)",
            ),
            (spec.changes(), "parts of the world with `when` are exported as if they always existed"),
            (spec.messages.is_some(), "[messages] is left out: the other simulator models the messages of neighbours"),
            (
                self.has_other_robots(),
                "the robot model: robots there have the body, wheels and senses of the simulator's e-puck; only the \
                 range of neighbours (ARGoS) and the field of view (Webots) follow the model",
            ),
            (
                !spec.task.moves_disc(),
                "the task is not scored there: only transport tasks are scored, and only in ARGoS",
            ),
        ];
        lost.into_iter().filter(|(is, _)| *is).map(|(_, line)| line.to_string()).collect()
    }

    /// Returns true if the robots differ from those of the reference model in a part that the exports lack.
    fn has_other_robots(&self) -> bool {
        let robot = self.spec.physics.robot;
        let usual =
            RobotModel { neighbour_range: robot.neighbour_range, camera: robot.camera, ..RobotModel::default() };
        robot != usual || self.spec.robot.contact_arm != Shape::ROBOT.contact_arm
    }

    /// Returns the robots, followed by the discs, at the start of a run. Their positions are those of `xpuck
    /// simulate` for the same run and seed.
    fn bodies(&self, run: u32) -> Vec<Body> {
        place(self.spec, run as usize, (self.seed, run), &mut Draws::new(self.seed, run, 0, 0, Stream::Start))
    }

    /// Returns the index in `parts` of the program that a robot runs.
    fn program_of(&self, robot: usize) -> usize {
        let mut first = 0;
        let ends = self.parts.iter().map(|(count, _)| {
            first += count;
            first
        });
        ends.into_iter().position(|end| robot < end).unwrap_or(0)
    }
}

/// Returns the index of a colour, in the order of the colour registers.
fn number(colour: Colour) -> usize {
    colour as usize
}

#[cfg(test)]
mod tests;
