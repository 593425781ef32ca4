//! The text of grammars: rules of words and of names of rules. What the words mean is not known here.

/// Most rules, and most alternatives of one.
const MAX_RULES: usize = 256;
/// The rule for whatever may stand in a place.
pub(crate) const ANY: &str = "any";

/// A word in quotes, or the name of a rule.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Symbol {
    Word(String),
    Rule(String),
}

/// A rule as written.
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) line: usize,
    pub(crate) alternatives: Vec<Vec<Symbol>>,
}

/// Reads the rules of a grammar, in their order.
///
/// # Errors
/// The line, what is wrong there and what would be right.
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
                    "`{}` is no new rule's name; write <name>, not <{ANY}>, each once",
                    head.trim()
                )));
            }
            if entries.len() == MAX_RULES {
                return Err(wrong(format!("more than {MAX_RULES} rules")));
            }
            entries.push(Entry { name: name.into(), line: i + 1, alternatives: Vec::new() });
            body
        } else {
            line.strip_prefix('|').ok_or_else(|| wrong("a line begins with `<name> ::=` or goes on with `|`".into()))?
        };
        let entry = entries.last_mut().ok_or_else(|| wrong("there is no rule yet to go on with".into()))?;
        for alternative in symbols(alternatives).map_err(wrong)?.split(|symbol| symbol.is_none()) {
            if entry.alternatives.len() == MAX_RULES {
                return Err(format!("line {}: more than {MAX_RULES} alternatives", i + 1));
            }
            entry.alternatives.push(alternative.iter().flatten().cloned().collect());
        }
    }
    Ok(entries)
}

/// The symbols of a line; `None` for `|`.
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
            _ => return Err(format!("`{first}`: symbols are \"words\", <rules> and |")),
        };
        let end = rest[1..].find(close).ok_or_else(|| format!("`{first}` without `{close}`"))?;
        let name = rest[1..=end].to_string();
        symbols.push(Some(if close == '"' { Symbol::Word(name) } else { Symbol::Rule(name) }));
        rest = &rest[end + 2..];
    }
}
