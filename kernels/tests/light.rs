//! Checks ambient light in worlds. Engines agree bitwise, trees that read v_light find the light, and lights do not
//! affect other trees.

mod sensed;

use sensed::{distance, engines_agree, outcome, program};
use xpuck_kernels::math::vec2;
use xpuck_kernels::world::senses::light::{Light, Lighting};
use xpuck_kernels::world::spec::Start;
use xpuck_kernels::world::{Pose, Task, WorldSpec};

/// Tree that drives towards the light and avoids obstacles.
const SEEKER: &str = "sel\n  avoiding\n  mulav v_goal v_zero 8 v_light\n";
/// Tree that drives straight ahead and avoids obstacles.
const BLIND: &str = "sel\n  avoiding\n  movcv v_goal 0deg\n";

fn lit(robots: usize, lights: &[(f32, f32, f32)]) -> WorldSpec {
    let light = |(x, y, brightness): &(f32, f32, f32)| Light { at: vec2(*x, *y), height: 0.1, brightness: *brightness };
    WorldSpec {
        discs: Vec::new(),
        task: Task::Coverage { cell: 0.1 },
        lighting: Lighting { room: 0.1, lights: lights.iter().map(light).collect() },
        ..WorldSpec::benchmark(robots)
    }
}

#[test]
fn engines_agree_bit_for_bit_where_there_is_light() {
    let specs = [
        lit(9, &[(0.8, 0.5, 0.1)]),
        lit(40, &[(0.8, 0.5, 0.1), (-0.3, -0.2, 0.6), (3.0, 0.0, 20.0)]),
        WorldSpec {
            lighting: Lighting { room: 0.7, ..lit(9, &[(0.0, 0.0, 5.0)]).lighting },
            ..WorldSpec::benchmark(9)
        },
        lit(9, &[]),
    ];
    engines_agree(&specs, &[SEEKER, BLIND, "seq\n  ifsect v_light 0deg 90deg\n  movcv v_goal 30deg\n"].map(program));
}

#[test]
fn only_trees_reading_light_reach_it() {
    let places = (0..8).map(|i| Pose { at: vec2(-0.8, -0.6 + 0.17 * i as f32), heading: 0.8 * i as f32 }).collect();
    let spec = WorldSpec { starts: vec![Start::Poses(places)], ..lit(8, &[(0.6, 0.4, 0.1)]) };
    let [seeking, blind] = [SEEKER, BLIND].map(|text| distance(&spec, text, vec2(0.6, 0.4)));
    assert!(seeking < 0.2 && blind > 0.5, "mean distance {seeking} m and {blind} m");
}

#[test]
fn light_does_not_affect_trees_without_light_nodes() {
    assert_eq!(outcome(&lit(9, &[]), BLIND), outcome(&lit(9, &[(0.1, 0.0, 1.0)]), BLIND));
}

#[test]
fn invalid_lights_are_rejected_with_index() {
    let error = |spec: WorldSpec| spec.check().unwrap_err().to_string();
    assert!(error(lit(3, &[(0.0, 0.0, -1.0)])).contains("light 1, brightness = -1"));
    assert!(error(lit(3, &[(0.0, 0.0, 1.0), (f32::NAN, 0.0, 1.0)])).contains("light 2, x = NaN"));
    assert!(error(lit(3, &[(0.0, 0.0, 1.0); 5])).contains("5 lights; a world must have 0 to 4"));
    let mut bright = lit(3, &[]);
    bright.lighting.room = 1.5;
    assert!(error(bright).contains("room_light = 1.5"));
}
