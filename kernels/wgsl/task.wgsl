// The benchmark task: a frisbee that touches an end of the arena is put back; see world/task/transport.rs.

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
        for (var j = 0u; j < params.bodies; j++) {
            let free = distance(vec2(px[j], py[j]), spot) - radius(j) - radius(disc);
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
    let disc = params.robots;
    if me == 0u && abs(px[disc]) + radius(disc) >= params.half_arena.x {
        start_draws(0u, step_number, STREAM_RELOCATION);
        let spot = free_spot(disc);
        let from_x = bitcast<f32>(state[header(H_COUNTED_FROM)]);
        let total = bitcast<f32>(state[header(H_TOTAL)]) + (px[disc] - from_x);
        state[header(H_TOTAL)] = bitcast<u32>(total);
        state[header(H_COUNTED_FROM)] = bitcast<u32>(spot.x);
        state[header(H_RELOCATIONS)] += 1u;
        px[disc] = spot.x;
        py[disc] = spot.y;
        vx[disc] = 0.0;
        vy[disc] = 0.0;
        spin[disc] = 0.0;
    }
    workgroupBarrier();
}
