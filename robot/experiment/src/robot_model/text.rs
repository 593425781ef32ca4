//! Text of the model file of a robot.

use super::{RobotSpec, fov_radians};
use std::f32::consts::PI;
use xpuck_kernels::world::Sensing;
use xpuck_kernels::world::robot::{
    Curve, GroundPoints, GroundSense, LightLaw, LightSense, Proximity, Steering, Wheels,
};

impl RobotSpec {
    /// Returns the text of a model file that has every key, so that it does not depend on other files.
    pub fn to_toml(&self) -> String {
        use std::fmt::Write;
        let RobotSpec { shape, model, motion_noise, camera, messages } = self;
        let Wheels { max_speed, steering, noise } = model.wheels;
        let Sensing { proximity, camera: colours, neighbours, light, tags, ground } = model.senses;
        let senses = [
            (proximity, "proximity"),
            (neighbours, "range-and-bearing"),
            (colours, "camera"),
            (tags, "tags"),
            (light, "light"),
            (ground, "ground"),
            (model.compass, "compass"),
        ];
        let senses: Vec<&str> = senses.into_iter().filter(|(has, _)| *has).map(|(_, name)| name).collect();
        let mut text = format!(
            "radius_m = {:?}\nmass_kg = {:?}\nfriction = {:?}\nwheelbase_m = {:?}\nsenses = {senses:?}\n\
             neighbour_range_m = {:?}\n",
            shape.radius,
            shape.mass,
            shape.mu,
            2.0 * shape.contact_arm,
            model.neighbour_range
        );
        let _ = match model.ground {
            GroundSense::Class => writeln!(text, "ground = \"class\""),
            GroundSense::Points(GroundPoints { noise, black_below, white_above, window, majority }) => writeln!(
                text,
                "ground = {{ noise = {noise:?}, black_below = {black_below:?}, white_above = {white_above:?}, \
                 window = {window}, majority = {majority} }}"
            ),
        };
        let steering = match steering {
            Steering::Diagonal => "diagonal",
            Steering::Pivot => "pivot",
        };
        let _ = write!(
            text,
            "[wheels]\nmax_speed_m_s = {max_speed:?}\nsteering = \"{steering}\"\nnoise = {noise:?}\n\
             motion_noise = {motion_noise:?}\n"
        );
        let Proximity { range, curve, noise } = model.proximity;
        let curve = match curve {
            Curve::Linear => "\"linear\"".into(),
            Curve::Quadratic(coefficients) => format!("{coefficients:?}"),
        };
        let _ = write!(text, "[proximity]\nlength_m = {range:?}\ncurve = {curve}\nnoise = {noise:?}\n");
        let fov = fov_degrees(model.camera.fov);
        let _ =
            write!(text, "[camera]\nfov_deg = {fov:?}\ndelay_s = {:?}\nmisses = {:?}\n", camera.delay_s, camera.misses);
        if model.camera.range.is_finite() {
            let _ = writeln!(text, "range_m = {:?}", model.camera.range);
        }
        let LightSense { law, threshold, noise } = model.light;
        let law = match law {
            LightLaw::InverseSquare => "inverse-square",
            LightLaw::Exponential => "exponential",
        };
        let _ = write!(text, "[light]\nlaw = \"{law}\"\nthreshold = {threshold:?}\nnoise = {noise:?}\n");
        if let Some(messages) = messages.as_ref().and_then(|messages| toml::to_string(messages).ok()) {
            let _ = write!(text, "[messages]\n{messages}");
        }
        text
    }
}

/// Field of view in degrees, from which [`fov_radians`] computes exactly this number of radians.
fn fov_degrees(fov: f32) -> f32 {
    let near = (fov * 180.0 / PI).to_bits();
    let candidates = (0..8u32).flat_map(|i| [near + i, near - i]).map(f32::from_bits);
    let rounded = (fov * 180.0 / PI * 1e3).round() / 1e3;
    [rounded].into_iter().chain(candidates).find(|degrees| fov_radians(*degrees) == fov).unwrap_or(rounded)
}
