//! Checks of the shim, the logic between board and body: its identity is known, and it reports no invalid messages and
//! no camera rows of a wrong length.

use super::Bench;
use crate::device::body::{Body, Drive};
use xpuck_registers::shim::{REGISTERS, ROW_UNIT, STATUS_BITS};

/// Number of exchanges, enough to configure the shim's logic and to read every register at least twice.
const EXCHANGES: usize = 3 * REGISTERS.len();

/// Checks the shim's logic, if it answers.
pub(super) fn check(bench: &mut Bench, body: &mut dyn Body) {
    bench.on("shim");
    if body.shim().is_none() {
        return bench.skip("answers", "no shim between board and body");
    }
    // During the first frame, the logic does not know the row length, so it may report rows of a wrong length.
    exchange(bench, body);
    let before = body.shim();
    exchange(bench, body);
    let (Some(before), Some(report)) = (before, body.shim()) else {
        return bench.fail("answers", "it keeps answering", "silence".into());
    };
    bench.judge("ident", report.known, "a known build", format!("build {:08x}", report.build));
    let found = format!("{} bytes", usize::from(report.row_units) * ROW_UNIT);
    bench.judge("camera's rows", report.row_units > 0, "the length of the camera's rows", found);
    let bad = report.messages_bad.wrapping_sub(before.messages_bad);
    bench.judge("messages", bad == 0, "no invalid message", format!("{bad} invalid"));
    let uneven = report.rows_uneven.wrapping_sub(before.rows_uneven);
    bench.judge("rows", uneven == 0, "rows of that length", format!("{uneven} of another length"));
    // Omitted rows are not a fault, because the camera has not been opened yet.
    let left_out = report.rows_left_out.wrapping_sub(before.rows_left_out);
    bench.judge("rows left out", true, "any, while no program reads", format!("{left_out}, modulo 256"));
    let set = STATUS_BITS.iter().filter(|bit| report.status & 1 << bit.bit != 0).map(|bit| bit.name);
    let set: Vec<&str> = set.collect();
    let found = if set.is_empty() { "nothing".into() } else { set.join(", ") };
    bench.judge("status", true, "events since it was opened", found);
}

fn exchange(bench: &mut Bench, body: &mut dyn Body) {
    for _ in 0..EXCHANGES {
        // Errors are ignored, because the checks of the body detect failed exchanges.
        let _ = body.exchange(&Drive::default());
        bench.wait(body.period());
    }
}
