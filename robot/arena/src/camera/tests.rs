//! Checks pixels of rendered views.

use super::*;
use std::f32::consts::PI;
use xpuck_kernels::math::vec2;
use xpuck_kernels::model::HALF_ARENA;
use xpuck_kernels::world::{Pose, Shape};

fn robot(x: f32, y: f32, heading: f32) -> Body {
    Body::at_rest(Shape::ROBOT, Pose { at: vec2(x, y), heading })
}

fn frisbee(x: f32, y: f32) -> Body {
    Body::at_rest(Shape::FRISBEE, Pose { at: vec2(x, y), heading: 0.0 })
}

fn empty() -> Surroundings {
    Surroundings { half_arena: HALF_ARENA, ..Surroundings::default() }
}

/// Renders the first body's view of an empty arena. Returns a function from row and column to the palette index.
fn view(bodies: &[Body]) -> impl Fn(usize, usize) -> u8 + use<> {
    view_in(&empty(), bodies)
}

fn view_in(around: &Surroundings, bodies: &[Body]) -> impl Fn(usize, usize) -> u8 + use<> {
    let mut camera = Camera::new(&CameraSettings::default());
    let mut frame = Vec::new();
    camera.render(bodies, 0, around, &mut frame);
    assert_eq!(frame.len(), 160 * 120 * 2);
    move |row, column| camera.shown[row * 160 + column]
}

#[test]
fn empty_arena_shows_wall_floor_and_room() {
    let at = view(&[robot(0.0, 0.0, 0.3)]);
    for column in 0..160 {
        assert_eq!(at(60, column), WALL);
        assert_eq!(at(119, column), FLOOR);
        assert_eq!(at(0, column), ROOM);
    }
}

#[test]
fn frisbee_is_low_blue_band_with_robot_visible_behind() {
    let at = view(&[robot(0.0, 0.0, 0.0), frisbee(0.5, 0.0), robot(0.9, 0.0, 0.0)]);
    // The frisbee's near edge meets the floor at 0.395 m, 11.4 rows below the horizon. Its rim is 5 mm below the
    // camera.
    assert_eq!((at(70, 80), at(72, 80)), (BLUE, FLOOR));
    assert_eq!((at(60, 80), at(58, 80)), (RED, RED), "the robot behind shows above the rim");
    // The frisbee's edges are at asin(0.105 / 0.5) = 12.1 degrees, which corresponds to columns 80 +- 32.
    assert_eq!((at(65, 50), at(65, 109), at(70, 45), at(70, 114)), (BLUE, BLUE, FLOOR, FLOOR));
}

#[test]
fn inner_walls_hide_patches_behind_them() {
    let patch = Patch { at: vec2(1.0, 0.0), half_length: 0.2, colour: Colour::Green };
    let lamp = Surroundings { patches: vec![patch], ..empty() };
    let at = view_in(&lamp, &[robot(0.0, 0.0, 0.0)]);
    // The patch's ends are at atan(0.2 / 1) = 11.3 degrees, which corresponds to columns 80 +- 30.
    assert_eq!((at(58, 80), at(58, 52), at(58, 108), at(58, 45)), (GREEN, GREEN, GREEN, WALL));
    let away = view_in(&lamp, &[robot(0.0, 0.0, PI)]);
    assert!((0..160 * 120).all(|i| away(i / 160, i % 160) != GREEN));
    let wall = Wall { from: vec2(0.3, -0.5), to: vec2(0.3, 0.02) };
    let around = Surroundings { walls: vec![wall], ..lamp };
    let at = view_in(&around, &[robot(0.0, 0.0, 0.0), frisbee(0.6, -0.2), frisbee(0.6, 0.2)]);
    assert_eq!((at(58, 100), at(58, 60)), (WALL, GREEN), "the wall is to the right");
    assert!((90..160).all(|column| (0..120).all(|row| at(row, column) != BLUE)), "hidden");
    assert!((0..70).any(|column| (0..120).any(|row| at(row, column) == BLUE)), "seen");
}

#[test]
fn camera_shows_frisbee_only_if_in_view_and_unhidden() {
    let hidden = view(&[robot(0.0, 0.0, 0.0), frisbee(0.5, 0.0), robot(0.09, 0.0, 0.0)]);
    assert!((0..160 * 120).all(|i| hidden(i / 160, i % 160) != BLUE));
    let left = view(&[robot(0.0, 0.0, 0.0), frisbee(0.5, 0.2)]);
    // The frisbee spans 10.6 to 33 degrees to the left, which corresponds to columns up to 80 - 28 = 52.
    assert!((0..160).all(|c| left(64, c) != BLUE || c <= 52));
    assert_eq!(left(64, 40), BLUE, "left of the robot is left in the frame");
    let behind = view(&[robot(0.0, 0.0, PI), frisbee(0.5, 0.0)]);
    assert!((0..160 * 120).all(|i| behind(i / 160, i % 160) != BLUE));
}

#[test]
fn colours_survive_the_pixel_format() {
    let mut camera = Camera::new(&CameraSettings::default());
    let mut frame = Vec::new();
    camera.render(&[robot(0.0, 0.0, 0.0), frisbee(0.2, 0.0)], 0, &empty(), &mut frame);
    let bytes = &frame[(80 * 160 + 80) * 2..][..4];
    let [r, g, b] = yuyv::to_rgb(yuyv::unpack([bytes[0], bytes[1], bytes[2], bytes[3]])[0]);
    assert!(r < 60 && g < 100 && b > 160, "{r} {g} {b}");
}

#[test]
fn wall_tag_cells_run_left_to_right() {
    let settings = CameraSettings { width: 640, height: 480, ..CameraSettings::default() };
    let size = 0.1;
    for (at, heading) in [((1.0, 0.0), 0.0), ((-1.0, 0.0), PI), ((0.0, 0.75), PI / 2.0), ((0.0, -0.75), -PI / 2.0)] {
        let tag = WallTag { id: 0, at: vec2(at.0, at.1), size, height: 0.08 };
        let around = Surroundings { tags: vec![tag], ..empty() };
        let me = robot(at.0 - 0.4 * heading.cos(), at.1 - 0.4 * heading.sin(), heading);
        let mut camera = Camera::new(&settings);
        camera.render(&[me], 0, &around, &mut Vec::new());
        // The tag's centre is 50 mm above the camera, and the side of a cell is 12.5 mm.
        let (row_of, focal) = (|height: f32| 240.0 - camera.focal * (height - 0.03) / 0.4, camera.focal);
        for (row, column) in (0..WITH_MARGIN).flat_map(|row| (0..WITH_MARGIN).map(move |column| (row, column))) {
            let x = 320.0 + focal * (column as f32 - 4.5) * size / 8.0 / 0.4;
            let y = row_of(0.08 + (4.5 - row as f32) * size / 8.0);
            let shown = camera.shown[y as usize * 640 + x as usize];
            let expected = if is_white(0, row, column).unwrap() { WALL } else { INK };
            assert_eq!(shown, expected, "row {row}, column {column} at {at:?}");
        }
    }
}

#[test]
fn short_exposure_is_dark_and_long_exposure_white() {
    let mut camera = Camera::new(&CameraSettings::default());
    let mut luma = |brightness: f32| {
        let mut frame = Vec::new();
        camera.expose(brightness);
        camera.render(&[robot(0.0, 0.0, 0.0)], 0, &empty(), &mut frame);
        frame[119 * 160 * 2]
    };
    let (right, dark, bright) = (luma(1.0), luma(0.25), luma(8.0));
    assert!(dark < right / 2 && bright == 235 && right < 220, "{dark} {right} {bright}");
    assert_eq!((luma(f32::NAN), luma(1.0)), (16, right));
}
