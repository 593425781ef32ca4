// Regions of the floor; see world/zone.rs. Their words in the table are written by engine/gpu/floor.rs.

fn table_number(index: u32) -> f32 {
    return bitcast<f32>(table[index]);
}

fn table_vector(index: u32) -> vec2<f32> {
    return vec2(table_number(index), table_number(index + 1u));
}

fn in_polygon(first: u32, corners: u32, at: vec2<f32>) -> bool {
    var inside = false;
    var a = table_vector(first + 2u * (corners - 1u));
    for (var i = 0u; i < corners; i++) {
        let b = table_vector(first + 2u * i);
        if (a.y > at.y) != (b.y > at.y) && at.x < a.x + (at.y - a.y) / (b.y - a.y) * (b.x - a.x) {
            inside = !inside;
        }
        a = b;
    }
    return inside;
}

fn in_shape(shape: u32, at: vec2<f32>) -> bool {
    let kind = table[shape];
    let first = table_vector(shape + 1u);
    let second = table_vector(shape + 3u);
    if kind == SHAPE_HALF_PLANE {
        return dot(first, at) >= second.x;
    }
    if kind == SHAPE_RING {
        let away = length(at - first);
        return away >= second.x && away <= second.y;
    }
    if kind == SHAPE_ROUNDED || kind == SHAPE_BEYOND {
        let outside = max(abs(at - first) - second, vec2(0.0));
        return (length(outside) <= table_number(shape + 5u)) != (kind == SHAPE_BEYOND);
    }
    return in_polygon(table[shape + 2u], table[shape + 1u], at);
}

fn in_zone(region: u32, at: vec2<f32>) -> bool {
    let shapes = table[region];
    let all = shapes + table[region + 1u];
    var inside = false;
    for (var i = 0u; i < all; i++) {
        let found = in_shape(region + 2u + i * SHAPE_WORDS, at);
        inside = select(inside && !found, inside || found, i < shapes);
    }
    return inside;
}
