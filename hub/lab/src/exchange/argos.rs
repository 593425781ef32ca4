//! Export to ARGoS 3: an `.argos` file for each run, and a library with the controller and the loop functions.
//!
//! The exported robot is the e-puck of ARGoS. Its body, its wheels and its range-and-bearing device equal those of
//! Xpuck's reference robot. This e-puck has no camera, so the loop functions simulate the reference robot's camera.

use super::{Export, ExportedFile, floor, number, table};
use std::fmt::Write;
use xpuck_kernels::math::Vec2;
use xpuck_kernels::model::{GRAVITY, STEPS_PER_UPDATE};
use xpuck_kernels::world::Pose;
use xpuck_kernels::world::floor::Shade;

/// Files that are identical in every export.
const FIXED: [(&str, &str); 7] = [
    ("tree.hpp", include_str!("argos/tree.hpp")),
    ("floor.hpp", include_str!("argos/floor.hpp")),
    ("camera.hpp", include_str!("argos/camera.hpp")),
    ("controller.hpp", include_str!("argos/controller.hpp")),
    ("controller.cpp", include_str!("argos/controller.cpp")),
    ("loop.cpp", include_str!("argos/loop.cpp")),
    ("CMakeLists.txt", include_str!("argos/CMakeLists.txt")),
];
/// Thickness of the arena's walls and of inner walls (m). In Xpuck's worlds, inner walls have no thickness.
const WALL: [f32; 2] = [0.05, 0.004];
/// Heights of walls and discs (m). Proximity rays are 0.06 m above the floor and therefore pass above discs.
const HEIGHT: [f32; 2] = [0.2, 0.02];
/// Resolution of the picture of the floor (pixels per metre). Ground sensors do not use the picture.
const PIXELS: u32 = 100;

/// Returns the files of an export.
pub fn files(export: &Export<'_>) -> Vec<ExportedFile> {
    let made = |path: &str, text: String| ExportedFile { path: path.into(), text };
    let trees: Vec<_> = export.parts.iter().map(|(_, program)| program.listing()).collect();
    let fixed = FIXED.iter().map(|(path, text)| made(path, (*text).into()));
    let runs = (0..export.runs).map(|run| made(&format!("run-{run:04}.argos"), experiment(export, run)));
    let generated = [made("trees.hpp", table::cpp(&trees)), made("world.hpp", world(export))];
    fixed.chain(generated).chain(runs).collect()
}

/// Returns the file `world.hpp`, which contains the parameters of the world for the loop functions.
fn world(export: &Export<'_>) -> String {
    let spec = export.spec;
    let (hx, hy) = spec.physics.half_arena;
    let list = |rows: Vec<String>| rows.join(", ");
    let discs = spec.discs.iter().map(|d| format!("{{{:?}, {}}}", d.shape.radius, number(d.shape.colour)));
    let walls = spec.physics.walls.iter();
    let walls = walls.map(|w| format!("{{{:?}, {:?}, {:?}, {:?}}}", w.from.x, w.from.y, w.to.x, w.to.y));
    let patches = spec.patches.iter();
    let patches = patches.map(|p| format!("{{{:?}, {:?}, {:?}, {}}}", p.at.x, p.at.y, p.half_length, number(p.colour)));
    format!(
        "// The world, made by `xpuck world export`.\n#ifndef XPUCK_WORLD_HPP\n#define XPUCK_WORLD_HPP\n\n\
         #include \"camera.hpp\"\n#include \"floor.hpp\"\n#include <string>\n#include <vector>\n\nnamespace xpuck {{\n\n\
         struct Disc {{ double radius; int colour; }};\n\
         const double HALF_LENGTH = {hx:?}, HALF_WIDTH = {hy:?};\n\
         const std::string TASK = \"{}\";\nconst bool RELOCATES = {};\n\
         const std::vector<Disc> DISCS = {{{}}};\nconst std::vector<Line> WALLS = {{{}}};\n\
         const std::vector<Patch> PATCHES = {{{}}};\n\
         const int FLOOR = {:.0};\nconst std::vector<Paint> PAINTS = {{{}}};\n\n}}  // namespace xpuck\n\n#endif\n",
        spec.task.name(),
        spec.task.relocates(),
        list(discs.collect()),
        list(walls.collect()),
        list(patches.collect()),
        Shade::of_level(spec.floor.level).value(),
        floor::cpp(&spec.floor),
    )
}

/// Returns the contents of the `.argos` file of a run.
fn experiment(export: &Export<'_>, run: u32) -> String {
    let Export { spec, seed, seconds, .. } = export;
    let (hx, hy) = spec.physics.half_arena;
    // A seed of 0 would make ARGoS choose a random seed.
    let random = (*seed as u32).wrapping_mul(1_000_003).wrapping_add(run).max(1);
    let controllers: String = (0..export.parts.len()).map(|tree| controller(export, tree, run)).collect();
    let [length, width] = [hx, hy].map(|half| 2.0 * half + 0.4);
    let floor = spec.discs.first().map(|disc| {
        let force = disc.shape.mu * disc.shape.mass * GRAVITY;
        (force, force * disc.shape.contact_arm)
    });
    let friction = floor.map_or(String::new(), |(force, torque)| {
        format!(
            "\n      <friction cylinder_linear_friction=\"{force}\" cylinder_angular_friction=\"{torque}\" />\n    "
        )
    });
    format!(
        "<?xml version=\"1.0\" ?>\n<!-- Run {run} of seed {seed}, made by `xpuck world export`. -->\n<argos-configuration>\n\
         \x20 <framework>\n    <system threads=\"0\" />\n    <experiment length=\"{seconds}\" ticks_per_second=\"10\" \
         random_seed=\"{random}\" />\n  </framework>\n\
         \x20 <controllers>\n{controllers}  </controllers>\n\
         \x20 <loop_functions library=\"libxpuck_argos\" label=\"xpuck_loop\" seed=\"{seed}\" run=\"{run}\" />\n\
         \x20 <arena size=\"{length}, {width}, 1\" center=\"0,0,0.5\">\n{}  </arena>\n\
         \x20 <physics_engines>\n    <dynamics2d id=\"dyn2d\" iterations=\"{STEPS_PER_UPDATE}\">{friction}</dynamics2d>\n  \
         </physics_engines>\n\
         \x20 <media>\n    <range_and_bearing id=\"rab\" check_occlusions=\"false\" />\n  </media>\n</argos-configuration>\n",
        entities(export, run),
    )
}

/// Returns the XML element of the controller for a tree. Xpuck's worlds draw motion noise in each physics step. In
/// ARGoS, wheel noise with an adapted deviation replaces it.
fn controller(export: &Export<'_>, tree: usize, run: u32) -> String {
    let seed = export.seed;
    let ground = match floor::is_painted(&export.spec.floor) {
        true => "        <ground implementation=\"rot_z_only\" />\n",
        false => "",
    };
    let deviation = export.spec.physics.noise[0] / (STEPS_PER_UPDATE as f32).sqrt();
    format!(
        "    <xpuck_controller id=\"tree_{tree}\" library=\"libxpuck_argos\">\n      <actuators>\n\
         \x20       <differential_steering implementation=\"default\" bias_avg=\"0\" bias_stddev=\"0\" factor_avg=\"1\" \
         factor_stddev=\"{deviation}\" />\n\
         \x20       <range_and_bearing implementation=\"default\" />\n      </actuators>\n      <sensors>\n\
         \x20       <epuck_proximity implementation=\"default\" />\n\
         {ground}\
         \x20       <positioning implementation=\"default\" />\n\
         \x20       <range_and_bearing implementation=\"medium\" medium=\"rab\" />\n      </sensors>\n\
         \x20     <params tree=\"{tree}\" seed=\"{seed}\" run=\"{run}\" />\n    </xpuck_controller>\n"
    )
}

/// Returns the XML elements of the floor, walls, discs and robots. Ground sensors need the floor when they are made, so
/// it is first.
fn entities(export: &Export<'_>, run: u32) -> String {
    let spec = export.spec;
    let (hx, hy) = spec.physics.half_arena;
    let mut text = String::new();
    if floor::is_painted(&spec.floor) {
        let _ = writeln!(text, "    <floor id=\"floor\" source=\"loop_functions\" pixels_per_meter=\"{PIXELS}\" />");
    }
    let mut wall = |id: String, at: Vec2, size: [f32; 2], degrees: f32| {
        let ([length, width], height) = (size, HEIGHT[0]);
        let _ = writeln!(
            text,
            "    <box id=\"{id}\" size=\"{length},{width},{height}\" movable=\"false\">\n      \
             <body position=\"{},{},0\" orientation=\"{degrees},0,0\" />\n    </box>",
            at.x, at.y
        );
    };
    let [thick, thin] = WALL;
    let around = [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)];
    for (i, (x, y)) in around.into_iter().enumerate() {
        let at = Vec2 { x: x * (hx + 0.5 * thick), y: y * (hy + 0.5 * thick) };
        let size = if y == 0.0 { [thick, 2.0 * (hy + thick)] } else { [2.0 * hx, thick] };
        wall(format!("arena_{i}"), at, size, 0.0);
    }
    for (i, inner) in spec.physics.walls.iter().enumerate() {
        let along = inner.to - inner.from;
        let middle = (inner.from + inner.to) * 0.5;
        wall(format!("wall_{i}"), middle, [along.length(), thin], along.angle().to_degrees());
    }
    let bodies = export.bodies(run);
    let (robots, discs) = bodies.split_at(spec.robots);
    for (i, disc) in discs.iter().enumerate() {
        let (shape, at) = (disc.shape, disc.pose.at);
        let _ = writeln!(
            text,
            "    <cylinder id=\"disc_{i}\" radius=\"{}\" height=\"{}\" movable=\"true\" mass=\"{}\">\n      \
             <body position=\"{},{},0\" orientation=\"0,0,0\" />\n    </cylinder>",
            shape.radius, HEIGHT[1], shape.mass, at.x, at.y
        );
    }
    for (i, robot) in robots.iter().enumerate() {
        let (Pose { at, heading }, tree) = (robot.pose, export.program_of(i));
        let range = spec.messages.map_or(spec.physics.robot.neighbour_range, |messages| messages.range_m);
        let _ = writeln!(
            text,
            "    <e-puck id=\"xpuck_{i}\" rab_range=\"{range}\" rab_data_size=\"1\">\n      \
             <body position=\"{},{},0\" orientation=\"{},0,0\" />\n      <controller config=\"tree_{tree}\" />\n    </e-puck>",
            at.x,
            at.y,
            heading.to_degrees()
        );
    }
    text
}
