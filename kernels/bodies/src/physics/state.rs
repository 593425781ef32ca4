//! State of a body: positions and velocities.

use super::lanes::padded;
use super::model::Model;
use super::vector::{V3, cross, norm, rotate};

/// Positions and velocities of all degrees of freedom.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct State {
    /// Centre of the root's cube (m).
    pub position: V3,
    /// Rotation of the first link as a unit quaternion, w first.
    pub rotation: [f64; 4],
    /// Angle of each link's joint (rad); unused for the first link.
    pub angles: Vec<f64>,
    /// Velocities of the degrees of freedom: angular velocity of the first link in world axes (rad/s), velocity of the
    /// root's centre (m/s), then joint rates (rad/s). The vector is padded to whole lanes with zeros.
    pub velocities: Vec<f64>,
}

/// Maximum velocity of a degree of freedom (rad/s or m/s), as in Bullet.
pub(super) const MAX_VELOCITY: f64 = 100.0;
/// Maximum rotation of the first link in a step (rad), as in Bullet.
const MAX_TURN: f64 = std::f64::consts::FRAC_PI_4;

impl State {
    pub fn new(model: &Model, position: V3) -> State {
        let velocities = vec![0.0; padded(model.freedoms())];
        State { position, rotation: [1.0, 0.0, 0.0, 0.0], angles: vec![0.0; model.links.len()], velocities }
    }

    /// Integrates the velocities over `dt` (s).
    #[inline(always)]
    pub fn advance(&mut self, dt: f64) {
        let velocities = &self.velocities;
        for k in 0..3 {
            self.position[k] += dt * velocities[3 + k];
        }
        self.rotation = turned(self.rotation, [velocities[0], velocities[1], velocities[2]], dt);
        for (angle, rate) in self.angles[1..].iter_mut().zip(&velocities[6..]) {
            *angle += dt * rate;
        }
    }
}

/// Returns the rotation `q` after turning with the angular velocity `omega` (rad/s, world axes) for `dt` (s).
#[inline(always)]
fn turned(q: [f64; 4], omega: V3, dt: f64) -> [f64; 4] {
    let rate = norm(omega);
    let half = 0.5 * (rate * dt).min(MAX_TURN);
    if rate == 0.0 {
        return q;
    }
    let (sine, cosine) = libm::sincos(half);
    let axis = omega.map(|x| x * sine / rate);
    let [w, x, y, z] = q;
    let c = cross(axis, [x, y, z]);
    let out = [
        cosine * w - (axis[0] * x + axis[1] * y + axis[2] * z),
        cosine * x + axis[0] * w + c[0],
        cosine * y + axis[1] * w + c[1],
        cosine * z + axis[2] * w + c[2],
    ];
    let length = (out[0] * out[0] + out[1] * out[1] + out[2] * out[2] + out[3] * out[3]).sqrt();
    out.map(|x| x / length)
}

/// Returns the columns of the rotation matrix of the unit quaternion `q`.
#[inline(always)]
pub(super) fn columns(q: [f64; 4]) -> [V3; 3] {
    let [w, x, y, z] = q;
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)],
        [2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)],
        [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
}

/// Poses of links, joints and cubes. Positions are relative to the root's centre (m). All vectors are in world axes.
pub(super) struct Frames {
    /// Columns of each link's rotation matrix.
    pub rotations: Vec<[V3; 3]>,
    /// Position of each link's joint.
    pub origins: Vec<V3>,
    /// Axis of each joint, as a unit vector.
    pub axes: Vec<V3>,
    /// Effect of each joint on the velocity of its link. The velocity is that of the link-fixed point at the root's
    /// centre, for a joint rate of 1 rad/s (m/s).
    pub moments: Vec<V3>,
    /// Centres of the cubes.
    pub centres: Vec<V3>,
}

impl Frames {
    pub fn new(model: &Model) -> Frames {
        let links = model.links.len();
        let zeros = vec![[0.0; 3]; links];
        Frames {
            rotations: vec![[[0.0; 3]; 3]; links],
            origins: zeros.clone(),
            axes: zeros.clone(),
            moments: zeros,
            centres: vec![[0.0; 3]; model.cubes.len()],
        }
    }

    #[inline(always)]
    pub fn update(&mut self, model: &Model, state: &State) {
        self.rotations[0] = columns(state.rotation);
        for (number, link) in model.links.iter().enumerate().skip(1) {
            let parent = self.rotations[link.parent];
            let offset = rotate(&parent, link.joint);
            let from = self.origins[link.parent];
            let origin = [0, 1, 2].map(|k| from[k] + offset[k]);
            let (sine, cosine) = libm::sincos(state.angles[number]);
            let (second, third) = ((link.axis + 1) % 3, (link.axis + 2) % 3);
            let mut turned = parent;
            turned[second] = [0, 1, 2].map(|k| cosine * parent[second][k] + sine * parent[third][k]);
            turned[third] = [0, 1, 2].map(|k| cosine * parent[third][k] - sine * parent[second][k]);
            self.rotations[number] = turned;
            self.origins[number] = origin;
            self.axes[number] = parent[link.axis];
            self.moments[number] = cross(origin, parent[link.axis]);
        }
        for (centre, cube) in self.centres.iter_mut().zip(&model.cubes) {
            let offset = rotate(&self.rotations[cube.link], cube.centre);
            let from = self.origins[cube.link];
            *centre = [0, 1, 2].map(|k| from[k] + offset[k]);
        }
    }
}
