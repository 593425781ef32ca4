//! Thread that receives frames from the motion-capture system and passes them to the hub.

use super::error::MocapError;
use super::open::open;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender};
use std::time::{Duration, Instant};
use xpuck_hub_core::config::{Arena, Mocap};
use xpuck_hub_core::hub::POSES_PER_TURN;
use xpuck_hub_core::mocap::Frame;
use xpuck_hub_core::mocap::gates::PoseFilter;
use xpuck_hub_core::mocap::reference::Reference;
use xpuck_wire::log::Line;
use xpuck_wire::priority;

/// Maximum number of frames waiting for the hub; further frames are dropped while the queue is full.
pub const QUEUE: usize = POSES_PER_TURN;
/// Pause between attempts to connect.
const RETRY: Duration = Duration::from_millis(200);
/// Minimum interval between two reports about rejected poses.
const REPORT_INTERVAL: Duration = Duration::from_millis(100);

/// Event of the thread.
#[derive(Debug)]
pub enum Event {
    /// Frame with its time of arrival at this thread.
    Frame(Frame, Instant),
    /// Number of poses rejected so far, by reason. The event is sent when a number has changed, at most ten times per
    /// second.
    Refused(Vec<(String, u64)>),
    /// Line for the log about the connection or about rejected poses.
    Note(Line),
}

/// Starts the thread, which ends when `stop` is set. The thread calls `wake` when a frame is available. `realtime` is
/// the thread's priority under SCHED_FIFO; 0 keeps the normal priority. `robots` are the robots of the swarm file;
/// `more` receives robots added later.
pub fn start(
    (mocap, arena): (&Mocap, &Arena),
    (robots, more): (&[String], Receiver<String>),
    realtime: u8,
    events: SyncSender<Event>,
    stop: Arc<AtomicBool>,
    wake: impl Fn() + Send + 'static,
) -> std::io::Result<()> {
    let gates = PoseFilter::new(mocap.gates, robots).within(arena, &mocap.frisbee);
    let reference = Reference::new(mocap);
    let told = (Vec::new(), Instant::now());
    let began = Instant::now();
    let mut client =
        Client { mocap: mocap.clone(), reference, began, gates, more, events, warned: false, reported: told };
    std::thread::Builder::new().name("mocap".into()).spawn(move || {
        if realtime > 0 {
            // An error is ignored here, because the hub's main thread also requests this priority, and reports the
            // error.
            let _ = priority::run_first(realtime);
        }
        while !stop.load(Ordering::Relaxed) {
            if let Err(problem) = client.stream(&stop, &wake) {
                client.warn(&problem);
                std::thread::sleep(RETRY);
            }
        }
    })?;
    Ok(())
}

struct Client {
    mocap: Mocap,
    reference: Reference,
    /// Time origin of the frames' times of arrival.
    began: Instant,
    gates: PoseFilter,
    /// Receives robots added to the swarm.
    more: Receiver<String>,
    events: SyncSender<Event>,
    warned: bool,
    /// Numbers of rejected poses by reason in the last report to the hub, and the time of this report.
    reported: (Vec<(String, u64)>, Instant),
}

impl Client {
    /// Passes frames to the hub until `stop` is set or the connection fails.
    fn stream(&mut self, stop: &AtomicBool, wake: &dyn Fn()) -> Result<(), MocapError> {
        let mut source = open(&self.mocap, stop)?;
        self.gates.connected();
        while !stop.load(Ordering::Relaxed) {
            self.more.try_iter().for_each(|robot| self.gates.add(robot));
            let frames = source.frames()?;
            for line in source.take_notes() {
                self.note(Line::warn(format!("motion capture at {}: {line}", self.mocap.place())));
            }
            for mut raw in frames {
                self.reference.translate(&mut raw, self.began.elapsed().as_secs_f64());
                if std::mem::take(&mut self.warned) {
                    let text = format!("motion capture at {}: frames are received again", self.mocap.place());
                    self.note(Line::info(text));
                }
                // If the queue is full, the hub is late. The frame may then be dropped, because a newer one follows.
                if let Some(frame) = self.gates.filter(&raw) {
                    let _ = self.events.try_send(Event::Frame(frame, Instant::now()));
                    wake();
                }
                if let Some(report) = self.gates.report() {
                    self.note(Line::warn(report));
                }
            }
            self.tell_refused();
        }
        Ok(())
    }

    fn tell_refused(&mut self) {
        let (known, at) = &self.reported;
        if at.elapsed() >= REPORT_INTERVAL && self.gates.counts() != *known {
            let counts = self.gates.counts();
            if self.events.try_send(Event::Refused(counts.clone())).is_ok() {
                self.reported = (counts, Instant::now());
            }
        }
    }

    fn warn(&mut self, problem: &MocapError) {
        if !std::mem::replace(&mut self.warned, true) {
            let place = self.mocap.place();
            self.note(Line::warn(format!("motion capture at {place}: {problem}; retrying until it answers")));
        }
    }

    fn note(&self, line: Line) {
        // If the queue is full, the hub is late, and the line is dropped.
        let _ = self.events.try_send(Event::Note(line));
    }
}
