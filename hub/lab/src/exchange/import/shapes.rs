//! Fixed bodies on the floor: rotated boxes and cylinders. Rounding of their coordinates.

use xpuck_kernels::math::Vec2;

/// Fixed body: a box or a cylinder.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Solid {
    /// Position of the centre (m).
    pub at: Vec2,
    /// Vectors from the centre of a box to the middles of two adjacent sides (m); zero for a cylinder.
    pub axes: [Vec2; 2],
    /// Radius of a cylinder (m); 0 for a box.
    pub radius: f32,
    /// Index in `Scene::things` of the thing to which the body belongs.
    pub thing: usize,
    /// Whether ARGoS draws the position at random.
    pub is_drawn: bool,
}

impl Solid {
    /// Returns the corners of a box, counter-clockwise.
    pub fn corners(&self) -> [Vec2; 4] {
        let [along, across] = self.axes;
        [self.at + along + across, self.at - along + across, self.at - along - across, self.at + along - across]
    }

    /// Returns the distance of a point from the surface (m); negative inside the body.
    pub fn distance(&self, to: Vec2) -> f32 {
        let offset = to - self.at;
        if self.radius > 0.0 {
            return offset.length() - self.radius;
        }
        let [x, y] = self.axes.map(|axis| {
            let half = axis.length();
            (offset.dot(axis) / half).abs() - half
        });
        let outside = |v: f32| v.max(0.0);
        if x <= 0.0 && y <= 0.0 { x.max(y) } else { outside(x).hypot(outside(y)) }
    }

    /// Returns half of the size of the axis-aligned bounding rectangle (m).
    pub fn reach(&self) -> Vec2 {
        let [along, across] = self.axes;
        Vec2 { x: along.x.abs() + across.x.abs() + self.radius, y: along.y.abs() + across.y.abs() + self.radius }
    }

    /// Returns whether two bodies overlap.
    pub fn overlaps(&self, other: &Solid) -> bool {
        let apart = other.at - self.at;
        if self.radius > 0.0 {
            return other.distance(self.at) < self.radius;
        }
        if other.radius > 0.0 {
            return self.distance(other.at) < other.radius;
        }
        // Separating axis test: two boxes do not overlap if there is a gap between them along an axis of either box.
        self.axes.iter().chain(&other.axes).all(|axis| {
            let axis = *axis * (1.0 / axis.length());
            let spread = |solid: &Solid| solid.axes.iter().map(|half| half.dot(axis).abs()).sum::<f32>();
            apart.dot(axis).abs() < spread(self) + spread(other)
        })
    }
}

/// Rounds a coordinate to 10 micrometres, the resolution of single precision at 20 m.
pub(super) fn round(x: f32) -> f32 {
    let rounded = (f64::from(x) * 1e5).round() / 1e5;
    if rounded == 0.0 { 0.0 } else { rounded as f32 }
}
