//! Evaluation of networks by our own engine: a swarm in the thesis's benchmark or a world file.

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

/// Most registers that a network reads.
const MOST_INPUTS: usize = 64;
/// Individuals at once.
pub const MOST_CONCURRENT: u32 = 65_536;

/// A task file without a world simulator.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OwnTask {
    /// World file, from this file's folder; the thesis's benchmark without it.
    world: Option<PathBuf>,
    /// Robots of the benchmark.
    robots: usize,
    /// Simulated seconds of a run.
    seconds: f32,
    /// Runs, over whose fitness the mean is taken.
    runs: u32,
    /// Seed of the runs, which are the same for all individuals.
    seed: u64,
    /// Scalar registers that are the input neurons.
    inputs: Vec<String>,
    /// Cci: individuals that are evaluated at once.
    pub concurrent: u32,
    /// Fewest and most hidden neurons.
    hidden: [u32; 2],
    /// Parameter values of each output and hidden neuron: 0, 1 (bias) or 2 (bias, then gain).
    neuron_values: u32,
    /// Lowest and highest of these.
    neurons: [f64; 2],
    /// Lowest and highest weight.
    weights: [f64; 2],
    /// Fio.
    input_to_output: bool,
    /// Fre.
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
    /// Reads a task file; all its keys may be left out.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(path: Option<&Path>) -> Result<OwnTask> {
        let Some(path) = path else { return Ok(OwnTask::default()) };
        let mut task: OwnTask = file::read(path)?;
        task.world = task.world.map(|world| path.parent().unwrap_or(Path::new("")).join(world));
        Ok(task)
    }

    /// The world of the task.
    ///
    /// # Errors
    /// What is wrong with its file.
    pub fn spec(&self) -> Result<WorldSpec> {
        Ok(match &self.world {
            Some(world) => world_file::read(world)?,
            None => WorldSpec::benchmark(self.robots),
        })
    }

    /// What is answered to `SendNetParameters`, checked, also that the engine takes the largest network.
    ///
    /// # Errors
    /// What is wrong and what is allowed.
    pub fn parameters(&self) -> Result<NetParameters> {
        let wrong =
            |what: &str, value: String, allowed: &str| Err(anyhow!("{what} is {value}, and {allowed} is allowed"));
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
            return wrong("an end of a range of values", value.to_string(), "-1000000 to 1000000");
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
        // Before the largest is made: its matrix may be huge.
        if parameters.value_count(max) > MAX_NODES {
            return wrong("the most hidden neurons", max.to_string(), "fewer: the tree would have too many nodes");
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

    fn program(&self, individual: &Individual, parameters: &NetParameters) -> Result<Program> {
        let text = tree::text(&individual.genome(parameters)?, parameters, &self.inputs);
        Ok(Program::compile(&Tree::parse(&text)?)?)
    }

    /// The function that evaluates batches on an engine.
    pub fn evaluate(self, parameters: NetParameters, spec: WorldSpec, engine: ChosenEngine) -> Evaluate {
        Box::new(move |individuals: &[Individual]| {
            let plan = Plan { spec: &spec, seconds: self.seconds, runs: self.runs, seed: self.seed };
            let programs = individuals.iter().map(|one| self.program(one, &parameters)).collect::<Result<Vec<_>>>();
            let programs = programs.map_err(|error| error.to_string())?;
            Ok(measure_all(&engine, &programs, &plan).iter().map(|measured| measured.mean).collect())
        })
    }

    /// Refuses runs that no world can have.
    ///
    /// # Errors
    /// What is allowed.
    pub fn check(&self, spec: &WorldSpec) -> Result<()> {
        crate::cli::simulate::check(&Plan { spec, seconds: self.seconds, runs: self.runs, seed: self.seed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader, Write};
    use std::net::{Ipv4Addr, SocketAddr, TcpStream};
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::{Duration, Instant};
    use xpuck_gateway::evaluation::message::Message;
    use xpuck_gateway::evaluation::robot_server::RobotServer;
    use xpuck_gateway::evaluation::robot_server::batch::Batch;
    use xpuck_lab::engine;

    /// Individuals without hidden neurons whose values go through the ranges.
    fn individuals(parameters: &NetParameters, count: u32) -> Vec<Individual> {
        let values = parameters.value_count(0) as u32;
        let value = |number: u32, at: u32| f64::from((number * 37 + at * 11) % 61) / 10.0 - 3.0;
        let individual = |number: u32| Individual {
            generation: 1,
            number,
            hidden: 0,
            values: (0..values).map(|at| value(number, at)).collect(),
        };
        (1..=count).map(individual).collect()
    }

    fn lines(individuals: &[Individual]) -> Vec<String> {
        let line = |one: &Individual| {
            let mut line = String::new();
            Message::Individual(one.clone()).write_to(&mut line).unwrap();
            line + "\r\n"
        };
        individuals.iter().map(line).collect()
    }

    /// Serves a task while `client` talks to it.
    fn served<T>(task: &OwnTask, client: impl FnOnce(&mut BufReader<TcpStream>) -> T) -> T {
        let (parameters, spec) = (task.parameters().unwrap(), task.spec().unwrap());
        let evaluate = task.clone().evaluate(parameters.clone(), spec, engine::simd());
        let at = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let mut server =
            RobotServer::listen(Batch::new(parameters, evaluate).unwrap(), at, Duration::from_secs(60)).unwrap();
        let (at, stop) = (server.address().unwrap(), AtomicBool::new(false));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    server.turn(Duration::from_millis(20)).unwrap();
                }
            });
            let stream = TcpStream::connect(at).unwrap();
            stream.set_nodelay(true).unwrap();
            let result = client(&mut BufReader::new(stream));
            stop.store(true, Ordering::Relaxed);
            result
        })
    }

    #[test]
    fn what_is_told_is_what_the_engine_measures() {
        let task = OwnTask { concurrent: 5, runs: 2, ..OwnTask::default() };
        let parameters = task.parameters().unwrap();
        let individuals = individuals(&parameters, 12);
        let mut direct = task.clone().evaluate(parameters, task.spec().unwrap(), engine::simd());
        let wanted = direct(&individuals).unwrap();
        let mut told: Vec<(usize, f64)> = served(&task, |client| {
            client.get_mut().write_all(lines(&individuals).concat().as_bytes()).unwrap();
            let fitness = |line: String| match Message::parse(&line).unwrap() {
                Message::Fitness { number, fitness, .. } => (number as usize, fitness),
                other => panic!("{other:?}"),
            };
            client.lines().take(12).map(|line| fitness(line.unwrap())).collect()
        });
        told.sort_by_key(|(number, _)| *number);
        assert_eq!(told.iter().map(|(_, fitness)| *fitness).collect::<Vec<_>>(), wanted);
        assert!(wanted.iter().any(|fitness| *fitness != wanted[0]), "{wanted:?}");
    }

    #[test]
    fn tasks_that_make_no_sense_are_refused() {
        let wrong = |task: OwnTask| task.parameters().unwrap_err().to_string();
        let usual = OwnTask::default;
        assert!(wrong(OwnTask { concurrent: 0, ..usual() }).contains("concurrent is 0"));
        assert!(wrong(OwnTask { inputs: vec!["v_nothing.x".into()], ..usual() }).contains("v_nothing"));
        assert!(wrong(OwnTask { inputs: Vec::new(), ..usual() }).contains("inputs is 0"));
        assert!(wrong(OwnTask { hidden: [0, 60_000], ..usual() }).contains("NetParameters"));
        assert!(wrong(OwnTask { hidden: [0, 63], ..usual() }).contains("allowed"));
        assert!(wrong(OwnTask { weights: [f64::NAN, 1.0], ..usual() }).contains("NaN"));
    }

    /// Prints how fast 256 individuals in flight are evaluated, as a part of the engine's own rate.
    #[test]
    #[ignore = "a measurement"]
    fn the_rate_at_256_individuals_in_flight() {
        const BATCHES: usize = 6;
        let task = OwnTask { runs: 1, ..OwnTask::default() };
        let parameters = task.parameters().unwrap();
        let individuals = individuals(&parameters, 256);
        let mut direct = task.clone().evaluate(parameters, task.spec().unwrap(), engine::simd());
        let lines = lines(&individuals);
        let rate = |began: Instant| (BATCHES * 256) as f64 / began.elapsed().as_secs_f64();
        for _ in 0..3 {
            let began = Instant::now();
            (0..BATCHES).for_each(|_| drop(direct(&individuals).unwrap()));
            let own = rate(began);
            let began = Instant::now();
            served(&task, |client| {
                client.get_mut().write_all(lines.concat().as_bytes()).unwrap();
                let mut line = String::new();
                for answered in 0..BATCHES * 256 {
                    line.clear();
                    client.read_line(&mut line).unwrap();
                    // Each answer makes place for one.
                    if answered < (BATCHES - 1) * 256 {
                        client.get_mut().write_all(lines[answered % 256].as_bytes()).unwrap();
                    }
                }
            });
            let served = rate(began);
            println!("{own:.0} a second by the engine, {served:.0} served: {:.3}", served / own);
        }
    }
}
