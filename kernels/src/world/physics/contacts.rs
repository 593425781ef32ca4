//! Contacts between circles, and between circles and walls, by sequential impulses with accumulation.
//!
//! The solver knows movements and pairs of masses, not bodies, so that every engine can use it on its own layout.

use super::parameters::Physics;
use crate::math::{Vec2, max, min, vec2};
use crate::model::{
    CONTACT_ITERATIONS, PENETRATION_CORRECTION, PENETRATION_SLOP, ROBOT_RADIUS, SMALL_WORLD, most_contacts,
};
use crate::world::body::{Body, Shape};
use crate::world::grid::Grid;

/// What contacts change about a body. A list of them has a last one, never moving, for the walls.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Movement {
    /// Velocity, m/s.
    pub velocity: Vec2,
    /// Turning speed, rad/s.
    pub spin: f32,
}

/// The movements of all bodies, and after them of the walls.
pub(crate) type Movements = [Movement];

/// What the shapes of two touching bodies say about their contact; a wall weighs infinitely much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pair {
    inverse_mass: [f32; 2],
    radius: [f32; 2],
    /// Turn for a unit of tangential impulse, 1/(kg m).
    turn: [f32; 2],
    normal_mass: f32,
    tangent_mass: f32,
}

impl Pair {
    /// The pair of a body and another, or a wall.
    pub fn of(a: &Shape, b: Option<&Shape>) -> Pair {
        let side = |s: &Shape| (s.inverse_mass(), s.radius, s.radius * s.inverse_inertia());
        let ((mass_a, radius_a, turn_a), (mass_b, radius_b, turn_b)) = (side(a), b.map_or((0.0, 0.0, 0.0), side));
        let inverse = mass_a + mass_b;
        Pair {
            inverse_mass: [mass_a, mass_b],
            radius: [radius_a, radius_b],
            turn: [turn_a, turn_b],
            normal_mass: 1.0 / inverse,
            tangent_mass: 1.0 / (inverse + (radius_a * turn_a + radius_b * turn_b)),
        }
    }
}

/// One touching pair.
#[derive(Clone, Copy, Debug)]
struct Contact {
    a: usize,
    /// The other body; the number of bodies for a wall.
    b: usize,
    pair: Pair,
    /// From a towards b.
    normal: Vec2,
    /// How far the bodies are pushed apart for a unit of inverse mass, m kg.
    push: f32,
    /// Normal velocity after the impact, from restitution.
    rebound: f32,
    normal_impulse: f32,
    tangent_impulse: f32,
}

/// The contacts of one step, at most [`most_contacts`].
#[derive(Clone, Debug)]
pub(crate) struct Contacts {
    list: Vec<Contact>,
    /// Stands for all walls in place of a body's index: the number of bodies.
    wall: usize,
    most: usize,
}

/// The four walls: the direction towards each.
pub(crate) const WALL_NORMALS: [Vec2; 4] = [vec2(1.0, 0.0), vec2(-1.0, 0.0), vec2(0.0, 1.0), vec2(0.0, -1.0)];

/// How far a circle is in each of the four walls, m; negative if it is clear of it.
#[inline(always)]
pub(crate) fn wall_penetrations(at: Vec2, radius: f32, (hx, hy): (f32, f32)) -> [f32; 4] {
    [at.x + radius - hx, -at.x + radius - hx, at.y + radius - hy, -at.y + radius - hy]
}

/// True if two circles touch whose centres are `between` apart and whose radii add up to `reach`; likewise a circle of
/// radius `reach` and a point.
#[inline(always)]
pub(crate) fn touching(between: Vec2, reach: f32) -> bool {
    between.length_squared() < reach * reach
}

impl Contacts {
    /// No contacts yet of so many bodies.
    pub fn new(bodies: usize) -> Contacts {
        Contacts { list: Vec::new(), wall: bodies, most: most_contacts(bodies) }
    }

    /// Makes room for all contacts that there can be, so that no step needs more.
    pub fn reserve(&mut self) {
        self.list.reserve(self.most);
    }

    /// Forgets all contacts.
    pub fn clear(&mut self) {
        self.list.clear();
    }

    /// Notes that body `a` touches one of the arena's four walls.
    pub fn add_wall(&mut self, a: usize, pair: &Pair, wall: usize, penetration: f32, moving: &Movements, bounce: f32) {
        self.add(a, self.wall, pair, WALL_NORMALS[wall], penetration, moving, bounce);
    }

    /// Notes that body `a` touches an inner wall whose nearest point is `offset` away from its centre.
    pub fn add_inner_wall(&mut self, a: usize, pair: &Pair, offset: Vec2, moving: &Movements, bounce: f32) {
        let (normal, distance) = direction(offset);
        self.add(a, self.wall, pair, normal, pair.radius[0] - distance, moving, bounce);
    }

    /// Notes that bodies `a` and `b` touch, b's centre being `between` away from a's.
    pub fn add_bodies(&mut self, a: usize, b: usize, pair: &Pair, between: Vec2, moving: &Movements, bounce: f32) {
        let (normal, distance) = direction(between);
        self.add(a, b, pair, normal, pair.radius[0] + pair.radius[1] - distance, moving, bounce);
    }

    #[allow(clippy::too_many_arguments, reason = "everything there is to know about one contact")]
    fn add(
        &mut self,
        a: usize,
        b: usize,
        pair: &Pair,
        normal: Vec2,
        penetration: f32,
        moving: &Movements,
        bounce: f32,
    ) {
        if self.list.len() == self.most {
            return;
        }
        let approach = (moving[b].velocity - moving[a].velocity).dot(normal);
        self.list.push(Contact {
            a,
            b,
            pair: *pair,
            normal,
            push: max(penetration - PENETRATION_SLOP, 0.0) * PENETRATION_CORRECTION * pair.normal_mass,
            rebound: -bounce * min(approach, 0.0),
            normal_impulse: 0.0,
            tangent_impulse: 0.0,
        });
    }

    /// Changes the movements so that touching bodies stop approaching; `mu` is the friction between them.
    pub fn solve(&mut self, moving: &mut Movements, mu: f32) {
        for _ in 0..CONTACT_ITERATIONS {
            for contact in &mut self.list {
                resolve(moving, contact, mu);
            }
        }
    }

    /// The bodies that touch something, with repetitions.
    pub fn touched(&self) -> impl Iterator<Item = usize> + '_ {
        self.list.iter().flat_map(|c| [c.a, c.b]).filter(|body| *body != self.wall)
    }

    /// Moves overlapping bodies apart by a part of the penetration that exceeds the slop.
    pub fn correct(&self, mut shift: impl FnMut(usize, Vec2)) {
        for contact in &self.list {
            let push = contact.normal * contact.push;
            shift(contact.a, -push * contact.pair.inverse_mass[0]);
            if contact.b != self.wall {
                shift(contact.b, push * contact.pair.inverse_mass[1]);
            }
        }
    }
}

impl Crowd {
    /// The bodies with greater numbers that body `i`, no larger than a robot, may touch, in the order of their numbers.
    fn after(&mut self, i: usize, at: Vec2) -> &[u16] {
        let Crowd { grid, large, near } = self;
        near.clear();
        let greater = |j: &&u16| usize::from(**j) > i;
        grid.around(at, |found| near.extend(found.iter().filter(greater)));
        near.extend(large.iter().filter(greater));
        near.sort_unstable();
        near.dedup();
        near
    }
}

/// A vector as a unit vector and its length; along x if it has none.
fn direction(v: Vec2) -> (Vec2, f32) {
    let length = v.length();
    (if length > 0.0 { v * (1.0 / length) } else { vec2(1.0, 0.0) }, length)
}

/// One pass over one contact: friction first, then the normal impulse, both accumulated and clamped.
#[inline(always)]
fn resolve(moving: &mut Movements, contact: &mut Contact, mu: f32) {
    let (mut a, mut b) = (moving[contact.a], moving[contact.b]);
    let Pair { inverse_mass, radius, turn, normal_mass, tangent_mass } = contact.pair;
    let (normal, tangent) = (contact.normal, contact.normal.perp());

    let slip = (b.velocity - a.velocity).dot(tangent) - (a.spin * radius[0] + b.spin * radius[1]);
    let limit = mu * contact.normal_impulse;
    let wanted = max(min(contact.tangent_impulse - slip * tangent_mass, limit), -limit);
    let impulse = wanted - contact.tangent_impulse;
    contact.tangent_impulse = wanted;
    a.velocity -= tangent * (impulse * inverse_mass[0]);
    b.velocity += tangent * (impulse * inverse_mass[1]);
    a.spin -= impulse * turn[0];
    b.spin -= impulse * turn[1];

    let approach = (b.velocity - a.velocity).dot(normal);
    let wanted = max(contact.normal_impulse + (contact.rebound - approach) * normal_mass, 0.0);
    let impulse = wanted - contact.normal_impulse;
    contact.normal_impulse = wanted;
    a.velocity -= normal * (impulse * inverse_mass[0]);
    b.velocity += normal * (impulse * inverse_mass[1]);
    moving[contact.a] = a;
    moving[contact.b] = b;
}

/// Finds and solves the contacts of bodies, and keeps the room that this takes from step to step.
#[derive(Clone, Debug)]
pub(crate) struct Collisions {
    contacts: Contacts,
    moving: Vec<Movement>,
    /// None in a small world.
    crowd: Option<Crowd>,
}

/// What finds contacts among many bodies.
#[derive(Clone, Debug)]
struct Crowd {
    /// Of all bodies, wide enough for those that are no larger than a robot.
    grid: Grid,
    /// The larger ones.
    large: Vec<u16>,
    near: Vec<u16>,
}

impl Collisions {
    /// For bodies of these shapes, at most 65535.
    pub fn new(bodies: &[Body], physics: &Physics) -> Collisions {
        let count = bodies.len();
        let crowd = || Crowd {
            grid: Grid::new(physics.half_arena, 2.0 * ROBOT_RADIUS, count),
            large: (0..count).filter(|i| bodies[*i].shape.radius > ROBOT_RADIUS).map(|i| i as u16).collect(),
            near: Vec::with_capacity(2 * count),
        };
        Collisions {
            contacts: Contacts::new(count),
            moving: vec![Movement::default(); count + 1],
            crowd: (count > SMALL_WORLD).then(crowd),
        }
    }

    /// See [`Contacts::reserve`].
    pub fn reserve(&mut self) {
        self.contacts.reserve();
    }

    /// Changes the velocities of touching bodies so that they stop approaching.
    pub fn solve(&mut self, bodies: &mut [Body], physics: &Physics) {
        for (movement, body) in self.moving.iter_mut().zip(bodies.iter()) {
            *movement = Movement { velocity: body.velocity, spin: body.spin };
        }
        self.find(bodies, physics);
        self.contacts.solve(&mut self.moving, physics.mu_bodies);
        for (body, movement) in bodies.iter_mut().zip(&self.moving) {
            (body.velocity, body.spin) = (movement.velocity, movement.spin);
        }
    }

    fn find(&mut self, bodies: &[Body], physics: &Physics) {
        let Collisions { contacts, moving, crowd } = self;
        contacts.clear();
        if let Some(crowd) = crowd {
            crowd.grid.fill(bodies.iter().map(|body| body.pose.at));
        }
        for (i, a) in bodies.iter().enumerate() {
            let (at, radius) = (a.pose.at, a.shape.radius);
            for (wall, penetration) in wall_penetrations(at, radius, physics.half_arena).into_iter().enumerate() {
                if penetration > 0.0 {
                    let pair = Pair::of(&a.shape, None);
                    contacts.add_wall(i, &pair, wall, penetration, moving, physics.restitution);
                }
            }
            for offset in physics.walls.iter().map(|wall| wall.offset(at)).filter(|o| touching(*o, radius)) {
                contacts.add_inner_wall(i, &Pair::of(&a.shape, None), offset, moving, physics.restitution);
            }
            let mut meet = |j: usize| {
                let b = &bodies[j];
                let between = b.pose.at - at;
                if touching(between, radius + b.shape.radius) {
                    let pair = Pair::of(&a.shape, Some(&b.shape));
                    contacts.add_bodies(i, j, &pair, between, moving, physics.restitution);
                }
            };
            match crowd {
                Some(crowd) if radius <= ROBOT_RADIUS => crowd.after(i, at).iter().for_each(|j| meet(usize::from(*j))),
                _ => (i + 1..bodies.len()).for_each(meet),
            }
        }
    }

    /// Moves overlapping bodies apart by a part of the penetration that exceeds the slop.
    pub fn correct_positions(&self, bodies: &mut [Body]) {
        self.contacts.correct(|body, shift| bodies[body].pose.at += shift);
    }
}

/// The velocities of bodies after their contacts, found anew.
#[cfg(test)]
pub(crate) fn solve(bodies: &mut [Body], physics: &Physics) -> Collisions {
    let mut collisions = Collisions::new(bodies, physics);
    collisions.solve(bodies, physics);
    collisions
}

/// See [`Collisions::correct_positions`].
#[cfg(test)]
pub(crate) fn correct_positions(bodies: &mut [Body], collisions: &Collisions) {
    collisions.correct_positions(bodies);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Draws, Stream};
    use crate::world::body::{Pose, Shape};

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

    #[test]
    fn a_crowd_has_the_contacts_of_all_pairs_in_their_order() {
        let shape = |i: usize| match i {
            200.. => Shape::disc([0.3, 0.02][i % 2], 0.1, 0.4, crate::world::Colour::Blue),
            _ => Shape::ROBOT,
        };
        let physics = Physics { half_arena: (1.0, 0.8), ..Physics::default() };
        let mut draws = Draws::new(3, 0, 0, 0, Stream::Start);
        for _ in 0..20 {
            let at = |draws: &mut Draws| vec2(draws.range(-1.1, 1.1), draws.range(-0.9, 0.9));
            let pose = |draws: &mut Draws| Pose { at: at(draws), heading: 0.0 };
            let bodies: Vec<Body> = (0..206).map(|i| Body::at_rest(shape(i), pose(&mut draws))).collect();
            let mut collisions = Collisions::new(&bodies, &physics);
            collisions.find(&bodies, &physics);
            let found: Vec<[usize; 2]> = collisions.contacts.list.iter().map(|c| [c.a, c.b]).collect();
            let mut all = Vec::new();
            for (i, a) in bodies.iter().enumerate() {
                let walls = wall_penetrations(a.pose.at, a.shape.radius, physics.half_arena);
                all.extend(walls.iter().filter(|depth| **depth > 0.0).map(|_| [i, bodies.len()]));
                let meets =
                    |j: &usize| touching(bodies[*j].pose.at - a.pose.at, a.shape.radius + bodies[*j].shape.radius);
                all.extend((i + 1..bodies.len()).filter(meets).map(|j| [i, j]));
            }
            all.truncate(most_contacts(bodies.len()));
            assert_eq!(found, all);
            assert!(all.len() > 100, "{}", all.len());
        }
    }
}
