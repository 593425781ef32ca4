//! History of a run's evolution, for pages that are opened during the run. It contains the fitness of every island,
//! the swarm's mean, migration, and the best tree so far.

use super::migration::Migration;
use super::series::Thinned;
use serde::Serialize;
use std::collections::BTreeMap;
use xpuck_wire::message::{Emigrant, Estimate, Population};
use xpuck_wire::telemetry::Telemetry;
use xpuck_wire::{Phase, Segment, Status};

/// Number of columns of an island's series. The columns are time, generation, best, derated and mean fitness, size of
/// the fittest tree, number of distinct trees, and mean tree size.
const COLUMNS: usize = 8;

/// Results of one generation of an island.
#[derive(Clone, Debug, Serialize)]
pub struct Generation {
    robot: String,
    /// Running time of the run (s).
    t: f32,
    generation: u32,
    best: f32,
    derated: f32,
    mean: f32,
    size: Option<u32>,
    unique: Option<u32>,
    mean_size: Option<f32>,
}

#[derive(Clone, Debug, Default)]
struct Island {
    course: Thinned<COLUMNS>,
    generation: u32,
    derated: f64,
    fittest: Option<Emigrant>,
    population: Option<Population>,
    estimates: Vec<Estimate>,
}

/// Best tree of the swarm, with its fitness.
#[derive(Clone, Debug, Serialize)]
pub struct Best<'a> {
    robot: &'a str,
    gene: String,
    fitness: f64,
    tree: &'a str,
}

impl Best<'_> {
    /// Returns the island and the number of the individual, such as `3.4711`.
    pub fn gene(&self) -> &str {
        &self.gene
    }
}

/// Series of an island, column by column, in the format for pages.
#[derive(Debug, Serialize)]
struct IslandColumns {
    t: Vec<f32>,
    generation: Vec<f32>,
    best: Vec<f32>,
    derated: Vec<f32>,
    mean: Vec<f32>,
    size: Vec<f32>,
    unique: Vec<f32>,
    mean_size: Vec<f32>,
}

#[derive(Debug, Serialize)]
struct Course {
    t: Vec<f32>,
    v: Vec<f32>,
}

/// World parameters estimated by a robot, in the format for pages.
#[derive(Debug, Serialize)]
pub struct EstimatesEvent {
    robot: String,
    t: f32,
    estimates: Vec<Estimate>,
}

/// Evolution of a run in the format for pages.
#[derive(Serialize)]
pub struct Shown<'a> {
    evolved: Course,
    islands: BTreeMap<&'a str, IslandColumns>,
    segments: &'a [Segment],
    migration: &'a Migration,
    estimates: BTreeMap<&'a str, &'a [Estimate]>,
    best: Option<Best<'a>>,
}

/// History of a run's evolution.
#[derive(Clone, Debug)]
pub struct History {
    ids: Vec<String>,
    islands: Vec<Island>,
    evolved: Thinned<2>,
    segments: Vec<Segment>,
    migration: Migration,
    /// Last known time: arena time (s), running time at that arena time (s), and whether the running time advances.
    at: (f64, f64, bool),
}

impl History {
    /// Creates an empty history.
    pub fn new(ids: &[String]) -> History {
        History {
            ids: ids.into(),
            islands: vec![Island::default(); ids.len()],
            evolved: Thinned::default(),
            segments: Vec::new(),
            migration: Migration::new(ids),
            at: (0.0, 0.0, false),
        }
    }

    /// Adds robots. `ids` are the ids of all robots, including those added before.
    pub fn set_robots(&mut self, ids: &[String]) {
        self.ids = ids.into();
        self.islands.resize_with(ids.len(), Island::default);
        self.migration.set_robots(ids);
    }

    /// Clears the history, because another run starts.
    pub fn begin(&mut self) {
        *self = History::new(&self.ids);
    }

    fn place(&self, robot: &str) -> Option<usize> {
        self.ids.iter().position(|id| id == robot)
    }

    fn run_seconds(&self, now: f64) -> f64 {
        let (then, run, runs) = self.at;
        if runs { run + (now - then).clamp(0.0, 10.0) } else { run }
    }

    /// Records a robot's telemetry. Returns the results of a generation if the robot reports this generation for the
    /// first time.
    pub fn telemetry(&mut self, now: f64, robot: &str, telemetry: &Telemetry) -> Option<Generation> {
        let place = self.place(robot)?;
        let told = telemetry.evolution;
        let seconds = self.run_seconds(now);
        let island = &mut self.islands[place];
        if told.generation < island.generation {
            // A lower generation means that the robot or its experiment was restarted.
            island.generation = 0;
        }
        if told.generation == island.generation {
            return None;
        }
        island.generation = told.generation;
        island.derated = told.derated;
        let population = island.population.filter(|p| p.generation <= told.generation);
        let done = Generation {
            robot: robot.into(),
            t: seconds as f32,
            generation: told.generation,
            best: told.best as f32,
            derated: told.derated as f32,
            mean: told.mean as f32,
            size: island.fittest.as_ref().map(|gene| gene.tree.lines().count() as u32),
            unique: population.map(|p| p.distinct),
            mean_size: population.map(|p| p.mean_nodes),
        };
        let known = |value: Option<f32>| value.unwrap_or(f32::NAN);
        island.course.push([
            done.t,
            done.generation as f32,
            done.best,
            done.derated,
            done.mean,
            known(done.size.map(|n| n as f32)),
            known(done.unique.map(|n| n as f32)),
            known(done.mean_size),
        ]);
        Some(done)
    }

    /// Records the fittest tree of an island, which the island offers to others.
    pub fn fittest(&mut self, robot: &str, gene: &Emigrant) {
        if let Some(place) = self.place(robot) {
            self.islands[place].fittest = Some(gene.clone());
        }
    }

    /// Records the statistics of an island's population. `from` are the islands from which its immigrants came.
    pub fn population(&mut self, now: f64, robot: &str, population: &Population, from: &[u16]) {
        let Some(place) = self.place(robot) else { return };
        self.islands[place].population = Some(*population);
        self.migration.add(from, place, self.run_seconds(now));
    }

    /// Records a robot's estimates of the world, and returns them in the format for pages. Returns `None` for an
    /// unknown robot.
    pub fn estimates(&mut self, now: f64, robot: &str, estimates: &[Estimate]) -> Option<EstimatesEvent> {
        let place = self.place(robot)?;
        self.islands[place].estimates = estimates.into();
        Some(EstimatesEvent { robot: robot.into(), t: self.run_seconds(now) as f32, estimates: estimates.into() })
    }

    /// Records the state of the run, as contained in an entry of the record.
    pub fn run(&mut self, now: f64, phase: Phase, run_seconds: f64, evolved: f64, segments: &[Segment]) {
        self.stands(now, phase, run_seconds, evolved, segments);
    }

    /// Records the state of the run, as contained in the hub's status.
    pub fn status(&mut self, status: &Status) {
        self.stands(status.time, status.phase, status.run_seconds, status.evolved, &status.segments);
    }

    fn stands(&mut self, now: f64, phase: Phase, run_seconds: f64, evolved: f64, segments: &[Segment]) {
        if now < self.at.0 {
            return;
        }
        self.at = (now, run_seconds, matches!(phase, Phase::Running | Phase::Resting));
        let any = self.islands.iter().any(|island| island.generation > 0);
        let last = self.evolved.rows().last().map(|row| row[0]);
        if any && last.is_none_or(|last| f64::from(last) + 0.5 <= run_seconds) {
            self.evolved.push([run_seconds as f32, evolved as f32]);
        }
        self.segments = segments.into();
    }

    /// Returns the best tree of the swarm: the fittest tree of the island with the highest derated fitness. Returns
    /// `None` until it is known.
    pub fn best(&self) -> Option<Best<'_>> {
        let islands = self.islands.iter().zip(&self.ids).filter(|(island, _)| island.generation > 0);
        let (island, robot) = islands.max_by(|a, b| a.0.derated.total_cmp(&b.0.derated))?;
        let gene = island.fittest.as_ref()?;
        let name = format!("{}.{}", gene.island, gene.number);
        Some(Best { robot, gene: name, fitness: island.derated, tree: &gene.tree })
    }

    fn found(&self) -> impl Iterator<Item = (&str, &[Estimate])> {
        let all = self.ids.iter().zip(&self.islands).map(|(id, island)| (id.as_str(), island.estimates.as_slice()));
        all.filter(|(_, estimates)| !estimates.is_empty())
    }

    /// Returns the history in the format for pages.
    pub fn shown(&self) -> Shown<'_> {
        let columns = |island: &Island| {
            let of = |place| island.course.column(place);
            IslandColumns {
                t: of(0),
                generation: of(1),
                best: of(2),
                derated: of(3),
                mean: of(4),
                size: of(5),
                unique: of(6),
                mean_size: of(7),
            }
        };
        Shown {
            evolved: Course { t: self.evolved.column(0), v: self.evolved.column(1) },
            islands: self.ids.iter().map(String::as_str).zip(self.islands.iter().map(columns)).collect(),
            segments: &self.segments,
            migration: &self.migration,
            estimates: self.found().collect(),
            best: self.best(),
        }
    }
}
