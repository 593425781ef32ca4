//! Drawings as PNG and PDF, made of their SVG by `rsvg-convert`.

use crate::analysis::tools::RSVG;
use anyhow::{Result, bail};
use std::process::{Command, Stdio};

/// Families with the widths of [`xpuck_kernels::fonts`]'s first ones.
const SAME_WIDTHS: [&str; 8] =
    ["Liberation Sans", "Arimo", "Arial", "Helvetica", "Liberation Mono", "Cousine", "Courier New", "Courier"];

/// A PNG, `zoom` pixels a pixel of the SVG, or with none a PDF that has its letters in it.
///
/// # Errors
/// A program or a font is missing, or the program fails.
pub fn convert(svg: &str, zoom: Option<f32>) -> Result<Vec<u8>> {
    let mut command = RSVG.command();
    match zoom {
        Some(zoom) => command.args(["--format", "png", "--zoom", &zoom.to_string()]),
        None => command.args(["--format", "pdf"]),
    };
    // A PDF tells when it was made; the same drawing is to be the same file.
    command.env("SOURCE_DATE_EPOCH", "0");
    fonts_are_there()?;
    RSVG.output(&mut command, svg.as_bytes())
}

/// Other letters are wider, and would run over edges. What cannot be asked draws as it can.
fn fonts_are_there() -> Result<()> {
    for family in ["Liberation Sans", "Liberation Mono"] {
        let asked = Command::new("fc-match").args(["--format", "%{family}", family]).stdin(Stdio::null()).output();
        let Ok(output) = asked else { return Ok(()) };
        let found = String::from_utf8_lossy(&output.stdout).into_owned();
        if output.status.success() && !SAME_WIDTHS.iter().any(|name| found.split(',').any(|one| one == *name)) {
            bail!(
                "the font {family} is missing ({found} is wider); install it with `apt-get install fonts-liberation`"
            );
        }
    }
    Ok(())
}
