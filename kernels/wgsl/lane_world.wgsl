// One world per lane: an invocation processes all bodies of a world. The lanes of a CPU's vector registers are full,
// invocations never wait for each other, and all data of a world is private to one invocation.

const OWN_STEP: u32 = 1u;
const first_own: u32 = 0u;
const leader: bool = true;

var<private> px: array<f32, CAPACITY>;
var<private> py: array<f32, CAPACITY>;
var<private> vx: array<f32, CAPACITY>;
var<private> vy: array<f32, CAPACITY>;
var<private> spin: array<f32, CAPACITY>;

var<private> contact_count: u32;

fn at(body: u32) -> u32 {
    return body;
}

fn own(body: u32) -> u32 {
    return body;
}

fn enter(group: u32, invocation: u32) {
    world = group * WORKGROUP + invocation;
}

fn sync() {
}

fn sync_storage() {
}

// One column per world, as in `state`.
fn contact_word(c: u32) -> u32 {
    return c * CONTACT_WORDS * params.batch + world;
}

// One loop over all bits of all words: the loop body costs the same for one contact as for a contact in every lane.
fn list_contacts() {
    contact_count = 0u;
    var entries = 0u;
    var busy: array<u32, BUSY_WORDS>;
    for (var b = 0u; b < scene.bodies; b++) {
        for (var k = 0u; k < TOUCH_WORDS; k++) {
            if touches[b][k] != 0u {
                busy[entries] = b | k << 8u;
                entries += 1u;
            }
        }
    }
    var entry = 0u;
    var hits = 0u;
    var origin = 0u;
    loop {
        if hits == 0u {
            if entry == entries || contact_count == MOST_CONTACTS {
                break;
            }
            origin = busy[entry];
            hits = touches[origin & 0xffu][origin >> 8u];
            entry += 1u;
        }
        let bit = firstTrailingBit(hits);
        hits &= hits - 1u;
        if contact_count < MOST_CONTACTS {
            keep_contact(contact_count, contact_of(origin & 0xffu, bit + (origin >> 8u) * 32u));
            contact_count += 1u;
        }
    }
}

// One loop for all iterations: lanes with few contacts finish all their iterations while others continue.
fn solve_contacts() {
    var c = 0u;
    for (var i = 0u; i < CONTACT_ITERATIONS * contact_count; i++) {
        _ = resolve(c);
        c = select(c + 1u, 0u, c + 1u == contact_count);
    }
}
