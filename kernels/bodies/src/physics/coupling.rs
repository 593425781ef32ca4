//! Interaction between constraint rows.
//!
//! The target impulse of a row is the impulse that would give the row its target velocity if all other rows were
//! unchanged. An impulse on one row changes the target impulses of all other rows, but not its own.

use super::contacts::Contact;
use super::inertia::Inertia;
use super::joint_row::JointRow;
use super::lanes::{LANES, add_scaled, padded};
use super::model::Model;
use super::state::{Frames, State};
use super::vector::{V3, add, scale};
use super::{CONTACT_CORRECTION, DT, SLOP};

/// Terms of a contact point's velocity `v + w x place` in the directions up, x and y. `w` is the angular velocity of
/// the point's link (indices 0 to 2), and `v` is its linear velocity (3 to 5).
///
/// Each entry has the index of a component of `v`, the indices of an added and a subtracted component of `w`, and the
/// indices of the coordinates of `place` by which these two components are multiplied.
const TERMS: [(usize, usize, usize, usize, usize); 3] = [(5, 0, 1, 1, 0), (3, 1, 2, 2, 1), (4, 2, 0, 0, 2)];

/// Coupling of the rows in this order: joints, normal impulses of contacts, then friction along x and y for each
/// contact.
pub(super) struct Coupling {
    pub contacts: usize,
    /// Target impulse of each row: the row's impulse if all other rows were unchanged.
    pub target_impulses: Vec<f64>,
    /// Velocity change of each row per unit impulse on the same row.
    pub gains: Vec<f64>,
    /// Reduction of all other rows' target impulses per unit impulse on a row, stored row by row.
    matrix: Vec<f64>,
    /// Row length of `matrix`.
    stride: usize,
    /// Velocity changes of all degrees of freedom per unit impulse on a contact row. Each contact has three rows.
    responses: Vec<f64>,
    /// Velocity change of each degree of freedom per unit impulse on each row, ordered by degree of freedom.
    by_freedom: Vec<f64>,
    /// Whether each link is in contact or is an ancestor of a link in contact.
    is_active: Vec<bool>,
    /// Angular and linear velocity of each active link. An impulse on a link has six components. For each component,
    /// `link_responses` holds the velocity changes of all degrees of freedom per unit impulse.
    velocities: Vec<[V3; 2]>,
    link_responses: Vec<f64>,
    /// Changes of the six velocity components of each active link, per unit impulse on each row.
    by_link: Vec<f64>,
    masses: Vec<f64>,
}

impl Coupling {
    pub fn new(model: &Model, freedoms: usize) -> Coupling {
        let links = model.links.len();
        Coupling {
            contacts: 0,
            target_impulses: Vec::new(),
            gains: Vec::new(),
            matrix: Vec::new(),
            stride: 0,
            responses: Vec::new(),
            by_freedom: Vec::new(),
            is_active: vec![false; links],
            velocities: vec![[[0.0; 3]; 2]; links],
            link_responses: vec![0.0; links * 6 * freedoms],
            by_link: Vec::new(),
            masses: Vec::new(),
        }
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.gains.len()
    }

    /// Updates the target impulses of the other rows for an impulse on a row.
    #[inline(always)]
    pub fn apply_impulse(&mut self, row: usize, impulse: f64) {
        add_scaled(&mut self.target_impulses, -impulse, &self.matrix[row * self.stride..(row + 1) * self.stride]);
    }

    /// Updates the target impulses for impulses on both friction rows of a contact. `row` is the first of these rows.
    #[inline(always)]
    pub fn apply_friction(&mut self, row: usize, impulses: [f64; 2]) {
        let (first, second) = self.matrix[row * self.stride..(row + 2) * self.stride].split_at(self.stride);
        let both = first.as_chunks::<LANES>().0.iter().zip(second.as_chunks::<LANES>().0);
        for (aims, (first, second)) in self.target_impulses.as_chunks_mut::<LANES>().0.iter_mut().zip(both) {
            for lane in 0..LANES {
                aims[lane] -= impulses[0] * first[lane] + impulses[1] * second[lane];
            }
        }
    }

    #[inline(always)]
    pub fn update(
        &mut self,
        model: &Model,
        state: &State,
        frames: &Frames,
        inertia: &Inertia,
        joints: &[JointRow],
        contacts: &[Contact],
    ) {
        let rows = joints.len() + 3 * contacts.len();
        self.contacts = contacts.len();
        self.stride = padded(rows);
        if rows == 0 {
            self.gains.clear();
            return;
        }
        self.set_links(model, state, frames, inertia, contacts);
        self.set_responses(model, inertia, joints, contacts);
        self.set_by_link(model, frames);
        self.set_matrix(model, joints, contacts, rows);
        self.set_aims(model, joints, contacts);
    }

    /// Adds the velocity changes caused by the impulses of all rows to `velocities`.
    #[inline(always)]
    pub fn apply(&self, impulses: &[f64], joints: &[JointRow], inertia: &Inertia, velocities: &mut [f64]) {
        for (row, impulse) in joints.iter().zip(impulses) {
            if *impulse != 0.0 {
                add_scaled(velocities, *impulse, inertia.response(row.freedom));
            }
        }
        for (contact, three) in self.responses.chunks_exact(3 * inertia.stride).take(self.contacts).enumerate() {
            for (k, response) in three.chunks_exact(inertia.stride).enumerate() {
                let impulse = impulses[self.row_of(joints.len(), contact, k)];
                if impulse != 0.0 {
                    add_scaled(velocities, impulse, response);
                }
            }
        }
    }

    /// Returns the row of a contact's normal impulse (`k` = 0), or of its friction along x (1) or y (2).
    #[inline(always)]
    fn row_of(&self, joints: usize, contact: usize, k: usize) -> usize {
        if k == 0 { joints + contact } else { joints + self.contacts + 2 * contact + k - 1 }
    }

    #[inline(always)]
    fn set_links(&mut self, model: &Model, state: &State, frames: &Frames, inertia: &Inertia, contacts: &[Contact]) {
        self.is_active.fill(false);
        for contact in contacts {
            let mut link = model.cubes[contact.cube].link;
            while !self.is_active[link] {
                self.is_active[link] = true;
                link = model.links[link].parent;
            }
        }
        let size = 6 * inertia.stride;
        let u = &state.velocities;
        for (number, link) in model.links.iter().enumerate() {
            if !self.is_active[number] {
                continue;
            }
            let (before, rest) = self.link_responses.split_at_mut(number * size);
            let block = &mut rest[..size];
            if number == 0 {
                block.copy_from_slice(&inertia.inverse[..size]);
                self.velocities[0] = [[u[0], u[1], u[2]], [u[3], u[4], u[5]]];
                continue;
            }
            block.copy_from_slice(&before[link.parent * size..][..size]);
            let (axis, moment, freedom) = (frames.axes[number], frames.moments[number], number + 5);
            let response = inertia.response(freedom);
            for (k, part) in axis.into_iter().chain(moment).enumerate() {
                add_scaled(&mut block[k * inertia.stride..(k + 1) * inertia.stride], part, response);
            }
            let [turning, motion] = self.velocities[link.parent];
            self.velocities[number] = [add(turning, scale(axis, u[freedom])), add(motion, scale(moment, u[freedom]))];
        }
    }

    #[inline(always)]
    fn set_responses(&mut self, model: &Model, inertia: &Inertia, joints: &[JointRow], contacts: &[Contact]) {
        let (freedoms, stride) = (inertia.stride, self.stride);
        let n = model.freedoms();
        self.responses.resize(3 * freedoms * contacts.len(), 0.0);
        self.by_freedom.clear();
        self.by_freedom.resize(n * stride, 0.0);
        for (column, row) in joints.iter().enumerate() {
            let response = inertia.response(row.freedom);
            for (freedom, value) in response[..n].iter().enumerate() {
                self.by_freedom[freedom * stride + column] = *value;
            }
        }
        for (number, contact) in contacts.iter().enumerate() {
            let link = &self.link_responses[model.cubes[contact.cube].link * 6 * freedoms..][..6 * freedoms];
            for k in 0..3 {
                let out = &mut self.responses[(3 * number + k) * freedoms..][..freedoms];
                combine(out, link, contact.place, k);
            }
            for k in 0..3 {
                let column = self.row_of(joints.len(), number, k);
                let response = &self.responses[(3 * number + k) * freedoms..][..n];
                for (freedom, value) in response.iter().enumerate() {
                    self.by_freedom[freedom * stride + column] = *value;
                }
            }
        }
    }

    #[inline(always)]
    fn set_by_link(&mut self, model: &Model, frames: &Frames) {
        let stride = self.stride;
        let size = 6 * stride;
        self.by_link.resize(model.links.len() * size, 0.0);
        for (number, link) in model.links.iter().enumerate() {
            if !self.is_active[number] {
                continue;
            }
            let (before, rest) = self.by_link.split_at_mut(number * size);
            let block = &mut rest[..size];
            if number == 0 {
                block.copy_from_slice(&self.by_freedom[..size]);
                continue;
            }
            block.copy_from_slice(&before[link.parent * size..][..size]);
            let row = &self.by_freedom[(number + 5) * stride..][..stride];
            for (k, part) in frames.axes[number].into_iter().chain(frames.moments[number]).enumerate() {
                add_scaled(&mut block[k * stride..(k + 1) * stride], part, row);
            }
        }
    }

    #[inline(always)]
    fn set_matrix(&mut self, model: &Model, joints: &[JointRow], contacts: &[Contact], rows: usize) {
        let stride = self.stride;
        self.matrix.resize(rows * stride, 0.0);
        for (number, row) in joints.iter().enumerate() {
            self.matrix[number * stride..(number + 1) * stride]
                .copy_from_slice(&self.by_freedom[row.freedom * stride..][..stride]);
        }
        for (number, contact) in contacts.iter().enumerate() {
            for k in 0..3 {
                let row = self.row_of(joints.len(), number, k);
                let link = &self.by_link[model.cubes[contact.cube].link * 6 * stride..][..6 * stride];
                combine(&mut self.matrix[row * stride..(row + 1) * stride], link, contact.place, k);
            }
        }
        self.gains.clear();
        self.gains.extend((0..rows).map(|row| self.matrix[row * stride + row]));
        self.masses.clear();
        self.masses.extend(self.gains.iter().map(|gain| 1.0 / gain));
        self.masses.resize(stride, 0.0);
        for (number, row) in self.matrix.chunks_exact_mut(stride).take(rows).enumerate() {
            for (entries, masses) in row.as_chunks_mut::<LANES>().0.iter_mut().zip(self.masses.as_chunks::<LANES>().0) {
                for lane in 0..LANES {
                    entries[lane] *= masses[lane];
                }
            }
            row[number] = 0.0;
        }
    }

    #[inline(always)]
    fn set_aims(&mut self, model: &Model, joints: &[JointRow], contacts: &[Contact]) {
        self.target_impulses.clear();
        self.target_impulses.resize(self.stride, 0.0);
        for (number, row) in joints.iter().enumerate() {
            self.target_impulses[number] = row.wanted * self.masses[number];
        }
        for (number, contact) in contacts.iter().enumerate() {
            let [w, v] = self.velocities[model.cubes[contact.cube].link];
            let link = [w[0], w[1], w[2], v[0], v[1], v[2]];
            for (k, (motion, plus, minus, a, b)) in TERMS.into_iter().enumerate() {
                let mut wanted = -(link[motion] + contact.place[a] * link[plus] - contact.place[b] * link[minus]);
                if k == 0 {
                    let distance = contact.height + SLOP;
                    wanted -= if distance > 0.0 { distance / DT } else { CONTACT_CORRECTION * distance / DT };
                }
                let row = self.row_of(joints.len(), number, k);
                self.target_impulses[row] = wanted * self.masses[row];
            }
        }
    }
}

/// Computes the row of a contact point in direction `k` (0 up, 1 x, 2 y) from the six rows of the point's link. The
/// first three rows are for rotation, and the last three are for translation.
#[inline(always)]
fn combine(out: &mut [f64], link: &[f64], place: V3, k: usize) {
    let (motion, plus, minus, a, b) = TERMS[k];
    let (a, b) = (place[a], place[b]);
    let stride = out.len();
    let side = |number: usize| link[number * stride..(number + 1) * stride].as_chunks::<LANES>().0;
    let lanes = side(motion).iter().zip(side(plus)).zip(side(minus));
    for (out, ((v, p), m)) in out.as_chunks_mut::<LANES>().0.iter_mut().zip(lanes) {
        for lane in 0..LANES {
            out[lane] = v[lane] + a * p[lane] - b * m[lane];
        }
    }
}
