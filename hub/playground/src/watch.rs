//! A simulation that a page watches step by step, with the arithmetic of the reference engine.

use crate::trees::compile;
use crate::worlds::{self, WorldChoice};
use serde_json::{Value, json};
use xpuck_kernels::math::{Vec2, atan2, vec2, wrap_angle};
use xpuck_kernels::tree::{Memory, Program, Status};
use xpuck_kernels::world::World;
use xpuck_kernels::world::senses::{camera, proximity};

/// Maximum number of controller updates of a request, so that the answer comes soon.
const MAX_UPDATES: u32 = 600;

/// Simulation with the controllers of its robots.
pub struct Watch {
    world: World,
    program: Program,
    memories: Vec<Memory>,
    /// Goal velocity of each robot in the last update.
    goals: Vec<Vec2>,
    /// Results of the nodes of each robot in the last update: 0 not ticked, 1 running, 2 success, 3 failure.
    results: Vec<Vec<u8>>,
}

impl Watch {
    /// Returns the start of a run.
    ///
    /// # Errors
    /// The tree or the world is invalid. The error is one line.
    pub fn new(tree: &str, world: &WorldChoice, seed: u64, run: u32) -> Result<Watch, String> {
        let spec = world.spec()?;
        let (tree, program) = compile(tree, &spec)?;
        Ok(Watch {
            world: World::new(&spec, run as usize, seed, run),
            memories: vec![Memory::new(&program); spec.robots],
            goals: vec![Vec2::ZERO; spec.robots],
            results: vec![vec![0; tree.nodes().len()]; spec.robots],
            program,
        })
    }

    /// Performs controller updates, and returns the state of the world. `robot` is the robot whose senses are returned.
    ///
    /// # Errors
    /// Too many updates. The error is one line.
    pub fn step(&mut self, updates: u32, robot: Option<usize>) -> Result<Value, String> {
        if updates > MAX_UPDATES {
            return Err(format!("updates = {updates} is above {MAX_UPDATES}"));
        }
        for _ in 0..updates {
            let Watch { world, program, memories, goals, results } = self;
            world.update_with(|robot, senses, draws| {
                let results = &mut results[robot];
                results.fill(0);
                let mut note = |node: usize, status: Status| {
                    results[node] = match status {
                        Status::Running => 1,
                        Status::Success => 2,
                        Status::Failure => 3,
                    }
                };
                goals[robot] = memories[robot].tick_observed(program, senses, draws, &mut note).1;
                goals[robot]
            });
        }
        let world = &self.world;
        let poses: Vec<f32> = world.bodies.iter().flat_map(|b| [b.pose.at.x, b.pose.at.y, b.pose.heading]).collect();
        Ok(json!({
            "t": world.seconds(),
            "poses": poses,
            "fitness": if world.seconds() > 0.0 { world.fitness() } else { 0.0 },
            "value": world.task.value_of(world.fitness().into()),
            "relocations": world.relocations(),
            "senses": robot.filter(|robot| *robot < world.robots()).map(|robot| self.senses(robot)),
        }))
    }

    /// Moves a body to a position, within the arena.
    ///
    /// # Errors
    /// The body does not exist, or the position is not finite. The error is one line.
    pub fn move_body(&mut self, body: usize, x: f32, y: f32) -> Result<Value, String> {
        let (half_length, half_width) = self.world.physics.half_arena;
        let bodies = self.world.bodies.len();
        let body = self.world.bodies.get_mut(body).ok_or_else(|| format!("body {body}: there are {bodies}"))?;
        if !x.is_finite() || !y.is_finite() {
            return Err("the position must be finite".into());
        }
        let radius = body.shape.radius;
        let within = |value: f32, half: f32| value.clamp(-(half - radius).max(0.0), (half - radius).max(0.0));
        body.pose.at = vec2(within(x, half_length), within(y, half_width));
        (body.velocity, body.spin) = (Vec2::ZERO, 0.0);
        Ok(json!({}))
    }

    /// Returns the senses of a robot in the last update, as the console receives them from the hub.
    fn senses(&self, robot: usize) -> Value {
        let World { bodies, physics, patches, .. } = &self.world;
        let names = worlds::names(self.world.robots());
        let pose = bodies[robot].pose;
        let others = (0..self.world.robots()).filter(|other| *other != robot);
        let neighbours = others.filter_map(|other| {
            let between = bodies[other].pose.at - pose.at;
            let range = between.length();
            let bearing = wrap_angle(atan2(between.y, between.x) - pose.heading);
            (range <= physics.robot.neighbour_range).then(|| json!([names[other], range, bearing]))
        });
        let board = &self.memories[robot].board;
        let cells: Vec<Option<f32>> = board.cells().iter().map(|cell| cell.is_finite().then_some(*cell)).collect();
        let nodes: String = self.results[robot].iter().map(|result| char::from(b'0' + result)).collect();
        json!({
            "t": self.world.seconds(),
            "robot": names[robot],
            "nodes": nodes,
            "cells": cells,
            "v_goal": [self.goals[robot].x, self.goals[robot].y],
            "proximity": proximity(bodies, robot, physics),
            "blobs": camera(bodies, robot, patches, physics).0,
            "neighbours": neighbours.collect::<Vec<Value>>(),
            "up": wrap_angle(-pose.heading),
            "wheels": bodies[robot].wheels,
        })
    }
}
