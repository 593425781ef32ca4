//! Formats a robot's additional sensors in one line. Does no I/O.

use xpuck_kernels::model::PROX_ANGLES;
use xpuck_wire::escape;
use xpuck_wire::message::Sensors;

/// Difference between the brightest and the darkest reading below which the light counts as uniform (fraction of full
/// scale).
const EVEN: f32 = 0.02;

/// Describes the readings as text. Sensors that the robot does not have are left out.
pub fn words(sensors: &Sensors) -> String {
    let mut parts = Vec::new();
    if let Some(light) = &sensors.light {
        let (least, most) = light.iter().fold((1.0f32, 0.0f32), |(a, b), x| (a.min(*x), b.max(*x)));
        let brightest = light.iter().position(|x| *x == most).map_or("", |i| side(PROX_ANGLES[i]));
        let even = most - least < EVEN;
        let most = format!("light {:.0} to {:.0} %", 100.0 * least, 100.0 * most);
        parts.push(if even { most } else { format!("{most}, most {brightest}") });
    }
    if let Some([x, y, z]) = sensors.acceleration {
        parts.push(format!("acceleration {x:+.1} {y:+.1} {z:+.1} m/s2"));
    }
    if let Some(loudest) = sensors.loudness.iter().copied().reduce(f32::max) {
        let from = sensors.sound_from.map_or(String::new(), |from| format!(" from {}", side(from)));
        parts.push(format!("sound {:.1} %{from}", 100.0 * loudest));
    }
    parts.extend(sensors.heading.map(|heading| format!("heading {:.0}°", heading.to_degrees())));
    parts.extend(sensors.ground.map(|g| format!("floor {:.0} %", 100.0 * g.iter().sum::<f32>() / 3.0)));
    parts.extend(sensors.ahead.map(|distance| format!("{distance:.2} m ahead")));
    if !sensors.heard.is_empty() {
        let robots: Vec<String> = sensors.heard.iter().map(|heard| heard.robot.to_string()).collect();
        parts.push(format!("hears {}", robots.join(" ")));
    }
    parts.extend(sensors.steps.map(|[left, right]| format!("steps {left} {right}")));
    parts.extend(sensors.selector.map(|position| format!("selector {position}")));
    parts.extend(sensors.button.filter(|pressed| *pressed).map(|_| "button pressed".into()));
    parts.extend(Some(escape(&sensors.trouble)).filter(|trouble| !trouble.is_empty()));
    if parts.is_empty() { "no further sensors".into() } else { parts.join("; ") }
}

/// Returns the word for the direction of a bearing in the robot's frame (rad, positive to the left).
fn side(bearing: f32) -> &'static str {
    match bearing.abs() {
        size if size < 0.6 => "ahead",
        size if size > 2.5 => "behind",
        _ if bearing > 0.0 => "left",
        _ => "right",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_present_sensors_are_described() {
        let mut sensors = Sensors {
            light: Some([0.1, 0.1, 0.8, 0.1, 0.1, 0.1, 0.1, 0.1]),
            loudness: vec![0.01, 0.02, 0.01],
            steps: Some([10, -4]),
            ..Sensors::default()
        };
        assert_eq!(words(&sensors), "light 10 to 80 %, most left; sound 2.0 %; steps 10 -4");
        sensors.light = Some([0.5; 8]);
        sensors.acceleration = Some([0.0, -0.11, 9.8]);
        sensors.sound_from = Some(-1.5);
        sensors.trouble = "x\n".into();
        assert_eq!(
            words(&sensors),
            "light 50 to 50 %; acceleration +0.0 -0.1 +9.8 m/s2; sound 2.0 % from right; steps 10 -4; x\\n"
        );
        assert_eq!(words(&Sensors::default()), "no further sensors");
    }
}
