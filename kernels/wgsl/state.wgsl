// What the stages work on: bindings, the layout of a world in storage, and its copy in workgroup memory.
//
// A workgroup is a world and an invocation a body, so neighbouring invocations read neighbouring words. The names in
// capitals are generated from the Rust sources by engine/gpu/source.rs, whose tests also hold that the structs lie as those
// of engine/gpu/params.rs do.

// How a body stands on the floor.
struct Footing {
    radius: f32,
    // Distance of the two contacts from the centre.
    arm: f32,
    half_mass: f32,
    // Greatest impulse of one contact in a step.
    strongest: f32,
}

struct BodyParams {
    inverse_mass: f32,
    inverse_inertia: f32,
    // 1 if the body is tall, else 0.
    tall: u32,
    colour: u32,
}

struct PatchParams {
    at: vec2<f32>,
    half_length: f32,
    colour: u32,
}

struct Params {
    robots: u32,
    bodies: u32,
    // Controller updates in this dispatch.
    updates: u32,
    patches: u32,
    half_arena: vec2<f32>,
    mu: f32,
    restitution: f32,
    noise: vec3<f32>,
    // A NaN: WGSL has no literal for it.
    nan: u32,
    // Unit vector of the camera's left segment.
    aside: vec2<f32>,
    // Words of node memory of a world.
    memory_words: u32,
    // Senses to compute, and whether the task relocates the disc: SWITCH_...
    switches: u32,
    // Directions of the proximity rays.
    rays: array<vec4<f32>, RAYS>,
    footing: array<Footing, MAX_BODIES>,
    body: array<BodyParams, MAX_BODIES>,
    patch_list: array<PatchParams, MAX_PATCHES>,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> state: array<u32>;
@group(0) @binding(2) var<storage, read> programs: array<u32>;
@group(0) @binding(3) var<storage, read_write> memory: array<u32>;

// Bodies of the workgroup's world.
var<workgroup> px: array<f32, SLOTS>;
var<workgroup> py: array<f32, SLOTS>;
var<workgroup> vx: array<f32, SLOTS>;
var<workgroup> vy: array<f32, SLOTS>;
var<workgroup> spin: array<f32, SLOTS>;

// Of this invocation's body.
var<private> me: u32;
var<private> world: u32;
var<private> heading: f32;
var<private> ahead: vec2<f32>;
var<private> wheels: vec2<f32>;
// Senses and goal, in the order of the layout from Q_PROX_X on.
var<private> prox: vec2<f32>;
var<private> attr: vec2<f32>;
var<private> neighbours: f32;
var<private> colours: array<vec2<f32>, 3>;
var<private> goal: vec2<f32>;
var<private> scratch: vec3<f32>;
// Counters of the world, the same in all its invocations.
var<private> seed: vec2<u32>;
var<private> world_number: u32;
var<private> update: u32;
var<private> step_number: u32;

fn header(word: u32) -> u32 {
    return world * WORLD_WORDS + word;
}

fn place(quantity: u32) -> u32 {
    return world * WORLD_WORDS + HEADER_WORDS + quantity * SLOTS + me;
}

fn of_body(quantity: u32) -> f32 {
    return bitcast<f32>(state[place(quantity)]);
}

fn keep(quantity: u32, value: f32) {
    state[place(quantity)] = bitcast<u32>(value);
}

fn load(world_id: u32, invocation: u32) {
    world = world_id;
    me = invocation;
    seed = vec2(state[header(H_SEED_LOW)], state[header(H_SEED_HIGH)]);
    world_number = state[header(H_WORLD)];
    update = state[header(H_UPDATE)];
    step_number = update * STEPS_PER_UPDATE;
    px[me] = of_body(Q_X);
    py[me] = of_body(Q_Y);
    vx[me] = of_body(Q_VX);
    vy[me] = of_body(Q_VY);
    spin[me] = of_body(Q_SPIN);
    heading = of_body(Q_HEADING);
    wheels = vec2(of_body(Q_LEFT), of_body(Q_RIGHT));
    prox = vec2(of_body(Q_PROX_X), of_body(Q_PROX_Y));
    attr = vec2(of_body(Q_ATTR_X), of_body(Q_ATTR_Y));
    neighbours = of_body(Q_NEIGHBOURS);
    colours[0] = vec2(of_body(Q_RED_X), of_body(Q_RED_Y));
    colours[1] = vec2(of_body(Q_GREEN_X), of_body(Q_GREEN_Y));
    colours[2] = vec2(of_body(Q_BLUE_X), of_body(Q_BLUE_Y));
    goal = vec2(of_body(Q_GOAL_X), of_body(Q_GOAL_Y));
    scratch = vec3(of_body(Q_SCRATCH), of_body(Q_SCRATCH_X), of_body(Q_SCRATCH_Y));
    look_ahead();
    workgroupBarrier();
}

fn look_ahead() {
    let s = sin_cos(heading);
    ahead = vec2(s.y, s.x);
}

fn store() {
    workgroupBarrier();
    keep(Q_X, px[me]);
    keep(Q_Y, py[me]);
    keep(Q_VX, vx[me]);
    keep(Q_VY, vy[me]);
    keep(Q_SPIN, spin[me]);
    keep(Q_HEADING, heading);
    keep(Q_LEFT, wheels.x);
    keep(Q_RIGHT, wheels.y);
    keep(Q_PROX_X, prox.x);
    keep(Q_PROX_Y, prox.y);
    keep(Q_ATTR_X, attr.x);
    keep(Q_ATTR_Y, attr.y);
    keep(Q_NEIGHBOURS, neighbours);
    keep(Q_RED_X, colours[0].x);
    keep(Q_RED_Y, colours[0].y);
    keep(Q_GREEN_X, colours[1].x);
    keep(Q_GREEN_Y, colours[1].y);
    keep(Q_BLUE_X, colours[2].x);
    keep(Q_BLUE_Y, colours[2].y);
    keep(Q_GOAL_X, goal.x);
    keep(Q_GOAL_Y, goal.y);
    keep(Q_SCRATCH, scratch.x);
    keep(Q_SCRATCH_X, scratch.y);
    keep(Q_SCRATCH_Y, scratch.z);
    if me == 0u {
        state[header(H_UPDATE)] = update;
    }
}

// Place of another body seen from this one's.
fn between(other: u32) -> vec2<f32> {
    return vec2(px[other] - px[me], py[other] - py[me]);
}

fn radius(body: u32) -> f32 {
    return params.footing[body].radius;
}

fn tall(body: u32) -> bool {
    return params.body[body].tall != 0u;
}
