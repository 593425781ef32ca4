//! Senses of a block: compass, proximity and light at every update, camera, tags, and range and bearing at every other one.

use super::block::Block;
use super::lanes::{BodyLanes, LANES, Lanes, Other, PictureLanes, SenseLanes};
use super::light::light;
use super::patches::patches_seen;
use super::scene::Scene;
use super::tags::tags;
use crate::math::{Vec2, max, min, vec2};
use crate::model::{PROX_RANGE, ROBOT_RADIUS, SEGMENT_ANGLE, SLOW_SENSES_PERIOD, SMALL_WORLD};
use crate::world::Sensing;
use crate::world::senses::camera_model::{CameraModel, aside, picture, vectors};
use crate::world::senses::{
    COLUMNS_PER_SEGMENT, Reading, attraction_of_sum, columns, neighbour, ray_directions, ray_to_circle, ray_to_walls,
    reading, segments_vector, walls_within_reach, within_reach,
};
use crate::world::senses::{columns_hidden, inner_walls_seen};
use crate::world::wall::ray_to_inner_wall;

/// What all robots sense now, as far as it is wanted.
#[inline(always)]
pub(super) fn sense(block: &mut Block<'_>, scene: &Scene, sensing: Sensing) {
    let slow = block.update.is_multiple_of(SLOW_SENSES_PERIOD);
    let listens = slow && sensing.neighbours && block.channel.is_empty();
    let Block { bodies, senses, pictures, crowd, others, close, .. } = block;
    if let Some(crowd) = crowd {
        crowd.refresh(bodies);
    }
    for (i, senses) in senses.iter_mut().enumerate() {
        compass(&bodies[i], senses);
        if sensing.light && !scene.lighting.lights.is_empty() {
            light(&bodies[i], &scene.lighting, senses);
        }
        if slow && sensing.tags && !scene.tags.list.is_empty() {
            tags(bodies, i, scene, senses);
        }
        match crowd {
            None => {
                let others = bodies[..scene.robots].iter().enumerate().filter(|(j, _)| *j != i);
                let others = others.map(|(_, body)| (&body.x, &body.y));
                if sensing.proximity {
                    proximity(&bodies[i], others.clone(), scene, senses, close);
                }
                if listens {
                    range_and_bearing(&bodies[i], others, senses);
                }
                if slow && sensing.camera {
                    let columns = camera(bodies, i, scene, senses);
                    match pictures.get_mut(i) {
                        None => show(&columns, senses),
                        Some(pictures) => {
                            let seen = |l: usize| picture([columns[0][l], columns[1][l], columns[2][l]]);
                            (0..LANES).for_each(|l| pictures.taken[l] = seen(l));
                        }
                    }
                }
            }
            Some(crowd) => {
                if sensing.proximity || listens {
                    crowd.gather(bodies, i, others);
                }
                let others = others.iter().map(|other| (&other.x, &other.y));
                if sensing.proximity {
                    proximity(&bodies[i], others.clone(), scene, senses, close);
                }
                if listens {
                    range_and_bearing(&bodies[i], others, senses);
                }
            }
        }
    }
    if let Some(crowd) = crowd
        && slow
        && sensing.camera
    {
        crowd.look(bodies, senses, pictures, scene);
    }
    if sensing.camera {
        show_the_past(block, scene, slow);
    }
    for (l, channel) in block.channel.iter_mut().enumerate() {
        channel.turn_to(block.update);
        for (i, senses) in block.senses.iter_mut().enumerate() {
            let Reading { up, attr, neighbours } = channel.reading(i, sensing.neighbours);
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

/// `others` are the places of all robots within reach, and maybe of others that are farther away.
#[inline(always)]
fn proximity<'a>(
    body: &BodyLanes,
    others: impl Iterator<Item = (&'a Lanes, &'a Lanes)>,
    scene: &Scene,
    senses: &mut SenseLanes,
    close: &mut Vec<Other>,
) {
    let (half_arena, radius) = (scene.physics.half_arena, scene.bodies[0].radius);
    // Bits: something is near, and what: a wall, an inner wall, a robot.
    const WALL: u32 = 1;
    const INNER_WALL: u32 = 2;
    const ROBOT: u32 = 4;
    let mut near = [0u32; LANES];
    for l in 0..LANES {
        let reached = walls_within_reach(vec2(body.x[l], body.y[l]), half_arena);
        near[l] = if reached { WALL } else { 0 };
    }
    for wall in &scene.physics.walls {
        for l in 0..LANES {
            let reached = within_reach(wall.offset(vec2(body.x[l], body.y[l])), 0.0);
            near[l] |= if reached { INNER_WALL } else { 0 };
        }
    }
    close.clear();
    for (x, y) in others {
        let mut reached = [0u32; LANES];
        for l in 0..LANES {
            let within = within_reach(vec2(x[l] - body.x[l], y[l] - body.y[l]), radius);
            reached[l] = if within { ROBOT } else { 0 };
            near[l] |= reached[l];
        }
        if reached.iter().fold(0, |any, bits| any | bits) != 0 {
            // No ray meets a robot that is infinitely far away.
            let mut other = Other::NOBODY;
            for l in 0..LANES {
                other.x[l] = if reached[l] != 0 { x[l] } else { f32::INFINITY };
                other.y[l] = if reached[l] != 0 { y[l] } else { f32::INFINITY };
            }
            close.push(other);
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
        for other in close.iter() {
            for l in 0..LANES {
                let d = ray_to_circle(pair(&from, l), pair(&direction, l), vec2(other.x[l], other.y[l]), radius);
                distance[l] = min(d, distance[l]);
            }
        }
        if any & WALL != 0 {
            for l in 0..LANES {
                let d = max(ray_to_walls(pair(&from, l), pair(&direction, l), half_arena), 0.0);
                let nearer = min(d, distance[l]);
                distance[l] = if near[l] & WALL != 0 { nearer } else { distance[l] };
            }
        }
        if any & INNER_WALL != 0 {
            for wall in &scene.physics.walls {
                for l in 0..LANES {
                    let d = ray_to_inner_wall(wall, vec2(body.x[l], body.y[l]), pair(&direction, l));
                    let nearer = min(d, distance[l]);
                    distance[l] = if near[l] & INNER_WALL != 0 { nearer } else { distance[l] };
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

/// `others` as for [`proximity`].
#[inline(always)]
fn range_and_bearing<'a>(
    body: &BodyLanes,
    others: impl Iterator<Item = (&'a Lanes, &'a Lanes)>,
    senses: &mut SenseLanes,
) {
    let (mut x, mut y, mut count) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
    for (other_x, other_y) in others {
        for l in 0..LANES {
            let (towards, near) = neighbour(vec2(other_x[l] - body.x[l], other_y[l] - body.y[l]));
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

/// What is seen of red, green and blue. Columns are bits. Robots all have one colour, so only discs of other colours need to know who hides them: a column
/// shows the robots' colour if such a body is there and no disc of another colour is seen.
#[inline(always)]
fn camera(bodies: &[BodyLanes], me: usize, scene: &Scene, senses: &SenseLanes) -> [[u32; LANES]; 3] {
    let mut seen = [[0u32; LANES]; SMALL_WORLD];
    let mut square = [[0.0; LANES]; SMALL_WORLD];
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
    colours
}

/// Tells the controllers what a perfect camera sees.
#[inline(always)]
fn show(colours: &[[u32; LANES]; 3], senses: &mut SenseLanes) {
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

/// Tells the controllers what cameras show that overlook things and show the past.
#[inline(always)]
fn show_the_past(block: &mut Block<'_>, scene: &Scene, slow: bool) {
    let Block { senses, pictures, key, world, update, .. } = block;
    let aside = aside();
    for ((robot, senses), PictureLanes { taken, history }) in (0..).zip(senses).zip(pictures) {
        for l in 0..LANES {
            if slow {
                let seed = u64::from(key[0][l]) | u64::from(key[1][l]) << 32;
                let picture = taken[l] & !scene.camera.overlooked(seed, world[l], robot, *update);
                history[l] = CameraModel::noted(history[l], picture, *update);
            }
            let shown = vectors(CameraModel::shown(history[l], *update), aside);
            for (vector, seen) in senses.colours.iter_mut().zip(shown) {
                (vector[0][l], vector[1][l]) = (seen.x, seen.y);
            }
        }
    }
}

/// Takes from each column what an inner wall hides; columns with an inner wall are taken.
fn hide_behind_walls(
    body: &BodyLanes,
    scene: &Scene,
    square: &[Lanes; SMALL_WORLD],
    seen: &mut [[u32; LANES]; SMALL_WORLD],
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
        let seen = patches_seen(vec2(body.x[l], body.y[l]), body.heading[l], scene, taken[l]);
        colours.iter_mut().zip(seen).for_each(|(all, patch)| all[l] |= patch);
    }
}
