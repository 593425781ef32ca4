//! State of sixteen worlds as arrays, one array per quantity. Each world is one lane of the arrays.

#![allow(clippy::needless_range_loop, reason = "a lane's number selects from several arrays at once")]

use crate::foraging::Foraging;
use crate::job::Job;
use crate::robot::WINDOW;
use crate::senses::{self, Light, NO_ROUTE, Regions, Route, unknown_route};
use crate::tick::{SEND_SIGNAL, TreePosition};
use xpuck_kernels::tree::ENTRY_COUNT;
pub(crate) use xpuck_kernels::tree::lanes::LANES;
pub(super) use xpuck_kernels::tree::lanes::Lanes;

/// One integer per world.
pub(super) type Words = [u32; LANES];

/// State of one robot in all worlds.
#[derive(Clone)]
#[repr(align(64))]
pub(super) struct Robot {
    pub x: Lanes,
    pub y: Lanes,
    pub heading: Lanes,
    pub bias: [Lanes; 2],
    pub v: Lanes,
    pub w: Lanes,
    pub noise: [Lanes; 2],
    pub light_food: Words,
    pub light_nest: Words,
    pub carries: Words,
    pub food: [Route; LANES],
    pub nest: [Route; LANES],
    pub crowding: [Lanes; WINDOW],
    pub foods: [Words; WINDOW],
    pub nests: [Words; WINDOW],
    pub density: Lanes,
    pub board: [Lanes; ENTRY_COUNT],
    pub place: [TreePosition; LANES],
}

/// Combined messages that one robot receives in an update, in all worlds.
#[derive(Clone)]
#[repr(align(64))]
pub(super) struct Inbox {
    pub crowding: Lanes,
    pub food: [Route; LANES],
    pub nest: [Route; LANES],
    pub signal: Words,
}

impl Inbox {
    pub(super) const EMPTY: Inbox =
        Inbox { crowding: [0.0; LANES], food: [NO_ROUTE; LANES], nest: [NO_ROUTE; LANES], signal: [0; LANES] };

    /// Adds the message of `sender` in each world in which this message is received. `heard` is 1 for these worlds and
    /// 0 for all others. `mm` is the measured distance (mm), and `crowd` is the contribution to the density.
    #[inline(always)]
    pub(super) fn add(&mut self, sender: &Robot, heard: &Words, mm: &Words, crowd: &Lanes) {
        for l in 0..LANES {
            let hears = heard[l] != 0;
            self.crowding[l] += if hears { crowd[l] } else { 0.0 };
            let food = if hears { sender.food[l] + mm[l] } else { NO_ROUTE };
            let nest = if hears { sender.nest[l] + mm[l] } else { NO_ROUTE };
            self.food[l] = self.food[l].min(food);
            self.nest[l] = self.nest[l].min(nest);
            self.signal[l] |= heard[l] & u32::from(sender.board[SEND_SIGNAL][l] > 0.5);
        }
    }
}

/// Worlds with the same parameters, one per lane.
pub(super) struct Block<'a> {
    pub foraging: &'a Foraging,
    pub jobs: &'a [Job<'a>],
    pub regions: Regions,
    pub keys: [Words; 2],
    pub worlds: Words,
    pub update: u32,
    pub robots: Vec<Robot>,
    pub inboxes: Vec<Inbox>,
    pub pushes: Vec<[Lanes; 2]>,
    /// Pairs of robots that are close enough in any world to touch before the next update.
    pub near: Vec<(u16, u16)>,
    /// Counters of the `repeati` nodes: `counters` bytes for each robot in each world.
    pub counts: Vec<u8>,
    pub counters: usize,
    pub picked: Words,
    pub delivered: Words,
}

impl<'a> Block<'a> {
    /// Creates the worlds of up to [`LANES`] jobs in their start state. Lanes without a job repeat the last job, but
    /// the trees in these lanes are not ticked.
    pub(super) fn new(foraging: &'a Foraging, jobs: &'a [Job<'a>]) -> Block<'a> {
        let regions = foraging.regions();
        let job = |l: usize| &jobs[l.min(jobs.len() - 1)];
        let nowhere = unknown_route(foraging.robot.most_hops);
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
                    place: [TreePosition::ROOT; LANES],
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
