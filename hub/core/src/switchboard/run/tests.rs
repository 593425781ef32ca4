use crate::config::HubFile;
use crate::switchboard::batteries::tests::Bench;
use std::collections::BTreeMap;
use xpuck_kernels::world::task::objective::lots::{Lot, LotKind, draw};
use xpuck_wire::message::{Reply, Request};
use xpuck_wire::signed::Signed;

const WORLD: &str = r#"
robots = 2
[task]
kind = "objective"
score = "mean(if(coin, n(arena), time > late))"
worst = 0
best = 2
[[start]]
x_m = [-0.5, 0.5]
y_m = [-0.5, 0.5]
[[lot]]
name = "coin"
values = 2
[[lot]]
name = "late"
range = [10, 20]
"#;

#[test]
fn lots_of_each_segment_are_logged() {
    let mut bench = Bench::with(|_: &mut HubFile| {});
    bench.pass(5);
    let text = "name = \"x\"\nminutes = 2.0\nsegment_minutes = 0.5\nworld = \"w\"\n".to_string();
    let signed = Signed::new(text, BTreeMap::from([("w".into(), WORLD.into())]), None).unwrap();
    assert_eq!(bench.ask(Request::Start { signed, seed: 7 }), Reply::Done);
    bench.pass(110);
    let lot = |name: &str, kind| Lot { name: name.into(), kind };
    let lots = [lot("coin", LotKind::Values(2)), lot("late", LotKind::Range([10.0, 20.0]))];
    for segment in 0..4 {
        let drawn = draw(&lots, 7, segment);
        let line = format!("lots of segment {segment}: coin = {}, late = {}", drawn[0], drawn[1]);
        assert!(bench.said(&line), "{line}");
    }
}
