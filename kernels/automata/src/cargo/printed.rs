//! World of the sequential scenario in Petrovic's report. Values that are damaged in the scan of the report are
//! restored.

use super::geometry::Rect;
use super::scene::{Activation, Area, Body, CARGO, Command, Lamp, Line, Noise, Scene, Start, TARGET_MARK, TimeEvent};
use std::f32::consts::{FRAC_PI_2, PI};

/// Returns the world that is printed in the report.
pub fn published_scene() -> Scene {
    let rect = |x, y, width, height| Rect { x, y, width, height };
    let line = |points: &[[f32; 2]]| Line { width: 0.05, value: 30.0, points: points.to_vec() };
    let lamp = |x, y| Lamp { x, y, z: 1.0, intensity: 1.0, on: true };
    let area = |at, heading, fork, position, cargo: f32, script| Area {
        activation: Activation::Once,
        at,
        heading: Some([heading, 0.75]),
        fork,
        position,
        registers: vec![(CARGO as u8, cargo, cargo)],
        script,
    };
    let loading = rect(0.58975, 0.965, 0.075, 0.01);
    let before_unloading = rect(0.025, 0.48975, 0.01, 0.075);
    let put = |value| [Command::Select(CARGO as u8), Command::Put(value)];
    Scene {
        size: [1.0, 1.0],
        obstacles: vec![
            rect(0.2, 0.2, 0.1, 0.1),
            rect(0.4, 0.7, 0.1, 0.1),
            rect(0.6, 0.6, 0.1, 0.1),
            rect(0.8, 0.85, 0.1, 0.1),
            rect(0.7, 0.25, 0.1, 0.1),
        ],
        lines: vec![
            line(&[[0.4, 0.4], [0.35, 0.4], [0.3, 0.8], [0.25, 0.8], [0.22, 0.5], [0.03, 0.5]]),
            line(&[[0.8, 0.5], [0.8, 0.75], [0.6, 0.8], [0.6, 0.97]]),
        ],
        lamps: vec![lamp(0.8, 0.5), lamp(0.4, 0.4)],
        conductivity: 0.3,
        areas: vec![
            area(loading, 0.0, None, [0.0, 1.0], 0.0, 1),
            area(loading, PI, Some(2), [0.0, 0.3], 0.0, 2),
            area(before_unloading, 3.0 * FRAC_PI_2, Some(1), [0.3, 1.0], 1.0, 1),
            area(rect(0.0, 0.48975, 0.025, 0.075), FRAC_PI_2, None, [0.0, 1.0], 1.0, 3),
            area(before_unloading, FRAC_PI_2, Some(2), [0.0, 0.3], 4.0, 4),
        ],
        times: vec![TimeEvent { start: 0, period: 0, count: 1, script: 4 }],
        scripts: vec![
            vec![Command::Tell(TARGET_MARK)],
            [Command::On(2), Command::Off(1), Command::Arm(3), Command::Arm(4), Command::Arm(5)]
                .into_iter()
                .chain(put(2.0))
                .collect(),
            put(3.0).to_vec(),
            [Command::On(1), Command::Off(2), Command::Arm(1), Command::Arm(2)].into_iter().chain(put(0.0)).collect(),
        ],
        body: Body::default(),
        starts: [(0.5, 0.5, 0.0), (0.76, 0.45, 0.0), (0.1, 0.9, 0.5)]
            .map(|(x, y, heading)| Start { x, y, heading })
            .to_vec(),
        noise: Noise::default(),
    }
}
