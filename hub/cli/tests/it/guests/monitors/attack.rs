//! Hostile viewers, trainers and agents. They must not slow down arena time, and well-behaved viewers must still see it
//! advance.

use super::Served;
use super::plain::Monitor;
use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use xpuck_testing::patience::scaled;

fn framed(text: &str) -> Vec<u8> {
    [&(text.len() as u32).to_be_bytes(), text.as_bytes()].concat()
}

/// Sends the same bytes repeatedly at full speed until `over` is set. Returns the number of complete transmissions.
fn flood(at: SocketAddr, bytes: &[u8], over: &AtomicBool) -> u64 {
    let mut sent = 0;
    while !over.load(Ordering::Relaxed) {
        let Ok(mut stream) = TcpStream::connect(at) else { continue };
        let _ = stream.set_write_timeout(Some(Duration::from_millis(200)));
        while !over.load(Ordering::Relaxed) && stream.write_all(bytes).is_ok() {
            sent += 1;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    sent
}

#[test]
fn hostile_clients_do_not_slow_arena_time() {
    let keys = "[viewers]\nsimspark = \"127.0.0.1:0\"\nrsmp = \"127.0.0.1:0\"\ntrainers = true\n\
                [agents]\naddress = \"127.0.0.1:0\"\n";
    let served = Served::start(4, 1.0, keys);
    let [simspark, rsmp, agents] = served.places[..] else { panic!("{:?}", served.places) };
    let over = &AtomicBool::new(false);
    let moves = framed(&"(agent (team Left)(unum 1)(pos 0.1 0.1 0))(ball (pos 0.1 0.1 0))".repeat(100));
    let nonsense = framed(&"(nonsense)".repeat(1000));
    let deep = framed(&"(".repeat(60_000));
    let long = u32::MAX.to_be_bytes();
    let init = [framed("(create)(init (unum 1)(teamname T))"), framed(&"(he1 5)(say x)".repeat(200))].concat();
    std::thread::scope(|scope| {
        // Fifty viewers never read, and one viewer sends only half a message.
        let deaf: Vec<_> = (0..50).map(|_| TcpStream::connect(simspark).unwrap()).collect();
        let mut half = TcpStream::connect(rsmp).unwrap();
        half.write_all(&moves[..10]).unwrap();
        for bytes in [&moves[..], &nonsense, &deep, &long] {
            scope.spawn(move || flood(simspark, bytes, over));
        }
        scope.spawn(|| flood(rsmp, &moves, over));
        scope.spawn(|| flood(agents, &init, over));
        let crowd = scope.spawn(move || {
            let mut crowd = Vec::new();
            for i in 0..2000 {
                let at = [simspark, rsmp, agents][i % 3];
                crowd.extend(TcpStream::connect_timeout(&at, Duration::from_secs(1)));
            }
            crowd.len()
        });
        let mut honest = Monitor::connect(simspark);
        let began = Instant::now();
        honest.until("scenes come", |monitor| monitor.scenes[1] > 0);
        let start = honest.value("time");
        honest.until("six seconds pass", |monitor| monitor.value("time") > start + 6.0);
        let took = began.elapsed();
        over.store(true, Ordering::Relaxed);
        assert!(took < scaled(Duration::from_secs(12)), "6 s of arena time took {took:?}");
        assert!(crowd.join().unwrap() > 100);
        drop(deaf);
    });
    let (timing, log) = served.end();
    let ratio = timing["ratio"].as_f64().unwrap();
    assert!(ratio > 0.9, "{timing}");
    let lines = log.lines().count();
    assert!(log.contains("lines suppressed") && lines < 3000, "{lines} lines");
    println!("ratio {ratio:.3}, {lines} lines of log");
}
