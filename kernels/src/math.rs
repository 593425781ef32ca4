//! Elementary functions and plane vectors in f32 arithmetic.
//!
//! All functions consist of IEEE basic operations in a fixed order, so results are identical on every platform and in
//! the lanes of vector registers. Polynomials are Chebyshev fits with errors below 2e-7.

pub(crate) mod coefficients;
pub mod linear;

use coefficients::{ATAN, COS, EXP, EXP_LIMIT, LN, LN_2_PARTS, QUARTER_TURN, SIN, SQRT_HALF_BITS};
use serde::{Deserialize, Serialize};
use std::f32::consts::{FRAC_2_PI, FRAC_PI_2, LN_2, LOG2_E, PI};
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// Number for rounding. If it is added to an f32 below 2^22 in magnitude and then subtracted, the result is the nearest
/// integer (ties to even).
const ROUND: f32 = 12_582_912.0;

#[inline(always)]
fn round(x: f32) -> f32 {
    (x + ROUND) - ROUND
}

/// Returns the smaller of two numbers; `b` if either is NaN or both are zero. Unlike [`f32::min`], the function thus
/// defines the result for 0 and -0.
#[inline(always)]
pub fn min(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// Returns the larger of two numbers; `b` if either is NaN or both are zero.
#[inline(always)]
pub fn max(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// Returns the integer part of `x` in 0..=1000. Unlike a saturating `as`, the function does not branch.
#[inline(always)]
pub fn floor(x: f32) -> u32 {
    let nearest = round(x);
    let below = if nearest > x { nearest - 1.0 } else { nearest };
    (below + ROUND).to_bits() & 0x3ff
}

/// Changes the sign of `x` if bit 1 of `bits` is set.
#[inline(always)]
fn flip(x: f32, bits: u32) -> f32 {
    f32::from_bits(x.to_bits() ^ ((bits & 2) << 30))
}

/// Returns the sine and cosine of `x` (rad), for |x| up to about 1000.
#[inline(always)]
pub fn sin_cos(x: f32) -> (f32, f32) {
    let shifted = x * FRAC_2_PI + ROUND;
    let turns = shifted - ROUND;
    // The low bits of the shifted number contain the number of quarter turns.
    let quadrant = shifted.to_bits();
    let r = ((x - turns * QUARTER_TURN[0]) - turns * QUARTER_TURN[1]) - turns * QUARTER_TURN[2];
    let z = r * r;
    let s = r + r * z * (SIN[0] + z * (SIN[1] + z * (SIN[2] + z * SIN[3])));
    let c = 1.0 - 0.5 * z + z * z * (COS[0] + z * (COS[1] + z * COS[2]));
    let swapped = quadrant & 1 != 0;
    let (sine, cosine) = (if swapped { c } else { s }, if swapped { s } else { c });
    (flip(sine, quadrant), flip(cosine, quadrant.wrapping_add(1)))
}

/// Returns the arc tangent (rad) of a ratio in 0..=1.
#[inline(always)]
pub fn atan_unit(a: f32) -> f32 {
    let z = a * a;
    let p = ATAN[6] + z * ATAN[7];
    let p = ATAN[4] + z * (ATAN[5] + z * p);
    let p = ATAN[2] + z * (ATAN[3] + z * p);
    let p = ATAN[0] + z * (ATAN[1] + z * p);
    a + a * z * p
}

/// Returns the angle of the vector (x, y) with non-negative components (rad), in 0..=pi/2; NaN for the zero vector.
#[inline(always)]
pub fn atan2_positive(y: f32, x: f32) -> f32 {
    let steep = y > x;
    let angle = atan_unit((if steep { x } else { y }) / (if steep { y } else { x }));
    if steep { FRAC_PI_2 - angle } else { angle }
}

/// Returns the angle of the vector (x, y) (rad), in -pi..=pi; 0 for the zero vector, NaN if a component is NaN.
#[inline(always)]
pub fn atan2(y: f32, x: f32) -> f32 {
    let (ax, ay) = (x.abs(), y.abs());
    let first = atan2_positive(ay, ax);
    let half = if x < 0.0 { PI - first } else { first };
    let angle = if y < 0.0 { -half } else { half };
    if ax == 0.0 && ay == 0.0 { 0.0 } else { angle }
}

/// Returns the exponential function. The argument is clamped to +-87, so the result is finite and positive. For NaN,
/// the result is NaN.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    let x = if x < -EXP_LIMIT { -EXP_LIMIT } else { x };
    let x = if x > EXP_LIMIT { EXP_LIMIT } else { x };
    let n = round(x * LOG2_E);
    let r = (x - n * LN_2_PARTS[0]) + n * LN_2_PARTS[1];
    let p = EXP[2] + r * EXP[3];
    let p = 1.0 + r * (1.0 + r * (0.5 + r * (EXP[0] + r * (EXP[1] + r * p))));
    p * f32::from_bits((((n as i32) + 127) as u32) << 23)
}

/// Returns the hyperbolic tangent. The results for `x` and `-x` differ only in sign. For NaN, the result is NaN.
#[inline(always)]
pub fn tanh(x: f32) -> f32 {
    let positive = 1.0 - 2.0 / (exp(2.0 * x.abs()) + 1.0);
    if x < 0.0 { -positive } else { positive }
}

/// Returns the natural logarithm of a positive normal number.
#[inline(always)]
pub fn ln(x: f32) -> f32 {
    // The number is split into 2^e * m, with m in sqrt(1/2)..sqrt(2). The subtraction makes the exponent e change at
    // sqrt(1/2) times a power of two, instead of at a power of two.
    let bits = x.to_bits().wrapping_sub(SQRT_HALF_BITS);
    let e = (bits as i32) >> 23;
    let m = f32::from_bits((bits & 0x007f_ffff).wrapping_add(SQRT_HALF_BITS));
    let s = (m - 1.0) / (m + 1.0);
    let z = s * s;
    let p = 2.0 + z * (LN[0] + z * (LN[1] + z * LN[2]));
    s * p + e as f32 * LN_2
}

/// Maps an angle from -3 pi..3 pi to -pi..=pi (rad).
#[inline(always)]
pub fn wrap_angle(a: f32) -> f32 {
    let down = if a > PI { a - 2.0 * PI } else { a };
    if a < -PI { a + 2.0 * PI } else { down }
}

/// A vector in the plane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Vec2 {
    /// First component.
    pub x: f32,
    /// Second component.
    pub y: f32,
}

/// Creates `Vec2 { x, y }`.
pub const fn vec2(x: f32, y: f32) -> Vec2 {
    Vec2 { x, y }
}

impl Vec2 {
    /// The zero vector.
    pub const ZERO: Vec2 = vec2(0.0, 0.0);

    /// Returns the unit vector at `angle` (rad), counter-clockwise from x.
    #[inline(always)]
    pub fn unit(angle: f32) -> Vec2 {
        let (s, c) = sin_cos(angle);
        vec2(c, s)
    }

    /// Returns the scalar product.
    #[inline(always)]
    pub fn dot(self, o: Vec2) -> f32 {
        self.x * o.x + self.y * o.y
    }

    /// Returns the vector product (its component perpendicular to the plane).
    #[inline(always)]
    pub fn cross(self, o: Vec2) -> f32 {
        self.x * o.y - self.y * o.x
    }

    /// Returns the squared length.
    #[inline(always)]
    pub fn length_squared(self) -> f32 {
        self.dot(self)
    }

    /// Returns the length.
    #[inline(always)]
    pub fn length(self) -> f32 {
        self.length_squared().sqrt()
    }

    /// Returns the vector rotated by +90 degrees.
    #[inline(always)]
    pub fn perp(self) -> Vec2 {
        vec2(-self.y, self.x)
    }

    /// Returns the vector rotated by the angle of the unit vector `by`.
    #[inline(always)]
    pub fn rotate(self, by: Vec2) -> Vec2 {
        vec2(self.x * by.x - self.y * by.y, self.x * by.y + self.y * by.x)
    }

    /// Returns the angle counter-clockwise from x (rad).
    #[inline(always)]
    pub fn angle(self) -> f32 {
        atan2(self.y, self.x)
    }
}

impl Add for Vec2 {
    type Output = Vec2;
    #[inline(always)]
    fn add(self, o: Vec2) -> Vec2 {
        vec2(self.x + o.x, self.y + o.y)
    }
}

impl Sub for Vec2 {
    type Output = Vec2;
    #[inline(always)]
    fn sub(self, o: Vec2) -> Vec2 {
        vec2(self.x - o.x, self.y - o.y)
    }
}

impl Mul<f32> for Vec2 {
    type Output = Vec2;
    #[inline(always)]
    fn mul(self, k: f32) -> Vec2 {
        vec2(self.x * k, self.y * k)
    }
}

impl Neg for Vec2 {
    type Output = Vec2;
    #[inline(always)]
    fn neg(self) -> Vec2 {
        vec2(-self.x, -self.y)
    }
}

impl AddAssign for Vec2 {
    #[inline(always)]
    fn add_assign(&mut self, o: Vec2) {
        *self = *self + o;
    }
}

impl SubAssign for Vec2 {
    #[inline(always)]
    fn sub_assign(&mut self, o: Vec2) {
        *self = *self - o;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f32, b: f64, tolerance: f64, what: &str) {
        assert!((f64::from(a) - b).abs() <= tolerance, "{what}: {a} is not {b}");
    }

    #[test]
    fn functions_agree_with_double_precision() {
        for i in -4000..=4000 {
            let x = i as f32 * 0.0031;
            let (s, c) = sin_cos(x);
            close(s, f64::from(x).sin(), 3e-7, "sin");
            close(c, f64::from(x).cos(), 3e-7, "cos");
            close(exp(x) / f64::from(x).exp() as f32, 1.0, 4e-7, "exp");
            let p = (i + 4001) as f32 * 0.0017;
            close(ln(p), f64::from(p).ln(), 4e-7, "ln");
            close(atan_unit(1.0 / (1.0 + p)), (1.0 / (1.0 + f64::from(p))).atan(), 2e-7, "atan");
            let (y, z) = ((i as f32 * 0.7).sin(), (i as f32 * 0.3).cos());
            close(atan2(y, z), f64::from(y).atan2(f64::from(z)), 4e-7, "atan2");
        }
    }

    #[test]
    fn angles_of_special_vectors() {
        assert_eq!(atan2(0.0, 0.0), 0.0);
        assert_eq!(atan2(1.0, 0.0), FRAC_PI_2);
        assert_eq!(atan2(-1.0, 0.0), -FRAC_PI_2);
        assert_eq!(atan2(0.0, -1.0), PI);
        assert!(atan2(f32::NAN, 1.0).is_nan() && atan2(1.0, f32::NAN).is_nan());
        assert!(exp(f32::NAN).is_nan());
        assert!(exp(-1e9) > 0.0 && exp(1e9).is_finite());
    }

    #[test]
    fn floors_are_integer_parts() {
        for i in 0..=64_000 {
            let x = i as f32 / 64.0;
            assert_eq!(floor(x), x as u32, "{x}");
            assert_eq!(floor(x.next_down().max(0.0)), x.next_down().max(0.0) as u32);
        }
    }

    #[test]
    fn wrapping_keeps_the_direction() {
        close(wrap_angle(3.5), 3.5 - 2.0 * std::f64::consts::PI, 1e-6, "wrap");
        close(wrap_angle(-3.5), -3.5 + 2.0 * std::f64::consts::PI, 1e-6, "wrap");
    }
}
