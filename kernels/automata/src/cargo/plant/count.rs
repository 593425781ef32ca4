//! Accumulation of the durations of states. Durations are split at state changes within a tick.

use super::numbers::{max_f64, min_f64};
use super::{GRACE, World};

/// State change within a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Crossing {
    None,
    Contact,
    Line,
    Light,
}

impl World<'_> {
    /// Adds the time from `before` to `time` to the durations of the states. The time is split at the given changes.
    pub(super) fn account(&mut self, before: f64, time: f64, speed: f32, crossings: &mut [(f64, Crossing); 3]) {
        crossings.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut from = before;
        let mut touching = self.contact.is_some();
        if crossings.iter().any(|crossing| crossing.1 == Crossing::Contact) {
            touching = !touching;
        }
        for &(at, crossing) in crossings.iter() {
            self.count(from, at, speed, touching);
            from = max_f64(from, at);
            match crossing {
                Crossing::None => {}
                Crossing::Contact => touching = !touching,
                Crossing::Light => self.senses.lit = !self.senses.lit,
                Crossing::Line => {
                    self.senses.line = !self.senses.line;
                    self.left_line = if self.senses.line { self.left_line } else { at };
                }
            }
        }
        self.count(from, time, speed, touching);
    }

    pub(super) fn count(&mut self, from: f64, to: f64, speed: f32, touching: bool) {
        let span = to - from;
        if span <= 0.0 || self.suppressed {
            return;
        }
        let tally = &mut self.tally;
        if touching {
            tally.obstacle_time += span;
            return;
        }
        tally.distance += span * f64::from(speed.abs());
        if self.senses.lit {
            tally.lit_time += span;
        }
        if speed > 0.0 {
            let along = if self.senses.line { span } else { max_f64(0.0, min_f64(self.left_line + GRACE, to) - from) };
            tally.line_time += along;
            if self.senses.lit {
                tally.lit_line_time += along;
            }
        }
    }
}
