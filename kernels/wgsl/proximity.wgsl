// The eight proximity rays; see world/senses/proximity.rs.

const REACH: f32 = ROBOT_RADIUS + PROX_RANGE;

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
        var sum = vec2(0.0);
        for (var ray = 0u; ray < RAYS; ray++) {
            sum += params.rays[ray].xy * (1.0 - distances[ray] * (1.0 / PROX_RANGE));
        }
        keep_vector(Q_PROX_X, b, select(vec2(0.0), sum, walls || inner || count > 0u));
    }
}
