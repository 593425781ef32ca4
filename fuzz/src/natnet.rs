//! Fuzzes the hub's NatNet session and its pose filter. In the input, each datagram is preceded by its length (two
//! bytes).

#![no_main]

use libfuzzer_sys::fuzz_target;
use xpuck_fuzz::check_gates;
use xpuck_hub_core::config::UpAxis;
use xpuck_hub_service::mocap::natnet::Session;

fuzz_target!(|bytes: &[u8]| {
    let (mut session, mut frames, mut rest) = (Session::new(UpAxis::Y), Vec::new(), bytes);
    while let Some((length, more)) = rest.split_first_chunk() {
        let (datagram, more) = more.split_at(usize::from(u16::from_le_bytes(*length)).min(more.len()));
        rest = more;
        match session.feed(datagram) {
            Ok(frame) => frames.extend(frame),
            // An invalid datagram must not end the session.
            Err(error) => assert!(!error.is_empty()),
        }
        session.take_outgoing();
    }
    check_gates(&frames);
});
