//! Reader for the values of a file in their order.

use crate::scenario::ScenarioError;
use std::str::FromStr;
use xpuck_automata::automaton::Module;

/// Maximum length of a file (bytes).
const MAX_TEXT: usize = 1024 * 1024;

/// Reader of a file's values.
pub(super) struct Values<'a> {
    file: &'a str,
    /// Words of the file, with their line numbers.
    words: Vec<(usize, &'a str)>,
    next: usize,
}

impl<'a> Values<'a> {
    pub fn new(file: &'a str, text: &'a str) -> Result<Values<'a>, ScenarioError> {
        let lines = (1..).zip(text.lines()).map(|(number, line)| (number, line.split('#').next().unwrap_or("")));
        let words = lines.flat_map(|(number, line)| line.split_whitespace().map(move |word| (number, word)));
        let values = Values { file, words: words.collect(), next: 0 };
        match text.len() {
            length if length > MAX_TEXT => {
                Err(values.wrong(1, "file", format!("the file has {length} bytes; at most {MAX_TEXT} are allowed")))
            }
            _ => Ok(values),
        }
    }

    /// Returns an error for a key in line `line`.
    pub fn wrong(&self, line: usize, key: &str, message: impl AsRef<str>) -> ScenarioError {
        ScenarioError { file: self.file.into(), line, message: format!("{key}: {}", message.as_ref()) }
    }

    /// Returns an error for the last value that was read.
    pub fn refuse(&self, key: &str, message: impl AsRef<str>) -> ScenarioError {
        let last = self.words.get(self.next.saturating_sub(1));
        self.wrong(last.map_or(1, |(line, _)| *line), key, message)
    }

    /// Returns the line number of the next value.
    pub fn line(&self) -> usize {
        self.words.get(self.next).or(self.words.last()).map_or(1, |(line, _)| *line)
    }

    pub fn word(&mut self, key: &str) -> Result<&'a str, ScenarioError> {
        let Some(&(_, word)) = self.words.get(self.next) else {
            return Err(self.refuse(key, "the file ends before this value; an earlier value may be missing"));
        };
        self.next += 1;
        Ok(word)
    }

    /// Reads all words of the next non-empty line.
    pub fn whole_line(&mut self, key: &str) -> Result<String, ScenarioError> {
        let line = self.line();
        let mut whole = self.word(key)?.to_string();
        while let Some((_, word)) = self.words.get(self.next).filter(|(at, _)| *at == line) {
            whole.push(' ');
            whole.push_str(word);
            self.next += 1;
        }
        Ok(whole)
    }

    pub fn number<T: FromStr>(&mut self, key: &str) -> Result<T, ScenarioError> {
        let word = self.word(key)?;
        let number = word.parse().map_err(|_| {
            let kind = if "1.5".parse::<T>().is_ok() { "number" } else { "integer" };
            self.refuse(key, format!("{word:?} is not a valid {kind}; an earlier value may be missing or superfluous"))
        })?;
        Ok(number)
    }

    pub fn numbers<T: FromStr, const N: usize>(&mut self, key: &str) -> Result<[T; N], ScenarioError> {
        let mut numbers = Vec::with_capacity(N);
        for _ in 0..N {
            numbers.push(self.number(key)?);
        }
        numbers.try_into().map_err(|_| self.refuse(key, "the file ends before this value"))
    }

    /// Reads a count. Rejects a count above `most`.
    pub fn count(&mut self, key: &str, most: usize) -> Result<usize, ScenarioError> {
        match self.number(key)? {
            count if count <= most => Ok(count),
            count => Err(self.refuse(key, format!("the count is {count}; at most {most} are allowed"))),
        }
    }

    /// Reads a number. Rejects any number except `number`, which has the given meaning.
    pub fn only(&mut self, key: &str, number: i64, meaning: &str) -> Result<(), ScenarioError> {
        match self.number::<i64>(key)? {
            found if found == number => Ok(()),
            found => Err(self.refuse(key, format!("{found} is not supported; must be {number} ({meaning})"))),
        }
    }

    /// Reads 0 or 1.
    pub fn flag(&mut self, key: &str) -> Result<bool, ScenarioError> {
        match self.word(key)? {
            "0" => Ok(false),
            "1" => Ok(true),
            word => Err(self.refuse(key, format!("{word:?} is not valid; must be 0 or 1"))),
        }
    }

    /// Reads the number of a module with a post-office.
    pub fn module(&mut self, key: &str) -> Result<Module, ScenarioError> {
        match self.module_or_end(key)? {
            Some(module) => Ok(module),
            None => Err(self.refuse(key, "0 is not a module")),
        }
    }

    /// Reads the number of a module with a post-office. Returns `None` for 0, which ends a list.
    pub fn module_or_end(&mut self, key: &str) -> Result<Option<Module>, ScenarioError> {
        let number: u8 = self.number(key)?;
        let module = Module::ARBITRATED.into_iter().find(|&module| module as u8 == number);
        match number {
            0 => Ok(None),
            _ if module.is_some() => Ok(module),
            _ => {
                let known = Module::ARBITRATED.map(|module| format!("{} ({})", module as u8, module.name())).join(", ");
                Err(self.refuse(key, format!("{number} is not a module with a post-office; choose one of {known}")))
            }
        }
    }

    /// Checks that all values have been read.
    pub fn end(&self) -> Result<(), ScenarioError> {
        match self.words.get(self.next) {
            None => Ok(()),
            Some((line, word)) => {
                let message = format!("{word:?} follows the last value; an earlier value may be superfluous");
                Err(self.wrong(*line, "file", message))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_past_comments_and_errors_name_their_line() {
        let mut values = Values::new("f", "# one\n1 2.5 # two\n\ncp a b # three\n4").unwrap();
        assert_eq!(values.number::<u8>("a").unwrap(), 1);
        assert_eq!(values.number::<f32>("b").unwrap(), 2.5);
        assert_eq!((values.line(), values.whole_line("c").unwrap()), (4, "cp a b".into()));
        assert!(values.end().unwrap_err().to_string().starts_with("f: line 5: file: \"4\" follows the last value"));
        assert_eq!(values.number::<u8>("d").unwrap(), 4);
        let message = values.number::<u8>("e").unwrap_err().to_string();
        assert!(message.starts_with("f: line 5: e: the file ends before this value"), "{message}");
        let message = Values::new("f", "\nx").unwrap().number::<u8>("n").unwrap_err().to_string();
        assert!(message.starts_with("f: line 2: n: \"x\" is not a valid integer"), "{message}");
    }
}
