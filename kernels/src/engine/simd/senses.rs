//! Senses of a block. Compass, proximity, light and ground are computed in every update. Camera, tags, and range
//! and bearing are computed in every second update.

use super::block::Block;
use super::ground::{Keys, ground};
use super::lanes::{BodyLanes, ImageLanes, LANES, SenseLanes};
use super::light::light;
use super::pairs::{RequestedSenses, process_pairs, write_neighbours};
use super::rays::Rays;
use super::scene::Scene;
use super::tags::tags;
use crate::math::{Vec2, vec2};
use crate::model::SLOW_SENSES_PERIOD;
use crate::random::Stream;
use crate::tree::registers::{ATTR, NEIGHBOURS, RED, UP};
use crate::world::Sensing;
use crate::world::senses::camera_model::{CameraModel, picture, vectors};
use crate::world::senses::{COLUMNS_PER_SEGMENT, Reading, segments_vector, walls_within_reach, within_reach};

/// Computes the selected senses of all robots.
#[inline(always)]
pub(super) fn sense(block: &mut Block, scene: &Scene, sensing: Sensing) {
    let slow = block.update.is_multiple_of(SLOW_SENSES_PERIOD);
    let robot = &scene.physics.robot;
    let sensing = sensing.intersection(robot.senses);
    let wanted = RequestedSenses {
        proximity: sensing.proximity,
        camera: sensing.camera && slow,
        neighbours: sensing.neighbours && slow && !scene.messages,
    };
    let Block { bodies, senses, crowd, key, world, update, active, ground: histories, .. } = block;
    let keys = Keys { seeds: key, worlds: world, update: *update, active };
    if let Some(crowd) = crowd {
        crowd.refresh(bodies);
    }
    for (i, senses) in senses.iter_mut().enumerate() {
        compass(&bodies[i], robot.compass, senses);
        if sensing.light && robot.light.reads(scene.lighting.lights.len()) {
            light(&bodies[i], &scene.lighting, robot, senses, || keys.words(i as u32, Stream::Light));
        }
        if sensing.ground && !scene.floor.is_grey() {
            ground(&bodies[i], i as u32, scene, &keys, histories.get_mut(i), senses);
        }
        if slow && sensing.tags && !scene.tags.list.is_empty() {
            tags(bodies, i, scene, senses);
        }
    }
    sense_others(block, scene, wanted);
    if sensing.camera {
        show_the_past(block, scene, slow);
    }
    let Block { bodies, senses, messages, key, world, update, active, .. } = block;
    if let Some(messages) = messages {
        let keys = Keys { seeds: key, worlds: world, update: *update, active };
        messages.write(bodies, senses, &keys, sensing.neighbours, robot.compass);
    }
    for (l, channel) in block.channel.iter_mut().enumerate() {
        channel.select_message(block.update);
        for (i, senses) in block.senses.iter_mut().enumerate() {
            let Reading { up, attr, neighbours } = channel.reading(i, sensing.neighbours);
            if robot.compass {
                senses.write_vector(UP, l, up);
            }
            senses.write_vector(ATTR, l, attr);
            senses.cells[NEIGHBOURS][l] = neighbours;
        }
    }
}

/// Computes the senses that depend on other bodies or on walls.
#[inline(always)]
fn sense_others(block: &mut Block, scene: &Scene, wanted: RequestedSenses) {
    let Block { bodies, senses, pictures, crowd, rays, views, sums, key, world, update, active, .. } = block;
    let keys = Keys { seeds: key, worlds: world, update: *update, active };
    if wanted.proximity {
        rays.begin();
        for (i, senses) in senses.iter().enumerate() {
            meet_walls(i, &bodies[i], senses, scene, rays);
        }
    }
    match crowd {
        None => {
            if wanted.camera {
                views.start_image(bodies, senses, scene);
            }
            process_pairs(bodies, senses, scene, wanted, rays, views, sums);
            if wanted.camera {
                views.compute();
                for (i, senses) in senses.iter_mut().enumerate() {
                    let columns = views.colours(i, &bodies[i], scene);
                    match pictures.get_mut(i) {
                        None => show(&columns, scene.physics.robot.camera.aside, senses),
                        Some(pictures) => {
                            let seen = |l: usize| picture([columns[0][l], columns[1][l], columns[2][l]]);
                            (0..LANES).for_each(|l| pictures.taken[l] = seen(l));
                        }
                    }
                }
            }
        }
        Some(crowd) => {
            crowd.look_around(bodies, senses, scene, wanted, rays, sums);
            if wanted.camera {
                crowd.compute_cameras(bodies, senses, pictures, scene);
            }
        }
    }
    if wanted.proximity {
        rays.finish(scene);
    }
    for (i, senses) in senses.iter_mut().enumerate() {
        if wanted.proximity {
            rays.write(i, senses, || keys.words(i as u32, Stream::Proximity));
        }
        if wanted.neighbours {
            write_neighbours(&sums[i], senses);
        }
    }
}

/// Adds the walls that may be in reach of a robot's proximity rays.
#[inline(always)]
fn meet_walls(robot: usize, body: &BodyLanes, senses: &SenseLanes, scene: &Scene, rays: &mut Rays) {
    let (half_arena, reach) = (scene.physics.half_arena, scene.physics.robot.reach());
    let mut bits = [0u32; LANES];
    for l in 0..LANES {
        bits[l] = u32::from(walls_within_reach(vec2(body.x[l], body.y[l]), reach, half_arena)) << l;
    }
    let mut found = bits.iter().fold(0, |all, bit| all | bit);
    while found != 0 {
        let l = found.trailing_zeros() as usize % LANES;
        found &= found - 1;
        rays.add_walls(robot, l, vec2(body.x[l], body.y[l]), senses.ahead(l), half_arena);
    }
    for wall in &scene.physics.walls {
        let mut bits = [0u32; LANES];
        for l in 0..LANES {
            bits[l] = u32::from(within_reach(wall.offset(vec2(body.x[l], body.y[l])), 0.0, reach)) << l;
        }
        let inner = bits.iter().fold(0, |all, bit| all | bit);
        if inner != 0 {
            rays.meet_inner_wall(robot, inner, body, senses, wall);
        }
    }
}

#[inline(always)]
fn compass(body: &BodyLanes, is_present: bool, senses: &mut SenseLanes) {
    for l in 0..LANES {
        let ahead = Vec2::unit(body.heading[l]);
        (senses.ahead[0][l], senses.ahead[1][l]) = (ahead.x, ahead.y);
    }
    // A loop of its own: a condition in the first one would keep it from being vectorised for WebAssembly.
    if is_present {
        for l in 0..LANES {
            let ahead = senses.ahead(l);
            senses.write_vector(UP, l, vec2(ahead.x, -ahead.y));
        }
    }
}

/// Writes the camera vectors of a robot with a perfect camera to the robot's registers. `colours` contains the columns
/// of each colour.
#[inline(always)]
fn show(colours: &[[u32; LANES]; 3], aside: Vec2, senses: &mut SenseLanes) {
    const SEGMENT: u32 = (1 << COLUMNS_PER_SEGMENT) - 1;
    for (colour, bits) in colours.iter().enumerate() {
        for l in 0..LANES {
            let in_segment = |s: usize| bits[l] >> (s * COLUMNS_PER_SEGMENT) & SEGMENT != 0;
            let v = segments_vector(in_segment(0), in_segment(1), in_segment(2), aside);
            senses.write_vector(RED + 2 * colour, l, v);
        }
    }
}

/// Writes the camera vectors of all robots to their registers, for cameras with delay or missed segments. New images
/// are stored only if `slow` is true.
#[inline(always)]
fn show_the_past(block: &mut Block, scene: &Scene, slow: bool) {
    let Block { senses, pictures, key, world, update, .. } = block;
    let aside = scene.physics.robot.camera.aside;
    for ((robot, senses), ImageLanes { taken, history }) in (0..).zip(senses).zip(pictures) {
        for l in 0..LANES {
            if slow {
                let seed = u64::from(key[0][l]) | u64::from(key[1][l]) << 32;
                let picture = taken[l] & !scene.camera.missed_segments(seed, world[l], robot, *update);
                history[l] = CameraModel::push_image(history[l], picture, *update);
            }
            let shown = vectors(CameraModel::delayed_image(history[l], *update), aside);
            for (colour, seen) in shown.into_iter().enumerate() {
                senses.write_vector(RED + 2 * colour, l, seen);
            }
        }
    }
}
