//! Interface to the operator at the robot.

use super::CalibrateError;
use std::io::{BufRead, Write};
use std::ops::RangeInclusive;

/// Number of attempts that the operator has to give a valid answer.
const TRIES: usize = 3;
/// Maximum length of an answer (bytes).
const MAX_ANSWER: usize = 64;

/// Operator, who prepares the measurements, and measures distances and angles that the robot cannot measure.
pub trait Operator {
    /// Asks the operator to make the preparation `what`, and returns when the operator confirms it.
    ///
    /// # Errors
    /// If the operator cancels, or the answer cannot be read.
    fn ready(&mut self, what: &str) -> Result<(), CalibrateError>;

    /// Asks the operator for a number within a range.
    ///
    /// # Errors
    /// If no valid number is given.
    fn number(&mut self, question: &str, range: RangeInclusive<f64>) -> Result<f64, CalibrateError>;

    /// Shows a message.
    fn say(&mut self, text: &str);
}

/// Operator at a terminal, with line-based input and output.
pub struct Terminal<R, W> {
    input: R,
    output: W,
    /// Whether preparations need no confirmation.
    yes: bool,
}

impl<R: BufRead, W: Write> Terminal<R, W> {
    /// Creates an operator at a terminal. With `yes`, preparations need no confirmation, but questions for numbers are
    /// still asked.
    pub fn new(input: R, output: W, yes: bool) -> Terminal<R, W> {
        Terminal { input, output, yes }
    }

    fn line(&mut self) -> Result<String, CalibrateError> {
        let mut bytes = Vec::new();
        let mut limited = std::io::Read::take(&mut self.input, MAX_ANSWER as u64);
        match limited.read_until(b'\n', &mut bytes) {
            Ok(0) => Err(CalibrateError::Operator("the input ended before the last answer".into())),
            Ok(_) => Ok(String::from_utf8_lossy(&bytes).trim().to_string()),
            Err(error) => Err(CalibrateError::Operator(format!("cannot read the answer: {error}"))),
        }
    }
}

impl<R: BufRead, W: Write> Operator for Terminal<R, W> {
    fn ready(&mut self, what: &str) -> Result<(), CalibrateError> {
        if self.yes {
            self.say(what);
            return Ok(());
        }
        self.say(&format!("{what}\nPress Enter when ready, q to cancel:"));
        match self.line()?.as_str() {
            "q" => Err(CalibrateError::Operator("cancelled".into())),
            _ => Ok(()),
        }
    }

    fn number(&mut self, question: &str, range: RangeInclusive<f64>) -> Result<f64, CalibrateError> {
        for _ in 0..TRIES {
            self.say(question);
            match self.line()?.parse::<f64>() {
                Ok(number) if range.contains(&number) => return Ok(number),
                _ => self.say(&format!("enter a number from {} to {}", range.start(), range.end())),
            }
        }
        Err(CalibrateError::Operator(format!("no valid number in {TRIES} answers")))
    }

    fn say(&mut self, text: &str) {
        // Write errors are ignored. They mean that the output is closed, so the operator cannot read the message.
        let _ = writeln!(self.output, "{text}");
        let _ = self.output.flush();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_checked_and_asked_for_again() {
        let mut output = Vec::new();
        let mut terminal = Terminal::new("\nmany\nNaN\n7\n12\nq\n".as_bytes(), &mut output, false);
        terminal.ready("card").unwrap();
        assert_eq!(terminal.number("how many", 0.0..=10.0).unwrap(), 7.0);
        let error = terminal.number("how many", 0.0..=10.0).unwrap_err().to_string();
        assert!(error.contains("input ended"), "{error}");
        let mut scripted = Terminal::new("".as_bytes(), Vec::new(), true);
        assert!(scripted.ready("card").is_ok() && scripted.number("how many", 0.0..=1.0).is_err());
        let mut tired = Terminal::new("q\n".as_bytes(), Vec::new(), false);
        assert!(tired.ready("card").unwrap_err().to_string().starts_with("cancelled"));
    }
}
