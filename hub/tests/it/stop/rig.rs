//! A virtual arena, the program of a robot on it, a hub that says what a test wants, and an eye on the wheels.
//!
//! The wheels are watched as the e-puck counts them: over a second connection to its SPI, with words that are no command.
//! The arena counts steps every 25 ms, so nothing here is known more finely.

use crate::common::{free_ports, xpuck};
use nix::sys::ptrace;
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::Pid;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use xpuck_registers::spi::{self, Report};
use xpuck_wire::message::{Directive, Emigrant, RobotMessage, State, ToRobot};
use xpuck_wire::seal::Sealer;
use xpuck_wire::signed::Signed;
use xpuck_wire::socket::{Router, Sockets};
use xpuck_wire::telemetry::Telemetry;

/// The tree that is to drive: straight on, under `avoiding`, so the wheels never rest.
const DRIVE: &str = "movcv v_goal 0deg";
/// Where it is said to come from; the robot is island 1.
const ELSEWHERE: u16 = 2;
/// Algorithm `noise-aware` believes the fitness that an immigrant brings, so that [`DRIVE`] becomes the fittest.
const EXPERIMENT: &str = "name = \"stop\"\nminutes = 1440.0\nsegment_minutes = 1.0\ntask = \"transport\"\n\
                          [evolution]\nalgorithm = \"noise-aware\"\n";
/// The hub says something so often, as the real one does with virtual senses.
const SAY_EVERY: Duration = Duration::from_millis(40);
/// The counters are looked at so often.
const LOOK_EVERY: Duration = Duration::from_millis(2);
/// Wheels that made no step for so long stand.
const STANDING: Duration = Duration::from_millis(600);
/// Wheels that turned for so long drive.
const DRIVING: Duration = Duration::from_millis(300);
/// How long anything may take on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(180);

/// All of it. Time passes for the hub and the eye only in [`Rig::turn`].
pub struct Rig {
    directory: tempfile::TempDir,
    arena: Child,
    robot: Child,
    hub: Router,
    sealer: Sealer,
    eye: UnixStream,
    /// The hub says nothing.
    pub silent: bool,
    /// What the hub says to a robot that is ready.
    pub directive: Option<State>,
    number: u64,
    segment: u32,
    said: Instant,
    /// The robot told that [`DRIVE`] drives.
    driven: bool,
    steps: [u16; 2],
    looked: Instant,
    /// When the wheels began to turn, and the last step seen.
    pub turning: [Instant; 2],
    /// Longest time between two looks.
    pub blind: Duration,
    /// What the robot told last.
    pub told: Telemetry,
}

impl Rig {
    /// Starts arena and robot.
    pub fn start() -> Rig {
        let directory = tempfile::tempdir().unwrap();
        let ports = free_ports();
        let endpoint = format!("tcp://127.0.0.1:{ports}");
        let write = |name: &str, text: String| std::fs::write(directory.path().join(name), text).unwrap();
        let operator = ports + 1;
        write(
            "swarm.toml",
            format!(
                "robots = [\"xp01\"]\n[hub]\nrobots = \"{endpoint}\"\noperator = \"tcp://127.0.0.1:{operator}\"\n\
                 [security]\ndev_mode = true\n"
            ),
        );
        write(
            "arena.toml",
            format!(
                "swarm = \"swarm.toml\"\nseed = 12\nscenario = \"b\"\ndevices = \"devices\"\n\
                 mocap = \"127.0.0.1:{}\"\ncamera = {{ width = 160, height = 120, frames_per_second = 5.0 }}\n",
                ports + 2
            ),
        );
        write(
            "xp01.toml",
            "id = \"xp01\"\nswarm = \"swarm.toml\"\n[devices]\nkind = \"virtual\"\ndirectory = \"devices\"\n\
             camera_width = 160\ncamera_height = 120\n[evolution]\nthreads = 2\nstate = \"state\"\n"
                .into(),
        );
        let arena = serve(directory.path());
        let robot = robot(directory.path());
        let eye = UnixStream::connect(directory.path().join("devices/xp01.spi")).unwrap();
        eye.set_read_timeout(Some(PATIENCE)).unwrap();
        let now = Instant::now();
        Rig {
            hub: Sockets::new().robots_hub(&endpoint).unwrap(),
            sealer: Sealer::new(1),
            directory,
            arena,
            robot,
            eye,
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
            told: Telemetry::default(),
        }
    }

    /// Says RUN until the wheels turn steadily, and evolution with them.
    pub fn run(&mut self) {
        self.direct(State::Run);
        let start = Instant::now();
        while !self.driven || self.told.state != State::Run || self.turning[1] - self.turning[0] < DRIVING {
            self.turn();
            let log = self.directory.path().join("xpuckd.log");
            let log = || std::fs::read_to_string(&log).unwrap_or_default();
            assert!(start.elapsed() < PATIENCE, "the robot does not drive: {:?}\n{}", self.told, log());
        }
    }

    /// Starts the robot's program again.
    pub fn restart(&mut self) {
        self.robot.wait().unwrap();
        self.driven = false;
        self.robot = robot(self.directory.path());
    }

    /// Time from an event to the last step after it, once the wheels stand; 0 without one.
    pub fn until_still(&mut self, event: Instant) -> Duration {
        while self.turning[1].max(event).elapsed() < STANDING {
            self.turn();
            assert!(event.elapsed() < PATIENCE, "the wheels never stop: {:?}", self.told);
        }
        self.turning[1].saturating_duration_since(event)
    }

    /// Lets time pass.
    pub fn turn_for(&mut self, time: Duration) {
        let start = Instant::now();
        while start.elapsed() < time {
            self.turn();
        }
    }

    /// Sends a signal to the robot's program; gives the moment just before.
    pub fn signal(&self, name: &str) -> Instant {
        // The shell stands ready before the moment, and its own `kill` is quick.
        let line = format!("echo; read go; kill -{name} {}", self.robot.id());
        let mut shell =
            Command::new("sh").args(["-c", &line]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        shell.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        let moment = Instant::now();
        assert!(shell.wait().unwrap().success(), "{line}");
        moment
    }

    /// Holds the control loop's thread for good, as a debugger does, while all other threads of the program go on; gives
    /// the moment just before, and what to let go.
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

    /// Lets a thread go on that was held.
    pub fn let_go(thread: Pid) {
        ptrace::detach(thread, None).unwrap();
    }

    /// Gives a new directive; gives the moment just before.
    pub fn direct(&mut self, state: State) -> Instant {
        self.directive = Some(state);
        self.number += 1;
        let moment = Instant::now();
        self.repeat();
        moment
    }

    /// Says something that means nothing; gives the moment just before.
    pub fn ping(&mut self) -> Instant {
        self.said = Instant::now();
        self.say(&ToRobot::Ping { stamp: 0.0 });
        self.said
    }

    /// Memory that the robot's program has, KiB.
    pub fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.robot.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }

    /// A moment: the hub answers and speaks, and the eye looks.
    pub fn turn(&mut self) {
        while let Some((_, message)) = self.hub.receive::<RobotMessage>() {
            self.answer(message.unwrap());
        }
        if self.said.elapsed() >= SAY_EVERY {
            self.ping();
        }
        self.look();
        std::thread::sleep(LOOK_EVERY);
    }

    fn look(&mut self) {
        // A line that idles is a bad command: the e-puck counts it, answers, and changes nothing.
        self.eye.write_all(&spi::to_wire(&[u16::MAX; spi::WORDS])).unwrap();
        let mut bytes = [0; spi::BYTES];
        self.eye.read_exact(&mut bytes).unwrap();
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
            }));
        }
    }

    fn answer(&mut self, message: RobotMessage) {
        match message {
            RobotMessage::Hello { session, seen, .. } => {
                self.sealer.greet("xp01", session, seen);
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
                self.told = *telemetry;
                // As the hub does; a robot obeys only once it knows the hub's time.
                if self.told.obeyed != self.number {
                    self.repeat();
                }
            }
            RobotMessage::Settings(_)
            | RobotMessage::Updates(_)
            | RobotMessage::Log(_)
            | RobotMessage::Samples { .. }
            | RobotMessage::Population(_)
            | RobotMessage::Estimates(_)
            | RobotMessage::Picture(_)
            | RobotMessage::Sensors(_)
            | RobotMessage::Want { .. }
            | RobotMessage::Installed(_)
            | RobotMessage::Peers(_)
            | RobotMessage::Tags(_) => {}
            RobotMessage::Loaded { gene, .. } => self.driven = gene.island == ELSEWHERE,
            RobotMessage::Genes { generation, emigrant, .. } => {
                let perfect = Emigrant {
                    island: ELSEWHERE,
                    tree: DRIVE.into(),
                    count: [1_000_000; 2],
                    sum: [1e6; 2],
                    square: [1e6; 2],
                    ..emigrant
                };
                self.say(&ToRobot::Genes { generation, immigrants: vec![perfect] });
                if !self.driven && self.directive == Some(State::Run) {
                    // The fittest is loaded when a segment begins.
                    self.segment += 1;
                    self.direct(State::Run);
                }
            }
        }
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        for child in [&mut self.robot, &mut self.arena] {
            // One that has ended already needs no kill.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn serve(directory: &Path) -> Child {
    let mut arena = xpuck()
        .args(["arena", "--end-with-stdin", "--config"])
        .arg(directory.join("arena.toml"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(arena.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    arena
}

fn robot(directory: &Path) -> Child {
    let xpuckd = Path::new(env!("CARGO_BIN_EXE_xpuck")).with_file_name("xpuckd");
    assert!(xpuckd.exists(), "{} is missing: `cargo build -p xpuck-robot` builds it", xpuckd.display());
    let log = File::options().create(true).append(true).open(directory.join("xpuckd.log")).unwrap();
    let config = directory.join("xp01.toml");
    Command::new(xpuckd)
        .args(["--end-with-stdin", "--config"])
        .arg(config)
        .stdin(Stdio::piped())
        .stderr(log)
        .spawn()
        .unwrap()
}
