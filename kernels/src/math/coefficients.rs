//! Coefficients of the elementary functions. All engines use the same polynomials.

/// Three parts whose sum is pi/2. The first two parts have few bits, so that their products with a number of quarter
/// turns are exact.
pub(crate) const QUARTER_TURN: [f32; 3] = [1.570_312_5, 4.837_513e-4, 7.549_79e-8];
/// Coefficients of the sine within an eighth of a turn around 0, for the odd powers of the angle from the third on.
pub(crate) const SIN: [f32; 4] = [-0.166_666_67, 8.333_329e-3, -1.983_920_2e-4, 2.717_345_6e-6];
/// Coefficients of the cosine within an eighth of a turn around 0, for the even powers of the angle from the fourth
/// on.
pub(crate) const COS: [f32; 3] = [4.166_661_7e-2, -1.388_661_8e-3, 2.437_983_1e-5];
/// Coefficients of the arc tangent of a ratio in 0..=1, for the odd powers of the ratio from the third on.
pub(crate) const ATAN: [f32; 8] = [
    -0.333_330_37,
    0.199_918_72,
    -0.141_977_98,
    0.106_183_71,
    -7.456_855e-2,
    4.213_762_4e-2,
    -1.573_124_9e-2,
    2.766_283_5e-3,
];
/// Maximum magnitude of the argument of the exponential function. Larger arguments are clamped.
pub(crate) const EXP_LIMIT: f32 = 87.0;
/// Two parts whose difference is ln 2. The first part has few bits, so that its product with an exponent is exact.
pub(crate) const LN_2_PARTS: [f32; 2] = [0.693_359_4, 2.121_944_4e-4];
/// Coefficients of the exponential function for arguments up to ln 2 / 2 in magnitude, for the powers of the argument
/// from the third on.
pub(crate) const EXP: [f32; 4] = [0.166_664_16, 4.166_635_4e-2, 8.375_126e-3, 1.394_110_8e-3];
/// Bits of the square root of 1/2 as an f32. The logarithm splits a number into a power of two and a mantissa in
/// sqrt(1/2)..sqrt(2).
pub(crate) const SQRT_HALF_BITS: u32 = 0x3f35_04f3;
/// Coefficients of the logarithm of a mantissa m, for the odd powers of (m - 1) / (m + 1) from the third on.
pub(crate) const LN: [f32; 3] = [0.666_668_2, 0.399_748_5, 0.299_243_9];
