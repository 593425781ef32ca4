//! Solids: prisms of convex polygons, and robot bodies composed of them.

use super::super::body::BodyShape;
use super::convex::{Convex, hull};
use super::ground::{GroundPoint, Terrain};
use super::outline::{OutlineError, convex_parts};
use super::pose::{Frame, Pose};
use super::vector::{Vec2, Vec3, add3, cross3, dot, dot3, left, scale3};

/// Maximum number of corners in all polygons of a body. With this limit, two bodies are compared in milliseconds, even
/// if each corner yields one convex part.
pub const MAX_CORNERS: usize = 256;
/// Maximum distance from a body at which a sensor still counts as inside the body, and thus as part of the robot (mm).
/// This margin is necessary, because programs send coordinates with few digits.
const MOUNTED: f64 = 1e-3;

/// Upright prism over a convex polygon.
#[derive(Clone, Debug)]
pub(super) struct Prism {
    pub outline: Convex,
    /// Heights of the bottom and the top (mm).
    pub span: [f64; 2],
}

/// Reason why a shape is not a valid body.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ShapeError {
    /// Invalid polygon.
    #[error("polygon {polygon} of layer {layer}: {flaw}")]
    Outline {
        /// Number of the layer, from 1 at the bottom.
        layer: usize,
        /// Number of the polygon in its layer, from 1.
        polygon: usize,
        /// Error of the polygon.
        flaw: OutlineError,
    },
    /// More corners than a body may have.
    #[error("the polygons have {0} corners; at most {MAX_CORNERS} are allowed")]
    TooManyCorners(usize),
}

/// Body of a robot as prisms, in the robot's own coordinates. The bottom has height 0.
#[derive(Clone, Debug)]
pub(super) struct Body {
    pub prisms: Vec<Prism>,
    /// Number of prisms in the bottom layer. These prisms come first in `prisms`.
    pub bottom_prisms: usize,
    /// Convex hull of all prisms, seen from above.
    pub hull: Convex,
    pub height: f64,
}

impl Body {
    /// Divides the polygons of a shape into convex parts.
    ///
    /// # Errors
    /// The shape is not a valid body.
    pub(super) fn new(shape: &BodyShape) -> Result<Self, ShapeError> {
        let corners = shape.layers.iter().flat_map(|layer| &layer.polygons).map(Vec::len).sum();
        if corners > MAX_CORNERS {
            return Err(ShapeError::TooManyCorners(corners));
        }
        let (mut prisms, mut feet, mut height) = (Vec::new(), 0, 0.0);
        for (number, layer) in (1..).zip(&shape.layers) {
            let span = [height, height + layer.height];
            for (polygon, outline) in (1..).zip(&layer.polygons) {
                let parts =
                    convex_parts(outline).map_err(|flaw| ShapeError::Outline { layer: number, polygon, flaw })?;
                prisms.extend(parts.into_iter().map(|outline| Prism { outline, span }));
            }
            height = span[1];
            if number == 1 {
                feet = prisms.len();
            }
        }
        let points = prisms.iter().flat_map(|prism| &prism.outline.sides).map(|side| side.point).collect();
        let hull = Convex::new(&hull(points));
        Ok(Self { prisms, bottom_prisms: feet, hull, height })
    }

    /// Returns the number of corners of all convex parts.
    pub(super) fn corners(&self) -> usize {
        self.prisms.iter().map(|prism| prism.outline.sides.len()).sum()
    }
}

/// Body placed in the arena.
#[derive(Clone, Debug)]
pub(super) struct PlacedBody {
    pub body: Body,
    pub pose: Pose,
    frame: Frame,
    pub spot: GroundPoint,
    /// Prisms in arena coordinates. They are upright even if the robot is tilted.
    pub prisms: Vec<Prism>,
    /// Centre of the circle that encloses the hull, in arena coordinates. The circle's radius is `body.hull.radius`.
    pub centre: Vec2,
}

impl PlacedBody {
    pub(super) fn new(body: Body, pose: Pose, terrain: &Terrain) -> Self {
        let (frame, prisms) = (pose.frame(), body.prisms.clone());
        let mut placed = Self { body, pose, frame, spot: GroundPoint::default(), prisms, centre: [0.0, 0.0] };
        placed.put(pose, terrain);
        placed
    }

    /// Moves the body to a new pose.
    pub(super) fn put(&mut self, pose: Pose, terrain: &Terrain) {
        self.pose = pose;
        self.frame = pose.frame();
        self.spot = terrain.spot([pose.x, pose.y]);
        for (prism, from) in self.prisms.iter_mut().zip(&self.body.prisms) {
            prism.outline.place(&from.outline, &self.frame);
            prism.span = from.span.map(|height| height + self.spot.height);
        }
        self.centre = self.frame.place(self.body.hull.centre);
    }

    /// Returns the tilts of the ground in the forward direction and to the left (rad). Rising ground has a positive
    /// tilt.
    pub(super) fn tilts(&self) -> [f64; 2] {
        let forward = self.frame.turn([0.0, 1.0]);
        [forward, left(forward)].map(|way| dot(self.spot.slope, way).atan())
    }

    /// Returns whether a point is in the body's hull. The hull is tested both upright and tilted with the ground.
    pub(super) fn carries(&self, point: Vec3) -> bool {
        let offset = [point[0] - self.pose.x, point[1] - self.pose.y, point[2] - self.spot.height];
        let within = |plan: Vec2, height: f64| {
            (-MOUNTED..=self.body.height + MOUNTED).contains(&height) && self.body.hull.contains(plan, MOUNTED)
        };
        if within(self.frame.turn_back([offset[0], offset[1]]), offset[2]) {
            return true;
        }
        let [along_x, along_y] = self.spot.slope;
        if along_x == 0.0 && along_y == 0.0 {
            return false;
        }
        let unit = |way: Vec3| scale3(way, 1.0 / dot3(way, way).sqrt());
        let up = unit([-along_x, -along_y, 1.0]);
        let [x, y] = self.frame.turn([0.0, 1.0]);
        let forward = unit(add3([x, y, 0.0], [0.0, 0.0, along_x * x + along_y * y]));
        within([dot3(offset, cross3(forward, up)), dot3(offset, forward)], dot3(offset, up))
    }
}
