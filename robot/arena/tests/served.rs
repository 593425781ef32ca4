//! Tests of the served arena through its sockets only.

mod client;

use client::{Spi, Vicon};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc;
use xpuck_arena::{ArenaError, Listening, Settings, Summary, run};
use xpuck_registers::ina231::{self, Register};
use xpuck_registers::yuyv;

const ALL_FRAMES: &str = "01002b1a09000000a28601000100000001";
const ONE_FRAME: &str = "01002b1a09000000a28601000100000000";

fn settings(dir: &Path, robots: usize, speed: f64) -> Settings {
    Settings { seed: 12, speed, ..Settings::with_defaults(robots, dir) }
}

/// Stops the arena when the test ends. Without it, a test whose assertion fails would wait for the arena's thread
/// forever.
struct StopAtEnd<'a>(&'a AtomicBool);

impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// Serves an arena while `test` runs. Passes the address of the Vicon server to `test`.
fn serve(settings: &Settings, test: impl FnOnce(SocketAddr)) -> Summary {
    serve_all(settings, |listening| test(listening.mocap))
}

/// Serves an arena while `test` runs. Passes all addresses of the arena to `test`.
fn serve_all(settings: &Settings, test: impl FnOnce(Listening)) -> Summary {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let stop = &stop;
        let (ready, listening) = mpsc::channel();
        let arena = scope.spawn(move || run(settings, stop, |l| ready.send(*l).unwrap(), |_, _| {}, &mut ()).unwrap());
        let _guard = StopAtEnd(stop);
        test(listening.recv().unwrap());
        stop.store(true, Relaxed);
        arena.join().unwrap()
    })
}

#[test]
fn devices_on_the_network_carry_the_bytes_of_the_sockets() {
    let dir = tempfile::tempdir().unwrap();
    let settings = Settings { device_address: Some(([127, 0, 0, 1], 0).into()), ..settings(dir.path(), 2, 1.0) };
    serve_all(&settings, |listening| {
        let address = listening.devices.unwrap();
        let connect = |line: &str| {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.set_read_timeout(Some(std::time::Duration::from_secs(5))).unwrap();
            stream.write_all(line.as_bytes()).unwrap();
            stream
        };
        let ask = |stream: &mut dyn ReadWrite| {
            // Reads a register of the battery monitor whose value is constant.
            stream.write_all(&[ina231::BATTERY_ADDRESS, 1, 2, Register::Calibration as u8]).unwrap();
            let mut answer = [0; 3];
            stream.read_exact(&mut answer).unwrap();
            answer
        };
        let mut there = connect("xp02.i2c\n");
        let mut have = [9];
        there.read_exact(&mut have).unwrap();
        assert_eq!(have, [0]);
        let mut here = UnixStream::connect(settings.device_path("xp02", "i2c")).unwrap();
        assert_eq!(ask(&mut there), ask(&mut here));
        // For an unknown, overlong or empty name, the server closes the connection. Other connections continue.
        for line in ["xp09.i2c\n", "../xp02.i2c\n", "\n", &"x".repeat(4000)] {
            let mut stranger = connect(line);
            assert!(matches!(stranger.read(&mut have), Ok(0) | Err(_)), "{line}");
        }
        assert_eq!(ask(&mut there), ask(&mut here));
    });
}

trait ReadWrite: Read + Write {}
impl<T: Read + Write> ReadWrite for T {}

fn wrapped(angle: f64) -> f64 {
    angle.sin().atan2(angle.cos())
}

#[test]
fn spi_drives_robot_and_silence_stops_it() {
    let dir = tempfile::tempdir().unwrap();
    let settings = settings(dir.path(), 2, 4.0);
    let summary = serve(&settings, |mocap| {
        let mut vicon = Vicon::open(mocap);
        vicon.send(ALL_FRAMES);
        let mut spi = Spi::open(&settings.device_path("xp01", "spi"));
        let (first, start) = vicon.frame();
        assert_eq!(start.len(), 3, "two robots and the frisbee: {start:?}");
        let (mut last, mut moving) = (first, start.clone());
        // The robot turns on the spot to avoid the walls: 3 rad/s for 1 s of arena time, which is 50 frames.
        while last < first + 50 {
            spi.drive(-600.0, 600.0);
            let (number, poses) = vicon.frame();
            assert_eq!(number, last + 1, "no frame is skipped");
            (last, moving) = (number, poses);
        }
        let turned = wrapped(moving["xp01"].heading - start["xp01"].heading);
        assert!(turned.abs() > 1.5, "xp01 turned {turned} rad");
        let strayed = (moving["xp02"].x - start["xp02"].x).abs();
        assert!(strayed < 1e-6, "xp02 was not told to move and moved {strayed} m");
        // The robot must be at rest within 0.4 s (20 frames): 0.2 s of silence, one step to detect the silence, and
        // the time until friction stops the robot.
        let at_rest = (0..20).map(|_| vicon.frame().1).last().unwrap();
        let later = (0..10).map(|_| vicon.frame().1).last().unwrap();
        assert!((later["xp01"].heading - at_rest["xp01"].heading).abs() < 1e-3);
        assert!(wrapped(at_rest["xp01"].heading - moving["xp01"].heading) > 0.2, "it did not stop at once");
    });
    assert!(summary.ratio > 0.8 && summary.ratio < 1.01, "{summary:?}");
    assert!((summary.arena_seconds / (summary.wall_seconds * 4.0) - summary.ratio).abs() < 1e-9);
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "the sockets are gone");
}

#[test]
fn frisbee_at_an_end_is_put_back_when_robot_rests() {
    let dir = tempfile::tempdir().unwrap();
    let settings = settings(dir.path(), 1, 20.0);
    serve(&settings, |mocap| {
        let mut vicon = Vicon::open(mocap);
        vicon.send(ALL_FRAMES);
        let mut spi = Spi::open(&settings.device_path("xp01", "spi"));
        let (first, _) = vicon.frame();
        let mut reached = false;
        // The loop is limited to three minutes of arena time (9000 frames).
        while !reached {
            let (number, poses) = vicon.frame();
            assert!(number < first + 9000, "{poses:?}");
            let (robot, frisbee) = (poses["xp01"], poses["frisbee"]);
            reached = frisbee.x + 0.105 >= 1.0;
            // If the robot is behind the frisbee, its target is the far side of the frisbee's centre, as seen from y =
            // 0. From there, it pushes the frisbee back towards y = 0.
            let behind = frisbee.x - robot.x > 0.1 && (frisbee.y - robot.y).abs() < 0.1;
            let (x, y) =
                if behind { (frisbee.x, frisbee.y + 0.5 * (frisbee.y - 0.0)) } else { (frisbee.x - 0.25, frisbee.y) };
            let off = wrapped((y - robot.y).atan2(x - robot.x) - robot.heading) as f32;
            let ahead = if off.abs() < 0.5 { 800.0 } else { 0.0 };
            let turn = (800.0 * off).clamp(-300.0, 300.0);
            spi.drive(ahead - turn, ahead + turn);
        }
        spi.drive(0.0, 0.0);
        // The keeper waits until all wheels have been still for half a second (25 frames). The other 35 frames cover
        // the delay of the frames.
        let put_back = (0..60).any(|_| {
            let frisbee = vicon.frame().1["frisbee"];
            frisbee.x.hypot(frisbee.y) < 0.2
        });
        assert!(put_back);
    });
}

#[test]
fn camera_shows_blue_only_when_facing_frisbee() {
    let dir = tempfile::tempdir().unwrap();
    let settings = settings(dir.path(), 1, 4.0);
    serve(&settings, |mocap| {
        let mut vicon = Vicon::open(mocap);
        vicon.send(ALL_FRAMES);
        let mut spi = Spi::open(&settings.device_path("xp01", "spi"));
        let blue_after_turning_to = |aside: f64, vicon: &mut Vicon, spi: &mut Spi| {
            loop {
                let (number, poses) = vicon.frame();
                assert!(number < 3000);
                let (robot, frisbee) = (poses["xp01"], poses["frisbee"]);
                let bearing = (frisbee.y - robot.y).atan2(frisbee.x - robot.x);
                let off = wrapped(bearing + aside - robot.heading) as f32;
                if off.abs() < 0.08 {
                    spi.drive(0.0, 0.0);
                    break;
                }
                spi.drive(-200.0 * off, 200.0 * off);
            }
            // A new connection to a camera starts with a new frame.
            let mut camera = UnixStream::connect(settings.device_path("xp01", "camera")).unwrap();
            let frame = client::frame(&mut camera, settings.camera.width as usize);
            assert_eq!(frame.len(), settings.camera.frame_len());
            let blue = |pair: &[u8]| {
                let [left, _] = yuyv::unpack([pair[0], pair[1], pair[2], pair[3]]);
                let [r, g, b] = yuyv::to_rgb(left).map(i32::from);
                b > r + 80 && b > g + 60
            };
            frame.chunks_exact(4).filter(|pair| blue(pair)).count()
        };
        let facing = blue_after_turning_to(0.0, &mut vicon, &mut spi);
        assert!(facing > 20, "{facing} pairs of blue pixels");
        assert_eq!(blue_after_turning_to(2.5, &mut vicon, &mut spi), 0);
    });
}

#[test]
fn power_monitors_answer_over_i2c() {
    let dir = tempfile::tempdir().unwrap();
    let settings = settings(dir.path(), 1, 1.0);
    serve(&settings, |_| {
        let mut bus = UnixStream::connect(settings.device_path("xp01", "i2c")).unwrap();
        let mut transfer = |address: u8, write: &[u8], reads: usize| {
            bus.write_all(&[&[address, write.len() as u8, reads as u8], write].concat()).unwrap();
            let mut answer = vec![0; 1];
            bus.read_exact(&mut answer).unwrap();
            if answer[0] == 0 {
                answer.resize(1 + reads, 0);
                bus.read_exact(&mut answer[1..]).unwrap();
            }
            answer
        };
        assert_eq!(transfer(0x44, &[0], 2), [1], "no chip, no acknowledge, no bytes");
        assert_eq!(transfer(0x40, &[0], 2), [0, 0x41, 0x27]);
        assert_eq!(transfer(0x40, &ina231::write(Register::Calibration, 256), 0), [0]);
        let volts = transfer(0x40, &[Register::BusVoltage as u8], 2);
        assert!((3.8..4.2).contains(&ina231::volts(u16::from_be_bytes([volts[1], volts[2]]))));
    });
}

#[test]
fn frames_can_be_pulled_and_pings_come_back() {
    let dir = tempfile::tempdir().unwrap();
    let settings = settings(dir.path(), 1, 10.0);
    serve(&settings, |mocap| {
        let mut vicon = Vicon::open(mocap);
        vicon.send(ONE_FRAME);
        let (first, _) = vicon.frame();
        vicon.send("01002b1a0c000000a88601000400000001000000");
        let (second, _) = vicon.frame();
        assert!(second > first, "the next frame is a new one");
        vicon.send("01002b1a100000002a000000080000000700000000000000");
        assert_eq!(vicon.packet(), client::bytes("2a000000080000000700000000000000"), "nothing else was pushed");
        // A second client receives its own stream of frames, while the first client requests each frame.
        let mut other = Vicon::open(mocap);
        other.send(ALL_FRAMES);
        assert!((0..5).all(|_| other.frame().1.len() == 2));
        // "GET / HT" is not a packet. The server closes only the connection on which these bytes arrive.
        vicon.send("474554202f204854");
        assert_eq!(vicon.stream.read(&mut [0; 1]).unwrap_or(0), 0);
        assert!((0..5).all(|_| other.frame().1.len() == 2));
    });
}

#[test]
fn bind_errors_name_the_resource() {
    let dir = tempfile::tempdir().unwrap();
    let first = settings(dir.path(), 1, 1.0);
    serve(&first, |mocap| {
        let stop = AtomicBool::new(true);
        let same_port = Settings { mocap, ..settings(&dir.path().join("other"), 1, 1.0) };
        let error = run(&same_port, &stop, |_| {}, |_, _| {}, &mut ()).unwrap_err();
        assert!(matches!(error, ArenaError::Mocap { .. }));
        assert!(error.to_string().contains(&mocap.to_string()) && error.to_string().contains("another port"));
        let error = run(&settings(dir.path(), 1, 1.0), &stop, |_| {}, |_, _| {}, &mut ()).unwrap_err();
        assert!(error.to_string().contains("xp01.spi"), "{error}");
        let error = run(&settings(Path::new("/dev/null/x"), 1, 1.0), &stop, |_| {}, |_, _| {}, &mut ()).unwrap_err();
        assert!(error.to_string().contains("/dev/null/x"), "{error}");
    });
    assert!(!first.device_path("xp01", "spi").exists());
}
