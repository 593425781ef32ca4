//! Vectors that are padded to whole lanes and processed lane by lane. No operation combines different lanes, so
//! results are bit-identical for all register widths.

/// Number of lanes. The length of each vector is padded to a multiple of this number.
pub(super) const LANES: usize = 4;

/// Rounds `length` up to a multiple of [`LANES`].
pub(super) fn padded(length: usize) -> usize {
    length.next_multiple_of(LANES)
}

/// Adds `k` times `x` to `y`.
#[inline(always)]
pub(super) fn add_scaled(y: &mut [f64], k: f64, x: &[f64]) {
    for (y, x) in y.as_chunks_mut::<LANES>().0.iter_mut().zip(x.as_chunks::<LANES>().0) {
        for lane in 0..LANES {
            y[lane] += k * x[lane];
        }
    }
}

#[inline(always)]
pub(super) fn scale(y: &mut [f64], k: f64) {
    for y in y.as_chunks_mut::<LANES>().0 {
        for lane in y {
            *lane *= k;
        }
    }
}
