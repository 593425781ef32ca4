//! PRIF as text, in the form printed in pyro-corpus's README.
//!
//! Example: `(B(1), [RIGHT, 3, X], {BOTTOM: (S(2), [BOTTOM, 2, X], None)})`. An instruction begins with the class and
//! the id. Then follow the direction, the repetitions and the axis, and finally the following instructions.
//!
//! The classes are `B` (body), `S` (sensor), `F` (fixed), `FS` (fixed sensor) and `CPG` (brain). The class names in
//! pyro-corpus's source are also accepted. If an instruction has no id, as in `B()`, its index in the text becomes its
//! id, counted from 0.

use super::{MAX_DEPTH, MAX_TEXT, Prif};
use crate::part::{Axis, Direction, Part};
use crate::{BodyError, Plan};

/// Maximum line width (characters). Longer instructions are printed on several lines.
const WIDTH: usize = 100;

impl Prif {
    /// Parses the text form and checks that it defines a valid body.
    ///
    /// # Errors
    /// Returns an error with line and column if the text is invalid. Returns an error with the path to the instruction
    /// if the body is invalid (see [`Plan::new`]).
    pub fn parse(text: &str) -> Result<Prif, BodyError> {
        if text.len() > MAX_TEXT {
            return Err(BodyError::new(
                "the text",
                format_args!("{} bytes; at most {MAX_TEXT} are allowed", text.len()),
            ));
        }
        let mut reader = Reader { text, at: 0, instructions: 0 };
        let prif = reader.instruction(0)?;
        reader.skip_blanks();
        if reader.at < text.len() {
            return Err(reader.error("unexpected text after the end of the instruction"));
        }
        Plan::new(&prif)?;
        Ok(prif)
    }

    /// Returns the text form. An id is omitted if [`Prif::parse`] would assign the same id.
    pub fn print(&self) -> String {
        let mut place = 0;
        let mut numbered = true;
        self.each(&mut |prif| {
            numbered &= prif.id == place;
            place += 1;
        });
        let mut out = String::new();
        self.lines(!numbered, 0, &mut out);
        out
    }

    fn lines(&self, ids: bool, indent: usize, out: &mut String) {
        let flat = self.flat(ids);
        if flat.len() <= WIDTH || self.next.is_empty() {
            out.push_str(&flat);
            return;
        }
        out.push_str(&self.head(ids));
        out.push_str("{\n");
        for (i, (key, prif)) in self.next.iter().enumerate() {
            out.push_str(&" ".repeat(4 * (indent + 1)));
            out.push_str(key.name());
            out.push_str(": ");
            prif.lines(ids, indent + 1, out);
            out.push_str(if i + 1 < self.next.len() { ",\n" } else { "\n" });
        }
        out.push_str(&" ".repeat(4 * indent));
        out.push_str("})");
    }

    fn flat(&self, ids: bool) -> String {
        let mut out = self.head(ids);
        if self.next.is_empty() {
            out.push_str("None");
        } else {
            let entries: Vec<String> =
                self.next.iter().map(|(key, prif)| format!("{}: {}", key.name(), prif.flat(ids))).collect();
            out.push_str(&format!("{{{}}}", entries.join(", ")));
        }
        out.push(')');
        out
    }

    fn head(&self, ids: bool) -> String {
        let id = if ids { self.id.to_string() } else { String::new() };
        let (direction, axis) = (self.direction.name(), self.axis.name());
        format!("({}({id}), [{direction}, {}, {axis}], ", self.part.class_name(), self.repetitions)
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    instructions: u32,
}

impl<'a> Reader<'a> {
    fn instruction(&mut self, depth: usize) -> Result<Prif, BodyError> {
        if depth == MAX_DEPTH {
            return Err(self.error(format_args!("instructions are nested deeper than {MAX_DEPTH} levels")));
        }
        self.sign('(')?;
        let part = self.word_of("a part class: B, S, F, FS or CPG", Part::of_class_name)?;
        self.sign('(')?;
        let id = if self.next_is(')') { self.instructions } else { self.number("an id")? };
        self.instructions += 1;
        self.sign(')')?;
        self.sign(',')?;
        self.sign('[')?;
        let direction = self.direction()?;
        self.sign(',')?;
        let repetitions = self.number("a number of repetitions")?;
        self.sign(',')?;
        let axis = self.word_of("an axis: X, Y or Z", Axis::of_name)?;
        self.sign(']')?;
        self.sign(',')?;
        let next = self.next(depth)?;
        self.sign(')')?;
        Ok(Prif { id, part, direction, repetitions, axis, next })
    }

    fn next(&mut self, depth: usize) -> Result<Vec<(Direction, Prif)>, BodyError> {
        let mut next: Vec<(Direction, Prif)> = Vec::new();
        if !self.next_is('{') {
            self.word_of("None, or instructions in braces", |word| (word == "None").then_some(()))?;
            return Ok(next);
        }
        self.sign('{')?;
        while !self.next_is('}') {
            let before = self.at;
            let key = self.direction()?;
            if next.iter().any(|(other, _)| *other == key) {
                self.at = before;
                self.skip_blanks();
                return Err(self.error(format_args!("duplicate key {}; use each key once", key.name())));
            }
            self.sign(':')?;
            next.push((key, self.instruction(depth + 1)?));
            if !self.next_is('}') {
                self.sign(',')?;
            }
        }
        self.sign('}')?;
        Ok(next)
    }

    fn direction(&mut self) -> Result<Direction, BodyError> {
        self.word_of("a direction: FRONT, BACK, LEFT, RIGHT, TOP or BOTTOM", Direction::of_name)
    }

    fn skip_blanks(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn next_is(&mut self, sign: char) -> bool {
        self.skip_blanks();
        self.text[self.at..].starts_with(sign)
    }

    fn sign(&mut self, sign: char) -> Result<(), BodyError> {
        if !self.next_is(sign) {
            return Err(self.expected(format_args!("'{sign}'")));
        }
        self.at += sign.len_utf8();
        Ok(())
    }

    /// Returns the next word of letters, digits and underscores, without consuming it.
    fn word(&mut self) -> &'a str {
        self.skip_blanks();
        let rest = &self.text[self.at..];
        &rest[..rest.find(|c: char| c != '_' && !c.is_ascii_alphanumeric()).unwrap_or(rest.len())]
    }

    fn word_of<T>(&mut self, what: &str, meaning: impl Fn(&str) -> Option<T>) -> Result<T, BodyError> {
        let word = self.word();
        let Some(value) = meaning(word) else { return Err(self.expected(what)) };
        self.at += word.len();
        Ok(value)
    }

    fn number(&mut self, what: &str) -> Result<u32, BodyError> {
        self.word_of(&format!("{what} (an integer below 2^32)"), |word| word.parse().ok())
    }

    fn expected(&self, what: impl std::fmt::Display) -> BodyError {
        let found: String = self.text[self.at..].chars().take(12).collect();
        let found = if found.is_empty() { "the end".to_string() } else { format!("\"{}\"", found.escape_debug()) };
        self.error(format_args!("expected {what}, found {found}"))
    }

    fn error(&self, rule: impl std::fmt::Display) -> BodyError {
        let before = &self.text[..self.at];
        let line = 1 + before.matches('\n').count();
        let column = 1 + before.chars().rev().take_while(|c| *c != '\n').count();
        BodyError::at(line as u32, column as u32, rule)
    }
}
