//! Real fitness from poses: the seven segments of Table 8.3. A plain state machine.

use serde::{Deserialize, Serialize};
use xpuck_kernels::world::task::transport::raw_fitness;
use xpuck_wire::Segment;

/// Counts how far the frisbee moves while the swarm runs, segment by segment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Score {
    segments: Vec<(f64, f64)>,
    last_x: Option<f32>,
}

impl Score {
    /// Nothing scored yet; segment 0 is the time before the first trees.
    pub fn new() -> Score {
        Score { segments: vec![(0.0, 0.0)], last_x: None }
    }

    /// Running time passed in `segment`.
    pub fn pass(&mut self, segment: u32, seconds: f64) {
        self.at(segment).1 += seconds;
    }

    /// The frisbee is at `x`, m. Moves count only while `running`; a relocation happens while it is false.
    pub fn see(&mut self, segment: u32, x: f32, running: bool) {
        if let (true, Some(last)) = (running, self.last_x) {
            self.at(segment).0 += f64::from(x - last);
        }
        self.last_x = Some(x);
    }

    /// Forgets where the frisbee was: the next sight of it is no move.
    pub fn forget_place(&mut self) {
        self.last_x = None;
    }

    fn at(&mut self, segment: u32) -> &mut (f64, f64) {
        let wanted = segment as usize + 1;
        if self.segments.len() < wanted {
            self.segments.resize(wanted, (0.0, 0.0));
        }
        &mut self.segments[segment as usize]
    }

    /// The segments so far.
    pub fn segments(&self) -> Vec<Segment> {
        let segment = |(number, (moved, seconds)): (usize, &(f64, f64))| Segment {
            number: number as u32,
            fitness: if *seconds > 0.0 { f64::from(raw_fitness(*moved as f32, *seconds as f32)) } else { 0.0 },
            seconds: *seconds,
        };
        self.segments.iter().enumerate().map(segment).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relocations_and_pauses_do_not_count() {
        let mut score = Score::new();
        score.see(0, 0.0, true);
        score.see(1, -0.13, true);
        score.pass(1, 10.0);
        score.see(1, -0.2, false);
        score.see(1, 0.0, false);
        score.see(1, -0.13, true);
        score.pass(1, 10.0);
        let segments = score.segments();
        assert_eq!(segments.len(), 2);
        assert!((segments[1].fitness - 0.1).abs() < 1e-6, "{segments:?}");
        assert_eq!(segments[0].fitness, 0.0);
    }
}
