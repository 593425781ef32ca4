//! Fuzzes the hub's VRPN client and the gates behind it; the first byte says into what pieces the stream is cut.

#![no_main]

use libfuzzer_sys::fuzz_target;
use xpuck_fuzz::feed_in_pieces;
use xpuck_hub_service::mocap::vrpn::Client;

fuzz_target!(|bytes: &[u8]| feed_in_pieces(&mut Client::new(), bytes));
