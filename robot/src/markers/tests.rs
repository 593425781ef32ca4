//! Markers are rendered from the library's own bit patterns, in perspective, at known poses.

use super::*;
use crate::device::apriltag::{PICTURE_SIDE, TAG_SIDE, picture};
use xpuck_kernels::random::{Draws, Stream};
use xpuck_registers::yuyv;

const SIZE: f64 = 0.1;

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// A marker at a place, its face turned `yaw` to the left of facing against the camera's axis, and rolled clockwise
/// for who reads it.
fn pose(at: [f64; 3], yaw: f64, roll: f64) -> Pose {
    let outward = [-yaw.cos(), -yaw.sin(), 0.0];
    let up: [f64; 3] = [0.0, 0.0, 1.0];
    let right = cross(up, outward);
    let mix = |a: f64, b: f64| std::array::from_fn(|i| a * right[i] + b * up[i]);
    Pose { at, right: mix(roll.cos(), -roll.sin()), up: mix(roll.sin(), roll.cos()), outward }
}

/// What a pinhole of 56 degrees sees of markers before a grey room: the mean of 16 rays a pixel.
pub(crate) fn render(width: usize, height: usize, markers: &[(u16, Pose)]) -> Frame {
    let focal = width as f64 / 2.0 / (f64::from(CAMERA_FOV) / 2.0).tan();
    let pictures: Vec<_> = markers.iter().map(|(id, pose)| (picture(*id).unwrap(), pose)).collect();
    let seen = |x: f64, y: f64| {
        let ray = [1.0, (width as f64 / 2.0 - x) / focal, (height as f64 / 2.0 - y) / focal];
        let cell = |(cells, pose): &([[bool; PICTURE_SIDE]; PICTURE_SIDE], &Pose)| {
            let along = dot(pose.at, pose.outward) / dot(ray, pose.outward);
            let on: [f64; 3] = std::array::from_fn(|i| ray[i] * along - pose.at[i]);
            let place = |axis: [f64; 3]| dot(on, axis) / SIZE * TAG_SIDE as f64 + PICTURE_SIDE as f64 / 2.0;
            let (column, row) = (place(pose.right), PICTURE_SIDE as f64 - place(pose.up));
            let inside = |x: f64| (0.0..PICTURE_SIDE as f64).contains(&x);
            (along > 0.0 && inside(column) && inside(row)).then(|| cells[row as usize][column as usize])
        };
        pictures.iter().find_map(cell).map_or(130.0, |white| if white { 225.0 } else { 25.0 })
    };
    let luma = |pixel: usize| {
        let (x, y) = ((pixel % width) as f64, (pixel / width) as f64);
        let part = |i: usize| (i as f64 + 0.5) / 4.0;
        let sum: f64 = (0..16).map(|i| seen(x + part(i % 4), y + part(i / 4))).sum();
        (sum / 16.0).round() as u8
    };
    let pairs =
        (0..width * height / 2).flat_map(|pair| yuyv::pack([luma(2 * pair), 128, 128], [luma(2 * pair + 1), 128, 128]));
    Frame::new(width, height, pairs.collect()).unwrap()
}

fn close(found: [f64; 3], expected: [f64; 3], within: f64) -> bool {
    found.iter().zip(expected).all(|(a, b)| (a - b).abs() < within)
}

#[test]
fn a_markers_pose_is_told() {
    let mut markers = Markers::new(SIZE, 1);
    for (id, range, bearing, yaw, roll) in [
        (0, 0.5, 0.0, 0.0, 0.0),
        (7, 0.3, 0.3, 0.4, 0.0),
        (42, 0.8, -0.35, -0.5, 0.3),
        (585, 1.0, 0.2, 0.0, -1.2),
        (586, 1.5, -0.1, 0.6, 3.0),
    ] {
        let bearing: f64 = bearing;
        let placed = pose([range * bearing.cos(), range * bearing.sin(), 0.02], bearing + yaw, roll);
        let frame = render(320, 240, &[(id, placed)]);
        let [found] = markers.detect(&frame) else { panic!("{id} was not found alone") };
        assert_eq!(found.id, id);
        let told = &found.pose;
        assert!(
            (told.range() / placed.range() - 1.0).abs() < 0.03,
            "{id}: {} m for {} m",
            told.range(),
            placed.range()
        );
        assert!((told.bearing() - bearing).abs().to_degrees() < 1.0, "{id}: {} for {bearing}", told.bearing());
        assert!(close(told.at, placed.at, 0.03 * range), "{id}: {told:?} for {placed:?}");
        // Seen from far away the sides of a square hardly tell how it is turned.
        let within = if range < 0.9 { 0.1 } else { 0.35 };
        assert!(
            close(told.right, placed.right, within) && close(told.up, placed.up, within),
            "{id}: {told:?} {placed:?}"
        );
        assert!(close(told.outward, placed.outward, within), "{id}: {told:?} {placed:?}");
    }
}

#[test]
fn centre_and_corners_are_where_they_appear() {
    let frame = render(320, 240, &[(3, pose([0.5, 0.1, 0.05], 0.0, 0.0))]);
    let mut markers = Markers::new(SIZE, 1);
    let [found] = markers.detect(&frame) else { panic!("not found") };
    let focal = 160.0 / (f64::from(CAMERA_FOV) / 2.0).tan();
    let pixel = |left: f64, up: f64| [160.0 - focal * left / 0.5, 120.0 - focal * up / 0.5];
    let near = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]) < 0.5;
    assert!(near(found.centre, pixel(0.1, 0.05)), "{:?}", found.centre);
    let corners = [pixel(0.15, 0.0), pixel(0.05, 0.0), pixel(0.05, 0.1), pixel(0.15, 0.1)];
    assert!(found.corners.iter().zip(corners).all(|(a, b)| near(*a, b)), "{:?} {corners:?}", found.corners);
}

#[test]
fn several_markers_are_told_apart_in_a_shrunk_picture_too() {
    let placed = [
        (1, pose([0.6, 0.15, 0.1], 0.0, 0.0)),
        (2, pose([0.6, -0.15, 0.1], 0.1, 0.0)),
        (3, pose([0.7, 0.0, -0.15], 0.0, 0.2)),
    ];
    let frame = render(640, 480, &placed);
    for decimate in [1, 2] {
        let mut markers = Markers::new(SIZE, decimate);
        let mut found = markers.detect(&frame).to_vec();
        found.sort_by_key(|marker| marker.id);
        assert_eq!(found.len(), 3);
        for (marker, (id, pose)) in found.iter().zip(&placed) {
            assert_eq!(marker.id, *id);
            assert!(close(marker.pose.at, pose.at, 0.02), "{marker:?} {pose:?}");
        }
    }
}

#[test]
fn noise_has_no_markers() {
    let mut markers = Markers::new(SIZE, 1);
    for frame in 0..50 {
        let mut draws = Draws::new(6, 0, 0, frame, Stream::Device);
        // Half of them are grey with noise, half are blocks of black and white the size of a marker's cells.
        let mut bytes: Vec<u8> = Vec::with_capacity(320 * 240 * 2);
        let cells: Vec<u8> = (0..64 * 48).map(|_| if draws.unit() < 0.5 { 25 } else { 225 }).collect();
        for pixel in 0..320 * 240 {
            let (x, y) = (pixel % 320, pixel / 320);
            let base = if frame % 2 == 0 { 120 } else { cells[y / 5 * 64 + x / 5] };
            bytes.extend([base.saturating_add_signed(draws.range(-24.0, 24.0) as i8), 128]);
        }
        let frame = Frame::new(320, 240, bytes).unwrap();
        assert_eq!(markers.detect(&frame), []);
    }
}

#[test]
fn there_are_587_pictures_with_a_white_margin_and_a_black_border() {
    assert!(picture(587).is_none());
    let cells = picture(586).unwrap();
    let ring = |ring: usize| {
        (ring..10 - ring).flat_map(move |i| [cells[ring][i], cells[9 - ring][i], cells[i][ring], cells[i][9 - ring]])
    };
    assert!(ring(0).all(|white| white) && ring(1).all(|white| !white));
    assert_ne!(picture(585), picture(586));
}
