//! Pages of the documentation that are generated from the code.

use std::path::Path;
use syn::{Attribute, Expr, Lit, Meta};

/// Compares a file of the repository with the text `page`, which is generated from the code. `place` is the path of the
/// file in the repository. If the environment variable `XPUCK_RENEW` is set, `page` is first written to the file.
/// `renew` is the command that runs the calling test. The failure message contains this command.
///
/// # Panics
/// If the file differs from `page`.
pub fn assert_page_is_current(place: &str, page: &str, renew: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(place);
    if std::env::var_os("XPUCK_RENEW").is_some() {
        std::fs::write(&file, page).expect("the page can be written");
    }
    let found = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(found == page, "{place} differs from the code; run `XPUCK_RENEW=1 {renew}`");
}

/// Converts a doc comment to the text of one cell of a Markdown table, without links to the code.
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
