"""Behaviour trees, ticked with the same single-precision results as in Xpuck. Does not depend on Webots."""

import ctypes
import math
import struct

SUCCESS, FAILURE, RUNNING = "success", "failure", "running"
GOAL, PROX, UP, ATTR, RED, GREEN, BLUE, NEIGHBOURS, SCRATCH, LIGHT, TAG, GROUND, CELLS = 2, 4, 6, 8, 10, 12, 14, 16, 17, 20, 22, 24, 26
FLAG, PAR_RUNNING = 0x8000, 0x80
WORD = 0xFFFFFFFF
QUIET = float("nan")


def f32(x):
    """Rounds to single precision; for a single operation in double precision this equals the single-precision result."""
    return ctypes.c_float(x).value


def bits(x):
    """Returns the bits of a single-precision number."""
    return struct.unpack("<I", struct.pack("<f", x))[0]


def polynomial(z, coefficients):
    """Evaluates a polynomial by Horner's rule, with every step rounded."""
    value = coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        value = f32(coefficient + f32(z * value))
    return value


def constants(*values):
    return [f32(value) for value in values]


ATAN = constants(-0.33333037, 0.19991872, -0.14197798, 0.10618371, -7.456855e-2, 4.2137624e-2, -1.5731249e-2, 2.7662835e-3)
EXP = constants(1.0, 1.0, 0.5, 0.16666416, 4.1666354e-2, 8.375126e-3, 1.3941108e-3)
LN_2_HIGH, LN_2_LOW, LOG2_E = constants(0.6933594, 2.1219444e-4, 1.44269502)
PI, HALF_PI, ROUND, SHORT = constants(3.14159274, 1.57079637, 12582912.0, 0.1)


def atan_unit(a):
    z = f32(a * a)
    return f32(a + f32(f32(a * z) * polynomial(z, ATAN)))


def angle_of(y, x):
    """Returns the angle of a vector [rad]."""
    if x != x or y != y:
        return QUIET
    ax, ay = abs(x), abs(y)
    if ax == 0.0 and ay == 0.0:
        return 0.0
    steep = ay > ax
    small, large = (ax, ay) if steep else (ay, ax)
    first = atan_unit(QUIET if math.isinf(small) else f32(small / large))
    if steep:
        first = f32(HALF_PI - first)
    half = f32(PI - first) if x < 0.0 else first
    return -half if y < 0.0 else half


def exponential(x):
    if x != x:
        return x
    x = min(max(x, -87.0), 87.0)
    n = f32(f32(f32(x * LOG2_E) + ROUND) - ROUND)
    r = f32(f32(x - f32(n * LN_2_HIGH)) + f32(n * LN_2_LOW))
    return f32(polynomial(r, EXP) * math.ldexp(1.0, int(n)))


def hyperbolic_tangent(x):
    positive = f32(1.0 - f32(2.0 / f32(exponential(f32(2.0 * abs(x))) + 1.0)))
    return -positive if x < 0.0 else positive


def length(x, y):
    return f32(math.sqrt(f32(f32(x * x) + f32(y * y))))


def wrapped(a):
    turn = f32(2.0 * PI)
    if a < -PI:
        return f32(a + turn)
    return f32(a - turn) if a > PI else a


class Draws:
    """Philox4x32-10: random numbers of one robot in one update."""

    def __init__(self, seed, world, body, step, stream=3):
        self.key = (seed & WORD, seed >> 32 & WORD)
        self.counter = [world, body, step, stream]
        self.words = []

    def word(self):
        if not self.words:
            a, b, c, d = self.counter
            k0, k1 = self.key
            for _ in range(10):
                x, y = a * 0xD2511F53, c * 0xCD9E8D57
                a, b, c, d = (y >> 32) ^ b ^ k0, y & WORD, (x >> 32) ^ d ^ k1, x & WORD
                k0, k1 = k0 + 0x9E3779B9 & WORD, k1 + 0xBB67AE85 & WORD
            self.words = [d, c, b, a]
            self.counter[1] = self.counter[1] + (1 << 16) & WORD
        return self.words.pop()

    def unit(self):
        return (self.word() >> 8) / 16777216.0

    def below(self, n):
        return self.word() * n >> 32


class Mind:
    """Memory of one robot: its registers, the memory of the tree's nodes, and the last outputs of its neurons."""

    def __init__(self, tree):
        self.code = [(kind, d, s1, s2, f32(a), f32(b), parent, end, at) for kind, d, s1, s2, a, b, parent, end, at in tree["code"]]
        self.networks = [
            [(f32(bias), f32(gain), [(source, f32(weight)) for source, weight in synapses]) for bias, gain, synapses in network]
            for network in tree["networks"]
        ]
        self.memory = [0] * tree["memories"]
        self.outputs = [[0.0] * len(network) for network in self.networks]
        self.cells = [0.0] * CELLS
        self.signal = 0

    def tick(self, sensed, draws):
        """Ticks the tree once. Only sensor cells are read from `sensed`: v_prox to s_n, v_light, v_tag and s_ground."""
        self.memory = [word & ~FLAG if word & FLAG else 0 for word in self.memory]
        for cell in (*range(PROX, SCRATCH), *range(LIGHT, CELLS)):
            self.cells[cell] = f32(sensed[cell])
        self.cells[GOAL] = self.cells[GOAL + 1] = QUIET
        self.signal = 0
        return self.update(draws)

    def goal(self):
        """Returns the goal velocity after a tick; non-finite components become 0."""
        return [x if math.isfinite(x) else 0.0 for x in self.cells[GOAL : GOAL + 2]]

    def keep(self, cell, value):
        if 17 <= cell <= 19:
            self.cells[cell] = value

    def write_scalar(self, cell, value):
        if cell & ~1 == GOAL:
            if self.cells[cell] == self.cells[cell]:
                return RUNNING
            self.cells[cell] = value
        else:
            self.keep(cell, value)
        return SUCCESS

    def write_vector(self, cell, x, y):
        cell &= ~1
        if cell == GOAL:
            if any(value == value for value in self.cells[GOAL : GOAL + 2]):
                return RUNNING
            self.cells[GOAL : GOAL + 2] = [x, y]
        else:
            self.keep(cell, x)
            self.keep(cell + 1, y)
        return SUCCESS

    def away_from_obstacles(self, towards, k):
        x, y = (f32(f32(self.cells[towards + i] * k) - f32(self.cells[PROX + i] * 5.0)) for i in (0, 1))
        return self.write_vector(GOAL, x, y)

    def fire(self, number):
        before, fired = self.outputs[number], []
        for bias, gain, synapses in self.networks[number]:
            total = 0.0
            for source, weight in synapses:
                total = f32(total + f32(weight * (self.cells[source] if source < 128 else before[source - 128])))
            out = hyperbolic_tangent(f32(gain * f32(bias + total)))
            fired.append(out if out == out else 0.0)
        self.outputs[number] = fired
        return self.write_vector(GOAL, fired[0], fired[1])

    def in_quadrant(self, x, y, quadrant):
        if quadrant == 0:
            return length(x, y) <= SHORT
        here = 1 if x > 0.0 and y >= 0.0 else 2 if x <= 0.0 and y > 0.0 else 3 if x < 0.0 and y <= 0.0 else 4
        return length(x, y) > SHORT and here == (quadrant if quadrant > 0 else 5 + quadrant)

    def in_sector(self, x, y, about, half):
        if half == 0.0:
            return length(x, y) < SHORT
        return length(x, y) > SHORT and abs(wrapped(f32(angle_of(y, x) - about))) < half

    def leaf(self, node, draws):
        kind, d, s1, s2, a, b, _, _, memory = node
        cells = self.cells
        ux, uy = cells[s1 & ~1], cells[(s1 & ~1) + 1]
        vx, vy = cells[s2 & ~1], cells[(s2 & ~1) + 1]
        if kind == "movcs":
            return self.write_scalar(d, a)
        if kind == "movcv":
            return self.write_vector(d, a, b)
        if kind == "mulas":
            return self.write_scalar(d, f32(cells[s1] + f32(a * cells[s2])))
        if kind == "mulav":
            return self.write_vector(d, f32(ux + f32(vx * a)), f32(uy + f32(vy * a)))
        if kind == "rotav":
            x, y = f32(f32(vx * a) - f32(vy * b)), f32(f32(vx * b) + f32(vy * a))
            return self.write_vector(d, f32(ux + x), f32(uy + y))
        if kind == "ifprob":
            likely = f32(1.0 / f32(1.0 + exponential(f32(a * f32(b - cells[s1])))))
            return SUCCESS if draws.unit() < likely else FAILURE
        if kind == "ifquad":
            return SUCCESS if self.in_quadrant(ux, uy, int(a)) else FAILURE
        if kind == "ifsect":
            return SUCCESS if self.in_sector(ux, uy, a, b) else FAILURE
        if kind == "successl":
            return SUCCESS
        if kind == "signal":
            self.signal = int(a)
            return SUCCESS
        if kind == "upfield":
            return self.away_from_obstacles(UP, a)
        if kind == "attract":
            return self.away_from_obstacles(ATTR, a) if cells[NEIGHBOURS] > 0.0 else self.write_vector(GOAL, 1.0, 0.0)
        if kind == "network":
            return self.fire(memory)
        return FAILURE

    def repeat(self, at, status):
        if status == FAILURE or (status == SUCCESS and self.memory[at] == 1):
            self.memory[at] = 0
            return status
        self.memory[at] = (self.memory[at] - 1 if status == SUCCESS else self.memory[at]) | FLAG
        return RUNNING

    def par(self, at, wanted, status, left):
        self.memory[at] += {SUCCESS: 1, RUNNING: PAR_RUNNING, FAILURE: 0}[status]
        running, successes = divmod(self.memory[at], PAR_RUNNING)
        if left == 0:
            self.memory[at] = 0
        if successes >= wanted:
            return SUCCESS
        return FAILURE if successes + running + left < wanted else RUNNING

    def update(self, draws):
        """Descends to a leaf, then ascends until a parent has another child to tick."""
        code, memory, at = self.code, self.memory, 0
        while True:
            kind, slot = code[at][0], code[at][8]
            if kind in ("seqm", "selm"):
                at = memory[slot] or at + 1
                continue
            if kind in ("repeati", "repeatr"):
                if memory[slot] == 0:
                    n = int(code[at][4])
                    memory[slot] = n if kind == "repeati" else 1 + draws.below(n)
                at += 1
                continue
            if kind == "par":
                memory[slot] = 0
            if kind in ("par", "seq", "sel", "successd", "failed", "invert"):
                at += 1
                continue
            status = self.leaf(code[at], draws)
            while at != 0:
                following, above = code[at][7], code[at][6]
                kind, a, end, slot = code[above][0], code[above][4], code[above][7], code[above][8]
                go_on = False
                if kind in ("seq", "seqm"):
                    go_on = status == SUCCESS
                elif kind in ("sel", "selm"):
                    go_on = status == FAILURE
                elif kind == "par":
                    left, sibling = 0, following
                    while sibling != end:
                        left, sibling = left + 1, code[sibling][7]
                    status, go_on = self.par(slot, int(a), status, left), True
                elif kind in ("repeati", "repeatr"):
                    status = self.repeat(slot, status)
                elif status != RUNNING:
                    status = SUCCESS if kind == "successd" or (kind == "invert" and status == FAILURE) else FAILURE
                if kind in ("seqm", "selm"):
                    memory[slot] = FLAG | at if status == RUNNING else 0
                if go_on and following != end:
                    at = following
                    break
                at = above
            else:
                return status


def steer(goal):
    """Returns the ground speeds of the left and the right wheel for a goal velocity [m/s]."""
    x, y = (component if math.isfinite(component) else 0.0 for component in goal)
    largest, gx, gy = max(abs(x), abs(y)), 0.0, 0.0
    if largest > 0.0:
        sx, sy = f32(x / largest), f32(y / largest)
        long = length(sx, sy)
        size = min(f32(long * largest), 1.0)
        scale = f32(size / long)
        gx, gy = f32(sx * scale), f32(sy * scale)
        if x < 0.0:
            gx, gy = 0.0, -size if y < 0.0 else size
    k = f32(f32(0.13) * f32(0.707106769))
    return [f32(k * f32(gx - gy)), f32(k * f32(gx + gy))]
