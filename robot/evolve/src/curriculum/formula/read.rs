//! Parser for the two forms of a formula.

use super::{NAMES, Operator, Term};
use xpuck_kernels::tree::suggest;

/// Maximum length of a formula (bytes).
const MAX_TEXT: usize = 4096;
/// Maximum nesting depth.
const MAX_DEPTH: usize = 64;

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Operator(Operator),
    Term(Term),
    Open,
    Close,
}

pub(super) fn formula(text: &str) -> Result<Term, String> {
    let first = text.trim_start_matches([' ', '\t', '\n', '(', ')']);
    let prefix = first.starts_with(['&', '|', '^', '=', '<', '>', '[', ']', '!', '+', '*', '/'])
        || (first.starts_with('-') && !first[1..].starts_with(|c: char| c.is_ascii_digit()));
    let mut tokens = tokens(text)?;
    if prefix {
        tokens.retain(|token| !matches!(token, Token::Open | Token::Close));
    }
    let mut reader = Reader { tokens: &tokens };
    let term = if prefix { reader.prefix(0)? } else { reader.infix(0, 0)? };
    match reader.tokens.first() {
        None => Ok(term),
        Some(Token::Close) => Err("a closing bracket has no opening bracket; remove the bracket".into()),
        Some(_) => Err("unexpected text after the end of the formula; join the parts with `and` or `or`".into()),
    }
}

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    if text.len() > MAX_TEXT {
        return Err(format!("the formula has {} bytes; at most {MAX_TEXT} are allowed", text.len()));
    }
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (length, token) = if first.is_ascii_alphabetic() {
            let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_').unwrap_or(rest.len());
            (length, word(&rest[..length])?)
        } else if first.is_ascii_digit() || negative_number(first, rest, tokens.last()) {
            let end = number_end(rest);
            let number: f64 = rest[..end].parse().map_err(|_| format!("{:?} is not a number", &rest[..end]))?;
            (end, Token::Term(Term::Number(number)))
        } else {
            symbol(rest, first)?
        };
        tokens.push(token);
        rest = rest[length..].trim_start();
    }
    if tokens.is_empty() {
        Err("the formula is empty; write a condition such as `best-fitness >= 295000`".into())
    } else {
        Ok(tokens)
    }
}

/// Returns the length of the number at the beginning of a text (bytes). A sign belongs to the number only at the
/// beginning and after `e`.
fn number_end(text: &str) -> usize {
    let part =
        |before: u8, c: u8| c.is_ascii_digit() || b".eE".contains(&c) || b"eE".contains(&before) && b"+-".contains(&c);
    let pairs = text.as_bytes().iter().zip(&text.as_bytes()[1..]);
    pairs.take_while(|&(&before, &c)| part(before, c)).count() + 1
}

/// Returns whether `first` is a minus sign that begins a number. After a term or a closing bracket, a minus sign is an
/// operator.
fn negative_number(first: char, rest: &str, before: Option<&Token>) -> bool {
    first == '-'
        && rest[1..].starts_with(|c: char| c.is_ascii_digit())
        && !matches!(before, Some(Token::Term(_) | Token::Close))
}

fn word(word: &str) -> Result<Token, String> {
    match word {
        "and" => Ok(Token::Operator(Operator::And)),
        "or" => Ok(Token::Operator(Operator::Or)),
        "xor" => Ok(Token::Operator(Operator::Xor)),
        _ => match NAMES.iter().position(|&name| name == word) {
            Some(i) => Ok(Token::Term(Term::Variable(i))),
            None => match suggest(word, NAMES.iter().map(|&name| name.into())).as_str() {
                "" => Err(format!("unknown variable {word:?}; variables are {}", NAMES.join(", "))),
                near => Err(format!("{word:?} is not a variable{near}")),
            },
        },
    }
}

fn symbol(rest: &str, first: char) -> Result<(usize, Token), String> {
    use Operator::*;
    for (text, operator) in [
        ("<=", AtMost),
        (">=", AtLeast),
        ("!=", Unequal),
        ("==", Equal),
        ("&&", And),
        ("||", Or),
        ("&", And),
        ("|", Or),
        ("^", Xor),
        ("=", Equal),
        ("!", Unequal),
        ("<", Less),
        (">", Greater),
        ("[", AtMost),
        ("]", AtLeast),
        ("+", Add),
        ("-", Subtract),
        ("*", Multiply),
        ("/", Divide),
    ] {
        if rest.starts_with(text) {
            return Ok((text.len(), Token::Operator(operator)));
        }
    }
    match first {
        '(' => Ok((1, Token::Open)),
        ')' => Ok((1, Token::Close)),
        _ => Err(format!("{first:?} is invalid here; use numbers, variables, and, or, <, >=, +")),
    }
}

struct Reader<'a> {
    tokens: &'a [Token],
}

impl Reader<'_> {
    fn next(&mut self) -> Result<&Token, String> {
        let (first, rest) = self.tokens.split_first().ok_or("it ends where a number or variable is expected")?;
        self.tokens = rest;
        Ok(first)
    }

    fn deeper(depth: usize) -> Result<usize, String> {
        if depth < MAX_DEPTH { Ok(depth + 1) } else { Err(format!("parts are nested deeper than {MAX_DEPTH} levels")) }
    }

    fn prefix(&mut self, depth: usize) -> Result<Term, String> {
        let depth = Self::deeper(depth)?;
        match self.next()?.clone() {
            Token::Operator(operator) => {
                let terms = [self.prefix(depth)?, self.prefix(depth)?];
                Ok(Term::Apply(operator, Box::new(terms)))
            }
            Token::Term(term) => Ok(term),
            Token::Open | Token::Close => Err("expected a number or variable, found a bracket".into()),
        }
    }

    /// Reads a term in infix form, up to the first operator whose precedence is below `least`.
    fn infix(&mut self, least: u8, depth: usize) -> Result<Term, String> {
        let depth = Self::deeper(depth)?;
        let mut left = match self.next()?.clone() {
            Token::Term(term) => term,
            Token::Open => {
                let inner = self.infix(0, depth)?;
                match self.tokens.split_first() {
                    Some((Token::Close, rest)) => self.tokens = rest,
                    _ => return Err("a bracket is not closed; write `)`".into()),
                }
                inner
            }
            _ => return Err("expected a number or variable, found an operator".into()),
        };
        while let Some(Token::Operator(operator)) = self.tokens.first() {
            let (operator, binding) = (*operator, binding(*operator));
            if binding < least {
                break;
            }
            self.tokens = &self.tokens[1..];
            let right = self.infix(binding + 1, depth)?;
            left = Term::Apply(operator, Box::new([left, right]));
        }
        Ok(left)
    }
}

fn binding(operator: Operator) -> u8 {
    use Operator::*;
    match operator {
        Or => 0,
        Xor => 1,
        And => 2,
        Equal | Unequal | Less | Greater | AtMost | AtLeast => 3,
        Add | Subtract => 4,
        Multiply | Divide => 5,
    }
}
