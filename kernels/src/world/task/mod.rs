//! Tasks: what a world counts while it runs, and the fitness at the end.

pub mod coverage;
pub mod foraging;
pub mod spacing;
pub mod transport;
mod words;

pub use foraging::Region;

use super::body::Body;
use super::physics::Physics;
use crate::math::Vec2;
use coverage::Coverage;
use foraging::Foraging;
use serde::{Deserialize, Serialize};
use spacing::{Aggregation, Dispersion};
use transport::Transport;

/// What is scored. The fitness of every task is a pure number, and more is better.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Task {
    /// The first disc's speed towards -x over v_max (Eq. 8.3), -1 to 1. Where the disc touches an x wall it is put
    /// back near the centre.
    Transport,
    /// The same without putting the disc back (Eq. 7.5 and 7.6).
    TransportOnce,
    /// How far the first disc is on the -x side at the end (Eq. 5.11), 0 to 1.
    TransportPosition,
    /// The mean share of the robots that are in the largest cluster, 1/n to 1. A chain of robots whose centres are at
    /// most `range` apart, m, is a cluster.
    Aggregation {
        /// Greatest distance of neighbours in a cluster, m.
        range: f32,
    },
    /// The mean distance to the nearest other robot, over the distance in a hexagonal packing of the arena; 0 to 1.
    Dispersion,
    /// The share of the arena's cells in which some robot's centre has been, 0 to 1.
    Coverage {
        /// Wanted side of a cell, m; cells are stretched so that a whole number of them fits.
        cell: f32,
    },
    /// Items carried from `food` to `nest`, over the most that is possible (Eq. 4.1 and 4.2), 0 to about 1.
    Foraging {
        /// Where items are delivered.
        nest: Region,
        /// Where items are picked up.
        food: Region,
    },
}

impl Task {
    /// Name in files and reports.
    pub fn name(&self) -> &'static str {
        match self {
            Task::Transport => "transport",
            Task::TransportOnce => "transport-once",
            Task::TransportPosition => "transport-position",
            Task::Aggregation { .. } => "aggregation",
            Task::Dispersion => "dispersion",
            Task::Coverage { .. } => "coverage",
            Task::Foraging { .. } => "foraging",
        }
    }

    /// True if the first disc is what the task is about.
    pub fn moves_disc(&self) -> bool {
        matches!(self, Task::Transport | Task::TransportOnce | Task::TransportPosition)
    }

    /// True if [`Score::update`] counts anything.
    pub fn counts_updates(&self) -> bool {
        !self.moves_disc()
    }

    /// True if the disc is put back near the centre where it touches an end.
    pub fn relocates(&self) -> bool {
        matches!(self, Task::Transport)
    }

    /// How much of a run's fitness is earned when a part of it, 0 to 1, is over and its fitness so far is this: what is earned
    /// grows from 0 to the fitness of the whole run, so that its differences are rewards for learners.
    pub fn earned(&self, fitness: f32, part: f32) -> f32 {
        match self {
            // Places and cells count as they are; all others are means over time.
            Task::TransportPosition | Task::Coverage { .. } => fitness,
            _ => fitness * part,
        }
    }

    /// The fitness that evolution maximises (Eq. 7.6 and 8.3): derated when a controller fills more than half of a
    /// robot's memory, and less 1 if a disc that is to be moved never moved.
    pub fn evolution_fitness(&self, fitness: f32, parsimony: f32) -> f32 {
        let unmoved = matches!(self, Task::Transport | Task::TransportOnce) && fitness == 0.0;
        let penalty = if unmoved { 1.0 } else { 0.0 };
        let derate = if parsimony < 0.5 { 2.0 * parsimony } else { 1.0 };
        derate * (fitness - penalty)
    }
}

/// What a task has counted in one world so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Score {
    /// The first disc's way.
    Transport(Transport),
    /// The first disc's place, which nothing need be counted for.
    Position,
    /// The largest cluster.
    Aggregation(Aggregation),
    /// The distances between neighbours.
    Dispersion(Dispersion),
    /// The cells visited.
    Coverage(Coverage),
    /// The items carried.
    Foraging(Foraging),
}

impl Score {
    /// Starts to count; `bodies` are robots, then discs.
    pub fn new(task: &Task, physics: &Physics, bodies: &[Body], robots: usize) -> Score {
        match *task {
            Task::Transport | Task::TransportOnce => Score::Transport(Transport::new(&bodies[robots])),
            Task::TransportPosition => Score::Position,
            Task::Aggregation { range } => Score::Aggregation(Aggregation::new(range, robots, physics.half_arena)),
            Task::Dispersion => Score::Dispersion(Dispersion::new(robots, physics.half_arena)),
            Task::Coverage { cell } => Score::Coverage(Coverage::new(cell, physics.half_arena)),
            Task::Foraging { nest, food } => Score::Foraging(Foraging::new(nest, food, robots)),
        }
    }

    /// Counts after a controller update; `robots` are their centres.
    pub fn update(&mut self, robots: &[Vec2]) {
        match self {
            Score::Transport(_) | Score::Position => {}
            Score::Aggregation(aggregation) => aggregation.update(robots),
            Score::Dispersion(dispersion) => dispersion.update(robots),
            Score::Coverage(coverage) => coverage.update(robots),
            Score::Foraging(foraging) => foraging.update(robots),
        }
    }

    /// The fitness so far, `seconds` after the start.
    pub fn fitness(&self, physics: &Physics, bodies: &[Body], robots: usize, seconds: f32) -> f32 {
        match self {
            Score::Transport(transport) => transport::raw_fitness(transport.moved(&bodies[robots]), seconds),
            Score::Position => transport::position_fitness(&bodies[robots], physics.half_arena.0),
            _ => self.counted_fitness(robots, seconds),
        }
    }

    /// The fitness of what [`Score::update`] counted; 0 of tasks that are about the disc.
    pub fn counted_fitness(&self, robots: usize, seconds: f32) -> f32 {
        match self {
            Score::Transport(_) | Score::Position => 0.0,
            Score::Aggregation(aggregation) => aggregation.fitness(),
            Score::Dispersion(dispersion) => dispersion.fitness(),
            Score::Coverage(coverage) => coverage.fitness(),
            Score::Foraging(foraging) => foraging.fitness(robots, seconds),
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
}
