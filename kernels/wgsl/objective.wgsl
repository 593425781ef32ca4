// Objectives: formulas over quantities of the robots; see world/task/objective/. The words of a formula in the table,
// and those of a world in `score`, are laid out by engine/gpu/objective.rs.

fn score_at(word: u32) -> u32 {
    return word * params.batch + world;
}

fn score_number(word: u32) -> f32 {
    return bitcast<f32>(score[score_at(word)]);
}

fn keep_score(word: u32, value: f32) {
    score[score_at(word)] = bitcast<u32>(value);
}

fn robot_word(row: u32, robot: u32) -> u32 {
    return FIRST_ROBOT_WORD + row * scene.robots + robot;
}

fn formula(word: u32) -> u32 {
    return table[params.objective + word];
}

// Index of a robot's contribution to a quantity.
fn part_of(quantity: u32, robot: u32) -> u32 {
    return formula(O_PARTS) + quantity * scene.robots + robot;
}

fn exists(condition: u32, holding: u32) -> bool {
    return condition == NO_CONDITION || ((holding >> (condition & 31u)) & 1u) == 1u;
}

fn left_of(line: vec2<f32>, at: vec2<f32>) -> f32 {
    return line.x * at.y - line.y * at.x;
}

fn crossing(start: vec2<f32>, line: vec2<f32>, before: vec2<f32>, now: vec2<f32>) -> i32 {
    let a = left_of(line, before - start);
    let b = left_of(line, now - start);
    if (a > 0.0) == (b > 0.0) {
        return 0;
    }
    let at = before + (now - before) * (a / (a - b));
    let along = dot(line, at - start);
    let hits = along >= 0.0 && along <= dot(line, line);
    return select(0, select(-1, 1, a > 0.0), hits);
}

// Contribution of a robot to a quantity. `inside` is the bit mask of the regions around the robot.
fn robot_part(quantity: u32, robot: u32, inside: u32, before: vec2<f32>, now: vec2<f32>) -> u32 {
    switch table[quantity] {
        case K_COUNT: {
            return (inside >> table[quantity + 1u]) & 1u;
        }
        case K_DELIVERED: {
            let source = inside >> table[quantity + 1u];
            let lost = select(0u, inside >> (table[quantity + 3u] & 31u), table[quantity + 3u] < 32u);
            // The source comes first where regions overlap, then the region LOST, and last the nest.
            let loses = lost & ~source;
            let delivers = (inside >> table[quantity + 2u]) & ~source & ~loses & 1u;
            let bit = table[quantity + 4u];
            let all = score[score_at(robot_word(R_CARRYING, robot))];
            let carrying = (all >> bit) & 1u;
            let after = (carrying | source) & ~loses & ~delivers & 1u;
            score[score_at(robot_word(R_CARRYING, robot))] = (all & ~(1u << bit)) | after << bit;
            return delivers & carrying;
        }
        case K_MOVING: {
            return select(0u, 1u, length(now - before) / CONTROL_PERIOD > table_number(quantity + 1u));
        }
        case K_SPEED: {
            return bitcast<u32>(length(now - before) / CONTROL_PERIOD);
        }
        case K_CROSSED: {
            let start = table_vector(quantity + 1u);
            return bitcast<u32>(crossing(start, table_vector(quantity + 3u) - start, before, now));
        }
        case K_NEAREST: {
            var nearest = 1e18;
            for (var j = 0u; j < scene.robots; j++) {
                let d = place_of(j) - now;
                nearest = min(nearest, select(dot(d, d), 1e18, j == robot));
            }
            return bitcast<u32>(sqrt(nearest));
        }
        case K_PAIRS: {
            var sum = 0.0;
            for (var j = 0u; j < scene.robots; j++) {
                sum += select(0.0, length(place_of(j) - now), j < robot);
            }
            return bitcast<u32>(sum);
        }
        case K_VISITED, K_AGE: {
            let columns = table[quantity + 1u];
            let column = cell_of(now.x, params.half_arena.x, columns);
            return cell_of(now.y, params.half_arena.y, table[quantity + 2u]) * columns + column;
        }
        default: {
            return 0u;
        }
    }
}

// First section: each robot's places, regions and contributions.
fn score_robots() {
    let ended = score[score_at(S_ENDED)] != 0u;
    let holding = score[score_at(S_ACTIVE)];
    for (var b = first_own; b < scene.robots && !ended; b += OWN_STEP) {
        let before = vec2(score_number(robot_word(R_NOW_X, b)), score_number(robot_word(R_NOW_Y, b)));
        let now = place_of(b);
        keep_score(robot_word(R_BEFORE_X, b), before.x);
        keep_score(robot_word(R_BEFORE_Y, b), before.y);
        keep_score(robot_word(R_NOW_X, b), now.x);
        keep_score(robot_word(R_NOW_Y, b), now.y);
        var inside = 0u;
        for (var i = 0u; i < formula(O_ZONES); i++) {
            let zone = params.objective + formula(O_FIRST_ZONE) + ZONE_WORDS * i;
            let found = exists(table[zone + 1u], holding) && in_zone(table[zone], now);
            inside |= select(0u, 1u << table[zone + 2u], found);
        }
        for (var q = 0u; q < formula(O_QUANTITIES); q++) {
            let quantity = params.objective + formula(O_FIRST_QUANTITY) + QUANTITY_WORDS * q;
            score[score_at(part_of(q, b))] = robot_part(quantity, b, inside, before, now);
        }
    }
}

// Clusters need the neighbours of all robots, one list after another.
fn score_clusters() {
    for (var q = 0u; q < formula(O_QUANTITIES); q++) {
        let quantity = params.objective + formula(O_FIRST_QUANTITY) + QUANTITY_WORDS * q;
        let kind = table[quantity];
        if kind == K_CLUSTER || kind == K_CLUSTERS {
            list_neighbours(table_number(quantity + 1u));
            sync_storage();
            if leader {
                let sizes = cluster_sizes();
                keep_score(formula(O_VALUES) + q, f32(select(sizes.y, sizes.x, kind == K_CLUSTER)));
            }
            sync_storage();
        }
    }
}

fn sum_of_parts(q: u32) -> f32 {
    var sum = 0.0;
    for (var b = 0u; b < scene.robots; b++) {
        sum += bitcast<f32>(score[score_at(part_of(q, b))]);
    }
    return sum;
}

// Adds the counts of the robots to a number.
fn count_parts(q: u32, before: u32) -> u32 {
    var sum = before;
    for (var b = 0u; b < scene.robots; b++) {
        sum += score[score_at(part_of(q, b))];
    }
    return sum;
}

// Sets the bits of the visited cells, and returns the number of cells that were not visited before.
fn visit_cells(q: u32, first: u32) -> u32 {
    var new_cells = 0u;
    for (var b = 0u; b < scene.robots; b++) {
        let cell = score[score_at(part_of(q, b))];
        let word = score_at(first + (cell >> 5u));
        let bit = 1u << (cell & 31u);
        new_cells += select(0u, 1u, (score[word] & bit) == 0u);
        score[word] |= bit;
    }
    return new_cells;
}

// Second section: the quantities, from the contributions of the robots.
fn score_quantities() {
    let robots = f32(scene.robots);
    for (var q = 0u; q < formula(O_QUANTITIES); q++) {
        let quantity = params.objective + formula(O_FIRST_QUANTITY) + QUANTITY_WORDS * q;
        let slot = score_at(formula(O_REGISTERS) + q);
        let value = formula(O_VALUES) + q;
        switch table[quantity] {
            case K_COUNT, K_MOVING: {
                keep_score(value, f32(count_parts(q, 0u)));
            }
            case K_DELIVERED: {
                score[slot] = count_parts(q, score[slot]);
                keep_score(value, f32(score[slot]));
            }
            case K_CROSSED: {
                score[slot] = count_parts(q, score[slot]);
                keep_score(value, f32(bitcast<i32>(score[slot])));
            }
            case K_SPEED: {
                keep_score(value, sum_of_parts(q) / robots);
            }
            case K_NEAREST: {
                keep_score(value, select(sum_of_parts(q) / robots, 0.0, scene.robots < 2u));
            }
            case K_PAIRS: {
                keep_score(value, sum_of_parts(q) / max(robots * (robots - 1.0) / 2.0, 1.0));
            }
            case K_VISITED: {
                score[slot] += visit_cells(q, table[quantity + 3u]);
                keep_score(value, f32(score[slot]) / f32(table[quantity + 1u] * table[quantity + 2u]));
            }
            case K_AGE: {
                score[slot] = update + 1u;
                for (var b = 0u; b < scene.robots; b++) {
                    score[score_at(table[quantity + 3u] + score[score_at(part_of(q, b))])] = update + 1u;
                }
            }
            case K_CONSTANT: {
                keep_score(value, table_number(quantity + 1u));
            }
            default: {
            }
        }
    }
}

fn truth(holds: bool) -> f32 {
    return select(0.0, 1.0, holds);
}

fn result_of(slot: u32) -> f32 {
    return score_number(formula(O_RESULTS) + slot);
}

fn binary(code: u32, a: f32, b: f32) -> f32 {
    switch code {
        case OP_ADD: {
            return a + b;
        }
        case OP_SUBTRACT: {
            return a - b;
        }
        case OP_MULTIPLY: {
            return a * b;
        }
        case OP_DIVIDE: {
            return select(a / b, 0.0, b == 0.0);
        }
        case OP_MIN: {
            return min(a, b);
        }
        case OP_MAX: {
            return max(a, b);
        }
        case OP_LESS: {
            return truth(a < b);
        }
        case OP_AT_MOST: {
            return truth(a <= b);
        }
        case OP_GREATER: {
            return truth(a > b);
        }
        case OP_AT_LEAST: {
            return truth(a >= b);
        }
        case OP_EQUAL: {
            return truth(a == b);
        }
        case OP_UNEQUAL: {
            return truth(a != b);
        }
        case OP_AND: {
            return truth(a != 0.0 && b != 0.0);
        }
        default: {
            return truth(a != 0.0 || b != 0.0);
        }
    }
}

fn operation(op: u32, time: f32) -> f32 {
    let a = table[op + 2u];
    let b = table[op + 3u];
    switch table[op] {
        case OP_CONSTANT: {
            return bitcast<f32>(a);
        }
        case OP_TIME: {
            return time;
        }
        case OP_QUANTITY: {
            return score_number(formula(O_VALUES) + a);
        }
        case OP_LOT: {
            return score_number(formula(O_LOTS) + a);
        }
        case OP_EVER: {
            let before = (score[score_at(S_LATCHES)] >> b) & 1u;
            return truth(before == 1u || result_of(a) != 0.0);
        }
        case OP_NEGATE: {
            return -result_of(a);
        }
        case OP_ABS: {
            return abs(result_of(a));
        }
        case OP_NOT: {
            return truth(result_of(a) == 0.0);
        }
        case OP_FLOOR: {
            return floor(result_of(a));
        }
        case OP_SELECT: {
            return select(result_of(table[op + 4u]), result_of(b), result_of(a) != 0.0);
        }
        default: {
            return binary(table[op], result_of(a), result_of(b));
        }
    }
}

// Third section: the operations of the update program. All worlds of a batch execute the same ones.
fn score_program(time: f32) {
    var latches = score[score_at(S_LATCHES)];
    for (var i = 0u; i < formula(O_OPS); i++) {
        let op = params.objective + formula(O_FIRST_OP) + OP_WORDS * i;
        let value = operation(op, time);
        keep_score(formula(O_RESULTS) + table[op + 1u], value);
        latches |= select(0u, 1u << (table[op + 3u] & 31u), table[op] == OP_EVER && value != 0.0);
    }
    score[score_at(S_LATCHES)] = latches;
}

// Adds to the reductions. Their sums consist of two numbers, the second of which contains the rounding errors.
fn score_reductions(number: u32, time: f32) {
    for (var r = 0u; r < formula(O_REDUCTIONS); r++) {
        let reduction = params.objective + formula(O_FIRST_REDUCTION) + REDUCTION_WORDS * r;
        if number < table[reduction + 2u] || number > table[reduction + 3u] {
            continue;
        }
        let value = result_of(table[reduction + 1u]);
        let first = formula(O_REDUCED) + REDUCED_WORDS * r;
        let before = score_number(first);
        let sum = before + value;
        let added = sum - before;
        keep_score(first, sum);
        keep_score(first + 1u, score_number(first + 1u) + ((before - (sum - added)) + (value - added)));
        score[score_at(first + 2u)] += 1u;
        let seen = score[score_at(first + 3u)] != 0u;
        let kept = score_number(first + 4u);
        var next = value;
        var known = true;
        switch table[reduction] {
            case REDUCE_HIGHEST: {
                next = select(value, max(kept, value), seen);
            }
            case REDUCE_LOWEST: {
                next = select(value, min(kept, value), seen);
            }
            case REDUCE_FIRST: {
                next = select(time, kept, seen);
                known = seen || value != 0.0;
            }
            default: {
            }
        }
        score[score_at(first + 3u)] = select(0u, 1u, known);
        keep_score(first + 4u, next);
    }
}

fn score_objective() {
    score_robots();
    sync_storage();
    score_clusters();
    if leader && score[score_at(S_ENDED)] == 0u {
        let number = update + 1u;
        let time = f32(number) * CONTROL_PERIOD;
        score_quantities();
        score_program(time);
        score_reductions(number, time);
        var holding = 0u;
        for (var c = 0u; c < formula(O_CONDITIONS); c++) {
            let slot = formula(formula(O_FIRST_CONDITION) + c);
            holding |= select(0u, 1u << (c & 31u), result_of(slot) != 0.0);
        }
        score[score_at(S_ACTIVE)] = holding;
        score[score_at(S_UPDATES)] = number;
        let end = formula(O_END);
        if end != NO_CONDITION {
            score[score_at(S_ENDED)] = select(0u, 1u, result_of(end) != 0.0);
        }
    }
    sync_storage();
}
