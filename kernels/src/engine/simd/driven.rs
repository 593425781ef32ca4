//! Worlds that are driven from outside, an update at a time: for those who bring controllers of their own, such as policies
//! that learn.

use super::block::Block;
use super::lanes::LANES;
use super::scene::Scene;
use super::{sense, step};
use crate::engine::{Job, Team};
use crate::math::{max, min, vec2};
use crate::model::V_MAX;
use crate::tree::registers::{CELLS, GOAL};
use crate::world::{Pose, Sensing, WorldSpec};
use rayon::prelude::*;

/// What the two numbers of a robot's action are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wheels {
    /// A goal velocity in the robot's frame, as trees write to v_goal: 1 is the greatest speed.
    Goal,
    /// Ground speeds of the left and the right wheel, m/s; cut at the greatest speed.
    Speeds,
}

/// Worlds of one description side by side, all at the same update. Given the goals that trees would write, the digits are
/// those of [`Reference`](crate::engine::Reference), on any number of threads.
pub struct Driven {
    blocks: Vec<Block>,
    scene: Scene,
    sensing: Sensing,
    worlds: usize,
    updates: u32,
}

impl Driven {
    /// One world for each of these numbers, at its start and sensed for the first time. World n of a seed begins as run n of
    /// the seed does elsewhere.
    ///
    /// # Panics
    /// Without worlds, or in a world that [`WorldSpec::check`] refuses.
    pub fn new(spec: &WorldSpec, sensing: Sensing, seed: u64, numbers: &[u32]) -> Driven {
        assert!(!numbers.is_empty(), "at least one world");
        let job =
            |world: &u32| Job { spec, start: *world as usize, team: Team::all(0), seed, world: *world, updates: 0 };
        let block = |numbers: &[u32]| Block::new(&numbers.iter().map(job).collect::<Vec<_>>());
        let built: Vec<(Block, Scene)> = numbers.par_chunks(LANES).map(block).collect();
        let (mut blocks, mut scenes): (Vec<Block>, Vec<Scene>) = built.into_iter().unzip();
        let scene = scenes.swap_remove(0);
        blocks.par_iter_mut().for_each(|block| sense(block, &scene, sensing));
        Driven { blocks, scene, sensing, worlds: numbers.len(), updates: 0 }
    }

    /// How many worlds.
    pub fn worlds(&self) -> usize {
        self.worlds
    }

    /// How many robots in each.
    pub fn robots(&self) -> usize {
        self.scene.robots
    }

    /// How many bodies in each: robots, then discs.
    pub fn bodies(&self) -> usize {
        self.scene.bodies.len()
    }

    /// Controller updates so far, 0.1 s each.
    pub fn updates(&self) -> u32 {
        self.updates
    }

    /// One controller update: wheels are set by `actions`, (worlds, robots, 2), all moves, and the robots sense again. What is
    /// not finite counts as 0.
    ///
    /// # Panics
    /// If `actions` has another length.
    pub fn update(&mut self, actions: &[f32], wheels: Wheels) {
        let of_world = 2 * self.robots();
        assert_eq!(actions.len(), self.worlds * of_world, "two numbers for each robot");
        let Driven { blocks, scene, sensing, .. } = self;
        blocks
            .par_iter_mut()
            .zip(actions.par_chunks(LANES * of_world))
            .for_each(|(block, actions)| act(block, scene, *sensing, actions, wheels));
        self.updates += 1;
    }

    /// What robots sense, (worlds, robots, cells): these cells of the blackboard's full map.
    ///
    /// # Panics
    /// If `out` has another length, or there is no such cell.
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

    /// The fitness of each world's task so far; 0 before the first update.
    ///
    /// # Panics
    /// If `out` has another length than there are worlds.
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

    /// Where body `body` of world `world` is.
    pub fn pose(&self, world: usize, body: usize) -> Pose {
        self.blocks[world / LANES].pose(body, world % LANES)
    }
}

/// One update of a block: wheels, physics, senses. Lanes without a world repeat the last world.
fn act(block: &mut Block, scene: &Scene, sensing: Sensing, actions: &[f32], wheels: Wheels) {
    let of_world = 2 * scene.robots;
    let last = actions.len() / of_world - 1;
    let finite = |x: f32| if x.is_finite() { x } else { 0.0 };
    for l in 0..LANES {
        let actions = &actions[l.min(last) * of_world..];
        for i in 0..scene.robots {
            let [a, b] = [actions[2 * i], actions[2 * i + 1]].map(finite);
            match wheels {
                Wheels::Goal => block.senses[i].tell(GOAL, l, vec2(a, b)),
                Wheels::Speeds => {
                    let body = &mut block.bodies[i];
                    [body.left[l], body.right[l]] = [a, b].map(|v| max(min(v, V_MAX), -V_MAX));
                }
            }
        }
    }
    step(block, scene, wheels == Wheels::Goal);
    sense(block, scene, sensing);
}
