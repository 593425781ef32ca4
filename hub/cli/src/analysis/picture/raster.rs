//! Conversion of SVG drawings to PNG and PDF with `rsvg-convert`.

use crate::analysis::tools::RSVG;
use anyhow::{Result, bail};
use std::process::{Command, Stdio};

/// Font families with the letter widths of the first ones of [`xpuck_kernels::fonts`].
const SAME_WIDTHS: [&str; 8] =
    ["Liberation Sans", "Arimo", "Arial", "Helvetica", "Liberation Mono", "Cousine", "Courier New", "Courier"];

/// Converts to PNG at `zoom` pixels per pixel of the SVG, or without `zoom` to PDF with embedded fonts.
///
/// # Errors
/// A program or a font is missing, or the program fails.
pub fn convert(svg: &str, zoom: Option<f32>) -> Result<Vec<u8>> {
    let mut command = RSVG.command();
    match zoom {
        Some(zoom) => command.args(["--format", "png", "--zoom", &zoom.to_string()]),
        None => command.args(["--format", "pdf"]),
    };
    // A PDF contains its creation time; a fixed time gives the same file for the same drawing.
    command.env("SOURCE_DATE_EPOCH", "0");
    fonts_are_there()?;
    RSVG.output(&mut command, svg.as_bytes())
}

/// Checks that the fonts are installed, because wider letters of other fonts would cross edges. Passes if `fc-match`
/// cannot be run.
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
