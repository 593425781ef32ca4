use super::*;
use crate::device::SpiBus;
use crate::device::epuck::Epuck;
use std::sync::OnceLock;
use std::sync::atomic::AtomicUsize;
use xpuck_registers::spi::{Command, Pixel, Report, WORDS, Words, shifted_buffer};

/// Commands that the simulated dsPIC has received, and the noise of its reports.
#[derive(Default)]
struct ReceivedCommands {
    /// Speeds of the left motor in the order of arrival.
    left: Vec<i16>,
    /// Mask of the bits that are flipped in every word of the reports.
    noise: u16,
}

/// Simulated dsPIC. Its transfers fail while `broken` is set.
struct Bench {
    seen: Arc<Mutex<ReceivedCommands>>,
    broken: Arc<AtomicBool>,
    previous_last: u16,
    report: Report,
}

impl SpiBus for Bench {
    fn transfer(&mut self, words: &Words) -> Result<Words, DeviceError> {
        if self.broken.load(Ordering::Relaxed) {
            return Err(DeviceError::Closed { path: "bench".into() });
        }
        let mut reply = self.report.encode();
        let buffer = shifted_buffer(self.previous_last, words);
        self.previous_last = words[WORDS - 1];
        let command = Command::decode_shifted(&buffer).unwrap();
        self.report.echo = command.sequence;
        self.report.battery = 3700;
        let mut seen = self.seen.lock().unwrap();
        seen.left.push(command.speeds[0].get());
        reply.iter_mut().for_each(|word| *word ^= seen.noise);
        Ok(reply)
    }
}

struct Table {
    seen: Arc<Mutex<ReceivedCommands>>,
    broken: Arc<AtomicBool>,
    opened: Arc<AtomicUsize>,
    body_link: Option<BodyLink>,
    /// Shared state of the link. If it is set, the function that opens the body also gives a forward command.
    hasty: Arc<OnceLock<Arc<Shared>>>,
}

fn table() -> Table {
    let mut table = Table {
        seen: Arc::default(),
        broken: Arc::default(),
        opened: Arc::default(),
        body_link: None,
        hasty: Arc::default(),
    };
    let (seen, broken) = (table.seen.clone(), table.broken.clone());
    let (opened, hasty) = (table.opened.clone(), table.hasty.clone());
    let open: Open = Box::new(move || {
        opened.fetch_add(1, Ordering::Relaxed);
        if let Some(shared) = hasty.get() {
            shared.set_command(forward());
        }
        let (seen, broken) = (seen.clone(), broken.clone());
        Ok(Box::new(Epuck::new(Bench { seen, broken, previous_last: 0, report: Report::default() })))
    });
    table.body_link = Some(BodyLink::start(open, None).unwrap());
    table
}

impl Table {
    fn body_link(&self) -> &BodyLink {
        self.body_link.as_ref().unwrap()
    }

    /// Repeats a forward command until it arrives. The repetition is needed because the lease may expire first on a
    /// busy machine.
    fn drive_forward(&self) {
        eventually("the command arrives", || {
            self.body_link().command(forward());
            self.last() == Some(700)
        });
    }

    fn last(&self) -> Option<i16> {
        self.seen.lock().unwrap().left.last().copied()
    }
}

fn forward() -> Drive {
    Drive { speeds: [StepsPerSecond::new(700); 2], lamps: Lamps::all(Pixel { red: 9, green: 8, blue: 7 }) }
}

/// Waits until the condition holds. Panics after 20 s.
fn eventually(what: &str, mut so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !so() {
        assert!(start.elapsed() < Duration::from_secs(20), "it never came to this: {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn commands_travel_in_a_word() {
    for speeds in [[-1000, 1000], [0, -1], [713, -714]] {
        let speeds = speeds.map(StepsPerSecond::new);
        assert_eq!(unpack(pack(speeds)), speeds);
    }
    assert_eq!(unpack(0), [StepsPerSecond::ZERO; 2]);
}

#[test]
fn wheels_stand_until_commanded_and_again_when_commands_stop() {
    let table = table();
    eventually("a sample with wheels that stand", || table.body_link().latest().is_some_and(|s| s.number > 2));
    assert!(table.seen.lock().unwrap().left.iter().all(|speed| *speed == 0));
    let commanded = Instant::now();
    table.drive_forward();
    eventually("the lease ends", || table.last() == Some(0));
    assert!(commanded.elapsed() >= LEASE);
    eventually("it is counted", || table.body_link().health().lease_expiries >= 1);
    let sample = table.body_link().latest().unwrap();
    assert_eq!((sample.sensed.battery_mv, sample.at > commanded), (Some(3700), true));
    let health = table.body_link().health();
    assert!(health.counts.exchanges > 5 && health.counts.bus_errors == 0, "{health:?}");
    assert!(health.lateness.count() > 5 && health.longest_gap_us >= 5000 && !health.realtime, "{health:?}");
}

#[test]
fn end_of_body_link_stops_wheels() {
    let mut table = table();
    table.drive_forward();
    table.body_link = None;
    let seen = table.seen.lock().unwrap();
    assert_eq!(seen.left.last_chunk(), Some(&[0; 3]));
}

#[test]
fn dead_body_is_reopened_and_waits_for_fresh_command() {
    let table = table();
    table.drive_forward();
    table.broken.store(true, Ordering::Relaxed);
    eventually("three errors", || table.body_link().health().counts.bus_errors >= 3);
    let told = table.body_link().health().last_error.unwrap();
    assert!(told.contains("bench"), "{told}");
    let before = table.seen.lock().unwrap().left.len();
    // A command is given while the body is being reopened. The reopened body must not move on this command.
    table.hasty.set(table.body_link().shared.clone()).unwrap();
    table.broken.store(false, Ordering::Relaxed);
    eventually("it is opened again", || table.body_link().health().reopened == 1);
    let answered = table.body_link().latest().unwrap().number;
    eventually("it answers", || table.body_link().latest().unwrap().number > answered + 5);
    let seen: Vec<i16> = table.seen.lock().unwrap().left[before..].to_vec();
    assert!(seen.len() >= 5 && seen.iter().all(|speed| *speed == 0), "{seen:?}");
    table.drive_forward();
    let counts = table.body_link().health().counts;
    assert!(counts.bus_errors == 3 && counts.exchanges > before as u64, "{counts:?}");
}

#[test]
fn corrupt_answers_do_not_reopen_body() {
    let table = table();
    eventually("a sample", || table.body_link().latest().is_some());
    table.seen.lock().unwrap().noise = 0x0100;
    eventually("corrupt answers", || table.body_link().health().counts.corrupt > 20);
    let stale = table.body_link().latest().unwrap();
    eventually("more", || table.body_link().health().counts.corrupt > 30);
    assert_eq!(table.body_link().latest(), Some(stale), "a corrupt answer is no sample");
    assert_eq!((table.opened.load(Ordering::Relaxed), table.body_link().health().reopened), (1, 0));
    table.seen.lock().unwrap().noise = 0;
    eventually("good answers", || table.body_link().latest().unwrap().number > stale.number);
}

#[test]
fn unopenable_body_is_an_error_at_start() {
    let open: Open = Box::new(|| Err(DeviceError::Closed { path: "/dev/absent".into() }));
    assert!(BodyLink::start(open, None).unwrap_err().to_string().contains("/dev/absent"));
}
