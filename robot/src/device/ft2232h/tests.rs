//! Tests of the FT2232H reader with an emulated chip. Simulated time advances only while the reader waits or is
//! delayed.

use super::super::bulk::Completed;
use super::super::frames::tests::frame_stream;
use super::*;
use std::collections::VecDeque;

const WIDTH: usize = 640;
const HEIGHT: usize = 480;
/// Frame rate of the camera (Hz).
const RATE: u64 = 15;
/// Total size of the buffers in the shim's logic and in the chip (bytes).
const FIFO: usize = (7 + 4) << 10;
/// Number of frames that the camera sends.
const FRAMES: u16 = 8;

/// Emulated chip that sends the rows of a camera at a fixed rate. The chip is disconnected after the last row.
#[derive(Default)]
struct Chip {
    /// Time since the first row (us).
    now: u64,
    /// Output of the camera: time (us), and bytes of a row with its header, or of the header that ends a frame.
    rows: VecDeque<(u64, Vec<u8>)>,
    /// Contents of the buffers in the logic and in the chip.
    fifo: VecDeque<u8>,
    /// Number of rows dropped because the buffers were full.
    left_out: u32,
    /// Queued transfers, with the bytes received so far.
    queue: VecDeque<Completed>,
    /// Delay of the reader after each transfer (us).
    held_up: u64,
    /// Number of the transfer that ends in a stall, counted from 1; `None` without a stall.
    stalls_at: Option<u32>,
    taken: u32,
    halted: bool,
}

impl Chip {
    fn new(held_up: u64) -> Chip {
        let mut chip = Chip { held_up, ..Chip::default() };
        let per_row = 1_000_000 / RATE / HEIGHT as u64;
        for number in 0..FRAMES {
            let bytes = frame_stream(number, WIDTH, HEIGHT);
            let rows = bytes.chunks(8 + 2 * WIDTH).zip(u64::from(number) * HEIGHT as u64..);
            chip.rows.extend(rows.map(|(row, n)| (n * per_row, row.to_vec())));
        }
        chip
    }

    /// Sends all rows of the camera that are due at the current time, and fills the queued transfers.
    fn go_on(&mut self) {
        while self.rows.front().is_some_and(|(at, _)| *at <= self.now) {
            let (_, row) = self.rows.pop_front().unwrap();
            match self.fifo.len() + row.len() <= FIFO {
                true => self.fifo.extend(row),
                false => self.left_out += 1,
            }
            self.fill();
        }
    }

    fn fill(&mut self) {
        while self.fifo.len() >= chip::PAYLOAD && !self.halted {
            let Some(transfer) = self.queue.iter_mut().find(|t| t.length < t.buffer.len()) else { return };
            let packet = &mut transfer.buffer[transfer.length..][..chip::PACKET];
            packet[..chip::STATUS].copy_from_slice(&chip::STATUS_AT_REST);
            packet[chip::STATUS..].iter_mut().zip(self.fifo.drain(..chip::PAYLOAD)).for_each(|(to, from)| *to = from);
            transfer.length += chip::PACKET;
        }
    }
}

impl BulkIn for Chip {
    fn submit(&mut self, buffer: Vec<u8>) {
        self.queue.push_back(Completed { buffer, length: 0, status: Ok(()) });
    }

    fn pending(&self) -> usize {
        self.queue.len()
    }

    fn wait(&mut self, timeout: Duration) -> Result<Option<Completed>, TransferError> {
        let deadline = self.now + timeout.as_micros() as u64;
        self.fill();
        self.go_on();
        while self.queue.front().is_some_and(|t| t.length < t.buffer.len() && t.status.is_ok()) {
            let Some((at, _)) = self.rows.front() else { return Err(TransferError::Disconnected) };
            if *at > deadline {
                return Ok(None);
            }
            self.now = self.now.max(*at);
            self.go_on();
        }
        let mut done = self.queue.pop_front();
        self.now += self.held_up;
        self.taken += 1;
        if let Some(done) = done.as_mut().filter(|_| self.stalls_at == Some(self.taken)) {
            (self.halted, done.status) = (true, Err(TransferError::Stall));
        }
        self.go_on();
        Ok(done)
    }

    fn cancel_all(&mut self) {
        self.queue.iter_mut().for_each(|transfer| transfer.status = Err(TransferError::Cancelled));
    }

    fn clear_halt(&mut self) -> Result<(), rusb::Error> {
        assert!(self.queue.is_empty(), "libusb allows it only then");
        self.halted = false;
        Ok(())
    }
}

/// Reads the whole stream with this number of queued transfers. Returns the chip and the counters.
fn read(chip: Chip, transfers: usize) -> (Chip, CameraCounts) {
    let mut queue = Queue { endpoint: chip, name: "bench".into(), transfers };
    queue.fill();
    let newest = LatestFrame::empty(WIDTH, HEIGHT);
    let decoder = FrameDecoder::new(WIDTH, HEIGHT, PixelOrder::YCbYCr).unwrap();
    let ended = queue.read(decoder, &newest, &AtomicBool::new(false)).unwrap_err();
    assert!(matches!(ended, CameraError::Gone { .. }), "{ended}");
    (queue.endpoint, newest.counts())
}

#[test]
fn queue_absorbs_56_ms_and_single_reads_1_ms() {
    // The reader is delayed once, before its first transfer, and takes later transfers without delay.
    let held_up_once = |transfers, held_up| {
        let mut chip = Chip::new(0);
        chip.now = held_up;
        let (chip, counts) = read(chip, transfers);
        assert_eq!(counts.frames + counts.dropped_frames, u64::from(FRAMES) - 1, "the last ends with the chip");
        chip.left_out
    };
    assert_eq!(held_up_once(TRANSFERS, 56_000), 0);
    assert!(held_up_once(TRANSFERS, 59_000) > 0);
    // The reader is delayed after each transfer. If only one transfer is queued, the chip cannot empty its FIFO during
    // the delay.
    let held_up_each_time = |transfers, held_up| read(Chip::new(held_up), transfers).0.left_out;
    assert_eq!(held_up_each_time(1, 900), 0);
    assert!(held_up_each_time(1, 1_400) > 0);
    assert_eq!(held_up_each_time(TRANSFERS, 1_500), 0);
}

#[test]
fn stall_is_cleared_and_camera_continues() {
    let (chip, counts) = read(Chip { stalls_at: Some(70), ..Chip::new(0) }, TRANSFERS);
    assert_eq!((counts.stalls, chip.halted), (1, false));
    assert!(counts.frames >= u64::from(FRAMES) - 3, "{counts:?}");
}

#[test]
fn absent_chip_is_reported_with_usb_id() {
    let error = open(Some("no such number"), 640, 480, PixelOrder::CrYCbY).map(|_| ()).unwrap_err();
    let told = error.to_string();
    assert!(told.contains("0403:6010"), "{told}");
    // On a machine without USB, libusb returns an error.
    assert!(matches!(error, DeviceError::Camera(CameraError::Absent { .. } | CameraError::Usb { .. })));
    assert!(matches!(open(None, 641, 480, PixelOrder::CrYCbY), Err(DeviceError::FrameSize { .. })));
}

#[test]
fn stall_recovery_is_bounded_and_unplugging_ends_camera() {
    assert_eq!(next(Ok(()), MAX_STALLS), Action::Continue);
    assert_eq!(next(Err(TransferError::Stall), 0), Action::Recover);
    assert_eq!(next(Err(TransferError::Fault), MAX_STALLS - 1), Action::Recover);
    assert_eq!(next(Err(TransferError::Stall), MAX_STALLS), Action::End);
    assert_eq!(next(Err(TransferError::Disconnected), 0), Action::End);
}
