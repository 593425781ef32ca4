// The eight proximity rays; see world/senses/proximity.rs.

const REACH: f32 = ROBOT_RADIUS + PROX_RANGE;

fn proximity_reading(distance: f32) -> f32 {
    if PROX_QUADRATIC == 1u {
        return clamp(PROX_CURVE_0 + distance * (PROX_CURVE_1 + distance * PROX_CURVE_2), 0.0, 1.0);
    }
    return 1.0 - distance * (1.0 / PROX_RANGE);
}

// Error of the reading of a sensor, -1 to 1; see world/robot.rs.
fn sensor_error(words: vec4<u32>, sensor: u32) -> f32 {
    return f32((words[sensor / 2u] >> (16u * (sensor % 2u))) & 0xffffu) * (1.0 / 32768.0) - 1.0;
}

fn ray_to_circle(origin: vec2<f32>, direction: vec2<f32>, centre: vec2<f32>, size: f32) -> f32 {
    let to = origin - centre;
    let c = dot(to, to) - size * size;
    let b = dot(to, direction);
    let under = b * b - c;
    let distance = select(-b - sqrt(max(under, 0.0)), PROX_RANGE, b >= 0.0 || under < 0.0);
    return select(distance, 0.0, c <= 0.0);
}

fn ray_to_wall(origin: f32, direction: f32, half: f32) -> f32 {
    // With a direction component of 0 the wall is never hit; 1 is longer than any ray.
    return select((select(-half, half, direction > 0.0) - origin) / direction, 1.0, direction == 0.0);
}

// Distance along a ray to an inner wall; 1e9 if the ray misses it.
fn along_to_wall(wall: u32, origin: vec2<f32>, direction: vec2<f32>) -> f32 {
    let ends = params.wall_list[wall];
    let along = ends.zw - ends.xy;
    let start = ends.xy - origin;
    let across = cross2(direction, along);
    let distance = cross2(start, along) / across;
    let part = cross2(start, direction) / across;
    return select(1e9, distance, across != 0.0 && distance >= 0.0 && part >= 0.0 && part <= 1.0);
}

fn stage_proximity() {
    for (var b = first_own; b < scene.robots; b += OWN_STEP) {
        let here = place_of(b);
        let front = ahead[own(b)];
        let walls = any(abs(here) + REACH > params.half_arena);
        var inner = false;
        for (var w = 0u; w < scene.walls; w++) {
            let offset = wall_offset(w, here);
            inner |= dot(offset, offset) < REACH * REACH;
        }
        // Only bodies in reach of the rays are relevant; at most MOST_NEAR fit around a robot.
        var near: array<u32, MOST_NEAR>;
        var count = 0u;
        for (var j = 0u; j < scene.robots; j++) {
            let d = place_of(j) - here;
            let far = REACH + radius(j);
            if j != b && dot(d, d) < far * far && count < MOST_NEAR {
                near[count] = j;
                count += 1u;
            }
        }
        var distances: array<f32, RAYS>;
        for (var ray = 0u; ray < RAYS; ray++) {
            distances[ray] = PROX_RANGE;
            if walls {
                let direction = rotate(params.rays[ray].xy, front);
                let origin = here + direction * ROBOT_RADIUS;
                let x = ray_to_wall(origin.x, direction.x, params.half_arena.x);
                let y = ray_to_wall(origin.y, direction.y, params.half_arena.y);
                distances[ray] = min(max(min(x, y), 0.0), PROX_RANGE);
            }
        }
        for (var n = 0u; n < count; n++) {
            let centre = place_of(near[n]);
            let size = radius(near[n]);
            for (var ray = 0u; ray < RAYS; ray++) {
                let direction = rotate(params.rays[ray].xy, front);
                let origin = here + direction * ROBOT_RADIUS;
                distances[ray] = min(ray_to_circle(origin, direction, centre, size), distances[ray]);
            }
        }
        if inner {
            for (var w = 0u; w < scene.walls; w++) {
                for (var ray = 0u; ray < RAYS; ray++) {
                    let direction = rotate(params.rays[ray].xy, front);
                    let free = max(along_to_wall(w, here, direction) - ROBOT_RADIUS, 0.0);
                    distances[ray] = min(free, distances[ray]);
                }
            }
        }
        let seen = walls || inner || count > 0u;
        var errors = vec4(0u);
        if PROX_NOISE > 0.0 {
            errors = motion_words(vec4(world_number, b, update, STREAM_PROXIMITY), seed);
        }
        var sum = vec2(0.0);
        for (var ray = 0u; ray < RAYS; ray++) {
            var reading = select(0.0, proximity_reading(distances[ray]), seen);
            if PROX_NOISE > 0.0 {
                reading = clamp(reading + PROX_NOISE * sensor_error(errors, ray), 0.0, 1.0);
            }
            sum += params.rays[ray].xy * reading;
        }
        keep_vector(Q_PROX_X, b, sum);
    }
}
