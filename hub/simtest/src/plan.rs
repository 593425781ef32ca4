//! What goes wrong when, and what the operator does meanwhile: all of it drawn from the seed before the run begins.

use super::text::{Alone, experiment};
use super::{ROBOTS, id};
use xpuck_kernels::random::{Draws, Stream};
use xpuck_wire::message::{Order as RobotOrder, Request};

/// At the end of a run nothing goes wrong any more for so long, ms: the swarm must converge.
pub const CALM: u32 = 20_000;
/// Shortest run, ms.
pub const SHORTEST: u32 = CALM + 10_000;
/// A fault follows another after at most so long, ms.
const FAULT_EVERY: f32 = 1_600.0;
/// The operator does something after at most so long, ms.
const OPERATOR_EVERY: f32 = 5_000.0;
/// Somebody asks something of a single robot after at most so long, ms.
const SINGLE_EVERY: f32 = 4_000.0;
/// The wall clock of the hub's machine jumps by at most so much between two starts, ms: hours, or years.
const CLOCK_JUMPS: [f32; 2] = [7_200_000.0, 1e11];
/// Clocks of robots are wrong by up to so many millionths.
const DRIFT_PPM: f32 = 200.0;

/// How a link treats messages while nothing else is wrong with it.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// Shortest delay, ms.
    pub delay: f32,
    /// More delay, uniform from 0, ms.
    pub jitter: f32,
    /// Probability that a message is lost.
    pub loss: f32,
    /// Probability that a message comes twice.
    pub twice: f32,
    /// Messages may overtake each other.
    pub overtaking: bool,
}

/// A link without faults.
pub const GOOD: Link = Link { delay: 2.0, jitter: 4.0, loss: 0.0, twice: 0.0, overtaking: false };

/// A robot's place in the plan.
#[derive(Clone, Copy, Debug)]
pub struct Traits {
    /// When it is switched on, ms.
    pub boots: u32,
    /// How much too fast its clock is, as a fraction.
    pub drift: f64,
    /// Its link to the hub.
    pub link: Link,
}

/// What is wrong with poses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Poses {
    /// No frames come.
    Absent,
    /// The same frame comes again and again.
    Frozen,
    /// Two robots are taken for each other.
    Swapped(usize, usize),
    /// A robot's place is no number.
    NotANumber(usize),
}

/// What is wrong with a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disk {
    /// It takes nothing new (no space, no inodes); what is there can be removed.
    Full,
    /// Nothing on it changes (read-only, immutable, errors of the device).
    Frozen,
    /// It takes its time.
    Slow,
}

/// What the operator asks for. It is signed when it is asked, because a day of signed experiments would fill the memory.
#[derive(Clone, Copy, Debug)]
pub enum Order {
    /// A run of so many seconds, with segments of so many; with evolution or without.
    Start {
        /// Its length, s.
        seconds: f64,
        /// A segment's, s.
        segment: f64,
        /// With evolution.
        evolves: bool,
        /// The run's seed.
        seed: u64,
    },
    /// Everybody pauses.
    Pause,
    /// And goes on.
    Resume,
    /// The run ends.
    Stop,
    /// One robot does something.
    Single(usize, RobotOrder),
    /// A page looks at a robot, and wants its picture or not.
    Watch(usize, bool),
    /// A note for the record.
    Note,
}

impl Order {
    /// The operator's words.
    pub fn request(self) -> Request {
        match self {
            Order::Start { seconds, segment, evolves, seed } => {
                // A third of those that evolve have phases.
                let phased = evolves && seed.is_multiple_of(3);
                Request::Start { signed: experiment(seconds, segment, evolves, phased, Alone::of(seed)), seed }
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

/// Something that happens. Times are ms from when it happens.
#[derive(Clone, Debug)]
pub enum Happening {
    /// A robot's program dies and is started again after so long.
    Crash(usize, u32),
    /// A robot's control thread hangs for so long; the thread that talks to its body goes on.
    Hang(usize, u32),
    /// A robot's body does not answer for so long.
    Mute(usize, u32),
    /// A robot's link is cut for so long; if true, messages wait and arrive when it is whole again, else they are lost.
    Cut(usize, u32, bool),
    /// Genes on a robot's link come with forged ones for so long.
    Forge(usize, u32),
    /// Bytes that are no message, a forged experiment with the order to run it, and a forged gene reach a robot and the
    /// hub; and every robot is told its last RUN again.
    Rubbish(usize),
    /// The hub's program dies and is started again after so long; if true, its disk is still there. Its machine's wall clock
    /// jumped by so much.
    HubCrash(u32, bool, i64),
    /// The disk of the hub's machine, or a robot's, is at fault for so long.
    Disk(Option<usize>, Disk, u32),
    /// Motion capture is at fault for so long.
    Poses(Poses, u32),
    /// The operator asks for something.
    Ask(Order),
    /// Every fault is over.
    Calm,
}

/// A run's plan.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What happens, by time, ms.
    pub happenings: Vec<(u32, Happening)>,
    /// The robots.
    pub traits: Vec<Traits>,
    /// When everything is whole again, ms.
    pub calm: u32,
    /// The run's end, ms.
    pub end: u32,
}

impl Plan {
    /// The plan of a seed for `end` ms, at least [`SHORTEST`].
    pub fn new(seed: u64, end: u32) -> Plan {
        let end = end.max(SHORTEST);
        let calm = end - CALM;
        let traits = (0..ROBOTS).map(|robot| draw_traits(seed, robot as u32)).collect();
        let mut happenings = faults(seed, calm);
        happenings.extend(operator(seed, calm));
        happenings.extend(singles(seed, calm));
        happenings.extend(disks(seed, calm));
        attack(seed, calm, &mut happenings);
        happenings.push((calm, Happening::Calm));
        let release = |robot| (calm + 400, Happening::Ask(Order::Single(robot, RobotOrder::Release)));
        happenings.extend((0..ROBOTS).map(release));
        happenings.push((calm + 500, Happening::Ask(Order::Stop)));
        let last = Order::Start { seconds: 6.0, segment: 2.0, evolves: seed.is_multiple_of(2), seed };
        happenings.push((calm + 1_000, Happening::Ask(last)));
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

fn faults(seed: u64, calm: u32) -> Vec<(u32, Happening)> {
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
                0..=3 => Happening::Crash(robot, lasts),
                4..=6 => Happening::Hang(robot, lasts / 2),
                7 => Happening::Mute(robot, lasts / 2),
                8..=11 => Happening::Cut(robot, lasts, draws.unit() < 0.5),
                12..=13 => Happening::Forge(robot, (3 * lasts).min(calm - at)),
                14..=16 => Happening::Rubbish(robot),
                17..=18 => Happening::HubCrash(lasts, draws.unit() < 0.5, clock_jump(seed, at)),
                19 => Happening::Poses(Poses::Absent, lasts),
                20 => Happening::Poses(Poses::Frozen, lasts),
                21 => Happening::Poses(Poses::Swapped(robot, other), lasts),
                _ => Happening::Poses(Poses::NotANumber(robot), lasts),
            },
        ));
        at += draws.range(50.0, FAULT_EVERY) as u32;
    }
    found
}

/// In half of the crashes the clock jumps, more often back than ahead; in a quarter of those by years.
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

/// Faults of disks: most are the hub's, and long enough for several commands.
fn disks(seed: u64, calm: u32) -> Vec<(u32, Happening)> {
    let mut draws = Draws::new(seed, 9, 0, 0, Stream::Simtest);
    let mut found = Vec::new();
    let mut at = draws.range(1_000.0, 12_000.0) as u32;
    while at < calm {
        let whose = (draws.unit() < 0.3).then(|| draws.below(ROBOTS as u32) as usize);
        let fault = [Disk::Full, Disk::Frozen, Disk::Slow][draws.below(3) as usize];
        let lasts = (draws.range(500.0, 12_000.0) as u32).min(calm - at);
        found.push((at, Happening::Disk(whose, fault, lasts)));
        at += lasts + draws.range(500.0, 15_000.0) as u32;
    }
    found
}

/// In two of three seeds somebody tries to have a run go on that was stopped, shortly before the faults are over. Nothing else
/// happens to the hub or is asked for meanwhile, but what comes behind the attack.
fn attack(seed: u64, calm: u32, happenings: &mut Vec<(u32, Happening)>) {
    const LASTS: u32 = 13_000;
    const DAY: i64 = 86_400_000;
    let Some(begins) = calm.checked_sub(LASTS + 1_000).filter(|_| !seed.is_multiple_of(3)) else { return };
    let start = Order::Start { seconds: 25.0, segment: 4.0, evolves: false, seed };
    let order = if seed.is_multiple_of(2) { Order::Stop } else { Order::Pause };
    let attack: &[(u32, Happening)] = match seed % 3 {
        // The disk refuses the order, and the hub dies.
        1 => &[
            (3_500, Happening::Disk(None, Disk::Frozen, 4_000)),
            (4_500, Happening::Ask(order)),
            (7_000, Happening::HubCrash(800, true, 0)),
        ],
        // The order is given by a hub whose clock went back, and the clock is set right.
        _ => &[
            (3_500, Happening::HubCrash(300, true, -DAY)),
            (6_000, Happening::Ask(Order::Stop)),
            (8_000, Happening::HubCrash(300, true, DAY)),
            (11_500, Happening::Ask(Order::Resume)),
        ],
    };
    let window = begins..begins + LASTS;
    let of_hub = |happening: &Happening| {
        matches!(happening, Happening::HubCrash(..) | Happening::Disk(None, ..) | Happening::Ask(_))
    };
    happenings.retain(|(at, happening)| !(window.contains(at) && of_hub(happening)));
    happenings.push((begins, Happening::Ask(Order::Stop)));
    happenings.push((begins + 300, Happening::Ask(start)));
    happenings.extend(attack.iter().map(|(at, happening)| (begins + at, happening.clone())));
}

fn operator(seed: u64, calm: u32) -> Vec<(u32, Happening)> {
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
        found.push((at, Happening::Ask(order)));
        if again {
            found.push((at + draws.range(0.0, 400.0) as u32, Happening::Ask(start(&mut draws))));
        }
        at += draws.range(50.0, OPERATOR_EVERY) as u32;
    }
    found.retain(|(at, _)| *at < calm);
    found
}

/// What is asked of single robots: they are held, released, found, looked at and noted about.
fn singles(seed: u64, calm: u32) -> Vec<(u32, Happening)> {
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
        found.push((at, Happening::Ask(order)));
        at += draws.range(50.0, SINGLE_EVERY) as u32;
    }
    found
}
