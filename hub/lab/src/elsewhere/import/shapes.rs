//! Things that stand on the floor: turned boxes and cylinders.

use xpuck_kernels::math::Vec2;

/// A body that stands; a cylinder has no sides.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Solid {
    /// Middle, m.
    pub at: Vec2,
    /// Half its length as a vector, and half its width: zero for a cylinder.
    pub axes: [Vec2; 2],
    /// Radius of a cylinder, m; 0 for a box.
    pub radius: f32,
    /// Which of the scene's things it belongs to.
    pub thing: usize,
    /// Whether ARGoS draws its place.
    pub is_drawn: bool,
}

impl Solid {
    /// Corners of a box, counter-clockwise.
    pub fn corners(&self) -> [Vec2; 4] {
        let [along, across] = self.axes;
        [self.at + along + across, self.at - along + across, self.at - along - across, self.at + along - across]
    }

    /// Distance of a place from its surface, m; 0 or less inside.
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

    /// Half of the upright rectangle around it, m.
    pub fn reach(&self) -> Vec2 {
        let [along, across] = self.axes;
        Vec2 { x: along.x.abs() + across.x.abs() + self.radius, y: along.y.abs() + across.y.abs() + self.radius }
    }

    /// Whether two of them overlap.
    pub fn overlaps(&self, other: &Solid) -> bool {
        let apart = other.at - self.at;
        if self.radius > 0.0 {
            return other.distance(self.at) < self.radius;
        }
        if other.radius > 0.0 {
            return self.distance(other.at) < other.radius;
        }
        // Boxes are apart if an axis of either has a gap between them.
        self.axes.iter().chain(&other.axes).all(|axis| {
            let axis = *axis * (1.0 / axis.length());
            let spread = |solid: &Solid| solid.axes.iter().map(|half| half.dot(axis).abs()).sum::<f32>();
            apart.dot(axis).abs() < spread(self) + spread(other)
        })
    }
}
