//! Model of the robots' cameras, which renders views of the arena as YUYV frames.
//!
//! The camera is a pinhole at the robot's centre, 30 mm above the floor. It looks ahead with a field of view of 56
//! degrees (Table 6.1), so the horizon is the middle row. Floor and walls are white, robots wear red skirts, and the
//! frisbee is blue. The frisbee is lower than the camera. Therefore its top is visible, and objects behind the frisbee
//! appear above its rim.

use crate::settings::CameraSettings;
use crate::tags::WallTag;
use xpuck_kernels::math::{Vec2, sin_cos};
use xpuck_kernels::model::CAMERA_FOV;
use xpuck_kernels::world::senses::Patch;
use xpuck_kernels::world::wall::Wall;
use xpuck_kernels::world::{Body, Colour, senses};
use xpuck_registers::tag36h11::{WITH_MARGIN, is_white};
use xpuck_registers::yuyv::{self, Rgb};

/// Height of the pinhole above the floor (m).
const CAMERA_HEIGHT: f32 = 0.030;
/// Height of the walls (m).
const WALL_HEIGHT: f32 = 0.180;
/// Height of the upper edge of a robot's skirt above the floor (m).
const SKIRT_HEIGHT: f32 = 0.060;
/// Height of the frisbee (m).
const FRISBEE_HEIGHT: f32 = 0.025;
/// Distance from a wall below which a point counts as being on the wall (m).
const ON_WALL: f32 = 0.001;
/// Minimum depth of drawn objects (m). Even a body in contact with the robot is farther away from the camera.
const NEAREST: f32 = 0.01;

/// Maximum brightness relative to the correct exposure.
const BRIGHTEST: f32 = 16.0;

/// Objects that a pixel can show, as indices into [`PALETTE`].
const ROOM: u8 = 0;
const FLOOR: u8 = 1;
const WALL: u8 = 2;
const RED: u8 = 3;
const GREEN: u8 = 4;
const BLUE: u8 = 5;
const INK: u8 = 6;
const PALETTE: [Rgb; 7] =
    [[120, 116, 108], [212, 212, 208], [236, 236, 234], [190, 35, 40], [40, 150, 60], [35, 80, 185], [26, 26, 26]];

/// Static objects that cameras see.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surroundings {
    /// Half the arena's size along x and y (m).
    pub half_arena: (f32, f32),
    /// Walls inside the arena.
    pub walls: Vec<Wall>,
    /// Coloured sections of the arena's outer walls. They have the full height of the wall.
    pub patches: Vec<Patch>,
    /// Tags on the arena's outer walls.
    pub tags: Vec<WallTag>,
}

impl Surroundings {
    /// Returns the palette index of the arena's outer wall at a point on the wall.
    fn colour(&self, at: Vec2) -> u8 {
        let (hx, hy) = self.half_arena;
        // A patch lies on the wall nearest to its centre.
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

/// Returns the YUYV bytes of each pair of palette entries, at a brightness relative to the correct exposure.
fn pairs(brightness: f32) -> Vec<[u8; 4]> {
    let lit = |level: u8| (f32::from(level) * brightness).round().min(255.0) as u8;
    let yuv = PALETTE.map(|rgb| yuyv::from_rgb(rgb.map(lit)));
    yuv.iter().flat_map(|left| yuv.iter().map(|right| yuyv::pack(*left, *right))).collect()
}

fn paint(colour: Colour) -> u8 {
    match colour {
        Colour::Red => RED,
        Colour::Green => GREEN,
        Colour::Blue => BLUE,
    }
}

/// Renderer of views with one resolution. It stores data that does not change from frame to frame.
#[derive(Clone, Debug)]
pub struct Camera {
    width: usize,
    height: usize,
    /// Focal length (px).
    focal: f32,
    /// For each column, tangent of the angle by which its line of sight is to the right of straight ahead.
    slopes: Vec<f32>,
    /// YUYV bytes of each pair of palette entries, for two adjacent pixels at the current brightness.
    pairs: Vec<[u8; 4]>,
    brightness: f32,
    shown: Vec<u8>,
    /// For each column, depth of the nearest inner wall (m); infinite without an inner wall.
    hidden: Vec<f32>,
}

impl Camera {
    /// Creates a camera of the given resolution.
    pub fn new(settings: &CameraSettings) -> Camera {
        let (width, height) = (settings.width as usize, settings.height as usize);
        let (sine, cosine) = sin_cos(CAMERA_FOV / 2.0);
        let focal = width as f32 / 2.0 * cosine / sine;
        let slope = |column: usize| (column as f32 + 0.5 - width as f32 / 2.0) / focal;
        Camera {
            width,
            height,
            focal,
            slopes: (0..width).map(slope).collect(),
            pairs: pairs(1.0),
            brightness: 1.0,
            shown: vec![ROOM; width * height],
            hidden: vec![f32::INFINITY; width],
        }
    }

    /// Sets the brightness of the following frames, relative to the correct exposure. Levels above white saturate.
    pub fn expose(&mut self, brightness: f32) {
        // NaN counts as brightness 0.
        let brightness = if brightness.is_nan() { 0.0 } else { brightness.clamp(0.0, BRIGHTEST) };
        if brightness != self.brightness {
            (self.brightness, self.pairs) = (brightness, pairs(brightness));
        }
    }

    /// Renders the view of robot `me` as a YUYV frame. Replaces the contents of `frame`.
    ///
    /// # Panics
    /// If there is no body `me`.
    pub fn render(&mut self, bodies: &[Body], me: usize, around: &Surroundings, frame: &mut Vec<u8>) {
        let pose = bodies[me].pose;
        let ahead = Vec2::unit(pose.heading);
        self.paint_arena(pose.at, ahead, around);
        // If bodies do not overlap, distance^2 - radius^2 orders them by depth along every line of sight. The distance
        // is measured from the camera to the body's centre.
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
            // `sight` advances by one unit of depth, so distances in multiples of `sight` are depths.
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
            if inner >= outer {
                self.paint_tags(column, at + sight * outer, depth, around);
            }
        }
    }

    /// Paints the part of a column that shows tags, if `place` on the arena's wall is within a tag.
    fn paint_tags(&mut self, column: usize, place: Vec2, depth: f32, around: &Surroundings) {
        for tag in &around.tags {
            let Some(across) = tag.column(place, around.half_arena) else { continue };
            for cell in 0..WITH_MARGIN {
                let [upper, lower] = [tag.edge(cell), tag.edge(cell + 1)].map(|height| self.row(height, depth));
                let white = is_white(tag.id, cell, across).unwrap_or(true);
                self.paint_column(column, upper, lower, if white { WALL } else { INK });
            }
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
            // An inner wall hides all bodies behind it, because it is higher than any body.
            if near > self.hidden[column] {
                continue;
            }
            // If the camera is higher than the body, the upper edge of the body in the image is the far rim. Otherwise,
            // it is the near rim.
            let top = self.row(height, near).min(self.row(height, far));
            self.paint_column(column, top, self.row(0.0, near), colour);
        }
    }

    /// Returns the distance from the upper edge of the image to a point at a height (m) and depth (m), in rows.
    fn row(&self, height: f32, depth: f32) -> f32 {
        self.height as f32 / 2.0 + self.focal * (CAMERA_HEIGHT - height) / depth
    }

    /// Paints the pixels of a column whose centres lie between the edges `top` and `bottom` (rows).
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
mod tests;
