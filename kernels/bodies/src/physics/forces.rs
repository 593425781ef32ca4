//! Generalised forces that a motion without acceleration requires: weight, gyroscopic terms and damping.

use super::model::Model;
use super::state::{Frames, State};
use super::vector::{V3, add, cross, dot, norm, scale};
use super::{DAMPING, GRAVITY, MOMENT};

/// Motion of links and the sums of forces on them.
pub(super) struct Forces {
    /// Angular velocity of each link. `linear_velocity` is the velocity of the link-fixed point that coincides with
    /// the root's centre.
    angular_velocity: Vec<V3>,
    linear_velocity: Vec<V3>,
    /// Angular acceleration of each link if no degree of freedom accelerates. `motion_rate` is the corresponding
    /// linear acceleration.
    turning_rate: Vec<V3>,
    motion_rate: Vec<V3>,
    /// Moment on each link about the root's centre. `forces` is the force on each link.
    moments: Vec<V3>,
    forces: Vec<V3>,
    /// Generalised force of each degree of freedom that a motion without acceleration requires, padded to whole lanes.
    pub bias: Vec<f64>,
}

impl Forces {
    pub fn new(model: &Model) -> Forces {
        let zeros = || vec![[0.0; 3]; model.links.len()];
        Forces {
            angular_velocity: zeros(),
            linear_velocity: zeros(),
            turning_rate: zeros(),
            motion_rate: zeros(),
            moments: zeros(),
            forces: zeros(),
            bias: vec![0.0; super::lanes::padded(model.freedoms())],
        }
    }

    #[inline(always)]
    pub fn update(&mut self, model: &Model, state: &State, frames: &Frames) {
        self.propagate(model, state, frames);
        self.moments.fill([0.0; 3]);
        self.forces.fill([0.0; 3]);
        for (cube, &centre) in model.cubes.iter().zip(&frames.centres) {
            let (w, alpha) = (self.angular_velocity[cube.link], self.turning_rate[cube.link]);
            let velocity = add(self.linear_velocity[cube.link], cross(w, centre));
            let acceleration = add(add(self.motion_rate[cube.link], cross(alpha, centre)), cross(w, velocity));
            let damped = scale(velocity, DAMPING + DAMPING * norm(velocity));
            let mut force = add(acceleration, damped);
            force[2] += GRAVITY;
            // A cube's inertia is the same about all axes, so its rotation causes no gyroscopic moment.
            let moment = scale(add(alpha, scale(w, DAMPING + DAMPING * norm(w))), MOMENT);
            self.forces[cube.link] = add(self.forces[cube.link], force);
            self.moments[cube.link] = add(add(self.moments[cube.link], cross(centre, force)), moment);
        }
        for number in (1..model.links.len()).rev() {
            let (moment, force) = (self.moments[number], self.forces[number]);
            self.bias[number + 5] = dot(frames.axes[number], moment) + dot(frames.moments[number], force);
            let parent = model.links[number].parent;
            self.moments[parent] = add(self.moments[parent], moment);
            self.forces[parent] = add(self.forces[parent], force);
        }
        self.bias[..3].copy_from_slice(&self.moments[0]);
        self.bias[3..6].copy_from_slice(&self.forces[0]);
    }

    #[inline(always)]
    fn propagate(&mut self, model: &Model, state: &State, frames: &Frames) {
        let u = &state.velocities;
        let (w, v) = ([u[0], u[1], u[2]], [u[3], u[4], u[5]]);
        self.angular_velocity[0] = w;
        self.linear_velocity[0] = v;
        self.turning_rate[0] = [0.0; 3];
        // The velocity is taken at a point that is fixed in space. The root moves through this point, so the velocity
        // there changes if the root both moves and turns.
        self.motion_rate[0] = cross(v, w);
        for (number, link) in model.links.iter().enumerate().skip(1) {
            let (axis, moment, rate) = (frames.axes[number], frames.moments[number], u[number + 5]);
            let w = add(self.angular_velocity[link.parent], scale(axis, rate));
            let v = add(self.linear_velocity[link.parent], scale(moment, rate));
            self.angular_velocity[number] = w;
            self.linear_velocity[number] = v;
            self.turning_rate[number] = add(self.turning_rate[link.parent], scale(cross(w, axis), rate));
            let change = add(cross(w, moment), cross(v, axis));
            self.motion_rate[number] = add(self.motion_rate[link.parent], scale(change, rate));
        }
    }
}
