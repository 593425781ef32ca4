//! One robot around its [`Core`]: the order in which messages, news of the island and control updates are dealt with, which
//! genes pass, and what telemetry says. All that touches the world is behind [`Shell`].

use crate::champion::OnboardChampion;
pub use crate::core::Wish;
use crate::core::{Action, Core};
use crate::heritage::Heritage;
use crate::island::{IslandPlan, News, Trials};
use crate::readings::Readings;
use xpuck_evolve::Migrant;
use xpuck_kernels::tree::CompileError;
use xpuck_wire::codec::{CodecError, UnknownNames};
use xpuck_wire::log::Line;
use xpuck_wire::message::{Emigrant, LogLine, RobotMessage, State, ToRobot};
use xpuck_wire::rollout::BundleHead;
use xpuck_wire::seal::Sealed;
use xpuck_wire::signed::Trust;
use xpuck_wire::telemetry::{EvolutionReport, LinkReport, Telemetry};

/// Messages handled between two looks at the clock.
pub const MESSAGES_AT_ONCE: usize = 64;

/// Lines of the log told at once, and with each update on average: two a second.
const LINES_AT_ONCE: f32 = 20.0;
const LINES_EACH: f32 = 0.2;

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

    /// The island's next news, none if there are none.
    fn news(&mut self) -> Option<News>;

    /// Does what an operator wants besides driving.
    fn fulfil(&mut self, wish: Wish);

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

    /// Commands the wheels, speeds over the floor in m/s, and shows what the core does. Returns the speeds that the motors
    /// make of it.
    fn drive(&mut self, core: &Core, wheels: [f32; 2]) -> [f32; 2];

    /// Has the wheels stand at once: the next control update may be a tenth of a second away.
    fn stand(&mut self, core: &Core);

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
    /// Lines of the log that may be told now.
    lines_due: f32,
}

impl Robot {
    /// A robot that has just been switched on; `speed` is arena time over wall time.
    pub fn new(core: Core, speed: f64) -> Robot {
        Robot {
            core,
            champion: OnboardChampion::default(),
            speed,
            refused: 0,
            unknown: UnknownNames::default(),
            batches_lost: 0,
            heritage: Heritage::default(),
            lines_due: LINES_AT_ONCE,
        }
    }

    /// Generations that the island has done.
    pub fn generation(&self) -> u32 {
        self.champion.progress().generation
    }

    /// Handles the messages that wait, at most [`MESSAGES_AT_ONCE`]. `now` is s of arena time, as everywhere.
    pub fn listen(&mut self, now: f64, shell: &mut impl Shell) {
        let drove = self.core.state() == State::Run;
        self.hear(now, shell);
        if drove && self.core.state() != State::Run {
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

    /// Takes the island's next news.
    pub fn collect(&mut self, shell: &mut impl Shell) {
        let (progress, champion) = match shell.news() {
            None => return,
            Some(News::Say(line)) => return shell.log(line),
            // An island of an earlier run ends the generation in hand; its fittest must not drive this one.
            Some(_) if self.core.is_fixed() => return,
            Some(News::Resumed { progress, champion }) => (progress, *champion),
            Some(News::Generation(done)) => {
                let _ = shell.send(RobotMessage::Population(done.population));
                let _ = shell.send(done.message());
                self.heritage.take(done.progress.generation, &done.samples);
                (done.progress, done.champion)
            }
        };
        let loaded = self.champion.take(&mut self.core, progress, champion);
        tell_loaded(loaded, shell);
    }

    /// One control update: reads the senses, ticks the tree, commands the wheels and sends telemetry.
    pub fn update(&mut self, now: f64, shell: &mut impl Shell) {
        let actions = self.core.on_time(now);
        self.act(actions, shell);
        let readings = shell.sense();
        let wheels = self.core.control(now, &readings);
        let wheels = shell.drive(&self.core, wheels);
        for updates in self.core.sent(wheels) {
            let sent = shell.send(RobotMessage::Updates(Box::new(updates)));
            self.batches_lost = self.batches_lost.saturating_add(u32::from(!sent));
        }
        self.tell_log(shell);
        if let Some(samples) = self.heritage.due(now) {
            let _ = shell.send(samples);
        }
        let mut telemetry = self.telemetry(now, &readings, wheels);
        shell.report(&mut telemetry);
        let _ = shell.send(RobotMessage::Telemetry(Box::new(telemetry.rounded())));
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
                    shell.start_island(*plan);
                }
                Action::Evolve(running) => shell.run_island(running),
                Action::ChangeTrials(trials) => shell.change_trials(trials),
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
                Action::Say(line) => shell.log(line),
            }
        }
    }

    fn immigrate(&mut self, generation: u32, genes: &[Emigrant], shell: &mut impl Shell) {
        let (mut sound, mut errors) = (Vec::new(), Vec::new());
        for gene in genes {
            match Migrant::check(gene.values()) {
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
