//! Three-dimensional vectors.

pub(super) type V3 = [f64; 3];

#[inline(always)]
pub(super) fn add(a: V3, b: V3) -> V3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
pub(super) fn scale(a: V3, k: f64) -> V3 {
    [a[0] * k, a[1] * k, a[2] * k]
}

#[inline(always)]
pub(super) fn dot(a: V3, b: V3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(super) fn cross(a: V3, b: V3) -> V3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline(always)]
pub(super) fn norm(a: V3) -> f64 {
    dot(a, a).sqrt()
}

/// Multiplies a vector by the matrix with the given columns.
#[inline(always)]
pub(super) fn rotate(columns: &[V3; 3], a: V3) -> V3 {
    let [x, y, z] = columns;
    [0, 1, 2].map(|k| x[k] * a[0] + y[k] * a[1] + z[k] * a[2])
}
