//! Records of the hub's runs: the open record, and earlier records that are still being closed.

use crate::overhead::OverheadPicture;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use xpuck_hub_core::config::Config;
use xpuck_hub_core::entry::Entry;
use xpuck_hub_core::hub::RecordNews;
use xpuck_hub_core::rate::Rate;
use xpuck_hub_core::switchboard::{Snapshot, StorageResult};
use xpuck_record::run_file::Beginning;
use xpuck_record::{Closing, Note, RecordError, Recorder};
use xpuck_wire::message::State;
use xpuck_wire::telemetry::Telemetry;
use xpuck_wire::{Status, event_at};

/// Records of the hub.
#[derive(Default)]
pub(super) struct Records {
    recorder: Option<Recorder>,
    telemetry: BTreeMap<String, TelemetryState>,
    closing: Vec<Closing>,
}

/// Recording rate of a robot's telemetry (Hz of arena time). A robot sends ten telemetry messages per second. Control
/// updates are recorded completely.
const TELEMETRY_HZ: f64 = 5.0;

/// Time limit for completing a record when the hub ends (wall time).
const CLOSE_TIMEOUT: Duration = Duration::from_secs(60);

/// Rate limit of a robot's recorded telemetry, and the state, segment and obeyed directive in the robot's last message.
#[derive(Default)]
struct TelemetryState {
    rate: Rate,
    stands: Option<(State, u32, u64)>,
}

impl TelemetryState {
    /// Returns whether the telemetry has to be recorded. Telemetry is recorded at [`TELEMETRY_HZ`], and at once when
    /// the robot's state, segment or obeyed directive changes.
    fn is_due(&mut self, time: f64, telemetry: &Telemetry) -> bool {
        let stands = Some((telemetry.state, telemetry.segment, telemetry.obeyed));
        let changed = std::mem::replace(&mut self.stands, stands) != stands;
        self.rate.allows(time, TELEMETRY_HZ) || changed
    }
}

impl Records {
    /// Opens the record of a new run. Returns the record's folder.
    ///
    /// # Errors
    /// The record cannot be created. A slow disk is not an error.
    pub(super) fn open(&mut self, config: &Config, begins: &Beginning) -> Result<String, String> {
        self.write_with(Recorder::open(config, begins))
    }

    /// Continues the record in `directory`. Returns the record's folder.
    ///
    /// # Errors
    /// The record cannot be opened.
    pub(super) fn resume(&mut self, config: &Config, directory: &Path) -> Result<String, String> {
        self.write_with(Recorder::go_on(config, directory))
    }

    fn write_with(&mut self, recorder: Result<Recorder, RecordError>) -> Result<String, String> {
        let recorder = recorder.map_err(|error| error.to_string())?;
        let place = place(&recorder);
        self.recorder = Some(recorder);
        self.telemetry.clear();
        Ok(place)
    }

    /// Returns the file to which the open record is being written, if any.
    pub(super) fn file(&self) -> Option<&Path> {
        self.recorder.as_ref().and_then(Recorder::file)
    }

    /// Adds an entry to the open record. Returns the number of entries lost so far, if the loss has to be reported.
    pub(super) fn write(&mut self, entry: Entry) -> Option<u64> {
        if let Entry::Telemetry { time, robot, telemetry, .. } = &entry
            && !self.telemetry.entry(robot.clone()).or_default().is_due(*time, telemetry)
        {
            return None;
        }
        self.recorder.as_mut().and_then(|recorder| recorder.write(entry))
    }

    /// Adds a picture of the camera above the arena.
    pub(super) fn overhead(&self, time: f64, shot: Arc<OverheadPicture>) {
        if let Some(recorder) = &self.recorder {
            recorder.overhead(time, shot);
        }
    }

    /// Stores a snapshot of the run.
    pub(super) fn store(&self, snapshot: Snapshot) {
        if let Some(recorder) = &self.recorder {
            recorder.keep(snapshot);
        }
    }

    /// Returns the next event of the open record or of a record being closed. Closed records are removed.
    pub(super) fn news(&mut self) -> Option<RecordNews> {
        while let Some(recorder) = &mut self.recorder
            && let Some(note) = recorder.note()
        {
            match note {
                Note::Say(line) => return Some(RecordNews::Say(line)),
                Note::Stopped(why) => return Some(RecordNews::Stopped(why)),
                Note::Again(_, text) => return Some(RecordNews::Again { place: place(recorder), text }),
                Note::State(state) => return Some(RecordNews::Kept(StorageResult::State(state))),
                Note::Next(_) => {}
            }
        }
        let told = self.closing.iter().find_map(Closing::note);
        if told.is_none() {
            self.closing.retain(|closing| !closing.is_over());
        }
        told.map(RecordNews::Say)
    }

    /// Closes the open record with the final status of its run. The rest of the record is written in the background.
    pub(super) fn close(&mut self, status: Status) {
        self.closing.extend(self.recorder.take().map(|recorder| recorder.close(status)));
    }

    /// Waits until all records are closed, for at most [`CLOSE_TIMEOUT`] per record, and logs their remaining
    /// messages.
    pub(super) fn wait(&mut self) {
        for line in self.closing.drain(..).flat_map(|closing| closing.wait(CLOSE_TIMEOUT)) {
            event_at!(line.level, target: "hub", "{}", line.text);
        }
    }
}

fn place(recorder: &Recorder) -> String {
    recorder.directory().display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_telemetry_is_recorded_and_every_change() {
        let mut told = TelemetryState::default();
        let at = |state, segment| Telemetry { state, segment, ..Telemetry::default() };
        let kept = (0..600).filter(|i| told.is_due(f64::from(*i) / 10.0, &at(State::Run, 1))).count();
        assert!((300..=302).contains(&kept), "{kept}");
        assert!(told.is_due(59.91, &at(State::Run, 2)) && told.is_due(59.92, &at(State::Stop, 2)));
        assert!(!told.is_due(59.93, &at(State::Stop, 2)));
    }
}
