//! Tokens of formulas, and errors with their column.

/// Maximum size of a number.
pub(crate) const MAX_NUMBER: f32 = 1e9;

/// Error of a formula.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {message}")]
pub struct FormulaError {
    /// Position in the formula (characters), from 1.
    pub column: usize,
    /// Cause and remedy.
    pub message: String,
}

/// Result of a step of the parser.
pub(super) type Parsed<T> = Result<T, FormulaError>;

/// Returns an error at a column (from 1).
pub(super) fn error<T>(column: usize, message: impl Into<String>) -> Parsed<T> {
    Err(FormulaError { column, message: message.into() })
}

/// Token of a formula.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Number(f32),
    Name(String),
    Sign(&'static str),
    End,
}

impl Token {
    pub fn text(&self) -> String {
        match self {
            Token::Number(number) => number.to_string(),
            Token::Name(name) => name.clone(),
            Token::Sign(sign) => (*sign).into(),
            Token::End => "the end".into(),
        }
    }
}

/// Splits a formula into tokens, each with its column (from 1).
pub(super) fn tokens(text: &str) -> Parsed<Vec<(usize, Token)>> {
    const SIGNS: [&str; 16] = ["<=", ">=", "==", "!=", "<", ">", "+", "-", "*", "/", "(", ")", ",", "and", "or", "not"];
    let characters: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < characters.len() {
        let (column, first) = (at + 1, characters[at]);
        let run = |test: fn(&char) -> bool| characters[at..].iter().take_while(|c| test(c)).count();
        if first.is_whitespace() {
            at += 1;
            continue;
        }
        let token = if first.is_ascii_digit() || first == '.' {
            let length = run(|c| c.is_ascii_digit() || *c == '.');
            let word: String = characters[at..at + length].iter().collect();
            at += length;
            if characters.get(at).is_some_and(|c| matches!(c, 'e' | 'E')) {
                return error(column, "write the number without an exponent, such as 100000 for 1e5");
            }
            match word.parse::<f32>() {
                Ok(number) if number > MAX_NUMBER => {
                    return error(column, format!("{word} is too large; numbers are at most {MAX_NUMBER}"));
                }
                Ok(number) => Token::Number(number),
                Err(_) => return error(column, format!("{word} is not a number")),
            }
        } else if first.is_alphabetic() {
            // A hyphen belongs to a name if a letter follows it directly, as in `spot-a`.
            let mut length = 0;
            while let Some(c) = characters.get(at + length) {
                let hyphen = *c == '-' && characters.get(at + length + 1).is_some_and(|next| next.is_alphanumeric());
                if !(c.is_alphanumeric() || *c == '_' || hyphen) {
                    break;
                }
                length += 1;
            }
            let word: String = characters[at..at + length].iter().collect();
            at += length;
            SIGNS.iter().find(|sign| **sign == word).map_or(Token::Name(word), |sign| Token::Sign(sign))
        } else {
            let rest: String = characters[at..characters.len().min(at + 2)].iter().collect();
            let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) else {
                let signs = "the operators are + - * / < <= > >= == != and, or, not";
                return error(column, format!("{first} is not part of the language; {signs}"));
            };
            at += sign.len();
            Token::Sign(sign)
        };
        found.push((column, token));
    }
    found.push((characters.len() + 1, Token::End));
    Ok(found)
}
