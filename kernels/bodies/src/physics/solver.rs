//! Impulses of motors, limits, contacts and friction by projected Gauss-Seidel over all of them, in the velocities of the
//! degrees of freedom.
//!
//! Order of rows, errors that are corrected, and the end of the iterations are those of Bullet's `btMultiBodyConstraintSolver`
//! as PyBullet sets it, so that what is not yet converged after the last iteration is of the same kind.

use super::contacts::{Contact, Contacts};
use super::inertia::Inertia;
use super::lanes::{LANES, add_scaled, dot};
use super::model::Model;
use super::motors::Motors;
use super::order;
use super::state::{Frames, State};
use super::{CONTACT_CORRECTION, DT, FRICTION, ITERATIONS, LIMIT_CORRECTION, MAX_ANGLE, RESIDUAL, SLOP};

/// Most impulse of a joint's limit, N m s.
const MAX_LIMIT_IMPULSE: f64 = 100.0;

/// A row on one joint: a motor, or a limit that is reached.
#[derive(Clone, Copy)]
struct JointRow {
    freedom: usize,
    /// Velocity that it aims at, less the one that there is.
    wanted: f64,
    /// Bounds of the impulse.
    low: f64,
    high: f64,
    /// Velocity that an impulse of 1 makes, and its reciprocal.
    gain: f64,
    mass: f64,
    impulse: f64,
}

/// The three rows of a contact: up, and along x and y.
#[derive(Clone, Copy)]
struct ContactRow {
    wanted: [f64; 3],
    gain: [f64; 3],
    mass: [f64; 3],
    impulse: [f64; 3],
}

pub(super) struct Solver {
    joints: Vec<JointRow>,
    contacts: Vec<ContactRow>,
    /// For each contact and each of its rows the velocities that count, then those that an impulse makes; for up, x, y.
    blocks: Vec<f64>,
    /// For each link that touches: what each degree of freedom moves (turning, motion), then what impulses on these do.
    links: Vec<f64>,
    needed: Vec<bool>,
    /// Order of the joints' limits, then motors.
    order: Vec<usize>,
    /// Change of velocities so far.
    change: Vec<f64>,
    /// Iterations of the last step.
    pub iterations: u32,
}

impl Solver {
    pub fn new(model: &Model, stride: usize) -> Solver {
        let links = model.links.len();
        let most = 4 * model.cubes.len();
        Solver {
            joints: Vec::with_capacity(2 * links),
            contacts: Vec::with_capacity(most),
            blocks: vec![0.0; most * 6 * stride],
            links: vec![0.0; links * 12 * stride],
            needed: vec![false; links],
            order: order::of_peer(2 * (links - 1)),
            change: vec![0.0; stride],
            iterations: 0,
        }
    }

    /// Changes the velocities by the impulses of a step.
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
        self.set_joints(model, state, inertia, motors);
        self.set_links(model, frames, inertia, &contacts.list);
        self.set_contacts(model, state, inertia.stride, &contacts.list);
        self.change.fill(0.0);
        self.iterations = 0;
        while self.iterations < ITERATIONS {
            let residual = self.iterate(inertia);
            self.iterations += 1;
            if residual <= RESIDUAL {
                break;
            }
        }
        for (velocity, change) in state.velocities.iter_mut().zip(&self.change) {
            *velocity += change;
        }
    }

    #[inline(always)]
    fn set_joints(&mut self, model: &Model, state: &State, inertia: &Inertia, motors: &Motors) {
        self.joints.clear();
        let row = |link: usize, wanted: f64, low: f64, high: f64| {
            let freedom = link + 5;
            let gain = inertia.inverse[freedom * inertia.stride + freedom];
            JointRow {
                freedom,
                wanted: wanted - state.velocities[freedom],
                low,
                high,
                gain,
                mass: 1.0 / gain,
                impulse: 0.0,
            }
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
                let wanted = if beyond < 0.04 { LIMIT_CORRECTION * beyond / DT } else { 0.0 };
                let limit = if angle < 0.0 {
                    row(link, wanted, 0.0, MAX_LIMIT_IMPULSE)
                } else {
                    row(link, -wanted, -MAX_LIMIT_IMPULSE, 0.0)
                };
                self.joints.push(limit);
            }
        }
    }

    /// Motion of the links that touch, for each degree of freedom, and what impulses on them do.
    #[inline(always)]
    fn set_links(&mut self, model: &Model, frames: &Frames, inertia: &Inertia, contacts: &[Contact]) {
        self.needed.fill(false);
        for contact in contacts {
            let mut link = model.cubes[contact.cube].link;
            while !self.needed[link] {
                self.needed[link] = true;
                link = model.links[link].parent;
            }
        }
        let stride = inertia.stride;
        let size = 12 * stride;
        for (number, link) in model.links.iter().enumerate() {
            if !self.needed[number] {
                continue;
            }
            let (before, rest) = self.links.split_at_mut(number * size);
            let block = &mut rest[..size];
            if number == 0 {
                block.fill(0.0);
                for k in 0..6 {
                    block[k * stride + k] = 1.0;
                    block[(6 + k) * stride..(7 + k) * stride].copy_from_slice(inertia.response(k));
                }
                continue;
            }
            block.copy_from_slice(&before[link.parent * size..][..size]);
            let (axis, moment, freedom) = (frames.axes[number], frames.moments[number], number + 5);
            let response = inertia.response(freedom);
            for k in 0..6 {
                let part = if k < 3 { axis[k] } else { moment[k - 3] };
                block[k * stride + freedom] = part;
                add_scaled(&mut block[(6 + k) * stride..(7 + k) * stride], part, response);
            }
        }
    }

    #[inline(always)]
    fn set_contacts(&mut self, model: &Model, state: &State, stride: usize, contacts: &[Contact]) {
        self.contacts.clear();
        for (contact, block) in contacts.iter().zip(self.blocks.chunks_exact_mut(6 * stride)) {
            let link = &self.links[model.cubes[contact.cube].link * 12 * stride..][..12 * stride];
            let (counts, acts) = link.split_at(6 * stride);
            let [x, y, z] = contact.place;
            let mut row = ContactRow { wanted: [0.0; 3], gain: [0.0; 3], mass: [0.0; 3], impulse: [0.0; 3] };
            // A point's velocity is v + w x place: up v_z + y w_x - x w_y, and so on.
            let terms = [(5, 0, 1, y, x), (3, 1, 2, z, y), (4, 2, 0, x, z)];
            for (k, (motion, plus, minus, a, b)) in terms.into_iter().enumerate() {
                let (jacobian, response) = block[2 * k * stride..2 * (k + 1) * stride].split_at_mut(stride);
                for (out, from) in [(&mut *jacobian, counts), (&mut *response, acts)] {
                    let side = |number: usize| from[number * stride..(number + 1) * stride].as_chunks::<LANES>().0;
                    let lanes = side(motion).iter().zip(side(plus)).zip(side(minus));
                    for (out, ((v, p), m)) in out.as_chunks_mut::<LANES>().0.iter_mut().zip(lanes) {
                        for lane in 0..LANES {
                            out[lane] = v[lane] + a * p[lane] - b * m[lane];
                        }
                    }
                }
                row.gain[k] = dot(jacobian, response);
                row.mass[k] = 1.0 / row.gain[k];
                row.wanted[k] = -dot(jacobian, &state.velocities);
            }
            let distance = contact.height + SLOP;
            row.wanted[0] -= if distance > 0.0 { distance / DT } else { CONTACT_CORRECTION * distance / DT };
            self.contacts.push(row);
        }
    }

    /// One pass over all rows; the square of the greatest change of a row's velocity.
    #[inline(always)]
    fn iterate(&mut self, inertia: &Inertia) -> f64 {
        let mut residual = 0.0f64;
        if self.iterations % 2 == 1 {
            for row in &mut self.joints {
                residual = residual.max(row.resolve(&mut self.change, inertia));
            }
        } else {
            for row in self.joints.iter_mut().rev() {
                residual = residual.max(row.resolve(&mut self.change, inertia));
            }
        }
        let size = 6 * inertia.stride;
        for (row, block) in self.contacts.iter_mut().zip(self.blocks.chunks_exact(size)) {
            residual = residual.max(row.push(&mut self.change, block));
        }
        for (row, block) in self.contacts.iter_mut().zip(self.blocks.chunks_exact(size)) {
            residual = residual.max(row.rub(&mut self.change, block));
        }
        residual
    }
}

impl JointRow {
    #[inline(always)]
    fn resolve(&mut self, change: &mut [f64], inertia: &Inertia) -> f64 {
        let aim = self.impulse + (self.wanted - change[self.freedom]) * self.mass;
        let next = aim.clamp(self.low, self.high);
        let delta = next - self.impulse;
        if delta == 0.0 {
            return 0.0;
        }
        self.impulse = next;
        add_scaled(change, delta, inertia.response(self.freedom));
        (delta * self.gain).powi(2)
    }
}

impl ContactRow {
    /// Pushes the corner up; never down.
    #[inline(always)]
    fn push(&mut self, change: &mut [f64], block: &[f64]) -> f64 {
        let (jacobian, response) = block[..2 * change.len()].split_at(change.len());
        let aim = self.impulse[0] + (self.wanted[0] - dot(jacobian, change)) * self.mass[0];
        let next = aim.max(0.0);
        let delta = next - self.impulse[0];
        if delta == 0.0 {
            return 0.0;
        }
        self.impulse[0] = next;
        add_scaled(change, delta, response);
        (delta * self.gain[0]).powi(2)
    }

    /// Holds the corner against sliding, by no more than the friction's share of the push.
    #[inline(always)]
    fn rub(&mut self, change: &mut [f64], block: &[f64]) -> f64 {
        let most = FRICTION * self.impulse[0];
        if most == 0.0 && self.impulse[1] == 0.0 && self.impulse[2] == 0.0 {
            return 0.0;
        }
        let stride = change.len();
        let (along_x, along_y) = block[2 * stride..].split_at(2 * stride);
        let mut x = self.impulse[1] + (self.wanted[1] - dot(&along_x[..stride], change)) * self.mass[1];
        let mut y = self.impulse[2] + (self.wanted[2] - dot(&along_y[..stride], change)) * self.mass[2];
        let square = x * x + y * y;
        if square >= most * most {
            let share = if square > 0.0 { most / square.sqrt() } else { 0.0 };
            x *= share;
            y *= share;
        }
        let (dx, dy) = (x - self.impulse[1], y - self.impulse[2]);
        self.impulse[1] = x;
        self.impulse[2] = y;
        add_scaled(change, dx, &along_x[stride..]);
        add_scaled(change, dy, &along_y[stride..]);
        // The sum, not the greater one, is what Bullet looks at.
        (dx * self.gain[1] + dy * self.gain[2]).powi(2)
    }
}
