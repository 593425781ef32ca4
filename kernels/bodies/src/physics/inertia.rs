//! Joint-space inertia matrix (composite-rigid-body algorithm), its factorisation along the tree, and its inverse
//! (Featherstone, Rigid Body Dynamics Algorithms, 2008, chapters 6 and 8).

use super::MOMENT;
use super::lanes::{LANES, add_scaled, padded, scale};
use super::model::Model;
use super::state::Frames;
use super::vector::{V3, add, cross, dot};

/// Inertia of a link with all its descendants: mass, first moment of mass, and moments of inertia about the root's
/// centre (xx, yy, zz, xy, xz, yz).
#[derive(Clone, Copy, Default)]
struct Composite {
    mass: f64,
    first: V3,
    second: [f64; 6],
}

impl Composite {
    /// Returns the moment about the root's centre, and the force. The link moves with the angular motion `w` and with
    /// the linear motion `v` of its point at the root's centre.
    #[inline(always)]
    fn momentum(&self, w: V3, v: V3) -> (V3, V3) {
        let [xx, yy, zz, xy, xz, yz] = self.second;
        let turned =
            [xx * w[0] + xy * w[1] + xz * w[2], xy * w[0] + yy * w[1] + yz * w[2], xz * w[0] + yz * w[1] + zz * w[2]];
        let moment = add(turned, cross(self.first, v));
        let force = add(v.map(|x| x * self.mass), cross(w, self.first));
        (moment, force)
    }
}

pub(super) struct Inertia {
    composites: Vec<Composite>,
    /// Rows of the inertia matrix. The row of a degree of freedom has the entries of its ancestors in order, then its
    /// own entry. `starts` holds the index of each row's first entry.
    rows: Vec<f64>,
    starts: Vec<usize>,
    /// Inverse of the inertia matrix: one row per degree of freedom, padded to whole lanes with zeros.
    pub inverse: Vec<f64>,
    /// Row length of `inverse`.
    pub stride: usize,
}

impl Inertia {
    pub fn new(model: &Model) -> Inertia {
        let n = model.freedoms();
        let mut starts = Vec::with_capacity(n);
        let mut length = 0;
        for ancestors in &model.ancestors {
            starts.push(length);
            length += ancestors.len() + 1;
        }
        let stride = padded(n);
        Inertia {
            composites: vec![Composite::default(); model.links.len()],
            rows: vec![0.0; length],
            starts,
            inverse: vec![0.0; n * stride],
            stride,
        }
    }

    #[inline(always)]
    pub fn update(&mut self, model: &Model, frames: &Frames) {
        self.assemble(model, frames);
        self.factor(model);
        self.invert(model);
    }

    /// Returns a row of the inverse: the velocity changes per unit impulse on one degree of freedom.
    #[inline(always)]
    pub fn response(&self, freedom: usize) -> &[f64] {
        &self.inverse[freedom * self.stride..(freedom + 1) * self.stride]
    }

    #[inline(always)]
    fn assemble(&mut self, model: &Model, frames: &Frames) {
        self.composites.fill(Composite::default());
        for (cube, &[x, y, z]) in model.cubes.iter().zip(&frames.centres) {
            let sum = &mut self.composites[cube.link];
            sum.mass += 1.0;
            sum.first = add(sum.first, [x, y, z]);
            let add = [MOMENT + y * y + z * z, MOMENT + x * x + z * z, MOMENT + x * x + y * y, -x * y, -x * z, -y * z];
            for (sum, add) in sum.second.iter_mut().zip(add) {
                *sum += add;
            }
        }
        for number in (1..model.links.len()).rev() {
            let Composite { mass, first, second } = self.composites[number];
            let parent = &mut self.composites[model.links[number].parent];
            parent.mass += mass;
            parent.first = add(parent.first, first);
            for (sum, add) in parent.second.iter_mut().zip(second) {
                *sum += add;
            }
        }
        for number in 1..model.links.len() {
            let (moment, force) = self.composites[number].momentum(frames.axes[number], frames.moments[number]);
            let freedom = number + 5;
            let ancestors = &model.ancestors[freedom];
            let row = &mut self.rows[self.starts[freedom]..][..ancestors.len() + 1];
            row[..3].copy_from_slice(&moment);
            row[3..6].copy_from_slice(&force);
            for (entry, &ancestor) in row[6..].iter_mut().zip(ancestors[6..].iter().chain([&freedom])) {
                *entry = dot(frames.axes[ancestor - 5], moment) + dot(frames.moments[ancestor - 5], force);
            }
        }
        let Composite { mass, first: [x, y, z], second: [xx, yy, zz, xy, xz, yz] } = self.composites[0];
        let base = [
            xx, //
            xy, yy, //
            xz, yz, zz, //
            0.0, z, -y, mass, //
            -z, 0.0, x, 0.0, mass, //
            y, -x, 0.0, 0.0, 0.0, mass,
        ];
        self.rows[..21].copy_from_slice(&base);
    }

    /// Factors M = L^T L. Entries of L replace those of M. On the diagonal, the reciprocals of L's entries are stored.
    #[inline(always)]
    fn factor(&mut self, model: &Model) {
        for k in (0..model.ancestors.len()).rev() {
            let ancestors = &model.ancestors[k];
            let (before, rest) = self.rows.split_at_mut(self.starts[k]);
            let row = &mut rest[..ancestors.len() + 1];
            let reciprocal = 1.0 / row[ancestors.len()].sqrt();
            for entry in &mut row[..ancestors.len()] {
                *entry *= reciprocal;
            }
            row[ancestors.len()] = reciprocal;
            // The ancestors of the i-th ancestor are the first i ancestors.
            for (i, &ancestor) in ancestors.iter().enumerate() {
                let factor = row[i];
                for (entry, x) in before[self.starts[ancestor]..][..=i].iter_mut().zip(&row[..=i]) {
                    *entry -= factor * x;
                }
            }
        }
    }

    /// Solves L^T L X = I for the upper triangle of the inverse X, in whole lanes. I is the identity matrix. X is
    /// symmetric, so the lower triangle is copied from the upper triangle.
    #[inline(always)]
    fn invert(&mut self, model: &Model) {
        let (n, stride) = (model.ancestors.len(), self.stride);
        self.inverse.fill(0.0);
        for k in (0..n).rev() {
            let ancestors = &model.ancestors[k];
            let from = k / LANES * LANES;
            let (before, rest) = self.inverse.split_at_mut(k * stride);
            let row = &mut rest[from..stride];
            let entries = &self.rows[self.starts[k]..][..=ancestors.len()];
            row[k - from] += 1.0;
            scale(row, entries[ancestors.len()]);
            for (&ancestor, entry) in ancestors.iter().zip(entries) {
                add_scaled(&mut before[ancestor * stride + from..][..stride - from], -entry, row);
            }
        }
        for k in 0..n {
            let ancestors = &model.ancestors[k];
            let from = k / LANES * LANES;
            let (before, rest) = self.inverse.split_at_mut(k * stride);
            let row = &mut rest[from..stride];
            let entries = &self.rows[self.starts[k]..][..=ancestors.len()];
            for (&ancestor, entry) in ancestors.iter().zip(entries) {
                add_scaled(row, -entry, &before[ancestor * stride + from..][..stride - from]);
            }
            scale(row, entries[ancestors.len()]);
        }
        for row in 1..n {
            for column in 0..row {
                self.inverse[row * stride + column] = self.inverse[column * stride + row];
            }
        }
    }
}
