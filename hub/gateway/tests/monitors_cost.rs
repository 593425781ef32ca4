//! Measures the load of a hundred viewers (docs/performance.md).

use std::io::Read;
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use xpuck_gateway::monitors::pair::MonitorServers;
use xpuck_gateway::scene::arena::{Arena, Disc, Robot};
use xpuck_gateway::stage::{Game, GameFrame, Mode};

const VIEWERS: usize = 100;
const ROBOTS: u32 = 16;
const HERTZ: f64 = 25.0;

/// Returns a picture of sixteen driving robots and the frisbee.
fn picture(time: f64) -> GameFrame {
    let robot = |i: u32| {
        let angle = 0.3 * time + f64::from(i);
        Robot {
            number: i + 1,
            at: [0.8 * angle.cos(), 0.6 * angle.sin()],
            heading: angle,
            radius: 0.0375,
            colour: [0.0, 0.0, 1.0, 1.0],
            seen: true,
        }
    };
    let disc = Disc { at: [0.1 * time.cos(), 0.0], radius: 0.105, colour: [1.0, 0.5, 0.0, 1.0] };
    GameFrame {
        arena: Arena {
            half: [1.0, 0.75],
            robots: (0..ROBOTS).map(robot).collect(),
            discs: vec![disc],
            ..Arena::default()
        },
        game: Game { time, half: 1, score: 0, mode: Mode::Playing, length: 600.0 },
    }
}

/// Returns the processor time of this thread.
fn busy() -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(told.split(' ').next().unwrap().parse().unwrap())
}

#[test]
#[ignore = "a measurement of 12 s"]
fn hundred_viewers_cost_less_than_tenth_of_core() {
    let mut pair =
        MonitorServers::listen(Some((Ipv4Addr::LOCALHOST, 0).into()), Some((Ipv4Addr::LOCALHOST, 0).into())).unwrap();
    let places: Vec<SocketAddr> = pair.addresses().unwrap().into_iter().map(|(_, at)| at).collect();
    let (over, bytes) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let viewers: Vec<_> = (0..VIEWERS)
        .map(|i| {
            let mut stream = TcpStream::connect(places[i % places.len()]).unwrap();
            stream.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
            let (over, bytes) = (over.clone(), bytes.clone());
            std::thread::spawn(move || {
                let mut buffer = [0; 16 << 10];
                while !over.load(Ordering::Relaxed) {
                    bytes.fetch_add(stream.read(&mut buffer).unwrap_or(0) as u64, Ordering::Relaxed);
                }
            })
        })
        .collect();
    let cycles = (10.0 * HERTZ) as u32;
    (0..20).for_each(|i| drop(pair.cycle(&picture(f64::from(i) / HERTZ), 1000)));
    assert_eq!(pair.counts().viewers, VIEWERS);
    let (began, before, sent) = (Instant::now(), busy(), bytes.load(Ordering::Relaxed));
    for cycle in 1..=cycles {
        pair.cycle(&picture(1.0 + f64::from(cycle) / HERTZ), 1000);
        let due = began + Duration::from_secs_f64(f64::from(cycle) / HERTZ);
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
    }
    let part = (busy() - before).as_secs_f64() / began.elapsed().as_secs_f64();
    let message = (bytes.load(Ordering::Relaxed) - sent) as f64 / f64::from(cycles) / VIEWERS as f64;
    over.store(true, Ordering::Relaxed);
    viewers.into_iter().for_each(|viewer| viewer.join().unwrap());
    println!(
        "{VIEWERS} viewers, {ROBOTS} robots, {HERTZ} Hz: {:.1} % of a core, {message:.0} bytes a message",
        100.0 * part
    );
    assert!(part < 0.1 && message < 3000.0);
}
