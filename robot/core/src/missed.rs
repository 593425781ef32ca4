//! Generations that the hub may have missed. The robot completed some of them while the hub was silent. It reported
//! others just before the silence, and a killed hub may have lost these reports. The robot reports these generations
//! again when the hub has resumed the run. The hub accepts each generation once.

use std::collections::VecDeque;
use xpuck_wire::message::RobotMessage;

/// Age above which a reported generation counts as saved by the hub, in wall time (s). A hub saves the run and the
/// record once per second.
pub const SAVED_AFTER_S: f64 = 4.0;
/// Maximum number of stored generations. If the store is full, the oldest generation is dropped.
pub const MAX_GENERATIONS: usize = 1024;
/// Maximum number of reported generations that are queued again after a silence. The hub remembers at least this
/// number of generations per robot (`hub/core/src/switchboard/dedup.rs`), and recognises repeated reports.
const MAX_REPEATED: usize = 500;
/// Number of generations reported per control update, to limit the load of a hub that has just returned.
const PER_UPDATE: usize = 8;

#[derive(Clone, Debug)]
struct Done {
    generation: u32,
    /// Time of the report (s); `None` if the generation was not reported.
    told: Option<f64>,
    messages: Vec<RobotMessage>,
}

/// Generations that the robot stores until the hub has saved them.
#[derive(Clone, Debug)]
pub struct MissedGenerations {
    /// Age above which a reported generation is dropped, in arena time (s).
    kept: f64,
    done: VecDeque<Done>,
    /// Whether the hub has the run, so that missed generations are being reported.
    reporting: bool,
    /// First and last generation that were dropped without a report.
    lost: Option<(u32, u32)>,
}

impl MissedGenerations {
    /// Creates an empty store; `speed` is arena time divided by wall time.
    pub fn new(speed: f64) -> MissedGenerations {
        MissedGenerations { kept: SAVED_AFTER_S * speed, done: VecDeque::new(), reporting: false, lost: None }
    }

    /// Drops all generations, because another run begins.
    pub fn clear(&mut self) {
        (self.done, self.reporting, self.lost) = (VecDeque::new(), false, None);
    }

    /// Stores a generation that was completed at `now` (s), with its messages. Returns the messages to send at once.
    /// All messages of the generation are returned if the hub is heard (`heard`) and no earlier generation is waiting.
    /// Otherwise, no messages are returned.
    pub fn push(&mut self, now: f64, heard: bool, generation: u32, messages: Vec<RobotMessage>) -> Vec<RobotMessage> {
        let at_once = heard && self.waiting() == 0;
        let told = at_once.then_some(now);
        self.forget(now, heard);
        if self.done.len() >= MAX_GENERATIONS
            && let Some(old) = self.done.pop_front().filter(|old| old.told.is_none())
        {
            self.lost = Some((self.lost.map_or(old.generation, |lost| lost.0), old.generation));
        }
        let to_send = if at_once { messages.clone() } else { Vec::new() };
        self.done.push_back(Done { generation, told, messages });
        to_send
    }

    /// Drops generations that the hub has had time to save. If the hub is not heard (`heard`), drops nothing.
    fn forget(&mut self, now: f64, heard: bool) {
        while heard && self.done.front().and_then(|d| d.told).is_some_and(|told| now - told > self.kept) {
            self.done.pop_front();
        }
    }

    /// Returns the number of generations that wait for a report.
    pub fn waiting(&self) -> usize {
        self.done.iter().filter(|done| done.told.is_none()).count()
    }

    /// Handles a silence of the hub at `now` (s). Generations that were reported recently are queued again, because
    /// the hub may have lost the reports.
    pub fn silent(&mut self, now: f64) {
        self.reporting = false;
        self.forget(now, true);
        let told = self.done.len() - self.waiting();
        self.done.drain(..told.saturating_sub(MAX_REPEATED));
        self.done.iter_mut().for_each(|done| done.told = None);
    }

    /// Starts to report the missed generations at `now` (s), because the hub has the run again. Returns a line for the
    /// log if any generation was missed.
    pub fn on_hub_has_run(&mut self, now: f64) -> Option<String> {
        let missed = self.waiting() > 0;
        if missed && self.reporting {
            // The hub repeats its message until it receives an answer.
            return None;
        }
        // The hub may have restarted so quickly that the robot did not detect a silence.
        self.silent(now);
        self.reporting = true;
        if !missed {
            return None;
        }
        let waiting = || self.done.iter().filter(|done| done.told.is_none()).map(|done| done.generation);
        let told = waiting().min().zip(waiting().max());
        let lost =
            self.lost.take().map(|(first, last)| format!("generations {first} to {last} are missing from the record"));
        let told = told.map(|(first, last)| format!("generations {first} to {last} are reported now"));
        let parts: Vec<String> = [told, lost].into_iter().flatten().collect();
        (!parts.is_empty()).then(|| format!("the hub was away: {}", parts.join("; ")))
    }

    /// Returns the messages that are due at `now` (s); empty while the hub is silent or does not have the run.
    pub fn due(&mut self, now: f64, heard: bool) -> Vec<RobotMessage> {
        if !heard || !self.reporting {
            return Vec::new();
        }
        let waiting = self.done.iter_mut().filter(|done| done.told.is_none()).take(PER_UPDATE);
        let messages = waiting.flat_map(|done| {
            done.told = Some(now);
            done.messages.clone()
        });
        messages.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamps(messages: &[RobotMessage]) -> Vec<f64> {
        let stamp = |m: &RobotMessage| if let RobotMessage::Pong { stamp } = m { *stamp } else { panic!("{m:?}") };
        messages.iter().map(stamp).collect()
    }

    /// Creates a generation whose single message contains the number of the generation.
    fn generation(number: u32) -> (u32, Vec<RobotMessage>) {
        (number, vec![RobotMessage::Pong { stamp: number.into() }])
    }

    fn push_generation(missed: &mut MissedGenerations, now: f64, heard: bool, number: u32) -> Vec<f64> {
        let (number, messages) = generation(number);
        stamps(&missed.push(now, heard, number, messages))
    }

    #[test]
    fn missed_generations_are_reported_in_order() {
        let mut missed = MissedGenerations::new(1.0);
        for (now, number) in [(0.0, 1), (2.0, 2), (9.0, 3), (9.5, 4)] {
            assert_eq!(push_generation(&mut missed, now, true, number), [f64::from(number)]);
        }
        assert!(missed.due(9.6, true).is_empty() && missed.waiting() == 0);
        missed.silent(10.5);
        assert!(push_generation(&mut missed, 11.0, false, 5).is_empty());
        assert_eq!(missed.waiting(), 3, "1 and 2 were told long before");
        assert!(missed.due(12.0, true).is_empty(), "the hub is heard, and does not have the run yet");
        // The hub is heard, but does not have the run yet. A generation completed at this time is queued after the
        // missed ones.
        assert!(push_generation(&mut missed, 12.0, true, 6).is_empty());
        assert_eq!(missed.on_hub_has_run(12.0).unwrap(), "the hub was away: generations 3 to 6 are reported now");
        assert!(missed.on_hub_has_run(12.0).is_none(), "it is being told");
        assert!(missed.due(12.1, false).is_empty());
        assert_eq!(stamps(&missed.due(12.2, true)), [3.0, 4.0, 5.0, 6.0]);
        assert!(missed.due(12.3, true).is_empty());
        assert_eq!(push_generation(&mut missed, 12.4, true, 7), [7.0]);
        assert!(missed.on_hub_has_run(17.0).is_none(), "another hub was there before the silence was noticed");
        assert_eq!(stamps(&missed.due(17.1, true)), Vec::<f64>::new());
        assert_eq!(push_generation(&mut missed, 17.2, true, 8), [8.0]);
        assert!(missed.on_hub_has_run(17.3).is_none());
        assert_eq!(stamps(&missed.due(17.4, true)), [8.0]);
    }

    #[test]
    fn missed_generations_are_bounded_and_dropped_ones_logged() {
        let mut missed = MissedGenerations::new(1.0);
        missed.silent(0.0);
        for number in 1..=MAX_GENERATIONS as u32 + 10 {
            assert!(push_generation(&mut missed, 1.0, false, number).is_empty());
        }
        assert_eq!((missed.waiting(), missed.done.len()), (MAX_GENERATIONS, MAX_GENERATIONS));
        let line = missed.on_hub_has_run(1.5).unwrap();
        assert!(
            line.ends_with("generations 11 to 1034 are reported now; generations 1 to 10 are missing from the record"),
            "{line}"
        );
        let first = missed.due(2.0, true);
        assert_eq!(stamps(&first), (11..19).map(f64::from).collect::<Vec<_>>());
        missed.clear();
        assert!(missed.waiting() == 0 && missed.on_hub_has_run(3.0).is_none());
    }

    #[test]
    fn reachable_hub_keeps_missed_list_short() {
        let mut missed = MissedGenerations::new(8.0);
        (1..1000u32).for_each(|n| drop(push_generation(&mut missed, f64::from(n), true, n)));
        assert!(missed.done.len() <= 34, "{}", missed.done.len());
    }
}
