//! Bodies of a simulated world, which are robots and passive discs, modelled as circles.

use crate::math::{Vec2, wrap_angle};
use crate::model::{FRISBEE_MASS, FRISBEE_RADIUS, MU_FRISBEE, MU_ROBOT, ROBOT_MASS, ROBOT_RADIUS, WHEELBASE};

/// A primary colour that the camera distinguishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// Colour of the robots' skirts.
    Red,
    /// Colour of wall patches.
    Green,
    /// Colour of the frisbee.
    Blue,
}

/// Position and heading in the world frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pose {
    /// Centre (m).
    pub at: Vec2,
    /// Heading (rad), -pi..=pi.
    pub heading: f32,
}

impl Pose {
    /// Interpolates between this pose and `to`. `part` is 0 for this pose and 1 for `to`. The heading turns through
    /// the smaller angle.
    pub fn towards(&self, to: &Pose, part: f32) -> Pose {
        Pose {
            at: self.at + (to.at - self.at) * part,
            heading: wrap_angle(self.heading + wrap_angle(to.heading - self.heading) * part),
        }
    }
}

/// Constant properties of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// Radius (m).
    pub radius: f32,
    /// Mass (kg). The moment of inertia is that of a uniform disc.
    pub mass: f32,
    /// Distance of the two floor contacts from the centre, perpendicular to the heading (m).
    pub contact_arm: f32,
    /// Coefficient of friction with the floor at full slip.
    pub mu: f32,
    /// Colour in camera images.
    pub colour: Colour,
    /// Whether the body is tall enough to be detected by proximity sensors and by range and bearing. True for robots.
    pub tall: bool,
}

impl Shape {
    /// Shape of the Xpuck robot (thesis Table 6.1).
    pub const ROBOT: Shape = Shape {
        radius: ROBOT_RADIUS,
        mass: ROBOT_MASS,
        contact_arm: WHEELBASE / 2.0,
        mu: MU_ROBOT,
        colour: Colour::Red,
        tall: true,
    };

    /// Shape of the frisbee of the benchmark task.
    pub const FRISBEE: Shape = Shape::disc(FRISBEE_RADIUS, FRISBEE_MASS, MU_FRISBEE, Colour::Blue);

    /// Returns the shape of a passive disc. Two contacts at 2/3 of the radius R produce the same friction torque as a
    /// disc that lies flat. This torque is 2/3 mu m g R. It is the integral of mu p r over the area of the disc, where
    /// p is the pressure and r is the distance from the centre.
    pub const fn disc(radius: f32, mass: f32, mu: f32, colour: Colour) -> Shape {
        Shape { radius, mass, contact_arm: radius * 2.0 / 3.0, mu, colour, tall: false }
    }

    /// Returns the reciprocal of the mass (1/kg).
    pub fn inverse_mass(&self) -> f32 {
        1.0 / self.mass
    }

    /// Returns the reciprocal of the moment of inertia m r^2 / 2 (1/(kg m^2)).
    pub fn inverse_inertia(&self) -> f32 {
        2.0 / (self.mass * self.radius * self.radius)
    }
}

/// State of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    /// Constant properties of the body.
    pub shape: Shape,
    /// Position and heading.
    pub pose: Pose,
    /// Velocity (m/s).
    pub velocity: Vec2,
    /// Angular velocity (rad/s).
    pub spin: f32,
    /// Ground speeds of the left and right wheel (m/s); zero for passive discs.
    pub wheels: [f32; 2],
}

impl Body {
    /// Creates a body at rest.
    pub fn at_rest(shape: Shape, pose: Pose) -> Body {
        Body { shape, pose, velocity: Vec2::ZERO, spin: 0.0, wheels: [0.0; 2] }
    }
}
