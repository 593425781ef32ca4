//! Contacts between circles, and between circles and walls, solved by sequential impulses with accumulation.
//!
//! The solver works on velocities and pairs of shapes instead of bodies, so that each engine can use its own data
//! layout.

use super::parameters::Physics;
use crate::math::{Vec2, max, min, vec2};
use crate::model::{
    CONTACT_ITERATIONS, CONTACT_SOLVED, PENETRATION_CORRECTION, PENETRATION_SLOP, SMALL_WORLD, most_contacts,
};
use crate::world::body::{Body, Shape};
use crate::world::grid::Grid;

/// Velocity of a body along x and y (m/s), angular velocity (rad/s), and zero padding for a SIMD load. Contacts change
/// these velocities. In the list of a world's velocities, the last element is always zero and represents the walls.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(align(16))]
pub(crate) struct BodyVelocity([f32; 4]);

impl BodyVelocity {
    /// Creates the value from velocity (m/s) and angular velocity (rad/s) of a body.
    #[inline(always)]
    pub fn new(velocity: Vec2, spin: f32) -> BodyVelocity {
        BodyVelocity([velocity.x, velocity.y, spin, 0.0])
    }

    /// Returns the velocity (m/s).
    #[inline(always)]
    pub fn velocity(&self) -> Vec2 {
        vec2(self.0[0], self.0[1])
    }

    /// Returns the angular velocity (rad/s).
    #[inline(always)]
    pub fn spin(&self) -> f32 {
        self.0[2]
    }
}

/// Velocities of all bodies of a world, followed by the zero velocity of the walls.
pub(crate) type BodyVelocities = [BodyVelocity];

/// Contact parameters that depend on the shapes of two bodies. A wall counts as a body of infinite mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pair {
    inverse_mass: [f32; 2],
    radius: [f32; 2],
    /// Change of each body's angular velocity per tangential impulse (1/(kg m)).
    turn: [f32; 2],
    normal_mass: f32,
    tangent_mass: f32,
}

impl Pair {
    /// Computes the parameters for two bodies, or for a body and a wall (`None`).
    pub fn new(a: &Shape, b: Option<&Shape>) -> Pair {
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

/// Contact of two bodies, or of a body and a wall.
#[derive(Clone, Copy, Debug)]
struct Contact {
    /// Index of the first body in the list of velocities.
    a: usize,
    /// Index of the second body, or of the walls, in the list of velocities.
    b: usize,
    /// Direction of separation (`normal`) and of slip (`tangent`).
    normal: Row,
    tangent: Row,
    /// Position corrections of the two bodies (m).
    shift: [Vec2; 2],
    /// Normal velocity after the impact, computed from the restitution (m/s).
    rebound: f32,
}

/// One direction of a contact. `velocity` is a row of the Jacobian, which converts the velocities of two bodies to a
/// relative velocity. `change` contains the changes of both bodies' velocities per impulse of 1 N s.
#[derive(Clone, Copy, Debug)]
#[repr(align(16))]
struct Row {
    velocity: [[f32; 4]; 2],
    change: [[f32; 4]; 2],
    /// Impulse that changes the relative velocity by 1 m/s (kg).
    mass: f32,
    /// Accumulated impulse (N s).
    impulse: f32,
}

impl Row {
    /// Creates a row for one direction, a unit vector. The relative velocity along this direction is positive if the
    /// second body moves away from the first body. `arms` contains the rotational terms of the field `velocity`, and
    /// `turn` contains those of the field `change`.
    #[inline(always)]
    fn new(direction: Vec2, arms: [f32; 2], inverse_mass: [f32; 2], turn: [f32; 2], mass: f32) -> Row {
        let Vec2 { x, y } = direction;
        let [a, b] = inverse_mass;
        Row {
            velocity: [[-x, -y, -arms[0], 0.0], [x, y, -arms[1], 0.0]],
            change: [[-x * a, -y * a, -turn[0], 0.0], [x * b, y * b, -turn[1], 0.0]],
            mass,
            impulse: 0.0,
        }
    }

    /// Returns the relative velocity of two bodies along this direction (m/s).
    #[inline(always)]
    fn speed(&self, a: &BodyVelocity, b: &BodyVelocity) -> f32 {
        let [to_a, to_b] = &self.velocity;
        let part = |k: usize| to_a[k] * a.0[k] + to_b[k] * b.0[k];
        (part(0) + part(2)) + (part(1) + part(3))
    }

    /// Sets the accumulated impulse to `wanted` (N s). Returns the change of the impulse (N s).
    #[inline(always)]
    fn set_impulse(&mut self, wanted: f32) -> f32 {
        let change = wanted - self.impulse;
        self.impulse = wanted;
        change
    }
}

/// Contacts of one physics step, in any number of worlds with the same number of bodies.
#[derive(Clone, Debug)]
pub(crate) struct Contacts {
    list: Vec<Contact>,
    worlds: Vec<WorldContacts>,
    /// Indices of contacts and of their worlds, in the order in which the contacts are solved.
    solve_order: Vec<(u32, u32)>,
    bodies: usize,
}

/// Contacts of a single world.
#[derive(Clone, Copy, Debug)]
struct WorldContacts {
    /// Index of the world's first body in the list of velocities. The velocity of the walls follows the velocities of
    /// the bodies.
    bodies: usize,
    /// Start and end of the world's contacts in the list of contacts. A world has at most [`most_contacts`] contacts.
    contacts: [usize; 2],
    /// Whether the solver has not converged yet for this world.
    open: bool,
    /// Largest change of an impulse in the current pass (N s).
    change: f32,
}

/// Directions from the centre of the arena towards the four outer walls.
pub(crate) const WALL_NORMALS: [Vec2; 4] = [vec2(1.0, 0.0), vec2(-1.0, 0.0), vec2(0.0, 1.0), vec2(0.0, -1.0)];

/// Computes the penetration of a circle into each of the four outer walls (m). The penetration is negative without
/// contact.
#[inline(always)]
pub(crate) fn wall_penetrations(at: Vec2, radius: f32, (hx, hy): (f32, f32)) -> [f32; 4] {
    [at.x + radius - hx, -at.x + radius - hx, at.y + radius - hy, -at.y + radius - hy]
}

/// Whether two circles overlap. `between` is the vector between their centres (m), and `reach` is the sum of their
/// radii (m).
#[inline(always)]
pub(crate) fn touching(between: Vec2, reach: f32) -> bool {
    between.length_squared() < reach * reach
}

impl Contacts {
    /// Creates an empty list of contacts for worlds with the given number of bodies per world.
    pub fn new(bodies: usize) -> Contacts {
        Contacts { list: Vec::new(), worlds: Vec::new(), solve_order: Vec::new(), bodies }
    }

    /// Reserves memory for the maximum number of contacts in the given number of worlds, so that steps do not
    /// allocate.
    pub fn reserve(&mut self, worlds: usize) {
        self.list.reserve(worlds * most_contacts(self.bodies));
        self.worlds.reserve(worlds);
        self.solve_order.reserve(worlds * most_contacts(self.bodies));
    }

    /// Removes all contacts.
    pub fn clear(&mut self) {
        self.list.clear();
        self.worlds.clear();
    }

    /// Starts the next world. Contacts added afterwards belong to this world. In the list of velocities, the
    /// velocities of this world follow the velocities of the previous worlds.
    pub fn begin_world(&mut self) {
        let bodies = self.worlds.len() * (self.bodies + 1);
        self.worlds.push(WorldContacts { bodies, contacts: [self.list.len(); 2], open: true, change: 0.0 });
    }

    /// Adds the contact of body `a` with one of the arena's four outer walls. `moving` contains the velocities of
    /// this world, and `bounce` is the coefficient of restitution.
    pub fn add_wall(
        &mut self,
        a: usize,
        pair: &Pair,
        wall: usize,
        penetration: f32,
        moving: &BodyVelocities,
        bounce: f32,
    ) {
        self.add(a, self.bodies, pair, WALL_NORMALS[wall], penetration, moving, bounce);
    }

    /// Adds the contact of body `a` with an inner wall. `offset` is the vector from the body's centre to the nearest
    /// point of the wall (m).
    pub fn add_inner_wall(&mut self, a: usize, pair: &Pair, offset: Vec2, moving: &BodyVelocities, bounce: f32) {
        let (normal, distance) = direction(offset);
        self.add(a, self.bodies, pair, normal, pair.radius[0] - distance, moving, bounce);
    }

    /// Adds the contact of bodies `a` and `b`. `between` is the vector from the centre of `a` to the centre of `b`
    /// (m).
    pub fn add_bodies(&mut self, a: usize, b: usize, pair: &Pair, between: Vec2, moving: &BodyVelocities, bounce: f32) {
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
        moving: &BodyVelocities,
        bounce: f32,
    ) {
        let Some(world) = self.worlds.last_mut() else { return };
        let [first, end] = &mut world.contacts;
        if *end - *first == most_contacts(self.bodies) {
            return;
        }
        *end += 1;
        let approach = (moving[b].velocity() - moving[a].velocity()).dot(normal);
        let push = max(penetration - PENETRATION_SLOP, 0.0) * PENETRATION_CORRECTION * pair.normal_mass;
        let [mass_a, mass_b] = pair.inverse_mass;
        self.list.push(Contact {
            a: world.bodies + a,
            b: world.bodies + b,
            normal: Row::new(normal, [0.0; 2], pair.inverse_mass, [0.0; 2], pair.normal_mass),
            tangent: Row::new(normal.perp(), pair.radius, pair.inverse_mass, pair.turn, pair.tangent_mass),
            shift: [normal * -(push * mass_a), normal * (push * mass_b)],
            rebound: -bounce * min(approach, 0.0),
        });
    }

    /// Changes the velocities `moving` so that touching bodies stop approaching. `mu` is the coefficient of friction
    /// between bodies.
    ///
    /// Contacts of different worlds are solved in turn. A contact depends on the previous contact of the same world,
    /// but the processor can solve contacts of other worlds in the meantime.
    #[inline(always)]
    pub fn solve(&mut self, moving: &mut BodyVelocities, mu: f32) {
        self.order_contacts();
        for _ in 0..CONTACT_ITERATIONS {
            for (contact, world) in &self.solve_order {
                let world = &mut self.worlds[*world as usize];
                if world.open {
                    world.change = max(solve_contact(moving, &mut self.list[*contact as usize], mu), world.change);
                }
            }
            let mut open = false;
            for world in &mut self.worlds {
                world.open &= world.change > CONTACT_SOLVED;
                world.change = 0.0;
                open |= world.open;
            }
            if !open {
                break;
            }
        }
    }

    /// Computes the order in which contacts are solved: the first contact of each world, then the second contact of
    /// each world, and so on.
    fn order_contacts(&mut self) {
        self.solve_order.clear();
        let mut turn = 0;
        while self.solve_order.len() < self.list.len() {
            for (world, number) in self.worlds.iter().zip(0..) {
                let [first, end] = world.contacts;
                if first + turn < end {
                    self.solve_order.push(((first + turn) as u32, number));
                }
            }
            turn += 1;
        }
    }

    /// Calls `tell` for all bodies with contacts, possibly several times per body. The arguments are the index of the
    /// world, the index of the body in the world, and the index of the body's velocity.
    #[inline(always)]
    pub fn for_each_body(&self, mut tell: impl FnMut(usize, usize, usize)) {
        for (i, world) in self.worlds.iter().enumerate() {
            let [first, end] = world.contacts;
            for contact in &self.list[first..end] {
                tell(i, contact.a - world.bodies, contact.a);
                if contact.b - world.bodies != self.bodies {
                    tell(i, contact.b - world.bodies, contact.b);
                }
            }
        }
    }

    /// Calls `shift` with the corrections that separate overlapping bodies by a fraction of their penetration beyond
    /// the slop. The arguments are the index of the world, the index of the body, and the displacement of the body
    /// (m).
    #[inline(always)]
    pub fn for_each_correction(&self, mut shift: impl FnMut(usize, usize, Vec2)) {
        for (i, world) in self.worlds.iter().enumerate() {
            let [first, end] = world.contacts;
            for contact in &self.list[first..end] {
                shift(i, contact.a - world.bodies, contact.shift[0]);
                if contact.b - world.bodies != self.bodies {
                    shift(i, contact.b - world.bodies, contact.shift[1]);
                }
            }
        }
    }
}

impl Crowd {
    /// Returns the bodies with indices greater than `i` that body `i` may touch, in ascending order. `at` is the
    /// position of body `i`, which must not be larger than a robot.
    fn after(&mut self, i: usize, at: Vec2) -> &[u16] {
        let Crowd { grid, large, near } = self;
        near.clear();
        let greater = |j: &&u16| usize::from(**j) > i;
        grid.for_each_candidate(at, |found| near.extend(found.iter().filter(greater)));
        near.extend(large.iter().filter(greater));
        near.sort_unstable();
        near.dedup();
        near
    }
}

/// Splits a vector into its direction and its length. The direction of a zero vector is +x.
fn direction(v: Vec2) -> (Vec2, f32) {
    let length = v.length();
    (if length > 0.0 { v * (1.0 / length) } else { vec2(1.0, 0.0) }, length)
}

/// Performs one iteration for a contact. Friction impulse and normal impulse are accumulated and clamped. Both can be
/// computed from the same velocities, because the impulses are perpendicular and a normal impulse does not turn a
/// circle. Returns the larger change of the two impulses (N s).
#[inline(always)]
fn solve_contact(moving: &mut BodyVelocities, contact: &mut Contact, mu: f32) -> f32 {
    let Contact { a: at_a, b: at_b, normal, tangent, rebound, .. } = contact;
    let (mut a, mut b) = (moving[*at_a], moving[*at_b]);
    let limit = mu * normal.impulse;
    let rubbing = tangent.impulse - tangent.speed(&a, &b) * tangent.mass;
    let pressing = normal.impulse + (*rebound - normal.speed(&a, &b)) * normal.mass;
    let along = tangent.set_impulse(max(min(rubbing, limit), -limit));
    let apart = normal.set_impulse(max(pressing, 0.0));
    for k in 0..4 {
        a.0[k] += tangent.change[0][k] * along + normal.change[0][k] * apart;
        b.0[k] += tangent.change[1][k] * along + normal.change[1][k] * apart;
    }
    moving[*at_a] = a;
    moving[*at_b] = b;
    max(along.abs(), apart.abs())
}

/// Collision detection and response for the bodies of a world, with buffers that are kept between steps.
#[derive(Clone, Debug)]
pub(crate) struct Collisions {
    contacts: Contacts,
    velocities: Vec<BodyVelocity>,
    /// Search structure; `None` in a world with few bodies, in which all pairs of bodies are compared.
    crowd: Option<Crowd>,
}

/// Search structure for contacts between many bodies.
#[derive(Clone, Debug)]
struct Crowd {
    /// Grid of all bodies. Its cells are large enough to find the contacts of bodies that are at most as large as a
    /// robot.
    grid: Grid,
    /// Bodies larger than a robot.
    large: Vec<u16>,
    near: Vec<u16>,
}

impl Collisions {
    /// Creates the buffers for bodies of these shapes. The number of bodies is at most 65535.
    pub fn new(bodies: &[Body], physics: &Physics) -> Collisions {
        let count = bodies.len();
        let crowd = || Crowd {
            grid: Grid::new(physics.half_arena, 2.0 * physics.robot.radius, count),
            large: (0..count).filter(|i| bodies[*i].shape.radius > physics.robot.radius).map(|i| i as u16).collect(),
            near: Vec::with_capacity(2 * count),
        };
        Collisions {
            contacts: Contacts::new(count),
            velocities: vec![BodyVelocity::default(); count + 1],
            crowd: (count > SMALL_WORLD).then(crowd),
        }
    }

    /// Reserves memory for the contacts of one world; see [`Contacts::reserve`].
    pub fn reserve(&mut self) {
        self.contacts.reserve(1);
    }

    /// Changes the velocities of touching bodies so that they stop approaching.
    pub fn solve(&mut self, bodies: &mut [Body], physics: &Physics) {
        for (movement, body) in self.velocities.iter_mut().zip(bodies.iter()) {
            *movement = BodyVelocity::new(body.velocity, body.spin);
        }
        self.find(bodies, physics);
        self.contacts.solve(&mut self.velocities, physics.mu_bodies);
        for (body, movement) in bodies.iter_mut().zip(&self.velocities) {
            (body.velocity, body.spin) = (movement.velocity(), movement.spin());
        }
    }

    fn find(&mut self, bodies: &[Body], physics: &Physics) {
        let Collisions { contacts, velocities: moving, crowd } = self;
        contacts.clear();
        contacts.begin_world();
        if let Some(crowd) = crowd {
            crowd.grid.fill(bodies.iter().map(|body| body.pose.at));
        }
        for (i, a) in bodies.iter().enumerate() {
            let (at, radius) = (a.pose.at, a.shape.radius);
            for (wall, penetration) in wall_penetrations(at, radius, physics.half_arena).into_iter().enumerate() {
                if penetration > 0.0 {
                    let pair = Pair::new(&a.shape, None);
                    contacts.add_wall(i, &pair, wall, penetration, moving, physics.restitution);
                }
            }
            for offset in physics.walls.iter().map(|wall| wall.offset(at)).filter(|o| touching(*o, radius)) {
                contacts.add_inner_wall(i, &Pair::new(&a.shape, None), offset, moving, physics.restitution);
            }
            let mut meet = |j: usize| {
                let b = &bodies[j];
                let between = b.pose.at - at;
                if touching(between, radius + b.shape.radius) {
                    let pair = Pair::new(&a.shape, Some(&b.shape));
                    contacts.add_bodies(i, j, &pair, between, moving, physics.restitution);
                }
            };
            match crowd {
                Some(crowd) if radius <= physics.robot.radius => {
                    crowd.after(i, at).iter().for_each(|j| meet(usize::from(*j)))
                }
                _ => (i + 1..bodies.len()).for_each(meet),
            }
        }
    }

    /// Separates overlapping bodies by a fraction of their penetration beyond the slop.
    pub fn correct_positions(&self, bodies: &mut [Body]) {
        self.contacts.for_each_correction(|_, body, shift| bodies[body].pose.at += shift);
    }
}

/// Finds and solves the contacts of bodies with new buffers.
#[cfg(test)]
pub(crate) fn solve(bodies: &mut [Body], physics: &Physics) -> Collisions {
    let mut collisions = Collisions::new(bodies, physics);
    collisions.solve(bodies, physics);
    collisions
}

/// Calls [`Collisions::correct_positions`].
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
    fn crowd_contacts_match_all_pairs_in_order() {
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
