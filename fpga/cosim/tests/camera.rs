//! Tests of the transfer of pictures from the camera's pins through the logic to the robot's frame decoder.

use xpuck_registers::camera_stream::{DIGIT, GOLDEN_PIXELS, GOLDEN_STREAM, ROW, SYNC, SYNC_2};
use xpuck_registers::shim;
use xpuck_registers::spi::{Command, WORDS};
use xpuck_robot::device::Frame;
use xpuck_robot::device::frames::{CameraCounts, FrameDecoder, PixelOrder};
use xpuck_shim::{Bench, Clocks, Timing};

const MICROSECOND: u64 = 1_000_000;
const MILLISECOND: u64 = 1_000 * MICROSECOND;

/// Returns a picture of pseudo-random bytes. The bytes include 0 and 255 only if `raw` is set.
fn picture(width: usize, height: usize, number: u32, raw: bool) -> Vec<u8> {
    let mut state = 0x9e37_79b9u32 ^ number.wrapping_mul(0x85eb_ca6b);
    let byte = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let byte = (state >> 24) as u8;
        if raw { byte } else { byte.clamp(1, 254) }
    };
    (0..width * height * 2).map(byte).collect()
}

/// Robot's frame decoder for the packets that the host received, with all frames decoded so far.
struct Reader {
    decoder: FrameDecoder,
    frames: Vec<Frame>,
}

impl Reader {
    fn new(width: usize, height: usize) -> Reader {
        Reader { decoder: FrameDecoder::new(width, height, PixelOrder::YCbYCr).unwrap(), frames: Vec::new() }
    }

    fn read(&mut self, bench: &mut Bench) {
        for packet in bench.packets() {
            self.decoder.packet(&packet, |frame| self.frames.push(frame.clone()));
        }
    }

    fn counts(&self) -> CameraCounts {
        self.decoder.counts()
    }
}

/// Reads a register of the logic over SPI.
fn register(bench: &mut Bench, name: &str) -> u8 {
    let mut told = 0;
    for ask in [shim::read(shim::at(name)), 0] {
        let mut words = Command::default().encode();
        words[WORDS - 1] = ask;
        told = bench.spi(&words, &[0; WORDS]).board[WORDS - 1];
    }
    shim::answer(told).expect("the logic answers").1
}

fn write(bench: &mut Bench, name: &str, value: u8) {
    for _ in 0..2 {
        let mut words = Command::default().encode();
        words[WORDS - 1] = shim::write(shim::at(name), value);
        bench.spi(&words, &[0; WORDS]);
    }
}

/// Returns a board that is set to rows of `width` pixels and has received its first VSYNC.
fn board(clocks: Clocks, width: usize) -> Bench {
    let mut bench = Bench::new(clocks);
    write(&mut bench, "row_units", (width * 2 / shim::ROW_UNIT) as u8);
    bench.vsync(SMALL);
    bench.run_camera();
    bench
}

/// Timing of small pictures: rows of 32 pixels (64 clocks) with pauses of 36 clocks.
const SMALL: Timing = Timing { row: 100, blank_rows: 2 };
const WIDTH: usize = 32;
const HEIGHT: usize = 24;

#[test]
fn pictures_come_out_pixel_for_pixel() {
    let mut bench = board(Clocks::default(), WIDTH);
    let mut reader = Reader::new(WIDTH, HEIGHT);
    let pictures: Vec<_> = (0..20).map(|n| picture(WIDTH, HEIGHT, n, false)).collect();
    pictures.iter().for_each(|pixels| bench.frame(pixels, WIDTH, SMALL));
    bench.run_camera();
    bench.run(5 * MILLISECOND);
    reader.read(&mut bench);
    assert_eq!(reader.frames.len(), 20);
    assert!(reader.frames.iter().zip(&pictures).all(|(frame, pixels)| frame.bytes() == pixels));
    let CameraCounts { resyncs, repaired_rows, dropped_frames, wrong_size, .. } = reader.counts();
    assert_eq!((resyncs, repaired_rows, dropped_frames, wrong_size), (0, 0, 0, 0));
}

#[test]
fn reserved_byte_values_in_pixels_are_clamped() {
    let mut bench = board(Clocks::default(), WIDTH);
    let mut reader = Reader::new(WIDTH, HEIGHT);
    let pixels = picture(WIDTH, HEIGHT, 3, true);
    assert!(pixels.contains(&0) && pixels.contains(&255));
    bench.frame(&pixels, WIDTH, SMALL);
    bench.run_camera();
    bench.run(5 * MILLISECOND);
    reader.read(&mut bench);
    let clamped: Vec<u8> = pixels.iter().map(|byte| (*byte).clamp(1, 254)).collect();
    assert_eq!(reader.frames[0].bytes(), clamped);
}

#[test]
fn golden_picture_gives_golden_stream_except_number() {
    let mut bench = board(Clocks::default(), 8);
    // The golden rows have 8 bytes, but the logic requires a multiple of 16. Each row is therefore doubled.
    let wide: Vec<u8> = GOLDEN_PIXELS.chunks(8).flat_map(|row| [row, row].concat()).collect();
    bench.frame(&wide, 8, SMALL);
    bench.run_camera();
    bench.run(5 * MILLISECOND);
    let stream: Vec<u8> = bench.packets().iter().flat_map(|packet| packet[2..].to_vec()).collect();
    let row = |n: usize| &GOLDEN_STREAM[16 * n..16 * n + 8];
    let pixels = |stream: &[u8], n: usize| stream[24 * n + 8..24 * n + 24].to_vec();
    assert_eq!(stream.len(), 2 * 24 + 8);
    for n in 0..2 {
        assert_eq!(pixels(&stream, n), wide[16 * n..16 * n + 16]);
        assert_eq!((stream[24 * n], stream[24 * n + 1], stream[24 * n + 2]), (row(n)[0], row(n)[1], row(n)[2]));
        assert_eq!(stream[24 * n + 5..24 * n + 7], row(n)[5..7], "the row's number");
    }
    assert_eq!(stream[48..56][..3], GOLDEN_STREAM[32..35]);
}

#[test]
fn stalls_of_the_chip_anywhere_lose_nothing() {
    let mut bench = board(Clocks::default(), WIDTH);
    let mut reader = Reader::new(WIDTH, HEIGHT);
    let pictures: Vec<_> = (0..10).map(|n| picture(WIDTH, HEIGHT, n, false)).collect();
    pictures.iter().for_each(|pixels| bench.frame(pixels, WIDTH, SMALL));
    let mut state = 1u32;
    for _ in 0..4_000 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        bench.balk(1 + (state >> 24) % 40);
        bench.run(u64::from(state >> 20 & 0x3ff) * 1_000);
    }
    bench.run_camera();
    bench.run(5 * MILLISECOND);
    reader.read(&mut bench);
    assert!(reader.frames.iter().map(|frame| frame.bytes()).eq(&pictures));
    assert_eq!(reader.counts().resyncs, 0);
}

#[test]
fn rows_of_wrong_length_are_dropped_and_counted() {
    let mut bench = board(Clocks::default(), WIDTH);
    let mut reader = Reader::new(WIDTH, HEIGHT);
    let pixels = picture(WIDTH, HEIGHT, 1, false);
    for (i, row) in pixels.chunks(64).enumerate() {
        match i {
            5 => bench.row(&row[..63], 36),
            9 => bench.row(&[row, row].concat(), 36),
            14 => bench.row(&row[..1], 36),
            _ => bench.row(row, 36),
        }
    }
    bench.vsync(SMALL);
    bench.frame(&pixels, WIDTH, SMALL);
    bench.run_camera();
    bench.run(5 * MILLISECOND);
    reader.read(&mut bench);
    // The logic omits the three rows of wrong length. The decoder cannot repair a frame with so many missing rows, and
    // drops it. The next frame is complete.
    assert_eq!((reader.counts().dropped_frames, reader.counts().resyncs), (1, 0));
    assert_eq!(reader.frames[0].bytes(), pixels);
    assert_eq!(register(&mut bench, "rows_uneven"), 3);
    assert_ne!(register(&mut bench, "status") & 1 << 3, 0);
}

#[test]
fn frame_start_within_row_ends_previous_frame() {
    let mut bench = board(Clocks::default(), WIDTH);
    let mut reader = Reader::new(WIDTH, HEIGHT);
    let pixels = picture(WIDTH, HEIGHT, 2, false);
    pixels.chunks(64).take(10).for_each(|row| bench.row(row, 36));
    bench.cut_row(&pixels[..64], 36);
    bench.vsync(SMALL);
    bench.frame(&pixels, WIDTH, SMALL);
    bench.run_camera();
    bench.run(5 * MILLISECOND);
    reader.read(&mut bench);
    assert_eq!(reader.counts().resyncs, 0);
    assert_eq!(reader.frames.last().unwrap().bytes(), pixels);
    assert_ne!(register(&mut bench, "status") & 1 << 4, 0);
}

#[test]
fn stopped_pixel_clock_is_reported_and_next_frame_is_whole() {
    let mut bench = board(Clocks::default(), WIDTH);
    let mut reader = Reader::new(WIDTH, HEIGHT);
    let pixels = picture(WIDTH, HEIGHT, 4, false);
    write(&mut bench, "status", 0xff);
    assert_eq!(register(&mut bench, "status") & 1 << 5, 0);
    (0..3).for_each(|_| bench.frame(&pixels, WIDTH, SMALL));
    // The clock stops in the middle of a row of the first frame.
    bench.run(23 * MICROSECOND * 5 / 2);
    bench.set_clocks(Clocks { camera: 0, ..Clocks::default() });
    bench.run(5 * MILLISECOND);
    assert_eq!(register(&mut bench, "now") & 1, 1);
    bench.set_clocks(Clocks::default());
    bench.run_camera();
    bench.run(5 * MILLISECOND);
    assert_eq!(register(&mut bench, "now") & 1, 0);
    assert_ne!(register(&mut bench, "status") & 1 << 5, 0);
    reader.read(&mut bench);
    assert!(reader.frames.iter().rev().take(2).all(|frame| frame.bytes() == pixels));
    assert_eq!(reader.counts().resyncs, 0);
}

#[test]
fn usb_stall_is_reported_and_rows_resume_complete() {
    let mut bench = board(Clocks::default(), WIDTH);
    let mut reader = Reader::new(WIDTH, HEIGHT);
    let pixels = picture(WIDTH, HEIGHT, 5, false);
    write(&mut bench, "status", 0xff);
    bench.balk(u32::MAX);
    (0..20).for_each(|_| bench.frame(&pixels, WIDTH, SMALL));
    bench.run_camera();
    bench.run(5 * MILLISECOND);
    assert_eq!(register(&mut bench, "now") & 0b110, 0b100, "its clock runs, and it takes nothing");
    assert!(u16::from(register(&mut bench, "rows_left_out")) > 0);
    assert_ne!(register(&mut bench, "status") & 1 << 2, 0);
    bench.balk(0);
    bench.run(2 * MILLISECOND);
    (0..2).for_each(|_| bench.frame(&pixels, WIDTH, SMALL));
    bench.run_camera();
    bench.run(5 * MILLISECOND);
    reader.read(&mut bench);
    assert_eq!(reader.counts().resyncs, 0, "what was lost is whole rows");
    assert!(reader.frames.iter().rev().take(2).all(|frame| frame.bytes() == pixels));
    assert_eq!(register(&mut bench, "now") & 0b110, 0);
}

#[test]
fn missing_usb_clock_is_reported_and_logic_waits() {
    let mut bench = board(Clocks { usb: 0, ..Clocks::default() }, WIDTH);
    let pixels = picture(WIDTH, HEIGHT, 6, false);
    (0..10).for_each(|_| bench.frame(&pixels, WIDTH, SMALL));
    bench.run_camera();
    bench.run(3 * MILLISECOND);
    assert_eq!(register(&mut bench, "now") & 0b10, 0b10);
    bench.set_clocks(Clocks::default());
    let mut reader = Reader::new(WIDTH, HEIGHT);
    (0..2).for_each(|_| bench.frame(&pixels, WIDTH, SMALL));
    bench.run_camera();
    bench.run(5 * MILLISECOND);
    reader.read(&mut bench);
    assert_eq!(reader.counts().resyncs, 0);
    assert_eq!(reader.frames.last().unwrap().bytes(), pixels);
}

/// Returns the number of VGA rows that the logic drops if the host is absent once for `absent` (us). The result is the
/// maximum of four runs, in which the absence begins at different phases of a row.
fn most_left_out(camera: u64, timing: Timing, absent: u64) -> usize {
    let row = 1_000_000_000_000 / camera * timing.row as u64;
    let left_out = (0..4).map(|phase| {
        let mut bench = Bench::new(Clocks { camera, system: 4_800_000, usb: 60_000_000 });
        bench.vsync(timing);
        bench.run_camera();
        let from = bench.now() + 40 * row + row / 4 * phase;
        bench.host().absent.push_back(from..from + absent * MICROSECOND);
        // The first 100 of a frame's 480 rows are enough for this test.
        bench.frame(&vec![100; 640 * 100 * 2], 640, timing);
        bench.run_camera();
        bench.run(5 * MILLISECOND);
        let stream: Vec<u8> = bench.packets().iter().flat_map(|packet| packet[2..].to_vec()).collect();
        100 - stream.windows(3).filter(|bytes| *bytes == [SYNC, SYNC_2, DIGIT | ROW]).count()
    });
    left_out.max().unwrap_or(0)
}

#[test]
fn host_pause_drops_documented_number_of_rows() {
    let (vga, vga_30) = ((12_000_000, Timing::VGA), (27_000_000, Timing::VGA_30));
    for ((camera, timing), absent, left_out) in
        [(vga, 900, 0), (vga, 1_000, 1), (vga, 1_500, 5), (vga_30, 400, 0), (vga_30, 500, 1), (vga_30, 1_000, 9)]
    {
        assert_eq!(most_left_out(camera, timing, absent), left_out, "{camera} Hz, {absent} us");
    }
}

/// Sends VGA frames while the host is absent for `absent` (us) in each period of `every` (us). Returns the decoder,
/// the pictures, and the number of dropped rows.
fn vga(camera: u64, timing: Timing, frames: u32, absent: u64, every: u64) -> (Reader, Vec<Vec<u8>>, u8) {
    // In this test the system clock drives only counters. A tenth of its frequency saves a third of the test's time.
    let mut bench = board(Clocks { camera, ..Clocks::default() }, 640);
    bench.set_clocks(Clocks { camera, system: 4_800_000, usb: 60_000_000 });
    let mut reader = Reader::new(640, 480);
    let pictures: Vec<_> = (0..frames).map(|n| picture(640, 480, n, false)).collect();
    pictures.iter().for_each(|pixels| bench.frame(pixels, 640, timing));
    let begin = bench.now();
    let period = every * MICROSECOND;
    let stretches = (0..).map(|i| begin + i * period + 137 * MICROSECOND * (i % 7));
    let end = begin + u64::from(frames + 1) * 70 * MILLISECOND;
    let stretches = stretches.take_while(|from| *from < end).map(|from| from..from + absent * MICROSECOND);
    bench.host().absent = stretches.collect();
    bench.run_camera();
    bench.run(5 * MILLISECOND);
    reader.read(&mut bench);
    bench.set_clocks(Clocks::default());
    let left_out = register(&mut bench, "rows_left_out");
    (reader, pictures, left_out)
}

#[test]
fn camera_15_hz_survives_host_absence_of_0_8_ms() {
    let (reader, pictures, left_out) = vga(12_000_000, Timing::VGA, 2, 800, 5_000);
    assert!(reader.frames.iter().map(|frame| frame.bytes()).eq(&pictures));
    assert_eq!((reader.counts().resyncs, reader.counts().repaired_rows, left_out), (0, 0, 0));
}

#[test]
fn camera_30_hz_survives_host_absence_of_0_4_ms() {
    let (reader, pictures, left_out) = vga(27_000_000, Timing::VGA_30, 2, 400, 5_000);
    assert!(reader.frames.iter().map(|frame| frame.bytes()).eq(&pictures));
    assert_eq!((reader.counts().resyncs, reader.counts().repaired_rows, left_out), (0, 0, 0));
}

#[test]
fn rows_lost_in_long_pause_are_whole_and_counted() {
    let (reader, pictures, left_out) = vga(12_000_000, Timing::VGA, 2, 1_500, 30_000);
    let counts = reader.counts();
    assert_eq!(counts.resyncs, 0);
    assert!(left_out > 0 && counts.repaired_rows == u64::from(left_out), "{counts:?}, {left_out} rows left out");
    // Each decoded row equals the camera's row, or the decoded row above it.
    for (frame, pixels) in reader.frames.iter().zip(&pictures) {
        let rows = |bytes: &[u8]| bytes.chunks(1280).map(<[u8]>::to_vec).collect::<Vec<_>>();
        let (got, sent) = (rows(frame.bytes()), rows(pixels));
        assert!((0..480).all(|i| got[i] == sent[i] || (i > 0 && got[i] == got[i - 1])));
    }
}

#[test]
fn lost_camera_lines_cost_only_that_frame() {
    let mut bench = board(Clocks::default(), WIDTH);
    let mut reader = Reader::new(WIDTH, HEIGHT);
    let pixels = picture(WIDTH, HEIGHT, 8, false);
    // Every seventh row is omitted. The end of the frame reports the number of sent rows.
    pixels.chunks(64).enumerate().filter(|(i, _)| i % 7 != 3).for_each(|(_, row)| bench.row(row, 36));
    bench.vsync(SMALL);
    bench.frame(&pixels, WIDTH, SMALL);
    bench.run_camera();
    bench.run(5 * MILLISECOND);
    reader.read(&mut bench);
    assert_eq!((reader.counts().wrong_size, reader.counts().resyncs), (1, 0));
    assert_eq!(reader.frames.len(), 1);
    assert_eq!(reader.frames[0].bytes(), pixels);
}

#[test]
fn two_readers_of_an_arenas_camera_get_whole_frames() {
    use xpuck_arena::Shim;
    let logic = xpuck_shim::Logic::default();
    // Rows have 1280 bytes (640 pixels), the default of the logic's register.
    let read = |number: u32| {
        let (mut packets, pixels) = (Vec::new(), picture(640, HEIGHT, number, false));
        (0..3).for_each(|_| logic.frame(&pixels, 640, &mut packets));
        let mut reader = Reader::new(640, HEIGHT);
        let mut rest = &packets[..];
        while let Some((length, more)) = rest.split_first_chunk::<2>() {
            let (packet, later) = more.split_at(usize::from(u16::from_le_bytes(*length)));
            reader.decoder.packet(packet, |frame| reader.frames.push(frame.clone()));
            rest = later;
        }
        reader.frames.len() == 3 && reader.frames.iter().all(|frame| frame.bytes() == pixels)
    };
    std::thread::scope(|scope| {
        let both = [1, 2].map(|number| {
            scope.spawn({
                let read = &read;
                move || read(number)
            })
        });
        assert!(both.into_iter().all(|reader| reader.join().unwrap()));
    });
}

#[test]
fn row_at_power_up_is_not_counted_as_dropped() {
    let mut bench = Bench::new(Clocks::default());
    bench.cut_row(&[100; 200], 36);
    bench.run_camera();
    assert_eq!(register(&mut bench, "rows_left_out"), 0);
    assert_eq!(register(&mut bench, "status") & 1 << 2, 0);
}
