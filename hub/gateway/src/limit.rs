//! Rate limit for log lines that peers can cause. Suppressed lines are counted.

/// Maximum number of lines per second.
const LINES: u32 = 20;

/// Limiter that passes log lines up to the maximum rate.
#[derive(Clone, Debug, Default)]
pub struct LineLimit {
    second: u64,
    passed: u32,
    left_out: u64,
}

impl LineLimit {
    /// Returns the lines that do not exceed the maximum rate. `second` is the current time in whole seconds from an
    /// arbitrary origin. At the first call in a new second, an extra first line states how many lines were suppressed
    /// before, if any.
    pub fn pass<L: From<String>>(&mut self, second: u64, lines: Vec<L>) -> Vec<L> {
        let mut passed = Vec::new();
        if second != self.second {
            (self.second, self.passed) = (second, 0);
            let left_out = std::mem::take(&mut self.left_out);
            if left_out > 0 {
                let told = format!("{left_out} lines suppressed (limit {LINES} per second)");
                passed.push(told.into());
            }
        }
        for line in lines {
            if self.passed < LINES {
                self.passed += 1;
                passed.push(line);
            } else {
                self.left_out += 1;
            }
        }
        passed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_flood_is_limited_and_next_second_has_room() {
        let mut limit = LineLimit::default();
        let flood = || (0..1000).map(|i| i.to_string()).collect::<Vec<_>>();
        assert_eq!(limit.pass(0, flood()).len(), 20);
        assert_eq!(limit.pass(0, flood()).len(), 0);
        let next: Vec<String> = limit.pass(1, vec!["a".into()]);
        assert_eq!((next.len(), next[1].as_str()), (2, "a"));
        assert!(next[0].starts_with("1980 lines suppressed"), "{next:?}");
        assert_eq!(limit.pass(2, Vec::<String>::new()), [""; 0]);
    }
}
