//! Environment of the hub: sockets, access control, motion capture, console, observer and records.

use super::disk_space::DiskSpace;
use super::record::Records;
use crate::admission::relay::Relay;
use crate::console::{Command, LiveMessage, LiveSender, Person, Sessions, StatusContext, reachable};
use crate::foxglove;
use crate::mocap::client::Event;
use crate::observer::Observer;
use crate::overhead;
use crate::stops::Stops;
use crate::updates::{Done, Job, Updates};
use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender as Queue};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use tokio::sync::oneshot;
use tracing::warn;
use xpuck_hub_core::config::Config;
use xpuck_hub_core::entry::Entry;
use xpuck_hub_core::hub::{FromRobot, Hub, KeyNews, OperatorRequest, PoseNews, RecordNews, Shell};
use xpuck_hub_core::rate_limit::RateLimit;
use xpuck_hub_core::switchboard::{Snapshot, Update};
use xpuck_record::run_file::Beginning;
use xpuck_views::world;
use xpuck_wire::bytes::Bytes;
use xpuck_wire::clock::unix_ms;
use xpuck_wire::codec::CodecError;
use xpuck_wire::guard::AccessControl;
use xpuck_wire::keyring::Role;
use xpuck_wire::log::{self, Line};
use xpuck_wire::message::{Reply, Request, RobotMessage, ToRobot};
use xpuck_wire::seal::Sealed;
use xpuck_wire::session::fresh_token;
use xpuck_wire::socket::{OperatorsHub, ReturnAddress, Router, Sender};
use xpuck_wire::{Status, Swarm, event_at, priority};

/// Maximum number of results of the bundle thread that are sent in one turn of the hub's loop. A result may be a large
/// piece of an update bundle, so the limit prevents delays of sensor data.
const PIECES_AT_ONCE: usize = 2;

/// Environment of the hub: its sockets, threads and queues.
pub(super) struct HubProgram {
    pub(super) config: Config,
    pub(super) robots: Router,
    pub(super) operators: OperatorsHub,
    /// Relays in front of the robots' and the operators' sockets.
    pub(super) relays: [Relay; 2],
    /// Access control, and the keyring version known to the hub; `None` without keys.
    pub(super) guard: Option<(Arc<AccessControl>, u64)>,
    pub(super) poses: Receiver<Event>,
    /// Queue that passes robots added to the swarm to the motion-capture thread. The pose filter of this thread has to
    /// accept the poses of these robots.
    pub(super) newcomers: Queue<String>,
    pub(super) commands: Receiver<Command>,
    /// Queue to the console's pages; `None` without a console.
    pub(super) console: Option<LiveSender>,
    /// Queue to the live view; `None` without a live view.
    pub(super) viewers: Option<foxglove::ViewSender>,
    /// Sessions of the console.
    pub(super) sessions: Arc<Mutex<Sessions>>,
    /// Run and phase of the world that was last sent to pages and viewers. `None`: the world has to be sent again.
    pub(super) shown: Option<(u64, u16)>,
    /// Events of the camera above the arena; `None` without such a camera.
    pub(super) overhead: Option<Receiver<overhead::Event>>,
    pub(super) room: DiskSpace,
    pub(super) records: Records,
    pub(super) stops: Stops,
    /// Thread that stores update bundles and reads their pieces.
    pub(super) updates: Updates<ReturnAddress>,
    pub(super) observer: Observer,
    /// Rate limit of the warning about evicted connections, and the number of evicted connections at the last warning.
    pub(super) eviction_warning: (RateLimit, u64),
    /// Rate limit of the warning about connections without a valid key, and the number of such connections at the last
    /// warning.
    pub(super) rejection_warning: (RateLimit, u64),
    pub(super) started: Instant,
    /// Git commit from which this program was built.
    pub(super) commit: &'static str,
}

/// Sender of a request, to whom the reply is returned.
pub(super) enum Asker {
    /// Operator or observer with a ZeroMQ socket.
    Socket(ReturnAddress),
    /// Page of the console, with the channel for its reply.
    Page(oneshot::Sender<Reply>),
}

impl Shell for HubProgram {
    type Connection = Sender;
    type Asker = Asker;

    fn wall(&mut self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    fn keys(&mut self) -> Option<KeyNews> {
        let (guard, known) = self.guard.as_mut()?;
        let notes = guard.take_notes();
        let edition = guard.edition();
        let trust = (edition != *known).then(|| guard.trust());
        *known = edition;
        Some(KeyNews { notes, trust, refusals: guard.refusals() })
    }

    fn poses(&mut self, now: f64) -> Option<PoseNews> {
        Some(match self.poses.try_recv().ok()? {
            Event::Frame(frame, arrived) => {
                self.observer.frame(now, arrived);
                PoseNews::Frame(frame)
            }
            Event::Refused(counts) => PoseNews::Refused(counts),
            Event::Note(line) => PoseNews::Note(line),
        })
    }

    fn receive(&mut self) -> Option<FromRobot<Sender>> {
        let (sender, message) = self.robots.receive_from()?;
        Some(FromRobot { robot: sender.name.clone(), connection: sender, message })
    }

    fn answers_by(&self, _: &str, connection: &Sender) -> bool {
        self.robots.is_routed_by(connection)
    }

    fn answer_by(&mut self, _: &str, connection: Sender) {
        self.robots.set_route(connection);
    }

    fn heard(&mut self, now: f64, robot: &str, message: &Result<RobotMessage, CodecError>) {
        if let Ok(RobotMessage::Picture(picture)) = message
            && picture.is_sound()
        {
            self.send_to_console(LiveMessage::Picture(robot.into(), picture.clone()));
        }
        self.observer.message(now, message);
    }

    /// Returns the next request from a console page or from ZeroMQ. Requests of pages have priority, because pages send
    /// few requests at a time.
    fn request(&mut self) -> Option<OperatorRequest<Asker>> {
        if let Ok(Command { who, request, answer }) = self.commands.try_recv() {
            return Some(OperatorRequest { by: Asker::Page(answer), who, request: Ok(request) });
        }
        let (to, request) = self.operators.receive::<Request>()?;
        let who = to.peer.name.clone();
        let request = match request {
            Ok(request) if !request.allowed_to(to.peer.role) => {
                if let Some((guard, _)) = &self.guard {
                    guard.count_wrong_role();
                }
                Err(format!("`{who}` is an observer and must not change anything"))
            }
            Ok(Request::Link) if self.console.is_some() => {
                let reply = self.link(&to);
                self.operators.answer(to, &reply);
                return self.request();
            }
            Ok(Request::Upload { bundle, offset, bytes }) => {
                self.have_bundles(Job::Upload { to, bundle, offset, bytes: bytes.0 });
                return None;
            }
            Ok(Request::Update { digest, robots, canary }) => {
                self.have_bundles(Job::Begin { to, digest, robots, canary });
                return None;
            }
            request => request.map_err(|error| format!("request rejected: {error}")),
        };
        Some(OperatorRequest { by: Asker::Socket(to), who, request })
    }

    fn answer(&mut self, to: Asker, reply: Reply) {
        match to {
            Asker::Socket(to) => self.operators.answer(to, &reply),
            // The send fails only if the page has disconnected, and then nobody needs the answer.
            Asker::Page(to) => drop(to.send(reply)),
        }
    }

    fn send(&mut self, robot: usize, message: Sealed) {
        let sent = self.robots.send(&self.config.swarm.robots[robot], &message);
        self.observer.sent(&message.message, sent);
    }

    fn open_record(
        &mut self,
        name: &str,
        (text, files): (&str, BTreeMap<String, String>),
        seed: u64,
    ) -> Result<String, String> {
        self.send_to_console(LiveMessage::RunBegins);
        let begins = Beginning { name, text, files: &files, seed, unix_ms: unix_ms(), commit: self.commit };
        self.records.open(&self.config, &begins)
    }

    fn record(&mut self, entry: Entry) -> Option<u64> {
        self.observer.entry(self.started.elapsed().as_secs_f64(), &entry);
        if self.console.is_some() {
            self.send_to_console(LiveMessage::Entry(Box::new(entry.clone())));
        }
        if let Some(viewers) = &self.viewers {
            viewers.entry(&entry);
        }
        self.records.write(entry)
    }

    fn record_news(&mut self) -> Option<RecordNews> {
        self.records.news().or_else(|| self.stops.poll_result().map(RecordNews::Kept))
    }

    fn store(&mut self, snapshot: Snapshot) {
        self.records.store(snapshot);
    }

    fn store_stops(&mut self, stops: u64) {
        self.stops.store(stops);
    }

    fn send_piece(&mut self, robot: usize, digest: String, offset: u64) {
        // A full queue is harmless: without an answer, the robot requests the piece again.
        let _ = self.updates.enqueue(Job::Read { robot, digest, offset });
    }

    fn keep_update(&mut self, update: &Update) {
        if self.updates.enqueue(Job::Keep(Box::new(update.clone()))).is_err() {
            warn!(target: "hub", "update state not saved: the disk is too slow");
        }
    }

    fn enrolled(&mut self, now: f64, swarm: &Swarm) {
        let known = self.config.swarm.robots.len();
        // The send fails only if the motion-capture thread has ended, which happens at shutdown.
        swarm.robots[known..].iter().for_each(|robot| drop(self.newcomers.send(robot.clone())));
        self.config.swarm = swarm.clone();
        self.send_to_console(LiveMessage::Robots(swarm.robots.clone()));
        if let Some(viewers) = &self.viewers {
            viewers.robots(now, &swarm.robots);
        }
        // The world contains the robots. With `None`, the hub sends the world to the pages again at the next status.
        self.shown = None;
    }

    fn close_record(&mut self, status: Status) {
        self.records.close(status);
    }

    fn log(&mut self, line: Line) {
        event_at!(line.level, target: "hub", "{}", line.text);
    }
}

impl HubProgram {
    /// Creates a link that opens the console for a person who has proven a key. The browser needs no copy of the key.
    fn link(&self, to: &ReturnAddress) -> Reply {
        let Some(address) = &self.config.swarm.hub.console else {
            return Reply::Refused("this hub has no console".into());
        };
        let Ok(token) = fresh_token() else {
            return Reply::Refused("the random number generator of this machine failed".into());
        };
        let role = if to.peer.role == Role::Operator { Role::Operator } else { Role::Observer };
        let person = Person { name: to.peer.name.clone(), role, key: None };
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(why) = sessions.link(self.started.elapsed().as_secs_f64(), token.clone(), person) {
            return Reply::Refused(why.to_string());
        }
        let scheme = if self.config.hub.console.tls.is_some() { "https" } else { "http" };
        Reply::Link(format!("{scheme}://{}/#link={token}", reachable(address)))
    }

    /// Passes a request about update bundles to the bundle thread. Rejects an operator's request if the thread is
    /// busy.
    fn have_bundles(&self, job: Job<ReturnAddress>) {
        if let Err(Job::Upload { to, .. } | Job::Begin { to, .. }) = self.updates.enqueue(job) {
            self.operators.answer(to, &Reply::Refused("the hub's disk is busy; try again".into()));
        }
    }

    /// Sends the results of the bundle thread, at most [`PIECES_AT_ONCE`] per call.
    pub(super) fn go_on_updating(&mut self, now: f64, hub: &mut Hub<Asker>) {
        for _ in 0..PIECES_AT_ONCE {
            let Some(done) = self.updates.poll() else { return };
            match done {
                Done::Answer(to, reply) => self.operators.answer(to, &reply),
                Done::Begin { to, bundle, robots, canary } => {
                    let reply = hub.board.update(now, &to.peer.name, bundle, &robots, canary);
                    self.operators.answer(to, &reply);
                }
                Done::Piece { robot, digest, offset, bytes } => {
                    let sealed = hub.seal(robot, ToRobot::Chunk { digest, offset, bytes: Bytes(bytes) });
                    self.send(robot, sealed);
                }
            }
        }
    }

    /// Requests real-time priority, so that other processes on this machine do not delay sensor data.
    pub(super) fn set_realtime(&self) {
        let priority = self.config.hub.realtime;
        if priority > 0 && priority::run_first(priority).is_err() {
            warn!(
                target: "hub",
                "the kernel refuses real-time priority (CAP_SYS_NICE); senses may be late while this machine is busy"
            );
        }
    }

    /// Processes events of the camera above the arena. Pictures are recorded on the same clock as the poses.
    pub(super) fn poll_overhead(&mut self, now: f64, hub: &mut Hub<Asker>) {
        let speed = self.config.swarm.speed;
        while let Some(event) = self.overhead.as_ref().and_then(|events| events.try_recv().ok()) {
            match event {
                overhead::Event::Picture(shot, came) => {
                    self.records.overhead(now - came.elapsed().as_secs_f64() * speed, shot.clone());
                    self.send_to_console(LiveMessage::Overhead(shot, came));
                }
                overhead::Event::Trouble(why) => hub.board.warn(now, why),
                overhead::Event::Comes => hub.board.note(now, "the overhead camera sends pictures again".into()),
            }
        }
    }

    /// Publishes the status to the console, the live view and the observer.
    pub(super) fn publish(&mut self, now: f64, hub: &mut Hub<Asker>) {
        self.report_ports(now, hub);
        hub.board.set_log_lines_lost(log::lost());
        hub.board.set_keys_unreadable(self.guard.as_ref().and_then(|(guard, _)| guard.unreadable()));
        let status = hub.board.status(now);
        let wall = self.started.elapsed().as_secs_f64();
        self.observer.links(self.robots.ended());
        self.observer.status(wall, &status, self.records.file(), hub.board.strangers());
        if let Some(viewers) = &self.viewers {
            let counts = viewers.counts();
            self.observer.viewers(counts.viewers, counts.left_out);
        }
        let here = hub.board.here();
        if self.shown.replace(here) != Some(here) {
            self.show_world(now, hub);
        }
        self.show(status);
    }

    /// Sends a message to the pages, if there is a console.
    pub(super) fn send_to_console(&self, told: LiveMessage) {
        if let Some(console) = &self.console {
            console.send(told);
        }
    }

    /// Sends the world of the run to pages and viewers.
    fn show_world(&self, now: f64, hub: &Hub<Asker>) {
        if let Some(viewers) = &self.viewers {
            viewers.world(now, hub.board.world());
        }
        if self.console.is_some() {
            let arena = self.config.hub.arena;
            let half = [arena.length_m / 2.0, arena.width_m / 2.0];
            let shown = world(hub.board.world(), half, arena.frisbee_radius_m, &self.config.swarm.robots);
            self.send_to_console(LiveMessage::World(now, serde_json::json!(shown)));
        }
    }

    /// Sends the status to the pages, if there is a console.
    fn show(&mut self, status: Status) {
        if self.console.is_none() {
            return;
        }
        let (disk_free_bytes, record_bytes) = self.room.update(self.records.file());
        let speed = self.config.swarm.speed;
        let around = StatusContext { wall_unix_ms: unix_ms(), speed, record_bytes, disk_free_bytes, watchers: 0 };
        self.send_to_console(LiveMessage::Status(Box::new(status), around));
    }

    /// Reports the shutdown to the pages, so that they can show the reason for the lost connection.
    pub(super) fn report_shutdown(&self) {
        self.send_to_console(LiveMessage::Bye("the hub was shut down"));
    }

    /// Warns, at a limited rate, about evicted connections and connections without a valid key.
    fn report_ports(&mut self, now: f64, hub: &mut Hub<Asker>) {
        let counts = self.relays.each_ref().map(Relay::counts);
        let evicted = counts.iter().map(|port| port.evicted).sum();
        let (limit, told) = &mut self.eviction_warning;
        if evicted > *told && limit.due(now) {
            let new = evicted - *told;
            hub.board.warn(now, format!("{new} connections were closed to make room for new connections"));
            *told = evicted;
        }
        let turned_away = counts.iter().map(|port| port.turned_away).sum();
        let last = counts.iter().rev().find_map(|port| port.last_turned_away);
        let (limit, told) = &mut self.rejection_warning;
        if let Some((peer, mistake)) = last.filter(|_| turned_away > *told && limit.due(now)) {
            hub.board.warn(now, format!("{peer} was rejected: {}", mistake.words()));
            *told = turned_away;
        }
        self.observer.ports(&counts);
    }
}
