//! Finds the point of a planar face that is nearest to a sensor, within the beam of the sensor.

use super::beam::Cone;
use super::vector::{Vec3, add3, cross3, dot3, length3, scale3, subtract3};

/// Maximum distance of a sensor behind a face at which the sensor still detects the face (mm). A robot
/// may overlap an object by a tenth of this distance when the robot touches the object.
pub(super) const TOUCHED: f64 = 1e-3;
/// Tolerance of a face's border (mm). It prevents beams from passing between two adjacent faces.
const MARGIN: f64 = 1e-9;

/// Plane of a face, relative to a sensor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Face {
    /// Outward unit normal in arena coordinates.
    pub normal: Vec3,
    /// Distance of the sensor in front of the plane (mm); negative behind the plane.
    pub height: f64,
}

/// Corners of a face in arena coordinates, counter-clockwise as seen from outside.
pub(super) struct Corners<F> {
    pub count: usize,
    pub corner: F,
}

/// Nearest point of a face in a beam.
#[derive(Clone, Copy, Debug)]
pub(super) struct NearestPoint {
    pub distance: f64,
    /// Position in beam coordinates.
    pub seen: Vec3,
}

impl Face {
    pub(super) fn is_front(&self) -> bool {
        self.height > -TOUCHED
    }

    /// Returns the nearest point of the face in the beam; `None` if no point is nearer than `limit` (mm).
    ///
    /// In the part of the plane inside the beam, the distance to the sensor is a convex function. If the minimum of
    /// this function is not within the face, the nearest point of the face is therefore on an edge.
    pub(super) fn nearest(
        &self,
        cone: &Cone,
        limit: f64,
        walk: Corners<impl Fn(usize) -> Vec3>,
    ) -> Option<NearestPoint> {
        let height = self.height.max(0.0);
        if height >= limit {
            return None;
        }
        let normal = cone.turn(self.normal);
        let towards = scale3(normal, -1.0);
        let direction = cone.nearest_direction(towards)?;
        let part = height / dot3(direction, towards);
        let seen = scale3(direction, part);
        let distance = length3(seen);
        if distance >= limit {
            return None;
        }
        let corner = |at: usize| cone.see((walk.corner)(if at == walk.count { 0 } else { at }));
        let mut within = true;
        let mut from = corner(0);
        for at in 1..=walk.count {
            let to = corner(at);
            let edge = subtract3(to, from);
            within &= dot3(normal, cross3(edge, subtract3(seen, from))) >= -MARGIN * length3(edge);
            from = to;
        }
        if within {
            return Some(NearestPoint { distance, seen });
        }
        let mut found: Option<NearestPoint> = None;
        let mut from = corner(0);
        for at in 1..=walk.count {
            let to = corner(at);
            let edge = subtract3(to, from);
            let limit = found.map_or(limit, |found| found.distance);
            found = nearest_on_edge(cone, from, edge).filter(|here| here.distance < limit).or(found);
            from = to;
        }
        found
    }
}

fn nearest_on_edge(cone: &Cone, from: Vec3, edge: Vec3) -> Option<NearestPoint> {
    let square = dot3(edge, edge);
    if square == 0.0 {
        return None;
    }
    let (low, high) = cone.clip(from, edge)?;
    let part = (-dot3(from, edge) / square).clamp(low, high);
    let seen = add3(from, scale3(edge, part));
    Some(NearestPoint { distance: length3(seen), seen })
}
