// The ground sensor; see world/floor.rs.

// Index of the visible paint in the table; 0 for the unpainted floor.
fn paint_at(at: vec2<f32>) -> u32 {
    let floor = params.floor;
    let paints = table[floor];
    // Paint has conditions only if the task is an objective.
    var holding = 0u;
    if scene.task == TASK_OBJECTIVE {
        holding = score[score_at(S_ACTIVE)];
    }
    // The first paint is visible, so it is laid last.
    var visible = 0u;
    for (var i = paints; i > 0u; i--) {
        let paint = floor + FLOOR_WORDS + PAINT_WORDS * (i - 1u);
        if exists(table[paint + 2u], holding) && in_zone(table[paint], at) {
            visible = paint;
        }
    }
    return visible;
}

fn shade_at(at: vec2<f32>) -> u32 {
    let paint = paint_at(at);
    return select(table[paint + 1u], table[params.floor + 1u], paint == 0u);
}

fn level_at(at: vec2<f32>) -> f32 {
    let paint = paint_at(at);
    return bitcast<f32>(select(table[paint + 3u], table[params.floor + 8u], paint == 0u));
}

// Adds the readings of the three ground points to their history; see world/robot.rs.
fn read_points(b: u32) {
    let words = motion_words(vec4(world_number, b, update, STREAM_POINTS), seed);
    let front = ahead[own(b)];
    let middle = place_of(b) + SENSOR_AHEAD * front;
    var black = 0u;
    var white = 0u;
    for (var i = 0u; i < 3u; i++) {
        let aside = (f32(i) - 1.0) * GROUND_ASIDE;
        let read = level_at(middle + aside * vec2(-front.y, front.x)) + GROUND_NOISE * (2.0 * unit(words[i]) - 1.0);
        black += select(0u, 1u, read < GROUND_BLACK);
        white += select(0u, 1u, read > GROUND_WHITE);
    }
    let word = place(Q_POINTS, b);
    let history = state[word];
    let blacks = (history & 0xffffu & GROUND_KEPT) << 2u | black;
    let whites = (history >> 16u & GROUND_KEPT) << 2u | white;
    state[word] = blacks | whites << 16u;
    let is_white = select(0.0, 1.0, points_counted(whites) > GROUND_MAJORITY);
    keep(Q_GROUND, b, select(is_white, -1.0, points_counted(blacks) > GROUND_MAJORITY));
}

fn points_counted(bits: u32) -> u32 {
    let pairs = (bits & 0x3333u) + (bits >> 2u & 0x3333u);
    let bytes = (pairs & 0x0f0fu) + (pairs >> 4u & 0x0f0fu);
    return (bytes & 0xffu) + (bytes >> 8u);
}

fn stage_ground() {
    for (var b = first_own; b < scene.robots; b += OWN_STEP) {
        if GROUND_POINTS == 1u {
            read_points(b);
            continue;
        }
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
