use super::*;

fn command() -> Command {
    Command {
        actions: Actions::SET_MOTOR.and(Actions::READ_IR),
        speeds: [StepsPerSecond::new(-714), StepsPerSecond::new(714)],
        leds: 0x0301,
        blink: 7,
        pixels: std::array::from_fn(|i| Pixel { red: i as u8, green: 100 + i as u8, blue: 200 + i as u8 }),
        sequence: 0xbeef,
    }
}

fn report() -> Report {
    Report {
        reflected: std::array::from_fn(|i| RawInfrared(100 * i as u16)),
        acceleration: [2048, 2049, 2800],
        microphones: [1, 2, 3],
        ambient: std::array::from_fn(|i| 4000 + i as u16),
        steps: [65535, 1],
        battery: 3712,
        status: Status::LAST_COMMAND_BAD,
        echo: 17,
        rejected: 3,
        sequence: 99,
    }
}

#[test]
fn checksum_matches_known_answer() {
    let words = [0x3132, 0x3334, 0x3536, 0x3738];
    assert_eq!(crc(&words), 0xa12b, "CRC-16/CCITT-FALSE of \"12345678\"");
    assert_eq!(crc(&[]), 0xffff);
}

#[test]
fn messages_come_back() {
    assert_eq!(Command::decode(&command().encode()), Ok(command()));
    assert_eq!(Report::decode(&report().encode()), Ok(report()));
}

#[test]
fn words_follow_documented_layout() {
    let words = command().encode();
    assert_eq!((words[0], words[1] as i16, words[2] as i16, words[3], words[4]), (0x21, -714, 714, 0x0301, 7));
    // The first pixel is red 0, green 100, blue 200. The second pixel is red 1, green 101, blue 201. The three words
    // contain the bytes G R, B G and R B.
    assert_eq!(words[5..8], [0x6400, 0xc865, 0x01c9]);
    assert_eq!(words[27], 214 << 8, "the last half word is padding");
    assert_eq!((words[28], words[29], words[31]), (sum(&words), 0xbeef, 0));
    let words = report().encode();
    assert_eq!((words[7], words[10], words[13], words[21]), (700, 2800, 3, 4007));
    assert_eq!(words[22..28], [65535, 1, 3712, 2, 17, 3]);
    assert_eq!(words[29], 99);
}

#[test]
fn every_single_bit_error_is_detected() {
    let words = command().encode();
    for bit in 0..16 * 31 {
        let mut broken = words;
        broken[bit / 16] ^= 1 << (bit % 16);
        assert!(matches!(Command::decode(&broken), Err(SpiError::Crc { .. })), "bit {bit}");
    }
    let mut dummy = words;
    dummy[31] = 0x5555;
    assert!(Command::decode(&dummy).is_ok(), "the dummy carries nothing");
}

#[test]
fn sum_detects_errors_missed_by_crc() {
    // The CRC does not change if the polynomial, shifted to any bit position, is XORed into the message.
    let mut words = command().encode();
    (words[1], words[2]) = (words[1] ^ 0x0001, words[2] ^ CRC_POLYNOMIAL);
    assert_eq!(crc(&words[..30]), words[30]);
    assert!(matches!(Command::decode(&words), Err(SpiError::Sum { .. })));
}

#[test]
fn idle_line_is_no_valid_message() {
    assert!(Report::decode(&[0; WORDS]).is_err());
    assert!(Report::decode(&[0xffff; WORDS]).is_err());
}

#[test]
fn slave_reads_command_one_word_late() {
    let words = command().encode();
    let buffer = shifted_buffer(0x1234, &words);
    assert_eq!((buffer[0], buffer[1], buffer[31]), (0x1234, words[0], words[30]));
    assert_eq!(Command::decode_shifted(&buffer), Ok(command()));
    assert!(Command::decode_shifted(&words).is_err(), "a slave that sees words in place would misread them");
}

#[test]
fn words_travel_high_byte_first() {
    let words = command().encode();
    let bytes = to_wire(&words);
    assert_eq!(bytes[..2], [0x00, 0x21]);
    assert_eq!(from_wire(&bytes), words);
}

#[test]
fn speeds_beyond_the_motors_are_clamped_on_arrival() {
    let mut words = command().encode();
    words[1] = i16::MIN as u16;
    assert_eq!(Command::decode(&seal(words)).unwrap().speeds[0].get(), -1000);
}
