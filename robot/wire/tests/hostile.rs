//! Tests with corrupted messages. Each message must be rejected or decoded within a short time, without a panic.

mod examples;

use xpuck_wire::codec::{Message, VERSION, decode, encode};
use xpuck_wire::message::{Reply, Request, RobotMessage, ToRobot, ToWorker, WorkerMessage};

/// Number of corrupted variants per example.
const FORMS: u64 = 1500;

/// Pseudo-random generator (SplitMix64), which is sufficient for fuzzing.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let a = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let b = (a ^ (a >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        b ^ (b >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

/// First bytes of long lists, maps, strings and byte strings in MessagePack.
const OPENERS: [u8; 10] = [0xdc, 0xdd, 0xde, 0xdf, 0xd9, 0xda, 0xdb, 0xc4, 0xc6, 0xc9];

fn damage(bytes: &[u8], dice: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=dice.below(4) {
        let at = dice.below(bytes.len());
        match dice.below(6) {
            0 => bytes[at] ^= 1 << dice.below(8),
            1 => bytes[at] = dice.next() as u8,
            2 => bytes[at] = OPENERS[dice.below(OPENERS.len())],
            3 => bytes.truncate(at + 1),
            4 => {
                let from = dice.below(bytes.len());
                let piece = bytes[from..(from + dice.below(40)).min(bytes.len())].to_vec();
                bytes.splice(at..at, piece);
            }
            _ => bytes[at..].iter_mut().take(4).for_each(|b| *b = 0xff),
        }
    }
    bytes
}

/// Corrupts each example in many ways. A corrupted message that can be decoded must be equal after it is encoded and
/// decoded again. Returns the numbers of decoded and rejected messages.
fn fuzz<T: Message>(examples: &[T]) -> (u64, u64) {
    let (mut read, mut refused) = (0, 0);
    for (number, example) in examples.iter().enumerate() {
        let whole = encode(example);
        for seed in 0..FORMS {
            let bytes = damage(&whole, &mut Random(seed << 8 | number as u64));
            match decode::<T>(&bytes) {
                Ok(message) => {
                    read += 1;
                    // NaN does not equal itself, so the encoded bytes are compared instead of the messages.
                    let again = encode(&message);
                    assert_eq!(encode(&decode::<T>(&again).unwrap()), again);
                }
                Err(error) => {
                    refused += 1;
                    assert!(!error.to_string().is_empty());
                }
            }
        }
    }
    (read, refused)
}

#[test]
fn damaged_messages_of_every_kind_are_refused_or_read() {
    let counts = [
        fuzz(&examples::from_robot()),
        fuzz(&examples::to_robot()),
        fuzz(&[examples::sealed()]),
        fuzz(&[examples::signed()]),
        fuzz(&examples::between_robots()),
        fuzz(&examples::from_worker()),
        fuzz(&examples::to_worker()),
        fuzz(&examples::requests()),
        fuzz(&examples::replies()),
    ];
    for (read, refused) in counts {
        assert!(read > 0 && refused > FORMS / 2, "{counts:?}: the damage was too great or too little");
    }
}

/// Tests that a list with a declared length of 2^32 - 1 is rejected without allocating memory for its members.
#[test]
fn false_length_reserves_no_memory() {
    // The message is {"Genes": {"generation": 1, "immigrants": ...}} with a list of 2^32 - 1 members.
    let mut bytes = vec![VERSION, 0x81, 0xa5];
    bytes.extend(b"Genes");
    bytes.extend([0x82, 0xaa]);
    bytes.extend(b"generation");
    bytes.extend([1, 0xaa]);
    bytes.extend(b"immigrants");
    bytes.extend([0xdd, 0xff, 0xff, 0xff, 0xff]);
    assert!(decode::<ToRobot>(&bytes).is_err());
    let lie = |kind: u8| vec![VERSION, kind, 0xff, 0xff, 0xff, 0xff];
    for kind in OPENERS {
        assert!(decode::<RobotMessage>(&lie(kind)).is_err() && decode::<Reply>(&lie(kind)).is_err());
        assert!(decode::<WorkerMessage>(&lie(kind)).is_err() && decode::<ToWorker>(&lie(kind)).is_err());
        assert!(decode::<Request>(&lie(kind)).is_err());
    }
}
