//! Control updates on their way to the hub's record: each is captured whole, and they travel in batches.
//!
//! It takes its memory once, and gives a batch away about once a second; an update in between allocates nothing.

use crate::controller::Controller;
use crate::readings::Readings;
use std::sync::Arc;
use xpuck_kernels::hash::fnv1a;
use xpuck_kernels::tree::Tree;
use xpuck_kernels::tree::exchange::to_compact;
use xpuck_wire::bytes::Bytes;
use xpuck_wire::groot::NodeState;
use xpuck_wire::message::{Neighbour, State};
use xpuck_wire::updates::{BATCH, Packer, Update, Updates};

/// The tree itself goes with the first batch of a run, and with one in so many after that: twice a minute.
const TELL_TREE: u32 = 30;

/// What the updates of a batch have in common.
#[derive(Clone, Debug, PartialEq)]
pub struct Context {
    /// The session of the robot's program.
    pub session: u64,
    /// Number of the experiment.
    pub run: u64,
    /// The segment.
    pub segment: u32,
    /// What the robot does.
    pub state: State,
}

/// The tree of the last updates.
#[derive(Clone, Debug)]
struct Known {
    tree: Arc<Tree>,
    hash: String,
    compact: Bytes,
    /// Batches since it was told.
    told: u32,
}

/// Captures updates and packs them.
#[derive(Clone, Debug, Default)]
pub struct Tracer {
    known: Option<Known>,
    context: Option<Context>,
    /// The batch that is being filled; its count is 0 between two batches.
    open: Updates,
    /// Number of the update that is being captured, while one is.
    number: Option<u32>,
    update: Update,
    packer: Packer,
    /// Batches that are to be sent.
    full: Vec<Updates>,
}

impl Tracer {
    /// Begins an update at `now`, s, before the tree is ticked.
    pub fn begin(&mut self, now: f64, number: u32, context: Context, controller: Option<&Controller>) {
        let same_tree = match (&self.known, controller) {
            (Some(known), Some(controller)) => Arc::ptr_eq(&known.tree, controller.tree()),
            (None, None) => true,
            _ => false,
        };
        let goes_on = number == self.open.first.wrapping_add(self.open.count.into());
        if !(same_tree && goes_on && self.context.as_ref() == Some(&context)) {
            self.close();
        }
        let same_run = self.context.as_ref().is_some_and(|before| before.run == context.run);
        if !(same_tree && same_run) {
            self.known = controller.map(Known::of);
        }
        if self.open.count == 0 {
            self.open_batch(now, number, &context, controller);
        }
        self.context = Some(context);
        self.number = Some(number);
        self.update.state = self.context.as_ref().map_or(State::Idle, |context| context.state);
        self.update.after_us = ((now - self.open.start) * 1e6).round() as u32;
    }

    fn open_batch(&mut self, now: f64, first: u32, context: &Context, controller: Option<&Controller>) {
        let memory = controller.map(Controller::memory);
        self.open = Updates {
            session: context.session,
            run: context.run,
            segment: context.segment,
            first,
            start: now,
            nodes: controller.map_or(0, |controller| controller.nodes().len() as u16),
            memory: memory.map_or(Vec::new(), |memory| memory.node_words().into()),
            scratch: memory.map_or([0; 3], |memory| memory.board.scratch().map(f32::to_bits)),
            ..Updates::default()
        };
        if let Some(known) = &mut self.known {
            self.open.tree.clone_from(&known.hash);
            if known.told.is_multiple_of(TELL_TREE) {
                self.open.compact = known.compact.clone();
            }
            known.told = known.told.wrapping_add(1);
        }
    }

    /// Takes what was sensed, what the tree did with it and what it wants of the wheels, m/s. `ages` are those of the body's
    /// senses, the camera frame and the virtual senses, s, and `used` says whether the last two were young enough.
    pub fn decided(
        &mut self,
        readings: &Readings,
        (up, heard): (f32, &[Neighbour]),
        (ages, used): ([Option<f32>; 3], [bool; 2]),
        controller: Option<&Controller>,
        ticked: bool,
        wheels: [f32; 2],
    ) {
        let update = &mut self.update;
        (update.ticked, update.used) = (ticked, used);
        update.ages = ages.map(|age| age.unwrap_or(f32::NAN).to_bits());
        update.proximity = readings.proximity.map(f32::to_bits);
        update.blobs = 0;
        for (colour, segments) in readings.blobs.0.iter().enumerate() {
            for (segment, _) in segments.iter().enumerate().filter(|(_, seen)| **seen) {
                update.blobs |= Update::blob(colour, segment);
            }
        }
        update.up = up.to_bits();
        update.neighbours.clear();
        update.neighbours.extend(heard.iter().map(|n| (n.island, n.range.to_bits(), n.bearing.to_bits())));
        update.nodes.clear();
        update.cells = Default::default();
        if let Some(controller) = controller {
            update.cells = controller.board().cells().map(f32::to_bits);
            update.nodes.extend(controller.nodes().iter().map(|node| match node {
                NodeState::Running => 1,
                NodeState::Success => 2,
                NodeState::Failure => 3,
                _ => 0,
            }));
        }
        update.wheels = [wheels[0].to_bits(), wheels[1].to_bits(), 0, 0];
    }

    /// Ends the update with the speeds that the motors make, m/s, and gives the batches that are to be sent.
    pub fn sent(&mut self, wheels: [f32; 2]) -> Vec<Updates> {
        if self.number.take().is_some() {
            (self.update.wheels[2], self.update.wheels[3]) = (wheels[0].to_bits(), wheels[1].to_bits());
            self.packer.push(&self.update);
            self.open.count += 1;
            if usize::from(self.open.count) == BATCH {
                self.close();
            }
        }
        std::mem::take(&mut self.full)
    }

    /// Nothing is captured now: what is there is sent.
    pub fn rest(&mut self) {
        self.close();
    }

    fn close(&mut self) {
        if self.open.count > 0 {
            self.open.data = self.packer.take();
            self.full.push(std::mem::take(&mut self.open));
        }
    }
}

impl Known {
    fn of(controller: &Controller) -> Known {
        let tree = controller.tree().clone();
        let hash = format!("{:016x}", fnv1a(tree.key()));
        Known { compact: Bytes(to_compact(&tree)), tree, hash, told: 0 }
    }
}
