// Behaviour trees, ticked with the same single-precision results as in Xpuck. Does not depend on ARGoS. Compile with
// -ffp-contract=off: fused operations round differently.
#ifndef XPUCK_TREE_HPP
#define XPUCK_TREE_HPP

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace xpuck {

enum Kind : uint8_t {
    SEQ, SEL, SEQM, SELM, PAR, SUCCESSD, FAILED, INVERT, REPEATI, REPEATR, MOVCS, MOVCV, MULAS, MULAV, ROTAV, IFPROB,
    IFQUAD, IFSECT, SUCCESSL, FAILUREL, UPFIELD, ATTRACT, SIGNAL = 33, NETWORK = 34
};
enum Status : uint8_t { SUCCESS, FAILURE, RUNNING };
enum Cell : uint8_t {
    GOAL = 2, PROX = 4, UP = 6, ATTR = 8, RED = 10, GREEN = 12, BLUE = 14, NEIGHBOURS = 16, SCRATCH = 17, LIGHT = 20,
    TAG = 22, GROUND = 24, CELLS = 26
};

struct Instruction {
    uint8_t kind, d, s1, s2;
    float a, b;
    uint16_t parent, end, memory;
};
struct Synapse { uint8_t source; float weight; };
struct Neuron { float bias, gain; uint16_t synapse, end; };
struct Network { uint16_t neuron, end; };
struct Program {
    const Instruction *code;
    uint16_t memories, neuron_count;
    const Network *networks;
    const Neuron *neurons;
    const Synapse *synapses;
};

inline float from_bits(uint32_t bits) { float x; std::memcpy(&x, &bits, 4); return x; }
inline uint32_t to_bits(float x) { uint32_t bits; std::memcpy(&bits, &x, 4); return bits; }

const float PI = 3.14159274f;
const float HALF_PI = 1.57079637f;

inline float sine_or_cosine(float x, bool cosine) {
    float shifted = x * 0.636619747f + 12582912.0f, turns = shifted - 12582912.0f;
    uint32_t quadrant = to_bits(shifted);
    float r = ((x - turns * 1.5703125f) - turns * 4.837513e-4f) - turns * 7.54979e-8f;
    float z = r * r;
    float s = r + r * z * (-0.16666667f + z * (8.333329e-3f + z * (-1.9839202e-4f + z * 2.7173456e-6f)));
    float c = 1.0f - 0.5f * z + z * z * (4.1666617e-2f + z * (-1.3886618e-3f + z * 2.4379831e-5f));
    bool swapped = quadrant & 1;
    float value = swapped != cosine ? c : s;
    uint32_t bits = cosine ? quadrant + 1 : quadrant;
    return from_bits(to_bits(value) ^ ((bits & 2) << 30));
}

inline float atan_unit(float a) {
    float z = a * a;
    float p = -1.5731249e-2f + z * 2.7662835e-3f;
    p = -7.456855e-2f + z * (4.2137624e-2f + z * p);
    p = -0.14197798f + z * (0.10618371f + z * p);
    p = -0.33333037f + z * (0.19991872f + z * p);
    return a + a * z * p;
}

inline float angle_of(float y, float x) {
    float ax = std::fabs(x), ay = std::fabs(y);
    if (ax == 0.0f && ay == 0.0f) return 0.0f;
    bool steep = ay > ax;
    float first = atan_unit((steep ? ax : ay) / (steep ? ay : ax));
    first = steep ? HALF_PI - first : first;
    float half = x < 0.0f ? PI - first : first;
    return y < 0.0f ? -half : half;
}

inline float exponential(float x) {
    x = x < -87.0f ? -87.0f : x;
    x = x > 87.0f ? 87.0f : x;
    if (x != x) return x;
    float n = (x * 1.44269502f + 12582912.0f) - 12582912.0f;
    float r = (x - n * 0.6933594f) + n * 2.1219444e-4f;
    float p = 8.375126e-3f + r * 1.3941108e-3f;
    p = 1.0f + r * (1.0f + r * (0.5f + r * (0.16666416f + r * (4.1666354e-2f + r * p))));
    return p * from_bits(uint32_t(int32_t(n) + 127) << 23);
}

inline float hyperbolic_tangent(float x) {
    float positive = 1.0f - 2.0f / (exponential(2.0f * std::fabs(x)) + 1.0f);
    return x < 0.0f ? -positive : positive;
}

inline float wrapped(float a) {
    float down = a > PI ? a - 2.0f * PI : a;
    return a < -PI ? a + 2.0f * PI : down;
}

// Philox4x32-10: random numbers of one robot in one update.
class Draws {
public:
    enum Stream { START = 1, CONTROLLER = 3, RELOCATION = 4 };
    Draws(uint64_t seed, uint32_t world, uint32_t body, uint32_t step, uint32_t stream = CONTROLLER)
        : key{uint32_t(seed), uint32_t(seed >> 32)}, counter{world, body, step, stream}, words{}, used(4) {}

    uint32_t word() {
        if (used == 4) {
            uint32_t a = counter[0], b = counter[1], c = counter[2], d = counter[3], k0 = key[0], k1 = key[1];
            for (int round = 0; round < 10; ++round) {
                uint64_t x = uint64_t(a) * 0xD2511F53u, y = uint64_t(c) * 0xCD9E8D57u;
                uint32_t na = uint32_t(y >> 32) ^ b ^ k0, nc = uint32_t(x >> 32) ^ d ^ k1;
                a = na, b = uint32_t(y), c = nc, d = uint32_t(x);
                k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
            }
            words[0] = a, words[1] = b, words[2] = c, words[3] = d;
            counter[1] += 1u << 16;
            used = 0;
        }
        return words[used++];
    }
    float unit() { return float(word() >> 8) * (1.0f / 16777216.0f); }
    float range(float low, float high) { return low + (high - low) * unit(); }
    uint32_t below(uint32_t n) { return uint32_t((uint64_t(word()) * n) >> 32); }

private:
    uint32_t key[2], counter[4], words[4];
    int used;
};

// Memory of one robot: its registers, the memory of the tree's nodes, and the last outputs of its neurons.
class Mind {
public:
    explicit Mind(const Program &program)
        : cells{}, signal(0), program(&program), memory(program.memories), outputs(program.neuron_count) {}

    // Ticks the tree once. Only sensor cells are read from `sensed`: v_prox to s_n, v_light, v_tag and s_ground.
    Status tick(const float sensed[CELLS], Draws &draws) {
        for (uint16_t &word : memory) word = word & FLAG ? word & ~FLAG : 0;
        std::memcpy(cells + PROX, sensed + PROX, (SCRATCH - PROX) * sizeof(float));
        std::memcpy(cells + LIGHT, sensed + LIGHT, (CELLS - LIGHT) * sizeof(float));
        cells[GOAL] = cells[GOAL + 1] = std::numeric_limits<float>::quiet_NaN();
        signal = 0;
        return update(draws);
    }

    // Returns the goal velocity after a tick; non-finite components become 0.
    void goal(float out[2]) const {
        for (int i = 0; i < 2; ++i) out[i] = std::isfinite(cells[GOAL + i]) ? cells[GOAL + i] : 0.0f;
    }

    float cells[CELLS];
    uint8_t signal;

private:
    static const uint16_t FLAG = 0x8000, PAR_RUNNING = 0x80;
    const Program *program;
    std::vector<uint16_t> memory;
    std::vector<float> outputs;

    static bool keeps(int cell) { return cell >= 17 && cell <= 19; }

    Status write_scalar(int cell, float value) {
        if ((cell & ~1) == GOAL) {
            if (cells[cell] == cells[cell]) return RUNNING;
            cells[cell] = value;
        } else if (keeps(cell)) {
            cells[cell] = value;
        }
        return SUCCESS;
    }

    Status write_vector(int cell, float x, float y) {
        cell &= ~1;
        if (cell == GOAL) {
            if (cells[GOAL] == cells[GOAL] || cells[GOAL + 1] == cells[GOAL + 1]) return RUNNING;
            cells[GOAL] = x, cells[GOAL + 1] = y;
            return SUCCESS;
        }
        if (keeps(cell)) cells[cell] = x;
        if (keeps(cell + 1)) cells[cell + 1] = y;
        return SUCCESS;
    }

    // Sets the goal to v scaled by k, minus a multiple of v_prox.
    Status away_from_obstacles(const float *v, float k) {
        return write_vector(GOAL, v[0] * k - cells[PROX] * 5.0f, v[1] * k - cells[PROX + 1] * 5.0f);
    }

    Status fire(const Network &network) {
        std::vector<float> fired;
        const float *before = outputs.data() + network.neuron;
        for (int n = network.neuron; n < network.end; ++n) {
            const Neuron &neuron = program->neurons[n];
            float sum = 0.0f;
            for (int s = neuron.synapse; s < neuron.end; ++s) {
                const Synapse &synapse = program->synapses[s];
                sum += synapse.weight * (synapse.source < 128 ? cells[synapse.source] : before[synapse.source - 128]);
            }
            float out = hyperbolic_tangent(neuron.gain * (neuron.bias + sum));
            fired.push_back(out == out ? out : 0.0f);
        }
        std::memcpy(outputs.data() + network.neuron, fired.data(), fired.size() * sizeof(float));
        return write_vector(GOAL, fired[0], fired[1]);
    }

    static bool in_quadrant(const float *v, int quadrant) {
        float x = v[0], y = v[1], length = std::sqrt(x * x + y * y);
        if (quadrant == 0) return length <= 0.1f;
        bool first = x > 0.0f && y >= 0.0f, second = x <= 0.0f && y > 0.0f, third = x < 0.0f && y <= 0.0f;
        int here = first ? 1 : second ? 2 : third ? 3 : 4;
        return length > 0.1f && here == (quadrant > 0 ? quadrant : 5 + quadrant);
    }

    static bool in_sector(const float *v, float about, float half) {
        float length = std::sqrt(v[0] * v[0] + v[1] * v[1]);
        if (half == 0.0f) return length < 0.1f;
        return length > 0.1f && std::fabs(wrapped(angle_of(v[1], v[0]) - about)) < half;
    }

    Status leaf(const Instruction &i, Draws &draws) {
        const float *u = cells + (i.s1 & ~1), *v = cells + (i.s2 & ~1);
        auto test = [](bool holds) { return holds ? SUCCESS : FAILURE; };
        switch (i.kind) {
        case MOVCS: return write_scalar(i.d, i.a);
        case MOVCV: return write_vector(i.d, i.a, i.b);
        case MULAS: return write_scalar(i.d, cells[i.s1] + i.a * cells[i.s2]);
        case MULAV: return write_vector(i.d, u[0] + v[0] * i.a, u[1] + v[1] * i.a);
        case ROTAV: return write_vector(i.d, u[0] + (v[0] * i.a - v[1] * i.b), u[1] + (v[0] * i.b + v[1] * i.a));
        case IFPROB: return test(draws.unit() < 1.0f / (1.0f + exponential(i.a * (i.b - cells[i.s1]))));
        case IFQUAD: return test(in_quadrant(u, int(i.a)));
        case IFSECT: return test(in_sector(u, i.a, i.b));
        case SUCCESSL: return SUCCESS;
        case SIGNAL: signal = uint8_t(i.a); return SUCCESS;
        case UPFIELD: return away_from_obstacles(cells + UP, i.a);
        case ATTRACT:
            return cells[NEIGHBOURS] > 0.0f ? away_from_obstacles(cells + ATTR, i.a) : write_vector(GOAL, 1.0f, 0.0f);
        case NETWORK: return fire(program->networks[i.memory]);
        default: return FAILURE;
        }
    }

    static Status repeat(uint16_t &word, Status status) {
        if (status == FAILURE || (status == SUCCESS && word == 1)) {
            word = 0;
            return status;
        }
        word = uint16_t((status == SUCCESS ? word - 1 : word) | FLAG);
        return RUNNING;
    }

    static Status par(const Instruction &node, uint16_t &word, Status status, int left) {
        if (status != FAILURE) word = uint16_t(word + (status == SUCCESS ? 1 : PAR_RUNNING));
        int successes = word % PAR_RUNNING, running = word / PAR_RUNNING, wanted = int(node.a);
        if (left == 0) word = 0;
        if (successes >= wanted) return SUCCESS;
        return successes + running + left < wanted ? FAILURE : RUNNING;
    }

    // Descends to a leaf, then ascends until a parent has another child to tick.
    Status update(Draws &draws) {
        const Instruction *code = program->code;
        int at = 0;
        for (;;) {
            const Instruction &node = code[at];
            Status status;
            switch (node.kind) {
            case SEQM: case SELM: at = memory[node.memory] == 0 ? at + 1 : memory[node.memory]; continue;
            case REPEATI: case REPEATR:
                if (memory[node.memory] == 0) {
                    uint32_t n = uint32_t(node.a);
                    memory[node.memory] = uint16_t(node.kind == REPEATI ? n : 1 + draws.below(n));
                }
                ++at;
                continue;
            case PAR: memory[node.memory] = 0; ++at; continue;
            case SEQ: case SEL: case SUCCESSD: case FAILED: case INVERT: ++at; continue;
            default: status = leaf(node, draws);
            }
            for (;;) {
                if (at == 0) return status;
                int next = code[at].end;
                const Instruction &parent = code[code[at].parent];
                bool more = next != parent.end, go_on = false;
                switch (parent.kind) {
                case SEQ: go_on = status == SUCCESS; break;
                case SEL: go_on = status == FAILURE; break;
                case SEQM: case SELM:
                    memory[parent.memory] = status == RUNNING ? uint16_t(FLAG | at) : 0;
                    go_on = status == (parent.kind == SEQM ? SUCCESS : FAILURE);
                    break;
                case PAR: {
                    int left = 0;
                    for (int sibling = next; sibling != parent.end; sibling = code[sibling].end) ++left;
                    status = par(parent, memory[parent.memory], status, left);
                    go_on = more;
                    break;
                }
                case REPEATI: case REPEATR: status = repeat(memory[parent.memory], status); break;
                default:
                    if (status == RUNNING) break;
                    status = parent.kind == SUCCESSD || (parent.kind == INVERT && status == FAILURE) ? SUCCESS : FAILURE;
                }
                if (go_on && more) {
                    at = next;
                    break;
                }
                at = code[at].parent;
            }
        }
    }
};

// Computes the ground speeds of the left and the right wheel for a goal velocity (m/s).
inline void steer(const float goal[2], float wheels[2]) {
    float x = std::isfinite(goal[0]) ? goal[0] : 0.0f, y = std::isfinite(goal[1]) ? goal[1] : 0.0f;
    float ax = std::fabs(x), ay = std::fabs(y), largest = ax > ay ? ax : ay;
    float gx = 0.0f, gy = 0.0f;
    if (largest > 0.0f) {
        float sx = x / largest, sy = y / largest, length = std::sqrt(sx * sx + sy * sy);
        float size = length * largest < 1.0f ? length * largest : 1.0f, scale = size / length;
        gx = sx * scale, gy = sy * scale;
        if (x < 0.0f) gx = 0.0f, gy = y < 0.0f ? -size : size;
    }
    const float k = 0.13f * 0.707106769f;
    wheels[0] = k * (gx - gy), wheels[1] = k * (gx + gy);
}

}  // namespace xpuck

#endif
