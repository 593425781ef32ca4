// The three-segment camera of Xpuck's reference robot, which ARGoS's e-puck does not have. Does not depend on ARGoS.
#ifndef XPUCK_CAMERA_HPP
#define XPUCK_CAMERA_HPP

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace xpuck {

struct Circle { double x, y, radius; int colour; };
struct Line { double x0, y0, x1, y1; };
struct Patch { double x, y, half_length; int colour; };

// Distance along a ray to a straight wall (m); infinite if the ray misses the wall.
inline double ray_to_line(double x, double y, double dx, double dy, const Line &wall) {
    double ax = wall.x1 - wall.x0, ay = wall.y1 - wall.y0, sx = wall.x0 - x, sy = wall.y0 - y;
    double across = dx * ay - dy * ax, distance = (sx * ay - sy * ax) / across, part = (sx * dy - sy * dx) / across;
    bool hits = across != 0.0 && distance >= 0.0 && part >= 0.0 && part <= 1.0;
    return hits ? distance : std::numeric_limits<double>::infinity();
}

// Computes the vectors towards red, green and blue as a robot sees `others`, inner walls (white) and coloured outer
// walls.
inline void see(double x, double y, double heading, const std::vector<Circle> &others, const std::vector<Line> &walls,
                const std::vector<Patch> &patches, double half_length, double half_width, float out[6]) {
    const int COLUMNS = 15;
    const double FIELD = 56.0 * 3.14159265358979 / 180.0, ASIDE = 18.7 * 3.14159265358979 / 180.0;
    const double INFINITE = std::numeric_limits<double>::infinity();
    bool seen[3][3] = {};
    double nearest[COLUMNS], free[COLUMNS];
    int colour[COLUMNS];
    for (int i = 0; i < COLUMNS; ++i) {
        double angle = heading + FIELD * (0.5 - (i + 0.5) / COLUMNS), dx = std::cos(angle), dy = std::sin(angle);
        free[i] = INFINITE, colour[i] = -1;
        for (const Line &wall : walls) free[i] = std::min(free[i], ray_to_line(x, y, dx, dy, wall));
        nearest[i] = free[i];
        if (free[i] != INFINITE) continue;
        double along = std::min(((dx > 0 ? half_length : -half_length) - x) / dx, ((dy > 0 ? half_width : -half_width) - y) / dy);
        for (const Patch &patch : patches)
            if (std::hypot(patch.x - x - along * dx, patch.y - y - along * dy) <= patch.half_length) {
                colour[i] = patch.colour;
                break;
            }
    }
    for (const Circle &other : others) {
        double dx = other.x - x, dy = other.y - y, distance = std::hypot(dx, dy);
        double bearing = std::remainder(std::atan2(dy, dx) - heading, 2.0 * 3.14159265358979);
        double half = std::asin(std::min(1.0, other.radius / std::max(distance, 1e-9)));
        double first = (FIELD / 2 - bearing - half) * COLUMNS / FIELD, last = (FIELD / 2 - bearing + half) * COLUMNS / FIELD;
        if (last <= 0.0 || first >= COLUMNS) continue;
        for (int i = std::max(0, int(std::floor(first))); i <= std::min(COLUMNS - 1, int(std::floor(last))); ++i)
            if (distance < nearest[i]) nearest[i] = distance, colour[i] = other.colour;
    }
    for (int i = 0; i < COLUMNS; ++i)
        if (colour[i] >= 0) seen[colour[i]][i / 5] = true;
    for (int c = 0; c < 3; ++c) {
        out[2 * c] = float((seen[c][0] + seen[c][2]) * std::cos(ASIDE) + seen[c][1]);
        out[2 * c + 1] = float((seen[c][0] - seen[c][2]) * std::sin(ASIDE));
    }
}

}  // namespace xpuck

#endif
