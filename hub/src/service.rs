//! The shell around [`Switchboard`]: clock, sockets, motion capture, recorder and console, in one loop that polls.

use crate::config::Config;
use crate::console::{self, Command};
use crate::mocap::client::{self, Event, QUEUE};
use crate::recorder::Recorder;
use crate::switchboard::{Action, Switchboard};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::sync::watch;
use xpuck_wire::message::{Reply, Request, RobotMessage};
use xpuck_wire::socket::{OperatorsHub, Router, SocketError, Sockets, wait};

/// Longest wait for a message, ms of wall time; senses and directives are due at moments between.
const POLL_MS: i64 = 2;
/// Messages of one socket handled between two looks at the clock.
const MESSAGES_AT_ONCE: usize = 256;
/// The console's status is renewed so often, wall time.
const STATUS: Duration = Duration::from_millis(100);

/// Why the hub could not start.
#[derive(Debug, thiserror::Error)]
pub enum HubError {
    /// A ZeroMQ socket.
    #[error("{0}")]
    Socket(#[from] SocketError),
    /// The console's port.
    #[error("console {address}: {error}; stop the other program or choose another port")]
    Console {
        /// Address and port.
        address: String,
        /// What the system says.
        error: std::io::Error,
    },
    /// A thread could not be started.
    #[error("{0}")]
    Thread(#[from] std::io::Error),
}

struct Hub {
    config: Config,
    board: Switchboard,
    robots: Router,
    operators: OperatorsHub,
    poses: Receiver<Event>,
    commands: Receiver<Command>,
    status: watch::Sender<String>,
    recorder: Option<Recorder>,
    ended: bool,
}

/// Runs the hub until `stop` or a shutdown request; the record is closed when this returns.
pub fn run(config: Config, stop: Arc<AtomicBool>, ready: impl FnOnce()) -> Result<(), HubError> {
    let sockets = Sockets::new();
    let bind = |address: &String| {
        TcpListener::bind(address).map_err(|error| HubError::Console { address: address.clone(), error })
    };
    let listener = config.swarm.hub.console.as_ref().map(bind).transpose()?;
    let (pose_sender, poses) = sync_channel(QUEUE);
    let (command_sender, commands) = sync_channel(16);
    let (status, status_receiver) = watch::channel(String::from("{}"));
    let unix_ms = unix_ms();
    let mut hub = Hub {
        robots: sockets.robots_hub(&config.swarm.hub.robots)?,
        operators: sockets.operators_hub(&config.swarm.hub.operator)?,
        board: Switchboard::new(config.clone(), unix_ms),
        poses,
        commands,
        status,
        recorder: None,
        ended: false,
        config,
    };
    client::start(&hub.config.hub.mocap, &hub.config.swarm.robots, pose_sender, stop.clone())?;
    if let Some(listener) = listener {
        console::start(listener, status_receiver, command_sender)?;
    }
    ready();
    let started = Instant::now();
    let speed = hub.config.swarm.speed;
    let mut next_status = started;
    while !hub.ended {
        wait(&[&hub.robots, &hub.operators], POLL_MS);
        let now = started.elapsed().as_secs_f64() * speed;
        if stop.load(Ordering::Relaxed) {
            hub.board.on_request(now, Request::Shutdown);
        }
        hub.turn(now);
        if Instant::now() >= next_status {
            next_status = Instant::now() + STATUS;
            hub.publish(now);
        }
    }
    stop.store(true, Ordering::Relaxed);
    Ok(())
}

fn unix_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_millis() as u64)
}

impl Hub {
    /// Handles everything that waits, then what time brings.
    fn turn(&mut self, now: f64) {
        for _ in 0..MESSAGES_AT_ONCE {
            match self.robots.receive::<RobotMessage>() {
                Some((id, Ok(message))) => self.board.on_robot(now, &id, message),
                Some((id, Err(error))) => self.board.note(now, format!("robot {id}: message refused: {error}")),
                None => break,
            }
        }
        for _ in 0..MESSAGES_AT_ONCE {
            let Some((to, request)) = self.operators.receive::<Request>() else { break };
            let reply = match request {
                Ok(request) => self.board.on_request(now, request),
                Err(error) => Reply::Refused(format!("request refused: {error}")),
            };
            self.operators.answer(to, &reply);
        }
        while let Ok(command) = self.commands.try_recv() {
            // A page that left needs no answer.
            let _ = command.answer.send(self.board.on_request(now, command.request));
        }
        for _ in 0..QUEUE {
            match self.poses.try_recv() {
                Ok(Event::Frame(frame)) => self.board.on_frame(now, frame),
                Ok(Event::Note(text)) => self.board.note(now, text),
                Err(_) => break,
            }
        }
        self.board.on_time(now);
        self.act(now);
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
        match action {
            Action::Send(id, message) => {
                // A robot that is not there is noticed by its silence.
                self.robots.send(&id, &message);
            }
            Action::OpenRecord { name, text, seed } => {
                self.close_record(now);
                match Recorder::open(&self.config, &name, &text, seed, unix_ms()) {
                    Ok(recorder) => {
                        self.board.set_record(recorder.directory().display().to_string());
                        self.recorder = Some(recorder);
                    }
                    Err(error) => self.board.note(now, format!("NOT RECORDING: {error}")),
                }
            }
            Action::Record(entry) => {
                if let Some(Err(error)) = self.recorder.as_mut().map(|r| r.write(&entry)) {
                    self.recorder = None;
                    self.board.note(now, format!("RECORDING STOPPED: {error}"));
                }
            }
            Action::CloseRecord => self.close_record(now),
            Action::Say(text) => eprintln!("hub: {text}"),
            Action::Shutdown => {
                self.close_record(now);
                self.publish(now);
                self.ended = true;
            }
        }
    }

    fn close_record(&mut self, now: f64) {
        let Some(recorder) = self.recorder.take() else { return };
        if let Err(error) = recorder.close(&self.board.status(now)) {
            self.board.note(now, format!("the record was not closed: {error}"));
        }
    }

    fn publish(&self, now: f64) {
        if let Ok(json) = serde_json::to_string(&self.board.status(now)) {
            self.status.send_replace(json);
        }
    }
}
