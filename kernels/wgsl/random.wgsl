// Philox4x32-10, as in random.rs; integers, so exactly the same words.

// High and low half of a product; WGSL has no 64-bit integers.
fn mul_wide(a: u32, b: u32) -> vec2<u32> {
    let al = a & 0xffffu;
    let ah = a >> 16u;
    let bl = b & 0xffffu;
    let bh = b >> 16u;
    let mid = ah * bl + ((al * bl) >> 16u);
    let low_mid = al * bh + (mid & 0xffffu);
    return vec2(ah * bh + (mid >> 16u) + (low_mid >> 16u), a * b);
}

fn philox_round(c: vec4<u32>, key: vec2<u32>) -> vec4<u32> {
    let x = mul_wide(c.x, 0xD2511F53u);
    let y = mul_wide(c.z, 0xCD9E8D57u);
    return vec4(y.x ^ c.y ^ key.x, y.y, x.x ^ c.w ^ key.y, x.y);
}

// Rounds are written out: some software adapters count loop iterations.
fn philox(counter: vec4<u32>, key: vec2<u32>) -> vec4<u32> {
    let bump = vec2(0x9E3779B9u, 0xBB67AE85u);
    var c = philox_round(counter, key);
    c = philox_round(c, key + bump);
    c = philox_round(c, key + 2u * bump);
    c = philox_round(c, key + 3u * bump);
    c = philox_round(c, key + 4u * bump);
    c = philox_round(c, key + 5u * bump);
    c = philox_round(c, key + 6u * bump);
    c = philox_round(c, key + 7u * bump);
    c = philox_round(c, key + 8u * bump);
    return philox_round(c, key + 9u * bump);
}

fn unit(word: u32) -> f32 {
    return f32(word >> 8u) * (1.0 / 16777216.0);
}

fn normal_pair(a: u32, b: u32) -> vec2<f32> {
    let u = f32((a >> 8u) + 1u) * (1.0 / 16777216.0);
    let size = sqrt(max(-2.0 * logarithm(u), 0.0));
    let s = sin_cos(unit(b) * (2.0 * PI));
    return vec2(size * s.y, size * s.x);
}

// A sequence of draws.
var<private> draw_counter: vec4<u32>;
var<private> draw_words: vec4<u32>;
var<private> draw_used: u32;

fn start_draws(body: u32, at: u32, stream: u32) {
    draw_counter = vec4(world_number, body, at, stream);
    draw_used = 4u;
}

fn draw_word() -> u32 {
    if draw_used == 4u {
        draw_words = philox(draw_counter, seed);
        draw_counter.y += 0x10000u;
        draw_used = 0u;
    }
    draw_used += 1u;
    return draw_words[draw_used - 1u];
}

fn draw_unit() -> f32 {
    return unit(draw_word());
}
