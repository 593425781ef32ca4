// Messages between robots in worlds with a message model; see world/senses/messages.rs and channel_history.rs. The
// poses after each step are stored in a ring buffer for the maximum age of a message.

fn pose_word(slot: u32, body: u32) -> u32 {
    return params.batch * cell_words() + ((world * params.past_kept + slot) * scene.bodies + body) * 3u;
}

fn note_poses(slot: u32) {
    for (var b = first_own; b < scene.bodies; b += OWN_STEP) {
        let word = pose_word(slot, b);
        atomicStore(&past[word], bitcast<u32>(px[at(b)]));
        atomicStore(&past[word + 1u], bitcast<u32>(py[at(b)]));
        atomicStore(&past[word + 2u], bitcast<u32>(heading[own(b)]));
    }
    sync_storage();
}

// Position and heading.
fn noted_pose(slot: u32, body: u32) -> vec3<f32> {
    let word = pose_word(slot, body);
    return vec3(bitcast<f32>(atomicLoad(&past[word])), bitcast<f32>(atomicLoad(&past[word + 1u])), bitcast<f32>(atomicLoad(&past[word + 2u])));
}

fn gain(robot: u32, hears: u32) -> f32 {
    return bitcast<f32>(table[table[1] + 2u * robot + hears]);
}

fn lobe(power: u32, direction: f32, towards: vec2<f32>, range: f32) -> f32 {
    let s = sin_cos(direction);
    let facing = select(dot(vec2(s.y, s.x), towards) / range, 1.0, power == 0u || range == 0.0);
    var product = 1.0;
    for (var i = 0u; i < power; i++) {
        product *= 0.5 + 0.5 * facing;
    }
    return product;
}

fn hidden(slot: u32, me: u32, other: u32, origin: vec2<f32>, along: vec2<f32>) -> bool {
    let square = dot(along, along);
    var covered = false;
    for (var i = 0u; i < scene.opaque; i++) {
        let towards = noted_pose(slot, i).xy - origin;
        let size = select(radius(i), ROBOT_RADIUS, i < scene.robots);
        let front = dot(towards, along);
        let aside = cross2(towards, along);
        covered |= i != me && i != other && front > 0.0 && front < square && aside * aside < size * size * square;
    }
    if switched(SWITCH_WALLS_BLOCK) {
        for (var w = 0u; w < scene.walls; w++) {
            covered |= along_to_wall(w, origin, along) < 1.0;
        }
    }
    return covered;
}

// Weight of a neighbour in v_attr.
fn attraction_weight(range: f32) -> f32 {
    if MESSAGE_GAP == 1u {
        return 1.0 / (1.0 + 100.0 * max(range - 2.0 * ROBOT_RADIUS, 0.0));
    }
    return NEIGHBOUR_MIN / max(range, NEIGHBOUR_MIN);
}

// First word of the sums of a robot's messages: x, y and count of each message.
fn memory_word(robot: u32) -> u32 {
    return params.batch * (cell_words() + params.past_kept * scene.bodies * 3u)
        + (world * scene.robots + robot) * MESSAGE_MEMORY * 3u;
}

// Adds the sum of a message to a robot's memory, and returns the sum of the last messages.
fn remember(robot: u32, number: u32, heard: vec3<f32>) -> vec3<f32> {
    let first = memory_word(robot);
    let newest = first + 3u * (number % MESSAGE_MEMORY);
    for (var i = 0u; i < 3u; i++) {
        atomicStore(&past[newest + i], bitcast<u32>(heard[i]));
    }
    var all = vec3(0.0);
    for (var i = 0u; i < MESSAGE_MEMORY; i++) {
        let word = first + 3u * i;
        all += bitcast<vec3<f32>>(vec3(atomicLoad(&past[word]), atomicLoad(&past[word + 1u]), atomicLoad(&past[word + 2u])));
    }
    return all;
}

fn stage_messages() {
    let number = table[2u + 2u * update];
    let slot = table[3u + 2u * update];
    for (var b = first_own; b < scene.robots; b += OWN_STEP) {
        let receiver = noted_pose(slot, b);
        let front = sin_cos(receiver.z);
        if COMPASS == 1u {
            up[own(b)] = vec2(front.y, -front.x);
        }
        var sum = vec2(0.0);
        var count = 0.0;
        let listens = select(0u, scene.robots, switched(SWITCH_NEIGHBOURS));
        for (var j = 0u; j < listens; j++) {
            let sender = noted_pose(slot, j);
            let d = sender.xy - receiver.xy;
            let range = length(d);
            let gains = gain(j, 0u) * gain(b, 1u);
            let lobes = lobe(scene.receiver_lobe, receiver.z, d, range)
                * lobe(scene.sender_lobe, sender.z, -d, range);
            let reach = params.messages.range * gains * lobes;
            let words = philox(vec4(world_number, b + j * NEXT_BLOCK, number, STREAM_MESSAGES), seed);
            var chance = unit(words.x);
            if MESSAGE_MEMORY > 1u {
                let packets = motion_words(vec4(world_number, b + (j / 8u) * NEXT_BLOCK, number, STREAM_PACKETS), seed);
                chance = f32((packets[(j % 8u) / 2u] >> (16u * (j % 2u))) & 0xffffu) * (1.0 / 65536.0);
            }
            let part = select(0.0, range / reach, reach > 0.0);
            let kept = params.messages.kept * (1.0 - params.messages.loss_at_range * part * part);
            let near = j != b && range <= reach && chance < kept;
            if near && !hidden(slot, b, j, receiver.xy, d) {
                let noise = normal_pair(words.y, words.z);
                let bearing = wrap_angle(wrap_angle(angle_of(d) - receiver.z) + noise.x * params.messages.bearing_noise);
                let heard = max(range + noise.y * params.messages.range_noise, 0.0);
                let s = sin_cos(bearing);
                sum += vec2(s.y, s.x) * attraction_weight(heard);
                count += 1.0;
            }
        }
        var all = vec3(sum, count);
        if MESSAGE_MEMORY > 1u {
            all = remember(b, number, all);
        }
        keep_vector(Q_ATTR_X, b, select(vec2(1.0 - f32(MESSAGE_GAP), 0.0), all.xy, all.z > 0.0));
        keep(Q_NEIGHBOURS, b, count);
    }
}
