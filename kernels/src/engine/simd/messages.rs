//! Messages between the robots of small worlds, as `world/senses/channel_history.rs` computes them.
//!
//! In a message, a robot hears only a few of the others. Distances and random numbers are computed for all pairs, one
//! world per lane. The remaining lines between robots are then tested with sixteen bodies at a time.

use super::ground::Keys;
use super::lanes::{BodyLanes, LANES, Lanes, SenseLanes};
use crate::math::{Vec2, vec2};
use crate::model::STEPS_PER_UPDATE;
use crate::random::{Stream, normal_pair};
use crate::tree::registers::{ATTR, NEIGHBOURS, UP};
use crate::world::senses::messages::{Channel, MessageId, Messages, packet_block, packet_chance, packet_half};
use crate::world::senses::{compass, gap_step, last_message, poses_kept};
use crate::world::wall::Wall;
use crate::world::{Pose, WorldSpec};

/// Messages in sixteen worlds, with the recent poses of the bodies.
pub(super) struct MessageLanes {
    channel: Channel,
    /// Number of steps whose poses are kept; 0 if every message contains the current poses.
    kept: usize,
    /// Poses of the bodies after each kept step. The poses of step s start at index (s modulo `kept`) * bodies.
    past: Vec<PoseLanes>,
    noted: usize,
    bodies: usize,
    /// Sums of the neighbours' vectors (x and y in the robot's frame) and numbers of neighbours, by robot and message. The
    /// place of message n is n modulo the memory.
    memory: Vec<[Lanes; 3]>,
    obstacles: ObstacleLanes,
    has_lobes: bool,
    /// Limit of the random numbers of packets below which a packet is not lost at any distance.
    packet_limit: u32,
}

/// Poses of a body.
#[derive(Clone, Default)]
struct PoseLanes {
    x: Lanes,
    y: Lanes,
    heading: Lanes,
}

impl PoseLanes {
    #[inline(always)]
    fn at(&self, l: usize) -> Vec2 {
        vec2(self.x[l], self.y[l])
    }

    #[inline(always)]
    fn pose(&self, l: usize) -> Pose {
        Pose { at: self.at(l), heading: self.heading[l] }
    }
}

impl MessageLanes {
    /// Creates the messages of worlds with these initial bodies.
    pub fn new(model: Messages, spec: &WorldSpec, bodies: &[BodyLanes]) -> MessageLanes {
        let is_immediate = |update: u32| last_message(&model, update).1 == (update * STEPS_PER_UPDATE) as usize;
        // The pattern of the steps repeats after at most 1000 updates, because rates and latencies are rounded.
        let kept = if (0..1000).all(is_immediate) { 0 } else { poses_kept(&model) };
        let channel = Channel::new(model, spec.robots, spec.obstacles());
        let mut messages = MessageLanes {
            obstacles: ObstacleLanes::new(&channel, spec.robots),
            packet_limit: (0..=u16::MAX.into())
                .find(|word| packet_chance(*word) >= 1.0 - model.loss)
                .unwrap_or(1 << 16),
            has_lobes: model.sender_lobe > 0 || model.receiver_lobe > 0,
            channel,
            kept,
            past: vec![PoseLanes::default(); kept.max(1) * bodies.len()],
            noted: 0,
            bodies: bodies.len(),
            memory: vec![[[0.0; LANES]; 3]; spec.robots * usize::from(model.memory)],
        };
        messages.note(bodies);
        messages
    }

    /// Replaces the world of a lane by the world of lane `k` of `from`, which has the same specification and update.
    pub fn copy_lane(&mut self, l: usize, from: &MessageLanes, k: usize) {
        self.noted = from.noted;
        for (to, from) in self.past.iter_mut().zip(&from.past) {
            (to.x[l], to.y[l], to.heading[l]) = (from.x[k], from.y[k], from.heading[k]);
        }
        for (to, from) in self.memory.iter_mut().flatten().zip(from.memory.iter().flatten()) {
            to[l] = from[k];
        }
    }

    /// Stores the poses after a physics step.
    #[inline(always)]
    pub fn note(&mut self, bodies: &[BodyLanes]) {
        if self.kept > 0 || self.noted == 0 {
            self.store(bodies);
        }
        self.noted += 1;
    }

    #[inline(always)]
    fn store(&mut self, bodies: &[BodyLanes]) {
        let from = self.noted % self.kept.max(1) * self.bodies;
        for (pose, body) in self.past[from..from + self.bodies].iter_mut().zip(bodies) {
            (pose.x, pose.y, pose.heading) = (body.x, body.y, body.heading);
        }
    }

    /// Writes the senses that robots derive from the last message before an update. If `listen` is false, only v_up is
    /// computed. `has_compass` states whether robots have a compass.
    #[inline(always)]
    pub fn write(
        &mut self,
        bodies: &[BodyLanes],
        senses: &mut [SenseLanes],
        keys: &Keys<'_>,
        listen: bool,
        has_compass: bool,
    ) {
        let (number, step) = last_message(self.channel.model(), keys.update);
        if self.kept == 0 {
            let noted = std::mem::replace(&mut self.noted, 0);
            self.store(bodies);
            self.noted = noted;
        }
        let start = if self.kept == 0 { 0 } else { step.min(self.noted - 1) % self.kept * self.bodies };
        if listen {
            self.listen(start, number, keys, senses.len());
        }
        let alone = self.channel.model().attraction.alone();
        let memory = usize::from(self.channel.model().memory);
        for (i, senses) in senses.iter_mut().enumerate() {
            let sums = &self.memory[i * memory..(i + 1) * memory];
            if has_compass {
                for l in 0..LANES {
                    senses.write_vector(UP, l, compass(self.past[start + i].heading[l]));
                }
            }
            let mut all = [[0.0; LANES]; 3];
            for sum in sums {
                for (all, sum) in all.iter_mut().zip(sum) {
                    for l in 0..LANES {
                        all[l] += sum[l];
                    }
                }
            }
            for l in 0..LANES {
                let heard = all[2][l] > 0.0;
                senses.write_vector(ATTR, l, if heard { vec2(all[0][l], all[1][l]) } else { alone });
            }
            senses.cells[NEIGHBOURS] = sums[number as usize % memory][2];
        }
    }

    /// Computes the sums of a message for all robots.
    #[inline(always)]
    fn listen(&mut self, start: usize, number: u32, keys: &Keys<'_>, robots: usize) {
        let MessageLanes { channel, past, memory, obstacles, has_lobes, bodies, packet_limit, .. } = self;
        let model = *channel.model();
        let place = number as usize % usize::from(model.memory);
        let poses = &past[start..start + *bodies];
        obstacles.place(poses);
        for me in 0..robots {
            let heard = candidates(channel, poses, (me, robots), (number, *packet_limit), keys);
            let (mut sum, mut count) = ([[0.0; LANES]; 2], [0.0; LANES]);
            let mine = &poses[me];
            for l in 0..LANES {
                let moment = keys.message(l, number);
                // Worlds have at most 24 robots here.
                let mut found = heard[l];
                while found != 0 {
                    let other = found.trailing_zeros() as usize;
                    found &= found - 1;
                    let along = poses[other].at(l) - mine.at(l);
                    let range = along.length();
                    let gain = channel.gain(me, other);
                    let reach = if *has_lobes {
                        model.reach(mine.pose(l), poses[other].pose(l), along, range, gain)
                    } else {
                        model.range_m * gain
                    };
                    let hears = if model.memory > 1 && model.loss_at_range == 0.0 {
                        range <= reach
                    } else {
                        model.hears(range, reach, moment.chance(&model, me as u32, other as u32))
                    };
                    if !hears || obstacles.block([me, other], l, mine.at(l), along) {
                        continue;
                    }
                    let step = if model.sums_in_world_frame() {
                        gap_step(along, range, channel.radius())
                    } else {
                        let words = if model.has_noise() { moment.words(me as u32, other as u32) } else { [0; 4] };
                        let errors = if model.has_noise() { normal_pair(words[1], words[2]) } else { (0.0, 0.0) };
                        model.attraction.step(&model.measured(mine.heading[l], along, range, errors), channel.radius())
                    };
                    sum[0][l] += step.x;
                    sum[1][l] += step.y;
                    count[l] += 1.0;
                }
            }
            if model.sums_in_world_frame() {
                for l in 0..LANES {
                    let ahead = Vec2::unit(mine.heading[l]);
                    let turned = vec2(sum[0][l], sum[1][l]).rotate(vec2(ahead.x, -ahead.y));
                    (sum[0][l], sum[1][l]) = (turned.x, turned.y);
                }
            }
            memory[me * usize::from(model.memory) + place] = [sum[0], sum[1], count];
        }
    }
}

/// Returns the robots that robot `me` may hear in each world, as bit masks: those in range, without those whose messages
/// are lost at any distance. `limit` is the limit of the packets' random numbers.
#[inline(always)]
fn candidates(
    channel: &Channel,
    poses: &[PoseLanes],
    (me, robots): (usize, usize),
    (number, limit): (u32, u32),
    keys: &Keys<'_>,
) -> [u32; LANES] {
    let model = channel.model();
    let mut heard = [0; LANES];
    let mut packets = [[0; LANES]; 4];
    for other in 0..robots {
        if model.memory > 1 && other % 8 == 0 {
            packets = keys.words_at(packet_block(me as u32, other as u32), number, Stream::Packets);
        }
        if other == me {
            continue;
        }
        let range = model.range_m * channel.gain(me, other);
        let (square, packets) = (range * range, &packets[other % 8 / 2]);
        for l in 0..LANES {
            let far = (poses[other].at(l) - poses[me].at(l)).length_squared() > square;
            heard[l] |= u32::from(!far & (packet_half(packets[l], other as u32) < limit)) << other;
        }
    }
    heard
}

/// Bodies and walls that block messages. In this structure, the bodies of a world are adjacent, so that a line is tested
/// with all bodies at once.
struct ObstacleLanes {
    /// Radii of the blocking bodies (m), padded with zeros to a multiple of [`WIDTH`].
    radii: Vec<f32>,
    /// Positions of the blocking bodies by world, padded with NaN.
    x: [Vec<f32>; LANES],
    y: [Vec<f32>; LANES],
    walls: Vec<Wall>,
    /// Walls of which a robot is clearly on the left, and clearly on the right, as bit masks, by robot and lane.
    sides: Vec<[[u32; LANES]; 2]>,
    /// Bits of all walls.
    all_walls: u32,
}

/// Number of bodies that are tested together.
const WIDTH: usize = 16;
/// Minimum distance from a wall's line at which a robot is clearly on one side (m). It exceeds rounding errors.
const CLEARLY: f32 = 1e-3;

impl ObstacleLanes {
    fn new(channel: &Channel, robots: usize) -> ObstacleLanes {
        let (radii, walls) = channel.blocking();
        let mut radii: Vec<f32> = radii.collect();
        let count = radii.len().next_multiple_of(WIDTH);
        radii.resize(count, 0.0);
        let places = || std::array::from_fn(|_| vec![f32::NAN; count]);
        let all_walls = (0..walls.len()).fold(0, |all, bit| all | 1 << bit);
        let sides = vec![[[0; LANES]; 2]; robots];
        ObstacleLanes { radii, x: places(), y: places(), walls: walls.to_vec(), sides, all_walls }
    }

    /// Copies the positions of the bodies.
    #[inline(always)]
    fn place(&mut self, poses: &[PoseLanes]) {
        for (i, pose) in poses.iter().enumerate().take(self.radii.len()) {
            for l in 0..LANES {
                (self.x[l][i], self.y[l][i]) = (pose.x[l], pose.y[l]);
            }
        }
        for (sides, pose) in self.sides.iter_mut().zip(poses) {
            *sides = [[0; LANES]; 2];
            for (bit, wall) in self.walls.iter().enumerate() {
                let along = wall.to - wall.from;
                let margin = CLEARLY * along.length();
                for l in 0..LANES {
                    let side = along.cross(pose.at(l) - wall.from);
                    sides[0][l] |= u32::from(side > margin) << bit;
                    sides[1][l] |= u32::from(side < -margin) << bit;
                }
            }
        }
    }

    /// Returns whether an obstacle of world `l` blocks the line from the first of two robots to the second. The two robots
    /// do not block it: the centre of a body at an end of the line is not between the ends.
    #[inline(always)]
    fn block(&self, [me, other]: [usize; 2], l: usize, from: Vec2, along: Vec2) -> bool {
        let square = along.length_squared();
        let bodies =
            self.x[l].chunks_exact(WIDTH).zip(self.y[l].chunks_exact(WIDTH)).zip(self.radii.chunks_exact(WIDTH));
        let mut covered = [false; WIDTH];
        for ((x, y), radii) in bodies {
            for k in 0..WIDTH {
                covered[k] |= Channel::covers(vec2(x[k], y[k]) - from, along, square, radii[k]);
            }
        }
        if covered.iter().fold(false, |any, covers| any | covers) {
            return true;
        }
        // Two robots that are clearly on the same side of a wall are not separated by it.
        let [mine, theirs] = [&self.sides[me], &self.sides[other]];
        let same = (mine[0][l] & theirs[0][l]) | (mine[1][l] & theirs[1][l]);
        let mut rest = self.all_walls & !same;
        while rest != 0 {
            if self.walls[rest.trailing_zeros() as usize].blocks(from, along) {
                return true;
            }
            rest &= rest - 1;
        }
        false
    }
}

impl Keys<'_> {
    /// Returns the identity of a message in a lane.
    #[inline(always)]
    fn message(&self, l: usize, number: u32) -> MessageId {
        let seed = u64::from(self.seeds[0][l]) | u64::from(self.seeds[1][l]) << 32;
        MessageId { seed, world: self.worlds[l], number }
    }
}
