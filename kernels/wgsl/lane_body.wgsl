// One body per lane, with as many worlds per workgroup as fit: invocation b * worlds + w processes body b of world w.
// Adjacent lanes therefore access adjacent words, and the leaders of the worlds, which do the work that is done once
// per world, are adjacent. The bodies of a world communicate through workgroup memory and, for contacts, through
// storage.

const OWN_STEP: u32 = 0x10000u;
const NOBODY: u32 = 0xffffu;

var<private> first_own: u32;
var<private> leader: bool;
// Index of the world in the workgroup.
var<private> lane_world: u32;

var<workgroup> px: array<f32, WORKGROUP>;
var<workgroup> py: array<f32, WORKGROUP>;
var<workgroup> vx: array<f32, WORKGROUP>;
var<workgroup> vy: array<f32, WORKGROUP>;
var<workgroup> spin: array<f32, WORKGROUP>;
// Number of contacts of each body, and the first contact of the island that the body leads.
var<workgroup> counts: array<u32, WORKGROUP>;
var<workgroup> first_contact: array<u32, WORKGROUP>;
// For each body: a body of the same island that is closer to the leader, or the body itself.
var<workgroup> island: array<u32, WORKGROUP>;
var<private> contact_count: u32;

const NO_CONTACT: u32 = 0xffffu;

fn at(body: u32) -> u32 {
    return body * params.worlds + lane_world;
}

fn own(body: u32) -> u32 {
    return 0u;
}

fn enter(group: u32, invocation: u32) {
    let body = invocation / params.worlds;
    lane_world = invocation % params.worlds;
    first_own = select(NOBODY, body, body < scene.bodies);
    leader = body == 0u;
    world = group * params.worlds + lane_world;
}

fn sync() {
    workgroupBarrier();
}

fn sync_storage() {
    storageBarrier();
}

fn contact_word(c: u32) -> u32 {
    return world * CONTACTS_WORDS + c * CONTACT_WORDS;
}

// Every body lists its own contacts after those of the previous bodies. The leader then merges touching bodies into
// islands. Impulses depend on each other only within an island. Each island is therefore solved by its own
// invocation, with the same result as one long list.
fn list_contacts() {
    if first_own != NOBODY {
        var count = 0u;
        for (var k = 0u; k < TOUCH_WORDS; k++) {
            count += countOneBits(touches[0][k]);
        }
        counts[at(first_own)] = count;
        island[at(first_own)] = first_own;
        first_contact[at(first_own)] = NO_CONTACT;
    }
    sync();
    contact_count = 0u;
    if first_own != NOBODY {
        var mine = 0u;
        for (var b = 0u; b < scene.bodies; b++) {
            mine += select(0u, counts[at(b)], b < first_own);
            contact_count += counts[at(b)];
        }
        contact_count = min(contact_count, MOST_CONTACTS);
        for (var k = 0u; k < TOUCH_WORDS; k++) {
            var hits = touches[0][k];
            while hits != 0u && mine < MOST_CONTACTS {
                keep_contact(mine, contact_of(first_own, firstTrailingBit(hits) + k * 32u));
                hits &= hits - 1u;
                mine += 1u;
            }
        }
    }
    storageBarrier();
    if leader {
        for (var c = 0u; c < contact_count; c++) {
            let bodies = work[contact_word(c)];
            if ((bodies >> 8u) & 0xffu) != WALL {
                let a = leader_of(bodies & 0xffu);
                let b = leader_of((bodies >> 8u) & 0xffu);
                island[at(max(a, b))] = min(a, b);
            }
        }
        // Iterates backwards, so that each island's contacts are in the order of the list.
        for (var i = contact_count; i > 0u; i--) {
            let c = i - 1u;
            let bodies = work[contact_word(c)];
            let first = at(leader_of(bodies & 0xffu));
            work[contact_word(c)] = (bodies & 0xffffu) | first_contact[first] << 16u;
            first_contact[first] = c;
        }
    }
    storageBarrier();
    sync();
}

fn leader_of(body: u32) -> u32 {
    var b = body;
    while island[at(b)] != b {
        b = island[at(b)];
    }
    return b;
}

fn solve_contacts() {
    if first_own != NOBODY && first_contact[at(first_own)] != NO_CONTACT {
        for (var i = 0u; i < CONTACT_ITERATIONS; i++) {
            var c = first_contact[at(first_own)];
            var change = 0.0;
            while c != NO_CONTACT {
                change = max(change, resolve(c));
                c = work[contact_word(c)] >> 16u;
            }
            if change <= CONTACT_SOLVED {
                break;
            }
        }
    }
    sync();
}
