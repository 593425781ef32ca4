// Floor friction and motion with noise; see world/physics/floor.rs and motion.rs.

fn grip(footing: Footing, slip: vec2<f32>) -> vec2<f32> {
    let speed = length(slip);
    let x = FRICTION_STEEPNESS * speed;
    let steep = x > 1.0;
    let angle = atan_unit(select(x, 1.0 / x, steep));
    let share = select(angle, FRAC_PI_2 - angle, steep) * FRAC_2_PI;
    let size = min(footing.strongest * share, footing.half_mass * speed);
    return slip * select(0.0, -size / speed, speed > 0.0);
}

fn stage_friction() {
    if me < params.bodies {
        let footing = params.footing[me];
        let velocity = vec2(vx[me], vy[me]);
        look_ahead();
        let arm = perp(ahead) * footing.arm;
        let left = grip(footing, velocity + perp(arm) * spin[me] - ahead * wheels.x);
        let right = grip(footing, velocity - perp(arm) * spin[me] - ahead * wheels.y);
        let changed = velocity + (left + right) * params.body[me].inverse_mass;
        vx[me] = changed.x;
        vy[me] = changed.y;
        spin[me] += cross2(arm, left - right) * params.body[me].inverse_inertia;
    }
    if me == 0u {
        atomicStore(&busy, 0u);
    }
    workgroupBarrier();
}

fn stage_integrate() {
    if me < params.bodies {
        let words = philox(vec4(world_number, me, step_number, STREAM_MOTION), seed);
        let pair = normal_pair(words.x, words.y);
        let drift = normal_pair(words.z, words.w).x * params.noise.z;
        let velocity = vec2(vx[me], vy[me]);
        let way = velocity * (DT * (1.0 + pair.x * params.noise.x));
        let turn = spin[me] * (DT * (1.0 + pair.y * params.noise.y)) + length(velocity) * (DT * drift);
        px[me] += way.x;
        py[me] += way.y;
        heading = wrap_angle(heading + turn);
    }
    workgroupBarrier();
}
