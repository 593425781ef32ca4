//! A virtual arena, the program of a robot, a hub that the test controls, and an observer of the wheels.
//!
//! The observer reads the step counters of the e-puck over a second connection to the e-puck's SPI, with words that are
//! not commands. The arena counts steps every 25 ms, which is the resolution of all measured times.

use crate::rig::{Folder, Layout, Process, xpuck, xpuckd};
use nix::sys::ptrace;
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::Pid;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use xpuck_registers::spi::{self, Report};
use xpuck_testing::patience;
use xpuck_wire::message::{Directive, Emigrant, RobotMessage, State, ToRobot};
use xpuck_wire::seal::Sealer;
use xpuck_wire::signed::Signed;
use xpuck_wire::socket::{Router, Sockets};
use xpuck_wire::telemetry::Telemetry;

/// Tree that drives straight ahead. The robot runs the tree below the node `avoiding`, which avoids obstacles, so the
/// wheels never stop.
const DRIVE: &str = "movcv v_goal 0deg";
/// Number of the island that sends [`DRIVE`]. The robot is island 1.
const OTHER_ISLAND: u16 = 2;
/// Experiment with the algorithm `noise-aware`. This algorithm accepts the fitness of an immigrant, so [`DRIVE`]
/// becomes the fittest tree.
const EXPERIMENT: &str = "name = \"stop\"\nminutes = 1440.0\nsegment_minutes = 1.0\ntask = \"transport\"\n\
                          [evolution]\nalgorithm = \"noise-aware\"\n";
/// Interval between messages of the hub. The real hub sends virtual senses at the same interval.
const MESSAGE_INTERVAL: Duration = Duration::from_millis(40);
/// Interval between two readings of the step counters.
const READ_INTERVAL: Duration = Duration::from_millis(2);
/// Duration without a step after which the wheels count as standing.
const STANDING: Duration = Duration::from_millis(600);
/// Duration of continuous turning after which the wheels count as driving.
const DRIVING: Duration = Duration::from_millis(300);
/// Maximum duration of a wait. The first start of a robot takes long on a busy machine.
pub fn limit() -> Duration {
    3 * patience()
}

/// Test rig. The hub and the observer act only in [`Rig::turn`].
pub struct Rig {
    _arena: Process,
    robot: Process,
    folder: Folder,
    hub: Router,
    sealer: Sealer,
    observer: UnixStream,
    /// Whether the hub is silent. A silent hub receives messages but sends none.
    pub silent: bool,
    /// Directive that the hub sends to a robot that has accepted the experiment, or `None` if the hub sends none.
    pub directive: Option<State>,
    number: u64,
    segment: u32,
    said: Instant,
    /// Whether the robot has reported that it uses the tree [`DRIVE`].
    driven: bool,
    steps: [u16; 2],
    looked: Instant,
    /// Time at which the current turning of the wheels started, and time of the last step.
    pub turning: [Instant; 2],
    /// Longest interval between two readings of the step counters.
    pub blind: Duration,
    /// Latest telemetry of the robot.
    pub telemetry: Telemetry,
}

impl Rig {
    /// Starts the arena and the robot's program.
    pub fn start() -> Rig {
        let layout = Layout { camera: [160, 120], frame_rate: 5.0, keys: false, ..Layout::default() };
        let folder = Folder::new(&layout);
        folder.append("xp01.toml", "[evolution]\nthreads = 2\nstate = \"state\"\n");
        let mut arena = xpuck();
        arena.args(["serve", "arena", "--end-with-stdin", "--config"]).arg(folder.path("arena.toml"));
        let (arena, _) = Process::serve(&mut arena, folder.path("arena.log"));
        let robot = robot(&folder);
        let eye = UnixStream::connect(folder.path("devices/xp01.spi")).unwrap();
        eye.set_read_timeout(Some(limit())).unwrap();
        let now = Instant::now();
        Rig {
            hub: Sockets::new().robots_hub(&folder.robots()).unwrap(),
            sealer: Sealer::new(1),
            _arena: arena,
            robot,
            folder,
            observer: eye,
            silent: false,
            directive: None,
            number: 0,
            segment: 1,
            said: now,
            driven: false,
            steps: [0; 2],
            looked: now,
            turning: [now; 2],
            blind: Duration::ZERO,
            telemetry: Telemetry::default(),
        }
    }

    /// Sends RUN, and waits until the wheels turn steadily with the tree [`DRIVE`].
    pub fn run(&mut self) {
        self.direct(State::Run);
        let start = Instant::now();
        while !self.driven || self.telemetry.state != State::Run || self.turning[1] - self.turning[0] < DRIVING {
            self.turn();
            assert!(start.elapsed() < limit(), "the robot does not drive: {:?}\n{}", self.telemetry, self.robot.log());
        }
    }

    /// Waits until the robot's program has ended, and starts it again.
    pub fn restart(&mut self) {
        self.robot.wait();
        self.driven = false;
        self.robot = robot(&self.folder);
    }

    /// Waits until the wheels stand. Returns the time between `event` and the last step after it, or 0 without such a
    /// step.
    pub fn until_still(&mut self, event: Instant) -> Duration {
        while self.turning[1].max(event).elapsed() < STANDING {
            self.turn();
            assert!(event.elapsed() < limit(), "the wheels never stop: {:?}", self.telemetry);
        }
        self.turning[1].saturating_duration_since(event)
    }

    /// Runs the hub and the observer for the duration `time`.
    pub fn turn_for(&mut self, time: Duration) {
        let start = Instant::now();
        while start.elapsed() < time {
            self.turn();
        }
    }

    /// Sends a signal to the robot's program. Returns the time just before the signal.
    pub fn signal(&self, name: &str) -> Instant {
        // The shell is already running when the time is taken, and its built-in `kill` is fast.
        let line = format!("echo; read go; kill -{name} {}", self.robot.id());
        let mut shell =
            Command::new("sh").args(["-c", &line]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        shell.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        let moment = Instant::now();
        assert!(shell.wait().unwrap().success(), "{line}");
        moment
    }

    /// Stops the thread of the control loop, as a debugger does. All other threads of the program continue. Returns the
    /// time just before the stop, and the stopped thread.
    pub fn hang(&self) -> (Instant, Pid) {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.robot.id())).unwrap();
        let control = |task: &std::path::PathBuf| std::fs::read_to_string(task.join("comm")).unwrap() == "control\n";
        let task = tasks.map(|task| task.unwrap().path()).find(control).expect("a thread named control");
        let thread = Pid::from_raw(task.file_name().unwrap().to_str().unwrap().parse().unwrap());
        ptrace::seize(thread, ptrace::Options::empty()).unwrap();
        let moment = Instant::now();
        ptrace::interrupt(thread).unwrap();
        waitpid(thread, Some(WaitPidFlag::__WALL)).unwrap();
        (moment, thread)
    }

    /// Continues the thread that [`Rig::hang`] stopped.
    pub fn let_go(thread: Pid) {
        ptrace::detach(thread, None).unwrap();
    }

    /// Sends a new directive. Returns the time just before it was sent.
    pub fn direct(&mut self, state: State) -> Instant {
        self.directive = Some(state);
        self.number += 1;
        let moment = Instant::now();
        self.repeat();
        moment
    }

    /// Sends a message that has no effect on the wheels. Returns the time just before it was sent.
    pub fn ping(&mut self) -> Instant {
        self.said = Instant::now();
        self.say(&ToRobot::Ping { stamp: 0.0 });
        self.said
    }

    /// Returns the resident memory of the robot's program (KiB).
    pub fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.robot.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }

    /// Performs one step. The hub answers the robot's messages and sends a ping if one is due. The observer reads the
    /// step counters.
    pub fn turn(&mut self) {
        while let Some((_, message)) = self.hub.receive::<RobotMessage>() {
            self.answer(message.unwrap());
        }
        if self.said.elapsed() >= MESSAGE_INTERVAL {
            self.ping();
        }
        self.look();
        std::thread::sleep(READ_INTERVAL);
    }

    fn look(&mut self) {
        // Words of ones are an invalid command. The e-puck counts the error and answers, but changes nothing else.
        self.observer.write_all(&spi::to_wire(&[u16::MAX; spi::WORDS])).unwrap();
        let mut bytes = [0; spi::BYTES];
        self.observer.read_exact(&mut bytes).unwrap();
        let steps = Report::decode(&spi::from_wire(&bytes)).unwrap().steps;
        let now = Instant::now();
        self.blind = self.blind.max(now - std::mem::replace(&mut self.looked, now));
        if std::mem::replace(&mut self.steps, steps) != steps {
            let [first, last] = self.turning;
            self.turning = [if now - last > DRIVING { now } else { first }, now];
        }
    }

    fn say(&mut self, message: &ToRobot) {
        if !self.silent {
            let sealed = self.sealer.seal("xp01", message.clone());
            self.hub.send("xp01", &sealed);
        }
    }

    fn repeat(&mut self) {
        if let Some(state) = self.directive {
            let (number, segment) = (self.number, self.segment);
            self.say(&ToRobot::Directive(Directive {
                number,
                state,
                segment,
                run: 1,
                phase: 0,
                tree: None,
                expires: f64::MAX,
                ..Directive::default()
            }));
        }
    }

    fn answer(&mut self, message: RobotMessage) {
        match message {
            RobotMessage::Hello { session, seen, .. } => {
                self.sealer.register_session("xp01", session, seen);
                self.say(&ToRobot::Welcome { island: 1 });
                let signed = Signed::new(EXPERIMENT.into(), Default::default(), None).unwrap();
                self.say(&ToRobot::Experiment { number: 1, seed: 1, robots: 9, signed });
            }
            RobotMessage::Experiment { answer, .. } => {
                assert_eq!(answer.refusal(), None);
                self.repeat();
            }
            RobotMessage::Ping { stamp } => self.say(&ToRobot::Pong { stamp, time: stamp }),
            RobotMessage::Pong { .. } => {}
            RobotMessage::Telemetry(telemetry) => {
                self.telemetry = *telemetry;
                // Repeats the directive until the robot obeys. A robot obeys only after it has learned the hub's time.
                // The real hub also repeats directives.
                if self.telemetry.obeyed != self.number {
                    self.repeat();
                }
            }
            RobotMessage::Settings(_)
            | RobotMessage::Updates(_)
            | RobotMessage::Log(_)
            | RobotMessage::Samples { .. }
            | RobotMessage::Population(_)
            | RobotMessage::Estimates(_)
            | RobotMessage::Kept(_)
            | RobotMessage::Picture(_)
            | RobotMessage::Sensors(_)
            | RobotMessage::Want { .. }
            | RobotMessage::Installed(_)
            | RobotMessage::Peers(_)
            | RobotMessage::Tags(_) => {}
            RobotMessage::Loaded { gene, .. } => self.driven = gene.island == OTHER_ISLAND,
            RobotMessage::Genes { generation, emigrant, .. } => {
                let perfect = Emigrant {
                    island: OTHER_ISLAND,
                    tree: DRIVE.into(),
                    count: [1_000_000; 2],
                    sum: [1e6; 2],
                    square: [1e6; 2],
                    ..emigrant
                };
                self.say(&ToRobot::Genes { generation, immigrants: vec![perfect] });
                if !self.driven && self.directive == Some(State::Run) {
                    // The robot loads the fittest tree at the start of each segment, so a new segment starts.
                    self.segment += 1;
                    self.direct(State::Run);
                }
            }
        }
    }
}

fn robot(folder: &Folder) -> Process {
    let mut command = xpuckd();
    command.args(["--end-with-stdin", "--config"]).arg(folder.path("xp01.toml"));
    Process::start(&mut command, folder.path("xpuckd.log"))
}
