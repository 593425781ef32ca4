//! Report of body names that match neither a robot nor the frisbee, with the most probable correction.

use super::Frame;

/// Maximum number of names in each list of a message.
const SHOWN: usize = 8;

/// Time for which a mismatch must last before it is reported (s). A server may announce its bodies one by one.
const SETTLE: f64 = 2.0;

/// Comparison of the body names in frames with the names of the swarm's robots and the frisbee. It is repeated
/// whenever the names change.
#[derive(Clone, Debug, Default)]
pub struct NamesWatch {
    names: Vec<String>,
    robots: usize,
    mismatch: String,
    /// Time of the last change of `mismatch` (s).
    since: f64,
    reported: String,
}

impl NamesWatch {
    /// Compares the names in a frame that arrived at `now` (s).
    pub fn see(&mut self, now: f64, frame: &Frame, robots: &[String], frisbee: &str) {
        let names = || frame.bodies.iter().map(|body| body.name.as_str());
        if self.robots == robots.len() && names().eq(self.names.iter().map(String::as_str)) {
            return;
        }
        self.names = names().map(String::from).collect();
        self.robots = robots.len();
        let mismatch = mismatch(&names().collect::<Vec<_>>(), robots, frisbee).unwrap_or_default();
        if mismatch != self.mismatch {
            (self.mismatch, self.since) = (mismatch, now);
        }
    }

    /// Returns a description of the current mismatch, or an empty string if there is none.
    pub fn mismatch(&self) -> &str {
        &self.mismatch
    }

    /// Returns a description of the mismatch if it has lasted for 2 s and differs from the last report.
    pub fn report(&mut self, now: f64) -> Option<String> {
        if self.mismatch.is_empty() || now - self.since < SETTLE || self.mismatch == self.reported {
            return None;
        }
        self.reported.clone_from(&self.mismatch);
        Some(self.reported.clone())
    }
}

/// Describes a mismatch: body names that match nothing, robots or a frisbee without a body, and the most probable
/// correction. Returns `None` if every robot and the frisbee have a body, or if all body names match.
fn mismatch(names: &[&str], robots: &[String], frisbee: &str) -> Option<String> {
    let is_disc = |name: &str| name == frisbee || name.strip_prefix("disc").is_some_and(|n| n.parse::<u32>().is_ok());
    let left: Vec<&str> =
        names.iter().copied().filter(|name| !is_disc(name) && !robots.iter().any(|robot| robot == name)).collect();
    let missing: Vec<&str> = robots.iter().map(String::as_str).filter(|robot| !names.contains(robot)).collect();
    let frisbee_missing = !frisbee.is_empty() && !names.contains(&frisbee);
    if left.is_empty() || (missing.is_empty() && !frisbee_missing) {
        return None;
    }
    let list = |names: &[&str]| {
        let more = names.len().saturating_sub(SHOWN);
        let shown = names[..names.len().min(SHOWN)].join(", ");
        if more > 0 { format!("{shown} and {more} more") } else { shown }
    };
    let verb = if left.len() == 1 { "matches" } else { "match" };
    let mut text = format!("motion capture sends {}, which {verb} neither a robot nor the frisbee", list(&left));
    let absent: Vec<&str> = missing.iter().copied().chain(frisbee_missing.then_some(frisbee)).collect();
    text += &format!("; no body for {}", list(&absent));
    let pair = missing.iter().find_map(|robot| nearest(robot, &left).map(|name| (*robot, name)));
    match pair {
        Some((robot, name)) => text += &format!("; if {name} is {robot}, set [mocap.subjects] {robot} = \"{name}\""),
        None if frisbee_missing && missing.is_empty() => {
            if let Some(name) = nearest(frisbee, &left) {
                text += &format!("; if {name} is the frisbee, set mocap.frisbee = \"{name}\"");
            }
        }
        None => {}
    }
    Some(text)
}

/// Returns the name that differs from `wanted` only in case or separators. Without such a name, returns the name with
/// the same number, if exactly one name has this number. Otherwise returns `None`.
fn nearest<'a>(wanted: &str, names: &[&'a str]) -> Option<&'a str> {
    let plain = |name: &str| name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
    let number = |name: &str| {
        let digits: String = name.chars().filter(char::is_ascii_digit).collect();
        digits.parse::<u32>().ok()
    };
    let same = names.iter().find(|name| plain(name) == plain(wanted));
    let numbered = || {
        let mut found = names.iter().filter(|name| number(wanted).is_some() && number(name) == number(wanted));
        found.next().filter(|_| found.next().is_none())
    };
    same.or_else(numbered).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn robots() -> Vec<String> {
        ["xp01", "xp02", "xp03"].map(String::from).to_vec()
    }

    #[test]
    fn matching_names_are_not_reported() {
        assert_eq!(mismatch(&["xp01", "xp02", "xp03", "frisbee", "chair"], &robots(), "frisbee"), None);
        assert_eq!(mismatch(&["xp01"], &robots(), "frisbee"), None, "hidden bodies are no mismatch");
        assert_eq!(mismatch(&[], &robots(), "frisbee"), None);
    }

    #[test]
    fn names_that_differ_are_listed_with_the_likeliest_match() {
        let text = mismatch(&["XP01", "Xp02", "xpuck-3", "Frisbee"], &robots(), "frisbee").unwrap();
        assert!(
            text.starts_with("motion capture sends XP01, Xp02, xpuck-3, Frisbee, which match neither a robot"),
            "{text}"
        );
        assert!(text.contains("no body for xp01, xp02, xp03, frisbee"), "{text}");
        assert!(text.ends_with("if XP01 is xp01, set [mocap.subjects] xp01 = \"XP01\""), "{text}");
        let text = mismatch(&["xp01", "xp02", "xpuck-3", "frisbee"], &robots(), "frisbee").unwrap();
        assert!(text.ends_with("[mocap.subjects] xp03 = \"xpuck-3\""), "{text}");
        let text = mismatch(&["xp01", "xp02", "xp03", "Frisbee"], &robots(), "frisbee").unwrap();
        assert!(text.ends_with("mocap.frisbee = \"Frisbee\""), "{text}");
    }

    #[test]
    fn many_names_are_counted() {
        let names: Vec<String> = (0..50).map(|n| format!("marker{n}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let text = mismatch(&names, &robots(), "frisbee").unwrap();
        assert!(text.contains("and 42 more") && text.len() < 400, "{text}");
    }
}
