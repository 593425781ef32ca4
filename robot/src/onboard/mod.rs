//! Onboard evolution: an island that runs on the robot's spare cores at idle priority, slows down when the processor
//! is hot, and saves each generation to disk.

mod checkpoints;
pub mod thermal;

use crate::board::processors;
use checkpoints::{Checkpoint, Checkpoints};
use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::time::{Duration, Instant};
use thermal::Governor;
use tracing::warn;
use xpuck_evolve::{Island, Migrant, SuspendedTrials, Trial};
use xpuck_kernels::engine::{ChosenEngine, EngineChoice, EngineStatus, Evaluator, Job, Machine, Notice, Team};
use xpuck_kernels::model::CONTROL_PERIOD;
use xpuck_kernels::tree::Program;
use xpuck_kernels::world::WorldSpec;
use xpuck_robot_core::curriculum_state::CurriculumState;
use xpuck_robot_core::island::{Generation, IslandEvent, IslandPlan, MIGRATION_WAIT, PendingGeneration, Trials};
use xpuck_robot_core::probe::{Change, Observation, Probe};
use xpuck_wire::clock::monotonic;
use xpuck_wire::log::Line;
use xpuck_wire::telemetry::EngineReport;
use xpuck_wire::{gpu_nodes, priority};

/// Number of trials per thread after which the island checks whether evolution may continue. This number fills the
/// engine's lanes once, and takes a few milliseconds.
const TRIALS_PER_CHECK: usize = 16;
/// Target duration of a batch of trials on a GPU (s). Batches are large, because a GPU needs many trials at once.
const DEVICE_CHUNK_S: f64 = 0.2;
/// Interval at which a paused island checks whether it may continue (wall time).
const PAUSE_NAP: Duration = Duration::from_millis(2);
/// Maximum number of queued answers to the island. An answer is the hub's list of immigrants for a generation. Further
/// answers are dropped.
const ANSWERS: usize = 4;
/// Maximum number of queued observations for the island. The queue holds the observations of about twelve seconds.
const NOTICES: usize = 256;

/// State shared by the control loop and the island's thread. It has no locks. A lock held by a thread at idle priority
/// could block the control loop.
#[derive(Default)]
struct Shared {
    running: AtomicBool,
    ended: AtomicBool,
    /// Fraction of the time that evolution may use (0..=1), as the bits of an f32.
    duty: AtomicU32,
    kept: AtomicU32,
}

/// Message from the island's thread to the control loop.
enum ThreadMessage {
    News(IslandEvent),
    Engine(EngineReport),
}

type Answer = (u32, Vec<Migrant>);

/// Handle of the island's thread. Dropping the handle ends the thread at its next check.
pub struct Onboard {
    shared: Arc<Shared>,
    told: Receiver<ThreadMessage>,
    engine: RefCell<EngineReport>,
    immigrants: SyncSender<Answer>,
    trials: Sender<Trials>,
    noticed: Option<SyncSender<Observation>>,
}

impl Drop for Onboard {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::Relaxed);
    }
}

/// Plan of an island, and the resources that this robot provides for it.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Plan of the island.
    pub island: IslandPlan,
    /// Simulation engine.
    pub engine: EngineChoice,
    /// Number of threads.
    pub threads: usize,
    /// Folder of the checkpoints. `None`: no checkpoints are written.
    pub state: Option<PathBuf>,
    /// File with the processor temperature.
    pub temperature: PathBuf,
    /// Temperature above which evolution is throttled (degrees C).
    pub max_temperature: f32,
}

impl Plan {
    fn checkpoints(&self) -> Option<Checkpoints> {
        let IslandPlan { plan, digest, number, seed, island } = &self.island;
        let (algorithm, robots) = (plan.settings.algorithm, plan.phase(0).world.robots);
        let rest = format!("{number} {algorithm} {seed} {island} {robots}");
        let steps = !plan.steps.is_empty();
        self.state.as_deref().map(|folder| Checkpoints::new(folder, [digest.as_str(), &rest], steps))
    }
}

impl Onboard {
    /// Creates a paused island.
    ///
    /// # Errors
    /// If the system cannot create the threads.
    pub fn start(plan: Plan) -> std::io::Result<Onboard> {
        let shared = Arc::new(Shared::default());
        shared.duty.store(1.0f32.to_bits(), Ordering::Relaxed);
        let (sender, told) = channel();
        let (immigrants, arrivals) = sync_channel(ANSWERS);
        let (trials, changes) = channel();
        let adapts = plan.island.plan.adapt;
        let (noticed, notices) = sync_channel(NOTICES);
        let theirs = shared.clone();
        std::thread::Builder::new().name("evolution".into()).spawn(move || {
            let governor = Governor::new(plan.temperature.clone(), plan.max_temperature);
            let pool = match idle_pool(plan.threads) {
                Ok(pool) => pool,
                Err(why) => {
                    let line = Line::warn(format!("{why}; the robot runs without evolution"));
                    // An error is ignored: if the receiver has ended, the line is not needed.
                    return drop(sender.send(ThreadMessage::News(IslandEvent::Say(line))));
                }
            };
            // The engine is opened in this thread, so that the threads of a GPU driver inherit this thread's idle
            // priority.
            let machine = Machine { clock: monotonic, gpu: gpu_nodes::any() };
            let engine = ChosenEngine::open_or_wait(plan.engine.clone(), machine);
            let own = Trials::from_phase(&plan.island.plan, plan.island.plan.phase(0));
            let probe = adapts.then(|| Probe::new(own.world.clone()));
            let mut thread = IslandThread {
                plan: &plan,
                engine,
                shared: &theirs,
                sender,
                arrivals,
                changes,
                notices,
                probe,
                setting: TrialSetup::of(own.clone()),
                phase_trials: own,
                curriculum_state: CurriculumState::default(),
                governor,
            };
            pool.install(move || thread.run());
        })?;
        let noticed = adapts.then_some(noticed);
        Ok(Onboard { shared, told, engine: RefCell::default(), immigrants, trials, noticed })
    }

    /// Resumes the island, or pauses it after the current batch of trials.
    pub fn run(&self, running: bool) {
        self.shared.running.store(running, Ordering::Relaxed);
    }

    /// Changes the world of the island's trials.
    pub fn change_trials(&self, trials: Trials) {
        // An error means that the island's thread has ended.
        let _ = self.trials.send(trials);
    }

    /// Passes an observation to the island for comparison with its simulation. If the queue is full, the observation
    /// is dropped.
    pub fn observe(&self, noticed: Observation) {
        if let Some(probe) = &self.noticed {
            let _ = probe.try_send(noticed);
        }
    }

    /// Returns the next event of the island; `None` if the queue is empty.
    pub fn poll(&self) -> Option<IslandEvent> {
        loop {
            match self.told.try_recv().ok()? {
                ThreadMessage::News(news) => return Some(news),
                ThreadMessage::Engine(report) => *self.engine.borrow_mut() = report,
            }
        }
    }

    /// Returns the engine and its speed, as of the last poll.
    pub fn engine(&self) -> EngineReport {
        self.engine.borrow().clone()
    }

    /// Returns the fraction of the time that the island may use (0..=1). A value below 1 means that the processor is
    /// too hot.
    pub fn duty(&self) -> f32 {
        f32::from_bits(self.shared.duty.load(Ordering::Relaxed))
    }

    /// Returns the generation of the last checkpoint on disk; 0 if there is no checkpoint.
    pub fn kept(&self) -> u32 {
        self.shared.kept.load(Ordering::Relaxed)
    }

    /// Passes the immigrants for `generation` to the island. If the queue is full, the immigrants are dropped.
    pub fn immigrate(&self, generation: u32, migrants: Vec<Migrant>) {
        // The error is ignored: an island with a full queue is too slow to use the immigrants.
        let _ = self.immigrants.try_send((generation, migrants));
    }
}

/// Creates a pool of threads at idle priority, which run only when no other thread needs the processor.
///
/// A new thread inherits the priority and the processor affinity of its creator. The calling thread has inherited both
/// from the control loop. It therefore resets its own values first.
fn idle_pool(threads: usize) -> Result<rayon::ThreadPool, String> {
    processors::unpin();
    if priority::run_last().is_err() {
        if priority::runs_first() {
            return Err("the kernel does not allow threads to leave real-time priority".into());
        }
        warn!(target: "xpuckd", "the kernel refused idle priority; evolution may delay the control loop");
    }
    let name = |i| format!("evolve-{i}");
    rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(name).build().map_err(|error| error.to_string())
}

/// Settings of the trials, and the compiled programs of the robots that have a fixed tree.
struct TrialSetup {
    trials: Trials,
    mates: Vec<Program>,
}

impl TrialSetup {
    fn of(trials: Trials) -> TrialSetup {
        let given = trials.given.iter().flatten();
        // Compilation cannot fail, because a plan contains only trees that fit a robot.
        let mates = given.map(|tree| Program::compile(tree).expect("a tree that fits a robot")).collect();
        TrialSetup { trials, mates }
    }

    /// Returns the team for a trial of the individual with this index. `trees` is the number of individuals. In the
    /// list of programs, the fixed trees follow the individuals' trees.
    fn team(&self, individual: usize, trees: usize) -> Team {
        if self.mates.is_empty() {
            return Team::all(individual);
        }
        let mut mates = trees..;
        let program = |given: &Option<_>| given.as_ref().map_or(individual, |_| mates.next().unwrap_or(individual));
        Team::from_programs(self.trials.given.iter().map(program).collect::<Vec<_>>())
    }
}

/// Result of a generation's trials.
enum TrialResult {
    /// Fitness of each trial of the round.
    All(Vec<f32>),
    /// The trials were changed during the generation.
    Changed,
    /// The island must end.
    Ended,
}

/// State of the island's thread.
struct IslandThread<'a> {
    plan: &'a Plan,
    engine: ChosenEngine,
    shared: &'a Shared,
    sender: Sender<ThreadMessage>,
    arrivals: Receiver<Answer>,
    changes: Receiver<Trials>,
    notices: Receiver<Observation>,
    probe: Option<Probe>,
    /// Trials of the experiment's phase.
    phase_trials: Trials,
    curriculum_state: CurriculumState,
    /// Trials of the current curriculum step, or of the phase.
    setting: TrialSetup,
    governor: Governor,
}

impl IslandThread<'_> {
    fn run(&mut self) {
        let checkpoints = self.plan.checkpoints();
        let mut island = self.resumed(checkpoints.as_ref()).unwrap_or_else(|| self.plan.island.create());
        self.update_setup();
        let mut evaluator = Evaluator::default();
        let mut suspended = SuspendedTrials::default();
        let mut begun_generation = None;
        let mut disk_works = true;
        loop {
            let begun = begun_generation.get_or_insert_with(|| {
                suspended.clear();
                PendingGeneration::begin(&island)
            });
            let fitness = match self.try_all(&island, &mut evaluator, &mut suspended) {
                TrialResult::All(fitness) => fitness,
                TrialResult::Changed => {
                    island.forget();
                    begun_generation = None;
                    continue;
                }
                TrialResult::Ended => return,
            };
            let plan = &self.plan.island.plan;
            let round = (&mut island, begun);
            let Some((mut done, step)) = self.curriculum_state.record(plan, round, &fitness, &self.setting.trials)
            else {
                continue;
            };
            begun_generation = None;
            let other = self.update_world(&mut done);
            let (champion, progress) = (done.champion.clone(), done.progress);
            self.tell_engine();
            if self.sender.send(ThreadMessage::News(IslandEvent::Generation(Box::new(done)))).is_err() {
                return;
            }
            let moves_on = step.is_some();
            step.into_iter().for_each(|line| self.say(line));
            let mut immigrants = self.wait_for_immigrants(island.generation());
            CurriculumState::receive(plan, &mut immigrants);
            island.advance(&immigrants);
            let changes = other.is_some();
            if let Some(world) = other {
                self.phase_trials.world = world;
                // The world of a curriculum step is fixed, so a change of the phase's world has no effect on it.
                if self.curriculum_state.step(plan).is_none() {
                    island.relearn();
                }
            }
            if moves_on || changes {
                self.update_setup();
            }
            let Some(checkpoints) = &checkpoints else { continue };
            let kept = Checkpoint { island, champion, progress, way: self.curriculum_state.clone() };
            match checkpoints.save(&kept) {
                Ok(()) => self.shared.kept.store(progress.generation, Ordering::Relaxed),
                Err(error) if disk_works => self.say(Line::warn(error)),
                Err(_) => {}
            }
            disk_works = self.shared.kept.load(Ordering::Relaxed) == progress.generation;
            island = kept.island;
        }
    }

    /// Restores the island from the newest checkpoint of this experiment; `None` without a valid checkpoint.
    fn resumed(&mut self, checkpoints: Option<&Checkpoints>) -> Option<Island> {
        let (kept, broken) = checkpoints?.load_newest();
        broken.into_iter().for_each(|text| self.say(Line::warn(text)));
        let Checkpoint { island, champion, progress, way } = kept?;
        self.curriculum_state = way;
        self.shared.kept.store(progress.generation, Ordering::Relaxed);
        let step = self
            .curriculum_state
            .step(&self.plan.island.plan)
            .map_or(String::new(), |name| format!(", in step {name:?}"));
        self.say(Line::info(format!("evolution continues after generation {}{step}", progress.generation)));
        let champion = Box::new(champion);
        self.sender.send(ThreadMessage::News(IslandEvent::Resumed { progress, champion })).ok()?;
        Some(island)
    }

    /// Selects the trials of the current curriculum step. Without a curriculum, selects the trials of the phase.
    fn update_setup(&mut self) {
        self.setting = TrialSetup::of(self.curriculum_state.trials(&self.plan.island.plan, &self.phase_trials));
    }

    /// Passes the queued observations to the probe, which estimates the parameters of the real world.
    fn process_observations(&mut self) {
        if let Some(probe) = &mut self.probe {
            self.notices.try_iter().take(NOTICES).for_each(|noticed| probe.on_observation(noticed));
        }
    }

    /// Adds the probe's estimates to the report of a generation. Returns the world to simulate from now on; `None` if
    /// the world did not change.
    fn update_world(&mut self, done: &mut Generation) -> Option<Arc<WorldSpec>> {
        self.process_observations();
        let probe = self.probe.as_mut()?;
        let change = probe.decide();
        done.found = Some(probe.found());
        let Change { world, line } = change?;
        self.say(line);
        world
    }

    fn say(&self, line: Line) {
        // An error means that the receiver has ended.
        let _ = self.sender.send(ThreadMessage::News(IslandEvent::Say(line)));
    }

    /// Reports the engine and its speed at the end of a generation.
    fn tell_engine(&self) {
        self.engine.end_generation();
        let EngineStatus { engine, adapter, r_acc, .. } = self.engine.status();
        let report = EngineReport { name: engine.into(), adapter: adapter.unwrap_or_default(), r_acc: r_acc as f32 };
        let _ = self.sender.send(ThreadMessage::Engine(report.bounded()));
    }

    /// Returns the number of trials in the next batch. After each batch, the island checks whether evolution may
    /// continue. `left` is the number of remaining trials of the generation. `robot_seconds` is the simulated time of a
    /// trial, summed over its robots (s).
    fn chunk(&self, left: usize, robot_seconds: f64) -> usize {
        let few = TRIALS_PER_CHECK * self.plan.threads;
        let EngineStatus { adapter, r_acc, .. } = self.engine.status();
        let many = (DEVICE_CHUNK_S * r_acc / robot_seconds) as usize;
        let chunk = if adapter.is_some() { many.max(few) } else { few };
        // If less than half a batch would remain afterwards, the batch includes these trials. A separate batch for them
        // would be inefficient.
        if left < chunk + chunk / 2 { left } else { chunk }
    }

    /// Runs all trials of a round.
    fn try_all(&mut self, island: &Island, evaluator: &mut Evaluator, suspended: &mut SuspendedTrials) -> TrialResult {
        let plan = &self.plan.island;
        let trials = island.trials();
        let trees: Vec<_> = island.population().iter().map(|individual| &individual.tree).collect();
        evaluator.prepare_with(&trees, &self.setting.mates);
        let mut fitness = Vec::with_capacity(trials.len());
        let at = self.setting.trials.clone();
        let job = |trial: &Trial| plan.job(trial, &at, self.setting.team(trial.individual, trees.len()));
        let jobs: Vec<Job<'_>> = trials.iter().map(job).collect();
        let parts: Vec<(usize, Trial)> = trials.into_iter().map(|trial| (0, trial)).collect();
        let robot_seconds = f64::from(at.updates) * f64::from(CONTROL_PERIOD) * at.world.robots as f64;
        while fitness.len() < jobs.len() {
            if !self.may_go_on() {
                return TrialResult::Ended;
            }
            self.process_observations();
            if let Some(trials) = self.changes.try_iter().last() {
                let trials = match &mut self.probe {
                    Some(probe) => Trials { world: probe.replan(trials.world), ..trials },
                    None => trials,
                };
                self.phase_trials = trials;
                self.update_setup();
                return TrialResult::Changed;
            }
            let left = &jobs[fitness.len()..];
            let began = Instant::now();
            evaluator.settle(&self.engine, left);
            let chunk = fitness.len()..fitness.len() + self.chunk(left.len(), robot_seconds);
            fitness.extend(suspended.fitness(evaluator, &self.engine, &parts[chunk.clone()], &jobs[chunk]));
            for Notice { text, warning } in self.engine.drain_notices() {
                self.say(if warning { Line::warn(text) } else { Line::info(text) });
            }
            let duty = self.governor.duty();
            self.shared.duty.store(duty.to_bits(), Ordering::Relaxed);
            std::thread::sleep(thermal::rest(began.elapsed(), duty));
        }
        TrialResult::All(fitness)
    }

    /// Waits while the island is paused or the processor is too hot. Returns false if the island must end.
    fn may_go_on(&mut self) -> bool {
        while !self.shared.ended.load(Ordering::Relaxed) {
            self.process_observations();
            let duty = self.governor.duty();
            self.shared.duty.store(duty.to_bits(), Ordering::Relaxed);
            match (self.shared.running.load(Ordering::Relaxed), duty > 0.0) {
                (true, true) => return true,
                (false, _) => std::thread::sleep(PAUSE_NAP),
                (true, false) => std::thread::sleep(thermal::LONGEST_REST),
            }
        }
        false
    }

    fn wait_for_immigrants(&self, generation: u32) -> Vec<Migrant> {
        let deadline = Instant::now() + MIGRATION_WAIT;
        while !self.shared.ended.load(Ordering::Relaxed) {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.arrivals.recv_timeout(left) {
                Ok((answers, migrants)) if answers == generation => return migrants,
                Ok(_) => {}
                Err(_) => break,
            }
        }
        Vec::new()
    }
}

#[cfg(test)]
mod tests;
