//! Pictures of a recorded run.

use anyhow::{Result, bail};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tracing::{info, warn};
use xpuck_gateway::stage::{GameFrame, Presentation, add_fixtures};
use xpuck_hub_core::entry::Entry;
use xpuck_hub_service::replay::Replay;
use xpuck_kernels::world::WorldSpec;
use xpuck_record::read::{self, Entries};
use xpuck_record::run_file::RunFile;
use xpuck_record::verify::phase_worlds;

/// Recorded run that is played for viewers.
pub struct Replayed {
    folder: PathBuf,
    run: RunFile,
    /// Worlds of the run's phases, by name.
    worlds: Vec<(String, Arc<WorldSpec>)>,
    speed: f64,
    /// Arena time between two pictures (s).
    period: f64,
    again: bool,
    pass: Pass,
}

/// One pass of playback through the record.
struct Pass {
    entries: Entries,
    /// Next entry, which has already been read.
    next: Option<Entry>,
    replay: Replay,
    stage: Presentation,
    /// Wall time at the start of the pass.
    began: Instant,
    first: f64,
    /// Record time of the next picture (s).
    due: f64,
    ended: bool,
}

impl Pass {
    fn open(folder: &Path, run: &RunFile, radius: Option<f64>) -> Result<Pass> {
        let mut entries = read::entries(folder)?;
        let Some(next) = entries.next().transpose()? else { bail!("{}: the record is empty", folder.display()) };
        let first = next.time();
        Ok(Pass {
            entries,
            next: Some(next),
            replay: Replay::new(run),
            stage: Presentation::new(radius),
            began: Instant::now(),
            first,
            due: first,
            ended: false,
        })
    }
}

impl Replayed {
    /// Opens a run's folder, to be played at `speed` times real time, with `rate` pictures per second of arena time;
    /// `again` repeats the record.
    ///
    /// # Errors
    /// The record is missing or empty.
    pub fn open(folder: &Path, speed: f64, rate: f64, again: bool) -> Result<Replayed> {
        let run = RunFile::read(folder)?;
        // If this version cannot read the experiment or its world, only the outer walls are drawn.
        let worlds = phase_worlds(&run).unwrap_or_default();
        let pass = Pass::open(folder, &run, radius(&worlds))?;
        let folder = folder.to_path_buf();
        Ok(Replayed { folder, run, worlds, speed, period: 1.0 / rate, again, pass })
    }

    /// Waits at most `longest` and returns the next picture; `None` if it is not due by then.
    ///
    /// # Errors
    /// The record cannot be read.
    pub fn next(&mut self, longest: Duration) -> Result<Option<GameFrame>> {
        if self.pass.ended {
            std::thread::sleep(longest);
            return Ok(None);
        }
        let pass = &mut self.pass;
        let due = pass.began + Duration::from_secs_f64((pass.due - pass.first).max(0.0) / self.speed);
        let wait = due.saturating_duration_since(Instant::now());
        if wait > longest {
            std::thread::sleep(longest);
            return Ok(None);
        }
        std::thread::sleep(wait);
        // If the playback is late, all entries up to the current time are applied, and their pictures are skipped.
        let now = pass.first + pass.began.elapsed().as_secs_f64() * self.speed;
        while let Some(entry) = pass.next.take_if(|entry| entry.time() <= now) {
            pass.replay.apply(entry);
            pass.next = pass.entries.next().transpose()?;
        }
        pass.due = (pass.due + self.period).max(now);
        let status = pass.replay.status();
        let mut picture = pass.stage.picture(&status);
        let phase = status.segments.last().map_or("", |segment| &segment.phase);
        if let Some((_, world)) = self.worlds.iter().find(|(name, _)| name == phase).or(self.worlds.first()) {
            add_fixtures(&mut picture.arena, world);
        }
        if pass.next.is_none() {
            self.end()?;
        }
        Ok(Some(picture))
    }

    fn end(&mut self) -> Result<()> {
        let pass = &mut self.pass;
        pass.entries.damage().iter().for_each(|line| warn!(target: "monitors", "{line}"));
        if self.again {
            info!(target: "monitors", "the record begins again");
            *pass = Pass::open(&self.folder, &self.run, radius(&self.worlds))?;
        } else {
            info!(target: "monitors", "the record has ended; its last state is shown until Ctrl-C");
            pass.ended = true;
        }
        Ok(())
    }
}

/// Returns the radius of the first disc in the first world (m). `None` without a world, or if the first world has no
/// disc.
fn radius(worlds: &[(String, Arc<WorldSpec>)]) -> Option<f64> {
    worlds.first()?.1.discs.first().map(|disc| f64::from(disc.shape.radius))
}
