//! Computes the virtual compass, range and bearing of robots from poses. It implements the message distribution model
//! (thesis 5.2.3, 7.3.3). When a new frame of poses arrives, messages are sent if the message period has passed.
//! Without frames no messages are sent, and robots detect that their data become old.

use crate::config::Config;
use crate::mocap::Frame;
use std::collections::{HashMap, VecDeque};
use xpuck_kernels::estimate::NEAR;
use xpuck_kernels::model::ROBOT_RADIUS;
use xpuck_kernels::world::Pose;
use xpuck_kernels::world::senses::messages::{Channel, MessageId, Obstacles};
use xpuck_wire::estimate::MAX_MATES;
use xpuck_wire::message::{self, Neighbour, ToRobot};

/// Minimum interval between two messages with poses (s). At 25 frames per second, every other frame is sent.
const POSES_PERIOD: f64 = 0.07;
/// Maximum number of delayed frames: two seconds at 500 Hz.
const MAX_DELAYED_FRAMES: usize = 1000;
/// Fraction of the period by which a message may be sent early. A message that is due slightly after a frame then does
/// not wait for the next frame.
const EARLY_FRACTION: f64 = 0.25;

/// Poses of all bodies in a frame: robots in the order of the swarm file, then the discs. `None`: the body was not
/// seen.
type Poses = Vec<Option<Pose>>;

/// Delays poses by the latency, and computes each robot's message from them.
#[derive(Debug)]
pub struct VirtualSenses {
    channel: Channel,
    robots: Vec<String>,
    /// Name of the first disc, and number of discs.
    discs: (String, usize),
    places: HashMap<String, usize>,
    seed: u64,
    held: VecDeque<(f64, Poses)>,
    round: u32,
    next: f64,
    /// Newest frame that was not sent yet, with its time of arrival (s).
    newest: Option<(f64, Poses)>,
    poses_next: f64,
}

impl VirtualSenses {
    /// Creates the virtual senses. `seed` determines the noise of the messages.
    pub fn new(config: &Config, seed: u64) -> VirtualSenses {
        let robots = config.swarm.robots.clone();
        let mut senses = VirtualSenses {
            channel: Channel::new(config.hub.messages, robots.len(), Obstacles::default()),
            places: HashMap::new(),
            discs: (config.hub.mocap.frisbee.clone(), 0),
            robots,
            seed,
            held: VecDeque::new(),
            round: 0,
            next: 0.0,
            newest: None,
            poses_next: 0.0,
        };
        senses.set_discs(vec![config.hub.arena.frisbee_radius_m]);
        senses
    }

    /// Sets the ids of all robots, after robots were added at the end of the list.
    pub fn set_robots(&mut self, robots: &[String]) {
        self.robots = robots.into();
        self.set_discs(self.channel.discs().into());
    }

    /// Sets the radii of the discs in a new world (m).
    pub fn set_discs(&mut self, radii: Vec<f32>) {
        self.discs.1 = radii.len();
        self.places = places(&self.robots, &self.discs.0, radii.len()).collect();
        let obstacles = Obstacles { radius: ROBOT_RADIUS, discs: radii, walls: Vec::new() };
        self.channel = Channel::new(*self.channel.model(), self.robots.len(), obstacles);
        // The stored frames have the indices of the previous world.
        self.held.clear();
        self.newest = None;
    }

    /// Stores a frame that arrived at `now` (s).
    pub fn on_frame(&mut self, now: f64, frame: &Frame) {
        if self.held.len() == MAX_DELAYED_FRAMES {
            self.held.pop_front();
        }
        let mut poses = vec![None; self.robots.len() + self.discs.1];
        for body in &frame.bodies {
            if let Some(place) = self.places.get(&body.name) {
                poses[*place] = Some(body.pose);
            }
        }
        self.newest = Some((now, poses.clone()));
        self.held.push_back((now, poses));
    }

    /// Returns a message with the newest poses for each visible robot, and the robot's index in the swarm file. The
    /// list is empty if no messages are due. Robots compare the poses with the motion expected from their wheels.
    /// `wheels` returns the last reported wheel speeds of a robot (m/s). Robots without a report count as stationary.
    pub fn poses_due(&mut self, now: f64, wheels: impl Fn(usize) -> Option<[f32; 2]>) -> Vec<(usize, message::Poses)> {
        // If the same frame were sent twice, a moving robot would seem to stand still.
        let Some((at, poses)) = self.newest.take_if(|_| now >= self.poses_next) else { return Vec::new() };
        self.poses_next = now + POSES_PERIOD;
        let plain = |pose: Pose| [pose.at.x, pose.at.y, pose.heading];
        let (robots, discs) = poses.split_at(self.robots.len());
        let seen = robots.iter().enumerate().filter_map(|(place, pose)| Some((place, (*pose)?)));
        let told = seen.clone().map(|(place, me)| {
            let distance = |pose: &Pose| (pose.at - me.at).length();
            let nearer = |a: &Pose, b: &Pose| distance(a).total_cmp(&distance(b));
            let disc = discs.iter().flatten().min_by(|a, b| nearer(a, b)).copied().map(plain);
            let others = seen.clone().filter(|(other, pose)| *other != place && distance(pose) < NEAR);
            let mut mates: Vec<(usize, Pose)> = others.collect();
            mates.sort_by(|a, b| nearer(&a.1, &b.1));
            let mate =
                |(other, pose): (usize, Pose)| (other as u16 + 1, plain(pose), wheels(other).unwrap_or([0.0; 2]));
            let mates = mates.into_iter().take(MAX_MATES).map(mate).collect();
            (place, message::Poses { me: plain(me), disc, mates, age: now - at })
        });
        told.collect()
    }

    /// Returns the messages due at `now` (s) for the visible robots, with the robots' indices in the swarm file.
    pub fn due(&mut self, now: f64) -> Vec<(usize, ToRobot)> {
        let model = self.channel.model();
        let period = 1.0 / model.rate_hz;
        let early = now < self.next - EARLY_FRACTION * period;
        let mut old_enough = None;
        while self.held.front().is_some_and(|(at, _)| now - at >= model.latency_s) {
            old_enough = self.held.pop_front();
        }
        // Discards poses that arrive too early. At the time of the next message, newer poses will be available.
        let Some((at, poses)) = old_enough.filter(|_| !early) else { return Vec::new() };
        // After a stall, messages continue at the normal rate. Missed messages are not sent later.
        self.next = if now - self.next > period { now + period } else { self.next + period };
        self.round = self.round.wrapping_add(1);
        (0..self.robots.len()).filter_map(|robot| Some((robot, self.sense(robot, &poses, now - at)?))).collect()
    }

    fn sense(&self, me: usize, poses: &[Option<Pose>], age: f64) -> Option<ToRobot> {
        let pose = poses[me]?;
        let mut neighbours = Vec::new();
        let moment = MessageId { seed: self.seed, world: 0, number: self.round };
        self.channel.receive(moment, me, poses, |other, n| {
            neighbours.push(Neighbour { island: other as u16 + 1, range: n.range, bearing: n.bearing })
        });
        Some(ToRobot::Senses { up: -pose.heading, neighbours, age })
    }
}

/// Returns the names of the bodies of a world in motion capture, with their indices: robots in the order of the swarm
/// file, then the discs. The first disc has the name `first`, the next one is `disc2`.
pub fn places(robots: &[String], first: &str, discs: usize) -> impl Iterator<Item = (String, usize)> {
    let name = move |number: usize| if number == 0 { first.into() } else { format!("disc{}", number + 1) };
    robots.iter().cloned().chain((0..discs).map(name)).zip(0..)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{HubFile, Mocap};
    use crate::mocap::Tracked;
    use xpuck_kernels::math::vec2;
    use xpuck_kernels::world::senses::messages::{Messages, Occlusion};
    use xpuck_wire::{Addresses, Security, Swarm};

    fn frame(number: u32, bodies: &[(&str, f32, f32, f32)]) -> Frame {
        let tracked =
            |b: &(&str, f32, f32, f32)| Tracked { name: b.0.into(), pose: Pose { at: vec2(b.1, b.2), heading: b.3 } };
        Frame { number, bodies: bodies.iter().map(tracked).collect() }
    }

    fn senses(messages: Messages) -> VirtualSenses {
        let hub = Addresses { robots: String::new(), operator: String::new(), console: None };
        let config = Config {
            hub: HubFile {
                mocap: Mocap { frisbee: "frisbee".into(), ..Mocap::default() },
                messages,
                ..HubFile::at("")
            },
            swarm: Swarm {
                speed: 1.0,
                robots: ["xp01", "xp02", "xp03"].map(String::from).to_vec(),
                peers: Vec::new(),
                hub,
                security: Security::dev_mode(),
            },
        };
        VirtualSenses::new(&config, 1)
    }

    #[test]
    fn range_bearing_and_compass_are_exact_without_noise() {
        let mut senses = senses(Messages { latency_s: 0.0, ..Messages::default() });
        senses.on_frame(0.0, &frame(1, &[("xp01", 0.0, 0.0, 1.0), ("xp02", 0.0, 0.3, 0.0), ("xp03", 0.9, 0.0, 0.0)]));
        let sent = senses.due(0.0);
        assert_eq!(sent.len(), 3);
        let ToRobot::Senses { up, neighbours, age } = &sent[0].1 else { panic!() };
        assert_eq!((*up, *age, neighbours.len()), (-1.0, 0.0, 1));
        let Neighbour { island, range, bearing } = neighbours[0];
        assert_eq!(island, 2);
        assert!((range - 0.3).abs() < 1e-6 && (bearing - (std::f32::consts::FRAC_PI_2 - 1.0)).abs() < 1e-6);
    }

    #[test]
    fn poses_are_held_back_and_sent_at_the_rate() {
        // The frames come at 50, 100 and 200 Hz.
        for period in [0.02, 0.01, 0.005] {
            let mut senses = senses(Messages { latency_s: 0.1, ..Messages::default() });
            let mut ages = Vec::new();
            for i in 0..(2.0 / period) as u32 {
                let now = f64::from(i) * period;
                senses.on_frame(now, &frame(i, &[("xp01", 0.0, 0.0, 0.0)]));
                for (_, message) in senses.due(now) {
                    let ToRobot::Senses { age, .. } = message else { panic!() };
                    ages.push(age);
                }
            }
            assert!((44..=50).contains(&ages.len()), "25 a second for 1.9 s: {}", ages.len());
            assert!(ages.iter().all(|a| (0.1 - 1e-9..0.13).contains(a)), "{ages:?}");
        }
    }

    #[test]
    fn without_new_frames_nothing_is_sent() {
        let mut senses = senses(Messages { latency_s: 0.05, ..Messages::default() });
        senses.on_frame(0.0, &frame(1, &[("xp01", 0.0, 0.0, 0.0)]));
        let sent: usize = (0..1000).map(|ms| senses.due(f64::from(ms) * 0.001).len()).sum();
        assert_eq!(sent, 1, "one frame, one message");
    }

    #[test]
    fn hidden_robots_get_nothing_and_the_frisbee_stands_in_the_way() {
        let messages = Messages { latency_s: 0.0, occlusion: Occlusion::All, ..Messages::default() };
        let mut senses = senses(messages);
        let two = [("xp01", 0.0, 0.0, 0.0), ("xp02", 0.4, 0.0, 0.0)];
        let mut heard = |now: f64, frame: &Frame| {
            senses.on_frame(now, frame);
            let sent = senses.due(now);
            assert_eq!(sent.len(), 2, "xp03 is hidden");
            let ToRobot::Senses { neighbours, .. } = &sent[0].1 else { panic!() };
            neighbours.len()
        };
        assert_eq!(heard(0.0, &frame(1, &two)), 1);
        assert_eq!(heard(0.1, &frame(2, &[two[0], two[1], ("frisbee", 0.2, 0.05, 0.0)])), 0);
        let second = frame(3, &[two[0], two[1], ("disc2", 0.2, 0.05, 0.0)]);
        assert_eq!(heard(0.2, &second), 1, "nobody knows it");
        senses.set_discs(vec![0.1, 0.1]);
        senses.on_frame(0.3, &second);
        assert!(senses.due(0.3).iter().all(|(_, message)| matches!(
            message, ToRobot::Senses { neighbours, .. } if neighbours.is_empty())));
    }
}
