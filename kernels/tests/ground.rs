//! Checks the ground sensor in worlds. Engines agree bitwise, trees that read s_ground stay on their paint, and paint
//! does not affect other trees.

mod sensed;

use sensed::{distance, engines_agree, outcome, program};
use std::sync::Arc;
use xpuck_kernels::math::{Vec2, vec2};
use xpuck_kernels::world::floor::{Floor, Paint};
use xpuck_kernels::world::spec::Scenario;
use xpuck_kernels::world::task::Region;
use xpuck_kernels::world::zone::{Zone, ZoneShape};
use xpuck_kernels::world::{Task, WorldSpec};

/// Tree that explores, and stops on black.
const STOPS: &str = "sel\n  seq\n    ifsect s_ground 180deg 60deg\n    mulav v_goal v_zero 0 v_zero\n  explore 40\n";
/// Tree that turns with a probability that depends on the shade.
const TURNS: &str = "sel\n  seq\n    ifprob s_ground 2 0.5\n    movcv v_goal 90deg\n  avoiding\n  movcv v_goal 0deg\n";
/// Tree that explores.
const BLIND: &str = "explore 40\n";

fn painted(robots: usize, shapes: Vec<ZoneShape>, level: f32) -> WorldSpec {
    let zone = Zone { name: "spot".into(), shapes, without: Vec::new() };
    WorldSpec {
        discs: Vec::new(),
        task: Task::Coverage { cell: 0.1 },
        floor: Arc::new(Floor { paint: vec![Paint { zone, level, condition: None }], ..Floor::default() }),
        ..WorldSpec::scenario(robots, Scenario::B)
    }
}

fn disc(x: f32, y: f32, radius: f32) -> ZoneShape {
    ZoneShape::Simple(Region::Disc { at: vec2(x, y), radius })
}

#[test]
fn engines_agree_bit_for_bit_on_paint() {
    let corners = vec![vec2(-0.5, -0.5), vec2(0.5, -0.4), vec2(0.0, 0.6)];
    let ring = ZoneShape::Ring { at: vec2(0.5, 0.2), inner: 0.1, outer: 0.4 };
    let half_plane = ZoneShape::HalfPlane { towards: Vec2::unit(2.0), from: 0.3 };
    let mut confused = painted(9, vec![disc(-0.5, 0.0, 0.4), ring.clone()], 0.0);
    let floor = Arc::make_mut(&mut confused.floor);
    floor.confusion = [[0.84, 0.16, 0.0], [0.1, 0.8, 0.1], [0.0, 0.2, 0.8]];
    floor.paint[0].zone.without = vec![disc(-0.5, 0.0, 0.2)];
    let crowd = painted(40, vec![half_plane, disc(0.9, 0.0, 0.5)], 1.0);
    let specs = [painted(9, vec![ZoneShape::Polygon(corners)], 0.1), confused, crowd, painted(9, vec![ring], 0.5)];
    engines_agree(&specs, &[STOPS, TURNS, BLIND].map(program));
}

#[test]
fn only_trees_reading_the_ground_stay_on_the_spot() {
    let spec = painted(8, vec![disc(0.0, 0.0, 0.4)], 0.0);
    let [stopping, blind] = [STOPS, BLIND].map(|text| distance(&spec, text, Vec2::ZERO));
    assert!(stopping < 0.6 && blind > 0.65, "mean distance {stopping} m and {blind} m");
}

#[test]
fn paint_changes_nothing_for_trees_that_do_not_read_it() {
    assert_eq!(outcome(&painted(9, vec![], 0.5), BLIND), outcome(&painted(9, vec![disc(0.0, 0.0, 0.5)], 0.0), BLIND));
    assert_ne!(outcome(&painted(9, vec![], 0.5), STOPS), outcome(&painted(9, vec![disc(0.0, 0.0, 0.5)], 0.0), STOPS));
}

#[test]
fn invalid_floors_are_rejected() {
    let error = |change: fn(&mut Floor)| {
        let mut spec = painted(3, vec![disc(0.0, 0.0, 0.3)], 0.0);
        change(Arc::make_mut(&mut spec.floor));
        spec.check().unwrap_err().to_string()
    };
    assert_eq!(error(|floor| floor.level = f32::NAN), "floor, paint = NaN is outside 0 to 1");
    assert_eq!(error(|floor| floor.paint[0].level = 1.5), "region spot, paint = 1.5 is outside 0 to 1");
    assert_eq!(
        error(|floor| floor.confusion[1] = [0.5, 0.4, 0.0]),
        "floor, confusion, row 2, sum = 0.9 is outside 0.999 to 1.001"
    );
    assert!(error(|floor| floor.confusion[2][0] = -0.1).contains("row 3 = -0.1"));
}
