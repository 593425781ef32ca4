//! Random draws of sixteen robots in parallel lanes. The words of each lane are equal to those of the robot's own
//! [`Draws`](crate::random::Draws).

use super::{LANES, lanes_of};
use crate::random::{NEXT_BLOCK, Stream, philox};

/// Seed, world and robot. Together with the number of the controller update, they determine the random draws.
#[derive(Clone, Copy, Debug)]
pub struct DrawPlace {
    /// Seed of the run.
    pub seed: u64,
    /// Index of the world.
    pub world: u32,
    /// Index of the robot in its world.
    pub robot: u32,
}

/// Random draws of sixteen robots for one controller update.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct DrawLanes {
    key: [[u32; LANES]; 2],
    counter: [[u32; LANES]; 4],
    words: [[u32; LANES]; 4],
    used: [u32; LANES],
}

impl DrawLanes {
    /// Creates the draws of the given robots, one robot per lane.
    pub fn new(places: &[DrawPlace; LANES]) -> DrawLanes {
        let each = |of: fn(&DrawPlace) -> u32| std::array::from_fn(|l| of(&places[l]));
        DrawLanes {
            key: [each(|place| place.seed as u32), each(|place| (place.seed >> 32) as u32)],
            counter: [
                each(|place| place.world),
                each(|place| place.robot),
                [0; LANES],
                [Stream::Controller as u32; LANES],
            ],
            words: [[0; LANES]; 4],
            used: [4; LANES],
        }
    }

    /// Starts the draws of the controller update with the given number.
    #[inline(always)]
    pub fn begin(&mut self, update: u32) {
        for l in 0..LANES {
            self.counter[1][l] &= NEXT_BLOCK - 1;
            self.counter[2][l] = update;
            self.used[l] = 4;
        }
    }

    /// Returns the next random word of each robot in the bit mask `mask`. The words of other lanes are undefined.
    #[inline(always)]
    pub fn word(&mut self, mask: u32) -> [u32; LANES] {
        let on = lanes_of(mask);
        let mut empty = 0;
        for l in 0..LANES {
            empty |= if self.used[l] == 4 { on[l] } else { 0 };
        }
        if empty != 0 {
            self.next_block(&on);
        }
        let mut word = [0; LANES];
        for l in 0..LANES {
            let low = if self.used[l] == 0 { self.words[0][l] } else { self.words[1][l] };
            let high = if self.used[l] == 2 { self.words[2][l] } else { self.words[3][l] };
            word[l] = if self.used[l] < 2 { low } else { high };
            self.used[l] += on[l] & 1;
        }
        word
    }

    #[inline(always)]
    fn next_block(&mut self, on: &[u32; LANES]) {
        for l in 0..LANES {
            let counter = [self.counter[0][l], self.counter[1][l], self.counter[2][l], self.counter[3][l]];
            let words = philox(counter, [self.key[0][l], self.key[1][l]]);
            let fresh = (self.used[l] == 4) & (on[l] != 0);
            self.words[0][l] = if fresh { words[0] } else { self.words[0][l] };
            self.words[1][l] = if fresh { words[1] } else { self.words[1][l] };
            self.words[2][l] = if fresh { words[2] } else { self.words[2][l] };
            self.words[3][l] = if fresh { words[3] } else { self.words[3][l] };
            self.counter[1][l] = self.counter[1][l].wrapping_add(if fresh { NEXT_BLOCK } else { 0 });
            self.used[l] = if fresh { 0 } else { self.used[l] };
        }
    }
}
