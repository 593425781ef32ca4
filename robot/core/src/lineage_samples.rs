//! Samples that individuals receive after their first generation. The robot collects these samples for the hub's
//! record. An island may complete many generations per second. Therefore only the newest samples of each individual
//! are kept, and reported at intervals.

use std::collections::BTreeMap;
use xpuck_wire::message::{MAX_SAMPLE_SUMMARIES, RobotMessage, Sampled};

/// Minimum interval between reports of samples, in arena time (s).
const REPORT_INTERVAL: f64 = 5.0;

/// Newest unreported samples of each individual, and the time of the last report (s).
#[derive(Clone, Debug, Default)]
pub struct SampleReporter {
    waiting: BTreeMap<(u16, u32), Sampled>,
    generation: u32,
    reported: f64,
}

impl SampleReporter {
    /// Stores the samples of a generation. Samples of at most [`MAX_SAMPLE_SUMMARIES`] individuals are stored. If this
    /// limit is reached, samples of further individuals are ignored.
    pub fn record(&mut self, generation: u32, samples: &[Sampled]) {
        self.generation = generation;
        for sampled in samples {
            let id = (sampled.island, sampled.number);
            if self.waiting.len() < MAX_SAMPLE_SUMMARIES || self.waiting.contains_key(&id) {
                self.waiting.insert(id, *sampled);
            }
        }
    }

    /// Returns the message for the hub that is due at `now` (s), if any.
    pub fn due(&mut self, now: f64) -> Option<RobotMessage> {
        if self.waiting.is_empty() || now - self.reported < REPORT_INTERVAL {
            return None;
        }
        self.reported = now;
        let samples = std::mem::take(&mut self.waiting).into_values().collect();
        Some(RobotMessage::Samples { generation: self.generation, samples })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newest_samples_per_tree_are_sent_at_intervals() {
        let mut heritage = SampleReporter::default();
        let sampled = |number, samples| Sampled { island: 1, number, samples, fitness: samples as f32 };
        assert!(heritage.due(100.0).is_none(), "there is nothing to tell");
        heritage.record(3, &[sampled(7, 2), sampled(8, 2)]);
        heritage.record(4, &[sampled(7, 3)]);
        let told = heritage.due(100.0).unwrap();
        assert_eq!(told, RobotMessage::Samples { generation: 4, samples: vec![sampled(7, 3), sampled(8, 2)] });
        heritage.record(5, &[sampled(7, 4)]);
        assert!(heritage.due(104.9).is_none());
        assert!(heritage.due(105.0).is_some() && heritage.due(200.0).is_none());
        (0..2 * MAX_SAMPLE_SUMMARIES as u32).for_each(|number| heritage.record(6, &[sampled(number, 1)]));
        assert_eq!(heritage.waiting.len(), MAX_SAMPLE_SUMMARIES);
    }
}
