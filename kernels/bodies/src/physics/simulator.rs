//! Simulation of a body, step by step.

use super::DT;
use super::contacts::Contacts;
use super::forces::Forces;
use super::inertia::Inertia;
use super::model::Model;
use super::motors::Motors;
use super::solver::Solver;
use super::state::{Frames, MAX_VELOCITY, State};
use crate::Plan;
use multiversion::multiversion;

/// Pose of a cube.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Position of the cube's centre (m).
    pub position: [f64; 3],
    /// Columns of the rotation matrix.
    pub rotation: [[f64; 3]; 3],
}

/// Start height of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// The lowest cube is on the ground.
    #[default]
    OnGround,
    /// The root's centre is half an edge away from a point 2 m above the ground, as in pyro-corpus. If a part extends
    /// below the ground at the start, contact forces eject the body. The distance of such a body includes its flight.
    Published,
}

/// Simulation of a body under gravity.
pub struct Simulator {
    model: Model,
    state: State,
    frames: Frames,
    contacts: Contacts,
    forces: Forces,
    inertia: Inertia,
    solver: Solver,
    motors: Motors,
}

impl Simulator {
    /// Creates a simulation of a body at rest. With [`Start::Published`], the root's centre is at (0, 0, 2) plus half
    /// an edge in the root's direction, as in the URDF file.
    pub fn new(plan: &Plan, start: Start) -> Simulator {
        let model = Model::new(plan);
        let half = plan.parts()[0].direction.vector().map(|x| f64::from(x) / 2.0);
        let height = match start {
            Start::Published => 2.0 + half[2],
            Start::OnGround => {
                let lowest = plan.parts().iter().map(|part| part.cell[2]).min().unwrap_or(0);
                0.5 - f64::from(lowest)
            }
        };
        let state = State::new(&model, [half[0], half[1], height]);
        let inertia = Inertia::new(&model);
        let mut frames = Frames::new(&model);
        frames.update(&model, &state);
        Simulator {
            contacts: Contacts::new(&model),
            forces: Forces::new(&model),
            solver: Solver::new(&model, inertia.stride),
            motors: Motors::new(&model),
            frames,
            inertia,
            state,
            model,
        }
    }

    /// Advances the simulation by [`DT`].
    pub fn step(&mut self) {
        step(self);
    }

    /// Sets the target angle of a part's joint (rad). Has no effect on rigid joints and the root.
    pub fn set_target(&mut self, part: usize, angle: f64) {
        if let Some(link) = self.model.motors[part] {
            self.motors.set(link, angle);
        }
    }

    /// Returns whether a part was in contact with the ground at the start of the last step.
    pub fn touches(&self, part: usize) -> bool {
        self.contacts.touches(part)
    }

    /// Returns the number of corners in contact with the ground at the start of the last step.
    pub fn contacts(&self) -> usize {
        self.contacts.list.len()
    }

    /// Returns the position of the root's centre (m).
    pub fn position(&self) -> [f64; 3] {
        self.state.position
    }

    /// Returns the rotation of the root as a unit quaternion, w first.
    pub fn rotation(&self) -> [f64; 4] {
        self.state.rotation
    }

    /// Returns the angle of a part's joint (rad); `None` for rigid joints and the root.
    pub fn angle(&self, part: usize) -> Option<f64> {
        self.model.motors[part].map(|link| self.state.angles[link])
    }

    /// Returns the poses of all parts.
    pub fn poses(&self) -> Vec<Pose> {
        let mut frames = Frames::new(&self.model);
        frames.update(&self.model, &self.state);
        let root = self.state.position;
        let pose = |(cube, centre): (&super::model::Cube, &[f64; 3])| Pose {
            position: [0, 1, 2].map(|k| root[k] + centre[k]),
            rotation: frames.rotations[cube.link],
        };
        self.model.cubes.iter().zip(&frames.centres).map(pose).collect()
    }

    /// Returns the number of solver iterations in the last step.
    pub fn iterations(&self) -> u32 {
        self.solver.iterations
    }

    /// Raises the body by `height` (m).
    pub fn lift(&mut self, height: f64) {
        self.state.position[2] += height;
    }

    /// Sets the velocity of the root's centre (m/s) and its angular velocity (rad/s), both in world axes.
    pub fn set_velocity(&mut self, motion: [f64; 3], turning: [f64; 3]) {
        self.state.velocities[..3].copy_from_slice(&turning);
        self.state.velocities[3..6].copy_from_slice(&motion);
    }
}

/// Simulates one step. The function is compiled for several vector register widths. The widest available one is chosen
/// at run time.
#[multiversion(targets("x86_64+avx+avx2", "aarch64+neon"))]
fn step(simulator: &mut Simulator) {
    let Simulator { model, state, frames, contacts, forces, inertia, solver, motors } = simulator;
    frames.update(model, state);
    contacts.update(model, state, frames);
    forces.update(model, state, frames);
    inertia.update(model, frames);
    for (row, bias) in inertia.inverse.chunks_exact(inertia.stride).zip(&forces.bias) {
        super::lanes::add_scaled(&mut state.velocities, -bias * DT, row);
    }
    clamp(&mut state.velocities);
    solver.solve(model, state, frames, inertia, contacts, motors);
    clamp(&mut state.velocities);
    state.advance(DT);
}

#[inline(always)]
fn clamp(velocities: &mut [f64]) {
    for velocity in velocities {
        *velocity = velocity.clamp(-MAX_VELOCITY, MAX_VELOCITY);
    }
}
