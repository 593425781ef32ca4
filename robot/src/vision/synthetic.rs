//! Renders tags as a real camera sees them, to measure the performance of the tag detector. The model includes lens
//! distortion, sampling over the pixel area, lens blur, sensor noise, and a rolling shutter while the robot turns. The
//! two pixels of a YUYV pair share their chroma.

use crate::device::Frame;
use crate::device::apriltag::{PICTURE_SIDE, TAG_SIDE, picture};
use crate::vision::lens::Lens;
use crate::vision::markers::Pose;
use crate::vision::tags::board::Board;
use std::f64::consts::TAU;
use xpuck_kernels::random::Draws;
use xpuck_registers::yuyv;

/// Number of rays that are traced per pixel.
const RAYS: usize = 32;
/// Colours of the paper, the ink and the wall in the background (sRGB levels). They model warm light, and ink that is
/// not fully black.
const PAPER: [f64; 3] = [225.0, 222.0, 214.0];
const INK: [f64; 3] = [28.0, 26.0, 25.0];
const ROOM: [f64; 3] = [132.0, 130.0, 124.0];
/// Relative decrease of brightness from the left to the right edge of the picture.
const SHADE: f64 = 0.2;

/// Parameters of the rendering.
#[derive(Clone, Copy, Debug)]
pub struct Optics {
    /// Lens. Its picture size is the size of the rendered frame.
    pub lens: Lens,
    /// Standard deviation of the point spread (pixels).
    pub blur: f64,
    /// Standard deviation of the colour noise in the dark (levels of 255).
    pub dark_noise: f64,
    /// Additional variance of the colour noise per level of brightness (levels of 255).
    pub shot_noise: f64,
    /// Exposure time of a row (s).
    pub exposure: f64,
    /// Time between the exposures of the first and the last row (s).
    pub readout: f64,
    /// Rotation rate of the robot to the left (rad/s). The poses of the tags apply to the middle of the readout.
    pub turning: f64,
}

impl Optics {
    /// Returns the parameters of an ideal pinhole without blur or noise, on a robot at rest.
    pub fn perfect(width: usize, height: usize) -> Optics {
        let lens = Lens::nominal(width, height);
        Optics { lens, blur: 0.0, dark_noise: 0.0, shot_noise: 0.0, exposure: 0.0, readout: 0.0, turning: 0.0 }
    }
}

/// Ray of a pixel: its offset from the pixel's centre (pixels), and its time relative to the middle of the exposure
/// (fraction of the exposure, -0.5..=0.5).
struct Ray {
    off: [f64; 2],
    when: f64,
}

/// Tag to render.
struct RenderedTag {
    cells: [[bool; PICTURE_SIDE]; PICTURE_SIDE],
    pose: Pose,
    /// Ranges of columns and rows that the tag may cover (pixels).
    columns: [f64; 2],
    rows: [f64; 2],
}

/// Renders tags of `size` (m) between black edges, each with a white margin of an eighth of its size. The random
/// numbers in `draws` produce the noise.
///
/// # Panics
/// If a tag's id is above 586, or the lens's picture size is not a valid frame size.
pub fn render(tags: &[(u16, Pose)], size: f64, optics: &Optics, draws: &mut Draws) -> Frame {
    let (width, height) = (optics.lens.size[0] as usize, optics.lens.size[1] as usize);
    let rays = rays(optics.blur);
    let drawn: Vec<RenderedTag> = tags.iter().map(|(id, pose)| draw(*id, pose, size, optics)).collect();
    let mut bytes = Vec::with_capacity(yuyv::frame_len(width, height));
    let mut left = [0; 3];
    for (row, column) in (0..height).flat_map(|row| (0..width).map(move |column| (row, column))) {
        let (x, y) = (column as f64 + 0.5, row as f64 + 0.5);
        let inside = |range: &[f64; 2], at: f64| (range[0]..=range[1]).contains(&at);
        let near: Vec<&RenderedTag> = drawn.iter().filter(|d| inside(&d.columns, x) && inside(&d.rows, y)).collect();
        let seen = if near.is_empty() { ROOM } else { integrate_pixel(&near, [x, y], size, optics, &rays) };
        let light = 1.0 - SHADE * x / width as f64;
        let rgb = seen.map(|level| {
            let level = level * light;
            let deviation = (optics.dark_noise * optics.dark_noise + optics.shot_noise * level).sqrt();
            (level + if deviation > 0.0 { deviation * normal(draws) } else { 0.0 }).round().clamp(0.0, 255.0) as u8
        });
        match column % 2 {
            0 => left = yuyv::from_rgb(rgb),
            _ => bytes.extend(yuyv::pack(left, yuyv::from_rgb(rgb))),
        }
    }
    Frame::new(width, height, bytes).expect("a size that frames have")
}

/// Returns the mean colour of a pixel's rays (sRGB levels).
fn integrate_pixel(tags: &[&RenderedTag], [x, y]: [f64; 2], size: f64, optics: &Optics, rays: &[Ray]) -> [f64; 3] {
    let lens = &optics.lens;
    // Within the few pixels of the lens blur, the slopes are approximated as a linear function of the pixel position.
    let [middle, beside, below] = [[x, y], [x + 1.0, y], [x, y + 1.0]].map(|pixel| lens.slopes(pixel));
    let begun = (y / lens.size[1] - 0.5) * optics.readout;
    let mut sum = [0.0; 3];
    for ray in rays {
        let slope = |i: usize| middle[i] + ray.off[0] * (beside[i] - middle[i]) + ray.off[1] * (below[i] - middle[i]);
        let (right, down) = (slope(0), slope(1));
        let turned = optics.turning * (begun + ray.when * optics.exposure);
        let (sine, cosine) = turned.sin_cos();
        let sight = [cosine + right * sine, sine - right * cosine, -down];
        let cell = tags.iter().find_map(|tag| tag.cell(sight, size));
        let colour = cell.map_or(ROOM, |white| if white { PAPER } else { INK });
        sum.iter_mut().zip(colour).for_each(|(sum, level)| *sum += level);
    }
    sum.map(|sum| sum / rays.len() as f64)
}

impl RenderedTag {
    /// Returns whether the cell in which a line of sight meets the tag is white; `None` if the line misses the tag.
    fn cell(&self, sight: [f64; 3], size: f64) -> Option<bool> {
        let pose = &self.pose;
        let along = dot(pose.at, pose.outward) / dot(sight, pose.outward);
        let on: [f64; 3] = std::array::from_fn(|i| sight[i] * along - pose.at[i]);
        let side = PICTURE_SIDE as f64;
        let place = |axis: [f64; 3]| dot(on, axis) / size * TAG_SIDE as f64 + side / 2.0;
        let (column, row) = (place(pose.right), side - place(pose.up));
        let inside = |x: f64| (0.0..side).contains(&x);
        (along > 0.0 && inside(column) && inside(row)).then(|| self.cells[row as usize][column as usize])
    }
}

/// Prepares a tag for rendering, and computes the part of the picture that the tag may cover.
fn draw(id: u16, pose: &Pose, size: f64, optics: &Optics) -> RenderedTag {
    let cells = picture(id).expect("a tag of the family");
    let half = size * PICTURE_SIDE as f64 / TAG_SIDE as f64 / 2.0;
    let sweep = optics.turning.abs() * (optics.readout + optics.exposure) / 2.0;
    let (mut columns, mut rows) = ([f64::INFINITY, 0.0], [f64::INFINITY, 0.0]);
    for (right, up, turn) in [-1.0, 1.0].into_iter().flat_map(|right| {
        [-1.0, 1.0].into_iter().flat_map(move |up| [-sweep, sweep].map(move |turn| (right, up, turn)))
    }) {
        let at: [f64; 3] = std::array::from_fn(|i| pose.at[i] + half * (right * pose.right[i] + up * pose.up[i]));
        let (sine, cosine) = turn.sin_cos();
        let (ahead, left) = (cosine * at[0] - sine * at[1], sine * at[0] + cosine * at[1]);
        if ahead < 0.01 {
            // The tag is partly behind the camera, so it may cover any part of the picture.
            (columns, rows) = ([0.0, f64::INFINITY], [0.0, f64::INFINITY]);
            break;
        }
        let [x, y] = optics.lens.pixel([-left / ahead, -at[2] / ahead]);
        let spread = 3.0 + 4.0 * optics.blur;
        columns = [columns[0].min(x - spread), columns[1].max(x + spread)];
        rows = [rows[0].min(y - spread), rows[1].max(y + spread)];
    }
    RenderedTag { cells, pose: *pose, columns, rows }
}

/// Returns the rays of a pixel. Roberts's sequence distributes them over the pixel's area, the lens blur and the
/// exposure.
fn rays(blur: f64) -> Vec<Ray> {
    // Positive root of g^6 = g + 1, on which Roberts's sequence in five dimensions is based.
    const G: f64 = 1.134_724_138_401_519_5;
    let part = |n: usize, dimension: i32| (0.5 + (n + 1) as f64 * G.powi(-dimension)).fract();
    let ray = |n: usize| {
        let (length, angle) = ((-2.0 * (1.0 - part(n, 3)).ln()).sqrt(), TAU * part(n, 4));
        let spread = [length * angle.cos() * blur, length * angle.sin() * blur];
        Ray { off: [part(n, 1) - 0.5 + spread[0], part(n, 2) - 0.5 + spread[1]], when: part(n, 5) - 0.5 }
    };
    (0..RAYS).map(ray).collect()
}

/// Returns an approximately normal random number with mean 0 and variance 1. It is a scaled sum of four uniform random
/// numbers.
fn normal(draws: &mut Draws) -> f64 {
    let sum: f32 = (0..4).map(|_| draws.unit()).sum();
    f64::from(sum - 2.0) * 3f64.sqrt()
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Returns the pose of a marker with its centre at `at` (m). At yaw 0, the marker faces against the camera's viewing
/// direction. The marker is turned to the left by `yaw` (rad), and is rolled by `roll` (rad), clockwise for a viewer of
/// its printed face.
pub fn marker_pose(at: [f64; 3], yaw: f64, roll: f64) -> Pose {
    let outward = [-yaw.cos(), -yaw.sin(), 0.0];
    let up: [f64; 3] = [0.0, 0.0, 1.0];
    let right = [up[1] * outward[2] - up[2] * outward[1], up[2] * outward[0] - up[0] * outward[2], 0.0];
    let mix = |a: f64, b: f64| std::array::from_fn(|i| a * right[i] + b * up[i]);
    Pose { at, right: mix(roll.cos(), -roll.sin()), up: mix(roll.sin(), roll.cos()), outward }
}

/// Returns the poses of the board's tags in each of `views` views for a lens calibration. The board is close, is tilted
/// in all directions, and appears in every corner of the picture. The views therefore determine the lens.
pub fn calibration_views(board: &Board, views: usize) -> Vec<Vec<(u16, Pose)>> {
    let middle = [
        (f64::from(board.columns - 1) * board.pitch + board.size) / 2.0,
        (f64::from(board.rows - 1) * board.pitch + board.size) / 2.0,
    ];
    let view = |n: usize| {
        let around = TAU * n as f64 * 0.381_966;
        // The board is tilted alternately towards its position in the picture and away from it.
        let tilt = if n.is_multiple_of(2) { 0.55 } else { -0.45 };
        let (yaw, pitch) = (tilt * around.cos(), tilt * around.sin());
        let ahead = 0.27 + 0.04 * (n % 3) as f64;
        let at = [ahead, 0.3 * ahead * around.cos(), 0.2 * ahead * around.sin()];
        let whole = marker_pose(at, yaw, 0.3 * around.sin());
        let lean = |v: [f64; 3]| {
            // Rotates the vector by `pitch` about the robot's left axis.
            [v[0] * pitch.cos() + v[2] * pitch.sin(), v[1], v[2] * pitch.cos() - v[0] * pitch.sin()]
        };
        let (right, up, outward) = (lean(whole.right), lean(whole.up), lean(whole.outward));
        let tag = |n: u16| {
            let id = board.first + n;
            let [lower_left, _, upper_right, _] = board.corners(id)?;
            let from_middle = |i: usize| (lower_left[i] + upper_right[i]) / 2.0 - middle[i];
            let at = std::array::from_fn(|i| at[i] + from_middle(0) * right[i] - from_middle(1) * up[i]);
            Some((id, Pose { at, right, up, outward }))
        };
        (0..board.tags()).filter_map(tag).collect()
    };
    (0..views).map(view).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_kernels::random::Stream;

    fn luma(frame: &Frame, x: usize, y: usize) -> f64 {
        f64::from(frame.bytes()[(y * frame.width() + x) * 2])
    }

    fn draws() -> Draws {
        Draws::new(1, 0, 0, 0, Stream::Device)
    }

    #[test]
    fn rendered_edge_follows_blur_and_lens_distortion() {
        let tag = [(0, marker_pose([0.3, 0.0, 0.0], 0.0, 0.0))];
        let sharp = Optics::perfect(320, 240);
        let soft = Optics { blur: 2.0, ..sharp };
        // Counts the pixels of a row at the blurred edge of the tag. Their luma is between the luma of ink and the luma
        // of paper.
        let between = |optics: &Optics| {
            let frame = render(&tag, 0.1, optics, &mut draws());
            (90..160).filter(|x| (60.0..180.0).contains(&luma(&frame, *x, 120))).count()
        };
        assert!(between(&soft) > between(&sharp), "{} {}", between(&soft), between(&sharp));
        let barrel = Optics { lens: Lens { distortion: [-0.3, 0.0], ..sharp.lens }, ..sharp };
        let aside = [(0, marker_pose([0.3, 0.1, 0.0], 0.0, 0.0))];
        let ink = |optics: &Optics| {
            let frame = render(&aside, 0.1, optics, &mut draws());
            (0..320).filter(|x| luma(&frame, *x, 120) < 50.0).min().unwrap()
        };
        assert!(ink(&barrel) > ink(&sharp), "a barrel draws the edge nearer to the middle");
    }

    #[test]
    fn noise_and_motion_are_there() {
        let noisy = Optics { dark_noise: 3.0, shot_noise: 0.05, ..Optics::perfect(160, 120) };
        let frame = render(&[], 0.1, &noisy, &mut draws());
        let mean: f64 = (0..120).map(|y| luma(&frame, 10, y)).sum::<f64>() / 120.0;
        let variance: f64 = (0..120).map(|y| (luma(&frame, 10, y) - mean).powi(2)).sum::<f64>() / 119.0;
        // The luma is the sum of three colours with weights of 0.26, 0.50 and 0.10. The noise of each colour has a
        // variance of 9 + 0.05 * 130, so the variance of the luma is about 5.
        assert!((2.5..9.0).contains(&variance), "{variance}");
        let tag = [(0, marker_pose([0.5, 0.0, 0.0], 0.0, 0.0))];
        let still = Optics::perfect(320, 240);
        let soft = |optics: &Optics| {
            let frame = render(&tag, 0.1, optics, &mut draws());
            (100..150).filter(|x| (60.0..180.0).contains(&luma(&frame, *x, 120))).count()
        };
        let smeared = Optics { turning: 0.5, exposure: 0.04, ..still };
        assert!(soft(&smeared) > soft(&still), "{} {}", soft(&smeared), soft(&still));
        let turning = Optics { turning: 0.3, readout: 0.2, ..still };
        let frame = render(&tag, 0.1, &turning, &mut draws());
        let left_edge = |y: usize| (0..320).find(|x| luma(&frame, *x, y) > 160.0).unwrap();
        // The robot turns left, so objects move to the right from row to row.
        assert!(left_edge(150) > left_edge(90), "{} {}", left_edge(90), left_edge(150));
    }
}
