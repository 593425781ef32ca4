//! Renders JPEG pictures of the arena, as a camera above it would take them.

mod jpeg;

use xpuck_kernels::math::{Vec2, vec2};
use xpuck_kernels::world::{Body, Colour};

/// Width of the picture (px), and width of the margin beyond the walls (m).
const WIDTH: usize = 480;
const BEYOND: f32 = 0.05;
/// Colours (red, green, blue) of the room, the floor, the walls and the mark at a robot's front.
const ROOM: [u8; 3] = [96, 92, 86];
const FLOOR: [u8; 3] = [214, 214, 208];
const WALL: [u8; 3] = [60, 60, 64];
const HEAD: [u8; 3] = [250, 250, 250];
/// Thickness of walls (m), and size of the mark at a robot's front relative to the robot's radius.
const THICK: f32 = 0.01;
const MARK: f32 = 0.35;

/// Renders the arena from above as a JPEG file, with +x to the right and +y up. `bodies` contains the robots, then the
/// discs. The second argument is half the arena's size along x and y (m).
pub fn picture(bodies: &[Body], (hx, hy): (f32, f32)) -> Vec<u8> {
    let scale = WIDTH as f32 / (2.0 * (hx + BEYOND));
    let height = ((2.0 * (hy + BEYOND) * scale) as usize).div_ceil(8) * 8;
    let mut rgb = Vec::with_capacity(3 * WIDTH * height);
    for (row, column) in (0..height).flat_map(|row| (0..WIDTH).map(move |column| (row, column))) {
        let from_middle = vec2(column as f32 + 0.5 - WIDTH as f32 / 2.0, height as f32 / 2.0 - row as f32 - 0.5);
        rgb.extend(seen(bodies, from_middle * (1.0 / scale), (hx, hy)));
    }
    jpeg::encode(&rgb, WIDTH, height)
}

/// Returns the colour of the highest object at a position.
fn seen(bodies: &[Body], at: Vec2, (hx, hy): (f32, f32)) -> [u8; 3] {
    // Robots precede discs in `bodies`, and are taller.
    for body in bodies {
        let off = at - body.pose.at;
        let radius = body.shape.radius;
        if off.length_squared() > radius * radius {
            continue;
        }
        let front = Vec2::unit(body.pose.heading) * (radius * (1.0 - MARK));
        let marked = body.shape.tall && (off - front).length_squared() < (radius * MARK) * (radius * MARK);
        return if marked { HEAD } else { paint(body.shape.colour) };
    }
    let (beyond_x, beyond_y) = (at.x.abs() - hx, at.y.abs() - hy);
    match beyond_x.max(beyond_y) {
        beyond if beyond < 0.0 => FLOOR,
        beyond if beyond < THICK => WALL,
        _ => ROOM,
    }
}

fn paint(colour: Colour) -> [u8; 3] {
    match colour {
        Colour::Red => [190, 35, 40],
        Colour::Green => [40, 150, 60],
        Colour::Blue => [35, 80, 185],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_kernels::world::{Pose, Shape};

    #[test]
    fn bodies_are_seen_where_they_are() {
        let robot = Body::at_rest(Shape::ROBOT, Pose { at: vec2(0.5, 0.25), heading: 0.0 });
        let frisbee = Body::at_rest(Shape::FRISBEE, Pose { at: vec2(-0.3, 0.0), heading: 0.0 });
        let bodies = [robot, frisbee];
        let at = |x, y| seen(&bodies, vec2(x, y), (1.0, 0.75));
        assert_eq!((at(0.49, 0.25), at(0.525, 0.25)), ([190, 35, 40], HEAD));
        assert_eq!((at(-0.3, 0.1), at(0.0, 0.0)), ([35, 80, 185], FLOOR));
        assert_eq!((at(1.005, 0.0), at(1.03, 0.0), at(0.0, -0.755)), (WALL, ROOM, WALL));
    }
}
