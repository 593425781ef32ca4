//! Vector arithmetic.

pub(super) type Vec2 = [f64; 2];
pub(super) type Vec3 = [f64; 3];

pub(super) fn add(a: Vec2, b: Vec2) -> Vec2 {
    [a[0] + b[0], a[1] + b[1]]
}

pub(super) fn subtract(a: Vec2, b: Vec2) -> Vec2 {
    [a[0] - b[0], a[1] - b[1]]
}

pub(super) fn scale(a: Vec2, by: f64) -> Vec2 {
    [a[0] * by, a[1] * by]
}

pub(super) fn dot(a: Vec2, b: Vec2) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

/// Returns the cross product, which is positive if `b` points to the left of `a`.
pub(super) fn cross(a: Vec2, b: Vec2) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

/// Rotates a vector by a quarter turn counter-clockwise.
pub(super) fn left(a: Vec2) -> Vec2 {
    [-a[1], a[0]]
}

pub(super) fn length(a: Vec2) -> f64 {
    dot(a, a).sqrt()
}

pub(super) fn add3(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub(super) fn subtract3(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(super) fn scale3(a: Vec3, by: f64) -> Vec3 {
    [a[0] * by, a[1] * by, a[2] * by]
}

pub(super) fn dot3(a: Vec3, b: Vec3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn cross3(a: Vec3, b: Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(super) fn length3(a: Vec3) -> f64 {
    dot3(a, a).sqrt()
}

/// Returns the position on the segment from `a` to `b` that is nearest to a point, as a fraction from 0 to 1.
pub(super) fn nearest_part(a: Vec2, b: Vec2, point: Vec2) -> f64 {
    let way = subtract(b, a);
    let square = dot(way, way);
    if square > 0.0 { (dot(subtract(point, a), way) / square).clamp(0.0, 1.0) } else { 0.0 }
}
