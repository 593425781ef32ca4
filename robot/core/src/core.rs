//! What a robot decides: its state, which tree drives, and whether the wheels may turn.
//!
//! A plain state machine over arena time in seconds; `xpuckd` feeds it and does what it says.

mod alone;
mod virtual_senses;

use crate::controller::Controller;
use crate::external::{Command, Driver, External, HOLD, Ring, Said};
use crate::island::{IslandPlan, Trials};
use crate::probe::Noticed;
use crate::readings::Readings;
use crate::trace::{Context, Tracer};
use alone::Alone;
use std::sync::Arc;
use virtual_senses::VirtualSenses;
use xpuck_evolve::PrimitiveSet;
use xpuck_experiment::lamps::Lamps;
use xpuck_experiment::{Calibration, Drive, Genes, OnSilence, Plan, PlannedPhase};
use xpuck_kernels::math::Vec2;
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::tree::{CompileError, Senses, Tree};
use xpuck_kernels::world::Colour;
use xpuck_kernels::world::physics::{check_wheels, steer};
use xpuck_kernels::world::senses::light::light_vector;
use xpuck_kernels::world::senses::tags::way_to;
use xpuck_kernels::world::senses::{Blobs, proximity_vector};
use xpuck_wire::log::Line;
use xpuck_wire::message::{Directive, DriveCommand, Neighbour, RobotMessage, State, ToRobot};
use xpuck_wire::peer::RunName;
use xpuck_wire::rollout::BundleHead;
use xpuck_wire::seal::{Inbox, Sealed, Verdict};
use xpuck_wire::settings::Answer;
use xpuck_wire::signed::{Signed, Trust};
use xpuck_wire::telemetry::{SensesReport, Telemetry};
use xpuck_wire::updates::Updates;
use xpuck_wire::witness::{Testimony, Witness};

/// Without a message from the hub for so long, the wheels and evolution stop, unless the experiment says otherwise, s.
pub const HUB_SILENCE: f64 = 1.0;
/// Virtual senses older than this read as absent, s.
pub const SENSES_STALE: f64 = 0.5;
/// The round trip to the hub is measured so often, s.
const PING_PERIOD: f64 = 1.0;
/// After the hub said that somebody watches, each control update is told at once for so long, s.
const WATCHED: f64 = 3.0;
/// A hello is repeated so often until the hub answers, s.
const HELLO_PERIOD: f64 = 1.0;

/// What the shell is to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Send to the hub.
    Send(RobotMessage),
    /// Make a new island for this experiment, standing still.
    Prepare(Box<IslandPlan>),
    /// The hub has taken up the run that this robot has: it is to be told the generations that it may have missed.
    TellMissed,
    /// Let evolution run or stand still.
    Evolve(bool),
    /// From now on the island tries its trees there; what it knew of their fitness does not count any more.
    ChangeTrials(Trials),
    /// The phase gives the controller: a segment that waits for the island's fittest waits no more.
    KeepController,
    /// Hand this to the reality probe.
    Notice(Noticed),
    /// Hand these to the island.
    Immigrants {
        /// The generation that they answer.
        generation: u32,
        /// The genes, not yet checked.
        genes: Vec<xpuck_wire::message::Emigrant>,
    },
    /// Load the island's fittest tree, with [`Core::load`].
    LoadFittest {
        /// For this segment.
        segment: u32,
    },
    /// Take settings into the robot's file, and answer.
    Settings {
        /// The push's number.
        number: u64,
        /// Part of a robot's file, not yet checked.
        text: String,
        /// The robot may change now.
        may: bool,
    },
    /// The hub has welcomed this robot: it is to be told which release is installed.
    Welcomed,
    /// A bundle for this robot.
    Offer {
        /// The update's number.
        number: u64,
        /// The bundle without its payload, not yet verified.
        bundle: BundleHead,
    },
    /// A piece of a bundle's payload.
    Chunk {
        /// SHA-256 of the payload.
        digest: String,
        /// Where the bytes begin.
        offset: u64,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// What an operator wants besides driving.
    Fulfil(Wish),
    /// Keep this over a restart of the program, and call [`Core::kept`] when that is so.
    Remember(Testimony),
    /// A line for the log.
    Say(Line),
}

/// What an operator wants of a robot besides driving.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// Blink, to be found.
    Identify,
    /// Tell what the camera sees.
    Picture,
    /// Start the board again; the wheels stand.
    Reboot,
}

/// What orders directives and experiments: the number of the hub that gave it, then its own. A hub that starts later may
/// count from lower numbers, because its clock went back.
type Rank = (u64, u64);

/// The experiment that the robot has; its seed is the robot's.
#[derive(Clone, Debug, Default)]
struct Taken {
    rank: Rank,
    signature: String,
}

/// The robot's state.
#[derive(Clone, Debug)]
pub struct Core {
    inbox: Inbox,
    /// The version of its program.
    version: String,
    /// Whose experiments are run.
    trust: Trust,
    /// What was measured of the real world, for the simulations.
    measured: Calibration,
    /// The hub's time is at most so far ahead of the robot's, s; none before the first pong of this hub.
    hub_ahead: Option<f64>,
    /// Messages whose seal was not fresh.
    stale_seals: u32,
    seed: u64,
    island: u16,
    state: State,
    /// Highest directive seen; lower ones are stale.
    newest: Rank,
    /// The last STOP obeyed: only a later RUN starts the wheels again.
    stopped: Rank,
    /// Number of the directive obeyed; 0 after the link was lost and with another hub, so that the hub says it again.
    obeyed: u64,
    segment: u32,
    experiment: Taken,
    /// What the experiment means; none before the first.
    plan: Option<Arc<Plan>>,
    /// The phase of it, from 0.
    phase: u16,
    controller: Option<Controller>,
    senses: VirtualSenses,
    /// Updates in RUN in which the body's, the camera's and the virtual senses were too old.
    stale: [u32; 3],
    heard: Option<f64>,
    /// What goes on without the hub.
    alone: Alone,
    /// The swarm file says where other robots are.
    reaches_peers: bool,
    welcomed: bool,
    hello_at: f64,
    ping_at: f64,
    /// The last round trip, s.
    round_trip: Option<f64>,
    updates: u32,
    /// The last control update's results, for telemetry.
    wheels: [f32; 2],
    /// What the proximity sensors read at the last control update, if they can be believed.
    proximity: Option<[f32; 8]>,
    /// Arena time over wall time: people drive by the wall's.
    speed: f64,
    /// Who drives besides the tree.
    external: External,
    /// It has no camera.
    blind: bool,
    /// The body told its senses lately, at the last control update.
    body_fresh: bool,
    /// Control updates for the record.
    tracer: Tracer,
    /// Until then each update is told at once, s.
    watched: f64,
    /// Number of the run that the directive obeyed last is about; 0 for none.
    directed: u64,
    /// What it was told last, also by an earlier hub, and before a restart of its program.
    told: Option<Testimony>,
    /// The hub that told it; none if that was before a restart.
    told_by: Option<u64>,
    /// Number of the last directive of this hub that it would testify to after a restart.
    kept: u64,
    /// When it heard a hub last, s; none before the first message.
    last_heard: Option<f64>,
}

impl Core {
    /// A robot that has just been switched on. `session` is random and not 0 ([`xpuck_wire::session::fresh_session`]); only
    /// experiments of those in `trust` are run.
    pub fn new(island: u16, session: u64, trust: Trust) -> Core {
        Core {
            inbox: Inbox::new(session),
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
            experiment: Taken::default(),
            plan: None,
            phase: 0,
            controller: None,
            senses: VirtualSenses::default(),
            stale: [0; 3],
            heard: None,
            alone: Alone::default(),
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
            body_fresh: false,
            tracer: Tracer::default(),
            watched: 0.0,
            directed: 0,
            told: None,
            told_by: None,
            kept: 0,
            last_heard: None,
        }
    }

    /// What the robot does.
    pub fn state(&self) -> State {
        self.state
    }

    /// The last round trip to the hub and back, s of arena time.
    pub fn round_trip(&self) -> Option<f64> {
        self.round_trip
    }

    /// Messages that were ignored, because they were not meant for this start of the robot or came again.
    pub fn stale_seals(&self) -> u32 {
        self.stale_seals
    }

    /// Handles a message from the hub, if its seal is fresh. STOP needs no fresh seal: standing still is always safe.
    pub fn on_sealed(&mut self, now: f64, sealed: Sealed) -> Vec<Action> {
        match self.inbox.judge(&sealed) {
            Verdict::Fresh { new_hub } => {
                if new_hub {
                    self.turn_to_another();
                }
                return self.on_message(now, sealed.message);
            }
            // A hub that does not know this session learns it from the next hello.
            Verdict::Stranger => self.welcomed = false,
            Verdict::Stale => {}
        }
        self.stale_seals = self.stale_seals.saturating_add(1);
        match sealed.message {
            // One of a hub that is no more was overtaken by the hub that came after it.
            ToRobot::Directive(directive @ Directive { state: State::Stop, .. })
                if sealed.hub >= self.inbox.seen().0 =>
            {
                if self.inbox.turn_to(sealed.hub) {
                    self.turn_to_another();
                }
                self.obey(now, directive)
            }
            _ => Vec::new(),
        }
    }

    /// Another hub has another clock, and does not know what the robot did for the last one.
    fn turn_to_another(&mut self) {
        self.hub_ahead = None;
        self.obeyed = 0;
        self.kept = 0;
    }

    fn rank(&self, number: u64) -> Rank {
        (self.inbox.seen().0, number)
    }

    /// Whose experiments are run from now on.
    pub fn set_trust(&mut self, trust: Trust) {
        self.trust = trust;
    }

    /// Handles a message whose seal is fresh.
    pub fn on_message(&mut self, now: f64, message: ToRobot) -> Vec<Action> {
        // A message that ends a silence does not undo what the silence means.
        let mut actions = self.notice_silence(now);
        self.heard = Some(now);
        self.last_heard = Some(now);
        // Whoever drives alone waits from now on for what the hub says.
        if self.alone.stop_driving() {
            self.state = State::Pause;
            actions.push(Action::Say(Line::info("the hub is heard again: the wheels stand until it says RUN")));
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
                    // The hub answered after it was asked, so its clock shows at most this.
                    self.hub_ahead = Some(time - stamp);
                }
                Vec::new()
            }
            ToRobot::Senses { up, neighbours, age } => {
                self.senses.take(now, up, &neighbours, age);
                Vec::new()
            }
            ToRobot::Poses(poses) if self.adapts() => {
                Noticed::poses(now, &poses, self.proximity).map(Action::Notice).into_iter().collect()
            }
            ToRobot::Estimates(told) if self.adapts() => vec![Action::Notice(Noticed::Told(now, told))],
            ToRobot::Poses(_) | ToRobot::Estimates(_) => Vec::new(),
            ToRobot::Genes { generation, immigrants } => vec![Action::Immigrants { generation, genes: immigrants }],
            ToRobot::Experiment { number, seed, robots, signed } => self.prepare(number, seed, robots, &signed),
            ToRobot::Directive(directive) => self.obey(now, directive),
            ToRobot::Settings { number, text } => {
                vec![Action::Settings { number, text, may: self.state != State::Run }]
            }
            ToRobot::Watch { picture } => {
                self.watched = now + WATCHED;
                picture.then_some(Action::Fulfil(Wish::Picture)).into_iter().collect()
            }
            // A robot that may drive any moment does not turn into another: the hub offers it again later.
            ToRobot::Offer { number, bundle } if self.may_update() => vec![Action::Offer { number, bundle }],
            ToRobot::Chunk { digest, offset, bytes } if self.may_update() => {
                vec![Action::Chunk { digest, offset, bytes: bytes.0 }]
            }
            ToRobot::Offer { .. } | ToRobot::Chunk { .. } => Vec::new(),
            ToRobot::Drive(command) => {
                self.operate(now, command);
                Vec::new()
            }
            ToRobot::Identify => vec![Action::Fulfil(Wish::Identify)],
            ToRobot::Reboot => {
                self.external.halt();
                self.state = State::Stop;
                self.alone.end();
                vec![Action::Evolve(false), Action::Fulfil(Wish::Reboot)]
            }
        });
        actions
    }

    /// An operator drives, or the hub parks; a command that is late or makes no sense moves nothing, and none does before a
    /// directive says since a silence what the robot is to do.
    fn operate(&mut self, now: f64, given: DriveCommand) {
        let timely = self.hub_ahead.is_some_and(|ahead| now + ahead <= given.expires);
        let command = Command { wheels: given.wheels, lamps: given.lamps.map(Ring::All) };
        let directed = self.state != State::Stop && self.obeyed != 0;
        if timely && directed && check_wheels(command.wheels).is_ok() {
            self.external.operate(now, command, (f64::from(given.hold_ms) / 1000.0).min(HOLD * self.speed));
        }
    }

    /// Takes what a program at the robot's socket says; `connection` is its number.
    ///
    /// # Errors
    /// Why it is not done, in one line for the program.
    pub fn on_program(&mut self, now: f64, connection: u32, said: Said) -> Result<Vec<Action>, String> {
        let line = self.external.take(now, self.state, connection, said)?;
        Ok(line.map(|text| Action::Say(Line::info(text))).into_iter().collect())
    }

    /// What wheels and lamps do at this moment by the word of an external controller; none if the tree drives. The wheels
    /// stand in STOP, when the hub is silent, and when the body does not tell what it senses.
    pub fn external_command(&self, now: f64) -> Option<Command> {
        let safe = (self.hears_hub(now) || self.alone.drives(now)) && self.body_fresh;
        self.external.command(now, self.state).filter(|_| safe)
    }

    /// When the present command of an external controller ends, s; none if there is none.
    pub fn external_until(&self, now: f64) -> Option<f64> {
        self.external.until(now)
    }

    /// Who drives.
    pub fn driver(&self, now: f64) -> Driver {
        self.external.driver(now)
    }

    fn may_update(&self) -> bool {
        !matches!(self.state, State::Ready | State::Run | State::Pause)
    }

    /// As the program of this release.
    pub fn released(self, version: &str) -> Core {
        Core { version: version.into(), ..self }
    }

    /// Without a camera, or with one.
    pub fn seeing(self, sees: bool) -> Core {
        Core { blind: !sees, ..self }
    }

    /// With what it kept before its program was started again.
    pub fn remembering(self, told: Option<Testimony>) -> Core {
        Core { told, ..self }
    }

    /// A restart of the program would find what directive `number` said, or nothing older.
    pub fn kept(&mut self, number: u64) {
        let this_hub = self.told_by == Some(self.inbox.seen().0);
        if this_hub && self.told.as_ref().is_some_and(|told| told.directive == number) {
            self.kept = number;
        }
    }

    /// The directive of this hub that it would testify to after a restart; none before the first that is kept.
    pub fn kept_directive(&self) -> Option<u64> {
        (self.kept != 0).then_some(self.kept)
    }

    /// What it says to a hub that asks what it was told last.
    fn witness(&self, now: f64) -> Witness {
        let silent_s = self.last_heard.map(|at| (now - at) / self.speed);
        Witness { told: self.told.clone(), silent_s }
    }

    /// In an arena whose time runs so much faster than the wall's.
    pub fn paced(self, speed: f64) -> Core {
        Core { speed, ..self }
    }

    /// With worlds as the robot's calibration file has them.
    pub fn measured(self, measured: Calibration) -> Core {
        Core { measured, ..self }
    }

    /// A robot that its own file allows to drive on without the hub for so long, s.
    pub fn allowed_alone(mut self, seconds: f64) -> Core {
        self.alone.allow(seconds);
        self
    }

    /// A robot that knows where others are.
    pub fn among_peers(self) -> Core {
        Core { reaches_peers: true, ..self }
    }

    /// The run that the robot has an experiment for; zeros before the first.
    pub fn run(&self) -> RunName {
        RunName { number: self.experiment.rank.1, seed: self.seed }
    }

    /// That run, if the robot exchanges genes with others in it, and how.
    pub fn exchanges(&self) -> Option<(RunName, &Arc<Plan>)> {
        let plan = self.plan.as_ref().filter(|plan| plan.genes == Genes::Peers)?;
        Some((self.run(), plan))
    }

    /// Its place in the swarm file, from 1.
    pub fn island(&self) -> u16 {
        self.island
    }

    /// A random number of this start of the program.
    pub fn session(&self) -> u64 {
        self.inbox.session()
    }

    /// Whom the robot hears by range and bearing; none if that is too old. `now` is s of arena time.
    pub fn neighbours(&self, now: f64) -> Option<&[Neighbour]> {
        (!self.senses.stale(now)).then(|| self.senses.told().1)
    }

    fn prepare(&mut self, number: u64, seed: u64, robots: u16, signed: &Signed) -> Vec<Action> {
        let taken = Taken { rank: self.rank(number), signature: signed.signature.clone() };
        let present = &self.experiment;
        if taken.rank < present.rank {
            // Overtaken on its way by a later one.
            return Vec::new();
        }
        // A hub that goes on with another's run gives the same experiment again.
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
            let why = "genes = \"peers\": this robot's swarm.toml has no `peers`, an address for each robot";
            return vec![refused(why.into())];
        }
        if let Some(colour) = plan.colour_read(self.place()).filter(|_| self.blind) {
            let why =
                format!("its trees may read {colour}, and this robot has no camera (`devices.camera` of its file)");
            return vec![refused(why)];
        }
        // Nothing else shows which worlds a robot simulates.
        let calibrated = match (plan.calibrated, self.measured.changes_worlds()) {
            (true, _) => Some("worlds are simulated as the experiment's calibration measured them"),
            (false, true) => Some("worlds are simulated as this robot's calibration.file measured them"),
            (false, false) => None,
        };
        let stays = plan.silence.then == OnSilence::Drive && plan.silence.drives(self.alone.allowed()) == 0.0;
        self.experiment = taken;
        self.seed = seed;
        self.state = State::Ready;
        self.alone.end();
        // A directive that came before was obeyed without this experiment: the hub is to say it again.
        self.obeyed = 0;
        self.external.halt();
        self.segment = 0;
        self.phase = 0;
        self.controller = None;
        self.plan = Some(plan.clone());
        let mut actions = vec![Action::Send(RobotMessage::Experiment { number, answer: Answer::Accepted })];
        actions.extend(calibrated.map(|text| Action::Say(Line::info(text))));
        if stays {
            let text = "silence.then = \"drive\": this robot's file does not allow it (control.drive_alone_s), so its wheels \
                        stand while the hub is silent";
            actions.push(Action::Say(Line::warn(text)));
        }
        if !self.is_fixed() {
            let (digest, island) = (signed.digest(), self.island);
            actions.insert(0, Action::Prepare(Box::new(IslandPlan { plan, digest, number, seed, island })));
        }
        actions.extend(self.take_given());
        actions
    }

    /// The robot's place in the swarm file, from 0.
    fn place(&self) -> usize {
        usize::from(self.island).saturating_sub(1)
    }

    /// Nodes and registers of trees in the experiment that was prepared; none before one.
    pub fn primitive_set(&self) -> Option<&PrimitiveSet> {
        Some(&self.plan.as_ref()?.primitive_set)
    }

    fn planned(&self) -> Option<&PlannedPhase> {
        Some(self.plan.as_ref()?.phase(usize::from(self.phase)))
    }

    /// Where the phase has the island try its trees.
    fn trials(&self) -> Option<Trials> {
        Some(Trials::of(self.plan.as_ref()?, self.planned()?))
    }

    /// Puts the controller that the phase gives, if it gives one, in control.
    fn take_given(&mut self) -> Option<Action> {
        let tree = self.planned()?.given(self.place())?.clone();
        // Plans hold only trees that fit.
        self.controller = Controller::new(Tree::clone(&tree)).ok();
        Some(Action::KeepController)
    }

    /// Turns to another phase of the experiment.
    fn enter(&mut self, phase: u16, tree: Option<&str>) -> Vec<Action> {
        if phase == self.phase {
            return Vec::new();
        }
        let trials = self.trials();
        self.phase = phase;
        let now = self.trials();
        let changed = now.filter(|now| trials.as_ref() != Some(now) && !self.is_fixed());
        let mut actions: Vec<Action> = changed.map(Action::ChangeTrials).into_iter().collect();
        actions.extend(self.take_given());
        if let Some(text) = tree.filter(|_| !self.is_given()) {
            match Tree::parse(text)
                .map_err(|error| error.to_string())
                .and_then(|tree| self.load(&tree).map_err(|e| e.to_string()))
            {
                Ok(()) => actions.push(Action::KeepController),
                Err(why) => {
                    actions.push(Action::Say(Line::warn(format!("the swarm's fittest tree is not loaded: {why}"))))
                }
            }
        }
        actions
    }

    /// True if the phase gives this robot its controller.
    fn is_given(&self) -> bool {
        self.planned().is_some_and(|phase| phase.given(self.place()).is_some())
    }

    fn obey(&mut self, now: f64, directive: Directive) -> Vec<Action> {
        let Directive { number, state, segment, run, phase, tree, expires, stops, held, asks } = directive;
        // Without a pong there is no telling the hub's time, and an old command might pass for a new one.
        let timely = self.hub_ahead.is_some_and(|ahead| now + ahead <= expires);
        if !timely && state != State::Stop {
            return Vec::new();
        }
        // A repeated directive is not obeyed twice; a STOP is never one too many.
        let repeated = number == self.obeyed && (state != State::Stop || self.state == State::Stop);
        let rank = self.rank(number);
        let drives = matches!(state, State::Run | State::Pause);
        if rank < self.newest || repeated || (drives && rank <= self.stopped) {
            return Vec::new();
        }
        // The hub has not heard yet of a STOP that this robot obeyed; it learns of it by the robot's hello.
        if state != State::Stop && self.told.as_ref().is_some_and(|told| told.stops > stops) {
            return Vec::new();
        }
        let experiment = self.experiment.rank.1;
        let about_other = experiment == 0 || run != experiment;
        // Robots that are parked pause for no run.
        let for_no_run = state == State::Pause && run == 0;
        if about_other && matches!(state, State::Run | State::Pause | State::Ready) && !for_no_run {
            // Nothing to run yet, or not this; the hub sends the experiment first and the directive again.
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
            let stops = self.told.as_ref().map_or(stops, |told| told.stops.max(stops));
            let told = Testimony { directive: number, state, run, held, stops };
            (self.told, self.told_by) = (Some(told.clone()), Some(self.inbox.seen().0));
            actions.push(Action::Remember(told));
        }
        // A STOP may be about another run.
        if !about_other {
            actions.extend(self.enter(phase, tree.as_deref()));
        }
        // Where a controller is given, the island of an earlier run stands still.
        let evolves = self.planned().is_some_and(|phase| phase.evolves(self.place()));
        actions.push(Action::Evolve(state == State::Run && evolves));
        if segment > self.segment && state == State::Run {
            self.segment = segment;
            if !self.is_given() && self.planned().is_some_and(|phase| phase.drive == Drive::Own) {
                actions.push(Action::LoadFittest { segment });
            }
        }
        actions
    }

    /// The experiment gives this robot its controller in every phase: it has no island.
    pub fn is_fixed(&self) -> bool {
        let me = self.place();
        self.plan.as_ref().is_some_and(|plan| !plan.phases.iter().any(|phase| phase.evolves(me)))
    }

    /// Puts a tree in control for a segment; it runs under `avoiding`.
    pub fn load(&mut self, tree: &Tree) -> Result<(), CompileError> {
        self.controller = Some(Controller::new(tree.under_avoiding())?);
        Ok(())
    }

    /// What the experiment has the lamps show; none without one.
    pub fn lamps(&self) -> Option<&Lamps> {
        self.plan.as_ref().map(|plan| &plan.lamps)
    }

    /// The tree in control, if there is one.
    pub fn controller(&self) -> Option<&Controller> {
        self.controller.as_ref()
    }

    /// What time brings, to be called at least at every control update.
    pub fn on_time(&mut self, now: f64) -> Vec<Action> {
        let mut actions = self.notice_silence(now);
        actions.extend(self.external.silent(now).map(|text| Action::Say(Line::warn(text))));
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

    /// Gives the hub up when it has been silent for too long.
    fn notice_silence(&mut self, now: f64) -> Vec<Action> {
        let Some(since) = self.heard.filter(|at| now - at > HUB_SILENCE) else { return self.alone_too_long(now) };
        self.heard = None;
        // After a silence the hub's senses and directives count afresh.
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
                format!("the hub was silent for {HUB_SILENCE} s: wheels and evolution stand still until it says RUN");
            return vec![Action::Evolve(false), Action::Say(Line::warn(text))];
        };
        self.alone.begin(since + HUB_SILENCE, &plan.silence, plan.seconds());
        let what = if self.alone.drives(now) {
            format!("the robot drives alone for {:.1} s at most", plan.silence.drives(self.alone.allowed()))
        } else {
            self.alone.stop_driving();
            self.state = State::Pause;
            "evolution goes on, the wheels stand until it says RUN".into()
        };
        vec![Action::Say(Line::warn(format!("the hub was silent for {HUB_SILENCE} s: {what}")))]
    }

    /// Ends what has gone on without the hub for as long as it may.
    fn alone_too_long(&mut self, now: f64) -> Vec<Action> {
        let mut actions = Vec::new();
        if self.alone.is_driving() && !self.alone.drives(now) {
            self.alone.stop_driving();
            self.state = State::Pause;
            let text = "the hub is silent for too long to drive alone: the wheels stand until it says RUN";
            actions.push(Action::Say(Line::warn(text)));
        }
        if self.alone.stop_evolving(now) {
            let text = "the hub is silent for as long as the experiment is: evolution stands still until it says RUN";
            actions.extend([Action::Evolve(false), Action::Say(Line::warn(text))]);
        }
        actions
    }

    /// True if the hub was heard within [`HUB_SILENCE`]; `now` is s of arena time.
    pub fn hears_hub(&self, now: f64) -> bool {
        self.heard.is_some_and(|at| now - at <= HUB_SILENCE)
    }

    /// One control update: the tree is ticked and the wheels' ground speeds, m/s, come out, or those that an external
    /// controller commands. They are zero unless the robot heard from the hub within [`HUB_SILENCE`] or may drive alone, its
    /// body tells what it senses, and it is in RUN with a tree or a program that drives, or an operator drives and it is not in
    /// STOP.
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
        // What is decided in a run is recorded, and so is that nothing is.
        let traced = matches!(self.state, State::Run | State::Pause)
            && self.experiment.rank.1 != 0
            && self.directed == self.experiment.rank.1;
        if traced {
            let (session, run) = (self.inbox.session(), self.experiment.rank.1);
            let context = Context { session, run, segment: self.segment, state: self.state };
            self.tracer.hurry(now < self.watched);
            self.tracer.begin(now, self.updates, context, self.controller.as_ref());
        } else {
            self.tracer.rest();
        }
        self.body_fresh = readings.body_fresh();
        self.proximity = self.body_fresh.then_some(readings.proximity);
        let driven = self.external_command(now);
        let mut ticked = false;
        if let Some(command) = driven {
            self.wheels = command.wheels;
            self.controller.iter_mut().for_each(Controller::rest);
        } else if running && readings.body_fresh() {
            let senses = self.senses(now, readings);
            if let Some(controller) = &mut self.controller {
                let mut draws = Draws::new(self.seed, u32::from(self.island), 0, self.updates, Stream::Controller);
                self.wheels = steer(controller.tick(&senses, &mut draws));
                ticked = true;
            }
        } else if let Some(controller) = &mut self.controller {
            controller.rest();
        }
        if traced {
            let ages = [readings.body_age, readings.camera_age, self.senses.age(now)];
            let used = [readings.camera_fresh(), !self.senses.stale(now)];
            let (told, controller) = (self.senses.told(), self.controller.as_ref());
            self.tracer.decided(readings, told, (ages, used), controller, (ticked, driven.is_some()), self.wheels);
        }
        self.wheels
    }

    /// The robot runs an experiment in which it compares what happens with what it simulates.
    pub fn adapts(&self) -> bool {
        self.state == State::Run && self.plan.as_ref().is_some_and(|plan| plan.adapt)
    }

    /// The wheels were sent, m/s: ends the update for the record, and gives what is to be told of it and those before.
    pub fn sent(&mut self, wheels: [f32; 2]) -> Vec<Updates> {
        self.tracer.sent(wheels)
    }

    /// What the tree reads; what is too old is absent.
    fn senses(&self, now: f64, readings: &Readings) -> Senses {
        let blobs = if readings.camera_fresh() { readings.blobs } else { Blobs::default() };
        let mut senses = Senses {
            prox: proximity_vector(&readings.proximity),
            up: Vec2::ZERO,
            colours: [Colour::Red, Colour::Green, Colour::Blue].map(|c| blobs.vector(c)),
            light: self.light(readings).map_or(Vec2::ZERO, |light| light_vector(&light)),
            tag: self.tag(readings).map_or(Vec2::ZERO, way_to),
            ..Senses::default()
        };
        self.senses.fill(now, &mut senses);
        senses
    }

    /// What the hub told last of the others and of the world: its direction +x in the robot's frame, rad, who was heard, and
    /// how old that is, s; none if it is too old to be used.
    pub fn virtual_senses(&self, now: f64) -> Option<(f32, &[Neighbour], f32)> {
        let (up, heard) = self.senses.told();
        self.senses.age(now).filter(|_| !self.senses.stale(now)).map(|age| (up, heard, age))
    }

    /// Speeds of the wheels at the last control update, m/s.
    pub fn wheels(&self) -> [f32; 2] {
        self.wheels
    }

    /// The segment whose tree it runs.
    pub fn segment(&self) -> u32 {
        self.segment
    }

    /// The brightness that the tree reads; none if it reads none.
    fn light(&self, readings: &Readings) -> Option<[f32; 8]> {
        readings.light.filter(|_| self.controller.as_ref().is_some_and(Controller::reads_light))
    }

    /// The tag that the tree reads; none if it reads none.
    fn tag(&self, readings: &Readings) -> Option<[f32; 2]> {
        readings.tag.filter(|_| self.controller.as_ref().is_some_and(Controller::reads_tags))
    }

    /// The core's part of a telemetry message; the shell adds what devices and evolution tell.
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
