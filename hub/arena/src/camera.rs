//! The robots' cameras: a view of the arena as YUYV frames.
//!
//! A pinhole 30 mm above the floor at the robot's centre looks ahead over 56 degrees (Table 6.1), so the horizon is the
//! middle row. Floor and walls are white, robots wear red skirts, the frisbee is blue and lower than the camera: it
//! shows its top, and what stands behind it appears above its rim.

use crate::settings::CameraSettings;
use xpuck_kernels::math::{Vec2, sin_cos};
use xpuck_kernels::model::CAMERA_FOV;
use xpuck_kernels::world::senses::Patch;
use xpuck_kernels::world::wall::Wall;
use xpuck_kernels::world::{Body, Colour, senses};
use xpuck_registers::yuyv::{self, Rgb};

/// Height of the pinhole above the floor, m.
const CAMERA_HEIGHT: f32 = 0.030;
/// Height of the walls, m.
const WALL_HEIGHT: f32 = 0.180;
/// Upper edge of a robot's skirt, m.
const SKIRT_HEIGHT: f32 = 0.060;
/// Height of the frisbee, m.
const FRISBEE_HEIGHT: f32 = 0.025;
/// What is so near to a wall is on it, m.
const ON_WALL: f32 = 0.001;
/// Nothing is drawn nearer than this, m; bodies that touch are further away.
const NEAREST: f32 = 0.01;

/// What a pixel can show, as indices into [`PALETTE`].
const ROOM: u8 = 0;
const FLOOR: u8 = 1;
const WALL: u8 = 2;
const RED: u8 = 3;
const GREEN: u8 = 4;
const BLUE: u8 = 5;
const PALETTE: [Rgb; 6] =
    [[120, 116, 108], [212, 212, 208], [236, 236, 234], [190, 35, 40], [40, 150, 60], [35, 80, 185]];

/// What cameras see that stands still.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surroundings {
    /// Half the arena's length along x and y, m.
    pub half_arena: (f32, f32),
    /// Walls inside the arena.
    pub walls: Vec<Wall>,
    /// Coloured stretches of the arena's own walls; they are lit all the way up.
    pub patches: Vec<Patch>,
}

impl Surroundings {
    /// What the arena's wall shows at a place on it.
    fn colour(&self, at: Vec2) -> u8 {
        let (hx, hy) = self.half_arena;
        // A patch lies on the wall that its middle is nearest to.
        let is_on = |patch: &&Patch| {
            let across = (patch.at.x.abs() - hx).abs() < (patch.at.y.abs() - hy).abs();
            let (along, off) = match across {
                true => (at.y - patch.at.y, at.x - patch.at.x),
                false => (at.x - patch.at.x, at.y - patch.at.y),
            };
            along.abs() <= patch.half_length && off.abs() < ON_WALL
        };
        self.patches.iter().find(is_on).map_or(WALL, |patch| paint(patch.colour))
    }
}

fn paint(colour: Colour) -> u8 {
    match colour {
        Colour::Red => RED,
        Colour::Green => GREEN,
        Colour::Blue => BLUE,
    }
}

/// Renders views of one size. Holds what does not change from frame to frame.
#[derive(Clone, Debug)]
pub struct Camera {
    width: usize,
    height: usize,
    /// Focal length, pixels.
    focal: f32,
    /// Tangent of each column's angle to the right of straight ahead.
    slopes: Vec<f32>,
    /// The four bytes of each pair of neighbouring palette entries.
    pairs: Vec<[u8; 4]>,
    shown: Vec<u8>,
    /// Depth of each column's nearest inner wall, m; infinite without one.
    hidden: Vec<f32>,
}

impl Camera {
    /// A camera of the given resolution.
    pub fn new(settings: &CameraSettings) -> Camera {
        let (width, height) = (settings.width as usize, settings.height as usize);
        let (sine, cosine) = sin_cos(CAMERA_FOV / 2.0);
        let focal = width as f32 / 2.0 * cosine / sine;
        let slope = |column: usize| (column as f32 + 0.5 - width as f32 / 2.0) / focal;
        let yuv = PALETTE.map(yuyv::from_rgb);
        Camera {
            width,
            height,
            focal,
            slopes: (0..width).map(slope).collect(),
            pairs: yuv.iter().flat_map(|l| yuv.iter().map(|r| yuyv::pack(*l, *r))).collect(),
            shown: vec![ROOM; width * height],
            hidden: vec![f32::INFINITY; width],
        }
    }

    /// What robot `me` sees, as a YUYV frame in `frame`, which is cleared first.
    ///
    /// # Panics
    /// If there is no body `me`.
    pub fn render(&mut self, bodies: &[Body], me: usize, around: &Surroundings, frame: &mut Vec<u8>) {
        let pose = bodies[me].pose;
        let ahead = Vec2::unit(pose.heading);
        self.paint_arena(pose.at, ahead, around);
        // For discs that do not overlap, distance^2 - radius^2 orders them along every line of sight.
        let power = |b: &Body| (b.pose.at - pose.at).length_squared() - b.shape.radius * b.shape.radius;
        let mut others: Vec<&Body> =
            bodies.iter().enumerate().filter(|(i, _)| *i != me).map(|(_, body)| body).collect();
        others.sort_by(|a, b| power(b).total_cmp(&power(a)));
        for body in others {
            self.paint_body(body, pose.at, ahead);
        }
        frame.clear();
        frame.reserve_exact(yuyv::frame_len(self.width, self.height));
        for pixels in self.shown.chunks_exact(2) {
            let pair = usize::from(pixels[0]) * PALETTE.len() + usize::from(pixels[1]);
            frame.extend_from_slice(&self.pairs[pair]);
        }
    }

    fn paint_arena(&mut self, at: Vec2, ahead: Vec2, around: &Surroundings) {
        let horizon = self.height / 2 * self.width;
        let (above, below) = self.shown.split_at_mut(horizon);
        above.fill(ROOM);
        below.fill(FLOOR);
        for column in 0..self.width {
            let sight = ahead + ahead.perp() * -self.slopes[column];
            // A slope is a distance across at unit depth, so the ray's parameter is the depth.
            let outer = senses::ray_to_walls(at, sight, around.half_arena);
            let inner = around.walls.iter().map(|wall| wall.distance_along(at, sight)).fold(f32::INFINITY, f32::min);
            let (depth, colour) = match inner < outer {
                true => (inner, WALL),
                false => (outer, around.colour(at + sight * outer)),
            };
            let depth = depth.max(NEAREST);
            self.hidden[column] = inner;
            let (top, bottom) = (self.row(WALL_HEIGHT, depth), self.row(0.0, depth));
            self.paint_column(column, top, bottom, colour);
        }
    }

    fn paint_body(&mut self, body: &Body, at: Vec2, ahead: Vec2) {
        let to = body.pose.at - at;
        let radius = body.shape.radius;
        let (depth, right) = (to.dot(ahead), -to.dot(ahead.perp()));
        if depth < -radius {
            return;
        }
        let height = if body.shape.tall { SKIRT_HEIGHT } else { FRISBEE_HEIGHT };
        let colour = paint(body.shape.colour);
        let c = to.length_squared() - radius * radius;
        for column in 0..self.width {
            let slope = self.slopes[column];
            let a = 1.0 + slope * slope;
            let b = depth + right * slope;
            let under = b * b - a * c;
            if under <= 0.0 {
                continue;
            }
            let (near, far) = ((b - under.sqrt()) / a, (b + under.sqrt()) / a);
            if far <= NEAREST {
                continue;
            }
            let near = near.max(NEAREST);
            // Inner walls are higher than all that stands behind them.
            if near > self.hidden[column] {
                continue;
            }
            // Seen from above, the upper edge is that of the far rim; seen from below, that of the near one.
            let top = self.row(height, near).min(self.row(height, far));
            self.paint_column(column, top, self.row(0.0, near), colour);
        }
    }

    /// Where a point at a height (m) and depth (m) appears, rows from the upper edge.
    fn row(&self, height: f32, depth: f32) -> f32 {
        self.height as f32 / 2.0 + self.focal * (CAMERA_HEIGHT - height) / depth
    }

    /// Paints the pixels of a column whose centres lie between two edges.
    fn paint_column(&mut self, column: usize, top: f32, bottom: f32, colour: u8) {
        // The cast saturates, so edges above the frame become 0.
        let first = ((top + 0.5) as usize).min(self.height);
        let end = ((bottom + 0.5) as usize).min(self.height);
        for row in first..end {
            self.shown[row * self.width + column] = colour;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f32::consts::PI;
    use xpuck_kernels::math::vec2;
    use xpuck_kernels::model::HALF_ARENA;
    use xpuck_kernels::world::{Pose, Shape};

    fn robot(x: f32, y: f32, heading: f32) -> Body {
        Body::at_rest(Shape::ROBOT, Pose { at: vec2(x, y), heading })
    }

    fn frisbee(x: f32, y: f32) -> Body {
        Body::at_rest(Shape::FRISBEE, Pose { at: vec2(x, y), heading: 0.0 })
    }

    fn empty() -> Surroundings {
        Surroundings { half_arena: HALF_ARENA, ..Surroundings::default() }
    }

    /// Palette indices, by row and column, of what the first body sees.
    fn view(bodies: &[Body]) -> impl Fn(usize, usize) -> u8 + use<> {
        view_in(&empty(), bodies)
    }

    fn view_in(around: &Surroundings, bodies: &[Body]) -> impl Fn(usize, usize) -> u8 + use<> {
        let mut camera = Camera::new(&CameraSettings::default());
        let mut frame = Vec::new();
        camera.render(bodies, 0, around, &mut frame);
        assert_eq!(frame.len(), 160 * 120 * 2);
        move |row, column| camera.shown[row * 160 + column]
    }

    #[test]
    fn an_empty_arena_is_white_below_the_horizon() {
        let at = view(&[robot(0.0, 0.0, 0.3)]);
        for column in 0..160 {
            assert_eq!(at(60, column), WALL);
            assert_eq!(at(119, column), FLOOR);
            assert_eq!(at(0, column), ROOM);
        }
    }

    #[test]
    fn the_frisbee_is_a_low_blue_band_with_things_visible_behind_it() {
        let at = view(&[robot(0.0, 0.0, 0.0), frisbee(0.5, 0.0), robot(0.9, 0.0, 0.0)]);
        // The near edge meets the floor at 0.395 m, 11.4 rows below the horizon; the rim is 5 mm below the camera.
        assert_eq!((at(70, 80), at(72, 80)), (BLUE, FLOOR));
        assert_eq!((at(60, 80), at(58, 80)), (RED, RED), "the robot behind shows above the rim");
        // Its edge is at asin(0.105 / 0.5) = 12.1 degrees: column 80 +- 32.
        assert_eq!((at(65, 50), at(65, 109), at(70, 45), at(70, 114)), (BLUE, BLUE, FLOOR, FLOOR));
    }

    #[test]
    fn patches_are_seen_on_their_wall_and_inner_walls_hide_what_is_behind() {
        let patch = Patch { at: vec2(1.0, 0.0), half_length: 0.2, colour: Colour::Green };
        let lamp = Surroundings { patches: vec![patch], ..empty() };
        let at = view_in(&lamp, &[robot(0.0, 0.0, 0.0)]);
        // Its ends are at atan(0.2 / 1) = 11.3 degrees: 80 +- 30 columns.
        assert_eq!((at(58, 80), at(58, 52), at(58, 108), at(58, 45)), (GREEN, GREEN, GREEN, WALL));
        let away = view_in(&lamp, &[robot(0.0, 0.0, PI)]);
        assert!((0..160 * 120).all(|i| away(i / 160, i % 160) != GREEN));
        let wall = Wall { from: vec2(0.3, -0.5), to: vec2(0.3, 0.02) };
        let around = Surroundings { walls: vec![wall], ..lamp };
        let at = view_in(&around, &[robot(0.0, 0.0, 0.0), frisbee(0.6, -0.2), frisbee(0.6, 0.2)]);
        assert_eq!((at(58, 100), at(58, 60)), (WALL, GREEN), "the wall is to the right");
        assert!((90..160).all(|column| (0..120).all(|row| at(row, column) != BLUE)), "hidden");
        assert!((0..70).any(|column| (0..120).any(|row| at(row, column) == BLUE)), "seen");
    }

    #[test]
    fn a_near_robot_hides_the_frisbee_but_not_a_far_one() {
        let hidden = view(&[robot(0.0, 0.0, 0.0), frisbee(0.5, 0.0), robot(0.09, 0.0, 0.0)]);
        assert!((0..160 * 120).all(|i| hidden(i / 160, i % 160) != BLUE));
        let left = view(&[robot(0.0, 0.0, 0.0), frisbee(0.5, 0.2)]);
        // It spans 10.6 to 33 degrees to the left: columns up to 80 - 28.
        assert!((0..160).all(|c| left(64, c) != BLUE || c <= 52));
        assert_eq!(left(64, 40), BLUE, "left of the robot is left in the frame");
        let behind = view(&[robot(0.0, 0.0, PI), frisbee(0.5, 0.0)]);
        assert!((0..160 * 120).all(|i| behind(i / 160, i % 160) != BLUE));
    }

    #[test]
    fn colours_survive_the_pixel_format() {
        let mut camera = Camera::new(&CameraSettings::default());
        let mut frame = Vec::new();
        camera.render(&[robot(0.0, 0.0, 0.0), frisbee(0.2, 0.0)], 0, &empty(), &mut frame);
        let bytes = &frame[(80 * 160 + 80) * 2..][..4];
        let [r, g, b] = yuyv::to_rgb(yuyv::unpack([bytes[0], bytes[1], bytes[2], bytes[3]])[0]);
        assert!(r < 60 && g < 100 && b > 160, "{r} {g} {b}");
    }

    #[test]
    fn nine_cameras_fit_into_a_small_part_of_a_core() {
        let mut bodies: Vec<Body> =
            (0..9).map(|i| robot(-0.8 + 0.2 * i as f32, 0.1 * (i % 3) as f32, i as f32)).collect();
        bodies.push(frisbee(0.1, -0.3));
        let mut camera = Camera::new(&CameraSettings::default());
        let mut frame = Vec::new();
        let start = std::time::Instant::now();
        let (rounds, around) = (100, empty());
        for _ in 0..rounds {
            for me in 0..9 {
                camera.render(&bodies, me, &around, &mut frame);
            }
        }
        let each = start.elapsed().as_secs_f64() / f64::from(9 * rounds);
        // 360 frames a second may take a fifth of a core even where the machine is busy.
        assert!(each < 0.2 / 360.0, "a frame takes {} us", each * 1e6);
    }
}
