use super::*;
use xpuck_kernels::random::{Draws, Stream};
use xpuck_registers::camera_stream::{GOLDEN_NUMBER, GOLDEN_PIXELS, GOLDEN_STREAM};
use xpuck_registers::ft2232h::{PAYLOAD, STATUS_AT_REST};

const WIDTH: usize = 64;
const HEIGHT: usize = 64;
/// Length of a row including its header (bytes).
const ROW: usize = stream::HEADER + WIDTH * 2;

/// Builds a header. Its CRC is computed by long division, independently of the decoder's implementation.
fn header(kind: u8, number: u16, value: usize) -> [u8; 8] {
    let digits =
        [u64::from(kind), u64::from(number) >> 6, u64::from(number) & 63, value as u64 >> 6, value as u64 & 63];
    // An exclusive or with the first six bits is equivalent to the start value of the CRC.
    let message = digits.iter().fold(0, |all, digit| all << 6 | digit) ^ 0x3f << 24;
    let mut rest = message << 6;
    for bit in (6..36).rev() {
        if rest >> bit & 1 == 1 {
            rest ^= 0b100_0011 << (bit - 6);
        }
    }
    let digit = |i: usize| 0x40 | digits[i] as u8;
    [0xff, 0x00, digit(0), digit(1), digit(2), digit(3), digit(4), 0x40 | rest as u8]
}

/// Returns the pixels of a frame in which all rows differ from their neighbours.
fn pixels(number: u16, width: usize, height: usize) -> Vec<u8> {
    (0..width * height * 2)
        .map(|i| (1 + (i / (2 * width) * 7 + i % 50 + usize::from(number) * 31) % 254) as u8)
        .collect()
}

/// Returns the bytes of a frame as sent by the shim.
pub(crate) fn frame_stream(number: u16, width: usize, height: usize) -> Vec<u8> {
    let pixels = pixels(number, width, height);
    let rows = pixels.chunks(width * 2).enumerate();
    let mut bytes: Vec<u8> = rows.flat_map(|(row, pixels)| [&header(1, number, row)[..], pixels].concat()).collect();
    bytes.extend(header(2, number, height));
    bytes
}

fn packets(stream: &[u8], payload: usize) -> Vec<Vec<u8>> {
    stream.chunks(payload).map(|part| [&STATUS_AT_REST[..], part].concat()).collect()
}

/// Splits a stream into full packets, and returns the frames decoded from them.
fn decode(decoder: &mut FrameDecoder, stream: &[u8]) -> Vec<Vec<u8>> {
    let mut frames = Vec::new();
    for packet in packets(stream, PAYLOAD) {
        decoder.packet(&packet, |frame| frames.push(frame.bytes().to_vec()));
    }
    frames
}

fn decoder() -> FrameDecoder {
    FrameDecoder::new(WIDTH, HEIGHT, PixelOrder::YCbYCr).unwrap()
}

#[test]
fn golden_stream_decodes_at_any_packet_size() {
    for payload in 1..=GOLDEN_STREAM.len() {
        let mut decoder = FrameDecoder::new(4, 2, PixelOrder::YCbYCr).unwrap();
        let mut frames = Vec::new();
        for packet in packets(&GOLDEN_STREAM, payload) {
            decoder.packet(&packet, |frame| frames.push(frame.bytes().to_vec()));
            decoder.packet(&STATUS_AT_REST, |_| panic!("an empty packet completes nothing"));
        }
        assert_eq!(frames, [GOLDEN_PIXELS]);
        let parts = GOLDEN_STREAM.len().div_ceil(payload) as u64;
        let expected =
            CameraCounts { frames: 1, packets: 2 * parts, idle_packets: parts, bytes: 40, ..Default::default() };
        assert_eq!(decoder.counts(), expected);
    }
    assert_eq!(header(1, GOLDEN_NUMBER, 1), GOLDEN_STREAM[16..24]);
}

#[test]
fn pixel_orders_are_converted_to_yuyv() {
    let order = |order| {
        let mut decoder = FrameDecoder::new(4, 2, order).unwrap();
        decode(&mut decoder, &GOLDEN_STREAM)[0][..4].to_vec()
    };
    assert_eq!(order(PixelOrder::YCrYCb), [0x10, 0x80, 0xeb, 0x80]);
    assert_eq!(order(PixelOrder::CbYCrY), [0x80, 0x10, 0x80, 0xeb]);
    // The decoder reads the stream in the order Cr Y Cb Y, and returns Y Cb Y Cr.
    assert_eq!(order(PixelOrder::CrYCbY), [0x80, 0xeb, 0x80, 0x10]);
}

#[test]
fn missing_row_is_repaired_and_three_drop_the_frame() {
    let whole = frame_stream(5, WIDTH, HEIGHT);
    let expected = pixels(5, WIDTH, HEIGHT);
    let without = |rows: std::ops::Range<usize>| [&whole[..rows.start * ROW], &whole[rows.end * ROW..]].concat();
    let mut one = decoder();
    let frame = &decode(&mut one, &without(10..11))[0];
    assert_eq!(frame[..10 * 128], expected[..10 * 128]);
    assert_eq!(frame[10 * 128..11 * 128], expected[9 * 128..10 * 128], "the row above, doubled");
    assert_eq!(frame[11 * 128..], expected[11 * 128..]);
    assert_eq!((one.counts().frames, one.counts().repaired_rows, one.counts().resyncs), (1, 1, 0));
    let mut top = decoder();
    let frame = &decode(&mut top, &without(0..2))[0];
    assert_eq!(frame[..128], expected[256..384], "at the top, the first that is there");
    let mut three = decoder();
    assert!(decode(&mut three, &without(20..23)).is_empty());
    assert_eq!((three.counts().frames, three.counts().dropped_frames), (0, 1));
    assert_eq!(
        decode(&mut three, &frame_stream(6, WIDTH, HEIGHT)),
        [pixels(6, WIDTH, HEIGHT)],
        "and nothing is left of it"
    );
}

#[test]
fn lost_packet_costs_only_rows_it_touched() {
    let (height, number) = (480, 9);
    let expected = pixels(number, WIDTH, height);
    let all = packets(&frame_stream(number, WIDTH, height), PAYLOAD);
    for lost in 0..all.len() {
        let mut decoder = FrameDecoder::new(WIDTH, height, PixelOrder::YCbYCr).unwrap();
        let mut frames = Vec::new();
        for packet in all.iter().enumerate().filter(|(i, _)| *i != lost).map(|(_, packet)| packet) {
            decoder.packet(packet, |frame| frames.push(frame.bytes().to_vec()));
        }
        // If the end of the frame was lost, the header of the next frame ends it.
        decoder.packet(&[&STATUS_AT_REST[..], &header(1, number + 1, 0)].concat(), |f| frames.push(f.bytes().to_vec()));
        let [frame] = &frames[..] else { panic!("{} frames without packet {lost}", frames.len()) };
        let wrong = frame.chunks(128).zip(expected.chunks(128)).filter(|(a, b)| a != b).count();
        // The 510 bytes of a lost packet overlap at most five rows of 136 bytes. A repaired row may be equal to the
        // original row.
        assert!(wrong <= 5 && wrong as u64 <= decoder.counts().repaired_rows, "{wrong} rows without packet {lost}");
    }
}

#[test]
fn garbage_is_skipped_and_the_next_frame_is_whole() {
    let mut decoder = decoder();
    let mut draws = Draws::new(1, 0, 0, 0, Stream::Device);
    for number in 0..200 {
        let garbage: Vec<u8> = (0..draws.below(3000)).map(|_| draws.word() as u8).collect();
        let frames = decode(&mut decoder, &garbage);
        assert!(frames.is_empty(), "no frame of noise");
        let frames = decode(&mut decoder, &frame_stream(number, WIDTH, HEIGHT));
        assert_eq!(frames.last(), Some(&pixels(number, WIDTH, HEIGHT)));
    }
    assert!(decoder.counts().resyncs >= 190, "{:?}", decoder.counts());
}

#[test]
fn one_or_two_bit_header_errors_are_detected() {
    let good = header(1, 0x5c3, 77);
    assert_eq!(read_header(&good), Some((1, 0x5c3, 77)));
    for first in 0..64 {
        for second in first..64 {
            let mut bad = good;
            bad[first / 8] ^= 1 << (first % 8);
            if second != first {
                bad[second / 8] ^= 1 << (second % 8);
            }
            assert_eq!(read_header(&bad), None, "bits {first} and {second}");
        }
    }
    assert_eq!(read_header(&header(3, 0, 0)), None, "there is no such kind");
}

#[test]
fn frames_of_another_size_are_counted_apart() {
    for (width, height) in [(WIDTH / 2, HEIGHT), (WIDTH * 2, HEIGHT), (WIDTH, HEIGHT - 1), (WIDTH, HEIGHT + 1)] {
        let mut decoder = decoder();
        let stream: Vec<u8> = (0..5).flat_map(|number| frame_stream(number, width, height)).collect();
        assert!(decode(&mut decoder, &stream).is_empty());
        let counts = decoder.counts();
        assert_eq!((counts.wrong_size, counts.dropped_frames, counts.frames), (5, 0, 0), "{width} x {height}");
    }
}

#[test]
fn missing_frames_are_counted_but_not_camera_restart() {
    let mut decoder = decoder();
    for number in [4094, 4095, 0, 3, 2000] {
        assert_eq!(decode(&mut decoder, &frame_stream(number, WIDTH, HEIGHT)).len(), 1);
    }
    assert_eq!((decoder.counts().frames, decoder.counts().dropped_frames), (5, 2));
}

#[test]
fn running_camera_allocates_nothing() {
    let mut decoder = decoder();
    let mut spare = Frame::black(WIDTH, HEIGHT).unwrap();
    let all: Vec<_> = (0..20).flat_map(|number| packets(&frame_stream(number, WIDTH, HEIGHT), PAYLOAD)).collect();
    let made = allocation_counter::measure(|| {
        all.iter().for_each(|packet| decoder.packet(packet, |frame| std::mem::swap(frame, &mut spare)));
    });
    assert_eq!((made.count_total, decoder.counts().frames), (0, 20));
    assert_eq!(spare.bytes(), pixels(19, WIDTH, HEIGHT));
}
