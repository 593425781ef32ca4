//! Solids: prisms of convex polygons, and the bodies of robots that are made of them.

use super::super::body::BodyShape;
use super::convex::{Convex, hull};
use super::ground::{Spot, Terrain};
use super::outline::{OutlineError, convex_parts};
use super::pose::{Frame, Pose};
use super::vector::{Vec2, Vec3, add3, cross3, dot, dot3, left, scale3};

/// Corners of a body, all polygons together: two bodies of one part per corner are still compared in milliseconds.
pub const MAX_CORNERS: usize = 256;
/// How far outside of its body a sensor still belongs to it, mm: programs send few digits.
const MOUNTED: f64 = 1e-3;

/// A convex polygon with a bottom and a top.
#[derive(Clone, Debug)]
pub(super) struct Prism {
    pub outline: Convex,
    /// Heights of bottom and top, mm.
    pub span: [f64; 2],
}

/// Why a shape is no body.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ShapeError {
    /// A polygon that is none; layers and polygons are counted from 1.
    #[error("polygon {polygon} of layer {layer}: {flaw}")]
    Outline {
        /// Which layer, from the bottom.
        layer: usize,
        /// Which of its polygons.
        polygon: usize,
        /// What is wrong.
        flaw: OutlineError,
    },
    /// More corners than a world takes.
    #[error("the polygons have {0} corners, and at most {MAX_CORNERS} are allowed")]
    TooManyCorners(usize),
}

/// What a robot is made of, in its own coordinates, standing on height 0.
#[derive(Clone, Debug)]
pub(super) struct Body {
    pub prisms: Vec<Prism>,
    /// How many of them, the first ones, are the bottom layer.
    pub feet: usize,
    /// Around all of them, in plan.
    pub hull: Convex,
    pub height: f64,
}

impl Body {
    /// # Errors
    /// What is wrong with a shape.
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
        Ok(Self { prisms, feet, hull, height })
    }

    /// Corners of all its convex parts.
    pub(super) fn corners(&self) -> usize {
        self.prisms.iter().map(|prism| prism.outline.sides.len()).sum()
    }
}

/// A body in the arena.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub body: Body,
    pub pose: Pose,
    frame: Frame,
    pub spot: Spot,
    /// The body's prisms, upright in the arena whatever the tilt.
    pub prisms: Vec<Prism>,
    /// The middle of a circle around the hull, whose radius is the hull's.
    pub centre: Vec2,
}

impl Placed {
    pub(super) fn new(body: Body, pose: Pose, terrain: &Terrain) -> Self {
        let (frame, prisms) = (pose.frame(), body.prisms.clone());
        let mut placed = Self { body, pose, frame, spot: Spot::default(), prisms, centre: [0.0, 0.0] };
        placed.put(pose, terrain);
        placed
    }

    /// Puts it elsewhere.
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

    /// Tilts straight forward and across, rad.
    pub(super) fn tilts(&self) -> [f64; 2] {
        let forward = self.frame.turn([0.0, 1.0]);
        [forward, left(forward)].map(|way| dot(self.spot.slope, way).atan())
    }

    /// Whether a point is in the body's hull, either upright or tilted as the ground is.
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
