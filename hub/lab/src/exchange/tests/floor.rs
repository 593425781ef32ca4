//! Compares the exported floor with the floor of Xpuck's worlds.

use super::super::{argos, floor, webots};
use super::ticks::{put, runs};
use super::{program, with_export};
use std::process::Command;
use xpuck_experiment::world_file;
use xpuck_kernels::math::{Vec2, vec2};
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::world::WorldSpec;
use xpuck_kernels::world::floor::{Floor, Shade};

/// World with paint of every shape, an overlap, and a shape that is cut out.
const WORLD: &str = r#"
robots = 2
[task]
kind = "objective"
score = "last(n(spot))"
worst = 0
best = 2
[floor]
confusion = [[0.9, 0.1, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
[[start]]
x_m = [-0.5, 0.5]
y_m = [-0.5, 0.5]
[[region]]
name = "spot"
disc = { at_m = [-0.5, 0.1], radius_m = 0.2 }
paint = "black"
[[region]]
name = "box"
rectangle = { x_m = [-0.6, -0.1], y_m = [0.0, 0.5] }
paint = "white"
[[region]]
name = "box"
disc = { at_m = [-0.2, 0.4], radius_m = 0.1 }
cut = true
[[region]]
name = "ring"
ring = { at_m = [0.4, 0.2], inner_m = 0.1, outer_m = 0.25 }
paint = 0.2
[[region]]
name = "triangle"
polygon_m = [[0.1, -0.6], [0.6, -0.5], [0.2, -0.1]]
paint = 0.8
[[region]]
name = "end"
half_plane = { towards_deg = 200, from_m = 0.7 }
paint = "black"
[[region]]
name = "outside"
beyond = { at_m = [0.0, 0.0], radius_m = 1.0 }
paint = "white"
"#;

fn painted() -> WorldSpec {
    world_file::parse("painted", WORLD).unwrap()
}

/// Returns random places in the arena, and the values of s_ground of a sensor there.
fn places(spec: &WorldSpec, count: usize) -> Vec<(Vec2, f32)> {
    let mut draws = Draws::new(11, 0, 0, 0, Stream::Device);
    let (hx, hy) = spec.physics.half_arena;
    let mut place = || vec2(draws.range(-hx, hx), draws.range(-hy, hy));
    let value = |at| Shade::of_level(spec.floor.level(at, u32::MAX)).value();
    (0..count).map(|_| place()).map(|at| (at, value(at))).collect()
}

const MAIN: &str = r#"
#include "world.hpp"
#include <cstdio>
int main() {
    double x, y;
    while (std::scanf("%lf %lf", &x, &y) == 2) std::printf("%d\n", xpuck::shade_at(x, y, xpuck::PAINTS, xpuck::FLOOR));
}
"#;

#[test]
fn argos_floor_has_the_shades_of_the_world() {
    if !runs("g++") {
        xpuck_testing::skipped("there is no g++");
        return;
    }
    let spec = painted();
    let files = with_export(&spec, argos::files);
    let folder = tempfile::tempdir().unwrap();
    let text = |name: &str| files.iter().find(|file| file.path == name).unwrap().text.as_str();
    put(folder.path(), &[("main.cpp", MAIN)]);
    put(folder.path(), &["world.hpp", "camera.hpp", "floor.hpp"].map(|name| (name, text(name))));
    let mut compiler = Command::new("g++");
    compiler.args(["-std=c++14", "-Wall", "-Werror", "main.cpp", "-o", "shades"]).current_dir(&folder);
    assert!(compiler.status().unwrap().success());
    let places = places(&spec, 4000);
    let input: String = places.iter().map(|(at, _)| format!("{} {}\n", at.x, at.y)).collect();
    let output = super::ticks::answer(Command::new(folder.path().join("shades")), &input);
    let mut counts = [0; 3];
    for ((at, expected), got) in places.iter().zip(output.lines()) {
        assert_eq!(got.parse::<f32>().unwrap(), *expected, "{at:?}");
        counts[(expected + 1.0) as usize] += 1;
    }
    assert!(counts.iter().all(|count| *count > 300), "{counts:?}");
}

#[test]
fn webots_paint_differs_only_near_borders() {
    let spec = painted();
    let shades = [Shade::Black, Shade::Grey, Shade::White];
    let strips = shades.map(|shade| floor::strips(&spec, shade));
    for (at, expected) in places(&spec, 2000) {
        let covers = |strip: &floor::Strip| {
            (strip.low.x..strip.high.x).contains(&at.x) && (strip.low.y..strip.high.y).contains(&at.y)
        };
        let covering: Vec<usize> = (0..3).filter(|i| strips[*i].iter().any(covers)).collect();
        assert_eq!(covering.len(), 1, "{at:?}");
        let near = |x: f32, y: f32| Shade::of_level(spec.floor.level(at + vec2(x, y), u32::MAX)).value();
        let around = [(0.01, 0.0), (-0.01, 0.0), (0.0, 0.01), (0.0, -0.01)];
        let is_inner = around.iter().all(|(x, y)| near(*x, *y) == expected);
        assert!(!is_inner || shades[covering[0]].value() == expected, "{at:?}: {covering:?} for {expected}");
    }
}

const PYTHON: &str = r#"
import sys, types
stub = types.ModuleType("controller")
stub.Robot = None
sys.modules["controller"] = stub
sys.argv = ["xpuck"]
import xpuck
for height in (0.003, 0.0033):
    for brightness in (0.0, 0.5, 1.0):
        far = min(height / (0.2 + 0.8 * brightness), 0.016)
        for noise in (-4, 4):
            print(xpuck.ground(1000 - 700 * far / 0.016 + noise))
"#;

#[test]
fn webots_controller_reads_the_three_shades() {
    if !runs("python3") {
        xpuck_testing::skipped("there is no python3");
        return;
    }
    let files = with_export(&painted(), webots::files);
    let folder = tempfile::tempdir().unwrap();
    let of = |name: &str| files.iter().find(|file| file.path == format!("controllers/xpuck/{name}")).unwrap();
    put(folder.path(), &[("main.py", PYTHON)]);
    put(folder.path(), &["xpuck.py", "xpuck_tree.py", "trees.py"].map(|name| (name, of(name).text.as_str())));
    let mut command = Command::new("python3");
    command.arg("main.py").current_dir(&folder);
    let read: Vec<f32> = super::ticks::answer(command, "").lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(read, [[-1.0, -1.0, 0.0, 0.0, 1.0, 1.0]; 2].concat());
}

#[test]
fn note_names_the_lost_errors_of_the_ground_sensor() {
    let note = "s_ground has no errors: the table `confusion` of [floor] is not exported";
    let notes = |spec: &WorldSpec, tree: &str| {
        let parts = [(2, program(tree))];
        super::Export { spec, parts: &parts, seed: 1, runs: 1, seconds: 10.0 }.notes()
    };
    let reads = "ifsect s_ground 180deg 40deg\n";
    assert!(notes(&painted(), reads).iter().any(|line| line == note));
    assert!(!notes(&painted(), "avoiding\n").iter().any(|line| line == note));
    let exact = WorldSpec { floor: Floor::default().into(), ..painted() };
    assert!(!notes(&exact, reads).iter().any(|line| line.contains("s_ground")));
}
