//! Program that runs a [`Robot`]: provides the clock, the hub link, the devices and the thread of the island. One loop
//! polls all of them, in a thread with real-time priority if the kernel permits it.

use crate::board::processors;
use crate::body::conditioning::Readings;
use crate::body::hardware::Hardware;
use crate::body::link::BodyLinkError;
use crate::config::{Config, DeviceKind, EvolutionFile};
use crate::core::Core;
use crate::device::DeviceError;
use crate::device::fitted::Fitted;
use crate::external::{ProgramServer, SenseMessage};
use crate::groot::Publisher;
use crate::health::HealthReporter;
use crate::memory::Memory;
use crate::onboard::{Onboard, Plan};
use crate::pace::PeriodicTimer;
use crate::peers::{PeersError, PeersLink};
use crate::settings::Settings;
use crate::trust::Operators;
use crate::update::{Updater, this_release};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tracing::{debug, warn};
use xpuck_evolve::Migrant;
use xpuck_kernels::model::CONTROL_PERIOD;
use xpuck_robot_core::external::{ProgramRequest, Ring};
use xpuck_robot_core::island::{IslandEvent, IslandPlan, Trials};
use xpuck_robot_core::peers::PeerInput;
use xpuck_robot_core::probe::Observation;
use xpuck_robot_core::robot::{OperatorRequest, Robot, Shell};
use xpuck_wire::codec::CodecError;
use xpuck_wire::log::{self, Line, Tap};
use xpuck_wire::message::{LogLine, RobotMessage, Sensors};
use xpuck_wire::notify::Notifier;
use xpuck_wire::peer::PeerMessage;
use xpuck_wire::priority;
use xpuck_wire::rollout::BundleHead;
use xpuck_wire::seal::Sealed;
use xpuck_wire::session::fresh_session;
use xpuck_wire::signed::Trust;
use xpuck_wire::socket::{Dealer, SocketError, Sockets, wait};
use xpuck_wire::telemetry::{ControlReport, Telemetry};
use xpuck_wire::witness::ObeyedDirective;
use xpuck_wire::{FileError, Wakeups, event_at, is_local};

/// Time from the start at which the robot logs a warning if no hub has answered yet.
const UNANSWERED: Duration = Duration::from_secs(4);
/// Interval between connection attempts after the hub rejected the robot's key (wall time).
const TRY_AGAIN: Duration = Duration::from_secs(2);
/// Polling interval for the sockets of an arena that has not started yet.
const ARENA: Duration = Duration::from_millis(200);

/// Reasons why a robot could not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The keys cannot be read.
    #[error("{0}")]
    Keys(#[from] FileError),
    /// The link to the hub cannot be created.
    #[error("cannot create the link to the hub: {0}")]
    HubLink(#[from] SocketError),
    /// The links to other robots cannot be created.
    #[error("cannot create the links to other robots: {0}")]
    Peers(#[from] PeersError),
    /// The address for Groot2 cannot be used.
    #[error("groot = {0}")]
    Groot(SocketError),
    /// The system cannot create a thread.
    #[error("cannot create a thread: {0}")]
    Thread(std::io::Error),
    /// Another program drives this robot.
    #[error("{0}")]
    InUse(String),
    /// The GPU adapter that the evolution settings require is missing or unsuitable.
    #[error("{0}")]
    Adapter(FileError),
    /// The socket for external controllers cannot be created.
    #[error("{0}")]
    Programs(FileError),
    /// A device cannot be opened.
    #[error("{0}; check that the arena is running, or that the robot's board is connected")]
    Device(#[from] BodyLinkError),
}

impl StartError {
    fn of_devices(error: BodyLinkError) -> StartError {
        match error {
            BodyLinkError::Device(held @ DeviceError::InUse { .. }) => StartError::InUse(held.to_string()),
            error => error.into(),
        }
    }
}

/// State of the robot's program.
struct Daemon<'a> {
    config: &'a Config,
    hub_link: Dealer,
    operators: Operators<'a>,
    hardware: Hardware,
    settings: Settings,
    memory: Memory,
    /// Evolution settings for the next experiment.
    evolution: EvolutionFile,
    publisher: Option<Publisher>,
    onboard: Option<Onboard>,
    /// Whether the hub rejected this robot's key and has not answered since.
    rejected: bool,
    /// Time of the start; `None` after a hub has answered, or after the lack of an answer was logged.
    waiting_since: Option<Instant>,
    /// Time of the next connection attempt after a rejection (wall time).
    retry_at: Option<Instant>,
    pace: PeriodicTimer,
    realtime: bool,
    /// Source of log lines for the hub; `None` if another robot in the same process uses the source.
    tap: Option<Tap>,
    /// Whether an operator requested a restart of the board.
    reboot: bool,
    manager: Notifier,
    health: HealthReporter,
    updater: Updater,
    /// Links to other robots, if the swarm file configures them.
    peers: Option<PeersLink>,
    /// Wake-ups of the loop by messages from the updater.
    wakeups: Wakeups,
    /// Whether the last readings of the body were fresh.
    body_answers: bool,
    /// External controllers, if the robot's file configures their socket.
    programs: Option<ProgramServer>,
    /// Wake-ups of the loop by messages from external controllers.
    program_wakeups: Wakeups,
}

/// Reasons for the end of the robot's program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitReason {
    /// Stop by a signal, or by the end of standard input.
    Stopped,
    /// Restart of the board, requested by an operator.
    Reboot,
}

/// Verifies that the GPU adapter which the robot's file requires exists.
///
/// # Errors
/// If the adapter does not exist, or its limits are too small for the simulation.
pub fn check_adapter(config: &Config) -> Result<(), StartError> {
    let here = config.file.display().to_string();
    let checked = config.robot.evolution.check_adapter();
    checked.map_err(|why| StartError::Adapter(FileError::value(&here, why)))
}

/// Runs a robot until `stop` is set or a restart of the board is requested. The wheels are stopped on return.
///
/// # Errors
/// The cause of a failed start.
pub fn run(config: &Config, stop: &AtomicBool) -> Result<ExitReason, StartError> {
    check_adapter(config)?;
    let speed = config.swarm.speed;
    let period = Duration::from_secs_f64(f64::from(CONTROL_PERIOD) / speed);
    let security = &config.swarm.security;
    let sockets = Sockets::for_robot(security, &config.robot.id)?;
    let mut operators = Operators::new(config);
    let trust = operators.refresh().unwrap_or_else(Trust::nobody);
    if let Some(groot) = config.robot.groot.as_ref().filter(|groot| !is_local(groot)) {
        warn!(target: "xpuckd", id = config.robot.id, "groot = {groot} is not protected by keys: every host that reaches it can see the tree");
    }
    let core = Core::new(config.island, fresh_session()?, trust).with_speed(speed);
    let core = core.with_calibration(config.measured.clone()).with_version(&this_release().version);
    let memory = Memory::start(&config.robot.id, config.robot.evolution.state.as_deref());
    let (memory, told) = memory.map_err(StartError::Thread)?;
    let core = core
        .with_camera(config.robot.devices.has_camera())
        .with_ground_sensor(config.robot.fitted.contains(&Fitted::Ground))
        .with_stored_directive(told);
    let mut robot = Robot::new(core.with_alone_limit(config.robot.control.drive_alone_s), speed);
    let peers = PeersLink::start(config)?;
    if peers.is_some() {
        robot = robot.with_peers(config.swarm.robots.len());
    }
    let (waker, wakeups) = sockets.waker(&format!("update-{}", config.robot.id))?;
    let (program_waker, program_wakeups) = sockets.waker(&format!("programs-{}", config.robot.id))?;
    let hub_link = sockets.robot(&config.swarm.hub.robots, &config.robot.id)?;
    let Some(hardware) = open_hardware(config, stop)? else { return Ok(ExitReason::Stopped) };
    // The socket for external controllers is opened after the devices. A killed program may have left this socket
    // behind, and only the program that holds the body's lock may replace it.
    let listen = |path: &PathBuf| ProgramServer::listen(path, &config.robot.id, speed, program_waker);
    let programs = config.robot.external.socket.as_ref().map(listen).transpose().map_err(StartError::Programs)?;
    let mut daemon = Daemon {
        config,
        operators,
        hub_link,
        hardware,
        settings: Settings::new(&config.file),
        memory,
        evolution: config.robot.evolution.clone(),
        publisher: config.robot.groot.as_deref().map(Publisher::start).transpose().map_err(StartError::Groot)?,
        onboard: None,
        rejected: false,
        waiting_since: Some(Instant::now()),
        retry_at: None,
        pace: PeriodicTimer::new(period, period),
        realtime: false,
        tap: log::tap(),
        reboot: false,
        manager: Notifier::from_environment(),
        health: HealthReporter::from_environment(),
        updater: Updater::start(config, waker),
        peers,
        wakeups,
        body_answers: false,
        programs,
        program_wakeups,
    };
    // The loop runs in a new thread with real-time priority. The threads of sockets and devices were started earlier
    // and keep their normal priority.
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().name("control".into());
        builder.spawn_scoped(scope, || daemon.run(&mut robot, stop)).map(|_| ()).map_err(StartError::Thread)
    })?;
    Ok(if daemon.reboot { ExitReason::Reboot } else { ExitReason::Stopped })
}

/// Opens the devices. If a virtual arena has not started yet, waits for its start. Returns `None` if `stop` is set
/// during the wait.
fn open_hardware(config: &Config, stop: &AtomicBool) -> Result<Option<Hardware>, StartError> {
    let is_virtual = matches!(config.robot.devices, DeviceKind::Virtual { .. });
    let mut is_told = false;
    while !stop.load(Ordering::Relaxed) {
        match Hardware::open(config) {
            Err(BodyLinkError::Device(DeviceError::Open { path, source })) if is_virtual && is_absent(&source) => {
                if !std::mem::replace(&mut is_told, true) {
                    let path = path.display();
                    warn!(target: "xpuckd", id = config.robot.id, "waiting for the arena to create {path}; start it with `xpuck serve arena`");
                }
                std::thread::sleep(ARENA);
            }
            opened => return opened.map(Some).map_err(StartError::of_devices),
        }
    }
    Ok(None)
}

/// Returns whether the error means that no program listens at the socket.
fn is_absent(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::ConnectionRefused)
}

impl Daemon<'_> {
    fn run(&mut self, robot: &mut Robot, stop: &AtomicBool) {
        self.set_realtime();
        let started = Instant::now();
        while !stop.load(Ordering::Relaxed) && !self.reboot {
            let left = self.left(started.elapsed(), robot);
            // The wait for sockets has a resolution of 1 ms, so `sleep` waits for a remaining fraction of 1 ms.
            match left.as_millis() {
                0 => std::thread::sleep(left),
                whole => wait(&[&self.hub_link, &self.wakeups, &self.program_wakeups], whole as i64),
            }
            self.send_update_reports();
            self.program_wakeups.drain();
            let elapsed = started.elapsed();
            let now = elapsed.as_secs_f64() * self.config.swarm.speed;
            let due = self.pace.poll(elapsed);
            robot.listen(now, self);
            robot.handle_programs(now, self);
            robot.collect(self);
            if due {
                self.check_hub_link();
                robot.update(now, self);
                self.report_to_manager(now, robot);
            }
            self.show_programs(now, robot);
        }
        self.manager.stopping();
        self.hardware.halt();
    }

    /// Returns the wall time until the first of these events: the next control update, the next sense message to
    /// external controllers, and the expiry of an external command.
    fn left(&self, elapsed: Duration, robot: &Robot) -> Duration {
        let speed = self.config.swarm.speed;
        let now = elapsed.as_secs_f64() * speed;
        let programs = self.programs.as_ref().and_then(ProgramServer::due);
        let soonest = programs.into_iter().chain(robot.core.external_until(now)).reduce(f64::min);
        let soonest = soonest.map(|due| Duration::from_secs_f64(((due - now) / speed).clamp(0.0, 1.0)));
        self.pace.remaining(elapsed).min(soonest.unwrap_or(Duration::MAX))
    }

    /// Sends the robot's senses to the external controllers, if a sense message is due.
    fn show_programs(&mut self, now: f64, robot: &Robot) {
        if let Some(programs) = self.programs.as_ref().filter(|programs| programs.due().is_some_and(|due| now >= due)) {
            let readings = self.hardware.sense();
            let view = self.hardware.complete(SenseMessage::new(&robot.core, now, &readings));
            programs.send_senses(now, &robot.core, &view);
        }
    }

    /// Reports to the service manager. Only the control loop calls this function, so that the watchdog detects a
    /// blocked loop.
    fn report_to_manager(&mut self, now: f64, robot: &Robot) {
        self.health.report(self.body_answers, robot.core.hears_hub(now));
        if !self.manager.has_manager() {
            return;
        }
        self.manager.alive(Instant::now());
        if self.body_answers {
            self.manager.ready();
        }
        let body = if self.body_answers { "answers" } else { "is silent" };
        let hub = if robot.core.hears_hub(now) { "is heard" } else { "is silent" };
        self.manager.status(&format!("{:?}; the body {body}, the hub {hub}", robot.core.state()));
    }

    /// Sends the updater's messages to the hub.
    fn send_update_reports(&mut self) {
        self.wakeups.drain();
        while let Some(message) = self.updater.poll() {
            self.send(message);
        }
    }

    fn set_realtime(&mut self) {
        let priority = self.config.robot.control.realtime;
        if priority == 0 {
            return;
        }
        match priority::run_first(priority) {
            Ok(()) => {
                self.realtime = true;
                processors::pin_to_control();
            }
            Err(_) => {
                let text = "the kernel refuses real-time priority (CAP_SYS_NICE); updates may be late under load";
                self.log(Line::warn(text));
            }
        }
    }

    fn check_hub_link(&mut self) {
        if self.hub_link.rejections() > 0 {
            self.retry_at = Some(Instant::now() + TRY_AGAIN);
            if !std::mem::replace(&mut self.rejected, true) {
                self.waiting_since = None;
                self.log(Line::warn("the hub rejects this robot's key; enrol it there with `xpuck keys enrol`"));
            }
        }
        if self.waiting_since.is_some_and(|since| since.elapsed() >= UNANSWERED) {
            self.waiting_since = None;
            let swarm = &self.config.swarm;
            let key = if swarm.security.dev_mode { "" } else { " and that keys/hub.pub is its public key" };
            let text = format!(
                "no hub answers at {}: check that it is running{key}; the robot keeps trying",
                swarm.hub.robots
            );
            self.log(Line::warn(text));
        }
        if self.retry_at.is_some_and(|at| Instant::now() >= at) {
            self.retry_at = None;
            self.hub_link.reconnect();
        }
    }
}

impl Shell for Daemon<'_> {
    fn receive(&mut self) -> Option<Result<Sealed, CodecError>> {
        let message = self.hub_link.receive::<Sealed>()?;
        self.rejected &= message.is_err();
        self.waiting_since = None;
        Some(message)
    }

    fn send(&mut self, message: RobotMessage) -> bool {
        // If the queue is full, the message is lost. Receivers tolerate this, as any network may lose messages.
        self.hub_link.send(&message)
    }

    fn receive_peer(&mut self) -> Option<(u16, PeerInput)> {
        self.peers.as_ref()?.receive()
    }

    fn send_peer(&mut self, island: u16, message: PeerMessage) {
        if let Some(peers) = &self.peers {
            peers.send(island, message);
        }
    }

    fn refused_peers(&mut self) -> (u64, u64) {
        self.peers.as_ref().map_or((0, 0), PeersLink::refused)
    }

    fn trust(&mut self) -> Option<Trust> {
        self.operators.refresh()
    }

    fn start_island(&mut self, island: IslandPlan) {
        if let Some(peers) = &self.peers {
            peers.admit(&island.plan);
        }
        let engine = self.evolution.engine(island.plan.engine);
        let EvolutionFile { threads, state, temperature, max_temperature_c, .. } = self.evolution.clone();
        let plan = Plan { island, engine, threads, state, temperature, max_temperature: max_temperature_c };
        self.onboard = match Onboard::start(plan) {
            Ok(onboard) => Some(onboard),
            Err(error) => {
                self.log(Line::warn(format!("evolution cannot start: {error}; the robot runs without it")));
                None
            }
        };
    }

    fn run_island(&mut self, running: bool) {
        if let Some(onboard) = &self.onboard {
            debug!(target: "xpuckd", id = self.config.robot.id, "evolution {}", if running { "runs" } else { "is paused" });
            onboard.run(running);
        }
    }

    fn change_trials(&mut self, trials: Trials) {
        if let Some(onboard) = &self.onboard {
            onboard.change_trials(trials);
        }
    }

    fn notice(&mut self, noticed: Observation) {
        if let Some(onboard) = &self.onboard {
            onboard.observe(noticed);
        }
    }

    fn immigrate(&mut self, generation: u32, migrants: Vec<Migrant>) {
        if let Some(onboard) = &self.onboard {
            onboard.immigrate(generation, migrants);
        }
    }

    fn news(&mut self) -> Option<IslandEvent> {
        self.onboard.as_ref()?.poll()
    }

    fn welcomed(&mut self) {
        if let Some(message) = self.updater.installed() {
            self.send(message);
        }
    }

    fn offer(&mut self, number: u64, bundle: BundleHead) {
        self.updater.offer(number, bundle);
    }

    fn chunk(&mut self, digest: String, offset: u64, bytes: Vec<u8>) {
        self.updater.chunk(digest, offset, bytes);
    }

    fn execute(&mut self, wish: OperatorRequest) {
        match wish {
            OperatorRequest::Identify => self.hardware.identify(),
            OperatorRequest::Picture => self.hardware.want_picture(),
            OperatorRequest::Reboot => {
                self.log(Line::warn("an operator restarts this robot"));
                self.reboot = true;
            }
        }
    }

    fn remember(&mut self, told: ObeyedDirective) {
        self.memory.put(&told);
    }

    fn remembered(&mut self) -> Option<u64> {
        self.memory.news()
    }

    /// Applies new settings, and writes them to the robot's file synchronously. Sends the answer to the hub. The write
    /// may delay the control loop, which is harmless, because settings may change only while the wheels are stopped.
    fn change_settings(&mut self, number: u64, text: &str, may: bool) {
        let (answer, robot) = self.settings.apply(number, text, may);
        if let Some(robot) = robot {
            // The state folder from the start is kept, because its path in the new file has not been resolved.
            let state = self.evolution.state.take();
            self.evolution = EvolutionFile { state, ..robot.evolution };
            let mut calibration = robot.calibration;
            calibration.adopt(&self.config.measured, &robot.id);
            self.hardware.recalibrate(calibration);
            self.log(Line::info("new settings from the hub were written to the robot's file"));
        }
        if let Some(answer) = answer {
            self.send(RobotMessage::Settings(answer));
        }
    }

    fn sense(&mut self) -> Readings {
        let readings = self.hardware.sense();
        self.body_answers = readings.body_fresh();
        readings
    }

    fn sensors(&mut self) -> Option<Sensors> {
        self.hardware.sensors()
    }

    fn program(&mut self) -> Option<(u32, ProgramRequest)> {
        self.programs.as_mut()?.next_request()
    }

    fn has_programs(&self) -> bool {
        self.programs.as_ref().is_some_and(|programs| programs.due().is_some())
    }

    fn send_programs(&mut self, from: u16, text: &str) {
        if let Some(programs) = &self.programs {
            programs.broadcast(from, text);
        }
    }

    fn answer_program(&mut self, _: u32, result: Result<(), String>) {
        if let Some(programs) = &mut self.programs {
            programs.reply(result);
        }
    }

    fn drive(&mut self, core: &Core, wheels: [f32; 2], lamps: Option<Ring>) -> [f32; 2] {
        let wheels = self.hardware.drive(wheels, core, lamps);
        if let Some(picture) = self.hardware.picture() {
            self.send(RobotMessage::Picture(picture));
        }
        if let Some(tags) = self.hardware.tags() {
            self.send(RobotMessage::Tags(tags));
        }
        for line in self.hardware.take_log_lines() {
            self.log(line);
        }
        if let Some(publisher) = &mut self.publisher {
            publisher.publish(core.controller());
        }
        wheels
    }

    fn stop_wheels(&mut self, core: &Core) {
        self.hardware.drive([0.0; 2], core, None);
    }

    fn report(&mut self, telemetry: &mut Telemetry) {
        self.hardware.report(telemetry);
        telemetry.control = ControlReport {
            realtime: self.realtime,
            late_us: micros(self.pace.late()),
            p99_us: micros(self.pace.lateness().quantile(0.99)),
            max_us: micros(self.pace.lateness().longest()),
            missed: self.pace.skipped().try_into().unwrap_or(u32::MAX),
            bins: self.pace.lateness().telemetry(),
        };
        telemetry.log_lines_lost = log::lost().try_into().unwrap_or(u32::MAX);
        telemetry.evolution.duty = self.onboard.as_ref().map_or(0.0, Onboard::duty);
        telemetry.engine = self.onboard.as_ref().map(Onboard::engine).unwrap_or_default();
        telemetry.evolution.kept = self.onboard.as_ref().map_or(0, Onboard::kept);
    }

    fn log(&mut self, line: Line) {
        event_at!(line.level, target: "xpuckd", id = self.config.robot.id, "{}", line.text);
    }

    fn next_log_line(&mut self) -> Option<LogLine> {
        self.tap.as_ref()?.next()
    }
}

/// Converts a duration to whole microseconds, the unit of telemetry; at most `u32::MAX`.
fn micros(time: Duration) -> u32 {
    time.as_micros().try_into().unwrap_or(u32::MAX)
}
