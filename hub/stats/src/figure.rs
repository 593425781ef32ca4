//! Number formatting for reports.

use std::fmt::{Display, Formatter, Result};

/// Number that is displayed without a minus sign if all its displayed digits are 0: 0.000, never -0.000.
#[derive(Clone, Copy, Debug)]
pub struct Figure(pub f64);

impl Display for Figure {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let shown = f.precision().map_or_else(|| self.0.to_string(), |digits| format!("{:.digits$}", self.0));
        let nothing = shown.chars().all(|c| matches!(c, '-' | '0' | '.'));
        (if nothing { 0.0 } else { self.0 }).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_has_no_sign() {
        let show = |x: f64| format!("{:.3} {:+.3} {:>7.3} {}", Figure(x), Figure(x), Figure(x), Figure(x));
        assert_eq!(show(-0.0004), "0.000 +0.000   0.000 -0.0004");
        assert_eq!(show(-0.0), "0.000 +0.000   0.000 0");
        assert_eq!(show(-0.0006), "-0.001 -0.001  -0.001 -0.0006");
        assert_eq!(show(0.25), "0.250 +0.250   0.250 0.25");
        assert_eq!(format!("{:.3}", Figure(f64::NAN)), "NaN");
    }
}
