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
    // A component of 0 never reaches the wall; 1 is farther than any ray.
    return select((select(-half, half, direction > 0.0) - origin) / direction, 1.0, direction == 0.0);
}

fn stage_proximity() {
    if me < params.robots {
        let at = vec2(px[me], py[me]);
        let walls = any(abs(at) + REACH > params.half_arena);
        var near = 0u;
        for (var j = 0u; j < params.bodies; j++) {
            let d = between(j);
            let far = REACH + radius(j);
            near |= select(0u, 1u << j, j != me && tall(j) && dot(d, d) < far * far);
        }
        prox = vec2(0.0);
        if walls || near != 0u {
            for (var ray = 0u; ray < RAYS; ray++) {
                let direction = rotate(params.rays[ray].xy, ahead);
                let origin = at + direction * ROBOT_RADIUS;
                var distance = PROX_RANGE;
                var others = near;
                while others != 0u {
                    let j = firstTrailingBit(others);
                    others &= others - 1u;
                    distance = min(ray_to_circle(origin, direction, vec2(px[j], py[j]), radius(j)), distance);
                }
                if walls {
                    let x = ray_to_wall(origin.x, direction.x, params.half_arena.x);
                    let y = ray_to_wall(origin.y, direction.y, params.half_arena.y);
                    distance = min(max(min(x, y), 0.0), distance);
                }
                prox += params.rays[ray].xy * (1.0 - distance * (1.0 / PROX_RANGE));
            }
        }
    }
}
