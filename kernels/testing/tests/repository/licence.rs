//! Parses SPDX licence expressions of crates, to decide whether a list of licences satisfies an expression.

/// Parser of a licence expression.
struct Reader<'a> {
    words: Vec<&'a str>,
    at: usize,
    allowed: &'a [&'a str],
}

/// Returns whether the licences of `allowed` satisfy `expression`. `/` is an old form of `OR`. Returns an error if the
/// syntax of `expression` is invalid.
pub fn satisfied(expression: &str, allowed: &[&str]) -> Result<bool, String> {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let mut reader = Reader { words: spaced.split_whitespace().collect(), at: 0, allowed };
    let result = reader.any()?;
    match reader.next() {
        None => Ok(result),
        Some(word) => Err(format!("{expression:?}: {word:?} is not expected")),
    }
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<&'a str> {
        self.at += 1;
        self.words.get(self.at - 1).copied()
    }

    fn takes(&mut self, word: &str) -> bool {
        let found = self.words.get(self.at) == Some(&word);
        self.at += usize::from(found);
        found
    }

    fn any(&mut self) -> Result<bool, String> {
        let mut result = self.all()?;
        while self.takes("OR") {
            result |= self.all()?;
        }
        Ok(result)
    }

    fn all(&mut self) -> Result<bool, String> {
        let mut result = self.one()?;
        while self.takes("AND") {
            result &= self.one()?;
        }
        Ok(result)
    }

    fn one(&mut self) -> Result<bool, String> {
        let name = match self.next() {
            None | Some(")" | "OR" | "AND" | "WITH") => return Err("a licence is missing".into()),
            Some("(") => {
                let result = self.any()?;
                return if self.takes(")") { Ok(result) } else { Err("`)` is missing".into()) };
            }
            Some(name) => name,
        };
        let full = match self.takes("WITH") {
            true => format!("{name} WITH {}", self.next().ok_or("an exception is missing")?),
            false => name.to_owned(),
        };
        Ok(self.allowed.contains(&full.as_str()))
    }
}

#[test]
fn expressions_are_satisfied_or_not() {
    let allowed = ["MIT", "Unicode-3.0", "Apache-2.0 WITH LLVM-exception"];
    let holds = |expression| satisfied(expression, &allowed).unwrap();
    assert!(holds("MIT") && holds("Apache-2.0 OR MIT") && holds("MIT/Apache-2.0") && holds("GPL-3.0 / MIT"));
    assert!(holds("(MIT OR Apache-2.0) AND Unicode-3.0") && holds("Apache-2.0 WITH LLVM-exception OR GPL-2.0"));
    assert!(!holds("Apache-2.0") && !holds("MIT AND Apache-2.0") && !holds("GPL-3.0 OR Apache-2.0"));
    // AND has precedence over OR.
    assert!(holds("MIT OR GPL-3.0 AND Apache-2.0") && !holds("(MIT OR GPL-3.0) AND Apache-2.0"));
    for wrong in ["", "MIT OR", "(MIT", "MIT)", "MIT Apache-2.0", "Apache-2.0 WITH", "AND MIT"] {
        assert!(satisfied(wrong, &allowed).is_err(), "{wrong:?}");
    }
}
