//! Measures the wall time to process one camera frame on one core. The benchmarks are the detection of blobs, the
//! detection of markers, the decoding of the camera's stream, and the rendering of a frame by the emulated camera.

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use xpuck_arena::CameraSettings;
use xpuck_arena::camera::{Camera, Surroundings};
use xpuck_kernels::math::vec2;
use xpuck_kernels::model::HALF_ARENA;
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::world::{Body, Pose, Shape};
use xpuck_robot::device::Frame;
use xpuck_robot::device::apriltag::picture;
use xpuck_robot::device::frames::{FrameDecoder, PixelOrder};
use xpuck_robot::vision::colours::ColourClassifier;
use xpuck_robot::vision::markers::Markers;

/// Creates a frame. `pixel` returns two values for the pixel at a row and a column: the luma, and a value that is used
/// for both colour differences.
fn frame(width: usize, height: usize, mut pixel: impl FnMut(usize, usize) -> [u8; 2]) -> Frame {
    let bytes = (0..width * height).flat_map(|i| pixel(i / width, i % width)).collect();
    Frame::new(width, height, bytes).expect("a size that frames have")
}

/// Creates a frame with a grid of `across` by `across` markers on white. A cell of a marker is `cell` pixels wide.
fn grid(width: usize, height: usize, across: usize, cell: usize) -> Frame {
    let pictures: Vec<_> = (0..(across * across) as u16).filter_map(picture).collect();
    let step = (width / across, height / across);
    let side = 10 * cell;
    frame(width, height, |row, column| {
        let (x, y) = (column % step.0, row % step.1);
        let marker = pictures.get(row / step.1 * across + column / step.0).filter(|_| x < side && y < side);
        [if marker.is_none_or(|m| m[y / cell][x / cell]) { 225 } else { 25 }, 128]
    })
}

fn blobs(c: &mut Criterion) {
    let vision = ColourClassifier::default();
    let mut draws = Draws::new(1, 0, 0, 0, Stream::Device);
    let (arena, noise) = (
        frame(640, 480, |row, column| if row > 260 && column / 90 % 2 == 0 { [60, 90] } else { [215, 128] }),
        frame(640, 480, |_, _| [draws.word() as u8, draws.word() as u8]),
    );
    let mut group = c.benchmark_group("blobs 640x480");
    group.bench_function("arena", |b| b.iter(|| vision.classify(black_box(&arena))));
    group.bench_function("noise", |b| b.iter(|| vision.classify(black_box(&noise))));
}

fn markers(c: &mut Criterion) {
    let mut group = c.benchmark_group("markers");
    // The cases with 320x240 pixels are from Table 5.4 of the thesis. The other cases have the full frame size of the
    // camera.
    for (name, width, height, across, cell, decimate, expected) in [
        ("320x240, none", 320, 240, 1, 0, 1, 0),
        ("320x240, 4", 320, 240, 2, 8, 1, 4),
        ("640x480 shrunk to half, 4", 640, 480, 2, 16, 2, 4),
        ("640x480, 4", 640, 480, 2, 16, 1, 4),
        ("640x480, 81", 640, 480, 9, 5, 1, 81),
    ] {
        let frame = if cell == 0 { frame(width, height, |_, _| [215, 128]) } else { grid(width, height, across, cell) };
        let mut markers = Markers::new(0.1, decimate);
        assert_eq!(markers.detect(&frame).len(), expected, "{name}");
        group.bench_function(name, |b| b.iter(|| markers.detect(black_box(&frame)).len()));
    }
    let mut draws = Draws::new(2, 0, 0, 0, Stream::Device);
    let noise = frame(320, 240, |_, _| [100 + draws.below(56) as u8, 128]);
    let mut markers = Markers::new(0.1, 1);
    group.bench_function("320x240, noise", |b| b.iter(|| markers.detect(black_box(&noise)).len()));
}

/// Returns a header of the camera's stream for a row (`kind` 1) or for the end of a frame (`kind` 2). `number` is the
/// number of the frame. `value` is the index of the row, or at the end of a frame the number of rows.
fn header(kind: u8, number: u16, value: u16) -> [u8; 8] {
    let digits = [u16::from(kind), number >> 6, number, value >> 6, value].map(|d| d as u8 & 0x3f);
    let bits = digits.iter().flat_map(|digit| (0..6).rev().map(move |bit| digit >> bit & 1));
    let check = bits.fold(0x3f, |crc: u8, bit| (crc << 1 & 0x3f) ^ (3 * (crc >> 5 ^ bit)));
    let [kind, n1, n0, v1, v0] = digits.map(|digit| 0x40 | digit);
    [0xff, 0x00, kind, n1, n0, v1, v0, 0x40 | check]
}

fn stream(c: &mut Criterion) {
    let mut stream: Vec<u8> = (0..480).flat_map(|row| [&header(1, 7, row)[..], &[130; 1280]].concat()).collect();
    stream.extend(header(2, 7, 480));
    let packets: Vec<_> = stream.chunks(510).map(|part| [&[0x32, 0x60], part].concat()).collect();
    let mut decoder = FrameDecoder::new(640, 480, PixelOrder::CrYCbY).expect("a size that frames have");
    let mut frames = 0;
    c.bench_function("stream of one 640x480 frame", |b| {
        b.iter(|| packets.iter().for_each(|packet| decoder.packet(black_box(packet), |_| frames += 1)));
    });
    assert!(frames > 0, "the stream holds a frame");
}

/// Measures the rendering of a frame by a robot's emulated camera. The arena contains eight other robots and a frisbee.
fn emulated(c: &mut Criterion) {
    let at = |shape, x, y, heading| Body::at_rest(shape, Pose { at: vec2(x, y), heading });
    let robot = |i: u8| at(Shape::ROBOT, -0.8 + 0.2 * f32::from(i), 0.1 * f32::from(i % 3), f32::from(i));
    let bodies: Vec<Body> = (0..9).map(robot).chain([at(Shape::FRISBEE, 0.1, -0.3, 0.0)]).collect();
    let around = Surroundings { half_arena: HALF_ARENA, ..Surroundings::default() };
    let (mut camera, mut frame, mut me) = (Camera::new(&CameraSettings::default()), Vec::new(), 0);
    c.bench_function("emulated 160x120 frame", |b| {
        b.iter(|| {
            me = (me + 1) % 9;
            camera.render(black_box(&bodies), me, &around, &mut frame);
        });
    });
}

criterion_group!(benches, blobs, markers, stream, emulated);
criterion_main!(benches);
