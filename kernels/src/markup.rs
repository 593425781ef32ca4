//! Escaping of text for XML, SVG and HTML.

/// Escapes markup characters. Control characters except line feeds and tabs become U+FFFD, because XML forbids most
/// of them.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c if c.is_control() && !matches!(c, '\n' | '\t') => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_and_control_characters_cannot_end_a_text() {
        assert_eq!(escape("a < b & \"c\" > d\n\t\u{1b}[m"), "a &lt; b &amp; &quot;c&quot; &gt; d\n\t\u{fffd}[m");
    }
}
