//! Text formats of the metrics: OpenMetrics, and the older text format of Prometheus, which `promtool` checks. The
//! older format has neither unit lines nor a last line `# EOF`. Its descriptions of counters contain the suffix
//! `_total`.

use std::collections::HashSet;

/// Media type in an Accept header that requests OpenMetrics.
const OPEN: &str = "application/openmetrics-text";
/// Suffix that follows the name of a counter in the names of its samples.
const TOTAL: &str = "_total";

/// Text format of metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// OpenMetrics 1.0.
    Open,
    /// Prometheus 0.0.4.
    Text,
}

impl Form {
    /// Returns the format requested by an Accept header. This is the older format, unless the header accepts
    /// OpenMetrics.
    pub fn asked_for(accept: &str) -> Form {
        let refused = |mut parameters: std::str::Split<'_, char>| {
            parameters.any(|p| p.trim().strip_prefix("q=").is_some_and(|q| q.parse() == Ok(0.0)))
        };
        let names = |range: &str| {
            let mut words = range.split(';');
            words.next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case(OPEN)) && !refused(words)
        };
        if accept.split(',').any(names) { Form::Open } else { Form::Text }
    }

    /// Returns the value of the Content-Type header.
    pub fn content_type(self) -> &'static str {
        match self {
            Form::Open => "application/openmetrics-text; version=1.0.0; charset=utf-8",
            Form::Text => "text/plain; version=0.0.4; charset=utf-8",
        }
    }

    /// Converts a text in OpenMetrics format to this format.
    pub fn convert(self, open: String) -> String {
        match self {
            Form::Open => open,
            Form::Text => text(&open),
        }
    }
}

/// Converts OpenMetrics lines to the older format, in which the description of a counter contains the suffix
/// [`TOTAL`].
fn text(open: &str) -> String {
    let described = |line: &str| -> Option<(String, String, String)> {
        let mut words = line.strip_prefix("# ")?.splitn(3, ' ').map(str::to_owned);
        Some((words.next()?, words.next()?, words.next().unwrap_or_default()))
    };
    let counters: HashSet<String> = open
        .lines()
        .filter_map(described)
        .filter_map(|(word, name, kind)| (word == "TYPE" && kind == "counter").then_some(name))
        .collect();
    let line = |line: &str| -> Option<String> {
        let Some(rest) = line.strip_prefix("# ") else { return Some(line.into()) };
        match described(line) {
            Some((word, name, rest)) if matches!(word.as_str(), "HELP" | "TYPE") => {
                let total = if counters.contains(&name) { TOTAL } else { "" };
                Some(format!("# {word} {name}{total} {rest}"))
            }
            // The older format has neither units nor a line that marks the end.
            _ if rest.starts_with("UNIT ") || rest == "EOF" => None,
            _ => Some(line.into()),
        }
    };
    open.lines().filter_map(line).map(|line| line + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_format_names_counters_by_their_samples() {
        let open = "# HELP a_seconds Time: how long.\n# TYPE a_seconds histogram\na_seconds_sum 0.5\n\
                    # HELP b Things.\n# TYPE b counter\n# UNIT b things\nb_total{c=\"# TYPE d counter\"} 1\n\
                    # HELP d_b .\n# TYPE d_b gauge\nd_b 2\n# EOF\n";
        let older = "# HELP a_seconds Time: how long.\n# TYPE a_seconds histogram\na_seconds_sum 0.5\n\
                     # HELP b_total Things.\n# TYPE b_total counter\nb_total{c=\"# TYPE d counter\"} 1\n\
                     # HELP d_b .\n# TYPE d_b gauge\nd_b 2\n";
        assert_eq!(Form::Text.convert(open.into()), older);
        assert_eq!(Form::Open.convert(open.into()), open);
    }

    #[test]
    fn accept_header_selects_openmetrics() {
        let prometheus = "application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,\
                          text/plain;version=0.0.4;q=0.3,*/*;q=0.2";
        for accept in [prometheus, "text/plain, Application/OpenMetrics-Text", "application/openmetrics-text"] {
            assert_eq!(Form::asked_for(accept), Form::Open, "{accept}");
        }
        for accept in ["", "*/*", "text/plain;version=0.0.4", "application/openmetrics-text;q=0, */*", "text/html,,;"] {
            assert_eq!(Form::asked_for(accept), Form::Text, "{accept}");
        }
    }
}
