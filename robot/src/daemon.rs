//! The shell around [`Core`]: clock, link, devices and the island's thread, in one loop that polls.

use crate::config::Config;
use crate::core::{Action, Core, Readings};
use crate::device::DeviceError;
use crate::genes::{from_gene, to_gene};
use crate::groot::Publisher;
use crate::hardware::Hardware;
use crate::onboard::{Onboard, Plan};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use xpuck_evolve::{Migrant, Progress};
use xpuck_kernels::world::model::CONTROL_PERIOD;
use xpuck_wire::message::{EvolutionReport, RobotMessage, State, ToRobot};
use xpuck_wire::socket::{Dealer, SocketError, Sockets, wait};

/// Messages handled between two looks at the clock.
const MESSAGES_AT_ONCE: usize = 64;
/// Pause between attempts to reach devices that do not answer.
const DEVICE_RETRY: Duration = Duration::from_secs(1);

/// Why a robot could not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The link to the hub.
    #[error("link to the hub: {0}")]
    Link(#[from] SocketError),
    /// Where Groot2 watches.
    #[error("groot = {0}")]
    Groot(SocketError),
    /// A device.
    #[error("{0}; is the arena running, or the robot's board connected?")]
    Device(#[from] DeviceError),
}

struct Daemon<'a> {
    config: &'a Config,
    core: Core,
    link: Dealer,
    hardware: Option<Hardware>,
    retry_at: Instant,
    publisher: Option<Publisher>,
    onboard: Option<Onboard>,
    champion: Option<Migrant>,
    /// A segment whose tree could not be loaded yet, because no generation is done.
    owed: Option<u32>,
    progress: Progress,
    refused: u64,
    readings: Readings,
    jitter: f64,
}

/// Runs a robot until `stop`; its wheels stand when this returns.
pub fn run(config: &Config, stop: &AtomicBool) -> Result<(), StartError> {
    let mut daemon = Daemon {
        config,
        core: Core::new(config.island),
        link: Sockets::new().robot(&config.swarm.hub.robots, &config.robot.id)?,
        hardware: Some(Hardware::open(&config.robot.devices, &config.robot.id)?),
        retry_at: Instant::now(),
        publisher: config.robot.groot.as_deref().map(Publisher::start).transpose().map_err(StartError::Groot)?,
        onboard: None,
        champion: None,
        owed: None,
        progress: Progress::default(),
        refused: 0,
        readings: Readings::default(),
        jitter: 0.0,
    };
    let started = Instant::now();
    let speed = config.swarm.speed;
    let period = Duration::from_secs_f64(f64::from(CONTROL_PERIOD) / speed);
    let mut due = started + period;
    while !stop.load(Ordering::Relaxed) {
        let left = due.saturating_duration_since(Instant::now());
        wait(&[&daemon.link], left.as_millis() as i64);
        let now = started.elapsed().as_secs_f64() * speed;
        daemon.listen(now);
        daemon.collect();
        if Instant::now() < due {
            continue;
        }
        daemon.jitter = due.elapsed().as_secs_f64() * speed;
        // Updates that were missed altogether are not made up for.
        due = (due + period).max(Instant::now());
        daemon.update(now);
    }
    daemon.halt();
    Ok(())
}

impl Daemon<'_> {
    fn listen(&mut self, now: f64) {
        for _ in 0..MESSAGES_AT_ONCE {
            match self.link.receive::<ToRobot>() {
                Some(Ok(message)) => {
                    let actions = self.core.on_message(now, message);
                    self.act(actions);
                }
                Some(Err(error)) => {
                    self.refused += 1;
                    if self.refused == 1 {
                        self.say(&format!("a message from the hub is refused: {error}"));
                    }
                }
                None => break,
            }
        }
    }

    fn act(&mut self, actions: Vec<Action>) {
        for action in actions {
            match action {
                Action::Send(message) => {
                    self.link.send(&message);
                }
                Action::Prepare { experiment, seed, robots } => {
                    let threads = self.config.robot.evolution.threads;
                    let plan = Plan { experiment: *experiment, seed, island: self.config.island, robots, threads };
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
            self.refused += 1;
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

    /// Takes finished generations from the island.
    fn collect(&mut self) {
        let Some(onboard) = &self.onboard else { return };
        let Some(done) = onboard.poll() else { return };
        self.progress = done.progress;
        self.champion = Some(done.champion);
        let generation = done.progress.generation;
        let emigrant = to_gene(&done.emigrant);
        self.link.send(&RobotMessage::Genes { generation, emigrant, births: done.births });
        if let Some(segment) = self.owed {
            self.load(segment);
        }
    }

    /// One control update.
    fn update(&mut self, now: f64) {
        let actions = self.core.on_time(now);
        self.act(actions);
        self.reopen();
        if let Some(hardware) = &mut self.hardware {
            let result = hardware.sense().and_then(|readings| {
                self.readings = readings;
                let wheels = self.core.control(now, &readings);
                hardware.drive(wheels, self.core.state())
            });
            if let Err(error) = result {
                self.say(&format!("{error}; opening the devices again"));
                self.hardware = None;
                self.retry_at = Instant::now() + DEVICE_RETRY;
            }
        }
        if let Some(publisher) = &mut self.publisher {
            publisher.show(self.core.controller());
        }
        self.tell(now);
    }

    fn reopen(&mut self) {
        if self.hardware.is_some() || Instant::now() < self.retry_at {
            return;
        }
        self.retry_at = Instant::now() + DEVICE_RETRY;
        if let Ok(hardware) = Hardware::open(&self.config.robot.devices, &self.config.robot.id) {
            self.say("the devices answer again");
            self.hardware = Some(hardware);
        }
    }

    fn tell(&self, now: f64) {
        let mut telemetry = self.core.telemetry(now, &self.readings);
        if let Some(hardware) = &self.hardware {
            telemetry.battery_v = hardware.battery_v;
            telemetry.power_w = hardware.power_w;
            telemetry.steps = hardware.steps;
            telemetry.frames = hardware.frames;
            telemetry.device_errors = hardware.errors;
        }
        telemetry.temperature_c = processor_temperature();
        telemetry.jitter = self.jitter;
        telemetry.refused = self.refused;
        let p = &self.progress;
        telemetry.evolution = EvolutionReport {
            generation: p.generation,
            best: p.best,
            derated: p.derated,
            evaluations: p.evaluations,
            mean: p.mean,
        };
        self.link.send(&RobotMessage::Telemetry(telemetry));
    }

    /// Stops the wheels for good.
    fn halt(&mut self) {
        let result = self.hardware.as_mut().map(|h| h.drive([0.0; 2], State::Stop));
        if let Some(Err(error)) = result {
            self.say(&format!("wheels not told to stop: {error}; the e-puck stops them itself within 0.2 s"));
        }
    }

    fn say(&self, text: &str) {
        eprintln!("xpuckd {}: {text}", self.config.robot.id);
    }
}

/// The board's processor temperature, degrees C, where Linux tells it.
fn processor_temperature() -> Option<f32> {
    let text = std::fs::read_to_string("/sys/class/thermal/thermal_zone0/temp").ok()?;
    Some(text.trim().parse::<f32>().ok()? / 1000.0)
}
