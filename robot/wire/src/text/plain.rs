//! Escaping of untrusted text for display.

/// Formats untrusted text as one line. Escapes characters that move the cursor, end a line, are invisible or change
/// the writing direction.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c.is_control() || is_invisible_or_bidi(c) {
            true => escaped.extend(c.escape_default()),
            false => escaped.push(c),
        }
    }
    escaped
}

/// Maximum length of a text that [`quote_input`] does not shorten (characters).
const SHOWN: usize = 40;

/// Formats user input for an error message. The input is escaped like [`escape`], and a long input is shortened to its
/// beginning.
pub fn quote_input(text: &str) -> String {
    let begin: String = text.chars().take(SHOWN).collect();
    let rest = text.chars().count() - begin.chars().count();
    match rest {
        0 => escape(&begin),
        _ => format!("{}... ({rest} more characters)", escape(&begin)),
    }
}

/// Returns whether a character has no width or changes the writing direction.
fn is_invisible_or_bidi(c: char) -> bool {
    matches!(
        c,
        '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_shown_truncated() {
        assert_eq!(quote_input("xp01"), "xp01");
        assert_eq!(quote_input(&"ä".repeat(5000)), format!("{}... (4960 more characters)", "ä".repeat(40)));
    }

    #[test]
    fn text_of_others_cannot_move_a_cursor_or_turn_a_line() {
        assert_eq!(escape("xp01 \u{1b}[2Jä\n\u{9b}x\u{202e}"), "xp01 \\u{1b}[2Jä\\n\\u{9b}x\\u{202e}");
        assert_eq!(escape("\u{1b}[31mred"), "\\u{1b}[31mred", "not even a colour");
        assert_eq!(escape("a\u{200b}b\u{61c}"), "a\\u{200b}b\\u{61c}");
    }
}
