//! Worlds whose robots are driven by external controllers, one update at a time. An example of a controller is a
//! policy that learns.

use super::block::Block;
use super::lanes::LANES;
use super::scene::Scene;
use super::{sense, step};
use crate::engine::{Job, Team};
use crate::math::{max, min, vec2};
use crate::tree::registers::{CELLS, GOAL};
use crate::world::{Pose, Sensing, WorldSpec};
use rayon::prelude::*;

/// Meaning of the two numbers of a robot's action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActionKind {
    /// Goal velocity (x, y) in the robot's frame, like v_goal of trees; 1 is the maximum speed.
    Goal,
    /// Ground speeds of the left and right wheel (m/s), clamped to the maximum speed.
    Speeds,
}

/// Parallel worlds with the same specification, all at the same update. If the actions are the goals that trees would
/// write, the results are identical to those of [`Reference`](crate::engine::Reference), for any number of threads.
pub struct BatchSimulation {
    blocks: Vec<Block>,
    scene: Scene,
    sensing: Sensing,
    worlds: usize,
    updates: u32,
}

impl BatchSimulation {
    /// Creates one world in its start state for each number in `numbers`, and computes the first senses. World n of a
    /// seed has the same start state as run n of this seed in other engines.
    ///
    /// # Panics
    /// If `numbers` is empty, if [`WorldSpec::check`] rejects the world, or if its walls, patches or lights change.
    pub fn new(spec: &WorldSpec, sensing: Sensing, seed: u64, numbers: &[u32]) -> BatchSimulation {
        assert!(!numbers.is_empty(), "at least one world");
        assert!(!spec.conditions.change_scenery(), "the scenery does not change");
        let job =
            |world: &u32| Job { spec, start: *world as usize, team: Team::all(0), seed, world: *world, updates: 0 };
        let block = |numbers: &[u32]| Block::new(&numbers.iter().map(job).collect::<Vec<_>>());
        let built: Vec<(Block, Scene)> = numbers.par_chunks(LANES).map(block).collect();
        let (mut blocks, mut scenes): (Vec<Block>, Vec<Scene>) = built.into_iter().unzip();
        let scene = scenes.swap_remove(0);
        blocks.par_iter_mut().for_each(|block| sense(block, &scene, sensing));
        BatchSimulation { blocks, scene, sensing, worlds: numbers.len(), updates: 0 }
    }

    /// Returns the number of worlds.
    pub fn worlds(&self) -> usize {
        self.worlds
    }

    /// Returns the number of robots per world.
    pub fn robots(&self) -> usize {
        self.scene.robots
    }

    /// Returns the number of bodies per world: robots, then discs.
    pub fn bodies(&self) -> usize {
        self.scene.bodies.len()
    }

    /// Returns the number of controller updates so far (0.1 s each).
    pub fn updates(&self) -> u32 {
        self.updates
    }

    /// Performs one controller update: sets the wheels from `actions`, moves all bodies, and computes the senses.
    /// `actions` is an array of shape (worlds, robots, 2). Values that are not finite count as 0.
    ///
    /// # Panics
    /// If the length of `actions` is wrong.
    pub fn update(&mut self, actions: &[f32], wheels: ActionKind) {
        let of_world = 2 * self.robots();
        assert_eq!(actions.len(), self.worlds * of_world, "two numbers for each robot");
        let BatchSimulation { blocks, scene, sensing, .. } = self;
        blocks
            .par_iter_mut()
            .zip(actions.par_chunks(LANES * of_world))
            .for_each(|(block, actions)| apply_actions(block, scene, *sensing, actions, wheels));
        self.updates += 1;
    }

    /// Writes the robots' senses to `out`, an array of shape (worlds, robots, cells). `cells` contains indices of
    /// cells in the blackboard's full map.
    ///
    /// # Panics
    /// If the length of `out` is wrong, or if a cell does not exist.
    pub fn read(&self, cells: &[usize], out: &mut [f32]) {
        assert!(cells.iter().all(|cell| *cell < CELLS), "cells of the blackboard");
        assert_eq!(out.len(), self.worlds * self.robots() * cells.len(), "one number for each cell");
        let of_world = self.robots() * cells.len();
        if of_world == 0 {
            return;
        }
        let of_block = |(block, out): (&Block, &mut [f32])| {
            for (l, out) in out.chunks_mut(of_world).enumerate() {
                for (senses, out) in block.senses.iter().zip(out.chunks_mut(cells.len())) {
                    for (cell, out) in cells.iter().zip(out) {
                        *out = senses.cells[*cell][l];
                    }
                }
            }
        };
        self.blocks.par_iter().zip(out.par_chunks_mut(LANES * of_world)).for_each(of_block);
    }

    /// Writes the fitness of each world so far to `out`; 0 before the first update.
    ///
    /// # Panics
    /// If the length of `out` is not the number of worlds.
    pub fn fitness(&self, out: &mut [f32]) {
        assert_eq!(out.len(), self.worlds, "one number for each world");
        if self.updates == 0 {
            out.fill(0.0);
            return;
        }
        let of_block = |(block, out): (&Block, &mut [f32])| {
            for (l, out) in out.iter_mut().enumerate() {
                *out = block.fitness(&self.scene, l, &block.world_bodies(l));
            }
        };
        self.blocks.par_iter().zip(out.par_chunks_mut(LANES)).for_each(of_block);
    }

    /// Returns the pose of body `body` in world `world`.
    pub fn pose(&self, world: usize, body: usize) -> Pose {
        self.blocks[world / LANES].pose(body, world % LANES)
    }
}

/// Performs one update of a block: wheels, physics, senses. Lanes without a world repeat the last world.
fn apply_actions(block: &mut Block, scene: &Scene, sensing: Sensing, actions: &[f32], wheels: ActionKind) {
    let of_world = 2 * scene.robots;
    let last = actions.len() / of_world - 1;
    let most = scene.physics.robot.wheels.max_speed;
    let finite = |x: f32| if x.is_finite() { x } else { 0.0 };
    for l in 0..LANES {
        let actions = &actions[l.min(last) * of_world..];
        for i in 0..scene.robots {
            let [a, b] = [actions[2 * i], actions[2 * i + 1]].map(finite);
            match wheels {
                ActionKind::Goal => block.senses[i].write_vector(GOAL, l, vec2(a, b)),
                ActionKind::Speeds => {
                    let body = &mut block.bodies[i];
                    [body.left[l], body.right[l]] = [a, b].map(|v| max(min(v, most), -most));
                }
            }
        }
    }
    step(block, scene, wheels == ActionKind::Goal);
    sense(block, scene, sensing);
}
