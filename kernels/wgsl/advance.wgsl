// Entry points: whole updates for the engine, single stages for the twin test.

fn sense() {
    look_ahead();
    if switched(SWITCH_PROXIMITY) {
        stage_proximity();
    }
    if switched(SWITCH_LIGHT) {
        stage_light();
    }
    if switched(SWITCH_GROUND) {
        stage_ground();
    }
    // Camera, tags, and range and bearing have a longer period.
    let slow = update % SLOW_SENSES_PERIOD == 0u;
    if slow && switched(SWITCH_CAMERA) {
        stage_camera();
    }
    if slow && switched(SWITCH_TAGS) {
        stage_tags();
    }
    if switched(SWITCH_CAMERA) && switched(SWITCH_PICTURES) {
        stage_show();
    }
    if switched(SWITCH_MESSAGES) {
        stage_messages();
    } else if slow && switched(SWITCH_NEIGHBOURS) {
        stage_range_and_bearing();
    }
}

fn physics_step() {
    stage_friction();
    stage_contacts();
    stage_integrate();
    stage_separate();
    if switched(SWITCH_RELOCATION) {
        stage_task();
    }
    step_number += 1u;
    if switched(SWITCH_MESSAGES) {
        note_poses(step_number % params.past_kept);
    }
}

@compute @workgroup_size(WORKGROUP)
fn advance(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    load(group.x, invocation);
    if switched(SWITCH_MESSAGES) {
        note_poses(step_number % params.past_kept);
    }
    for (var i = 0u; i < scene.updates; i++) {
        sense();
        stage_tick();
        sync();
        for (var k = 0u; k < STEPS_PER_UPDATE; k++) {
            physics_step();
        }
        stage_score();
        update += 1u;
    }
    store();
}

@compute @workgroup_size(WORKGROUP)
fn only_friction(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    load(group.x, invocation);
    stage_friction();
    store();
}

@compute @workgroup_size(WORKGROUP)
fn only_contacts(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    load(group.x, invocation);
    stage_contacts();
    stage_separate();
    store();
}

@compute @workgroup_size(WORKGROUP)
fn only_integrate(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    load(group.x, invocation);
    stage_integrate();
    store();
}

@compute @workgroup_size(WORKGROUP)
fn only_proximity(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    load(group.x, invocation);
    stage_proximity();
    store();
}

@compute @workgroup_size(WORKGROUP)
fn only_light(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    load(group.x, invocation);
    stage_light();
    store();
}

@compute @workgroup_size(WORKGROUP)
fn only_ground(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    load(group.x, invocation);
    stage_ground();
    store();
}

@compute @workgroup_size(WORKGROUP)
fn only_tags(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    load(group.x, invocation);
    stage_tags();
    store();
}

@compute @workgroup_size(WORKGROUP)
fn only_camera(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    load(group.x, invocation);
    stage_camera();
    if switched(SWITCH_PICTURES) {
        stage_show();
    }
    stage_range_and_bearing();
    store();
}

@compute @workgroup_size(WORKGROUP)
fn only_messages(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    load(group.x, invocation);
    note_poses(0u);
    stage_messages();
    store();
}

@compute @workgroup_size(WORKGROUP)
fn only_tick(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    load(group.x, invocation);
    stage_tick();
    store();
}

@compute @workgroup_size(WORKGROUP)
fn only_task(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    load(group.x, invocation);
    stage_task();
    store();
}

@compute @workgroup_size(WORKGROUP)
fn only_score(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    load(group.x, invocation);
    stage_score();
    store();
}

@compute @workgroup_size(WORKGROUP)
fn only_random(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    load(group.x, invocation);
    for (var b = first_own; b < scene.bodies; b += OWN_STEP) {
        let words = philox(vec4(world_number, b, step_number, STREAM_MOTION), seed);
        state[place(Q_X, b)] = words.x;
        state[place(Q_Y, b)] = words.y;
        state[place(Q_VX, b)] = words.z;
        state[place(Q_VY, b)] = words.w;
    }
}
