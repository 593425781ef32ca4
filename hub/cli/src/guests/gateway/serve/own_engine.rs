//! Evaluation of networks by our own engine. The networks control a swarm on the thesis's benchmark or in a world
//! file.

use anyhow::{Result, anyhow};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use xpuck_experiment::world_file;
use xpuck_gateway::evaluation::individual::Individual;
use xpuck_gateway::evaluation::parameters::{HiddenNeurons, NetParameters, Neurons, Weights};
use xpuck_gateway::evaluation::robot_server::batch::Evaluate;
use xpuck_gateway::evaluation::tree;
use xpuck_kernels::engine::ChosenEngine;
use xpuck_kernels::tree::{MAX_NODES, Program, Tree};
use xpuck_kernels::world::WorldSpec;
use xpuck_lab::measure::{Plan, measure_all};
use xpuck_wire::file;

/// Maximum number of registers that a network reads.
const MOST_INPUTS: usize = 64;
/// Maximum number of individuals that are evaluated at the same time.
pub const MOST_CONCURRENT: u32 = 65_536;

/// Contents of a task file for evaluation by our own engine, without a world simulator.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OwnTask {
    /// Path of the world file, relative to the folder of this file. `None`: the thesis's benchmark.
    world: Option<PathBuf>,
    /// Number of robots on the benchmark. A world file defines its own number of robots.
    robots: usize,
    /// Simulated time of a run (s).
    seconds: f32,
    /// Number of runs over which the fitness is averaged.
    runs: u32,
    /// Seed of the runs. All individuals have the same runs.
    seed: u64,
    /// Names of the scalar registers that are read by the input neurons.
    inputs: Vec<String>,
    /// Maximum number of individuals that are evaluated at the same time (Cci).
    pub concurrent: u32,
    /// Minimum and maximum number of hidden neurons.
    hidden: [u32; 2],
    /// Number of parameter values of each output and hidden neuron: 0, 1 (bias) or 2 (bias, then gain).
    neuron_values: u32,
    /// Minimum and maximum of the parameter values of a neuron.
    neurons: [f64; 2],
    /// Minimum and maximum weight.
    weights: [f64; 2],
    /// Whether inputs connect directly to outputs (Fio).
    input_to_output: bool,
    /// Whether the network is recurrent (Fre).
    recurrent: bool,
}

impl Default for OwnTask {
    fn default() -> Self {
        let inputs = ["v_prox.x", "v_prox.y", "v_up.x", "v_up.y", "v_attr.x", "v_attr.y", "v_blue.x", "v_blue.y"];
        Self {
            world: None,
            robots: 9,
            seconds: 60.0,
            runs: 4,
            seed: 1,
            inputs: inputs.map(String::from).to_vec(),
            concurrent: 256,
            hidden: [0, 8],
            neuron_values: 1,
            neurons: [-3.0, 3.0],
            weights: [-5.0, 5.0],
            input_to_output: true,
            recurrent: true,
        }
    }
}

impl OwnTask {
    /// Reads a task file; all keys are optional.
    ///
    /// # Errors
    /// The file is invalid.
    pub fn read(path: Option<&Path>) -> Result<OwnTask> {
        let Some(path) = path else { return Ok(OwnTask::default()) };
        let mut task: OwnTask = file::read(path)?;
        task.world = task.world.map(|world| path.parent().unwrap_or(Path::new("")).join(world));
        Ok(task)
    }

    /// Returns the world of the task.
    ///
    /// # Errors
    /// The world file is invalid.
    pub fn spec(&self) -> Result<WorldSpec> {
        Ok(match &self.world {
            Some(world) => world_file::read(world)?,
            None => WorldSpec::benchmark(self.robots),
        })
    }

    /// Checks the task, and returns the answer to `SendNetParameters`. One check is that the engine accepts the
    /// largest network.
    ///
    /// # Errors
    /// A value is invalid. The error states the value and the allowed range.
    pub fn parameters(&self) -> Result<NetParameters> {
        let wrong = |what: &str, value: String, allowed: &str| Err(anyhow!("{what} is {value}, but must be {allowed}"));
        if !(1..=MOST_CONCURRENT).contains(&self.concurrent) {
            return wrong("concurrent", self.concurrent.to_string(), "1 to 65536");
        }
        if !(1..=MOST_INPUTS).contains(&self.inputs.len()) {
            return wrong("the number of inputs", self.inputs.len().to_string(), "1 to 64");
        }
        if self.neuron_values > 2 {
            return wrong("neuron_values", self.neuron_values.to_string(), "0 to 2");
        }
        let small = |value: f64| value.abs() <= 1e6;
        if let Some(value) = self.neurons.into_iter().chain(self.weights).find(|value| !small(*value)) {
            return wrong("a limit of a value range", value.to_string(), "-1000000 to 1000000");
        }
        let values = self.neuron_values;
        let [low, high] = if values == 0 { [0.0; 2] } else { self.neurons };
        let [min, max] = self.hidden;
        let parameters = NetParameters {
            max_concurrent: self.concurrent,
            inputs: Neurons { count: self.inputs.len() as u32, ..Neurons::default() },
            outputs: Neurons { count: 2, values, low, high },
            hidden: HiddenNeurons { min, max, values, low, high },
            weights: Weights { values: 1, low: self.weights[0], high: self.weights[1] },
            input_to_output: self.input_to_output,
            recurrent: self.recurrent,
            ..NetParameters::default()
        };
        parameters.check()?;
        // This check precedes the creation of the largest network, because the network's matrix may be huge.
        if parameters.value_count(max) > MAX_NODES {
            return wrong(
                "the maximum number of hidden neurons",
                max.to_string(),
                "lower: the tree would have too many nodes",
            );
        }
        let values = vec![1.0; parameters.value_count(max)];
        let clamped = NetParameters {
            outputs: Neurons { low: 0.0, high: 1.0, ..parameters.outputs.clone() },
            hidden: HiddenNeurons { low: 0.0, high: 1.0, ..parameters.hidden.clone() },
            weights: Weights { low: 0.0, high: 1.0, ..parameters.weights.clone() },
            ..parameters.clone()
        };
        let largest = Individual { generation: 1, number: 1, hidden: max, values };
        self.program(&largest, &clamped)?;
        Ok(parameters)
    }

    /// Returns the tree of an individual. The tree consists only of the individual's network.
    ///
    /// # Errors
    /// The individual does not fit the task.
    pub fn tree(&self, individual: &Individual, parameters: &NetParameters) -> Result<Tree> {
        Ok(Tree::parse(&tree::text(&individual.genome(parameters)?, parameters, &self.inputs))?)
    }

    fn program(&self, individual: &Individual, parameters: &NetParameters) -> Result<Program> {
        Ok(Program::compile(&self.tree(individual, parameters)?)?)
    }

    /// Returns a function that evaluates batches of individuals on an engine.
    pub fn evaluate(self, parameters: NetParameters, spec: WorldSpec, engine: ChosenEngine) -> Evaluate {
        Box::new(move |individuals: &[Individual]| {
            let plan = Plan { spec: &spec, seconds: self.seconds, runs: self.runs, seed: self.seed };
            let programs = individuals.iter().map(|one| self.program(one, &parameters)).collect::<Result<Vec<_>>>();
            let programs = programs.map_err(|error| error.to_string())?;
            Ok(measure_all(&engine, &programs, &plan).iter().map(|measured| measured.mean).collect())
        })
    }

    /// Rejects a task whose runs are outside the simulator's limits.
    ///
    /// # Errors
    /// A value is out of range. The error states the range.
    pub fn check(&self, spec: &WorldSpec) -> Result<()> {
        crate::analysis::simulate::check(&Plan { spec, seconds: self.seconds, runs: self.runs, seed: self.seed })
    }
}

#[cfg(test)]
mod tests;
