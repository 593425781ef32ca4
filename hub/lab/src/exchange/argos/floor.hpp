// Paint on the floor of Xpuck's worlds. Does not depend on ARGoS.
#ifndef XPUCK_FLOOR_HPP
#define XPUCK_FLOOR_HPP

#include <cmath>
#include <vector>

namespace xpuck {

// A shape on the floor (m). The numbers mean:
// RECTANGLE: centre x, y, half lengths along x, y. DISC, BEYOND: centre x, y, radius. RING: centre x, y, inner and outer
// radius. HALF_PLANE: unit vector x, y, distance from the arena's centre. POLYGON: x, y of each corner.
struct FloorShape {
    enum Kind { RECTANGLE, DISC, BEYOND, HALF_PLANE, RING, POLYGON } kind;
    std::vector<double> n;

    bool contains(double x, double y) const {
        switch (kind) {
        case RECTANGLE: return std::fabs(x - n[0]) <= n[2] && std::fabs(y - n[1]) <= n[3];
        case DISC: return std::hypot(x - n[0], y - n[1]) <= n[2];
        case BEYOND: return std::hypot(x - n[0], y - n[1]) > n[2];
        case HALF_PLANE: return n[0] * x + n[1] * y >= n[2];
        case RING: return std::hypot(x - n[0], y - n[1]) >= n[2] && std::hypot(x - n[0], y - n[1]) <= n[3];
        case POLYGON: break;
        }
        bool inside = false;
        for (size_t i = 0; i < n.size(); i += 2) {
            double ax = n[i], ay = n[i + 1], bx = n[(i + 2) % n.size()], by = n[(i + 3) % n.size()];
            if ((ay > y) != (by > y) && x < ax + (y - ay) / (by - ay) * (bx - ax)) inside = !inside;
        }
        return inside;
    }
};

// Paint of one region: its shade (-1 black, 0 grey, 1 white), the shapes of the region, and the shapes cut out of it.
struct Paint {
    int shade;
    std::vector<FloorShape> shapes, without;

    bool covers(double x, double y) const {
        bool inside = false, cut = false;
        for (const FloorShape &shape : shapes) inside = inside || shape.contains(x, y);
        for (const FloorShape &shape : without) cut = cut || shape.contains(x, y);
        return inside && !cut;
    }
};

// Shade of the floor at a point. Where regions overlap, the first one is visible.
inline int shade_at(double x, double y, const std::vector<Paint> &paints, int floor) {
    for (const Paint &paint : paints)
        if (paint.covers(x, y)) return paint.shade;
    return floor;
}

}  // namespace xpuck

#endif
