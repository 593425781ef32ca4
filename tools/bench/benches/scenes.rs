//! Measures the speed of reading and writing scenes. The speed of reading is measured with recorded streams, in bytes
//! per second. Writing is measured for a scene of sixteen robots that have all moved.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use xpuck_gateway::frame::{Frames, LONGEST};
use xpuck_gateway::scene::arena::{Arena, Robot, scene};
use xpuck_gateway::scene::sender::{Sender, Update};
use xpuck_gateway::scene::{rsmp, simspark};
use xpuck_gateway::sexpr::parse;

fn messages(stream: &[u8]) -> Vec<Vec<u8>> {
    let mut frames = Frames::new(LONGEST);
    frames.push(stream);
    let mut found = Vec::new();
    while let Ok(Some(message)) = frames.next_message() {
        found.push(message.to_vec());
    }
    found
}

fn reading(criterion: &mut Criterion) {
    let simspark = messages(include_bytes!("../../../hub/gateway/tests/captures/simspark_capture.bin"));
    let rsmp = messages(include_bytes!("../../../hub/gateway/tests/captures/rsmp_capture.bin"));
    let mut group = criterion.benchmark_group("read");
    for (name, stream) in [("simspark", &simspark), ("rsmp", &rsmp)] {
        group.throughput(Throughput::Bytes(stream.iter().map(|message| message.len() as u64).sum()));
        group.bench_function(format!("{name}, expressions"), |b| {
            b.iter(|| stream.iter().for_each(|message| drop(black_box(parse(message)))));
        });
    }
    group.throughput(Throughput::Bytes(simspark.iter().map(|message| message.len() as u64).sum()));
    group.bench_function("simspark, scenes", |b| {
        b.iter(|| simspark.iter().for_each(|message| drop(black_box(simspark::read(message)))));
    });
    group.finish();
}

fn writing(criterion: &mut Criterion) {
    let arena = |x: f64| {
        let robot = |i: u32| Robot {
            number: i + 1,
            at: [x, f64::from(i) * 0.1],
            heading: x,
            radius: 0.0375,
            colour: [1.0; 4],
            seen: true,
        };
        scene(&Arena { half: [1.0, 0.75], robots: (0..16).map(robot).collect(), ..Arena::default() })
    };
    let moments = [arena(0.0), arena(0.1)];
    for (name, protocol) in [("simspark", true), ("rsmp", false)] {
        let mut sender = Sender::default();
        sender.update(&moments[0]);
        let mut now = 0;
        criterion.bench_function(&format!("write {name}, 16 moving robots"), |b| {
            b.iter(|| {
                now = 1 - now;
                let Update::Changes(changes) = sender.update(&moments[now]) else { return String::new() };
                let told = sender.sent_scene().unwrap_or_default();
                if protocol { simspark::changed(&[], told, &changes) } else { rsmp::changed(0.0, &[], told, &changes) }
            });
        });
    }
}

criterion_group!(benches, reading, writing);
criterion_main!(benches);
