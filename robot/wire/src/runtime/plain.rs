//! Escaping of untrusted text for display.

/// Formats untrusted text as one line: characters that move the cursor, end a line, are invisible or change the
/// writing direction are escaped.
pub fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c.is_control() || misleads(c) {
            true => plain.extend(c.escape_default()),
            false => plain.push(c),
        }
    }
    plain
}

/// Maximum length of a text that [`shown`] does not shorten (characters).
const SHOWN: usize = 40;

/// Formats user input for an error message: escaped as by [`plain`], and shortened to its beginning if it is long.
pub fn shown(text: &str) -> String {
    let begin: String = text.chars().take(SHOWN).collect();
    let rest = text.chars().count() - begin.chars().count();
    match rest {
        0 => plain(&begin),
        _ => format!("{}... ({rest} more)", plain(&begin)),
    }
}

/// Whether a character has no width or changes the writing direction.
fn misleads(c: char) -> bool {
    matches!(
        c,
        '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_long_text_the_beginning_is_shown() {
        assert_eq!(shown("xp01"), "xp01");
        assert_eq!(shown(&"ä".repeat(5000)), format!("{}... (4960 more)", "ä".repeat(40)));
    }

    #[test]
    fn text_of_others_cannot_move_a_cursor_or_turn_a_line() {
        assert_eq!(plain("xp01 \u{1b}[2Jä\n\u{9b}x\u{202e}"), "xp01 \\u{1b}[2Jä\\n\\u{9b}x\\u{202e}");
        assert_eq!(plain("\u{1b}[31mred"), "\\u{1b}[31mred", "not even a colour");
        assert_eq!(plain("a\u{200b}b\u{61c}"), "a\\u{200b}b\\u{61c}");
    }
}
