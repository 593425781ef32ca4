//! Web page that replays one run. The page is a single file that contains its data, so it works when opened from disk.
//! Floor and walls are a drawing, over which the script draws the bodies.

use super::Caption;
use super::colours::FRISBEE;
use super::legend::{self, Legend, Row};
use super::scenery::Scenery;
use super::svg_bodies::Plan;
use anyhow::Result;
use serde::Serialize;
use std::fmt::Write;
use xpuck_kernels::fonts;
use xpuck_kernels::math::{Vec2, vec2};
use xpuck_kernels::world::Pose;
use xpuck_lab::trajectories::Trajectories;
use xpuck_wire::output::significant;

const PAGE: &str = include_str!("../../../replay/replay.html");
const STYLE: &str = include_str!("../../../replay/replay.css");
const SCRIPT: &str = include_str!("../../../replay/replay.js");

/// Length of the longer side of the arena in the drawing (units of the drawing).
const LONG_SIDE: f32 = 640.0;
/// Length of the arena as a fraction of that of the drawing. The rest is margin. The script uses the same fraction.
const FILLED: f32 = 0.985;
/// Distance of the lines of the grid (m).
const GRID: f32 = 0.5;
const GRID_STYLE: &str = ".grid { fill: none; stroke: #e3e8ee }\n";

/// Data for the page's script.
#[derive(Serialize)]
struct Run<'a> {
    tree: &'a str,
    start: &'a str,
    seed: u64,
    run: u32,
    half_arena: (f32, f32),
    /// Length of the arena as a fraction of that of the drawing.
    filled: f32,
    robots: usize,
    bodies: Vec<Body>,
    legend_title: &'static str,
    legend: &'a [Row],
    frames: Frames,
}

#[derive(Serialize)]
struct Body {
    radius: f32,
    /// Colour of a disc. `None` for a robot, which has the colour of its driving branch.
    colour: Option<&'static str>,
}

/// Quantities of all frames, with one list per quantity.
#[derive(Serialize)]
struct Frames {
    seconds: Vec<f64>,
    fitness: Vec<f64>,
    /// Value of the mission so far, as text. `None` for other tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Vec<String>>,
    put_back: Vec<bool>,
    /// For each body, the sequence of x, y (0.1 mm) and heading (mrad) over all frames. Integers keep the page small.
    poses: Vec<Vec<i32>>,
    /// For each robot, the index of its legend row in each frame. The first frame has the legend row of the second
    /// frame, because no branch drives the robot before the first frame.
    drivers: Vec<Vec<usize>>,
}

/// Returns the page of a recorded run as HTML.
pub fn page(trajectories: &Trajectories, caption: &Caption) -> Result<String> {
    let legend = Legend::new(trajectories);
    let body = |i: usize| Body {
        radius: trajectories.shapes[i].radius,
        colour: (i >= trajectories.robots).then_some(FRISBEE),
    };
    let run = Run {
        tree: &caption.tree,
        start: &caption.start,
        seed: caption.seed,
        run: caption.run,
        half_arena: trajectories.half_arena,
        filled: FILLED,
        robots: trajectories.robots,
        bodies: (0..trajectories.shapes.len()).map(body).collect(),
        legend_title: legend::TITLE,
        legend: &legend.rows,
        frames: frames(trajectories, &legend),
    };
    // In the data, a text such as `</script>` would end the script. `<` is therefore escaped.
    let data = serde_json::to_string(&run)?.replace('<', "\\u003c");
    let scenery = Scenery::from_trajectories(trajectories);
    let style = [STYLE, GRID_STYLE, &fonts::with_fonts(&scenery.style())].concat();
    let page = PAGE.replace("{{style}}", &style).replace("{{script}}", SCRIPT);
    // The data is inserted last, because text in the data may look like a placeholder.
    Ok(page.replace("{{scenery}}", &background(&scenery, trajectories.half_arena)).replace("{{data}}", &data))
}

/// Returns the drawing below the bodies as SVG: a grid, the floor, and the walls.
fn background(scenery: &Scenery<'_>, half: (f32, f32)) -> String {
    let scale = LONG_SIDE / (2.0 * half.0.max(half.1));
    let (wide, high) = (2.0 * half.0 * scale / FILLED, 2.0 * half.1 * scale / FILLED);
    let margin = (1.0 - FILLED) / 2.0;
    let plan = Plan { half, scale, left: margin * wide, top: margin * high };
    let mut svg = format!("<svg viewBox=\"0 0 {wide:.1} {high:.1}\">\n  <path class=\"grid\" d=\"");
    let mut line = |from: Vec2, to: Vec2| {
        let ((x, y), (to_x, to_y)) = (plan.at(from), plan.at(to));
        let _ = write!(svg, "M{x:.1} {y:.1}L{to_x:.1} {to_y:.1}");
    };
    let places = |half: f32| {
        let lines = (half / GRID) as i32;
        (-lines..lines + 1).map(|i| i as f32 * GRID)
    };
    places(half.0).for_each(|x| line(vec2(x, -half.1), vec2(x, half.1)));
    places(half.1).for_each(|y| line(vec2(-half.0, y), vec2(half.0, y)));
    svg.push_str("\"/>\n");
    scenery.floor(&mut svg, &plan);
    scenery.walls(&mut svg, &plan);
    svg.push_str("</svg>");
    svg
}

fn frames(trajectories: &Trajectories, legend: &Legend) -> Frames {
    let frames = &trajectories.frames;
    let pose = |pose: &Pose| [pose.at.x * 1e4, pose.at.y * 1e4, pose.heading * 1e3].map(|v| v.round() as i32);
    let driver = |robot: usize, frame: usize| legend.row(frames[frame.max(1)].drivers[robot]);
    Frames {
        seconds: frames.iter().map(|f| rounded(f.seconds, 1)).collect(),
        fitness: frames.iter().map(|f| rounded(f.fitness, 4)).collect(),
        value: frames
            .iter()
            .map(|f| trajectories.task.value_of(f.fitness.into()).map(significant))
            .collect::<Option<Vec<_>>>(),
        put_back: frames.iter().map(|f| f.put_back).collect(),
        poses: (0..trajectories.shapes.len())
            .map(|b| frames.iter().flat_map(|f| pose(&f.poses[b])).collect())
            .collect(),
        drivers: (0..trajectories.robots).map(|r| (0..frames.len()).map(|f| driver(r, f)).collect()).collect(),
    }
}

/// Rounds a number to at most `decimals` decimals.
fn rounded(value: f32, decimals: i32) -> f64 {
    let power = 10f64.powi(decimals);
    (f64::from(value) * power).round() / power
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_experiment::world_file;
    use xpuck_kernels::tree::{Program, Tree};
    use xpuck_kernels::world::{World, WorldSpec};
    use xpuck_lab::trajectories::record;

    /// A mission with paint, a box, a light, paint that appears after 0.5 s, and a region that never exists.
    const MISSION: &str = "
robots = 2
task = { kind = \"objective\", score = \"last(n(spot) + 8 * time)\", worst = 0, best = 2 }
region = [
    { name = \"spot\", disc = { at_m = [0, 0], radius_m = 2 }, paint = \"black\" },
    { name = \"late\", disc = { at_m = [0.5, 0], radius_m = 0.2 }, paint = \"white\", when = \"time > 0.5\" },
    { name = \"never\", disc = { at_m = [0.5, 0], radius_m = 0.2 }, when = \"time > 99\" },
]
box = [{ at_m = [0.4, 0.4], size_m = [0.2, 0.2] }]
light = [{ at_m = [-0.5, 0.5], brightness = 1 }]
start = [{ x_m = [-0.8, -0.2], y_m = [-0.6, -0.2] }]
";

    fn page_of(spec: &WorldSpec) -> String {
        let tree = Tree::parse("successl").unwrap();
        let trajectories = record(World::new(spec, 0, 1, 0), &tree, &Program::compile(&tree).unwrap(), 10);
        page(&trajectories, &Caption { tree: String::new(), start: String::new(), seed: 1, run: 0 }).unwrap()
    }

    /// Returns the classes and fills of the elements of the page's drawing.
    fn drawn(page: &str) -> Vec<String> {
        let svg = format!("<svg{}</svg>", page.split("<svg").nth(1).unwrap().split("</svg>").next().unwrap());
        let document = roxmltree::Document::parse(&svg).unwrap();
        let of = |node: roxmltree::Node<'_, '_>| {
            Some([node.attribute("class")?, node.attribute("fill").unwrap_or("")].join(" "))
        };
        document.descendants().filter_map(of).collect()
    }

    #[test]
    fn page_of_a_mission_has_its_floor_walls_and_values() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("world.toml");
        std::fs::write(&file, MISSION).unwrap();
        let page = page_of(&world_file::read(&file).unwrap());
        let drawn = drawn(&page);
        let count = |start: &str| drawn.iter().filter(|element| element.starts_with(start)).count();
        assert_eq!((count("shape #5c5c5c"), count("shape url(#stripes"), count("shape tint")), (1, 1, 0), "{drawn:?}");
        assert_eq!((count("inner-wall"), count("light"), count("goal"), count("area-name")), (4, 1, 0, 2), "{drawn:?}");
        assert!(page.contains(".light {") && page.contains("region late: white paint, only while"), "{page}");
        assert!(page.contains("\"value\":[\"2\",\"2.8\",") && page.contains(",\"10\"]"), "{page}");
    }

    #[test]
    fn page_of_transport_has_a_goal_and_no_value() {
        let page = page_of(&WorldSpec::benchmark(2));
        assert_eq!(drawn(&page), ["grid ", "wall ", "goal "]);
        assert!(!page.contains("\"value\":[") && !page.contains("{{"));
        let other = WorldSpec { task: xpuck_kernels::world::Task::Dispersion, ..WorldSpec::benchmark(2) };
        assert_eq!(drawn(&page_of(&other)), ["grid ", "wall "]);
    }
}
