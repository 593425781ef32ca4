//! Compares the stages of robots that differ from the reference model in every part.

use super::*;
use crate::random::error_words;
use crate::world::robot::CameraView;
use crate::world::robot::{
    Curve, GroundPoints, GroundSense, LightLaw, LightSense, Proximity, RobotModel, Steering, with_errors,
};
use crate::world::senses::messages::Attraction;

/// Key of the random numbers, low word first.
const KEY: [u32; 2] = [SEED as u32, (SEED >> 32) as u32];

fn points() -> GroundPoints {
    GroundPoints { noise: 0.3, black_below: 0.2, white_above: 0.7, window: 1, majority: 1 }
}

/// Returns a world whose robots differ from the reference model in every part.
fn other() -> WorldSpec {
    let mut spec = furnished();
    spec.robot.radius = 0.035;
    spec.floor = Arc::new(Floor { confusion: crate::world::floor::NO_CONFUSION, ..(*spec.floor).clone() });
    spec.physics.robot = RobotModel {
        radius: 0.035,
        wheels: Wheels { max_speed: 0.12, steering: Steering::Pivot, noise: 0.05 },
        proximity: Proximity { range: 0.05, curve: Curve::Quadratic([1.08212, -36.8961, 298.701]), noise: 0.05 },
        neighbour_range: 0.9,
        camera: CameraView::new(2.1, 0.9),
        light: LightSense { law: LightLaw::Exponential, threshold: 0.2, noise: 0.05 },
        ground: GroundSense::Points(points()),
        ..RobotModel::default()
    };
    spec
}

fn twin(layout: Layout) -> Twin {
    let twin = Twin::with_layout(other(), layout);
    assert!(twin.spec.check().is_ok());
    twin
}

/// Returns rows of a vector for each robot of a world.
fn vectors(sense: impl Fn(usize) -> Vec2) -> Vec<Vec<f32>> {
    (0..ROBOTS).map(sense).map(|v| vec![v.x, v.y]).collect()
}

fn words(w: u32, i: usize, stream: Stream) -> [u32; 4] {
    error_words(KEY, w, i as u32, 0, stream)
}

fn rays(layout: Layout, device: &Device) -> Result<(), String> {
    let twin = twin(layout);
    let [words_after, ..] = twin.run(device, "only_proximity", 1);
    let sense = |w: u32, i: usize| {
        let world = &twin.worlds[w as usize];
        let readings = senses::proximity(&world.bodies, i, &world.physics);
        senses::proximity_vector(&with_errors(readings, 0.05, words(w, i, Stream::Proximity)))
    };
    twin.compare(&words_after, &["PROX_X", "PROX_Y"], 2e-4, |w| vectors(|i| sense(w, i)))
}

fn lights(layout: Layout, device: &Device) -> Result<(), String> {
    let twin = twin(layout);
    let [words_after, ..] = twin.run(device, "only_light", 1);
    let sense = |w: u32, i: usize| {
        let World { bodies, physics, lighting, .. } = &twin.worlds[w as usize];
        let Pose { at, heading } = bodies[i].pose;
        let levels = light::brightness(at, Vec2::unit(heading), lighting, &physics.robot);
        physics.robot.light.vector(levels, || words(w, i, Stream::Light))
    };
    twin.compare(&words_after, &["LIGHT_X", "LIGHT_Y"], 2e-3, |w| vectors(|i| sense(w, i)))
}

fn grounds(layout: Layout, device: &Device) -> Result<(), String> {
    let twin = twin(layout);
    let [words_after, ..] = twin.run(device, "only_ground", 1);
    let after = |w: u32| -> Vec<Vec<f32>> {
        let World { bodies, floor, .. } = &twin.worlds[w as usize];
        let sense = |i: usize| {
            let Pose { at, heading } = bodies[i].pose;
            let levels = floor.levels(at, Vec2::unit(heading), 0);
            points().class(points().push(0, levels, words(w, i, Stream::Points)))
        };
        (0..ROBOTS).map(|i| vec![sense(i)]).collect()
    };
    let read = |value: f32| (0..WORLDS).flat_map(after).filter(|v| v[0] == value).count();
    assert!([-1.0, 0.0, 1.0].map(read).iter().all(|count| *count > 20), "all shades are read");
    twin.compare(&words_after, &["GROUND"], 0.0, after)
}

fn camera(layout: Layout, device: &Device) -> Result<(), String> {
    let twin = twin(layout);
    let [words_after, ..] = twin.run(device, "only_camera", 1);
    let after = |w: u32| {
        let world = &twin.worlds[w as usize];
        let see = |i| {
            let picture = senses::camera(&world.bodies, i, &world.patches, &world.physics).picture();
            let seen = camera_model::vectors(picture, world.physics.robot.camera.aside);
            seen.iter().flat_map(|v| [v.x, v.y]).collect()
        };
        (0..ROBOTS).map(see).collect()
    };
    twin.compare(&words_after, &["RED_X", "RED_Y", "GREEN_X", "GREEN_Y", "BLUE_X", "BLUE_Y"], 1e-6, after)
}

fn wheels(layout: Layout, device: &Device) -> Result<(), String> {
    let twin = twin(layout);
    let [words_after, ..] = twin.run(device, "only_tick", 1);
    let after = |w: u32| {
        let world = &twin.worlds[w as usize];
        let program = &twin.programs[w as usize % twin.programs.len()];
        let drive = |i: usize| {
            let sensed = crate::tree::Senses { up: senses::compass(world.bodies[i].pose.heading), ..*world.senses(i) };
            let mut draws = Draws::new(SEED, w, i as u32, 0, Stream::Controller);
            let (_, goal) = Memory::new(program).tick(program, &sensed, &mut draws);
            let wheels = &twin.spec.physics.robot.wheels;
            let ([left, right], errors) = (steer(goal, wheels), wheels.errors(KEY, w, i as u32, 0));
            vec![left * errors[0], right * errors[1]]
        };
        (0..ROBOTS).map(drive).collect()
    };
    twin.compare(&words_after, &["LEFT", "RIGHT"], 1e-5, after)
}

fn messages(layout: Layout, device: &Device) -> Result<(), String> {
    let model = Messages {
        rate_hz: 10.0,
        range_m: 1.5,
        loss: 0.5,
        occlusion: Occlusion::Walls,
        memory: 11,
        attraction: Attraction::Gap,
        ..Messages::default()
    };
    let twin = Twin::with_layout(WorldSpec { messages: Some(model), ..other() }, layout);
    let [words_after, ..] = twin.run(device, "only_messages", 1);
    let channel = Channel::new(model, ROBOTS, twin.spec.obstacles());
    let heard = |w: u32, me: usize| {
        let poses: Vec<Option<Pose>> = twin.bodies(w).iter().map(|b| Some(b.pose)).collect();
        let (mut sum, mut count) = (Vec2::ZERO, 0.0);
        channel.receive(MessageId { seed: SEED, world: w, number: MESSAGE }, me, &poses, |_, neighbour| {
            sum += model.attraction.step(&neighbour, 0.035);
            count += 1.0;
        });
        (sum, count)
    };
    let all = (0..WORLDS).flat_map(|w| (0..ROBOTS).map(move |i| (w, i))).map(|(w, i)| heard(w, i).1).sum::<f32>();
    assert!(all > 200.0, "only {all} robots heard");
    twin.compare(&words_after, &["NEIGHBOURS"], 0.0, |w| (0..ROBOTS).map(|i| vec![heard(w, i).1]).collect())?;
    twin.compare(&words_after, &["ATTR_X", "ATTR_Y"], 2e-4, |w| vectors(|i| heard(w, i).0))
}

/// For each stage: its comparison, and a planted fault that the comparison must detect.
const PARTS: [(Check, &str, &str); 9] = [
    (rays, "PROX_CURVE_1 + distance", "PROX_CURVE_1 * 1.01 + distance"),
    (rays, "* sensor_error(errors, ray)", "* sensor_error(errors, 0u)"),
    (lights, "angle * (1.0 / FRAC_PI_2)", "angle * (0.9 / FRAC_PI_2)"),
    (lights, "most > LIGHT_THRESHOLD", "most > 2.0 * LIGHT_THRESHOLD"),
    (grounds, "white += select(0u, 1u, read > GROUND_WHITE)", "white += select(0u, 1u, read > 0.8)"),
    (camera, "dot(d, d) > CAMERA_SQUARE", "dot(d, d) > 2.0 * CAMERA_SQUARE"),
    (wheels, "max(scaled.x / length(scaled), -0.5)", "max(scaled.x / length(scaled), -1.0)"),
    (messages, "along_to_wall(w, origin, along) < 1.0", "along_to_wall(w, origin, along) < 0.0"),
    (messages, "range - 2.0 * ROBOT_RADIUS", "range - ROBOT_RADIUS"),
];

#[test]
fn stages_match_reference_for_another_robot() {
    let device = Device::open(&AdapterChoice::Best, source).unwrap();
    for layout in &layouts()[..2] {
        for check in [rays, lights, grounds, camera, wheels, messages] {
            check(*layout, &device).unwrap_or_else(|e| panic!("{layout:?}: {e}"));
        }
    }
}

#[test]
fn fault_in_any_part_of_another_robot_is_detected() {
    let robot = RobotConstants::new(&other().physics.robot, None);
    for (i, (check, right, wrong)) in PARTS.into_iter().enumerate() {
        let layout = layouts()[i % 2];
        let faulty = move |layout: &Layout, robot: &RobotConstants| source(layout, robot).replacen(right, wrong, 1);
        assert_ne!(faulty(&layout, &robot), source(&layout, &robot), "{right}: the fault is not planted");
        let device = Device::open(&AdapterChoice::Best, faulty).unwrap();
        assert!(check(layout, &device).is_err(), "{right}: the fault is not seen");
    }
}
