//! The GPU engine: WGSL kernels, run by wgpu, in two layouts (see `layout`).
//!
//! Batches of similar worlds are processed two at a time, so that one is prepared while the other runs. A dispatch
//! performs several updates of all its worlds. The number of updates per dispatch is limited by time, because of
//! driver watchdogs. On software adapters, it is also limited by loop iterations. The host does not wait between
//! dispatches. Results differ from those of `reference` only in rounding. The twin test compares each stage on both
//! engines.

mod adapters;
mod bounds;
mod choosing;
mod code;
mod device;
mod encode;
mod error;
mod floor;
mod kept;
mod layout;
mod objective;
mod outcome;
mod params;
mod region;
mod robot;
mod source;
#[cfg(test)]
mod tests;

pub use adapters::{Adapter, AdapterKind, AdapterLimits};
pub use error::GpuError;

use super::simd::{Scene, Simd};
use super::{AdapterChoice, Engine, Job, Outcome, Piece, Suspended, alike};
use crate::model::MAX_DISCS;
use crate::tree::Program;
use crate::world::senses::last_message;
use crate::world::senses::messages::{Channel, Messages, Obstacles};
use crate::world::{InitialState, Sensing, Task, World, WorldSpec};
use device::{Batch, Device, InFlightBatch};
use encode::{ProgramTable, State, StateRows};
use kept::{KeptBatch, KeptWorld, WorldWords};
use layout::{HEADER, LaneWork, Layout, MAX_PATCHES, MAX_ROBOTS, OUTCOME_QUANTITIES};
use objective::Formula;
use params::Params;
use rayon::prelude::*;
use robot::RobotConstants;
use source::source;
use std::any::Any;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Maximum number of worlds of a batch: on a GPU, and on a software adapter.
const MAX_WORLDS: [usize; 2] = [16_384, 1024];
/// Number of worlds of the first batch, before the device's speed is known.
const FIRST_WORLDS: usize = 64;
/// Target duration of a dispatch. Driver watchdogs allow seconds, but longer dispatches delay the display.
const DISPATCH: Duration = Duration::from_millis(60);
/// Maximum number of updates per dispatch.
const MOST_UPDATES: u32 = 64;
/// Number of batches on the device at the same time.
const IN_FLIGHT: usize = 2;

/// Engine that runs worlds on a GPU.
pub struct Gpu {
    /// Senses to compute; `None` selects the senses that the trees of a batch read.
    pub sensing: Option<Sensing>,
    device: Device,
    /// Kind of layout to use; `None` selects the best kind for the adapter.
    lane: Option<LaneWork>,
    /// Duration of one update of one world; `None` until it has been measured.
    pace: Mutex<Option<Duration>>,
    /// Reason why another engine ran some jobs; `None` if the GPU ran all jobs.
    notice: Mutex<Option<String>>,
}

/// Common data of all batches of similar jobs.
struct BatchKind<'a> {
    code: &'a ProgramTable<'a>,
    scene: Scene,
    messages: Option<&'a Messages>,
    /// Number of the updates after which the batches begin and end.
    begin: u32,
    updates: u32,
    /// Whether all state of the worlds is read back.
    keep: bool,
    layout: Layout,
    /// Maximum number of updates per dispatch.
    bound: u32,
    /// Maximum number of memory words of a robot.
    memories: usize,
    table: Vec<u32>,
    /// Index of the floor in the table.
    floor: usize,
    /// The objective, if the task is one.
    formula: Option<Formula>,
}

/// Outcome of a job, and its world if it is kept: the batch, and the column of the world.
type Finished = (Outcome, Option<(Arc<KeptBatch>, usize)>);

impl BatchKind<'_> {
    /// Returns the number of words of a world's score; 0 without an objective.
    fn score_words(&self) -> usize {
        self.formula.as_ref().map_or(0, Formula::score_words)
    }

    /// Returns the first words of a batch of worlds at their start.
    fn first_words(&self, jobs: &[&Job<'_>], columns: usize) -> WorldWords {
        let worlds: Vec<InitialState> =
            jobs.par_iter().map(|j| InitialState::new(j.spec, j.start, j.seed, j.world)).collect();
        let rows = State::start_rows(self.scene.bodies.len());
        let state = State::encode(&worlds, jobs, self.code, columns, rows).words;
        let score = self.formula.as_ref().map(|formula| formula.first_rows(&worlds, jobs, columns)).unwrap_or_default();
        WorldWords { state, score, ..WorldWords::default() }
    }

    /// Returns the numbers of words of a world to read back: from `state`, `memory`, `past` and `score`.
    fn outcome_rows(&self, params: &Params) -> [usize; 4] {
        let (robots, bodies) = (self.scene.robots, self.scene.bodies.len());
        if self.keep {
            return [State::rows(bodies), self.memories * robots, params.past_words(), self.score_words()];
        }
        let score = self.formula.as_ref().map_or(0, Formula::outcome_words);
        [HEADER.len() + OUTCOME_QUANTITIES * bodies, 0, params.cell_words(), score]
    }

    /// Parameters of a batch of `batch` worlds.
    fn params(&self, sensing: Sensing, batch: usize) -> Params {
        let objective = self.formula.as_ref().map_or(0, |formula| formula.start);
        Params::new(&self.scene, self.messages, sensing, &self.layout, batch, [self.floor, objective])
    }
}

impl Gpu {
    /// Lists the Vulkan adapters of this machine, including software adapters, in the order of their drivers.
    pub fn adapters() -> Vec<Adapter> {
        adapters::enumerate().into_iter().map(|(told, _)| told).collect()
    }

    /// Opens the most capable adapter. The first compilation of the kernels takes seconds. Later compilations are
    /// faster, because drivers cache compiled kernels.
    ///
    /// # Errors
    /// If there is no adapter, or if its driver rejects the request.
    pub fn open() -> Result<Gpu, GpuError> {
        Gpu::open_adapter(&AdapterChoice::Best)
    }

    /// Opens the most capable adapter like [`Gpu::open`], but rejects software adapters.
    ///
    /// # Errors
    /// If there are only software adapters, or if [`Gpu::open`] fails.
    pub fn open_hardware() -> Result<Gpu, GpuError> {
        let software = Gpu::adapters().iter().all(|adapter| adapter.kind == AdapterKind::Software);
        if software { Err(GpuError::NoAdapter) } else { Gpu::open() }
    }

    /// Opens the selected adapter.
    ///
    /// # Errors
    /// - If no adapter matches. The error lists the available adapters.
    /// - If several adapters match.
    /// - If a limit of the adapter is too low. The error contains the required and the actual value.
    /// - If the driver rejects the request.
    pub fn open_adapter(choice: &AdapterChoice) -> Result<Gpu, GpuError> {
        let device = Device::open(choice, source)?;
        Ok(Gpu { sensing: None, device, lane: None, pace: Mutex::new(None), notice: Mutex::new(None) })
    }

    /// Returns true if the device is lost. `simd` then performs all further runs. A reopened adapter may work again.
    pub fn is_lost(&self) -> bool {
        self.device.is_lost()
    }

    /// Runs similar jobs in batches whose size depends on the device's speed. The next batch is prepared while the
    /// current batch runs. `from` contains the kept worlds that the jobs continue, or nothing for jobs from their
    /// start. With `keep`, the worlds at the end of the jobs are kept: the batch of each job, and its column.
    fn run_alike(
        &self,
        code: &ProgramTable<'_>,
        jobs: &[&Job<'_>],
        from: &[KeptWorld<'_>],
        keep: bool,
    ) -> Result<Vec<Finished>, GpuError> {
        let begin = from.first().map_or(0, |(batch, column)| batch.update(*column));
        let kind = self.kind(code, jobs, begin, keep)?;
        let mut outcomes = Vec::with_capacity(jobs.len());
        let mut flying: VecDeque<(InFlightBatch, &[&Job<'_>], Instant)> = VecDeque::new();
        let mut next = 0;
        let mut freed = clock();
        while outcomes.len() < jobs.len() {
            if next < jobs.len() && flying.len() < IN_FLIGHT {
                let batch = &jobs[next..jobs.len().min(next + self.worlds(&kind))];
                let flight = self.begin(&kind, batch, from.get(next..next + batch.len()).unwrap_or_default())?;
                flying.push_back((flight, batch, clock()));
                next += batch.len();
                continue;
            }
            let Some((flight, batch, begun)) = flying.pop_front() else { break };
            let params = *flight.params();
            let words = self.device.finish(flight)?;
            let now = clock();
            // The device started this batch at its submission, or at the end of the previous batch if that was later.
            if kind.updates > kind.begin {
                self.set_pace(now - begun.max(freed), kind.updates - kind.begin, batch.len());
            }
            freed = now;
            outcomes.extend(self.outcomes(&kind, &params, &words, batch)?);
        }
        Ok(outcomes)
    }

    fn kind<'a>(
        &self,
        code: &'a ProgramTable<'a>,
        jobs: &[&'a Job<'_>],
        begin: u32,
        keep: bool,
    ) -> Result<BatchKind<'a>, GpuError> {
        let Job { spec, start, seed, world, updates, .. } = *jobs[0];
        supported(spec)?;
        let scene = Scene::from_world(&World::new(spec, start, seed, world));
        let running = |j: &&'a Job<'_>| (0..spec.robots).map(|robot| j.team.program(robot)).collect::<Vec<_>>();
        let mut used: Vec<usize> = jobs.iter().flat_map(running).collect();
        used.sort_unstable();
        used.dedup();
        let most = |of: fn(&Program) -> usize| used.iter().map(|p| of(&code.programs[*p])).max().unwrap_or(1);
        let (nodes, memories) = (most(Program::len), most(code::memory_words));
        let (layout, bound) = self.layout(&scene, nodes);
        let messages = spec.messages.as_ref();
        let mut table = messages.map_or_else(|| vec![0], |m| message_table(m, &scene, updates));
        let floor = floor::append_floor(&scene.floor, &mut table);
        let half_arena = scene.physics.half_arena;
        let mut append = |objective: &Arc<_>| Formula::append(objective, scene.robots, half_arena, &mut table);
        let formula = if let Task::Objective(objective) = &spec.task { Some(append(objective)) } else { None };
        Ok(BatchKind { code, scene, messages, begin, updates, keep, layout, bound, memories, table, floor, formula })
    }

    /// Returns the layout for worlds like `scene` and trees of `nodes` nodes. Also returns the maximum number of
    /// updates of a dispatch.
    fn layout(&self, scene: &Scene, nodes: usize) -> (Layout, u32) {
        let of = |lane| Layout::select(lane, scene.bodies.len(), self.device.subgroup);
        let bound = |layout: &Layout| {
            if self.device.software { bounds::updates(layout, scene, nodes) } else { MOST_UPDATES }
        };
        let world = of(LaneWork::World);
        let lane = self.lane.unwrap_or(if self.device.software && bound(&world) > 0 {
            LaneWork::World
        } else {
            LaneWork::Body
        });
        (of(lane), bound(&of(lane)).clamp(1, MOST_UPDATES))
    }

    /// Returns the number of worlds of the next batch.
    fn worlds(&self, kind: &BatchKind<'_>) -> usize {
        let [hardware, software] = MAX_WORLDS;
        let most = if self.device.software { software } else { hardware };
        let params = kind.params(Sensing::NONE, 1);
        let words = [
            State::rows(kind.scene.bodies.len()),
            kind.memories * kind.scene.robots,
            kind.layout.work_words(kind.scene.robots),
            params.past_words(),
            kind.formula.as_ref().map_or(0, Formula::score_words),
        ];
        let largest = words.into_iter().max().unwrap_or(1) * size_of::<u32>();
        let room = (self.device.storage_bytes / largest).saturating_sub(kind.layout.workgroup);
        let fast = self
            .seconds_per_world_update()
            .map_or(FIRST_WORLDS, |p| (DISPATCH.as_secs_f64() / p.as_secs_f64().max(1e-9)) as usize);
        fast.min(most).min(room).max(1)
    }

    fn seconds_per_world_update(&self) -> Option<Duration> {
        *self.pace.lock().unwrap_or_else(|e| e.into_inner())
    }

    fn set_pace(&self, taken: Duration, updates: u32, worlds: usize) {
        let each = taken.as_secs_f64() / (f64::from(updates.max(1)) * worlds as f64);
        *self.pace.lock().unwrap_or_else(|e| e.into_inner()) = Some(Duration::from_secs_f64(each));
    }

    /// Submits a batch with all its updates to the device.
    fn begin(
        &self,
        kind: &BatchKind<'_>,
        jobs: &[&Job<'_>],
        from: &[KeptWorld<'_>],
    ) -> Result<InFlightBatch, GpuError> {
        let (scene, layout) = (&kind.scene, &kind.layout);
        let (robots, bodies) = (scene.robots, scene.bodies.len());
        let read = || jobs.iter().map(|job| job.sensing(kind.code.programs)).fold(Sensing::NONE, Sensing::union);
        let sensing = self.sensing.unwrap_or_else(read);
        let columns = jobs.len().next_multiple_of(layout.worlds(bodies));
        let params = kind.params(sensing, columns);
        let (memory_rows, score_rows) = (kind.memories * robots, kind.score_words());
        let first = match from {
            [] => kind.first_words(jobs, columns),
            _ => kept::gather(from, (kind.code, jobs), &params, [memory_rows, score_rows]),
        };
        let mut flight = self.device.submit(&Batch {
            layout: *layout,
            robot: RobotConstants::new(&scene.physics.robot, kind.messages),
            params,
            first: [&first.state, &first.memory, &first.past, &first.score],
            state_words: State::rows(bodies) * columns,
            programs: &kind.code.words,
            table: &kind.table,
            memory: memory_rows * columns,
            work: layout.work_words(robots) * columns,
            past: params.past_words() * columns,
            score_words: score_rows * columns,
            outcome: kind.outcome_rows(&params).map(|words| words * columns),
        })?;
        let mut done = 0;
        if self.seconds_per_world_update().is_none() {
            // The first dispatch includes the compilation of the kernels, so the second dispatch measures the speed.
            for _ in 0..2.min(kind.updates - kind.begin) {
                let started = clock();
                self.device.advance(&mut flight, 1, 1);
                self.device.wait(&flight)?;
                self.set_pace(started.elapsed(), 1, columns);
                done += 1;
            }
        }
        let pace = self.seconds_per_world_update().map_or(1e-3, |p| p.as_secs_f64()).max(1e-9);
        let affordable = DISPATCH.as_secs_f64() / (pace * columns as f64);
        let each = (affordable as u32).clamp(1, kind.bound);
        let left = kind.updates - kind.begin - done;
        self.device.advance(&mut flight, each, left / each);
        if !left.is_multiple_of(each) {
            self.device.advance(&mut flight, left % each, 1);
        }
        self.device.request_readback(&mut flight);
        Ok(flight)
    }

    /// Returns the outcomes of a finished batch, and its worlds if they are kept. `words` was read back.
    fn outcomes(
        &self,
        kind: &BatchKind<'_>,
        params: &Params,
        words: &[u32],
        jobs: &[&Job<'_>],
    ) -> Result<Vec<Finished>, GpuError> {
        let bodies = kind.scene.bodies.len();
        let columns = params.batch as usize;
        let mut rest = words;
        let [state, memory, past, scores] = kind.outcome_rows(params).map(|rows| {
            let (words, others) = rest.split_at(rows * columns);
            rest = others;
            words
        });
        let rows = StateRows { words: state, worlds: columns, bodies };
        let cell_words = params.cell_words();
        let outcome = |w: usize| {
            let done = rows.header(w, "UPDATE");
            if done != kind.updates {
                let adapter = self.device.name.clone();
                return Err(GpuError::Short { adapter, done, wanted: kind.updates });
            }
            let outcome = |fitness| Outcome { fitness, hash: rows.hash(w) };
            if let Some(formula) = &kind.formula {
                let Job { spec, start, seed, world, .. } = *jobs[w];
                let poses = if formula.needs_poses() {
                    let first = InitialState::new(spec, start, seed, world).bodies;
                    [first.iter().map(|body| body.pose).collect(), (0..bodies).map(|body| rows.pose(w, body)).collect()]
                } else {
                    [Vec::new(), Vec::new()]
                };
                let score = formula.score((seed, world), poses, |word| scores[word * columns + w]);
                return Ok(outcome(score.fitness()));
            }
            let cells = &past[w * cell_words..(w + 1) * cell_words];
            Ok(outcome(outcome::fitness(&kind.scene, &rows, w, cells, kind.updates)))
        };
        let outcomes: Vec<Outcome> = (0..jobs.len()).into_par_iter().map(outcome).collect::<Result<_, _>>()?;
        let kept = kind.keep.then(|| {
            let [state, memory, past, score] = [state, memory, past, scores].map(<[u32]>::to_vec);
            let words = WorldWords { state, memory, past, score };
            Arc::new(KeptBatch { columns, past: params.past_sections(), words })
        });
        Ok(outcomes.into_iter().map(|outcome| (outcome, kept.clone())).enumerate().map(finished).collect())
    }
}

fn finished((column, (outcome, kept)): (usize, (Outcome, Option<Arc<KeptBatch>>))) -> Finished {
    (outcome, kept.map(|batch| (batch, column)))
}

/// Returns the table for messages. Word 0 is a zero that kernels read (see `wgsl/state.wgsl`), and word 1 is the
/// index of the first range factor. For each update, the number of the last message and the slot of its poses follow.
/// The last words are the robots' range factors.
fn message_table(model: &Messages, scene: &Scene, updates: u32) -> Vec<u32> {
    let kept = crate::world::senses::poses_kept(model);
    let mut table = vec![0, 2 + 2 * updates];
    for update in 0..updates {
        let (number, step) = last_message(model, update);
        let noted = (update * crate::model::STEPS_PER_UPDATE) as usize;
        table.extend([number, (step.min(noted) % kept) as u32]);
    }
    let channel = Channel::new(*model, scene.robots, Obstacles::default());
    table.extend(channel.gains().iter().flatten().map(|gain| gain.to_bits()));
    table
}

/// Returns the current time, to measure dispatches. The measured speed determines the size of batches, but does not
/// affect results.
#[allow(clippy::disallowed_methods, reason = "the device's pace must be measured")]
fn clock() -> Instant {
    Instant::now()
}

impl Engine for Gpu {
    fn name(&self) -> &'static str {
        "gpu"
    }

    fn run(&self, programs: &[Program], jobs: &[Job<'_>]) -> Vec<Outcome> {
        let from = vec![None; jobs.len()];
        self.simulate(programs, jobs, &from, false).into_iter().map(|(outcome, _)| outcome).collect()
    }

    /// Simulates pieces of jobs. The state of all worlds is read back after the pieces, and sent to the device again.
    fn advance(&self, programs: &[Program], pieces: &[Piece<'_>]) -> Vec<(Outcome, Suspended)> {
        pieces.iter().for_each(Piece::check);
        let jobs: Vec<Job<'_>> = pieces.iter().map(|piece| piece.job.clone()).collect();
        let worlds = pieces.iter().map(|piece| piece.from.as_ref().and_then(Suspended::state::<KeptBatch>));
        let from: Vec<Option<KeptWorld<'_>>> = worlds.collect();
        let suspend = |(job, (outcome, kept)): (&Job<'_>, Finished)| {
            let state = kept.map(|(batch, column)| (batch as Arc<dyn Any + Send + Sync>, column));
            (outcome, Suspended::new(job, state))
        };
        jobs.iter().zip(self.simulate(programs, &jobs, &from, true)).map(suspend).collect()
    }

    fn device(&self) -> Option<String> {
        Some(self.device.name.clone())
    }

    fn notice(&self) -> Option<String> {
        self.notice.lock().unwrap_or_else(|e| e.into_inner()).clone()
    }
}

impl Gpu {
    /// Runs all jobs from their start, or from a kept world. `simd` runs the jobs of a batch that fails, from their
    /// start.
    fn simulate(
        &self,
        programs: &[Program],
        jobs: &[Job<'_>],
        from: &[Option<KeptWorld<'_>>],
        keep: bool,
    ) -> Vec<Finished> {
        let mut results: Vec<Finished> = vec![(Outcome { fitness: 0.0, hash: 0 }, None); jobs.len()];
        let code = ProgramTable::from_programs(programs);
        let done = |i: &usize| from[*i].map_or(0, |(batch, column)| batch.update(column));
        for mut indices in alike(jobs) {
            // Jobs with the same tree become adjacent worlds, because lanes that run the same program rarely wait for
            // each other. Jobs of a batch begin after the same update.
            indices.sort_by_cached_key(|i| (done(i), jobs[*i].sensing(programs), jobs[*i].team.program(0)));
            for indices in indices.chunk_by(|a, b| done(a) == done(b)) {
                let group: Vec<&Job<'_>> = indices.iter().map(|i| &jobs[*i]).collect();
                let worlds: Vec<KeptWorld<'_>> = indices.iter().filter_map(|i| from[*i]).collect();
                let finished = self.run_alike(&code, &group, &worlds, keep).unwrap_or_else(|error| {
                    let notice = format!("{error}; simd performs these runs");
                    self.notice.lock().unwrap_or_else(|e| e.into_inner()).get_or_insert(notice);
                    let owned: Vec<Job<'_>> = group.iter().map(|j| (*j).clone()).collect();
                    Simd { sensing: self.sensing }.run(programs, &owned).into_iter().map(|one| (one, None)).collect()
                });
                for (index, result) in indices.iter().zip(finished) {
                    results[*index] = result;
                }
            }
        }
        results
    }
}

/// Checks that a world does not exceed the limits of the kernels. Other worlds need another engine.
fn supported(spec: &WorldSpec) -> Result<(), GpuError> {
    objective::check(spec)?;
    if !(1..=MAX_ROBOTS).contains(&spec.robots) {
        return Err(GpuError::Robots { robots: spec.robots, most: MAX_ROBOTS });
    }
    for (what, count, most) in [
        ("discs", spec.discs.len(), MAX_DISCS),
        ("inner walls", spec.physics.walls.len(), MAX_PATCHES),
        ("wall patches", spec.patches.len(), MAX_PATCHES),
    ] {
        if count > most {
            return Err(GpuError::TooMany { what, count, most });
        }
    }
    Ok(())
}
