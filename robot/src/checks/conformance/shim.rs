//! The logic between board and body: it is ours, takes settings, and finds messages and the camera's rows well.

use super::Bench;
use crate::device::body::{Body, Drive};
use xpuck_registers::shim::{REGISTERS, ROW_UNIT, STATUS_BITS};

/// Looks at every register at least twice, with those words between that set something.
const EXCHANGES: usize = 3 * REGISTERS.len();

/// Checks it, if a logic answers.
pub(super) fn check(bench: &mut Bench, body: &mut dyn Body) {
    bench.on("shim");
    if body.shim().is_none() {
        return bench.skip("answers", "no logic is between board and body");
    }
    // Rows may have another length until it knows the right one, which is by the end of a frame.
    exchange(bench, body);
    let before = body.shim();
    exchange(bench, body);
    let (Some(before), Some(report)) = (before, body.shim()) else {
        return bench.fail("answers", "it goes on answering", "silence".into());
    };
    bench.judge("ident", report.known, "a logic that is known", format!("build {:08x}", report.build));
    let found = format!("{} bytes", usize::from(report.row_units) * ROW_UNIT);
    bench.judge("camera's rows", report.row_units > 0, "the length of the camera's rows", found);
    let bad = report.messages_bad.wrapping_sub(before.messages_bad);
    bench.judge("messages", bad == 0, "no bad message", format!("{bad} bad"));
    let uneven = report.rows_uneven.wrapping_sub(before.rows_uneven);
    bench.judge("rows", uneven == 0, "rows of that length", format!("{uneven} of another"));
    // No fault of the logic's: nobody has opened the camera yet.
    let left_out = report.rows_left_out.wrapping_sub(before.rows_left_out);
    bench.judge("rows left out", true, "any, while nobody reads", format!("{left_out}, modulo 256"));
    let set = STATUS_BITS.iter().filter(|bit| report.status & 1 << bit.bit != 0).map(|bit| bit.name);
    let set: Vec<&str> = set.collect();
    let found = if set.is_empty() { "nothing".into() } else { set.join(", ") };
    bench.judge("status", true, "what happened since it was opened", found);
}

fn exchange(bench: &mut Bench, body: &mut dyn Body) {
    for _ in 0..EXCHANGES {
        // What goes wrong here was judged with the body's errors.
        let _ = body.exchange(&Drive::default());
        bench.wait(body.period());
    }
}
