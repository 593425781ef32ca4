//! Rate limit for log lines about frequent events.

/// Minimum interval between two lines (s of arena time).
const EVERY: f64 = 10.0;

/// Time of the last line, and number of suppressed lines since.
#[derive(Debug, Default)]
pub struct RateLimit {
    said: Option<f64>,
    since: u64,
}

impl RateLimit {
    /// Whether a line is due, for callers that keep their own count.
    pub fn due(&mut self, now: f64) -> bool {
        let due = self.said.is_none_or(|at| now - at >= EVERY);
        if due {
            self.said = Some(now);
        }
        due
    }

    /// Counts an event, and returns its line if one is due, with the number of suppressed lines.
    pub fn line(&mut self, now: f64, text: impl FnOnce() -> String) -> Option<String> {
        if !self.due(now) {
            self.since += 1;
            return None;
        }
        match std::mem::take(&mut self.since) {
            0 => Some(text()),
            unsaid => Some(format!("{} (and {unsaid} times since the last such line)", text())),
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
        assert_eq!(limit.line(15.0, || "b".into()).as_deref(), Some("b (and 5000 times since the last such line)"));
    }
}
