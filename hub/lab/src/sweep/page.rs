//! Single HTML page with the figure and the tables of a sweep. It needs no network access.

use super::summary::{Readable, explanation};
use std::fmt::Write;
use xpuck_kernels::markup::escape;

const STYLE: &str = "
    body { font: 15px/1.5 sans-serif; color: #1b1f24; max-width: 1700px; margin: 2em auto; padding: 0 1em }
    svg { max-width: 100%; height: auto }
    table { border-collapse: collapse; margin: 0 0 1.5em }
    caption { text-align: left; font-weight: bold; padding: 0 0 0.4em }
    th, td { padding: 0.2em 0.8em; border-bottom: 1px solid #e3e6ea; text-align: right }
    th:first-child, td:first-child { text-align: left }
";

/// Returns the page. The figure shows its notes when the pointer is on a line or a dot.
pub fn html(title: &str, lead: &str, svg: &str, tables: &[Readable]) -> String {
    let (title, lead) = (escape(title), escape(lead));
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta \
         charset=\"utf-8\">\n<title>{title}</title>\n<style>{STYLE}</style>\n<h1>{title}</h1>\n<p>{lead}</p>\n<p>Point \
         at a line or a dot to see its values.</p>\n{svg}\n"
    );
    for table in tables {
        write_table(&mut page, table);
    }
    let _ = writeln!(page, "<p>{}</p>\n</html>", escape(&explanation(tables)));
    page
}

/// Appends a table to a page.
pub(crate) fn write_table(page: &mut String, table: &Readable) {
    let _ = writeln!(page, "<table>\n<caption>{}</caption>", escape(&table.title));
    row(page, "th", &table.head);
    for cells in &table.rows {
        row(page, "td", cells);
    }
    page.push_str("</table>\n");
}

fn row(page: &mut String, tag: &str, cells: &[String]) {
    let cells: String = cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", escape(cell))).collect();
    let _ = writeln!(page, "<tr>{cells}</tr>");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_cannot_break_the_page_and_nothing_is_fetched() {
        let cells = |text: &str| vec![text.to_string(), "1".into()];
        let table = Readable { title: "t".into(), head: cells("h"), rows: vec![cells("<script>")] };
        let page = html("a & b", "lead", "<svg/>", &[table]);
        assert!(page.contains("<td>&lt;script&gt;</td>") && page.contains("<title>a &amp; b</title>"));
        assert!(!page.contains("http") && !page.contains("<script"));
    }
}
