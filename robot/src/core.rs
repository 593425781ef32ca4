//! What a robot decides: its state, which tree drives, and whether the wheels may turn.
//!
//! A plain state machine over arena time in seconds; [`crate::daemon`] feeds it and does what it says.

use crate::controller::Controller;
use xpuck_kernels::math::Vec2;
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::tree::{CompileError, Senses, Tree};
use xpuck_kernels::world::Colour;
use xpuck_kernels::world::physics::steer;
use xpuck_kernels::world::senses::{Blobs, Neighbour, attraction, proximity_vector};
use xpuck_wire::Experiment;
use xpuck_wire::message::{RobotMessage, State, Telemetry, ToRobot};

/// Without a message from the hub for so long, the wheels and evolution stop, s.
pub const HUB_SILENCE: f64 = 1.0;
/// Virtual senses older than this read as absent, s.
pub const SENSES_STALE: f64 = 0.5;
/// A hello is repeated so often until the hub answers, s.
const HELLO_PERIOD: f64 = 1.0;
/// Most neighbours that a message may carry.
const MAX_NEIGHBOURS: usize = 256;

/// What the robot's own devices sense.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Readings {
    /// Proximity, 0..1.
    pub proximity: [f32; 8],
    /// Camera blobs.
    pub blobs: Blobs,
}

/// What the shell is to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Send to the hub.
    Send(RobotMessage),
    /// Make a new island for this experiment, standing still.
    Prepare {
        /// The experiment.
        experiment: Box<Experiment>,
        /// Seed of the run.
        seed: u64,
        /// Robots in each simulation.
        robots: u16,
    },
    /// Let evolution run or stand still.
    Evolve(bool),
    /// Hand these to the island.
    Immigrants {
        /// The generation that they answer.
        generation: u32,
        /// The genes, not yet checked.
        genes: Vec<xpuck_wire::message::Gene>,
    },
    /// Load the island's fittest tree, with [`Core::load`].
    LoadFittest {
        /// For this segment.
        segment: u32,
    },
    /// A line for the log.
    Say(String),
}

/// The controller that an experiment gives.
fn given_controller(text: &str) -> Result<Controller, String> {
    let tree = Tree::parse(text).map_err(|e| format!("controller: {e}"))?;
    Controller::new(tree).map_err(|e| format!("controller: {e}"))
}

#[derive(Clone, Debug)]
struct VirtualSenses {
    /// When the poses behind them were true.
    of: f64,
    up: Vec2,
    attr: Vec2,
    neighbours: f32,
}

/// The robot's state.
#[derive(Clone, Debug)]
pub struct Core {
    seed: u64,
    island: u16,
    state: State,
    /// Highest directive number seen; lower ones are stale.
    newest: u64,
    /// Directive obeyed; 0 after the link was lost, so that the hub says it again.
    obeyed: u64,
    segment: u32,
    experiment: u64,
    /// The experiment gives the controller; nothing evolves.
    fixed: bool,
    controller: Option<Controller>,
    senses: Option<VirtualSenses>,
    heard: Option<f64>,
    welcomed: bool,
    hello_at: f64,
    updates: u32,
    /// The last control update's results, for telemetry.
    wheels: [f32; 2],
}

impl Core {
    /// A robot that has just been switched on.
    pub fn new(island: u16) -> Core {
        Core {
            seed: 0,
            island,
            state: State::Idle,
            newest: 0,
            obeyed: 0,
            segment: 0,
            experiment: 0,
            fixed: false,
            controller: None,
            senses: None,
            heard: None,
            welcomed: false,
            hello_at: 0.0,
            updates: 0,
            wheels: [0.0; 2],
        }
    }

    /// What the robot does.
    pub fn state(&self) -> State {
        self.state
    }

    /// Handles a message from the hub.
    pub fn on_message(&mut self, now: f64, message: ToRobot) -> Vec<Action> {
        if self.heard.is_none() {
            // After a silence the hub's senses and directives count afresh.
            self.welcomed = false;
        }
        self.heard = Some(now);
        match message {
            ToRobot::Welcome { .. } => {
                self.welcomed = true;
                Vec::new()
            }
            ToRobot::Ping { stamp } => vec![Action::Send(RobotMessage::Pong { stamp })],
            ToRobot::Senses { up, neighbours, age } => {
                self.sense_virtually(now, up, &neighbours, age);
                Vec::new()
            }
            ToRobot::Genes { generation, immigrants } => vec![Action::Immigrants { generation, genes: immigrants }],
            ToRobot::Experiment { number, seed, robots, text } => self.prepare(number, seed, robots, &text),
            ToRobot::Directive { number, state, segment } => self.obey(number, state, segment),
        }
    }

    fn sense_virtually(&mut self, now: f64, up: f32, neighbours: &[(f32, f32)], age: f64) {
        let finite = up.is_finite() && age.is_finite() && neighbours.iter().all(|n| n.0.is_finite() && n.1.is_finite());
        if !finite || neighbours.len() > MAX_NEIGHBOURS {
            return;
        }
        let list: Vec<Neighbour> = neighbours.iter().map(|n| Neighbour { range: n.0, bearing: n.1 }).collect();
        self.senses = Some(VirtualSenses {
            of: now - age.max(0.0),
            up: Vec2::unit(up),
            attr: attraction(&list),
            neighbours: list.len() as f32,
        });
    }

    fn prepare(&mut self, number: u64, seed: u64, robots: u16, text: &str) -> Vec<Action> {
        if number == self.experiment {
            return vec![Action::Send(RobotMessage::Experiment { number, error: String::new() })];
        }
        let answer = |error: String| Action::Send(RobotMessage::Experiment { number, error });
        let experiment = match Experiment::parse("experiment", text) {
            Ok(experiment) => experiment,
            Err(error) => return vec![answer(error.to_string())],
        };
        let given = match experiment.controller.as_deref().map(given_controller).transpose() {
            Ok(given) => given,
            Err(error) => return vec![answer(error)],
        };
        self.experiment = number;
        self.seed = seed;
        self.state = State::Ready;
        self.segment = 0;
        self.fixed = given.is_some();
        self.controller = given;
        let mut actions = vec![answer(String::new())];
        if !self.fixed {
            actions.insert(0, Action::Prepare { experiment: Box::new(experiment), seed, robots });
        }
        actions
    }

    fn obey(&mut self, number: u64, state: State, segment: u32) -> Vec<Action> {
        if number < self.newest || number == self.obeyed {
            return Vec::new();
        }
        if self.experiment == 0 && matches!(state, State::Run | State::Pause | State::Ready) {
            // Nothing to run yet; the hub sends the experiment first and the directive again.
            return Vec::new();
        }
        self.newest = number;
        self.obeyed = number;
        self.state = state;
        let mut actions = vec![Action::Evolve(state == State::Run)];
        if segment > self.segment && state == State::Run {
            self.segment = segment;
            if !self.fixed {
                actions.push(Action::LoadFittest { segment });
            }
        }
        actions
    }

    /// Puts a tree in control for a segment; it runs under `avoiding`.
    pub fn load(&mut self, tree: &Tree) -> Result<(), CompileError> {
        self.controller = Some(Controller::new(tree.under_avoiding())?);
        Ok(())
    }

    /// The tree in control, if there is one.
    pub fn controller(&self) -> Option<&Controller> {
        self.controller.as_ref()
    }

    /// What time brings, to be called at least at every control update.
    pub fn on_time(&mut self, now: f64) -> Vec<Action> {
        let mut actions = Vec::new();
        if self.heard.is_some_and(|at| now - at > HUB_SILENCE) {
            self.heard = None;
            self.obeyed = 0;
            self.senses = None;
            if self.state == State::Run {
                self.state = State::Pause;
            }
            actions.push(Action::Evolve(false));
            actions.push(Action::Say(format!(
                "the hub has been silent for {HUB_SILENCE} s: wheels and evolution stand still until it tells to run"
            )));
        }
        if !self.welcomed && now >= self.hello_at {
            self.hello_at = now + HELLO_PERIOD;
            actions.push(Action::Send(RobotMessage::Hello { version: env!("CARGO_PKG_VERSION").into() }));
        }
        actions
    }

    /// One control update: the tree is ticked and the wheels' ground speeds, m/s, come out. They are zero unless the
    /// robot is in RUN, has a tree, and heard from the hub within [`HUB_SILENCE`].
    pub fn control(&mut self, now: f64, readings: &Readings) -> [f32; 2] {
        self.updates = self.updates.wrapping_add(1);
        let linked = self.heard.is_some_and(|at| now - at <= HUB_SILENCE);
        self.wheels = [0.0; 2];
        if self.state == State::Run && linked {
            let senses = self.senses(now, readings);
            if let Some(controller) = &mut self.controller {
                let mut draws = Draws::new(self.seed, u32::from(self.island), 0, self.updates, Stream::Controller);
                self.wheels = steer(controller.tick(&senses, &mut draws));
            }
        } else if let Some(controller) = &mut self.controller {
            controller.rest();
        }
        self.wheels
    }

    fn senses(&self, now: f64, readings: &Readings) -> Senses {
        let mut senses = Senses {
            prox: proximity_vector(&readings.proximity),
            up: Vec2::ZERO,
            colours: [Colour::Red, Colour::Green, Colour::Blue].map(|c| readings.blobs.vector(c)),
            ..Senses::default()
        };
        if let Some(v) = self.senses.as_ref().filter(|v| now - v.of <= SENSES_STALE) {
            (senses.up, senses.attr, senses.neighbours) = (v.up, v.attr, v.neighbours);
        }
        senses
    }

    /// The core's part of a telemetry message; the shell adds what devices and evolution tell.
    pub fn telemetry(&self, now: f64, readings: &Readings) -> Telemetry {
        Telemetry {
            time: now,
            state: self.state,
            obeyed: self.obeyed,
            segment: self.segment,
            proximity: readings.proximity,
            blobs: readings.blobs.0,
            neighbours: self.senses.as_ref().map_or(0, |v| v.neighbours as u32),
            senses_age: self.senses.as_ref().map(|v| now - v.of),
            wheels: self.wheels,
            ..Telemetry::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "name = \"x\"\nminutes = 1.0\nsegment_minutes = 0.5\ntask = \"transport\"\n";

    fn running() -> Core {
        let mut core = Core::new(1);
        core.on_message(0.0, ToRobot::Experiment { number: 5, seed: 1, robots: 2, text: TEXT.into() });
        assert_eq!(core.state(), State::Ready);
        core.on_message(0.0, ToRobot::Directive { number: 10, state: State::Run, segment: 1 });
        core.load(&Tree::parse("movcv v_goal 0deg").unwrap()).unwrap();
        core
    }

    fn moves(wheels: [f32; 2]) -> bool {
        wheels != [0.0; 2]
    }

    #[test]
    fn a_directive_loads_the_fittest_tree_once_per_segment() {
        let mut core = Core::new(1);
        core.on_message(0.0, ToRobot::Experiment { number: 5, seed: 1, robots: 2, text: TEXT.into() });
        let run = |number, segment| ToRobot::Directive { number, state: State::Run, segment };
        assert_eq!(core.on_message(0.0, run(10, 0)), [Action::Evolve(true)]);
        assert!(core.on_message(0.1, run(11, 1)).contains(&Action::LoadFittest { segment: 1 }));
        assert!(core.on_message(0.2, run(11, 1)).is_empty(), "obeyed already");
        assert!(core.on_message(0.3, ToRobot::Directive { number: 9, state: State::Stop, segment: 0 }).is_empty());
        assert_eq!(core.state(), State::Run, "a stale directive changes nothing");
    }

    #[test]
    fn wheels_turn_only_in_run_with_a_hub_that_speaks() {
        let readings = Readings::default();
        let mut core = running();
        assert!(moves(core.control(0.1, &readings)));
        assert!(!moves(core.control(1.2, &readings)), "1.2 s of silence");
        let said = core.on_time(1.2);
        assert!(said.contains(&Action::Evolve(false)));
        core.on_message(1.3, ToRobot::Ping { stamp: 0.0 });
        assert!(!moves(core.control(1.3, &readings)), "only an explicit RUN starts the wheels again");
        core.on_message(1.4, ToRobot::Directive { number: 10, state: State::Run, segment: 1 });
        assert!(moves(core.control(1.4, &readings)));
        core.on_message(1.5, ToRobot::Directive { number: 11, state: State::Pause, segment: 1 });
        assert!(!moves(core.control(1.5, &readings)));
        core.on_message(1.6, ToRobot::Directive { number: 12, state: State::Stop, segment: 1 });
        assert!(!moves(core.control(1.6, &readings)));
    }

    #[test]
    fn stale_or_senseless_virtual_senses_read_as_absent() {
        let mut core = Core::new(1);
        core.on_message(0.0, ToRobot::Senses { up: 1.0, neighbours: vec![(0.2, 0.0)], age: 0.1 });
        let readings = Readings::default();
        assert_eq!(core.senses(0.3, &readings).neighbours, 1.0);
        let absent = core.senses(0.5, &readings);
        assert_eq!((absent.up, absent.neighbours), (Vec2::ZERO, 0.0));
        core.on_message(0.5, ToRobot::Senses { up: f32::NAN, neighbours: vec![], age: 0.0 });
        assert_eq!(core.senses(0.5, &readings).up, Vec2::ZERO, "NaN is refused");
    }

    #[test]
    fn a_bad_experiment_is_refused_with_its_reason() {
        let mut core = Core::new(1);
        let text = TEXT.replace("minutes = 1.0", "minuts = 1.0");
        let actions = core.on_message(0.0, ToRobot::Experiment { number: 5, seed: 1, robots: 2, text });
        let [Action::Send(RobotMessage::Experiment { error, .. })] = &actions[..] else { panic!("{actions:?}") };
        assert!(error.contains("minuts"), "{error}");
        assert_eq!(core.state(), State::Idle);
    }

    #[test]
    fn a_given_controller_drives_from_the_start_and_nothing_evolves() {
        let mut core = Core::new(1);
        let text = TEXT.replace("task", "controller = \"movcv v_goal 0deg\"\ntask");
        let actions = core.on_message(0.0, ToRobot::Experiment { number: 5, seed: 1, robots: 2, text: text.clone() });
        assert!(!actions.iter().any(|a| matches!(a, Action::Prepare { .. })));
        let actions = core.on_message(0.0, ToRobot::Directive { number: 10, state: State::Run, segment: 1 });
        assert_eq!(actions, [Action::Evolve(true)]);
        assert!(moves(core.control(0.1, &Readings::default())));
        let bad = text.replace("v_goal", "v_gaol");
        let actions = core.on_message(0.0, ToRobot::Experiment { number: 6, seed: 1, robots: 2, text: bad });
        let [Action::Send(RobotMessage::Experiment { error, .. })] = &actions[..] else { panic!("{actions:?}") };
        assert!(error.contains("controller: line 1, column 7"), "{error}");
    }

    #[test]
    fn hello_is_said_until_welcomed() {
        let hello = |a: &[Action]| a.iter().any(|a| matches!(a, Action::Send(RobotMessage::Hello { .. })));
        let mut core = Core::new(1);
        assert!(hello(&core.on_time(0.0)) && !hello(&core.on_time(0.5)) && hello(&core.on_time(1.0)));
        core.on_message(1.1, ToRobot::Welcome { island: 1 });
        assert!(!hello(&core.on_time(2.05)));
    }
}
