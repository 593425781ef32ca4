//! Measures the wall time that recording adds to a control update, on one core. The benchmarks are a tick without
//! recording, a tick whose update is recorded, and the encoding of a batch as a message.

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use xpuck_kernels::math::vec2;
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::tree::{Senses, Tree};
use xpuck_kernels::world::physics::steer;
use xpuck_kernels::world::robot::Wheels;
use xpuck_robot_core::controller::Controller;
use xpuck_robot_core::readings::Readings;
use xpuck_robot_core::trace::{Context, Tracer};
use xpuck_wire::codec::encode;
use xpuck_wire::message::{Neighbour, RobotMessage, State};
use xpuck_wire::updates::Updates;

/// Robot with eight other robots in range. Its senses change with every update.
struct Robot {
    controller: Controller,
    tracer: Tracer,
    number: u32,
}

impl Robot {
    fn new() -> Robot {
        let tree = Tree::parse(include_str!("../../../docs/trees/806768.bt")).expect("a tree of the documentation");
        let controller = Controller::new(tree.under_avoiding()).expect("a tree that robots run");
        Robot { controller, tracer: Tracer::default(), number: 0 }
    }

    fn tick(&mut self) -> [f32; 2] {
        self.number += 1;
        let mut draws = Draws::new(1, 1, 0, self.number, Stream::Controller);
        let senses = Senses { neighbours: 8.0, prox: vec2(0.01 * self.number as f32, 0.1), ..Senses::default() };
        steer(self.controller.tick(&senses, &mut draws), &Wheels::default())
    }

    fn update(&mut self) -> Vec<Updates> {
        let context = Context { session: 7, run: 5, segment: 1, state: State::Run };
        let now = f64::from(self.number + 1) * 0.1;
        self.tracer.begin(now, self.number + 1, context, Some(&self.controller));
        let wheels = self.tick();
        let change = 0.001 * self.number as f32;
        let heard: [Neighbour; 8] = std::array::from_fn(|i| Neighbour {
            island: i as u16 + 2,
            range: 0.3 + change,
            bearing: i as f32 - change,
        });
        let readings = Readings { proximity: [change; 8], body_age: Some(change), ..Readings::default() };
        let ages = ([Some(change), Some(0.1), Some(0.06)], [true, true]);
        self.tracer.decided(&readings, (change, &heard), ages, Some(&self.controller), (true, false), wheels);
        self.tracer.sent(wheels)
    }
}

fn record(c: &mut Criterion) {
    let mut group = c.benchmark_group("control update");
    let mut robot = Robot::new();
    group.bench_function("tick alone", |b| b.iter(|| black_box(robot.tick())));
    let mut robot = Robot::new();
    group.bench_function("tick, captured", |b| b.iter(|| black_box(robot.update())));
    let batch = std::iter::repeat_with(|| robot.update()).flatten().next().expect("a batch after ten updates");
    let message = RobotMessage::Updates(Box::new(batch));
    let name = format!("a batch as a message of {} bytes", encode(&message).len());
    group.bench_function(name, |b| b.iter(|| encode(black_box(&message))));
}

criterion_group!(benches, record);
criterion_main!(benches);
