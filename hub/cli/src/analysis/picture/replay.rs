//! Web page that replays one run. The page is a single file that contains its data, so it works when opened from disk.

use super::Caption;
use super::colours::FRISBEE;
use super::legend::{self, Legend, Row};
use anyhow::Result;
use serde::Serialize;
use xpuck_kernels::world::Pose;
use xpuck_lab::trajectories::Trajectories;

const PAGE: &str = include_str!("../../../replay/replay.html");
const STYLE: &str = include_str!("../../../replay/replay.css");
const SCRIPT: &str = include_str!("../../../replay/replay.js");

/// Data for the page's script.
#[derive(Serialize)]
struct Run<'a> {
    tree: &'a str,
    start: &'a str,
    seed: u64,
    run: u32,
    half_arena: (f32, f32),
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
        robots: trajectories.robots,
        bodies: (0..trajectories.shapes.len()).map(body).collect(),
        legend_title: legend::TITLE,
        legend: &legend.rows,
        frames: frames(trajectories, &legend),
    };
    // In the data, a text such as `</script>` would end the script. `<` is therefore escaped.
    let data = serde_json::to_string(&run)?.replace('<', "\\u003c");
    // The data is inserted last, because text in the data may look like a placeholder.
    Ok(PAGE.replace("{{style}}", STYLE).replace("{{script}}", SCRIPT).replace("{{data}}", &data))
}

fn frames(trajectories: &Trajectories, legend: &Legend) -> Frames {
    let frames = &trajectories.frames;
    let pose = |pose: &Pose| [pose.at.x * 1e4, pose.at.y * 1e4, pose.heading * 1e3].map(|v| v.round() as i32);
    let driver = |robot: usize, frame: usize| legend.row(frames[frame.max(1)].drivers[robot]);
    Frames {
        seconds: frames.iter().map(|f| rounded(f.seconds, 1)).collect(),
        fitness: frames.iter().map(|f| rounded(f.fitness, 4)).collect(),
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
