//! Runs a [`Hub`] with clock, sockets, motion capture, recorder and console in one polling loop.

mod disk_space;
mod record;
mod service;

use crate::admission::Greeting;
use crate::admission::descriptors::{self, Ports};
use crate::admission::relay::{self, Relay};
use crate::console::{self, Clock, Feed, Live, LiveSender, Names, Sessions, Settings, Source};
use crate::foxglove;
use crate::heap;
use crate::mocap::client::{self, QUEUE};
use crate::observer::Observer;
use crate::overhead;
use crate::recovery::{self, ResumedRun};
use crate::stops::Stops;
use crate::updates::Updates;
use disk_space::DiskSpace;
use record::Records;
use service::{Asker, HubProgram};
use std::net::TcpListener;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tracing::warn;
use xpuck_hub_core::config::{Config, Foxglove, Look};
use xpuck_hub_core::hub::Hub;
use xpuck_hub_core::rate_limit::RateLimit;
use xpuck_wire::clock::unix_ms;
use xpuck_wire::mark;
use xpuck_wire::message::Request;
use xpuck_wire::notify::Notifier;
use xpuck_wire::priority;
use xpuck_wire::session::fresh_token;
use xpuck_wire::socket::{SocketError, Sockets, wait};
use xpuck_wire::{FileError, is_local};

/// Maximum wait for a message per turn (ms of wall time), so that sensor data and directives are sent on time.
const POLL_MS: i64 = 2;
/// Pause before the program ends, in which ZeroMQ and the relay send the answer to the shutdown request. Neither of
/// them reports when the answer is sent. Terminating ZeroMQ's context would wait for ZeroMQ, but not for the relay.
const LAST_WORDS: Duration = Duration::from_millis(300);
/// Interval of publishing the status (wall time).
const STATUS: Duration = Duration::from_millis(100);

/// Reason why the hub could not start.
#[derive(Debug, thiserror::Error)]
pub enum HubError {
    /// The keys are invalid.
    #[error("{0}")]
    Keys(#[from] FileError),
    /// A ZeroMQ socket failed.
    #[error("{0}")]
    Socket(#[from] SocketError),
    /// A port is not available.
    #[error("{port} {address}: {error}; stop the other program or choose another port")]
    Port {
        /// Name of the port in the configuration.
        port: &'static str,
        /// Address or endpoint of the port.
        address: String,
        /// Error of the operating system.
        error: std::io::Error,
    },
    /// The limit of open files is too low.
    #[error("{0}")]
    Descriptors(String),
    /// A thread could not be started.
    #[error("{0}")]
    Thread(#[from] std::io::Error),
}

/// Runs the hub until `stop` is set or a shutdown request arrives. The record is closed when this function returns.
pub fn run(config: Config, commit: &'static str, stop: Arc<AtomicBool>, ready: impl FnOnce()) -> Result<(), HubError> {
    let ports = Ports::new(descriptors::raise_limit(), config.swarm.robots.len()).map_err(HubError::Descriptors)?;
    heap::give_back_regularly()?;
    let security = &config.swarm.security;
    let sockets = Sockets::for_hub(security)?;
    if security.dev_mode {
        warn!(target: "hub", "DEV MODE: no keys; anyone who reaches these addresses can command the swarm");
    }
    let in_use = |port, address: &str| {
        let address = String::from(address);
        move |error| HubError::Port { port, address, error }
    };
    let bind = |address: &String| TcpListener::bind(address).map_err(in_use("console", address));
    let anyone = config.hub.console.look == Some(Look::Anyone);
    if let Some(console) = config.swarm.hub.console.as_ref().filter(|console| !is_local(console) && anyone) {
        warn!(target: "hub", "console.look = \"anyone\": anyone who reaches {console} sees everything, but can change nothing");
    }
    let listener = config.swarm.hub.console.as_ref().map(bind).transpose()?;
    let (pose_sender, poses) = sync_channel(QUEUE);
    let (newcomers, more) = channel();
    let (command_sender, commands) = sync_channel(16);
    let (teller, told) = LiveSender::new();
    let viewers = config.hub.foxglove.clone();
    if let Some(foxglove) = viewers.as_ref().filter(|foxglove| !is_local(&foxglove.address)) {
        let address = &foxglove.address;
        warn!(target: "hub", "foxglove.plain: anyone who reaches {address} sees telemetry, poses and events");
    }
    let listen =
        |foxglove: &Foxglove| TcpListener::bind(&foxglove.address).map_err(in_use("foxglove", &foxglove.address));
    let viewers_listener = viewers.as_ref().map(listen).transpose()?;
    let (viewers_teller, viewers_told) = foxglove::ViewSender::new();
    let (waker, wakeups) = sockets.waker("poses")?;
    let unix_ms = unix_ms();
    let (robots, operators) = (sockets.robots_hub(relay::INSIDE)?, sockets.operators_hub(relay::INSIDE)?);
    let addresses = &config.swarm.hub;
    let greeting = Greeting::from_sockets(&sockets, false)?;
    let relays = [
        Relay::start("robots", &addresses.robots, &robots.endpoint(), greeting, ports.robots)
            .map_err(in_use("robots", &addresses.robots))?,
        Relay::start("operators", &addresses.operator, &operators.endpoint(), greeting, ports.operators)
            .map_err(in_use("operators", &addresses.operator))?,
    ];
    let mark = mark::swarm_mark(&config.swarm)?;
    let mut hub = Hub::new(config.clone(), unix_ms);
    let (updates, left) = Updates::start(&config)?;
    let mut service = HubProgram {
        robots,
        operators,
        relays,
        guard: sockets.guard().map(|guard| (guard.clone(), 0)),
        poses,
        newcomers,
        commands,
        console: config.swarm.hub.console.is_some().then_some(teller),
        viewers: viewers.is_some().then_some(viewers_teller),
        sessions: Arc::new(Mutex::new(Sessions::new(fresh_token()?))),
        shown: None,
        overhead: config.hub.overhead.as_ref().map(|camera| overhead::start(camera, stop.clone())).transpose()?,
        room: DiskSpace::new(&config.hub.record.directory),
        records: Records::default(),
        stops: Stops::start(&config.hub.record.directory, &mark)?,
        updates,
        observer: Observer::new(&config, &sockets, ports.stream)
            .map_err(in_use("stream", config.hub.stream.as_ref().map_or("", |stream| stream.address.as_str())))?,
        eviction_warning: (RateLimit::default(), 0),
        rejection_warning: (RateLimit::default(), 0),
        started: Instant::now(),
        commit,
        config,
    };
    let clock = Clock { time: 0.0, unix_ms, speed: service.config.swarm.speed };
    let hello = serde_json::json!({ "hub": unix_ms.to_string(), "version": env!("CARGO_PKG_VERSION") }).to_string();
    let live = Live::new(Feed::new(&service.config.swarm.robots, clock), hello);
    let (mocap, robots) = (&service.config.hub.mocap, &service.config.swarm.robots);
    client::start(
        (mocap, &service.config.hub.arena),
        (robots, more),
        service.config.hub.realtime,
        pose_sender,
        stop.clone(),
        move || waker.wake(),
    )?;
    if let Some((listener, address)) = listener.zip(service.config.swarm.hub.console.as_ref()) {
        let source = Source {
            live: live.clone(),
            told: Some(told),
            commands: command_sender,
            sessions: service.sessions.clone(),
            guard: service.guard.as_ref().map(|(guard, _)| guard.clone()),
            window: service.observer.window(),
            names: Names::new(address, &service.config.hub.console.names),
            bounds: ports.console,
            settings: Settings::from_config(&service.config, address)?,
        };
        console::start(listener, source)?;
    }
    hub.look_after_keys(0.0, &mut service);
    let begins = resume(&mut hub, &mut service, &mark);
    if let Some(update) = left {
        hub.board.resume_update(begins, update);
    }
    live.with(|feed| feed.set_clock(Clock { time: begins, ..clock }));
    if let Some((listener, config)) = viewers_listener.zip(viewers.as_ref()) {
        let robots = service.config.swarm.robots.clone();
        let clock = Clock { time: begins, ..clock };
        let start = foxglove::Start { robots, arena: service.config.hub.arena, clock };
        let names = Names::new(&config.address, &service.config.hub.console.names);
        foxglove::start(listener, config, start, viewers_told, (ports.foxglove, names))?;
    }
    service.set_realtime();
    // If the service manager started this process, this loop reports to the manager that the hub is running.
    let mut manager = Notifier::from_environment();
    let mut ready = Some(ready);
    let started = service.started;
    let speed = service.config.swarm.speed;
    let mut next_status = started;
    while !hub.is_over() {
        wait(&[&service.robots, &service.operators, &wakeups], POLL_MS);
        wakeups.drain();
        let now = begins + started.elapsed().as_secs_f64() * speed;
        if stop.load(Ordering::Relaxed) {
            hub.board.on_request(now, "", Request::Shutdown);
        }
        let begun = Instant::now();
        hub.step(now, &mut service);
        service.go_on_updating(now, &mut hub);
        service.poll_overhead(now, &mut hub);
        service.observer.turn(begun.elapsed());
        manager.alive(begun);
        if hub.is_over() || Instant::now() >= next_status {
            next_status = Instant::now() + STATUS;
            service.publish(now, &mut hub);
        }
        if let Some(ready) = ready.take() {
            ready();
            manager.ready();
        }
    }
    manager.stopping();
    service.report_shutdown();
    stop.store(true, Ordering::Relaxed);
    // The remaining steps are not time-critical, and ZeroMQ's own thread needs the processor.
    let _ = priority::run_as_others();
    service.records.wait();
    std::thread::sleep(LAST_WORDS);
    Ok(())
}

/// Resumes the run of a hub that died recently, if any. Returns the start value of the arena time.
fn resume(hub: &mut Hub<Asker>, service: &mut HubProgram, mark: &str) -> f64 {
    let recovery::Recovery { resumed, stops, notes } = recovery::scan(&service.config, mark);
    hub.board.set_stops(stops);
    let begins = resumed.map_or(0.0, |run| resume_run(hub, service, run));
    notes.into_iter().for_each(|text| hub.board.warn(begins, text));
    begins
}

fn resume_run(hub: &mut Hub<Asker>, service: &mut HubProgram, run: ResumedRun) -> f64 {
    let ResumedRun { directory, snapshot, away } = run;
    let record = || service.records.resume(&service.config, &directory);
    let (begins, resumed) = hub.resume(snapshot, away.as_secs_f64(), record);
    if let Err(why) = resumed {
        hub.board.warn(begins, format!("the run in {} is not resumed: {why}", directory.display()));
    }
    begins
}
