//! Export to Webots (R2022b and later). Each run has its own world with E-puck robots of Webots. All worlds use the
//! same controller in Python.

use super::{Export, ExportedFile, floor, number, table};
use std::fmt::Write;
use xpuck_kernels::math::Vec2;
use xpuck_kernels::world::floor::Shade;
use xpuck_kernels::world::{Pose, WorldSpec};

/// Files that are identical in every export.
const FIXED: [(&str, &str); 2] = [
    ("controllers/xpuck/xpuck.py", include_str!("webots/xpuck.py")),
    ("controllers/xpuck/xpuck_tree.py", include_str!("webots/xpuck_tree.py")),
];
/// Address of the PROTO files of Webots's release.
const RELEASE: &str = "https://raw.githubusercontent.com/cyberbotics/webots/R2023b/projects";
/// PROTO files that an exported world uses.
const PROTOS: [&str; 5] = [
    "objects/backgrounds/protos/TexturedBackground.proto",
    "objects/backgrounds/protos/TexturedBackgroundLight.proto",
    "objects/floors/protos/RectangleArena.proto",
    "robots/gctronic/e-puck/protos/E-puck.proto",
    "robots/gctronic/e-puck/protos/E-puckGroundSensors.proto",
];
/// Red, green and blue as VRML colours, in the order of the colour registers.
const COLOURS: [&str; 3] = ["1 0 0", "0 1 0", "0 0 1"];
/// Height of walls, height of discs, and thickness of inner walls and patches (m). Proximity sensors are 0.033 m above
/// the floor, so they detect walls but not discs.
const WALL: f32 = 0.1;
const DISC: f32 = 0.02;
const THIN: f32 = 0.004;
/// Height of paint above the floor (m). Only ground sensors and cameras detect it, because it has no bounding object.
const PAINT: f32 = 0.0002;

/// Returns the files of an export.
pub fn files(export: &Export<'_>) -> Vec<ExportedFile> {
    let made = |path: &str, text: String| ExportedFile { path: path.into(), text };
    let trees: Vec<_> = export.parts.iter().map(|(_, program)| program.listing()).collect();
    let fixed = FIXED.iter().map(|(path, text)| made(path, (*text).into()));
    let runs = (0..export.runs).map(|run| made(&format!("worlds/run-{run:04}.wbt"), world(export, run)));
    let trees = [made("controllers/xpuck/trees.py", table::python(&trees))];
    fixed.chain(trees).chain(runs).collect()
}

/// Returns the contents of the `.wbt` file of a run.
fn world(export: &Export<'_>, run: u32) -> String {
    let spec = export.spec;
    let (hx, hy) = spec.physics.half_arena;
    let base = Shade::of_level(spec.floor.level);
    let mut text = String::from("#VRML_SIM R2023b utf8\n\n");
    for proto in PROTOS {
        let _ = writeln!(text, "EXTERNPROTO \"{RELEASE}/{proto}\"");
    }
    let _ = write!(
        text,
        "\nWorldInfo {{\n  info [\n    \"Run {run} of seed {}, made by xpuck world export\"\n  ]\n  title \"{}\"\n  \
         basicTimeStep 20\n  coordinateSystem \"ENU\"\n}}\nViewpoint {{\n  orientation -0.577 0.577 0.577 2.094\n  \
         position 0 0 {}\n}}\nTexturedBackground {{\n}}\nTexturedBackgroundLight {{\n}}\nRectangleArena {{\n  \
         floorSize {} {}\n  floorAppearance {}  wallHeight {WALL}\n}}\n",
        export.seed,
        spec.task.name(),
        3.0 * hx.max(hy),
        2.0 * hx,
        2.0 * hy,
        matt(base),
    );
    for shade in [Shade::Black, Shade::Grey, Shade::White].into_iter().filter(|shade| *shade != base) {
        paint(&mut text, spec, shade);
    }
    for (i, wall) in spec.physics.walls.iter().enumerate() {
        let (along, middle) = (wall.to - wall.from, (wall.from + wall.to) * 0.5);
        let colour = "1 1 1";
        boxed(&mut text, &format!("wall {i}"), middle, along.angle(), [along.length(), THIN], colour, true);
    }
    for (i, patch) in spec.patches.iter().enumerate() {
        // A patch is parallel to its wall, and just inside the arena.
        let angle = if patch.is_upright(spec.physics.half_arena) { std::f32::consts::FRAC_PI_2 } else { 0.0 };
        let inside = |x: f32, half: f32| x.clamp(-(half - 0.5 * THIN), half - 0.5 * THIN);
        let at = Vec2 { x: inside(patch.at.x, hx), y: inside(patch.at.y, hy) };
        let colour = COLOURS[number(patch.colour)];
        boxed(&mut text, &format!("patch {i}"), at, angle, [2.0 * patch.half_length, THIN], colour, false);
    }
    let bodies = export.bodies(run);
    let (robots, discs) = bodies.split_at(spec.robots);
    for (i, disc) in discs.iter().enumerate() {
        let (shape, at) = (disc.shape, disc.pose.at);
        let _ = write!(
            text,
            "DEF DISC_{i} Solid {{\n  translation {} {} {}\n  children [\n    Shape {{\n      appearance PBRAppearance {{\n        \
             baseColor {}\n        roughness 1\n        metalness 0\n      }}\n      geometry DEF FORM_{i} Cylinder {{\n        \
             height {DISC}\n        radius {}\n      }}\n    }}\n  ]\n  name \"disc {i}\"\n  boundingObject USE FORM_{i}\n  \
             physics Physics {{\n    density -1\n    mass {}\n  }}\n}}\n",
            at.x,
            at.y,
            0.5 * DISC,
            COLOURS[number(shape.colour)],
            shape.radius,
            shape.mass
        );
    }
    for (i, robot) in robots.iter().enumerate() {
        let (Pose { at, heading }, tree) = (robot.pose, export.program_of(i));
        let fov = export.spec.physics.robot.camera.fov;
        let _ = write!(
            text,
            "E-puck {{\n  translation {} {} 0\n  rotation 0 0 1 {heading}\n  name \"xpuck {i}\"\n  controller \"xpuck\"\n  \
             controllerArgs [\n    \"{tree}\"\n    \"{i}\"\n    \"{}\"\n    \"{run}\"\n  ]\n  camera_fieldOfView {fov}\n  \
             turretSlot [\n    Compass {{\n    }}\n    {}\n  ]\n  groundSensorsSlot [\n    E-puckGroundSensors {{\n    }}\n  ]\n}}\n",
            at.x,
            at.y,
            export.seed,
            skirt()
        );
    }
    text
}

/// Returns an appearance with the brightness of a shade. Ground sensors measure the brightness alone, because roughness
/// is 0.
fn matt(shade: Shade) -> String {
    let level = 0.5 + 0.5 * shade.value();
    format!(
        "PBRAppearance {{\n        baseColor {level} {level} {level}\n        roughness 0\n        metalness 0\n      }}\n"
    )
}

/// Appends the paint of one shade, as rectangles just above the floor.
fn paint(text: &mut String, spec: &WorldSpec, shade: Shade) {
    let strips = floor::strips(spec, shade);
    if strips.is_empty() {
        return;
    }
    let _ = write!(
        text,
        "Solid {{\n  children [\n    Shape {{\n      appearance {}      geometry IndexedFaceSet {{\n        coord Coordinate {{\n          \
         point [\n",
        matt(shade)
    );
    for floor::Strip { low, high } in &strips {
        let corners = [(low.x, low.y), (high.x, low.y), (high.x, high.y), (low.x, high.y)];
        for (x, y) in corners {
            let _ = writeln!(text, "            {x} {y} {PAINT}");
        }
    }
    *text += "          ]\n        }\n        coordIndex [\n";
    for first in (0..strips.len()).map(|strip| 4 * strip) {
        let _ = writeln!(text, "          {first} {} {} {} -1", first + 1, first + 2, first + 3);
    }
    let _ = write!(text, "        ]\n      }}\n    }}\n  ]\n  name \"{} paint\"\n}}\n", shade.name());
}

/// Returns a red ring below the robot's camera. It marks the robot for the cameras of other robots, because the body
/// of the PROTO is green.
fn skirt() -> &'static str {
    "Transform {\n      translation 0.0095 0 -0.0366\n      children [\n        Shape {\n          appearance PBRAppearance {\n            \
     baseColor 1 0 0\n            roughness 1\n            metalness 0\n          }\n          geometry Cylinder {\n            \
     height 0.016\n            radius 0.0375\n            top FALSE\n            bottom FALSE\n          }\n        }\n      ]\n    }"
}

/// Appends a coloured box on the floor. If `solid` is true, the box collides with robots, as a wall does.
fn boxed(text: &mut String, name: &str, at: Vec2, angle: f32, [length, width]: [f32; 2], colour: &str, solid: bool) {
    let id = name.replace(' ', "_").to_uppercase();
    let bounds = if solid { format!("  boundingObject USE {id}\n") } else { String::new() };
    let _ = write!(
        text,
        "Solid {{\n  translation {} {} {}\n  rotation 0 0 1 {angle}\n  children [\n    Shape {{\n      appearance PBRAppearance {{\n        \
         baseColor {colour}\n        roughness 1\n        metalness 0\n      }}\n      geometry DEF {id} Box {{\n        \
         size {length} {width} {WALL}\n      }}\n    }}\n  ]\n  name \"{name}\"\n{bounds}}}\n",
        at.x,
        at.y,
        0.5 * WALL
    );
}
