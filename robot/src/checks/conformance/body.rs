//! Checks of a body at rest: the body answers, its readings are in range and change, and few exchanges fail.

use super::{Bench, senses};
use crate::device::body::{Body, BodyReadings, Drive};
use xpuck_registers::infrared::MAX_COUNTS;

/// Number of exchanges.
const EXCHANGES: usize = 20;
/// Number of initial exchanges during which the wheels may still be coming to rest.
const SETTLING: usize = 8;
/// Minimum number of exchanges per tolerated error. On a good bus, one transfer in a thousand times out (according to
/// GCtronic).
const ONE_IN: u64 = 20;
/// Voltage range of a lithium-ion cell (mV).
const CELL: std::ops::RangeInclusive<u16> = 3000..=4300;

/// Checks a body with stopped wheels. Returns false if the body does not answer.
pub(super) fn check(bench: &mut Bench, body: &mut dyn Body) -> bool {
    bench.on("body");
    let (mut told, mut error) = (Vec::new(), None);
    for _ in 0..EXCHANGES {
        match body.exchange(&Drive::default()) {
            Ok(sensed) => told.push(sensed),
            Err(why) => error = Some(why),
        }
        bench.wait(body.period());
    }
    let found = match &error {
        None => format!("{EXCHANGES}"),
        Some(why) => format!("{} of {EXCHANGES}; {why}", told.len()),
    };
    bench.judge("answers", error.is_none(), "20 of 20 exchanges", found);
    let Some(last) = told.last() else { return false };
    infrared(bench, &told);
    senses::check(bench, &told);
    match last.battery_mv {
        Some(battery) => {
            bench.judge("battery", CELL.contains(&battery), "3000 to 4300 mV", format!("{battery} mV"));
        }
        None => bench.skip("battery", "this body does not have this sensor"),
    }
    let counters: Vec<[u16; 2]> = told.iter().skip(SETTLING.min(told.len() - 1)).map(|s| s.steps).collect();
    let still = counters.iter().all(|steps| *steps == counters[0]);
    bench.judge("wheels stand", still, "constant counters", format!("{:?} to {:?}", counters[0], last.steps));
    true
}

fn infrared(bench: &mut Bench, told: &[BodyReadings]) {
    let readings = || told.iter().flat_map(|s| s.reflected).map(|raw| raw.0);
    let (least, most) = (readings().min().unwrap_or(0), readings().max().unwrap_or(0));
    bench.judge("infra-red in range", most <= MAX_COUNTS, "0 to 4095", format!("{least} to {most}"));
    // A working converter has noise in at least one of its sixteen readings: reflected and ambient light of 8 sensors.
    let pictures = |s: &BodyReadings| (s.reflected, s.light);
    let first = told.last().map(pictures);
    let different = told.iter().rev().take(SETTLING).filter(|s| Some(pictures(s)) != first).count();
    let found = format!("{different} of {} differ from the previous one", SETTLING.min(told.len()) - 1);
    bench.judge("infra-red alive", different > 0, "readings that change", found);
}

/// Checks that the number of errors and retries so far is at most one per [`ONE_IN`] exchanges.
pub(super) fn errors(bench: &mut Bench, body: &dyn Body) {
    let c = body.counts();
    let wrong = c.bus_errors + c.retries + c.corrupt + c.rejected;
    let found = format!(
        "{} bus errors, {} repeated, {} corrupt, {} rejected in {}",
        c.bus_errors, c.retries, c.corrupt, c.rejected, c.exchanges
    );
    bench.on("body").judge("errors", wrong * ONE_IN <= c.exchanges, "at most one in 20 exchanges", found);
}
