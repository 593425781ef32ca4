//! Parallel worlds that Python controls, one update at a time.

use crate::world::World;
use crate::{errors, pool};
use numpy::{PyArray1, PyArray3, PyArrayMethods, PyReadonlyArray3, PyUntypedArrayMethods, ndarray};
use pyo3::prelude::*;
use xpuck_kernels::engine::{ActionKind, BatchSimulation};
use xpuck_kernels::tree::REGISTERS;
use xpuck_kernels::world::{Sensing, Task, WorldSpec};

/// Maximum number of parallel worlds.
const MOST_WORLDS: usize = 65_536;
/// Maximum number of bodies in all worlds together. A body takes about a kilobyte.
const MOST_BODIES: usize = 1 << 21;

/// Parallel worlds that advance together. An update takes 0.1 s of simulated time.
#[pyclass(module = "xpuck")]
pub struct Worlds {
    driven: BatchSimulation,
    spec: WorldSpec,
    sensing: Sensing,
    cells: Vec<usize>,
    wheels: ActionKind,
    updates: u32,
    /// Fitness that each world earned up to the last update.
    earned: Vec<f32>,
}

/// Returns the cells of the registers named in `senses`, as indices in the full register map. A vector register has two
/// cells.
fn cells(senses: &[String]) -> PyResult<Vec<usize>> {
    let mut cells = Vec::new();
    for name in senses {
        let sensed = REGISTERS.iter().filter(|r| !["v_zero", "v_goal", "s_scr", "v_scr"].contains(&r.name));
        let Some(register) = sensed.clone().find(|r| r.name == name) else {
            let known: Vec<&str> = sensed.map(|r| r.name).collect();
            return Err(errors::value(format!("sense {name:?}: must be one of {}", known.join(", "))));
        };
        let first = usize::from(register.full);
        cells.extend(first..first + if register.vector { 2 } else { 1 });
    }
    Ok(cells)
}

/// Returns the kinds of sensing that are required for these registers.
fn sensing(senses: &[String]) -> Sensing {
    let any = |names: &[&str]| senses.iter().any(|sense| names.contains(&sense.as_str()));
    Sensing {
        proximity: any(&["v_prox"]),
        camera: any(&["v_red", "v_green", "v_blue"]),
        neighbours: any(&["v_attr", "s_n"]),
        light: any(&["v_light"]),
        tags: any(&["v_tag"]),
        ground: any(&["s_ground"]),
    }
}

#[pymethods]
impl Worlds {
    /// Creates `count` worlds with consecutive numbers from `first`. Each run has `updates` updates.
    #[new]
    #[pyo3(signature = (world, count, seed, first, senses, wheels, updates))]
    #[allow(clippy::too_many_arguments, reason = "Python's wrapper names them")]
    fn new(
        py: Python<'_>,
        world: &World,
        count: usize,
        seed: u64,
        first: u32,
        senses: Vec<String>,
        wheels: &str,
        updates: u32,
    ) -> PyResult<Worlds> {
        if !(1..=MOST_WORLDS).contains(&count) {
            return Err(errors::value(format!("the number of worlds is {count}; it must be 1 to {MOST_WORLDS}")));
        }
        let bodies = count * (world.spec.robots + world.spec.discs.len());
        if bodies > MOST_BODIES {
            return Err(errors::value(format!(
                "{count} worlds have {bodies} bodies; at most {MOST_BODIES} are allowed; use fewer worlds"
            )));
        }
        let wheels = match wheels {
            "goal" => ActionKind::Goal,
            "wheels" => ActionKind::Speeds,
            other => return Err(errors::value(format!("actions {other:?}: must be goal or wheels"))),
        };
        let (cells, sensing) = (cells(&senses)?, sensing(&senses));
        let spec = world.spec.clone();
        let driven = begin(py, &spec, sensing, seed, first, count)?;
        Ok(Worlds { driven, spec, sensing, cells, wheels, updates: updates.max(1), earned: vec![0.0; count] })
    }

    /// Restarts with `seed` and with world numbers from `first`.
    fn reset(&mut self, py: Python<'_>, seed: u64, first: u32) -> PyResult<()> {
        self.driven = begin(py, &self.spec, self.sensing, seed, first, self.earned.len())?;
        self.earned.fill(0.0);
        Ok(())
    }

    /// Drives all robots for 0.1 s. Writes the new senses into `senses`, and the fitness that each world earned in
    /// this update into `rewards`.
    fn step<'py>(
        &mut self,
        py: Python<'py>,
        actions: PyReadonlyArray3<'py, f32>,
        senses: &Bound<'py, PyArray3<f32>>,
        rewards: &Bound<'py, PyArray1<f32>>,
    ) -> PyResult<()> {
        let wanted = [self.driven.worlds(), self.driven.robots(), 2];
        if actions.shape() != wanted {
            return Err(errors::value(format!("actions have shape {:?}, expected {wanted:?}", actions.shape())));
        }
        let mut rewards = rewards.try_readwrite().map_err(errors::value)?;
        let rewards = rewards.as_slice_mut().map_err(errors::value)?;
        if rewards.len() != self.earned.len() {
            return Err(errors::value(format!(
                "rewards has {} elements, expected {}, one per world",
                rewards.len(),
                self.earned.len()
            )));
        }
        let copied;
        let actions = match actions.as_slice() {
            Ok(actions) => actions,
            // Non-contiguous actions are copied first.
            Err(_) => {
                copied = actions.as_array().iter().copied().collect::<Vec<f32>>();
                &copied
            }
        };
        let Worlds { driven, spec: WorldSpec { task, .. }, wheels, updates, earned, .. } = self;
        pool::compute(py, || {
            driven.update(actions, *wheels);
            driven.fitness(rewards);
            reward(task, driven.updates() as f32 / *updates as f32, earned, rewards);
        })?;
        self.observe(py, senses)
    }

    /// Writes the current senses of all robots into an array of the shape (worlds, robots, cells).
    fn observe<'py>(&self, py: Python<'py>, senses: &Bound<'py, PyArray3<f32>>) -> PyResult<()> {
        let mut senses = senses.try_readwrite().map_err(errors::value)?;
        let wanted = [self.driven.worlds(), self.driven.robots(), self.cells.len()];
        if senses.shape() != wanted {
            return Err(errors::value(format!("senses have shape {:?}, expected {wanted:?}", senses.shape())));
        }
        let out = senses.as_slice_mut().map_err(errors::value)?;
        pool::compute(py, || self.driven.read(&self.cells, out))
    }

    /// Returns the current fitness of each world, according to its task, as an array of the shape (worlds,).
    fn fitness<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let mut fitness = vec![0.0; self.earned.len()];
        pool::compute(py, || self.driven.fitness(&mut fitness))?;
        Ok(PyArray1::from_vec(py, fitness))
    }

    /// Returns the poses of all bodies as an array of the shape (worlds, bodies, 3): x (m), y (m) and heading (rad).
    /// Robots precede discs.
    fn poses<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray3<f32>> {
        let (worlds, bodies) = (self.driven.worlds(), self.driven.bodies());
        let poses = ndarray::Array3::from_shape_fn((worlds, bodies, 3), |(world, body, k)| {
            let pose = self.driven.pose(world, body);
            [pose.at.x, pose.at.y, pose.heading][k]
        });
        PyArray3::from_owned_array(py, poses)
    }

    /// Number of updates since the start of the run.
    #[getter]
    fn updates(&self) -> u32 {
        self.driven.updates()
    }

    /// Number of sensed values per robot.
    #[getter]
    fn cells(&self) -> usize {
        self.cells.len()
    }
}

fn begin(
    py: Python<'_>,
    spec: &WorldSpec,
    sensing: Sensing,
    seed: u64,
    first: u32,
    count: usize,
) -> PyResult<BatchSimulation> {
    errors::refuse_changes(spec)?;
    let numbers: Vec<u32> = (0..count as u32).map(|i| first.wrapping_add(i)).collect();
    pool::compute(py, || BatchSimulation::new(spec, sensing, seed, &numbers))
}

/// Converts the total fitness of each world, which `rewards` contains, to the fitness earned since the last update.
/// `earned` is updated to the new total. `part` is the completed share of the run (0..=1).
fn reward(task: &Task, part: f32, earned: &mut [f32], rewards: &mut [f32]) {
    for (earned, reward) in earned.iter_mut().zip(rewards) {
        let now = task.earned(*reward, part);
        *reward = now - *earned;
        *earned = now;
    }
}
