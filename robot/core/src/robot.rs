//! One robot around its [`Core`]: the order in which messages, news of the island and control updates are dealt with, which
//! genes pass, and what telemetry says. All that touches the world is behind [`Shell`].

use crate::champion::OnboardChampion;
pub use crate::core::Wish;
use crate::core::{Action, Core};
use crate::external::{Command, Ring, Said};
use crate::heritage::Heritage;
use crate::island::{Generation, IslandPlan, News, Trials};
use crate::missed::Missed;
use crate::peers::{self, Heard, Peers, SayError};
use crate::probe::Noticed;
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
use xpuck_wire::witness::Testimony;

/// Messages handled between two looks at the clock.
pub const MESSAGES_AT_ONCE: usize = 64;

/// Lines of the log told at once, and with each update on average: two a second.
const LINES_AT_ONCE: f32 = 20.0;
const LINES_EACH: f32 = 0.2;

/// The further sensors are told so often, s.
const SENSORS_PERIOD: f64 = 0.5;

/// What is kept is told again so often, s.
const KEPT_PERIOD: f64 = 1.0;

/// The world around one robot: `xpuckd` has devices and sockets there, the simulation test simulated ones. No method
/// waits.
pub trait Shell {
    /// The next message from the hub, none if none is there; an error says in one line why it cannot be read.
    fn receive(&mut self) -> Option<Result<Sealed, CodecError>>;

    /// What a message makes the core do. Only the simulation test's mutants put anything else here.
    fn hear(&mut self, core: &mut Core, now: f64, message: Sealed) -> Vec<Action> {
        core.on_sealed(now, message)
    }

    /// Sends to the hub; false if the message is lost because the queue is full.
    fn send(&mut self, message: RobotMessage) -> bool;

    /// The next message of another robot, by the island whose key it came with, opened by [`peers::open`]; none if none is
    /// there.
    fn hear_peer(&mut self) -> Option<(u16, Heard)> {
        None
    }

    /// Sends to another robot; what cannot be sent is lost.
    fn tell_peer(&mut self, _island: u16, _message: PeerMessage) {}

    /// Messages of robots that were refused by their keys, since the start, and messages that found no room since the last
    /// call.
    fn refused_peers(&mut self) -> (u64, u64) {
        (0, 0)
    }

    /// Whose experiments are run, if that changed since this was asked.
    fn trust(&mut self) -> Option<Trust>;

    /// Replaces the island by a new one, standing still.
    fn start_island(&mut self, plan: IslandPlan);

    /// Lets the island, if there is one, live or stand still.
    fn run_island(&mut self, running: bool);

    /// Has the island, if there is one, try its trees there from now on.
    fn change_trials(&mut self, trials: Trials);

    /// Hands checked genes that answer `generation` to the island, if there is one.
    fn immigrate(&mut self, generation: u32, migrants: Vec<Migrant>);

    /// Hands what the robot noticed to its reality probe, if there is one.
    fn notice(&mut self, _noticed: Noticed) {}

    /// The island's next news, none if there are none.
    fn news(&mut self) -> Option<News>;

    /// Does what an operator wants besides driving.
    fn fulfil(&mut self, wish: Wish);

    /// Keeps what the robot was told last over a restart of its program.
    fn remember(&mut self, told: Testimony);

    /// Number of the directive that a restart would find, or nothing older, if that is news.
    fn remembered(&mut self) -> Option<u64>;

    /// The hub has welcomed this robot: tells it which release is installed.
    fn welcomed(&mut self) {}

    /// Takes what the hub offers, not yet verified.
    fn offer(&mut self, _number: u64, _bundle: BundleHead) {}

    /// Takes a piece of what was asked for.
    fn chunk(&mut self, _digest: String, _offset: u64, _bytes: Vec<u8>) {}

    /// Takes part of a robot's file, not yet checked, into this robot's and answers the hub; `may` is true if the robot may
    /// change now.
    fn change_settings(&mut self, number: u64, text: &str, may: bool);

    /// The newest of all senses.
    fn sense(&mut self) -> Readings;

    /// What the further sensors tell, for the hub.
    fn sensors(&mut self) -> Option<Sensors> {
        None
    }

    /// Commands the wheels, speeds over the floor in m/s, and shows what the core does, or the colour that an external
    /// controller wants, on the lamps. Returns the speeds that the motors make of it.
    fn drive(&mut self, core: &Core, wheels: [f32; 2], lamps: Option<Ring>) -> [f32; 2];

    /// Has the wheels stand at once: the next control update may be a tenth of a second away.
    fn stand(&mut self, core: &Core);

    /// The next thing that a program at the robot's socket said, with the number of its connection; none if there is none.
    fn program(&mut self) -> Option<(u32, Said)> {
        None
    }

    /// Tells the program of a connection what became of what it said; the wheels have their new speeds.
    fn answer_program(&mut self, _connection: u32, _result: Result<(), String>) {}

    /// A program listens at the robot's socket.
    fn has_programs(&self) -> bool {
        false
    }

    /// Tells the programs at the robot's socket what the controller of another robot, by its place in the swarm file, said.
    fn tell_programs(&mut self, _from: u16, _text: &str) {}

    /// Adds to telemetry what devices, clock and the island's thread tell.
    fn report(&mut self, telemetry: &mut Telemetry);

    /// A line for the log.
    fn log(&mut self, line: Line);

    /// The next line that the robot's log said, whoever said it; none if there is none.
    fn said(&mut self) -> Option<LogLine>;
}

/// A robot's decisions, with all that they remember.
#[derive(Clone, Debug)]
pub struct Robot {
    /// State, controller and wheels.
    pub core: Core,
    champion: OnboardChampion,
    /// Arena time over wall time.
    speed: f64,
    /// Messages and genes that were refused.
    refused: u32,
    /// Names in messages of a newer hub.
    unknown: UnknownNames,
    /// Batches of control updates that found the queue to the hub full.
    batches_lost: u32,
    /// Samples that the hub is to be told.
    heritage: Heritage,
    /// Generations that it may have missed.
    missed: Missed,
    /// The other robots.
    peers: Peers,
    /// When messages were handled last, s.
    now: f64,
    /// The hub was heard then.
    heard: bool,
    /// The run that generations are of.
    run: RunName,
    /// Lines of the log that may be told now.
    lines_due: f32,
    /// What an external controller had the wheels do last.
    driven: Option<Command>,
    /// When the further sensors are told next, s.
    sensors_due: f64,
    /// What the robot holds its own wheels for.
    body: WorldModel,
    /// The hub was told last that this directive is kept, and is told again then, s.
    told_kept: (u64, f64),
}

impl Robot {
    /// A robot that has just been switched on; `speed` is arena time over wall time.
    pub fn new(core: Core, speed: f64) -> Robot {
        Robot {
            peers: Peers::new(core.island(), 0, core.session()),
            missed: Missed::new(speed),
            now: 0.0,
            heard: false,
            run: RunName::default(),
            core,
            champion: OnboardChampion::default(),
            speed,
            refused: 0,
            unknown: UnknownNames::default(),
            batches_lost: 0,
            heritage: Heritage::default(),
            lines_due: LINES_AT_ONCE,
            driven: None,
            sensors_due: 0.0,
            body: WorldModel::default(),
            told_kept: (0, 0.0),
        }
    }

    /// A robot that knows where the others are, of so many in all.
    pub fn among(self, robots: usize) -> Robot {
        let peers = Peers::new(self.core.island(), robots as u16, self.core.session());
        Robot { core: self.core.among_peers(), peers, ..self }
    }

    /// Says something, at most [`xpuck_wire::peer::MAX_WORDS`] bytes, to the controller of the robot `to`, by its island. It
    /// is sent with the next look at messages, and may get lost.
    ///
    /// # Errors
    /// The words are too long or too many, or that robot is not in range.
    pub fn say(&mut self, to: u16, bytes: &[u8]) -> Result<(), SayError> {
        self.peers.say(self.now, to, bytes)
    }

    /// The next words that another robot in range said to this one's controller: its island, and what.
    pub fn heard(&mut self) -> Option<(u16, Vec<u8>)> {
        self.peers.heard()
    }

    /// The other robots, as this one knows them.
    pub fn peers(&self) -> &Peers {
        &self.peers
    }

    /// Generations that the island has done.
    pub fn generation(&self) -> u32 {
        self.champion.progress().generation
    }

    /// Handles the messages that wait, at most [`MESSAGES_AT_ONCE`]. `now` is s of arena time, as everywhere.
    pub fn listen(&mut self, now: f64, shell: &mut impl Shell) {
        let drives = |core: &Core| core.state() == State::Run || core.external_command(now).is_some();
        let drove = drives(&self.core);
        self.now = now;
        self.hear(now, shell);
        while let Some(number) = shell.remembered() {
            self.core.kept(number);
        }
        if self.core.run() != self.run {
            self.run = self.core.run();
            self.missed.clear();
        }
        self.hear_peers(now, shell);
        self.notice_hub(now);
        if drove && !drives(&self.core) {
            shell.stand(&self.core);
        }
    }

    fn hear(&mut self, now: f64, shell: &mut impl Shell) {
        for _ in 0..MESSAGES_AT_ONCE {
            match shell.receive() {
                Some(Ok(message)) => {
                    // Before it is judged: an operator may have been enrolled or revoked since the last one.
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
                        shell.log(Line::warn(format!("a message from the hub is refused: {error}")));
                    }
                }
                None => break,
            }
        }
    }

    /// Handles what programs at the robot's socket said, at most [`MESSAGES_AT_ONCE`], and has the wheels do at once what
    /// external controllers want; a command that ended makes them stand.
    pub fn attend(&mut self, now: f64, shell: &mut impl Shell) {
        for _ in 0..MESSAGES_AT_ONCE {
            let Some((connection, said)) = shell.program() else { break };
            let words = if let Said::Tell(to, text) = &said { Some((*to, text.clone())) } else { None };
            let done = self.core.on_program(now, connection, said).and_then(|actions| {
                let told = words.map(|(to, text)| self.say(to, text.as_bytes())).transpose();
                told.map(|_| actions).map_err(|error| error.to_string())
            });
            let result = done.map(|actions| self.act(actions, shell));
            self.follow(now, shell);
            shell.answer_program(connection, result);
        }
        self.follow(now, shell);
        while shell.has_programs()
            && let Some((from, bytes)) = self.heard()
        {
            shell.tell_programs(from, &String::from_utf8_lossy(&bytes));
        }
    }

    fn follow(&mut self, now: f64, shell: &mut impl Shell) {
        let wanted = self.core.external_command(now);
        if wanted == self.driven {
            return;
        }
        match wanted {
            Some(command) => drop(self.drive(now, command.wheels, command.lamps, shell)),
            // The tree goes on at its next update.
            None => shell.stand(&self.core),
        }
        self.driven = wanted;
    }

    /// Deals with the messages of other robots that wait, at most [`peers::MESSAGES_AT_ONCE`], and sends what there is to
    /// say to them.
    fn hear_peers(&mut self, now: f64, shell: &mut impl Shell) {
        self.peers.enter(self.core.exchanges().map(|(run, plan)| (run, &**plan)));
        if let Some(neighbours) = self.core.neighbours(now) {
            self.peers.sense(now, neighbours);
        }
        for _ in 0..peers::MESSAGES_AT_ONCE {
            let Some((from, heard)) = shell.hear_peer() else { break };
            self.peers.on_message(now, from, heard);
        }
        self.tell_peers(shell);
    }

    fn tell_peers(&mut self, shell: &mut impl Shell) {
        self.peers.take_messages().into_iter().for_each(|(to, message)| shell.tell_peer(to, message));
        self.peers.take_lines().into_iter().for_each(|line| shell.log(line));
    }

    /// What was told to a hub that has fallen silent may be lost.
    fn notice_hub(&mut self, now: f64) {
        let heard = self.core.hears_hub(now);
        if std::mem::replace(&mut self.heard, heard) && !heard {
            self.missed.silent(now);
        }
    }

    /// Takes the island's next news.
    pub fn collect(&mut self, shell: &mut impl Shell) {
        let (progress, champion) = match shell.news() {
            None => return,
            Some(News::Say(line)) => return shell.log(line),
            // An island of an earlier run ends the generation in hand; its fittest must not drive this one.
            Some(_) if self.core.is_fixed() => return,
            Some(News::Resumed { progress, champion }) => (progress, *champion),
            Some(News::Generation(done)) => {
                self.tell_generation(&done, shell);
                self.heritage.take(done.progress.generation, &done.samples);
                (done.progress, done.champion)
            }
        };
        let loaded = self.champion.take(&mut self.core, progress, champion);
        tell_loaded(loaded, shell);
    }

    /// Tells the hub of a generation, now or when it is heard again, and gives the island the genes that came from other
    /// robots.
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
        for message in self.missed.take(self.now, self.heard, generation, messages) {
            let _ = shell.send(message);
        }
    }

    /// One control update: reads the senses, ticks the tree, commands the wheels and sends telemetry.
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
        // Samples wait while nobody hears them; each individual's newest is enough.
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
            self.told_kept = (kept, now + KEPT_PERIOD);
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

    /// Has the wheels drive at these speeds over the floor, also one that is known to slip; gives what the motors make of it.
    fn drive(&self, now: f64, wheels: [f32; 2], lamps: Option<Ring>, shell: &mut impl Shell) -> [f32; 2] {
        let sent = shell.drive(&self.core, self.body.compensated(wheels), lamps);
        if self.core.adapts() {
            shell.notice(Noticed::Wheels(now, sent));
        }
        sent
    }

    /// Tells the hub what the log said. What comes faster waits, and is lost when too much waits.
    fn tell_log(&mut self, shell: &mut impl Shell) {
        self.lines_due = (self.lines_due + LINES_EACH).min(LINES_AT_ONCE);
        while self.lines_due >= 1.0
            && let Some(line) = shell.said()
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
                    self.heritage = Heritage::default();
                    self.body = WorldModel::default();
                    shell.start_island(*plan);
                }
                Action::TellMissed => {
                    self.missed.tell(self.now).into_iter().for_each(|text| shell.log(Line::info(text)));
                }
                Action::Evolve(running) => shell.run_island(running),
                Action::ChangeTrials(trials) => shell.change_trials(trials),
                Action::Notice(noticed) => shell.notice(noticed),
                Action::KeepController => self.champion.owe_nothing(),
                Action::Immigrants { generation, genes } => self.immigrate(generation, &genes, shell),
                Action::LoadFittest { segment } => {
                    let loaded = self.champion.load(&mut self.core, segment);
                    tell_loaded(loaded, shell);
                }
                Action::Settings { number, text, may } => shell.change_settings(number, &text, may),
                Action::Welcomed => shell.welcomed(),
                Action::Offer { number, bundle } => shell.offer(number, bundle),
                Action::Chunk { digest, offset, bytes } => shell.chunk(digest, offset, bytes),
                Action::Fulfil(wish) => shell.fulfil(wish),
                Action::Remember(told) => shell.remember(told),
                Action::Say(line) => shell.log(line),
            }
        }
    }

    fn immigrate(&mut self, generation: u32, genes: &[Emigrant], shell: &mut impl Shell) {
        // The island has had its answer, from other robots.
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
            shell.log(Line::warn(format!("refused: {error}")));
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
        Err(error) => shell.log(Line::warn(format!("the fittest tree is not loaded: {error}"))),
    }
}

#[cfg(test)]
mod tests;
