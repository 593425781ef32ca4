//! Letters of drawings. Each list names faces that were made with the same widths, so that a text takes the same room
//! wherever one of them is installed: Debian's `fonts-liberation` brings the first, other systems have the others.

/// Without serifs.
pub const SANS: &str = "'Liberation Sans', Arimo, Arial, Helvetica, sans-serif";
/// All letters 0.6 em wide.
pub const MONO: &str = "'Liberation Mono', Cousine, 'Courier New', monospace";

/// A style in which `sans-serif` and `monospace` alone are these lists.
pub fn set(style: &str) -> String {
    style.replace("sans-serif", SANS).replace("monospace", MONO)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_families_are_named_once() {
        let style = set("a { font: 13px sans-serif } b { font: 12px monospace }");
        assert_eq!(style, format!("a {{ font: 13px {SANS} }} b {{ font: 12px {MONO} }}"));
    }
}
