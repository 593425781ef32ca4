//! Compares recorded senses of robots with senses computed from recorded poses (thesis 7.3).

use super::clock::RobotClock;
use crate::config::HubFile;
use crate::virtual_senses::places;
use serde::Serialize;
use std::collections::{BTreeMap, VecDeque};
use xpuck_kernels::math::{vec2, wrap_angle};
use xpuck_kernels::world::physics::Physics;
use xpuck_kernels::world::senses::{Patch, camera, proximity};
use xpuck_kernels::world::{Body, Pose, Shape, WorldSpec};
use xpuck_wire::updates::{Update, Updates};

/// Time for which poses are kept (s). A batch arrives one second after its first update, and the camera frame of that
/// update may be several seconds old.
const KEPT: f64 = 10.0;
/// Maximum number of updates that wait for poses.
const WAITING: usize = 10_000;
/// Maximum gap between two poses for interpolation (s).
const LONGEST_GAP: f64 = 0.2;

/// Gap between poses above which the hub is assumed to have been interrupted (s). After such a gap, clock offsets are
/// estimated again.
const AWAY: f64 = 1.0;
/// Time after a gap longer than `AWAY` during which updates are not compared (s).
const SETTLING: f64 = 3.0;

/// Name, unit and tolerance of each sense.
const SENSES: [(&str, &str, f32); 6] = [
    ("compass", "rad", 0.05),
    ("range", "m", 0.01),
    ("bearing", "rad", 0.05),
    ("neighbours", "robots", 0.0),
    ("proximity", "of 1", 0.1),
    ("camera", "of 1", 0.0),
];

/// Result of the comparison for one sense.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct SenseRow {
    /// Name of the sense.
    pub sense: &'static str,
    /// Unit of the differences.
    pub unit: &'static str,
    /// Maximum absolute difference that counts as equal.
    pub tolerance: f32,
    /// Number of compared values.
    pub values: u64,
    /// Number of values that differ by more than the tolerance.
    pub different: u64,
    /// Maximum absolute difference.
    pub largest: f32,
    /// Mean absolute difference.
    pub mean: f64,
}

impl SenseRow {
    /// Returns the fraction of the values that differ by more than the tolerance.
    pub fn part(&self) -> f64 {
        self.different as f64 / self.values.max(1) as f64
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    values: u64,
    different: u64,
    largest: f32,
    sum: f64,
}

/// Compares the recorded senses of robots with senses computed from the poses of all bodies.
#[derive(Clone, Debug)]
pub struct SenseVerifier {
    names: Vec<String>,
    /// Name of the first disc.
    frisbee: String,
    /// Index of each body by its name: the robots, then the discs.
    places: BTreeMap<String, usize>,
    robots: usize,
    shapes: Vec<Shape>,
    physics: Physics,
    patches: Vec<Patch>,
    range: f32,
    /// Times (s) with the poses of all bodies, oldest first. `None`: the body was not seen.
    poses: VecDeque<(f64, Vec<Option<Pose>>)>,
    /// Clock of each robot.
    clocks: BTreeMap<String, RobotClock>,
    tallies: [Tally; SENSES.len()],
    /// Updates that wait for the next poses: index of the robot, time of the hub (s), and update.
    waiting: VecDeque<(usize, f64, Update)>,
    /// Number of updates that could not be compared.
    blind: u64,
    /// Time before which updates are not compared (s).
    settled: f64,
}

impl SenseVerifier {
    /// Creates a verifier. `robots` are in the order of their islands; `hub` defines the arena and the first disc.
    pub fn new(robots: &[String], hub: &HubFile) -> SenseVerifier {
        let disc = Shape { radius: hub.arena.frisbee_radius_m, ..Shape::FRISBEE };
        let half_arena = (hub.arena.length_m / 2.0, hub.arena.width_m / 2.0);
        let mut verifier = SenseVerifier {
            names: robots.into(),
            frisbee: hub.mocap.frisbee.clone(),
            places: BTreeMap::new(),
            robots: robots.len(),
            shapes: Vec::new(),
            physics: Physics { half_arena, ..Physics::default() },
            patches: Vec::new(),
            range: hub.messages.range_m,
            poses: VecDeque::new(),
            clocks: BTreeMap::new(),
            tallies: Default::default(),
            waiting: VecDeque::new(),
            blind: 0,
            settled: f64::NEG_INFINITY,
        };
        verifier.set_discs([disc]);
        verifier
    }

    /// Sets the current world, with its walls, patches and discs.
    pub fn set_world(&mut self, world: &WorldSpec) {
        self.physics = world.physics.clone();
        self.patches = world.patches.clone();
        self.set_discs(world.discs.iter().map(|disc| disc.shape));
    }

    fn set_discs(&mut self, discs: impl IntoIterator<Item = Shape>) {
        self.shapes = std::iter::repeat_n(Shape::ROBOT, self.robots).chain(discs).collect();
        self.places = places(&self.names, &self.frisbee, self.shapes.len() - self.robots).collect();
        // The stored poses have one entry per body of the previous world, which may have had fewer or more discs.
        let most = self.shapes.len();
        self.poses.iter_mut().for_each(|(_, poses)| poses.resize(most, None));
    }

    /// Adds the poses of `bodies` (x and y in m, heading in rad) at `time` (s), and compares the updates that waited
    /// for them. Poses must be added in chronological order.
    pub fn poses<'a>(&mut self, time: f64, bodies: impl IntoIterator<Item = (&'a str, [f32; 3])>) {
        let mut poses = vec![None; self.shapes.len()];
        for (name, [x, y, heading]) in bodies {
            if let Some(place) = self.places.get(name) {
                poses[*place] = Some(Pose { at: vec2(x, y), heading });
            }
        }
        // A hub that resumes a run restores the time of the run only approximately. The time may jump back or forward.
        let step = self.poses.back().map_or(0.0, |(last, _)| time - last);
        if !(0.0..=AWAY).contains(&step) {
            self.clocks.clear();
            self.settled = time + SETTLING;
        }
        if step < 0.0 {
            self.poses.clear();
        }
        while self.poses.front().is_some_and(|(at, _)| time - at > KEPT) {
            self.poses.pop_front();
        }
        self.poses.push_back((time, poses));
        let due = self.waiting.partition_point(|(_, at, _)| *at <= time);
        let due: Vec<_> = self.waiting.drain(..due).collect();
        due.iter().for_each(|(me, at, update)| self.compare(*me, *at, update));
    }

    /// Updates the clock of a robot with a message that the robot sent at its own time `then` (s). The message
    /// arrived at the hub's time `now` (s).
    pub fn heard(&mut self, robot: &str, then: f64, now: f64) {
        self.clocks.entry(robot.into()).or_default().on_message(then, now);
    }

    /// Queues the updates of a batch for comparison. The batch arrived at the hub's time `now` (s).
    ///
    /// # Errors
    /// If the batch cannot be decoded.
    pub fn verify_batch(&mut self, robot: &str, now: f64, updates: &Updates) -> Result<(), String> {
        let unpacked = updates.unpack().map_err(|error| format!("robot {robot}, update {}: {error}", updates.first))?;
        let time = |update: &Update| updates.start + f64::from(update.after_us) / 1e6;
        unpacked.last().into_iter().for_each(|last| self.heard(robot, time(last), now));
        let ahead = self.clocks.get(robot).and_then(RobotClock::ahead);
        let (Some(me), Some(ahead)) = (self.places.get(robot).copied(), ahead) else {
            return Ok(());
        };
        let ticked = unpacked.into_iter().filter(|update| update.ticked);
        if now < self.settled {
            self.blind += ticked.count() as u64;
            return Ok(());
        }
        self.waiting.extend(ticked.map(|update| (me, time(&update) + ahead, update)));
        let too_many = self.waiting.len().saturating_sub(WAITING);
        self.waiting.drain(..too_many);
        self.blind += too_many as u64;
        Ok(())
    }

    fn compare(&mut self, me: usize, time: f64, update: &Update) {
        let [body, frame, virtual_senses] = update.ages.map(f32::from_bits);
        let at = |age: f32| self.at(time - f64::from(age)).filter(|poses| poses[me].is_some());
        let (then, seen, heard) = (at(body), at(frame), at(virtual_senses));
        match &then {
            Some(poses) => {
                let (bodies, me) = self.bodies(poses, me);
                let made = proximity(&bodies, me, &self.physics);
                let pairs = made.iter().zip(update.proximity);
                pairs.for_each(|(made, read)| self.tallies[4].add(made - f32::from_bits(read), SENSES[4].2));
            }
            None => self.blind += 1,
        }
        if let Some(poses) = seen.as_ref().filter(|_| update.used[0]) {
            let (bodies, me) = self.bodies(poses, me);
            let made = camera(&bodies, me, &self.patches, &self.physics);
            for (colour, segments) in made.0.iter().enumerate() {
                for (segment, made) in segments.iter().enumerate() {
                    let read = update.blobs & Update::blob(colour, segment) != 0;
                    self.tallies[5].add(f32::from(u8::from(*made != read)), SENSES[5].2);
                }
            }
        }
        if let Some(poses) = heard.as_ref().filter(|_| update.used[1]) {
            self.compare_heard(me, poses, update);
        }
    }

    fn compare_heard(&mut self, me: usize, poses: &[Option<Pose>], update: &Update) {
        let Some(mine) = poses[me] else { return };
        self.tallies[0].add(wrap_angle(f32::from_bits(update.up) + mine.heading), SENSES[0].2);
        let others = |place: usize| poses.get(place).copied().flatten().filter(|_| place != me && place < self.robots);
        let near = (0..self.robots).filter_map(others).filter(|other| (other.at - mine.at).length() <= self.range);
        let near = near.count() as f32;
        self.tallies[3].add(near - update.neighbours.len() as f32, SENSES[3].2);
        for (island, range, bearing) in &update.neighbours {
            let Some(other) = others(usize::from(*island).wrapping_sub(1)) else { continue };
            let between = other.at - mine.at;
            self.tallies[1].add(between.length() - f32::from_bits(*range), SENSES[1].2);
            let direction = wrap_angle(between.angle() - mine.heading);
            self.tallies[2].add(wrap_angle(direction - f32::from_bits(*bearing)), SENSES[2].2);
        }
    }

    /// Returns the bodies with known poses, and the index of robot `me` among them.
    fn bodies(&self, poses: &[Option<Pose>], me: usize) -> (Vec<Body>, usize) {
        let there = poses.iter().zip(&self.shapes).filter_map(|(pose, shape)| Some(Body::at_rest(*shape, (*pose)?)));
        (there.collect(), poses[..me].iter().flatten().count())
    }

    /// Returns the poses at `time` (s), linearly interpolated. `None` unless two poses at most `LONGEST_GAP` apart
    /// enclose this time.
    fn at(&self, time: f64) -> Option<Vec<Option<Pose>>> {
        let after = self.poses.partition_point(|(at, _)| *at < time);
        let ((t1, after), (t0, before)) = (self.poses.get(after)?, self.poses.get(after.checked_sub(1)?)?);
        if t1 - t0 > LONGEST_GAP {
            return None;
        }
        let part = ((time - t0) / (t1 - t0)) as f32;
        let between = |(a, b): (&Option<Pose>, &Option<Pose>)| {
            let (a, b) = ((*a)?, (*b)?);
            let heading = a.heading + wrap_angle(b.heading - a.heading) * part;
            Some(Pose { at: a.at + (b.at - a.at) * part, heading })
        };
        Some(before.iter().zip(after).map(between).collect())
    }

    /// Returns the number of updates that could not be compared, because poses of the robot were missing.
    pub fn without_poses(&self) -> u64 {
        self.blind + self.waiting.len() as u64
    }

    /// Returns the results in the order of `SENSES`, without senses that have no compared values.
    pub fn rows(&self) -> Vec<SenseRow> {
        let row = |((sense, unit, tolerance), tally): ((&'static str, &'static str, f32), &Tally)| SenseRow {
            sense,
            unit,
            tolerance,
            values: tally.values,
            different: tally.different,
            largest: tally.largest,
            mean: tally.sum / tally.values.max(1) as f64,
        };
        SENSES.into_iter().zip(&self.tallies).filter(|(_, tally)| tally.values > 0).map(row).collect()
    }
}

impl Tally {
    fn add(&mut self, difference: f32, tolerance: f32) {
        let size = difference.abs();
        self.values += 1;
        // NaN counts as different.
        self.different += u64::from(size.is_nan() || size > tolerance);
        self.largest = self.largest.max(size);
        self.sum += f64::from(size);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_wire::updates::Packer;

    /// Returns one update at the time `then` of the robot's clock (s). The robot turns at 1 rad/s, and its sensor data
    /// are 0.05 s old.
    fn updates_at(then: f64) -> Updates {
        let heading = (then - 0.05) as f32;
        let update = Update {
            ticked: true,
            used: [false, true],
            ages: [0.05f32.to_bits(); 3],
            up: wrap_angle(-heading).to_bits(),
            ..Update::default()
        };
        let mut packer = Packer::default();
        packer.push(&update);
        Updates { count: 1, start: then, data: packer.finish_batch(), ..Updates::default() }
    }

    #[test]
    fn resumed_hub_clock_error_gives_no_differences() {
        let hub = HubFile::at("runs");
        let mut verifier = SenseVerifier::new(&["xp01".into()], &hub);
        // The hub's clock is 5 s ahead of the robot's clock. After a gap of 20 s, it is 5.7 s ahead.
        let steps = (0..300).map(|i| (f64::from(i) / 10.0, 5.0)).chain((500..900).map(|i| (f64::from(i) / 10.0, 5.7)));
        for (then, ahead) in steps {
            let now = then + ahead;
            verifier.poses(now, [("xp01", [0.0, 0.0, wrap_angle(then as f32)])]);
            verifier.verify_batch("xp01", now, &updates_at(then)).unwrap();
        }
        let compass = &verifier.rows()[0];
        assert_eq!((compass.sense, compass.different), ("compass", 0), "{compass:?}");
        assert!(
            compass.values > 600 && verifier.without_poses() < 60,
            "{compass:?}, {} blind",
            verifier.without_poses()
        );
    }
}
