// One tick of each robot's behaviour tree; see tree/tick.rs. Programs are jumps, as made by engine/gpu/code.rs: a leaf knows
// where control goes after each result, so that nodes without memory cost nothing and there is neither recursion nor a
// stack. Operands are read and results written at one place for all kinds of leaves: lanes that run different leaves wait
// for each other in between only.

// The registers of the robot that is ticked.
var<private> board: array<f32, CELLS>;

fn slot_place(slot: u32, robot: u32) -> u32 {
    return (slot * scene.robots + robot) * params.batch + world;
}

fn vector(index: u32) -> vec2<f32> {
    let even = index & 0x1eu;
    return vec2(board[even], board[even + 1u]);
}

fn set_vector(cell: u32, v: vec2<f32>) {
    board[cell] = v.x;
    board[cell + 1u] = v.y;
}

fn in_quadrant(v: vec2<f32>, quadrant: i32) -> bool {
    if quadrant == 0 {
        return length(v) <= SHORT;
    }
    var here = 4;
    if v.x > 0.0 && v.y >= 0.0 {
        here = 1;
    } else if v.x <= 0.0 && v.y > 0.0 {
        here = 2;
    } else if v.x < 0.0 && v.y <= 0.0 {
        here = 3;
    }
    return length(v) > SHORT && here == select(5 + quadrant, quadrant, quadrant > 0);
}

fn in_sector(v: vec2<f32>, middle: f32, half: f32) -> bool {
    let inside = length(v) > SHORT && abs(wrap_angle(angle_of(v) - middle)) < half;
    return select(inside, length(v) < SHORT, half == 0.0);
}

// Fires a network (tree/network.rs); its first two neurons are the goal. What they put out lies behind the nodes' memory, and
// behind that what they put out next.
fn fire_network(begin: u32, robot: u32) -> vec2<f32> {
    let neurons = programs[begin];
    let outputs = programs[begin + 1u];
    let next = programs[begin + 2u];
    var at = begin + 3u;
    for (var n = 0u; n < neurons; n++) {
        let bias = bitcast<f32>(programs[at]);
        let gain = bitcast<f32>(programs[at + 1u]);
        let end = at + 3u + 2u * programs[at + 2u];
        var sum = 0.0;
        for (at += 3u; at < end; at += 2u) {
            let source = programs[at];
            var put_out = 0.0;
            if source < FIRST_NEURON {
                put_out = board[source];
            } else {
                put_out = bitcast<f32>(memory[slot_place(outputs + source - FIRST_NEURON, robot)]);
            }
            sum += bitcast<f32>(programs[at + 1u]) * put_out;
        }
        let x = gain * (bias + sum);
        let size = 1.0 - 2.0 / (exponential(2.0 * abs(x)) + 1.0);
        let out = select(select(size, -size, x < 0.0), 0.0, is_nan(x));
        memory[slot_place(next + n, robot)] = bitcast<u32>(out);
    }
    for (var n = 0u; n < neurons; n++) {
        memory[slot_place(outputs + n, robot)] = memory[slot_place(next + n, robot)];
    }
    return vec2(
        bitcast<f32>(memory[slot_place(outputs, robot)]),
        bitcast<f32>(memory[slot_place(outputs + 1u, robot)]),
    );
}

fn update_tree(program: u32, robot: u32) {
    var at = 0u;
    loop {
        let base = program + at * NODE_WORDS;
        let head = programs[base];
        let kind = head & 0xffu;
        let drives = kind == KIND_UPFIELD || kind == KIND_ATTRACT || kind == KIND_NETWORK;
        let d = select((head >> 8u) & 0x1fu, CELL_GOAL, drives);
        let s1 = (head >> 16u) & 0x1fu;
        let s2 = (head >> 24u) & 0x1fu;
        let number = programs[base + 1u];
        let a = bitcast<f32>(number);
        let b = bitcast<f32>(programs[base + 2u]);
        let goes = programs[base + 3u];
        let last = programs[base + 4u];
        let slot = slot_place(last >> 16u, robot);
        let one = vector(s1);
        let two = vector(s2);
        let first = select(one.x, one.y, (s1 & 1u) != 0u);
        let second = select(two.x, two.y, (s2 & 1u) != 0u);

        var kept = 0u;
        if kind >= FIRST_JUMP || kind == KIND_REPEATR || kind == KIND_REPEATI {
            kept = memory[slot];
        }
        var word = 0u;
        if kind == KIND_IFPROB || (kind == KIND_REPEATR && kept == 0u) {
            word = draw_word();
        }

        // Leaves.
        var status = SUCCESS;
        var value = vec2(0.0);
        var writes = 0u;
        switch kind {
            case KIND_MOVCS: {
                writes = 1u;
                value.x = a;
            }
            case KIND_MOVCV: {
                writes = 2u;
                value = vec2(a, b);
            }
            case KIND_MULAS: {
                writes = 1u;
                value.x = first + a * second;
            }
            case KIND_MULAV: {
                writes = 2u;
                value = one + two * a;
            }
            case KIND_ROTAV: {
                writes = 2u;
                value = one + rotate(two, vec2(a, b));
            }
            case KIND_UPFIELD: {
                writes = 2u;
                value = vector(CELL_UP) * a - vector(CELL_PROX) * PROX_GAIN;
            }
            case KIND_ATTRACT: {
                writes = 2u;
                let towards = vector(CELL_ATTR) * a - vector(CELL_PROX) * PROX_GAIN;
                value = select(vec2(1.0, 0.0), towards, board[CELL_NEIGHBOURS] > 0.0);
            }
            case KIND_NETWORK: {
                writes = 2u;
                value = fire_network(program + number, robot);
            }
            case KIND_IFPROB: {
                let holds = !is_nan(first) && unit(word) < 1.0 / (1.0 + exponential(a * (b - first)));
                status = select(FAILURE, SUCCESS, holds);
            }
            case KIND_IFQUAD: {
                let holds = !is_nan(one.x) && !is_nan(one.y) && in_quadrant(one, i32(a));
                status = select(FAILURE, SUCCESS, holds);
            }
            case KIND_IFSECT: {
                let holds = !is_nan(one.x) && !is_nan(one.y) && in_sector(one, a, b);
                status = select(FAILURE, SUCCESS, holds);
            }
            case KIND_FAILUREL: {
                status = FAILURE;
            }
            default: {
            }
        }
        let even = d & 0x1eu;
        if even == CELL_GOAL && writes > 0u {
            // Only one of several writes in a tick counts.
            let taken = vec2(!is_nan(board[CELL_GOAL]), !is_nan(board[CELL_GOAL + 1u]));
            let both = writes == 2u;
            let here = vec2(both || d == CELL_GOAL, both || d != CELL_GOAL);
            let blocked = any(taken & here);
            status = select(SUCCESS, RUNNING, blocked);
            if !blocked {
                board[CELL_GOAL] = select(board[CELL_GOAL], value.x, here.x);
                board[CELL_GOAL + 1u] = select(board[CELL_GOAL + 1u], select(value.x, value.y, both), here.y);
            }
        } else {
            if writes == 1u && d >= CELL_SCRATCH_FIRST && d < CELL_SCRATCH_END {
                board[d] = value.x;
            }
            if writes == 2u {
                if even >= CELL_SCRATCH_FIRST && even < CELL_SCRATCH_END {
                    board[even] = value.x;
                }
                if even + 1u >= CELL_SCRATCH_FIRST && even < CELL_SCRATCH_END {
                    board[even + 1u] = value.y;
                }
            }
        }

        // Jumps through nodes with memory; status says which of three ways to go.
        var keeps = kind >= FIRST_JUMP;
        switch kind {
            case KIND_SEQM, KIND_SELM: {
                keeps = false;
            }
            case KIND_REPEATI, KIND_REPEATR: {
                keeps = kept == 0u;
                kept = select(u32(a), 1u + mul_wide(word, u32(a)).x, kind == KIND_REPEATR);
            }
            case JUMP_SET: {
                kept = number;
            }
            case JUMP_FLAG: {
                kept |= RUNNING_FLAG;
            }
            case JUMP_REPEATED: {
                status = select(RUNNING, SUCCESS, kept == 1u);
                kept = select((kept - 1u) | RUNNING_FLAG, 0u, kept == 1u);
            }
            case JUMP_COUNT: {
                kept += number;
            }
            case JUMP_COUNTED: {
                let counts = kept + number;
                let successes = counts % PAR_RUNNING;
                let wanted = u32(b);
                let running = successes + counts / PAR_RUNNING >= wanted;
                status = select(select(FAILURE, RUNNING, running), SUCCESS, successes >= wanted);
                kept = 0u;
            }
            default: {
            }
        }
        var resumed = 0u;
        if kind == KIND_SEQM || kind == KIND_SELM {
            resumed = memory[slot];
        }
        if keeps {
            memory[slot] = kept;
        }
        let to = select(select(last & 0xffffu, goes >> 16u, status == FAILURE), goes & 0xffffu, status == SUCCESS);
        at = select(to, resumed, resumed != 0u);
        if at == JUMP_END {
            break;
        }
    }
}

fn stage_tick() {
    for (var b = first_own; b < scene.robots; b += OWN_STEP) {
        let i = own(b);
        let program = state[place(Q_PROGRAM, b)];
        let memories = state[place(Q_MEMORIES, b)];
        for (var slot = 0u; slot < memories; slot++) {
            let word = memory[slot_place(slot, b)];
            memory[slot_place(slot, b)] = select(0u, word & ~RUNNING_FLAG, (word & RUNNING_FLAG) != 0u);
        }
        let nan = bitcast<f32>(params.nan);
        board[0] = 0.0;
        board[1] = 0.0;
        board[CELL_GOAL] = nan;
        board[CELL_GOAL + 1u] = nan;
        set_vector(CELL_PROX, vector_of_body(Q_PROX_X, b));
        set_vector(CELL_UP, up[i]);
        set_vector(CELL_ATTR, vector_of_body(Q_ATTR_X, b));
        for (var c = 0u; c < 6u; c++) {
            board[CELL_RED + c] = of_body(Q_RED_X + c, b);
        }
        board[CELL_NEIGHBOURS] = of_body(Q_NEIGHBOURS, b);
        set_vector(CELL_LIGHT, vector_of_body(Q_LIGHT_X, b));
        set_vector(CELL_TAG, vector_of_body(Q_TAG_X, b));
        for (var c = 0u; c < 3u; c++) {
            board[CELL_SCRATCH_FIRST + c] = of_body(Q_SCRATCH + c, b);
        }
        start_draws(b, update, STREAM_CONTROLLER);
        update_tree(program, b);
        let goal = vec2(finite(board[CELL_GOAL]), finite(board[CELL_GOAL + 1u]));
        keep_vector(Q_GOAL_X, b, goal);
        for (var c = 0u; c < 3u; c++) {
            keep(Q_SCRATCH + c, b, board[CELL_SCRATCH_FIRST + c]);
        }
        wheels[i] = steer(goal);
    }
}

// Wheel speeds for a goal velocity (Eq. 6.7 to 6.9).
fn steer(wanted: vec2<f32>) -> vec2<f32> {
    let largest = max(abs(wanted.x), abs(wanted.y));
    if largest == 0.0 {
        return vec2(0.0);
    }
    let scaled = wanted / largest;
    let size = min(length(scaled) * largest, 1.0);
    let turn = vec2(0.0, select(size, -size, wanted.y < 0.0));
    let g = select(scaled * (size / length(scaled)), turn, wanted.x < 0.0);
    return V_MAX * FRAC_1_SQRT_2 * vec2(g.x - g.y, g.x + g.y);
}
