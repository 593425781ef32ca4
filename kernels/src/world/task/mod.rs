//! Tasks of robots, the score that a world accumulates for a task, and the fitness of a run.

pub mod coverage;
pub mod foraging;
pub mod objective;
pub mod spacing;
pub mod transport;
mod words;

use super::body::{Body, Pose};
use super::physics::Physics;
pub use super::region::Region;
use crate::math::Vec2;
use crate::random::Draws;
use coverage::Coverage;
use foraging::Foraging;
use objective::quantity::Members;
use objective::{Objective, ObjectiveScore};
use serde::{Deserialize, Serialize};
use spacing::{Aggregation, Dispersion};
use std::sync::Arc;
use transport::Transport;

/// The scored task. The fitness of every task is dimensionless; higher is better.
#[derive(Clone, Debug, PartialEq)]
pub enum Task {
    /// Mean speed of the first disc towards -x, divided by the robots' maximum speed v_max (Eq. 8.3), -1 to 1. When the
    /// disc touches an x wall, it is moved back near the centre.
    Transport,
    /// Like `Transport`, without moving the disc back (Eq. 7.5 and 7.6).
    TransportOnce,
    /// Final distance of the first disc from the centre towards -x, divided by the maximum distance (Eq. 5.11), 0 to 1.
    TransportPosition,
    /// Mean fraction of the robots in the largest cluster, 1/n to 1. A cluster is a chain of robots whose centres are
    /// at most `range` apart.
    Aggregation {
        /// Maximum distance of neighbours in a cluster (m).
        range: f32,
    },
    /// Mean distance of a robot to the nearest other robot, divided by the distance between neighbours in a hexagonal
    /// packing of all robots, 0 to 1.
    Dispersion,
    /// Fraction of the arena's cells that the centre of any robot has visited, 0 to 1.
    Coverage {
        /// Desired side of a cell (m). Cells are stretched so that a whole number of cells fits into the arena.
        cell: f32,
    },
    /// Number of items carried from `food` to `nest`, divided by the possible maximum (Eq. 4.1 and 4.2), 0 to about 1.
    Foraging {
        /// Region where items are delivered.
        nest: Region,
        /// Region where items are picked up.
        food: Region,
    },
    /// Formula over quantities of the robots.
    Objective(Arc<Objective>),
}

impl Task {
    /// Returns the name of the task in files and reports.
    pub fn name(&self) -> &'static str {
        match self {
            Task::Transport => "transport",
            Task::TransportOnce => "transport-once",
            Task::TransportPosition => "transport-position",
            Task::Aggregation { .. } => "aggregation",
            Task::Dispersion => "dispersion",
            Task::Coverage { .. } => "coverage",
            Task::Foraging { .. } => "foraging",
            Task::Objective(_) => "objective",
        }
    }

    /// Returns true if the task scores the motion or the position of the first disc.
    pub fn moves_disc(&self) -> bool {
        matches!(self, Task::Transport | Task::TransportOnce | Task::TransportPosition)
    }

    /// Returns true if [`Score::update`] has an effect for the task.
    pub fn counts_updates(&self) -> bool {
        !self.moves_disc()
    }

    /// Returns true if the fitness depends on the state at the end of a run, so that the fitness so far may mislead.
    pub fn reads_end(&self) -> bool {
        match self {
            Task::TransportPosition => true,
            Task::Objective(objective) => objective.reads_end(),
            _ => false,
        }
    }

    /// Returns true if the disc is moved back near the centre when it touches an x wall.
    pub fn relocates(&self) -> bool {
        match self {
            Task::Transport => true,
            Task::Objective(objective) => objective.relocates,
            _ => false,
        }
    }

    /// Returns the highest number of a disc that the task scores or relocates, in a world with `discs` discs; 0 if it
    /// needs no disc.
    pub fn last_disc(&self, discs: usize) -> usize {
        match self {
            Task::Objective(objective) => objective.last_disc(discs),
            task => usize::from(task.moves_disc()),
        }
    }

    /// Returns the part of the final fitness that is earned so far. `fitness` is the fitness so far, and `part` is the
    /// completed fraction of the run (0 to 1). At the end of the run, the result is the final fitness. The difference
    /// between two successive results can therefore serve as a reward for learning.
    pub fn earned(&self, fitness: f32, part: f32) -> f32 {
        match self {
            // These fitness values are totals; the fitness values of other tasks are means over time.
            Task::TransportPosition | Task::Coverage { .. } => fitness,
            Task::Objective(objective) if !objective.averages() => fitness,
            _ => fitness * part,
        }
    }

    /// Returns the fitness that evolution maximises (Eq. 7.6 and 8.3). If the disc of `Transport` or `TransportOnce`
    /// never moved, 1 is subtracted from `fitness`. `parsimony` is the free fraction of a robot's memory. If less than
    /// half of the memory is free, the result is scaled down; for an objective, it is reduced by [`reduced_by_size`].
    pub fn evolution_fitness(&self, fitness: f32, parsimony: f32) -> f32 {
        if let Task::Objective(_) = self {
            return reduced_by_size(fitness, parsimony);
        }
        let unmoved = self.penalises_unmoved() && fitness == 0.0;
        let penalty = if unmoved { 1.0 } else { 0.0 };
        let derate = if parsimony < 0.5 { 2.0 * parsimony } else { 1.0 };
        derate * (fitness - penalty)
    }

    /// Returns the raw value of the formula that corresponds to a fitness; `None` for tasks that are not objectives.
    pub fn value_of(&self, fitness: f64) -> Option<f64> {
        if let Task::Objective(objective) = self { Some(objective.value_of(fitness)) } else { None }
    }

    /// Returns the standard deviation of the raw value; `None` for tasks that are not objectives. `sd` is the standard
    /// deviation of the fitness.
    pub fn value_sd(&self, sd: f64) -> Option<f64> {
        if let Task::Objective(objective) = self { Some(objective.value_sd(sd)) } else { None }
    }

    /// Returns true if [`Task::evolution_fitness`] subtracts 1 when the disc never moved, as in the thesis.
    pub fn penalises_unmoved(&self) -> bool {
        matches!(self, Task::Transport | Task::TransportOnce)
    }
}

/// Returns `fitness`, minus a fraction of its absolute value if less than half of a robot's memory is free. The fraction
/// is 0 at half and 1 without free memory. A larger tree thus never gains, even if its fitness is negative. `parsimony`
/// is the free fraction of the memory.
pub fn reduced_by_size(fitness: f32, parsimony: f32) -> f32 {
    let used = 1.0 - (2.0 * parsimony).min(1.0);
    fitness - used * fitness.abs()
}

/// Score of a task in one world so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Score {
    /// Displacement of the first disc.
    Transport(Transport),
    /// Position of the first disc. No state is needed, because only the final position counts.
    Position,
    /// Mean size of the largest cluster.
    Aggregation(Aggregation),
    /// Mean distance between neighbours.
    Dispersion(Dispersion),
    /// Visited cells.
    Coverage(Coverage),
    /// Delivered items.
    Foraging(Foraging),
    /// Value of a formula.
    Objective(ObjectiveScore),
}

impl Score {
    /// Creates the initial score of run `run.1` of the seed `run.0`. `bodies` contains the robots, then the discs.
    pub fn new(task: &Task, physics: &Physics, bodies: &[Body], robots: usize, run: (u64, u32)) -> Score {
        match task {
            Task::Transport | Task::TransportOnce => Score::Transport(Transport::new(&bodies[robots])),
            Task::TransportPosition => Score::Position,
            Task::Aggregation { range } => Score::Aggregation(Aggregation::new(*range, robots, physics.half_arena)),
            Task::Dispersion => Score::Dispersion(Dispersion::new(robots, physics.half_arena)),
            Task::Coverage { cell } => Score::Coverage(Coverage::new(*cell, physics.half_arena)),
            Task::Foraging { nest, food } => {
                Score::Foraging(Foraging::new(*nest, *food, robots, physics.robot.wheels.straight_speed()))
            }
            Task::Objective(objective) => {
                let start = bodies.iter().take(robots).map(|body| body.pose.at);
                let score = ObjectiveScore::new(objective.clone(), physics.half_arena, robots, start, run);
                Score::Objective(score.starting_at(bodies.iter().map(|body| body.pose)))
            }
        }
    }

    /// Records the poses of the robots, then the discs, before [`Score::update`]. Only objectives use them.
    pub fn see(&mut self, poses: impl Iterator<Item = Pose>) {
        if let Score::Objective(objective) = self {
            objective.see(poses);
        }
    }

    /// Moves the first disc, which has the index `disc` in `bodies`, to a random free position near the centre, and
    /// stops it. The relocation does not count as a displacement.
    pub fn relocate(&mut self, bodies: &mut [Body], disc: usize, draws: &mut Draws) {
        match self {
            Score::Transport(transport) => transport.relocate(bodies, disc, draws),
            Score::Objective(objective) => objective.relocate(bodies, disc, draws),
            _ => {}
        }
    }

    /// Returns the number of relocations of the first disc.
    pub fn relocations(&self) -> u32 {
        match self {
            Score::Transport(transport) => transport.relocations(),
            Score::Objective(objective) => objective.relocations(),
            _ => 0,
        }
    }

    /// Updates the score after a controller update. `robots` contains the robots' centres (m).
    pub fn update(&mut self, robots: &[Vec2]) {
        match self {
            Score::Transport(_) | Score::Position => {}
            Score::Aggregation(aggregation) => aggregation.update(robots),
            Score::Dispersion(dispersion) => dispersion.update(robots),
            Score::Coverage(coverage) => coverage.update(robots),
            Score::Foraging(foraging) => foraging.update(robots),
            Score::Objective(objective) => objective.update(robots),
        }
    }

    /// Performs [`Score::update`] with the robots in each counted region of an objective.
    pub(crate) fn update_counted(&mut self, robots: &[Vec2], members: impl Iterator<Item = Members>) {
        match self {
            Score::Objective(objective) => objective.update_counted(robots, members),
            _ => self.update(robots),
        }
    }

    /// Returns the bit mask of the conditions that hold now: bit i for condition i of the objective.
    pub fn active(&self) -> u32 {
        match self {
            Score::Objective(objective) => objective.active(),
            _ => 0,
        }
    }

    /// Returns the fitness `seconds` after the start of the run. `bodies` contains the robots, then the discs.
    pub fn fitness(&self, physics: &Physics, bodies: &[Body], robots: usize, seconds: f32) -> f32 {
        match self {
            Score::Transport(transport) => {
                transport::raw_fitness(transport.moved(&bodies[robots]), seconds, physics.robot.wheels.max_speed)
            }
            Score::Position => transport::position_fitness(&bodies[robots], physics.half_arena.0),
            _ => self.counted_fitness(robots, seconds),
        }
    }

    /// Returns the fitness accumulated by [`Score::update`], `seconds` after the start of the run; 0 for tasks that
    /// score the disc.
    pub fn counted_fitness(&self, robots: usize, seconds: f32) -> f32 {
        match self {
            Score::Transport(_) | Score::Position => 0.0,
            Score::Aggregation(aggregation) => aggregation.fitness(),
            Score::Dispersion(dispersion) => dispersion.fitness(),
            Score::Coverage(coverage) => coverage.fitness(),
            Score::Foraging(foraging) => foraging.fitness(robots, seconds),
            Score::Objective(objective) => objective.fitness(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evolution_penalises_unmoved_discs_and_full_memories() {
        assert_eq!(Task::Transport.evolution_fitness(0.0, 0.9), -1.0);
        assert_eq!(Task::TransportOnce.evolution_fitness(0.0, 0.9), -1.0);
        assert_eq!(Task::TransportPosition.evolution_fitness(0.0, 0.9), 0.0);
        assert!((Task::Transport.evolution_fitness(1.0, 0.25) - 0.5).abs() < 1e-6);
        assert_eq!(Task::Dispersion.evolution_fitness(0.5, 0.0), 0.0);
    }

    #[test]
    fn larger_trees_never_gain_in_objectives() {
        let objective = objective::parse("last(n(arena))", &[], 0.0, 1.0).unwrap();
        let task = Task::Objective(objective.into());
        assert!(!task.penalises_unmoved());
        assert_eq!(task.evolution_fitness(0.0, 0.9), 0.0, "doing nothing is no failure");
        for fitness in [-26.8, -0.3, 0.4, 26.8] {
            let of = |parsimony| task.evolution_fitness(fitness, parsimony);
            assert_eq!([of(1.0), of(0.5)], [fitness; 2]);
            assert!(of(0.5) > of(0.3) && of(0.3) > of(0.1), "{fitness}");
        }
        assert_eq!([0.4, -0.4].map(|fitness| task.evolution_fitness(fitness, 0.0)), [0.0, -0.8]);
    }
}
