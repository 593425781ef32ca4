// The three-segment camera, and range and bearing; see world/senses/. Columns are bits, counted from the left edge.

fn columns(d: vec2<f32>, size: f32) -> u32 {
    let front = dot(ahead, d);
    let bearing = angle_of(vec2(front, cross2(ahead, d)));
    let half = atan2_positive(size, sqrt(max(dot(d, d) - size * size, 0.0)));
    let first = (CAMERA_FOV * 0.5 - bearing - half) * (f32(CAMERA_COLUMNS) / CAMERA_FOV);
    let last = (CAMERA_FOV * 0.5 - bearing + half) * (f32(CAMERA_COLUMNS) / CAMERA_FOV);
    if front < -size || last <= 0.0 || first >= f32(CAMERA_COLUMNS) {
        return 0u;
    }
    let begin = u32(max(first, 0.0));
    let end = u32(min(last + 1.0, f32(CAMERA_COLUMNS)));
    return ((1u << end) - 1u) & ~((1u << begin) - 1u);
}

fn colour_of(body: u32) -> u32 {
    return params.body[body].colour;
}

// The colour of the wall patch that a column looks at, or 3.
fn patch_behind(column: u32) -> u32 {
    let bearing = CAMERA_FOV * 0.5 - (CAMERA_FOV / f32(CAMERA_COLUMNS)) * (f32(column) + 0.5);
    let s = sin_cos(wrap_angle(heading + bearing));
    let direction = vec2(s.y, s.x);
    let at = vec2(px[me], py[me]);
    let bounds = select(-params.half_arena, params.half_arena, direction > vec2(0.0));
    // A component of 0 leads nowhere near a wall: far beyond the other one.
    let along = select((bounds - at) / direction, vec2(1e9), direction == vec2(0.0));
    let hit = at + direction * min(along.x, along.y);
    for (var i = 0u; i < params.patches; i++) {
        if distance(params.patch_list[i].at, hit) <= params.patch_list[i].half_length {
            return params.patch_list[i].colour;
        }
    }
    return 3u;
}

fn seen_in(bits: u32, segment: u32) -> f32 {
    return select(0.0, 1.0, ((bits >> (segment * COLUMNS_PER_SEGMENT)) & ((1u << COLUMNS_PER_SEGMENT) - 1u)) != 0u);
}

// Robots all have one colour, so only bodies of other colours need to know who hides them: a column shows the robots'
// colour if such a body is there and none of another colour is seen.
fn stage_camera() {
    if me < params.robots {
        let usual = colour_of(me);
        var bits = array<u32, 3>(0u, 0u, 0u);
        var shown = 0u;
        var usuals = 0u;
        var distances: array<f32, SLOTS>;
        var masks: array<u32, SLOTS>;
        for (var j = 0u; j < params.bodies; j++) {
            let d = between(j);
            distances[j] = dot(d, d);
            masks[j] = select(columns(d, radius(j)), 0u, j == me);
            usuals |= select(0u, masks[j], colour_of(j) == usual);
        }
        for (var d = params.robots; d < params.bodies; d++) {
            if colour_of(d) == usual || masks[d] == 0u {
                continue;
            }
            var visible = masks[d];
            for (var o = 0u; o < params.bodies; o++) {
                let nearer = distances[o] < distances[d] || (distances[o] == distances[d] && o < d);
                visible &= ~select(0u, masks[o], nearer && o != d);
            }
            bits[colour_of(d)] |= visible;
            shown |= visible;
        }
        bits[usual] |= usuals & ~shown;
        if params.patches > 0u {
            let taken = usuals | shown;
            for (var column = 0u; column < CAMERA_COLUMNS; column++) {
                if ((taken >> column) & 1u) == 0u {
                    let colour = patch_behind(column);
                    if colour < 3u {
                        bits[colour] |= 1u << column;
                    }
                }
            }
        }
        for (var c = 0u; c < 3u; c++) {
            let l = seen_in(bits[c], 0u);
            let m = seen_in(bits[c], 1u);
            let r = seen_in(bits[c], 2u);
            colours[c] = vec2(params.aside.x * l + m + params.aside.x * r, params.aside.y * l - params.aside.y * r);
        }
    }
}

fn stage_range_and_bearing() {
    if me < params.robots {
        var sum = vec2(0.0);
        var count = 0.0;
        for (var j = 0u; j < params.bodies; j++) {
            let d = between(j);
            let square = dot(d, d);
            if j != me && tall(j) && square <= NEIGHBOUR_RANGE * NEIGHBOUR_RANGE && square > 0.0 {
                sum += d * (NEIGHBOUR_MIN / square);
                count += 1.0;
            }
        }
        attr = select(vec2(1.0, 0.0), rotate(sum, vec2(ahead.x, -ahead.y)), count > 0.0);
        neighbours = count;
    }
}
