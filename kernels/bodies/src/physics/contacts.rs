//! Contacts between the corners of cubes and the ground. As in Bullet, a rising corner stays in contact for a short
//! distance, as long as another corner of the same cube touches the ground.

use super::model::Model;
use super::order;
use super::state::{Frames, State};
use super::vector::V3;

/// Maximum distance that a corner in contact may rise above the ground, or slide from its last contact point (m). It
/// is a fiftieth of the radius of the cube's circumscribed sphere.
const BREAKING_DISTANCE: f64 = 0.02 * 0.866_025_403_784_438_6;
/// Half the edge of a cube (m).
const HALF: f64 = 0.5;
/// Maximum number of contacts of a cube.
const MAX_CONTACTS: usize = 4;

/// Corner in contact with the ground. The contact may last for a short distance after the corner rises.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Contact {
    pub cube: usize,
    /// Position of the corner relative to the root's centre (m).
    pub place: V3,
    /// Height above the ground (m); negative below the ground.
    pub height: f64,
}

/// Corner in a manifold: number of the corner, and horizontal position of its last contact (m).
#[derive(Clone, Copy)]
struct ContactPoint {
    corner: u8,
    anchor: [f64; 2],
}

#[derive(Clone, Copy)]
struct Manifold {
    held: [ContactPoint; MAX_CONTACTS],
    count: usize,
}

/// Contacts of all cubes with the ground.
pub(super) struct Contacts {
    manifolds: Vec<Manifold>,
    /// Cubes in contact. A new cube is added at the end. When a cube is removed, the last cube takes its place. `order`
    /// lists the indices into `touching` in processing order.
    touching: Vec<usize>,
    order: Vec<usize>,
    /// Contacts of the current step, grouped by cube.
    pub list: Vec<Contact>,
}

impl Contacts {
    pub fn new(model: &Model) -> Contacts {
        let empty = Manifold { held: [ContactPoint { corner: 0, anchor: [0.0; 2] }; MAX_CONTACTS], count: 0 };
        let cubes = model.cubes.len();
        Contacts {
            manifolds: vec![empty; cubes],
            touching: Vec::with_capacity(cubes),
            order: Vec::new(),
            list: Vec::with_capacity(MAX_CONTACTS * cubes),
        }
    }

    /// Returns whether a cube is in contact with the ground.
    pub fn touches(&self, cube: usize) -> bool {
        self.manifolds[cube].count > 0
    }

    #[inline(always)]
    pub fn update(&mut self, model: &Model, state: &State, frames: &Frames) {
        self.list.clear();
        let ground = -state.position[2];
        for (number, manifold) in self.manifolds.iter_mut().enumerate() {
            let rotation = &frames.rotations[model.cubes[number].link];
            let centre = frames.centres[number];
            let downward = rotation.map(|column| column[2]);
            let reach = HALF * (downward[0].abs() + downward[1].abs() + downward[2].abs());
            if centre[2] - reach > ground {
                if manifold.count > 0 {
                    manifold.count = 0;
                    swap_remove_value(&mut self.touching, number);
                }
                continue;
            }
            if manifold.count == 0 {
                self.touching.push(number);
            }
            let corner = |number: u8| corner_of(rotation, centre, number);
            manifold.add_face(downward, ground, corner);
            manifold.drop_broken(ground, corner);
        }
        if self.order.len() != self.touching.len() {
            self.order = order::bullet_order(self.touching.len());
        }
        for &at in &self.order {
            let number = self.touching[at];
            let manifold = &self.manifolds[number];
            let (rotation, centre) = (&frames.rotations[model.cubes[number].link], frames.centres[number]);
            for held in &manifold.held[..manifold.count] {
                let place = corner_of(rotation, centre, held.corner);
                self.list.push(Contact { cube: number, place, height: place[2] - ground });
            }
        }
    }
}

/// Removes a number from a list. The last entry of the list takes its place.
fn swap_remove_value(list: &mut Vec<usize>, number: usize) {
    if let Some(at) = list.iter().position(|&other| other == number) {
        list.swap_remove(at);
    }
}

/// Returns the position of a corner. Bit k of `corner` is set if the corner is on the positive side of the cube's axis
/// k.
#[inline(always)]
fn corner_of(rotation: &[V3; 3], centre: V3, corner: u8) -> V3 {
    let mut place = centre;
    for (axis, column) in rotation.iter().enumerate() {
        let side = if corner >> axis & 1 == 1 { HALF } else { -HALF };
        for k in 0..3 {
            place[k] += side * column[k];
        }
    }
    place
}

impl Manifold {
    /// Adds each corner of the lowest face, unless the corner is above the ground.
    #[inline(always)]
    fn add_face(&mut self, downward: V3, ground: f64, corner: impl Fn(u8) -> V3) {
        let mut lowest = 0;
        for axis in 1..3 {
            if downward[axis].abs() > downward[lowest].abs() {
                lowest = axis;
            }
        }
        let side = u8::from(downward[lowest] < 0.0) << lowest;
        let (first, second) = if lowest == 0 { (1, 2) } else { (0, 3 - lowest) };
        // Visits the corners around the face in the order of Bullet's clipping.
        for (along_first, along_second) in [(0, 0), (0, 1), (1, 1), (1, 0)] {
            let number = side | along_first << first | along_second << second;
            let place = corner(number);
            if place[2] > ground {
                continue;
            }
            let held = ContactPoint { corner: number, anchor: [place[0], place[1]] };
            match self.held[..self.count].iter().position(|held| held.corner == number) {
                Some(at) => self.held[at] = held,
                None if self.count < MAX_CONTACTS => {
                    self.held[self.count] = held;
                    self.count += 1;
                }
                // In a full manifold, the corner replaces a corner that is not on the lowest face.
                None => {
                    if let Some(at) = self.held.iter().position(|held| (held.corner ^ side) >> lowest & 1 == 1) {
                        self.held[at] = held;
                    }
                }
            }
        }
    }

    /// Removes corners that have risen or slid by more than [`BREAKING_DISTANCE`] since their last contact.
    #[inline(always)]
    fn drop_broken(&mut self, ground: f64, corner: impl Fn(u8) -> V3) {
        for at in (0..self.count).rev() {
            let ContactPoint { corner: number, anchor } = self.held[at];
            let [x, y, z] = corner(number);
            let slid = (x - anchor[0]).powi(2) + (y - anchor[1]).powi(2);
            if z - ground > BREAKING_DISTANCE || slid > BREAKING_DISTANCE * BREAKING_DISTANCE {
                self.count -= 1;
                self.held[at] = self.held[self.count];
            }
        }
    }
}
