//! Questions to the user, answered on standard input or by another reader.

use anyhow::{Context, Result, bail};
use std::fmt::Display;
use std::io::{BufRead, Read};
use std::ops::RangeInclusive;
use xpuck_wire::escape;

/// Maximum number of answers to one question: it is asked again three times.
const TRIES: u32 = 4;
/// Maximum length of an answer (bytes).
const LONGEST_ANSWER: u64 = 1000;
/// Maximum number of characters of an answer that an error shows.
const SHOWN: usize = 40;

/// Asks questions, and validates the answers.
pub struct Interview<'a> {
    /// Source of the answers, one in each line.
    pub answers: &'a mut dyn BufRead,
    /// Shows a line to the user.
    pub show: &'a mut dyn FnMut(&str),
}

impl Interview<'_> {
    /// Asks for one of several choices, each with a name and a description. An empty answer selects the first choice.
    /// Returns the index of the choice.
    ///
    /// # Errors
    /// The errors of [`Interview::ask`].
    pub fn choice(&mut self, question: &str, choices: &[(&str, &str)]) -> Result<usize> {
        (self.show)(question);
        let width = choices.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        for (number, (name, what)) in (1..).zip(choices) {
            (self.show)(&format!("  {number} {name:width$}  {what}"));
        }
        let range = format!("a name, or a number from 1 to {}", choices.len());
        self.ask(question, &range, choices[0].0, |answer| {
            let by_number = answer.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
            let index = by_number.or_else(|| choices.iter().position(|(name, _)| *name == answer));
            index.filter(|index| *index < choices.len())
        })
    }

    /// Asks for a whole number within a range. An empty answer selects `usual`.
    ///
    /// # Errors
    /// The errors of [`Interview::ask`].
    pub fn whole(&mut self, question: &str, range: RangeInclusive<usize>, usual: usize) -> Result<usize> {
        (self.show)(question);
        let text = format!("a whole number from {} to {}", range.start(), range.end());
        self.ask(question, &text, usual, |answer| answer.parse().ok().filter(|number| range.contains(number)))
    }

    /// Asks for a number within a range. An empty answer selects `usual`.
    ///
    /// # Errors
    /// The errors of [`Interview::ask`].
    pub fn number(&mut self, question: &str, range: RangeInclusive<f32>, usual: f32) -> Result<f32> {
        (self.show)(question);
        let text = format!("a number from {} to {}", range.start(), range.end());
        self.ask(question, &text, usual, |answer| answer.parse().ok().filter(|number| range.contains(number)))
    }

    /// Reads answers to a question until one is valid. `range` describes valid answers, and an empty answer stands for `usual`.
    ///
    /// # Errors
    /// No answer is valid, or there is no further answer.
    fn ask<T>(
        &mut self,
        question: &str,
        range: &str,
        usual: impl Display,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<T> {
        (self.show)(&format!("  {range} [{usual}]:"));
        for tries_left in (0..TRIES).rev() {
            let answer = self.answer(question)?;
            let answer = if answer.is_empty() { usual.to_string() } else { answer };
            if let Some(value) = parse(&answer) {
                return Ok(value);
            }
            let shown: String = answer.chars().take(SHOWN).collect();
            match tries_left {
                0 => bail!("{question} `{}` is not {range}; no file was written", escape(&shown)),
                _ => (self.show)(&format!("  `{shown}` is not {range}; try again:")),
            }
        }
        unreachable!("the last try returns")
    }

    /// Returns the next line without white space around it.
    fn answer(&mut self, question: &str) -> Result<String> {
        let mut line = Vec::new();
        (&mut self.answers).take(LONGEST_ANSWER).read_until(b'\n', &mut line).context("cannot read an answer")?;
        match line.last() {
            None => bail!("the answers end before an answer to: {question} No file was written"),
            Some(b'\n') => {}
            Some(_) if line.len() as u64 == LONGEST_ANSWER => {
                bail!("{question} The answer is longer than {LONGEST_ANSWER} bytes; no file was written")
            }
            Some(_) => {}
        }
        Ok(String::from_utf8_lossy(&line).trim().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked<T>(answers: &str, ask: impl FnOnce(&mut Interview<'_>) -> Result<T>) -> (Result<T, String>, Vec<String>) {
        let mut shown = Vec::new();
        let mut show = |line: &str| shown.push(line.to_string());
        let result = ask(&mut Interview { answers: &mut answers.as_bytes(), show: &mut show });
        (result.map_err(|error| error.to_string()), shown)
    }

    const COLOURS: [(&str, &str); 2] = [("red", "of blood"), ("blue", "of the sky")];

    #[test]
    fn answers_are_names_numbers_or_empty() {
        for (answer, index) in [("blue\n", 1), ("2\n", 1), ("\n", 0), (" red \r\n", 0), ("1", 0)] {
            assert_eq!(asked(answer, |interview| interview.choice("Colour?", &COLOURS)).0, Ok(index), "{answer}");
        }
        assert_eq!(asked("12\n", |interview| interview.whole("Robots?", 1..=256, 20)).0, Ok(12));
        assert_eq!(asked("\n", |interview| interview.number("Length?", 0.3..=20.0, 2.5)).0, Ok(2.5));
        let shown = asked("\n", |interview| interview.choice("Colour?", &COLOURS)).1;
        assert_eq!(shown[1], "  1 red   of blood");
        assert_eq!(shown.last().unwrap(), "  a name, or a number from 1 to 2 [red]:");
    }

    #[test]
    fn invalid_answers_are_asked_again_three_times() {
        let robots = |answers: &str| asked(answers, |interview| interview.whole("Robots?", 1..=256, 20));
        let (result, shown) = robots("0\nnan\n3\n");
        assert_eq!(result, Ok(3));
        assert_eq!(
            shown[2..],
            [
                "  `0` is not a whole number from 1 to 256; try again:",
                "  `nan` is not a whole number from 1 to 256; try again:"
            ]
        );
        let error = robots("0\n257\n-1\n1e9\n5\n").0.unwrap_err();
        assert_eq!(error, "Robots? `1e9` is not a whole number from 1 to 256; no file was written");
        assert_eq!(robots("x\n").0.unwrap_err(), "the answers end before an answer to: Robots? No file was written");
        assert!(robots(&"9".repeat(2000)).0.unwrap_err().contains("longer than 1000 bytes"));
        let length = asked("NaN\ninf\n1,5\n-1\n", |interview| interview.number("Length?", 0.3..=20.0, 2.5)).0;
        assert_eq!(length.unwrap_err(), "Length? `-1` is not a number from 0.3 to 20; no file was written");
    }
}
