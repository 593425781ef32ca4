//! Top view of a cargo world and of the robot's path in it.

use std::fmt::Write;
use xpuck_automata::cargo::{Arbitration, PreparedScene, Setup, Weights, run_observed};
use xpuck_kernels::markup::escape;
use xpuck_stats::plot::begin_svg;

/// Length of the longer side of the arena (px), and width of the margin around the arena (px).
const SIDE: f32 = 480.0;
const EDGE: f32 = 16.0;
/// Height of the text line below the arena (px).
const BELOW: f64 = 24.0;
/// Minimum distance between two drawn points of a path (length units of the scene).
const STEP: f32 = 0.004;

/// Returns an SVG picture of a world, with the path of the robot from the first start. The robot is driven by
/// `controller` for `time` (ms).
pub fn picture(world: &PreparedScene, weights: &Weights, controller: Arbitration, time: u32) -> String {
    let scene = world.scene();
    let [width, height] = scene.size;
    let scale = SIDE / width.max(height);
    let x = |x: f32| EDGE + x * scale;
    let y = |y: f32| EDGE + (height - y) * scale;
    let (w, h) = (f64::from(width * scale + 2.0 * EDGE), f64::from(height * scale + 2.0 * EDGE));
    let mut svg = begin_svg(w, h + BELOW);
    let _ = writeln!(
        svg,
        "<rect x=\"{EDGE}\" y=\"{EDGE}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"#fafafa\" stroke=\"#000000\" stroke-width=\"2\"/>",
        width * scale,
        height * scale
    );
    let _ = writeln!(
        svg,
        "<clipPath id=\"arena\"><rect x=\"{EDGE}\" y=\"{EDGE}\" width=\"{:.1}\" height=\"{:.1}\"/></clipPath>",
        width * scale,
        height * scale
    );
    for lamp in &scene.lamps {
        // Horizontal distance to which the lamp shines (px).
        let reach = lamp.z * scene.conductivity * scale;
        let (fill, word) = if lamp.on { ("#ffe08a", "on") } else { ("#eceff1", "off") };
        let _ = writeln!(
            svg,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{reach:.1}\" fill=\"{fill}\" fill-opacity=\"0.6\" clip-path=\"url(#arena)\"><title>lamp, {word} at the start</title></circle>",
            x(lamp.x),
            y(lamp.y)
        );
    }
    for line in &scene.lines {
        let points: Vec<String> = line.points.iter().map(|p| format!("{:.1},{:.1}", x(p[0]), y(p[1]))).collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"#78909c\" stroke-width=\"{:.1}\" stroke-linecap=\"round\" stroke-linejoin=\"round\" stroke-opacity=\"0.6\"/>",
            points.join(" "),
            line.width * scale
        );
    }
    for (fill, rects) in [
        ("#b71c1c", scene.obstacles.iter().collect::<Vec<_>>()),
        ("#1b5e20", scene.areas.iter().map(|a| &a.at).collect()),
    ] {
        for rect in rects {
            let _ = writeln!(
                svg,
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{fill}\" fill-opacity=\"0.5\"/>",
                x(rect.x),
                y(rect.y + rect.height),
                rect.width * scale,
                rect.height * scale
            );
        }
    }
    let setup = Setup { world, weights, start: 0, repeat: 0, time, seed: 1 };
    let mut way: Vec<String> = Vec::new();
    let mut last = None;
    let outcome = run_observed(controller, &setup, &[], |_, pose, _| {
        if last.is_none_or(|last| (pose.at - last).length() >= STEP) {
            way.push(format!("{:.1},{:.1}", x(pose.at.x), y(pose.at.y)));
            last = Some(pose.at);
        }
    });
    let _ = writeln!(
        svg,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"#0d47a1\" stroke-width=\"1\" stroke-opacity=\"0.8\"/>",
        way.join(" ")
    );
    for start in &scene.starts {
        let _ = writeln!(
            svg,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{:.1}\" fill=\"none\" stroke=\"#000000\"/>",
            x(start.x),
            y(start.y),
            scene.body.radius * scale
        );
    }
    let scripts: Vec<String> = outcome.tally.scripts.iter().take(4).map(u32::to_string).collect();
    let words = format!(
        "{} s from the first start: score {:.0}, scripts 1 to 4 ran {} times",
        time / 1000,
        outcome.score,
        scripts.join(", ")
    );
    let _ = writeln!(svg, "<text x=\"{EDGE}\" y=\"{:.1}\">{}</text>\n</svg>", h + 12.0, escape(&words));
    svg
}
