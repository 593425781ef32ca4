// The three-segment camera, and range and bearing; see world/senses/. Columns are bit masks, counted from the left
// edge.

fn columns(forward: vec2<f32>, d: vec2<f32>, size: f32) -> u32 {
    let front = dot(forward, d);
    let bearing = angle_of(vec2(front, cross2(forward, d)));
    let half = atan2_positive(size, sqrt(max(dot(d, d) - size * size, 0.0)));
    let first = (CAMERA_FOV * 0.5 - bearing - half) * (f32(CAMERA_COLUMNS) / CAMERA_FOV);
    let last = (CAMERA_FOV * 0.5 - bearing + half) * (f32(CAMERA_COLUMNS) / CAMERA_FOV);
    if front < -size || last <= 0.0 || first >= f32(CAMERA_COLUMNS) || dot(d, d) > CAMERA_SQUARE {
        return 0u;
    }
    let begin = u32(max(first, 0.0));
    let end = u32(min(last + 1.0, f32(CAMERA_COLUMNS)));
    return ((1u << end) - 1u) & ~((1u << begin) - 1u);
}

fn colour_of(body: u32) -> u32 {
    return params.body[body].colour;
}

// Direction of the centre of a column.
fn column_direction(column: u32, heading_now: f32) -> vec2<f32> {
    let bearing = CAMERA_FOV * 0.5 - (CAMERA_FOV / f32(CAMERA_COLUMNS)) * (f32(column) + 0.5);
    let s = sin_cos(wrap_angle(heading_now + bearing));
    return vec2(s.y, s.x);
}

// Colour of the wall patch in a column, or 3.
fn patch_behind(origin: vec2<f32>, direction: vec2<f32>) -> u32 {
    let bounds = select(-params.half_arena, params.half_arena, direction > vec2(0.0));
    // With a direction component of 0 this wall is never hit: use a large distance.
    let along = select((bounds - origin) / direction, vec2(1e9), direction == vec2(0.0));
    let free = min(along.x, along.y);
    let hit = origin + direction * free;
    var colour = 3u;
    for (var i = scene.patches; i > 0u; i--) {
        let seen = free * free <= CAMERA_SQUARE && distance(params.patch_list[i - 1u].at, hit) <= params.patch_list[i - 1u].half_length;
        colour = select(colour, params.patch_list[i - 1u].colour, seen);
    }
    return colour;
}

// All robots have the same colour, so occlusion is computed only for bodies of other colours: a column shows the
// robots' colour if it contains a body of this colour and no visible body of another colour. Inner walls are white
// and hide bodies behind them.
fn stage_camera() {
    for (var b = first_own; b < scene.robots; b += OWN_STEP) {
        let here = place_of(b);
        let front = ahead[own(b)];
        let usual = colour_of(b);
        // Squared distance to the nearest inner wall in each column.
        var walls: array<f32, CAMERA_COLUMNS>;
        var taken = 0u;
        if scene.walls > 0u {
            for (var column = 0u; column < CAMERA_COLUMNS; column++) {
                let direction = column_direction(column, heading[own(b)]);
                var nearest = 1e9;
                for (var w = 0u; w < scene.walls; w++) {
                    nearest = min(along_to_wall(w, here, direction), nearest);
                }
                walls[column] = nearest * nearest;
                taken |= select(0u, 1u << column, nearest < 1e8);
            }
        }
        var usuals = 0u;
        var masks: array<u32, CAPACITY>;
        for (var j = 0u; j < scene.bodies; j++) {
            let mask = select(seen_columns(b, j, &walls), 0u, j == b);
            usuals |= select(0u, mask, colour_of(j) == usual);
            masks[j] = mask;
        }
        var bits = vec3(0u);
        var shown = 0u;
        for (var d = scene.robots; d < scene.bodies; d++) {
            let offset = place_of(d) - here;
            let far = dot(offset, offset);
            var visible = select(masks[d], 0u, colour_of(d) == usual);
            // Occlusion matters only for visible bodies.
            let last = select(0u, scene.bodies, visible != 0u);
            for (var o = 0u; o < last; o++) {
                let to = place_of(o) - here;
                let square = dot(to, to);
                let nearer = square < far || (square == far && o < d);
                visible &= ~select(0u, masks[o], nearer && o != d);
            }
            bits |= select(vec3(0u), vec3(visible), vec3(colour_of(d)) == vec3(0u, 1u, 2u));
            shown |= visible;
        }
        bits |= select(vec3(0u), vec3(usuals & ~shown), vec3(usual) == vec3(0u, 1u, 2u));
        taken |= usuals | shown;
        if scene.patches > 0u {
            for (var column = 0u; column < CAMERA_COLUMNS; column++) {
                let colour = patch_behind(here, column_direction(column, heading[own(b)]));
                let free = ((taken >> column) & 1u) == 0u;
                bits |= select(vec3(0u), vec3(1u << column), vec3(free) & (vec3(colour) == vec3(0u, 1u, 2u)));
            }
        }
        let seen = picture(bits.x) | picture(bits.y) << 3u | picture(bits.z) << 6u;
        if switched(SWITCH_PICTURES) {
            note_picture(b, seen);
        } else {
            show_picture(b, seen);
        }
    }
}

// The segments of a colour as three bits.
fn picture(columns: u32) -> u32 {
    const SEGMENT = (1u << COLUMNS_PER_SEGMENT) - 1u;
    let left = select(0u, 1u, (columns & SEGMENT) != 0u);
    let centre = select(0u, 2u, (columns & (SEGMENT << COLUMNS_PER_SEGMENT)) != 0u);
    let right = select(0u, 4u, (columns & (SEGMENT << (2u * COLUMNS_PER_SEGMENT))) != 0u);
    return left | centre | right;
}

// Writes the colour vectors of an image (Table 6.4) to the registers.
fn show_picture(b: u32, shown: u32) {
    keep_vector(Q_RED_X, b, colour_vector(shown));
    keep_vector(Q_GREEN_X, b, colour_vector(shown >> 3u));
    keep_vector(Q_BLUE_X, b, colour_vector(shown >> 6u));
}

fn colour_vector(segments: u32) -> vec2<f32> {
    let seen = vec3<f32>((vec3(segments) >> vec3(0u, 1u, 2u)) & vec3(1u));
    return vec2(params.aside.x * seen.x + seen.y + params.aside.x * seen.z, params.aside.y * seen.x - params.aside.y * seen.z);
}

// Cameras with delay and missed segments; see world/senses/camera_model.rs.
fn note_picture(b: u32, seen: u32) {
    let words = philox(vec4(world_number, b, update, STREAM_CAMERA), seed);
    let missed = vec3(unit(words.x), unit(words.y), unit(words.z)) < vec3(params.camera_misses);
    let hidden_bits = select(vec3(0u), vec3(73u, 146u, 292u), missed);
    let taken = seen & ~(hidden_bits.x | hidden_bits.y | hidden_bits.z);
    let word = place(Q_PICTURES, b);
    let pictures = select(state[word] << PICTURE_BITS | taken, taken * THRICE, update == 0u);
    state[word] = (state[word] & ~PICTURES) | (pictures & PICTURES);
}

fn stage_show() {
    for (var b = first_own; b < scene.robots; b += OWN_STEP) {
        let history = state[place(Q_PICTURES, b)];
        let back = ((history >> DELAY_BIT) + 1u - update % SLOW_SENSES_PERIOD) / SLOW_SENSES_PERIOD;
        show_picture(b, history >> (back * PICTURE_BITS));
    }
}

// Columns in which robot b sees another body, considering only walls as obstacles.
fn seen_columns(b: u32, other: u32, walls: ptr<function, array<f32, CAMERA_COLUMNS>>) -> u32 {
    let d = between(b, other);
    var mask = columns(ahead[own(b)], d, radius(other));
    if scene.walls > 0u {
        for (var column = 0u; column < CAMERA_COLUMNS; column++) {
            mask &= ~select(0u, 1u << column, (*walls)[column] <= dot(d, d));
        }
    }
    return mask;
}

fn stage_range_and_bearing() {
    for (var b = first_own; b < scene.robots; b += OWN_STEP) {
        let here = place_of(b);
        let front = ahead[own(b)];
        var sum = vec2(0.0);
        var count = 0.0;
        for (var j = 0u; j < scene.robots; j++) {
            let d = place_of(j) - here;
            let square = dot(d, d);
            let near = square <= NEIGHBOUR_RANGE * NEIGHBOUR_RANGE && square > 0.0;
            sum += select(vec2(0.0), d * (NEIGHBOUR_MIN / square), near);
            count += select(0.0, 1.0, near);
        }
        keep_vector(Q_ATTR_X, b, select(vec2(1.0, 0.0), rotate(sum, vec2(front.x, -front.y)), count > 0.0));
        keep(Q_NEIGHBOURS, b, count);
    }
}
