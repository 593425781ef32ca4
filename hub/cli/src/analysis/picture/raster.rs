//! Conversion of SVG drawings to PNG and PDF with `rsvg-convert`.

use crate::analysis::tools::RSVG;
use anyhow::{Result, bail};
use std::process::{Command, Stdio};

/// Font families whose letters have the same widths as those of Liberation Sans or Liberation Mono.
const SAME_WIDTHS: [&str; 8] =
    ["Liberation Sans", "Arimo", "Arial", "Helvetica", "Liberation Mono", "Cousine", "Courier New", "Courier"];

/// Converts an SVG drawing. The result is a PNG with `zoom` pixels per pixel of the drawing, or a PDF with embedded
/// fonts if `zoom` is `None`.
///
/// # Errors
/// A program or a font is missing, or the program fails.
pub fn convert(svg: &str, zoom: Option<f32>) -> Result<Vec<u8>> {
    let mut command = RSVG.command();
    match zoom {
        Some(zoom) => command.args(["--format", "png", "--zoom", &zoom.to_string()]),
        None => command.args(["--format", "pdf"]),
    };
    // A PDF contains its creation time. With a fixed time, equal drawings result in equal files.
    command.env("SOURCE_DATE_EPOCH", "0");
    fonts_are_there()?;
    RSVG.output(&mut command, svg.as_bytes())
}

/// Checks that the fonts are installed, because text in a font with wider letters would not fit into the drawing.
/// Passes if `fc-match` cannot be run.
fn fonts_are_there() -> Result<()> {
    for family in ["Liberation Sans", "Liberation Mono"] {
        let asked = Command::new("fc-match").args(["--format", "%{family}", family]).stdin(Stdio::null()).output();
        let Ok(output) = asked else { return Ok(()) };
        let found = String::from_utf8_lossy(&output.stdout).into_owned();
        if output.status.success() && !SAME_WIDTHS.iter().any(|name| found.split(',').any(|one| one == *name)) {
            bail!(
                "the font {family} is missing (its substitute {found} has other widths); install it with `apt-get install fonts-liberation`"
            );
        }
    }
    Ok(())
}
