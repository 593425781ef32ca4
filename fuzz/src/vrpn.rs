//! Fuzzes the hub's VRPN client and its gates; the first byte gives the length of the pieces of the stream.

#![no_main]

use libfuzzer_sys::fuzz_target;
use xpuck_fuzz::feed_in_pieces;
use xpuck_hub_service::mocap::vrpn::Client;

fuzz_target!(|bytes: &[u8]| feed_in_pieces(&mut Client::new(), bytes));
