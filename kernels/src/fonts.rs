//! Fonts of drawings. All fonts in a list have the same metrics, so a text has the same size with each of them.
//! Debian's package `fonts-liberation` provides the first font. Other systems provide the other fonts.

/// List of sans-serif fonts.
pub const SANS: &str = "'Liberation Sans', Arimo, Arial, Helvetica, sans-serif";
/// List of monospaced fonts, in which all characters are 0.6 em wide.
pub const MONO: &str = "'Liberation Mono', Cousine, 'Courier New', monospace";

/// Replaces `sans-serif` and `monospace` in a style sheet by [`SANS`] and [`MONO`].
pub fn with_fonts(style: &str) -> String {
    style.replace("sans-serif", SANS).replace("monospace", MONO)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_families_are_named_once() {
        let style = with_fonts("a { font: 13px sans-serif } b { font: 12px monospace }");
        assert_eq!(style, format!("a {{ font: 13px {SANS} }} b {{ font: 12px {MONO} }}"));
    }
}
