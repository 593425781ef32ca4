//! Drawing of the trajectories of one run, with title, arena and legend, in the manner of Fig. 8.8 to 8.12 of the
//! thesis.

use super::Caption;
use super::colours::{FLOOR, FRISBEE, UNDRIVEN};
use super::legend::{self, Legend};
use super::scenery::Scenery;
use super::svg_bodies::{Plan, outlined};
use std::fmt::Write;
use xpuck_kernels::fonts;
use xpuck_kernels::markup::escape;
use xpuck_lab::trajectories::Trajectories;
use xpuck_stats::figure::Figure;

/// Length of the longer side of the arena (pixels, as for all lengths below).
const LONG_SIDE: f32 = 840.0;
const MARGIN: f32 = 24.0;
/// Height of the area above the arena, which contains the title.
const HEAD: f32 = 58.0;
/// Height of the area below the arena, which contains the scale bar and the key.
const KEYS: f32 = 40.0;
/// Height of a legend row.
const ROW: f32 = 19.0;

const STYLE: &str = "  <style>
    text { font: 13px monospace; fill: #1b1f24; white-space: pre }
    .title { font: bold 16px sans-serif }
    .small { font: 12px sans-serif; fill: #57606a }
    .bar { stroke: #1b1f24; stroke-width: 3 }
    .trajectory { fill: none; stroke-width: 1.8; stroke-linejoin: round; stroke-linecap: round }
    .outlines { fill: none; stroke-width: 0.8; stroke-opacity: 0.4 }
    .start { fill: none; stroke: #57606a; stroke-width: 1.4; stroke-dasharray: 4 3 }
    .end { stroke: #1b1f24; stroke-width: 1.4 }
    .heading { stroke: #1b1f24; stroke-width: 5; stroke-linecap: round }
    .heading.inner { stroke: #ffffff; stroke-width: 2 }
    .disc { fill-opacity: 0.2; stroke-width: 2 }
    .slide { fill: none; stroke-width: 4; stroke-opacity: 0.5; stroke-linejoin: round }
    .back { fill: none; stroke-width: 1.4; stroke-dasharray: 2 4 }
    .cross { fill: none; stroke-width: 2.4 }
";

/// Returns the drawing of a recorded run as SVG.
pub fn draw(trajectories: &Trajectories, caption: &Caption) -> String {
    let (half_x, half_y) = trajectories.half_arena;
    let scale = LONG_SIDE / (2.0 * half_x.max(half_y));
    let plan = Plan { half: trajectories.half_arena, scale, left: MARGIN, top: HEAD };
    let (wide, high) = (2.0 * half_x * scale, 2.0 * half_y * scale);
    let legend = Legend::new(trajectories);
    let width = wide + 2.0 * MARGIN;
    let height = HEAD + high + KEYS + ROW * (legend.rows.len() + 1) as f32 + MARGIN;
    let scenery = Scenery::from_trajectories(trajectories);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\">\n{}{}  </style>\n  <rect width=\"100%\" height=\"100%\" fill=\"{FLOOR}\"/>\n",
        fonts::with_fonts(STYLE),
        scenery.style()
    );
    title(&mut svg, trajectories, caption);
    scenery.floor(&mut svg, &plan);
    plan.discs(&mut svg, trajectories);
    plan.robots(&mut svg, trajectories, &legend);
    scenery.walls(&mut svg, &plan);
    keys(&mut svg, HEAD + high + 24.0, MARGIN + wide, 0.2 * scale, trajectories, scenery.has_goal());
    let mut y = HEAD + high + KEYS + 16.0;
    let _ = writeln!(svg, "  <text class=\"small\" x=\"{MARGIN}\" y=\"{y:.0}\">{}</text>", legend::TITLE);
    for row in &legend.rows {
        y += ROW;
        let _ = writeln!(
            svg,
            "  <rect x=\"{MARGIN}\" y=\"{:.0}\" width=\"22\" height=\"11\" fill=\"{}\"/>\n  \
             <text class=\"branch\" xml:space=\"preserve\" x=\"{:.0}\" y=\"{y:.0}\">{:>4}  {:5.1} %  {}</text>",
            y - 10.0,
            row.colour,
            MARGIN + 32.0,
            row.line.map_or(String::new(), |line| line.to_string()),
            100.0 * row.share,
            escape(&row.text)
        );
    }
    svg.push_str("</svg>\n");
    svg
}

fn title(svg: &mut String, trajectories: &Trajectories, caption: &Caption) {
    let Caption { tree, start, seed, run } = caption;
    let period = trajectories.frames[1].seconds;
    let what = if outlined(trajectories) { "a point and an outline" } else { "a point" };
    let back = match (trajectories.task.relocates(), trajectories.relocations) {
        (true, 1) => "; frisbee put back once".into(),
        (true, n) => format!("; frisbee put back {n} times"),
        _ => String::new(),
    };
    let _ = writeln!(
        svg,
        "  <text class=\"title\" x=\"{MARGIN}\" y=\"24\">{}: fitness {:.4}</text>\n  \
         <text class=\"small\" x=\"{MARGIN}\" y=\"44\">{}, seed {seed}, run {run}; robots: {}; {:.1} s{back}; \
         {what} every {period:.1} s</text>",
        escape(tree),
        Figure(trajectories.fitness().into()),
        escape(start),
        trajectories.robots,
        trajectories.seconds(),
    );
}

/// Draws the key and a scale bar at height `y`. The key explains the shapes. The scale bar represents 0.2 m, has a
/// length of `bar` pixels and ends at `right`.
fn keys(svg: &mut String, y: f32, right: f32, bar: f32, trajectories: &Trajectories, goal: bool) {
    let text = y + 4.0;
    let word = |svg: &mut String, x: f32, word: &str| {
        let _ = writeln!(svg, "  <text class=\"small\" x=\"{x:.0}\" y=\"{text:.0}\">{word}</text>");
    };
    let mut x = MARGIN;
    for (class, fill, meaning) in [("start", "", "start"), ("end", UNDRIVEN, "end")] {
        let fill = if fill.is_empty() { String::new() } else { format!(" fill=\"{fill}\"") };
        let _ = writeln!(svg, "  <circle class=\"{class}\" cx=\"{:.0}\" cy=\"{y:.0}\" r=\"9\"{fill}/>", x + 10.0);
        word(svg, x + 26.0, meaning);
        x += 72.0;
    }
    if trajectories.shapes.len() > trajectories.robots {
        let disc = if trajectories.task.moves_disc() { "frisbee" } else { "disc" };
        let back = trajectories.task.relocates().then_some(("back", "put back near the centre", 170.0));
        for (class, meaning, room) in [Some(("slide", disc, 62.0)), back].into_iter().flatten() {
            let _ = writeln!(svg, "  <path class=\"{class}\" stroke=\"{FRISBEE}\" d=\"M{x:.0} {y:.0}h30\"/>");
            word(svg, x + 38.0, meaning);
            x += 38.0 + room;
        }
    }
    if goal {
        let _ = writeln!(svg, "  <path class=\"goal\" d=\"M{x:.0} {:.0}v20\"/>", y - 10.0);
        word(svg, x + 10.0, "goal");
    }
    word(svg, right - bar - 42.0, "0.2 m");
    let _ = writeln!(svg, "  <path class=\"bar\" d=\"M{:.1} {y:.0}h{bar:.1}\"/>", right - bar);
}
