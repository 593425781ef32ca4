//! One engine for several runs of evolution at once. A single run does not fill a large GPU, because its stages depend on
//! each other. Requests that arrive while the engine works are simulated together, as soon as it is free.

use super::{Engine, Job, Outcome, Piece, Suspended, Team};
use crate::tree::Program;
use crate::world::WorldSpec;
use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Engine that several threads share. It has no thread of its own: one of the waiting threads simulates the requests of
/// all. The outcomes of a request do not depend on the others.
pub struct Service {
    engine: Arc<dyn Engine + Send + Sync>,
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    /// Whether a thread is simulating.
    busy: bool,
    /// Whether a thread panicked while it was simulating.
    broken: bool,
    tickets: u64,
    waiting: Vec<(u64, Request)>,
    answers: BTreeMap<u64, Answer>,
}

/// Outcomes of a request's jobs, and their worlds if the request suspends them.
type Answer = Vec<(Outcome, Option<Suspended>)>;

/// Jobs of a caller with everything that they refer to, because another thread may simulate them.
struct Request {
    programs: Vec<Program>,
    specs: Vec<WorldSpec>,
    jobs: Vec<OwnedJob>,
    /// Whether the worlds are suspended after the jobs.
    suspends: bool,
}

/// A job whose world is an index into the specifications of its request.
struct OwnedJob {
    spec: usize,
    start: usize,
    team: Team,
    seed: u64,
    world: u32,
    updates: u32,
    from: Option<Suspended>,
}

/// Ends the work of the simulating thread, also if it panics.
struct Working<'a>(&'a Service);

impl Drop for Working<'_> {
    fn drop(&mut self) {
        let mut queue = self.0.queue();
        queue.busy = false;
        queue.broken |= std::thread::panicking();
        self.0.changed.notify_all();
    }
}

impl std::fmt::Debug for Service {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Service").field("engine", &self.engine.name()).finish_non_exhaustive()
    }
}

impl Service {
    /// Creates a service for this engine.
    pub fn new(engine: Arc<dyn Engine + Send + Sync>) -> Service {
        Service { engine, queue: Mutex::default(), changed: Condvar::new() }
    }

    /// Returns the outcomes of jobs, like [`Engine::run`].
    pub fn run(&self, programs: &[Program], jobs: &[Job<'_>]) -> Vec<Outcome> {
        let request = Request::new(programs, jobs.iter().map(|job| (job, None)), false);
        self.serve(request).into_iter().map(|(outcome, _)| outcome).collect()
    }

    /// Returns the outcomes of pieces, like [`Engine::advance`].
    pub fn advance(&self, programs: &[Program], pieces: &[Piece<'_>]) -> Vec<(Outcome, Suspended)> {
        let request = Request::new(programs, pieces.iter().map(|piece| (&piece.job, piece.from.clone())), true);
        let answers = self.serve(request).into_iter();
        answers.map(|(outcome, world)| (outcome, world.expect("the request suspends its worlds"))).collect()
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the answer to a request. If the engine is free, simulates all waiting requests.
    fn serve(&self, request: Request) -> Answer {
        let mut queue = self.queue();
        let ticket = queue.tickets;
        queue.tickets += 1;
        queue.waiting.push((ticket, request));
        loop {
            if let Some(answer) = queue.answers.remove(&ticket) {
                return answer;
            }
            assert!(!queue.broken, "another thread failed while it simulated this request");
            if queue.busy {
                queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            queue.busy = true;
            let batch = std::mem::take(&mut queue.waiting);
            drop(queue);
            let working = Working(self);
            let answers = self.simulate(&batch);
            self.queue().answers.extend(answers);
            drop(working);
            queue = self.queue();
        }
    }

    /// Simulates requests together: first those without, then those with suspended worlds.
    fn simulate(&self, batch: &[(u64, Request)]) -> Vec<(u64, Answer)> {
        // Equal worlds of different requests must be one object, so that engines need not compare them job by job.
        let mut specs: Vec<&WorldSpec> = Vec::new();
        for spec in batch.iter().flat_map(|(_, request)| &request.specs) {
            if !specs.contains(&spec) {
                specs.push(spec);
            }
        }
        let mut answers = Vec::with_capacity(batch.len());
        for suspends in [false, true] {
            let requests: Vec<&(u64, Request)> = batch.iter().filter(|(_, one)| one.suspends == suspends).collect();
            let (mut programs, mut pieces) = (Vec::new(), Vec::new());
            for (_, request) in &requests {
                pieces.extend(request.pieces(programs.len(), &specs));
                programs.extend_from_slice(&request.programs);
            }
            let mut results: Answer = if suspends {
                let results = self.engine.advance(&programs, &pieces);
                results.into_iter().map(|(outcome, world)| (outcome, Some(world))).collect()
            } else {
                let jobs: Vec<Job<'_>> = pieces.into_iter().map(|piece| piece.job).collect();
                self.engine.run(&programs, &jobs).into_iter().map(|outcome| (outcome, None)).collect()
            };
            for (ticket, request) in requests.into_iter().rev() {
                answers.push((*ticket, results.split_off(results.len() - request.jobs.len())));
            }
        }
        answers
    }
}

impl Request {
    fn new<'a>(
        programs: &[Program],
        jobs: impl Iterator<Item = (&'a Job<'a>, Option<Suspended>)>,
        suspends: bool,
    ) -> Request {
        let mut worlds: Vec<&WorldSpec> = Vec::new();
        let mut place = |spec: &'a WorldSpec| {
            let known = worlds.iter().rposition(|known| std::ptr::eq(*known, spec));
            known.unwrap_or_else(|| {
                worlds.push(spec);
                worlds.len() - 1
            })
        };
        let owned = jobs.map(|(job, from)| {
            let Job { spec, start, ref team, seed, world, updates } = *job;
            OwnedJob { spec: place(spec), start, team: team.clone(), seed, world, updates, from }
        });
        let jobs = owned.collect();
        Request { programs: programs.to_vec(), specs: worlds.into_iter().cloned().collect(), jobs, suspends }
    }

    /// Returns the jobs with programs that begin at index `first`, and with their worlds among `specs`.
    fn pieces<'a>(&'a self, first: usize, specs: &[&'a WorldSpec]) -> impl Iterator<Item = Piece<'a>> {
        let place =
            |own: &WorldSpec| specs.iter().copied().find(|spec| *spec == own).expect("all worlds are collected");
        let worlds: Vec<&WorldSpec> = self.specs.iter().map(place).collect();
        self.jobs.iter().map(move |job| {
            let OwnedJob { spec, start, ref team, seed, world, updates, ref from } = *job;
            let spec = worlds[spec];
            let team = team.renumbered(spec.robots, |program| Some(first + program)).expect("every number is valid");
            Piece { job: Job { spec, start, team, seed, world, updates }, from: from.clone() }
        })
    }
}
