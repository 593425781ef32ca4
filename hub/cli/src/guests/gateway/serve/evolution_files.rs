//! Folder written by a population manager. It contains the history, a plot, the best individual of all generations,
//! and the best individual of the last generation.

use anyhow::{Context, Result};
use serde_json::json;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use xpuck_gateway::evaluation::message::Message;
use xpuck_gateway::evaluation::population::evolution::{Best, Summary};
use xpuck_stats::plot::{Colour, Plot, to_svg};
use xpuck_wire::atomic;

/// Minimum interval between two writes of the files, because generations may be much shorter. The files are also
/// written at the end.
const WRITE: Duration = Duration::from_secs(1);

/// Folder of a population manager, and the results so far.
pub struct Files {
    folder: PathBuf,
    history: Vec<Summary>,
    csv: String,
    last: Option<Best>,
    best: Option<Best>,
    written: Instant,
}

impl Files {
    /// Creates the folder.
    ///
    /// # Errors
    /// The folder cannot be created, or contains a history.
    pub fn new(folder: &Path) -> Result<Files> {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        let files = Files {
            folder: folder.into(),
            history: Vec::new(),
            csv: "generation,best,mean,worst,hidden,step\n".into(),
            last: None,
            best: None,
            written: Instant::now(),
        };
        anyhow::ensure!(
            !files.place("history.csv").exists(),
            "{}: already has a history; choose another folder",
            folder.display()
        );
        files.write("history.csv", files.csv.as_bytes())?;
        Ok(files)
    }

    /// Adds the summary of a generation, its best individual `champion`, and `best`, the best individual of all
    /// generations.
    ///
    /// # Errors
    /// The files cannot be written.
    pub fn add(&mut self, summary: Summary, champion: Best, best: Option<Best>) -> Result<()> {
        let Summary { generation, best: most, mean, worst, hidden, step } = summary;
        writeln!(self.csv, "{generation},{most},{mean},{worst},{hidden},{step}")?;
        self.history.push(summary);
        (self.last, self.best) = (Some(champion), best);
        if self.written.elapsed() < WRITE {
            return Ok(());
        }
        self.written = Instant::now();
        self.write_all()
    }

    /// Writes all results that are not yet in the files, and `best`, the best individual of all generations.
    ///
    /// # Errors
    /// The files cannot be written.
    pub fn end(&mut self, best: Option<&Best>) -> Result<()> {
        self.best = best.cloned();
        self.write_all()
    }

    fn write_all(&self) -> Result<()> {
        // The individuals are written first. If the disk becomes full, they are more valuable than the history and
        // the plot.
        for (name, best) in [("best", &self.best), ("last", &self.last)] {
            best.as_ref().map_or(Ok(()), |best| self.keep(name, best))?;
        }
        self.write("history.csv", self.csv.as_bytes())?;
        self.write("fitness.svg", self.plot().as_bytes())
    }

    /// Writes an individual as a line of the protocol to `name`.txt, and as JSON to `name`.json.
    fn keep(&self, name: &str, best: &Best) -> Result<()> {
        let individual = best.individual();
        let (hidden, values) = (individual.hidden, individual.values);
        self.write(&format!("{name}.txt"), format!("{}\r\n", line(best)?).as_bytes())?;
        let text = json!({ "generation": best.generation, "number": best.number, "fitness": best.fitness, "hidden": hidden,
            "values": values });
        self.write(&format!("{name}.json"), format!("{text:#}\n").as_bytes())
    }

    fn plot(&self) -> String {
        let of = |value: fn(&Summary) -> f64| {
            self.history.iter().map(|one| (f64::from(one.generation), value(one))).collect::<Vec<_>>()
        };
        let mut fitness = Plot::new("Fitness", "generation", "fitness").whole_x();
        fitness.line("best", Colour::Blue, of(|one| one.best));
        fitness.line("mean", Colour::Orange, of(|one| one.mean));
        fitness.line("least", Colour::Grey, of(|one| one.worst));
        let mut networks = Plot::new("Networks", "generation", "mean number of hidden neurons").whole_x();
        networks.line("", Colour::Green, of(|one| one.hidden));
        to_svg(&[fitness, networks])
    }

    fn place(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let place = self.place(name);
        atomic::write(&place, bytes).with_context(|| place.display().to_string())
    }
}

/// Returns an individual as a line in the protocol of robot simulators, without the line end.
///
/// # Errors
/// The protocol cannot represent a value.
pub fn line(best: &Best) -> Result<String> {
    let mut line = String::new();
    Message::Individual(best.individual()).write_to(&mut line)?;
    Ok(line)
}
