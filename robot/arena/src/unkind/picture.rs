//! Image defects of a camera's sensor: noise, missing colour, and dead or hot pixels.

use super::streams;
use super::traits::Traits;
use xpuck_kernels::random::{Draws, Stream, normal_pair};
use xpuck_registers::yuyv::{self, BYTES_PER_PIXEL, Rgb, Yuv};

/// Number of values in the noise table. Each row of a picture starts at a random index of the table.
const TABLE: usize = 4096;
/// Colours of the filters in front of the pixels, in each group of 2 x 2 pixels.
const FILTERS: [[Rgb; 2]; 2] = [[[0, 255, 0], [255, 0, 0]], [[0, 0, 255], [0, 255, 0]]];
/// Value of U and of V for a pixel without colour.
const GREY: u8 = 128;
/// Colour of a dead pixel.
const DARK: Rgb = [0, 0, 0];

/// Image defects of one robot's camera.
#[derive(Clone, Debug)]
pub struct ImageDefects {
    width: usize,
    /// Index and colour of each dead or hot pixel.
    broken: Vec<(usize, Yuv)>,
    /// Normally distributed noise, which is added to the bytes of a picture; empty without noise.
    noise: Vec<i16>,
    /// Probability that a third of a picture has no colour.
    misses: f32,
    seed: u64,
    robot: u32,
}

impl ImageDefects {
    /// Draws the image defects of robot `robot`'s camera for pictures of the given size (pixels).
    pub fn new(traits: &Traits, seed: u64, robot: usize, width: u32, height: u32) -> ImageDefects {
        let (dead, hot) = (traits.dead_pixels, traits.hot_pixels);
        let robot = robot as u32;
        let mut broken = Vec::new();
        for row in if dead + hot > 0.0 { 0..height } else { 0..0 } {
            let mut draws = Draws::new(seed, streams::PIXELS, robot, row, Stream::Device);
            for column in 0..width {
                let at = (row * width + column) as usize;
                let filter = FILTERS[row as usize % 2][column as usize % 2];
                match draws.unit() {
                    x if x < dead => broken.push((at, yuyv::from_rgb(DARK))),
                    x if x < dead + hot => broken.push((at, yuyv::from_rgb(filter))),
                    _ => {}
                }
            }
        }
        let mut draws = Draws::new(seed, streams::PICTURE, robot, 0, Stream::Device);
        let mut deviate = || (traits.camera_noise * normal_pair(draws.word(), draws.word()).0).round() as i16;
        let noise = if traits.camera_noise > 0.0 { (0..TABLE).map(|_| deviate()).collect() } else { Vec::new() };
        ImageDefects { width: width as usize, broken, noise, misses: traits.camera_misses, seed, robot }
    }

    /// Removes the colour from randomly chosen thirds of a frame.
    fn remove_colour(&self, frame: &mut [u8], number: u32) {
        let mut draws = Draws::new(self.seed, streams::MISSES, self.robot, number, Stream::Device);
        let missed = [(); 3].map(|()| draws.unit() < self.misses);
        for row in frame.chunks_mut(self.width * BYTES_PER_PIXEL) {
            for (column, colour) in row.iter_mut().skip(1).step_by(2).enumerate() {
                if missed[(3 * column / self.width).min(2)] {
                    *colour = GREY;
                }
            }
        }
    }

    /// Applies the defects to a YUYV frame. `number` counts the distinct pictures of the camera from 1.
    pub fn apply(&self, frame: &mut [u8], number: u32) {
        if self.misses > 0.0 {
            self.remove_colour(frame, number);
        }
        for (at, shown) in &self.broken {
            let from = at / 2 * 2 * BYTES_PER_PIXEL;
            let Some(bytes) = frame.get_mut(from..from + 2 * BYTES_PER_PIXEL) else { continue };
            let mut pair = yuyv::unpack([bytes[0], bytes[1], bytes[2], bytes[3]]);
            pair[at % 2] = *shown;
            bytes.copy_from_slice(&yuyv::pack(pair[0], pair[1]));
        }
        if self.noise.is_empty() {
            return;
        }
        let mut draws = Draws::new(self.seed, streams::PICTURE, self.robot, number, Stream::Device);
        for row in frame.chunks_mut(self.width * BYTES_PER_PIXEL) {
            let from = draws.below(TABLE as u32) as usize;
            let noise = self.noise[from..].iter().chain(self.noise.iter().cycle());
            for (byte, noise) in row.iter_mut().zip(noise) {
                *byte = (i16::from(*byte) + noise).clamp(1, 254) as u8;
            }
        }
    }
}
