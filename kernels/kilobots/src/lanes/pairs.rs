//! Interactions between pairs of robots: messages and contacts.

#![allow(clippy::needless_range_loop, reason = "a lane's number selects from several arrays at once")]

use super::block::{Block, Inbox, LANES};
use crate::motion::{clamp_to_arena, push};
use crate::senses::{self, Light, density_contribution, measured};
use crate::world::gets_through;
use xpuck_kernels::random::{Stream, random_block};

/// Exchanges all messages. Each robot receives messages in the order of the reference implementation: senders with
/// lower numbers come first.
#[inline(always)]
pub(super) fn messages(block: &mut Block<'_>) {
    let Block { foraging, robots, inboxes, near, keys, worlds, update, .. } = block;
    let kind = &foraging.robot;
    let (within, reach) = (kind.range * kind.range, kind.contact_range() * kind.contact_range());
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
                crowd[l] = density_contribution(mm[l]);
            }
            let (head, tail) = inboxes.split_at_mut(j);
            head[i].add(b, &first, &mm, &crowd);
            tail[0].add(a, &second, &mm, &crowd);
        }
    }
}

/// Returns a block of random words for messages.
#[inline(always)]
fn block_of(seed: u64, world: u32, robot: u32, update: u32, number: u32) -> [u32; 4] {
    random_block(seed, world, robot, update, Stream::Messages, number)
}

/// Pushes overlapping robots apart, keeps robots in the arena, and samples the light sensors.
#[inline(always)]
pub(super) fn contacts(block: &mut Block<'_>, step: u32) {
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
            robot.x[l] = clamp_to_arena(robot.x[l], x[l], most_x);
            robot.y[l] = clamp_to_arena(robot.y[l], y[l], most_y);
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
