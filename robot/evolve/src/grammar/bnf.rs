//! Parser for the text of grammars: rules that consist of words and rule names. The parser does not interpret the
//! words.

/// Maximum number of rules, and maximum number of alternatives of one rule.
const MAX_RULES: usize = 256;
/// Reserved rule name, which represents any operand value that the primitive set allows.
pub(crate) const ANY: &str = "any";

/// Symbol of an alternative: a quoted word, or the name of a rule.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Symbol {
    Word(String),
    Rule(String),
}

/// Rule of a grammar before its words are interpreted.
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) line: usize,
    pub(crate) alternatives: Vec<Vec<Symbol>>,
}

/// Parses the rules of a grammar, in the order of the text.
///
/// # Errors
/// Returns a text with the line, the fault and the correction.
pub(crate) fn entries(text: &str) -> Result<Vec<Entry>, String> {
    let mut entries: Vec<Entry> = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let wrong = |message: String| format!("line {}: {message}", i + 1);
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let alternatives = if let Some((head, body)) = line.split_once("::=") {
            let name = head.trim().strip_prefix('<').and_then(|h| h.strip_suffix('>')).unwrap_or("");
            if name.is_empty() || name == ANY || entries.iter().any(|e| e.name == name) {
                return Err(wrong(format!(
                    "`{}` is not a valid name of a new rule; write <name>, do not use <{ANY}>, and define each rule only once",
                    head.trim()
                )));
            }
            if entries.len() == MAX_RULES {
                return Err(wrong(format!("the grammar has more than {MAX_RULES} rules")));
            }
            entries.push(Entry { name: name.into(), line: i + 1, alternatives: Vec::new() });
            body
        } else {
            line.strip_prefix('|').ok_or_else(|| wrong("a line must begin with `<name> ::=` or `|`".into()))?
        };
        let entry = entries.last_mut().ok_or_else(|| wrong("`|` must follow a rule".into()))?;
        for alternative in symbols(alternatives).map_err(wrong)?.split(|symbol| symbol.is_none()) {
            if entry.alternatives.len() == MAX_RULES {
                return Err(format!("line {}: the rule has more than {MAX_RULES} alternatives", i + 1));
            }
            entry.alternatives.push(alternative.iter().flatten().cloned().collect());
        }
    }
    Ok(entries)
}

/// Parses the symbols of a line. `None` in the list represents the separator `|`.
fn symbols(mut rest: &str) -> Result<Vec<Option<Symbol>>, String> {
    let mut symbols = Vec::new();
    loop {
        rest = rest.trim_start();
        let Some(first) = rest.chars().next().filter(|c| *c != '#') else { return Ok(symbols) };
        let close = match first {
            '|' => {
                symbols.push(None);
                rest = &rest[1..];
                continue;
            }
            '"' => '"',
            '<' => '>',
            _ => return Err(format!("`{first}` is invalid here; use \"words\", <rules> and |")),
        };
        let end = rest[1..].find(close).ok_or_else(|| format!("`{first}` has no closing `{close}`"))?;
        let name = rest[1..=end].to_string();
        symbols.push(Some(if close == '"' { Symbol::Word(name) } else { Symbol::Rule(name) }));
        rest = &rest[end + 2..];
    }
}
