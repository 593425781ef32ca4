//! Worlds.

use crate::errors;
use pyo3::prelude::*;
use std::path::PathBuf;
use xpuck_experiment::world_file;
use xpuck_kernels::model::MAX_ROBOTS;
use xpuck_kernels::world::{Scenario, WorldSpec};

/// What a simulation is of: arena, robots, what stands there, and the task that is scored.
#[pyclass(frozen, module = "xpuck")]
#[derive(Clone)]
pub struct World {
    /// The world as data.
    pub spec: WorldSpec,
}

#[pymethods]
impl World {
    /// The benchmark: a frisbee that robots push towards -x. `scenario` is where they start: "a", all at the -x end, "b", all
    /// over the arena, or "mix", by turns.
    #[new]
    #[pyo3(signature = (robots = 9, *, scenario = "mix"))]
    fn new(robots: usize, scenario: &str) -> PyResult<World> {
        if !(1..=MAX_ROBOTS).contains(&robots) {
            return Err(errors::value(format!("robots = {robots}: 1 to {MAX_ROBOTS} fit a world")));
        }
        let spec = match scenario {
            "a" => WorldSpec::scenario(robots, Scenario::A),
            "b" => WorldSpec::scenario(robots, Scenario::B),
            "mix" => WorldSpec::benchmark(robots),
            other => return Err(errors::value(format!("scenario {other:?}: there are a, b and mix"))),
        };
        Ok(World { spec })
    }

    /// A world from a world file (docs/worlds.md).
    #[staticmethod]
    fn load(path: PathBuf) -> PyResult<World> {
        Ok(World { spec: world_file::read(&path).map_err(|error| errors::of_file(&path, error))? })
    }

    /// A world from the text of a world file.
    #[staticmethod]
    fn parse(text: &str) -> PyResult<World> {
        Ok(World { spec: world_file::parse("world", text).map_err(errors::value)? })
    }

    /// Robots.
    #[getter]
    fn robots(&self) -> usize {
        self.spec.robots
    }

    /// The task's name.
    #[getter]
    fn task(&self) -> &'static str {
        self.spec.task.name()
    }

    /// Length along x and width along y, m.
    #[getter]
    fn arena_m(&self) -> (f32, f32) {
        let (x, y) = self.spec.physics.half_arena;
        (2.0 * x, 2.0 * y)
    }

    fn __repr__(&self) -> String {
        let (x, y) = self.arena_m();
        format!("<xpuck.World: {}, {} robots in {x} x {y} m>", self.task(), self.spec.robots)
    }
}
