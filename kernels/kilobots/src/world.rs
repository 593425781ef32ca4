//! Reference implementation: one world of foraging Kilobots in plain scalar arithmetic, written for readability.
//!
//! An update lasts 0.5 s. First, all robots send messages and process the received ones. Then each robot writes its
//! senses to its blackboard and ticks its tree. Finally, all motors run for five steps of 0.1 s. After each step,
//! overlapping robots are pushed apart.

use super::foraging::Foraging;
use super::motion::{Drive, clamp_to_arena, drive, push, wrap_heading};
use super::program::Program;
use super::robot::WINDOW;
use super::senses::{
    self, History, Light, NO_ROUTE, Regions, Route, density, density_contribution, distance_change, hops, length,
    measured, unknown_route, update_route,
};
use super::tick::{ControllerState, MOTORS, SEND_SIGNAL, SENSES};
use xpuck_kernels::math::{Vec2, vec2};
use xpuck_kernels::random::{Draws, Stream, motion_words, random_block, unit};
use xpuck_kernels::tree::ENTRY_COUNT;

/// State of a robot.
#[derive(Clone, Debug)]
struct Robot {
    at: Vec2,
    heading: f32,
    bias: [f32; 2],
    light: Light,
    carries: bool,
    /// Route to the food; `nest` is the route to the nest. The messages of the robot contain both.
    food: Route,
    nest: Route,
    history: History,
    density: f32,
    mind: ControllerState,
}

/// Combined messages that a robot receives in an update.
#[derive(Clone, Copy)]
struct Inbox {
    crowding: f32,
    food: Route,
    nest: Route,
    signal: bool,
}

/// Message received by a robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceivedMessage {
    /// Nine bytes in little-endian order: sender id (2), signal, hops to the food, route length to the food (mm) (2),
    /// hops to the nest, route length to the nest (mm) (2).
    pub payload: [u8; 9],
    /// Distance to the sender as the receiver measures it (mm).
    pub mm: u32,
}

/// State of a robot for observers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KilobotView {
    /// Position (m).
    pub at: Vec2,
    /// Heading, counter-clockwise from +x (rad).
    pub heading: f32,
    /// Whether the filtered light sensor detects food, and whether it detects the nest, in this order.
    pub light: [bool; 2],
    /// Whether the robot carries food.
    pub carries: bool,
    /// Blackboard (Table 4.1) after the last tick.
    pub board: [f32; ENTRY_COUNT],
}

/// World of Kilobots that run one program.
#[derive(Clone, Debug)]
pub struct World<'a> {
    foraging: &'a Foraging,
    program: &'a Program,
    regions: Regions,
    seed: u64,
    world: u32,
    update: u32,
    robots: Vec<Robot>,
    picked: u32,
    delivered: u32,
}

impl<'a> World<'a> {
    /// Creates the world in its start state. `foraging` must be valid. Seed and world number determine every random
    /// choice.
    pub fn new(foraging: &'a Foraging, program: &'a Program, seed: u64, world: u32) -> World<'a> {
        let regions = foraging.regions();
        let robot = |i: usize| {
            let start = foraging.start(i, seed, world);
            Robot {
                at: vec2(start.x, start.y),
                heading: start.heading,
                bias: start.bias,
                light: Light::at(start.x * start.x + start.y * start.y, regions),
                carries: false,
                food: unknown_route(foraging.robot.most_hops),
                nest: unknown_route(foraging.robot.most_hops),
                history: History::START,
                density: 0.0,
                mind: ControllerState::new(program),
            }
        };
        let robots = (0..foraging.robots).map(robot).collect();
        World { foraging, program, regions, seed, world, update: 0, robots, picked: 0, delivered: 0 }
    }

    /// Runs one update of all robots (0.5 s).
    pub fn update(&mut self) {
        let inboxes: Vec<Inbox> = (0..self.robots.len()).map(|i| self.messages(i)).collect();
        for (i, inbox) in inboxes.into_iter().enumerate() {
            self.sense(i, inbox);
            let mut draws = Draws::new(self.seed, self.world, i as u32, self.update, Stream::Controller);
            self.robots[i].mind.tick(self.program, self.foraging.robot.motors, &mut draws);
        }
        for step in 0..self.foraging.robot.steps {
            self.step(self.update * self.foraging.robot.steps + step);
        }
        for robot in &mut self.robots {
            robot.heading = wrap_heading(robot.heading);
        }
        self.update += 1;
    }

    /// Returns the robots whose messages robot `i` receives in the next update, in numerical order, with their
    /// measured distances (mm).
    fn senders(&self, i: usize) -> impl Iterator<Item = (usize, u32)> {
        let range = self.foraging.robot.range;
        (0..self.robots.len()).filter_map(move |j| {
            let squared = squared(self.robots[i].at, self.robots[j].at);
            (j != i && squared <= range * range && self.receives(i, j)).then(|| (j, measured(squared)))
        })
    }

    /// Returns the messages that robot `i` receives in the next update, in the order of their senders.
    pub fn received_messages(&self, i: usize) -> impl Iterator<Item = ReceivedMessage> {
        self.senders(i).map(|(j, mm)| ReceivedMessage { payload: self.payload(j), mm })
    }

    /// Returns the nine bytes that robot `i` sends in the next update, in the format of [`ReceivedMessage::payload`].
    pub fn payload(&self, i: usize) -> [u8; 9] {
        let robot = &self.robots[i];
        let [id, food, nest] = [i as u32, length(robot.food), length(robot.nest)].map(|n| (n as u16).to_le_bytes());
        let signal = u8::from(robot.mind.board[SEND_SIGNAL] > 0.5);
        let (food_hops, nest_hops) = (hops(robot.food) as u8, hops(robot.nest) as u8);
        [id[0], id[1], signal, food_hops, food[0], food[1], nest_hops, nest[0], nest[1]]
    }

    /// Combines the messages that robot `i` receives in this update.
    fn messages(&self, i: usize) -> Inbox {
        let mut inbox = Inbox { crowding: 0.0, food: NO_ROUTE, nest: NO_ROUTE, signal: false };
        for (j, mm) in self.senders(i) {
            let sender = &self.robots[j];
            inbox.crowding += density_contribution(mm);
            inbox.food = inbox.food.min(sender.food + mm);
            inbox.nest = inbox.nest.min(sender.nest + mm);
            inbox.signal |= sender.mind.board[SEND_SIGNAL] > 0.5;
        }
        inbox
    }

    /// Returns whether `receiver` receives the message of `sender` in this update. A pair of robots shares one random
    /// word. Each half of the word decides about one of the two directions.
    fn receives(&self, receiver: usize, sender: usize) -> bool {
        let (first, second) = (receiver.min(sender), receiver.max(sender));
        let block_number = (second / 4) as u32;
        let words = random_block(self.seed, self.world, first as u32, self.update, Stream::Messages, block_number);
        let word = words[second % 4];
        let half = if receiver < sender { word << 16 } else { word };
        gets_through(half, self.foraging.robot.heard)
    }

    /// Writes the senses of robot `i` to its blackboard, and updates whether the robot carries food.
    fn sense(&mut self, i: usize, inbox: Inbox) {
        let most_hops = self.foraging.robot.most_hops;
        let slot = self.update as usize % WINDOW;
        let robot = &mut self.robots[i];
        let [in_food, in_nest] = robot.light.filtered();
        if robot.carries && in_nest {
            self.delivered += 1;
        } else if !robot.carries && in_food {
            self.picked += 1;
        }
        robot.carries = (robot.carries || in_food) && !in_nest;
        robot.food = update_route(inbox.food, in_food, most_hops);
        robot.nest = update_route(inbox.nest, in_nest, most_hops);
        let (food, nest) = (length(robot.food), length(robot.nest));
        let History { crowding, food: foods, nest: nests } = &mut robot.history;
        let changes = [distance_change(food, foods[slot]), distance_change(nest, nests[slot])];
        (crowding[slot], foods[slot], nests[slot]) = (inbox.crowding, food, nest);
        let density = density(*crowding);
        let flag = |holds: bool| if holds { 1.0 } else { 0.0 };
        robot.mind.board[SENSES..].copy_from_slice(&[
            flag(inbox.signal),
            flag(in_food),
            flag(robot.carries),
            density,
            density - robot.density,
            changes[0],
            changes[1],
        ]);
        robot.density = density;
    }

    /// Runs physics step `step` of the run for all robots.
    fn step(&mut self, step: u32) {
        let Foraging { robot: kind, half_arena, .. } = *self.foraging;
        let key = [self.seed as u32, (self.seed >> 32) as u32];
        for (i, robot) in self.robots.iter_mut().enumerate() {
            let motors = Drive::new(&kind, robot.mind.board[MOTORS] as u32, robot.bias);
            let ([x, y], heading) =
                drive(motors, kind.axle, robot.heading, motion_words(key, self.world, i as u32, step));
            robot.at = vec2(robot.at.x + x, robot.at.y + y);
            robot.heading = heading;
        }
        let reach = 2.0 * kind.radius;
        let mut pushes = vec![[0.0f32; 2]; self.robots.len()];
        for i in 0..self.robots.len() {
            for j in i + 1..self.robots.len() {
                let (a, b) = (self.robots[i].at, self.robots[j].at);
                let squared = squared(a, b);
                if squared < reach * reach {
                    let [x, y] = push(a.x - b.x, a.y - b.y, squared, reach);
                    pushes[i] = [pushes[i][0] + x, pushes[i][1] + y];
                    pushes[j] = [pushes[j][0] - x, pushes[j][1] - y];
                }
            }
        }
        let (most_x, most_y) = (half_arena.0 - kind.radius, half_arena.1 - kind.radius);
        for (robot, [x, y]) in self.robots.iter_mut().zip(pushes) {
            robot.at = vec2(clamp_to_arena(robot.at.x, x, most_x), clamp_to_arena(robot.at.y, y, most_y));
            if senses::samples(step) {
                robot.light = robot.light.with(robot.at.x * robot.at.x + robot.at.y * robot.at.y, self.regions);
            }
        }
    }

    /// Returns the number of pieces of food picked up so far, and the number delivered so far.
    pub fn food(&self) -> [u32; 2] {
        [self.picked, self.delivered]
    }

    /// Returns the current state of each robot.
    pub fn views(&self) -> impl Iterator<Item = KilobotView> {
        self.robots.iter().map(|robot| KilobotView {
            at: robot.at,
            heading: robot.heading,
            light: robot.light.filtered(),
            carries: robot.carries,
            board: robot.mind.board,
        })
    }
}

/// Returns whether a message is received. The upper 16 bits of `half` are random, and the lower 16 bits are ignored.
/// `heard` is the probability.
#[inline(always)]
pub(super) fn gets_through(half: u32, heard: f32) -> bool {
    unit(half & 0xffff_0000) < heard
}

/// Returns the squared distance between two points.
fn squared(a: Vec2, b: Vec2) -> f32 {
    let (x, y) = (a.x - b.x, a.y - b.y);
    x * x + y * y
}
