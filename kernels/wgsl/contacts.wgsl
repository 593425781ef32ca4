// Contacts by sequential impulses; see world/physics/contacts.rs. Contacts are found per body; how they are listed
// and solved depends on the layout.

struct Contact {
    // Body a, body b (WALL for a wall), and within islands the next contact.
    bodies: u32,
    normal: vec2<f32>,
    push: f32,
    rebound: f32,
    normal_impulse: f32,
    tangent_impulse: f32,
}

const WALL: u32 = 0xffu;
const_assert MOST_BODIES < WALL;
// Bits of `touches`: the arena's walls, then inner walls, then bodies.
const INNER_WALLS_FROM: u32 = 4u;
const BODIES_FROM: u32 = INNER_WALLS_FROM + MAX_WALLS;

fn wall_normal(wall: u32) -> vec2<f32> {
    return vec2(select(0.0, select(-1.0, 1.0, wall == 0u), wall < 2u), select(0.0, select(-1.0, 1.0, wall == 2u), wall >= 2u));
}

fn wall_penetration(body: u32, wall: u32) -> f32 {
    let half = select(params.half_arena.y, params.half_arena.x, wall < 2u);
    return dot(place_of(body), wall_normal(wall)) + radius(body) - half;
}

// Vector from a position to the nearest point of an inner wall.
fn wall_offset(wall: u32, origin: vec2<f32>) -> vec2<f32> {
    let ends = params.wall_list[wall];
    let along = ends.zw - ends.xy;
    let part = clamp(dot(origin - ends.xy, along) / dot(along, along), 0.0, 1.0);
    return ends.xy + along * part - origin;
}

fn find_touches() {
    for (var b = first_own; b < scene.bodies; b += OWN_STEP) {
        let size = radius(b);
        let here = place_of(b);
        var hits = 0u;
        for (var k = 0u; k < TOUCH_WORDS; k++) {
            touches[own(b)][k] = 0u;
        }
        hits |= select(0u, 1u, here.x + size - params.half_arena.x > 0.0);
        hits |= select(0u, 2u, -here.x + size - params.half_arena.x > 0.0);
        hits |= select(0u, 4u, here.y + size - params.half_arena.y > 0.0);
        hits |= select(0u, 8u, -here.y + size - params.half_arena.y > 0.0);
        for (var w = 0u; w < scene.walls; w++) {
            let offset = wall_offset(w, here);
            hits |= select(0u, 1u << (INNER_WALLS_FROM + w), dot(offset, offset) < size * size);
        }
        var word = 0u;
        for (var j = b + 1u; j < scene.bodies; j++) {
            let bit = BODIES_FROM + j;
            if bit >> 5u != word {
                touches[own(b)][word] = hits;
                word = bit >> 5u;
                hits = 0u;
            }
            let reach = size + radius(j);
            let d = place_of(j) - here;
            hits |= select(0u, 1u << (bit & 31u), dot(d, d) < reach * reach);
        }
        touches[own(b)][word] = hits;
    }
}

// Inverse mass, radius and turn of a contact's second body; zero for a wall.
fn other_side(b: u32) -> vec3<f32> {
    let i = min(b, scene.bodies - 1u);
    let side = vec3(params.body[i].inverse_mass, radius(i), radius(i) * params.body[i].inverse_inertia);
    return select(side, vec3(0.0), b == WALL);
}

fn movement(body: u32) -> vec3<f32> {
    let i = at(min(body, scene.bodies - 1u));
    return select(vec3(vx[i], vy[i], spin[i]), vec3(0.0), body == WALL);
}

// Contact of body a with the object of bit `bit` in its touches.
fn contact_of(a: u32, bit: u32) -> Contact {
    let here = place_of(a);
    let inner = scene.walls > 0u && bit >= INNER_WALLS_FROM && bit < BODIES_FROM;
    let body = bit >= BODIES_FROM;
    let b = select(WALL, bit - BODIES_FROM, body);
    var d = place_of(select(a, b, body)) - here;
    if inner {
        d = wall_offset(bit - INNER_WALLS_FROM, here);
    }
    let distance = length(d);
    let towards = select(vec2(1.0, 0.0), d * (1.0 / distance), distance > 0.0);
    let arena = bit < INNER_WALLS_FROM;
    let normal = select(towards, wall_normal(bit), arena);
    let depth = radius(a) + other_side(b).y - distance;
    let penetration = select(depth, wall_penetration(a, bit), arena);
    let normal_mass = 1.0 / (params.body[a].inverse_mass + other_side(b).x);
    let approach = dot(movement(b).xy - movement(a).xy, normal);
    let push = max(penetration - PENETRATION_SLOP, 0.0) * PENETRATION_CORRECTION * normal_mass;
    return Contact(a | b << 8u, normal, push, -params.restitution * min(approach, 0.0), 0.0, 0.0);
}

fn contact_at(c: u32) -> Contact {
    let word = contact_word(c);
    let step = params.contact_step;
    return Contact(
        work[word],
        vec2(bitcast<f32>(work[word + step]), bitcast<f32>(work[word + 2u * step])),
        bitcast<f32>(work[word + 3u * step]), bitcast<f32>(work[word + 4u * step]),
        bitcast<f32>(work[word + 5u * step]), bitcast<f32>(work[word + 6u * step]),
    );
}

fn keep_impulses(c: u32, normal: f32, tangent: f32) {
    let word = contact_word(c);
    let step = params.contact_step;
    work[word + 5u * step] = bitcast<u32>(normal);
    work[word + 6u * step] = bitcast<u32>(tangent);
}

fn keep_contact(c: u32, contact: Contact) {
    let word = contact_word(c);
    let step = params.contact_step;
    work[word] = contact.bodies;
    work[word + step] = bitcast<u32>(contact.normal.x);
    work[word + 2u * step] = bitcast<u32>(contact.normal.y);
    work[word + 3u * step] = bitcast<u32>(contact.push);
    work[word + 4u * step] = bitcast<u32>(contact.rebound);
    keep_impulses(c, 0.0, 0.0);
}

// Applies the impulses of one contact; returns the largest change of an impulse.
fn resolve(c: u32) -> f32 {
    let contact = contact_at(c);
    let a = contact.bodies & 0xffu;
    let b = (contact.bodies >> 8u) & 0xffu;
    let ours = other_side(a);
    let other = other_side(b);
    let inverse = ours.x + other.x;
    let tangent_mass = 1.0 / (inverse + (ours.y * ours.z + other.y * other.z));
    let tangent = perp(contact.normal);
    var mine = movement(a);
    var to = movement(b);

    let slip = dot(to.xy - mine.xy, tangent) - (mine.z * ours.y + to.z * other.y);
    let limit = params.mu * contact.normal_impulse;
    let along = max(min(contact.tangent_impulse - slip * tangent_mass, limit), -limit);
    let rub = along - contact.tangent_impulse;
    mine -= vec3(tangent * (rub * ours.x), rub * ours.z);
    to += vec3(tangent * (rub * other.x), -rub * other.z);

    let approach = dot(to.xy - mine.xy, contact.normal);
    let apart = max(contact.normal_impulse + (contact.rebound - approach) * (1.0 / inverse), 0.0);
    let impulse = apart - contact.normal_impulse;
    mine -= vec3(contact.normal * (impulse * ours.x), 0.0);
    to += vec3(contact.normal * (impulse * other.x), 0.0);

    keep_impulses(c, apart, along);
    vx[at(a)] = mine.x;
    vy[at(a)] = mine.y;
    spin[at(a)] = mine.z;
    if b != WALL {
        vx[at(b)] = to.x;
        vy[at(b)] = to.y;
        spin[at(b)] = to.z;
    }
    return max(abs(rub), abs(impulse));
}

fn stage_contacts() {
    find_touches();
    list_contacts();
    solve_contacts();
}

// Separates bodies that overlapped when the contacts were found.
fn stage_separate() {
    if leader {
        for (var c = 0u; c < contact_count; c++) {
            let contact = contact_at(c);
            let a = contact.bodies & 0xffu;
            let b = (contact.bodies >> 8u) & 0xffu;
            let push = contact.normal * contact.push;
            px[at(a)] -= push.x * params.body[a].inverse_mass;
            py[at(a)] -= push.y * params.body[a].inverse_mass;
            if b != WALL {
                px[at(b)] += push.x * params.body[b].inverse_mass;
                py[at(b)] += push.y * params.body[b].inverse_mass;
            }
        }
    }
    sync();
}
