// The elementary functions of math.rs with the same polynomials, so platforms differ only in rounding.

fn is_nan(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u;
}

// Replaces NaN and infinite numbers by 0.
fn finite(x: f32) -> f32 {
    return select(0.0, x, (bitcast<u32>(x) & 0x7f800000u) != 0x7f800000u);
}

fn flip(x: f32, bits: u32) -> f32 {
    return bitcast<f32>(bitcast<u32>(x) ^ ((bits & 2u) << 30u));
}

// Sine and cosine.
fn sin_cos(x: f32) -> vec2<f32> {
    let turns = round(x * FRAC_2_PI);
    let quadrant = bitcast<u32>(i32(turns));
    let r = ((x - turns * QUARTER_TURN_0) - turns * QUARTER_TURN_1) - turns * QUARTER_TURN_2;
    let z = r * r;
    let s = r + r * z * (SIN_0 + z * (SIN_1 + z * (SIN_2 + z * SIN_3)));
    let c = 1.0 - 0.5 * z + z * z * (COS_0 + z * (COS_1 + z * COS_2));
    let swapped = (quadrant & 1u) != 0u;
    return vec2(flip(select(s, c, swapped), quadrant), flip(select(c, s, swapped), quadrant + 1u));
}

fn atan_unit(a: f32) -> f32 {
    let z = a * a;
    var p = ATAN_6 + z * ATAN_7;
    p = ATAN_4 + z * (ATAN_5 + z * p);
    p = ATAN_2 + z * (ATAN_3 + z * p);
    p = ATAN_0 + z * (ATAN_1 + z * p);
    return a + a * z * p;
}

fn atan2_positive(y: f32, x: f32) -> f32 {
    let steep = y > x;
    let angle = atan_unit(select(y, x, steep) / select(x, y, steep));
    return select(angle, FRAC_PI_2 - angle, steep);
}

// Angle of a vector; 0 for the zero vector.
fn angle_of(v: vec2<f32>) -> f32 {
    if v.x == 0.0 && v.y == 0.0 {
        return 0.0;
    }
    let first = atan2_positive(abs(v.y), abs(v.x));
    let half = select(first, PI - first, v.x < 0.0);
    return select(half, -half, v.y < 0.0);
}

fn exponential(x: f32) -> f32 {
    let bounded = clamp(x, -EXP_LIMIT, EXP_LIMIT);
    let n = round(bounded * LOG2_E);
    let r = (bounded - n * LN_2_PART_0) + n * LN_2_PART_1;
    let p = EXP_2 + r * EXP_3;
    let q = 1.0 + r * (1.0 + r * (0.5 + r * (EXP_0 + r * (EXP_1 + r * p))));
    return q * bitcast<f32>(bitcast<u32>(i32(n) + 127) << 23u);
}

fn logarithm(x: f32) -> f32 {
    let bits = bitcast<u32>(x) - SQRT_HALF_BITS;
    let e = f32(bitcast<i32>(bits) >> 23u);
    let m = bitcast<f32>((bits & 0x007fffffu) + SQRT_HALF_BITS);
    let s = (m - 1.0) / (m + 1.0);
    let z = s * s;
    return s * (2.0 + z * (LOG_0 + z * (LOG_1 + z * LOG_2))) + e * LN_2;
}

fn wrap_angle(a: f32) -> f32 {
    return select(select(a, a - 2.0 * PI, a > PI), a + 2.0 * PI, a < -PI);
}

fn rotate(v: vec2<f32>, by: vec2<f32>) -> vec2<f32> {
    return vec2(v.x * by.x - v.y * by.y, v.x * by.y + v.y * by.x);
}

fn cross2(a: vec2<f32>, b: vec2<f32>) -> f32 {
    return a.x * b.y - a.y * b.x;
}

fn perp(v: vec2<f32>) -> vec2<f32> {
    return vec2(-v.y, v.x);
}
