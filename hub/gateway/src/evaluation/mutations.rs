//! Tests of the parser with randomly corrupted lines.

use super::lines::Lines;
use super::message::Message;
use super::tests::{LINES, written};

/// Random number generator with a seed (xorshift64).
struct Random(u64);

impl Random {
    /// Returns a random number from 0 to `bound - 1`.
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound
    }

    fn choose<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }
}

/// Words that are valid or almost valid values.
const WORDS: [&str; 20] = [
    "0",
    "1",
    "-1",
    "2",
    "3",
    "-0",
    "1e3",
    "+.5",
    "65535",
    "65536",
    "1e308",
    "-1e-320",
    "1e999",
    "4294967295",
    "1e-7",
    "inf",
    "NaN",
    "0x1",
    "0.1000000000000000055511151231257827",
    "MoveTo",
];

/// Returns a valid line after one to three random changes.
fn mutated(random: &mut Random) -> String {
    let mut words: Vec<String> = random.choose(&LINES).split(' ').map(str::to_owned).collect();
    for _ in 0..=random.below(3) {
        let at = random.below(words.len());
        match random.below(6) {
            0 => words[at] = random.choose(&WORDS).to_owned(),
            1 => words.insert(at, random.choose(&WORDS).to_owned()),
            2 if words.len() > 1 => drop(words.remove(at)),
            3 => {
                let other = random.below(words.len());
                words.swap(at, other);
            }
            4 => words[at] = words[at].chars().rev().collect(),
            _ => {
                let place = random.below(words[at].len() + 1);
                words[at]
                    .insert_str(place, random.choose(&["0", "9", "+", "-", "e", "E", ".", " ", "\t", "_", "\r", "\0"]));
            }
        }
    }
    words.join(" ")
}

#[test]
fn mutated_lines_are_rejected_or_round_trip() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut accepted = 0;
    for _ in 0..20_000 {
        let line = mutated(&mut random);
        let Ok(message) = Message::parse(&line) else { continue };
        accepted += 1;
        let again = written(&message);
        assert!(again.bytes().all(|byte| byte.is_ascii_alphanumeric() || b" +-.".contains(&byte)), "{again}");
        let second = Message::parse(&again).unwrap_or_else(|error| panic!("{line:?} became {again:?}: {error}"));
        // The debug format also distinguishes -0 from 0, in contrast to a comparison.
        assert_eq!(format!("{second:?}"), format!("{message:?}"), "{line:?} became {again:?}");
        assert_eq!(written(&second), again);
    }
    // The changes must produce both valid and invalid lines.
    assert!((2_000..18_000).contains(&accepted), "{accepted} were accepted");
}

#[test]
fn random_pieces_of_mutated_lines_come_out_whole() {
    let mut random = Random(88_172_645_463_325_252);
    let sent: Vec<String> = (0..2_000).map(|_| mutated(&mut random)).collect();
    let bytes: Vec<u8> = sent.iter().flat_map(|line| [line.as_bytes(), b"\r\n"].concat()).collect();
    let mut rest = bytes.as_slice();
    let (mut lines, mut received) = (Lines::new(), Vec::new());
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(random.below(200).min(rest.len()));
        lines.push(piece);
        received.extend(std::iter::from_fn(|| lines.next_line()).map(|line| line.expect("a line")));
        rest = after;
    }
    assert_eq!(received, sent);
}
