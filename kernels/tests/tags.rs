//! Checks tags in worlds. Engines agree bitwise, trees that read v_tag drive to the tag, and tags do not affect other
//! trees.

mod sensed;

use sensed::{distance, engines_agree, outcome, program};
use xpuck_kernels::math::{Vec2, vec2};
use xpuck_kernels::world::senses::tags::{Tag, Tags};
use xpuck_kernels::world::spec::Start;
use xpuck_kernels::world::wall::Wall;
use xpuck_kernels::world::{Pose, Task, WorldSpec};

/// Tree that drives to a visible tag, turns on the spot if no tag is visible, and avoids obstacles.
const SEEKER: &str = "sel\n  avoiding\n  seq\n    mulav v_scr v_zero 1 v_tag\n    ifquad v_scr 1\n    mulav v_goal v_zero 8 v_tag\n  movcv v_goal 80deg\n";
/// Tree that drives straight ahead and avoids obstacles.
const BLIND: &str = "sel\n  avoiding\n  movcv v_goal 0deg\n";

fn tag(x: f32, y: f32, degrees: f32) -> Tag {
    Tag { at: vec2(x, y), facing: Vec2::unit(degrees.to_radians()) }
}

fn tagged(robots: usize, list: Vec<Tag>) -> WorldSpec {
    WorldSpec {
        discs: Vec::new(),
        task: Task::Coverage { cell: 0.1 },
        tags: Tags { list, ..Tags::default() },
        ..WorldSpec::benchmark(robots)
    }
}

#[test]
fn engines_agree_bit_for_bit_where_there_are_tags() {
    let four = vec![tag(1.0, 0.2, 180.0), tag(-1.0, 0.0, 0.0), tag(0.1, 0.75, -90.0), tag(0.3, 0.0, 180.0)];
    let mut furnished = WorldSpec { tags: tagged(9, four.clone()).tags, ..WorldSpec::benchmark(9) };
    furnished.physics.walls = vec![Wall { from: vec2(0.3, -0.3), to: vec2(0.3, 0.3) }];
    let specs = [tagged(9, four.clone()), tagged(40, four), furnished, tagged(9, Vec::new())];
    engines_agree(&specs, &[SEEKER, BLIND, "seq\n  ifsect v_tag 0deg 40deg\n  movcv v_goal 30deg\n"].map(program));
}

#[test]
fn only_trees_reading_tags_reach_them() {
    let places = (0..8).map(|i| Pose { at: vec2(0.0, -0.6 + 0.17 * i as f32), heading: 0.8 * i as f32 }).collect();
    let spec = WorldSpec { starts: vec![Start::Poses(places)], ..tagged(8, vec![tag(1.0, 0.0, 180.0)]) };
    let [seeking, blind] = [SEEKER, BLIND].map(|text| distance(&spec, text, vec2(1.0, 0.0)));
    assert!(seeking < 0.45 && blind > 0.7, "mean distance {seeking} m and {blind} m");
}

#[test]
fn tags_change_nothing_for_trees_that_do_not_read_them() {
    assert_eq!(outcome(&tagged(9, Vec::new()), BLIND), outcome(&tagged(9, vec![tag(1.0, 0.0, 180.0)]), BLIND));
}

#[test]
fn invalid_tags_are_rejected_with_index() {
    let error = |spec: WorldSpec| spec.check().unwrap_err().to_string();
    assert!(error(tagged(3, vec![tag(1.0, 0.0, 180.0), tag(1.5, 0.0, 0.0)])).contains("tag 2"));
    assert!(error(tagged(3, vec![tag(1.0, 0.0, f32::NAN)])).contains("tag 1, length of its direction"));
    assert!(error(tagged(3, vec![tag(1.0, 0.0, 180.0); 9])).contains("9 tags; a world must have 0 to 8"));
    let mut far = tagged(3, Vec::new());
    far.tags.range = 0.0;
    assert!(error(far).contains("tag_range = 0"));
}
