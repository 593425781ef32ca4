// One tick of each robot's behaviour tree; see tree/tick.rs. Nodes know their parent and where their subtree ends, so
// going down and up needs neither recursion nor a stack.

// The registers of all robots, cell by cell.
var<workgroup> board: array<f32, CELLS_TIMES_SLOTS>;

struct Node {
    kind: u32,
    d: u32,
    s1: u32,
    s2: u32,
    a: f32,
    b: f32,
    parent: u32,
    end: u32,
    slot: u32,
}

fn node_at(program: u32, at: u32) -> Node {
    let base = program + at * NODE_WORDS;
    let head = programs[base];
    let links = programs[base + 3u];
    return Node(
        head & 0xffu, (head >> 8u) & 0xffu, (head >> 16u) & 0xffu, head >> 24u,
        bitcast<f32>(programs[base + 1u]), bitcast<f32>(programs[base + 2u]),
        links & 0xffffu, links >> 16u, programs[base + 4u],
    );
}

fn slot_place(slot: u32) -> u32 {
    return world * params.memory_words + slot * SLOTS + me;
}

fn cell(index: u32) -> f32 {
    return board[index * SLOTS + me];
}

fn set_cell(index: u32, value: f32) {
    board[index * SLOTS + me] = value;
}

fn vector(index: u32) -> vec2<f32> {
    let even = index & ~1u;
    return vec2(cell(even), cell(even + 1u));
}

fn write_cell(index: u32, value: f32) {
    if index >= CELL_SCRATCH_FIRST {
        set_cell(index, value);
    }
}

fn write_scalar(index: u32, value: f32) -> u32 {
    if (index & ~1u) == CELL_GOAL {
        if !is_nan(cell(index)) {
            return RUNNING;
        }
        set_cell(index, value);
        return SUCCESS;
    }
    write_cell(index, value);
    return SUCCESS;
}

fn write_vector(index: u32, value: vec2<f32>) -> u32 {
    let even = index & ~1u;
    if even == CELL_GOAL {
        if !is_nan(cell(even)) || !is_nan(cell(even + 1u)) {
            return RUNNING;
        }
        set_cell(even, value.x);
        set_cell(even + 1u, value.y);
        return SUCCESS;
    }
    write_cell(even, value.x);
    write_cell(even + 1u, value.y);
    return SUCCESS;
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

fn holds(node: Node, v: vec2<f32>) -> bool {
    if is_nan(v.x) || is_nan(v.y) {
        return false;
    }
    if node.kind == KIND_IFQUAD {
        return in_quadrant(v, i32(node.a));
    }
    if node.b == 0.0 {
        return length(v) < SHORT;
    }
    return length(v) > SHORT && abs(wrap_angle(angle_of(v) - node.a)) < node.b;
}

fn tested(condition: bool) -> u32 {
    return select(FAILURE, SUCCESS, condition);
}

fn leaf(node: Node) -> u32 {
    switch node.kind {
        case KIND_MOVCS: {
            return write_scalar(node.d, node.a);
        }
        case KIND_MOVCV: {
            return write_vector(node.d, vec2(node.a, node.b));
        }
        case KIND_MULAS: {
            return write_scalar(node.d, cell(node.s1) + node.a * cell(node.s2));
        }
        case KIND_MULAV: {
            return write_vector(node.d, vector(node.s1) + vector(node.s2) * node.a);
        }
        case KIND_ROTAV: {
            return write_vector(node.d, vector(node.s1) + rotate(vector(node.s2), vec2(node.a, node.b)));
        }
        case KIND_IFPROB: {
            let s = cell(node.s1);
            let u = draw_unit();
            return tested(!is_nan(s) && u < 1.0 / (1.0 + exponential(node.a * (node.b - s))));
        }
        case KIND_IFQUAD, KIND_IFSECT: {
            return tested(holds(node, vector(node.s1)));
        }
        case KIND_SUCCESSL: {
            return SUCCESS;
        }
        case KIND_UPFIELD: {
            return write_vector(CELL_GOAL, vector(CELL_UP) * node.a - vector(CELL_PROX) * PROX_GAIN);
        }
        case KIND_ATTRACT: {
            if cell(CELL_NEIGHBOURS) > 0.0 {
                return write_vector(CELL_GOAL, vector(CELL_ATTR) * node.a - vector(CELL_PROX) * PROX_GAIN);
            }
            return write_vector(CELL_GOAL, vec2(1.0, 0.0));
        }
        default: {
            return FAILURE;
        }
    }
}

fn repeated(slot: u32, status: u32) -> u32 {
    let at = slot_place(slot);
    let left = memory[at];
    if status == RUNNING {
        memory[at] = left | RUNNING_FLAG;
        return RUNNING;
    }
    if status == FAILURE || left == 1u {
        memory[at] = 0u;
        return status;
    }
    memory[at] = (left - 1u) | RUNNING_FLAG;
    return RUNNING;
}

fn parallel(program: u32, node: Node, status: u32, next: u32) -> u32 {
    let at = slot_place(node.slot);
    var left = 0u;
    var sibling = next;
    while sibling != node.end {
        sibling = node_at(program, sibling).end;
        left += 1u;
    }
    let counts = memory[at] + select(select(0u, PAR_RUNNING, status == RUNNING), 1u, status == SUCCESS);
    memory[at] = select(counts, 0u, left == 0u);
    let successes = counts % PAR_RUNNING;
    let wanted = u32(node.a);
    if successes >= wanted {
        return SUCCESS;
    }
    return select(RUNNING, FAILURE, successes + counts / PAR_RUNNING + left < wanted);
}

// What a node does on the way down: true if a child follows, after `next_child` was set.
var<private> next_child: u32;

fn descend(node: Node, at: u32) -> bool {
    next_child = at + 1u;
    switch node.kind {
        case KIND_SEQM, KIND_SELM: {
            let payload = memory[slot_place(node.slot)];
            next_child = select(payload, at + 1u, payload == 0u);
            return true;
        }
        case KIND_REPEATI, KIND_REPEATR: {
            if memory[slot_place(node.slot)] == 0u {
                let n = u32(node.a);
                var count = n;
                if node.kind == KIND_REPEATR {
                    count = 1u + mul_wide(draw_word(), n).x;
                }
                memory[slot_place(node.slot)] = count;
            }
            return true;
        }
        case KIND_PAR: {
            memory[slot_place(node.slot)] = 0u;
            return true;
        }
        case KIND_SEQ, KIND_SEL, KIND_SUCCESSD, KIND_FAILED, KIND_INVERT: {
            return true;
        }
        default: {
            return false;
        }
    }
}

// What a parent makes of a child's result: the status, and in bit 2 whether its next child is to be ticked.
fn ascend(program: u32, parent: Node, child: u32, next: u32, status: u32) -> u32 {
    switch parent.kind {
        case KIND_SEQ: {
            return status | select(0u, 4u, status == SUCCESS);
        }
        case KIND_SEL: {
            return status | select(0u, 4u, status == FAILURE);
        }
        case KIND_SEQM, KIND_SELM: {
            memory[slot_place(parent.slot)] = select(0u, RUNNING_FLAG | child, status == RUNNING);
            let wanted = select(FAILURE, SUCCESS, parent.kind == KIND_SEQM);
            return status | select(0u, 4u, status == wanted);
        }
        case KIND_PAR: {
            return parallel(program, parent, status, next) | 4u;
        }
        case KIND_REPEATI, KIND_REPEATR: {
            return repeated(parent.slot, status);
        }
        case KIND_SUCCESSD: {
            return select(SUCCESS, RUNNING, status == RUNNING);
        }
        case KIND_FAILED: {
            return select(FAILURE, RUNNING, status == RUNNING);
        }
        default: {
            // invert
            return select(select(SUCCESS, FAILURE, status == SUCCESS), RUNNING, status == RUNNING);
        }
    }
}

fn update_tree(program: u32) {
    var at = 0u;
    loop {
        let node = node_at(program, at);
        if descend(node, at) {
            at = next_child;
            continue;
        }
        var status = leaf(node);
        loop {
            if at == 0u {
                return;
            }
            let child = node_at(program, at);
            let parent = node_at(program, child.parent);
            let result = ascend(program, parent, at, child.end, status);
            status = result & 3u;
            if (result & 4u) != 0u && child.end != parent.end {
                at = child.end;
                break;
            }
            at = child.parent;
        }
    }
}

fn sense_board() {
    let nan = bitcast<f32>(params.nan);
    set_cell(0u, 0.0);
    set_cell(1u, 0.0);
    set_cell(CELL_GOAL, nan);
    set_cell(CELL_GOAL + 1u, nan);
    set_cell(CELL_PROX, prox.x);
    set_cell(CELL_PROX + 1u, prox.y);
    set_cell(CELL_UP, ahead.x);
    set_cell(CELL_UP + 1u, -ahead.y);
    set_cell(CELL_ATTR, attr.x);
    set_cell(CELL_ATTR + 1u, attr.y);
    for (var c = 0u; c < 3u; c++) {
        set_cell(CELL_RED + 2u * c, colours[c].x);
        set_cell(CELL_RED + 2u * c + 1u, colours[c].y);
    }
    set_cell(CELL_NEIGHBOURS, neighbours);
    set_cell(CELL_SCRATCH_FIRST, scratch.x);
    set_cell(CELL_SCRATCH_FIRST + 1u, scratch.y);
    set_cell(CELL_SCRATCH_FIRST + 2u, scratch.z);
}

fn stage_tick() {
    if me < params.robots {
        let program = state[place(Q_PROGRAM)];
        let memories = state[place(Q_MEMORIES)];
        for (var slot = 0u; slot < memories; slot++) {
            let word = memory[slot_place(slot)];
            memory[slot_place(slot)] = select(0u, word & ~RUNNING_FLAG, (word & RUNNING_FLAG) != 0u);
        }
        sense_board();
        start_draws(me, update, STREAM_CONTROLLER);
        update_tree(program);
        goal = vec2(finite(cell(CELL_GOAL)), finite(cell(CELL_GOAL + 1u)));
        scratch = vec3(cell(CELL_SCRATCH_FIRST), cell(CELL_SCRATCH_FIRST + 1u), cell(CELL_SCRATCH_FIRST + 2u));
        wheels = steer(goal);
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
