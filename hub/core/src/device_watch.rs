//! Detection of unusual device errors of a robot. A few retries and lost camera frames are normal.

use std::collections::VecDeque;
use xpuck_wire::telemetry::DeviceReport;

/// Number of stored device reports, and interval between them (s). Together they cover one minute.
const KEPT: usize = 7;
const APART: f64 = 10.0;
/// Tolerated share of failed exchanges with the robot's body, and tolerated share of lost camera frames (0 to 1).
const BODY: f64 = 0.01;
const FRAMES: f64 = 0.1;
/// Tolerated number of failed power monitor readings per minute.
const POWER: u32 = 3;

/// Device reports of a robot in the last minute.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeviceWatch {
    session: u64,
    reports: VecDeque<(f64, DeviceReport)>,
    latest: DeviceReport,
}

impl DeviceWatch {
    /// Records a device report that arrived at `now` (s). `session` identifies the robot program that sent it.
    pub fn on_report(&mut self, now: f64, report: &DeviceReport, session: u64) {
        if session != self.session {
            // The counters of a restarted program begin at zero.
            (self.session, self.reports) = (session, VecDeque::new());
        }
        self.latest = *report;
        if self.reports.back().is_none_or(|(at, _)| now - at >= APART) {
            if self.reports.len() == KEPT {
                self.reports.pop_front();
            }
            self.reports.push_back((now, *report));
        }
    }

    /// Returns a description of the device errors of the last minute, or an empty string if there are none.
    pub fn trouble(&self) -> String {
        let Some((_, before)) = self.reports.front() else { return String::new() };
        let now = &self.latest;
        let since = |count: fn(&DeviceReport) -> u32| count(now).saturating_sub(count(before));
        let part = |count: u32, of: u32| f64::from(count) / f64::from(of.max(1));
        let (exchanges, frames) = (since(|d| d.exchanges), since(|d| d.frames));
        let body = since(|d| d.bus).saturating_add(since(|d| d.corrupt)).saturating_add(since(|d| d.rejected));
        let dropped = since(|d| d.dropped);
        let reopened = since(|d| d.reopened);
        let mut troubles = Vec::new();
        if body > 1 && part(body, exchanges) > BODY {
            troubles.push(format!("{body} of {exchanges} exchanges with the body failed"));
        }
        if dropped > 3 && part(dropped, frames.saturating_add(dropped)) > FRAMES {
            troubles.push(format!("{dropped} camera frames lost, {frames} seen"));
        }
        if since(|d| d.power) > POWER {
            troubles.push(format!("{} readings of the power monitors failed", since(|d| d.power)));
        }
        if reopened > 0 {
            let times = if reopened == 1 { "once".into() } else { format!("{reopened} times") };
            troubles.push(format!("the devices were reopened {times}"));
        }
        if troubles.is_empty() { String::new() } else { format!("{} in the last minute", troubles.join("; ")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(exchanges: u32, bus: u32, frames: u32, dropped: u32) -> DeviceReport {
        DeviceReport { exchanges, bus, frames, dropped, ..DeviceReport::default() }
    }

    #[test]
    fn many_errors_are_reported_for_a_minute() {
        let mut watch = DeviceWatch::default();
        assert_eq!(watch.trouble(), "");
        for second in 0..600u32 {
            watch.on_report(second.into(), &report(200 * second, second / 10, 15 * second, second / 5), 7);
            assert_eq!(watch.trouble(), "", "{second}");
        }
        watch.on_report(600.0, &report(120_000, 460, 9000, 120), 7);
        assert!(watch.trouble().ends_with(" failed in the last minute"), "{}", watch.trouble());
        for second in 601..700u32 {
            watch.on_report(second.into(), &report(200 * second, 460, 15 * second, 120), 7);
        }
        assert_eq!(watch.trouble(), "");
    }

    #[test]
    fn restarted_program_resets_counters() {
        let mut watch = DeviceWatch::default();
        watch.on_report(0.0, &report(1000, 900, 0, 0), 1);
        watch.on_report(1.0, &report(10, 0, 0, 0), 2);
        assert_eq!(watch.trouble(), "");
    }
}
