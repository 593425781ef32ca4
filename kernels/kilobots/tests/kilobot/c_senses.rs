//! Tests of the senses in C for real Kilobots. Under sanitisers, they are bit-identical to the simulated senses.

use crate::c::{compiled, replayed};
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::tree::{RegisterMap, Tree};
use xpuck_kilobots::{Foraging, Light, PROJECTOR_SAMPLES, Program, ReceivedMessage, World, classify_light};

const ROBOTS: usize = 25;
const UPDATES: usize = 400;
const FIGURE_4_6: &str = include_str!("../../../../docs/kilobots/figure-4-6.bt");
/// Tree that drives to the food and sends signals at random.
const SIGNALS: &str = "seqm4\n  set send_signal 1\n  mf\n  probm2 0.5\n    set send_signal 0\n    mf\n  mf\n";
/// Size of an answer (bytes). An answer contains seven blackboard entries and the next message of the robot.
const ANSWER: usize = 28 + 9;
/// Id of the robot in the C replay program.
const UID: [u8; 2] = [0x34, 0x12];

#[test]
fn c_senses_match_simulated_blackboard() {
    let replay = compiled("kilobot-senses", &["senses.c", "replay_senses.c"]);
    let foraging = Foraging { seconds: 200.0, ..Foraging::thesis(ROBOTS) };
    let (mut heard, mut known, mut signals) = (0, 0, 0);
    for number in 0..6 {
        let text = [FIGURE_4_6, SIGNALS][number as usize % 2];
        let program = Program::compile(&Tree::parse_with(text, RegisterMap::Kilobot, false).unwrap()).unwrap();
        let mut world = World::new(&foraging, &program, 5, number);
        let mut streams: Vec<(Vec<u8>, Vec<u8>)> = vec![Default::default(); ROBOTS];
        for _ in 0..UPDATES {
            let lights: Vec<_> = world.views().map(|view| view.light).collect();
            let inboxes: Vec<Vec<ReceivedMessage>> =
                (0..ROBOTS).map(|i| world.received_messages(i).collect()).collect();
            world.update();
            let robots = lights.into_iter().zip(inboxes).zip(world.views()).enumerate();
            for ((i, ((light, messages), view)), (input, expected)) in robots.zip(&mut streams) {
                let region = if light[0] { 1 } else { 2 * u8::from(light[1]) };
                input.extend_from_slice(&[1, region]);
                input.extend_from_slice(&view.board[2].to_le_bytes());
                input.push(messages.len() as u8);
                for message in messages {
                    input.extend_from_slice(&message.payload);
                    input.push(message.mm as u8);
                    heard += 1;
                    signals += usize::from(message.payload[2]);
                }
                view.board[3..].iter().for_each(|entry| expected.extend_from_slice(&entry.to_le_bytes()));
                expected.extend_from_slice(&UID);
                expected.extend_from_slice(&world.payload(i)[2..]);
            }
        }
        // Robots are replayed one after another. Each replay starts from the robot's initial state.
        let input: Vec<u8> = streams.iter().flat_map(|(input, _)| [&[4], &input[..]].concat()).chain([0]).collect();
        let expected: Vec<u8> = streams.into_iter().flat_map(|(_, expected)| expected).collect();
        let output = replayed(&replay, &input);
        for (at, (got, wanted)) in output.chunks(ANSWER).zip(expected.chunks(ANSWER)).enumerate() {
            assert_eq!(got, wanted, "update {} of robot {} in world {number}", at % UPDATES, at / UPDATES);
            known += usize::from(got[31] < 7 && got[34] < 7);
        }
        assert_eq!(output.len(), ROBOTS * UPDATES * ANSWER);
    }
    assert!(heard > 10_000 && known > 1000 && signals > 0, "{heard} messages, {known} with ways, {signals} signals");
}

#[test]
fn colours_and_the_median_are_the_same() {
    let replay = compiled("kilobot-light", &["senses.c", "replay_senses.c"]);
    let mut draws = Draws::new(8, 0, 0, 0, Stream::Device);
    let (mut input, mut expected) = (Vec::new(), Vec::new());
    for _ in 0..1000 {
        // The pulses have random lengths, so that all results occur.
        let ends: [u32; 4] = std::array::from_fn(|_| draws.below(PROJECTOR_SAMPLES as u32 + 1));
        let readings: [u16; PROJECTOR_SAMPLES] = std::array::from_fn(|i| {
            let on = (ends[0]..ends[1]).contains(&(i as u32)) != (ends[2]..ends[3]).contains(&(i as u32));
            200 + 600 * u16::from(on) + draws.below(90) as u16
        });
        input.push(2);
        readings.iter().for_each(|reading| input.extend_from_slice(&reading.to_le_bytes()));
        input.extend_from_slice(&150u16.to_le_bytes());
        expected.push(match classify_light(readings, 150) {
            Some(Light::Black) => 0,
            Some(Light::Primary) => 1,
            Some(Light::CyanOrYellow) => 2,
            Some(Light::Magenta) => 3,
            None => 4,
        });
    }
    assert!((0..=4).all(|answer| expected.contains(&answer)));
    let mut last = [2u8; 7];
    for _ in 0..500 {
        let region = draws.below(3) as u8;
        input.extend_from_slice(&[3, region]);
        last.rotate_right(1);
        last[0] = region;
        let count = |of: u8| last.iter().filter(|seen| **seen == of).count();
        expected.push(if count(1) > 3 { 1 } else { 2 * u8::from(count(2) > 3) });
    }
    input.push(0);
    assert_eq!(replayed(&replay, &input), expected);
}
