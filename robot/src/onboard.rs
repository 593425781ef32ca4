//! Onboard evolution: an island that lives on the robot's spare cores at idle priority.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use thread_priority::{NormalThreadSchedulePolicy, ThreadPriority, ThreadSchedulePolicy};
use xpuck_evolve::{Algorithm, Id, Island, Migrant, Palette, Progress, Settings};
use xpuck_kernels::engine::{Crew, Evaluator, Job, Simd};
use xpuck_kernels::world::WorldSpec;
use xpuck_kernels::world::model::CONTROL_PERIOD;
use xpuck_wire::Experiment;
use xpuck_wire::message::Birth;

/// Trials run between two looks at whether evolution may go on, for each thread: a block of the engine's lanes, which
/// takes a few milliseconds.
const CHUNK: usize = 16;
/// How long a finished generation waits for the others' genes, wall time.
const MIGRATION_WAIT: Duration = Duration::from_millis(250);
/// How long a pause sleeps between looks, wall time.
const PAUSE_NAP: Duration = Duration::from_millis(2);

/// A finished generation.
#[derive(Clone, Debug)]
pub struct Generation {
    /// Where the island stands.
    pub progress: Progress,
    /// The individual to offer to others.
    pub emigrant: Migrant,
    /// The individual to drive the robot.
    pub champion: Migrant,
    /// Who was born in it.
    pub births: Vec<Birth>,
}

#[derive(Default)]
struct Shared {
    running: AtomicBool,
    ended: AtomicBool,
    immigrants: Mutex<Option<(u32, Vec<Migrant>)>>,
}

/// A handle on the island's thread; dropping it ends the thread at its next look.
pub struct Onboard {
    shared: Arc<Shared>,
    generations: Receiver<Generation>,
}

impl Drop for Onboard {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::Relaxed);
    }
}

/// What an island is made from.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The experiment.
    pub experiment: Experiment,
    /// Seed of the run, the same for all islands.
    pub seed: u64,
    /// The island, from 1.
    pub island: u16,
    /// Robots in each simulation.
    pub robots: u16,
    /// Threads.
    pub threads: usize,
}

impl Onboard {
    /// Makes an island that stands still until told to run.
    pub fn start(plan: Plan) -> std::io::Result<Onboard> {
        let shared = Arc::new(Shared::default());
        let (sender, generations) = channel();
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(plan.threads)
            .thread_name(|i| format!("evolve-{i}"))
            .start_handler(|_| lower_priority())
            .build()
            .map_err(std::io::Error::other)?;
        let theirs = shared.clone();
        std::thread::Builder::new()
            .name("evolution".into())
            .spawn(move || pool.install(|| live(&plan, &theirs, &sender)))?;
        Ok(Onboard { shared, generations })
    }

    /// Lets the island live, or stands it still after the trials in hand.
    pub fn run(&self, running: bool) {
        self.shared.running.store(running, Ordering::Relaxed);
    }

    /// The next finished generation, or `None` if none is new.
    pub fn poll(&self) -> Option<Generation> {
        self.generations.try_recv().ok()
    }

    /// Hands over the genes that answer `generation`.
    pub fn immigrate(&self, generation: u32, migrants: Vec<Migrant>) {
        *self.shared.immigrants.lock().unwrap_or_else(PoisonError::into_inner) = Some((generation, migrants));
    }
}

/// Idle scheduling: the kernel gives these threads only what nobody else wants.
pub(crate) fn lower_priority() {
    let policy = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle);
    let thread = thread_priority::thread_native_id();
    if thread_priority::set_thread_priority_and_policy(thread, ThreadPriority::Min, policy).is_err() {
        eprintln!("xpuckd: the kernel refused idle priority; evolution may delay the control loop");
    }
}

fn live(plan: &Plan, shared: &Shared, sender: &Sender<Generation>) {
    let experiment = &plan.experiment;
    let algorithm = if experiment.evolution.as_published { Algorithm::NoiseAware } else { Algorithm::default() };
    let population = experiment.evolution.population;
    let immigrants = experiment.migration.receive.min(population / 2);
    let exchange_every = experiment.migration.every;
    let settings = Settings { population, immigrants, exchange_every, ..Settings::of(algorithm) };
    let mut island = Island::new(settings, Palette::in_swarm(), plan.island, plan.seed);
    let mut evaluator = Evaluator::default();
    while let Some(fitness) = try_all(plan, &island, &mut evaluator, shared) {
        let newborn: BTreeSet<Id> = island.population().iter().filter(|i| i.samples.n() == 0).map(|i| i.id).collect();
        island.record(&fitness);
        let births = births(&island, &newborn);
        let champion = island.champion();
        let champion =
            Migrant { id: champion.id, tree: champion.tree.clone(), samples: champion.samples, epoch: island.epoch() };
        let done = Generation { progress: island.progress(), emigrant: island.emigrant(), champion, births };
        if sender.send(done).is_err() {
            return;
        }
        let immigrants = wait_for_immigrants(island.generation(), shared);
        island.advance(&immigrants);
    }
}

/// Runs every trial of a generation; `None` when the island is to end.
fn try_all(plan: &Plan, island: &Island, evaluator: &mut Evaluator, shared: &Shared) -> Option<Vec<f32>> {
    let trials = island.trials();
    evaluator.prepare(&island.population().iter().map(|individual| &individual.tree).collect::<Vec<_>>());
    let spec = WorldSpec::benchmark(usize::from(plan.robots));
    let updates = (plan.experiment.evolution.trial_seconds / CONTROL_PERIOD).round() as u32;
    let mut fitness = Vec::with_capacity(trials.len());
    for chunk in trials.chunks(CHUNK * plan.threads) {
        while !shared.running.load(Ordering::Relaxed) {
            if shared.ended.load(Ordering::Relaxed) {
                return None;
            }
            std::thread::sleep(PAUSE_NAP);
        }
        if shared.ended.load(Ordering::Relaxed) {
            return None;
        }
        let job = |trial: &xpuck_evolve::Trial| Job {
            spec: &spec,
            start: trial.stratum,
            crew: Crew::all(trial.individual),
            seed: plan.seed ^ u64::from(plan.island) << 32,
            world: trial.world,
            updates: trial.length * updates,
        };
        let jobs: Vec<Job<'_>> = chunk.iter().map(job).collect();
        fitness.extend(evaluator.fitness(&Simd::default(), &jobs));
    }
    Some(fitness)
}

fn births(island: &Island, newborn: &BTreeSet<Id>) -> Vec<Birth> {
    let new = island.population().iter().filter(|i| newborn.contains(&i.id));
    new.map(|individual| Birth {
        number: individual.id.number,
        parents: individual.parents.iter().flatten().map(|p| (p.island, p.number)).collect(),
        fitness: individual.samples.mean() as f32,
    })
    .collect()
}

fn wait_for_immigrants(generation: u32, shared: &Shared) -> Vec<Migrant> {
    let deadline = Instant::now() + MIGRATION_WAIT;
    while Instant::now() < deadline && !shared.ended.load(Ordering::Relaxed) {
        let waiting = shared.immigrants.lock().unwrap_or_else(PoisonError::into_inner).take();
        match waiting {
            Some((answers, migrants)) if answers == generation => return migrants,
            _ => std::thread::sleep(PAUSE_NAP),
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_island_lives_pauses_and_ends() {
        let text = "name = \"x\"\nminutes = 1.0\nsegment_minutes = 0.5\ntask = \"transport\"\n\
            [evolution]\npopulation = 8\ntrial_seconds = 1.0\n";
        let experiment = Experiment::parse("x", text).unwrap();
        let onboard = Onboard::start(Plan { experiment, seed: 1, island: 1, robots: 2, threads: 1 }).unwrap();
        std::thread::sleep(Duration::from_millis(50));
        assert!(onboard.poll().is_none(), "it stands still until told to run");
        onboard.run(true);
        let first = onboard.generations.recv_timeout(Duration::from_secs(20)).expect("a generation");
        // Two trials for each newborn of a generation that costs eight.
        assert_eq!((first.progress.generation, first.births.len()), (1, 4));
        onboard.immigrate(1, vec![]);
        assert_eq!(onboard.generations.recv_timeout(Duration::from_secs(20)).unwrap().progress.generation, 2);
        let shared = Arc::downgrade(&onboard.shared);
        drop(onboard);
        for _ in 0..1000 {
            if shared.strong_count() == 0 {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("the thread lives on");
    }
}
