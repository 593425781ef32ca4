//! Contacts between circles, and between circles and the arena's walls, by sequential impulses with accumulation.

use super::body::Body;
use super::model::{CONTACT_ITERATIONS, MAX_DISCS, MAX_ROBOTS, PENETRATION_CORRECTION, PENETRATION_SLOP};
use super::physics::Physics;
use crate::math::{Vec2, vec2};

const MAX_BODIES: usize = MAX_ROBOTS + MAX_DISCS;
/// A circle touches at most six others of its size, small ones around larger ones a few more; walls add two each.
const MAX_CONTACTS: usize = MAX_BODIES * 6;
/// Stands for a wall in place of a body's index.
const WALL: usize = usize::MAX;

/// One touching pair.
#[derive(Clone, Copy, Debug)]
pub struct Contact {
    a: usize,
    /// The other body, or [`WALL`].
    b: usize,
    /// From a towards b.
    normal: Vec2,
    penetration: f32,
    /// Normal velocity after the impact, from restitution.
    rebound: f32,
    normal_mass: f32,
    tangent_mass: f32,
    normal_impulse: f32,
    tangent_impulse: f32,
}

/// The contacts of one step.
#[derive(Clone, Debug)]
pub struct Contacts {
    list: [Contact; MAX_CONTACTS],
    len: usize,
}

impl Contacts {
    fn push(&mut self, contact: Contact) {
        if self.len < MAX_CONTACTS {
            self.list[self.len] = contact;
            self.len += 1;
        }
    }
}

/// Finds all contacts and changes the bodies' velocities so that they stop approaching.
pub fn solve(bodies: &mut [Body], physics: &Physics) -> Contacts {
    let mut contacts = find(bodies, physics);
    for _ in 0..CONTACT_ITERATIONS {
        for contact in &mut contacts.list[..contacts.len] {
            resolve(bodies, contact, physics.mu_bodies);
        }
    }
    contacts
}

fn find(bodies: &[Body], physics: &Physics) -> Contacts {
    const NONE: Contact = Contact {
        a: 0,
        b: 0,
        normal: Vec2::ZERO,
        penetration: 0.0,
        rebound: 0.0,
        normal_mass: 0.0,
        tangent_mass: 0.0,
        normal_impulse: 0.0,
        tangent_impulse: 0.0,
    };
    let mut contacts = Contacts { list: [NONE; MAX_CONTACTS], len: 0 };
    let (hx, hy) = physics.half_arena;
    for (i, a) in bodies.iter().enumerate() {
        let (r, at) = (a.shape.radius, a.pose.at);
        let walls = [
            (vec2(1.0, 0.0), at.x + r - hx),
            (vec2(-1.0, 0.0), -at.x + r - hx),
            (vec2(0.0, 1.0), at.y + r - hy),
            (vec2(0.0, -1.0), -at.y + r - hy),
        ];
        for (normal, penetration) in walls {
            if penetration > 0.0 {
                contacts.push(prepare(bodies, i, WALL, normal, penetration, physics.restitution));
            }
        }
        for (j, b) in bodies.iter().enumerate().skip(i + 1) {
            let between = b.pose.at - at;
            let reach = r + b.shape.radius;
            let square = between.length_squared();
            if square >= reach * reach {
                continue;
            }
            let distance = square.sqrt();
            let normal = if distance > 0.0 { between * (1.0 / distance) } else { vec2(1.0, 0.0) };
            contacts.push(prepare(bodies, i, j, normal, reach - distance, physics.restitution));
        }
    }
    contacts
}

fn prepare(bodies: &[Body], a: usize, b: usize, normal: Vec2, penetration: f32, restitution: f32) -> Contact {
    let mut normal_mass = bodies[a].shape.inverse_mass();
    let mut turning = bodies[a].shape.radius * bodies[a].shape.radius * bodies[a].shape.inverse_inertia();
    let mut velocity = -bodies[a].velocity;
    if b != WALL {
        let shape = &bodies[b].shape;
        normal_mass += shape.inverse_mass();
        turning += shape.radius * shape.radius * shape.inverse_inertia();
        velocity += bodies[b].velocity;
    }
    Contact {
        a,
        b,
        normal,
        penetration,
        rebound: -restitution * velocity.dot(normal).min(0.0),
        normal_mass: 1.0 / normal_mass,
        tangent_mass: 1.0 / (normal_mass + turning),
        normal_impulse: 0.0,
        tangent_impulse: 0.0,
    }
}

/// One pass over one contact: friction first, then the normal impulse, both accumulated and clamped.
fn resolve(bodies: &mut [Body], contact: &mut Contact, mu: f32) {
    let tangent = contact.normal.perp();
    let relative = relative_velocity(bodies, contact, tangent);
    let limit = mu * contact.normal_impulse;
    let wanted = contact.tangent_impulse - relative * contact.tangent_mass;
    let wanted = wanted.clamp(-limit, limit);
    let impulse = wanted - contact.tangent_impulse;
    contact.tangent_impulse = wanted;
    apply(bodies, contact, tangent * impulse, impulse);

    let mut approach = -bodies[contact.a].velocity;
    if contact.b != WALL {
        approach += bodies[contact.b].velocity;
    }
    let change = (contact.rebound - approach.dot(contact.normal)) * contact.normal_mass;
    let wanted = (contact.normal_impulse + change).max(0.0);
    let impulse = wanted - contact.normal_impulse;
    contact.normal_impulse = wanted;
    apply(bodies, contact, contact.normal * impulse, 0.0);
}

/// Velocity of b's surface past a's, along the tangent.
fn relative_velocity(bodies: &[Body], contact: &Contact, tangent: Vec2) -> f32 {
    let a = &bodies[contact.a];
    let mut relative = -a.velocity.dot(tangent) - a.spin * a.shape.radius;
    if contact.b != WALL {
        let b = &bodies[contact.b];
        relative += b.velocity.dot(tangent) - b.spin * b.shape.radius;
    }
    relative
}

/// Applies an impulse to b and its opposite to a; `tangential` is its part along the tangent, which also turns them.
fn apply(bodies: &mut [Body], contact: &Contact, impulse: Vec2, tangential: f32) {
    let a = &mut bodies[contact.a];
    a.velocity -= impulse * a.shape.inverse_mass();
    a.spin -= tangential * a.shape.radius * a.shape.inverse_inertia();
    if contact.b != WALL {
        let b = &mut bodies[contact.b];
        b.velocity += impulse * b.shape.inverse_mass();
        b.spin -= tangential * b.shape.radius * b.shape.inverse_inertia();
    }
}

/// Moves overlapping bodies apart by a part of the penetration that exceeds the slop.
pub fn correct_positions(bodies: &mut [Body], contacts: &Contacts) {
    for contact in &contacts.list[..contacts.len] {
        let excess = (contact.penetration - PENETRATION_SLOP).max(0.0);
        let push = contact.normal * (excess * PENETRATION_CORRECTION * contact.normal_mass);
        let inverse_mass = bodies[contact.a].shape.inverse_mass();
        bodies[contact.a].pose.at -= push * inverse_mass;
        if contact.b != WALL {
            let inverse_mass = bodies[contact.b].shape.inverse_mass();
            bodies[contact.b].pose.at += push * inverse_mass;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::body::{Pose, Shape};
    use super::*;

    fn pair(va: Vec2, vb: Vec2) -> Vec<Body> {
        let mut a = Body::at_rest(Shape::ROBOT, Pose::default());
        let mut b = Body::at_rest(Shape::ROBOT, Pose { at: vec2(0.0749, 0.0), heading: 0.0 });
        (a.velocity, b.velocity) = (va, vb);
        vec![a, b]
    }

    #[test]
    fn head_on_impact_keeps_momentum_and_rebounds_by_restitution() {
        let mut bodies = pair(vec2(0.1, 0.0), vec2(-0.05, 0.0));
        solve(&mut bodies, &Physics::default());
        let (a, b) = (bodies[0].velocity.x, bodies[1].velocity.x);
        assert!((a + b - 0.05).abs() < 1e-6, "momentum: {a} + {b}");
        assert!((b - a - 0.1 * 0.15).abs() < 1e-5, "rebound: {}", b - a);
    }

    #[test]
    fn grazing_impact_turns_bodies_within_the_friction_cone() {
        let mut bodies = pair(vec2(0.1, 0.1), vec2(0.0, 0.0));
        solve(&mut bodies, &Physics::default());
        let normal = 0.3 * (0.1 - bodies[0].velocity.x);
        let tangential = 0.3 * (0.1 - bodies[0].velocity.y);
        assert!(tangential > 0.0 && tangential <= 0.15 * normal * 1.0001, "{tangential} of {normal}");
        assert!(bodies[0].spin < 0.0 && (bodies[0].spin - bodies[1].spin).abs() < 1e-4, "both turn clockwise");
    }

    #[test]
    fn separating_bodies_are_left_alone() {
        let mut bodies = pair(vec2(-0.1, 0.0), vec2(0.1, 0.0));
        let before = bodies.clone();
        solve(&mut bodies, &Physics::default());
        assert_eq!(bodies, before);
    }

    #[test]
    fn penetration_shrinks_to_the_slop() {
        let mut bodies = pair(Vec2::ZERO, Vec2::ZERO);
        bodies[1].pose.at.x = 0.06;
        for _ in 0..40 {
            let contacts = solve(&mut bodies, &Physics::default());
            correct_positions(&mut bodies, &contacts);
        }
        let gap = bodies[1].pose.at.x - bodies[0].pose.at.x - 0.075;
        assert!((-0.00051..-0.00049).contains(&gap), "{gap}");
    }
}
