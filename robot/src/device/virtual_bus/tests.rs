use super::*;
use crate::device::FrameSource;
use crate::device::camera::{Camera, CameraError};
use std::net::TcpListener;
use std::os::unix::net::{UnixListener, UnixStream};
use std::thread::JoinHandle;
use std::time::Instant;

/// Simulated device that serves one connection on its own socket.
struct Bench {
    path: PathBuf,
    device: Option<JoinHandle<()>>,
    _dir: tempfile::TempDir,
}

fn bench(serve: impl FnOnce(UnixStream) + Send + 'static) -> Bench {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("xp01.device");
    let listener = UnixListener::bind(&path).unwrap();
    let device = std::thread::spawn(move || serve(listener.accept().unwrap().0));
    Bench { path, device: Some(device), _dir: dir }
}

impl Bench {
    fn finish(&mut self) {
        self.device.take().unwrap().join().unwrap();
    }
}

#[test]
fn spi_words_travel_high_byte_first_both_ways() {
    let mut bench = bench(|mut stream| {
        let mut bytes = [0; 64];
        for _ in 0..2 {
            stream.read_exact(&mut bytes).unwrap();
            assert_eq!(bytes[..4], [0x12, 0x34, 0x00, 0x01]);
            bytes[0] = 0xab;
            stream.write_all(&bytes).unwrap();
        }
    });
    let mut spi = VirtualSpi::open(&bench.path).unwrap();
    let words: Words = std::array::from_fn(|i| if i == 0 { 0x1234 } else { i as u16 });
    for _ in 0..2 {
        let reply = spi.transfer(&words).unwrap();
        assert_eq!((reply[0], &reply[1..]), (0xab34, &words[1..]));
    }
    bench.finish();
    let error = spi.transfer(&words).unwrap_err();
    assert!(matches!(error, DeviceError::Closed { .. }) && error.to_string().contains("xp01.device"), "{error}");
}

#[test]
fn network_device_is_selected_by_first_line() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let path = PathBuf::from(format!("tcp://{}/xp01.spi", listener.local_addr().unwrap()));
    let arena = std::thread::spawn(move || {
        for known in [true, false] {
            let mut stream = listener.accept().unwrap().0;
            let mut name = [0; 9];
            stream.read_exact(&mut name).unwrap();
            assert_eq!(&name, b"xp01.spi\n");
            if known {
                stream.write_all(&[0]).unwrap();
                let mut bytes = [0; 64];
                stream.read_exact(&mut bytes).unwrap();
                stream.write_all(&bytes).unwrap();
            }
        }
    });
    assert!(is_virtual(&path).unwrap());
    let words: Words = std::array::from_fn(|i| i as u16);
    assert_eq!(VirtualSpi::open(&path).unwrap().transfer(&words).unwrap(), words);
    let refused = VirtualSpi::open(&path).unwrap_err().to_string();
    assert!(refused.contains("tcp://127.0.0.1") && refused.contains("does not have this device"), "{refused}");
    arena.join().unwrap();
    assert!(VirtualSpi::open(&path).unwrap_err().to_string().contains("refused"));
}

#[test]
fn late_answer_is_not_taken_for_next_one() {
    let (answer, may_answer) = std::sync::mpsc::channel();
    let mut bench = bench(move |mut stream| {
        stream.read_exact(&mut [0; 64]).unwrap();
        may_answer.recv().unwrap();
        let _ = stream.write_all(&[0xee; 64]);
    });
    let mut spi = VirtualSpi::open(&bench.path).unwrap();
    let start = Instant::now();
    assert!(matches!(spi.transfer(&[0; 32]), Err(DeviceError::Abandoned { milliseconds: 2000, .. })));
    assert!(start.elapsed() < 4 * TIMEOUT);
    answer.send(()).unwrap();
    bench.finish();
    // The next transfer reports the timeout again, because this program has closed the connection.
    assert!(matches!(spi.transfer(&[0; 32]), Err(DeviceError::Abandoned { .. })));
}

#[test]
fn i2c_transactions_carry_their_lengths_and_a_nak_is_named() {
    let mut bench = bench(|mut stream| {
        let mut request = [0; 4];
        stream.read_exact(&mut request).unwrap();
        assert_eq!(request, [0x40, 1, 2, 5]);
        stream.write_all(&[0, 0x01, 0x00]).unwrap();
        let mut request = [0; 6];
        stream.read_exact(&mut request).unwrap();
        assert_eq!(request, [0x40, 3, 0, 5, 1, 0]);
        stream.write_all(&[0]).unwrap();
        stream.read_exact(&mut request[..4]).unwrap();
        stream.write_all(&[1]).unwrap();
    });
    let mut bus = VirtualI2c::open(&bench.path).unwrap();
    let mut read = [0; 2];
    bus.write_read(0x40, &[5], &mut read).unwrap();
    assert_eq!(read, [0x01, 0x00]);
    bus.write_read(0x40, &[5, 1, 0], &mut []).unwrap();
    let error = bus.write_read(0x44, &[0], &mut read).unwrap_err().to_string();
    assert!(error.contains("0x44") && error.contains("xp01.device"), "{error}");
    assert!(matches!(bus.write_read(0x40, &[0; 48], &mut []), Err(DeviceError::TooLong { bytes: 48, .. })));
    bench.finish();
}

/// Waits at most 5 s until `look` returns a value. The camera's thread works in the background.
fn eventually<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < Duration::from_secs(5), "it never came");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Returns the packets of a frame of 4 x 2 pixels, in the format of the shim.
fn packets(number: u8) -> Vec<u8> {
    assert!(number < 16, "digits are given below");
    let check = |kind: u8, value: u8| {
        let digits = [kind, 0, number, 0, value];
        let bits = digits.iter().flat_map(|d| (0..6).rev().map(move |bit| d >> bit & 1));
        bits.fold(0x3f, |crc: u8, bit| if crc >> 5 ^ bit == 1 { crc << 1 & 0x3f ^ 3 } else { crc << 1 & 0x3f })
    };
    let header =
        |kind, value| [0xff, 0, 0x40 | kind, 0x40, 0x40 | number, 0x40, 0x40 | value, 0x40 | check(kind, value)];
    let row = |row| [&header(1, row)[..], &[number + 1; 8]].concat();
    let packet = |payload: &[u8]| [&[payload.len() as u8 + 2, 0, 0x32, 0x60], payload].concat();
    [packet(&row(0)), packet(&[]), packet(&row(1)), packet(&header(2, 2))].concat()
}

#[test]
fn camera_gives_newest_complete_frame_once() {
    let (go, may_go) = std::sync::mpsc::channel();
    let mut bench = bench(move |mut stream| {
        stream.write_all(&packets(1)).unwrap();
        // The camera sends frame 2 and half of frame 3, waits, and sends the rest.
        may_go.recv().unwrap();
        let next = packets(3);
        stream.write_all(&[&packets(2)[..], &next[..33]].concat()).unwrap();
        may_go.recv().unwrap();
        stream.write_all(&next[33..]).unwrap();
        stream.write_all(&packets(4)).unwrap();
        stream.write_all(&packets(5)[..40]).unwrap();
    });
    let mut camera = open_ft2232h(&bench.path, 4, 2).unwrap();
    let next = |camera: &mut Camera| eventually(|| camera.latest().unwrap().map(|f| f.bytes().to_vec()));
    assert_eq!(next(&mut camera), [2; 16]);
    assert!(camera.latest().unwrap().is_none(), "a frame comes once");
    go.send(()).unwrap();
    assert_eq!(next(&mut camera), [3; 16]);
    assert!(camera.latest().unwrap().is_none(), "half a frame is none");
    go.send(()).unwrap();
    bench.finish();
    // Frame 4 may replace frame 3 before the test reads frame 3. Frame 5 is never complete.
    let error = eventually(|| match camera.latest() {
        Ok(Some(frame)) => {
            assert!(frame.bytes() == [4; 16] || frame.bytes() == [5; 16], "{:?}", frame.bytes());
            None
        }
        Ok(None) => None,
        Err(error) => Some(error),
    });
    assert!(matches!(error, DeviceError::Camera(CameraError::Gone { .. })), "{error}");
    assert!(error.to_string().contains("xp01.device") && camera.latest().is_err(), "and it stays gone");
    let counts = camera.counts();
    assert_eq!((counts.frames, counts.idle_packets), (4, 5));
}

/// Encodes payloads of the USB video class for the socket: each payload follows its length.
fn payloads(list: &[&[u8]]) -> Vec<u8> {
    list.iter().flat_map(|payload| [&(payload.len() as u16).to_le_bytes()[..], payload].concat()).collect()
}

#[test]
fn frames_of_a_usb_video_device_are_whole_or_counted() {
    use xpuck_registers::uvc::{ERR, FID, GOLDEN_PAYLOADS, GOLDEN_PIXELS};
    let other = |mut payload: [u8; 14], flags: u8| {
        payload[1] ^= flags;
        payload
    };
    let [first, last] = GOLDEN_PAYLOADS;
    let mut bench = bench(move |mut stream| {
        // The camera sends four frames. The first ends early, the second has the error flag, the third has a payload
        // with an invalid header, and the fourth is complete.
        let (damaged, end) = (other(first, FID | ERR), other(last, FID));
        let list = payloads(&[&first, &damaged, &end, &first, &[99; 14], &last, &other(first, FID), &end]);
        stream.write_all(&list).unwrap();
    });
    let mut camera = open_uvc(&bench.path, 4, 2).unwrap();
    let frame = eventually(|| camera.latest().unwrap().map(|f| f.bytes().to_vec()));
    assert_eq!(frame, GOLDEN_PIXELS);
    bench.finish();
    let error = eventually(|| camera.latest().err());
    assert!(matches!(error, DeviceError::Camera(CameraError::Gone { .. })), "{error}");
    let counts = camera.counts();
    assert_eq!((counts.frames, counts.wrong_size, counts.dropped_frames, counts.resyncs), (1, 1, 2, 1));
}

#[test]
fn invalid_packet_size_is_reported() {
    let mut bench = bench(|mut stream| stream.write_all(&[1, 2, 0x32, 0x60]).unwrap());
    let mut camera = open_ft2232h(&bench.path, 4, 2).unwrap();
    let error = eventually(|| camera.latest().err()).to_string();
    assert!(error.contains("packet of 513 bytes") && error.contains("xp01.device"), "{error}");
    bench.finish();
}

#[test]
fn silent_camera_blocks_neither_read_nor_drop() {
    let (go, may_go) = std::sync::mpsc::channel::<()>();
    let mut bench = bench(move |stream| {
        let _ = may_go.recv();
        drop(stream);
    });
    let start = Instant::now();
    let mut camera = open_ft2232h(&bench.path, 160, 120).unwrap();
    assert!(camera.latest().unwrap().is_none());
    drop(camera);
    assert!(start.elapsed() < Duration::from_secs(2), "dropping it waits for no frame");
    drop(go);
    bench.finish();
}

#[test]
fn unopenable_path_is_reported() {
    let nowhere = Path::new("/nonexistent/xp01.spi");
    assert!(VirtualSpi::open(nowhere).unwrap_err().to_string().contains("/nonexistent/xp01.spi"));
    assert!(matches!(open_ft2232h(nowhere, 3, 2), Err(DeviceError::FrameSize { .. })));
}
