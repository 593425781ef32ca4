//! Worlds on a GPU: WGSL kernels through wgpu, a workgroup a world and an invocation a body.
//!
//! A dispatch does several updates of many worlds, bounded in time (watchdogs) and, on software adapters, in loop
//! iterations. Results are not those of `reference` bit for bit, as GPUs round some operations otherwise; the twin
//! test compares stage by stage.

mod adapters;
mod choosing;
mod device;
mod encode;
mod error;
mod layout;
mod params;
mod source;
#[cfg(test)]
mod tests;

pub use adapters::{Adapter, AdapterChoice, AdapterKind, AdapterLimits};
pub use error::GpuError;

use super::simd::{Scene, Simd};
use super::{Engine, Job, Outcome, alike, hash};
use crate::model::{
    CAMERA_COLUMNS, CONTACT_ITERATIONS, CONTROL_PERIOD, MAX_DISCS, PROX_ANGLES, RELOCATION_TRIES, STEPS_PER_UPDATE,
};
use crate::tree::Program;
use crate::world::task::transport::{position_fitness, raw_fitness};
use crate::world::{Body, Sensing, Task, World};
use device::Device;
use encode::{Code, Words, header, world_words};
use layout::{MAX_BODIES, MAX_CONTACTS, MAX_PATCHES, SLOTS, WORLD_WORDS};
use params::Params;
use rayon::prelude::*;
use source::source;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Most worlds at once: 4096 take 12 MiB.
const MOST_WORLDS: usize = 4096;
/// Worlds of the first batch, before the device's speed is known.
const FIRST_WORLDS: usize = 64;
/// What a dispatch should take; watchdogs of drivers wait for seconds, displays for less.
const DISPATCH: Duration = Duration::from_millis(60);
/// Most updates of a dispatch.
const MOST_UPDATES: u32 = 64;
/// Loop iterations after which software adapters of Mesa end all loops of an invocation without a word.
const ITERATIONS: u32 = 65_535;

/// The engine for GPUs.
pub struct Gpu {
    /// The senses to compute; `None` for those that the trees of a batch read.
    pub sensing: Option<Sensing>,
    device: Device,
    /// Time of one update of one world, once known.
    pace: Mutex<Option<Duration>>,
    /// Why jobs were run elsewhere, if they were.
    notice: Mutex<Option<String>>,
}

impl Gpu {
    /// The Vulkan adapters of this machine, software ones too, in the order of their drivers.
    pub fn adapters() -> Vec<Adapter> {
        adapters::all().into_iter().map(|(told, _)| told).collect()
    }

    /// Opens the most capable adapter. Compiling the kernels takes seconds the first time; drivers keep them.
    ///
    /// # Errors
    /// If there is no adapter, or it refuses.
    pub fn open() -> Result<Gpu, GpuError> {
        Gpu::open_adapter(&AdapterChoice::Best)
    }

    /// As [`Gpu::open`], but a processor that plays a GPU is refused.
    ///
    /// # Errors
    /// If there is no adapter but such a one.
    pub fn open_hardware() -> Result<Gpu, GpuError> {
        let software = Gpu::adapters().iter().all(|adapter| adapter.kind == AdapterKind::Software);
        if software { Err(GpuError::NoAdapter) } else { Gpu::open() }
    }

    /// Opens the adapter that is meant.
    ///
    /// # Errors
    /// One line if it is not there (with those that are), if several are meant, if one of its limits is too small (with
    /// what is needed and what there is), or if its driver refuses.
    pub fn open_adapter(choice: &AdapterChoice) -> Result<Gpu, GpuError> {
        let device = Device::open(&source(), choice)?;
        Ok(Gpu { sensing: None, device, pace: Mutex::new(None), notice: Mutex::new(None) })
    }

    /// True once the device is lost: from then on every run is done by `simd`. Opening the adapter anew may bring it back.
    pub fn is_lost(&self) -> bool {
        self.device.is_lost()
    }

    /// Runs alike jobs in batches as large as the device's speed allows.
    fn run_alike(&self, code: &Code<'_>, jobs: &[&Job<'_>]) -> Result<Vec<Outcome>, GpuError> {
        let mut outcomes = Vec::with_capacity(jobs.len());
        while outcomes.len() < jobs.len() {
            let pace = *self.pace.lock().unwrap_or_else(|e| e.into_inner());
            let worlds = pace.map_or(FIRST_WORLDS, |p| (DISPATCH.as_secs_f64() / p.as_secs_f64()) as usize);
            let rest = &jobs[outcomes.len()..];
            let batch = &rest[..rest.len().min(worlds.clamp(1, MOST_WORLDS))];
            outcomes.extend(self.run_batch(code, batch)?);
        }
        Ok(outcomes)
    }

    fn run_batch(&self, code: &Code<'_>, jobs: &[&Job<'_>]) -> Result<Vec<Outcome>, GpuError> {
        let programs = code.programs;
        let updates = jobs[0].updates;
        let worlds: Vec<World> = jobs.par_iter().map(|j| World::new(j.spec, j.start, j.seed, j.world)).collect();
        let scene = Scene::of(&worlds[0]);
        supported(&scene)?;
        let read = || jobs.iter().map(|job| job.sensing(programs)).fold(Sensing::NONE, Sensing::and);
        let sensing = self.sensing.unwrap_or_else(read);
        let running =
            |j: &&Job<'_>| (0..scene.robots).map(|robot| &programs[j.team.program(robot)]).collect::<Vec<_>>();
        let memories = jobs.iter().flat_map(running).map(Program::memories).max().unwrap_or(0);
        let memory_words = (memories * SLOTS) as u32;
        let state: Vec<u32> = jobs.iter().zip(&worlds).flat_map(|(j, w)| world_words(w, j, code)).collect();
        let longest = jobs.iter().flat_map(running).map(Program::len).max().unwrap_or(1);
        let bound = if self.device.software { updates_within_iterations(longest) } else { MOST_UPDATES };
        let params = |updates| Params::of(&scene, sensing, updates, memory_words);
        let batch =
            self.device.batch(&params(1), &state, &code.words, memories * SLOTS * jobs.len(), jobs.len() as u32);
        let mut done = 0;
        let mut next = 1;
        while done < updates {
            let now = next.min(updates - done);
            let started = clock();
            self.device.advance(&batch, &params(now))?;
            let each = started.elapsed() / now;
            *self.pace.lock().unwrap_or_else(|e| e.into_inner()) = Some(each / jobs.len() as u32);
            done += now;
            let affordable = DISPATCH.as_secs_f64() / each.as_secs_f64().max(1e-9);
            next = (affordable as u32).clamp(1, bound);
        }
        let mut words = self.device.read(&batch)?;
        let disc = scene.robots;
        let outcome = |words: &mut [u32]| {
            let count = words[header("UPDATE")];
            if count != updates {
                let adapter = self.device.name.clone();
                return Err(GpuError::Short { adapter, done: count, wanted: updates });
            }
            let words = Words(words);
            let frisbee = Body { pose: words.pose(disc), ..worlds[0].bodies[disc] };
            let seconds = updates as f32 * CONTROL_PERIOD;
            let fitness = match scene.task {
                Task::TransportPosition => position_fitness(&frisbee, scene.physics.half_arena.0),
                _ => raw_fitness(words.moved(disc), seconds),
            };
            Ok(Outcome { fitness, hash: hash((0..scene.bodies.len()).map(|i| words.pose(i))) })
        };
        words.chunks_exact_mut(WORLD_WORDS).map(outcome).collect()
    }
}

/// The clock: how long a dispatch took says how much the next one may do. No result hangs on it.
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
        let code = Code::of(programs);
        for indices in alike(jobs) {
            let group: Vec<&Job<'_>> = indices.iter().map(|i| &jobs[*i]).collect();
            let done = self.run_alike(&code, &group).unwrap_or_else(|error| {
                let notice = format!("{error}; these runs are done by simd");
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

/// What the kernels do not know yet goes to another engine.
fn supported(scene: &Scene) -> Result<(), GpuError> {
    if scene.bodies.len() > MAX_BODIES {
        return Err(GpuError::Unsupported("worlds of more than 24 robots and discs"));
    }
    if !scene.task.moves_disc() {
        return Err(GpuError::Unsupported("tasks other than transport"));
    }
    if !scene.physics.walls.is_empty() {
        return Err(GpuError::Unsupported("inner walls"));
    }
    if scene.messages {
        return Err(GpuError::Unsupported("a model of messages"));
    }
    if scene.patches.len() > MAX_PATCHES {
        return Err(GpuError::Unsupported("more than 16 wall patches"));
    }
    Ok(())
}

/// Updates of a dispatch that stay within [`ITERATIONS`] whatever happens in the worlds, for programs of this length.
fn updates_within_iterations(nodes: usize) -> u32 {
    (ITERATIONS / iterations_of_update(nodes)).max(1)
}

/// Most loop iterations of an invocation in one update.
fn iterations_of_update(nodes: usize) -> u32 {
    let bodies = MAX_BODIES as u32;
    let [contacts, iterations] = [MAX_CONTACTS, CONTACT_ITERATIONS].map(|n| n as u32);
    let [rays, columns, tries] = [PROX_ANGLES.len(), CAMERA_COLUMNS, RELOCATION_TRIES].map(|n| n as u32);
    let [discs, patches] = [MAX_DISCS, MAX_PATCHES].map(|n| n as u32);
    // Every node is entered and left at most once, and `par` counts its children.
    let tick = 4 * nodes as u32 + 3;
    let senses = (bodies + rays * (1 + bodies)) + (bodies + discs * bodies + columns * (1 + patches) + 3) + bodies;
    let relocation = tries * (bodies + 8);
    let unite = bodies * bodies;
    let step = (4 + bodies) + (bodies + 2 * contacts) + unite + iterations * (1 + contacts) + contacts + relocation;
    1 + senses + tick + STEPS_PER_UPDATE * step
}
