//! Load on a hub: a motion-capture server and many simulated robots. The delay between poses and senses is measured.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use xpuck_arena::mocap::vicon::{self, FRISBEE, HERTZ, serve::Server};
use xpuck_kernels::math::{vec2, wrap_angle};
use xpuck_kernels::world::Pose;
use xpuck_wire::message::{Directive, RobotMessage, State, ToRobot};
use xpuck_wire::seal::Sealed;
use xpuck_wire::settings::Answer;
use xpuck_wire::socket::{Dealer, Readable, SocketError, Sockets, wait};
use xpuck_wire::telemetry::Telemetry;
use xpuck_wire::witness::LastDirectiveReport;

/// Number of frames that robots can distinguish by heading. The heading is the frame number in tenths of a degree.
const FRAMES: usize = 3600;
/// Maximum duration of a load in which no two frames have the same heading (s). A margin of 12 s is subtracted.
pub const LONGEST_S: f64 = FRAMES as f64 / HERTZ as f64 - 12.0;
/// Interval between two telemetry messages of a robot.
const TELEMETRY: Duration = Duration::from_millis(100);
/// Number of threads that simulate the robots.
const THREADS: usize = 2;
/// Longest wait for messages in one poll (ms).
const POLL_MS: i64 = 5;
/// Time after the measurement in which messages in transit may still arrive.
const REST: Duration = Duration::from_millis(700);

/// Simulated robots in a square grid, and the motion-capture server that publishes their poses.
pub struct RobotsLoad {
    ids: Vec<String>,
    spacing_m: f32,
    server: Server,
    start: Instant,
    /// Time at which each frame was given to the server (us after `start`).
    published: Vec<AtomicU64>,
    /// Number of robots that received senses of each frame.
    received: Vec<AtomicU32>,
    ready: AtomicU32,
    frame: AtomicU32,
    stop: AtomicBool,
}

/// Delays measured by a load.
#[derive(Clone, Debug, Default)]
pub struct Delays {
    /// Delays from the publication of a frame to the arrival of a robot's senses computed from it (ms), ascending.
    pub ms: Vec<f64>,
    /// Number of missing messages. A message is missing if a robot received no senses of a frame, although other
    /// robots did.
    pub lost: u64,
    /// Rate of the frames for which at least one robot received senses (Hz).
    pub hertz: f64,
    /// Mean number of neighbours in a message with senses.
    pub neighbours: f64,
}

#[derive(Default)]
struct ReceiveStats {
    /// Frame numbers of the received senses, and their delays (ms).
    delays: Vec<(usize, f64)>,
    neighbours: u64,
}

impl RobotsLoad {
    /// Creates a load of robots with the given ids. The robots are in a square grid, `spacing_m` apart (m).
    ///
    /// # Errors
    /// The server cannot open a port.
    pub fn new(ids: Vec<String>, spacing_m: f32) -> std::io::Result<RobotsLoad> {
        let subjects = ids.iter().cloned().chain([FRISBEE.into()]).collect();
        Ok(RobotsLoad {
            ids,
            spacing_m,
            server: Server::bind((Ipv4Addr::LOCALHOST, 0).into(), subjects)?,
            start: Instant::now(),
            published: (0..FRAMES).map(|_| AtomicU64::new(0)).collect(),
            received: (0..FRAMES).map(|_| AtomicU32::new(0)).collect(),
            ready: AtomicU32::new(0),
            frame: AtomicU32::new(0),
            stop: AtomicBool::new(false),
        })
    }

    /// Returns the address of the motion-capture server.
    pub fn mocap(&self) -> SocketAddr {
        self.server.address()
    }

    /// Returns the number of robots that have obeyed RUN.
    pub fn running(&self) -> usize {
        self.ready.load(Relaxed) as usize
    }

    /// Serves poses and simulates all robots of the hub at `endpoint` while `during` runs. `sockets` opens the sockets
    /// of the robot with the given id. `during` gets a function that measures for a given duration and returns the
    /// first and the last frame of the measurement.
    ///
    /// # Errors
    /// A socket cannot be created, or `during` fails.
    pub fn run<E: From<SocketError>>(
        &self,
        endpoint: &str,
        sockets: impl Fn(&str) -> Result<Sockets, E>,
        during: impl FnOnce(&dyn Fn(Duration) -> [usize; 2]) -> Result<[usize; 2], E>,
    ) -> Result<Delays, E> {
        let connect = |id: &String| -> Result<Robot, E> { Ok(Robot::new(sockets(id)?.robot(endpoint, id)?, id)) };
        let mut robots: Vec<Robot> = self.ids.iter().map(connect).collect::<Result<_, E>>()?;
        let (window, heard) = std::thread::scope(|scope| {
            scope.spawn(move || {
                while !self.stop.load(Relaxed) {
                    self.server.accept(scope, &self.stop);
                    std::thread::sleep(Duration::from_millis(10));
                }
            });
            scope.spawn(move || self.publish());
            let share = robots.len().div_ceil(THREADS);
            let work = |part| scope.spawn(move || self.be(part));
            let threads: Vec<_> = robots.chunks_mut(share).map(work).collect();
            let measure = |length| {
                let first = self.frame.load(Relaxed) as usize;
                std::thread::sleep(length);
                let last = self.frame.load(Relaxed) as usize;
                std::thread::sleep(REST);
                [first, last]
            };
            let window = during(&measure);
            self.stop.store(true, Relaxed);
            let join =
                |t: std::thread::ScopedJoinHandle<'_, ReceiveStats>| t.join().expect("a robot's thread ends by itself");
            (window, threads.into_iter().map(join).collect::<Vec<_>>())
        });
        Ok(self.delays(window?, &heard))
    }

    fn delays(&self, [first, last]: [usize; 2], heard: &[ReceiveStats]) -> Delays {
        let all = || heard.iter().flat_map(|h| &h.delays);
        let inside = all().filter(|(frame, _)| (first..last).contains(frame));
        let mut ms: Vec<f64> = inside.map(|(_, ms)| *ms).collect();
        ms.sort_by(f64::total_cmp);
        let counts = (first..last).map(|frame| self.received[frame].load(Relaxed)).filter(|n| *n > 0);
        let robots = self.ids.len() as u32;
        let lost = counts.clone().map(|n| u64::from(robots.saturating_sub(n))).sum();
        Delays {
            hertz: counts.count() as f64 * f64::from(HERTZ) / (last - first).max(1) as f64,
            neighbours: heard.iter().map(|h| h.neighbours).sum::<u64>() as f64 / all().count().max(1) as f64,
            ms,
            lost,
        }
    }

    /// Publishes frames at the rate of the arena's own server. In each frame, all robots have the heading that
    /// identifies the frame.
    fn publish(&self) {
        let side = (self.ids.len() as f32).sqrt().ceil() as usize;
        let place = |i: usize| {
            let centred = |k: usize| (k as f32 - 0.5 * (side as f32 - 1.0)) * self.spacing_m;
            vec2(centred(i % side), centred(i / side))
        };
        let places: Vec<_> = (0..self.ids.len()).map(place).collect();
        for number in 0..FRAMES as u32 {
            let due = Duration::from_secs(1) * number / HERTZ;
            std::thread::sleep(due.saturating_sub(self.start.elapsed()));
            if self.stop.load(Relaxed) {
                return;
            }
            let heading = wrap_angle((number as f32 * 0.1).to_radians());
            let robots = places.iter().map(|at| Pose { at: *at, heading });
            let poses: Vec<Pose> = robots.chain([Pose::default()]).collect();
            let frame = vicon::frame(number, &poses, poses.len() - 1);
            self.published[number as usize].store(self.start.elapsed().as_micros() as u64, Relaxed);
            self.frame.store(number, Relaxed);
            self.server.publish(frame);
        }
    }

    /// Simulates the given robots until the load ends. Returns statistics of the received senses.
    fn be(&self, robots: &mut [Robot]) -> ReceiveStats {
        let mut heard = ReceiveStats::default();
        while !self.stop.load(Relaxed) {
            let readable: Vec<&dyn Readable> = robots.iter().map(|r| &r.dealer as &dyn Readable).collect();
            wait(&readable, POLL_MS);
            for robot in robots.iter_mut() {
                while let Some(Ok(message)) = robot.dealer.receive::<Sealed>() {
                    self.hear(robot, message.message, &mut heard);
                }
                robot.send_telemetry();
            }
        }
        heard
    }

    fn hear(&self, robot: &mut Robot, message: ToRobot, heard: &mut ReceiveStats) {
        match message {
            ToRobot::Senses { up, neighbours, .. } => {
                let now = self.start.elapsed().as_micros() as u64;
                let frame = (-up.to_degrees() * 10.0).round().rem_euclid(FRAMES as f32) as usize % FRAMES;
                let delay = now.saturating_sub(self.published[frame].load(Relaxed));
                self.received[frame].fetch_add(1, Relaxed);
                heard.delays.push((frame, delay as f64 / 1000.0));
                heard.neighbours += neighbours.len() as u64;
            }
            ToRobot::Ping { stamp } => robot.say(&RobotMessage::Pong { stamp }),
            ToRobot::Experiment { number, .. } => {
                robot.telemetry.state = State::Ready;
                robot.say(&RobotMessage::Experiment { number, answer: Answer::Accepted });
            }
            ToRobot::Directive(Directive { number, state, .. }) => {
                if state == State::Run && robot.telemetry.state != State::Run {
                    self.ready.fetch_add(1, Relaxed);
                }
                (robot.telemetry.obeyed, robot.telemetry.state) = (number, state);
            }
            ToRobot::Welcome { .. }
            | ToRobot::Poses(_)
            | ToRobot::Estimates(_)
            | ToRobot::Genes { .. }
            | ToRobot::Pong { .. }
            | ToRobot::Settings { .. }
            | ToRobot::Watch { .. }
            | ToRobot::Identify
            | ToRobot::Reboot
            | ToRobot::Offer { .. }
            | ToRobot::Chunk { .. }
            | ToRobot::Drive(_) => {}
        }
    }
}

/// Simulated robot as the hub sees it: a socket and telemetry.
struct Robot {
    dealer: Dealer,
    telemetry: Telemetry,
    next: Instant,
}

impl Robot {
    fn new(dealer: Dealer, id: &str) -> Robot {
        // Each robot starts at its own phase of the telemetry interval.
        let phase = TELEMETRY.mul_f64(f64::from(id.bytes().fold(0u8, |sum, b| sum.wrapping_mul(37) ^ b)) / 256.0);
        let robot = Robot { dealer, telemetry: Telemetry::default(), next: Instant::now() + phase };
        robot.say(&RobotMessage::Hello {
            version: "load".into(),
            session: 1,
            seen: (0, 0),
            witness: LastDirectiveReport::default(),
        });
        robot
    }

    fn say(&self, message: &RobotMessage) {
        // If the queue is full, the message is lost, as on a real robot.
        let _ = self.dealer.send(message);
    }

    fn send_telemetry(&mut self) {
        if Instant::now() >= self.next {
            self.next += TELEMETRY;
            self.say(&RobotMessage::Telemetry(Box::new(self.telemetry.clone())));
        }
    }
}
