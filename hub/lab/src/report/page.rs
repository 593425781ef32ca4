//! The report as a single HTML page without network access.

use crate::sweep::page::write_table;
use crate::sweep::summary::Readable;
use std::fmt::Write;
use xpuck_kernels::markup::escape;

const STYLE: &str = "
    body { font: 15px/1.5 sans-serif; color: #1b1f24; max-width: 1180px; margin: 2em auto; padding: 0 1em }
    svg { max-width: 100%; height: auto }
    table { border-collapse: collapse; margin: 0 0 1.5em; font-size: 14px }
    caption { text-align: left; font-weight: bold; padding: 0 0 0.4em }
    th, td { padding: 0.15em 0.7em; border-bottom: 1px solid #e3e6ea; text-align: right; vertical-align: top }
    th:first-child, td:first-child { text-align: left }
    pre { background: #f6f8fa; padding: 0.6em; overflow-x: auto; font-size: 13px }
    code { background: #f6f8fa }
    .wide { overflow-x: auto }
    nav li { display: inline; margin-right: 1em }
    nav ul { padding: 0 }
    .result { border-left: 4px solid #0072b2; padding: 0.1em 0.8em }
";

/// First lines of every report. They distinguish a report from other pages.
pub const HEAD: &str = "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"generator\" content=\"xpuck report\">\n";

/// Result text of a chapter if no run is included in the statistics.
pub const NO_RUN_COUNTS: &str = "No run counts, for the reasons above; nothing can be compared.";

/// A chapter of the report.
#[derive(Default)]
pub struct Section {
    /// Heading.
    pub title: String,
    /// Paragraphs that describe the contents and the background that readers need.
    pub text: Vec<String>,
    /// Findings, one sentence each.
    pub results: Vec<String>,
    /// Figures as SVG.
    pub figures: Vec<String>,
    /// Tables.
    pub tables: Vec<Readable>,
    /// Long texts that are collapsed on the page: heading and verbatim text.
    pub details: Vec<(String, String)>,
    /// Names of the table files with the chapter's numbers.
    pub numbers: Vec<&'static str>,
}

impl Section {
    /// Adds the name of the table file with the chapter's numbers.
    pub fn with(mut self, table: &'static str) -> Section {
        self.numbers.push(table);
        self
    }
}

/// Returns the page of a report. `lead` contains the introductory paragraphs, and `command` is the command line that
/// created the page.
pub fn html(title: &str, lead: &[String], command: &str, sections: &[Section]) -> String {
    let title = escape(title);
    let mut page = format!(
        "{HEAD}<meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n<style>{STYLE}</style>\n<h1>{title}</h1>\n"
    );
    for paragraph in lead {
        let _ = writeln!(page, "<p>{}</p>", escape(paragraph));
    }
    let _ = writeln!(page, "<p>Made by <code>{}</code></p>", escape(command));
    page.push_str("<nav><ul>\n");
    for (i, section) in sections.iter().enumerate() {
        let _ = writeln!(page, "<li><a href=\"#s{i}\">{}</a></li>", escape(&section.title));
    }
    page.push_str("</ul></nav>\n");
    for (i, section) in sections.iter().enumerate() {
        write(&mut page, i, section);
    }
    page.push_str("</html>\n");
    page
}

fn write(page: &mut String, number: usize, section: &Section) {
    let _ = writeln!(page, "<h2 id=\"s{number}\">{}</h2>", escape(&section.title));
    for paragraph in &section.text {
        let _ = writeln!(page, "<p>{}</p>", escape(paragraph));
    }
    for result in &section.results {
        let _ = writeln!(page, "<p class=\"result\">{}</p>", escape(result));
    }
    for figure in &section.figures {
        let _ = writeln!(page, "<div class=\"wide\">\n{figure}</div>");
    }
    for table in &section.tables {
        page.push_str("<div class=\"wide\">");
        write_table(page, table);
        page.push_str("</div>\n");
    }
    for (heading, text) in &section.details {
        let _ = writeln!(
            page,
            "<details><summary>{}</summary>\n<pre>{}</pre></details>",
            escape(heading),
            escape(text.trim_end())
        );
    }
    if !section.numbers.is_empty() {
        let links = section.numbers.iter().map(|name| {
            format!("<a href=\"{name}.csv\">{name}.csv</a>, <a href=\"{name}.parquet\">{name}.parquet</a>")
        });
        let links: Vec<String> = links.collect();
        let _ = writeln!(page, "<p>Data: {}; made by the command at the top.</p>", links.join(", "));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_break_the_page_and_nothing_is_fetched() {
        let nasty = "<script>alert(1)</script> & \"".to_string();
        let table = Readable { title: nasty.clone(), head: vec![nasty.clone()], rows: vec![vec![nasty.clone()]] };
        let section = Section {
            title: nasty.clone(),
            text: vec![nasty.clone()],
            results: vec![nasty.clone()],
            tables: vec![table],
            details: vec![(nasty.clone(), nasty.clone())],
            numbers: vec!["runs"],
            ..Section::default()
        };
        let page = html(&nasty, std::slice::from_ref(&nasty), &nasty, &[section]);
        assert!(!page.contains("<script") && !page.contains("http"), "{page}");
        assert!(page.matches("&lt;script&gt;").count() >= 10);
        assert!(page.contains("href=\"#s0\"") && page.contains("id=\"s0\""));
    }
}
