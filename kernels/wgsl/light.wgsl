// Ambient light at the eight infra-red sensors, and its vector sum; see world/senses/light.rs.

fn brightness(here: vec2<f32>, direction: vec2<f32>) -> f32 {
    var level = params.room_light;
    for (var i = 0u; i < scene.lights; i++) {
        let light = params.light_list[i];
        let towards = light.xy - here;
        let along = dot(towards, direction);
        let facing = max(along - ROBOT_RADIUS, 0.0);
        let square = dot(towards, towards) - 2.0 * ROBOT_RADIUS * along + ROBOT_RADIUS * ROBOT_RADIUS + light.z;
        level += light.w * facing / (square * sqrt(square));
    }
    return min(level, 1.0);
}

// Strength of a lamp in the exponential law, and its bearing.
fn lamp_of(light: vec4<f32>, here: vec2<f32>, front: vec2<f32>) -> vec2<f32> {
    let towards = light.xy - here;
    let distance = sqrt(dot(towards, towards) + light.z);
    let strength = select(0.0, exponential(-2.0 * distance / max(light.w, 1e-6)), distance <= 2.5 * light.w);
    return vec2(strength, angle_of(vec2(dot(front, towards), cross2(front, towards))));
}

fn stage_light() {
    for (var b = first_own; b < scene.robots; b += OWN_STEP) {
        let here = place_of(b);
        let front = ahead[own(b)];
        var levels: array<f32, RAYS>;
        for (var ray = 0u; ray < RAYS; ray++) {
            if LIGHT_EXPONENTIAL == 1u {
                levels[ray] = params.room_light;
            } else {
                levels[ray] = brightness(here, rotate(params.rays[ray].xy, front));
            }
        }
        if LIGHT_EXPONENTIAL == 1u {
            for (var i = 0u; i < scene.lights; i++) {
                let lamp = lamp_of(params.light_list[i], here, front);
                for (var ray = 0u; ray < RAYS; ray++) {
                    let angle = abs(wrap_angle(lamp.y - params.rays[ray].z));
                    levels[ray] += lamp.x * max(1.0 - angle * (1.0 / FRAC_PI_2), 0.0);
                }
            }
        }
        var errors = vec4(0u);
        if LIGHT_NOISE > 0.0 {
            errors = motion_words(vec4(world_number, b, update, STREAM_LIGHT), seed);
        }
        var least = 1.0;
        var most = 0.0;
        for (var ray = 0u; ray < RAYS; ray++) {
            levels[ray] = min(levels[ray], 1.0);
            if LIGHT_NOISE > 0.0 {
                levels[ray] = clamp(levels[ray] + LIGHT_NOISE * sensor_error(errors, ray), 0.0, 1.0);
            }
            least = min(least, levels[ray]);
            most = max(most, levels[ray]);
        }
        var sum = vec2(0.0);
        for (var ray = 0u; ray < RAYS; ray++) {
            sum += params.rays[ray].xy * (levels[ray] - least);
        }
        var seen = sum * 0.5;
        if LIGHT_THRESHOLD > 0.0 {
            let size = length(seen);
            seen = select(vec2(0.0), seen * (1.0 / size), most > LIGHT_THRESHOLD && size > 0.0);
        }
        keep_vector(Q_LIGHT_X, b, seen);
    }
}
