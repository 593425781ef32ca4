//! Fuzzes the hub's VRPN client and the gates behind it; the first byte says into what pieces the stream is cut.

#![no_main]

use libfuzzer_sys::fuzz_target;
use xpuck_fuzz::pass_gates;
use xpuck_hub::mocap::vrpn::Client;

fuzz_target!(|bytes: &[u8]| {
    let Some((cut, stream)) = bytes.split_first() else { return };
    let (mut client, mut frames) = (Client::new(), Vec::new());
    for piece in stream.chunks(1 + usize::from(*cut)) {
        match client.feed(piece) {
            Ok(more) => frames.extend(more),
            Err(error) => {
                assert!(!error.to_string().is_empty());
                break;
            }
        }
        client.take_outgoing();
    }
    pass_gates(&frames);
});
