//! What happens now, for pages that are open: the hub's loop hands over what it records, one task makes events of it, and
//! each page gets those that it asked for, as server-sent events.

use super::feed::{Around, Event, Feed};
use crate::overhead::Shot;
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

/// What waits between the hub's loop and this task at most; what does not fit is lost, and counted.
pub const QUEUE: usize = 8192;
/// Events that a page may be behind before it is sent away, to come back and begin anew.
const BEHIND: usize = 1024;
/// A page that is further behind than this misses what a later event replaces.
const SLOW: usize = 48;
/// Events on their way to one page.
const ON_THE_WAY: usize = 8;
/// Lines that a page begins with.
const LINES: usize = 200;
/// Status events a second at most, wall time.
const STATUS: Duration = Duration::from_millis(190);
/// Poses at most so often, wall time: 25 a second at any speed.
const POSES: Duration = Duration::from_millis(38);
/// What a robot senses at most so often, wall time.
const ROBOT: Duration = Duration::from_millis(90);
/// A picture that is older is not shown.
const PICTURE: Duration = Duration::from_secs(5);
/// Whoever wants a picture is taken to want the next one for so long.
const WANTS: Duration = Duration::from_secs(3);

/// What the hub's loop tells.
pub enum Told {
    /// Something that is recorded, whether a record is open or not.
    Entry(Box<Entry>),
    /// How things stand.
    Status(Box<Status>, Around),
    /// The world is this one now, in JSON.
    World(f64, serde_json::Value),
    /// A run begins or is taken up.
    RunBegins,
    /// The swarm has more robots now: these are all.
    Robots(Vec<String>),
    /// What a robot's camera sees.
    Picture(String, Picture),
    /// What the camera above the arena sees, and when that came.
    Overhead(Arc<Shot>, Instant),
    /// The hub ends.
    Bye(&'static str),
}

/// The hub's end of the queue.
#[derive(Clone)]
pub struct Teller(mpsc::Sender<Told>);

impl Teller {
    /// A queue, and its other end.
    pub fn new() -> (Teller, mpsc::Receiver<Told>) {
        let (sender, receiver) = mpsc::channel(QUEUE);
        (Teller(sender), receiver)
    }

    /// Tells; never waits.
    pub fn tell(&self, told: Told) {
        // A console that does not keep up misses something; the record does not.
        let _ = self.0.try_send(told);
    }
}

#[derive(Default)]
struct Watched {
    pages: usize,
    wants_picture: Option<Instant>,
    picture: Option<(Picture, Instant)>,
    /// Pictures that came.
    pictures: u64,
    shown: Option<Instant>,
}

struct State {
    feed: Feed,
    status: Option<Arc<Status>>,
    watched: BTreeMap<String, Watched>,
    status_sent: Option<Instant>,
    poses_sent: Option<Instant>,
    /// The newest picture of the arena, when it came, and how many came.
    overhead: Option<(Arc<Shot>, Instant)>,
    overheads: u64,
    bye: Option<Event>,
}

/// A picture that is shown: when it came, and which it is, from 1.
pub struct Shown<T> {
    /// The picture.
    pub picture: T,
    /// When it came.
    pub came: Instant,
    /// How many came up to it.
    pub number: u64,
}

/// What pages see of the hub.
#[derive(Clone)]
pub struct Live {
    state: Arc<Mutex<State>>,
    events: broadcast::Sender<Arc<Event>>,
    hello: Arc<str>,
}

/// One page's watch over a robot; it ends when this is dropped.
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
    /// Before anything happened; `hello` is what every page is told first, in JSON.
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

    /// Makes events of what is told, for as long as the hub tells.
    pub async fn run(self, mut told: mpsc::Receiver<Told>) {
        while let Some(told) = told.recv().await {
            self.take(told);
        }
    }

    fn take(&self, told: Told) {
        let mut state = self.state();
        let state = &mut *state;
        let events = match told {
            Told::Entry(entry) => {
                let watched = &mut state.watched;
                let mut events = state.feed.take(&entry, |robot| watched.get(robot).is_some_and(|w| w.pages > 0));
                events.retain(|event| match (event.name, &event.robot) {
                    ("poses", _) => due(&mut state.poses_sent, POSES),
                    ("robot", Some(robot)) => {
                        watched.get_mut(&**robot).is_some_and(|watched| due(&mut watched.shown, ROBOT))
                    }
                    _ => true,
                });
                events
            }
            Told::Status(status, mut around) => {
                around.watchers = self.events.receiver_count();
                let event = state.feed.status(&status, &around);
                state.status = Some(status.into());
                if due(&mut state.status_sent, STATUS) { vec![event] } else { Vec::new() }
            }
            Told::World(time, world) => vec![state.feed.world(time, &world)],
            Told::RunBegins => {
                state.feed.run_begins();
                vec![plain("history", "{}")]
            }
            Told::Robots(ids) => {
                state.feed.set_robots(&ids);
                Vec::new()
            }
            Told::Picture(robot, picture) => {
                if let Some(watched) = state.watched.get_mut(&robot) {
                    watched.picture = Some((picture, Instant::now()));
                    watched.pictures += 1;
                }
                Vec::new()
            }
            Told::Overhead(shot, came) => {
                (state.overhead, state.overheads) = (Some((shot, came)), state.overheads + 1);
                Vec::new()
            }
            Told::Bye(why) => {
                let event = plain("bye", &serde_json::json!({ "why": why }).to_string());
                state.bye = Some(event.clone());
                vec![event]
            }
        };
        for event in events {
            // Without pages nobody receives it.
            let _ = self.events.send(Arc::new(event));
        }
    }

    /// How things stood a moment ago; none before the hub told.
    pub fn status(&self) -> Option<Arc<Status>> {
        self.state().status.clone()
    }

    /// Does something with what is known.
    pub fn with<T>(&self, look: impl FnOnce(&mut Feed) -> T) -> T {
        look(&mut self.state().feed)
    }

    /// Robots that pages look at, and whether they want to see what the camera sees.
    pub fn watched(&self) -> Vec<(String, bool)> {
        let mut state = self.state();
        let wants = |w: &Watched| w.wants_picture.is_some_and(|at| at.elapsed() < WANTS);
        state.watched.retain(|_, watched| watched.pages > 0 || wants(watched));
        state.watched.iter().map(|(robot, watched)| (robot.clone(), wants(watched))).collect()
    }

    /// A robot's last picture; asking for it makes the robot send more.
    pub fn picture(&self, robot: &str) -> Option<Shown<Picture>> {
        let mut state = self.state();
        let watched = state.watched.entry(robot.into()).or_default();
        watched.wants_picture = Some(Instant::now());
        let (picture, came) = watched.picture.as_ref().filter(|(_, at)| at.elapsed() < PICTURE)?;
        Some(Shown { picture: picture.clone(), came: *came, number: watched.pictures })
    }

    /// The last picture of the camera above the arena, however old.
    pub fn overhead(&self) -> Option<Shown<Arc<Shot>>> {
        let state = self.state();
        let (shot, came) = state.overhead.as_ref()?;
        Some(Shown { picture: shot.clone(), came: *came, number: state.overheads })
    }

    /// A page begins to look at a robot.
    fn watch(&self, robot: &str) -> Watch {
        self.state().watched.entry(robot.into()).or_default().pages += 1;
        Watch(self.clone(), robot.into())
    }

    /// Events for one page until it `leaves`: those of one robot if it looks at one, and lines after those that it has seen.
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

    /// What a page begins with.
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
            // The page left.
            () = sender.closed() => return,
        };
        // Whoever missed what nothing replaces begins anew: an event source connects again by itself.
        let Ok(event) = event else { return };
        let theirs = event.robot.is_none() || event.robot.as_deref() == robot.as_deref();
        let late = event.is_passing() && receiver.len() > SLOW;
        if theirs && !late && sender.send(Ok(bytes(&event))).await.is_err() {
            return;
        }
    }
}
