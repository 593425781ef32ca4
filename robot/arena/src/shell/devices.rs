//! Serves each device of each robot on a stream socket, in the byte format of the real device.
//!
//! * `.spi`: Each message has 64 bytes in each direction.
//! * `.i2c`: A request consists of the address, the number of bytes to write, the number of bytes to read, and the
//!   bytes to write. The reply is 0 (acknowledged) and the bytes that were read, or 1 (not acknowledged).
//! * `.camera`: The stream consists of USB packets of an xpuck's FT2232H, or of USB video payloads of a Pi-puck board.
//!   The length of each packet or payload precedes it (two bytes, little-endian). A slow reader loses frames.

use super::boards::Boards;
use super::sleep_until;
use super::standstill::StandstillLog;
use crate::arena::Arena;
use crate::camera::Camera;
use crate::ft2232h::Ft2232h;
use crate::port::connection::{POLL, is_timeout, write_all};
use crate::settings::{ArenaError, BodyKind, CameraSettings, Settings};
use crate::shim::Shim;
use crate::unkind::picture::ImageDefects;
use crate::uvc::Uvc;
use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::Scope;
use std::time::{Duration, Instant};
use xpuck_registers::{epuck2, spi};

/// Maximum number of connections to one device; further connections are closed.
const MAX_CONNECTIONS: usize = 16;
/// Maximum length of an I2C transaction in each direction (bytes): the length of an e-puck2's report.
const MAX_I2C: usize = epuck2::REPORT_BYTES;
/// Period of the cameras' latency timer, in wall time. The period is longer than on a robot, to limit the processor
/// load of a typical arena with nine cameras.
const LATENCY: Duration = Duration::from_millis(100);
/// Maximum length of a Unix socket path on Linux (bytes).
const MAX_PATH: usize = 107;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Spi,
    I2c,
    Camera,
}

/// Transmission path from a robot's camera to its board.
enum CameraPath {
    Ft2232h(Ft2232h),
    Uvc(Uvc),
}

struct Device {
    robot: usize,
    kind: Kind,
    path: PathBuf,
    listener: UnixListener,
    open: AtomicUsize,
}

impl Drop for Device {
    fn drop(&mut self) {
        // The socket may already have been removed.
        let _ = fs::remove_file(&self.path);
    }
}

/// Devices of all robots.
pub(super) struct Devices {
    list: Vec<Device>,
    camera: CameraSettings,
    /// Kind of each robot, by robot index.
    bodies: Vec<BodyKind>,
    seed: u64,
    speed: f64,
    standstill: Option<StandstillLog>,
    shim: Option<Arc<dyn Shim>>,
    boards: Boards,
}

fn lock(arena: &Mutex<Arena>) -> MutexGuard<'_, Arena> {
    arena.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Devices {
    /// Binds the socket of every device. Creates the directory of the sockets if it is missing.
    pub(super) fn bind(settings: &Settings) -> Result<Devices, ArenaError> {
        let dir = &settings.device_dir;
        fs::create_dir_all(dir).map_err(|source| ArenaError::DeviceDir { path: dir.clone(), source })?;
        let Settings { camera, seed, speed, .. } = *settings;
        let bodies = (0..settings.robots.len()).map(|robot| settings.kind(robot)).collect();
        let standstill = StandstillLog::open(&settings.robots)
            .map_err(|source| ArenaError::DeviceDir { path: dir.clone(), source })?;
        let shim = settings.shim.clone();
        let boards = Boards::new(settings.robots.len());
        let mut devices = Devices { list: Vec::new(), camera, bodies, seed, speed, standstill, shim, boards };
        for (robot, name) in settings.robots.iter().enumerate() {
            for (kind, suffix) in [(Kind::Spi, "spi"), (Kind::I2c, "i2c"), (Kind::Camera, "camera")] {
                if kind == Kind::Spi && settings.kind(robot) != BodyKind::Xpuck {
                    continue;
                }
                let path = settings.device_path(name, suffix);
                let listener = listen(&path)?;
                devices.list.push(Device { robot, kind, path, listener, open: AtomicUsize::new(0) });
            }
        }
        Ok(devices)
    }

    /// Returns the load measurement of the robots' boards.
    pub(super) fn boards(&self) -> &Boards {
        &self.boards
    }

    /// Accepts waiting connections, and serves each of them on its own thread.
    pub(super) fn admit<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        arena: &'scope Mutex<Arena>,
        stop: &'scope AtomicBool,
    ) {
        for device in &self.list {
            while let Ok((stream, _)) = device.listener.accept() {
                if device.open.load(Relaxed) >= MAX_CONNECTIONS {
                    continue;
                }
                device.open.fetch_add(1, Relaxed);
                if device.kind == Kind::I2c {
                    self.boards.connected(device.robot, &stream);
                }
                scope.spawn(move || {
                    // An error here means that the peer disconnected, which is allowed at any time.
                    let _ = prepare(&stream).and_then(|()| self.serve(device, stream, arena, stop));
                    device.open.fetch_sub(1, Relaxed);
                });
            }
        }
    }

    /// Serves the device with the name `<robot>.<device>` over a network connection. The connection's read and write
    /// timeout must be [`POLL`]. `greet` confirms to the peer that the device exists. Returns false if the device does
    /// not exist or has too many connections.
    pub(super) fn serve_named<S: Read + Write>(
        &self,
        name: &str,
        mut stream: S,
        greet: impl FnOnce(&mut S) -> io::Result<()>,
        arena: &Mutex<Arena>,
        stop: &AtomicBool,
    ) -> bool {
        let Some(device) = self.list.iter().find(|device| device.path.file_name().is_some_and(|own| own == name))
        else {
            return false;
        };
        if device.open.fetch_add(1, Relaxed) >= MAX_CONNECTIONS {
            device.open.fetch_sub(1, Relaxed);
            return false;
        }
        // An error here means that the peer disconnected, which is allowed at any time.
        let _ = greet(&mut stream).and_then(|()| self.serve(device, stream, arena, stop));
        device.open.fetch_sub(1, Relaxed);
        true
    }

    fn serve(
        &self,
        device: &Device,
        stream: impl Read + Write,
        arena: &Mutex<Arena>,
        stop: &AtomicBool,
    ) -> io::Result<()> {
        match device.kind {
            Kind::Spi => self.serve_spi(stream, device.robot, arena, stop),
            Kind::I2c => serve_i2c(stream, device.robot, arena, stop),
            Kind::Camera => {
                self.boards.streams(device.robot, true);
                let served = self.serve_camera(stream, device.robot, arena, stop);
                self.boards.streams(device.robot, false);
                served
            }
        }
    }

    fn serve_spi(
        &self,
        mut stream: impl Read + Write,
        robot: usize,
        arena: &Mutex<Arena>,
        stop: &AtomicBool,
    ) -> io::Result<()> {
        let mut bytes = [0; spi::BYTES];
        let mut drove = false;
        while read_exact(&mut stream, &mut bytes, stop)? {
            let words = spi::from_wire(&bytes);
            let ready = lock(arena).spi_ready(robot);
            let through = self.shim(robot).map(|shim| shim.spi(&words, &ready));
            let (body, board) = through.unwrap_or_else(|| (words.to_vec(), ready));
            let mut arena = lock(arena);
            let reply = arena.spi_ended(robot, &ready, &body, board);
            let drives = arena.is_driven(robot);
            drop(arena);
            if let Some(log) = self.standstill.as_ref().filter(|_| drives != drove) {
                log.note(robot, drives);
            }
            drove = drives;
            write_all(&mut stream, &spi::to_wire(&reply), stop)?;
        }
        Ok(())
    }

    /// Returns the shim between robot `robot` and its devices, if any. Only the first robot can have a shim.
    fn shim(&self, robot: usize) -> Option<&dyn Shim> {
        self.shim.as_deref().filter(|_| robot == 0)
    }

    fn serve_camera(
        &self,
        mut stream: impl Write,
        robot: usize,
        arena: &Mutex<Arena>,
        stop: &AtomicBool,
    ) -> io::Result<()> {
        let mut camera = Camera::new(&self.camera);
        let traits = lock(arena).traits(robot).clone();
        let faults = traits.camera_faults.unwrap_or(self.camera.faults);
        let mut path = match self.bodies[robot] {
            BodyKind::Xpuck => CameraPath::Ft2232h(Ft2232h::new(faults, self.seed, robot)),
            BodyKind::Epuck1 | BodyKind::Epuck2 => CameraPath::Uvc(Uvc::new(faults, self.seed, robot)),
        };
        let blemishes = ImageDefects::new(&traits, self.seed, robot, self.camera.width, self.camera.height);
        let mut pictures = 0u32;
        let (mut frame, mut packets) = (Vec::new(), Vec::new());
        let period = Duration::from_secs_f64(1.0 / (self.camera.frames_per_second * self.speed));
        let mut due = Instant::now();
        let mut sent = due;
        while sleep_until(due.min(sent + LATENCY), stop) {
            let now = Instant::now();
            packets.clear();
            let view = {
                let arena = lock(arena);
                // If the camera is missing, the connection ends, as when a camera is unplugged.
                if !arena.has_camera(robot) {
                    return Ok(());
                }
                let view = if now >= due { arena.view(robot) } else { None };
                view.map(|view| (view, arena.surroundings()))
            };
            if let Some((view, surroundings)) = view {
                camera.expose(view.brightness);
                camera.render(&view.bodies, robot, &surroundings, &mut frame);
                pictures = pictures.wrapping_add(u32::from(!view.frozen));
                blemishes.apply(&mut frame, pictures);
                let width = self.camera.width as usize;
                match &mut path {
                    CameraPath::Ft2232h(path) => match self.shim(robot) {
                        Some(shim) => shim.frame(&frame, width, &mut packets),
                        None => path.frame(&frame, width, &mut packets),
                    },
                    CameraPath::Uvc(path) => path.frame(&frame, width, &mut packets),
                }
                due = (due + period).max(now);
            }
            // The last packet of a frame is not full, so the latency timer sends it. The timer also sends packets
            // without data.
            if let CameraPath::Ft2232h(path) = &mut path {
                path.flush(&mut packets);
            }
            write_all(&mut stream, &packets, stop)?;
            sent = Instant::now();
        }
        Ok(())
    }
}

fn prepare(stream: &UnixStream) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(POLL))?;
    stream.set_write_timeout(Some(POLL))
}

/// Binds one socket. Replaces a socket file that no program serves any more.
fn listen(path: &Path) -> Result<UnixListener, ArenaError> {
    let length = path.as_os_str().as_bytes().len();
    if length > MAX_PATH {
        return Err(ArenaError::PathTooLong { path: path.into(), length });
    }
    let in_use = |by| ArenaError::DeviceInUse { path: path.into(), by };
    let failed = |source| ArenaError::Device { path: path.into(), source };
    match fs::symlink_metadata(path) {
        Ok(found) if !found.file_type().is_socket() => return Err(in_use("the path exists and is not a socket")),
        Ok(_) if UnixStream::connect(path).is_ok() => return Err(in_use("another program serves it")),
        Ok(_) => fs::remove_file(path).map_err(failed)?,
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error)),
    }
    let listener = UnixListener::bind(path).map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    Ok(listener)
}

fn serve_i2c(mut stream: impl Read + Write, robot: usize, arena: &Mutex<Arena>, stop: &AtomicBool) -> io::Result<()> {
    let mut head = [0; 3];
    let (mut write, mut answer) = ([0; MAX_I2C], [0; 1 + MAX_I2C]);
    while read_exact(&mut stream, &mut head, stop)? {
        let [address, writes, reads] = head;
        let (writes, reads) = (usize::from(writes), usize::from(reads));
        if writes > MAX_I2C || reads > MAX_I2C {
            return Err(ErrorKind::InvalidData.into());
        }
        if !read_exact(&mut stream, &mut write[..writes], stop)? {
            break;
        }
        let acknowledged = lock(arena).i2c(robot, address, &write[..writes], &mut answer[1..1 + reads]);
        answer[0] = u8::from(!acknowledged);
        let length = if acknowledged { 1 + reads } else { 1 };
        write_all(&mut stream, &answer[..length], stop)?;
    }
    Ok(())
}

/// Fills a buffer. Returns false if the peer disconnects before the first byte or the arena stops. A disconnection
/// within the data is an error.
fn read_exact(stream: &mut impl Read, buffer: &mut [u8], stop: &AtomicBool) -> io::Result<bool> {
    let mut filled = 0;
    while filled < buffer.len() {
        if stop.load(Relaxed) {
            return Ok(false);
        }
        match stream.read(&mut buffer[filled..]) {
            Ok(0) if filled == 0 => return Ok(false),
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(n) => filled += n,
            Err(error) if is_timeout(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stale_socket_is_replaced_and_live_socket_kept() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("xp01.spi");
        drop(UnixListener::bind(&path).unwrap());
        let live = listen(&path).unwrap();
        let refused = listen(&path).unwrap_err().to_string();
        assert!(refused.contains("xp01.spi") && refused.contains("another program"), "{refused}");
        drop(live);
        fs::remove_file(&path).unwrap();
        fs::write(&path, "notes").unwrap();
        assert!(listen(&path).unwrap_err().to_string().contains("not a socket"));
        assert_eq!(fs::read(&path).unwrap(), b"notes", "nobody's file is removed");
        let long = dir.path().join("x".repeat(120));
        assert!(listen(&long).unwrap_err().to_string().contains("107"));
    }
}
