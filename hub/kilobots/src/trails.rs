//! Picture of the paths of Kilobots (thesis Figure 4.5).

use std::fmt::Write;
use xpuck_kernels::markup::escape;
use xpuck_kilobots::{Foraging, Program, World};
use xpuck_stats::plot::begin_svg;

/// Width of the picture (px).
const WIDTH: f64 = 900.0;
/// Density on the blackboard above which a robot is drawn in full green (1000 Kilobots per m^2).
const DENSE: f32 = 0.4;

/// Returns a picture of the arena with the nest, the food, the paths of all robots, and the robots at their final
/// positions. Robots are red if they carry food, and greener at higher density. `seed` and `world` identify the
/// simulated world.
pub fn trails(foraging: &Foraging, program: &Program, (seed, world): (u64, u32), title: &str) -> String {
    let (half_x, half_y) = (f64::from(foraging.half_arena.0), f64::from(foraging.half_arena.1));
    let scale = WIDTH / (2.0 * half_x);
    let height = 2.0 * half_y * scale;
    let x = |m: f32| (f64::from(m) + half_x) * scale;
    let y = |m: f32| (half_y - f64::from(m)) * scale;
    let mut svg = begin_svg(WIDTH, height);
    let circle = |radius: f32, fill: &str| {
        format!(
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{:.1}\" fill=\"{fill}\"/>\n",
            x(0.0),
            y(0.0),
            f64::from(radius) * scale
        )
    };
    let _ = writeln!(svg, "<rect width=\"{WIDTH:.0}\" height=\"{height:.0}\" fill=\"#cfe8cf\"/>");
    svg += &circle(foraging.nest + foraging.gap, "#ffffff");
    svg += &circle(foraging.nest, "#c9d8f0");
    let mut run = World::new(foraging, program, seed, world);
    let mut ways: Vec<Vec<(f64, f64)>> = run.views().map(|view| vec![(x(view.at.x), y(view.at.y))]).collect();
    for _ in 0..foraging.updates() {
        run.update();
        for (way, view) in ways.iter_mut().zip(run.views()) {
            way.push((x(view.at.x), y(view.at.y)));
        }
    }
    for way in &ways {
        let points: Vec<String> = way.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"#000000\" stroke-width=\"0.7\" stroke-opacity=\"0.55\"/>",
            points.join(" ")
        );
    }
    let density = xpuck_kernels::tree::ENTRIES.iter().position(|entry| entry.name == "density").unwrap_or(0);
    for view in run.views() {
        let red = if view.carries { 220 } else { 40 };
        let green = (40.0 + 180.0 * (view.board[density] / DENSE).clamp(0.0, 1.0)) as u8;
        let _ = writeln!(
            svg,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{:.1}\" fill=\"rgb({red},{green},40)\" stroke=\"#000000\"/>",
            x(view.at.x),
            y(view.at.y),
            f64::from(foraging.robot.radius) * scale
        );
    }
    let [picked, delivered] = run.food();
    let _ = writeln!(
        svg,
        "<text x=\"8\" y=\"18\">{}</text>\n<text x=\"8\" y=\"{:.0}\">{:.0} s, {picked} pieces of food taken, {delivered} brought home</text>",
        escape(title),
        height - 8.0,
        foraging.seconds
    );
    svg + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_kernels::tree::{Kind, Tree};

    #[test]
    fn every_robot_has_trail() {
        let program = Program::compile(&Tree::leaf(Kind::Mf, &[])).unwrap();
        let foraging = Foraging { seconds: 20.0, ..Foraging::thesis(25) };
        let svg = trails(&foraging, &program, (1, 0), "mf alone");
        assert_eq!((svg.matches("<polyline").count(), svg.matches("<circle").count()), (25, 27));
        assert!(svg.contains("20 s, 0 pieces of food taken"));
    }
}
