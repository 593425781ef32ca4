// The elementary functions of math.rs: the same polynomials, so that platforms differ by rounding alone.

const PI: f32 = 3.14159265;
const FRAC_PI_2: f32 = 1.57079637;
const FRAC_2_PI: f32 = 0.636619772;

fn is_nan(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u;
}

// The number, or 0 if it is none or infinite.
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
    let r = ((x - turns * 1.5703125) - turns * 4.837513e-4) - turns * 7.54979e-8;
    let z = r * r;
    let s = r + r * z * (-0.16666667 + z * (8.333329e-3 + z * (-1.9839202e-4 + z * 2.7173456e-6)));
    let c = 1.0 - 0.5 * z + z * z * (4.1666617e-2 + z * (-1.3886618e-3 + z * 2.4379831e-5));
    let swapped = (quadrant & 1u) != 0u;
    return vec2(flip(select(s, c, swapped), quadrant), flip(select(c, s, swapped), quadrant + 1u));
}

fn atan_unit(a: f32) -> f32 {
    let z = a * a;
    var p = -1.5731249e-2 + z * 2.7662835e-3;
    p = -7.456855e-2 + z * (4.2137624e-2 + z * p);
    p = -0.14197798 + z * (0.10618371 + z * p);
    p = -0.33333037 + z * (0.19991872 + z * p);
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
    let bounded = clamp(x, -87.0, 87.0);
    let n = round(bounded * 1.44269504);
    let r = (bounded - n * 0.6933594) + n * 2.1219444e-4;
    let p = 8.375126e-3 + r * 1.3941108e-3;
    let q = 1.0 + r * (1.0 + r * (0.5 + r * (0.16666416 + r * (4.1666354e-2 + r * p))));
    return q * bitcast<f32>(bitcast<u32>(i32(n) + 127) << 23u);
}

fn logarithm(x: f32) -> f32 {
    let bits = bitcast<u32>(x) - 0x3f3504f3u;
    let e = f32(bitcast<i32>(bits) >> 23u);
    let m = bitcast<f32>((bits & 0x007fffffu) + 0x3f3504f3u);
    let s = (m - 1.0) / (m + 1.0);
    let z = s * s;
    return s * (2.0 + z * (0.6666682 + z * (0.3997485 + z * 0.2992439))) + e * 0.69314718;
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
