//! Physics steps of a block.

use super::block::{Block, Shift};
use super::crowd::Crowd;
use super::lanes::LANES;
use super::scene::Scene;
use crate::math::{Vec2, vec2};
use crate::random::{Draws, Stream, philox};
use crate::world::physics::contacts::{Movement, touching, wall_penetrations};
use crate::world::physics::{floor_friction, integrate, motion_noise, steer};
use crate::world::task::Score;
use crate::world::task::transport::touches_end;

// For each body and lane: bit j for a body j > i that it touches, INNER_WALL_BIT for inner walls and bits from WALL_BITS
// for the arena's walls. In a crowd bit j is for disc j, and which robots touch each other `Near::touching` knows.
const WALL_BITS: u32 = 28;
const INNER_WALL_BIT: u32 = 27;

/// Sets the wheels of all robots by their controllers' goals.
#[inline(always)]
pub(super) fn drive(block: &mut Block<'_>, scene: &Scene) {
    for (body, senses) in block.bodies[..scene.robots].iter_mut().zip(&block.senses) {
        for l in 0..LANES {
            [body.left[l], body.right[l]] = steer(vec2(senses.goal[0][l], senses.goal[1][l]));
        }
    }
}

/// One physics step.
#[inline(always)]
pub(super) fn step(block: &mut Block<'_>, scene: &Scene) {
    friction(block, scene);
    let touched = find_touches(block, scene);
    let Block { crowd, bodies, .. } = block;
    let worlds = crowd.as_ref().map_or(LANES, |crowd| crowd.worlds.len());
    if let Some(crowd) = crowd {
        crowd.refresh(bodies);
        (0..worlds).for_each(|l| crowd.touch(bodies, scene, l));
    }
    for l in 0..worlds {
        let robots_touch = block.crowd.as_ref().is_some_and(|crowd| !crowd.worlds[l].touching.is_empty());
        if touched[l] != 0 || robots_touch {
            solve_contacts(block, scene, l);
        }
    }
    integrate_all(block, scene);
    for Shift { lane, body, by } in block.shifts.drain(..) {
        let body = &mut block.bodies[body];
        (body.x[lane], body.y[lane]) = (body.x[lane] + by.x, body.y[lane] + by.y);
    }
    relocate(block, scene);
    block.step += 1;
}

#[inline(always)]
fn friction(block: &mut Block<'_>, scene: &Scene) {
    for (b, fixed) in block.bodies.iter_mut().zip(&scene.bodies) {
        for l in 0..LANES {
            let forward = Vec2::unit(b.heading[l]);
            let wheels = [b.left[l], b.right[l]];
            let (v, spin) = floor_friction(&fixed.footing, forward, vec2(b.vx[l], b.vy[l]), b.spin[l], wheels);
            (b.vx[l], b.vy[l], b.spin[l]) = (v.x, v.y, spin);
        }
    }
}

/// The body that bit 0 is for.
fn first_with_bit(crowd: &Option<Crowd>, scene: &Scene) -> usize {
    if crowd.is_some() { scene.robots } else { 0 }
}

/// Finds what touches what, robots of a crowd left out; the result says in which lanes anything does.
#[inline(always)]
fn find_touches(block: &mut Block<'_>, scene: &Scene) -> [u32; LANES] {
    let mut touched = [0; LANES];
    let first = first_with_bit(&block.crowd, scene);
    for (i, (a, fixed)) in block.bodies.iter().zip(&scene.bodies).enumerate() {
        let mut hits = [0u32; LANES];
        for l in 0..LANES {
            let walls = wall_penetrations(vec2(a.x[l], a.y[l]), fixed.radius, scene.physics.half_arena);
            for (wall, penetration) in walls.into_iter().enumerate() {
                hits[l] |= u32::from(penetration > 0.0) << (WALL_BITS + wall as u32);
            }
        }
        for wall in &scene.physics.walls {
            for l in 0..LANES {
                let touches = touching(wall.offset(vec2(a.x[l], a.y[l])), fixed.radius);
                hits[l] |= u32::from(touches) << INNER_WALL_BIT;
            }
        }
        for (j, (b, other)) in block.bodies.iter().zip(&scene.bodies).enumerate().skip(first.max(i + 1)) {
            let reach = fixed.radius + other.radius;
            for l in 0..LANES {
                hits[l] |= u32::from(touching(vec2(b.x[l] - a.x[l], b.y[l] - a.y[l]), reach)) << (j - first);
            }
        }
        for l in 0..LANES {
            touched[l] |= hits[l];
        }
        block.touches[i] = hits;
    }
    touched
}

/// Solves the contacts of one world and notes the shifts that separate what overlaps.
fn solve_contacts(block: &mut Block<'_>, scene: &Scene, l: usize) {
    let Block { bodies, contacts, moving, shifts, touches, crowd, .. } = block;
    let bounce = scene.physics.restitution;
    let movement = |i: usize| {
        let b = &bodies[i];
        Movement { velocity: vec2(b.vx[l], b.vy[l]), spin: b.spin[l] }
    };
    let first = first_with_bit(crowd, scene);
    let mut pairs = crowd.as_ref().map_or(&[][..], |crowd| &crowd.worlds[l].touching);
    contacts.clear();
    for (i, touches) in touches.iter().enumerate() {
        let (mine, rest) = pairs.split_at(pairs.iter().take_while(|[a, _]| usize::from(*a) == i).count());
        pairs = rest;
        let mut hits = touches[l];
        if hits == 0 && mine.is_empty() {
            continue;
        }
        let at = vec2(bodies[i].x[l], bodies[i].y[l]);
        moving[i] = movement(i);
        if hits >> WALL_BITS != 0 {
            let depths = wall_penetrations(at, scene.bodies[i].radius, scene.physics.half_arena);
            for (wall, depth) in depths.into_iter().enumerate().filter(|(_, d)| *d > 0.0) {
                contacts.add_wall(i, scene.wall_pair(i), wall, depth, moving, bounce);
            }
        }
        if hits >> INNER_WALL_BIT & 1 != 0 {
            let offsets = scene.physics.walls.iter().map(|wall| wall.offset(at));
            for offset in offsets.filter(|o| touching(*o, scene.bodies[i].radius)) {
                contacts.add_inner_wall(i, scene.wall_pair(i), offset, moving, bounce);
            }
        }
        let mut meet = |j: usize| {
            moving[j] = movement(j);
            let between = vec2(bodies[j].x[l], bodies[j].y[l]) - at;
            contacts.add_bodies(i, j, scene.pair(i, j), between, moving, bounce);
        };
        mine.iter().for_each(|[_, j]| meet(usize::from(*j)));
        hits &= (1 << INNER_WALL_BIT) - 1;
        while hits != 0 {
            meet(first + hits.trailing_zeros() as usize);
            hits &= hits - 1;
        }
    }
    contacts.solve(moving, scene.physics.mu_bodies);
    for i in contacts.touched() {
        let b = &mut bodies[i];
        (b.vx[l], b.vy[l], b.spin[l]) = (moving[i].velocity.x, moving[i].velocity.y, moving[i].spin);
    }
    contacts.correct(|body, by| shifts.push(Shift { lane: l, body, by }));
}

#[inline(always)]
fn integrate_all(block: &mut Block<'_>, scene: &Scene) {
    let Block { key, world, step, .. } = *block;
    for (i, b) in block.bodies.iter_mut().enumerate() {
        for l in 0..LANES {
            let words = philox([world[l], i as u32, step, Stream::Motion as u32], [key[0][l], key[1][l]]);
            let noise = motion_noise(words, scene.physics.noise);
            let (at, velocity) = (vec2(b.x[l], b.y[l]), vec2(b.vx[l], b.vy[l]));
            let (at, heading) = integrate(at, b.heading[l], velocity, b.spin[l], noise);
            (b.x[l], b.y[l], b.heading[l]) = (at.x, at.y, heading);
        }
    }
}

/// Puts the frisbee back near the centre where it touches an end of the arena and the task says so.
#[inline(always)]
fn relocate(block: &mut Block<'_>, scene: &Scene) {
    if !scene.task.relocates() {
        return;
    }
    let disc = scene.robots;
    let end = scene.physics.half_arena.0 - scene.bodies[disc].radius;
    let near = block.bodies[disc].x.iter().fold(false, |any, x| any | (x.abs() >= end * 0.999));
    if !near {
        return;
    }
    for l in 0..LANES {
        if !touches_end(&block.body(disc, l), scene.physics.half_arena.0) {
            continue;
        }
        let mut bodies = block.world_bodies(l);
        if let Score::Transport(transport) = &mut block.scores[l] {
            let seed = u64::from(block.key[1][l]) << 32 | u64::from(block.key[0][l]);
            let mut draws = Draws::new(seed, block.world[l], 0, block.step, Stream::Relocation);
            transport.relocate(&mut bodies, disc, &mut draws);
            let (to, from) = (&mut block.bodies[disc], &bodies[disc]);
            (to.x[l], to.y[l]) = (from.pose.at.x, from.pose.at.y);
            (to.vx[l], to.vy[l], to.spin[l]) = (from.velocity.x, from.velocity.y, from.spin);
        }
    }
}
