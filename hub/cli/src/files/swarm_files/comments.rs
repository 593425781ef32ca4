//! Adds comments to TOML text that was generated from values.

/// Adds comments, each with one or more lines. `head` is placed at the top. Each note is a key or table, such as
/// `hub.robots` or `[hub]`, and the comment to place before it. Notes for missing keys are ignored.
pub fn commented(text: &str, head: &str, notes: &[(&str, &str)]) -> String {
    let comment = |note: &str| -> String { note.lines().map(|line| format!("# {line}\n")).collect() };
    let note =
        |place: &str| notes.iter().find(|(name, _)| *name == place).map_or(String::new(), |(_, note)| comment(note));
    let mut out = comment(head) + "\n";
    let mut table = String::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            table = format!("{name}.");
            out += &note(line);
        } else if let Some((key, _)) = line.split_once(" = ") {
            out += &note(&format!("{table}{key}"));
        }
        out += &format!("{line}\n");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_precede_their_keys_and_change_no_value() {
        let text = "a = 1\n\n[hub]\na = 2\nb = \"x = y\"\n";
        let notes = [("a", "the first\nof two"), ("hub.a", "the second"), ("[hub]", "where"), ("hub.c", "nobody")];
        let done = commented(text, "a file", &notes);
        assert_eq!(
            done,
            "# a file\n\n# the first\n# of two\na = 1\n\n# where\n[hub]\n# the second\na = 2\nb = \"x = y\"\n"
        );
        let values = |text: &str| text.parse::<toml::Table>().unwrap();
        assert_eq!(values(&done), values(text));
    }
}
