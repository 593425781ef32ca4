//! Command `xpuckd tags`, which writes AprilTags for an arena's walls, or the board for lens calibration.

pub mod board;

use board::Board;
use clap::Args;
use std::path::PathBuf;
use xpuck_wire::{atomic, output};

/// Id of the last tag of the family 36h11.
const LAST: u16 = 586;

/// Ids and layout of the tags.
#[derive(Clone, Debug, Args)]
pub struct BoardArgs {
    /// Id of the first tag (0..=586); ids increase along the rows.
    #[arg(long, default_value_t = 0)]
    first: u16,
    /// Number of columns (1..=30).
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=30))]
    columns: u16,
    /// Number of rows (1..=30).
    #[arg(long, default_value_t = 6, value_parser = clap::value_parser!(u16).range(1..=30))]
    rows: u16,
    /// Side length of a tag between black edges (mm, 5..=1000).
    #[arg(long, default_value_t = 30.0)]
    size_mm: f64,
    /// Distance between the origins of neighbouring tags (mm, up to 2000; default: four thirds of the size).
    #[arg(long)]
    pitch_mm: Option<f64>,
}

impl BoardArgs {
    /// Validates the arguments, and returns the board that they describe.
    ///
    /// # Errors
    /// One line that names the invalid option.
    pub fn board(&self) -> Result<Board, String> {
        let pitch = self.pitch_mm.unwrap_or(self.size_mm * 4.0 / 3.0);
        if !(5.0..=1000.0).contains(&self.size_mm) {
            return Err(format!("--size-mm {:?} is outside 5 to 1000", self.size_mm));
        }
        // A tag is eight cells wide, and at least one white cell must separate neighbouring tags. The pitch is
        // therefore at least 9/8 of the size.
        let least = self.size_mm * 9.0 / 8.0;
        if !(least..=2000.0).contains(&pitch) {
            return Err(format!("--pitch-mm {pitch:?} is outside {least} to 2000; tags need a white margin"));
        }
        if u32::from(self.first) + u32::from(self.columns * self.rows) > u32::from(LAST) + 1 {
            return Err(format!(
                "the board has {} tags from --first {}, but the last tag of the family is {LAST}; use fewer tags or a lower --first",
                self.columns * self.rows,
                self.first
            ));
        }
        let (size, pitch) = (self.size_mm / 1000.0, pitch / 1000.0);
        Ok(Board { first: self.first, columns: self.columns, rows: self.rows, size, pitch })
    }
}

/// Write AprilTags (36h11) for printing: for an arena's walls, or as the board for `xpuckd calibrate lens`.
#[derive(Debug, Args)]
pub struct TagsArgs {
    #[command(flatten)]
    board: BoardArgs,
    /// Output file: an SVG in millimetres, to be printed at 100 %.
    #[arg(long)]
    svg: PathBuf,
}

/// Writes the SVG file with the tags.
///
/// # Errors
/// If an option is invalid, or the file cannot be written.
pub fn run(args: &TagsArgs) -> anyhow::Result<()> {
    let board = args.board.board().map_err(anyhow::Error::msg)?;
    let svg = board
        .svg()
        .ok_or_else(|| anyhow::anyhow!("the last tag of the family is {LAST}; use fewer tags or a lower --first"))?;
    let path = args.svg.display();
    atomic::output(&args.svg, svg.as_bytes()).map_err(|error| anyhow::anyhow!("--svg {path}: {error}"))?;
    output::line(format_args!("{} tags, {} to {}: {path}", board.tags(), board.first, board.first + board.tags() - 1))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_that_cannot_be_are_refused_with_the_option() {
        let args = BoardArgs { first: 0, columns: 4, rows: 6, size_mm: 30.0, pitch_mm: None };
        assert_eq!(args.board().unwrap().pitch, 0.04);
        let error = |args: BoardArgs| args.board().unwrap_err();
        assert!(error(BoardArgs { pitch_mm: Some(31.0), ..args.clone() }).contains("--pitch-mm 31"));
        assert!(error(BoardArgs { size_mm: f64::NAN, ..args.clone() }).contains("--size-mm NaN"));
        assert!(error(BoardArgs { size_mm: 1e300, ..args.clone() }).contains("--size-mm 1e300 is"));
        assert!(error(BoardArgs { first: 570, ..args }).contains("the last tag of the family is 586"));
    }
}
