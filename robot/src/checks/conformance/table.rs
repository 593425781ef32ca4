//! Findings of the conformance suite as a text table.

use super::{Finding, Verdict};
use std::fmt::Write;

/// Formats the findings, one line per check, with a summary at the end. `colour` enables terminal colours.
pub fn table(findings: &[Finding], colour: bool) -> String {
    let width = |column: fn(&Finding) -> &str| findings.iter().map(|f| column(f).chars().count()).max().unwrap_or(0);
    let (device, check) = (width(|f| f.device), width(|f| f.check));
    let expected = width(|f| &f.expected);
    let mut text = String::new();
    for f in findings {
        let (word, code) = match f.verdict {
            Verdict::Pass => ("pass", "32"),
            Verdict::Fail => ("FAIL", "31;1"),
            Verdict::Skip => ("skip", "33"),
        };
        let word = if colour { format!("\x1b[{code}m{word}\x1b[0m") } else { word.into() };
        let _ = writeln!(
            text,
            "{word}  {:device$}  {:check$}  {:expected$}  {:5.2} s  {}",
            f.device, f.check, f.expected, f.seconds, f.found
        );
    }
    let count = |verdict| findings.iter().filter(|f| f.verdict == verdict).count();
    let (pass, fail, skip) = (count(Verdict::Pass), count(Verdict::Fail), count(Verdict::Skip));
    let _ = writeln!(text, "{pass} passed, {fail} failed, {skip} skipped");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_under_one_another_and_colours_are_asked_for() {
        let finding = |device, check, verdict, expected: &str| Finding {
            device,
            check,
            verdict,
            expected: expected.into(),
            found: "something".into(),
            seconds: 0.25,
        };
        let findings = [
            finding("body", "answers", Verdict::Pass, "20 of 20 exchanges"),
            finding("5 V", "voltage", Verdict::Fail, "5 V"),
            finding("wheels", "stop", Verdict::Skip, "-"),
        ];
        let plain = table(&findings, false);
        let lines: Vec<&str> = plain.lines().collect();
        assert_eq!(lines[0], "pass  body    answers  20 of 20 exchanges   0.25 s  something");
        assert_eq!(lines[1], "FAIL  5 V     voltage  5 V                  0.25 s  something");
        assert_eq!(lines[3], "1 passed, 1 failed, 1 skipped");
        assert!(table(&findings, true).contains("\x1b[31;1mFAIL\x1b[0m"));
    }
}
