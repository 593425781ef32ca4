//! Tests `xpuckd bench spi` with the core of the e-puck's firmware. The core runs as a process behind a socket, which
//! has the same format as the socket of a virtual arena.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;
use xpuck_registers::spi::{BYTES, from_wire, to_wire};

/// Process that runs the firmware's core. It receives the words of messages and the elapsed time.
struct Firmware {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    started: Instant,
    ticks: u64,
}

impl Firmware {
    fn start(folder: &Path) -> Firmware {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("firmware");
        let program = folder.join("replay");
        let sources = [source.join("slave.c"), source.join("replay.c")];
        let compiled = Command::new("cc").args(["-std=c99", "-O1", "-o"]).arg(&program).args(sources).status();
        assert!(compiled.expect("a C compiler, cc").success());
        let mut child = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (to, from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Firmware { child, to, from, started: Instant::now(), ticks: 0 }
    }

    /// Advances the firmware's time by the time since the last exchange, and exchanges one message in each direction.
    fn exchange(&mut self, bytes: &[u8; BYTES]) -> [u8; BYTES] {
        let now = self.started.elapsed().as_micros() as u64 / 100;
        let words: Vec<String> = from_wire(bytes).iter().map(|w| format!("{w:x}")).collect();
        writeln!(self.to, "tick {}\nselect {}\nstate", now - self.ticks, words.join(" ")).unwrap();
        self.ticks = now;
        let mut lines = [String::new(), String::new()];
        lines.iter_mut().for_each(|line| assert!(self.from.read_line(line).unwrap() > 0));
        let mut words = lines[0].split_whitespace().map(|w| u16::from_str_radix(w, 16).unwrap());
        to_wire(&std::array::from_fn(|_| words.next().unwrap()))
    }
}

fn serve(listener: &UnixListener, mut firmware: Firmware) {
    let (mut stream, _): (UnixStream, _) = listener.accept().unwrap();
    let mut bytes = [0; BYTES];
    while stream.read_exact(&mut bytes).is_ok() {
        let reply = firmware.exchange(&bytes);
        if stream.write_all(&reply).is_err() {
            break;
        }
    }
    drop(firmware.to);
    assert!(firmware.child.wait().unwrap().success());
}

#[test]
fn one_percent_word_corruption_is_never_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("xp01.spi");
    let (listener, firmware) = (UnixListener::bind(&socket).unwrap(), Firmware::start(folder.path()));
    let slave = std::thread::spawn(move || serve(&listener, firmware));
    let output = Command::new(env!("CARGO_BIN_EXE_xpuckd"))
        .args(["bench", "spi", "--minutes", "0.1", "--corrupt", "0.01", "--load", "1", "--speed", "300", "--device"])
        .arg(&socket)
        .output()
        .unwrap();
    slave.join().unwrap();
    // The lateness in the output is not checked, because it depends on the test machine.
    let text = String::from_utf8(output.stdout).unwrap();
    let numbers = |name: &str| -> Vec<u64> {
        let line = text.lines().find(|l| l.starts_with(name)).unwrap_or_else(|| panic!("no {name} in\n{text}"));
        line.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect()
    };
    assert!(numbers("exchanges")[0] > 100, "{text}");
    let (commands, reports) = (numbers("commands corrupted"), numbers("reports corrupted"));
    assert!(commands[0] > 10 && reports[0] > 10, "{text}");
    assert_eq!((commands[1], reports[1]), (0, 0), "{text}");
    assert_eq!(numbers("bus errors"), [0, 0], "{text}");
}

#[test]
fn missing_device_is_reported_in_one_line() {
    let output = Command::new(env!("CARGO_BIN_EXE_xpuckd"))
        .args(["bench", "spi", "--device", "/dev/spidev99.7", "--load", "0"])
        .output()
        .unwrap();
    assert!(!output.status.success());
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("/dev/spidev99.7") && error.lines().count() == 1, "{error}");
}
