//! Recorder of control updates for the hub. It captures each update completely and sends updates in batches.
//!
//! The recorder allocates its memory once and returns a batch about once per second, or at each update while a viewer
//! is connected. Updates between batches do not allocate.

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

/// Interval between batches that contain the tree (batches). The first batch of a tree in a run always contains it.
/// With one batch per second, the tree is sent twice a minute.
const TREE_INTERVAL: u32 = 30;

/// Common properties of the updates in a batch.
#[derive(Clone, Debug, PartialEq)]
pub struct Context {
    /// Session number of the robot's program.
    pub session: u64,
    /// Number of the experiment.
    pub run: u64,
    /// Segment of the run.
    pub segment: u32,
    /// State of the robot.
    pub state: State,
}

/// Tree of the latest updates, with its hash and its compact form.
#[derive(Clone, Debug)]
struct TreeInfo {
    tree: Arc<Tree>,
    hash: String,
    compact: Bytes,
    /// Number of batches begun with this tree.
    told: u32,
}

/// Captures updates and packs them.
#[derive(Clone, Debug, Default)]
pub struct Tracer {
    known: Option<TreeInfo>,
    context: Option<Context>,
    /// Current batch. Its `count` is 0 between two batches.
    open: Updates,
    /// Number of the update being captured, if any.
    number: Option<u32>,
    update: Update,
    packer: Packer,
    /// Batches to send.
    full: Vec<Updates>,
    /// Whether each update is sent as a separate batch.
    hurry: bool,
}

impl Tracer {
    /// Sets whether each update is sent at once, which is useful while a viewer is connected.
    pub fn set_immediate(&mut self, hurry: bool) {
        self.hurry = hurry;
    }

    /// Begins an update at `now` (s), before the tree is ticked.
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
            self.known = controller.map(TreeInfo::from_controller);
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
            memory: memory.map_or(Vec::new(), |memory| memory.node_words()),
            scratch: memory.map_or([0; 3], |memory| memory.board.scratch().map(f32::to_bits)),
            ..Updates::default()
        };
        if let Some(known) = &mut self.known {
            self.open.tree.clone_from(&known.hash);
            if known.told.is_multiple_of(TREE_INTERVAL) {
                self.open.compact = known.compact.clone();
            }
            known.told = known.told.wrapping_add(1);
        }
    }

    /// Captures the senses, the results of the tree and the desired wheel speeds (m/s). `ages` contains the ages of the
    /// body's readings, the camera frame and the virtual senses (s). `used` states whether the camera frame and the
    /// virtual senses were fresh. `driven` states whether an external controller commands the wheels instead of the
    /// tree.
    pub fn decided(
        &mut self,
        readings: &Readings,
        (up, heard): (f32, &[Neighbour]),
        (ages, used): ([Option<f32>; 3], [bool; 2]),
        controller: Option<&Controller>,
        (ticked, driven): (bool, bool),
        wheels: [f32; 2],
    ) {
        let update = &mut self.update;
        (update.ticked, update.driven, update.used) = (ticked, driven, used);
        update.ages = ages.map(|age| age.unwrap_or(f32::NAN).to_bits());
        update.proximity = readings.proximity.map(f32::to_bits);
        let light = readings.light.filter(|_| controller.is_some_and(Controller::reads_light));
        update.light = light.map(|light| light.map(f32::to_bits));
        let tag = readings.tag.filter(|_| controller.is_some_and(Controller::reads_tags));
        update.tag = tag.map(|tag| tag.map(f32::to_bits));
        let ground = readings.ground.filter(|_| controller.is_some_and(Controller::reads_ground));
        update.ground = ground.map(f32::to_bits);
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

    /// Ends the update with the speeds that the motors produce (m/s), and returns the batches to send.
    pub fn sent(&mut self, wheels: [f32; 2]) -> Vec<Updates> {
        if self.number.take().is_some() {
            (self.update.wheels[2], self.update.wheels[3]) = (wheels[0].to_bits(), wheels[1].to_bits());
            self.packer.push(&self.update);
            self.open.count += 1;
            if self.hurry || usize::from(self.open.count) == BATCH {
                self.close();
            }
        }
        std::mem::take(&mut self.full)
    }

    /// Closes the current batch before a period in which updates are not captured.
    pub fn pause(&mut self) {
        self.close();
    }

    fn close(&mut self) {
        if self.open.count > 0 {
            self.open.data = self.packer.finish_batch();
            self.full.push(std::mem::take(&mut self.open));
        }
    }
}

impl TreeInfo {
    fn from_controller(controller: &Controller) -> TreeInfo {
        let tree = controller.tree().clone();
        let hash = format!("{:016x}", fnv1a(tree.key()));
        TreeInfo { compact: Bytes(to_compact(&tree)), tree, hash, told: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_kernels::math::vec2;
    use xpuck_kernels::random::{Draws, Stream};
    use xpuck_kernels::tree::{Memory, Program, Senses};

    fn context(segment: u32) -> Context {
        Context { session: 7, run: 5, segment, state: State::Run }
    }

    fn controller() -> Controller {
        Controller::new(Tree::parse("seqm\n  repeati 7\n    mulas s_scr s_scr 1 s_n\n  movcv v_goal 0deg\n").unwrap())
            .unwrap()
    }

    fn update(tracer: &mut Tracer, number: u32, segment: u32, controller: &mut Controller) -> Vec<Updates> {
        let senses = Senses { neighbours: number as f32, prox: vec2(0.1, -0.0), ..Senses::default() };
        tracer.begin(f64::from(number) * 0.1, number, context(segment), Some(controller));
        controller.tick(&senses, &mut Draws::new(1, 1, 0, number, Stream::Controller));
        let told = (0.5, &[Neighbour { island: 2, range: 0.25, bearing: -0.5 }][..]);
        let ages = ([Some(0.01), None, Some(0.1)], [false, true]);
        tracer.decided(&Readings::default(), told, ages, Some(controller), (true, false), [0.1, 0.2]);
        tracer.sent([0.05, 0.15])
    }

    #[test]
    fn batch_covers_one_second_and_starts_with_tree_memory() {
        let (mut tracer, mut controller) = (Tracer::default(), controller());
        let (mut sent, mut memories) = (Vec::new(), Vec::new());
        for number in 100..135 {
            memories.push((controller.memory().node_words(), controller.board().scratch().map(f32::to_bits)));
            sent.extend(update(&mut tracer, number, 1, &mut controller));
        }
        assert_eq!(sent.iter().map(|b| (b.first, b.count)).collect::<Vec<_>>(), [(100, 10), (110, 10), (120, 10)]);
        let program = Program::compile(controller.tree()).unwrap();
        for (batch, at) in sent.iter().zip([0, 10, 20]) {
            assert_eq!((&batch.memory, batch.scratch), (&memories[at].0, memories[at].1));
            assert!(Memory::resume(&program, &batch.memory, batch.scratch.map(f32::from_bits)).is_some());
            let updates = batch.unpack().unwrap();
            assert!(updates.iter().all(|u| u.ticked && u.nodes.len() == 4 && u.neighbours.len() == 1));
            assert_eq!(updates[3].after_us, 300_000);
            assert_eq!(updates[9].cells[16], ((at + 109) as f32).to_bits());
            assert_eq!(updates[0].wheels.map(f32::from_bits), [0.1, 0.2, 0.05, 0.15]);
            assert_eq!(updates[0].cells[5], (-0.0f32).to_bits(), "a negative zero stays one");
        }
        assert!(memories[10].0 != memories[0].0 && sent[1].scratch != sent[0].scratch, "it remembers something");
    }

    #[test]
    fn each_update_is_sent_at_once_while_watched() {
        let (mut tracer, mut controller) = (Tracer::default(), controller());
        let mut sent = Vec::new();
        for number in 1..=20 {
            tracer.set_immediate((5..8).contains(&number));
            sent.extend(update(&mut tracer, number, 1, &mut controller));
        }
        assert_eq!(sent.iter().map(|b| (b.first, b.count)).collect::<Vec<_>>(), [(1, 5), (6, 1), (7, 1), (8, 10)]);
    }

    #[test]
    fn batch_ends_with_segment_tree_or_run() {
        let (mut tracer, mut one, mut two) = (Tracer::default(), controller(), controller());
        let mut sent = Vec::new();
        (1..=4).for_each(|number| sent.extend(update(&mut tracer, number, 1, &mut one)));
        (5..=7).for_each(|number| sent.extend(update(&mut tracer, number, 2, &mut one)));
        (8..=9).for_each(|number| sent.extend(update(&mut tracer, number, 2, &mut two)));
        // Updates 10 to 19 are not captured. A new batch begins after this gap.
        (20..=21).for_each(|number| sent.extend(update(&mut tracer, number, 2, &mut two)));
        tracer.pause();
        sent.extend(tracer.sent([0.0; 2]));
        let shape: Vec<_> = sent.iter().map(|b| (b.first, b.count, b.segment, b.compact.0.is_empty())).collect();
        assert_eq!(shape, [(1, 4, 1, false), (5, 3, 2, true), (8, 2, 2, false), (20, 2, 2, true)]);
        assert!(tracer.sent([0.0; 2]).is_empty(), "nothing is told twice");
    }
}
