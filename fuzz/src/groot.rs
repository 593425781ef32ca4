//! Fuzzes the replies to requests of Groot2. The first byte of the input gives the length of the request's first
//! part.

#![no_main]

use libfuzzer_sys::fuzz_target;
use xpuck_wire::groot::{TreeState, WatchedTree, reply};
use xpuck_wire::groot_recording::Recording;

fuzz_target!(|bytes: &[u8]| {
    let Some((cut, rest)) = bytes.split_first() else { return };
    let (header, body) = rest.split_at(usize::from(*cut).min(rest.len()));
    let parts = [header.to_vec(), body.to_vec()];
    let tree = WatchedTree::new("x", String::from("<root/>"));
    let view = TreeState { tree: &tree, nodes: &[], registers: &[("s_n".into(), 1.0)] };
    for view in [None, Some(&view)] {
        let mut recording = Recording::default();
        assert!(!reply(&parts, view, &mut recording).is_empty());
        assert!(!reply(&parts[..1], view, &mut recording).is_empty());
    }
});
