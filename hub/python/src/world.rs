//! Worlds in which trees are simulated.

use crate::errors;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;
use xpuck_experiment::{robot_model, world_file};
use xpuck_kernels::model::MAX_ROBOTS;
use xpuck_kernels::world::{Scenario, WorldSpec};
use xpuck_wire::file;

/// World of a simulation: arena, robots, objects, and the scored task.
#[pyclass(frozen, module = "xpuck")]
#[derive(Clone)]
pub struct World {
    /// Specification of the world.
    pub spec: WorldSpec,
    /// Start of the robots if this is the benchmark, whose specification is created anew for each number of robots.
    /// `None` for other worlds.
    scenario: Option<BenchmarkStart>,
    /// Text of the world file; `None` for the benchmark.
    text: Option<Arc<str>>,
}

/// Start of the robots in the benchmark.
#[derive(Clone, Copy)]
enum BenchmarkStart {
    Only(Scenario),
    ByTurns,
}

impl World {
    /// Returns the specification with another number of robots.
    ///
    /// # Errors
    /// If the number is outside 1 to `MAX_ROBOTS`, or the world is invalid with this number.
    pub fn of_size(&self, robots: usize) -> PyResult<WorldSpec> {
        if !(1..=MAX_ROBOTS).contains(&robots) {
            return Err(errors::value(format!("robots = {robots}: must be 1 to {MAX_ROBOTS}")));
        }
        match self.scenario {
            Some(BenchmarkStart::Only(scenario)) => Ok(WorldSpec::scenario(robots, scenario)),
            Some(BenchmarkStart::ByTurns) => Ok(WorldSpec::benchmark(robots)),
            None => {
                let spec = WorldSpec { robots, ..self.spec.clone() };
                spec.check()
                    .map_err(|error| errors::value(format!("the world is invalid with {robots} robots: {error}")))?;
                Ok(spec)
            }
        }
    }
}

#[pymethods]
impl World {
    /// Creates the benchmark: a frisbee that robots push towards -x. `scenario` selects the start of the robots: "a"
    /// at the -x end, "b" anywhere in the arena, or "mix" for both in turn.
    #[new]
    #[pyo3(signature = (robots = 9, *, scenario = "mix"))]
    fn new(robots: usize, scenario: &str) -> PyResult<World> {
        let start = match scenario {
            "a" => BenchmarkStart::Only(Scenario::A),
            "b" => BenchmarkStart::Only(Scenario::B),
            "mix" => BenchmarkStart::ByTurns,
            other => return Err(errors::value(format!("scenario {other:?}: must be a, b or mix"))),
        };
        let benchmark = World { spec: WorldSpec::benchmark(1), scenario: Some(start), text: None };
        benchmark.with_robots(robots)
    }

    /// Loads a world from a world file (docs/worlds.md). `robot` replaces the robots of the file: a model, or a file
    /// (docs/robot-models.md).
    #[staticmethod]
    #[pyo3(signature = (path, *, robot = None))]
    fn load(path: PathBuf, robot: Option<&str>) -> PyResult<World> {
        let wrong = |why| errors::value(format!("robot: {why}"));
        let given = robot.map(|name| robot_model::read(name).map_err(wrong)).transpose()?;
        let spec = world_file::read_with(&path, given.as_ref()).map_err(|error| errors::of_file(&path, error))?;
        let text = file::text(&path, file::MAX_TOML).map_err(|error| errors::of_file(&path, error))?;
        let file = || world_file::robot(&path).map_err(|error| errors::of_file(&path, error));
        let robot = if robot_model::named_robot(&text).is_some() && given.is_none() { Some(file()?) } else { given };
        // The text is passed on without its folder, so it contains the model.
        let text = match robot {
            Some(robot) => {
                let mut table: toml::Table = text.parse().expect("it was parsed before");
                let keys: toml::Table = robot.to_toml().parse().expect("the text of a model is TOML");
                table.insert("robot".into(), keys.into());
                table.to_string()
            }
            None => text,
        };
        Ok(World { spec, scenario: None, text: Some(text.into()) })
    }

    /// Parses the text of a world file.
    #[staticmethod]
    fn parse(text: &str) -> PyResult<World> {
        let spec = world_file::parse("world", text).map_err(errors::value)?;
        Ok(World { spec, scenario: None, text: Some(text.into()) })
    }

    /// Returns the world with another number of robots. The benchmark's arena grows with more than 16 robots.
    fn with_robots(&self, robots: usize) -> PyResult<World> {
        let spec = self.of_size(robots)?;
        let text = self.text.as_ref().map(|text| {
            let mut table: toml::Table = text.parse().expect("it was parsed before");
            table.insert("robots".into(), (robots as i64).into());
            table.to_string().into()
        });
        Ok(World { spec, scenario: self.scenario, text })
    }

    /// Text of the world file; `None` for the benchmark.
    #[getter]
    fn _text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// Whether this is the benchmark with its two starts in turn.
    #[getter]
    fn _is_benchmark(&self) -> bool {
        matches!(self.scenario, Some(BenchmarkStart::ByTurns))
    }

    /// Number of robots.
    #[getter]
    fn robots(&self) -> usize {
        self.spec.robots
    }

    /// Name of the task.
    #[getter]
    fn task(&self) -> &'static str {
        self.spec.task.name()
    }

    /// Maximum speed of a wheel (m/s).
    #[getter]
    fn max_speed(&self) -> f32 {
        self.spec.physics.robot.wheels.max_speed
    }

    /// Size of the arena: length along x and width along y (m).
    #[getter]
    fn arena_m(&self) -> (f32, f32) {
        let (x, y) = self.spec.physics.half_arena;
        (2.0 * x, 2.0 * y)
    }

    /// Returns a copy, because Gymnasium copies the arguments of environments. Worlds are immutable, so the copy is
    /// equivalent.
    fn __copy__(&self) -> World {
        self.clone()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> World {
        self.clone()
    }

    fn __repr__(&self) -> String {
        let (x, y) = self.arena_m();
        format!("<xpuck.World: {}, {} robots in {x} x {y} m>", self.task(), self.spec.robots)
    }
}
