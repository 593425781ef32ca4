//! Rate limit for log lines about frequent events.

/// Minimum interval between two log lines (s of arena time).
const EVERY: f64 = 10.0;

/// Rate limit that stores the time of the last log line and the number of lines suppressed since then.
#[derive(Debug, Default)]
pub struct RateLimit {
    said: Option<f64>,
    since: u64,
}

impl RateLimit {
    /// Returns whether a log line is due, and if so, starts the next interval. Callers use this method instead of
    /// [`RateLimit::line`] if they count suppressed lines themselves.
    pub fn due(&mut self, now: f64) -> bool {
        let due = self.said.is_none_or(|at| now - at >= EVERY);
        if due {
            self.said = Some(now);
        }
        due
    }

    /// Counts an event. Returns its log line if one is due, with the number of lines suppressed since the last one.
    pub fn line(&mut self, now: f64, text: impl FnOnce() -> String) -> Option<String> {
        if !self.due(now) {
            self.since += 1;
            return None;
        }
        match std::mem::take(&mut self.since) {
            0 => Some(text()),
            unsaid => Some(format!("{} (and {unsaid} more since the last such line)", text())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_line_is_immediate_and_flood_is_summarised() {
        let mut limit = RateLimit::default();
        assert_eq!(limit.line(5.0, || "a".into()).as_deref(), Some("a"));
        assert!((0..5000).all(|_| limit.line(6.0, || "a".into()).is_none()));
        assert_eq!(limit.line(15.0, || "b".into()).as_deref(), Some("b (and 5000 more since the last such line)"));
    }
}
