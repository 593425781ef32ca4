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
mod layout;
mod objective;
mod outcome;
mod params;
mod region;
mod robot;
mod source;
#[cfg(test)]
mod tests;

pub use adapters::{Adapter, AdapterChoice, AdapterKind, AdapterLimits};
pub use error::GpuError;

use super::simd::{Scene, Simd};
use super::{Engine, Job, Outcome, alike};
use crate::model::MAX_DISCS;
use crate::tree::Program;
use crate::world::senses::last_message;
use crate::world::senses::messages::{Channel, Messages, Obstacles};
use crate::world::{InitialState, Sensing, Task, World, WorldSpec};
use device::{Batch, Device, InFlightBatch};
use encode::{ProgramTable, State, StateRows};
use layout::{HEADER, LaneWork, Layout, MAX_PATCHES, MAX_ROBOTS, OUTCOME_QUANTITIES};
use objective::Formula;
use params::Params;
use rayon::prelude::*;
use robot::RobotConstants;
use source::source;
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
    updates: u32,
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

impl BatchKind<'_> {
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
    /// current batch runs.
    fn run_alike(&self, code: &ProgramTable<'_>, jobs: &[&Job<'_>]) -> Result<Vec<Outcome>, GpuError> {
        let kind = self.kind(code, jobs)?;
        let mut outcomes = Vec::with_capacity(jobs.len());
        let mut flying: VecDeque<(InFlightBatch, &[&Job<'_>], Instant)> = VecDeque::new();
        let mut next = 0;
        let mut freed = clock();
        while outcomes.len() < jobs.len() {
            if next < jobs.len() && flying.len() < IN_FLIGHT {
                let batch = &jobs[next..jobs.len().min(next + self.worlds(&kind))];
                let flight = self.begin(&kind, batch)?;
                flying.push_back((flight, batch, clock()));
                next += batch.len();
                continue;
            }
            let Some((flight, batch, begun)) = flying.pop_front() else { break };
            let words = self.device.finish(flight)?;
            let now = clock();
            // The device started this batch at its submission, or at the end of the previous batch if that was later.
            self.set_pace(now - begun.max(freed), kind.updates, batch.len());
            freed = now;
            outcomes.extend(self.outcomes(&kind, &words, batch)?);
        }
        Ok(outcomes)
    }

    fn kind<'a>(&self, code: &'a ProgramTable<'a>, jobs: &[&'a Job<'_>]) -> Result<BatchKind<'a>, GpuError> {
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
        Ok(BatchKind { code, scene, messages, updates, layout, bound, memories, table, floor, formula })
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
    fn begin(&self, kind: &BatchKind<'_>, jobs: &[&Job<'_>]) -> Result<InFlightBatch, GpuError> {
        let (scene, layout) = (&kind.scene, &kind.layout);
        let (robots, bodies) = (scene.robots, scene.bodies.len());
        let worlds: Vec<InitialState> =
            jobs.par_iter().map(|j| InitialState::new(j.spec, j.start, j.seed, j.world)).collect();
        let read = || jobs.iter().map(|job| job.sensing(kind.code.programs)).fold(Sensing::NONE, Sensing::union);
        let sensing = self.sensing.unwrap_or_else(read);
        let columns = jobs.len().next_multiple_of(layout.worlds(bodies));
        let state = State::encode(&worlds, jobs, kind.code, columns, State::start_rows(bodies));
        let params = kind.params(sensing, columns);
        let score = kind.formula.as_ref().map(|formula| formula.first_rows(&worlds, jobs, columns)).unwrap_or_default();
        let [score_words, score_outcome] =
            kind.formula.as_ref().map_or([0; 2], |formula| [formula.score_words(), formula.outcome_words()]);
        let mut flight = self.device.submit(&Batch {
            layout: *layout,
            robot: RobotConstants::new(&scene.physics.robot, kind.messages),
            params,
            state: &state.words,
            state_words: State::rows(state.bodies) * state.worlds,
            programs: &kind.code.words,
            table: &kind.table,
            memory: kind.memories * robots * columns,
            work: layout.work_words(robots) * columns,
            past: params.past_words() * columns,
            score: &score,
            score_words: score_words * columns,
            outcome: [HEADER.len() + OUTCOME_QUANTITIES * bodies, params.cell_words(), score_outcome]
                .map(|words| words * columns),
        })?;
        let mut done = 0;
        if self.seconds_per_world_update().is_none() {
            // The first dispatch includes the compilation of the kernels, so the second dispatch measures the speed.
            for _ in 0..2.min(kind.updates) {
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
        let left = kind.updates - done;
        self.device.advance(&mut flight, each, left / each);
        if !left.is_multiple_of(each) {
            self.device.advance(&mut flight, left % each, 1);
        }
        self.device.request_readback(&mut flight);
        Ok(flight)
    }

    fn outcomes(&self, kind: &BatchKind<'_>, words: &[u32], jobs: &[&Job<'_>]) -> Result<Vec<Outcome>, GpuError> {
        let bodies = kind.scene.bodies.len();
        let columns = jobs.len().next_multiple_of(kind.layout.worlds(bodies));
        let (state, rest) = words.split_at((HEADER.len() + OUTCOME_QUANTITIES * bodies) * columns);
        let rows = StateRows { words: state, worlds: columns, bodies };
        let cell_words = kind.params(Sensing::NONE, columns).cell_words();
        let (cells, scores) = rest.split_at(cell_words * columns);
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
            let cells = &cells[w * cell_words..(w + 1) * cell_words];
            Ok(outcome(outcome::fitness(&kind.scene, &rows, w, cells, kind.updates)))
        };
        (0..jobs.len()).into_par_iter().map(outcome).collect()
    }
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
        let mut outcomes = vec![Outcome { fitness: 0.0, hash: 0 }; jobs.len()];
        let code = ProgramTable::from_programs(programs);
        for mut indices in alike(jobs) {
            // Jobs with the same tree become adjacent worlds, because lanes that run the same program rarely wait for
            // each other.
            let key = |i: &usize| (jobs[*i].sensing(programs), jobs[*i].team.program(0));
            indices.sort_by_cached_key(key);
            let group: Vec<&Job<'_>> = indices.iter().map(|i| &jobs[*i]).collect();
            let done = self.run_alike(&code, &group).unwrap_or_else(|error| {
                let notice = format!("{error}; simd performs these runs");
                self.notice.lock().unwrap_or_else(|e| e.into_inner()).get_or_insert(notice);
                let owned: Vec<Job<'_>> = group.iter().map(|j| (*j).clone()).collect();
                Simd { sensing: self.sensing }.run(programs, &owned)
            });
            for (index, outcome) in indices.into_iter().zip(done) {
                outcomes[index] = outcome;
            }
        }
        outcomes
    }

    fn device(&self) -> Option<String> {
        Some(self.device.name.clone())
    }

    fn notice(&self) -> Option<String> {
        self.notice.lock().unwrap_or_else(|e| e.into_inner()).clone()
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
