//! Execution of the chosen engine. `auto` selects the fastest engine, and `both` distributes each batch. A lost
//! device is replaced by `simd` until it can be reopened.
//!
//! The caller supplies the clock. Time only determines which engine runs a job; it does not affect the results of
//! `simd` or `reference`.

use super::choice::{EngineChoice, EngineKind};
use super::meter::Meter;
use super::pieces::{self, Piece, Suspended};
use super::service::Service;
use super::{AdapterChoice, AdapterKind, Engine, Gpu, GpuError, Job, Outcome, Reference, Simd};
use crate::model::CONTROL_PERIOD;
use crate::tree::Program;
use crate::world::WorldSpec;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// Delay before the first attempt to reopen a lost device. The delay doubles with each further attempt.
const FIRST_WAIT: Duration = Duration::from_secs(1);
/// Maximum delay between attempts to reopen a lost device.
const LONGEST_WAIT: Duration = Duration::from_secs(300);
/// Maximum number of controller updates per job in a benchmark.
const PROBE_UPDATES: u32 = 10;
/// Total duration of a benchmark's runs after which no further run is started.
const PROBE: Duration = Duration::from_millis(20);
/// Maximum number of runs of a benchmark.
const PROBES: usize = 8;
/// Minimum speed ratio of `both` to the faster of `gpu` and `simd` for `auto` to select `both`.
const GAIN: f64 = 1.05;
/// Minimum number of jobs in a batch that is distributed. `simd` runs smaller batches alone.
const LEAST_SHARED: usize = 64;
/// Weight of a new measurement in the moving average of the speeds.
const NEWEST: f64 = 0.3;
/// Maximum number of pending notices.
const MAX_NOTICES: usize = 16;

/// Functions and properties of the machine that engines need.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    /// Clock: returns the time since any fixed moment.
    pub clock: fn() -> Duration,
    /// Whether the machine may have a GPU. If false, `auto` does not load GPU drivers unless an adapter is named.
    pub gpu: bool,
}

/// Active engine and its speed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EngineStatus {
    /// Name of the engine: "simd", "reference", "gpu", or "gpu+simd" for both; empty before `auto` has selected an
    /// engine.
    pub engine: &'static str,
    /// Name of the adapter; `None` for an engine on the CPU.
    pub adapter: Option<String>,
    /// Driver of the adapter; `None` for an engine on the CPU.
    pub driver: Option<String>,
    /// Simulation speed over the last generations (robot-seconds per second); 0 before the first batch.
    pub r_acc: f64,
}

/// A message about an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Description of the event.
    pub text: String,
    /// Whether the notice is a warning that the requested engine does not work.
    pub warning: bool,
}

/// Engine that runs jobs according to an [`EngineChoice`].
pub struct ChosenEngine {
    choice: EngineChoice,
    machine: Machine,
    /// Engine that simulates for this and for other engines; `None` if this engine simulates itself.
    shared: Option<SharedEngine>,
    state: Mutex<State>,
}

/// Engine for several runs at once, which are simulated together.
#[derive(Clone)]
pub struct SharedEngine {
    engine: Arc<ChosenEngine>,
    service: Arc<Service>,
}

impl std::fmt::Debug for SharedEngine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("SharedEngine").field(&self.service).finish()
    }
}

impl SharedEngine {
    /// Shares an engine. Each run gets its own [`ChosenEngine::with_shared`].
    pub fn new(engine: ChosenEngine) -> SharedEngine {
        let engine = Arc::new(engine);
        SharedEngine { service: Arc::new(Service::new(engine.clone())), engine }
    }

    /// Returns the engine that simulates all jobs.
    pub fn engine(&self) -> &ChosenEngine {
        &self.engine
    }
}

/// Engine that currently runs the jobs.
#[derive(Clone)]
enum Active {
    Reference,
    Simd,
    Gpu(Arc<OpenGpu>),
    Both(Arc<OpenGpu>),
}

/// An open GPU device.
struct OpenGpu {
    gpu: Gpu,
    driver: String,
    kind: AdapterKind,
    /// Pool with a single thread, which waits for the device while all other threads simulate.
    thread: ThreadPool,
}

#[derive(Default)]
struct State {
    /// Active engine; `None` before `auto` has selected one.
    active: Option<Active>,
    /// Measured speeds of `gpu` and `simd` (robot-seconds per second), which determine the shares of the two engines in
    /// `both`. `None` before a measurement.
    speeds: Option<[f64; 2]>,
    /// Time of the next attempt to reopen the device; `None` unless the device is lost.
    retry: Option<Duration>,
    /// Delay before the latest attempt to reopen the device; 0 before the first loss.
    wait: Duration,
    /// Time at which the device was opened.
    opened: Duration,
    /// Latest notice of the device that was passed on as a warning.
    last_notice: Option<String>,
    notices: Vec<Notice>,
    meter: Meter,
}

impl State {
    fn info(&mut self, text: String) {
        self.push_notice(Notice { text, warning: false });
    }

    fn warn(&mut self, text: String) {
        self.push_notice(Notice { text, warning: true });
    }

    fn push_notice(&mut self, notice: Notice) {
        if self.notices.len() < MAX_NOTICES {
            self.notices.push(notice);
        }
    }
}

impl ChosenEngine {
    /// Opens the engine.
    ///
    /// # Errors
    /// If the device for `gpu` or `both` cannot be opened, or if this applies to the adapter that is named for `auto`.
    /// The error is one line that starts with the keys of the choice.
    pub fn open(choice: EngineChoice, machine: Machine) -> Result<ChosenEngine, String> {
        let engine = ChosenEngine::closed(choice, machine);
        match engine.choice.engine {
            EngineKind::Reference => engine.state().active = Some(Active::Reference),
            EngineKind::Simd => engine.state().active = Some(Active::Simd),
            EngineKind::Gpu | EngineKind::Both => {
                let open = engine.open_device().map_err(|error| engine.error_with_keys(&error))?;
                if open.kind == AdapterKind::Software && engine.choice.adapter == AdapterChoice::Best {
                    let name = open.gpu.device().unwrap_or_default();
                    engine.state().info(format!("no GPU found; {name} computes on the processor, slower than simd"));
                }
                engine.state().active = Some(engine.on(open));
            }
            EngineKind::Auto if engine.choice.adapter != AdapterChoice::Best => {
                check_choice(&engine.choice).map_err(|error| engine.error_with_keys(&error))?;
            }
            EngineKind::Auto => {}
        }
        Ok(engine)
    }

    /// Opens the engine like [`ChosenEngine::open`]. If the device cannot be opened, `simd` runs the jobs, and the
    /// device is retried later.
    pub fn open_or_wait(choice: EngineChoice, machine: Machine) -> ChosenEngine {
        ChosenEngine::open(choice.clone(), machine).unwrap_or_else(|error| {
            let engine = ChosenEngine::closed(choice, machine);
            engine.schedule_retry(&error);
            engine
        })
    }

    fn closed(choice: EngineChoice, machine: Machine) -> ChosenEngine {
        ChosenEngine { choice, machine, shared: None, state: Mutex::default() }
    }

    /// Returns an engine whose jobs are simulated by a shared engine. Its speed is its own. The notices of the shared
    /// engine are returned to the first caller that asks for them.
    pub fn with_shared(shared: SharedEngine) -> ChosenEngine {
        let ChosenEngine { choice, machine, .. } = &*shared.engine;
        ChosenEngine { choice: choice.clone(), machine: *machine, shared: Some(shared), state: Mutex::default() }
    }

    /// Checks that the engine can run a world.
    ///
    /// # Errors
    /// If the world exceeds a limit of the engine. The error is one line with the keys of the choice and the limit.
    pub fn check(&self, spec: &WorldSpec) -> Result<(), String> {
        if let Some(shared) = &self.shared {
            return shared.engine.check(spec);
        }
        match self.state().active.clone() {
            Some(Active::Gpu(open)) => open.gpu.supports(spec).map_err(|error| self.error_with_keys(&error)),
            // `simd` can run all worlds, and `both` uses it for those that the GPU rejects.
            _ => Ok(()),
        }
    }

    /// Returns the requested choice.
    pub fn engine_choice(&self) -> &EngineChoice {
        &self.choice
    }

    /// Returns the active engine and its speed.
    pub fn status(&self) -> EngineStatus {
        let state = self.state();
        let r_acc = state.meter.r_acc();
        if let Some(shared) = &self.shared {
            return EngineStatus { r_acc, ..shared.engine.status() };
        }
        match &state.active {
            None => EngineStatus { r_acc, ..EngineStatus::default() },
            Some(active) => {
                let open = active.device();
                let (adapter, driver) = (open.and_then(|o| o.gpu.device()), open.map(|o| o.driver.clone()));
                EngineStatus { engine: active.name(), adapter, driver, r_acc }
            }
        }
    }

    /// Ends a generation. [`EngineStatus::r_acc`] is an average over generations.
    pub fn end_generation(&self) {
        self.state().meter.close();
    }

    /// Adds jobs that the caller ran without this engine, and their wall time, to the measured speed.
    pub fn note_run(&self, jobs: &[Job<'_>], took: Duration) {
        self.state().meter.add(robot_seconds(jobs), took);
    }

    /// Returns and clears the notices for the user: results of `auto`, and devices that were lost or reopened.
    pub fn drain_notices(&self) -> Vec<Notice> {
        let mut notices = std::mem::take(&mut self.state().notices);
        notices.extend(self.shared.iter().flat_map(|shared| shared.engine.drain_notices()));
        notices
    }

    /// Selects the engine for `auto` by benchmarks of these jobs. Has no effect for other choices, or after the
    /// selection.
    pub fn select_auto(&self, programs: &[Program], jobs: &[Job<'_>]) {
        if self.shared.is_some() || self.state().active.is_some() || jobs.is_empty() {
            return;
        }
        let active = match self.machine.gpu || self.choice.adapter != AdapterChoice::Best {
            true => self.fastest(programs, jobs),
            false => Active::Simd,
        };
        self.state().active = Some(active);
    }

    /// Destroys the open device, for tests of the recovery after a driver reset.
    pub fn destroy_device(&self) {
        let state = self.state();
        if let Some(open) = state.active.as_ref().and_then(Active::device) {
            open.gpu.destroy();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }

    fn error_with_keys(&self, error: &GpuError) -> String {
        format!("{}: {error}", self.choice.keys())
    }

    fn on(&self, open: OpenGpu) -> Active {
        match self.choice.engine {
            EngineKind::Both => Active::Both(Arc::new(open)),
            _ => Active::Gpu(Arc::new(open)),
        }
    }

    fn open_device(&self) -> Result<OpenGpu, GpuError> {
        let gpu = Gpu::open_adapter(&self.choice.adapter)?;
        let name = gpu.device().unwrap_or_default();
        let found = Gpu::adapters().into_iter().find(|a| a.name == name);
        let (driver, kind) = found.map_or((String::new(), AdapterKind::Other), |a| (a.driver, a.kind));
        let thread = ThreadPoolBuilder::new().num_threads(1).thread_name(|_| "device".into()).build();
        let refused = |why: String| GpuError::Refused { adapter: name.clone(), why };
        Ok(OpenGpu { gpu, driver, kind, thread: thread.map_err(|error| refused(error.to_string()))? })
    }

    /// Measures the engines with short runs of these jobs, and returns the fastest.
    fn fastest(&self, programs: &[Program], jobs: &[Job<'_>]) -> Active {
        let named = self.choice.adapter != AdapterChoice::Best;
        let hardware = || Gpu::adapters().iter().any(|adapter| adapter.kind != AdapterKind::Software);
        if !named && !hardware() {
            return Active::Simd;
        }
        let open = match self.open_device() {
            Ok(open) => Arc::new(open),
            Err(error) => {
                let line = format!("{}; simd runs instead", self.error_with_keys(&error));
                self.state().warn(line);
                return Active::Simd;
            }
        };
        if jobs.iter().any(|job| open.gpu.supports(job.spec).is_err()) {
            return Active::Simd;
        }
        let jobs: Vec<Job<'_>> =
            jobs.iter().map(|j| Job { updates: j.updates.min(PROBE_UPDATES), ..j.clone() }).collect();
        let speed = |run: &dyn Fn(&[Job<'_>])| {
            run(&jobs[..jobs.len().min(LEAST_SHARED)]);
            let mut best: f64 = 0.0;
            let started = (self.machine.clock)();
            for _ in 0..PROBES {
                let before = (self.machine.clock)();
                run(&jobs);
                let now = (self.machine.clock)();
                best = best.max(robot_seconds(&jobs) / (now - before).as_secs_f64().max(1e-9));
                if now - started >= PROBE {
                    break;
                }
            }
            best
        };
        let simd = speed(&|jobs| drop(Simd::default().run(programs, jobs)));
        let gpu = speed(&|jobs| drop(open.gpu.run(programs, jobs)));
        self.state().speeds = Some([gpu, simd]);
        let both = speed(&|jobs| drop(self.share(&open, programs, jobs)));
        let single = simd.max(gpu);
        let active = if open.gpu.is_lost() {
            Active::Simd
        } else if both > GAIN * single {
            Active::Both(open)
        } else if gpu > simd {
            Active::Gpu(open)
        } else {
            Active::Simd
        };
        self.state().info(format!(
            "engine auto: {}; simd {simd:.0}, gpu {gpu:.0}, both {both:.0} robot-seconds a second",
            active.name()
        ));
        active
    }

    /// Returns the engine for these jobs.
    fn active_for(&self, programs: &[Program], jobs: &[Job<'_>]) -> Active {
        self.retry();
        self.select_auto(programs, jobs);
        self.state().active.clone().unwrap_or(Active::Simd)
    }

    /// Returns the result of `run`, and adds its duration and the simulated robot-seconds to the meter.
    fn metered<T>(&self, robot_seconds: f64, run: impl FnOnce() -> T) -> T {
        let began = (self.machine.clock)();
        let result = run();
        let took = (self.machine.clock)().saturating_sub(began);
        self.state().meter.add(robot_seconds, took);
        result
    }

    /// Runs the first jobs on the GPU and the other jobs on the CPU, in proportion to the two speeds.
    fn share(&self, open: &OpenGpu, programs: &[Program], jobs: &[Job<'_>]) -> Vec<Outcome> {
        if jobs.len() < LEAST_SHARED {
            return Simd::default().run(programs, jobs);
        }
        let speeds = self.state().speeds;
        let [gpu, simd] = speeds.unwrap_or([1.0, 1.0]);
        let wanted = robot_seconds(jobs) * gpu / (gpu + simd).max(1e-9);
        let mut work = 0.0;
        let place = jobs.iter().position(|job| {
            work += robot_seconds(std::slice::from_ref(job));
            work > wanted
        });
        let (on_device, here) = jobs.split_at(place.unwrap_or(jobs.len()).clamp(1, jobs.len() - 1));
        let timed = |engine: &dyn Engine, jobs: &[Job<'_>]| {
            let began = (self.machine.clock)();
            let outcomes = engine.run(programs, jobs);
            let took = ((self.machine.clock)() - began).as_secs_f64().max(1e-9);
            (outcomes, robot_seconds(jobs) / took)
        };
        let mut theirs = (Vec::new(), 0.0);
        let mut ours = (Vec::new(), 0.0);
        open.thread.in_place_scope(|scope| {
            scope.spawn(|_| theirs = timed(&open.gpu, on_device));
            ours = timed(&Simd::default(), here);
        });
        let now = [theirs.1, ours.1];
        let mixed = |old: [f64; 2]| std::array::from_fn(|i| (1.0 - NEWEST) * old[i] + NEWEST * now[i]);
        self.state().speeds = Some(speeds.map_or(now, mixed));
        theirs.0.extend(ours.0);
        theirs.0
    }

    /// Reopens the device if the delay has expired.
    fn retry(&self) {
        if self.state().retry.is_none_or(|at| (self.machine.clock)() < at) {
            return;
        }
        match self.open_device() {
            Ok(open) => {
                let name = open.gpu.device().unwrap_or_default();
                let mut state = self.state();
                // With `auto`, the engine is selected again.
                state.active = (self.choice.engine != EngineKind::Auto).then(|| self.on(open));
                state.speeds = None;
                state.retry = None;
                state.opened = (self.machine.clock)();
                state.last_notice = None;
                state.info(format!("engine {}: {name} is open again", self.choice.engine));
            }
            Err(error) => self.schedule_retry(&self.error_with_keys(&error)),
        }
    }

    /// Switches to `simd` and schedules the next attempt to open the device.
    fn schedule_retry(&self, why: &str) {
        let mut state = self.state();
        let now = (self.machine.clock)();
        let first = state.retry.is_none();
        // If the device worked for longer than the last delay, the initial delay is used again.
        let held = first && now.saturating_sub(state.opened) > state.wait;
        state.wait = if held { FIRST_WAIT } else { (2 * state.wait).clamp(FIRST_WAIT, LONGEST_WAIT) };
        state.retry = Some(now + state.wait);
        state.active = Some(Active::Simd);
        if first {
            state.warn(format!("{why}; simd runs instead, and the device is retried later"));
        }
    }

    /// Reads the notice of the device and checks whether the device is lost.
    fn poll_device(&self, open: &OpenGpu) {
        let notice = open.gpu.notice();
        if open.gpu.is_lost() {
            let why = notice.unwrap_or_else(|| "the device is lost".into());
            return self.schedule_retry(why.split(';').next().unwrap_or_default());
        }
        let mut state = self.state();
        if notice.is_some() && state.last_notice != notice {
            state.last_notice.clone_from(&notice);
            notice.into_iter().for_each(|line| state.warn(line));
        }
    }
}

impl Active {
    fn name(&self) -> &'static str {
        match self {
            Active::Reference => "reference",
            Active::Simd => "simd",
            Active::Gpu(_) => "gpu",
            Active::Both(_) => "gpu+simd",
        }
    }

    fn device(&self) -> Option<&OpenGpu> {
        match self {
            Active::Reference | Active::Simd => None,
            Active::Gpu(open) | Active::Both(open) => Some(open),
        }
    }
}

impl Engine for ChosenEngine {
    fn name(&self) -> &'static str {
        self.state().active.as_ref().map_or("auto", Active::name)
    }

    /// Runs the jobs on the active engine. If the device is lost during a run, `simd` repeats the jobs. The run then
    /// takes longer, but all outcomes are returned.
    fn run(&self, programs: &[Program], jobs: &[Job<'_>]) -> Vec<Outcome> {
        if jobs.is_empty() {
            return Vec::new();
        }
        if let Some(shared) = &self.shared {
            return self.metered(robot_seconds(jobs), || shared.service.run(programs, jobs));
        }
        let active = self.active_for(programs, jobs);
        let outcomes = self.metered(robot_seconds(jobs), || match &active {
            Active::Reference => Reference::default().run(programs, jobs),
            Active::Simd => Simd::default().run(programs, jobs),
            Active::Gpu(open) => open.gpu.run(programs, jobs),
            Active::Both(open) => self.share(open, programs, jobs),
        });
        if let Some(open) = active.device() {
            self.poll_device(open);
        }
        outcomes
    }

    /// Simulates the pieces on the active engine. `both` simulates them from their start, because a world may be given
    /// to another engine than before.
    fn advance(&self, programs: &[Program], pieces: &[Piece<'_>]) -> Vec<(Outcome, Suspended)> {
        if pieces.is_empty() {
            return Vec::new();
        }
        let jobs: Vec<Job<'_>> = pieces.iter().map(|piece| piece.job.clone()).collect();
        let seconds = robot_seconds(&jobs) - pieces.iter().map(Piece::robot_seconds_done).sum::<f64>();
        if let Some(shared) = &self.shared {
            return self.metered(seconds, || shared.service.advance(programs, pieces));
        }
        let active = self.active_for(programs, &jobs);
        let results = match &active {
            Active::Reference => self.metered(seconds, || Reference::default().advance(programs, pieces)),
            Active::Simd => self.metered(seconds, || Simd::default().advance(programs, pieces)),
            Active::Gpu(open) => self.metered(seconds, || open.gpu.advance(programs, pieces)),
            Active::Both(_) => return pieces::replay(self, programs, pieces),
        };
        if let Some(open) = active.device() {
            self.poll_device(open);
        }
        results
    }

    fn device(&self) -> Option<String> {
        self.status().adapter
    }

    fn notice(&self) -> Option<String> {
        let notices: Vec<String> = self.drain_notices().into_iter().map(|notice| notice.text).collect();
        (!notices.is_empty()).then(|| notices.join("; "))
    }
}

/// Checks that the chosen adapter exists and fulfils the requirements of the kernels. The device is not opened.
///
/// # Errors
/// The same errors as [`Gpu::open_adapter`].
pub fn check_choice(choice: &EngineChoice) -> Result<(), GpuError> {
    Gpu::check_adapter(&choice.adapter)
}

/// Returns the total simulated time of jobs (robot-seconds).
fn robot_seconds(jobs: &[Job<'_>]) -> f64 {
    jobs.iter().map(|job| f64::from(job.updates) * job.spec.robots as f64).sum::<f64>() * f64::from(CONTROL_PERIOD)
}

#[cfg(test)]
mod tests;
