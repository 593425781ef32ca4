// The ground sensor; see world/floor.rs.

fn shade_at(at: vec2<f32>) -> u32 {
    let floor = params.floor;
    let paints = table[floor];
    // Paint has conditions only if the task is an objective.
    var holding = 0u;
    if scene.task == TASK_OBJECTIVE {
        holding = score[score_at(S_ACTIVE)];
    }
    // The first paint is visible, so it is laid last.
    var shade = table[floor + 1u];
    for (var i = paints; i > 0u; i--) {
        let paint = floor + 8u + 3u * (i - 1u);
        if exists(table[paint + 2u], holding) && in_zone(table[paint], at) {
            shade = table[paint + 1u];
        }
    }
    return shade;
}

fn stage_ground() {
    for (var b = first_own; b < scene.robots; b += OWN_STEP) {
        var shade = shade_at(place_of(b) + SENSOR_AHEAD * ahead[own(b)]);
        if switched(SWITCH_GROUND_ERRORS) {
            start_draws(b, update, STREAM_GROUND);
            let chance = draw_unit();
            let limits = table_vector(params.floor + 2u + 2u * shade);
            shade = select(select(2u, 1u, chance < limits.y), 0u, chance < limits.x);
        }
        keep(Q_GROUND, b, f32(shade) - 1.0);
    }
}
