//! Senses of a block: compass and proximity at every update, camera and range and bearing at every other one.

use super::block::{Block, BodyLanes, LANES, Lanes, SenseLanes};
use super::scene::Scene;
use crate::math::{Vec2, max, min, vec2};
use crate::model::{CAMERA_COLUMNS, MAX_BODIES, PROX_RANGE, ROBOT_RADIUS, SEGMENT_ANGLE, SLOW_SENSES_PERIOD};
use crate::world::Sensing;
use crate::world::senses::{
    COLUMNS_PER_SEGMENT, Reading, attraction_of_sum, columns, neighbour, patch_behind, ray_directions, ray_to_circle,
    ray_to_walls, reading, segments_vector, walls_within_reach, within_reach,
};
use crate::world::senses::{columns_hidden, inner_walls_seen};
use crate::world::wall::ray_to_inner_wall;

/// What all robots sense now, as far as it is wanted.
#[inline(always)]
pub(super) fn sense(block: &mut Block<'_>, scene: &Scene, sensing: Sensing) {
    let slow = block.update.is_multiple_of(SLOW_SENSES_PERIOD);
    for i in 0..scene.robots {
        let (bodies, senses) = (&block.bodies, &mut block.senses[i]);
        compass(&bodies[i], senses);
        if sensing.proximity {
            proximity(bodies, i, scene, senses);
        }
        if slow && sensing.neighbours && block.channel.is_empty() {
            range_and_bearing(bodies, i, scene, senses);
        }
        if slow && sensing.camera {
            camera(bodies, i, scene, senses);
        }
    }
    for (l, channel) in block.channel.iter().enumerate() {
        for (i, senses) in block.senses.iter_mut().enumerate() {
            let Reading { up, attr, neighbours } = channel.reading(block.update, i, sensing.neighbours);
            (senses.up[0][l], senses.up[1][l]) = (up.x, up.y);
            (senses.attr[0][l], senses.attr[1][l], senses.neighbours[l]) = (attr.x, attr.y, neighbours);
        }
    }
}

#[inline(always)]
fn compass(body: &BodyLanes, senses: &mut SenseLanes) {
    for l in 0..LANES {
        let ahead = Vec2::unit(body.heading[l]);
        (senses.ahead[0][l], senses.ahead[1][l]) = (ahead.x, ahead.y);
        (senses.up[0][l], senses.up[1][l]) = (ahead.x, -ahead.y);
    }
}

#[inline(always)]
fn between(from: &BodyLanes, to: &BodyLanes, l: usize) -> Vec2 {
    vec2(to.x[l] - from.x[l], to.y[l] - from.y[l])
}

#[inline(always)]
fn proximity(bodies: &[BodyLanes], me: usize, scene: &Scene, senses: &mut SenseLanes) {
    let body = &bodies[me];
    let half_arena = scene.physics.half_arena;
    // Bit j: body j is near; the last bits: a wall is.
    const WALL: u32 = 31;
    const INNER_WALL: u32 = 30;
    let mut near = [0u32; LANES];
    for l in 0..LANES {
        near[l] = u32::from(walls_within_reach(vec2(body.x[l], body.y[l]), half_arena)) << WALL;
    }
    for wall in &scene.physics.walls {
        for l in 0..LANES {
            let reached = within_reach(wall.offset(vec2(body.x[l], body.y[l])), 0.0);
            near[l] |= u32::from(reached) << INNER_WALL;
        }
    }
    for (j, (other, fixed)) in bodies.iter().zip(&scene.bodies).enumerate() {
        if j == me || !fixed.tall {
            continue;
        }
        for l in 0..LANES {
            near[l] |= u32::from(within_reach(between(body, other, l), fixed.radius)) << j;
        }
    }
    let any = near.iter().fold(0, |any, bits| any | bits);
    senses.prox = [[0.0; LANES]; 2];
    if any == 0 {
        return;
    }
    for ray in ray_directions() {
        let mut distance = [PROX_RANGE; LANES];
        let (mut direction, mut from) = ([[0.0; LANES]; 2], [[0.0; LANES]; 2]);
        for l in 0..LANES {
            let d = ray.rotate(vec2(senses.ahead[0][l], senses.ahead[1][l]));
            let f = vec2(body.x[l], body.y[l]) + d * ROBOT_RADIUS;
            (direction[0][l], direction[1][l], from[0][l], from[1][l]) = (d.x, d.y, f.x, f.y);
        }
        let pair = |v: &[Lanes; 2], l: usize| vec2(v[0][l], v[1][l]);
        let mut others = any & !(1 << WALL | 1 << INNER_WALL);
        while others != 0 {
            let j = others.trailing_zeros();
            others &= others - 1;
            let (other, radius) = (&bodies[j as usize], scene.bodies[j as usize].radius);
            for l in 0..LANES {
                let d = ray_to_circle(pair(&from, l), pair(&direction, l), vec2(other.x[l], other.y[l]), radius);
                let nearer = min(d, distance[l]);
                distance[l] = if near[l] >> j & 1 != 0 { nearer } else { distance[l] };
            }
        }
        if any >> WALL != 0 {
            for l in 0..LANES {
                let d = max(ray_to_walls(pair(&from, l), pair(&direction, l), half_arena), 0.0);
                let nearer = min(d, distance[l]);
                distance[l] = if near[l] >> WALL != 0 { nearer } else { distance[l] };
            }
        }
        if any >> INNER_WALL & 1 != 0 {
            for wall in &scene.physics.walls {
                for l in 0..LANES {
                    let d = ray_to_inner_wall(wall, vec2(body.x[l], body.y[l]), pair(&direction, l));
                    let nearer = min(d, distance[l]);
                    distance[l] = if near[l] >> INNER_WALL & 1 != 0 { nearer } else { distance[l] };
                }
            }
        }
        for l in 0..LANES {
            let seen = if near[l] != 0 { reading(distance[l]) } else { 0.0 };
            senses.prox[0][l] += ray.x * seen;
            senses.prox[1][l] += ray.y * seen;
        }
    }
}

#[inline(always)]
fn range_and_bearing(bodies: &[BodyLanes], me: usize, scene: &Scene, senses: &mut SenseLanes) {
    let (mut x, mut y, mut count) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
    for (j, (other, fixed)) in bodies.iter().zip(&scene.bodies).enumerate() {
        if j == me || !fixed.tall {
            continue;
        }
        for l in 0..LANES {
            let (towards, near) = neighbour(between(&bodies[me], other, l));
            x[l] += towards.x;
            y[l] += towards.y;
            count[l] += if near { 1.0 } else { 0.0 };
        }
    }
    for l in 0..LANES {
        let ahead = vec2(senses.ahead[0][l], senses.ahead[1][l]);
        let v = attraction_of_sum(vec2(x[l], y[l]), count[l], ahead);
        (senses.attr[0][l], senses.attr[1][l], senses.neighbours[l]) = (v.x, v.y, count[l]);
    }
}

/// Columns are bits. Robots all have one colour, so only discs of other colours need to know who hides them: a column
/// shows the robots' colour if such a body is there and no disc of another colour is seen.
#[inline(always)]
fn camera(bodies: &[BodyLanes], me: usize, scene: &Scene, senses: &mut SenseLanes) {
    let mut seen = [[0u32; LANES]; MAX_BODIES];
    let mut square = [[0.0; LANES]; MAX_BODIES];
    let rows = seen.iter_mut().zip(&mut square).zip(bodies.iter().zip(&scene.bodies)).enumerate();
    for (_, ((seen, square), (other, fixed))) in rows.filter(|(j, _)| *j != me) {
        for l in 0..LANES {
            let b = between(&bodies[me], other, l);
            seen[l] = columns(b, vec2(senses.ahead[0][l], senses.ahead[1][l]), fixed.radius);
            square[l] = b.length_squared();
        }
    }
    let mut taken = [0u32; LANES];
    if !scene.physics.walls.is_empty() {
        hide_behind_walls(&bodies[me], scene, &square, &mut seen, &mut taken);
    }
    let common = scene.bodies[me].colour;
    let mut colours = [[0u32; LANES]; 3];
    let mut others = [0u32; LANES];
    for (d, disc) in scene.bodies.iter().enumerate().filter(|(_, b)| b.colour != common) {
        let mut visible = seen[d];
        for o in (0..bodies.len()).filter(|o| *o != me && *o != d) {
            for l in 0..LANES {
                let hides = (square[o][l] < square[d][l]) | ((square[o][l] == square[d][l]) & (o < d));
                visible[l] &= !(if hides { seen[o][l] } else { 0 });
            }
        }
        for l in 0..LANES {
            colours[disc.colour as usize][l] |= visible[l];
            others[l] |= visible[l];
        }
    }
    for (seen, fixed) in seen.iter().zip(&scene.bodies) {
        for l in 0..LANES {
            taken[l] |= seen[l];
            colours[common as usize][l] |= if fixed.colour == common { seen[l] & !others[l] } else { 0 };
        }
    }
    if !scene.patches.is_empty() {
        see_patches(&bodies[me], scene, &taken, &mut colours);
    }
    let aside = Vec2::unit(SEGMENT_ANGLE);
    const SEGMENT: u32 = (1 << COLUMNS_PER_SEGMENT) - 1;
    for (bits, vector) in colours.iter().zip(&mut senses.colours) {
        for l in 0..LANES {
            let in_segment = |s: usize| bits[l] >> (s * COLUMNS_PER_SEGMENT) & SEGMENT != 0;
            let v = segments_vector(in_segment(0), in_segment(1), in_segment(2), aside);
            (vector[0][l], vector[1][l]) = (v.x, v.y);
        }
    }
}

/// Takes from each column what an inner wall hides; columns with an inner wall are taken.
fn hide_behind_walls(
    body: &BodyLanes,
    scene: &Scene,
    square: &[Lanes; MAX_BODIES],
    seen: &mut [[u32; LANES]; MAX_BODIES],
    taken: &mut [u32; LANES],
) {
    for l in 0..LANES {
        let walls = inner_walls_seen(vec2(body.x[l], body.y[l]), body.heading[l], &scene.physics.walls);
        for (seen, square) in seen.iter_mut().zip(square) {
            seen[l] &= !columns_hidden(&walls, square[l]);
        }
        taken[l] |= columns_hidden(&walls, f32::MAX);
    }
}

/// Columns without a body take the colour of a wall patch there.
fn see_patches(body: &BodyLanes, scene: &Scene, taken: &[u32; LANES], colours: &mut [[u32; LANES]; 3]) {
    for l in 0..LANES {
        let at = vec2(body.x[l], body.y[l]);
        for column in (0..CAMERA_COLUMNS).filter(|c| taken[l] >> c & 1 == 0) {
            let patch = patch_behind(column, at, body.heading[l], &scene.patches, scene.physics.half_arena);
            if let Some(colour) = patch {
                colours[colour as usize][l] |= 1 << column;
            }
        }
    }
}
