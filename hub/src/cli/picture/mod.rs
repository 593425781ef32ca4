//! Pictures of one run for `xpuck simulate`: a drawing of the trajectories, and a page that plays the run.

mod colours;
mod legend;
mod replay;
mod svg;
mod svg_bodies;

use super::tree_file::write;
use anyhow::{Result, bail};
use clap::Args;
use std::path::PathBuf;
use xpuck_lab::trajectories::Trajectories;

/// Which pictures are wanted, and of which run.
#[derive(Args)]
pub struct PictureArgs {
    /// Draw the trajectories of one run to this SVG file, coloured by the branch of the tree that drove the robot.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write a web page to this file that plays one run; it needs no network.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Which of the runs the pictures show, from 0.
    #[arg(long, value_name = "K", default_value_t = 0)]
    run: u32,
}

/// What a picture is of, in words.
pub struct Caption {
    /// The tree's file.
    pub tree: String,
    /// Where the robots started.
    pub start: String,
    /// Seed of the runs.
    pub seed: u64,
    /// Number of the run.
    pub run: u32,
}

impl PictureArgs {
    /// The number of the run to show, or `None` if no picture is wanted.
    ///
    /// # Errors
    /// If there is no such run among `runs`, or both pictures would go to one file.
    pub fn wanted(&self, runs: u32) -> Result<Option<u32>> {
        if self.run >= runs {
            bail!("--run {}: the runs are 0 to {}; --runs {} has it", self.run, runs - 1, u64::from(self.run) + 1);
        }
        match (&self.svg, &self.html) {
            (None, None) if self.run > 0 => {
                bail!("--run {} chooses what a picture shows; add --svg or --html", self.run)
            }
            (None, None) => Ok(None),
            (Some(svg), Some(html)) if svg == html => bail!("--svg and --html are both {}", svg.display()),
            _ => Ok(Some(self.run)),
        }
    }

    /// Writes the pictures.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(&self, trajectories: &Trajectories, caption: &Caption) -> Result<()> {
        if let Some(path) = &self.svg {
            write(path, svg::draw(trajectories, caption).as_bytes())?;
        }
        if let Some(path) = &self.html {
            write(path, replay::page(trajectories, caption)?.as_bytes())?;
        }
        Ok(())
    }

    /// The files that are wanted.
    pub fn written(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.svg, &self.html].into_iter().flatten()
    }

    /// The files, for a report.
    pub fn files(&self) -> String {
        self.written().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
    }
}
