//! Actions that do not involve other robots: sensing, ticking and driving.

#![allow(clippy::needless_range_loop, reason = "a lane's number selects from several arrays at once")]

use super::block::{Block, LANES, Lanes};
use crate::motion::{Drive, drive, wrap_heading};
use crate::robot::WINDOW;
use crate::senses::{Light, density, distance_change, length, update_route};
use crate::tick::{Blackboard, MOTORS, SENSES, tick};
use xpuck_kernels::random::{Draws, Stream, motion_words};
use xpuck_kernels::tree::ENTRY_COUNT;

/// Blackboard of a robot in one world.
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

/// Writes the sensor values to the blackboards, and updates whether each robot carries food.
#[inline(always)]
pub(super) fn sense(block: &mut Block<'_>) {
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
            robot.food[l] = update_route(inbox.food[l], in_food, most_hops);
            robot.nest[l] = update_route(inbox.nest[l], in_nest, most_hops);
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
            robot.board[SENSES + 5][l] = distance_change(food, robot.foods[slot][l]);
            robot.board[SENSES + 6][l] = distance_change(nest, robot.nests[slot][l]);
            (robot.foods[slot][l], robot.nests[slot][l]) = (food, nest);
        }
    }
}

/// Ticks all trees and sets the motors of all robots.
#[inline(always)]
pub(super) fn think(block: &mut Block<'_>) {
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
            let motors = Drive::new(kind, robot.board[MOTORS][l] as u32, [robot.bias[0][l], robot.bias[1][l]]);
            (robot.v[l], robot.w[l]) = (motors.v, motors.w);
            (robot.noise[0][l], robot.noise[1][l]) = (motors.noise[0], motors.noise[1]);
        }
    }
}

/// Moves all robots in physics step `step` of the run.
#[inline(always)]
pub(super) fn move_all(block: &mut Block<'_>, step: u32) {
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

/// Normalises the headings of all robots.
#[inline(always)]
pub(super) fn wrap(block: &mut Block<'_>) {
    for robot in &mut block.robots {
        for l in 0..LANES {
            robot.heading[l] = wrap_heading(robot.heading[l]);
        }
    }
}
