//! Drawing of worlds: floor, walls, regions of the task, lights, and bodies at a start.

use super::colours::{FLOOR, FRISBEE};
use super::scenery::{self, Scenery};
use super::svg_bodies::Plan;
use std::fmt::Write;
use xpuck_kernels::fonts;
use xpuck_kernels::markup::escape;
use xpuck_kernels::world::{World, WorldSpec};

/// Longer side of the arena in a picture of one world, and of several (pixels).
const LONG_SIDE: f32 = 640.0;
const LONG_SIDE_OF_SEVERAL: f32 = 380.0;
const MARGIN: f32 = 24.0;
/// Height of the title above the arena.
const HEAD: f32 = 44.0;

const STYLE: &str = "  <style>
    text { font: 13px monospace; fill: #1b1f24; white-space: pre }
    .title { font: bold 16px sans-serif }
    .small { font: 12px sans-serif; fill: #57606a }
    .robot { fill: #ffffff; fill-opacity: 0.85; stroke: #57606a; stroke-width: 1.4 }
";

/// Draws worlds with the bodies of their first starts, from seed 1. Each world has a title. Several worlds are drawn side
/// by side, in about as many rows as columns.
pub fn draw(worlds: &[(WorldSpec, String)]) -> String {
    let long_side = if worlds.len() > 1 { LONG_SIDE_OF_SEVERAL } else { LONG_SIDE };
    let plans: Vec<Plan> = worlds.iter().map(|(spec, _)| plan(spec, long_side)).collect();
    let (mut width, mut top) = (0.0f32, 0.0);
    let mut body = String::new();
    let columns = (1..).find(|columns| columns * columns >= worlds.len()).unwrap_or(1);
    for (row, plans) in worlds.chunks(columns).zip(plans.chunks(columns)) {
        let (mut left, mut height) = (0.0, 0.0f32);
        for ((spec, title), plan) in row.iter().zip(plans) {
            let (wide, high) = (2.0 * plan.half.0 * plan.scale, 2.0 * plan.half.1 * plan.scale);
            let placed = Plan { left: left + MARGIN, top: top + HEAD, ..*plan };
            draw_world(&mut body, spec, title, &placed);
            left += wide + if worlds.len() > 1 { MARGIN } else { 2.0 * MARGIN };
            height = height.max(high);
        }
        width = width.max(if worlds.len() > 1 { left + MARGIN } else { left });
        top += HEAD + height;
    }
    let height = top + MARGIN;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\">\n{}{}  </style>\n  \
         <rect width=\"100%\" height=\"100%\" fill=\"{FLOOR}\"/>\n{body}</svg>\n",
        fonts::with_fonts(STYLE),
        scenery::style(),
    )
}

/// Returns the scale of a picture, at the upper left of the drawing.
fn plan(spec: &WorldSpec, long_side: f32) -> Plan {
    let half = spec.physics.half_arena;
    Plan { half, scale: long_side / (2.0 * half.0.max(half.1)), left: 0.0, top: 0.0 }
}

fn draw_world(svg: &mut String, spec: &WorldSpec, title: &str, plan: &Plan) {
    let _ = writeln!(
        svg,
        "  <text class=\"title\" x=\"{}\" y=\"{}\">{}</text>",
        plan.left,
        plan.top - HEAD + 26.0,
        escape(title)
    );
    let scenery = Scenery::from_world(spec);
    scenery.floor(svg, plan);
    let world = World::new(spec, 0, 1, 0);
    for (index, body) in world.bodies.iter().enumerate() {
        let ((x, y), radius) = (plan.at(body.pose.at), body.shape.radius * plan.scale);
        let class = if index < spec.robots { "class=\"robot\"".into() } else { format!("fill=\"{FRISBEE}\"") };
        let _ = writeln!(svg, "  <circle {class} cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\"/>");
    }
    scenery.walls(svg, plan);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_worlds_are_drawn_side_by_side() {
        let world = |title: &str| (WorldSpec::benchmark(2), title.to_owned());
        let one = draw(&[world("a")]);
        assert!(one.contains("width=\"688\" height=\"548\""), "{}", &one[..200]);
        let four = draw(&["a", "b", "c", "d"].map(world));
        assert!(four.contains("width=\"832\" height=\"682\""), "{}", &four[..200]);
        let document = roxmltree::Document::parse(&four).unwrap();
        let titles = document.descendants().filter(|node| node.attribute("class") == Some("title"));
        let places: Vec<_> = titles.map(|node| (node.attribute("x").unwrap(), node.attribute("y").unwrap())).collect();
        assert_eq!(places, [("24", "26"), ("428", "26"), ("24", "355"), ("428", "355")]);
    }

    /// docs/missions.svg equals the output of the command in docs/missions.md.
    #[test]
    fn documented_drawing_matches_output() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let worlds = ["aac", "sca", "for", "gate"].map(|mission| {
            let file = format!("docs/worlds/missions/{mission}.toml");
            (xpuck_experiment::world_file::read(&root.join(&file)).unwrap(), file)
        });
        let shown = std::fs::read_to_string(root.join("docs/missions.svg")).unwrap();
        assert!(shown == draw(&worlds), "draw docs/missions.svg again: make mission-pictures");
    }

    /// A row of docs/worlds/missions/README.md contains the comment of the mission's file, its trap, and its formula.
    #[test]
    fn each_mission_has_its_picture_and_its_row() {
        let page = include_str!("../../../../../docs/worlds/missions/README.md");
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let folder = "docs/worlds/missions";
        let mut missions = 0;
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap();
            if path.extension().is_none_or(|ending| ending != "toml") {
                continue;
            }
            let world = (xpuck_experiment::world_file::read(&path).unwrap(), format!("{folder}/{name}.toml"));
            let picture = std::fs::read_to_string(path.with_extension("svg")).unwrap_or_default();
            assert!(picture == draw(&[world]), "draw {folder}/{name}.svg again: make mission-pictures");
            let text = std::fs::read_to_string(&path).unwrap();
            let comment: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("# ")).collect();
            let comment = comment.join(" ");
            let (scored, trap) = comment.split_once(" Trap: ").unwrap_or_else(|| panic!("{name}.toml has no Trap:"));
            let formula = text.split("\nscore = \"").nth(1).unwrap().split('"').next().unwrap();
            let row = format!("({name}.svg) | [{name}]({name}.toml)<br>{scored}<br>`{formula}` | {trap} |");
            assert!(page.contains(&row), "write {folder}/README.md again: make mission-pictures; it lacks {row}");
            missions += 1;
        }
        assert_eq!(page.matches("<img").count(), missions, "rows of missions that do not exist");
    }
}
