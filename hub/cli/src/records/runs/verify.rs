//! `xpuck runs verify`.

use super::{print, print_problems};
use crate::terminal::print_json;
use crate::terminal::progress::Progress;
use anyhow::Result;
use std::fmt::Write;
use std::path::Path;
use xpuck_record::verify::{Verified, verify};
use xpuck_wire::output;

/// Verifies a run, and prints the result. Returns whether all repeated ticks are identical to the recorded ones.
pub fn run(directory: &Path, json: bool) -> Result<bool> {
    let progress = Progress::waiting("verifying the record", json);
    let verified = verify(directory)?;
    drop(progress);
    print_problems(&verified.damage);
    match json {
        true => print_json(&verified)?,
        false => print(&text(&verified)?)?,
    }
    if let Some(d) = verified.first.as_ref().filter(|_| json) {
        output::print_error(format_args!("xpuck: robot {}, update {}: {} differs", d.robot, d.update, d.what));
    }
    Ok(verified.identical)
}

fn text(verified: &Verified) -> Result<String> {
    let mut text = String::new();
    writeln!(text, "robot     updates    ticks  different  not ticked again  gaps  missing")?;
    for (robot, r) in &verified.robots {
        let (updates, ticks, different, unknown) = (r.updates, r.ticks, r.different, r.unknown);
        writeln!(
            text,
            "{robot:<8} {updates:>8} {ticks:>8} {different:>10} {unknown:>17} {:>5} {:>8}",
            r.gaps, r.missing
        )?;
    }
    match &verified.first {
        None if verified.robots.values().all(|robot| robot.ticks == 0) => {
            writeln!(text, "\nnothing to compare: no tree was ticked")?;
        }
        None => writeln!(text, "\nidentical: all ticks are equal bit for bit")?,
        Some(d) => {
            let (seconds, update) = (d.time_us as f64 / 1e6, d.update);
            let (robot, what, wanted, found) = (&d.robot, &d.what, &d.wanted, &d.found);
            writeln!(text, "\nfirst difference: robot {robot}, {seconds:.3} s, update {update}: {what}")?;
            writeln!(text, "  recorded  {wanted}\n  ticked    {found}")?;
        }
    }
    if !verified.senses.is_empty() {
        writeln!(text, "\nRecorded senses compared with senses computed from poses (sensors always differ somewhat):")?;
        writeln!(text, "sense       values  different  part    mean      largest   counts above")?;
    }
    for row in &verified.senses {
        writeln!(
            text,
            "{:<10} {:>8} {:>10} {:>5.1} %  {:<8.4}  {:<8.4}  {} {}",
            row.sense,
            row.values,
            row.different,
            100.0 * row.part(),
            row.mean,
            row.largest,
            row.tolerance,
            row.unit
        )?;
    }
    if verified.without_poses > 0 {
        writeln!(text, "no poses for {} updates", verified.without_poses)?;
    }
    if let Some(sense) = verified.worst_sense {
        writeln!(text, "{sense} differs most from the poses")?;
    }
    Ok(text)
}
