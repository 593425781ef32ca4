//! Solver for the impulses of motors, limits, contacts and friction by projected Gauss-Seidel.
//!
//! The order of rows, the error correction and the termination are those of Bullet's `btMultiBodyConstraintSolver` as
//! configured by PyBullet. The remaining error after the last iteration is therefore equal to Bullet's. Bullet
//! iterates on the velocities of all degrees of freedom. Here, an impulse on a row directly changes the target
//! impulses of the other rows ([`Coupling`]). This is faster and gives equal results up to rounding.

use super::contacts::Contacts;
use super::coupling::Coupling;
use super::inertia::Inertia;
use super::joint_row::JointRow;
use super::model::Model;
use super::motors::Motors;
use super::order;
use super::state::{Frames, State};
use super::{DT, FRICTION, ITERATIONS, LIMIT_CORRECTION, MAX_ANGLE, RESIDUAL};

/// Maximum impulse of a joint limit (N m s).
const MAX_LIMIT_IMPULSE: f64 = 100.0;
/// Minimum angle beyond a joint limit at which Bullet only stops the joint and no longer moves it back (rad).
const HARD_LIMIT: f64 = 0.04;

pub(super) struct Solver {
    joints: Vec<JointRow>,
    /// Processing order of the joint constraints. With n joints, constraints 0 to n - 1 are the limits of the joints,
    /// and constraints n to 2n - 1 are their motors.
    order: Vec<usize>,
    coupling: Coupling,
    /// Accumulated impulse of each row.
    impulses: Vec<f64>,
    /// Number of iterations in the last step.
    pub iterations: u32,
}

impl Solver {
    pub fn new(model: &Model, stride: usize) -> Solver {
        let joints = model.links.len() - 1;
        Solver {
            joints: Vec::with_capacity(2 * joints),
            order: order::bullet_order(2 * joints),
            coupling: Coupling::new(model, stride),
            impulses: Vec::new(),
            iterations: 0,
        }
    }

    /// Applies the constraint impulses of a step to the velocities.
    #[inline(always)]
    pub fn solve(
        &mut self,
        model: &Model,
        state: &mut State,
        frames: &Frames,
        inertia: &Inertia,
        contacts: &Contacts,
        motors: &Motors,
    ) {
        self.set_joints(model, state, motors);
        self.coupling.update(model, state, frames, inertia, &self.joints, &contacts.list);
        self.impulses.clear();
        self.impulses.resize(self.coupling.rows(), 0.0);
        self.iterations = 0;
        while self.iterations < ITERATIONS {
            let residual = self.iterate();
            self.iterations += 1;
            if residual <= RESIDUAL {
                break;
            }
        }
        self.coupling.apply(&self.impulses, &self.joints, inertia, &mut state.velocities);
    }

    #[inline(always)]
    fn set_joints(&mut self, model: &Model, state: &State, motors: &Motors) {
        self.joints.clear();
        let row = |link: usize, wanted: f64, low: f64, high: f64| {
            let freedom = link + 5;
            JointRow { freedom, wanted: wanted - state.velocities[freedom], low, high }
        };
        let joints = model.links.len() - 1;
        for &number in &self.order {
            if number >= joints {
                let link = number - joints + 1;
                let (wanted, most) = motors.demand(link, state.angles[link]);
                self.joints.push(row(link, wanted, -most, most));
                continue;
            }
            let link = number + 1;
            let angle = state.angles[link];
            let beyond = angle.abs() - MAX_ANGLE;
            if beyond >= 0.0 {
                let wanted = if beyond < HARD_LIMIT { LIMIT_CORRECTION * beyond / DT } else { 0.0 };
                let limit = if angle < 0.0 {
                    row(link, wanted, 0.0, MAX_LIMIT_IMPULSE)
                } else {
                    row(link, -wanted, -MAX_LIMIT_IMPULSE, 0.0)
                };
                self.joints.push(limit);
            }
        }
    }

    /// Iterates once over all rows. Returns the square of the largest velocity change.
    #[inline(always)]
    fn iterate(&mut self) -> f64 {
        let mut residual = 0.0f64;
        let joints = self.joints.len();
        for k in 0..joints {
            let number = if self.iterations % 2 == 1 { k } else { joints - 1 - k };
            let JointRow { low, high, .. } = self.joints[number];
            let next = self.coupling.target_impulses[number].clamp(low, high);
            residual = residual.max(self.set(number, next).powi(2));
        }
        for contact in 0..self.coupling.contacts {
            let number = joints + contact;
            // A contact can only push the body up, so its impulse is not negative.
            let next = self.coupling.target_impulses[number].max(0.0);
            residual = residual.max(self.set(number, next).powi(2));
        }
        for contact in 0..self.coupling.contacts {
            residual = residual.max(self.solve_friction(contact).powi(2));
        }
        residual
    }

    /// Sets the accumulated impulse of a row. Returns the change of the row's velocity.
    #[inline(always)]
    fn set(&mut self, number: usize, next: f64) -> f64 {
        let delta = next - self.impulses[number];
        if delta == 0.0 {
            return 0.0;
        }
        self.impulses[number] = next;
        self.coupling.apply_impulse(number, delta);
        delta * self.coupling.gains[number]
    }

    /// Updates the friction impulses of a contact, limited to the friction coefficient times the normal impulse.
    /// Returns the sum of the velocity changes of both friction rows.
    #[inline(always)]
    fn solve_friction(&mut self, contact: usize) -> f64 {
        let joints = self.joints.len();
        let along_x = joints + self.coupling.contacts + 2 * contact;
        let along_y = along_x + 1;
        let most = FRICTION * self.impulses[joints + contact];
        let (mut x, mut y) = (self.coupling.target_impulses[along_x], self.coupling.target_impulses[along_y]);
        let square = x * x + y * y;
        if square >= most * most {
            let share = if most > 0.0 { most / square.sqrt() } else { 0.0 };
            x *= share;
            y *= share;
        }
        let (dx, dy) = (x - self.impulses[along_x], y - self.impulses[along_y]);
        if dx == 0.0 && dy == 0.0 {
            return 0.0;
        }
        self.impulses[along_x] = x;
        self.impulses[along_y] = y;
        self.coupling.apply_friction(along_x, [dx, dy]);
        // Bullet's residual uses the sum of both friction rows, not the larger of the two.
        dx * self.coupling.gains[along_x] + dy * self.coupling.gains[along_y]
    }
}
