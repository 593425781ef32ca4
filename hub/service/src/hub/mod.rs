//! The shell around [`Switchboard`]: clock, sockets, motion capture, recorder and console, in one loop that polls.

mod record;

use crate::admission::Greeting;
use crate::admission::descriptors::{self, Ports};
use crate::admission::relay::{self, Relay};
use crate::console::{self, Command, Names, Shown, Source};
use crate::heap;
use crate::mocap::client::{self, Event, QUEUE};
use crate::observer::Observer;
use crate::rate_limit::RateLimit;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tracing::{debug, warn};
use xpuck_hub_core::config::Config;
use xpuck_hub_core::rivals::{Rivals, Verdict};
use xpuck_hub_core::switchboard::{Action, Switchboard};
use xpuck_record::{Closing, Recorder};
use xpuck_wire::clock::unix_ms;
use xpuck_wire::guard::Guard;
use xpuck_wire::log::{self, Line};
use xpuck_wire::message::{Reply, Request, RobotMessage};
use xpuck_wire::precedence;
use xpuck_wire::seal::Sealer;
use xpuck_wire::socket::{OperatorsHub, Router, Sender, SocketError, Sockets, wait};
use xpuck_wire::{FileError, event_at, is_local};

/// Longest wait for a message, ms of wall time; senses and directives are due at moments between.
const POLL_MS: i64 = 2;
/// Messages of one socket handled between two looks at the clock.
const MESSAGES_AT_ONCE: usize = 256;
/// Whoever asked the hub to end gets an answer, which ZeroMQ and then the relay have to send yet; neither can be asked when
/// it has. Ending ZeroMQ's context would wait for every thread that has a socket, and not for the relay.
const LAST_WORDS: Duration = Duration::from_millis(300);
/// The console's status is renewed so often, wall time.
const STATUS: Duration = Duration::from_millis(100);

/// Why the hub could not start.
#[derive(Debug, thiserror::Error)]
pub enum HubError {
    /// The keys.
    #[error("{0}")]
    Keys(#[from] FileError),
    /// A ZeroMQ socket.
    #[error("{0}")]
    Socket(#[from] SocketError),
    /// A port at which it listens.
    #[error("{port} {address}: {error}; stop the other program or choose another port")]
    Port {
        /// Which.
        port: &'static str,
        /// Its address or endpoint.
        address: String,
        /// What the system says.
        error: std::io::Error,
    },
    /// The limit of open files.
    #[error("{0}")]
    Descriptors(String),
    /// A thread could not be started.
    #[error("{0}")]
    Thread(#[from] std::io::Error),
}

struct Hub {
    config: Config,
    board: Switchboard,
    robots: Router,
    operators: OperatorsHub,
    /// In front of both.
    relays: [Relay; 2],
    sealer: Sealer,
    rivals: Rivals,
    /// Who is let in, and the edition of the keyring that the board knows.
    guard: Option<(Arc<Guard>, u64)>,
    poses: Receiver<Event>,
    commands: Receiver<Command>,
    status: watch::Sender<Shown>,
    recorder: Option<Recorder>,
    closing: Vec<Closing>,
    observer: Observer,
    refusals: RateLimit,
    /// Of connections closed to make room, and how many there were when that was told of last.
    crowds: (RateLimit, u64),
    started: Instant,
    ended: bool,
    /// The commit that this program was built from.
    commit: &'static str,
}

/// Runs the hub until `stop` or a shutdown request; the record is closed when this returns.
pub fn run(config: Config, commit: &'static str, stop: Arc<AtomicBool>, ready: impl FnOnce()) -> Result<(), HubError> {
    let ports = Ports::new(descriptors::raise_limit(), config.swarm.robots.len()).map_err(HubError::Descriptors)?;
    heap::give_back_regularly()?;
    let security = &config.swarm.security;
    let sockets = Sockets::for_hub(security)?;
    if security.dev_mode {
        warn!(target: "hub", "DEV MODE: no keys; whoever reaches these addresses commands the swarm");
    }
    let in_use = |port, address: &str| {
        let address = String::from(address);
        move |error| HubError::Port { port, address, error }
    };
    let bind = |address: &String| TcpListener::bind(address).map_err(in_use("console", address));
    if let Some(console) = config.swarm.hub.console.as_ref().filter(|console| !is_local(console)) {
        warn!(target: "hub", "the console has no keys: whoever reaches {console} can pause, resume and stop runs");
    }
    let listener = config.swarm.hub.console.as_ref().map(bind).transpose()?;
    let (pose_sender, poses) = sync_channel(QUEUE);
    let (command_sender, commands) = sync_channel(16);
    let (status, status_receiver) = watch::channel(Shown::new("{}"));
    let (waker, wakeups) = sockets.waker("poses")?;
    let unix_ms = unix_ms();
    let (robots, operators) = (sockets.robots_hub(relay::INSIDE)?, sockets.operators_hub(relay::INSIDE)?);
    let addresses = &config.swarm.hub;
    let greeting = Greeting::of(&sockets, false)?;
    let relays = [
        Relay::start("robots", &addresses.robots, &robots.endpoint(), greeting, ports.robots)
            .map_err(in_use("robots", &addresses.robots))?,
        Relay::start("operators", &addresses.operator, &operators.endpoint(), greeting, ports.operators)
            .map_err(in_use("operators", &addresses.operator))?,
    ];
    let mut hub = Hub {
        robots,
        operators,
        relays,
        board: Switchboard::new(config.clone(), unix_ms),
        sealer: Sealer::new(unix_ms),
        rivals: Rivals::new(config.swarm.speed),
        guard: sockets.guard().map(|guard| (guard.clone(), 0)),
        poses,
        commands,
        status,
        recorder: None,
        closing: Vec::new(),
        observer: Observer::new(&config, &sockets, ports.stream)
            .map_err(in_use("stream", config.hub.stream.as_ref().map_or("", |stream| stream.address.as_str())))?,
        refusals: RateLimit::default(),
        crowds: (RateLimit::default(), 0),
        started: Instant::now(),
        ended: false,
        commit,
        config,
    };
    let (mocap, robots) = (&hub.config.hub.mocap, &hub.config.swarm.robots);
    client::start(mocap, robots, hub.config.hub.realtime, pose_sender, stop.clone(), move || waker.wake())?;
    if let Some((listener, address)) = listener.zip(hub.config.swarm.hub.console.as_ref()) {
        let source = Source {
            status: status_receiver,
            commands: command_sender,
            runs: hub.config.hub.record.directory.clone(),
            window: hub.observer.window(),
            names: Names::new(address, &hub.config.hub.console.names),
            bounds: ports.console,
        };
        console::start(listener, source)?;
    }
    hub.look_after_keys(0.0);
    let begins = hub.resume();
    hub.run_first();
    ready();
    let started = hub.started;
    let speed = hub.config.swarm.speed;
    let mut next_status = started;
    while !hub.ended {
        wait(&[&hub.robots, &hub.operators, &wakeups], POLL_MS);
        wakeups.drain();
        let now = begins + started.elapsed().as_secs_f64() * speed;
        if stop.load(Ordering::Relaxed) {
            hub.board.on_request(now, Request::Shutdown);
        }
        let begun = Instant::now();
        hub.turn(now);
        hub.observer.turn(begun.elapsed());
        if Instant::now() >= next_status {
            next_status = Instant::now() + STATUS;
            hub.publish(now);
        }
    }
    stop.store(true, Ordering::Relaxed);
    // From here on nothing is urgent, and ZeroMQ's own thread has something to do.
    let _ = precedence::run_as_others();
    hub.closing.drain(..).flat_map(Closing::wait).for_each(say);
    std::thread::sleep(LAST_WORDS);
    Ok(())
}

fn say(line: Line) {
    event_at!(line.level, target: "hub", "{}", line.text);
}

impl Hub {
    /// Handles everything that waits, then what time brings. Poses come first: senses that are made of them do not wait
    /// for what many robots have to tell.
    fn turn(&mut self, now: f64) {
        self.look_after_keys(now);
        self.take_poses(now);
        self.board.send_senses(now);
        self.act(now);
        self.hear_robots(now);
        self.hear_operators(now);
        self.board.on_time(now);
        self.hear_recorder(now);
        self.act(now);
    }

    fn take_poses(&mut self, now: f64) {
        for _ in 0..QUEUE {
            match self.poses.try_recv() {
                Ok(Event::Frame(frame, arrived)) => {
                    self.observer.frame(now, arrived);
                    self.board.on_frame(now, frame);
                }
                Ok(Event::Refused(counts)) => self.board.set_refused_poses(counts),
                Ok(Event::Note(line)) => self.board.say(now, line),
                Err(_) => break,
            }
        }
    }

    fn hear_robots(&mut self, now: f64) {
        for _ in 0..MESSAGES_AT_ONCE {
            let Some((sender, message)) = self.robots.receive_from::<RobotMessage>() else { break };
            let id = sender.name.clone();
            if !self.counts(now, sender, message.as_ref().ok().and_then(RobotMessage::session)) {
                continue;
            }
            self.observer.message(now, &message);
            match message {
                Ok(message) => {
                    if let RobotMessage::Hello { session, seen, .. } = message {
                        self.sealer.greet(&id, session, seen);
                    }
                    self.board.on_robot(now, &id, message);
                }
                Err(error) => {
                    let line = self.refusals.line(now, || format!("robot {id}: message refused: {error}"));
                    line.into_iter().for_each(|text| self.board.warn(now, text));
                }
            }
        }
    }

    /// True unless another program speaks for that robot. Robots that are not in the swarm file are the board's to refuse.
    fn counts(&mut self, now: f64, sender: Sender, session: Option<u64>) -> bool {
        if self.config.swarm.island(&sender.name).is_none() {
            return true;
        }
        let wall = self.started.elapsed().as_secs_f64();
        match self.rivals.judge(wall, &sender.name, session, self.robots.answers_by(&sender)) {
            Verdict::Refused => false,
            Verdict::Counts(told) => {
                self.robots.answer_by(sender);
                told.into_iter().for_each(|text| self.board.warn(now, text));
                true
            }
        }
    }

    /// Requests by ZeroMQ and from the console's page.
    fn hear_operators(&mut self, now: f64) {
        for _ in 0..MESSAGES_AT_ONCE {
            let Some((to, request)) = self.operators.receive::<Request>() else { break };
            let reply = match request {
                Ok(request) if !request.allowed_to(to.peer.role) => {
                    if let Some((guard, _)) = &self.guard {
                        guard.count_wrong_role();
                    }
                    Reply::Refused(format!("`{}` is an observer, who may look and change nothing", to.peer.name))
                }
                Ok(request) => self.board.on_request(now, request),
                Err(error) => Reply::Refused(format!("request refused: {error}")),
            };
            self.operators.answer(to, &reply);
        }
        while let Ok(command) = self.commands.try_recv() {
            // A page that left needs no answer.
            let _ = command.answer.send(self.board.on_request(now, command.request));
        }
    }

    /// Senses that are due do not wait for robots or builds on the same machine.
    fn run_first(&self) {
        let priority = self.config.hub.realtime;
        if priority > 0 && precedence::run_first(priority).is_err() {
            warn!(
                target: "hub",
                "the kernel refuses real-time priority (CAP_SYS_NICE); senses may be late while this machine is busy"
            );
        }
    }

    /// Takes over who is trusted and who was turned away.
    fn look_after_keys(&mut self, now: f64) {
        let Some((guard, known)) = &mut self.guard else { return };
        for line in guard.take_notes() {
            self.board.say(now, line);
        }
        if guard.edition() != *known {
            *known = guard.edition();
            self.board.set_trust(guard.trust());
        }
        self.board.set_refusals(now, guard.refusals());
    }

    /// Connections of strangers make room for those that come; that there are so many is worth a line.
    fn look_after_ports(&mut self, now: f64) {
        let counts = self.relays.each_ref().map(Relay::counts);
        let evicted = counts.iter().map(|port| port.evicted).sum();
        let (limit, told) = &mut self.crowds;
        if evicted > *told && limit.due(now) {
            let new = evicted - *told;
            self.board.warn(now, format!("{new} connections were closed to make room for others"));
            *told = evicted;
        }
        self.observer.ports(&counts);
    }

    fn act(&mut self, now: f64) {
        // Acting may bring notes of trouble, which are actions again; they are done in the next round.
        for _ in 0..4 {
            let actions = self.board.take_actions();
            if actions.is_empty() {
                return;
            }
            for action in actions {
                self.do_one(now, action);
            }
        }
    }

    fn do_one(&mut self, now: f64, action: Action) {
        self.observer.action(self.started.elapsed().as_secs_f64(), &action);
        match action {
            Action::Send(robot, message) => {
                // A robot that is not there is noticed by its silence.
                let id = &self.config.swarm.robots[robot];
                let sealed = self.sealer.seal(id, message);
                let sent = self.robots.send(id, &sealed);
                self.observer.sent(&sealed.message, sent);
            }
            Action::OpenRecord { name, text, seed } => {
                debug!(target: "hub", "the record of experiment {name}, seed {seed}, is opened");
                self.open_record(now, &name, &text, seed);
            }
            Action::Record(entry) => self.record(now, entry),
            Action::Snapshot(snapshot) => {
                if let Some(recorder) = &self.recorder {
                    recorder.keep(*snapshot);
                }
            }
            Action::CloseRecord => self.close_record(now),
            Action::Say(line) => say(line),
            Action::Shutdown => {
                self.close_record(now);
                self.publish(now);
                self.ended = true;
            }
        }
    }

    fn publish(&mut self, now: f64) {
        self.look_after_ports(now);
        self.board.set_log_lines_lost(log::lost());
        self.board.set_keys_unreadable(self.guard.as_ref().and_then(|(guard, _)| guard.unreadable()));
        let status = self.board.status(now);
        let record = self.recorder.as_ref().and_then(Recorder::file);
        let wall = self.started.elapsed().as_secs_f64();
        self.observer.links(self.robots.ended());
        self.observer.status(wall, &status, record, self.board.strangers());
        if let Ok(json) = serde_json::to_string(&status) {
            self.status.send_replace(Shown::new(&json));
        }
    }
}
