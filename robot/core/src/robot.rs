//! Decision logic of one robot around its [`Core`]. It defines the order of messages, island events and control
//! updates, validates genes, and sends telemetry. All access to the outside is behind [`Shell`].

use crate::champion::OnboardChampion;
pub use crate::core::OperatorRequest;
use crate::core::{Action, Core};
use crate::external::{Command, ProgramRequest, Ring};
use crate::island::{Generation, IslandEvent, IslandPlan, Trials};
use crate::lineage_samples::SampleReporter;
use crate::missed::MissedGenerations;
use crate::peers::{self, PeerInput, Peers, SayError};
use crate::probe::Observation;
use crate::readings::Readings;
use xpuck_evolve::Migrant;
use xpuck_kernels::estimate::{Parameter, WorldModel};
use xpuck_kernels::tree::CompileError;
use xpuck_wire::codec::{CodecError, UnknownNames};
use xpuck_wire::log::Line;
use xpuck_wire::message::{Emigrant, LogLine, RobotMessage, Sensors, State, ToRobot};
use xpuck_wire::peer::{PeerMessage, RunName};
use xpuck_wire::rollout::BundleHead;
use xpuck_wire::seal::Sealed;
use xpuck_wire::signed::Trust;
use xpuck_wire::telemetry::{EvolutionReport, LinkReport, Telemetry};
use xpuck_wire::witness::ObeyedDirective;

/// Maximum number of messages that are handled between two readings of the clock.
pub const MESSAGES_AT_ONCE: usize = 64;

/// Maximum number of log lines sent to the hub in a burst, and average number of lines per update (2 lines/s).
const LOG_BURST: f32 = 20.0;
const LOG_PER_UPDATE: f32 = 0.2;

/// Interval for sending [`Sensors`] to the hub (s).
const SENSORS_PERIOD: f64 = 0.5;

/// Interval for repeating the number of the stored directive to the hub (s).
const STORED_REPORT_PERIOD: f64 = 1.0;

/// Interface to the outside of one robot: devices and sockets in `xpuckd`, simulated devices and messages in the
/// simulation test. No method blocks.
pub trait Shell {
    /// Takes the next message from the hub. Returns `None` if no message waits, and an error if the message cannot be
    /// decoded.
    fn receive(&mut self) -> Option<Result<Sealed, CodecError>>;

    /// Passes a message from the hub to the core. Only the simulation test overrides this method, for its checks and
    /// for robots with a deliberate fault.
    fn hear(&mut self, core: &mut Core, now: f64, message: Sealed) -> Vec<Action> {
        core.on_sealed(now, message)
    }

    /// Sends a message to the hub. Returns false if the queue is full and the message is lost.
    fn send(&mut self, message: RobotMessage) -> bool;

    /// Takes the next message from another robot, as validated by [`peers::open`]. The number is the island to which
    /// the sender's key belongs. Returns `None` if no message waits.
    fn receive_peer(&mut self) -> Option<(u16, PeerInput)> {
        None
    }

    /// Sends a message to another robot. The message is lost if it cannot be sent.
    fn send_peer(&mut self, _island: u16, _message: PeerMessage) {}

    /// Returns two counts of rejected messages from other robots. The first count contains the messages with invalid
    /// keys since the start. The second count contains the messages that were dropped since the last call because a
    /// queue was full.
    fn refused_peers(&mut self) -> (u64, u64) {
        (0, 0)
    }

    /// Returns the set of trusted signers if it has changed since the last call.
    fn trust(&mut self) -> Option<Trust>;

    /// Replaces the island with a new, paused island.
    fn start_island(&mut self, plan: IslandPlan);

    /// Starts or pauses the island, if any.
    fn run_island(&mut self, running: bool);

    /// Changes the trials of the island, if any.
    fn change_trials(&mut self, trials: Trials);

    /// Passes validated genes to the island, if any. The genes answer the message with the emigrants of `generation`.
    fn immigrate(&mut self, generation: u32, migrants: Vec<Migrant>);

    /// Passes an observation to the reality probe, if any.
    fn notice(&mut self, _noticed: Observation) {}

    /// Takes the next event of the island, if any.
    fn news(&mut self) -> Option<IslandEvent>;

    /// Executes an operator's request other than driving.
    fn execute(&mut self, wish: OperatorRequest);

    /// Stores the last directive across restarts of the program.
    fn remember(&mut self, told: ObeyedDirective);

    /// Takes the number of the directive that is now stored across restarts. Returns `None` if the number has not
    /// changed since the last call.
    fn remembered(&mut self) -> Option<u64>;

    /// Handles the hub's welcome: reports the installed release to the hub.
    fn welcomed(&mut self) {}

    /// Handles the hub's offer of an update. The bundle has not been verified yet.
    fn offer(&mut self, _number: u64, _bundle: BundleHead) {}

    /// Handles a piece of a payload that this robot has requested.
    fn chunk(&mut self, _digest: String, _offset: u64, _bytes: Vec<u8>) {}

    /// Applies `text` to this robot's file, and replies to the hub. `text` is a part of a robot's file that has not
    /// been validated yet. `may` states whether changes are allowed now.
    fn change_settings(&mut self, number: u64, text: &str, may: bool);

    /// Returns the latest readings of all senses.
    fn sense(&mut self) -> Readings;

    /// Returns readings of additional sensors for the hub, such as the accelerometer, if any.
    fn sensors(&mut self) -> Option<Sensors> {
        None
    }

    /// Commands the wheels with speeds over the floor (m/s). The lamps show the colours that an external controller
    /// sets in `lamps`. Without these colours, they show the core's state. Returns the speeds that the motors produce.
    fn drive(&mut self, core: &Core, wheels: [f32; 2], lamps: Option<Ring>) -> [f32; 2];

    /// Stops the wheels at once. The next control update would be too late, because it may be 0.1 s away.
    fn stop_wheels(&mut self, core: &Core);

    /// Takes the next request of a program at the robot's socket, with the number of the program's connection. Returns
    /// `None` if no request waits.
    fn program(&mut self) -> Option<(u32, ProgramRequest)> {
        None
    }

    /// Sends a program the result of its request. When this method is called, the wheels already have their new
    /// speeds.
    fn answer_program(&mut self, _connection: u32, _result: Result<(), String>) {}

    /// Returns whether a program is connected to the robot's socket.
    fn has_programs(&self) -> bool {
        false
    }

    /// Sends a text to the programs at the robot's socket. The sender is the controller of another robot, which
    /// `_from` identifies by its number in the swarm file.
    fn send_programs(&mut self, _from: u16, _text: &str) {}

    /// Adds the data of devices, clock and island thread to a telemetry message.
    fn report(&mut self, telemetry: &mut Telemetry);

    /// Writes a line to the log.
    fn log(&mut self, line: Line);

    /// Takes the next line of the robot's log, regardless of the source of the line. Returns `None` if no line waits.
    fn next_log_line(&mut self) -> Option<LogLine>;
}

/// Decision logic of a robot with its complete state.
#[derive(Clone, Debug)]
pub struct Robot {
    /// Core: state of the robot, tree in control, and decision whether the wheels may turn.
    pub core: Core,
    champion: OnboardChampion,
    /// Arena time divided by wall time.
    speed: f64,
    /// Number of messages and genes that were rejected.
    refused: u32,
    /// Unknown names in messages from a hub of a newer version.
    unknown: UnknownNames,
    /// Number of batches of control updates that were lost because the queue to the hub was full.
    batches_lost: u32,
    /// Samples of individuals that wait to be reported to the hub.
    heritage: SampleReporter,
    /// Generations that the hub may have missed.
    missed: MissedGenerations,
    /// Contact with other robots.
    peers: Peers,
    /// Time at which messages were last handled or a control update last ran (s).
    now: f64,
    /// Whether the hub was heard at the last check for a silence.
    heard: bool,
    /// Run to which the generations in `missed` belong.
    run: RunName,
    /// Number of log lines that may currently be sent.
    lines_due: f32,
    /// Last command of an external controller that was executed; `None` if the tree drives.
    driven: Option<Command>,
    /// Time at which [`Sensors`] are sent to the hub next (s).
    sensors_due: f64,
    /// Model of the robot's own wheels, with the wheel errors that the reality probe has found.
    body: WorldModel,
    /// Number of the last stored directive that was reported to the hub, and the time of the next report (s).
    told_kept: (u64, f64),
}

impl Robot {
    /// Creates a robot that has just been switched on; `speed` is arena time divided by wall time.
    pub fn new(core: Core, speed: f64) -> Robot {
        Robot {
            peers: Peers::new(core.island(), 0, core.session()),
            missed: MissedGenerations::new(speed),
            now: 0.0,
            heard: false,
            run: RunName::default(),
            core,
            champion: OnboardChampion::default(),
            speed,
            refused: 0,
            unknown: UnknownNames::default(),
            batches_lost: 0,
            heritage: SampleReporter::default(),
            lines_due: LOG_BURST,
            driven: None,
            sensors_due: 0.0,
            body: WorldModel::default(),
            told_kept: (0, 0.0),
        }
    }

    /// Records that the robot has the addresses of the other robots, in a swarm of `robots` robots including itself.
    pub fn with_peers(self, robots: usize) -> Robot {
        let peers = Peers::new(self.core.island(), robots as u16, self.core.session());
        Robot { core: self.core.with_peers(), peers, ..self }
    }

    /// Sends a text of at most [`xpuck_wire::peer::MAX_WORDS`] bytes to the controller of the robot with island `to`.
    /// The text is sent when messages are handled next, and may get lost.
    ///
    /// # Errors
    /// Returns an error if the text is too long, the rate is too high, or the robot is not in range.
    pub fn say(&mut self, to: u16, bytes: &[u8]) -> Result<(), SayError> {
        self.peers.say(self.now, to, bytes)
    }

    /// Takes the next text for this robot's controller from another robot in range. Returns the sender's island and
    /// the text.
    pub fn heard(&mut self) -> Option<(u16, Vec<u8>)> {
        self.peers.heard()
    }

    /// Returns the robot's contact with other robots.
    pub fn peers(&self) -> &Peers {
        &self.peers
    }

    /// Returns the number of generations that the island has completed.
    pub fn generation(&self) -> u32 {
        self.champion.progress().generation
    }

    /// Handles the waiting messages, at most [`MESSAGES_AT_ONCE`] per call. All times are arena time (s).
    pub fn listen(&mut self, now: f64, shell: &mut impl Shell) {
        let drives = |core: &Core| core.state() == State::Run || core.external_command(now).is_some();
        let drove = drives(&self.core);
        self.now = now;
        self.hear(now, shell);
        while let Some(number) = shell.remembered() {
            self.core.stored_directive(number);
        }
        if self.core.run() != self.run {
            self.run = self.core.run();
            self.missed.clear();
        }
        self.hear_peers(now, shell);
        self.notice_hub(now);
        if drove && !drives(&self.core) {
            shell.stop_wheels(&self.core);
        }
    }

    fn hear(&mut self, now: f64, shell: &mut impl Shell) {
        for _ in 0..MESSAGES_AT_ONCE {
            match shell.receive() {
                Some(Ok(message)) => {
                    // The trusted signers are updated before the experiment is validated, because an operator may have
                    // been enrolled or revoked since the last update.
                    if matches!(message.message, ToRobot::Experiment { .. })
                        && let Some(trust) = shell.trust()
                    {
                        self.core.set_trust(trust);
                    }
                    let actions = shell.hear(&mut self.core, now, message);
                    self.act(actions, shell);
                }
                Some(Err(CodecError::Unknown(name))) => {
                    if let Some(line) = self.unknown.line(&name) {
                        shell.log(Line::warn(format!("from the hub: {line}")));
                    }
                }
                Some(Err(error)) => {
                    self.refuse();
                    if self.refused == 1 {
                        shell.log(Line::warn(format!("a message from the hub was rejected: {error}")));
                    }
                }
                None => break,
            }
        }
    }

    /// Handles requests of programs at the robot's socket, at most [`MESSAGES_AT_ONCE`] per call. Executes commands of
    /// external controllers at once, and stops the wheels if a command has expired.
    pub fn handle_programs(&mut self, now: f64, shell: &mut impl Shell) {
        for _ in 0..MESSAGES_AT_ONCE {
            let Some((connection, said)) = shell.program() else { break };
            let words = if let ProgramRequest::Tell(to, text) = &said { Some((*to, text.clone())) } else { None };
            let done = self.core.on_program(now, connection, said).and_then(|actions| {
                let told = words.map(|(to, text)| self.say(to, text.as_bytes())).transpose();
                told.map(|_| actions).map_err(|error| error.to_string())
            });
            let result = done.map(|actions| self.act(actions, shell));
            self.apply_external(now, shell);
            shell.answer_program(connection, result);
        }
        self.apply_external(now, shell);
        while shell.has_programs()
            && let Some((from, bytes)) = self.heard()
        {
            shell.send_programs(from, &String::from_utf8_lossy(&bytes));
        }
    }

    fn apply_external(&mut self, now: f64, shell: &mut impl Shell) {
        let wanted = self.core.external_command(now);
        if wanted == self.driven {
            return;
        }
        match wanted {
            Some(command) => drop(self.drive(now, command.wheels, command.lamps, shell)),
            // The wheels stop until the next control update, in which the tree continues.
            None => shell.stop_wheels(&self.core),
        }
        self.driven = wanted;
    }

    /// Handles the waiting messages of other robots, at most [`peers::MESSAGES_AT_ONCE`] per call, and sends the
    /// outgoing messages.
    fn hear_peers(&mut self, now: f64, shell: &mut impl Shell) {
        self.peers.enter(self.core.exchanges().map(|(run, plan)| (run, &**plan)));
        if let Some(neighbours) = self.core.neighbours(now) {
            self.peers.sense(now, neighbours);
        }
        for _ in 0..peers::MESSAGES_AT_ONCE {
            let Some((from, heard)) = shell.receive_peer() else { break };
            self.peers.on_message(now, from, heard);
        }
        self.tell_peers(shell);
    }

    fn tell_peers(&mut self, shell: &mut impl Shell) {
        self.peers.take_messages().into_iter().for_each(|(to, message)| shell.send_peer(to, message));
        self.peers.take_lines().into_iter().for_each(|line| shell.log(line));
    }

    /// Detects a silence of the hub. Recent reports are then queued again, because the hub may have lost them.
    fn notice_hub(&mut self, now: f64) {
        let heard = self.core.hears_hub(now);
        if std::mem::replace(&mut self.heard, heard) && !heard {
            self.missed.silent(now);
        }
    }

    /// Handles the next event of the island.
    pub fn collect(&mut self, shell: &mut impl Shell) {
        let (progress, champion) = match shell.news() {
            None => return,
            Some(IslandEvent::Say(line)) => return shell.log(line),
            // In this run, the experiment assigns the robot's controller. The event belongs to the island of an
            // earlier run, whose fittest tree must not drive now.
            Some(_) if self.core.is_fixed() => return,
            Some(IslandEvent::Resumed { progress, champion }) => (progress, *champion),
            Some(IslandEvent::Generation(done)) => {
                self.tell_generation(&done, shell);
                self.heritage.record(done.progress.generation, &done.samples);
                (done.progress, done.champion)
            }
        };
        let loaded = self.champion.on_generation(&mut self.core, progress, champion);
        tell_loaded(loaded, shell);
    }

    /// Reports a generation to the hub, at once or when the hub is heard again. Passes genes of other robots to the
    /// island.
    fn tell_generation(&mut self, done: &Generation, shell: &mut impl Shell) {
        let generation = done.progress.generation;
        let mut messages = vec![RobotMessage::Population(done.population)];
        if let Some(found) = &done.found {
            let [left, right] = found.wheels;
            self.body.set(Parameter::LeftWheel, left);
            self.body.set(Parameter::RightWheel, right);
            messages.push(RobotMessage::Estimates(found.estimates.clone()));
        }
        if self.peers.exchanges() {
            let migrants = self.peers.generation_done(generation, &done.emigrant);
            shell.immigrate(generation, migrants);
            messages.push(RobotMessage::Peers(Box::new(self.peers.report(self.now))));
        }
        messages.push(done.message());
        for message in self.missed.push(self.now, self.heard, generation, messages) {
            let _ = shell.send(message);
        }
    }

    /// Runs one control update: reads the senses, ticks the tree, commands the wheels, and sends telemetry.
    pub fn update(&mut self, now: f64, shell: &mut impl Shell) {
        let actions = self.core.on_time(now);
        self.act(actions, shell);
        self.now = now;
        self.notice_hub(now);
        let (keys, no_room) = shell.refused_peers();
        self.peers.refused_outside(keys, no_room);
        self.peers.on_time(now);
        self.tell_peers(shell);
        let readings = shell.sense();
        let wheels = self.core.control(now, &readings);
        self.driven = self.core.external_command(now);
        let wheels = self.drive(now, wheels, self.driven.and_then(|command| command.lamps), shell);
        for updates in self.core.sent(wheels) {
            let sent = shell.send(RobotMessage::Updates(Box::new(updates)));
            self.batches_lost = self.batches_lost.saturating_add(u32::from(!sent));
        }
        self.tell_log(shell);
        for message in self.missed.due(now, self.heard) {
            let _ = shell.send(message);
        }
        // Samples wait while the hub is silent. For each individual, only the newest samples are kept.
        if self.heard
            && let Some(samples) = self.heritage.due(now)
        {
            let _ = shell.send(samples);
        }
        if let Some(report) = self.peers.report_due(now) {
            let _ = shell.send(RobotMessage::Peers(Box::new(report)));
        }
        let kept = self.core.kept_directive();
        if let Some(kept) = kept.filter(|kept| *kept != self.told_kept.0 || now >= self.told_kept.1) {
            self.told_kept = (kept, now + STORED_REPORT_PERIOD);
            let _ = shell.send(RobotMessage::Kept(kept));
        }
        if now >= self.sensors_due {
            self.sensors_due = now + SENSORS_PERIOD;
            if let Some(sensors) = shell.sensors() {
                let _ = shell.send(RobotMessage::Sensors(Box::new(sensors)));
            }
        }
        let mut telemetry = self.telemetry(now, &readings, wheels);
        shell.report(&mut telemetry);
        let _ = shell.send(RobotMessage::Telemetry(Box::new(telemetry.rounded())));
    }

    /// Drives at these speeds of the wheels over the floor (m/s), and compensates known errors of the wheels. Returns
    /// the speeds that the motors produce.
    fn drive(&self, now: f64, wheels: [f32; 2], lamps: Option<Ring>, shell: &mut impl Shell) -> [f32; 2] {
        let sent = shell.drive(&self.core, self.body.compensated(wheels), lamps);
        if self.core.adapts() {
            shell.notice(Observation::Wheels(now, sent));
        }
        sent
    }

    /// Sends lines of the robot's log to the hub. Lines that exceed the maximum rate wait in the queue of the shell.
    /// Lines are lost if this queue is full.
    fn tell_log(&mut self, shell: &mut impl Shell) {
        self.lines_due = (self.lines_due + LOG_PER_UPDATE).min(LOG_BURST);
        while self.lines_due >= 1.0
            && let Some(line) = shell.next_log_line()
        {
            self.lines_due -= 1.0;
            let _ = shell.send(RobotMessage::Log(line));
        }
    }

    fn telemetry(&self, now: f64, readings: &Readings, wheels: [f32; 2]) -> Telemetry {
        let mut telemetry = self.core.telemetry(now, readings);
        telemetry.motion.wheels = wheels;
        let trip_ms = self.core.round_trip().map(|trip| (trip / self.speed * 1000.0) as f32);
        telemetry.link = LinkReport { trip_ms, refused: self.refused.saturating_add(self.core.stale_seals()) };
        telemetry.unsent = self.batches_lost;
        let progress = self.champion.progress();
        telemetry.evolution = EvolutionReport {
            generation: progress.generation,
            best: progress.best,
            derated: progress.derated,
            evaluations: progress.evaluations,
            mean: progress.mean,
            ..EvolutionReport::default()
        };
        telemetry
    }

    fn act(&mut self, actions: Vec<Action>, shell: &mut impl Shell) {
        for action in actions {
            match action {
                Action::Send(message) => {
                    let _ = shell.send(message);
                }
                Action::Prepare(plan) => {
                    self.champion = OnboardChampion::default();
                    self.heritage = SampleReporter::default();
                    self.body = WorldModel::default();
                    shell.start_island(*plan);
                }
                Action::TellMissed => {
                    self.missed.on_hub_has_run(self.now).into_iter().for_each(|text| shell.log(Line::info(text)));
                }
                Action::Evolve(running) => shell.run_island(running),
                Action::ChangeTrials(trials) => shell.change_trials(trials),
                Action::Probe(noticed) => shell.notice(noticed),
                Action::KeepController => self.champion.cancel_pending(),
                Action::Immigrants { generation, genes } => self.immigrate(generation, &genes, shell),
                Action::LoadFittest { segment } => {
                    let loaded = self.champion.load(&mut self.core, segment);
                    tell_loaded(loaded, shell);
                }
                Action::Settings { number, text, may } => shell.change_settings(number, &text, may),
                Action::Welcomed => shell.welcomed(),
                Action::Offer { number, bundle } => shell.offer(number, bundle),
                Action::Chunk { digest, offset, bytes } => shell.chunk(digest, offset, bytes),
                Action::Execute(wish) => shell.execute(wish),
                Action::Remember(told) => shell.remember(told),
                Action::Log(line) => shell.log(line),
            }
        }
    }

    fn immigrate(&mut self, generation: u32, genes: &[Emigrant], shell: &mut impl Shell) {
        // In a run with exchange between robots, the island gets its genes from other robots only.
        if self.core.exchanges().is_some() {
            return;
        }
        let (mut sound, mut errors) = (Vec::new(), Vec::new());
        for gene in genes {
            match Migrant::admit(gene.values(), self.core.primitive_set()) {
                Ok(migrant) => sound.push(migrant),
                Err(error) => errors.push(error),
            }
        }
        shell.immigrate(generation, sound);
        for error in errors {
            self.refuse();
            shell.log(Line::warn(format!("rejected: {error}")));
        }
    }

    fn refuse(&mut self) {
        self.refused = self.refused.saturating_add(1);
    }
}

fn tell_loaded(loaded: Result<Option<RobotMessage>, CompileError>, shell: &mut impl Shell) {
    match loaded {
        Ok(None) => {}
        Ok(Some(message)) => {
            let _ = shell.send(message);
        }
        Err(error) => shell.log(Line::warn(format!("cannot load the fittest tree: {error}"))),
    }
}

#[cfg(test)]
mod tests;
