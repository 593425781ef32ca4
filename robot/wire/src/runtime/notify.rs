//! What a service tells the system's manager about itself (sd_notify): that it is ready, that it is alive, and how it stands.
//!
//! The manager names its socket in `NOTIFY_SOCKET`, and in `WATCHDOG_USEC` within what time it wants to hear from the service.
//! Without the first nothing is ever sent. Sending never waits: what the manager does not take is lost, and said again later.

use std::ffi::OsStr;
use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::{Duration, Instant};

/// Longest text of a status, bytes; what is longer is cut.
const STATUS_LIMIT: usize = 200;

/// The line to the manager.
#[derive(Debug, Default)]
pub struct Notifier {
    socket: Option<UnixDatagram>,
    /// It is told that the service lives so often.
    every: Option<Duration>,
    fed: Option<Instant>,
    ready: bool,
    status: String,
}

impl Notifier {
    /// The line that the environment names; one that sends nothing if it names none, or one that cannot be used.
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

    /// A line to the socket of that name, an absolute path or, with `@` in front, an abstract one.
    ///
    /// # Errors
    /// The name is neither, or nobody listens there.
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
        Ok(Notifier { socket: Some(socket), every, ..Notifier::default() })
    }

    /// The service does its work from now on. Told once.
    pub fn ready(&mut self) {
        if !self.ready {
            self.ready = self.send("READY=1");
        }
    }

    /// The service lives: to be called by the loop that must not stand still, however often.
    pub fn alive(&mut self, now: Instant) {
        let Some(every) = self.every else { return };
        if self.fed.is_none_or(|fed| now.saturating_duration_since(fed) >= every) && self.send("WATCHDOG=1") {
            self.fed = Some(now);
        }
    }

    /// How it stands, one line for people. Sent where it changed.
    pub fn status(&mut self, text: &str) {
        let line = text.lines().next().unwrap_or_default();
        let line = &line[..line.floor_char_boundary(STATUS_LIMIT)];
        if self.status != line && self.send(&format!("STATUS={line}")) {
            self.status = line.into();
        }
    }

    /// The service ends in good order.
    pub fn stopping(&mut self) {
        self.send("STOPPING=1");
    }

    /// True if there is someone to tell.
    pub fn is_heard(&self) -> bool {
        self.socket.is_some()
    }

    fn send(&self, text: &str) -> bool {
        self.socket.as_ref().is_some_and(|socket| socket.send(text.as_bytes()).is_ok())
    }
}

/// How often to say that the service lives: half of what the manager waits. None if it does not wait, or for another process.
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
    fn the_manager_hears_each_thing_when_it_is_due() {
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
    fn an_abstract_name_is_one_and_an_unusable_one_is_refused() {
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
        assert!(!Notifier::default().is_heard());
    }

    #[test]
    fn a_manager_that_does_not_listen_holds_nothing_up() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notify");
        let manager = UnixDatagram::bind(&path).unwrap();
        let mut notifier = Notifier::at(path.as_os_str(), None).unwrap();
        // More than a socket's queue takes.
        for number in 0..2000 {
            notifier.status(&number.to_string());
        }
        assert!(notifier.status != "1999" && received(&manager).len() < 2000);
        notifier.status("again");
        assert_eq!(received(&manager), ["STATUS=again"]);
    }

    #[test]
    fn the_watchdog_is_fed_twice_as_often_as_it_is_asked_for() {
        assert_eq!(interval(Some("5000000"), None, 7), Some(Duration::from_millis(2500)));
        assert_eq!(interval(Some("5000000"), Some("7"), 7), Some(Duration::from_millis(2500)));
        for (usec, pid) in [(None, None), (Some("0"), None), (Some("x"), None), (Some("5000000"), Some("8"))] {
            assert_eq!(interval(usec, pid, 7), None);
        }
    }
}
