//! Legend of a picture. It states which branch of the tree has which colour.

use super::colours::{self, OTHER, UNDRIVEN};
use serde::Serialize;
use xpuck_lab::trajectories::Trajectories;

/// Heading of the legend.
pub const TITLE: &str = "Driving branches: line of `xpuck tree fmt`, share of time, first leaf that wrote v_goal";

/// Legend row: a colour and its meaning.
#[derive(Debug, Serialize)]
pub struct Row {
    /// Colour in CSS notation.
    pub colour: &'static str,
    /// Line of the branch's leaf in the output of `xpuck tree fmt`, from 1. `None` for the row of all other branches,
    /// and for the row of updates without a driving branch.
    pub line: Option<usize>,
    /// Leaf of the branch in text form. If `line` is `None`: a description of the row.
    pub text: String,
    /// Fraction of all robot updates that the row represents, 0 to 1.
    pub share: f64,
}

/// Legend of a run: its rows, and the index of each branch's row.
#[derive(Debug)]
pub struct Legend {
    /// Rows of the branches with a distinct colour. They are followed by up to two rows: one for all other branches,
    /// and one for updates without a driving branch.
    pub rows: Vec<Row>,
    row_of_branch: Vec<usize>,
}

impl Legend {
    /// Creates the legend of a recorded run.
    pub fn new(trajectories: &Trajectories) -> Legend {
        let colours = colours::of_branches(&trajectories.branches);
        let (mut rows, mut row_of_branch) = (Vec::new(), Vec::new());
        let own = colours.iter().filter(|colour| **colour != OTHER).count();
        let mut others = Row { colour: OTHER, line: None, text: String::new(), share: 0.0 };
        for (branch, colour) in trajectories.branches.iter().zip(&colours) {
            if *colour == OTHER {
                row_of_branch.push(own);
                others.share += branch.share;
            } else {
                row_of_branch.push(rows.len());
                let (line, text, share) = (Some(branch.node + 1), branch.text.clone(), branch.share);
                rows.push(Row { colour, line, text, share });
            }
        }
        if own < colours.len() {
            others.text = format!("{} other branches", colours.len() - own);
            rows.push(others);
        }
        if trajectories.undriven > 0.0 {
            let text = "no branch: wheels stopped".into();
            rows.push(Row { colour: UNDRIVEN, line: None, text, share: trajectories.undriven });
        }
        Legend { rows, row_of_branch }
    }

    /// Returns the index of the row for a robot whose driving branch is `driver`. `driver` must belong to a frame after
    /// the first.
    pub fn row(&self, driver: Option<usize>) -> usize {
        driver.map_or(self.rows.len() - 1, |branch| self.row_of_branch[branch])
    }

    /// Returns the colour of a robot whose driving branch is `driver`. `driver` must belong to a frame after the first.
    pub fn colour(&self, driver: Option<usize>) -> &'static str {
        self.rows[self.row(driver)].colour
    }
}
