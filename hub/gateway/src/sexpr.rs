//! S-expressions, which are words or lists. A list contains words and lists in parentheses. A message is one or more
//! lists, with or without spaces between them.

use thiserror::Error;

/// Maximum nesting depth of lists. Scenes of real servers have up to 12 levels.
pub const DEEPEST: usize = 64;

/// Error of a text that does not consist of S-expressions.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SyntaxError {
    /// The bytes are not valid UTF-8.
    #[error("byte {0} is not valid UTF-8")]
    Text(usize),
    /// A list has no closing parenthesis.
    #[error("the list that begins at byte {0} is not closed")]
    Open(usize),
    /// A closing parenthesis has no matching opening parenthesis.
    #[error("unmatched `)` at byte {0}")]
    Closed(usize),
    /// Lists are nested too deeply.
    #[error("lists are nested more than {DEEPEST} levels deep at byte {0}")]
    Deep(usize),
    /// A word is outside all lists.
    #[error("the word at byte {0} is not in a list")]
    Word(usize),
    /// The message is too long for 32-bit positions (4 GiB or more).
    #[error("the message is larger than 4 GiB")]
    Long,
}

/// Word or list, by its position in a message.
#[derive(Clone, Copy, Debug)]
struct Token {
    /// Offset of the start in the text (bytes).
    start: u32,
    /// Offset of the end of a word (bytes), always greater than `start`. For a list, this is equal to `start`.
    end: u32,
    /// Index of the next token. For a list, this is the token after all its contents.
    next: u32,
}

/// Expressions of a message. All tokens are in one buffer, in the order of the text. Parsing needs no other memory.
#[derive(Clone, Debug, Default)]
pub struct Expressions<'a> {
    text: &'a str,
    tokens: Vec<Token>,
}

/// Word or list of a message.
#[derive(Clone, Copy, Debug)]
pub struct Expression<'e> {
    text: &'e str,
    tokens: &'e [Token],
    at: usize,
}

/// Parses a message. NUL bytes at the end of the message are ignored, because real servers and clients send them.
///
/// # Errors
/// The message does not consist of lists, or is too long. The first error is returned.
pub fn parse(message: &[u8]) -> Result<Expressions<'_>, SyntaxError> {
    let end = message.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let text = std::str::from_utf8(&message[..end]).map_err(|error| SyntaxError::Text(error.valid_up_to()))?;
    if u32::try_from(text.len()).is_err() {
        return Err(SyntaxError::Long);
    }
    // In scenes of real servers, a token has four bytes on average.
    let mut tokens: Vec<Token> = Vec::with_capacity(text.len() / 4 + 1);
    let mut open = [0_u32; DEEPEST];
    let mut depth = 0;
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'(' => {
                let place = open.get_mut(depth).ok_or(SyntaxError::Deep(at))?;
                *place = tokens.len() as u32;
                depth += 1;
                tokens.push(Token { start: at as u32, end: at as u32, next: 0 });
                at += 1;
            }
            b')' => {
                depth = depth.checked_sub(1).ok_or(SyntaxError::Closed(at))?;
                let next = tokens.len() as u32;
                tokens[open[depth] as usize].next = next;
                at += 1;
            }
            b' ' | b'\t' | b'\r' | b'\n' => at += 1,
            _ if depth == 0 => return Err(SyntaxError::Word(at)),
            _ => {
                let length =
                    bytes[at..].iter().position(|byte| matches!(byte, b'(' | b')' | b' ' | b'\t' | b'\r' | b'\n'));
                let end = length.map_or(bytes.len(), |length| at + length);
                let next = tokens.len() as u32 + 1;
                tokens.push(Token { start: at as u32, end: end as u32, next });
                at = end;
            }
        }
    }
    match depth.checked_sub(1) {
        Some(depth) => Err(SyntaxError::Open(tokens[open[depth] as usize].start as usize)),
        None => Ok(Expressions { text, tokens }),
    }
}

impl Expressions<'_> {
    /// Returns the top-level expressions of the message.
    pub fn iter(&self) -> Items<'_> {
        Items { text: self.text, tokens: &self.tokens, at: 0, end: self.tokens.len() }
    }
}

impl<'e> Expression<'e> {
    /// Returns the text of a word; `None` for a list.
    pub fn word(&self) -> Option<&'e str> {
        let Token { start, end, .. } = self.tokens[self.at];
        (start != end).then(|| &self.text[start as usize..end as usize])
    }

    /// Returns the items of a list; empty for a word.
    pub fn items(&self) -> Items<'e> {
        let end = self.tokens[self.at].next as usize;
        Items { text: self.text, tokens: self.tokens, at: self.at + 1, end }
    }

    /// Returns the name of a list: its first item, if this item is a word.
    pub fn name(&self) -> Option<&'e str> {
        self.items().next()?.word()
    }

    /// Returns the items after the list's name.
    pub fn values(&self) -> Items<'e> {
        let mut items = self.items();
        items.next();
        items
    }

    /// Returns the value of a word that is a number, such as `nan` or `-0`; `None` for other expressions.
    pub fn number(&self) -> Option<f64> {
        self.word()?.parse().ok()
    }

    /// Returns the numbers after the list's name; `None` unless there are exactly `N` numbers.
    pub fn numbers<const N: usize>(&self) -> Option<[f64; N]> {
        let mut numbers = [0.0; N];
        let mut values = self.values();
        for number in &mut numbers {
            *number = values.next()?.number()?;
        }
        values.next().is_none().then_some(numbers)
    }

    /// Returns whether two expressions are equal words, or lists with equal items. Numbers are compared by value.
    pub fn same(&self, other: &Expression<'_>) -> bool {
        match (self.word(), other.word()) {
            (Some(one), Some(two)) => {
                let equal = |(a, b): (f64, f64)| a == b || (a.is_nan() && b.is_nan());
                one == two || self.number().zip(other.number()).is_some_and(equal)
            }
            (None, None) => {
                let (mut one, mut two) = (self.items(), other.items());
                loop {
                    match (one.next(), two.next()) {
                        (None, None) => return true,
                        (Some(one), Some(two)) if one.same(&two) => {}
                        _ => return false,
                    }
                }
            }
            _ => false,
        }
    }
}

/// Iterator over consecutive expressions of a message or list.
#[derive(Clone, Debug)]
pub struct Items<'e> {
    text: &'e str,
    tokens: &'e [Token],
    at: usize,
    end: usize,
}

impl<'e> Iterator for Items<'e> {
    type Item = Expression<'e>;

    fn next(&mut self) -> Option<Expression<'e>> {
        if self.at >= self.end {
            return None;
        }
        let at = self.at;
        self.at = self.tokens[at].next as usize;
        Some(Expression { text: self.text, tokens: self.tokens, at })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(expression: Expression<'_>) -> String {
        match expression.word() {
            Some(word) => word.into(),
            None => format!("({})", expression.items().map(show).collect::<Vec<_>>().join(" ")),
        }
    }

    fn shown(text: &str) -> Result<Vec<String>, SyntaxError> {
        parse(text.as_bytes()).map(|all| all.iter().map(show).collect())
    }

    #[test]
    fn lists_side_by_side_need_no_spaces() {
        let text = "((time 0))(RDS 0 1)((nd(nd))(nd  TRF\n(SLT 1 -0)))\0\0";
        assert_eq!(shown(text).unwrap(), ["((time 0))", "(RDS 0 1)", "((nd (nd)) (nd TRF (SLT 1 -0)))"]);
        assert_eq!(shown("() (()) (a ())").unwrap(), ["()", "(())", "(a ())"]);
        assert_eq!(shown("").unwrap(), [""; 0]);
    }

    #[test]
    fn syntax_errors_are_reported_with_position() {
        assert_eq!(shown("(a (b)"), Err(SyntaxError::Open(0)));
        assert_eq!(shown("(a))"), Err(SyntaxError::Closed(3)));
        assert_eq!(shown("(a) b"), Err(SyntaxError::Word(4)));
        assert_eq!(shown(&"(".repeat(1_000_000)), Err(SyntaxError::Deep(DEEPEST)));
        assert_eq!(parse(b"(a \xff)").err(), Some(SyntaxError::Text(3)));
    }

    #[test]
    fn numbers_are_what_real_servers_send() {
        let all = parse(b"(pos 1 -0 -8.74228e-08)(a nan)(a 1 b)").unwrap();
        let [pos, nan, word] = all.iter().collect::<Vec<_>>()[..] else { panic!("three") };
        assert_eq!(pos.numbers(), Some([1.0, 0.0, -8.74228e-8]));
        assert_eq!((pos.numbers::<2>(), pos.numbers::<4>(), word.numbers::<2>()), (None, None, None));
        assert!(nan.numbers::<1>().unwrap()[0].is_nan() && nan.same(&nan) && !nan.same(&pos));
        let same = parse(b"(pos 1.0 0 -8.74228e-8)").unwrap();
        assert!(same.iter().next().unwrap().same(&pos));
    }
}
