//! State of sixteen worlds as a structure of arrays, one world per lane.

use super::crowd::Crowd;
use super::lanes::{BodyLanes, ImageLanes, LANES, Lanes, SenseLanes};
use super::messages::MessageLanes;
use super::rays::Rays;
use super::scene::Scene;
use super::views::Views;
use crate::engine::{Job, Outcome, hash};
use crate::math::{Vec2, vec2};
use crate::model::{CONTROL_PERIOD, SMALL_WORLD};
use crate::world::physics::contacts::{BodyVelocity, Contacts};
use crate::world::robot::GroundSense;
use crate::world::senses::ChannelHistory;
use crate::world::task::Score;
use crate::world::task::objective::quantity::Members;
use crate::world::{Body, Pose, World};

/// State of sixteen worlds. Lanes without a job repeat the last job.
pub(super) struct Block {
    pub bodies: Vec<BodyLanes>,
    pub senses: Vec<SenseLanes>,
    /// Camera images of each robot; empty for perfect cameras.
    pub pictures: Vec<ImageLanes>,
    pub key: [[u32; LANES]; 2],
    pub world: [u32; LANES],
    pub update: u32,
    pub step: u32,
    pub scores: Vec<Score>,
    /// Bit masks of the conditions that hold, by lane.
    pub active: [u32; LANES],
    /// Buffers of the contact solver: contacts, movements of the bodies and walls, and lanes of the worlds with
    /// contacts.
    pub contacts: Contacts,
    pub moving: Vec<BodyVelocity>,
    pub touched: Vec<usize>,
    /// Bit masks of the contacts, by body and lane (see `motion`).
    pub touches: Vec<[u32; LANES]>,
    /// Neighbour lists; `None` in small worlds.
    pub crowd: Option<Crowd>,
    /// Readings of each robot's ground points in the last updates; empty without such points.
    pub ground: Vec<[u32; LANES]>,
    /// Buffers of the senses: proximity rays, camera views, and sums for range and bearing.
    pub rays: Rays,
    pub views: Views,
    pub sums: Vec<[Lanes; 3]>,
    /// Messages in small worlds; `None` without a message model.
    pub messages: Option<MessageLanes>,
    /// Message histories by world; empty in small worlds, and without a message model.
    pub channel: Vec<ChannelHistory>,
    shapes: Vec<Body>,
    /// Robots in each counted region of the objective, by lane.
    members: Vec<[Members; LANES]>,
    /// Buffer for the robots' positions while a score is updated.
    centres: Vec<Vec2>,
    robots: usize,
    /// Number of worlds in use, which equals the number of jobs. The remaining lanes repeat the last job.
    worlds: usize,
}

impl Block {
    /// Creates the worlds of up to [`LANES`] jobs in their start states. The jobs must have equal world specifications.
    pub fn new(jobs: &[Job<'_>]) -> (Block, Scene) {
        let worlds: Vec<World> = jobs.iter().map(|j| World::new(j.spec, j.start, j.seed, j.world)).collect();
        let scene = Scene::from_world(&worlds[0]);
        let robots = scene.robots;
        let lane = |l: usize| l.min(jobs.len() - 1);
        let mut bodies = vec![BodyLanes::default(); scene.bodies.len()];
        for (i, body) in bodies.iter_mut().enumerate() {
            for l in 0..LANES {
                let from = &worlds[lane(l)].bodies[i];
                (body.x[l], body.y[l], body.heading[l]) = (from.pose.at.x, from.pose.at.y, from.pose.heading);
                (body.vx[l], body.vy[l], body.spin[l]) = (from.velocity.x, from.velocity.y, from.spin);
                [body.left[l], body.right[l]] = from.wheels;
            }
        }
        let per_lane = |f: &dyn Fn(&Job<'_>) -> u32| std::array::from_fn(|l| f(&jobs[lane(l)]));
        let mut contacts = Contacts::new(bodies.len());
        contacts.reserve(LANES);
        let is_large = bodies.len() > SMALL_WORLD;
        let block = Block {
            senses: vec![SenseLanes::initial(); robots],
            ground: vec![[0; LANES]; if scene.physics.robot.ground == GroundSense::Class { 0 } else { robots }],
            pictures: (0..if scene.camera.is_perfect() { 0 } else { robots })
                .map(|i| ImageLanes {
                    history: std::array::from_fn(|l| worlds[lane(l)].pictures[i]),
                    ..ImageLanes::default()
                })
                .collect(),
            key: [per_lane(&|j| j.seed as u32), per_lane(&|j| (j.seed >> 32) as u32)],
            world: per_lane(&|j| j.world),
            update: 0,
            step: 0,
            active: std::array::from_fn(|l| worlds[lane(l)].score().active()),
            scores: (0..LANES).map(|l| worlds[lane(l)].score().clone()).collect(),
            contacts,
            moving: vec![BodyVelocity::default(); LANES * (bodies.len() + 1)],
            touched: Vec::with_capacity(LANES),
            touches: vec![[0; LANES]; bodies.len()],
            crowd: is_large.then(|| Crowd::new(&scene, jobs.len())),
            rays: Rays::new(&scene),
            views: Views::new(&scene),
            sums: vec![[[0.0; LANES]; 3]; robots],
            centres: vec![Vec2::ZERO; robots],
            members: vec![[Members::default(); LANES]; scene.counted.len()],
            shapes: worlds[0].bodies.clone(),
            robots,
            worlds: jobs.len(),
            messages: jobs[0].spec.messages.filter(|_| !is_large).map(|m| MessageLanes::new(m, jobs[0].spec, &bodies)),
            channel: if is_large {
                worlds.into_iter().take(jobs.len()).filter_map(|world| world.channel).collect()
            } else {
                Vec::new()
            },
            bodies,
        };
        (block, scene)
    }

    /// Replaces the worlds by worlds with equal specifications that were simulated up to the same update. `sources`
    /// contains the block and the lane of each world.
    pub fn restore(&mut self, sources: &[(&Block, usize)]) {
        (self.update, self.step) = (sources[0].0.update, sources[0].0.step);
        for l in 0..LANES {
            let (from, k) = sources[l.min(sources.len() - 1)];
            self.copy_lane(l, from, k);
        }
    }

    fn copy_lane(&mut self, l: usize, from: &Block, k: usize) {
        self.bodies.iter_mut().zip(&from.bodies).for_each(|(to, from)| to.copy_lane(l, from, k));
        self.senses.iter_mut().zip(&from.senses).for_each(|(to, from)| to.copy_lane(l, from, k));
        for (to, from) in self.pictures.iter_mut().zip(&from.pictures) {
            (to.taken[l], to.history[l]) = (from.taken[k], from.history[k]);
        }
        self.ground.iter_mut().zip(&from.ground).for_each(|(to, from)| to[l] = from[k]);
        self.scores[l] = from.scores[k].clone();
        self.active[l] = from.active[k];
        if let (Some(to), Some(from)) = (&mut self.messages, &from.messages) {
            to.copy_lane(l, from, k);
        }
        if let Some(channel) = self.channel.get_mut(l) {
            *channel = from.channel[k].clone();
        }
    }

    /// Returns the pose of body `i` in world `lane`.
    pub fn pose(&self, i: usize, lane: usize) -> Pose {
        let b = &self.bodies[i];
        Pose { at: vec2(b.x[lane], b.y[lane]), heading: b.heading[lane] }
    }

    /// Returns the state of body `i` in world `lane`.
    pub fn body(&self, i: usize, lane: usize) -> Body {
        let b = &self.bodies[i];
        Body {
            pose: self.pose(i, lane),
            velocity: vec2(b.vx[lane], b.vy[lane]),
            spin: b.spin[lane],
            wheels: [b.left[lane], b.right[lane]],
            ..self.shapes[i]
        }
    }

    /// Returns the bodies of world `lane`.
    pub fn world_bodies(&self, lane: usize) -> Vec<Body> {
        (0..self.bodies.len()).map(|i| self.body(i, lane)).collect()
    }

    /// Stores the poses after a physics step in the message histories.
    #[inline(always)]
    pub fn note(&mut self) {
        if let Some(messages) = &mut self.messages {
            messages.note(&self.bodies);
        }
        for (l, channel) in self.channel.iter_mut().enumerate() {
            let pose = |b: &BodyLanes| Pose { at: vec2(b.x[l], b.y[l]), heading: b.heading[l] };
            channel.push_poses(self.bodies.iter().map(pose));
        }
    }

    /// Updates the scores after a controller update. The robots in the regions of an objective are found in all worlds at
    /// once.
    #[inline(always)]
    pub fn score(&mut self, scene: &Scene) {
        if !scene.task.counts_updates() {
            return;
        }
        for (zone, members) in scene.counted.iter().zip(&mut self.members) {
            *members = [Members::default(); LANES];
            for (i, body) in self.bodies[..self.robots].iter().enumerate() {
                let inside = zone.contains_each(&body.x, &body.y);
                for l in 0..LANES {
                    members[l][i / 64] |= u64::from(inside[l]) << (i % 64);
                }
            }
        }
        for (l, score) in self.scores[..self.worlds].iter_mut().enumerate() {
            for (centre, body) in self.centres.iter_mut().zip(&self.bodies) {
                *centre = vec2(body.x[l], body.y[l]);
            }
            let pose = |b: &BodyLanes| Pose { at: vec2(b.x[l], b.y[l]), heading: b.heading[l] };
            score.see(self.bodies.iter().map(pose));
            score.update_counted(&self.centres, self.members.iter().map(|members| members[l]));
            self.active[l] = score.active();
        }
    }

    /// Returns the fitness of world `lane` so far, given the bodies of this world.
    pub fn fitness(&self, scene: &Scene, lane: usize, bodies: &[Body]) -> f32 {
        let seconds = self.update as f32 * CONTROL_PERIOD;
        self.scores[lane].fitness(&scene.physics, bodies, self.robots, seconds)
    }

    /// Returns the outcomes of the jobs.
    pub fn outcomes(&self, scene: &Scene) -> Vec<Outcome> {
        let outcome = |l: usize| {
            let bodies = self.world_bodies(l);
            Outcome { fitness: self.fitness(scene, l, &bodies), hash: hash(bodies.iter().map(|b| b.pose)) }
        };
        (0..self.worlds).map(outcome).collect()
    }
}
