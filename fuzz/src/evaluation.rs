//! Fuzzes the messages of robot simulators and population managers, which consist of one or several lines. Reading a
//! written message must return the same message.

#![no_main]

use libfuzzer_sys::fuzz_target;
use xpuck_gateway::evaluation::lines::Lines;
use xpuck_gateway::evaluation::message::Message;

fuzz_target!(|bytes: &[u8]| {
    let mut lines = Lines::new();
    for piece in bytes.chunks(7) {
        lines.push(piece);
        while let Some(line) = lines.next_line() {
            let Ok(line) = line else { return };
            match Message::parse(&line) {
                Ok(message) => {
                    let mut text = String::new();
                    message.write_to(&mut text).expect("what is read can be written");
                    let again = Message::parse(&text).expect("what is written is read");
                    assert!(again == message, "{line}");
                }
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
    }
});
