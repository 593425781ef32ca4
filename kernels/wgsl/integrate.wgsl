// Floor friction and motion with noise; see world/physics/floor.rs and motion.rs.

fn grip(footing: FrictionParams, slip: vec2<f32>) -> vec2<f32> {
    let speed = length(slip);
    let x = FRICTION_STEEPNESS * speed;
    let steep = x > 1.0;
    let angle = atan_unit(select(x, 1.0 / x, steep));
    let share = select(angle, FRAC_PI_2 - angle, steep) * FRAC_2_PI;
    let size = min(footing.strongest * share, footing.half_mass * speed);
    return slip * select(0.0, -size / speed, speed > 0.0);
}

fn stage_friction() {
    for (var b = first_own; b < scene.bodies; b += OWN_STEP) {
        let footing = params.footing[b];
        let velocity = vec2(vx[at(b)], vy[at(b)]);
        let turning = spin[at(b)];
        let driven = wheels[own(b)];
        let s = sin_cos(heading[own(b)]);
        let front = vec2(s.y, s.x);
        let arm = perp(front) * footing.arm;
        let left = grip(footing, velocity + perp(arm) * turning - front * driven.x);
        let right = grip(footing, velocity - perp(arm) * turning - front * driven.y);
        let changed = velocity + (left + right) * params.body[b].inverse_mass;
        vx[at(b)] = changed.x;
        vy[at(b)] = changed.y;
        spin[at(b)] = turning + cross2(arm, left - right) * params.body[b].inverse_inertia;
    }
    sync();
}

fn stage_integrate() {
    for (var b = first_own; b < scene.bodies; b += OWN_STEP) {
        let words = motion_words(vec4(world_number, b, step_number, STREAM_MOTION), seed);
        let deviates = vec3(
            nearly_normal(words.x, words.w), nearly_normal(words.y, words.w >> 8u), nearly_normal(words.z, words.w >> 16u),
        );
        let noise = deviates * params.noise.xyz;
        let velocity = vec2(vx[at(b)], vy[at(b)]);
        let way = velocity * (DT * (1.0 + noise.x));
        let turn = spin[at(b)] * (DT * (1.0 + noise.y)) + length(velocity) * (DT * noise.z);
        px[at(b)] += way.x;
        py[at(b)] += way.y;
        heading[own(b)] = wrap_angle(heading[own(b)] + turn);
    }
    sync();
}
