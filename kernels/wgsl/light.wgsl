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

fn stage_light() {
    for (var b = first_own; b < scene.robots; b += OWN_STEP) {
        let here = place_of(b);
        let front = ahead[own(b)];
        var levels: array<f32, RAYS>;
        var least = 1.0;
        for (var ray = 0u; ray < RAYS; ray++) {
            levels[ray] = brightness(here, rotate(params.rays[ray].xy, front));
            least = min(least, levels[ray]);
        }
        var sum = vec2(0.0);
        for (var ray = 0u; ray < RAYS; ray++) {
            sum += params.rays[ray].xy * (levels[ray] - least);
        }
        keep_vector(Q_LIGHT_X, b, sum * 0.5);
    }
}
