//! Part of the guard that runs in the guarded program: starts the guard process and notifies it of exchanges.

use super::Kind;
use crate::device::DeviceError;
use crate::device::body::{Body, BodyReadings, Counts, Drive};
use std::ffi::OsString;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use xpuck_registers::stepper::StepsPerSecond;

/// Minimum interval between attempts to restart a guard.
const RESTART: Duration = Duration::from_secs(1);
/// Time limit for the end of a guard after its pipe is closed.
const END: Duration = Duration::from_secs(2);

/// Command that starts a guard.
#[derive(Clone, Debug)]
pub struct Launch {
    /// Path of the guard's program.
    pub program: PathBuf,
    /// Arguments of the program.
    pub arguments: Vec<OsString>,
}

impl Launch {
    /// Returns the command for the `guard` subcommand of this program, for a robot on the bus at `i2c`.
    pub fn own(kind: Kind, i2c: &Path) -> io::Result<Launch> {
        let arguments = ["guard".into(), "--body".into(), kind.name().into(), "--i2c".into(), i2c.into()];
        Ok(Launch { program: std::env::current_exe()?, arguments: arguments.into() })
    }

    fn start(&self) -> io::Result<Guard> {
        // The pipe is a socket pair, because writes to it must not block.
        let (ours, theirs) = UnixStream::pair()?;
        ours.set_nonblocking(true)?;
        let mut command = Command::new(&self.program);
        // The guard has its own process group, so that signals from the terminal do not reach it.
        command.args(&self.arguments).stdin(Stdio::from(OwnedFd::from(theirs))).stdout(Stdio::null()).process_group(0);
        Ok(Guard { pipe: Some(ours), child: command.spawn()? })
    }
}

#[derive(Debug)]
struct Guard {
    pipe: Option<UnixStream>,
    child: Child,
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.pipe = None;
        let start = Instant::now();
        while let Ok(None) = self.child.try_wait() {
            if start.elapsed() > END {
                // The guard hangs. If it has ended meanwhile, `kill` fails without harm.
                let _ = self.child.kill();
                let _ = self.child.wait();
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Body with a guard. The wheels turn only as long as the guard can be notified of each exchange.
#[derive(Debug)]
pub struct GuardedBody<B> {
    body: B,
    launch: Launch,
    guard: Result<Guard, String>,
    retry_at: Instant,
}

/// Opens the robot on the bus at `i2c`, and starts this program's `guard` subcommand as its guard.
pub fn open(kind: Kind, i2c: &Path) -> Result<GuardedBody<Box<dyn Body>>, DeviceError> {
    let launch = Launch::own(kind, i2c).map_err(|e| DeviceError::Guard(format!("cannot be found: {e}")))?;
    GuardedBody::start(kind.body(i2c)?, launch)
}

impl<B: Body> GuardedBody<B> {
    /// Starts the guard of `body` with the command `launch`.
    pub fn start(body: B, launch: Launch) -> Result<GuardedBody<B>, DeviceError> {
        let guard = launch.start().map_err(|error| DeviceError::Guard(cannot_start(&launch, &error)))?;
        Ok(GuardedBody { body, launch, guard: Ok(guard), retry_at: Instant::now() })
    }

    fn restart(&mut self) {
        let now = Instant::now();
        if self.guard.is_err() && now >= self.retry_at {
            self.retry_at = now + RESTART;
            self.guard = self.launch.start().map_err(|error| cannot_start(&self.launch, &error));
        }
    }

    /// Notifies the guard of an exchange.
    fn notify(&mut self) -> Result<(), String> {
        let guard = self.guard.as_mut().map_err(|why| why.clone())?;
        let pipe = guard.pipe.as_mut().ok_or("has ended")?;
        let result = pipe.write_all(&[0]).map_err(|error| format!("cannot be reached: {error}"));
        if let Err(why) = &result {
            // The guard is killed, because a guard that does not read its pipe would not notice that the pipe is
            // closed. If the guard has ended, `kill` fails without harm.
            let _ = guard.child.kill();
            self.guard = Err(why.clone());
        }
        result
    }
}

fn cannot_start(launch: &Launch, error: &io::Error) -> String {
    format!("cannot be started as {}: {error}", launch.program.display())
}

impl<B: Body> Body for GuardedBody<B> {
    fn exchange(&mut self, drive: &Drive) -> Result<BodyReadings, DeviceError> {
        self.restart();
        let still = Drive { speeds: [StepsPerSecond::ZERO; 2], ..*drive };
        if let Err(why) = &self.guard {
            let error = DeviceError::Guard(why.clone());
            self.body.exchange(&still)?;
            return Err(error);
        }
        let sensed = self.body.exchange(drive)?;
        if let Err(why) = self.notify() {
            self.body.exchange(&still)?;
            return Err(DeviceError::Guard(why));
        }
        Ok(sensed)
    }

    fn period(&self) -> Duration {
        self.body.period()
    }

    fn counts(&self) -> Counts {
        self.body.counts()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Simulated body that stores the last speeds.
    #[derive(Default)]
    struct Bench {
        speeds: [StepsPerSecond; 2],
    }

    impl Body for &mut Bench {
        fn exchange(&mut self, drive: &Drive) -> Result<BodyReadings, DeviceError> {
            self.speeds = drive.speeds;
            Ok(BodyReadings::default())
        }

        fn period(&self) -> Duration {
            Duration::from_millis(50)
        }

        fn counts(&self) -> Counts {
            Counts::default()
        }
    }

    fn forward() -> Drive {
        Drive { speeds: [StepsPerSecond::new(500); 2], ..Drive::default() }
    }

    fn launch(program: &str, arguments: &[&str]) -> Launch {
        Launch { program: program.into(), arguments: arguments.iter().map(Into::into).collect() }
    }

    #[test]
    fn wheels_turn_while_the_guard_lives_and_stop_when_it_dies() {
        let mut bench = Bench::default();
        let mut guarded = GuardedBody::start(&mut bench, launch("cat", &[])).unwrap();
        guarded.exchange(&forward()).unwrap();
        assert_eq!(guarded.body.speeds, forward().speeds);
        let guard = guarded.guard.as_mut().unwrap();
        guard.child.kill().unwrap();
        guard.child.wait().unwrap();
        let error = guarded.exchange(&forward()).unwrap_err().to_string();
        assert!(error.starts_with("the guard that stops the wheels cannot be reached"), "{error}");
        assert_eq!(guarded.body.speeds, [StepsPerSecond::ZERO; 2]);
        // The first restart is immediate. Later attempts are at least 1 s apart.
        guarded.exchange(&forward()).unwrap();
        assert_eq!(guarded.body.speeds, forward().speeds);
    }

    #[test]
    fn exited_guard_is_detected_and_stops_wheels() {
        let mut bench = Bench::default();
        let mut guarded = GuardedBody::start(&mut bench, launch("true", &[])).unwrap();
        guarded.guard.as_mut().unwrap().child.wait().unwrap();
        assert!(matches!(guarded.exchange(&forward()), Err(DeviceError::Guard(_))));
        drop(guarded);
        assert_eq!(bench.speeds, [StepsPerSecond::ZERO; 2]);
    }

    #[test]
    fn unstartable_guard_is_reported_with_path() {
        let mut bench = Bench::default();
        let error = GuardedBody::start(&mut bench, launch("/nowhere/xpuckd", &[])).err().unwrap().to_string();
        assert!(error.contains("/nowhere/xpuckd"), "{error}");
    }

    #[test]
    fn hung_guard_does_not_block_owner() {
        let mut bench = Bench::default();
        let mut guarded = GuardedBody::start(&mut bench, launch("sleep", &["60"])).unwrap();
        let lost = (0..10_000_000).find_map(|_| guarded.exchange(&forward()).err());
        assert!(matches!(lost, Some(DeviceError::Guard(_))), "its pipe is full at last");
        drop(guarded);
        assert_eq!(bench.speeds, [StepsPerSecond::ZERO; 2]);
    }
}
