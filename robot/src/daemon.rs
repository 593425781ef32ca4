//! The shell around [`Core`]: clock, link, devices and the island's thread, in one loop that polls, on a real-time thread
//! where the kernel allows it.

use crate::conditioning::Readings;
use crate::config::Config;
use crate::core::{Action, Core};
use crate::genes::{from_gene, to_gene};
use crate::groot::Publisher;
use crate::hardware::Hardware;
use crate::link::LinkError;
use crate::onboard::{News, Onboard, Plan};
use crate::pace::{self, Pace};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use xpuck_evolve::{Migrant, Progress};
use xpuck_kernels::world::model::CONTROL_PERIOD;
use xpuck_wire::message::{RobotMessage, ToRobot};
use xpuck_wire::socket::{Dealer, SocketError, Sockets, wait};
use xpuck_wire::telemetry::{ControlReport, EvolutionReport, LinkReport};

/// Messages handled between two looks at the clock.
const MESSAGES_AT_ONCE: usize = 64;

/// Why a robot could not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The link to the hub.
    #[error("link to the hub: {0}")]
    Link(#[from] SocketError),
    /// Where Groot2 watches.
    #[error("groot = {0}")]
    Groot(SocketError),
    /// The system gives no thread.
    #[error("no thread for the control loop: {0}")]
    Thread(std::io::Error),
    /// A device.
    #[error("{0}; is the arena running, or the robot's board connected?")]
    Device(#[from] LinkError),
}

struct Daemon<'a> {
    config: &'a Config,
    core: Core,
    link: Dealer,
    hardware: Hardware,
    publisher: Option<Publisher>,
    onboard: Option<Onboard>,
    champion: Option<Migrant>,
    /// A segment whose tree could not be loaded yet, because no generation is done.
    owed: Option<u32>,
    progress: Progress,
    refused: u32,
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
    let mut daemon = Daemon {
        config,
        core: Core::new(config.island),
        link: Sockets::new().robot(&config.swarm.hub.robots, &config.robot.id)?,
        hardware: Hardware::open(config)?,
        publisher: config.robot.groot.as_deref().map(Publisher::start).transpose().map_err(StartError::Groot)?,
        onboard: None,
        champion: None,
        owed: None,
        progress: Progress::default(),
        refused: 0,
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
        match pace::run_first(priority) {
            Ok(()) => self.realtime = true,
            Err(_) => self.say("the kernel refuses real-time priority (CAP_SYS_NICE); updates may be late under load"),
        }
    }

    fn listen(&mut self, now: f64) {
        for _ in 0..MESSAGES_AT_ONCE {
            match self.link.receive::<ToRobot>() {
                Some(Ok(message)) => {
                    let actions = self.core.on_message(now, message);
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
                    let evolution = self.config.robot.evolution.clone();
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
                    (self.champion, self.owed, self.progress) = (None, None, Progress::default());
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
                Action::Say(text) => self.say(&text),
            }
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
        let Some(champion) = &self.champion else {
            self.owed = Some(segment);
            return;
        };
        self.owed = None;
        match self.core.load(&champion.tree) {
            Ok(()) => {
                self.link.send(&RobotMessage::Loaded { segment, gene: to_gene(champion) });
            }
            Err(error) => self.say(&format!("the fittest tree is not loaded: {error}")),
        }
    }

    /// Takes the island's news.
    fn collect(&mut self) {
        let Some(onboard) = &self.onboard else { return };
        match onboard.poll() {
            None => return,
            Some(News::Say(line)) => self.say(&line),
            Some(News::Resumed { progress, champion }) => {
                self.progress = progress;
                self.champion = Some(*champion);
            }
            Some(News::Generation(done)) => {
                self.progress = done.progress;
                self.champion = Some(done.champion);
                let generation = done.progress.generation;
                let emigrant = to_gene(&done.emigrant);
                self.link.send(&RobotMessage::Genes { generation, emigrant, births: done.births });
            }
        }
        if let Some(segment) = self.owed {
            self.load(segment);
        }
    }

    /// One control update.
    fn update(&mut self, now: f64) {
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
        telemetry.link = LinkReport { trip_ms, refused: self.refused };
        let p = &self.progress;
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
        eprintln!("xpuckd {}: {text}", self.config.robot.id);
    }
}
