//! Decision logic of a robot: the robot's state, the tree in control, and the decision whether the wheels may turn.
//!
//! The core is a state machine whose times are arena times (s). `xpuckd` provides the inputs and executes the returned
//! actions.

mod autonomy;
mod virtual_senses;

use crate::controller::Controller;
use crate::external::{Command, Driver, External, HOLD, ProgramRequest, Ring};
use crate::island::{IslandPlan, Trials};
use crate::probe::Observation;
use crate::readings::Readings;
use crate::trace::{Context, Tracer};
use autonomy::SilencePermissions;
use std::sync::Arc;
use virtual_senses::VirtualSenses;
use xpuck_evolve::PrimitiveSet;
use xpuck_experiment::lamps::Lamps;
use xpuck_experiment::{Calibration, Drive, Genes, OnSilence, Plan, PlannedPhase};
use xpuck_kernels::math::Vec2;
use xpuck_kernels::model::V_MAX;
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::tree::{CompileError, Senses, Tree};
use xpuck_kernels::world::Colour;
use xpuck_kernels::world::floor::Shade;
use xpuck_kernels::world::physics::{check_wheels, steer};
use xpuck_kernels::world::robot::Wheels;
use xpuck_kernels::world::senses::light::light_vector;
use xpuck_kernels::world::senses::tags::vector_from_range_and_bearing;
use xpuck_kernels::world::senses::{Blobs, proximity_vector};
use xpuck_wire::log::Line;
use xpuck_wire::message::{Directive, DriveCommand, Neighbour, RobotMessage, State, ToRobot};
use xpuck_wire::peer::RunName;
use xpuck_wire::rollout::BundleHead;
use xpuck_wire::seal::{SealCheck, SealChecker, Sealed};
use xpuck_wire::settings::Answer;
use xpuck_wire::signed::{Signed, Trust};
use xpuck_wire::telemetry::{SensesReport, Telemetry};
use xpuck_wire::updates::Updates;
use xpuck_wire::witness::{LastDirectiveReport, ObeyedDirective};

/// Duration of a silence of the hub after which wheels and evolution stop, unless the experiment specifies otherwise
/// (s).
pub const HUB_SILENCE: f64 = 1.0;
/// Age above which virtual senses count as absent (s).
pub const SENSES_STALE: f64 = 0.5;
/// Interval for measuring the round trip to the hub (s).
const PING_PERIOD: f64 = 1.0;
/// Duration for which each control update is reported at once, after the hub has announced a viewer (s).
const WATCHED: f64 = 3.0;
/// Interval at which the hello is repeated until the hub answers (s).
const HELLO_PERIOD: f64 = 1.0;

/// Action that the core requests from the shell.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Send this message to the hub.
    Send(RobotMessage),
    /// Create a paused island for this experiment.
    Prepare(Box<IslandPlan>),
    /// Report the generations that the hub may have missed, because the hub has resumed this robot's run.
    TellMissed,
    /// Start or pause evolution.
    Evolve(bool),
    /// Change the trials of the island to these trials. All existing fitness values become invalid.
    ChangeTrials(Trials),
    /// Cancel a pending load of the island's fittest tree, because the phase assigns the controller.
    KeepController,
    /// Pass this observation to the reality probe.
    Probe(Observation),
    /// Pass these genes to the island.
    Immigrants {
        /// Generation whose emigrants were sent to the hub; the genes are the hub's answer.
        generation: u32,
        /// Genes, not yet validated.
        genes: Vec<xpuck_wire::message::Emigrant>,
    },
    /// Load the island's fittest tree with [`Core::load`].
    LoadFittest {
        /// Segment for which the tree is loaded.
        segment: u32,
    },
    /// Apply these settings to the robot's file, and reply to the hub.
    Settings {
        /// Number of the settings push.
        number: u64,
        /// Part of a robot's file that contains the settings, not yet validated.
        text: String,
        /// Whether the robot may change its settings in its current state.
        may: bool,
    },
    /// Report the installed release to the hub, which has welcomed this robot.
    Welcomed,
    /// Handle the hub's offer of a bundle for this robot.
    Offer {
        /// Number of the update.
        number: u64,
        /// Bundle without its payload, not yet verified.
        bundle: BundleHead,
    },
    /// Handle a piece of a bundle's payload.
    Chunk {
        /// SHA-256 of the payload.
        digest: String,
        /// Offset of the bytes in the payload.
        offset: u64,
        /// Bytes of the piece.
        bytes: Vec<u8>,
    },
    /// Execute an operator's request.
    Execute(OperatorRequest),
    /// Store this directive across restarts of the program, then call [`Core::stored_directive`].
    Remember(ObeyedDirective),
    /// Write a line to the log.
    Log(Line),
}

/// Request of an operator other than driving.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperatorRequest {
    /// Blink to identify the robot.
    Identify,
    /// Send a picture of the camera.
    Picture,
    /// Reboot the board; the wheels stop.
    Reboot,
}

/// Rank of a directive or an experiment: the number of the hub that issued the item, then the number of the item. The
/// number of the hub decides first, because a hub that starts later may use lower item numbers if its clock was set
/// back.
type Rank = (u64, u64);

/// Current experiment of the robot. Its seed is a field of [`Core`].
#[derive(Clone, Debug, Default)]
struct CurrentExperiment {
    rank: Rank,
    signature: String,
}

/// Decision logic of a robot with its complete state.
#[derive(Clone, Debug)]
pub struct Core {
    inbox: SealChecker,
    /// Version of the robot's program.
    version: String,
    /// Signers whose experiments are accepted.
    trust: Trust,
    /// Calibration of the simulated worlds, from the robot's calibration file.
    measured: Calibration,
    /// Maximum lead of the hub's clock over the robot's clock (s); `None` before the first pong of this hub.
    hub_ahead: Option<f64>,
    /// Number of messages that were ignored because of a stale seal.
    stale_seals: u32,
    seed: u64,
    island: u16,
    state: State,
    /// Rank of the newest directive; lower ranks are stale.
    newest: Rank,
    /// Rank of the last STOP; only a RUN of a higher rank starts the wheels again.
    stopped: Rank,
    /// Number of the last directive. After a silence of the hub and for a new hub, the number is 0, so that the hub
    /// repeats the directive.
    obeyed: u64,
    segment: u32,
    experiment: CurrentExperiment,
    /// Plan of the current experiment; `None` before the first experiment.
    plan: Option<Arc<Plan>>,
    /// Index of the current phase of the experiment.
    phase: u16,
    controller: Option<Controller>,
    senses: VirtualSenses,
    /// Numbers of control updates in RUN with stale data: body readings, camera readings, and virtual senses.
    stale: [u32; 3],
    heard: Option<f64>,
    /// Permissions to continue while the hub is silent.
    alone: SilencePermissions,
    /// Whether the swarm file contains the addresses of other robots.
    reaches_peers: bool,
    welcomed: bool,
    hello_at: f64,
    ping_at: f64,
    /// Last round-trip time to the hub (s).
    round_trip: Option<f64>,
    updates: u32,
    /// Wheel speeds of the last control update, for telemetry (m/s).
    wheels: [f32; 2],
    /// Proximity readings of the last control update; `None` if the body's readings were stale.
    proximity: Option<[f32; 8]>,
    /// Arena time divided by wall time. This factor converts the maximum validity of an operator's command from wall
    /// time.
    speed: f64,
    /// External controllers: operators, parking, and programs at the robot's socket.
    external: External,
    /// Whether the robot has no camera.
    blind: bool,
    /// Whether the robot has no ground sensor.
    lacks_ground_sensor: bool,
    /// Whether the body's readings were fresh at the last control update.
    body_fresh: bool,
    /// Recorder of control updates.
    tracer: Tracer,
    /// Time until which each control update is reported at once (s).
    watched: f64,
    /// Number of the run in the last directive; 0 for no run.
    directed: u64,
    /// Last directive that the robot executed. An earlier hub may have issued it, or it may precede a restart of the
    /// program.
    last_directive: Option<ObeyedDirective>,
    /// Number of the hub that issued the last directive; `None` if the robot's program has restarted since.
    last_directive_hub: Option<u64>,
    /// Number of the last directive of this hub that is stored across restarts; 0 if no directive is stored.
    kept: u64,
    /// Time of the last message from a hub (s); `None` before the first message.
    last_heard: Option<f64>,
}

impl Core {
    /// Creates the core of a robot that has just been switched on. `session` is a random number other than 0
    /// ([`xpuck_wire::session::fresh_session`]). `trust` defines the signers whose experiments are accepted.
    pub fn new(island: u16, session: u64, trust: Trust) -> Core {
        Core {
            inbox: SealChecker::new(session),
            version: env!("CARGO_PKG_VERSION").into(),
            trust,
            measured: Calibration::default(),
            hub_ahead: None,
            stale_seals: 0,
            seed: 0,
            island,
            state: State::Idle,
            newest: (0, 0),
            stopped: (0, 0),
            obeyed: 0,
            segment: 0,
            experiment: CurrentExperiment::default(),
            plan: None,
            phase: 0,
            controller: None,
            senses: VirtualSenses::default(),
            stale: [0; 3],
            heard: None,
            alone: SilencePermissions::default(),
            reaches_peers: false,
            welcomed: false,
            hello_at: 0.0,
            ping_at: 0.0,
            round_trip: None,
            updates: 0,
            wheels: [0.0; 2],
            proximity: None,
            speed: 1.0,
            external: External::default(),
            blind: false,
            lacks_ground_sensor: false,
            body_fresh: false,
            tracer: Tracer::default(),
            watched: 0.0,
            directed: 0,
            last_directive: None,
            last_directive_hub: None,
            kept: 0,
            last_heard: None,
        }
    }

    /// Returns the current state.
    pub fn state(&self) -> State {
        self.state
    }

    /// Returns the last round-trip time to the hub, in arena time (s).
    pub fn round_trip(&self) -> Option<f64> {
        self.round_trip
    }

    /// Returns the number of messages that were ignored because of a stale seal. Such a seal is for another session or
    /// was already used.
    pub fn stale_seals(&self) -> u32 {
        self.stale_seals
    }

    /// Handles a message from the hub at `now` (s) if its seal is fresh. Returns the resulting actions. A STOP needs
    /// no fresh seal, because a robot that stands still is always safe.
    pub fn on_sealed(&mut self, now: f64, sealed: Sealed) -> Vec<Action> {
        match self.inbox.check(&sealed) {
            SealCheck::Fresh { new_hub } => {
                if new_hub {
                    self.on_new_hub();
                }
                return self.on_message(now, sealed.message);
            }
            // The hub does not know this session. It learns the session from the next hello.
            SealCheck::Stranger => self.welcomed = false,
            SealCheck::Stale => {}
        }
        self.stale_seals = self.stale_seals.saturating_add(1);
        match sealed.message {
            // A STOP with a stale seal is obeyed, unless a later hub has replaced the hub that sent the STOP.
            ToRobot::Directive(directive @ Directive { state: State::Stop, .. })
                if sealed.hub >= self.inbox.seen().0 =>
            {
                if self.inbox.advance_hub(sealed.hub) {
                    self.on_new_hub();
                }
                self.obey(now, directive)
            }
            _ => Vec::new(),
        }
    }

    /// Resets the state that depends on the hub. A new hub has another clock, and does not know earlier
    /// acknowledgements.
    fn on_new_hub(&mut self) {
        self.hub_ahead = None;
        self.obeyed = 0;
        self.kept = 0;
    }

    fn rank(&self, number: u64) -> Rank {
        (self.inbox.seen().0, number)
    }

    /// Sets the signers whose experiments are accepted.
    pub fn set_trust(&mut self, trust: Trust) {
        self.trust = trust;
    }

    /// Handles a message with a fresh seal at `now` (s). Returns the resulting actions.
    pub fn on_message(&mut self, now: f64, message: ToRobot) -> Vec<Action> {
        // If this message ends a silence of the hub, the actions for the silence are still executed.
        let mut actions = self.notice_silence(now);
        self.heard = Some(now);
        self.last_heard = Some(now);
        // A robot that drives alone stops and waits for the hub's next directive.
        if self.alone.stop_driving() {
            self.state = State::Pause;
            actions.push(Action::Log(Line::info("the hub is heard again: the wheels stand still until it sends RUN")));
        }
        actions.extend(match message {
            ToRobot::Welcome { .. } => {
                self.welcomed = true;
                self.ping_at = now;
                vec![Action::Welcomed]
            }
            ToRobot::Ping { stamp } => vec![Action::Send(RobotMessage::Pong { stamp })],
            ToRobot::Pong { stamp, time } => {
                if now >= stamp && time.is_finite() {
                    self.round_trip = Some(now - stamp);
                    // The hub read `time` from its clock after the robot read `stamp`, so the hub's clock leads by at
                    // most this value.
                    self.hub_ahead = Some(time - stamp);
                }
                Vec::new()
            }
            ToRobot::Senses { up, neighbours, age } => {
                self.senses.update(now, up, &neighbours, age);
                Vec::new()
            }
            ToRobot::Poses(poses) if self.adapts() => {
                Observation::poses(now, &poses, self.proximity).map(Action::Probe).into_iter().collect()
            }
            ToRobot::Estimates(told) if self.adapts() => vec![Action::Probe(Observation::Peers(now, told))],
            ToRobot::Poses(_) | ToRobot::Estimates(_) => Vec::new(),
            ToRobot::Genes { generation, immigrants } => vec![Action::Immigrants { generation, genes: immigrants }],
            ToRobot::Experiment { number, seed, robots, signed } => self.prepare(number, seed, robots, &signed),
            ToRobot::Directive(directive) => self.obey(now, directive),
            ToRobot::Settings { number, text } => {
                vec![Action::Settings { number, text, may: self.state != State::Run }]
            }
            ToRobot::Watch { picture } => {
                self.watched = now + WATCHED;
                picture.then_some(Action::Execute(OperatorRequest::Picture)).into_iter().collect()
            }
            // A robot that may be about to drive is not updated. The hub repeats the offer later.
            ToRobot::Offer { number, bundle } if self.may_update() => vec![Action::Offer { number, bundle }],
            ToRobot::Chunk { digest, offset, bytes } if self.may_update() => {
                vec![Action::Chunk { digest, offset, bytes: bytes.0 }]
            }
            ToRobot::Offer { .. } | ToRobot::Chunk { .. } => Vec::new(),
            ToRobot::Drive(command) => {
                self.operate(now, command);
                Vec::new()
            }
            ToRobot::Identify => vec![Action::Execute(OperatorRequest::Identify)],
            ToRobot::Reboot => {
                self.external.halt();
                self.state = State::Stop;
                self.alone.end();
                vec![Action::Evolve(false), Action::Execute(OperatorRequest::Reboot)]
            }
        });
        actions
    }

    /// Executes a drive command from an operator or from parking. Ignores late and invalid commands. After a silence
    /// of the hub, ignores all commands until the next directive.
    fn operate(&mut self, now: f64, given: DriveCommand) {
        let timely = self.hub_ahead.is_some_and(|ahead| now + ahead <= given.expires);
        let command = Command { wheels: given.wheels, lamps: given.lamps.map(Ring::All) };
        let directed = self.state != State::Stop && self.obeyed != 0;
        if timely && directed && check_wheels(command.wheels, V_MAX).is_ok() {
            self.external.operate(now, command, (f64::from(given.hold_ms) / 1000.0).min(HOLD * self.speed));
        }
    }

    /// Handles a request of a program at the robot's socket; `connection` is the number of the program's connection.
    ///
    /// # Errors
    /// Returns the reason for a rejection, in one line for the program.
    pub fn on_program(&mut self, now: f64, connection: u32, said: ProgramRequest) -> Result<Vec<Action>, String> {
        let line = self.external.on_request(now, self.state, connection, said)?;
        Ok(line.map(|text| Action::Log(Line::info(text))).into_iter().collect())
    }

    /// Returns the current command of an external controller for wheels and lamps. Returns `None` if the tree drives,
    /// in STOP, and while the body's readings are stale. Also returns `None` while the hub is silent, unless the robot
    /// drives alone.
    pub fn external_command(&self, now: f64) -> Option<Command> {
        let safe = (self.hears_hub(now) || self.alone.drives(now)) && self.body_fresh;
        self.external.command(now, self.state).filter(|_| safe)
    }

    /// Returns the time at which the external controller's current command ends (s); `None` without a command.
    pub fn external_until(&self, now: f64) -> Option<f64> {
        self.external.until(now)
    }

    /// Returns the current driver.
    pub fn driver(&self, now: f64) -> Driver {
        self.external.driver(now)
    }

    fn may_update(&self) -> bool {
        !matches!(self.state, State::Ready | State::Run | State::Pause)
    }

    /// Sets the release version of the program.
    pub fn with_version(self, version: &str) -> Core {
        Core { version: version.into(), ..self }
    }

    /// Sets whether the robot has a ground sensor.
    pub fn with_ground_sensor(self, has: bool) -> Core {
        Core { lacks_ground_sensor: !has, ..self }
    }

    /// Sets whether the robot has a camera.
    pub fn with_camera(self, sees: bool) -> Core {
        Core { blind: !sees, ..self }
    }

    /// Sets the last directive as stored before a restart of the program.
    pub fn with_stored_directive(self, told: Option<ObeyedDirective>) -> Core {
        Core { last_directive: told, ..self }
    }

    /// Records that directive `number` is stored across restarts. Ignores a number that is not the number of the last
    /// directive.
    pub fn stored_directive(&mut self, number: u64) {
        let this_hub = self.last_directive_hub == Some(self.inbox.seen().0);
        if this_hub && self.last_directive.as_ref().is_some_and(|told| told.directive == number) {
            self.kept = number;
        }
    }

    /// Returns the number of the last directive of this hub that is stored across restarts; `None` if no directive of
    /// this hub is stored.
    pub fn kept_directive(&self) -> Option<u64> {
        (self.kept != 0).then_some(self.kept)
    }

    /// Returns the report about the last directive, which the robot sends to a hub.
    fn witness(&self, now: f64) -> LastDirectiveReport {
        let silent_s = self.last_heard.map(|at| (now - at) / self.speed);
        LastDirectiveReport { told: self.last_directive.clone(), silent_s }
    }

    /// Sets the speed of the arena: arena time divided by wall time.
    pub fn with_speed(self, speed: f64) -> Core {
        Core { speed, ..self }
    }

    /// Sets the calibration of the simulated worlds, from the robot's calibration file.
    pub fn with_calibration(self, measured: Calibration) -> Core {
        Core { measured, ..self }
    }

    /// Sets the time for which the robot's file allows driving while the hub is silent (s).
    pub fn with_alone_limit(mut self, seconds: f64) -> Core {
        self.alone.allow(seconds);
        self
    }

    /// Records that the swarm file contains the addresses of other robots.
    pub fn with_peers(self) -> Core {
        Core { reaches_peers: true, ..self }
    }

    /// Returns the run of the robot's experiment; all zeros before the first experiment.
    pub fn run(&self) -> RunName {
        RunName { number: self.experiment.rank.1, seed: self.seed }
    }

    /// Returns the run and its plan; `None` unless the robot exchanges genes with other robots in this run.
    pub fn exchanges(&self) -> Option<(RunName, &Arc<Plan>)> {
        let plan = self.plan.as_ref().filter(|plan| plan.genes == Genes::Peers)?;
        Some((self.run(), plan))
    }

    /// Returns the number of the robot in the swarm file, from 1.
    pub fn island(&self) -> u16 {
        self.island
    }

    /// Returns the session: a random number that identifies this start of the program.
    pub fn session(&self) -> u64 {
        self.inbox.session()
    }

    /// Returns the robots heard by range and bearing; `None` if the data is stale. `now` is the current arena time
    /// (s).
    pub fn neighbours(&self, now: f64) -> Option<&[Neighbour]> {
        (!self.senses.stale(now)).then(|| self.senses.last_report().1)
    }

    fn prepare(&mut self, number: u64, seed: u64, robots: u16, signed: &Signed) -> Vec<Action> {
        let taken = CurrentExperiment { rank: self.rank(number), signature: signed.signature.clone() };
        let present = &self.experiment;
        if taken.rank < present.rank {
            // A newer experiment has already arrived.
            return Vec::new();
        }
        // A hub that resumes another hub's run sends the robot's current experiment again.
        if (number, seed, &signed.signature) == (present.rank.1, self.seed, &present.signature) {
            self.experiment = taken;
            let accepted = RobotMessage::Experiment { number, answer: Answer::Accepted };
            return vec![Action::Send(accepted), Action::TellMissed];
        }
        let refused = |why: String| Action::Send(RobotMessage::Experiment { number, answer: Answer::Refused(why) });
        let opened = Plan::open(signed, &self.trust, usize::from(robots));
        let measured = opened.and_then(|(mut plan, _)| plan.calibrate(&self.measured).map(|()| plan));
        let plan = match measured {
            Ok(plan) => Arc::new(plan),
            Err(error) => return vec![refused(error.to_string())],
        };
        if plan.genes == Genes::Peers && !self.reaches_peers {
            let why =
                "genes = \"peers\": `peers` is missing in this robot's swarm.toml; list an address for each robot";
            return vec![refused(why.into())];
        }
        if let Some(colour) = plan.colour_read(self.place()).filter(|_| self.blind) {
            let why = format!(
                "its trees may read {colour}, but this robot has no camera; set `devices.camera` in the robot's file"
            );
            return vec![refused(why)];
        }
        if self.lacks_ground_sensor && plan.ground_read(self.place()) {
            let why = "its trees may read s_ground, but this robot has no ground sensor; add \"ground\" to `fitted` in the \
                       robot's file";
            return vec![refused(why.into())];
        }
        if let Some(why) = plan.unfit_for_devices() {
            return vec![refused(why)];
        }
        // The source of the calibration of the simulated worlds is visible only in the log.
        let calibrated = match (plan.calibrated, self.measured.changes_worlds()) {
            (true, _) => Some("worlds are simulated with the experiment's calibration"),
            (false, true) => Some("worlds are simulated with this robot's calibration.file"),
            (false, false) => None,
        };
        let stays = plan.silence.then == OnSilence::Drive && plan.silence.drives(self.alone.allowed()) == 0.0;
        self.experiment = taken;
        self.seed = seed;
        self.state = State::Ready;
        self.alone.end();
        // The last directive was executed without this experiment, so the hub must repeat the directive.
        self.obeyed = 0;
        self.external.halt();
        self.segment = 0;
        self.phase = 0;
        self.controller = None;
        self.plan = Some(plan.clone());
        let mut actions = vec![Action::Send(RobotMessage::Experiment { number, answer: Answer::Accepted })];
        actions.extend(calibrated.map(|text| Action::Log(Line::info(text))));
        if stays {
            let text = "silence.then = \"drive\": this robot's file does not allow it (control.drive_alone_s), so its wheels \
                 stop while the hub is silent";
            actions.push(Action::Log(Line::warn(text)));
        }
        if !self.is_fixed() {
            let (digest, island) = (signed.digest(), self.island);
            actions.insert(0, Action::Prepare(Box::new(IslandPlan { plan, digest, number, seed, island })));
        }
        actions.extend(self.load_assigned());
        actions
    }

    /// Returns the wheels of the robot model of the current phase.
    fn wheel_model(&self) -> Wheels {
        self.planned().map(|phase| phase.world.physics.robot.wheels).unwrap_or_default()
    }

    /// Returns the index of the robot in the swarm file, from 0.
    fn place(&self) -> usize {
        usize::from(self.island).saturating_sub(1)
    }

    /// Returns the nodes and registers that trees may use in the current experiment; `None` without an experiment.
    pub fn primitive_set(&self) -> Option<&PrimitiveSet> {
        Some(&self.plan.as_ref()?.primitive_set)
    }

    fn planned(&self) -> Option<&PlannedPhase> {
        Some(self.plan.as_ref()?.phase(usize::from(self.phase)))
    }

    /// Returns the trials of the island in the current phase; `None` without an experiment.
    fn trials(&self) -> Option<Trials> {
        Some(Trials::from_phase(self.plan.as_ref()?, self.planned()?))
    }

    /// Loads the controller that the phase assigns to this robot, if any. Returns the action that cancels a pending
    /// load of the fittest tree.
    fn load_assigned(&mut self) -> Option<Action> {
        let tree = self.planned()?.given(self.place())?.clone();
        // No error is expected, because a plan contains only trees that fit the robot.
        self.controller = Controller::new(Tree::clone(&tree)).ok();
        Some(Action::KeepController)
    }

    /// Enters another phase of the experiment, and returns the resulting actions. `tree` is the swarm's fittest tree,
    /// which is loaded unless the phase assigns this robot's controller.
    fn enter(&mut self, phase: u16, tree: Option<&str>) -> Vec<Action> {
        if phase == self.phase {
            return Vec::new();
        }
        let trials = self.trials();
        self.phase = phase;
        let now = self.trials();
        let changed = now.filter(|now| trials.as_ref() != Some(now) && !self.is_fixed());
        let mut actions: Vec<Action> = changed.map(Action::ChangeTrials).into_iter().collect();
        actions.extend(self.load_assigned());
        if let Some(text) = tree.filter(|_| !self.has_assigned_controller()) {
            match Tree::parse(text)
                .map_err(|error| error.to_string())
                .and_then(|tree| self.load(&tree).map_err(|e| e.to_string()))
            {
                Ok(()) => actions.push(Action::KeepController),
                Err(why) => {
                    actions.push(Action::Log(Line::warn(format!("cannot load the swarm's fittest tree: {why}"))))
                }
            }
        }
        actions
    }

    /// Returns whether the phase assigns this robot's controller.
    fn has_assigned_controller(&self) -> bool {
        self.planned().is_some_and(|phase| phase.given(self.place()).is_some())
    }

    fn obey(&mut self, now: f64, directive: Directive) -> Vec<Action> {
        let Directive { number, state, segment, run, phase, tree, expires, stops, held, asks } = directive;
        // Before the first pong, the hub's time is unknown. An expired directive could then pass as valid.
        let timely = self.hub_ahead.is_some_and(|ahead| now + ahead <= expires);
        if !timely && state != State::Stop {
            return Vec::new();
        }
        // A repeated directive is ignored, unless it is a STOP and the robot is not in STOP.
        let repeated = number == self.obeyed && (state != State::Stop || self.state == State::Stop);
        let rank = self.rank(number);
        let drives = matches!(state, State::Run | State::Pause);
        if rank < self.newest || repeated || (drives && rank <= self.stopped) {
            return Vec::new();
        }
        // If the hub's count of STOPs is lower than the robot's count, the hub does not yet know of an executed STOP.
        // The robot reports this STOP in its next hello.
        if state != State::Stop && self.last_directive.as_ref().is_some_and(|told| told.stops > stops) {
            return Vec::new();
        }
        let experiment = self.experiment.rank.1;
        let about_other = experiment == 0 || run != experiment;
        // A PAUSE without a run is valid, because parked robots may be paused.
        let for_no_run = state == State::Pause && run == 0;
        if about_other && matches!(state, State::Run | State::Pause | State::Ready) && !for_no_run {
            // The robot has another experiment or no experiment. The hub sends the experiment and then repeats the
            // directive.
            return Vec::new();
        }
        self.newest = rank;
        self.obeyed = number;
        self.state = state;
        self.external.directed(state);
        self.alone.end();
        self.directed = run;
        if state == State::Stop {
            self.stopped = rank;
        }
        let mut actions = Vec::new();
        if !asks {
            let stops = self.last_directive.as_ref().map_or(stops, |told| told.stops.max(stops));
            let told = ObeyedDirective { directive: number, state, run, held, stops };
            (self.last_directive, self.last_directive_hub) = (Some(told.clone()), Some(self.inbox.seen().0));
            actions.push(Action::Remember(told));
        }
        // A STOP may belong to another run, whose phase and tree do not apply.
        if !about_other {
            actions.extend(self.enter(phase, tree.as_deref()));
        }
        // The robot's island may belong to an earlier run. It stays paused while the current phase assigns the robot's
        // controller.
        let evolves = self.planned().is_some_and(|phase| phase.evolves(self.place()));
        actions.push(Action::Evolve(state == State::Run && evolves));
        if segment > self.segment && state == State::Run {
            self.segment = segment;
            if !self.has_assigned_controller() && self.planned().is_some_and(|phase| phase.drive == Drive::Own) {
                actions.push(Action::LoadFittest { segment });
            }
        }
        actions
    }

    /// Returns whether the experiment assigns this robot's controller in every phase. Such a robot has no island.
    pub fn is_fixed(&self) -> bool {
        let me = self.place();
        self.plan.as_ref().is_some_and(|plan| !plan.phases.iter().any(|phase| phase.evolves(me)))
    }

    /// Puts a tree in control in the form `sel2(avoiding, tree)`, so that the robot avoids collisions.
    pub fn load(&mut self, tree: &Tree) -> Result<(), CompileError> {
        self.controller = Some(Controller::new(tree.under_avoiding())?);
        Ok(())
    }

    /// Returns the lamp settings of the experiment; `None` without an experiment.
    pub fn lamps(&self) -> Option<&Lamps> {
        self.plan.as_ref().map(|plan| &plan.lamps)
    }

    /// Returns the controller that runs the tree in control, if any.
    pub fn controller(&self) -> Option<&Controller> {
        self.controller.as_ref()
    }

    /// Handles the passage of time up to `now` (s), and returns the resulting actions. Must be called at least at
    /// every control update.
    pub fn on_time(&mut self, now: f64) -> Vec<Action> {
        let mut actions = self.notice_silence(now);
        actions.extend(self.external.silent(now).map(|text| Action::Log(Line::warn(text))));
        if !self.welcomed && now >= self.hello_at {
            self.hello_at = now + HELLO_PERIOD;
            actions.push(Action::Send(RobotMessage::Hello {
                version: self.version.clone(),
                session: self.inbox.session(),
                seen: self.inbox.seen(),
                witness: self.witness(now),
            }));
        }
        if self.welcomed && now >= self.ping_at {
            self.ping_at = now + PING_PERIOD;
            actions.push(Action::Send(RobotMessage::Ping { stamp: now }));
        }
        actions
    }

    /// Handles the loss of the hub, if the hub has been silent for longer than [`HUB_SILENCE`]. Returns the resulting
    /// actions.
    fn notice_silence(&mut self, now: f64) -> Vec<Action> {
        let Some(since) = self.heard.filter(|at| now - at > HUB_SILENCE) else { return self.alone_too_long(now) };
        self.heard = None;
        // Senses and directives from before the silence become invalid.
        self.welcomed = false;
        self.obeyed = 0;
        self.senses.forget();
        self.external.halt();
        let plan = self.plan.as_ref().filter(|plan| self.state == State::Run && plan.silence.then != OnSilence::Stop);
        let Some(plan) = plan else {
            if self.state == State::Run {
                self.state = State::Pause;
            }
            let text =
                format!("the hub was silent for {HUB_SILENCE} s: wheels and evolution stand still until it sends RUN");
            return vec![Action::Evolve(false), Action::Log(Line::warn(text))];
        };
        self.alone.begin(since + HUB_SILENCE, &plan.silence, plan.seconds());
        let what = if self.alone.drives(now) {
            format!("the robot drives alone for at most {:.1} s", plan.silence.drives(self.alone.allowed()))
        } else {
            self.alone.stop_driving();
            self.state = State::Pause;
            "evolution continues, but the wheels stand still until it sends RUN".into()
        };
        vec![Action::Log(Line::warn(format!("the hub was silent for {HUB_SILENCE} s: {what}")))]
    }

    /// Ends driving and evolution without the hub when their time limits are reached. Returns the resulting actions.
    fn alone_too_long(&mut self, now: f64) -> Vec<Action> {
        let mut actions = Vec::new();
        if self.alone.is_driving() && !self.alone.drives(now) {
            self.alone.stop_driving();
            self.state = State::Pause;
            let text = "the hub was silent for longer than the robot may drive alone: the wheels stand still until it sends \
                 RUN";
            actions.push(Action::Log(Line::warn(text)));
        }
        if self.alone.stop_evolving(now) {
            let text = "the hub was silent for the length of the experiment: evolution stands still until it sends RUN";
            actions.extend([Action::Evolve(false), Action::Log(Line::warn(text))]);
        }
        actions
    }

    /// Returns whether the last message from the hub is at most [`HUB_SILENCE`] seconds old at the arena time `now`
    /// (s).
    pub fn hears_hub(&self, now: f64) -> bool {
        self.heard.is_some_and(|at| now - at <= HUB_SILENCE)
    }

    /// Runs one control update: ticks the tree, and returns the speeds of both wheels over the floor (m/s). A command
    /// of an external controller replaces the tree's speeds.
    ///
    /// The wheels stop unless all of these conditions hold:
    /// * The last message of the hub is at most [`HUB_SILENCE`] seconds old, or the robot may drive alone.
    /// * The body's readings are fresh.
    /// * The state is RUN with a tree or a driving program, or an operator drives in a state other than STOP.
    pub fn control(&mut self, now: f64, readings: &Readings) -> [f32; 2] {
        self.updates = self.updates.wrapping_add(1);
        let running = self.state == State::Run && (self.hears_hub(now) || self.alone.drives(now));
        if running {
            let stale = [!readings.body_fresh(), !readings.camera_fresh(), self.senses.stale(now)];
            for (count, stale) in self.stale.iter_mut().zip(stale) {
                *count = count.saturating_add(u32::from(stale));
            }
        }
        self.wheels = [0.0; 2];
        // All updates of the run in RUN and PAUSE are recorded, including updates in which the tree is not ticked.
        let traced = matches!(self.state, State::Run | State::Pause)
            && self.experiment.rank.1 != 0
            && self.directed == self.experiment.rank.1;
        if traced {
            let (session, run) = (self.inbox.session(), self.experiment.rank.1);
            let context = Context { session, run, segment: self.segment, state: self.state };
            self.tracer.set_immediate(now < self.watched);
            self.tracer.begin(now, self.updates, context, self.controller.as_ref());
        } else {
            self.tracer.pause();
        }
        self.body_fresh = readings.body_fresh();
        self.proximity = self.body_fresh.then_some(readings.proximity);
        let driven = self.external_command(now);
        let mut ticked = false;
        if let Some(command) = driven {
            self.wheels = command.wheels;
            self.controller.iter_mut().for_each(Controller::idle_update);
        } else if running && readings.body_fresh() {
            let senses = self.senses(now, readings);
            if let Some(controller) = &mut self.controller {
                let mut draws = Draws::new(self.seed, u32::from(self.island), 0, self.updates, Stream::Controller);
                let goal = controller.tick(&senses, &mut draws);
                self.wheels = steer(goal, &self.wheel_model());
                ticked = true;
            }
        } else if let Some(controller) = &mut self.controller {
            controller.idle_update();
        }
        if traced {
            let ages = [readings.body_age, readings.camera_age, self.senses.age(now)];
            let used = [readings.camera_fresh(), !self.senses.stale(now)];
            let (told, controller) = (self.senses.last_report(), self.controller.as_ref());
            self.tracer.decided(readings, told, (ages, used), controller, (ticked, driven.is_some()), self.wheels);
        }
        self.wheels
    }

    /// Returns whether the robot is in RUN and its experiment compares reality with simulation.
    pub fn adapts(&self) -> bool {
        self.state == State::Run && self.plan.as_ref().is_some_and(|plan| plan.adapt)
    }

    /// Completes the control update: records the wheel speeds that were sent to the body (m/s). Returns the updates
    /// that are due for a report.
    pub fn sent(&mut self, wheels: [f32; 2]) -> Vec<Updates> {
        self.tracer.sent(wheels)
    }

    /// Returns the senses of the tree. Stale senses have the values of absent senses.
    fn senses(&self, now: f64, readings: &Readings) -> Senses {
        let blobs = if readings.camera_fresh() { readings.blobs } else { Blobs::default() };
        let mut senses = Senses {
            prox: proximity_vector(&readings.proximity),
            up: Vec2::ZERO,
            colours: [Colour::Red, Colour::Green, Colour::Blue].map(|c| blobs.vector(c)),
            light: self.light(readings).map_or(Vec2::ZERO, |light| light_vector(&light)),
            tag: self.tag(readings).map_or(Vec2::ZERO, vector_from_range_and_bearing),
            ground: self.ground(readings).map_or(0.0, |level| Shade::of_level(level).value()),
            ..Senses::default()
        };
        self.senses.fill(now, &mut senses);
        senses
    }

    /// Returns the virtual senses from the hub: the world's +x direction in the robot's frame (rad), the robots in
    /// range, and the age of the data (s). Returns `None` if the data is stale.
    pub fn virtual_senses(&self, now: f64) -> Option<(f32, &[Neighbour], f32)> {
        let (up, heard) = self.senses.last_report();
        self.senses.age(now).filter(|_| !self.senses.stale(now)).map(|age| (up, heard, age))
    }

    /// Returns the wheel speeds of the last control update (m/s).
    pub fn wheels(&self) -> [f32; 2] {
        self.wheels
    }

    /// Returns the current segment.
    pub fn segment(&self) -> u32 {
        self.segment
    }

    /// Returns the brightness at the light sensors. Returns `None` if the tree does not read the light, or if there
    /// are no valid readings.
    fn light(&self, readings: &Readings) -> Option<[f32; 8]> {
        readings.light.filter(|_| self.controller.as_ref().is_some_and(Controller::reads_light))
    }

    /// Returns range (m) and bearing (rad) of the nearest tag. Returns `None` if the tree does not read tags, or if no
    /// tag was detected.
    fn tag(&self, readings: &Readings) -> Option<[f32; 2]> {
        readings.tag.filter(|_| self.controller.as_ref().is_some_and(Controller::reads_tags))
    }

    /// Returns the brightness of the floor (0 to 1). Returns `None` if the tree does not read the ground, or if there is no
    /// reading.
    fn ground(&self, readings: &Readings) -> Option<f32> {
        readings.ground.filter(|_| self.controller.as_ref().is_some_and(Controller::reads_ground))
    }

    /// Returns the core's part of a telemetry message. The shell adds the data of devices and evolution.
    pub fn telemetry(&self, now: f64, readings: &Readings) -> Telemetry {
        let mut telemetry = Telemetry {
            time: now,
            session: self.inbox.session(),
            state: self.state,
            obeyed: self.obeyed,
            segment: self.segment,
            senses: SensesReport {
                proximity: readings.proximity,
                blobs: readings.blobs.0,
                neighbours: self.senses.neighbours(),
                body_age: readings.body_age,
                camera_age: readings.camera_age,
                virtual_age: self.senses.age(now),
                stale: self.stale,
            },
            ..Telemetry::default()
        };
        telemetry.motion.wheels = self.wheels;
        telemetry
    }
}

#[cfg(test)]
mod tests;
