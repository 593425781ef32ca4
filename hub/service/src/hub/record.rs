//! The hub's loop and its recorder: a record is opened, resumed and closed, and operators hear what goes wrong with it.

use super::Hub;
use crate::recovery::{self, ResumedRun};
use xpuck_hub_core::entry::Entry;
use xpuck_record::run_file::Beginning;
use xpuck_record::{Note, Recorder};
use xpuck_wire::clock::unix_ms;
use xpuck_wire::log::Line;

impl Hub {
    /// Goes on with the run of a hub that died a moment ago, if there is one. Gives the time to count on from.
    pub(super) fn resume(&mut self) -> f64 {
        let recovery::Found { resumed, notes } = recovery::look_back(&self.config);
        let begins = self.resume_run(resumed);
        notes.into_iter().for_each(|text| self.board.warn(begins, text));
        begins
    }

    fn resume_run(&mut self, resumed: Option<ResumedRun>) -> f64 {
        let Some(ResumedRun { directory, snapshot, away }) = resumed else { return 0.0 };
        let now = snapshot.time + away.as_secs_f64() * self.config.swarm.speed;
        match self.board.resume(now, snapshot) {
            Ok(()) => match Recorder::go_on(&self.config, &directory) {
                Ok(recorder) => self.record_with(recorder),
                Err(error) => self.not_recording(now, &error.to_string()),
            },
            Err(why) => self.board.warn(now, format!("the run in {} is not taken up: {why}", directory.display())),
        }
        now
    }

    fn record_with(&mut self, recorder: Recorder) {
        self.board.set_record(recorder.directory().display().to_string());
        self.recorder = Some(recorder);
    }

    /// Says so where everybody sees it; all else goes on.
    fn not_recording(&mut self, now: f64, why: &str) {
        let text = format!("NOT RECORDING: {why}");
        self.board.set_record(text.clone());
        self.board.say(now, Line::error(text));
    }

    /// The loud state is over.
    fn recording_again(&mut self, now: f64, text: String) {
        if let Some(recorder) = &self.recorder {
            self.board.set_record(recorder.directory().display().to_string());
        }
        self.board.note(now, text);
    }

    pub(super) fn open_record(&mut self, now: f64, name: &str, text: &str, seed: u64) {
        self.close_record(now);
        match Recorder::open(&self.config, &Beginning { name, text, seed, unix_ms: unix_ms(), commit: self.commit }) {
            Ok(recorder) => self.record_with(recorder),
            Err(error) => self.not_recording(now, &error.to_string()),
        }
    }

    pub(super) fn record(&mut self, now: f64, entry: Entry) {
        if let Some(lost) = self.recorder.as_mut().and_then(|r| r.write(entry)) {
            let text = format!("NOT RECORDED: {lost} messages so far, the disk is too slow");
            self.board.say(now, Line::error(text));
        }
    }

    /// What the recorder has to tell, and records that are closed by now.
    pub(super) fn hear_recorder(&mut self, now: f64) {
        while let Some(note) = self.recorder.as_mut().and_then(Recorder::note) {
            match note {
                Note::Say(line) => self.board.say(now, line),
                Note::Stopped(why) => self.not_recording(now, &why),
                Note::Again(_, text) => self.recording_again(now, text),
                Note::Next(_) => {}
            }
        }
        for closing in &self.closing {
            std::iter::from_fn(|| closing.note()).for_each(|line| self.board.say(now, line));
        }
        self.closing.retain(|closing| !closing.is_over());
    }

    pub(super) fn close_record(&mut self, now: f64) {
        if let Some(recorder) = self.recorder.take() {
            self.closing.push(recorder.close(self.board.status(now)));
        }
    }
}
