//! Pictures of one run for `xpuck simulate`: drawings of the trajectories, a film, and a web page that replays the run.
//! Other commands use parts of these modules.

mod colours;
pub mod film;
mod legend;
mod raster;
mod replay;
mod run_film;
pub mod scenery;
mod svg;
mod svg_bodies;
mod svg_floor;
mod svg_names;
pub mod svg_world;

pub use colours::{FRISBEE, of_robot};

use crate::files::tree_file::write;
use anyhow::{Context, Result, bail};
use clap::Args;
use std::path::{Path, PathBuf};
use xpuck_lab::trajectories::Trajectories;
use xpuck_wire::atomic::can_output;

/// Number of PNG pixels per pixel of the SVG drawing. The PNG has about 300 dots per inch at a width of 15 cm.
const ZOOM: f32 = 2.0;

/// Requested pictures, and the run that they show.
#[derive(Args)]
pub struct PictureArgs {
    /// Draw the trajectories of one run to this SVG file, coloured by the branch of the tree that drove the robot.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Draw the same picture as PNG (needs rsvg-convert).
    #[arg(long, value_name = "FILE")]
    png: Option<PathBuf>,
    /// Draw the same picture as PDF with embedded fonts (needs rsvg-convert).
    #[arg(long, value_name = "FILE")]
    pdf: Option<PathBuf>,
    /// Write a web page that replays one run to this file; it needs no network.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Make a film of one run: H.264 in MP4, 25 frames per second (needs ffmpeg and rsvg-convert).
    #[arg(long, value_name = "FILE")]
    mp4: Option<PathBuf>,
    /// Speed of the film relative to real time, 0.1 to 1000.
    #[arg(long, value_name = "X", default_value_t = 8.0, requires = "mp4")]
    film_speed: f64,
    /// Number of the run that the pictures show, from 0.
    #[arg(long, value_name = "K", default_value_t = 0)]
    run: u32,
}

/// Text labels of a picture.
pub struct Caption {
    /// File of the tree.
    pub tree: String,
    /// Description of the start positions: a scenario, a world file, or the start of the frisbee and a robot count.
    pub start: String,
    /// Seed of the runs.
    pub seed: u64,
    /// Number of the run.
    pub run: u32,
}

/// File extensions of pictures, films and web pages, from which programs infer the format.
const ENDINGS: [&str; 10] = ["svg", "png", "pdf", "html", "mp4", "jpg", "jpeg", "gif", "webp", "webm"];

/// Checks that a file's extension does not contradict the format that an option such as `--png` selects. Programs
/// would not open a file with the extension of another format.
///
/// # Errors
/// The extension is that of another format.
pub fn fits(option: &str, path: &Path) -> Result<()> {
    let made = option.trim_start_matches('-');
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default();
    if ENDINGS.contains(&ending.as_str()) && ending != made {
        bail!(
            "{option} {}: the extension does not match the format {made}; use {}",
            path.display(),
            path.with_extension(made).display()
        );
    }
    Ok(())
}

impl PictureArgs {
    /// Returns the number of the run to show, or `None` if no picture is requested.
    ///
    /// # Errors
    /// The number is not below `runs`, two pictures have the same file, the extension of a file is that of another
    /// format, a file cannot be written, or the film speed is out of range.
    pub fn wanted(&self, runs: u32) -> Result<Option<u32>> {
        film::check_speed(self.film_speed)?;
        if self.run >= runs {
            bail!(
                "--run {}: must be 0 to {}; use --runs {} to include this run",
                self.run,
                runs - 1,
                u64::from(self.run) + 1
            );
        }
        let named = self.named();
        for (i, (option, path)) in named.iter().enumerate() {
            if let Some((other, _)) = named[..i].iter().find(|(_, other)| other == path) {
                bail!(
                    "{other} and {option} name the same file, {}; choose another file for one of them",
                    path.display()
                );
            }
        }
        for (option, path) in &named {
            fits(option, path)?;
            can_output(path).with_context(|| format!("{option} {}: cannot be written", path.display()))?;
        }
        match named.is_empty() {
            true if self.run > 0 => {
                bail!(
                    "--run {} selects the run that a picture shows; add --svg, --png, --pdf, --html or --mp4",
                    self.run
                )
            }
            true => Ok(None),
            false => Ok(Some(self.run)),
        }
    }

    /// Writes the pictures; `quiet` hides the progress.
    ///
    /// # Errors
    /// A file cannot be written, or a required program is missing or fails.
    pub fn write(&self, trajectories: &Trajectories, caption: &Caption, quiet: bool) -> Result<()> {
        let svg = match (&self.svg, &self.png, &self.pdf) {
            (None, None, None) => String::new(),
            _ => svg::draw(trajectories, caption),
        };
        if let Some(path) = &self.svg {
            write(path, svg.as_bytes())?;
        }
        if let Some(path) = &self.png {
            write(path, &raster::convert(&svg, Some(ZOOM))?)?;
        }
        if let Some(path) = &self.pdf {
            write(path, &raster::convert(&svg, None)?)?;
        }
        if let Some(path) = &self.html {
            write(path, replay::page(trajectories, caption)?.as_bytes())?;
        }
        if let Some(path) = &self.mp4 {
            run_film::make(path, trajectories, caption, self.film_speed, quiet)?;
        }
        Ok(())
    }

    fn named(&self) -> Vec<(&'static str, &PathBuf)> {
        let all = [
            ("--svg", &self.svg),
            ("--png", &self.png),
            ("--pdf", &self.pdf),
            ("--html", &self.html),
            ("--mp4", &self.mp4),
        ];
        all.into_iter().filter_map(|(option, path)| Some((option, path.as_ref()?))).collect()
    }

    /// Returns the paths of the requested pictures.
    pub fn written(&self) -> impl Iterator<Item = &PathBuf> {
        self.named().into_iter().map(|(_, path)| path)
    }

    /// Returns the paths of the requested pictures, separated by commas, for a report.
    pub fn files(&self) -> String {
        self.written().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_is_not_named_as_another_kind_of_picture() {
        for name in ["a.png", "a.PNG", "a", "run.1", "/dev/stdout"] {
            assert!(fits("--png", Path::new(name)).is_ok(), "{name}");
        }
        let why = fits("--png", Path::new("b/a.jpg")).unwrap_err().to_string();
        assert_eq!(why, "--png b/a.jpg: the extension does not match the format png; use b/a.png");
    }
}
