//! Model of the camera lens: a pinhole with radial distortion (Brown's model with two terms). The command `xpuckd
//! calibrate lens` measures its parameters.
//!
//! The slopes of a direction are its offsets to the right and downwards per unit of distance along the lens's axis. The
//! distortion multiplies slopes of length r by 1 + k1 r^2 + k2 r^4.

use schemars::JsonSchema;
use serde::Deserialize;
use xpuck_kernels::model::CAMERA_FOV;

/// Maximum number of Newton iterations. Three are enough for lenses that pass [`Lens::check`].
const STEPS: usize = 12;
/// Step size below which the iteration has converged.
const ENOUGH: f64 = 1e-12;
/// Range of the focal length, relative to the picture's width. The limits correspond to horizontal fields of view of
/// 127 and 14 degrees.
const FOCAL: (f64, f64) = (0.25, 4.0);
/// Maximum offset of the lens's axis from the picture's middle, relative to width and height.
const OFF: f64 = 0.2;

/// Lens parameters for pictures of one size (pixels).
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lens {
    /// Width and height of the pictures to which the other values refer (pixels).
    pub size: [f64; 2],
    /// Horizontal and vertical focal length (pixels, 0.25 to 4 times the width).
    pub focal: [f64; 2],
    /// Position of the lens's axis, from the picture's left and upper edge (pixels). Its horizontal offset from the
    /// middle is at most a fifth of the picture's width, and its vertical offset at most a fifth of the height.
    pub centre: [f64; 2],
    /// Distortion coefficients k1 and k2. A negative k1 is a barrel distortion.
    pub distortion: [f64; 2],
}

impl Lens {
    /// Returns an ideal pinhole with a horizontal field of view of 56 degrees (thesis Table 6.1), for pictures of this
    /// size (pixels).
    pub fn nominal(width: usize, height: usize) -> Lens {
        let (width, height) = (width as f64, height as f64);
        let focal = width / 2.0 / (f64::from(CAMERA_FOV) / 2.0).tan();
        Lens { size: [width, height], focal: [focal; 2], centre: [width / 2.0, height / 2.0], distortion: [0.0; 2] }
    }

    /// Returns the same lens for pictures of another size (pixels) with the same field of view.
    pub fn scaled(&self, width: usize, height: usize) -> Lens {
        let size = [width as f64, height as f64];
        let scale = |x: [f64; 2]| std::array::from_fn(|i| x[i] * size[i] / self.size[i]);
        Lens { size, focal: scale(self.focal), centre: scale(self.centre), distortion: self.distortion }
    }

    /// Returns the pixel at which a direction appears. The direction is given by its slopes to the right and downwards.
    pub fn pixel(&self, slopes: [f64; 2]) -> [f64; 2] {
        let squared = slopes[0] * slopes[0] + slopes[1] * slopes[1];
        let factor = 1.0 + squared * (self.distortion[0] + squared * self.distortion[1]);
        std::array::from_fn(|i| self.centre[i] + self.focal[i] * factor * slopes[i])
    }

    /// Returns the slopes of the direction that appears at a pixel.
    pub fn slopes(&self, pixel: [f64; 2]) -> [f64; 2] {
        let shown: [f64; 2] = std::array::from_fn(|i| (pixel[i] - self.centre[i]) / self.focal[i]);
        let length = shown[0].hypot(shown[1]);
        if length == 0.0 {
            return shown;
        }
        let [k1, k2] = self.distortion;
        let mut r = length;
        for _ in 0..STEPS {
            let squared = r * r;
            let off = r * (1.0 + squared * (k1 + squared * k2)) - length;
            let steep = 1.0 + squared * (3.0 * k1 + squared * 5.0 * k2);
            // Beyond the maximum of the distorted radius no solution exists, so the iteration stops near the maximum.
            let step = if steep > 0.05 { off / steep } else { break };
            r = (r - step).clamp(0.0, 10.0);
            if step.abs() < ENOUGH {
                break;
            }
        }
        shown.map(|x| x * r / length)
    }

    /// Validates the ranges, and verifies that no two directions appear at the same pixel.
    ///
    /// # Errors
    /// One line that names the invalid key.
    pub fn check(&self) -> Result<(), String> {
        let [width, height] = self.size;
        if !(4.0..=4096.0).contains(&width) || !(2.0..=4096.0).contains(&height) {
            return Err(format!(
                "lens.size = {:?} is not a valid picture size; the width must be 4 to 4096, the height 2 to 4096",
                self.size
            ));
        }
        let (low, high) = (FOCAL.0 * width, FOCAL.1 * width);
        if let Some(focal) = self.focal.iter().find(|focal| !(low..=high).contains(*focal)) {
            return Err(format!("lens.focal = {focal} is outside {low} to {high}, which is 0.25 to 4 times the width"));
        }
        for (centre, side) in self.centre.iter().zip(self.size) {
            let (low, high) = ((0.5 - OFF) * side, (0.5 + OFF) * side);
            if !(low..=high).contains(centre) {
                return Err(format!("lens.centre = {centre} is outside {low:.0} to {high:.0}"));
            }
        }
        let corners = [[0.0, 0.0], [width, 0.0], [0.0, height], [width, height]];
        let [k1, k2] = self.distortion;
        for corner in corners {
            let [x, y] = self.slopes(corner);
            let squared = x * x + y * y;
            let back = self.pixel([x, y]);
            let steep = 1.0 + squared * (3.0 * k1 + squared * 5.0 * k2);
            let misses = (back[0] - corner[0]).hypot(back[1] - corner[1]);
            if !(steep > 0.1 && misses < 0.01) {
                return Err(format!(
                    "lens.distortion = {:?} is too strong: it folds the corners of the picture",
                    self.distortion
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BARREL: Lens =
        Lens { size: [640.0, 480.0], focal: [583.0, 585.0], centre: [326.0, 236.0], distortion: [-0.22, 0.06] };

    #[test]
    fn pixel_and_slopes_are_inverse_everywhere() {
        for lens in [Lens::nominal(640, 480), BARREL, Lens { distortion: [0.3, -0.05], ..BARREL }] {
            lens.check().unwrap();
            for (x, y) in (0..=16).flat_map(|x| (0..=12).map(move |y| (x as f64 * 40.0, y as f64 * 40.0))) {
                let back = lens.pixel(lens.slopes([x, y]));
                assert!((back[0] - x).hypot(back[1] - y) < 1e-6, "{lens:?} {x} {y}: {back:?}");
            }
        }
    }

    #[test]
    fn barrel_moves_corner_inwards_at_any_size() {
        let straight = Lens { distortion: [0.0; 2], ..BARREL };
        let slopes = [0.45, 0.35];
        let off = |p: [f64; 2]| (p[0] - 326.0).hypot(p[1] - 236.0);
        assert!(off(BARREL.pixel(slopes)) < off(straight.pixel(slopes)) - 10.0);
        let half = BARREL.scaled(320, 240).pixel(slopes);
        assert!(half.iter().zip(BARREL.pixel(slopes)).all(|(a, b)| (2.0 * a - b).abs() < 1e-9));
    }

    #[test]
    fn invalid_lens_is_rejected_with_key() {
        let error = |lens: Lens| lens.check().unwrap_err();
        assert!(error(Lens { focal: [100.0, 585.0], ..BARREL }).contains("lens.focal = 100"));
        assert!(error(Lens { centre: [326.0, 20.0], ..BARREL }).contains("lens.centre = 20"));
        assert!(error(Lens { distortion: [-1.5, 0.0], ..BARREL }).contains("folds"));
        assert!(error(Lens { distortion: [f64::NAN, 0.0], ..BARREL }).contains("folds"));
        assert!(error(Lens { size: [f64::NAN, 480.0], ..BARREL }).contains("lens.size"));
        assert!(error(Lens { focal: [f64::INFINITY, 585.0], ..BARREL }).contains("lens.focal"));
    }
}
