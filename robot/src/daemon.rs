//! The shell around [`Core`]: clock, link, devices and the island's thread, in one loop that polls, on a real-time thread
//! where the kernel allows it.

use crate::conditioning::Readings;
use crate::config::{Config, EvolutionFile};
use crate::core::{Action, Core};
use crate::device::DeviceError;
use crate::genes::from_gene;
use crate::groot::Publisher;
use crate::hardware::Hardware;
use crate::link::LinkError;
use crate::onboard::{News, Onboard, Plan};
use crate::pace::Pace;
use crate::settings::Settings;
use crate::trust::Operators;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use xpuck_kernels::model::CONTROL_PERIOD;
use xpuck_kernels::tree::CompileError;
use xpuck_robot_core::inhabitant::Inhabitant;
use xpuck_wire::log;
use xpuck_wire::message::{RobotMessage, ToRobot};
use xpuck_wire::precedence;
use xpuck_wire::seal::{Sealed, fresh_session};
use xpuck_wire::signed::Trust;
use xpuck_wire::socket::{Dealer, SocketError, Sockets, wait};
use xpuck_wire::telemetry::{ControlReport, EvolutionReport, LinkReport};
use xpuck_wire::{FileError, is_local};

/// Messages handled between two looks at the clock.
const MESSAGES_AT_ONCE: usize = 64;

/// Why a robot could not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The keys.
    #[error("{0}")]
    Keys(#[from] FileError),
    /// The link to the hub.
    #[error("link to the hub: {0}")]
    Link(#[from] SocketError),
    /// Where Groot2 watches.
    #[error("groot = {0}")]
    Groot(SocketError),
    /// The system gives no thread.
    #[error("no thread for the control loop: {0}")]
    Thread(std::io::Error),
    /// Another program drives this robot.
    #[error("{0}")]
    Held(String),
    /// A device.
    #[error("{0}; is the arena running, or the robot's board connected?")]
    Device(#[from] LinkError),
}

impl StartError {
    fn of_devices(error: LinkError) -> StartError {
        match error {
            LinkError::Device(held @ DeviceError::Held { .. }) => StartError::Held(held.to_string()),
            error => error.into(),
        }
    }
}

struct Daemon<'a> {
    config: &'a Config,
    core: Core,
    link: Dealer,
    operators: Operators<'a>,
    hardware: Hardware,
    settings: Settings,
    /// As the next experiment evolves.
    evolution: EvolutionFile,
    publisher: Option<Publisher>,
    onboard: Option<Onboard>,
    inhabitant: Inhabitant,
    refused: u32,
    /// The hub did not let this robot's key in, and was not heard since.
    turned_away: bool,
    readings: Readings,
    pace: Pace,
    realtime: bool,
}

/// Runs a robot until `stop`; its wheels stand when this returns.
///
/// # Errors
/// What keeps it from starting.
pub fn run(config: &Config, stop: &AtomicBool) -> Result<(), StartError> {
    let period = Duration::from_secs_f64(f64::from(CONTROL_PERIOD) / config.swarm.speed);
    let security = &config.swarm.security;
    let sockets = Sockets::for_robot(security, &config.robot.id)?;
    let mut operators = Operators::new(config);
    let trust = operators.look().unwrap_or_else(Trust::nobody);
    if let Some(groot) = config.robot.groot.as_ref().filter(|groot| !is_local(groot)) {
        log::line(format_args!(
            "xpuckd {}: groot = {groot} has no keys: whoever reaches it sees the tree",
            config.robot.id
        ));
    }
    let mut daemon = Daemon {
        config,
        core: Core::new(config.island, fresh_session()?, trust),
        operators,
        link: sockets.robot(&config.swarm.hub.robots, &config.robot.id)?,
        hardware: Hardware::open(config).map_err(StartError::of_devices)?,
        settings: Settings::new(&config.file),
        evolution: config.robot.evolution.clone(),
        publisher: config.robot.groot.as_deref().map(Publisher::start).transpose().map_err(StartError::Groot)?,
        onboard: None,
        inhabitant: Inhabitant::default(),
        refused: 0,
        turned_away: false,
        readings: Readings::default(),
        pace: Pace::new(period),
        realtime: false,
    };
    // A thread of its own: those of sockets and devices, which began before, keep their ordinary priority.
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().name("control".into());
        builder.spawn_scoped(scope, || daemon.run(stop)).map(|_| ()).map_err(StartError::Thread)
    })
}

impl Daemon<'_> {
    fn run(&mut self, stop: &AtomicBool) {
        self.run_first();
        let started = Instant::now();
        while !stop.load(Ordering::Relaxed) {
            let left = self.pace.left(started.elapsed());
            // Sockets wait in whole milliseconds; the rest is slept.
            match left.as_millis() {
                0 => std::thread::sleep(left),
                whole => wait(&[&self.link], whole as i64),
            }
            let elapsed = started.elapsed();
            let now = elapsed.as_secs_f64() * self.config.swarm.speed;
            let due = self.pace.begins(elapsed);
            self.listen(now);
            self.collect();
            if due {
                self.update(now);
            }
        }
        self.hardware.halt();
    }

    fn run_first(&mut self) {
        let priority = self.config.robot.control.realtime;
        if priority == 0 {
            return;
        }
        match precedence::run_first(priority) {
            Ok(()) => self.realtime = true,
            Err(_) => self.say("the kernel refuses real-time priority (CAP_SYS_NICE); updates may be late under load"),
        }
    }

    fn listen(&mut self, now: f64) {
        for _ in 0..MESSAGES_AT_ONCE {
            match self.link.receive::<Sealed>() {
                Some(Ok(message)) => {
                    self.turned_away = false;
                    // Before it is judged: an operator may have been enrolled or revoked since the last one.
                    if matches!(message.message, ToRobot::Experiment { .. })
                        && let Some(trust) = self.operators.look()
                    {
                        self.core.set_trust(trust);
                    }
                    let actions = self.core.on_sealed(now, message);
                    self.act(actions);
                }
                Some(Err(error)) => {
                    self.refuse();
                    if self.refused == 1 {
                        self.say(&format!("a message from the hub is refused: {error}"));
                    }
                }
                None => break,
            }
        }
    }

    fn refuse(&mut self) {
        self.refused = self.refused.saturating_add(1);
    }

    fn act(&mut self, actions: Vec<Action>) {
        for action in actions {
            match action {
                Action::Send(message) => {
                    self.link.send(&message);
                }
                Action::Prepare { experiment, number, algorithm, seed, robots } => {
                    let evolution = self.evolution.clone();
                    let plan = Plan {
                        experiment: *experiment,
                        number,
                        algorithm,
                        seed,
                        island: self.config.island,
                        robots,
                        threads: evolution.threads,
                        state: evolution.state,
                        temperature: evolution.temperature,
                        max_temperature: evolution.max_temperature_c,
                    };
                    self.inhabitant = Inhabitant::default();
                    self.onboard = match Onboard::start(plan) {
                        Ok(onboard) => Some(onboard),
                        Err(error) => {
                            self.say(&format!("evolution cannot start: {error}; the robot runs without"));
                            None
                        }
                    };
                }
                Action::Evolve(running) => {
                    if let Some(onboard) = &self.onboard {
                        onboard.run(running);
                    }
                }
                Action::Immigrants { generation, genes } => self.immigrate(generation, &genes),
                Action::LoadFittest { segment } => self.load(segment),
                Action::Settings { number, text, may } => self.change(number, &text, may),
                Action::Say(text) => self.say(&text),
            }
        }
    }

    /// Writing takes as long as the disk does; the wheels stand while settings may change.
    fn change(&mut self, number: u64, text: &str, may: bool) {
        let (answer, robot) = self.settings.take(number, text, may);
        if let Some(robot) = robot {
            // Where generations are kept cannot be changed, and the file has it relative.
            let state = self.evolution.state.take();
            self.evolution = EvolutionFile { state, ..robot.evolution };
            self.hardware.recalibrate(robot.calibration);
            self.say("new settings from the hub are in the robot's file");
        }
        if let Some(answer) = answer {
            self.link.send(&RobotMessage::Settings(answer));
        }
    }

    fn immigrate(&mut self, generation: u32, genes: &[xpuck_wire::message::Gene]) {
        let Some(onboard) = &self.onboard else { return };
        let checked: Vec<_> = genes.iter().map(from_gene).collect();
        let migrants = checked.iter().flatten().cloned().collect();
        onboard.immigrate(generation, migrants);
        for error in checked.iter().filter_map(|c| c.as_ref().err()) {
            self.refuse();
            self.say(&format!("refused: {error}"));
        }
    }

    /// Loads the island's fittest tree; before the first generation is done, as soon as it is.
    fn load(&mut self, segment: u32) {
        let loaded = self.inhabitant.load(&mut self.core, segment);
        self.loaded(loaded);
    }

    fn loaded(&mut self, loaded: Result<Option<RobotMessage>, CompileError>) {
        match loaded {
            Ok(None) => {}
            Ok(Some(message)) => drop(self.link.send(&message)),
            Err(error) => self.say(&format!("the fittest tree is not loaded: {error}")),
        }
    }

    /// Takes the island's news.
    fn collect(&mut self) {
        let Some(onboard) = &self.onboard else { return };
        match onboard.poll() {
            None => {}
            Some(News::Say(line)) => self.say(&line),
            Some(News::Resumed { progress, champion }) => {
                let loaded = self.inhabitant.take(&mut self.core, progress, *champion);
                self.loaded(loaded);
            }
            Some(News::Generation(done)) => {
                self.link.send(&done.message());
                let loaded = self.inhabitant.take(&mut self.core, done.progress, done.champion);
                self.loaded(loaded);
            }
        }
    }

    /// One control update.
    fn update(&mut self, now: f64) {
        if self.link.turned_away() > 0 && !self.turned_away {
            self.turned_away = true;
            self.say("the hub does not let this robot's key in; `xpuck keys enrol` enrols it there");
        }
        let actions = self.core.on_time(now);
        self.act(actions);
        self.readings = self.hardware.sense();
        let wheels = self.core.control(now, &self.readings);
        let wheels = self.hardware.drive(wheels, self.core.state());
        for line in self.hardware.troubles() {
            self.say(&line);
        }
        if let Some(publisher) = &mut self.publisher {
            publisher.show(self.core.controller());
        }
        self.tell(now, wheels);
    }

    fn tell(&mut self, now: f64, wheels: [f32; 2]) {
        let mut telemetry = self.core.telemetry(now, &self.readings);
        self.hardware.report(&mut telemetry);
        telemetry.motion.wheels = wheels;
        telemetry.control = ControlReport {
            realtime: self.realtime,
            late_us: self.pace.late_us(),
            p99_us: self.pace.lateness().percentile(0.99),
            max_us: self.pace.lateness().max_us(),
            missed: self.pace.missed(),
            bins: self.pace.lateness().bins(),
        };
        let trip_ms = self.core.round_trip().map(|trip| (trip / self.config.swarm.speed * 1000.0) as f32);
        telemetry.link = LinkReport { trip_ms, refused: self.refused.saturating_add(self.core.stale_seals()) };
        telemetry.log_lines_lost = log::lost().try_into().unwrap_or(u32::MAX);
        let p = self.inhabitant.progress();
        telemetry.evolution = EvolutionReport {
            generation: p.generation,
            best: p.best,
            derated: p.derated,
            evaluations: p.evaluations,
            mean: p.mean,
            duty: self.onboard.as_ref().map_or(0.0, Onboard::duty),
            kept: self.onboard.as_ref().map_or(0, Onboard::kept),
        };
        self.link.send(&RobotMessage::Telemetry(Box::new(telemetry)));
    }

    fn say(&self, text: &str) {
        log::line(format_args!("xpuckd {}: {text}", self.config.robot.id));
    }
}
