//! Sixteen worlds of Kilobots side by side, a world in each lane of the vector registers.
//!
//! Loops over lanes stand around the functions that define a robot's motion and senses, so the bits are those of
//! [`World`](super::World). What every pair of robots needs is computed once for both: their distance and the random
//! word that decides whose message gets through. Robots that are far from each other in all worlds at an update cannot
//! touch before the next, so contacts look only at the others. Trees are ticked robot by robot.

#![allow(clippy::needless_range_loop, reason = "a lane's number selects from several arrays at once")]

use super::foraging::Foraging;
use super::motion::{Drive, drive, push, settled, wrapped};
use super::robot::WINDOW;
use super::run::{Job, Outcome, hash};
use super::senses::{
    self, Light, NO_WAY, Regions, Way, crowding, density, known, length, measured, unknown, way_change,
};
use super::tick::{Blackboard, MOTORS, Place, SEND_SIGNAL, SENSES, tick};
use super::world::gets_through;
use crate::random::{Draws, Stream, block, motion_words};
use crate::tree::ENTRY_COUNT;
pub(super) use crate::tree::lanes::{LANES, Lanes};
use multiversion::multiversion;

/// A whole number for each world.
type Words = [u32; LANES];

/// One robot in all worlds.
#[derive(Clone)]
#[repr(align(64))]
struct Robot {
    x: Lanes,
    y: Lanes,
    heading: Lanes,
    bias: [Lanes; 2],
    v: Lanes,
    w: Lanes,
    noise: [Lanes; 2],
    light_food: Words,
    light_nest: Words,
    carries: Words,
    food: [Way; LANES],
    nest: [Way; LANES],
    crowding: [Lanes; WINDOW],
    foods: [Words; WINDOW],
    nests: [Words; WINDOW],
    density: Lanes,
    board: [Lanes; ENTRY_COUNT],
    place: [Place; LANES],
}

/// What one robot's messages of an update come to in all worlds.
#[derive(Clone)]
#[repr(align(64))]
struct Inbox {
    crowding: Lanes,
    food: [Way; LANES],
    nest: [Way; LANES],
    signal: Words,
}

impl Inbox {
    const EMPTY: Inbox =
        Inbox { crowding: [0.0; LANES], food: [NO_WAY; LANES], nest: [NO_WAY; LANES], signal: [0; LANES] };

    /// Takes in what `sender` says, in the worlds where that is heard.
    #[inline(always)]
    fn take(&mut self, sender: &Robot, heard: &Words, mm: &Words, crowd: &Lanes) {
        for l in 0..LANES {
            let hears = heard[l] != 0;
            self.crowding[l] += if hears { crowd[l] } else { 0.0 };
            let food = if hears { sender.food[l] + mm[l] } else { NO_WAY };
            let nest = if hears { sender.nest[l] + mm[l] } else { NO_WAY };
            self.food[l] = self.food[l].min(food);
            self.nest[l] = self.nest[l].min(nest);
            self.signal[l] |= heard[l] & u32::from(sender.board[SEND_SIGNAL][l] > 0.5);
        }
    }
}

/// Worlds of one description.
struct Block<'a> {
    foraging: &'a Foraging,
    jobs: &'a [Job<'a>],
    regions: Regions,
    keys: [Words; 2],
    worlds: Words,
    update: u32,
    robots: Vec<Robot>,
    inboxes: Vec<Inbox>,
    pushes: Vec<[Lanes; 2]>,
    /// Pairs that are near each other in a world, so that they may touch before the next update.
    near: Vec<(u16, u16)>,
    /// Counts of `repeati`: so many bytes for each robot of each world.
    counts: Vec<u8>,
    counters: usize,
    picked: Words,
    delivered: Words,
}

/// The blackboard of a robot in one world.
struct LaneBoard<'a> {
    board: &'a mut [Lanes; ENTRY_COUNT],
    lane: usize,
}

impl Blackboard for LaneBoard<'_> {
    #[inline(always)]
    fn get(&self, entry: u8) -> f32 {
        self.board[usize::from(entry)][self.lane]
    }

    #[inline(always)]
    fn set(&mut self, entry: u8, value: f32) {
        self.board[usize::from(entry)][self.lane] = value;
    }
}

/// Runs up to [`LANES`] jobs.
pub(super) fn run(foraging: &Foraging, jobs: &[Job<'_>]) -> Vec<Outcome> {
    let mut block = Block::new(foraging, jobs);
    advance(&mut block, foraging.updates());
    let outcome = |l: usize| Outcome {
        picked: block.picked[l],
        delivered: block.delivered[l],
        hash: hash(block.robots.iter().map(|robot| [robot.x[l], robot.y[l], robot.heading[l]])),
    };
    (0..jobs.len()).map(outcome).collect()
}

/// All updates of a block; compiled once for each kind of vector registers, the widest present being chosen at run time.
#[multiversion(targets(
    "x86_64+avx+avx2+avx512f+avx512bw+avx512cd+avx512dq+avx512vl",
    "x86_64+avx+avx2",
    "aarch64+neon",
))]
fn advance(block: &mut Block<'_>, updates: u32) {
    for _ in 0..updates {
        messages(block);
        sense(block);
        think(block);
        let steps = block.foraging.robot.steps;
        for step in block.update * steps..(block.update + 1) * steps {
            move_all(block, step);
            contacts(block, step);
        }
        for robot in &mut block.robots {
            for l in 0..LANES {
                robot.heading[l] = wrapped(robot.heading[l]);
            }
        }
        block.update += 1;
    }
}

/// Everybody's messages. Each pair is looked at in the order in which the definition has senders: lower numbers first.
#[inline(always)]
fn messages(block: &mut Block<'_>) {
    let Block { foraging, robots, inboxes, near, keys, worlds, update, .. } = block;
    let kind = &foraging.robot;
    let (within, reach) = (kind.range * kind.range, kind.near() * kind.near());
    inboxes.fill(Inbox::EMPTY);
    near.clear();
    for (i, a) in robots.iter().enumerate() {
        let mut words = [[0u32; LANES]; 4];
        let mut words_of = usize::MAX;
        for (j, b) in robots.iter().enumerate().skip(i + 1) {
            let mut squares = [0.0f32; LANES];
            let (mut audible, mut close) = (0u32, 0u32);
            for l in 0..LANES {
                let (x, y) = (a.x[l] - b.x[l], a.y[l] - b.y[l]);
                squares[l] = x * x + y * y;
                audible |= u32::from(squares[l] <= within);
                close |= u32::from(squares[l] <= reach);
            }
            if close != 0 {
                near.push((i as u16, j as u16));
            }
            if audible == 0 {
                continue;
            }
            if words_of != j / 4 {
                words_of = j / 4;
                for l in 0..LANES {
                    let seed = u64::from(keys[0][l]) | u64::from(keys[1][l]) << 32;
                    let four = block_of(seed, worlds[l], i as u32, *update, words_of as u32);
                    for (word, of) in words.iter_mut().zip(four) {
                        word[l] = of;
                    }
                }
            }
            let word = &words[j % 4];
            let (mut first, mut second) = ([0u32; LANES], [0u32; LANES]);
            let (mut mm, mut crowd) = ([0u32; LANES], [0.0f32; LANES]);
            for l in 0..LANES {
                let audible = squares[l] <= within;
                first[l] = u32::from(audible & gets_through(word[l] << 16, kind.heard));
                second[l] = u32::from(audible & gets_through(word[l], kind.heard));
                mm[l] = measured(squares[l]);
                crowd[l] = crowding(mm[l]);
            }
            let (head, tail) = inboxes.split_at_mut(j);
            head[i].take(b, &first, &mm, &crowd);
            tail[0].take(a, &second, &mm, &crowd);
        }
    }
}

/// A block of random words for messages.
#[inline(always)]
fn block_of(seed: u64, world: u32, robot: u32, update: u32, number: u32) -> [u32; 4] {
    block(seed, world, robot, update, Stream::Messages, number)
}

/// Enters what robots sense on their blackboards, and lets them take and leave food.
#[inline(always)]
fn sense(block: &mut Block<'_>) {
    let Block { foraging, robots, inboxes, update, picked, delivered, .. } = block;
    let most_hops = foraging.robot.most_hops;
    let slot = *update as usize % WINDOW;
    for (robot, inbox) in robots.iter_mut().zip(inboxes.iter()) {
        for l in 0..LANES {
            let [in_food, in_nest] = Light { food: robot.light_food[l], nest: robot.light_nest[l] }.filtered();
            let carries = robot.carries[l] != 0;
            delivered[l] += u32::from(carries & in_nest);
            picked[l] += u32::from(!carries & in_food);
            robot.carries[l] = u32::from((carries | in_food) & !in_nest);
            robot.food[l] = known(inbox.food[l], in_food, most_hops);
            robot.nest[l] = known(inbox.nest[l], in_nest, most_hops);
            robot.board[SENSES][l] = if inbox.signal[l] != 0 { 1.0 } else { 0.0 };
            robot.board[SENSES + 1][l] = if in_food { 1.0 } else { 0.0 };
            robot.board[SENSES + 2][l] = if robot.carries[l] != 0 { 1.0 } else { 0.0 };
        }
        robot.crowding[slot] = inbox.crowding;
        for l in 0..LANES {
            let mean = density(std::array::from_fn(|k| robot.crowding[k][l]));
            robot.board[SENSES + 3][l] = mean;
            robot.board[SENSES + 4][l] = mean - robot.density[l];
            robot.density[l] = mean;
            let (food, nest) = (length(robot.food[l]), length(robot.nest[l]));
            robot.board[SENSES + 5][l] = way_change(food, robot.foods[slot][l]);
            robot.board[SENSES + 6][l] = way_change(nest, robot.nests[slot][l]);
            (robot.foods[slot][l], robot.nests[slot][l]) = (food, nest);
        }
    }
}

/// Ticks everybody's tree, and sets the motors.
#[inline(always)]
fn think(block: &mut Block<'_>) {
    let Block { foraging, jobs, robots, update, counts, counters, .. } = block;
    let kind = &foraging.robot;
    for (i, robot) in robots.iter_mut().enumerate() {
        for (l, job) in jobs.iter().enumerate() {
            let mut draws = Draws::new(job.seed, job.world, i as u32, *update, Stream::Controller);
            let first = (i * LANES + l) * *counters;
            let counts = &mut counts[first..first + *counters];
            let mut board = LaneBoard { board: &mut robot.board, lane: l };
            tick(job.program, kind.motors, &mut robot.place[l], counts, &mut board, &mut draws);
        }
        for l in 0..LANES {
            let motors = Drive::of(kind, robot.board[MOTORS][l] as u32, [robot.bias[0][l], robot.bias[1][l]]);
            (robot.v[l], robot.w[l]) = (motors.v, motors.w);
            (robot.noise[0][l], robot.noise[1][l]) = (motors.noise[0], motors.noise[1]);
        }
    }
}

/// Drives all robots for step number `step` of the run.
#[inline(always)]
fn move_all(block: &mut Block<'_>, step: u32) {
    let axle = block.foraging.robot.axle;
    for (i, robot) in block.robots.iter_mut().enumerate() {
        for l in 0..LANES {
            let motors = Drive { v: robot.v[l], w: robot.w[l], noise: [robot.noise[0][l], robot.noise[1][l]] };
            let words = motion_words([block.keys[0][l], block.keys[1][l]], block.worlds[l], i as u32, step);
            let ([x, y], heading) = drive(motors, axle, robot.heading[l], words);
            robot.x[l] += x;
            robot.y[l] += y;
            robot.heading[l] = heading;
        }
    }
}

/// Pushes robots apart that overlap, keeps them in the arena, and lets light sensors take a sample.
#[inline(always)]
fn contacts(block: &mut Block<'_>, step: u32) {
    let Block { foraging, robots, pushes, near, regions, .. } = block;
    let radius = foraging.robot.radius;
    let reach = 2.0 * radius;
    let touch = reach * reach;
    pushes.fill([[0.0; LANES]; 2]);
    for (i, j) in near.iter().map(|(i, j)| (usize::from(*i), usize::from(*j))) {
        let (a, b) = (&robots[i], &robots[j]);
        let mut squares = [0.0f32; LANES];
        let mut touching = 0u32;
        for l in 0..LANES {
            let (x, y) = (a.x[l] - b.x[l], a.y[l] - b.y[l]);
            squares[l] = x * x + y * y;
            touching |= u32::from(squares[l] < touch);
        }
        if touching == 0 {
            continue;
        }
        let (head, tail) = pushes.split_at_mut(j);
        let (mine, theirs) = (&mut head[i], &mut tail[0]);
        for l in 0..LANES {
            let [x, y] = push(a.x[l] - b.x[l], a.y[l] - b.y[l], squares[l], reach);
            let touches = squares[l] < touch;
            let (x, y) = (if touches { x } else { 0.0 }, if touches { y } else { 0.0 });
            (mine[0][l], mine[1][l]) = (mine[0][l] + x, mine[1][l] + y);
            (theirs[0][l], theirs[1][l]) = (theirs[0][l] - x, theirs[1][l] - y);
        }
    }
    let (most_x, most_y) = (foraging.half_arena.0 - radius, foraging.half_arena.1 - radius);
    let samples = senses::samples(step);
    for (robot, [x, y]) in robots.iter_mut().zip(pushes.iter()) {
        for l in 0..LANES {
            robot.x[l] = settled(robot.x[l], x[l], most_x);
            robot.y[l] = settled(robot.y[l], y[l], most_y);
        }
        if samples {
            for l in 0..LANES {
                let light = Light { food: robot.light_food[l], nest: robot.light_nest[l] };
                let light = light.with(robot.x[l] * robot.x[l] + robot.y[l] * robot.y[l], *regions);
                (robot.light_food[l], robot.light_nest[l]) = (light.food, light.nest);
            }
        }
    }
}

impl<'a> Block<'a> {
    /// The worlds of up to [`LANES`] jobs at their start. Lanes without a job repeat the last one, but do not think.
    fn new(foraging: &'a Foraging, jobs: &'a [Job<'a>]) -> Block<'a> {
        let regions = foraging.regions();
        let job = |l: usize| &jobs[l.min(jobs.len() - 1)];
        let nowhere = unknown(foraging.robot.most_hops);
        let history = senses::History::START;
        let robots: Vec<Robot> = (0..foraging.robots)
            .map(|i| {
                let starts: [_; LANES] = std::array::from_fn(|l| foraging.start(i, job(l).seed, job(l).world));
                let light = starts.map(|s| Light::at(s.x * s.x + s.y * s.y, regions));
                Robot {
                    x: starts.map(|s| s.x),
                    y: starts.map(|s| s.y),
                    heading: starts.map(|s| s.heading),
                    bias: [starts.map(|s| s.bias[0]), starts.map(|s| s.bias[1])],
                    v: [0.0; LANES],
                    w: [0.0; LANES],
                    noise: [[0.0; LANES]; 2],
                    light_food: light.map(|light| light.food),
                    light_nest: light.map(|light| light.nest),
                    carries: [0; LANES],
                    food: [nowhere; LANES],
                    nest: [nowhere; LANES],
                    crowding: history.crowding.map(|value| [value; LANES]),
                    foods: history.food.map(|value| [value; LANES]),
                    nests: history.nest.map(|value| [value; LANES]),
                    density: [0.0; LANES],
                    board: [[0.0; LANES]; ENTRY_COUNT],
                    place: [Place::ROOT; LANES],
                }
            })
            .collect();
        let counters = jobs.iter().map(|job| job.program.counters).max().unwrap_or(0);
        let per_lane = |of: &dyn Fn(&Job<'_>) -> u32| std::array::from_fn(|l| of(job(l)));
        Block {
            regions,
            keys: [per_lane(&|job| job.seed as u32), per_lane(&|job| (job.seed >> 32) as u32)],
            worlds: per_lane(&|job| job.world),
            update: 0,
            inboxes: vec![Inbox::EMPTY; robots.len()],
            pushes: vec![[[0.0; LANES]; 2]; robots.len()],
            near: Vec::with_capacity(robots.len() * (robots.len() - 1) / 2),
            counts: vec![0; robots.len() * LANES * counters],
            counters,
            picked: [0; LANES],
            delivered: [0; LANES],
            robots,
            foraging,
            jobs,
        }
    }
}
