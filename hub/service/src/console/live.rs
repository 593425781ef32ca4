//! Live events for open pages. The hub's loop forwards its entries, and one task converts them into events. Each page
//! receives the events for it as server-sent events.

use super::feed::{Event, Feed, StatusContext};
use crate::overhead::OverheadPicture;
use axum::body::Bytes;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{broadcast, mpsc};
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;
use xpuck_hub_core::entry::Entry;
use xpuck_wire::Status;
use xpuck_wire::message::Picture;

/// Maximum length of the queue between the hub's loop and the task. Further messages are dropped.
pub const QUEUE: usize = 8192;
/// Number of waiting events above which a page is disconnected. The page then reconnects, and receives the current
/// state.
const BEHIND: usize = 1024;
/// Number of waiting events above which a page no longer receives events that a later event replaces.
const SLOW: usize = 48;
/// Maximum number of events buffered for transmission to a page.
const ON_THE_WAY: usize = 8;
/// Number of log lines that are sent to a new page.
const LINES: usize = 200;
/// Minimum interval between status events (wall time).
const STATUS: Duration = Duration::from_millis(190);
/// Minimum interval between pose events (wall time). It limits their rate to about 25 Hz, even if arena time runs
/// faster than wall time.
const POSES: Duration = Duration::from_millis(38);
/// Minimum interval between events with a robot's sensor readings (wall time).
const ROBOT: Duration = Duration::from_millis(90);
/// Age from which a robot's picture is no longer shown.
const PICTURE: Duration = Duration::from_secs(5);
/// Time for which a robot sends pictures after a request for a picture.
const WANTS: Duration = Duration::from_secs(3);

/// Message from the hub's loop to the console.
pub enum LiveMessage {
    /// Entry of the record. It is sent even if no record is open.
    Entry(Box<Entry>),
    /// Status of the hub, with values that the status lacks.
    Status(Box<Status>, StatusContext),
    /// Current world: arena time (s), and the world as JSON.
    World(f64, serde_json::Value),
    /// Start of a run, or its resumption.
    RunBegins,
    /// Ids of all robots, sent after robots were added to the swarm.
    Robots(Vec<String>),
    /// Id of a robot, and a picture of its camera.
    Picture(String, Picture),
    /// Picture of the camera above the arena, and its time of arrival.
    Overhead(Arc<OverheadPicture>, Instant),
    /// Shutdown of the hub, with the reason.
    Bye(&'static str),
}

/// Sending end of the queue, which the hub's loop uses.
#[derive(Clone)]
pub struct LiveSender(mpsc::Sender<LiveMessage>);

impl LiveSender {
    /// Creates a queue, and returns both of its ends.
    pub fn new() -> (LiveSender, mpsc::Receiver<LiveMessage>) {
        let (sender, receiver) = mpsc::channel(QUEUE);
        (LiveSender(sender), receiver)
    }

    /// Sends a message without waiting.
    pub fn send(&self, told: LiveMessage) {
        // If the queue is full, the console misses the message. The record is not affected.
        let _ = self.0.try_send(told);
    }
}

#[derive(Default)]
struct Watched {
    pages: usize,
    wants_picture: Option<Instant>,
    picture: Option<(Picture, Instant)>,
    /// Number of pictures received from the robot.
    pictures: u64,
    shown: Option<Instant>,
}

struct State {
    feed: Feed,
    status: Option<Arc<Status>>,
    watched: BTreeMap<String, Watched>,
    status_sent: Option<Instant>,
    poses_sent: Option<Instant>,
    /// Latest picture of the camera above the arena, and its time of arrival.
    overhead: Option<(Arc<OverheadPicture>, Instant)>,
    overheads: u64,
    bye: Option<Event>,
}

/// Picture with its time of arrival and its number.
pub struct Shown<T> {
    /// The picture itself.
    pub picture: T,
    /// Time of arrival of the picture.
    pub came: Instant,
    /// Number of the picture, from 1.
    pub number: u64,
}

/// State of the hub that pages show. Clones share the same state.
#[derive(Clone)]
pub struct Live {
    state: Arc<Mutex<State>>,
    events: broadcast::Sender<Arc<Event>>,
    hello: Arc<str>,
}

/// Subscription of a page to a robot's events. Dropping it ends the subscription.
pub struct Watch(Live, String);

impl Drop for Watch {
    fn drop(&mut self) {
        let mut state = self.0.state();
        if let Some(watched) = state.watched.get_mut(&self.1) {
            watched.pages = watched.pages.saturating_sub(1);
        }
    }
}

fn due(last: &mut Option<Instant>, period: Duration) -> bool {
    let due = last.is_none_or(|at| at.elapsed() >= period);
    if due {
        *last = Some(Instant::now());
    }
    due
}

impl Live {
    /// Creates the state with an empty status. `hello` is the first event that every page receives, as JSON.
    pub fn new(feed: Feed, hello: String) -> Live {
        let state = State {
            feed,
            status: None,
            watched: BTreeMap::new(),
            status_sent: None,
            poses_sent: None,
            overhead: None,
            overheads: 0,
            bye: None,
        };
        let events = broadcast::channel(BEHIND).0;
        Live { state: Arc::new(Mutex::new(state)), events, hello: hello.into() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Converts messages into events until the sending end of the queue is dropped.
    pub async fn run(self, mut told: mpsc::Receiver<LiveMessage>) {
        while let Some(told) = told.recv().await {
            self.on_message(told);
        }
    }

    fn on_message(&self, told: LiveMessage) {
        let mut state = self.state();
        let state = &mut *state;
        let events = match told {
            LiveMessage::Entry(entry) => {
                let watched = &mut state.watched;
                let mut events = state.feed.on_entry(&entry, |robot| watched.get(robot).is_some_and(|w| w.pages > 0));
                events.retain(|event| match (event.name, &event.robot) {
                    ("poses", _) => due(&mut state.poses_sent, POSES),
                    ("robot", Some(robot)) => {
                        watched.get_mut(&**robot).is_some_and(|watched| due(&mut watched.shown, ROBOT))
                    }
                    _ => true,
                });
                events
            }
            LiveMessage::Status(status, mut around) => {
                around.watchers = self.events.receiver_count();
                let event = state.feed.status(&status, &around);
                state.status = Some(status.into());
                if due(&mut state.status_sent, STATUS) { vec![event] } else { Vec::new() }
            }
            LiveMessage::World(time, world) => vec![state.feed.world(time, &world)],
            LiveMessage::RunBegins => {
                state.feed.run_begins();
                vec![plain("history", "{}")]
            }
            LiveMessage::Robots(ids) => {
                state.feed.set_robots(&ids);
                Vec::new()
            }
            LiveMessage::Picture(robot, picture) => {
                if let Some(watched) = state.watched.get_mut(&robot) {
                    watched.picture = Some((picture, Instant::now()));
                    watched.pictures += 1;
                }
                Vec::new()
            }
            LiveMessage::Overhead(shot, came) => {
                (state.overhead, state.overheads) = (Some((shot, came)), state.overheads + 1);
                Vec::new()
            }
            LiveMessage::Bye(why) => {
                let event = plain("bye", &serde_json::json!({ "why": why }).to_string());
                state.bye = Some(event.clone());
                vec![event]
            }
        };
        for event in events {
            // Sending fails only if no page is connected.
            let _ = self.events.send(Arc::new(event));
        }
    }

    /// Returns the latest status of the hub; `None` before the first status.
    pub fn status(&self) -> Option<Arc<Status>> {
        self.state().status.clone()
    }

    /// Calls a function with the feed, which is locked during the call.
    pub fn with<T>(&self, look: impl FnOnce(&mut Feed) -> T) -> T {
        look(&mut self.state().feed)
    }

    /// Returns the robots that pages show in detail, each with a flag that is true if pictures of its camera are
    /// requested.
    pub fn watched(&self) -> Vec<(String, bool)> {
        let mut state = self.state();
        let wants = |w: &Watched| w.wants_picture.is_some_and(|at| at.elapsed() < WANTS);
        state.watched.retain(|_, watched| watched.pages > 0 || wants(watched));
        state.watched.iter().map(|(robot, watched)| (robot.clone(), wants(watched))).collect()
    }

    /// Returns the latest picture of a robot; `None` if it is missing or too old. Also requests further pictures from
    /// the robot.
    pub fn picture(&self, robot: &str) -> Option<Shown<Picture>> {
        let mut state = self.state();
        let watched = state.watched.entry(robot.into()).or_default();
        watched.wants_picture = Some(Instant::now());
        let (picture, came) = watched.picture.as_ref().filter(|(_, at)| at.elapsed() < PICTURE)?;
        Some(Shown { picture: picture.clone(), came: *came, number: watched.pictures })
    }

    /// Returns the latest picture of the camera above the arena, regardless of its age; `None` without a picture.
    pub fn overhead(&self) -> Option<Shown<Arc<OverheadPicture>>> {
        let state = self.state();
        let (shot, came) = state.overhead.as_ref()?;
        Some(Shown { picture: shot.clone(), came: *came, number: state.overheads })
    }

    /// Subscribes a page to a robot's events.
    fn watch(&self, robot: &str) -> Watch {
        self.state().watched.entry(robot.into()).or_default().pages += 1;
        Watch(self.clone(), robot.into())
    }

    /// Returns the stream of events for one page. The stream contains general events, the events of `robot` if given,
    /// and the log lines after number `seen`. It ends when `leaves` resolves.
    pub fn stream<L: Future<Output = ()> + Send + 'static>(
        &self,
        robot: Option<String>,
        seen: Option<u64>,
        leaves: L,
    ) -> impl Stream<Item = Result<Bytes, Infallible>> + use<L> {
        let receiver = self.events.subscribe();
        let watch = robot.as_deref().map(|robot| self.watch(robot));
        let first = self.first(robot.as_deref(), seen);
        let (sender, stream) = mpsc::channel(ON_THE_WAY);
        tokio::spawn(async move {
            let _watch = watch;
            tokio::select! {
                () = leaves => {}
                () = forward(first, receiver, robot, sender) => {}
            }
        });
        ReceiverStream::new(stream)
    }

    /// Returns the events that a page receives first.
    fn first(&self, robot: Option<&str>, seen: Option<u64>) -> Vec<Event> {
        let mut state = self.state();
        let latest = state.feed.latest.clone();
        let mut events = vec![plain("hello", &self.hello)];
        events.extend([latest.world, latest.status, latest.poses].into_iter().flatten());
        let lines = seen.and_then(|seen| state.feed.lines_after(seen)).filter(|lines| lines.len() <= LINES);
        events.extend(lines.unwrap_or_else(|| state.feed.last_lines(LINES)));
        if let Some(robot) = robot {
            let tree = state.feed.tree(robot);
            events.extend(tree.and_then(|tree| serde_json::to_string(&*tree).ok()).map(|json| plain("tree", &json)));
        }
        events.extend(state.bye.clone());
        events
    }
}

fn plain(name: &'static str, json: &str) -> Event {
    Event { name, robot: None, number: None, time: 0.0, json: json.into() }
}

fn bytes(event: &Event) -> Bytes {
    let number = event.number.map_or(String::new(), |number| format!("id: {number}\n"));
    format!("{number}event: {}\ndata: {}\n\n", event.name, event.json).into()
}

async fn forward(
    first: Vec<Event>,
    mut receiver: broadcast::Receiver<Arc<Event>>,
    robot: Option<String>,
    sender: mpsc::Sender<Result<Bytes, Infallible>>,
) {
    for event in first {
        if sender.send(Ok(bytes(&event))).await.is_err() {
            return;
        }
    }
    loop {
        let event = tokio::select! {
            event = receiver.recv() => event,
            // The page has disconnected, so the stream ends.
            () = sender.closed() => return,
        };
        // Receiving fails if more than [`BEHIND`] events wait for the page. The stream then ends, and the page's event
        // source reconnects automatically.
        let Ok(event) = event else { return };
        let theirs = event.robot.is_none() || event.robot.as_deref() == robot.as_deref();
        let late = event.is_passing() && receiver.len() > SLOW;
        if theirs && !late && sender.send(Ok(bytes(&event))).await.is_err() {
            return;
        }
    }
}
