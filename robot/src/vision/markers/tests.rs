//! Tests with markers that are rendered in perspective at known poses, from the bit patterns of the tag library.

use super::*;
use crate::device::apriltag::picture;
use crate::vision::synthetic::{self, Optics, marker_pose as pose};
use xpuck_kernels::model::CAMERA_FOV;
use xpuck_kernels::random::{Draws, Stream};

const SIZE: f64 = 0.1;

/// Renders markers as seen by an ideal pinhole with a horizontal field of view of 56 degrees.
fn render(width: usize, height: usize, markers: &[(u16, Pose)]) -> Frame {
    let mut draws = Draws::new(1, 0, 0, 0, Stream::Device);
    synthetic::render(markers, SIZE, &Optics::perfect(width, height), &mut draws)
}

fn close(found: [f64; 3], expected: [f64; 3], within: f64) -> bool {
    found.iter().zip(expected).all(|(a, b)| (a - b).abs() < within)
}

#[test]
fn marker_pose_is_estimated() {
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
        // At a long range the tolerance is larger, because the corners of a small square hardly determine the
        // orientation.
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
fn several_markers_are_found_with_and_without_decimation() {
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
        // Half of the frames are grey with noise. The other frames consist of random black and white blocks as large as
        // a marker's cells.
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
fn family_has_587_bordered_tags() {
    assert!(picture(587).is_none());
    let cells = picture(586).unwrap();
    let ring = |ring: usize| {
        (ring..10 - ring).flat_map(move |i| [cells[ring][i], cells[9 - ring][i], cells[i][ring], cells[i][9 - ring]])
    };
    assert!(ring(0).all(|white| white) && ring(1).all(|white| !white));
    assert_ne!(picture(585), picture(586));
}

#[test]
fn known_lens_distortion_is_removed_from_pose() {
    let optics = Optics::perfect(640, 480);
    let lens = Lens { focal: [570.0, 572.0], centre: [330.0, 235.0], distortion: [-0.25, 0.06], ..optics.lens };
    let placed = pose([0.5, 0.18, 0.1], 0.3, 0.0);
    let mut draws = Draws::new(1, 0, 0, 0, Stream::Device);
    let frame = synthetic::render(&[(5, placed)], SIZE, &Optics { lens, ..optics }, &mut draws);
    let off = |lens: Option<Lens>| {
        let mut markers = Markers::new(SIZE, 1).with_lens(lens);
        let [found] = markers.detect(&frame) else { panic!("not found") };
        assert!((found.pose.at[0] > 0.4) && found.id == 5);
        found.pose.at.iter().zip(placed.at).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
    };
    assert!(off(Some(lens)) < 0.005 && off(None) > 0.015, "{} {}", off(Some(lens)), off(None));
    // A lens that was measured at another picture size gives the same result.
    assert!(off(Some(lens.scaled(320, 240))) < 0.005);
}

#[test]
fn duplicate_marker_is_dropped_and_counted() {
    let placed = [
        (9, pose([0.6, 0.15, 0.0], 0.0, 0.0)),
        (9, pose([0.6, -0.15, 0.0], 0.0, 0.0)),
        (4, pose([0.6, 0.0, 0.1], 0.0, 0.0)),
    ];
    let mut markers = Markers::new(SIZE, 1);
    let ids: Vec<u16> = markers.detect(&render(640, 480, &placed)).iter().map(|marker| marker.id).collect();
    assert_eq!((ids, markers.doubled()), (vec![4], 2));
    assert_eq!(markers.detect(&render(640, 480, &placed[1..])).len(), 2);
    assert_eq!(markers.doubled(), 2);
}

#[test]
fn drawn_tags_match_detector_library() {
    use xpuck_registers::tag36h11::{CODES, is_white};
    for id in 0..CODES.len() as u16 {
        let cells = picture(id).unwrap();
        let same = (0..10).all(|row| (0..10).all(|column| is_white(id, row, column) == Some(cells[row][column])));
        assert!(same, "tag {id}");
    }
}
