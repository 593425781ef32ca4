//! Calibration board for the lens: AprilTags in rows and columns on flat paper. The command `xpuckd tags` writes it as
//! an SVG file for printing.

use crate::device::apriltag::{PICTURE_SIDE, TAG_SIDE, picture};
use std::fmt::Write;

/// Board of tags. The ids increase along the rows, from the upper left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Board {
    /// Id of the upper left tag.
    pub first: u16,
    /// Number of columns.
    pub columns: u16,
    /// Number of rows.
    pub rows: u16,
    /// Side length of a tag between black edges (m).
    pub size: f64,
    /// Distance between the upper left corners of neighbouring tags (m).
    pub pitch: f64,
}

impl Board {
    /// Returns the number of tags on the board.
    pub fn tags(&self) -> u16 {
        self.columns * self.rows
    }

    /// Returns the corners of tag `id` in the order lower left, lower right, upper right, upper left. Positions are
    /// offsets to the right and downwards from the upper left corner of the first tag (m). Returns `None` if the tag is
    /// not on the board.
    pub fn corners(&self, id: u16) -> Option<[[f64; 2]; 4]> {
        let n = id.checked_sub(self.first).filter(|n| *n < self.tags())?;
        let (x, y) = (f64::from(n % self.columns) * self.pitch, f64::from(n / self.columns) * self.pitch);
        let (right, below) = (x + self.size, y + self.size);
        Some([[x, below], [right, below], [right, y], [x, y]])
    }

    /// Returns the board as an SVG in millimetres, with a white margin, and with the id next to each tag. Returns
    /// `None` if an id is above 586.
    pub fn svg(&self) -> Option<String> {
        let (size, pitch) = (self.size * 1000.0, self.pitch * 1000.0);
        let cell = size / TAG_SIDE as f64;
        let margin = 10.0;
        let width = 2.0 * margin + f64::from(self.columns - 1) * pitch + size;
        let height = 2.0 * margin + f64::from(self.rows - 1) * pitch + size + 8.0;
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.2}mm\" height=\"{height:.2}mm\" \
             viewBox=\"0 0 {width:.2} {height:.2}\" font-family=\"sans-serif\" font-size=\"2.5\">\n\
             <title>AprilTags 36h11, {size} mm from black edge to black edge, {pitch} mm apart</title>\n\
             <rect width=\"{width:.2}\" height=\"{height:.2}\" fill=\"white\"/>\n"
        );
        for n in 0..self.tags() {
            let id = self.first + n;
            let cells = picture(id)?;
            let left = margin + f64::from(n % self.columns) * pitch;
            let top = margin + f64::from(n / self.columns) * pitch;
            // Writing to a string cannot fail.
            let _ = writeln!(out, "<g transform=\"translate({left:.3} {top:.3})\"><path d=\"");
            let border = (PICTURE_SIDE - TAG_SIDE) / 2;
            for (row, cells) in cells[border..PICTURE_SIDE - border].iter().enumerate() {
                // Adjacent black cells of a row form one rectangle, so that no gap is visible between the cells.
                let inner = &cells[border..PICTURE_SIDE - border];
                let mut column = 0;
                while column < TAG_SIDE {
                    let long = inner[column..].iter().take_while(|white| !**white).count();
                    if long > 0 {
                        let (x, y, w) = (column as f64 * cell, row as f64 * cell, long as f64 * cell);
                        let _ = write!(out, "M{x:.3} {y:.3}h{w:.3}v{:.3}h-{w:.3}z", cell + 0.01);
                    }
                    column += long.max(1);
                }
            }
            let _ = writeln!(out, "\"/><text x=\"0\" y=\"{:.2}\" fill=\"grey\">{id}</text></g>", size + cell + 1.5);
        }
        let ruler = height - 4.0;
        let _ = writeln!(
            out,
            "<path d=\"M{margin} {ruler:.2}h50m-50 -1.5v3m50 -3v3\" stroke=\"black\" stroke-width=\"0.2\" fill=\"none\"/>\n\
             <text x=\"{}\" y=\"{:.2}\">50 mm: check the scale of the print</text>\n</svg>",
            margin + 52.0,
            ruler + 1.0
        );
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_stand_in_rows_and_the_sheet_draws_their_black_cells() {
        let board = Board { first: 10, columns: 4, rows: 6, size: 0.03, pitch: 0.04 };
        assert_eq!((board.tags(), board.corners(9), board.corners(34)), (24, None, None));
        let [lower_left, _, upper_right, _] = board.corners(15).unwrap();
        assert!((lower_left[0] - 0.04).abs() < 1e-12 && (lower_left[1] - 0.07).abs() < 1e-12);
        assert!((upper_right[0] - 0.07).abs() < 1e-12 && (upper_right[1] - 0.04).abs() < 1e-12);
        let svg = board.svg().unwrap();
        assert_eq!(
            (svg.matches("<g ").count(), svg.matches("M0.000 0.000h30.000v").count()),
            (24, 24),
            "black borders"
        );
        // The black area of the SVG equals the area of the black cells.
        let black: f64 = svg
            .split('M')
            .skip(1)
            .filter_map(|part| part.split_once('h')?.1.split('v').next()?.parse::<f64>().ok())
            .sum();
        let cells: usize =
            (10..34).map(|id| picture(id).unwrap().iter().flatten().filter(|white| !**white).count()).sum();
        assert!((black - cells as f64 * 3.75 - 50.0).abs() < 60.0, "{black} {cells}");
        assert!(Board { first: 580, ..board }.svg().is_none());
    }
}
