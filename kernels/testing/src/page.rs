//! Pages of the documentation that are written from the code.

use std::path::Path;
use syn::{Attribute, Expr, Lit, Meta};

/// Compares a page, by its place in the repository, with what the code says; `XPUCK_RENEW` in the environment has it written.
/// `renew` is the command that does so.
///
/// # Panics
/// The file is another.
pub fn is_the_code(place: &str, page: &str, renew: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(place);
    if std::env::var_os("XPUCK_RENEW").is_some() {
        std::fs::write(&file, page).expect("the page can be written");
    }
    let found = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(found == page, "{place} is not what the code says; `XPUCK_RENEW=1 {renew}` renews it");
}

/// A documentation comment as one line of a table in Markdown, without links into the code.
pub fn words(attributes: &[Attribute]) -> String {
    let mut text = String::new();
    for attribute in attributes {
        let Meta::NameValue(pair) = &attribute.meta else { continue };
        if let (true, Expr::Lit(literal)) = (pair.path.is_ident("doc"), &pair.value)
            && let Lit::Str(line) = &literal.lit
        {
            text += &line.value();
        }
    }
    text.trim().replace("[`", "`").replace("`]", "`").replace('|', "\\|")
}
