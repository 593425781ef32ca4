// State of the stages: bindings, the layout of a world in storage, and its copy in the invocations.
//
// The same stages run in two layouts, lane_body.wgsl and lane_world.wgsl, which define the location of a body's
// variables and the bodies of each invocation. Constants in capitals are generated from the Rust sources by
// engine/gpu/source.rs. Its tests also compare the layout of the structs with engine/gpu/params.rs.

// Floor friction of a body.
struct FrictionParams {
    radius: f32,
    // Distance of the two contacts from the centre.
    arm: f32,
    half_mass: f32,
    // Maximum impulse of one contact in a step.
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

struct MessageParams {
    range: f32,
    range_noise: f32,
    bearing_noise: f32,
    // 1 - probability of loss.
    kept: f32,
    loss_at_range: f32,
    sender_lobe: u32,
    receiver_lobe: u32,
    // Number of leading bodies that block messages; 0 for none.
    opaque: u32,
}

struct TaskParams {
    kind: u32,
    // Squared range of a cluster, or the distance between robots that counts as 1.
    size: f32,
    // Number of cells along x and y.
    columns: u32,
    rows: u32,
    nest: RegionParams,
    food: RegionParams,
}

// A rectangle with rounded corners, or its outside if `beyond` is set.
struct RegionParams {
    at: vec2<f32>,
    half: vec2<f32>,
    radius: f32,
    beyond: u32,
    unused: vec2<u32>,
}

struct Params {
    robots: u32,
    bodies: u32,
    // Number of controller updates in this dispatch.
    updates: u32,
    patches: u32,
    half_arena: vec2<f32>,
    mu: f32,
    restitution: f32,
    noise: vec3<f32>,
    // A NaN, because WGSL has no literal for it.
    nan: u32,
    // Unit vector of the camera's left segment.
    aside: vec2<f32>,
    walls: u32,
    // Senses to compute, and whether the task relocates the disc: SWITCH_...
    switches: u32,
    // Distance in words between consecutive fields of a contact.
    contact_step: u32,
    // Number of poses per body that are kept in `past`.
    past_kept: u32,
    // Number of worlds per workgroup, and of the batch.
    worlds: u32,
    batch: u32,
    // Probability that a camera misses a segment.
    camera_misses: f32,
    // Sensor reading without the lights.
    room_light: f32,
    lights: u32,
    tags: u32,
    // Detection range of tags.
    tag_range: f32,
    // Indices of the floor and of the objective in the table.
    floor: u32,
    objective: u32,
    memory: u32,
    task: TaskParams,
    messages: MessageParams,
    // Directions of the proximity rays.
    rays: array<vec4<f32>, RAYS>,
    patch_list: array<PatchParams, MAX_PATCHES>,
    // End points of the inner walls.
    wall_list: array<vec4<f32>, MAX_WALLS>,
    // Position, squared height, and brightness of the lights.
    light_list: array<vec4<f32>, MAX_LIGHTS>,
    // Position of the tags, and direction of their faces.
    tag_list: array<vec4<f32>, MAX_TAGS>,
    footing: array<FrictionParams, MOST_BODIES>,
    body: array<BodyParams, MOST_BODIES>,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> state: array<u32>;
// The instructions of all programs.
@group(0) @binding(2) var<storage, read> programs: array<u32>;
// Memory of the nodes.
@group(0) @binding(3) var<storage, read_write> memory: array<u32>;
// Contacts, and bit masks of neighbours.
@group(0) @binding(4) var<storage, read_write> work: array<u32>;
// Bit mask of the visited cells of the arena, then past poses for messages.
@group(0) @binding(5) var<storage, read_write> past: array<atomic<u32>>;
// Contents: a zero; the start of the robots' range factors; the number of the last message and the slot of its poses,
// for each update; the range factors; regions; the floor; the objective.
@group(0) @binding(6) var<storage, read> table: array<u32>;
// Scores of the objective, with one column per world.
@group(0) @binding(7) var<storage, read_write> score: array<u32>;

// Values that control loops and branches. Mesa's software adapters recompile a kernel at every dispatch for the
// values of uniforms that control flow. A zero word from storage is added to these values to prevent this
// optimisation.
struct Scene {
    robots: u32,
    bodies: u32,
    updates: u32,
    walls: u32,
    patches: u32,
    lights: u32,
    tags: u32,
    switches: u32,
    task: u32,
    sender_lobe: u32,
    receiver_lobe: u32,
    opaque: u32,
}

var<private> scene: Scene;

fn look_at_scene() {
    let zero = table[0];
    scene.robots = params.robots + zero;
    scene.bodies = params.bodies + zero;
    scene.updates = params.updates + zero;
    scene.walls = params.walls + zero;
    scene.patches = params.patches + zero;
    scene.lights = params.lights + zero;
    scene.tags = params.tags + zero;
    scene.switches = params.switches + zero;
    scene.task = params.task.kind + zero;
    scene.sender_lobe = params.messages.sender_lobe + zero;
    scene.receiver_lobe = params.messages.receiver_lobe + zero;
    scene.opaque = params.messages.opaque + zero;
}

// World and counters of this invocation.
var<private> world: u32;
var<private> seed: vec2<u32>;
var<private> world_number: u32;
var<private> update: u32;
var<private> step_number: u32;

// Words are stored in rows, with one column per world.
fn header(word: u32) -> u32 {
    return word * params.batch + world;
}

fn place(quantity: u32, body: u32) -> u32 {
    return (HEADER_WORDS + quantity * scene.bodies + body) * params.batch + world;
}

fn cell_words() -> u32 {
    return (params.task.columns * params.task.rows + 31u) / 32u;
}

fn of_body(quantity: u32, body: u32) -> f32 {
    return bitcast<f32>(state[place(quantity, body)]);
}

// A quantity of two consecutive numbers.
fn vector_of_body(quantity: u32, body: u32) -> vec2<f32> {
    return vec2(of_body(quantity, body), of_body(quantity + 1u, body));
}

fn keep(quantity: u32, body: u32, value: f32) {
    state[place(quantity, body)] = bitcast<u32>(value);
}

fn keep_vector(quantity: u32, body: u32, v: vec2<f32>) {
    keep(quantity, body, v.x);
    keep(quantity + 1u, body, v.y);
}

fn switched(bit: u32) -> bool {
    return (scene.switches & bit) != 0u;
}

fn load(group: u32, invocation: u32) {
    look_at_scene();
    enter(group, invocation);
    seed = vec2(state[header(H_SEED_LOW)], state[header(H_SEED_HIGH)]);
    world_number = state[header(H_WORLD)];
    update = state[header(H_UPDATE)];
    step_number = update * STEPS_PER_UPDATE;
    for (var b = first_own; b < scene.bodies; b += OWN_STEP) {
        let i = own(b);
        px[at(b)] = of_body(Q_X, b);
        py[at(b)] = of_body(Q_Y, b);
        vx[at(b)] = of_body(Q_VX, b);
        vy[at(b)] = of_body(Q_VY, b);
        spin[at(b)] = of_body(Q_SPIN, b);
        heading[i] = of_body(Q_HEADING, b);
        wheels[i] = vec2(of_body(Q_LEFT, b), of_body(Q_RIGHT, b));
    }
    look_ahead();
    sync();
}

fn look_ahead() {
    for (var b = first_own; b < scene.bodies; b += OWN_STEP) {
        let s = sin_cos(heading[own(b)]);
        ahead[own(b)] = vec2(s.y, s.x);
        up[own(b)] = select(vec2(1.0, 0.0), vec2(s.y, -s.x), COMPASS == 1u);
    }
}

fn store() {
    sync();
    for (var b = first_own; b < scene.bodies; b += OWN_STEP) {
        let i = own(b);
        keep(Q_X, b, px[at(b)]);
        keep(Q_Y, b, py[at(b)]);
        keep(Q_VX, b, vx[at(b)]);
        keep(Q_VY, b, vy[at(b)]);
        keep(Q_SPIN, b, spin[at(b)]);
        keep(Q_HEADING, b, heading[i]);
        keep(Q_LEFT, b, wheels[i].x);
        keep(Q_RIGHT, b, wheels[i].y);
    }
    if leader {
        state[header(H_UPDATE)] = update;
    }
}

// Position of another body relative to this body.
fn between(body: u32, other: u32) -> vec2<f32> {
    return vec2(px[at(other)] - px[at(body)], py[at(other)] - py[at(body)]);
}

fn place_of(body: u32) -> vec2<f32> {
    return vec2(px[at(body)], py[at(body)]);
}

fn radius(body: u32) -> f32 {
    return params.footing[body].radius;
}

fn tall(body: u32) -> bool {
    return params.body[body].tall != 0u;
}
