//! Notifications to the service manager (sd_notify), such as readiness, watchdog messages and status.
//!
//! The manager passes its socket in `NOTIFY_SOCKET` and the watchdog timeout in `WATCHDOG_USEC`. Without a socket, no
//! messages are sent. Sending does not block. A message that the manager does not accept is dropped; the next call
//! sends a new message.

use std::ffi::OsStr;
use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::{Duration, Instant};

/// Maximum length of a status text (bytes). A longer text is truncated.
const STATUS_LIMIT: usize = 200;

/// Connection to the service manager.
#[derive(Debug, Default)]
pub struct Notifier {
    socket: Option<UnixDatagram>,
    /// Minimum interval between watchdog messages; `None` without a watchdog.
    interval: Option<Duration>,
    last_alive: Option<Instant>,
    ready: bool,
    status: String,
}

impl Notifier {
    /// Connects to the socket that the environment variables name. If they name no socket, or if the connection fails,
    /// the notifier sends nothing.
    pub fn from_environment() -> Notifier {
        let variable = |name| std::env::var_os(name);
        let text = |name| variable(name).and_then(|value| value.into_string().ok());
        let (usec, pid) = (text("WATCHDOG_USEC"), text("WATCHDOG_PID"));
        let every = interval(usec.as_deref(), pid.as_deref(), std::process::id());
        match variable("NOTIFY_SOCKET") {
            Some(name) => Notifier::at(&name, every).unwrap_or_default(),
            None => Notifier::default(),
        }
    }

    /// Connects to the socket `name`, which is an absolute path, or an abstract name with a leading `@`. `every` is the
    /// minimum interval between watchdog messages; `None` without a watchdog.
    ///
    /// # Errors
    /// The name is neither an absolute path nor an abstract name, or the connection fails.
    pub fn at(name: &OsStr, every: Option<Duration>) -> io::Result<Notifier> {
        let bytes = name.as_bytes();
        let address = match bytes.split_first() {
            Some((b'@', rest)) if !rest.is_empty() => SocketAddr::from_abstract_name(rest)?,
            Some((b'/', _)) => SocketAddr::from_pathname(name)?,
            _ => return Err(io::ErrorKind::InvalidInput.into()),
        };
        let socket = UnixDatagram::unbound()?;
        socket.set_nonblocking(true)?;
        socket.connect_addr(&address)?;
        Ok(Notifier { socket: Some(socket), interval: every, ..Notifier::default() })
    }

    /// Reports that the service is ready. After a successful report, further calls have no effect.
    pub fn ready(&mut self) {
        if !self.ready {
            self.ready = self.send("READY=1");
        }
    }

    /// Sends a watchdog message if one is due at `now`. The monitored loop may call this function at any rate above
    /// that of the watchdog messages.
    pub fn alive(&mut self, now: Instant) {
        let Some(every) = self.interval else { return };
        if self.last_alive.is_none_or(|fed| now.saturating_duration_since(fed) >= every) && self.send("WATCHDOG=1") {
            self.last_alive = Some(now);
        }
    }

    /// Reports the first line of `text` as the status of the service. An unchanged status is not sent again.
    pub fn status(&mut self, text: &str) {
        let line = text.lines().next().unwrap_or_default();
        let line = &line[..line.floor_char_boundary(STATUS_LIMIT)];
        if self.status != line && self.send(&format!("STATUS={line}")) {
            self.status = line.into();
        }
    }

    /// Reports that the service is stopping.
    pub fn stopping(&mut self) {
        self.send("STOPPING=1");
    }

    /// Returns whether the notifier is connected to a service manager.
    pub fn has_manager(&self) -> bool {
        self.socket.is_some()
    }

    fn send(&self, text: &str) -> bool {
        self.socket.as_ref().is_some_and(|socket| socket.send(text.as_bytes()).is_ok())
    }
}

/// Returns the interval between watchdog messages, which is half of the watchdog timeout `usec` (us). `None` without a
/// timeout, or if the timeout is for another process. `pid` is the process id that the manager named, if any, and `own`
/// is the id of this process.
fn interval(usec: Option<&str>, pid: Option<&str>, own: u32) -> Option<Duration> {
    let micros: u64 = usec?.parse().ok().filter(|&micros| micros > 0)?;
    let mine = pid.is_none_or(|pid| pid.parse() == Ok(own));
    mine.then(|| Duration::from_micros(micros / 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn received(socket: &UnixDatagram) -> Vec<String> {
        socket.set_nonblocking(true).unwrap();
        let mut buffer = [0; 512];
        let next = |_: usize| socket.recv(&mut buffer).ok().map(|n| String::from_utf8_lossy(&buffer[..n]).into_owned());
        (0..).map_while(next).collect()
    }

    #[test]
    fn manager_gets_each_notification_when_due() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notify");
        let manager = UnixDatagram::bind(&path).unwrap();
        let mut notifier = Notifier::at(path.as_os_str(), Some(Duration::from_secs(2))).unwrap();
        let start = Instant::now();
        notifier.alive(start);
        notifier.ready();
        notifier.ready();
        notifier.status("STOP; the hub is silent\nno second line");
        notifier.status("STOP; the hub is silent");
        notifier.alive(start + Duration::from_millis(1999));
        notifier.alive(start + Duration::from_secs(2));
        notifier.stopping();
        let all = ["WATCHDOG=1", "READY=1", "STATUS=STOP; the hub is silent", "WATCHDOG=1", "STOPPING=1"];
        assert_eq!(received(&manager), all);
    }

    #[test]
    fn abstract_socket_is_used_and_invalid_name_rejected() {
        let name = format!("xpuck-notify-{}", std::process::id());
        let manager = UnixDatagram::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
        let mut notifier = Notifier::at(OsStr::new(&format!("@{name}")), None).unwrap();
        notifier.alive(Instant::now());
        notifier.status(&"é".repeat(200));
        let expected = format!("STATUS={}", "é".repeat(100));
        assert_eq!(received(&manager), [expected]);
        for wrong in ["", "@", "relative", "/nowhere/notify"] {
            assert!(Notifier::at(OsStr::new(wrong), None).is_err(), "{wrong:?}");
        }
        assert!(!Notifier::default().has_manager());
    }

    #[test]
    fn unresponsive_manager_does_not_block() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notify");
        let manager = UnixDatagram::bind(&path).unwrap();
        let mut notifier = Notifier::at(path.as_os_str(), None).unwrap();
        // The messages exceed the capacity of the socket's queue.
        for number in 0..2000 {
            notifier.status(&number.to_string());
        }
        assert!(notifier.status != "1999" && received(&manager).len() < 2000);
        notifier.status("again");
        assert_eq!(received(&manager), ["STATUS=again"]);
    }

    #[test]
    fn watchdog_interval_is_half_the_timeout() {
        assert_eq!(interval(Some("5000000"), None, 7), Some(Duration::from_millis(2500)));
        assert_eq!(interval(Some("5000000"), Some("7"), 7), Some(Duration::from_millis(2500)));
        for (usec, pid) in [(None, None), (Some("0"), None), (Some("x"), None), (Some("5000000"), Some("8"))] {
            assert_eq!(interval(usec, pid, 7), None);
        }
    }
}
