// Entry points: whole updates for the engine, single stages for its twin test.

fn sense() {
    look_ahead();
    if (params.switches & SWITCH_PROXIMITY) != 0u {
        stage_proximity();
    }
    // Camera and range and bearing are slower.
    let slow = update % SLOW_SENSES_PERIOD == 0u;
    if slow && (params.switches & SWITCH_CAMERA) != 0u {
        stage_camera();
    }
    if slow && (params.switches & SWITCH_NEIGHBOURS) != 0u {
        stage_range_and_bearing();
    }
}

fn physics_step() {
    stage_friction();
    stage_contacts();
    stage_integrate();
    stage_separate();
    if (params.switches & SWITCH_RELOCATION) != 0u {
        stage_task();
    }
    step_number += 1u;
}

@compute @workgroup_size(SLOTS)
fn advance(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    load(group.x, invocation);
    for (var i = 0u; i < params.updates; i++) {
        sense();
        stage_tick();
        workgroupBarrier();
        physics_steps();
        update += 1u;
    }
    store();
}

@compute @workgroup_size(SLOTS)
fn only_friction(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    load(group.x, invocation);
    stage_friction();
    store();
}

@compute @workgroup_size(SLOTS)
fn only_contacts(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    load(group.x, invocation);
    stage_contacts();
    stage_separate();
    store();
}

@compute @workgroup_size(SLOTS)
fn only_integrate(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    load(group.x, invocation);
    stage_integrate();
    store();
}

@compute @workgroup_size(SLOTS)
fn only_proximity(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    load(group.x, invocation);
    stage_proximity();
    store();
}

@compute @workgroup_size(SLOTS)
fn only_camera(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    load(group.x, invocation);
    stage_camera();
    stage_range_and_bearing();
    store();
}

@compute @workgroup_size(SLOTS)
fn only_tick(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    load(group.x, invocation);
    stage_tick();
    store();
}

@compute @workgroup_size(SLOTS)
fn only_task(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    load(group.x, invocation);
    stage_task();
    store();
}

@compute @workgroup_size(SLOTS)
fn only_random(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    load(group.x, invocation);
    let words = philox(vec4(world_number, me, step_number, STREAM_MOTION), seed);
    state[place(Q_X)] = words.x;
    state[place(Q_Y)] = words.y;
    state[place(Q_VX)] = words.z;
    state[place(Q_VY)] = words.w;
}
