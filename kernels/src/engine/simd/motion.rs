//! Wheels and physics steps of a block.

use super::block::Block;
use super::crowd::Crowd;
use super::lanes::LANES;
use super::scene::{Scene, SceneBody};
use crate::math::{Vec2, vec2};
use crate::random::{Draws, Stream, motion_words};
use crate::tree::registers::GOAL;
use crate::world::physics::contacts::{BodyVelocity, touching, wall_penetrations};
use crate::world::physics::{
    apply_impulses, contact_slips, integrate, motion_noise, slip_impulse, steer, stop_speed_squared, stopping_impulse,
};
use crate::world::task::transport::touches_end;

// Bits of the contacts of body i in one lane. Bit j denotes a contact with body j > i. INNER_WALL_BIT denotes an
// inner wall, and the bits from WALL_BITS on denote the arena's walls. In worlds with many robots, bit j denotes disc
// j instead, and `NeighbourList::touching` contains the pairs of robots.
const WALL_BITS: u32 = 28;
const INNER_WALL_BIT: u32 = 27;

/// Sets the wheels of all robots from their goal velocities.
#[inline(always)]
pub(super) fn drive(block: &mut Block, scene: &Scene) {
    let wheels = &scene.physics.robot.wheels;
    for (body, senses) in block.bodies[..scene.robots].iter_mut().zip(&block.senses) {
        for l in 0..LANES {
            [body.left[l], body.right[l]] = steer(senses.vector(GOAL, l), wheels);
        }
    }
}

/// Multiplies the wheel speeds of all robots by their errors in this update.
#[inline(always)]
pub(super) fn add_wheel_errors(block: &mut Block, scene: &Scene) {
    let wheels = &scene.physics.robot.wheels;
    let Block { key, world, update, .. } = *block;
    for (body, robot) in block.bodies[..scene.robots].iter_mut().zip(0..) {
        for l in 0..LANES {
            let [left, right] = wheels.errors([key[0][l], key[1][l]], world[l], robot, update);
            (body.left[l], body.right[l]) = (body.left[l] * left, body.right[l] * right);
        }
    }
}

/// Performs one physics step.
#[inline(always)]
pub(super) fn step(block: &mut Block, scene: &Scene) {
    friction(block, scene);
    let touched = find_touches(block, scene);
    let Block { crowd, bodies, .. } = block;
    let worlds = crowd.as_ref().map_or(LANES, |crowd| crowd.worlds.len());
    if let Some(crowd) = crowd {
        crowd.refresh(bodies);
        (0..worlds).for_each(|l| crowd.find_contacts(bodies, scene, l));
    }
    block.contacts.clear();
    block.touched.clear();
    for l in 0..worlds {
        let robots_touch = block.crowd.as_ref().is_some_and(|crowd| !crowd.worlds[l].touching.is_empty());
        if touched[l] != 0 || robots_touch {
            list_contacts(block, scene, l);
        }
    }
    solve_contacts(block, scene);
    integrate_all(block, scene);
    let Block { bodies, contacts, touched, .. } = block;
    contacts.for_each_correction(|world, body, by| {
        let (body, l) = (&mut bodies[body], touched[world]);
        (body.x[l], body.y[l]) = (body.x[l] + by.x, body.y[l] + by.y);
    });
    relocate(block, scene);
    block.step += 1;
}

/// Applies floor friction, with the same order of operations as
/// [`floor_friction`](crate::world::physics::floor_friction). Square roots and divisions are computed only if a wheel
/// slips in at least one of the worlds.
#[inline(always)]
fn friction(block: &mut Block, scene: &Scene) {
    for (b, SceneBody { footing, .. }) in block.bodies.iter_mut().zip(&scene.bodies) {
        let (mut forward, mut impulses) = ([[0.0; LANES]; 2], [[[0.0; LANES]; 2]; 2]);
        let mut sliding = 0u32;
        for l in 0..LANES {
            let ahead = Vec2::unit(b.heading[l]);
            let wheels = [b.left[l], b.right[l]];
            let slips = contact_slips(footing, ahead, vec2(b.vx[l], b.vy[l]), b.spin[l], wheels);
            sliding |= u32::from(!(stop_speed_squared(footing, slips[0]) & stop_speed_squared(footing, slips[1])));
            (forward[0][l], forward[1][l]) = (ahead.x, ahead.y);
            for (impulse, slip) in impulses.iter_mut().zip(slips) {
                (impulse[0][l], impulse[1][l]) = (slip.x, slip.y);
            }
        }
        for [x, y] in &mut impulses {
            for l in 0..LANES {
                let slip = vec2(x[l], y[l]);
                let impulse = if sliding == 0 { stopping_impulse(footing, slip) } else { slip_impulse(footing, slip) };
                (x[l], y[l]) = (impulse.x, impulse.y);
            }
        }
        for l in 0..LANES {
            let ahead = vec2(forward[0][l], forward[1][l]);
            let impulses = [vec2(impulses[0][0][l], impulses[0][1][l]), vec2(impulses[1][0][l], impulses[1][1][l])];
            let (v, spin) = apply_impulses(footing, ahead, vec2(b.vx[l], b.vy[l]), b.spin[l], impulses);
            (b.vx[l], b.vy[l], b.spin[l]) = (v.x, v.y, spin);
        }
    }
}

/// Returns the index of the body that bit 0 of a contact bit mask denotes.
fn first_with_bit(crowd: &Option<Crowd>, scene: &Scene) -> usize {
    if crowd.is_some() { scene.robots } else { 0 }
}

/// Finds the contacts. In worlds with many robots, contacts between robots are excluded. Returns the contact bits of
/// all bodies, combined for each lane (0 for a lane without contacts).
#[inline(always)]
fn find_touches(block: &mut Block, scene: &Scene) -> [u32; LANES] {
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

/// Adds the contacts of world `l` to the contact solver.
#[inline(always)]
fn list_contacts(block: &mut Block, scene: &Scene, l: usize) {
    let Block { bodies, contacts, moving, touched, touches, crowd, .. } = block;
    let bounce = scene.physics.restitution;
    let movements = touched.len() * (bodies.len() + 1);
    let moving = &mut moving[movements..];
    let movement = |i: usize| {
        let b = &bodies[i];
        BodyVelocity::new(vec2(b.vx[l], b.vy[l]), b.spin[l])
    };
    contacts.begin_world();
    touched.push(l);
    let first = first_with_bit(crowd, scene);
    let mut pairs = crowd.as_ref().map_or(&[][..], |crowd| &crowd.worlds[l].touching);
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
}

/// Solves the contacts of all worlds, and applies the new velocities.
#[inline(always)]
fn solve_contacts(block: &mut Block, scene: &Scene) {
    let Block { bodies, contacts, moving, touched, .. } = block;
    contacts.solve(moving, scene.physics.mu_bodies);
    contacts.for_each_body(|world, body, at| {
        let (b, l, movement) = (&mut bodies[body], touched[world], &moving[at]);
        let velocity = movement.velocity();
        (b.vx[l], b.vy[l], b.spin[l]) = (velocity.x, velocity.y, movement.spin());
    });
}

#[inline(always)]
fn integrate_all(block: &mut Block, scene: &Scene) {
    let Block { key, world, step, .. } = *block;
    for (i, b) in block.bodies.iter_mut().enumerate() {
        for l in 0..LANES {
            let words = motion_words([key[0][l], key[1][l]], world[l], i as u32, step);
            let noise = motion_noise(words, scene.physics.noise);
            let (at, velocity) = (vec2(b.x[l], b.y[l]), vec2(b.vx[l], b.vy[l]));
            let (at, heading) = integrate(at, b.heading[l], velocity, b.spin[l], noise);
            (b.x[l], b.y[l], b.heading[l]) = (at.x, at.y, heading);
        }
    }
}

/// Moves the frisbee back near the centre if it touches an end of the arena, and if the task requires a relocation.
#[inline(always)]
fn relocate(block: &mut Block, scene: &Scene) {
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
        let seed = u64::from(block.key[1][l]) << 32 | u64::from(block.key[0][l]);
        let mut draws = Draws::new(seed, block.world[l], 0, block.step, Stream::Relocation);
        block.scores[l].relocate(&mut bodies, disc, &mut draws);
        let (to, from) = (&mut block.bodies[disc], &bodies[disc]);
        (to.x[l], to.y[l]) = (from.pose.at.x, from.pose.at.y);
        (to.vx[l], to.vy[l], to.spin[l]) = (from.velocity.x, from.velocity.y, from.spin);
    }
}
