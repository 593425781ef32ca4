// Contacts by sequential impulses; see world/physics/contacts.rs. Finding them is done body by body. Solving them is done island
// by island (bodies that touch, and what these touch): within one each impulse depends on those before it, but islands
// do not know of each other, so each has an invocation of its own and the result is that of one long list.

// For each body: bits of the later bodies it touches, and from WALL_BITS on of the walls.
var<workgroup> touches: array<u32, SLOTS>;

struct Contact {
    // Body a, body b (0xff for a wall), and the island's next contact.
    bodies: u32,
    normal: vec2<f32>,
    push: f32,
    rebound: f32,
    normal_impulse: f32,
    tangent_impulse: f32,
}

var<workgroup> contacts: array<Contact, MAX_CONTACTS>;
var<workgroup> contact_count: u32;
// Of each body: the first body of its island; of such a one: the island's first contact.
var<workgroup> island: array<u32, SLOTS>;
var<workgroup> first_contact: array<u32, SLOTS>;

// Bits of the bodies that have entries in `touches`; cleared by stage_friction, the stage before.
var<workgroup> busy: atomic<u32>;

const NO_CONTACT: u32 = 0xffu;

const WALL: u32 = 0xffu;
const WALL_BITS: u32 = 28u;
const_assert MAX_BODIES <= WALL_BITS;
const_assert MAX_CONTACTS <= NO_CONTACT;

fn wall_normal(wall: u32) -> vec2<f32> {
    return vec2(select(0.0, select(-1.0, 1.0, wall == 0u), wall < 2u), select(0.0, select(-1.0, 1.0, wall == 2u), wall >= 2u));
}

fn wall_penetration(body: u32, wall: u32) -> f32 {
    let n = wall_normal(wall);
    let half = select(params.half_arena.y, params.half_arena.x, wall < 2u);
    return px[body] * n.x + py[body] * n.y + radius(body) - half;
}

fn find_touches() {
    var hits = 0u;
    if me < params.bodies {
        for (var wall = 0u; wall < 4u; wall++) {
            hits |= select(0u, 1u << (WALL_BITS + wall), wall_penetration(me, wall) > 0.0);
        }
        for (var j = me + 1u; j < params.bodies; j++) {
            let reach = radius(me) + radius(j);
            let d = between(j);
            hits |= select(0u, 1u << j, dot(d, d) < reach * reach);
        }
    }
    touches[me] = hits;
    if hits != 0u {
        atomicOr(&busy, 1u << me);
    }
    island[me] = me;
    first_contact[me] = NO_CONTACT;
    workgroupBarrier();
}

// Inverse mass, radius and turn of a contact's second body; nothing for a wall.
fn other_side(b: u32) -> vec3<f32> {
    if b == WALL {
        return vec3(0.0);
    }
    return vec3(params.body[b].inverse_mass, radius(b), radius(b) * params.body[b].inverse_inertia);
}

fn movement(body: u32) -> vec3<f32> {
    if body == WALL {
        return vec3(0.0);
    }
    return vec3(vx[body], vy[body], spin[body]);
}

fn add_contact(a: u32, b: u32, normal: vec2<f32>, penetration: f32) {
    if contact_count == MAX_CONTACTS {
        return;
    }
    let normal_mass = 1.0 / (params.body[a].inverse_mass + other_side(b).x);
    let approach = dot(movement(b).xy - movement(a).xy, normal);
    let push = max(penetration - PENETRATION_SLOP, 0.0) * PENETRATION_CORRECTION * normal_mass;
    contacts[contact_count] = Contact(a | b << 8u | NO_CONTACT << 16u, normal, push, -params.restitution * min(approach, 0.0), 0.0, 0.0);
    contact_count += 1u;
}

fn list_contacts() {
    contact_count = 0u;
    var left = atomicLoad(&busy);
    while left != 0u {
        let a = firstTrailingBit(left);
        left &= left - 1u;
        var hits = touches[a];
        while hits != 0u && (hits >> WALL_BITS) != 0u {
            let wall = firstTrailingBit(hits >> WALL_BITS);
            hits &= ~(1u << (WALL_BITS + wall));
            add_contact(a, WALL, wall_normal(wall), wall_penetration(a, wall));
        }
        while hits != 0u {
            let b = firstTrailingBit(hits);
            hits &= hits - 1u;
            let d = vec2(px[b] - px[a], py[b] - py[a]);
            let distance = length(d);
            let normal = select(vec2(1.0, 0.0), d * (1.0 / distance), distance > 0.0);
            add_contact(a, b, normal, radius(a) + radius(b) - distance);
            unite(island[a], island[b]);
        }
    }
    // Backwards, so that each island's contacts come in the order of the list.
    for (var i = contact_count; i > 0u; i--) {
        let c = i - 1u;
        let leader = island[contacts[c].bodies & 0xffu];
        contacts[c].bodies = (contacts[c].bodies & 0xffffu) | first_contact[leader] << 16u;
        first_contact[leader] = c;
    }
}

fn unite(a: u32, b: u32) {
    if a == b {
        return;
    }
    for (var i = 0u; i < params.bodies; i++) {
        if island[i] == b {
            island[i] = a;
        }
    }
}

fn resolve(c: u32) {
    let contact = contacts[c];
    let a = contact.bodies & 0xffu;
    let b = (contact.bodies >> 8u) & 0xffu;
    let ours = vec3(params.body[a].inverse_mass, radius(a), radius(a) * params.body[a].inverse_inertia);
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

    contacts[c].tangent_impulse = along;
    contacts[c].normal_impulse = apart;
    vx[a] = mine.x;
    vy[a] = mine.y;
    spin[a] = mine.z;
    if b != WALL {
        vx[b] = to.x;
        vy[b] = to.y;
        spin[b] = to.z;
    }
}

fn stage_contacts() {
    find_touches();
    if me == 0u {
        list_contacts();
    }
    workgroupBarrier();
    if first_contact[me] != NO_CONTACT {
        for (var i = 0u; i < CONTACT_ITERATIONS; i++) {
            var c = first_contact[me];
            while c != NO_CONTACT {
                resolve(c);
                c = contacts[c].bodies >> 16u;
            }
        }
    }
    workgroupBarrier();
}

// Moves apart what overlapped when the contacts were found.
fn stage_separate() {
    if me == 0u {
        for (var c = 0u; c < contact_count; c++) {
            let a = contacts[c].bodies & 0xffu;
            let b = (contacts[c].bodies >> 8u) & 0xffu;
            let push = contacts[c].normal * contacts[c].push;
            px[a] -= push.x * params.body[a].inverse_mass;
            py[a] -= push.y * params.body[a].inverse_mass;
            if b != WALL {
                px[b] += push.x * params.body[b].inverse_mass;
                py[b] += push.y * params.body[b].inverse_mass;
            }
        }
    }
    workgroupBarrier();
}
