//! Plan of faults and operator requests, which is drawn from the seed before the run starts.

use super::text::{HubLossBehaviour, experiment};
use super::{ROBOTS, id};
use xpuck_kernels::random::{Draws, Stream};
use xpuck_wire::message::{Order as RobotOrder, Request};

/// Duration of the fault-free part at the end of a run, in which the swarm must converge (ms).
pub const CALM: u32 = 20_000;
/// Minimum duration of a run (ms).
pub const SHORTEST: u32 = CALM + 10_000;
/// Maximum interval between two faults (ms).
const FAULT_EVERY: f32 = 1_600.0;
/// Maximum interval between two operator requests (ms).
const OPERATOR_EVERY: f32 = 5_000.0;
/// Maximum interval between two requests for single robots (ms).
const SINGLE_EVERY: f32 = 4_000.0;
/// Maximum jump of the wall clock of the hub's machine (ms): 2 hours for a short jump, and about 3 years for a long
/// jump. The clock jumps between two starts of the hub.
const CLOCK_JUMPS: [f32; 2] = [7_200_000.0, 1e11];
/// Maximum drift of a robot's clock (ppm).
const DRIFT_PPM: f32 = 200.0;

/// Properties of a network link without temporary faults.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// Minimum delay (ms).
    pub delay: f32,
    /// Maximum additional delay (ms). The additional delay is uniformly distributed from 0.
    pub jitter: f32,
    /// Probability that a message is lost.
    pub loss: f32,
    /// Probability that a message is duplicated.
    pub twice: f32,
    /// Whether messages may overtake each other.
    pub overtaking: bool,
}

/// Link without faults.
pub const FAULT_FREE_LINK: Link = Link { delay: 2.0, jitter: 4.0, loss: 0.0, twice: 0.0, overtaking: false };

/// Properties of a robot in the plan.
#[derive(Clone, Copy, Debug)]
pub struct Traits {
    /// Time at which the robot is switched on (ms).
    pub boots: u32,
    /// Relative drift of the robot's clock; positive if the clock is fast.
    pub drift: f64,
    /// Link to the hub.
    pub link: Link,
}

/// Temporary fault of motion capture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MocapFault {
    /// No frames arrive.
    Absent,
    /// The same frame is repeated.
    Frozen,
    /// The poses of two robots are exchanged.
    Swapped(usize, usize),
    /// The position of a robot is NaN.
    NotANumber(usize),
}

/// Temporary fault of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiskFault {
    /// Writes fail (no space, no inodes), but files can be removed.
    Full,
    /// Nothing can be changed (read-only, immutable, device errors).
    Frozen,
    /// Writes are slow.
    Slow,
}

/// Request of the operator. A request is signed only when it is sent, because signed experiments for a simulated day
/// would fill the memory.
#[derive(Clone, Copy, Debug)]
pub enum Order {
    /// Start a run, with or without evolution.
    Start {
        /// Duration (s).
        seconds: f64,
        /// Duration of a segment (s).
        segment: f64,
        /// Whether robots evolve.
        evolves: bool,
        /// Seed of the run.
        seed: u64,
    },
    /// Pause all robots.
    Pause,
    /// Resume all robots.
    Resume,
    /// Stop the run.
    Stop,
    /// Give an order to one robot.
    Single(usize, RobotOrder),
    /// Watch a robot on a console page. If true, the page also requests the pictures of the robot's camera.
    Watch(usize, bool),
    /// Write a note into the record.
    Note,
}

impl Order {
    /// Returns the signed request.
    pub fn request(self) -> Request {
        match self {
            Order::Start { seconds, segment, evolves, seed } => {
                // A third of the evolving experiments have several phases.
                let phased = evolves && seed.is_multiple_of(3);
                Request::Start {
                    signed: experiment(seconds, segment, evolves, phased, HubLossBehaviour::from_seed(seed)),
                    seed,
                }
            }
            Order::Pause => Request::Pause,
            Order::Resume => Request::Resume,
            Order::Stop => Request::Stop,
            Order::Single(robot, order) => Request::Order { robot: id(robot).into(), order },
            Order::Watch(robot, picture) => Request::Watch { robot: id(robot).into(), picture },
            Order::Note => Request::Note { text: "a note".into() },
        }
    }
}

/// Event of the plan. Durations are in ms.
#[derive(Clone, Debug)]
pub enum Event {
    /// A robot's program dies, and restarts after this time.
    Crash(usize, u32),
    /// A robot's control thread hangs for this time. The thread that exchanges data with the body continues.
    Hang(usize, u32),
    /// A robot's body does not answer for this time.
    Mute(usize, u32),
    /// A robot's link is cut for this time. If the last value is true, messages are delivered when the link is
    /// restored. Otherwise they are lost.
    Cut(usize, u32, bool),
    /// Forged genes are added to answers for a robot for this time.
    Forge(usize, u32),
    /// A robot and the hub receive invalid bytes. They also receive a forged experiment, a RUN for this experiment,
    /// and a forged gene. The last RUN is replayed to every robot.
    Rubbish(usize),
    /// The hub's program dies, and restarts after this time. If the second value is true, the disk keeps its data. The
    /// wall clock of the machine jumps by the last value.
    HubCrash(u32, bool, i64),
    /// The disk of this robot has a fault for this time. `None`: the disk of the hub's machine.
    Disk(Option<usize>, DiskFault, u32),
    /// Motion capture has a fault for this time.
    Poses(MocapFault, u32),
    /// The operator sends a request.
    Ask(Order),
    /// All faults end.
    Calm,
}

/// Plan of a simulation run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Events, ordered by time (ms).
    pub happenings: Vec<(u32, Event)>,
    /// Properties of the robots.
    pub traits: Vec<Traits>,
    /// Time at which all faults have ended (ms).
    pub calm: u32,
    /// End of the run (ms).
    pub end: u32,
}

impl Plan {
    /// Returns the plan of a seed. The run ends at `end` (ms), but no earlier than [`SHORTEST`].
    pub fn new(seed: u64, end: u32) -> Plan {
        let end = end.max(SHORTEST);
        let calm = end - CALM;
        let traits = (0..ROBOTS).map(|robot| draw_traits(seed, robot as u32)).collect();
        let mut happenings = faults(seed, calm);
        happenings.extend(operator(seed, calm));
        happenings.extend(singles(seed, calm));
        happenings.extend(disks(seed, calm));
        attack(seed, calm, &mut happenings);
        happenings.push((calm, Event::Calm));
        let release = |robot| (calm + 400, Event::Ask(Order::Single(robot, RobotOrder::Release)));
        happenings.extend((0..ROBOTS).map(release));
        happenings.push((calm + 500, Event::Ask(Order::Stop)));
        let last = Order::Start { seconds: 6.0, segment: 2.0, evolves: seed.is_multiple_of(2), seed };
        happenings.push((calm + 1_000, Event::Ask(last)));
        happenings.sort_by_key(|(at, _)| *at);
        Plan { happenings, traits, calm, end }
    }
}

fn draw_traits(seed: u64, robot: u32) -> Traits {
    let mut draws = Draws::new(seed, 1, robot, 0, Stream::Simtest);
    let bad = draws.unit() < 0.6;
    let late = draws.unit() < 0.3;
    let link = Link {
        delay: draws.range(1.0, 15.0),
        jitter: if bad { draws.range(0.0, 120.0) } else { 5.0 },
        loss: if bad { draws.range(0.0, 0.3) } else { 0.0 },
        twice: if bad { draws.range(0.0, 0.2) } else { 0.0 },
        overtaking: bad && draws.unit() < 0.5,
    };
    let boots = if late { draws.range(0.0, 15_000.0) } else { draws.range(0.0, 500.0) };
    Traits { boots: boots as u32, drift: f64::from(draws.range(-DRIFT_PPM, DRIFT_PPM)) * 1e-6, link }
}

fn faults(seed: u64, calm: u32) -> Vec<(u32, Event)> {
    let mut draws = Draws::new(seed, 2, 0, 0, Stream::Simtest);
    let mut found = Vec::new();
    let mut at = draws.range(0.0, 2_000.0) as u32;
    while at < calm {
        let robot = draws.below(ROBOTS as u32) as usize;
        let other = draws.below(ROBOTS as u32) as usize;
        let lasts = draws.range(20.0, 4_000.0) as u32;
        let lasts = lasts.min(calm - at);
        found.push((
            at,
            match draws.below(23) {
                0..=3 => Event::Crash(robot, lasts),
                4..=6 => Event::Hang(robot, lasts / 2),
                7 => Event::Mute(robot, lasts / 2),
                8..=11 => Event::Cut(robot, lasts, draws.unit() < 0.5),
                12..=13 => Event::Forge(robot, (3 * lasts).min(calm - at)),
                14..=16 => Event::Rubbish(robot),
                17..=18 => Event::HubCrash(lasts, draws.unit() < 0.5, clock_jump(seed, at)),
                19 => Event::Poses(MocapFault::Absent, lasts),
                20 => Event::Poses(MocapFault::Frozen, lasts),
                21 => Event::Poses(MocapFault::Swapped(robot, other), lasts),
                _ => Event::Poses(MocapFault::NotANumber(robot), lasts),
            },
        ));
        at += draws.range(50.0, FAULT_EVERY) as u32;
    }
    found
}

/// Returns the jump of the wall clock during a crash of the hub (ms); 0 in half of the crashes. Most jumps are
/// backward, and a quarter of the jumps are long.
fn clock_jump(seed: u64, at: u32) -> i64 {
    let mut draws = Draws::new(seed, 7, 0, at, Stream::Simtest);
    let jumps = draws.unit() < 0.5;
    let most = CLOCK_JUMPS[usize::from(draws.unit() < 0.25)];
    let jump = draws.range(0.0, most) as i64;
    let ahead = draws.unit() < 0.3;
    match (jumps, ahead) {
        (false, _) => 0,
        (true, false) => -jump,
        (true, true) => jump,
    }
}

/// Returns the faults of disks. Most of them affect the hub's disk. A fault typically lasts for several operator
/// requests.
fn disks(seed: u64, calm: u32) -> Vec<(u32, Event)> {
    let mut draws = Draws::new(seed, 9, 0, 0, Stream::Simtest);
    let mut found = Vec::new();
    let mut at = draws.range(1_000.0, 12_000.0) as u32;
    while at < calm {
        let whose = (draws.unit() < 0.3).then(|| draws.below(ROBOTS as u32) as usize);
        let fault = [DiskFault::Full, DiskFault::Frozen, DiskFault::Slow][draws.below(3) as usize];
        let lasts = (draws.range(500.0, 12_000.0) as u32).min(calm - at);
        found.push((at, Event::Disk(whose, fault, lasts)));
        at += lasts + draws.range(500.0, 15_000.0) as u32;
    }
    found
}

/// In two of three seeds, adds events that could make a hub resume a stopped or paused run, shortly before the faults
/// end. Removes other hub faults and requests in this period.
fn attack(seed: u64, calm: u32, happenings: &mut Vec<(u32, Event)>) {
    const LASTS: u32 = 13_000;
    const DAY: i64 = 86_400_000;
    let Some(begins) = calm.checked_sub(LASTS + 1_000).filter(|_| !seed.is_multiple_of(3)) else { return };
    let start = Order::Start { seconds: 25.0, segment: 4.0, evolves: false, seed };
    let order = if seed.is_multiple_of(2) { Order::Stop } else { Order::Pause };
    let attack: &[(u32, Event)] = match seed % 3 {
        // The hub's disk cannot store the order, and the hub then dies.
        1 => &[
            (3_500, Event::Disk(None, DiskFault::Frozen, 4_000)),
            (4_500, Event::Ask(order)),
            (7_000, Event::HubCrash(800, true, 0)),
        ],
        // A hub whose clock went back receives STOP. After its next crash, the clock is correct again.
        _ => &[
            (3_500, Event::HubCrash(300, true, -DAY)),
            (6_000, Event::Ask(Order::Stop)),
            (8_000, Event::HubCrash(300, true, DAY)),
            (11_500, Event::Ask(Order::Resume)),
        ],
    };
    let window = begins..begins + LASTS;
    let of_hub = |happening: &Event| matches!(happening, Event::HubCrash(..) | Event::Disk(None, ..) | Event::Ask(_));
    happenings.retain(|(at, happening)| !(window.contains(at) && of_hub(happening)));
    happenings.push((begins, Event::Ask(Order::Stop)));
    happenings.push((begins + 300, Event::Ask(start)));
    happenings.extend(attack.iter().map(|(at, happening)| (begins + at, happening.clone())));
}

fn operator(seed: u64, calm: u32) -> Vec<(u32, Event)> {
    let mut draws = Draws::new(seed, 3, 0, 0, Stream::Simtest);
    let start = |draws: &mut Draws| Order::Start {
        seconds: f64::from(draws.range(4.0, 25.0)),
        segment: f64::from(draws.range(0.7, 4.0)),
        evolves: draws.unit() < 0.5,
        seed: u64::from(draws.word()),
    };
    let mut found = Vec::new();
    let mut at = draws.range(200.0, 3_000.0) as u32;
    while at < calm {
        let order = match draws.below(10) {
            0..=3 => start(&mut draws),
            4..=5 => Order::Pause,
            6..=7 => Order::Resume,
            _ => Order::Stop,
        };
        let again = matches!(order, Order::Stop) && draws.unit() < 0.5;
        found.push((at, Event::Ask(order)));
        if again {
            found.push((at + draws.range(0.0, 400.0) as u32, Event::Ask(start(&mut draws))));
        }
        at += draws.range(50.0, OPERATOR_EVERY) as u32;
    }
    found.retain(|(at, _)| *at < calm);
    found
}

/// Returns requests for single robots: HOLD, RELEASE, IDENTIFY, WATCH and notes.
fn singles(seed: u64, calm: u32) -> Vec<(u32, Event)> {
    let mut draws = Draws::new(seed, 8, 0, 0, Stream::Simtest);
    let mut found = Vec::new();
    let mut at = draws.range(200.0, 6_000.0) as u32;
    while at < calm {
        let robot = draws.below(ROBOTS as u32) as usize;
        let order = match draws.below(10) {
            0..=2 => Order::Single(robot, RobotOrder::Hold),
            3..=5 => Order::Single(robot, RobotOrder::Release),
            6 => Order::Single(robot, RobotOrder::Identify),
            7..=8 => Order::Watch(robot, draws.unit() < 0.5),
            _ => Order::Note,
        };
        found.push((at, Event::Ask(order)));
        at += draws.range(50.0, SINGLE_EVERY) as u32;
    }
    found
}
