// Task counts, and the relocation of the benchmark's frisbee when it touches an end; see world/task/.

fn free_spot(disc: u32) -> vec2<f32> {
    var best = vec2(0.0);
    var best_room = -1e9;
    for (var i = 0u; i < RELOCATION_TRIES; i++) {
        var spot = vec2(2.0);
        while dot(spot, spot) > 1.0 {
            let x = -1.0 + 2.0 * draw_unit();
            spot = vec2(x, -1.0 + 2.0 * draw_unit());
        }
        spot *= RELOCATION_RADIUS;
        var room = 1e9;
        for (var j = 0u; j < scene.bodies; j++) {
            let free = distance(place_of(j), spot) - radius(j) - radius(disc);
            room = min(room, select(free, 1e9, j == disc));
        }
        if room > 0.0 {
            return spot;
        }
        if room > best_room {
            best_room = room;
            best = spot;
        }
    }
    return best;
}

fn stage_task() {
    let disc = scene.robots;
    if leader && abs(px[at(disc)]) + radius(disc) >= params.half_arena.x {
        start_draws(0u, step_number, STREAM_RELOCATION);
        let spot = free_spot(disc);
        let from_x = bitcast<f32>(state[header(H_COUNTED_FROM)]);
        let total = bitcast<f32>(state[header(H_TOTAL)]) + (px[at(disc)] - from_x);
        state[header(H_TOTAL)] = bitcast<u32>(total);
        state[header(H_COUNTED_FROM)] = bitcast<u32>(spot.x);
        state[header(H_RELOCATIONS)] += 1u;
        px[at(disc)] = spot.x;
        py[at(disc)] = spot.y;
        vx[at(disc)] = 0.0;
        vy[at(disc)] = 0.0;
        spin[at(disc)] = 0.0;
    }
    sync();
}

// Computes bit masks of the robots in range of each other; `square` is the squared range.
fn list_neighbours(square: f32) {
    let bits_from = params.batch * CONTACTS_WORDS + world * scene.robots * ROBOT_WORDS;
    for (var b = first_own; b < scene.robots; b += OWN_STEP) {
        let here = place_of(b);
        var bits = 0u;
        for (var j = 0u; j < scene.robots; j++) {
            let d = place_of(j) - here;
            bits |= select(0u, 1u << (j & 31u), dot(d, d) <= square);
            if (j & 31u) == 31u || j + 1u == scene.robots {
                work[bits_from + b * ROBOT_WORDS + (j >> 5u)] = bits;
                bits = 0u;
            }
        }
    }
}

// Size of the largest cluster, and the number of clusters, found one robot after another.
fn cluster_sizes() -> vec2<u32> {
    let bits_from = params.batch * CONTACTS_WORDS + world * scene.robots * ROBOT_WORDS;
    var seen: array<u32, ROBOT_WORDS>;
    var reached: array<u32, ROBOT_WORDS>;
    for (var k = 0u; k < ROBOT_WORDS; k++) {
        seen[k] = 0u;
        reached[k] = 0u;
    }
    var largest = 0u;
    var size = 0u;
    var clusters = 0u;
    for (var n = 0u; n < scene.robots; n++) {
        var next = NO_ROBOT;
        var unseen = NO_ROBOT;
        for (var i = ROBOT_WORDS; i > 0u; i--) {
            let k = i - 1u;
            next = select(next, k * 32u + firstTrailingBit(reached[k]), reached[k] != 0u);
            unseen = select(unseen, k * 32u + firstTrailingBit(~seen[k]), ~seen[k] != 0u);
        }
        if next == NO_ROBOT {
            next = unseen;
            size = 0u;
            clusters += 1u;
        }
        size += 1u;
        largest = max(largest, size);
        seen[next >> 5u] |= 1u << (next & 31u);
        for (var k = 0u; k < ROBOT_WORDS; k++) {
            if k * 32u < scene.robots {
                reached[k] = (reached[k] | work[bits_from + next * ROBOT_WORDS + k]) & ~seen[k];
            }
        }
    }
    return vec2(largest, clusters);
}

fn score_aggregation() {
    list_neighbours(params.task.size);
    sync_storage();
    if leader {
        state[header(H_LARGEST)] += cluster_sizes().x;
    }
    sync_storage();
}

const NO_ROBOT: u32 = 0xffffu;

// Each robot adds its contribution in units of 2^-24 to a two-word integer, so sums are exact.
fn score_dispersion() {
    for (var b = first_own; b < scene.robots; b += OWN_STEP) {
        let here = place_of(b);
        var nearest = 1e9;
        for (var j = 0u; j < scene.robots; j++) {
            let d = place_of(j) - here;
            nearest = min(select(dot(d, d), 1e9, j == b), nearest);
        }
        let part = u32(min(sqrt(nearest) / params.task.size, 1.0) * 16777216.0);
        let before = state[place(Q_COUNT_LOW, b)];
        state[place(Q_COUNT_LOW, b)] = before + part;
        state[place(Q_COUNT_HIGH, b)] += select(0u, 1u, before + part < before);
    }
}

fn cell_of(x: f32, half: f32, cells: u32) -> u32 {
    return u32(clamp((x + half) / (2.0 * half) * f32(cells), 0.0, f32(cells) - 1.0));
}

fn score_coverage() {
    for (var b = first_own; b < scene.robots; b += OWN_STEP) {
        let column = cell_of(px[at(b)], params.half_arena.x, params.task.columns);
        let row = cell_of(py[at(b)], params.half_arena.y, params.task.rows);
        let cell = row * params.task.columns + column;
        atomicOr(&past[world * cell_words() + (cell >> 5u)], 1u << (cell & 31u));
    }
}

fn in_region(region: RegionParams, here: vec2<f32>) -> bool {
    let inside = length(max(abs(here - region.at) - region.half, vec2(0.0))) <= region.radius;
    return inside != (region.beyond != 0u);
}

fn score_foraging() {
    for (var b = first_own; b < scene.robots; b += OWN_STEP) {
        let here = place_of(b);
        let carried = state[place(Q_CARRYING, b)];
        let food = in_region(params.task.food, here);
        let nest = in_region(params.task.nest, here) && !food;
        state[place(Q_COUNT_LOW, b)] += select(0u, carried, nest);
        state[place(Q_CARRYING, b)] = select(select(carried, 0u, nest), 1u, food);
    }
}

fn stage_score() {
    if scene.task == TASK_AGGREGATION {
        score_aggregation();
    }
    if scene.task == TASK_DISPERSION {
        score_dispersion();
    }
    if scene.task == TASK_COVERAGE {
        score_coverage();
    }
    if scene.task == TASK_FORAGING {
        score_foraging();
    }
    if scene.task == TASK_OBJECTIVE {
        score_objective();
    }
}
