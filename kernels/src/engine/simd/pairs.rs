//! Neighbours and visible robots in the small worlds of a block. Each pair of robots is processed once, for both
//! robots.

use super::lanes::{BodyLanes, LANES, Lanes, SenseLanes};
use super::rays::Rays;
use super::scene::Scene;
use super::views::Views;
use crate::math::vec2;
use crate::tree::registers::{ATTR, NEIGHBOURS};
use crate::world::senses::{attraction_of_sum, may_be_seen, neighbour, within_reach};

/// Requested senses among those that depend on other robots.
#[derive(Clone, Copy)]
pub(super) struct RequestedSenses {
    pub proximity: bool,
    pub camera: bool,
    pub neighbours: bool,
}

/// Sum of the vectors to the neighbours (x and y in the world frame), and number of neighbours, for each robot.
pub(super) type Neighbours = [[Lanes; 3]];

/// Adds all pairs of robots to the proximity rays, the camera views, and the sums for range and bearing.
#[inline(always)]
pub(super) fn process_pairs(
    bodies: &[BodyLanes],
    senses: &[SenseLanes],
    scene: &Scene,
    wanted: RequestedSenses,
    rays: &mut Rays,
    views: &mut Views,
    sums: &mut Neighbours,
) {
    let robot = &scene.physics.robot;
    let (edge, radius, reach, range) = (robot.camera.edge, robot.radius, robot.reach(), robot.neighbour_range);
    if wanted.neighbours {
        sums.fill([[0.0; LANES]; 3]);
    }
    for (i, (a, mine)) in bodies.iter().zip(senses).enumerate() {
        for (j, (b, theirs)) in bodies.iter().zip(senses).enumerate().skip(i + 1) {
            let (mut x, mut y) = ([0.0; LANES], [0.0; LANES]);
            for l in 0..LANES {
                (x[l], y[l]) = (b.x[l] - a.x[l], b.y[l] - a.y[l]);
            }
            if wanted.neighbours {
                let (head, tail) = sums.split_at_mut(j);
                add_neighbour(&mut head[i], &mut tail[0], &x, &y, range);
            }
            if wanted.proximity {
                let mut bits = [0u32; LANES];
                for l in 0..LANES {
                    bits[l] = u32::from(within_reach(vec2(x[l], y[l]), radius, reach)) << l;
                }
                let mut found = bits.iter().fold(0, |all, bit| all | bit);
                while found != 0 {
                    let l = found.trailing_zeros() as usize % LANES;
                    found &= found - 1;
                    let (here, there) = (vec2(a.x[l], a.y[l]), vec2(b.x[l], b.y[l]));
                    rays.add_robot(i, l, here, mine.ahead(l), there, radius);
                    rays.add_robot(j, l, there, theirs.ahead(l), here, radius);
                }
            }
            if wanted.camera {
                // The lower `LANES` bits are for the view of the first robot, and the next `LANES` bits for that of
                // the second robot.
                let mut bits = [0u32; LANES];
                for l in 0..LANES {
                    let between = vec2(x[l], y[l]);
                    bits[l] = u32::from(may_be_seen(between, mine.ahead(l), radius, edge)) << l
                        | u32::from(may_be_seen(-between, theirs.ahead(l), radius, edge)) << (LANES + l);
                }
                let mut found = bits.iter().fold(0, |all, bit| all | bit);
                while found != 0 {
                    let bit = found.trailing_zeros() as usize;
                    found &= found - 1;
                    let l = bit % LANES;
                    let between = vec2(x[l], y[l]);
                    if bit < LANES {
                        views.add_view(i, j, l, between, mine.ahead(l), radius);
                    } else {
                        views.add_view(j, i, l, -between, theirs.ahead(l), radius);
                    }
                }
            }
        }
    }
}

/// Adds two robots to each other's sums. (`x`, `y`) is the position of the second robot relative to the first,
/// and `range` is the maximum distance of a neighbour (m).
#[inline(always)]
fn add_neighbour(mine: &mut [Lanes; 3], theirs: &mut [Lanes; 3], x: &Lanes, y: &Lanes, range: f32) {
    for l in 0..LANES {
        let (towards, near) = neighbour(vec2(x[l], y[l]), range);
        let one = if near { 1.0 } else { 0.0 };
        mine[0][l] += towards.x;
        mine[1][l] += towards.y;
        mine[2][l] += one;
        theirs[0][l] -= towards.x;
        theirs[1][l] -= towards.y;
        theirs[2][l] += one;
    }
}

/// Writes v_attr and the number of neighbours to a robot's registers.
#[inline(always)]
pub(super) fn write_neighbours([x, y, count]: &[Lanes; 3], senses: &mut SenseLanes) {
    for l in 0..LANES {
        let v = attraction_of_sum(vec2(x[l], y[l]), count[l], senses.ahead(l));
        senses.write_vector(ATTR, l, v);
    }
    senses.cells[NEIGHBOURS] = *count;
}
